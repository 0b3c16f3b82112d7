"""What changed between two states of a program: the one way from two compilations to the changes,
and to what becomes of the derivations."""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.diff.causes import Causes
from tvarc.diff.changes import Changes, compare_members, comparing
from tvarc.diff.derivations import NeededBy, Refused, alone, derivations, has_files
from tvarc.diff.members import alike, emitted, members, others
from tvarc.diff.sharing import SharedDifferences
from tvarc.diff.states import State, read_bytes
from tvarc.driver import Compilation
from tvarc.light import Sequence, replace
from tvarc.matrix.select import select
from tvarc.matrix.variants import Variant
from tvarc.source import SourceMap


def variants_meant(
    selectors: Sequence[str], before: Compilation, after: Compilation
) -> tuple[Sequence[Variant], Sequence[Variant]] | str:
    """The variants of either state that *selectors* mean in one of them: those of *before* and of
    *after*; or the first selector that means nothing in both."""
    if not selectors:
        return before.variants, after.variants
    names: set[str] = set()
    for text in selectors:
        meant = [variant.name for made in (after, before) for variant in _meant(text, made)]
        if not meant:
            return text
        names.update(meant)
    old, new = ([one for one in made.variants if one.name in names] for made in (before, after))
    return old, new


def _meant(text: str, made: Compilation) -> list[Variant]:
    """The variants of *made* that *text* means, perhaps none."""
    assert made.resolution is not None
    return select((text,), made.resolution, made.variants, SourceMap(), Sink(), made.loader.join)


def compare_programs(
    before: Compilation, after: Compilation, old: Sequence[Variant], new: Sequence[Variant]
) -> Changes | None:
    """The changes from *before*, with the variants *old*, to *after* with *new*, each with the
    lines that it comes from. None where a variant cannot be decided: the sink of its state says
    why, that of *after* first."""
    now = emitted(after, new)
    if after.sink.has_errors:
        return None
    was = emitted(before, old)
    if before.sink.has_errors:
        return None
    found = compare_members(
        members(before, old),
        members(after, new),
        alike(was, now),
        Causes(before, after, old, new).of,
        SharedDifferences(was, now, others(was, now), comparing()),
    )
    return replace(found, through=tuple(_through(before, after, new, found).items()))


def _through(
    before: Compilation, after: Compilation, new: Sequence[Variant], found: Changes
) -> dict[str, str]:
    """Those of *new* that are the same, and need a variant that is not."""
    if not after.is_stacked:
        return {}
    told = {variant.name for variant in new}
    needed = [one for one in after.stack.closure(new) if one.name not in told]
    moved = {*found.changed, *found.added.variants, *(one.after for one in found.renamed)}
    if needed:
        names = {one.name for one in needed}
        was = emitted(before, [one for one in before.variants if one.name in names])
        moved |= names - alike(was, emitted(after, needed))
    return after.stack.needing(moved, new)


def needed_by(made: Compilation) -> NeededBy:
    """What stands beside a recipe of *made* where Nix is asked of it."""
    if not made.is_stacked:
        return alone
    known = {variant.name: variant for variant in made.variants}

    def needed(recipe: ir.Recipe) -> Sequence[ir.Recipe]:
        found = made.stack.closure([known[recipe.variant]])
        decided = [made.recipe(one) for one in found if one.name != recipe.variant]
        return [one for one in decided if one is not None]

    return needed


def derivation_outcomes(
    before: State, after: Compilation, changes: Changes, sink: Sink
) -> dict[str, str] | None:
    """What became of the derivation of each variant of both states: `same`, `other`, or why Nix
    refuses it. Equal recipes have equal derivations: Nix is asked of the others alone. None after
    reporting to *sink* why it cannot be asked."""
    old = {variant.name: variant for variant in before.made.variants}
    new = {variant.name: variant for variant in after.variants}
    moved = {*changes.changed, *(one.after for one in changes.renamed)}
    moved |= {name for name, _ in changes.through}
    first: dict[str, ir.Recipe] = {}
    second: dict[str, ir.Recipe] = {}
    was_by, now_by = needed_by(before.made), needed_by(after)
    for was, now in changes.pairs:
        one, other = before.made.recipe(old[was]), after.recipe(new[now])
        assert one is not None and other is not None  # they were compared
        if now in moved or any(map(has_files, (one, *was_by(one), other, *now_by(other)))):
            first[now], second[now] = one, other
    found = derivations(first, after.file, before.read, sink, was_by)
    if found is None:
        return None

    def read(file: str) -> bytes:
        return read_bytes(file, file)

    current = derivations(second, after.file, read, sink, now_by)
    if current is None:
        return None
    outcome: dict[str, str] = {}
    for _, name in changes.pairs:
        paths = found.get(name), current.get(name)
        refused = [path for path in reversed(paths) if isinstance(path, Refused)]
        outcome[name] = refused[0] if refused else "same" if paths[0] == paths[1] else "other"
    return outcome
