"""Texts of several lines that differ between cells: aligns their lines, and finds the cells of each
line."""

from __future__ import annotations

import re

from tvarc.byhand.importing.alignment import align, similar
from tvarc.byhand.importing.declarations import hint_of
from tvarc.byhand.importing.phrases import paragraphs
from tvarc.byhand.importing.templates import LEAST_MORE, Piece, Templates, shown
from tvarc.byhand.importing.written import CannotSay, Site, in_block
from tvarc.light import Final, Mapping, Sequence, dataclass, field, lru_cache

_COMMAND: Final = re.compile(r'( *[a-z]+ +")[^"]+"\Z')


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines that the same cells have: in their written form, and the different lines of the `odd`
    cells. Only odd cells have lines of a segment without `cells`."""

    cells: tuple[int, ...]
    lines: tuple[str, ...]
    own: dict[int, list[str]]
    odd: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Rule:
    """The code for some lines, its reading `cost`, and the records and names that it would add."""

    cost: float
    pieces: list[Piece]
    columns: dict[tuple[str, ...], dict[str, dict[str, str]]]
    lets: dict[str, str]


class Lines:
    """Writes the lines of texts in the cells of one matrix."""

    __slots__ = ("declared", "templates")

    def __init__(self, templates: Templates) -> None:
        self.templates = templates
        self.declared = templates.declared

    def segments(self, texts: Sequence[str], at: Site, rule: Sequence[int]) -> list[Segment]:
        """The lines of *texts* in segments: lines that the same cells of *rule* have are together.
        A text with a line end at its end has an empty last line. Either all texts have one, or
        none."""
        declared, symbols = self.declared, self.templates.symbols
        with declared.of_setting(at.hint):
            own = [symbols[cell].put(text) for cell, text in zip(at.cells, texts, strict=True)]
            if len({text.endswith("\n") for text in own}) > 1:
                raise CannotSay("some strings end with a newline, and others do not")
            distinct = list(dict.fromkeys(own))
            place = {text: number for number, text in enumerate(distinct)}
            row_of = {cell: place[text] for cell, text in zip(at.cells, own, strict=True)}
            found: list[_Open] = []
            ruled = set(rule)
            obeying = tuple([cell for cell in at.cells if cell in ruled])
            for column in _columns_of(tuple(distinct), at.is_prose):
                here = obeying
                if len(column) < len(distinct):
                    here = tuple([cell for cell in obeying if row_of[cell] in column])
                before = set(declared.odd)
                declared.odd = set()
                written = ""
                if here:
                    # Lines that all cells have in common are those of any cell.
                    told = here if len(set(column.values())) > 1 else here[:1]
                    values = [symbols[cell].take(column[row_of[cell]]) for cell in told]
                    where = at.of(told).named(hint_of(values[0], at.hint))
                    written = shown(self.templates.template(values, where), in_block)
                    if declared.cells.lenient and not at.is_prose:
                        declared.odd |= declared.cells.missing(here, obeying)
                odd, declared.odd = declared.odd, before | declared.odd
                if not declared.cells.lenient:
                    odd |= self._strays(column, row_of, at.of(here), obeying)
                if not found or not found[-1].takes(here, odd):
                    found.append(_Open(here, set(odd)))
                found[-1].add(here, written, odd, column)
            return [
                Segment(
                    one.cells, tuple(one.lines), self._lines_of(one, row_of), frozenset(one.odd)
                )
                for one in _ended(found)
            ]

    def _lines_of(self, segment: _Open, row_of: Mapping[int, int]) -> dict[int, list[str]]:
        """The lines of the odd cells in the place of *segment*."""
        return {
            cell: [
                self.templates.symbols[cell].take(column[row_of[cell]])
                for column in segment.columns
                if row_of[cell] in column
            ]
            for cell in segment.odd
            if cell in row_of
        }

    def _strays(
        self,
        column: Mapping[int, str],
        row_of: Mapping[int, int],
        at: Site,
        obeying: Sequence[int],
    ) -> set[int]:
        """The cells outside of the rule whose lines in *column* differ from those of the rule."""
        found: set[int] = set()
        here = at.cells
        others = row_of.keys() - set(obeying)
        rule = self._rule(column, row_of, at) if others else None
        for cell in others:
            inside = row_of[cell] in column
            every = sorted([*obeying, cell])
            with_it = sorted([*here, cell]) if inside else list(here)
            obeys = self._same_condition(here, obeying, with_it, every)
            if obeys and inside and rule is not None:
                # A more expensive rule would be a different one, and the search for it would take
                # longest.
                limit = rule.cost + LEAST_MORE
                obeys = rule == self._rule(column, row_of, at.of(with_it), limit)
            if not obeys or (inside and rule is None):
                found.add(cell)
        return found

    def _same_condition(
        self,
        here: Sequence[int],
        obeying: Sequence[int],
        with_it: Sequence[int],
        every: Sequence[int],
    ) -> bool:
        if len(here) == len(obeying) or not here:
            return len(with_it) == (len(every) if here else 0)
        if len(with_it) == len(every):
            return False
        known = self.declared.cells.condition(here, obeying)
        return self.declared.cells.condition(with_it, every).code == known.code

    def _rule(
        self,
        column: Mapping[int, str],
        row_of: Mapping[int, int],
        at: Site,
        limit: float = float("inf"),
    ) -> _Rule | None:
        """The code for the lines of *column*, without adding its declarations to the program; None
        if no code costs less than *limit*."""
        if not at.cells:
            return None
        declared, symbols = self.declared, self.templates.symbols
        values = [symbols[one].take(column[row_of[one]]) for one in at.cells]
        where = at.named(hint_of(values[0], at.hint))
        with declared.aside():
            try:
                cost, pieces = self.templates.costed(values, where, limit)
            except CannotSay:
                return None
            return _Rule(cost, pieces, declared.lookups.columns, declared.lets)


@lru_cache(maxsize=None)
def _columns_of(distinct: tuple[str, ...], is_prose: bool) -> Sequence[Mapping[int, str]]:
    """The aligned lines of *distinct* texts; for prose, the aligned paragraphs."""
    # The end of the last line looks like an empty line, and is not one.
    ended = all(text.endswith("\n") for text in distinct)
    lines = [(text[:-1] if ended else text).split("\n") for text in distinct]
    lines = list(map(paragraphs, lines)) if is_prose else lines
    found = _alternatives(align(lines, similar))
    return [*found, dict.fromkeys(range(len(distinct)), "")] if ended else found


def _alternatives(columns: Sequence[dict[int, str]]) -> list[dict[int, str]]:
    """*columns*, in which neighbours are joined if each text has exactly one of them and all are
    one command with a string. The string then has the difference."""
    found: list[dict[int, str]] = []
    at = 0
    while at < len(columns):
        one, end = columns[at], at + 1
        before = found[-1].keys() if found else None
        joint = dict(one)
        for number in range(at + 1, len(columns)):
            other = columns[number]
            if joint.keys() & other.keys() or not _are_one_command(joint, other):
                break
            joint.update(other)
            after = columns[number + 1].keys() if number + 1 < len(columns) else None
            if joint.keys() in (before, after):
                one, end = dict(joint), number + 1
        found.append(one)
        at = end
    return found


def _are_one_command(one: Mapping[int, str], other: Mapping[int, str]) -> bool:
    """Whether all lines are one command with a string between quotes."""
    commands = {_COMMAND.match(line) for line in (*one.values(), *other.values())}
    return len({found and found[1] for found in commands}) == 1 and None not in commands


@dataclass(slots=True)
class _Open:
    """A segment during its construction."""

    cells: tuple[int, ...]
    odd: set[int]
    lines: list[str] = field(default_factory=list)
    columns: list[Mapping[int, str]] = field(default_factory=list)

    def takes(self, cells: tuple[int, ...], odd: set[int]) -> bool:
        """Whether the segment accepts a line that *cells* have and that is drift in the cells
        *odd*. All lines of a segment are drift in the same cells, so that no line is written for
        other cells."""
        return self.cells == cells and (not cells or self.odd == odd)

    def add(
        self, cells: tuple[int, ...], written: str, odd: set[int], column: Mapping[int, str]
    ) -> None:
        self.columns.append(column)
        if cells:
            self.lines += written.split("\n")
        self.odd |= odd


def _ended(segments: list[_Open]) -> list[_Open]:
    """*segments*, in which lines of odd cells after the last segment of the rule are added to that
    segment, because each part except the last ends with a line end."""
    *others, last = segments
    if not last.cells and others:
        others[-1].columns += last.columns
        others[-1].odd |= last.odd
        return others
    return segments
