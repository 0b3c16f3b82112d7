"""Texts of several lines that differ between cells: aligns their lines, and finds the cells of each
line."""

from __future__ import annotations

import re
from itertools import combinations

from tvarc.byhand.importing.alignment import align, similar, tokens
from tvarc.byhand.importing.declarations import hint_before, hint_of
from tvarc.byhand.importing.names import entry_key, free_name
from tvarc.byhand.importing.phrases import paragraphs
from tvarc.byhand.importing.runs import is_open
from tvarc.byhand.importing.symbols import MARKED
from tvarc.byhand.importing.templates import LEAST_MORE, Piece, Templates, shown
from tvarc.byhand.importing.written import IN_RECIPE, CannotSay, Site, in_block, in_branches
from tvarc.byhand.reading.marks import CODE_CLOSE, CODE_OPEN, NIX_OPEN, plain
from tvarc.light import Collection, Final, Mapping, Sequence, dataclass, field, lru_cache

_UNFIT: Final = re.compile(r'["\\]')
"""Finds what a text between quotes has as an escape, and what ends such a text of a shell."""
_ABOUT: Final = 4  # a condition that costs so much more is about as long
_COMMAND: Final = re.compile(r'( *[a-z]+ +")[^"]+"\Z')


@dataclass(frozen=True, slots=True)
class Chosen:
    """A part of a line that few cells have otherwise: the *name* of a flag for it, the *code* that
    the rule has, and the text of each other cell, with marks for expressions."""

    name: str
    code: str
    own: dict[int, str]

    def declared(self) -> str:
        """The declaration of the flag."""
        return in_branches(f"flag {self.name}: string = {self.code}")


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines that the same cells have: in their written form, and the different lines of the `odd`
    cells. Only odd cells have lines of a segment without `cells`. The lines read `flags`, which few
    cells set."""

    cells: tuple[int, ...]
    lines: tuple[str, ...]
    own: dict[int, list[str]]
    odd: frozenset[int]
    flags: tuple[Chosen, ...] = ()


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
            columns = _columns_of(tuple(distinct), at.is_prose)
            for number, column in enumerate(columns):
                here = obeying
                if len(column) < len(distinct):
                    here = tuple([cell for cell in obeying if row_of[cell] in column])
                before = set(declared.odd)
                declared.odd = set()
                lets = dict(declared.lets)
                pieces: list[Piece] = []
                if here:
                    # Lines that all cells have in common are those of any cell.
                    told = here if len(set(column.values())) > 1 else here[:1]
                    values = [symbols[cell].take(column[row_of[cell]]) for cell in told]
                    where = at.of(told).named(hint_of(values[0], at.hint))
                    pieces = self.templates.template(values, where)
                    if declared.cells.lenient and not at.is_prose:
                        declared.odd |= declared.cells.missing(here, obeying)
                odd, declared.odd = declared.odd, before | declared.odd
                given = here
                if not declared.cells.lenient:
                    given = self._given(column, row_of, here, obeying)
                    odd |= self._strays(column, row_of, at.of(here), given, ruled)
                flag: Chosen | None = None
                beside = [*columns[max(number - 1, 0) : number], *columns[number + 1 : number + 2]]
                is_within = len(here) == len(obeying) and any(
                    len(one) == len(distinct) for one in beside
                )
                if is_within and self._may_choose(odd, column, row_of, at):
                    texts_of = {cell: column.get(row_of[cell], "") for cell in odd}
                    flag, pieces = self._chosen(pieces, texts_of, lets)
                odd = odd if flag is None else set()
                if not found or not found[-1].takes(given, odd):
                    found.append(_Open(given, set(odd)))
                found[-1].add(given, shown(pieces, in_block), odd, column)
                found[-1].flags += [flag] if flag is not None else []
            return [
                Segment(
                    one.cells,
                    tuple(one.lines),
                    self._lines_of(one, row_of),
                    frozenset(one.odd),
                    tuple(one.flags),
                )
                for one in _ended(found)
            ]

    def _may_choose(
        self, odd: set[int], column: Mapping[int, str], row_of: Mapping[int, int], at: Site
    ) -> bool:
        """Whether a part of a line that the rule has may be a flag: each recipe of the matrix has
        the script, and those that are *odd* have the line of the *column* otherwise."""
        cells = self.declared.cells
        is_rule = not cells.lenient and at.roots is IN_RECIPE and not at.is_prose
        every = len(at.cells) == len(cells.cells)
        return bool(odd) and every and is_rule and all(row_of[one] in column for one in odd)

    def _chosen(
        self,
        pieces: list[Piece],
        odd: Mapping[int, str],
        lets: Mapping[str, str],
    ) -> tuple[Chosen | None, list[Piece]]:
        """A flag for the part of a line in which the texts of *odd* cells differ from the *pieces*
        of the rule, and the pieces with it; none if that is no part within a text. *lets* were
        declared before the line."""
        rule = shown(pieces, in_block)
        symbols = self.templates.symbols
        marked = {cell: plain(symbols[cell].take(text, rule)) for cell, text in odd.items()}
        own = [f"{CODE_OPEN}{one.text}{CODE_CLOSE}" if one.is_code else one.text for one in pieces]
        rows = [_tokens(text) for text in ("".join(own), *marked.values())]
        start, end = _differing(rows)
        if any(NIX_OPEN in text for text in marked.values()):
            return None, pieces
        middles = ["".join(row[start : len(row) - end]) for row in rows]
        first, *others = middles
        before, behind = "".join(rows[0][:start]), "".join(rows[0][len(rows[0]) - end :])
        base = hint_before(before, hint_of(before, ""))
        texts = [MARKED.sub("x", one).strip() for one in middles]
        if not base or any(not one or _UNFIT.search(one) for one in texts):
            return None, pieces
        declared = self.declared
        of_rule = self.templates.pieces(first, IN_RECIPE)
        new = declared.lets.keys() - lets.keys()
        code = ""
        if len(of_rule) == 1 and of_rule[0].text in new:
            code = declared.lets.pop(of_rule[0].text)
        elif base in new:
            usual = free_name(f"usual-{base}", declared.lets, declared.lookups.taken)
            declared.lets[usual] = declared.lets.pop(base)
            of_rule = [Piece(usual, True) if one == Piece(base, True) else one for one in of_rule]
        name = base if entry_key(base) == base else f"{base}-text"
        name = free_name(name, declared.lets, declared.lookups.taken)
        declared.lookups.taken.add(name)
        code = code or self.templates.expression(of_rule)
        made = [
            *self.templates.pieces(before, IN_RECIPE),
            Piece(name, True),
            *self.templates.pieces(behind, IN_RECIPE),
        ]
        return Chosen(name, code, dict(zip(odd, others, strict=True))), made

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

    def _given(
        self,
        column: Mapping[int, str],
        row_of: Mapping[int, int],
        here: tuple[int, ...],
        obeying: Sequence[int],
    ) -> tuple[int, ...]:
        """The cells to which the rule gives a line of *column* that the cells *here* of those
        *obeying* it have: of the others each that has the line too, if the condition is hardly
        longer then, and each that lacks it, if the condition is longer without it."""
        others = sorted(row_of.keys() - set(obeying))
        if not here or not others:
            return here
        if len(here) == len(obeying):
            return tuple(sorted([*here, *others]))
        given, every = list(here), list(obeying)
        condition = self.declared.cells.condition
        for cell in others:
            cost = condition(given, every).cost
            every.append(cell)
            with_it = condition([*given, cell], every).cost
            is_in = row_of[cell] in column
            if with_it <= cost + _ABOUT if is_in else with_it < condition(given, every).cost:
                given.append(cell)
        return tuple(sorted(given))

    def _strays(
        self,
        column: Mapping[int, str],
        row_of: Mapping[int, int],
        at: Site,
        given: Collection[int],
        ruled: Collection[int],
    ) -> set[int]:
        """The cells outside of the rule, and not in *ruled*, whose lines in *column* differ from
        those of the rule. The rule gives lines to the cells *given*."""
        found: set[int] = set()
        others = [cell for cell in row_of if cell not in ruled]
        here, given = at.cells, set(given)
        rule = self._rule(column, row_of, at) if others else None
        for cell in others:
            inside = row_of[cell] in column
            obeys = inside == (cell in given)
            if obeys and inside and rule is not None:
                # A more expensive rule would be a different one, and the search for it would take
                # longest.
                limit = rule.cost + LEAST_MORE
                obeys = rule == self._rule(column, row_of, at.of(sorted([*here, cell])), limit)
            if not obeys or (inside and rule is None):
                found.add(cell)
        return found

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


def _tokens(text: str) -> list[str]:
    """The words of *text*, in which expressions are marked, and what is between them."""
    return [
        word
        for part in MARKED.split(text)
        for word in ([part] if part.startswith((CODE_OPEN, NIX_OPEN)) else tokens(part))
    ]


def _differing(rows: Sequence[list[str]]) -> tuple[int, int]:
    """How many words *rows* have in common at their start and at their end. A bracket that closes
    what is open between these is not of the end."""
    least = min(map(len, rows))
    start = 0
    while start < least and len({row[start] for row in rows}) == 1:
        start += 1
    end = 0
    while end < least - start and len({row[-1 - end] for row in rows}) == 1:
        end += 1
    while end and any(is_open(row[start : len(row) - end], rows[0][-end]) for row in rows):
        end -= 1
    return start, end


@lru_cache(maxsize=None)
def _columns_of(distinct: tuple[str, ...], is_prose: bool) -> Sequence[Mapping[int, str]]:
    """The aligned lines of *distinct* texts; for prose, the aligned paragraphs."""
    # The end of the last line looks like an empty line, and is not one.
    ended = all(text.endswith("\n") for text in distinct)
    lines = [(text[:-1] if ended else text).split("\n") for text in distinct]
    lines = list(map(paragraphs, lines)) if is_prose else lines
    found = _alternatives(_slid(align(lines, similar)))
    return [*found, dict.fromkeys(range(len(distinct)), "")] if ended else found


def _slid(columns: list[dict[int, str]]) -> list[dict[int, str]]:
    """*columns*, with texts moved between two columns of the same line, as an empty one, if no text
    between these keeps them apart: where one column then has all texts, or the other one none."""
    count = len(set[int]().union(*columns))
    alike: dict[frozenset[str], list[int]] = {}
    for place, column in enumerate(columns):
        alike.setdefault(frozenset(column.values()), []).append(place)
    for kinds, places in alike.items():
        for first, last in combinations(places if len(kinds) == 1 else (), 2):
            between = set[int]().union(*columns[first + 1 : last])
            fewer, more = sorted([columns[first], columns[last]], key=len)
            moved = [one for one in fewer if one not in more and one not in between]
            if len(moved) == len(fewer) or len(moved) + len(more) == count:
                more.update((one, fewer.pop(one)) for one in moved)
    return [column for column in columns if column]


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
    flags: list[Chosen] = field(default_factory=list)

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
