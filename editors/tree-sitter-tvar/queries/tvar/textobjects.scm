; For Helix.
(recipe (body) @class.inside) @class.around
(mixin (body) @class.inside) @class.around
(matrix (body) @class.inside) @class.around
(when (body) @function.inside) @function.around
(script (body) @function.inside) @function.around
(test (body) @function.inside) @function.around
(named_argument) @parameter.around
(comment) @comment.around
