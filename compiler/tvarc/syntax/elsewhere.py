"""Messages for constructs of other languages. Each message says how to write the construct in this
one.

People who know HCL, YAML, Python, Nix, JavaScript or CUE write these constructs at first.
"""

from __future__ import annotations

from tvarc.light import Final
from tvarc.syntax.elsewhere_declarations import DECLARATION_HINTS
from tvarc.syntax.elsewhere_values import VALUE_HINTS
from tvarc.syntax.elsewhere_words import (
    APPLIED,
    CONDITIONS,
    DECLARATIONS,
    DOTTED,
    IMPORTED,
    INSTEAD_OF_FUNCTION,
    ITEMS,
    MARKS,
    NO_FUNCTIONS,
    PREFIXES,
    RELATED,
    SPELT,
    UPDATED,
    begins_item,
)
from tvarc.syntax.fault import Advice, Fault, Replaced, found, item_of, line_end, shown
from tvarc.syntax.terminals import VALUE_START


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
        _when_behind,
        _applied,
        *DECLARATION_HINTS,
        *VALUE_HINTS,
    ):
        advice = hint(fault)
        if advice is not None:
            return advice
    return None


# --- words and marks ------------------------------------------------------------------------------


def _marks(fault: Fault) -> Advice | None:
    """`<>` and `===`: a comparison as other languages write it."""
    last = fault.last()
    if last is None or last.end_pos != fault.start or last.type in VALUE_START:
        return None
    text = fault.source.text
    written = text[last.start_pos : fault.end]
    right = MARKS.get(written)
    if right is None:
        return None
    title = f"`{written}` is not an operator"
    return fault.advice(title, f"write `{right}`", since=last, put=right)


def _capital_word(fault: Fault) -> Advice | None:
    """`a == b AND c`: an operator in capital letters."""
    word = fault.text.lower()
    if word not in ("and", "or") or fault.kind != "NAME" or word.upper() not in fault.accepted:
        return None
    return fault.advice(f"`{fault.text}` is not an operator", f"write `{word}`", put=word)


def _first_word(fault: Fault) -> Advice | None:
    """A word that begins an item or a declaration elsewhere: `for`, `switch`, `table`."""
    word, name = fault.last(), fault.last_text()
    known = (ITEMS if fault.in_body else DECLARATIONS).get(name)
    if word is None or known is None or not begins_item(fault, 1):
        return None
    follows = ("NAME", "STRING", "NUMBER", "LPAR", "NOT", "_NL", "RBRACE", "$END", "char")
    if fault.kind not in follows:
        return None
    title, advice = known
    return fault.advice(title, advice, at=word)


def _spelt_elsewhere(fault: Fault) -> Advice | None:
    """`set x = 5` or `const x = 5`, where this language has another word or none."""
    word, text = fault.last(), fault.last_text()
    if word is None or fault.kind not in ("NAME", "STRING") or text not in SPELT:
        return None
    if not begins_item(fault, 1) or "EQUAL" not in fault.accepted:
        return None
    name, right = shown(fault.text), SPELT[text]
    behind = fault.source.text[fault.end : line_end(fault.source.text, fault.end)]
    if text == "def" and behind.startswith("("):
        return fault.advice(NO_FUNCTIONS, INSTEAD_OF_FUNCTION, at=word)
    if right == "use" and fault.kind == "NAME":
        rest = DOTTED.match(behind)
        assert rest is not None
        name += rest[0]
        inner = IMPORTED.match(behind[rest.end() :]) if text == "from" else None
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
    if sets if right == "let" else text in RELATED:
        edits = ((word.start_pos, word.end_pos, right),)
    elif not right and fault.in_body:
        edits = ((word.start_pos, fault.start, ""),)
    return fault.advice(f"unknown {what} `{text}`", advice, at=word, edits=edits)


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
    return fault.advice(
        "a script is written in parts", 'write its lines in a part: `part NAME """…"""`', at=word
    )


def _prefix(fault: Fault) -> Advice | None:
    """`f"…{x}"`: a string with a letter before it."""
    last = fault.last()
    if fault.kind != "STRING" or last is None or last.end_pos != fault.start:
        return None
    if fault.last_text() not in PREFIXES:
        return None
    return fault.advice(
        "a string has no letter before it",
        f"remove `{fault.last_text()}`: in each string `{{{{name}}}}` inserts a value",
        since=last,
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
    return fault.advice(
        f"the reason does not follow {found(fault)}",
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
    return fault.advice(
        "the reason follows the condition",
        f'write `{fault.text_of(first)} CONDITION because "the reason"`',
        since=word,
    )


# --- choices --------------------------------------------------------------------------------------


def _update(fault: Fault) -> Advice | None:
    """`pkgs.x // { … }` and `a // b`: the operator of Nix that merges records."""
    text, start = fault.source.text, fault.start
    line = item_of(fault.before)
    if fault.kind != "char" or not any(leaf.type in ("EQUAL", "PLUS_EQ") for leaf in line):
        return None
    if UPDATED.match(text[start : line_end(text, start)]) is None:
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
    return fault.advice(
        "`?` does not choose between values", "write `if CONDITION then VALUE else OTHER`"
    )


def _choice_behind(fault: Fault) -> Advice | None:
    """`"x" if C else "y"`: the condition is after the value."""
    if fault.kind != "IF" or fault.wants_value or fault.at_item or not fault.in_body:
        return None
    if fault.last_kind() == "ELSE":  # the `else` of a `when`
        return None
    rest = fault.source.text[fault.end : line_end(fault.source.text, fault.end)]
    if "WHEN" in fault.accepted and " else " not in rest:
        help_ = "write `NAME = VALUE when CONDITION`"
        return fault.advice("`if` needs a value for the other case", help_, put="when")
    return fault.advice(
        "`if` comes before the values", "write `if CONDITION then VALUE else OTHER`"
    )


_BEHIND: Final = {
    "let": "write `let NAME = if CONDITION then VALUE else OTHER`",
    "include": "write one condition: `include CONDITION and OTHER`",
    "exclude": "write one condition: `exclude CONDITION and OTHER`",
    "warn": "write one condition: `warn NAME = CONDITION and OTHER`",
}
"""The text to write in place of a `when` after an item that cannot have one."""


def _when_behind(fault: Fault) -> Advice | None:
    """`when` behind an item that can have none, and what a `when` behind a setting cannot have."""
    item = item_of(fault.before)
    if not item or item[0].type == "WHEN" or fault.wants_value:
        return None
    kinds = [leaf.type for leaf in item]
    if fault.text == "unless" and "WHEN" in fault.accepted:
        return fault.advice(ITEMS["unless"][0], "write `when not (CONDITION)`")
    if fault.text == "when" and "BECAUSE" in kinds:
        help_ = 'write `NAME = VALUE when CONDITION because "the reason"`'
        return fault.advice("`when` comes before `because`", help_)
    opener = fault.before.index(fault.openers[-1]) if fault.openers else 0
    if fault.text == "when" and opener and fault.before[opener].type == "LSQB":
        help_ = "in a list, write `...if CONDITION then [ELEMENT] else []`"
        return fault.advice("`when` follows a whole setting", help_)
    if fault.text == "when" and opener and fault.before[opener - 1].type == "EQUAL":
        help_ = "write the key as a setting: `NAME.KEY = VALUE when CONDITION`"
        return fault.advice("`when` follows a whole setting", help_)
    if fault.text == "when" and "_NL" not in kinds and "LBRACE" not in fault.accepted:
        key = fault.text_of(item[0])
        help_ = _BEHIND.get(key, f"write it in a block: `when CONDITION {{ {shown(key)} … }}`")
        return fault.advice(f"`when` cannot follow `{shown(key)}`", help_)
    if "WHEN" not in kinds or fault.kind not in ("LBRACE", "ELSE"):
        return None
    if fault.kind == "ELSE":
        title = "a `when` after a setting has no `else`"
        return fault.advice(title, "write `NAME = if CONDITION then VALUE else OTHER`")
    title = "a `when` after a setting has no block"
    return fault.advice(title, "for a block, begin a new line: `when CONDITION { … }`")


def _elif(fault: Fault) -> Advice | None:
    if fault.text not in ("elif", "elsif", "elseif") or "ELSE" not in fault.accepted:
        return None
    item = item_of(fault.before)
    behind = item[0].type == "WHEN" and item[-1].type == "RBRACE"
    right = "else when" if behind else "else if"
    return fault.advice(
        f"`{fault.text}` is not a word of this language", f"write `{right}`", put=right
    )


def _comprehension(fault: Fault) -> Advice | None:
    """`[for x in xs: f(x)]`, and `[f(x, y) for x in xs for y in ys]`."""
    if not fault.openers or fault.openers[-1].type != "LSQB":
        return None
    word = fault.last()
    if fault.text == "for":
        advice = "write a list in the list: `[...[ELEMENT for y in OTHER] for x in LIST]`"
        return fault.advice("an element has one `for`", advice)
    if word is None or fault.kind != "NAME" or fault.text_of(word) != "for":
        return None
    return fault.advice("`for` follows the element", "write `[ELEMENT for x in LIST]`", at=word)


def _no_alternative(fault: Fault) -> Advice | None:
    """`if C then "x"`: there is no value for the other variants."""
    ends = fault.kind in ("RBRACE", "COMMA", "RSQB", "RPAR", "_NL", "$END")
    if not ends or "ELSE" not in fault.accepted or "_NL" in fault.accepted:
        return None
    return fault.advice(
        "`if` needs a value for the other case",
        "add `else VALUE`; a setting for one case only is written `NAME = VALUE when CONDITION`",
        label="expected `else`",
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
    elif name not in APPLIED or fault.last_kind(2) == "DOT":
        return None
    advice = APPLIED.get(name, f'write Nix text: `nix"""{first} …"""`')
    return Advice(f"`{first}` cannot begin a value", start, word.end_pos, "", advice)
