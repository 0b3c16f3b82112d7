"""Entries of source maps: effects of source lines that are on no line of a recipe, such as a
removal.

The entries of a decided thing, such as a block of settings, are found once for all recipes that
have it.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, IN_PARTS
from tvarc.decide.decide import Deciding, is_unset
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.late import late_in, without_late
from tvarc.decide.plan import Plan, group_of
from tvarc.decide.provenance import Tracing, Withheld
from tvarc.light import (
    Final,
    Iterable,
    Iterator,
    Literal,
    Sequence,
    dataclass,
    field,
    itemgetter,
    replace,
)
from tvarc.meaning import hir
from tvarc.meaning.names.scope import NEEDS
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.provenance import Lines, Numbering, all_filled
from tvarc.values.value import NONE, Value, show

EntryKind = Literal["withheld", "removed", "shadowed", "order"]

_MOST: Final = 1 << 14  # things whose entries are cached at once


@dataclass(frozen=True, slots=True)
class Entry:
    """An effect of source lines that is on no line of a recipe. Its kind is one of

    - withheld: a condition keeps a write out of the setting or part `path`;
    - removed: a write removes `what` from it;
    - shadowed: another value, at `by`, replaced it, for the given `reason`;
    - order: the first of several writes decides the place of the setting, another one its value.

    If the value in `what` has late parts, `late` is that value until they are filled in.
    """

    kind: EntryKind
    path: ir.Path
    what: str
    span: Span
    lines: Lines
    by: Span | None = None
    reason: str = ""
    late: Value = field(default=None, compare=False, repr=False)


def withheld_entry(one: Withheld) -> Entry:
    return Entry("withheld", one.path, ".".join(one.path), one.condition, one.lines)


class Entries:
    """The entries of the recipes of one program. The elaboration must be traced."""

    __slots__ = ("_declared", "_elaboration", "_frames", "_plans", "_tracing")

    def __init__(self, elaboration: Elaboration) -> None:
        assert elaboration.tracing is not None
        self._elaboration = elaboration
        self._tracing: Tracing = elaboration.tracing
        self._declared = {one.span: one for one in elaboration.program.overlays}
        self._plans: dict[Plan, PlanEntries] = {}
        # By the identity of a frame, which is kept, so that no other frame has this identity.
        self._frames: dict[int, tuple[ir.Frame, _Around]] = {}

    def of(self, deciding: Deciding, recipe: ir.Recipe) -> list[Entry]:
        """The entries of *recipe*, the recipe of the variant of *deciding*. Late parts are not
        filled in. Raises Failed."""
        around = self._around(recipe.frame, deciding.matrix)
        plan = self._plan(deciding.plan)
        found = [withheld_entry(one) for one in self._tracing.withheld(deciding, around.plans)]
        found += around.before
        found += plan.of_changes(recipe.changes)
        for need in plan.needs:
            setting = deciding.settled((NEEDS, need))
            found += plan.of_setting(setting) if setting is not None else ()
        found += around.after
        return found

    def filled(self, entry: Entry, deciding: Deciding, changes: ir.Changes) -> Entry:
        """*entry* of the variant of *deciding*, with late parts filled in. The variant has these
        *changes*. Raises Failed."""
        if entry.late is not None and any(one.whole for one in late_in(entry.late)):
            return self._whole(entry, deciding, changes)
        what = entry.what
        if entry.late is not None:
            what = show(without_late(entry.late, changes.fills))
        (lines,) = all_filled((entry.lines,), changes.filled)
        if what == entry.what and lines == entry.lines:
            return entry
        return replace(entry, what=what, lines=lines, late=None)

    def _whole(self, entry: Entry, deciding: Deciding, changes: ir.Changes) -> Entry:
        """*entry*, with its setting decided without late parts, because a late part that is a whole
        value may be no text. Raises Failed."""
        plan, group = self._plan(deciding.plan), entry.path[:2]
        (late,) = [one for one in (*changes.settings, *changes.unset) if one.path == group]
        whole = deciding.settled((late.path[0], late.path[1]))
        assert whole is not None
        return plan.of_setting(whole)[plan.of_setting(late).index(entry)]

    def _plan(self, plan: Plan, base: ir.Path = ()) -> PlanEntries:
        known = self._plans.get(plan)
        if known is None:
            known = self._plans[plan] = PlanEntries(plan, base, self._tracing.numbering)
        return known

    def _around(self, frame: ir.Frame, matrix: hir.MatrixDef) -> _Around:
        """The entries of *frame*, the frame of recipes of *matrix*."""
        known = self._frames.get(id(frame))
        if known is None:
            if len(self._frames) >= _MOST:
                self._frames.clear()
            own = self._plan(self._elaboration.plan(matrix))
            systems = frame.pin.systems if frame.pin is not None else ()
            before: list[Entry] = []
            for one in (*frame.config, *frame.unset_config):
                before += own.taken(one)
            for one in frame.config:
                before += own.order(one)
            for one in systems:
                before += own.taken(one)
            after: list[Entry] = []
            for choice in (frame.scope, frame.overlay_list):
                after += own.taken(choice) if choice is not None else ()
            plans: list[Plan] = []
            for overlay in frame.overlays:
                plan = self._elaboration.overlays.plan(self._declared[overlay.declared], matrix)
                inner = self._plan(plan, ("overlays", overlay.name))
                plans.append(plan)
                after += inner.of_changes(overlay.changes)
            known = self._frames[id(frame)] = (frame, _Around(before, after, plans))
        return known[1]


@dataclass(frozen=True, slots=True)
class _Around:
    """The entries of a frame: `before` and `after` the entries of the package's changes. `plans`
    are the plans of its overlays."""

    before: list[Entry]
    after: list[Entry]
    plans: list[Plan]


_Placed = list[tuple[int, list[Entry]]]
"""Entries of settings, each with the place of its setting in the plan."""


class PlanEntries:
    """The entries of settings that *plan* decides. For an overlay, *base* is the beginning of their
    paths."""

    __slots__ = ("_base", "_known", "_numbering", "_places", "_plan", "needs")

    def __init__(self, plan: Plan, base: ir.Path, numbering: Numbering) -> None:
        self._plan = plan
        self._base = base
        self._numbering = numbering
        self._places = {group: place for place, group in enumerate(plan.groups)}
        self.needs = plan.keys(NEEDS)
        # By the identity of a block or a setting, which is kept, as above.
        self._known: dict[int, tuple[object, _Placed]] = {}

    def of_changes(self, changes: ir.Changes) -> Iterator[Entry]:
        """The entries of *changes*, in the order of the plan."""
        found: _Placed = []
        known = self._known
        for block in changes.blocks:
            if block:
                one = known.get(id(block))
                found += one[1] if one is not None else self._once(block, block)
        for setting in changes.unset:
            found += self._once(setting, (setting,))
        found.sort(key=_place)
        for _, entries in found:
            yield from entries

    def _once(self, thing: object, settings: Sequence[ir.Setting]) -> _Placed:
        """The entries of *settings*, which belong to *thing*. Settings without entries are left
        out."""
        known = self._known.get(id(thing))
        if known is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            placed = [(self._places[group_of(one.path)], self.of_setting(one)) for one in settings]
            known = self._known[id(thing)] = (thing, [one for one in placed if one[1]])
        return known[1]

    def of_setting(self, setting: ir.Setting) -> list[Entry]:
        """The entries of *setting*, which may be unset."""
        found = [*self.taken(setting)]
        if not is_unset(setting):
            found += self.order(setting)
            found += self._order_of_parts(setting)
        return found

    def taken(self, setting: ir.Setting) -> Iterator[Entry]:
        """The entries of the values that were removed from *setting*, or that lost to another
        value."""
        # The path that `explain` uses: in an overlay, attributes do not have the name of their
        # block.
        base = self._base
        plain = bool(base) and setting.path[0] == ATTRIBUTES
        path = (*base, *setting.path[1 if plain else 0 :])
        yield from _shadowed(setting.shadowed, path, setting.origin)
        for part in setting.parts:
            yield from _shadowed(part.shadowed, path, part.origin)
        others = any(one.value is not NONE for one in setting.shadowed) or setting.unset
        if setting.value is NONE and setting.prov is not None and path[0] != "pin" and others:
            lines = setting.prov.all | setting.prov.head
            yield Entry("removed", path, WHOLE, setting.origin.span, lines)
        yield from _taken_parts(setting.taken, path)
        for inner in (*(setting.children or ()), *setting.unset):
            yield from self.taken(inner)

    def order(self, setting: ir.Setting) -> Iterator[Entry]:
        """An entry for a setting whose first write decides only its place."""
        group = group_of(setting.path)
        written = self._plan.groups.get(group, ())
        if len(written) > 1 and group[0] not in IN_PARTS:  # scripts have the order of the phases
            first = written[0].write
            if first.span not in {origin.span for origin in _origins(setting)}:
                path = (*self._base, *[step for step in group if step])
                yield self._first(path, ".".join(path), first)

    def _order_of_parts(self, setting: ir.Setting) -> Iterator[Entry]:
        """Entries for the parts whose first write decides only their place."""
        group = group_of(setting.path)
        origins: dict[str | None, set[Span]] = {}
        for part in setting.parts:
            if part.origin is not None:
                origins.setdefault(part.name, set()).add(part.origin.span)
        written: dict[str, list[hir.Write]] = {}
        for placed in self._plan.groups.get(group, ()) if origins else ():
            place = placed.write.part
            if place is not None and place.name is not None:
                written.setdefault(place.name, []).append(placed.write)
        path = (*self._base, *group)
        for name, (first, *more) in written.items():
            spans = origins.get(name)
            if more and spans and first.span not in spans:
                text = f"script {group[1]}" if group[0] in IN_PARTS else ".".join(path)
                yield self._first(path, f"part {name} of {text}", first)

    def _first(self, path: ir.Path, what: str, write: hir.Write) -> Entry:
        return Entry("order", path, what, write.span, self._numbering.lines(write.span))


_place = itemgetter(0)


def _origins(setting: ir.Setting) -> Iterator[ir.Origin]:
    if setting.children is not None:
        for child in setting.children:
            yield from _origins(child)
    elif setting.parts:
        for part in setting.parts:
            if part.origin is not None:
                yield part.origin
    elif setting.elements:
        for element in setting.elements:
            yield element.origin
    else:
        yield setting.origin


def _shadowed(
    lost: Sequence[ir.Shadowed], path: ir.Path, over: ir.Origin | None
) -> Iterator[Entry]:
    """The entries of values that were removed from a setting, of the writes that removed them, and
    of values that lost to another one, which is written at *over*."""
    for number, one in enumerate(lost):
        if one.prov is None:
            continue
        lines = one.prov.all | one.prov.head
        shown, late = show(one.value), None
        if any(True for _ in late_in(one.value)):
            late = one.value
        if one.reason == ir.TAKEN_OUT:
            yield Entry("removed", path, shown, one.origin.span, lines, late=late)
        elif one.reason == ir.BEGUN_ANEW:
            yield Entry("removed", path, BEFORE, one.origin.span, lines)
        else:
            # A removed element is before the write that removes it.
            taker = next((other for other in lost[number:] if other.reason == ir.TAKEN_OUT), None)
            by = taker.origin if one.op == "+=" and taker is not None else over
            span = by.span if by is not None else None
            yield Entry("shadowed", path, shown, one.origin.span, lines, span, one.reason, late)


BEFORE: Final = "what is written before"
WHOLE: Final = "all of it"


def _taken_parts(parts: Iterable[ir.Part], path: ir.Path) -> Iterator[Entry]:
    for part in parts:
        yield from _shadowed(part.shadowed, path, part.origin)
        if part.prov is not None and part.origin is not None:
            lines = part.prov.all | part.prov.head
            yield Entry("removed", path, f"part {part.name}", part.origin.span, lines)
