"""Looks at variants for what a line of source reaches in each of them."""

from __future__ import annotations

from tvarc import ir
from tvarc.cli.emitted import emitted_lines
from tvarc.driver import Compilation
from tvarc.elaborate.reach import Effect, Place, Reach
from tvarc.elaborate.trace import Trace
from tvarc.light import Iterable, Iterator, Sequence, dataclass
from tvarc.matrix.variants import Built, Variant
from tvarc.source import Span

_FEW = 64
"""So many variants are looked at one by one: pieces are shared by more."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A variant, its files, the lines of these that are reached (mostly the same in each), the
    conditions that read the line and keep something out, and what else the line does."""

    variant: Variant
    files: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]
    withheld: tuple[Span, ...]
    effects: tuple[Effect, ...] = ()


def look(
    made: Compilation, variants: Sequence[Variant], target: Place, heads: Sequence[Span]
) -> Iterator[Looked]:
    """Each of *variants* that can be decided, seen from *target*; *heads* are the blocks that begin
    there. What keeps one from being decided is reported."""
    if len(variants) <= _FEW:
        yield from _alone(made, variants, target, heads)
        return
    from tvarc.assembly.files import by_matrix
    from tvarc.assembly.pieces import Unfit

    for built, cells in by_matrix(variants):
        try:
            found = list(_shared(made, built, cells, target, heads))
        except Unfit:
            yield from _alone(made, _variants(built, cells), target, heads)
        else:
            yield from found


def _shared(
    made: Compilation, built: Built, cells: Sequence[int], target: Place, heads: Sequence[Span]
) -> Iterator[Looked]:
    from tvarc.assembly.reached import ReachedLines
    from tvarc.elaborate.marking import Marking

    assert made.elaboration is not None
    marking = Marking(made.sources, target, heads)
    holes = made.may_have_holes()
    for variant, files, lines, kept in ReachedLines(
        made.elaboration, built, cells, made.file, marking, holes=holes
    ):
        yield Looked(
            variant,
            tuple(files),
            (lines,) if lines else (),
            tuple(one for one in kept if isinstance(one, Span)),
            tuple(one for one in kept if isinstance(one, Effect)),
        )


def traces(
    made: Compilation, variants: Iterable[Variant]
) -> Iterator[tuple[Variant, ir.Recipe, Trace]]:
    """Each of *variants* that can be decided, with what tells why it is so."""
    assert made.elaboration is not None
    for variant in variants:
        recipe = made.recipe(variant)
        if recipe is not None:
            yield variant, recipe, Trace(made.elaboration, variant, recipe, made.sources)


def _alone(
    made: Compilation, variants: Iterable[Variant], target: Place, heads: Sequence[Span]
) -> Iterator[Looked]:
    for variant, recipe, trace in traces(made, variants):
        found = emitted_lines(made, recipe, trace, target, heads)
        kept = tuple(dict.fromkeys(Reach(trace, target).withheld()))
        effects = tuple(dict.fromkeys(Reach(trace, target, heads).effects()))
        files = tuple(file for _, file in recipe.files)
        yield Looked(variant, files, tuple(dict.fromkeys(found.values())), kept, effects)


def _variants(built: Built, cells: Sequence[int]) -> Iterator[Variant]:
    from tvarc.assembly.present import Present

    for batch, names in Present(built, cells).batches():
        yield from (Variant(built, *one) for one in zip(batch.cells, names, strict=True))


def sample(variants: Sequence[Variant], most: int) -> Sequence[Variant]:
    """*variants*, or *most* of them at most, from all over."""
    if len(variants) <= most:
        return variants
    step = -(-len(variants) // most)
    return [variants[number] for number in range(0, len(variants), step)]
