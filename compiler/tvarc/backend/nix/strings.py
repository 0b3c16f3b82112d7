"""Documents of Nix strings: `"…"` on one line, or a `''…''` block with its lines indented.

Nix takes from each line of a block the blanks that all its lines begin with, so a block gives
its value back only when one line of the value begins without a blank. Where that is not so,
or the last line is of blanks only (Nix drops them), the string is written with escapes.
"""

from __future__ import annotations

from tvarc.backend.nix.document import HARDLINE, SOFTLINE, Doc, concat, flat_text, group, nest
from tvarc.backend.nix.quoting import escape_block, escape_quoted
from tvarc.light import Iterable


class Interpolation:
    """The document of an expression within a string."""

    __slots__ = ("doc",)

    def __init__(self, doc: Doc) -> None:
        flat = flat_text(doc)
        if flat is not None:
            self.doc: Doc = "${" + flat + "}"
        else:
            self.doc = group("${", nest(SOFTLINE, doc), SOFTLINE, "}")


Part = str | Interpolation


def string(parts: Iterable[Part], block: bool) -> Doc:
    """A string of these parts; text alone when it stands on one line."""
    merged = _merged(parts)
    if block and _block_holds(merged):
        return _block(merged)
    docs: list[Doc] = ['"']
    last = len(merged) - 1
    for index, part in enumerate(merged):
        if isinstance(part, str):
            docs.append(escape_quoted(part, before_expression=index < last))
        else:
            docs.append(part.doc)
    docs.append('"')
    return concat(*docs)


def _merged(parts: Iterable[Part]) -> list[Part]:
    """The parts without empty ones, and text next to text as one: escapes may span both."""
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
    """Whether a block of these parts, indented, has exactly their value."""
    # An interpolation counts as any letter does: it is no blank, whatever it becomes.
    text = "".join([part if isinstance(part, str) else "x" for part in parts])
    lines = text.split("\n")
    if len(lines) == 1 or (lines[-1] and not lines[-1].strip(" ")):
        return False
    return any(line and line[0] != " " for line in lines)


def _block(parts: list[Part]) -> Doc:
    docs: list[Doc] = [HARDLINE]
    last = len(parts) - 1
    for index, part in enumerate(parts):
        if not isinstance(part, str):
            docs.append(part.doc)
            continue
        text = escape_block(part, before_expression=index < last, last=index == last)
        for number, line in enumerate(text.split("\n")):
            if number:
                docs.append(HARDLINE)
            if line:
                docs.append(line)
    if docs[-1] is HARDLINE:  # the closing quotes stand on a line of their own
        return concat("''", nest(*docs[:-1]), HARDLINE, "''")
    return concat("''", nest(*docs), "''")
