"""Finds the reason why a cell is missing, and the smallest repair that would admit it. Repairs are
tried: the program is expanded again with each of them."""

from __future__ import annotations

import shlex

from tvarc.build.driver import Compilation, compile_file
from tvarc.files.edited import EditedLoader
from tvarc.light import Final, Iterator, Sequence, dataclass, field
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.exclusion_eval import Reason, Tables, dropped_cells, reason_at
from tvarc.matrix.expand import CellEnvironment
from tvarc.matrix.links import Cell, Following
from tvarc.matrix.pairs import is_pairs
from tvarc.matrix.query import (
    Agreement,
    Choice,
    Vocabulary,
    WantedCell,
    Wish,
    may_be_asked,
    of_matrices,
    pairs_and_runs,
    report_strange,
    wanted_cells,
)
from tvarc.matrix.repair import (
    Line,
    Step,
    additions,
    apply,
    lines_of,
    remedies,
    settings,
    ways,
)
from tvarc.matrix.variants import Unbuilt, Variant, axis_text
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import Value

# Errors of a name that the change inserts, and that means an axis of its own, another declaration,
# or several things. Such a change is never shown.
_MISNAMED: Final = ("E202", "E206", "E212")

CellKey = tuple[str, tuple[str, ...]]
"""A matrix, and a text for the value on each of its axes, in order."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A change of the program that admits a cell, tried."""

    SHOWN = ("name", "steps", "others", "lost", "faults")
    KEYS = (("name", "variant"), ("steps", "edits"), ("faults", "errors"))

    steps: tuple[Step, ...]
    name: str
    """The variant that it admits; empty if the whole program has errors then."""
    others: tuple[str, ...]
    """The other variants that it admits."""
    lost: tuple[str, ...]
    faults: tuple[str, ...]
    """The errors that the new variant, or the program, has after the change."""

    @property
    def cost(self) -> tuple[bool, int, int, int, int, int]:
        narrowings = sum(step.kind == "narrow" for step in self.steps)
        size = sum(len(step.edit.text) for step in self.steps)
        return not self.name, len(self.lost), len(self.others), len(self.steps), narrowings, size


def smallest_repair(
    made: Compilation,
    matrix: hir.MatrixDef,
    cell: WantedCell,
    reads: Dependencies,
    lets: Sequence[Agreement] = (),
) -> Repair | None:
    """The repair that admits *cell* and the fewest other cells. If all repairs cause errors, the
    first one. None if there is none. *lets* must also have the requested values."""
    assert made.resolution is not None and made.graph is not None
    first = settings(lets, made.resolution.scope.lets, made.graph)
    if first is None:
        return None
    chosen = [(*first, *steps) for steps in _candidates(made, matrix, cell, reads)]
    if (first and cell.reasons) or (cell.new and any(one.check.need for one in cell.reasons)):
        # With another value of a `let`, an exclusion may admit the cell without an edit. With
        # another value of an axis, the needed variant may exist.
        added = additions(matrix, cell.new, made.graph)
        chosen += [(*first, *added)] if added is not None else []
    tried = [_tried(made, matrix, cell, steps) for steps in chosen]
    found = [one for one in tried if one is not None]
    return min(found, key=lambda one: one.cost) if found else None


def removal(
    made: Compilation, matrix: hir.MatrixDef, cell: WantedCell, reads: Dependencies
) -> Repair | None:
    """The result of removing each exclusion that drops *cell*, instead of narrowing any."""
    for steps in _candidates(made, matrix, cell, reads):
        if all(step.kind != "narrow" for step in steps):
            tried = _tried(made, matrix, cell, steps)
            return tried if tried is not None and tried.name else None
    return None


def _candidates(
    made: Compilation, matrix: hir.MatrixDef, cell: WantedCell, reads: Dependencies
) -> Iterator[tuple[Step, ...]]:
    assert made.graph is not None
    added = additions(matrix, cell.new, made.graph)
    if added is None:
        return
    options: list[tuple[Line, list[Step]]] = []
    for line, of, whose in _to_loosen(made, matrix, cell):
        axes: frozenset[str] = frozenset()
        for reason in of.reasons:
            if (reason.check.through or reason.check) is line:
                axes |= reads.check(reason.check).axes
        known = next((steps for other, steps in options if other is line), None)
        if known is None:
            known = []
            options.append((line, known))
        # A line that also drops a needed cell is edited once: one of its steps admits both.
        found = remedies(line, of, whose, axes, made.sources, made.graph)
        known += [step for step in found if step not in known]
    if all(steps for _, steps in options):
        for way in ways([steps for _, steps in options]):
            yield (*added, *way)


def _to_loosen(
    made: Compilation, matrix: hir.MatrixDef, cell: WantedCell
) -> Iterator[tuple[Line, WantedCell, hir.MatrixDef]]:
    """The lines that would have to admit *cell*, and those that drop a missing cell that it needs.
    Each has the cell and the matrix that it drops it from."""
    for line in lines_of(cell):
        needed = needed_cell(made, matrix, cell, line) if isinstance(line, hir.Check) else None
        if needed is None:
            yield line, cell, matrix
        else:
            yield from _to_loosen(made, needed.matrix, _as_wanted(made, needed))


def needed_cell(
    made: Compilation, matrix: hir.MatrixDef, cell: WantedCell, check: hir.Check
) -> Cell | None:
    """The missing cell of another matrix because of which *check*, a need, drops *cell*. None
    unless only exclusions drop it there."""
    link = check.expr.link if isinstance(check.expr, hir.Lacks) else None
    if not isinstance(link, hir.Link):
        return None
    environment = CellEnvironment(matrix, cell.values, Sink())
    try:
        cells = Following(matrix, cell.values, environment, Sink()).cells(link)
    except Failed:
        return None
    found = cells[0] if len(cells) == 1 else None
    return found if found is not None and _as_wanted(made, found).reasons else None


def _as_wanted(made: Compilation, cell: Cell) -> WantedCell:
    """*cell* and the exclusions that drop it."""
    checks = made.excludes(cell.matrix) if cell.number() is not None else ()
    reasons = [reason_at(check, cell.matrix, cell.values) for check in checks]
    return WantedCell(cell.values, (), tuple([one for one in reasons if one is not None]))


def beneath(made: Compilation, found: Absence, reason: Reason) -> Iterator[Reason]:
    """The reasons why the cell that *reason* lacks is missing. All needs are followed."""
    matrix, cell = found.wish.matrix, next(c for c in found.absent if reason in c.reasons)
    needed = needed_cell(made, matrix, cell, reason.check)
    while needed is not None:
        wanted = _as_wanted(made, needed)
        yield from wanted.reasons
        links = [needed_cell(made, needed.matrix, wanted, one.check) for one in wanted.reasons]
        needed = next(filter(None, links), None)


def _tried(
    made: Compilation, matrix: hir.MatrixDef, cell: WantedCell, steps: tuple[Step, ...]
) -> Repair | None:
    """The result of *steps*. None if they cause no errors and do not admit the cell."""
    loader = EditedLoader(made.loader, apply(steps, made.sources))
    after = compile_file(made.file, loader, cache=made.cache, inputs=made.given)
    if any(one.code in _MISNAMED for one in after.sink):
        return None
    if after.sink.has_errors:
        return Repair(steps, "", (), (), _errors(after))
    texts = _Texts()
    old = {texts.key(variant): variant for variant in made.variants}
    new = {texts.key(variant): variant for variant in after.variants}
    wanted = (matrix.id, texts.of(cell.values))
    variant = new.get(wanted)
    if variant is None:
        return None
    after.checked(variant)
    return Repair(
        steps,
        variant.name,
        tuple(one.name for key, one in new.items() if key not in old and key != wanted),
        tuple(one.name for key, one in old.items() if key not in new),
        _errors(after),
    )


def _errors(made: Compilation) -> tuple[str, ...]:
    return tuple(f"{one.code}: {one.title}" for one in made.diagnostics if one.code[0] == "E")


class _Texts:
    """The texts of axis values, each made once, because two states of a program have equal values.
    """

    def __init__(self) -> None:
        self.known: dict[int, tuple[Value, str]] = {}

    def of(self, values: dict[str, Value]) -> tuple[str, ...]:
        return tuple([self.text(value) for value in values.values()])

    def text(self, value: Value) -> str:
        known = self.known.get(id(value))
        if known is None:  # the value is kept, so its identity stays unique
            known = self.known[id(value)] = (value, axis_text(value))
        return known[1]

    def key(self, variant: Variant) -> CellKey:
        return variant.matrix.id, self.of(variant.values)


# --- the requested cells -----------------------------------------------------------------------


@dataclass(slots=True)
class Absence:
    """The answer for one matrix.

    - `built`: the requested cells that are built. `absent`: those that are not.
    - `cell`: the absent cell that is the easiest to admit. `repair`: its repair.
    - `instead`: the result of removing an exclusion that the repair only narrows.
    - `others`: for each exclusion that drops one of the cells, by its identity, the number of other
      cells that it drops, and the number of those that only it drops.
    """

    wish: Wish
    vocabulary: Vocabulary
    built: list[WantedCell] = field(default_factory=list)
    absent: list[WantedCell] = field(default_factory=list)
    cell: WantedCell | None = None
    repair: Repair | None = None
    instead: Repair | None = None
    others: dict[int, tuple[int, int]] = field(default_factory=dict)
    # For a need, by its exclusion, the reason why its target is missing.
    beneath: dict[int, tuple[Reason, ...]] = field(default_factory=dict)


def answers(made: Compilation, words: Sequence[str], sink: Sink) -> list[Absence]:
    """The answer for each matrix with a cell that *words* may mean. Words without a meaning are
    reported."""
    assert made.resolution is not None
    pairs, runs = pairs_and_runs(words)
    reads = Dependencies()
    lets = made.resolution.scope.lets
    every = [Vocabulary(matrix, lets, reads) for matrix in made.program.matrices]
    vocabularies, runs = of_matrices(every, runs)
    wishes = [one.read(pairs, runs) for one in vocabularies]
    report_strange(wishes, vocabularies, sink)
    if sink.has_errors:
        return []
    return [look_up(made, *both, reads) for both in zip(wishes, vocabularies, strict=True)]


def look_up(made: Compilation, wish: Wish, vocabulary: Vocabulary, reads: Dependencies) -> Absence:
    """The answer for the cells that *wish* means in its matrix. Empty if its words mean none."""
    found = Absence(wish, vocabulary)
    if wish.strange:
        return found
    others = [one for one in wish.lets if not one.holds]
    excludes = made.excludes(wish.matrix)
    if not may_be_asked(wish, excludes, reads, made.elaboration.shared.total, made.sink):
        return found
    for cell in wanted_cells(wish, excludes, reads):
        (found.built if cell.built and not others else found.absent).append(cell)
    if not found.absent:
        return found
    lines = {id(c): len({id(r.check.through or r.check) for r in c.reasons}) for c in found.absent}
    found.cell = min(
        found.absent, key=lambda cell: (len(cell.new) + lines[id(cell)], len(cell.reasons))
    )
    found.repair = smallest_repair(made, wish.matrix, found.cell, reads, others)
    repair = found.repair
    if repair is not None and not others and any(step.kind == "narrow" for step in repair.steps):
        found.instead = removal(made, wish.matrix, found.cell, reads)
    found.others = _others(found, made, reads)
    for reason, _ in exclusions_of(found):
        if reason.check.need:
            found.beneath[id(reason.check)] = tuple(beneath(made, found, reason))
    return found


def missing_values(found: Absence) -> list[tuple[Choice, hir.AxisPick, int]]:
    """Requested values that no axis lists, each with the number of cells that have it."""
    picks = {pick.axis.name: pick for pick in found.wish.matrix.axes}
    counts: dict[tuple[str, str], tuple[Choice, int]] = {}
    for cell in found.absent:
        for choice in cell.new:
            key = (choice.axis, axis_text(choice.value))
            counts[key] = (choice, counts.get(key, (choice, 0))[1] + 1)
    return [(choice, picks[choice.axis], count) for choice, count in counts.values()]


def exclusions_of(found: Absence) -> list[tuple[Reason, int]]:
    """The exclusions that drop any of the cells, each with the number of cells that it drops."""
    first: dict[int, Reason] = {}
    counts: dict[int, int] = {}
    for cell in found.absent:
        for reason in cell.reasons:
            first.setdefault(id(reason.check), reason)
            counts[id(reason.check)] = counts.get(id(reason.check), 0) + 1
    return [(reason, counts[key]) for key, reason in first.items()]


def _others(found: Absence, made: Compilation, reads: Dependencies) -> dict[int, tuple[int, int]]:
    """The `others` of *found*."""
    matrix = found.wish.matrix
    excludes = made.excludes(matrix)
    wanted = {id(reason.check) for reason, _ in exclusions_of(found)}
    if not wanted:
        return {}
    tables = Tables(matrix, excludes, reads)
    places = [{id(value): i for i, value in enumerate(pick.values)} for pick in matrix.axes]
    asked: list[int] = []
    for cell in found.absent:
        indices = [some.get(id(v)) for some, v in zip(places, cell.values.values(), strict=True)]
        if None not in indices:  # otherwise the matrix does not use the value
            pairs = zip(indices, tables.grid.strides, strict=True)
            asked.append(sum(index * stride for index, stride in pairs if index))
    return tables.others(asked, wanted)


class WhyNotCommands:
    """Returns, for the name of a file, the command that explains why the variant does not exist.

    The names of cells that exclusions drop are computed when the first command is needed.
    """

    __slots__ = ("_file", "_known", "_made")

    def __init__(self, made: Compilation, file: str | None) -> None:
        """*file* is the program as given on the command line, None for the default."""
        self._made = made
        self._file = file
        self._known: dict[str, Unbuilt] | None = None

    def command(self, package: str) -> str:
        """The command for the dropped cell whose name is in *package*; empty if there is none."""
        if self._known is None:
            self._known = dict(self._names())
        words = package.replace(".", "-").split("-")
        found = ""
        for start in range(len(words) if self._known else 0):
            for end in range(start + 1, len(words) + 1):
                name = "-".join(words[start:end])
                if len(name) > len(found) and name in self._known:
                    found = name
        return self._spelt(self._known[found]) if found else ""

    def _names(self) -> Iterator[tuple[str, Unbuilt]]:
        reads = Dependencies()
        for matrix in self._made.program.matrices:
            for cell in dropped_cells(matrix, self._made.excludes(matrix), reads):
                if cell.variant.name:
                    yield cell.variant.name, cell.variant

    def _spelt(self, variant: Unbuilt) -> str:
        pairs = [f"{axis}={axis_text(value)}" for axis, value in variant.values.items()]
        # A value with a blank or a quote cannot be in a pair, so the command has the name.
        words = pairs if all(map(is_pairs, pairs)) else [variant.name]
        if self._file is not None:
            words += ["--file", self._file]
        return " ".join(["tvarc why-not", *map(shlex.quote, words)])
