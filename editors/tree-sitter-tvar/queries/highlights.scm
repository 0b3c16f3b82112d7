; Later patterns win.
(identifier) @variable
((identifier) @variable.builtin
 (#any-of? @variable.builtin "pkgs" "caller" "final" "prev" "old" "needs" "variant" "recipe" "matrix"))

(comment) @comment
[(string) (content)] @string
[(script_text) (nix) (text)] @string.special
[(escape) (text_escape)] @string.escape
(interpolation ["{{" "}}"] @punctuation.special)
(number) @number
[(true) (false)] @boolean
[(null) (none)] @constant.builtin
"off" @constant.builtin

["language" "use" "as" "let" "facts" "override" "axis" "pin" "input" "overlay" "patch" "until" "recipe" "mixin"
 "matrix" "extends" "with" "from" "variant" "output" "flag" "needs" "by" "argument" "script" "part" "before" "after"
 "for"] @keyword
["when" "if" "then" "else"] @keyword.conditional
["include" "exclude" "require" "warn" "because"] @keyword.exception
["and" "or" "not" "in" "is" "where"] @keyword.operator
(strength) @keyword.modifier

["=" "+=" "-=" "==" "!=" "<" "<=" ">" ">=" "*" ".." "..." "?"] @operator
["{" "}" "[" "]" "(" ")"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter

(because (string) @comment.documentation)
(because (string (content) @comment.documentation))
[(recipe name: (identifier) @type.definition)
 (mixin name: (identifier) @type.definition)
 (matrix name: (identifier) @type.definition)
 (variant name: (identifier) @type.definition)
 (facts name: (identifier) @type.definition)
 (axis name: (identifier) @type.definition)
 (overlay name: (identifier) @type.definition)
 (patch name: (identifier) @type.definition)
 (output name: (identifier) @type.definition)
 (pin name: (identifier) @type.definition)
 (input name: (identifier) @type.definition)]
(script name: (identifier) @function)
(part name: (identifier) @label)
(let name: (identifier) @constant)
(flag name: (identifier) @constant)
(needs name: (identifier) @constant)
(warn name: (identifier) @label)
(row name: (identifier) @constant)
(field name: (identifier) @property)
(type_name) @type.builtin
(choice_type (identifier) @type.builtin)
(dotted (identifier) @module)
(block name: (identifier) @module)
(path (identifier) @property)
(entry_path (identifier) @property)
(member name: (identifier) @property)
(call function: (identifier) @function.call)
(named_argument name: (identifier) @variable.parameter)
(axis_value (identifier) @variable.parameter)
