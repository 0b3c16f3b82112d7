; No two patterns capture the same part: editors do not agree on whether the first or the last one counts. The names of
; captures are those that Neovim, Helix and Zed share, or begin with one.
(comment) @comment
[(string) (content)] @string
[(script_text) (nix) (text)] @string.special
[(escape) (text_escape)] @string.escape
(interpolation ["{{" "${{{" "}}"] @punctuation.special)
(number) @constant.numeric
[(true) (false)] @constant.builtin.boolean
[(null) (none) "off"] @constant.builtin

["language" "use" "as" "let" "facts" "override" "axis" "pin" "input" "overlay" "patch" "until" "recipe" "mixin"
 "matrix" "extends" "with" "from" "variant" "output" "flag" "needs" "by" "argument" "script" "test" "part" "before"
 "after" "for" "warn"] @keyword
["when" "if" "then" "else" "include" "exclude" "require" "because"] @keyword.control
["and" "or" "not" "in" "is" "where"] @keyword.operator
(strength) @keyword.storage.modifier

["=" "+=" "-=" "==" "!=" "<" "<=" ">" ">=" "*" ".." "..." "?"] @operator
["{" "}" "[" "]" "(" ")"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter

[(recipe name: (identifier) @type)
 (mixin name: (identifier) @type)
 (matrix name: (identifier) @type)
 (variant name: (identifier) @type)
 (facts name: (identifier) @type)
 (axis name: (identifier) @type)
 (overlay name: (identifier) @type)
 (patch name: (identifier) @type)
 (output name: (identifier) @type)
 (pin name: (identifier) @type)
 (input name: (identifier) @type)
 (dotted (identifier) @type)]
[(type_name) (choice_type (identifier))] @type.builtin
[(let name: (identifier) @constant)
 (flag name: (identifier) @constant)
 (needs name: (identifier) @constant)
 (row name: (identifier) @constant)]
[(script name: (identifier) @label)
 (test name: (identifier) @label)
 (part name: (identifier) @label)
 (warn name: (identifier) @label)
 (block name: (identifier) @label)]
[(field name: (identifier) @variable.other.member)
 (path (identifier) @variable.other.member)
 (entry_path (identifier) @variable.other.member)
 (member name: (identifier) @variable.other.member)]
[(named_argument name: (identifier) @variable.parameter)
 (axis_value . (identifier) @variable.parameter)
 (each name: (identifier) @variable.parameter)]
(call function: (identifier) @function)
([(member . (identifier) @variable.builtin) (interpolation (identifier) @variable.builtin)]
 (#any-of? @variable.builtin
  "pkgs" "caller" "final" "prev" "old" "needs" "variant" "recipe" "matrix" "package" "pin" "overlays"))
