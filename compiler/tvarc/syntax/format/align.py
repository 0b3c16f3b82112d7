"""Aligns the signs and braces of neighbouring lines."""

from __future__ import annotations

from tvarc.light import Iterator, Sequence
from tvarc.syntax.format.break_points import WIDTH, Row, can_break
from tvarc.syntax.format.layout_tree import BRACES, Bracket, Element, Word

Alignment = dict[int, int]
"""The number of blanks before the aligned piece of an element, by the id of the element."""


def aligned(bracket: Bracket, rows: Sequence[Row], indent: int) -> Alignment:
    """The alignment of the elements in *rows* of a broken bracket.

    If several elements share a line, nothing in the whole bracket is aligned.
    """
    alignment: Alignment = {}
    if bracket.opener not in BRACES or any(len(row) > 1 for row in rows):
        return alignment
    for run in _runs([row[0] for row in rows], indent):
        widths = [_before(element) for element in run]
        pads = [max(widths) - width for width in widths]
        if all(_stays(element, indent, pad) for pad, element in zip(pads, run, strict=True)):
            alignment.update((id(one), pad) for one, pad in zip(run, pads, strict=True))
    return alignment


def _runs(elements: Sequence[Element], indent: int) -> Iterator[list[Element]]:
    """Groups of neighbouring elements of one family. An empty line ends a group."""
    run: list[Element] = []
    for element in elements:
        family = _family(element, indent)
        blank = element.trivia.blank or any(comment.blank for comment in element.trivia.comments)
        if run and (blank or family != run[-1].family):
            yield run
            run = []
        if family:
            run.append(element)
    if run:
        yield run


def _family(element: Element, indent: int) -> str:
    """The family of *element*; empty for a block over several lines."""
    if element.column < 0:
        return ""
    if _is_sign(element):
        return element.family
    one_line = element.flat is not None and indent + len(element.flat) <= WIDTH
    return element.family if one_line else ""


def _is_sign(element: Element) -> bool:
    """Whether the aligned piece is a sign, and not a brace."""
    return isinstance(element.pieces[element.column][1], Word)


def _stays(element: Element, indent: int, pad: int) -> bool:
    """Whether the element still fits on one line with *pad* more blanks."""
    if element.flat is None or not can_break(element):
        return True
    width = indent + len(element.flat)
    return width > WIDTH or width + pad <= WIDTH


def _before(element: Element) -> int:
    """The width up to the end of the aligned sign, or up to the aligned brace."""
    width = 0
    for joint, piece in element.pieces[: element.column]:
        width += len(joint.glue) + len(piece.flat or "")
    joint, piece = element.pieces[element.column]
    width += len(joint.glue)
    return width if isinstance(piece, Bracket) else width + len(piece.flat or "")
