"""Words of other languages, each with the form of this one."""

from __future__ import annotations

import re

from tvarc.light import Final
from tvarc.syntax.fault import Fault

# Words that begin an item in other languages, with the word of this language; empty if it has none.
SPELT: Final = {
    "set": "", "var": "let", "const": "let", "def": "let", "define": "let",
    "import": "use", "from": "use", "with": "use",
}  # fmt: skip
RELATED: Final = frozenset({"import"})  # close to `use`, and followed by the same words
_LOOPS = "the language has no loops"
_EACH = "declare an axis, which makes a variant for each of its values: `axis NAME = [A, B]`"
_CASES = "write a block for each case, `when gpu == sm80 { … }`, or put the values into facts"
_REMOVE = "set it to `none` in its block: `attrs { NAME = none }`"
# Words that begin an item in other languages: what is wrong, and what to write.
ITEMS: Final = {
    "for": (_LOOPS, _EACH),
    "foreach": (_LOOPS, _EACH),
    "while": (_LOOPS, _EACH),
    "loop": (_LOOPS, _EACH),
    "switch": ("the language has no `switch`", _CASES),
    "case": ("the language has no `case`", _CASES),
    "match": ("the language has no `match`", _CASES),
    "unless": ("the language has no `unless`", "write `when not (CONDITION) { … }`"),
    "elif": ("`when` has no `elif`", "write `else when CONDITION { … }`"),
    "unset": ("a setting is not removed by `unset`", _REMOVE),
    "delete": ("a setting is not removed by `delete`", _REMOVE),
    "del": ("a setting is not removed by `del`", _REMOVE),
    "pass": ("the language has no `pass`", "an empty block is `{ }`"),
    "remove": ("a setting is not removed by `remove`", _REMOVE),
    "only": ("the language has no `only`", "drop the other cells: `exclude not (CONDITION)`"),
    "assert": ("the language has no `assert`", 'write `require CONDITION because "the reason"`'),
    "inherit": ("the language has no `inherit`", "write each setting: `NAME = SOURCE.NAME`"),
    "export": (
        "a variable of the build is set in a block",
        'write `env { NAME = "…" }`; a line of a script is written in one of its parts',
    ),
    "end": ("blocks do not close with `end`", "write `}`"),
    "fi": ("blocks do not close with `fi`", "write `}`"),
}  # fmt: skip
NO_FUNCTIONS = "the language has no functions of a program's own"
INSTEAD_OF_FUNCTION = "what recipes share is a recipe that they extend: `recipe b extends a { … }`"
_ROWS = "write `facts NAME (FIELD: TYPE) { ROW { FIELD = VALUE } }`"
# Words that begin a declaration in other languages.
DECLARATIONS: Final = {
    "table": ("a table is declared by `facts`", _ROWS),
    "enum": ("the language has no `enum`", f"declare an axis, `axis NAME = [A, B]`, or {_ROWS}"),
    "struct": ("the language has no `struct`", _ROWS),
    "type": ("the language has no declarations of types", _ROWS),
    "fn": (NO_FUNCTIONS, INSTEAD_OF_FUNCTION),
    "func": (NO_FUNCTIONS, INSTEAD_OF_FUNCTION),
    "function": (NO_FUNCTIONS, INSTEAD_OF_FUNCTION),
    "package": ("packages are built by recipes", "write `recipe NAME { package = pkgs.NAME }`"),
    "derivation": ("packages are built by recipes", "write `recipe NAME { package = pkgs.NAME }`"),
    **{word: ITEMS[word] for word in (
        "for", "foreach", "while", "switch", "case", "match")},
}  # fmt: skip
JOIN = 'join strings as `"{{a}}{{b}}"`, and lists as `[...a, ...b]`'
_CHOICE = "write `if CONDITION then VALUE else OTHER`, or a block `when CONDITION { … }`"
_IN_NIX = 'write Nix text: `nix"""…"""`'
# Functions and words that come before their arguments at the start of a value in other languages.
APPLIED: Final = {
    "with": "write each package with `pkgs`: `[pkgs.zlib, pkgs.xz]`",
    "let": "declare it beside the recipe, `let NAME = …`, and write its name here",
    "mkForce": "write `force` before the name: `force NAME = …`",
    "mkDefault": "write `default` before the name: `default NAME = …`",
    "mkIf": _CHOICE,
    "optional": _CHOICE,
    "optionals": _CHOICE,
    "optionalString": _CHOICE,
    "optionalAttrs": _CHOICE,
    "case": _CHOICE,
    "match": _CHOICE,
    "switch": _CHOICE,
    "import": _IN_NIX,
    "concatStringsSep": 'write `join(LIST, " ")`',
    "concatMapStringsSep": 'write `join([ELEMENT for x in LIST], " ")`',
    "toString": 'write it as a string: `"{{NAME}}"`',
    "lambda": _IN_NIX,
}
_META: Final = (
    "broken", "description", "homepage", "license", "longDescription", "mainProgram",
    "maintainers", "platforms",
)  # fmt: skip
# Settings of other languages that are none of a recipe, each with the form of this one.
SETTINGS: Final = {
    **dict.fromkeys(("count", "for_each", "foreach", "strategy"), _EACH),
    **dict.fromkeys(
        ("depends_on", "dependencies", "requires", "deps"),
        "for packages, write `attrs { buildInputs += [pkgs.NAME] }`; for the build of another "
        "recipe, `needs NAME = RECIPE`",
    ),
    **dict.fromkeys(
        ("source", "src"),
        'write `attrs { src = path("./FOLDER") }`, or `attrs { src = github(…) }`',
    ),
    **dict.fromkeys(
        ("inherits", "extends", "amends"), "write `recipe NAME extends OTHER { … }`"),
    **{name: f"write `meta {{ {name} = … }}`" for name in _META},
}  # fmt: skip
_ENVIRONMENT = "declare `flag NAME = VALUE` in the recipe, and set it by `--flag NAME=VALUE`"
# Methods and functions of other languages, with the form of this one.
METHODS: Final = {
    **dict.fromkeys(("env", "getenv", "environ", "get_env"), _ENVIRONMENT),
    **dict.fromkeys(
        ("format", "printf", "sprintf", "concat", "str", "toString"),
        'insert values as `"{{name}}"`',
    ),
    "range": "write each value: `[1, 2, 3]`",
    **{name: f"write the value into the brackets: `{name}(x)`" for name in ("lower", "upper")},
    **{name: f"write the value into the brackets: `{name}(x, …)`" for name in (
        "join", "split", "replace")},
    **dict.fromkeys(("append", "add", "extend", "push"), "a list is added to by `NAME += [x]`"),
    **{name: f"write `{right}(x, …)`" for name, right in (
        ("startswith", "starts-with"), ("startsWith", "starts-with"), ("hasPrefix", "starts-with"),
        *((name, "matches") for name in ("fnmatch", "glob", "regex")),
        ("endswith", "ends-with"), ("endsWith", "ends-with"), ("hasSuffix", "ends-with"))},
    **dict.fromkeys(("contains", "includes"), "write `PART in x`"),
    **dict.fromkeys(("toUpperCase", "upcase", "toupper"), "write `upper(x)`"),
    **dict.fromkeys(("toLowerCase", "downcase", "tolower"), "write `lower(x)`"),
    **dict.fromkeys(("map", "filter", "select"), "write `[ELEMENT for x in LIST if CONDITION]`"),
    **dict.fromkeys(("lookup", "get", "getattr"), "write `RECORD[KEY]`"),
    **dict.fromkeys(
        ("coalesce", "try", "ifnull"), "write `if VALUE != null then VALUE else OTHER`"),
    **dict.fromkeys(("List", "Set", "list", "tuple", "tolist", "toset"), "write `[a, b]`"),
    **dict.fromkeys(("Map", "Mapping", "dict", "merge"), "write a record: `{ a = 1, b = 2 }`"),
    **dict.fromkeys(("first", "head"), "write `LIST[0]`"),
    **dict.fromkeys(("length", "size", "count"), "write `len(x)`"),
}  # fmt: skip
# Fetchers of nixpkgs, each with the function or declaration of this language.
FETCHERS: Final = {
    "fetchFromGitHub": 'write `github("OWNER/REPO", rev = "…", hash = "…")`',
    "fetchurl": 'write `url("https://…", hash = "…")`',
    "fetchTarball": 'write `url("https://…", hash = "…")`',
    "fetchpatch": 'declare `patch NAME for PACKAGE { url = "https://…", hash = "…" }`',
}
CONDITIONS: Final = ("INCLUDE", "EXCLUDE", "REQUIRE", "WHEN")
DOTTED: Final = re.compile(r"(?:\.[\w-]+)*")  # of the name of a module, after its first step
IMPORTED: Final = re.compile(r"\s+import\s+([\w-]+)\s*$")
UPDATED: Final = re.compile(r"//[ \t]*(?:[{(]|[\w.'-]+[ \t]*[;,}\])]?[ \t]*$)")
FUNCTION: Final = re.compile(r"\\[ \t]*[(\w].*->")
TYPE: Final = re.compile(r"[ \t]*[\w.<>\[\]?|-]+[ \t]*(?==(?!=))")
PREFIXES: Final = frozenset({"f", "F", "r", "R", "b", "s", "u", "rf", "fr", "t"})
# Pairs of neighbouring marks that this language spells in another way.
MARKS: Final = {
    "<>": "!=", "===": "==", "!==": "!=", ":=": "=", "=<": "<=",
}  # fmt: skip


def begins_item(fault: Fault, back: int) -> bool:
    """Whether the token read *back* tokens before the fault is a word that begins an item."""
    return fault.last_kind(back + 1) in ("", "LBRACE", "_NL", "COMMA")
