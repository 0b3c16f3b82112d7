"""Messages for values as other languages write them."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.syntax.elsewhere_words import (
    FETCHERS,
    FUNCTION,
    INSTEAD_OF_FUNCTION,
    JOIN,
    METHODS,
    NO_FUNCTIONS,
)
from tvarc.syntax.fault import Advice, Fault, found, item_of, line_end, shown

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
    last = fault.last()
    mark = fault.source.text[fault.start : fault.start + 1]
    line = item_of(fault.before)
    if fault.wants_value and fault.kind in ("char", "STAR", "LESSTHAN") and mark in _SIGILS:
        end = fault.start + 1
        return Advice(f"`{mark}` cannot begin a value", fault.start, end, "", _SIGILS[mark])
    if last is None or not line:
        return None
    if mark == "|" and line[0].type == "AXIS" and "EQUAL" in [leaf.type for leaf in line]:
        advice = f"write a list: `axis {shown(fault.text_of(line[1]))} = [A, B]`"
        return fault.advice("the values of an axis are a list", advice)
    word = fault.last_text()
    if word in _MAKERS and fault.last_kind(2) == "EQUAL" and fault.kind in ("LBRACE", "NAME"):
        title = f"`{word}` cannot begin a value"
        return fault.advice(title, _MAKERS[word], at=last)
    if fault.kind == "LBRACE" and last.type == "RPAR" and line[0].type == "LET":
        return fault.advice(NO_FUNCTIONS, INSTEAD_OF_FUNCTION)
    is_list = bool(fault.openers) and fault.openers[-1].type == "LSQB"
    if (fault.kind, last.type) == ("STRING", "STRING") and not is_list and fault.place == "item":
        return fault.advice("a value is one string", JOIN, label="a second string")
    return None



def _range(fault: Fault) -> Advice | None:
    """`1..4`, and `"a" .. "b"`, which joins texts in Lua."""
    if fault.kind != "DOTDOT" or fault.wants_value:
        return None
    if fault.last_kind() != "NUMBER":
        return fault.advice("`..` does not join values", JOIN)
    return fault.advice("the language has no ranges of numbers", "write each value: `[1, 2, 3]`")


def _slice(fault: Fault) -> Advice | None:
    """`xs[0:1]`: a part of a list."""
    if fault.kind != "COLON" or not fault.openers or fault.openers[-1].type != "LSQB":
        return None
    if fault.last_kind() != "NUMBER" and fault.last() is not fault.openers[-1]:
        return None
    return fault.advice(
        "the language has no parts of lists",
        "take one element, `xs[0]`, or write the list without the others",
    )


def _tuple(fault: Fault) -> Advice | None:
    """`x in (a, b)`: a list in round brackets."""
    if fault.kind != "COMMA" or not fault.openers or fault.openers[-1].type != "LPAR":
        return None
    if fault.accepted.isdisjoint({"RPAR"}) or "COMMA" in fault.accepted:
        return None
    bracket = fault.openers[-1]
    return fault.advice("a list has square brackets", "write `[a, b]`", since=bracket)


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
    return fault.advice(
        f"`{fault.text_of(word)}` cannot be called",
        f'write `package = path("{shown(path)}")`, and its arguments in `args {{ … }}`',
        at=word,
    )


def _path_alone(fault: Fault) -> Advice | None:
    """`patch p for x { path("./f") }`: a file without its field."""
    if fault.kind != "LPAR" or fault.last_text() != "path" or fault.wants_value:
        return None
    if "EQUAL" not in fault.accepted or fault.last_kind(2) not in ("LBRACE", "_NL", "COMMA"):
        return None
    word = fault.last()
    assert word is not None
    return fault.advice(
        "`path` gives a value, and sets none",
        'write `NAME = path("…")`; in a patch, `file = path("…")`',
        at=word,
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
        if FUNCTION.match(text[fault.start : line_end(text, fault.start)]) is None:
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
    return fault.advice(
        "a value is no function", f'write a function of Nix in Nix text: `nix"""{name}: …"""`'
    )


def _strong_block(fault: Fault) -> Advice | None:
    """`force attrs { … }`: `force` before a whole block."""
    if fault.kind != "LBRACE" or fault.last_kind(2) not in ("FORCE", "DEFAULT"):
        return None
    word = fault.last(2)
    assert word is not None
    strength, block = fault.last_text(2), shown(fault.last_text())
    return fault.advice(
        f"`{strength}` is for single settings",
        f"write it before each setting: `{block} {{ {strength} NAME = … }}`",
        at=word,
    )


def _fetcher(fault: Fault) -> Advice | None:
    """`src = fetchurl { … }`: a fetcher called as in Nix."""
    word, name = fault.last(), fault.last_text()
    if word is None or fault.kind != "LBRACE" or name not in FETCHERS or fault.wants_value:
        return None
    return fault.advice(f"`{name}` cannot be called", FETCHERS[name], at=word)


def _method_of_list(fault: Fault) -> Advice | None:
    """`cmakeFlags.append("x")`: a method that changes a list."""
    word = fault.last()
    if word is None or fault.kind != "LPAR" or fault.last_kind(2) != "DOT" or fault.wants_value:
        return None
    if "EQUAL" not in fault.accepted or fault.last_text() not in METHODS:
        return None
    return fault.advice(
        f"a setting has no method `{fault.last_text()}`", METHODS[fault.last_text()], since=word
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
    return fault.advice(f"expected `{{`, found {found(fault)}", advice)


VALUE_HINTS: Final = (
    _range,
    _slice,
    _tuple,
    _filter,
    _file_called,
    _path,
    _path_alone,
    _heredoc,
    _sigil,
    _lambda,
    _strong_block,
    _fetcher,
    _method_of_list,
    _open_line,
)
"""The functions of this file that look at a fault, in the order in which they are asked."""
