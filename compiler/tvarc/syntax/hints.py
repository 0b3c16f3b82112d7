"""Messages for syntax faults: common slips, each with the right form."""

from __future__ import annotations

import re

from tvarc.blocks import OF_RECIPE
from tvarc.light import Final
from tvarc.syntax.elsewhere import elsewhere
from tvarc.syntax.elsewhere_declarations import declared_name
from tvarc.syntax.elsewhere_words import CONDITIONS, JOIN, METHODS
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
from tvarc.syntax.terminals import (
    BODY_WORDS,
    COMPARE,
    RESERVED,
    TOP_WORDS,
    VALUE_START,
)
from tvarc.text.diagnostics.suggest import guess

_ARITHMETIC = "the language has no arithmetic"
# Character sequences of other languages, longest first: title, label, help.
_FOREIGN: Final = (
    ("&&", "`&&` is not an operator", "", "write `and`"),
    ("||", "`||` is not an operator", "", "write `or`"),
    ("//", "comments begin with `#`", "", "write `# …`"),
    ("/*", "comments begin with `#`", "", "write `# …` on each line"),
    ("${", "`${` is not allowed outside of a string", "a name needs no marks here",
     'write the name alone, or `"{{name}}"` in a string'),
    (";", "`;` is not used in this language", "", "remove it: a new line or `,` ends an item"),
    ("''", "strings need double quotes", "",
     'write `"…"`, or `"""…"""` for a string of several lines'),
    ("'", "strings need double quotes", "", 'write `"…"`'),
    ("“", "this is a typographic quote", "", 'write `"`'),
    ("”", "this is a typographic quote", "", 'write `"`'),
    ("‘", "this is a typographic quote", "", 'write `"`'),
    ("’", "this is a typographic quote", "", 'write `"`'),
    ("`", "strings need double quotes", "", 'write `"…"`'),
    ("!", "`!` is not an operator", "", "write `not`"),
    ("&", "`&` is not an operator", "", "write `and`"),
    ("|", "`|` is not an operator", "", "write `or`"),
    ("++", "`++` does not join lists", "",
     "write `[...a, ...b]`; in an attribute, `NAME += [b]` adds to the list of the package"),
    ("+", "`+` does not join values", _ARITHMETIC, JOIN),
    ("--", "comments begin with `#`", "", "write `# …`"),
    ("->", "`->` is not an operator", "", "for “if a, then b” write `not a or b`"),
    ("-", "`-` is not an operator", _ARITHMETIC, "a name has `-` between letters or digits"),
    ("/", "`/` is not an operator", _ARITHMETIC, 'write a path as a string: `"./file"`'),
    ("%", "`%` is not an operator", _ARITHMETIC, 'insert a value as `"{{name}}"`'),
    ("$", "`$` is not allowed outside of a string", "", "write the name alone"),
    ("\\", "`\\` is not allowed outside of a string", "",
     "a line that begins with `because`, `and`, `or`, `then` or `else` continues the line above"),
)  # fmt: skip
# The words and marks of this language that replace those of other languages.
_OWN: Final = {
    "&&": "and", "||": "or", "&": "and", "|": "or", "!": "not", "//": "#", "--": "#", ";": "",
}  # fmt: skip
_MARKED: Final = re.compile(r"\{\{[ \t]*([\w.-]+)[ \t]*\}\}", re.ASCII)
_BODY: Final = re.compile(r"[^\n{(]*\{[ \t]*(?:\n|#)")
_CLOSING: Final = {"'": "'", "“": "”", "‘": "’", "`": "`"}


def advise(fault: Fault) -> Advice:
    """The message on *fault*. It comes from the first hint that recognizes the fault. If none does,
    the message names the expected tokens and the found one."""
    for hint in (
        elsewhere,
        _foreign,
        _named_block,
        _item_start,
        _because,
        _missing_value,
        _dotted_name,
        _row_alone,
        _outside_string,
        _conditional_item,
        _alternative,
        _axes,
        _reserved,
        _strength_behind,
        _removed,
        _without_part,
        _extending,
        _operators,
        _colon,
        _nix_quotes,
        _calls,
        _nix_call,
        _stray_closer,
    ):
        advice = hint(fault)
        if advice is not None:
            return advice
    wanted = expected(fault)
    title = f"expected {wanted}, found {found(fault)}" if wanted else f"unexpected {found(fault)}"
    here = "here" if fault.start == fault.end else ""
    help_, added = _ending(fault)
    last = fault.last()
    edits = ((last.end_pos, last.end_pos, added),) if added and last is not None else ()
    return fault.advice(title, help_, label=here, edits=edits)


def _is_of_axis(fault: Fault) -> bool:
    """Whether the fault is between the braces of an axis."""
    first = fault.before[0] if fault.before else None
    return len(fault.openers) == 1 and first is not None and first.type == "AXIS"


def _name_of_variant(name: str) -> str:
    """The advice for *name*, a string, in the place where a variant is declared."""
    return f"to name a variant, set its `name`: `variant v {{ name = {shown(name)}, … }}`"


def _ending(fault: Fault) -> tuple[str, str]:
    """The advice if a name is quoted, or if an item continues where it should have ended. Also the
    text to add after the last word, if that is enough to mend it."""
    if fault.kind == "LBRACE" and fault.at_item and not fault.in_body:
        return (
            "a program is no function of Nix: remove its arguments; a `pin` names its nixpkgs",
            "",
        )
    if fault.kind == "NUMBER" and "NAME" in fault.accepted and _is_of_axis(fault):
        advice = "for an axis of numbers or versions, write a list: `axis a = [15, 16.4]`"
        if fault.source.text[fault.end :].lstrip(" \t").startswith("{"):
            row = f"{fault.last_text(len(fault.before) - 1)}{fault.text.replace('.', '_')}"
            advice = f"a name begins with a letter: write `{shown(row)} {{ … }}`; {advice}"
        return advice, ""
    if fault.kind == "STRING" and "NAME" in fault.accepted and "STRING" not in fault.accepted:
        if fault.last_text() == "variant":
            return _name_of_variant(fault.source.text[fault.start : fault.end]), ""
        return (
            'write names without quotes; for an axis of strings, write a list: `axis a = ["2.7", '
            '"3.8"]`',
            "",
        )
    if (
        fault.openers
        and fault.openers[-1].type != "LBRACE"
        and "COMMA" in fault.accepted
        and fault.kind in VALUE_START
    ):
        return "write `,` between the elements", ","
    if fault.place != "item" or "the end of the item" not in expected(fault):
        return "", ""
    if fault.in_body:
        begins = fault.kind in ("NAME", "STRING") or fault.text in BODY_WORDS
        return (f"write `,` or a new line before {found(fault)}", ",") if begins else ("", "")
    if fault.kind == "COMMA" or fault.text in TOP_WORDS:
        added = "" if fault.kind == "COMMA" else "\n"
        return "begin each declaration on a new line", added
    return "", ""


def _foreign(fault: Fault) -> Advice | None:
    if fault.kind != "char":
        return None
    text, start = fault.source.text, fault.start
    for written, title, label, advice in _FOREIGN:
        if text.startswith(written, start):
            end = start + len(written)
            # Behind a value, `//` may be the operator of Nix: only its author knows.
            kept = written == "//" and not fault.at_item
            edits = () if kept else _own_mark(text, written, start, end)
            return Advice(title, start, end, label, advice, edits=edits)
    char = text[start]
    if not char.isprintable() or char.isspace():
        advice = "write a plain space" if char.isspace() else "remove it"
        return Advice(
            f"invisible character U+{ord(char):04X}", start, start + 1, "", advice,
            edits=((start, start + 1, " " if char.isspace() else ""),),
        )  # fmt: skip
    title = f"unexpected character `{char}`"
    help_ = (
        "a name consists of letters a to z, digits and `_`, with `-` only between them"
        if char.isalpha()
        else ""
    )
    return Advice(title, start, start + 1, "", help_ or "if you mean a string, write it in quotes")


def _own_mark(text: str, written: str, start: int, end: int) -> Replaced:
    """The replacement of *written*, the text from *start* to *end*; empty if none is known."""
    if written in _OWN:
        return ((start, end, _spaced(text, start, end, _OWN[written])),)
    close = text.find(_CLOSING.get(written, "\n"), end, line_end(text, end))
    inside = text[end:close]
    if written not in _CLOSING or close < 0 or any(mark in inside for mark in ('"', "\\", "{{")):
        return ()
    return ((start, end, '"'), (close, close + 1, '"'))


def _spaced(text: str, start: int, end: int, word: str) -> str:
    """*word* in place of the text from *start* to *end*, with blanks between it and other words."""
    if not word:
        return word
    before = " " if start and not text[start - 1].isspace() and text[start - 1] not in "([" else ""
    after = "" if text[end : end + 1].isspace() or end == len(text) else " "
    return f"{before}{word}{after}"


def _named_block(fault: Fault) -> Advice | None:
    """`attrs doCheck { … }`: a block of a recipe with a name."""
    block = fault.last_text()
    if fault.kind != "NAME" or block not in OF_RECIPE or "LBRACE" not in fault.accepted:
        return None
    if fault.last_kind(2) not in ("", "LBRACE", "_NL", "COMMA"):
        return None
    return fault.advice(
        f"the block `{block}` has no name", f"write `{block} {{ {shown(fault.text)} = … }}`"
    )


def _item_start(fault: Fault) -> Advice | None:
    """A first word that begins no item, before something that is no setting either."""
    word = fault.last(1)
    if word is None or word.type != "NAME":
        return None
    if fault.last_kind(2) not in ("", "LBRACE", "_NL", "COMMA"):
        return None
    if not {"EQUAL", "PLUS_EQ", "MINUS_EQ", "LBRACE"} <= fault.accepted:
        return None
    if fault.kind not in ("NAME", "STRING", "SCRIPT_TEXT", "NUMBER"):
        return None
    text = fault.last_text()
    if text == "because":
        return fault.advice(
            "`because` does not follow what it explains",
            'write `because "the reason"`, with the words in quotes',
            at=word,
        )
    words = BODY_WORDS if fault.in_body else TOP_WORDS
    what = "item" if fault.in_body else "declaration"
    known = ", ".join(f"`{known}`" for known in words)
    near = guess(text, (*words, *TOP_WORDS))
    question = f"did you mean `{near}`?" if near.word else ""
    put = near.word if near.sure else None
    form = f"write a setting as `{shown(text)} = …`"
    help_ = question or (form if fault.in_body else f"a declaration begins with {known}")
    return fault.advice(f"unknown {what} `{shown(text)}`", help_, at=word, put=put)


def _because(fault: Fault) -> Advice | None:
    if fault.last_kind() != "BECAUSE":
        return None
    return fault.advice(
        f"expected the reason in quotes, found {found(fault)}",
        'write `because "the reason"`',
        label="after `because`",
    )


def _missing_value(fault: Fault) -> Advice | None:
    if fault.kind not in ("_NL", "$END") or not fault.wants_value or fault.place != "item":
        return None
    last = fault.last_text()
    title = f"expected a value, found {found(fault)}"
    if fault.last_kind() in ("AND", "OR", "THEN", "ELSE"):
        advice = f"move `{last}` to the start of the next line"
        return fault.advice(title, advice, label=f"after `{last}`", edits=_moved(fault))
    label = f"after `{shown(last)}`" if last else ""
    return fault.advice(title, "write the value on the same line", label=label)


def _moved(fault: Fault) -> Replaced:
    """The edits that move the last word before *fault* to the start of the next line with text;
    none if a comment is between them."""
    text, word, before = fault.source.text, fault.last(), fault.last(2)
    following = text[fault.start :].lstrip()
    if word is None or before is None or not following or following[0] in "#}])":
        return ()
    at = len(text) - len(following)
    return ((before.end_pos, word.end_pos, ""), (at, at, f"{fault.last_text()} "))


def _row_alone(fault: Fault) -> Advice | None:
    """`axis kind { plain, fast }`: rows without facts and without braces."""
    if fault.accepted != {"LBRACE"} or fault.last_kind() != "NAME" or len(fault.openers) != 1:
        return None
    first = fault.before[0]
    word = fault.text_of(first)
    if word not in ("axis", "facts") or fault.last_kind(2) not in ("LBRACE", "_NL", "COMMA"):
        return None
    row = fault.last_text()
    advice = f"write its facts: `{row} {{ FIELD = VALUE }}`"
    if word == "axis":
        axis = fault.before[1]
        name = fault.text_of(axis)
        advice += f"; for values without facts, write a list: `axis {name} = [{row}, …]`"
    return fault.advice(f"row `{shown(row)}` has no braces", advice, label="expected `{`")


def _dotted_name(fault: Fault) -> Advice | None:
    """The advice for `armv8.2` in place of an axis value or another name."""
    start, back = fault.start, 1
    if fault.kind == "NUMBER" and fault.last_kind() == "DOT" and fault.last_kind(2) == "NAME":
        start, back = fault.start - 1, 2
    elif fault.kind != "DOT" or fault.accepted != {"LBRACE"} or fault.last_kind() != "NAME":
        return None
    first = fault.last(back)
    if first is None or first.end_pos != start:
        return None
    text, end = fault.source.text, start
    while end < len(text) and (text[end] in "._" or (text[end].isascii() and text[end].isalnum())):
        end += 1
    written = text[first.start_pos : end]
    other = written.replace(".", "_")
    is_variant = fault.last_text(back + 1) == "variant"
    return Advice(
        f"`{shown(written)}` is not a name",
        first.start_pos,
        end,
        "a name cannot contain a dot",
        _name_of_variant(f'"{written}"') if is_variant else f"write `{shown(other)}`",
        ("Nix reads a dot as the next step of an attribute path",),
        edits=() if is_variant else ((first.start_pos, end, other),),
    )


def _outside_string(fault: Fault) -> Advice | None:
    last = fault.last()
    if fault.kind != "LBRACE" or last is None or last.type != "LBRACE":
        return None
    if last.end_pos != fault.start:
        return None
    edits: Replaced = ()
    marked = _MARKED.match(fault.source.text, last.start_pos)
    if marked is not None:
        edits = ((marked.start(), marked.end(), marked[1]),)
    return fault.advice(
        "`{{` is not allowed outside of a string",
        'write the name alone, or `"{{name}}"`',
        label="a name needs no marks here",
        since=last,
        edits=edits,
    )


def _conditional_item(fault: Fault) -> Advice | None:
    """`if` where an item could begin. `if` is no key either."""
    if fault.kind != "IF" or not fault.at_item:
        return None
    rest = fault.source.text[fault.end :].lstrip(" \t")
    if rest.startswith(("=", "+=", "-=", ".")):
        return None
    return fault.advice(
        "`if` chooses between values and cannot begin an item",
        "write `when CONDITION { … }`",
        put="when" if _BODY.match(rest) else None,
    )


def _alternative(fault: Fault) -> Advice | None:
    """`when C { … } else if D { … }`, where the language has `else when`."""
    if fault.kind != "IF" or (fault.last_kind(2), fault.last_kind()) != ("RBRACE", "ELSE"):
        return None
    return fault.advice(
        "`if` chooses between values and cannot follow the `else` of a `when`",
        "write `else when CONDITION { … }`",
        put="when",
    )


def _axes(fault: Fault) -> Advice | None:
    """`axes = a, b` or `axes = a x b`, where the language has `a * b`."""
    mark = fault.last(2)
    if fault.text in ("x", "X"):
        before, place, written = fault.before, (fault.start, fault.end), "*"
    elif mark is not None and mark.type == "COMMA" and _ends_as_axis(fault):
        before, place, written = fault.before[:-2], (mark.start_pos, mark.end_pos), " *"
    else:
        return None
    item = item_of(before)
    if not item or fault.text_of(item[0]) != "axes":
        return None
    advice = "write `*` between the axes: `axes = gpu * isa`"
    return Advice("axes are joined by `*`", *place, "", advice, edits=((*place, written),))


def _ends_as_axis(fault: Fault) -> bool:
    """Whether the last word is an item without a value. It could be one more axis."""
    ends = fault.kind in ("_NL", "COMMA", "RBRACE") and "EQUAL" in fault.accepted
    return ends and fault.last_text() not in ("name", "recipe")


def _strength_behind(fault: Fault) -> Advice | None:
    """The advice for `x = force "y"`: the strength of an item comes before its name."""
    word = fault.last()
    if word is None or fault.last_text() not in ("default", "force") or fault.wants_value:
        return None
    if fault.last_kind(2) != "EQUAL" or fault.kind not in (*VALUE_START, "NOT", "IF"):
        return None
    name = fault.last(3)
    edits: Replaced = ()
    if name is not None and fault.last_kind(4) in ("", "LBRACE", "_NL", "COMMA"):
        edits = (
            (name.start_pos, name.start_pos, f"{fault.last_text()} "),
            (word.start_pos, fault.start, ""),
        )
    return fault.advice(
        f"`{fault.last_text()}` must come before the name",
        f"write `{fault.last_text()} {shown(fault.last_text(3))} = …`",
        at=word,
        edits=edits,
    )


def _removed(fault: Fault) -> Advice | None:
    """A script or a part written as an assignment, and a number in quotes."""
    name, word = shown(fault.last_text()), fault.last_text(2)
    if fault.kind == "EQUAL" and word == "script" and "LBRACE" in fault.accepted:
        return fault.advice(
            "a script is written in parts, not with `=`",
            f'write `script {name} {{ part NAME "…" }}`; in it, `part old = none` removes the '
            "package's own script",
        )
    if fault.last_kind() == "EQUAL" and fault.last_text(3) == "part":
        return fault.advice(
            "after `=` a part can only be `none`, which removes it",
            f'write its string without `=`: `part {word} "…"`',
        )
    if fault.last_text() == "language" and fault.kind == "STRING":
        return fault.advice("`language` needs a number", "write `language 1`", put="1")
    return None


def _without_part(fault: Fault) -> Advice | None:
    """`script postInstall { "…" }`: the text of a script without the word `part`."""
    opener = fault.last(2)
    if fault.last_kind() not in ("STRING", "SCRIPT_TEXT") or opener is None:
        return None
    if opener.type != "LBRACE" or fault.last_text(4) != "script":
        return None
    text = fault.last()
    assert text is not None
    return fault.advice(
        "a script is written in parts", "write `part NAME` before the string", at=text
    )


def _extending(fault: Fault) -> Advice | None:
    if fault.text != "extends" or fault.last_text(2) not in (
        "variant", "overlay", "patch", "pin", "mixin",
    ):
        return None
    kind, advice = fault.last_text(2), "only recipes and matrices can extend another"
    if kind == "variant":
        advice = "name its recipe inside, `recipe = NAME`; or write `matrix` to extend a matrix"
    if kind == "mixin":
        name = shown(fault.last_text())
        advice = f"a recipe is made from both: `recipe NAME extends OTHER with {name} {{ … }}`"
    title = f"{'an' if kind == 'overlay' else 'a'} {kind} cannot extend anything"
    return fault.advice(title, advice)


def _reserved(fault: Fault) -> Advice | None:
    if fault.kind not in RESERVED or "NAME" not in fault.accepted or fault.wants_value:
        return None
    quoted = f'"{fault.text}"' if "STRING" in fault.accepted else None
    advice = f"put it in quotes: `{quoted}`" if quoted else "choose another name"
    return fault.advice(
        f"`{fault.text}` is a reserved word", advice, label="not a name", code="E105", put=quoted
    )


def _operators(fault: Fault) -> Advice | None:
    kind, accepted = fault.kind, fault.accepted
    if kind == "STAR" and item_of(fault.before) and "AND" in accepted:
        first = item_of(fault.before)[0]
        if first.type in CONDITIONS:
            return fault.advice(
                "`*` does not join conditions",
                f"compare each axis: `{fault.text_of(first)} gpu == sm80 and isa == avx2`",
            )
    if kind == "EQEQ" and "EQUAL" in accepted:
        return fault.advice("`==` compares, it does not set", "write `=`", put="=")
    if kind == "EQUAL" and "EQEQ" in accepted:
        return fault.advice("`=` sets, it does not compare", "write `==`", put="==")
    if kind in COMPARE and "AND" in accepted and "EQEQ" not in accepted:
        return fault.advice(
            "comparisons do not chain", "write `a < b and b < c`", label="a second comparison"
        )
    if kind in ("PLUS_EQ", "MINUS_EQ") and "EQEQ" in accepted:
        return fault.advice(f"`{fault.text}` is not allowed inside a value", JOIN)
    if kind == "STAR" and "AND" in accepted:
        return fault.advice(
            "`*` does not multiply",
            "use `*` only between axes: `axes = gpu * isa`",
            label=_ARITHMETIC,
        )
    return None


def _colon(fault: Fault) -> Advice | None:
    back = 1 if fault.last_kind() == "COLON" else 2
    colon, name = fault.last(back), fault.last_text(back + 1)
    if colon is not None and colon.type == "COLON" and fault.last_kind(back + 2) == "AXIS":
        return fault.advice(
            "`:` declares an axis without values",
            f"to give it values write `axis {shown(name)} = …`",
            at=colon,
        )
    if fault.kind != "COLON" or "EQUAL" not in fault.accepted:
        return None
    declared = declared_name(fault)
    if declared is not None:
        return declared
    if fault.source.text[fault.end :].lstrip().startswith("- "):
        advice = f"write a list: `{shown(fault.last_text())} = [a, b]`"
        return fault.advice("`:` does not set a value", advice)
    text = _spaced(fault.source.text, fault.start, fault.end, "=")
    return fault.advice("`:` does not set a value", "write `=`", put=text)


def _nix_quotes(fault: Fault) -> Advice | None:
    last = fault.last()
    if fault.kind != "STRING" or last is None or fault.last_text() != "nix":
        return None
    edits = ((fault.start, fault.start, '""'), (fault.end, fault.end, '""'))
    return fault.advice(
        "a Nix expression needs three quotes on each side",
        'write `nix"""…"""`',
        since=last,
        edits=edits if "\\" not in fault.text else (),
    )


def _calls(fault: Fault) -> Advice | None:
    if fault.kind != "LPAR" or fault.wants_value:
        return None
    if "DOT" not in fault.accepted or "EQEQ" not in fault.accepted:
        return None
    return fault.advice(
        "this cannot be called",
        _instead_of_call(fault)
        or "write the name of a function before `(`; call a function of Nix in Nix text: "
        '`nix"""f x"""`',
    )


def _nix_call(fault: Fault) -> Advice | None:
    """`prev.zstd.override { … }`: a function of Nix that is called as Nix does."""
    if (fault.kind, fault.last_kind(), fault.last_kind(2)) != ("LBRACE", "NAME", "DOT"):
        return None
    return fault.advice(
        "this cannot be called",
        _instead_of_call(fault) or 'call functions of Nix in `nix` text: `nix"""f { … }"""`',
    )


def _instead_of_call(fault: Fault) -> str:
    """The advice for a call of `override`, of `overrideAttrs`, or of a method of another language.
    Empty for other functions."""
    if fault.last_text() in METHODS and fault.kind == "LPAR":
        return METHODS[fault.last_text()]
    if fault.last_text() not in ("override", "overrideAttrs", "overrideDerivation"):
        return ""
    inside = "args { … }" if fault.last_text() == "override" else "NAME = …"
    package = shown(fault.last_text(3))
    word = fault.text_of(fault.before[0])
    if word == "overlay":
        return f"write an overlay for the package: `overlay NAME for {package} {{ {inside} }}`"
    line = item_of(fault.before)
    if word in ("recipe", "variant", "matrix", "mixin") and fault.text_of(line[0]) != "package":
        return (
            f"declare `overlay NAME for {package} {{ {inside} }}`, and list it in the recipe: "
            "`overlays = [NAME]`"
        )
    if word in ("recipe", "variant", "matrix", "mixin"):
        inside = inside if inside.startswith("args") else f"attrs {{ {inside} }}"
        return f"write `package = pkgs.{package}`, and on the next line `{inside}`"
    return ""


def _stray_closer(fault: Fault) -> Advice | None:
    if fault.kind not in ("RBRACE", "RPAR", "RSQB") or fault.openers:
        return None
    if fault.kind == "RBRACE" and fault.place == "interpolation":
        return fault.advice("one `}` does not close `{{`", "write `}}`", put="}}")
    return fault.advice(
        f"`{fault.text}` has no opening bracket",
        "remove it, or add the bracket that it should close",
    )
