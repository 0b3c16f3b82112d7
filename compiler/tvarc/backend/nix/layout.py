"""Layouts that the printer uses in many places: documents in, documents out."""

from __future__ import annotations

from tvarc.backend.nix.document import (
    HARDLINE,
    INDENT,
    LINE,
    SOFTLINE,
    WIDTH,
    Doc,
    Wrapped,
    choice,
    concat,
    flat_text,
    group,
    nest,
    separated,
)
from tvarc.backend.nix.quoting import comment_line

BLANK_LINE = concat(HARDLINE, HARDLINE)

FLAT_ARGUMENT_ITEMS = 4
"""A list of so few plain elements stays on one line before other arguments, if it fits."""


def parenthesised(doc: Doc) -> Doc:
    if isinstance(doc, str):
        return "(" + doc + ")"
    return group("(", nest(SOFTLINE, doc), SOFTLINE, ")")


def apply(function: Doc, argument: Doc, arguments: int) -> Doc:
    if arguments <= 2 and isinstance(function, str) and isinstance(argument, str):
        return function + " " + argument
    return group(function, nest(LINE, argument))


def applied_value(compact: Doc | None, chain: Doc) -> Doc:
    """An application after `=` or an operator."""
    if compact is not None:
        return choice(concat(" ", compact), nest(HARDLINE, choice(compact, chain)))
    return " " + chain if isinstance(chain, str) else group(nest(LINE, chain))


def comment(text: str) -> Doc:
    return Wrapped("# ", comment_line(text) if type(text) is str else _like(text))


def _like(text: str) -> str:
    from tvarc.provenance.model import like

    return like(comment_line(text), text)


def bracketed(items: list[Doc]) -> Doc:
    line = LINE if len(items) == 1 else HARDLINE
    return group("[", nest(line, *separated(line, items)), line, "]")


def spans_lines(entry: Doc) -> bool:
    flat = flat_text(entry)
    return flat is None or len(flat) > WIDTH - INDENT
