"""The smallest change of a program that admits a cell: changes are tried, and the program is
expanded anew with each."""

from __future__ import annotations

from tvarc.driver import Compilation, compile_file
from tvarc.light import Final, Iterator, Sequence, dataclass
from tvarc.matrix.admit import (
    Edit,
    additions,
    apply,
    declared_names,
    lines_of,
    remedies,
    settings,
    ways,
)
from tvarc.matrix.reads import ReadsOf
from tvarc.matrix.variants import Variant
from tvarc.matrix.wanted import Agreement, WantedCell
from tvarc.sema import hir
from tvarc.sema.functions import kind_text
from tvarc.source import FileKind, Source, SourceLoader
from tvarc.values import Value, show

# What a name that the change brings in may be: an axis's own, declared already, ambiguous. No such
# change is worth telling, whatever else it would do.
_MISNAMED: Final = ("E202", "E206", "E212")

CellKey = tuple[str, tuple[str, ...]]
"""A matrix, and a text for each of its axes, in their order."""


@dataclass(frozen=True, slots=True)
class Admission:
    """A change that admits a cell, tried: the variants that it admits besides, and those that it
    loses. `faults` are the errors that the new variant has then. Where the whole program has them
    nothing is admitted, and `name` is empty."""

    edits: tuple[Edit, ...]
    name: str
    others: tuple[str, ...]
    lost: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def cost(self) -> tuple[bool, int, int, int, int, int]:
        narrowings = sum(edit.kind == "narrow" for edit in self.edits)
        size = sum(len(edit.text) for edit in self.edits)
        return not self.name, len(self.lost), len(self.others), len(self.edits), narrowings, size


class PatchedLoader:
    """Reads sources through another loader, but some of them as they would be after edits."""

    __slots__ = ("base", "texts")

    def __init__(self, base: SourceLoader, texts: dict[str, str]) -> None:
        self.base = base
        self.texts = texts

    def read(self, file: str) -> Source:
        return Source(file, self.texts[file]) if file in self.texts else self.base.read(file)

    def join(self, importer: str, relative: str) -> str:
        return self.base.join(importer, relative)

    def identity(self, file: str) -> str:
        return self.base.identity(file)

    def kind(self, file: str) -> FileKind:
        return self.base.kind(file)

    def std(self, name: str) -> str | None:
        return self.base.std(name)

    def std_names(self) -> tuple[str, ...]:
        return self.base.std_names()


def smallest_change(
    made: Compilation,
    matrix: hir.MatrixDef,
    cell: WantedCell,
    reads: ReadsOf,
    lets: Sequence[Agreement] = (),
) -> Admission | None:
    """The change that admits *cell* with the fewest other cells, or the first that would if it
    had no errors; None when there is none. *lets* are to be what was asked for as well."""
    assert made.resolution is not None
    first = settings(lets, made.resolution.scope.lets)
    if first is None:
        return None
    chosen = [(*first, *edits) for edits in _candidates(made, matrix, cell, reads)]
    if first and cell.reasons:
        # With another value of a `let` an exclusion may let the cell pass by itself.
        assert made.graph is not None
        added = additions(matrix, cell.new, made.graph)
        chosen += [(*first, *added)] if added is not None else []
    tried = [_tried(made, matrix, cell, edits) for edits in chosen]
    found = [one for one in tried if one is not None]
    return min(found, key=lambda one: one.cost) if found else None


def removal(
    made: Compilation, matrix: hir.MatrixDef, cell: WantedCell, reads: ReadsOf
) -> Admission | None:
    """What comes of removing each exclusion that drops *cell*, instead of narrowing any."""
    for edits in _candidates(made, matrix, cell, reads):
        if all(edit.kind != "narrow" for edit in edits):
            tried = _tried(made, matrix, cell, edits)
            return tried if tried is not None and tried.name else None
    return None


def _candidates(
    made: Compilation, matrix: hir.MatrixDef, cell: WantedCell, reads: ReadsOf
) -> Iterator[tuple[Edit, ...]]:
    assert made.graph is not None
    added = additions(matrix, cell.new, made.graph)
    if added is None:
        return
    options: list[list[Edit]] = []
    declared = declared_names(made.graph)
    for line in lines_of(cell):
        axes: frozenset[str] = frozenset()
        for reason in cell.reasons:
            if (reason.check.through or reason.check) is line:
                axes |= reads.check(reason.check).axes
        options.append(remedies(line, cell, matrix, axes, made.sources, declared))
    if all(options):
        for way in ways(options):
            yield (*added, *way)


def _tried(
    made: Compilation, matrix: hir.MatrixDef, cell: WantedCell, edits: tuple[Edit, ...]
) -> Admission | None:
    """What comes of *edits*; None when they are no errors and do not admit the cell."""
    loader = PatchedLoader(made.loader, apply(edits, made.sources))
    after = compile_file(made.file, loader, cache=made.cache)
    if any(one.code in _MISNAMED for one in after.sink):
        return None
    if after.sink.has_errors:
        return Admission(edits, "", (), (), _errors(after))
    texts = _Texts()
    old = {texts.key(variant): variant for variant in made.variants}
    new = {texts.key(variant): variant for variant in after.variants}
    wanted = (matrix.id, texts.of(cell.values))
    variant = new.get(wanted)
    if variant is None:
        return None
    after.checked(variant)
    return Admission(
        edits,
        variant.name,
        tuple(one.name for key, one in new.items() if key not in old and key != wanted),
        tuple(one.name for key, one in old.items() if key not in new),
        _errors(after),
    )


def _errors(made: Compilation) -> tuple[str, ...]:
    return tuple(f"{one.code}: {one.title}" for one in made.diagnostics if one.code[0] == "E")


class _Texts:
    """The texts of axis values, each made once: two states of a program have equal ones."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[Value, str]] = {}

    def of(self, values: dict[str, Value]) -> tuple[str, ...]:
        return tuple([self.text(value) for value in values.values()])

    def text(self, value: Value) -> str:
        known = self.known.get(id(value))
        if known is None:  # the value is kept, so that no other takes its place
            known = self.known[id(value)] = (value, kind_text(value) or show(value))
        return known[1]

    def key(self, variant: Variant) -> CellKey:
        return variant.matrix.id, self.of(variant.values)
