"""Messages for constructs of other languages. Each message says how to write the construct in this
one.

People who know HCL, YAML, Python, Nix, JavaScript or CUE write these constructs at first.
"""

from __future__ import annotations

import re

from tvarc.light import Final
from tvarc.syntax.cst import Leaf
from tvarc.syntax.fault import (
    Advice,
    Fault,
    Replaced,
    expected,
    found,
    item_of,
    line_end,
    shown,
)
from tvarc.syntax.terminals import COMPARE, NAMED, VALUE_START

# Words that begin an item in other languages, with the word of this language; empty if it has none.
_SPELT: Final = {
    "set": "", "var": "let", "const": "let", "def": "let", "define": "let",
    "import": "use", "from": "use", "with": "use",
}  # fmt: skip
_RELATED: Final = frozenset({"import"})  # close to `use`, and followed by the same words
_LOOPS = "the language has no loops"
_EACH = "declare an axis, which makes a variant for each of its values: `axis NAME = [A, B]`"
_CASES = "write a block for each case, `when gpu == sm80 { … }`, or put the values into facts"
_REMOVE = "set it to `none` in its block: `attrs { NAME = none }`"
# Words that begin an item in other languages: what is wrong, and what to write.
_ITEMS: Final = {
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
_NO_FUNCTIONS = "the language has no functions of a program's own"
_INSTEAD_OF_FUNCTION = "what recipes share is a recipe that they extend: `recipe b extends a { … }`"
_ROWS = "write `facts NAME (FIELD: TYPE) { ROW { FIELD = VALUE } }`"
# Words that begin a declaration in other languages.
_DECLARATIONS: Final = {
    "table": ("a table is declared by `facts`", _ROWS),
    "enum": ("the language has no `enum`", f"declare an axis, `axis NAME = [A, B]`, or {_ROWS}"),
    "struct": ("the language has no `struct`", _ROWS),
    "type": ("the language has no declarations of types", _ROWS),
    "fn": (_NO_FUNCTIONS, _INSTEAD_OF_FUNCTION),
    "func": (_NO_FUNCTIONS, _INSTEAD_OF_FUNCTION),
    "function": (_NO_FUNCTIONS, _INSTEAD_OF_FUNCTION),
    "package": ("packages are built by recipes", "write `recipe NAME { package = pkgs.NAME }`"),
    "derivation": ("packages are built by recipes", "write `recipe NAME { package = pkgs.NAME }`"),
    **{word: _ITEMS[word] for word in (
        "for", "foreach", "while", "switch", "case", "match")},
}  # fmt: skip
JOIN = 'join strings as `"{{a}}{{b}}"`, and lists as `[...a, ...b]`'
_CHOICE = "write `if CONDITION then VALUE else OTHER`, or a block `when CONDITION { … }`"
_IN_NIX = 'write Nix text: `nix"""…"""`'
# Functions and words that stand before their arguments at the start of a value in other languages.
_APPLIED: Final = {
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
_DOTTED: Final = re.compile(r"(?:\.[\w-]+)*")  # of the name of a module, after its first step
_IMPORTED: Final = re.compile(r"\s+import\s+([\w-]+)\s*$")
_UPDATED: Final = re.compile(r"//[ \t]*(?:[{(]|[\w.'-]+[ \t]*[;,}\])]?[ \t]*$)")
_FUNCTION: Final = re.compile(r"\\[ \t]*[(\w].*->")
_TYPE: Final = re.compile(r"[ \t]*[\w.<>\[\]?|-]+[ \t]*(?==(?!=))")
_PREFIXES: Final = frozenset({"f", "F", "r", "R", "b", "s", "u", "rf", "fr", "t"})
# Pairs of neighbouring marks that this language spells in another way.
_MARKS: Final = {
    "<>": "!=", "===": "==", "!==": "!=", ":=": "=", "=<": "<=",
}  # fmt: skip


def elsewhere(fault: Fault) -> Advice | None:
    """The message for *fault* if a construct of another language caused it; else None."""
    for hint in (
        _marks,
        _capital_word,
        _command_in_script,
        _first_word,
        _spelt_elsewhere,
        _ternary,
        _choice_behind,
        _elif,
        _no_alternative,
        _comprehension,
        _prefix,
        _reason,
        _reason_first,
        _update,
        _joined_by_comma,
        _excluded,
        _excluded_record,
        _when_behind,
        _imported_names,
        _spread_settings,
        _word_before_block,
        _parent,
        _recipe_of_matrix,
        _without_equals,
        _braces_of_axis,
        _all_rows,
        _overlay_on,
        _names_in_braces,
        _range,
        _slice,
        _tuple,
        _filter,
        _row_with_colon,
        _facts_without_fields,
        _type_of_list,
        _output_path,
        _set_declaration,
        _set_twice,
        _file_called,
        _path,
        _path_alone,
        _heredoc,
        _sigil,
        _lambda,
        _strong_block,
        _applied,
        _fetcher,
        _method_of_list,
        _open_line,
    ):
        advice = hint(fault)
        if advice is not None:
            return advice
    return None


# --- words and marks ------------------------------------------------------------------------------


def _begins_item(fault: Fault, back: int) -> bool:
    """Whether the token read *back* tokens before the fault is a word that begins an item."""
    return fault.last_kind(back + 1) in ("", "LBRACE", "_NL", "COMMA")


def _marks(fault: Fault) -> Advice | None:
    """`<>` and `===`: a comparison as other languages write it."""
    last = fault.last()
    if last is None or last.end_pos != fault.start or last.type in VALUE_START:
        return None
    text = fault.source.text
    written = text[last.start_pos : fault.end]
    right = _MARKS.get(written)
    if right is None:
        return None
    edits = ((last.start_pos, fault.end, right),)
    title = f"`{written}` is not an operator"
    return Advice(title, last.start_pos, fault.end, "", f"write `{right}`", edits=edits)


def _capital_word(fault: Fault) -> Advice | None:
    """`a == b AND c`: an operator in capital letters."""
    word = fault.text.lower()
    if word not in ("and", "or") or fault.kind != "NAME" or word.upper() not in fault.accepted:
        return None
    return Advice(
        f"`{fault.text}` is not an operator",
        fault.start,
        fault.end,
        "",
        f"write `{word}`",
        edits=((fault.start, fault.end, word),),
    )


def _first_word(fault: Fault) -> Advice | None:
    """A word that begins an item or a declaration elsewhere: `for`, `switch`, `table`."""
    word, name = fault.last(), fault.last_text()
    known = (_ITEMS if fault.in_body else _DECLARATIONS).get(name)
    if word is None or known is None or not _begins_item(fault, 1):
        return None
    follows = ("NAME", "STRING", "NUMBER", "LPAR", "NOT", "_NL", "RBRACE", "$END", "char")
    if fault.kind not in follows:
        return None
    title, advice = known
    return Advice(title, word.start_pos, word.end_pos, "", advice)


def _spelt_elsewhere(fault: Fault) -> Advice | None:
    """`set x = 5` or `const x = 5`, where this language has another word or none."""
    word, text = fault.last(), fault.last_text()
    if word is None or fault.kind not in ("NAME", "STRING") or text not in _SPELT:
        return None
    if not _begins_item(fault, 1) or "EQUAL" not in fault.accepted:
        return None
    name, right = shown(fault.text), _SPELT[text]
    behind = fault.source.text[fault.end : line_end(fault.source.text, fault.end)]
    if text == "def" and behind.startswith("("):
        return Advice(_NO_FUNCTIONS, word.start_pos, word.end_pos, "", _INSTEAD_OF_FUNCTION)
    if right == "use" and fault.kind == "NAME":
        rest = _DOTTED.match(behind)
        assert rest is not None
        name += rest[0]
        inner = _IMPORTED.match(behind[rest.end() :]) if text == "from" else None
        name += f".{inner[1]}" if inner is not None else ""
    if right:
        advice = f"write `{right} {name}{' = …' if right == 'let' else ''}`"
    elif fault.in_body:
        advice = f"write `{name} = …`, without `{text}`"
    else:
        advice = f"`let {name} = …` names a value; a setting `{name} = …` belongs in a recipe"
    what = "item" if fault.in_body else "declaration"
    edits: Replaced = ()
    sets = fault.source.text[fault.end :].lstrip(" \t").startswith("=")
    if sets if right == "let" else text in _RELATED:
        edits = ((word.start_pos, word.end_pos, right),)
    elif not right and fault.in_body:
        edits = ((word.start_pos, fault.start, ""),)
    return Advice(f"unknown {what} `{text}`", word.start_pos, word.end_pos, "", advice, edits=edits)


def _command_in_script(fault: Fault) -> Advice | None:
    """`script postInstall { echo hi }`: commands without a part around them."""
    if not fault.openers or fault.kind not in ("NAME", "STRING", "NUMBER", "char"):
        return None
    place = fault.before.index(fault.openers[-1])
    if place < 2 or fault.before[place - 2].type != "SCRIPT" or place != len(fault.before) - 2:
        return None
    word = fault.last()
    if word is None or word.type != "NAME":
        return None
    return Advice(
        "a script is written in parts",
        word.start_pos,
        word.end_pos,
        "",
        'write its lines in a part: `part NAME """…"""`',
    )


def _prefix(fault: Fault) -> Advice | None:
    """`f"…{x}"`: a string with a letter before it."""
    last = fault.last()
    if fault.kind != "STRING" or last is None or last.end_pos != fault.start:
        return None
    if fault.last_text() not in _PREFIXES:
        return None
    return Advice(
        "a string has no letter before it",
        last.start_pos,
        fault.end,
        "",
        f"remove `{fault.last_text()}`: in each string `{{{{name}}}}` inserts a value",
        edits=((last.start_pos, last.end_pos, ""),),
    )


def _reason(fault: Fault) -> Advice | None:
    """`exclude … becuase "x"`: another word for `because`."""
    if fault.kind not in ("NAME", "COLON") or "BECAUSE" not in fault.accepted:
        return None
    rest = fault.source.text[fault.end :].lstrip(" \t")
    set_by = rest.startswith("=") and fault.kind == "NAME"
    rest = rest[set_by:].lstrip(" \t")
    if not rest.startswith('"'):
        return None
    end = len(fault.source.text) - len(rest) if set_by else fault.end
    because = " because" if fault.kind == "COLON" else "because "[: 7 + set_by]
    return Advice(
        f"the reason does not follow {found(fault)}",
        fault.start,
        fault.end,
        "",
        'write `because "the reason"`',
        edits=((fault.start, end, because),),
    )


def _reason_first(fault: Fault) -> Advice | None:
    """`exclude because "x" C`: the reason comes before the condition."""
    word, first = fault.last(), fault.last(2)
    if fault.kind not in ("STRING", "SCRIPT_TEXT") or word is None or first is None:
        return None
    if fault.last_text() != "because" or first.type not in CONDITIONS:
        return None
    return Advice(
        "the reason follows the condition",
        word.start_pos,
        fault.end,
        "",
        f'write `{fault.text_of(first)} CONDITION because "the reason"`',
    )


# --- choices --------------------------------------------------------------------------------------


def _update(fault: Fault) -> Advice | None:
    """`pkgs.x // { … }` and `a // b`: the operator of Nix that merges records."""
    text, start = fault.source.text, fault.start
    line = item_of(fault.before)
    if fault.kind != "char" or not any(leaf.type in ("EQUAL", "PLUS_EQ") for leaf in line):
        return None
    if _UPDATED.match(text[start : line_end(text, start)]) is None:
        return None
    return Advice(
        "`//` does not merge records",
        start,
        start + 2,
        "",
        "write each setting in its block, such as `attrs { b = 2 }`, or add to the record, "
        "`NAME += { b = 2 }`; a comment begins with `#`",
    )


def _ternary(fault: Fault) -> Advice | None:
    if fault.text != "?":
        return None
    if fault.source.text.startswith("?=", fault.start):
        name = fault.last_text()
        return Advice(
            "`?=` does not set a value",
            fault.start,
            fault.start + 2,
            "",
            f"for a value that others may replace, write `default {shown(name)} = …`",
        )
    if fault.source.text.startswith(("??", "?."), fault.start):
        advice = "write `if VALUE != null then VALUE else OTHER`"
        if fault.source.text[fault.start + 1] == ".":
            advice = "write `.`: a fact that is left out is null"
        mark = fault.source.text[fault.start : fault.start + 2]
        title = f"`{mark}` is not an operator"
        return Advice(title, fault.start, fault.start + 2, "", advice)
    return Advice(
        "`?` does not choose between values",
        fault.start,
        fault.end,
        "",
        "write `if CONDITION then VALUE else OTHER`",
    )


def _choice_behind(fault: Fault) -> Advice | None:
    """`"x" if C else "y"`: the condition stands after the value."""
    if fault.kind != "IF" or fault.wants_value or fault.at_item or not fault.in_body:
        return None
    if fault.last_kind() == "ELSE":  # the `else` of a `when`
        return None
    place = (fault.start, fault.end)
    rest = fault.source.text[fault.end : line_end(fault.source.text, fault.end)]
    if "WHEN" in fault.accepted and " else " not in rest:
        help_, edits = "write `NAME = VALUE when CONDITION`", ((*place, "when"),)
        return Advice("`if` needs a value for the other case", *place, "", help_, edits=edits)
    return Advice(
        "`if` comes before the values", *place, "", "write `if CONDITION then VALUE else OTHER`"
    )


_BEHIND: Final = {
    "let": "write `let NAME = if CONDITION then VALUE else OTHER`",
    "include": "write one condition: `include CONDITION and OTHER`",
    "exclude": "write one condition: `exclude CONDITION and OTHER`",
    "warn": "write one condition: `warn NAME = CONDITION and OTHER`",
}
"""What to write in place of a `when` behind an item that can have none."""


def _when_behind(fault: Fault) -> Advice | None:
    """`when` behind an item that can have none, and what a `when` behind a setting cannot have."""
    item, place = item_of(fault.before), (fault.start, fault.end)
    if not item or item[0].type == "WHEN" or fault.wants_value:
        return None
    kinds = [leaf.type for leaf in item]
    if fault.text == "unless" and "WHEN" in fault.accepted:
        return Advice(*_ITEMS["unless"][:1], *place, "", "write `when not (CONDITION)`")
    if fault.text == "when" and "BECAUSE" in kinds:
        help_ = 'write `NAME = VALUE when CONDITION because "the reason"`'
        return Advice("`when` comes before `because`", *place, "", help_)
    opener = fault.before.index(fault.openers[-1]) if fault.openers else 0
    if fault.text == "when" and opener and fault.before[opener].type == "LSQB":
        help_ = "in a list, write `...if CONDITION then [ELEMENT] else []`"
        return Advice("`when` follows a whole setting", *place, "", help_)
    if fault.text == "when" and opener and fault.before[opener - 1].type == "EQUAL":
        help_ = "write the key as a setting: `NAME.KEY = VALUE when CONDITION`"
        return Advice("`when` follows a whole setting", *place, "", help_)
    if fault.text == "when" and "_NL" not in kinds and "LBRACE" not in fault.accepted:
        key = fault.text_of(item[0])
        help_ = _BEHIND.get(key, f"write it in a block: `when CONDITION {{ {shown(key)} … }}`")
        return Advice(f"`when` cannot follow `{shown(key)}`", *place, "", help_)
    if "WHEN" not in kinds or fault.kind not in ("LBRACE", "ELSE"):
        return None
    if fault.kind == "ELSE":
        title = "a `when` after a setting has no `else`"
        return Advice(title, *place, "", "write `NAME = if CONDITION then VALUE else OTHER`")
    title = "a `when` after a setting has no block"
    return Advice(title, *place, "", "for a block, begin a new line: `when CONDITION { … }`")


def _elif(fault: Fault) -> Advice | None:
    if fault.text not in ("elif", "elsif", "elseif") or "ELSE" not in fault.accepted:
        return None
    item = item_of(fault.before)
    behind = item[0].type == "WHEN" and item[-1].type == "RBRACE"
    right = "else when" if behind else "else if"
    return Advice(
        f"`{fault.text}` is not a word of this language",
        fault.start,
        fault.end,
        "",
        f"write `{right}`",
        edits=((fault.start, fault.end, right),),
    )


def _comprehension(fault: Fault) -> Advice | None:
    """`[for x in xs: f(x)]`, and `[f(x, y) for x in xs for y in ys]`."""
    if not fault.openers or fault.openers[-1].type != "LSQB":
        return None
    word = fault.last()
    if fault.text == "for":
        advice = "write a list in the list: `[...[ELEMENT for y in OTHER] for x in LIST]`"
        return Advice("an element has one `for`", fault.start, fault.end, "", advice)
    if word is None or fault.kind != "NAME" or fault.text_of(word) != "for":
        return None
    return Advice(
        "`for` follows the element",
        word.start_pos,
        word.end_pos,
        "",
        "write `[ELEMENT for x in LIST]`",
    )


def _no_alternative(fault: Fault) -> Advice | None:
    """`if C then "x"`: there is no value for the other variants."""
    ends = fault.kind in ("RBRACE", "COMMA", "RSQB", "RPAR", "_NL", "$END")
    if not ends or "ELSE" not in fault.accepted or "_NL" in fault.accepted:
        return None
    return Advice(
        "`if` needs a value for the other case",
        fault.start,
        fault.end,
        "expected `else`",
        "add `else VALUE`; a setting for one case only is written `NAME = VALUE when CONDITION`",
    )


def _applied(fault: Fault) -> Advice | None:
    """`mkForce "x"` or `optionals c [y]`: a function of Nix before its arguments."""
    word, name = fault.last(), fault.last_text()
    if word is None or word.type not in ("NAME", "LET") or fault.wants_value:
        return None
    if fault.kind not in {*VALUE_START, "NOT", "IF"} or fault.last_kind(2) not in (
        "EQUAL",
        "PLUS_EQ",
        "DOT",
        "LSQB",
        "COMMA",
        "THEN",
        "ELSE",
    ):
        return None
    first, start = name, word.start_pos
    if fault.last_kind(2) == "DOT" and fault.last_text(3) in ("lib", "builtins"):
        holder = fault.last(3)
        start = holder.start_pos if holder is not None else start
        first = f"{fault.last_text(3)}.{name}"
    elif name not in _APPLIED or fault.last_kind(2) == "DOT":
        return None
    advice = _APPLIED.get(name, f'write Nix text: `nix"""{first} …"""`')
    return Advice(f"`{first}` cannot begin a value", start, word.end_pos, "", advice)


# --- declarations ---------------------------------------------------------------------------------


def _excluded(fault: Fault) -> Advice | None:
    """`exclude if C` and `exclude when C`: a word before the condition."""
    first, word, *_ = (*item_of(fault.before), None, None)
    if first is None or first.type not in ("INCLUDE", "EXCLUDE", "REQUIRE"):
        return None
    key = fault.text_of(first)
    if word is None:
        name, start, end = fault.text, fault.start, fault.end
    else:
        name, start, end = fault.text_of(word), word.start_pos, word.end_pos
    ends = fault.kind in ("_NL", "$END", "BECAUSE")
    is_choice = name == "if" and "THEN" in fault.accepted and ends
    if not is_choice and (name not in ("when", "where") or fault.last() not in (word, first)):
        return None
    return Advice(
        f"the condition of `{key}` has no `{name}` before it",
        start,
        end,
        "",
        f"write `{key} CONDITION`",
        edits=((start, end, ""),),
    )


def _joined_by_comma(fault: Fault) -> Advice | None:
    """`exclude A == b, C == d`: conditions with a comma between them."""
    line = item_of(fault.before)
    if fault.kind not in COMPARE or not line or len(line) == len(fault.before):
        return None
    comma, *before = reversed(fault.before[: -len(line)])
    if comma.type != "COMMA" or {leaf.type for leaf in line} - {"NAME", "DOT"}:
        return None
    first = item_of(tuple(reversed(before)))[:1]
    if not first or first[0].type not in CONDITIONS:
        return None
    key = fault.text_of(first[0])
    return Advice(
        "conditions are joined by `and`",
        comma.start_pos,
        comma.end_pos,
        "",
        f"write `and` in the place of `,`: `{key} a == b and c == d`",
    )


def _excluded_record(fault: Fault) -> Advice | None:
    """`exclude { gpu == sm80 }`: a condition in braces."""
    if fault.kind not in ("EQEQ", "NOT_EQ", "IN") or not fault.openers:
        return None
    place = fault.before.index(fault.openers[-1])
    if place < 1 or fault.before[place - 1].type not in ("INCLUDE", "EXCLUDE", "REQUIRE"):
        return None
    before = fault.before[place - 1]
    key = fault.text_of(before)
    brace = fault.openers[-1]
    return Advice(
        f"the condition of `{key}` has no braces",
        brace.start_pos,
        brace.end_pos,
        "",
        f"write `{key} gpu == sm80 and isa == avx`, without braces",
    )


def _word_before_block(fault: Fault) -> Advice | None:
    """`when C then { … }` and `when C: …`: a word or a mark before the braces."""
    line = item_of(fault.before)
    if not line or line[0].type != "WHEN" or "LBRACE" not in fault.accepted:
        return None
    if fault.kind not in ("THEN", "COLON") and fault.text not in ("do", "is"):
        return None
    braces = fault.source.text[fault.end :].lstrip(" \t").startswith("{")
    return Advice(
        f"the block of `when` has no {found(fault)} before it",
        fault.start,
        fault.end,
        "",
        "write `when CONDITION { … }`",
        edits=((fault.start, fault.end, " " if fault.kind == "COLON" else ""),) if braces else (),
    )


def _named(fault: Fault, *kinds: str) -> Leaf | None:
    """The first word of the declaration, if it is one of *kinds* and only it and a name were read;
    else None."""
    first = fault.last(2)
    if fault.in_body or first is None or fault.last_kind() != "NAME" or not _begins_item(fault, 2):
        return None
    return first if first.type in kinds else None


def _parent(fault: Fault) -> Advice | None:
    """`recipe r inherits a`, `recipe r : a` and `recipe r extends a, b`."""
    if fault.last_kind(2) == "EXTENDS" and fault.kind in ("COMMA", "NAME", "AND", "STAR"):
        return Advice(
            "a recipe extends one other",
            fault.start,
            fault.end,
            "",
            "extend one of them, and make mixins of the others: `recipe a extends b with c { … }`",
        )
    first = _named(fault, "RECIPE")
    if first is None or fault.kind not in ("NAME", "COLON", "LPAR", "LESSTHAN", "EQUAL"):
        return None
    name = shown(fault.last_text())
    advice = f"to extend another recipe, write `recipe {name} extends NAME {{ … }}`"
    if fault.kind == "EQUAL":
        advice = f"write `recipe {name} {{ … }}`, or `recipe {name} extends NAME {{ … }}`"
    edits: Replaced = ()
    if fault.kind in ("NAME", "COLON") and _is_name(fault.source.text[fault.end :]):
        word = "extends" if fault.source.text[fault.start - 1].isspace() else " extends"
        edits = ((fault.start, fault.end, word),)
    title = f"expected {expected(fault)}, found {found(fault)}"
    return Advice(title, fault.start, fault.end, "", advice, edits=edits)


def _is_name(text: str) -> bool:
    """Whether *text* continues with a blank, a name and a brace."""
    name, brace, _ = text.partition("{")
    bare = name.strip()
    return bool(brace) and name[:1] == " " and bare.replace("-", "").isidentifier()


def _recipe_of_matrix(fault: Fault) -> Advice | None:
    """`matrix m for r { … }` and `variant v of r { … }`: the recipe before the braces."""
    first = _named(fault, "MATRIX", "VARIANT")
    if first is None or fault.kind not in ("NAME", "COLON", "LPAR", "EQUAL"):
        return None
    if first.type == "VARIANT" and (fault.kind == "EQUAL" or fault.text == "extends"):
        return None
    name = shown(fault.last_text())
    inside = "recipe = NAME, axes = …" if first.type == "MATRIX" else "recipe = NAME"
    return Advice(
        f"expected {expected(fault)}, found {found(fault)}",
        fault.start,
        fault.end,
        "",
        f"name its recipe inside: `{fault.text_of(first)} {name} {{ {inside} }}`",
    )


def _without_equals(fault: Fault) -> Advice | None:
    """`axis n ["a"]` and `let x 5`, without `=`; and `axis n = a, b`, without brackets."""
    line = item_of(fault.before)
    if fault.kind == "COMMA" and not fault.in_body and line and line[0].type == "AXIS":
        return Advice(
            "the values of an axis are a list",
            fault.start,
            fault.end,
            "",
            'write `axis NAME = [12.8, 13.0]`; strings have quotes: `["a", "b"]`',
        )
    first = _named(fault, "AXIS", "LET")
    if first is None or "EQUAL" not in fault.accepted:
        return None
    kind, name = fault.text_of(first), shown(fault.last_text())
    if fault.kind in ("_NL", "$END") and kind == "let":
        title = f"expected `=`, found {found(fault)}"
        return Advice(title, fault.start, fault.end, "", f"write `let {name} = VALUE`")
    if fault.kind == "NAME" and name in ("mut", "rec", "const"):
        word = fault.last()
        assert word is not None
        return Advice(
            f"`{kind}` has no `{name}` behind it",
            word.start_pos,
            word.end_pos,
            "",
            f"write `{kind} {shown(fault.text)} = …`",
            edits=((word.start_pos, fault.start, ""),),
        )
    if fault.kind not in ("LSQB", "STRING", "NUMBER", "NAME", "TRUE", "FALSE"):
        return None
    return Advice(
        f"expected `=`, found {found(fault)}",
        fault.start,
        fault.end,
        "",
        "write `=` before the value",
        edits=((fault.start, fault.start, "= "),),
    )


def declared_name(fault: Fault) -> Advice | None:
    """`let x: T = v` and `recipe: r {`: a colon at the name of a declaration."""
    text = fault.source.text
    place = (fault.start, fault.end)
    if fault.last_kind(2) == "LET":
        kind = _TYPE.match(text, fault.end, line_end(text, fault.end))
        if kind is None:
            return None
        name = shown(fault.last_text())
        blank = "" if text[fault.start - 1].isspace() else " "
        edits = ((fault.start, kind.end(), blank),)
        return Advice(
            "a `let` has no type", *place, "", f"write `let {name} = …`", edits=edits
        )
    word = fault.last_text()
    if word not in NAMED or fault.last_kind() == "NAME" or not _is_name(text[fault.end :]):
        return None
    name = shown(text[fault.end :].partition("{")[0].strip())
    return Advice(
        f"`{word}` has no `:` behind it", *place, "", f"write `{word} {name} {{ … }}`",
        edits=((*place, ""),),
    )  # fmt: skip


def _braces_of_axis(fault: Fault) -> Advice | None:
    """`axis a = { ROW { … } }`: the rows of an axis behind `=`."""
    if fault.kind != "LBRACE" or fault.last_kind() != "NAME" or not fault.openers:
        return None
    place = fault.before.index(fault.openers[-1])
    before = [leaf.type for leaf in fault.before[max(0, place - 3) : place]]
    if before != ["AXIS", "NAME", "EQUAL"]:
        return None
    if place != len(fault.before) - 2:
        return None
    name, equals = fault.text_of(fault.before[place - 2]), fault.before[place - 1]
    return Advice(
        "the rows of an axis have no `=` before them",
        equals.start_pos,
        equals.end_pos,
        "",
        f"write `axis {shown(name)} {{ … }}`",
        edits=((equals.start_pos, fault.openers[-1].start_pos, ""),),
    )


def _all_rows(fault: Fault) -> Advice | None:
    """`cpu[*]`: all rows of a table."""
    bracket, table = fault.last(), fault.last(2)
    if fault.kind != "STAR" or bracket is None or bracket.type != "LSQB" or table is None:
        return None
    if table.type != "NAME" or not fault.source.text.startswith("]", fault.end):
        return None
    return Advice(
        "all values of a table need no brackets",
        bracket.start_pos,
        fault.end + 1,
        "",
        f"write `{shown(fault.text_of(table))}`",
        edits=((bracket.start_pos, fault.end + 1, ""),),
    )


def _spread_settings(fault: Fault) -> Advice | None:
    """`args { ...defaults }` and `args { **defaults }`: settings that are written elsewhere."""
    if fault.kind not in ("SPREAD", "STAR") or not fault.at_item or not fault.in_body:
        return None
    return Advice(
        "settings of another place are not listed here",
        fault.start,
        fault.end,
        "",
        "declare them, `mixin NAME { args { … } }`, and take them in: `recipe r with NAME { … }`",
    )


def _imported_names(fault: Fault) -> Advice | None:
    """`import { a } from "x"`: names of a module, as another language imports them."""
    word = fault.last(3)
    if fault.kind not in ("RBRACE", "COMMA") or fault.last_kind(2) != "LBRACE" or word is None:
        return None
    if fault.text_of(word) != "import" or len(fault.openers) != 1:
        return None
    return Advice(
        "a module is imported by `use`",
        word.start_pos,
        word.end_pos,
        "",
        'write `use std.MODULE` or `use "./FILE.tvar"`, which imports all names',
    )


def _overlay_on(fault: Fault) -> Advice | None:
    """`overlay o on openssl { … }`: another word for `for`."""
    if _named(fault, "OVERLAY", "PATCH") is None or "FOR" not in fault.accepted:
        return None
    if fault.text not in ("on", "of", "in", "to", "over"):
        return None
    return Advice(
        f"expected `for`, found {found(fault)}",
        fault.start,
        fault.end,
        "",
        "write `for` before the package",
        edits=((fault.start, fault.end, "for"),),
    )


def _names_in_braces(fault: Fault) -> Advice | None:
    """`axis a = { x, y }`: a list in braces."""
    if fault.kind not in ("COMMA", "RBRACE") or fault.last_kind() not in ("NAME", "STRING"):
        return None
    if "EQUAL" not in fault.accepted or not fault.openers or fault.openers[-1].type != "LBRACE":
        return None
    brace = fault.openers[-1]
    place = fault.before.index(brace)
    if fault.last(2) is not brace or place < 2 or fault.before[place - 1].type != "EQUAL":
        return None
    advice = "write `[a, b]`; in a record each entry has a value: `{ a = 1, b = 2 }`"
    if fault.text_of(fault.before[place - 2]) == "axes":
        advice = "write `*` between the axes, without braces: `axes = gpu * isa`"
    return Advice("a list has square brackets", brace.start_pos, fault.end, "", advice)


def _facts_without_fields(fault: Fault) -> Advice | None:
    first = _named(fault, "FACTS")
    if first is None or fault.kind != "LBRACE":
        return None
    name = shown(fault.last_text())
    return Advice(
        f"the table `{name}` has no fields",
        fault.start,
        fault.end,
        "expected `(`",
        f"name its fields with their types: `facts {name} (label: string) {{ … }}`",
    )


def _row_with_colon(fault: Fault) -> Advice | None:
    """`a: { … }`: a row of a table with a colon behind its name."""
    if fault.kind not in ("COLON", "EQUAL") or fault.accepted != {"LBRACE"}:
        return None
    if not fault.source.text[fault.end :].lstrip(" \t").startswith("{"):
        return None
    name = shown(fault.last_text())
    return Advice(
        f"a row has no {found(fault)} behind its name",
        fault.start,
        fault.end,
        "",
        f"write `{name} {{ FIELD = VALUE }}`",
        edits=((fault.start, fault.end, ""),),
    )


def _type_of_list(fault: Fault) -> Advice | None:
    """`list<string>`: the type of a list as other languages write it."""
    if fault.kind != "LESSTHAN" or fault.last_kind(2) != "COLON":
        return None
    return Advice(
        "the type of a list is written in square brackets",
        fault.start,
        fault.end,
        "",
        "write `[string]`",
    )


def _output_path(fault: Fault) -> Advice | None:
    """`output "out/{{variant}}.nix"`: an output without a name."""
    if fault.kind != "STRING" or fault.last_kind() != "OUTPUT" or fault.in_body:
        return None
    path = shown(fault.text)
    advice = f"write `output nix {{ file = {path} }}`"
    if fault.text[1:-1].isidentifier():
        advice = f"write its name without quotes: `output {path[1:-1]} {{ … }}`"
    return Advice("an output needs a name", fault.start, fault.end, "", advice)


def _set_declaration(fault: Fault) -> Advice | None:
    """`pin n = github(…)`: a declaration written as an assignment."""
    first = _named(fault, "PIN", "INPUT", "OVERLAY", "PATCH", "VARIANT", "FACTS", "OUTPUT")
    if first is None or fault.kind != "EQUAL":
        return None
    kind, name = fault.text_of(first), shown(fault.last_text())
    inside = {
        "pin": f'pin {name} {{ github = "OWNER/REPO", rev = "…" }}',
        "input": f'input {name} {{ github = "OWNER/REPO" }}',
        "overlay": f"overlay {name} for PACKAGE {{ NAME = … }}",
        "facts": f"facts {name} (FIELD: TYPE) {{ ROW {{ FIELD = VALUE }} }}",
        "variant": f"variant {name} {{ recipe = NAME }}",
        "output": f'output {name} {{ file = "FOLDER/{{{{variant}}}}.nix" }}',
        "patch": f'patch {name} for PACKAGE {{ file = "./PATH.patch" }}',
    }
    return Advice(
        f"{'an' if kind[0] in 'io' else 'a'} {kind} is not set by `=`",
        fault.start,
        fault.end,
        "",
        f"write `{inside[kind]}`",
    )


def _set_twice(fault: Fault) -> Advice | None:
    """`flag f = bool = false`: a type before the value."""
    if fault.kind != "EQUAL" or fault.last_kind(2) != "EQUAL" or fault.last_kind(4) != "FLAG":
        return None
    word = fault.last()
    assert word is not None
    return Advice(
        "the value of a flag has no type before it",
        word.start_pos,
        fault.end,
        "",
        f"write `flag {shown(fault.last_text(3))} = …`",
    )


# --- values ---------------------------------------------------------------------------------------

_SIGILS: Final = {
    "*": "for a value that others may replace, write `default NAME = VALUE`; for a value that is "
    "written once, `let NAME = VALUE`",
    "&": "declare `let NAME = VALUE`, and write its name here",
    "|": 'write text of several lines in a string: `"""…"""`',
    "<": "declare a `pin`, and write `pkgs.NAME`",
}
"""Marks that begin a value in CUE, YAML and Nix."""
_MAKERS: Final = {
    "rec": "write the record alone: a key of it cannot read another",
    "new": "write a list, `[a, b]`, or a record, `{ a = 1 }`",
}
"""Words before a record or a list in Nix and Pkl."""


def _sigil(fault: Fault) -> Advice | None:
    """A mark or a word that begins a value elsewhere, and what cannot follow a value."""
    place, last = (fault.start, fault.end), fault.last()
    mark = fault.source.text[fault.start : fault.start + 1]
    line = item_of(fault.before)
    if fault.wants_value and fault.kind in ("char", "STAR", "LESSTHAN") and mark in _SIGILS:
        end = fault.start + 1
        return Advice(f"`{mark}` cannot begin a value", fault.start, end, "", _SIGILS[mark])
    if last is None or not line:
        return None
    if mark == "|" and line[0].type == "AXIS" and "EQUAL" in [leaf.type for leaf in line]:
        advice = f"write a list: `axis {shown(fault.text_of(line[1]))} = [A, B]`"
        return Advice("the values of an axis are a list", *place, "", advice)
    word = fault.last_text()
    if word in _MAKERS and fault.last_kind(2) == "EQUAL" and fault.kind in ("LBRACE", "NAME"):
        title = f"`{word}` cannot begin a value"
        return Advice(title, last.start_pos, last.end_pos, "", _MAKERS[word])
    if fault.kind == "LBRACE" and last.type == "RPAR" and line[0].type == "LET":
        return Advice(_NO_FUNCTIONS, *place, "", _INSTEAD_OF_FUNCTION)
    is_list = bool(fault.openers) and fault.openers[-1].type == "LSQB"
    if (fault.kind, last.type) == ("STRING", "STRING") and not is_list and fault.place == "item":
        return Advice("a value is one string", *place, "a second string", JOIN)
    return None



def _range(fault: Fault) -> Advice | None:
    """`1..4`, and `"a" .. "b"`, which joins texts in Lua."""
    if fault.kind != "DOTDOT" or fault.wants_value:
        return None
    if fault.last_kind() != "NUMBER":
        return Advice("`..` does not join values", fault.start, fault.end, "", JOIN)
    return Advice(
        "the language has no ranges of numbers",
        fault.start,
        fault.end,
        "",
        "write each value: `[1, 2, 3]`",
    )


def _slice(fault: Fault) -> Advice | None:
    """`xs[0:1]`: a part of a list."""
    if fault.kind != "COLON" or not fault.openers or fault.openers[-1].type != "LSQB":
        return None
    if fault.last_kind() != "NUMBER" and fault.last() is not fault.openers[-1]:
        return None
    return Advice(
        "the language has no parts of lists",
        fault.start,
        fault.end,
        "",
        "take one element, `xs[0]`, or write the list without the others",
    )


def _tuple(fault: Fault) -> Advice | None:
    """`x in (a, b)`: a list in round brackets."""
    if fault.kind != "COMMA" or not fault.openers or fault.openers[-1].type != "LPAR":
        return None
    if fault.accepted.isdisjoint({"RPAR"}) or "COMMA" in fault.accepted:
        return None
    bracket = fault.openers[-1]
    return Advice(
        "a list has square brackets", bracket.start_pos, fault.end, "", "write `[a, b]`"
    )


def _filter(fault: Fault) -> Advice | None:
    """`{{ x | lower }}`: a filter of Jinja."""
    if fault.kind != "char" or fault.place != "interpolation":
        return None
    text, start = fault.source.text, fault.start
    if not text.startswith("|", start) or text.startswith("||", start):
        return None
    return Advice(
        "a value has no filters",
        start,
        start + 1,
        "",
        "write a function before it: `{{lower(x)}}`",
    )


def _path(fault: Fault) -> Advice | None:
    """`./x.nix` without quotes."""
    if fault.kind not in ("DOT", "DOTDOT") or not fault.wants_value:
        return None
    text = fault.source.text
    if text[fault.end : fault.end + 1] != "/":
        return None
    end = fault.end
    while end < len(text) and not text[end].isspace() and text[end] not in ',;)]}"':
        end += 1
    path = text[fault.start : end]
    written = f'"{path}"' if _is_text(fault) else f'path("{path}")'
    return Advice(
        "a path needs quotes",
        fault.start,
        end,
        "",
        f"write `{shown(written)}`",
        edits=((fault.start, end, written),),
    )


def _is_text(fault: Fault) -> bool:
    """Whether a path at the fault is a text: that of a module, a folder or an output."""
    line = item_of(fault.before)
    inside = [fault.last_text(back) for back in range(2, len(fault.before) + 1)]
    own = fault.last_text(2) in ("path", "file") and "patch" not in inside
    return own or (bool(line) and line[0].type in ("USE", "LET"))


def _file_called(fault: Fault) -> Advice | None:
    """`pkgs.callPackage ./x.nix { }`: a package of a file of Nix."""
    word = fault.last(2) if fault.last_kind() == "DOT" else fault.last()
    if word is None or fault.text_of(word) not in ("callPackage", "import") or fault.wants_value:
        return None
    text = fault.source.text
    if fault.kind == "STRING":
        path = fault.text.strip('"')
    elif fault.kind == "char" and text.startswith("/", fault.start) and word.end_pos < fault.start:
        path = text[word.end_pos : line_end(text, fault.start)].split()[0]
    else:
        return None
    return Advice(
        f"`{fault.text_of(word)}` cannot be called",
        word.start_pos,
        word.end_pos,
        "",
        f'write `package = path("{shown(path)}")`, and its arguments in `args {{ … }}`',
    )


def _path_alone(fault: Fault) -> Advice | None:
    """`patch p for x { path("./f") }`: a file without its field."""
    if fault.kind != "LPAR" or fault.last_text() != "path" or fault.wants_value:
        return None
    if "EQUAL" not in fault.accepted or fault.last_kind(2) not in ("LBRACE", "_NL", "COMMA"):
        return None
    word = fault.last()
    assert word is not None
    return Advice(
        "`path` gives a value, and sets none",
        word.start_pos,
        word.end_pos,
        "",
        'write `NAME = path("…")`; in a patch, `file = path("…")`',
    )


def _heredoc(fault: Fault) -> Advice | None:
    if fault.kind != "LESSTHAN" or not fault.source.text.startswith("<<", fault.start):
        return None
    return Advice(
        "strings need double quotes",
        fault.start,
        fault.start + 2,
        "",
        'write `"""…"""` for a string of several lines',
    )


def _lambda(fault: Fault) -> Advice | None:
    """`x: x`, `x => x` and `\\x -> x`: a function of Nix or of another language."""
    text, name = fault.source.text, shown(fault.last_text())
    if fault.kind == "char":
        if _FUNCTION.match(text[fault.start : line_end(text, fault.start)]) is None:
            return None
        name = "x"
    elif "EQEQ" not in fault.accepted or fault.last_kind() not in ("NAME", "RPAR"):
        return None
    elif fault.kind == "EQUAL":
        if not text.startswith("=>", fault.start):
            return None
        name = name if fault.last_kind() == "NAME" else "x"
    elif fault.kind != "COLON" or "EQUAL" in fault.accepted or fault.last_kind() != "NAME":
        return None
    return Advice(
        "a value is no function",
        fault.start,
        fault.end,
        "",
        f'write a function of Nix in Nix text: `nix"""{name}: …"""`',
    )


def _strong_block(fault: Fault) -> Advice | None:
    """`force attrs { … }`: `force` before a whole block."""
    if fault.kind != "LBRACE" or fault.last_kind(2) not in ("FORCE", "DEFAULT"):
        return None
    word = fault.last(2)
    assert word is not None
    strength, block = fault.last_text(2), shown(fault.last_text())
    return Advice(
        f"`{strength}` is for single settings",
        word.start_pos,
        word.end_pos,
        "",
        f"write it before each setting: `{block} {{ {strength} NAME = … }}`",
    )


def _fetcher(fault: Fault) -> Advice | None:
    """`src = fetchurl { … }`: a fetcher called as in Nix."""
    word, name = fault.last(), fault.last_text()
    if word is None or fault.kind != "LBRACE" or name not in FETCHERS or fault.wants_value:
        return None
    return Advice(
        f"`{name}` cannot be called", word.start_pos, word.end_pos, "", FETCHERS[name]
    )


def _method_of_list(fault: Fault) -> Advice | None:
    """`cmakeFlags.append("x")`: a method that changes a list."""
    word = fault.last()
    if word is None or fault.kind != "LPAR" or fault.last_kind(2) != "DOT" or fault.wants_value:
        return None
    if "EQUAL" not in fault.accepted or fault.last_text() not in METHODS:
        return None
    return Advice(
        f"a setting has no method `{fault.last_text()}`",
        word.start_pos,
        fault.end,
        "",
        METHODS[fault.last_text()],
    )


def _open_line(fault: Fault) -> Advice | None:
    """`when C` without braces, as in languages with `end`."""
    if fault.kind not in ("_NL", "$END", "RBRACE", "COMMA") or "LBRACE" not in fault.accepted:
        return None
    line = item_of(fault.before)
    if not line or line[0].type != "WHEN":
        return None
    advice = "write the settings in braces: `when CONDITION { … }`"
    behind = fault.before[: -len(line)]
    if len(behind) > 1 and behind[-1].type in ("_NL", "COMMA") and behind[-2].type != "RBRACE":
        advice += "; for the setting before it, write `NAME = VALUE when CONDITION` on one line"
    return Advice(f"expected `{{`, found {found(fault)}", fault.start, fault.end, "", advice)
