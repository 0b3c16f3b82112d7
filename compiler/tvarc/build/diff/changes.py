"""Finds the changes between two states of a program: new, removed and renamed variants, and the
differences of all others. Variants that share a difference share one change."""

from __future__ import annotations

from tvarc.build.diff.compare import Comparer
from tvarc.build.diff.differences import Difference
from tvarc.light import (
    Callable,
    Collection,
    Final,
    Iterator,
    Literal,
    Mapping,
    Sequence,
    dataclass,
    replace,
)
from tvarc.matrix.boxes import Box, Universe
from tvarc.nix import ir
from tvarc.nix.judge import difference as by_nix
from tvarc.text.source import Span
from tvarc.values.plain import Count
from tvarc.values.value import show

# The most values of one change that are printed one by one. Of more values, one is an example.
_MOST_VALUES = 3
_ASKED = 3  # this many variants that share a change, and one more, are searched for causes
_CELL = ("matrix", "recipe", "axes")


@dataclass(frozen=True, slots=True)
class Member:
    """A variant of a state: its name, its axis values as a user types them, and the function that
    decides it. Members that are equal in both states are never decided."""

    name: str
    cell: Mapping[str, str]
    recipe: Callable[[], ir.Recipe]


@dataclass(frozen=True, slots=True)
class Cause:
    """A line that only one state has, and that causes a change. `span` is on this line. `before`
    says that it is in the older state."""

    span: Span
    before: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """Variants that a change does not reach: they keep a value of their own, which is written at
    `origin`."""

    variants: tuple[str, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `values` is the number of its values in the variants of its block. If there are
    several, `example` is the variant that `difference` is from. `causes` are the edited lines;
    empty if they were not searched for or not found. `kept` are the variants that the change does
    not reach."""

    difference: Difference
    values: int
    example: str
    causes: tuple[Cause, ...] = ()
    kept: tuple[Kept, ...] = ()


CausesOf = Callable[[Sequence[tuple[str, str]], Difference], tuple[Cause, ...]]
"""Returns the lines that cause a difference. It gets some of the variants that share the
difference, each by its old and its new name. The difference is from the first of them."""


@dataclass(frozen=True, slots=True)
class Block:
    """The changes that exactly these variants share. `boxes` describe the variants by axis values;
    None if too many boxes would be necessary."""

    variants: tuple[str, ...]
    boxes: tuple[Box, ...] | None
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Variants that were added or removed."""

    KEYS = (("boxes", "where"),)

    variants: tuple[str, ...]
    boxes: tuple[Box, ...] | None
    """Sets of axis values that together contain exactly these variants; null if too many would be
    necessary."""


@dataclass(frozen=True, slots=True)
class Unbuilt:
    """Cells of a matrix that have a new value of an axis, and that exclusions drop."""

    matrix: str
    axis: str
    values: tuple[str, ...]
    """The new values that have such cells."""
    dropped: Count
    cells: Count
    """How many cells have these values, including built ones."""


RenamedBy = Literal["cell", "content"]
_WAYS: Final[tuple[RenamedBy, ...]] = ("cell", "content")


@dataclass(frozen=True, slots=True)
class Renamed:
    """A variant with a new name. `by` says how it was recognised: by the same cell, or by the same
    content."""

    before: str
    after: str
    by: RenamedBy


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes. `before` and `after` are the numbers of variants. `changed` are the names of
    variants that differ. `pairs` are the variants of both states, by their old and new names."""

    before: int
    after: int
    added: Group
    removed: Group
    renamed: tuple[Renamed, ...]
    changed: tuple[str, ...]
    blocks: tuple[Block, ...]
    pairs: tuple[tuple[str, str], ...]
    # Variants whose own recipes did not change, but a variant that they need did. Each has the name
    # of the need.
    through: tuple[tuple[str, str], ...] = ()
    # Cells with a new value of an axis that exclusions drop.
    unbuilt: tuple[Unbuilt, ...] = ()

    @property
    def any(self) -> bool:
        own = self.added.variants or self.removed.variants or self.renamed or self.changed
        return bool(own or self.through)


Compare = Callable[[Member, Member], Sequence[Difference]]
"""Returns the differences of two variants."""


def comparing() -> Compare:
    """A function that decides two variants and compares them."""
    comparer = Comparer()
    return lambda one, other: comparer.compare(one.recipe(), other.recipe()).differences


def compare_members(
    before: Sequence[Member],
    after: Sequence[Member],
    alike: Collection[str] = (),
    causes_of: CausesOf | None = None,
    compare: Compare | None = None,
) -> Changes:
    """The changes from *before* to *after*. Both states emit the same text for the variants
    *alike*, which are skipped. *causes_of* finds the edited lines. *compare* finds the differences
    of two variants."""
    compare = compare or comparing()
    pairs, renamed = _match(before, after)
    old_names = {one.name for one, _ in pairs}
    new_names = {other.name for _, other in pairs}
    removed = [member for member in before if member.name not in old_names]
    added = [member for member in after if member.name not in new_names]
    ways = {one.after: one.by for one in renamed}
    found: list[tuple[int, Sequence[Difference]]] = []
    for index, (one, other) in enumerate(pairs):
        by = ways.get(other.name)
        if by is None and other.name in alike:
            continue
        differences = compare(one, other)
        if by is not None:
            differences = [d for d in differences if not _only_name(d, one.name, other.name)]
        if by == "content":  # it is another cell, which is reported with its name
            differences = [d for d in differences if d.path[0] not in _CELL]
        if differences:
            found.append((index, differences))
    names = [(one.name, other.name) for one, other in pairs]
    universe = Universe([other.cell for _, other in pairs])
    return Changes(
        len(before),
        len(after),
        _group(added, after),
        _group(removed, before),
        renamed,
        tuple(names[index][1] for index, _ in found),
        tuple(_blocks(found, names, universe, causes_of)),
        tuple(names),
    )


def _group(some: Sequence[Member], whole: Sequence[Member]) -> Group:
    names = {member.name for member in some}
    boxes: tuple[Box, ...] | None = None
    if names:
        universe = Universe([member.cell for member in whole])
        boxes = universe.describe(i for i, one in enumerate(whole) if one.name in names)
    return Group(tuple(member.name for member in some), boxes)


# --- who is who -------------------------------------------------------------------------------


def _match(
    before: Sequence[Member], after: Sequence[Member]
) -> tuple[list[tuple[Member, Member]], tuple[Renamed, ...]]:
    """The variants that both states have, matched by name, by cell, and then by content. They are
    in the order of *after*."""
    old = {member.name: member for member in before}
    new = {member.name: member for member in after}
    partner = {name: name for name in new if name in old}
    renamed: dict[str, Renamed] = {}
    for by in _WAYS:
        taken = set(partner.values())
        left = [member for member in before if member.name not in taken]
        come = [member for member in after if member.name not in partner]
        if not left or not come:
            break
        waiting: dict[object, list[str]] = {}
        for member in left:
            waiting.setdefault(_key(member, by), []).append(member.name)
        for member in come:
            same = waiting.get(_key(member, by))
            if same:
                partner[member.name] = same.pop(0)
                renamed[member.name] = Renamed(partner[member.name], member.name, by)
    pairs = [(old[partner[name]], member) for name, member in new.items() if name in partner]
    return pairs, tuple(renamed[name] for name in new if name in renamed)


def _key(member: Member, by: str) -> object:
    if by == "cell":
        return frozenset(member.cell.items())
    return tuple(_content(member.recipe()))


def _content(recipe: ir.Recipe) -> Iterator[object]:
    """Everything that decides the derivation, except the variant's own name."""

    def shown(settings: Sequence[ir.Setting]) -> tuple[object, ...]:
        return tuple(one for setting in settings for one in setting_shown(setting))

    def setting_shown(setting: ir.Setting) -> Iterator[object]:
        yield setting.path
        yield setting.extends
        yield show(setting.value).replace(recipe.variant, "\0")
        yield show(setting.head)
        yield tuple(show(one.value) for one in setting.removed)
        yield tuple(
            (number, *(show(lost.value) for lost in one.removed))
            for number, one in enumerate(setting.elements or ()) if one.spread
        )  # fmt: skip
        for child in setting.children or ():
            yield from setting_shown(child)

    def changes(one: ir.Changes) -> tuple[object, ...]:
        scripts = sorted(one.scripts, key=lambda script: script.key)
        return (
            shown(one.built()),
            tuple(
                (s.key, *(show(p.text).replace(recipe.variant, "\0") for p in s.parts))
                for s in scripts
            ),
        )

    pin = recipe.pin
    yield (pin.url, pin.path, pin.hash, shown(pin.systems)) if pin is not None else None
    yield shown(recipe.config)
    yield show(recipe.package.value)
    for need in recipe.needs:
        yield (need.name, show(need.setting.value))
        yield tuple(_content(need.recipe)) if need.recipe is not None else None
    yield changes(recipe.changes)
    for overlay in recipe.overlays:
        until = overlay.until
        yield (overlay.relation, overlay.target, overlay.via)
        yield (until.package, until.version) if until is not None else None
        yield changes(overlay.changes)
        yield shown(overlay.patch)


def _only_name(difference: Difference, before: str, after: str) -> bool:
    """Whether *difference* only has the new name, or only the part of it from the first difference
    on: a text may have another beginning."""
    if not difference.removed:
        return False
    mine, theirs = before.split("-"), after.split("-")
    first = 0
    while first < min(len(mine), len(theirs)) - 1 and mine[first] == theirs[first]:
        first += 1
    tails = "-".join(mine[first:]), "-".join(theirs[first:])
    return any(
        tuple(line.replace(old, new) for line in difference.removed) == difference.added
        for old, new in ((before, after), tails)
    )


# --- shared changes ---------------------------------------------------------------------------

Found = Sequence[tuple[int, Sequence[Difference]]]


def _blocks(
    found: Found,
    names: Sequence[tuple[str, str]],
    universe: Universe,
    causes_of: CausesOf | None,
) -> list[Block]:
    """The changes by the variants that share them. Those of most variants are first."""
    told: dict[object, tuple[Change, list[int]]] = {}
    for members in _causes(found):
        values: dict[object, list[tuple[int, Difference]]] = {}
        for member in members:
            values.setdefault((member[1].removed, member[1].added), []).append(member)
        apart = list(values.values()) if len(values) <= _MOST_VALUES else [members]
        for several in apart:
            indices = list(dict.fromkeys(index for index, _ in several))
            index, difference = several[0]
            count = 1 if several is not members else len(values)
            change = Change(difference, count, names[index][1])
            key: object = id(difference)
            if causes_of is not None:
                asked = [names[number] for number in _some(indices)]
                change = replace(change, causes=causes_of(asked, difference))
                if change.causes and count == 1:
                    # Several writes may have the same effect because of one edit.
                    shown = difference.path, difference.removed, difference.added
                    key = (*shown, difference.kind, change.causes)
            told.setdefault(key, (change, []))[1].extend(indices)
    shared: dict[tuple[int, ...], list[Change]] = {}
    for change, numbers in told.values():
        shared.setdefault(tuple(sorted(set(numbers))), []).append(change)
    blocks = [
        Block(tuple(names[i][1] for i in indices), universe.describe(indices), tuple(changes))
        for indices, changes in shared.items()
    ]
    return sorted(blocks, key=lambda block: -len(block.variants))


def _some(indices: Sequence[int]) -> list[int]:
    """The first of *indices*, and some more from all over the sequence."""
    step = max(len(indices) // _ASKED, 1)
    return list(dict.fromkeys((indices[0], *indices[step::step][: _ASKED - 1], indices[-1])))


def _causes(found: Found) -> Iterator[list[tuple[int, Difference]]]:
    """Differences with one cause: they are at one path, and their removed or added values were
    written in one place. For an added value, the place in the other state does not count."""
    causes: dict[object, list[tuple[int, Difference]]] = {}
    keys: dict[int, object] = {}  # many variants share most differences
    for index, differences in found:
        for one in differences:
            key = keys.get(id(one))
            if key is None:
                key = keys[id(one)] = (
                    one.path,
                    one.kind,
                    bool(one.removed),
                    bool(one.added),
                    _place(one.before) if one.removed or not one.added else None,
                    _place(one.after) if one.added or not one.removed else None,
                )
            causes.setdefault(key, []).append((index, one))
    yield from causes.values()


def _place(origin: ir.Origin | None) -> Span | None:
    return origin.span if origin is not None else None


# --- outcomes of derivations ---------------------------------------------------------------


class Refused(str):
    """The reason why a recipe has no derivation."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcome for each variant of both states, by its new name: `same`, `other`, or the reason
    why Nix refuses it. `differ` has the differences between derivations with the outcome `other`.
    """

    became: dict[str, str]
    differ: dict[str, tuple[by_nix.Difference, ...]]

    @property
    def any_differs(self) -> bool:
        """Whether any variant does not stay the same."""
        return any(one != "same" for one in self.became.values())


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """The derivations of two variants with their differences, or the reason why there is none."""

    paths: tuple[str, str]
    differ: tuple[by_nix.Difference, ...]

    @property
    def is_same(self) -> bool:
        return self.paths[0] == self.paths[1]
