"""What changed between two states of a program: variants that came, went, were renamed, and what
is different in the others, one change for all variants that share it."""

from __future__ import annotations

from tvarc import ir
from tvarc.light import Iterator, Sequence, dataclass
from tvarc.report.boxes import MATRIX, Box, Universe, axis_text
from tvarc.report.compare import Comparer
from tvarc.report.differences import Difference
from tvarc.source import Span
from tvarc.values import show

# Values of one change that are told one by one: where there are more, one is an example.
_MOST_VALUES = 3
_CELL = ("matrix", "recipe", "axes")


@dataclass(frozen=True, slots=True)
class Change:
    """One change and how many values it has over the variants of its block: with more than one,
    `example` is the variant that `difference` is taken from."""

    difference: Difference
    values: int
    example: str


@dataclass(frozen=True, slots=True)
class Block:
    """The changes that exactly these variants share. `boxes` name them by axis values, None where
    that would take too many."""

    variants: tuple[str, ...]
    boxes: tuple[Box, ...] | None
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Variants that came or went."""

    variants: tuple[str, ...]
    boxes: tuple[Box, ...] | None


@dataclass(frozen=True, slots=True)
class Renamed:
    """`by` tells how it is known: the same cell, or the same content."""

    before: str
    after: str
    by: str


@dataclass(frozen=True, slots=True)
class Changes:
    """`before` and `after` are the numbers of variants; `changed` the names of those that differ,
    `pairs` the variants that both states have, by their old and new names."""

    before: int
    after: int
    added: Group
    removed: Group
    renamed: tuple[Renamed, ...]
    changed: tuple[str, ...]
    blocks: tuple[Block, ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def any(self) -> bool:
        return bool(self.added.variants or self.removed.variants or self.renamed or self.changed)


def compare_states(before: Sequence[ir.Recipe], after: Sequence[ir.Recipe]) -> Changes:
    """The changes from *before* to *after*."""
    pairs, renamed = _match(before, after)
    old_names = {one.variant: other.variant for one, other in pairs}
    new_names = {other.variant for _, other in pairs}
    removed = [recipe for recipe in before if recipe.variant not in old_names]
    added = [recipe for recipe in after if recipe.variant not in new_names]
    ways = {one.after: one.by for one in renamed}
    comparer = Comparer()
    found: list[tuple[int, tuple[Difference, ...]]] = []
    for index, (one, other) in enumerate(pairs):
        differences = comparer.compare(one, other).differences
        by = ways.get(other.variant)
        if by is not None:
            differences = [d for d in differences if not _only_name(d, one.variant, other.variant)]
        if by == "content":  # it is another cell, as is said where it is named
            differences = [d for d in differences if d.path[0] not in _CELL]
        if differences:
            found.append((index, tuple(differences)))
    names = [other.variant for _, other in pairs]
    universe = Universe([cell_of(other) for _, other in pairs])
    return Changes(
        len(before),
        len(after),
        _group(added, after),
        _group(removed, before),
        renamed,
        tuple(names[index] for index, _ in found),
        tuple(_blocks(found, names, universe)),
        tuple((one.variant, other.variant) for one, other in pairs),
    )


def cell_of(recipe: ir.Recipe) -> dict[str, str]:
    """The axis values of a variant as they are typed, and its matrix."""
    cell = {axis.axis: axis_text(axis.value) for axis in recipe.axes}
    cell.setdefault(MATRIX, recipe.matrix)
    return cell


def _group(some: Sequence[ir.Recipe], whole: Sequence[ir.Recipe]) -> Group:
    names = {recipe.variant for recipe in some}
    boxes: tuple[Box, ...] | None = None
    if names:
        universe = Universe([cell_of(recipe) for recipe in whole])
        boxes = universe.describe(i for i, r in enumerate(whole) if r.variant in names)
    return Group(tuple(recipe.variant for recipe in some), boxes)


# --- who is who --------------------------------------------------------------------------------


def _match(
    before: Sequence[ir.Recipe], after: Sequence[ir.Recipe]
) -> tuple[list[tuple[ir.Recipe, ir.Recipe]], tuple[Renamed, ...]]:
    """Variants of both states: by name, by cell, by content; in the order of *after*."""
    old = {recipe.variant: recipe for recipe in before}
    new = {recipe.variant: recipe for recipe in after}
    partner = {name: name for name in new if name in old}
    renamed: dict[str, Renamed] = {}
    for by in ("cell", "content"):
        taken = set(partner.values())
        left = [recipe for recipe in before if recipe.variant not in taken]
        come = [recipe for recipe in after if recipe.variant not in partner]
        if not left or not come:
            break
        waiting: dict[object, list[str]] = {}
        for recipe in left:
            waiting.setdefault(_key(recipe, by), []).append(recipe.variant)
        for recipe in come:
            same = waiting.get(_key(recipe, by))
            if same:
                partner[recipe.variant] = same.pop(0)
                renamed[recipe.variant] = Renamed(partner[recipe.variant], recipe.variant, by)
    pairs = [(old[partner[name]], recipe) for name, recipe in new.items() if name in partner]
    return pairs, tuple(renamed[name] for name in new if name in renamed)


def _key(recipe: ir.Recipe, by: str) -> object:
    if by == "cell":
        return frozenset(cell_of(recipe).items())
    return tuple(_content(recipe))


def _content(recipe: ir.Recipe) -> Iterator[object]:
    """All that decides the derivation, but for the variant's own name."""

    def shown(settings: Sequence[ir.Setting]) -> tuple[object, ...]:
        return tuple(one for setting in settings for one in setting_shown(setting))

    def setting_shown(setting: ir.Setting) -> Iterator[object]:
        yield setting.path
        yield setting.extends
        yield show(setting.value).replace(recipe.variant, "\0")
        yield show(setting.head)
        yield tuple(show(one.value) for one in setting.removed)
        for child in setting.children or ():
            yield from setting_shown(child)

    def changes(one: ir.Changes) -> tuple[object, ...]:
        scripts = sorted(one.scripts, key=lambda script: script.name)
        return (
            shown(one.args),
            shown(one.attrs),
            shown(one.env),
            tuple(
                (s.name, *(show(p.text).replace(recipe.variant, "\0") for p in s.parts))
                for s in scripts
            ),
        )

    yield (recipe.pin.url, recipe.pin.hash) if recipe.pin is not None else None
    yield shown(recipe.config)
    yield show(recipe.package.value)
    yield changes(recipe.changes)
    for overlay in recipe.overlays:
        yield (overlay.relation, overlay.target, overlay.via)
        yield changes(overlay.changes)
        yield shown(overlay.patch)


def _only_name(difference: Difference, before: str, after: str) -> bool:
    """Whether *difference* is no more than the new name."""
    old = tuple(line.replace(before, after) for line in difference.removed)
    return bool(difference.removed) and old == difference.added


# --- what is shared ----------------------------------------------------------------------------

Found = Sequence[tuple[int, tuple[Difference, ...]]]


def _blocks(found: Found, names: Sequence[str], universe: Universe) -> list[Block]:
    """The changes by the variants that have them: those of most variants first."""
    shared: dict[tuple[int, ...], list[Change]] = {}
    for members in _causes(found):
        values: dict[object, list[tuple[int, Difference]]] = {}
        for member in members:
            values.setdefault((member[1].removed, member[1].added), []).append(member)
        apart = list(values.values()) if len(values) <= _MOST_VALUES else [members]
        for several in apart:
            indices = tuple(dict.fromkeys(index for index, _ in several))
            index, difference = several[0]
            count = 1 if several is not members else len(values)
            shared.setdefault(indices, []).append(Change(difference, count, names[index]))
    blocks = [
        Block(tuple(names[i] for i in indices), universe.describe(indices), tuple(changes))
        for indices, changes in shared.items()
    ]
    return sorted(blocks, key=lambda block: -len(block.variants))


def _causes(found: Found) -> Iterator[list[tuple[int, Difference]]]:
    """Differences of one cause: at one path, and written in the same places."""
    causes: dict[object, list[tuple[int, Difference]]] = {}
    keys: dict[int, object] = {}  # most differences are shared by many variants
    for index, differences in found:
        for one in differences:
            key = keys.get(id(one))
            if key is None:
                key = keys[id(one)] = (
                    one.path,
                    one.kind,
                    bool(one.removed),
                    bool(one.added),
                    _place(one.before),
                    _place(one.after),
                )
            causes.setdefault(key, []).append((index, one))
    yield from causes.values()


def _place(origin: ir.Origin | None) -> Span | None:
    return origin.span if origin is not None else None
