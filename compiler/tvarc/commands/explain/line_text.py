"""The origin of one line of a recipe: values, their conditions, and lines of source."""

from __future__ import annotations

from tvarc.commands.explain.text import explain_text
from tvarc.commands.programs.recipes import RecipeLine, SourceLine
from tvarc.commands.shown.why import Why
from tvarc.light import Final, Iterator, Sequence
from tvarc.text.diagnostics.render_cells import cell_width, safe
from tvarc.text.diagnostics.render_style import Piece, Style, paint
from tvarc.text.source import SourceMap

_WIDEST_PLACE: Final = 40  # a longer place does not push the others aside


def line_text(
    answer: RecipeLine, sources: SourceMap, *, colour: bool, width: int, why: Why | None
) -> str:
    """The answer for a person, for a terminal of *width* cells."""
    head: list[Piece] = [
        (safe(f"{answer.file}:{answer.line}: "), Style.TITLE),
        (safe(answer.text.strip()), Style.PLAIN),
    ]
    parts = [f"{paint(head, colour=colour)}\n"]
    for number, node in enumerate(answer.values):
        text = explain_text(answer.tree, node, sources, colour=colour, width=width, why=why)
        # Each answer begins with the name of the variant.
        parts.append(text.partition("\n")[2] if number else text)
    rows = [
        *_block("made of", answer.made),
        *_block("around it", answer.around),
        *_block("kept out by a condition", answer.withheld),
    ]
    if answer.frame:
        rows.append([(answer.frame, Style.PLAIN)])
    parts += [f"{paint(row, colour=colour)}\n" for row in rows]
    return "".join(parts)


def _block(title: str, lines: Sequence[SourceLine]) -> Iterator[list[Piece]]:
    if not lines:
        return
    yield [(title, Style.SECOND)]
    places = [safe(one.place) for one in lines]
    width = min(max(map(cell_width, places)), _WIDEST_PLACE)
    for place, one in zip(places, lines, strict=True):
        gap = " " * max(width - cell_width(place), 0)
        yield [
            (f"  {place}{gap}  ", Style.FAINT),
            (safe(one.text.strip()), Style.PLAIN),
        ]
