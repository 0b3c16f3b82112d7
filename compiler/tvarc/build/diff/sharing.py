"""The differences of very many variants between two states of a program, found by deciding few of
them.

Two variants have the same differences if two things hold: the same lines of their files differ, and
both have the same values on each axis that the settings behind those lines depend on. Any other
difference would be in a line of a file, and so among those that were compared. So one variant of
each such group is decided and compared, and the others of the group have the same differences.
"""

from __future__ import annotations

from itertools import compress, repeat

from tvarc.blocks import ATTRIBUTES, BY_NAME, IN_PARTS, OF_PIN
from tvarc.build.diff.changes import Member
from tvarc.build.diff.differences import Difference
from tvarc.build.diff.members import Emitted
from tvarc.build.driver import Compilation
from tvarc.decide.dependencies import pin_dependencies
from tvarc.decide.plan import group_of, key_of
from tvarc.light import Callable, Final, Iterator, Sequence
from tvarc.matrix.variants import Variant
from tvarc.values.value import Value

FEW: Final = 64
"""Up to this many variants are compared one by one. That is faster than comparing the texts of
their files first."""

Signature = tuple[object, ...]
"""The lines that differ between the files of a variant in two states, without the variant's name.
"""

Compare = Callable[[Member, Member], Sequence[Difference]]
Key = tuple[Value, ...]


class SharedDifferences:
    """Compares the variants of two states by *compare*, unless the result is already known from
    another variant."""

    def __init__(
        self, before: Emitted, after: Emitted, names: frozenset[str], compare: Compare
    ) -> None:
        self.compare = compare
        self.sides = Side(before.made), Side(after.made)
        self.variants = tuple(
            {one.name: one for one in side.variants if one.name in names}
            for side in (before, after)
        )
        several = len(names) > FEW
        self.signatures = dict(_signatures(before, after, names)) if several else {}
        # For each signature: the axes of either state that decide it, and the known differences.
        self.known: dict[Signature, list[_Known]] = {}

    def __call__(self, one: Member, other: Member) -> Sequence[Difference]:
        signature = self.signatures.get(other.name)
        if signature is None or one.name != other.name:
            return self.compare(one, other)
        was, now = (variants[other.name] for variants in self.variants)
        signature = (was.matrix.id, now.matrix.id, *signature)
        for known in self.known.get(signature, ()):
            found = known.by_values.get(known.key(was, now))
            if found is not None:
                return found
        differences = self.compare(one, other)
        axes = _axes_of(differences, *self.sides, was, now)
        if axes is not None:
            several = self.known.setdefault(signature, [])
            known = next((one for one in several if one.axes == axes), None) or _Known(axes)
            if known not in several:
                several.append(known)
            known.by_values[known.key(was, now)] = differences
        return differences


class _Known:
    """Differences by the values of the axes that decide them in each state."""

    __slots__ = ("axes", "by_values")

    def __init__(self, axes: tuple[frozenset[str], frozenset[str]]) -> None:
        self.axes = axes
        self.by_values: dict[tuple[Key, Key], Sequence[Difference]] = {}

    def key(self, was: Variant, now: Variant) -> tuple[Key, Key]:
        return _values(was, self.axes[0]), _values(now, self.axes[1])


def _values(variant: Variant, axes: frozenset[str]) -> Key:
    return tuple([value for name, value in variant.values.items() if name in axes])


# --- what decides a difference ----------------------------------------------------------------


def _axes_of(
    differences: Sequence[Difference], before: Side, after: Side, was: Variant, now: Variant
) -> tuple[frozenset[str], frozenset[str]] | None:
    """The axes of each state that decide *differences*; None if they are unknown."""
    found: list[frozenset[str]] = []
    for side, variant in ((before, was), (after, now)):
        axes: frozenset[str] = frozenset()
        for one in differences:
            own = side.axes(variant, one.path)
            if own is None:
                return None
            axes |= own
        found.append(axes)
    return found[0], found[1]


class Side:
    """One state, and the axes that decide its values."""

    def __init__(self, made: Compilation) -> None:
        self.made = made
        self.known: dict[tuple[str, tuple[str, ...]], frozenset[str] | None] = {}

    def axes(self, variant: Variant, path: tuple[str, ...]) -> frozenset[str] | None:
        """The axes that decide the value at *path*; None if they are unknown."""
        key = (variant.matrix.id, path[:3])
        if key not in self.known:
            self.known[key] = self._axes(variant, path)
        return self.known[key]

    def _axes(self, variant: Variant, path: tuple[str, ...]) -> frozenset[str] | None:
        elaboration = self.made.elaboration
        plan, reads = elaboration.plan(variant.matrix), elaboration.shared.reads
        match path:
            case ("axes", name):
                return frozenset((name,))
            case ("matrix" | "recipe",):
                return frozenset()
            case ("package" | "scope" as name,):
                return plan.dependencies((name, ""), reads)
            case ("pin", *_):
                return pin_dependencies(plan, elaboration.program.pins, reads)[0]
            case (block, key, *_) if block in OF_PIN:
                found, _ = pin_dependencies(plan, elaboration.program.pins, reads)
                return found | plan.dependencies((block, key), reads)
            case ("overlays", *_):
                found = plan.dependencies(("overlays", ""), reads)
                for overlay in elaboration.program.overlays:
                    inner = elaboration.overlays.plan(overlay, variant.matrix)
                    for group in inner.groups:
                        found |= inner.dependencies(group, reads)
                return found
            case (block, key, part) if block in IN_PARTS and not part.startswith("+"):
                found = frozenset()
                for placed in plan.groups.get((block, key), ()):
                    if key_of(placed.write) != part:
                        continue
                    read = reads.conditions(placed.write.conditions)
                    read |= reads.expr(placed.write.value)
                    found |= (
                        read.axes
                        | plan.transitive_dependencies(map(group_of, read.settings), reads)[0]
                    )
                return found
            case (block, key, *_) if block in BY_NAME:
                found = plan.dependencies((block, key), reads)
                if block == ATTRIBUTES:  # it may replace what the package's call gives
                    found |= plan.dependencies(("package", ""), reads)
                return found
            case _:
                return None  # the order of settings, and the paths of files


# --- what differs between texts ---------------------------------------------------------------


def _signatures(
    before: Emitted, after: Emitted, names: frozenset[str]
) -> Iterator[tuple[str, Signature]]:
    """The signatures of variants with these *names*, by name. There are none if the states do not
    have the variants in the same order."""
    mine = [one.name for one in before.variants if one.name in names]
    theirs = [one.name for one in after.variants if one.name in names]
    if mine != theirs or before.files is None or after.files is None:
        return
    if len(before.made.outputs) != len(after.made.outputs):
        return
    pairs = zip(_among(before, names), _among(after, names), strict=True)
    outputs = range(len(after.made.outputs))
    for name in theirs:
        found: list[object] = []
        for _ in outputs:
            (path, *texts), (new_path, *new_texts) = next(pairs)
            found += map(_signature, texts, new_texts, repeat(name))
            found.append((path.replace(name, "\0"), new_path.replace(name, "\0")))
        if None not in found:
            yield name, tuple(found)


def _among(emitted: Emitted, names: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """The paths of files, with their headers and bodies. Headers differ in each line that names the
    program, bodies in few of many lines."""
    wanted = [one.name in names for one in emitted.variants for _ in emitted.made.outputs]
    assert emitted.files is not None
    for file in compress(emitted.files.of_variants(), wanted):
        yield file.path, *file.unsealed()


def _signature(before: str, after: str, name: str) -> Signature | None:
    """The lines that only one of two texts has. All other lines must be equal and in the same
    order; otherwise None."""
    gone: list[str] = []
    come: list[str] = []
    while True:
        start, end = _common(before, after)
        before, after = before[start : len(before) - end], after[start : len(after) - end]
        (first, _, rest), (other, _, more) = before.partition("\n"), after.partition("\n")
        # If most of the text follows a line that differs, the lines after it are not compared one
        # by one.
        if 2 * _common(rest, more)[0] <= len(before):
            break
        gone.append(first)
        come.append(other)
        before, after = rest, more
    old, new = before.split("\n"), after.split("\n")
    mine, theirs = set(old), set(new)
    if [line for line in old if line in theirs] != [line for line in new if line in mine]:
        return None
    gone += [line for line in old if line not in theirs]
    come += [line for line in new if line not in mine]
    return tuple([tuple([line.replace(name, "\0") for line in some]) for some in (gone, come)])


def _common(one: str, other: str) -> tuple[int, int]:
    """The lengths of the whole lines that both begin with, and of the whole lines that both end
    with."""
    most = min(len(one), len(other))
    start = _longest(most, lambda length: one.startswith(other[:length]))
    start = one.rfind("\n", 0, start) + 1
    end = _longest(most - start, lambda length: one.endswith(other[len(other) - length :]))
    found = one.find("\n", len(one) - end)
    return start, len(one) - found if found >= 0 else 0


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to *most* for which *holds* is true. It must be true for all smaller
    ones."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if holds(middle):
            least = middle
        else:
            most = middle - 1
    return least
