"""Documents of Nix strings: `"…"` on one line, or a `''…''` block with its lines indented.

Nix removes the common leading blanks from the lines of a block. So a block has its value only if
one line of the value begins without a blank. Otherwise, or if the last line has only blanks (Nix
drops them), the string is written with escapes.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Iterable
from tvarc.nix.language.document import (
    HARDLINE,
    SOFTLINE,
    AsksWidth,
    Doc,
    concat,
    flat_text,
    group,
    is_open,
    nest,
    tagged,
)
from tvarc.nix.language.quoting import escape_block, escape_quoted, interpolation
from tvarc.values.value import NixPlace

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines


class Interpolation:
    """The document of an expression in a string."""

    __slots__ = ("doc",)

    def __init__(self, doc: Doc) -> None:
        flat = flat_text(doc)
        if flat is not None and is_open(flat):
            raise AsksWidth
        if flat is not None:
            self.doc: Doc = interpolation(flat)
        else:
            self.doc = group("${", nest(SOFTLINE, doc), SOFTLINE, "}")


Part = str | Interpolation


def string(parts: Iterable[Part], block: bool, lines: tuple[Lines, ...] = ()) -> Doc:
    """A string of these parts. It is text if it is on one line. *lines* are the source lines of the
    lines of its value, if it is traced."""
    merged = _merged(parts)
    if block and _block_holds(merged):
        return _block(merged, lines)
    docs: list[Doc] = ['"']
    last = len(merged) - 1
    for index, part in enumerate(merged):
        if isinstance(part, str):
            docs.append(escape_quoted(part, before_expression=index < last))
        else:
            docs.append(part.doc)
    docs.append('"')
    whole = concat(*docs)
    for made in lines:
        whole = tagged(whole, made, 0)
    return whole


def within_string(text: str, place: NixPlace, dollar: bool) -> str:
    """The characters *text* in a string of Nix text, whatever is before and after them.

    In a block, Nix strips blanks from the lines; some releases also do so after an escaped line
    end. So characters that are not plain get a string of their own there.
    """
    text = "$" + text if dollar else text
    quoted = escape_quoted(text, before_expression=True)
    if place == "string" or _is_plain(text, fresh=place == "line"):
        return quoted if place == "string" else text
    return interpolation('"' + quoted + '"')


def _is_plain(text: str, *, fresh: bool) -> bool:
    """Whether *text* needs no escape in a block and keeps its form. `fresh` says that only spaces
    are before it on its line."""
    return (
        text.isprintable()
        and text != ""
        and "'" not in text
        and "${" not in text
        and text[-1] != "$"
        and not (fresh and text[0] == " ")
    )


def _merged(parts: Iterable[Part]) -> list[Part]:
    """The parts without empty ones. Neighbouring texts are joined, because an escape may span both.
    """
    merged: list[Part] = []
    for part in parts:
        if not isinstance(part, str):
            merged.append(part)
        elif part:
            if merged and isinstance(merged[-1], str):
                merged[-1] += part
            else:
                merged.append(part)
    return merged


def _block_holds(parts: list[Part]) -> bool:
    """Whether an indented block of these parts has exactly their value."""
    # An interpolation counts as a letter: it is never a blank.
    text = "".join([part if isinstance(part, str) else "x" for part in parts])
    lines = text.split("\n")
    if len(lines) == 1 or (lines[-1] and not lines[-1].strip(" ")):
        return False
    return any(line and line[0] != " " for line in lines)


def _block(parts: list[Part], lines: tuple[Lines, ...]) -> Doc:
    docs: list[Doc] = [HARDLINE]
    at = 0
    last = len(parts) - 1
    for index, part in enumerate(parts):
        if not isinstance(part, str):
            docs.append(part.doc)
            continue
        text = escape_block(part, before_expression=index < last, last=index == last)
        for number, line in enumerate(text.split("\n")):
            if number:
                docs.append(HARDLINE)
                at += 1
            if line:
                docs.append(tagged(line, lines[at], 0) if at < len(lines) else line)
    if docs[-1] is HARDLINE:  # the closing quotes have a line of their own
        return concat("''", nest(*docs[:-1]), HARDLINE, "''")
    return concat("''", nest(*docs), "''")
