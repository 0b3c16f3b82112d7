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
    is_unsure,
    nest,
    tagged,
)
from tvarc.nix.language.late import Open
from tvarc.nix.language.quoting import escape_block, escape_quoted, interpolation
from tvarc.values.value import NixPlace

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines


class Interpolation:
    """The document of an expression in a string."""

    __slots__ = ("doc",)

    def __init__(self, doc: Doc) -> None:
        flat = flat_text(doc)
        if flat is not None and is_unsure(flat):
            raise AsksWidth
        if flat is not None:
            self.doc: Doc = concat("${", flat, "}")
        else:
            self.doc = group("${", nest(SOFTLINE, doc), SOFTLINE, "}")


Part = str | Open | Interpolation


def string(parts: Iterable[Part], block: bool, lines: tuple[Lines, ...] = ()) -> Doc:
    """A string of these parts. It is text if it is on one line. *lines* are the source lines of the
    lines of its value, if it is traced."""
    merged = _merged(parts)
    if block and _block_holds(merged):
        return _block(merged, lines)
    docs: list[Doc] = ['"']
    for part, after in zip(merged, [*merged[1:], None], strict=False):
        if isinstance(part, str):
            docs.append(escape_quoted(part, before_expression=isinstance(after, Interpolation)))
        else:
            docs.append(part.doc if isinstance(part, Interpolation) else part)
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
    # An interpolation or a late part counts as a letter: neither begins with a blank.
    text = "".join([part if isinstance(part, str) else "x" for part in parts])
    lines = text.split("\n")
    if len(lines) == 1 or (lines[-1] and not lines[-1].strip(" ")):
        return False
    return any(line and line[0] != " " for line in lines)


def _block(parts: list[Part], lines: tuple[Lines, ...]) -> Doc:
    docs: list[Doc] = [HARDLINE]
    at = 0
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        if isinstance(part, Interpolation):
            docs.append(part.doc)
            continue
        if isinstance(part, Open):
            docs.append(tagged(part, lines[at], 0) if at < len(lines) else part)
            continue
        before_expression = isinstance(after, Interpolation)
        text = escape_block(part, before_expression=before_expression, last=after is None)
        for number, line in enumerate(text.split("\n")):
            if number:
                docs.append(HARDLINE)
                at += 1
            if line:
                docs.append(tagged(line, lines[at], 0) if at < len(lines) else line)
    if docs[-1] is HARDLINE:  # the closing quotes have a line of their own
        return concat("''", nest(*docs[:-1]), HARDLINE, "''")
    return concat("''", nest(*docs), "''")
