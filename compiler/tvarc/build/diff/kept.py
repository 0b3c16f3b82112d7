"""The variants that an edit does not reach, because another write of the setting wins in them."""

from __future__ import annotations

from tvarc.blocks import BY_NAME
from tvarc.build.diff.changes import Block, Change, Changes, Kept
from tvarc.build.diff.sharing import Side
from tvarc.build.driver import Compilation
from tvarc.decide.plan import GroupKey, group_of, key_of
from tvarc.light import Collection, Final, Iterable, Iterator, Sequence, replace
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.nix import ir
from tvarc.values.value import Value

# At most so many variants are decided. One is enough for all that have the same axis values.
_MOST: Final = 1024
# To decide a variant takes as long as this many evaluations.
_EFFORT: Final = 16


class Keeping:
    """Finds the *variants* of the state *made* that keep a value of their own although the value
    that lost to it differs from that of the state *before*."""

    def __init__(
        self, before: Compilation, made: Compilation, variants: Sequence[Variant]
    ) -> None:
        self._made = made
        self._variants = variants
        self._by_name = {one.name: one for one in variants}
        self._side = Side(made)
        self._before = before
        self._older: dict[str, Variant] = {}
        self._decided: dict[tuple[bool, str], ir.Recipe | None] = {}

    def added_to(self, found: Changes) -> Changes:
        """Add to each change in *found* the variants that keep a value of their own."""
        named = {one.name: one for one in self._before.variants}
        self._older = {now: named[was] for was, now in found.pairs}
        reached: dict[ir.Path, set[str]] = {}
        for block in found.blocks:
            for change in block.changes:
                known = reached.setdefault(change.difference.path, {*found.added.variants})
                known.update(block.variants)
        blocks: list[Block] = []
        for block in found.blocks:
            changes = [
                self._with_kept(one, reached[one.difference.path], block.variants)
                for one in block.changes
            ]
            blocks.append(replace(block, changes=tuple(changes)))
        return replace(found, blocks=tuple(blocks))

    def _with_kept(
        self, change: Change, reached: Collection[str], variants: Sequence[str]
    ) -> Change:
        """*change* of *variants* with the variants that keep a value, of which none is *reached*.
        The value may also be that of a flag that the changed setting reads."""
        path, wrote = change.difference.path, change.difference.after
        if wrote is None or not (path[0] in BY_NAME or path == ("package",) or _is_listed(path)):
            return change
        found: dict[ir.Origin, list[str]] = {}
        for decided, write in ((path, wrote), *self._flags(variants[0], path, wrote)):
            winners: dict[object, ir.Origin | None] = {}
            contested = {
                matrix.id
                for matrix in self._made.program.matrices
                if self._may_lose(matrix, decided, write)
            }
            for variant in self._variants if contested else ():
                if variant.matrix.id not in contested or variant.name in reached:
                    continue
                axes = self._side.axes(variant, path)
                if axes is None:
                    return change
                values = [value for name, value in variant.values.items() if name in axes]
                key = (variant.matrix.id, *values)
                if key not in winners:
                    is_read = decided == path or self._is_written(variant, path, wrote)
                    winners[key] = self._winner(variant, decided, write) if is_read else None
                winner = winners[key]
                if winner is not None:
                    found.setdefault(winner, []).append(variant.name)
        kept = [Kept(tuple(names), origin) for origin, names in found.items()]
        return replace(change, kept=tuple(kept))

    def _flags(
        self, name: str, path: ir.Path, wrote: ir.Origin
    ) -> Iterator[tuple[ir.Path, ir.Origin]]:
        """The flags that the write of *wrote* for *path* reads, each with the place of its value in
        the variant called *name*."""
        elaboration = self._made.elaboration
        variant = self._by_name[name]
        read: set[ir.Path] = set()
        for one in elaboration.plan(variant.matrix).groups.get(_group(path), ()):
            if one.write.span == wrote.span:
                reads = elaboration.shared.reads
                found = reads.expr(one.write.value) | reads.conditions(one.write.conditions)
                read.update([setting for setting in found.settings if setting[0] == "flag"])
        for flag in sorted(read):
            for origin, _ in _decisions(self._recipe(self._made, variant), flag):
                yield flag, origin

    def _is_written(self, variant: Variant, path: ir.Path, wrote: ir.Origin) -> bool:
        """Whether *wrote* is the place of the value of *variant* at *path*."""
        decisions = _decisions(self._recipe(self._made, variant), path)
        return any(origin.span == wrote.span for origin, _ in decisions)

    def _may_lose(self, matrix: hir.MatrixDef, path: ir.Path, wrote: ir.Origin) -> bool:
        """Whether another write than that of *wrote* may win at *path* in variants of *matrix*."""
        groups = self._made.elaboration.plan(matrix).groups
        return any(
            one.write.span != wrote.span
            and (one.write.op == "=" or (one.write.op == "part" and key_of(one.write) == path[-1]))
            for one in groups.get(_group(path), ())
        )

    def _winner(self, variant: Variant, path: ir.Path, wrote: ir.Origin) -> ir.Origin | None:
        """The place of the value of *variant* at *path* to which the value of *wrote* lost. None if
        it did not lose, or if the same value lost in the older state, too."""
        for origin, lost in _decisions(self._recipe(self._made, variant), path):
            values = [one.value for one in lost if one.origin.span == wrote.span]
            if values and origin.span != wrote.span:
                return None if values[0] in self._lost_before(variant, path) else origin
        return None

    def _lost_before(self, variant: Variant, path: ir.Path) -> list[Value]:
        """The values that lost at *path* in the older state of *variant*."""
        older = self._older.get(variant.name)
        recipe = self._recipe(self._before, older) if older is not None else None
        return [one.value for _, lost in _decisions(recipe, path) for one in lost]

    def _recipe(self, made: Compilation, variant: Variant) -> ir.Recipe | None:
        """The recipe of *variant* of a state; None if there are too many to decide."""
        key = (made is self._made, variant.name)
        if key not in self._decided:
            left = made.elaboration.shared.total.evaluations_left
            may = len(self._decided) < _MOST and left > _MOST * _EFFORT
            self._decided[key] = made.recipe(variant) if may else None
        return self._decided[key]


def _group(path: ir.Path) -> GroupKey:
    """The group of the writes for *path*."""
    return group_of(path[:1] if _is_listed(path) else path)


def _is_listed(path: ir.Path) -> bool:
    """Whether *path* is an overlay in the list of them."""
    return path[0] == "overlays" and len(path) == 2


def _decisions(
    recipe: ir.Recipe | None, path: ir.Path
) -> Iterator[tuple[ir.Origin, tuple[ir.Shadowed, ...]]]:
    """The decisions at *path*: the place of each value, and the values that lost to it."""
    if recipe is None:
        return
    listed = recipe.overlay_list
    several = (
        (recipe.package,), recipe.config, recipe.unset_config, recipe.changes.settings,
        recipe.changes.unset, (listed,) if listed is not None else (), recipe.flags,
    )  # fmt: skip
    for settings in several:
        yield from _at(settings, path)


def _at(
    settings: Iterable[ir.Setting], path: ir.Path
) -> Iterator[tuple[ir.Origin, tuple[ir.Shadowed, ...]]]:
    for one in settings:
        if path[: len(one.path)] != one.path:
            continue
        yield one.origin, one.shadowed
        for part in (*one.parts, *one.taken):
            if part.name == path[-1] and part.origin is not None:
                yield part.origin, part.shadowed
        yield from _at((*(one.children or ()), *one.unset), path)
