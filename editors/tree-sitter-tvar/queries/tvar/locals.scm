[(source_file) (body) (each)] @local.scope
(let name: (identifier) @local.definition.constant)
(flag name: (identifier) @local.definition.var)
(each name: (identifier) @local.definition.var)
(axis name: (identifier) @local.definition.var)
(facts name: (identifier) @local.definition.type)
(recipe name: (identifier) @local.definition.type)
(mixin name: (identifier) @local.definition.type)
(matrix name: (identifier) @local.definition.type)
(use alias: (identifier) @local.definition.import)
(identifier) @local.reference
