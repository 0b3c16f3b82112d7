"""Entries of source maps: effects of lines of source that show on no line of a recipe, such as a
removal."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, CONFIG, IN_PARTS, OF_PACKAGE
from tvarc.decide.decide import Deciding, is_unset
from tvarc.decide.elaborate import Elaboration, config_of, unset_config_of
from tvarc.decide.parts import decide_pin
from tvarc.decide.plan import GroupKey, Placed, Plan
from tvarc.decide.provenance import Withheld
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Final,
    Iterable,
    Iterator,
    Literal,
    Mapping,
    Sequence,
    dataclass,
    replace,
)
from tvarc.meaning import hir
from tvarc.meaning.names.scope import NEEDS
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.provenance import Lines, all_filled
from tvarc.values.value import NONE, Value, show

if TYPE_CHECKING:
    from tvarc.values.value import Late

EntryKind = Literal["withheld", "removed", "shadowed", "order"]

_MOST: Final = 1 << 14  # combinations of which the entries are remembered at once
_BLOCKS: Final = frozenset([block.name for block in OF_PACKAGE])
_SCOPE: Final[GroupKey] = ("scope", "")


@dataclass(frozen=True, slots=True)
class Entry:
    """An effect of lines of source that shows on no line of a recipe. By its kind it is

    - withheld: a condition keeps something out of the setting or part `path`;
    - removed: a write takes `what` out of it;
    - shadowed: another value, which stands at `by`, has taken its place, as `reason` says;
    - order: the first write of several decides where the setting stands, another what it is.
    """

    kind: EntryKind
    path: ir.Path
    what: str
    span: Span
    lines: Lines
    by: Span | None = None
    reason: str = ""


def withheld_entry(one: Withheld) -> Entry:
    return Entry("withheld", one.path, ".".join(one.path), one.condition, one.lines)


@dataclass(frozen=True, slots=True)
class _Around:
    """The entries of a setting, without the texts of its late parts, and the marks of these. It
    `has_whole` if a late part is a value by itself, and `has_texts` if an entry shows some."""

    found: tuple[Entry, ...]
    marks: frozenset[str]
    has_whole: bool
    has_texts: bool


class Entries:
    """The entries of variants, but for what conditions keep out. Those of a setting are found once
    for all variants that agree on what it depends on."""

    __slots__ = ("_axes", "_elaboration", "_groups", "_known", "_lates")

    def __init__(self, elaboration: Elaboration) -> None:
        self._elaboration = elaboration
        self._known: dict[tuple[object, ...], tuple[Entry, ...]] = {}
        self._lates: dict[tuple[object, ...], _Around] = {}
        # The settings of plans that may have entries.
        self._groups: dict[Plan, list[GroupKey]] = {}
        # The axes of `config`, of the pin and of the overlays of plans.
        self._axes: dict[Plan, tuple[frozenset[str], ...]] = {}

    def of(self, deciding: Deciding, changes: ir.Changes) -> Iterator[Entry]:
        """The entries of one variant, which makes these *changes*. Raises Failed."""
        plan, elaboration = deciding.plan, self._elaboration
        config, pin, overlays = self._axes_of(plan, deciding.matrix)
        yield from self._once("config", deciding, config, lambda: of_config(deciding))
        yield from self._once("pin", deciding, pin, lambda: of_pin(elaboration, deciding))
        groups = self._groups.get(plan)
        if groups is None:
            groups = [one for one in plan.groups if one[0] in _BLOCKS and not _is_plain(plan, one)]
            self._groups[plan] = groups
        for group in groups:
            yield from self._of_setting(deciding, group, changes)
        for name in plan.keys(NEEDS):
            yield from of_setting(deciding, (NEEDS, name))
        scope = deciding.settled(_SCOPE) if _SCOPE in plan.groups else None
        if scope is not None:
            yield from _taken_of(scope, (), {})
        if ("overlays", "") in plan.groups:
            yield from self._once("overlays", deciding, overlays, lambda: self._overlays(deciding))

    def _of_setting(
        self, deciding: Deciding, group: GroupKey, changes: ir.Changes
    ) -> tuple[Entry, ...]:
        """The entries of one setting."""
        if deciding.lates is not None and group in deciding.lates.axes:
            known = self._late(deciding, group, deciding.lates.axes[group])
            if not known.has_whole and known.marks <= changes.fills.places.keys():
                if not known.has_texts:
                    return known.found
                setting = deciding.change(group, {})
                return tuple(of_decided(deciding, group, setting, changes))
        axes = deciding.plan.dependencies(group, deciding.shared.reads)
        return self._once(group, deciding, axes, lambda: of_setting(deciding, group))

    def _late(
        self, deciding: Deciding, group: GroupKey, axes: frozenset[str]
    ) -> _Around:
        """The entries of a setting that *axes* decide but for its late parts."""
        key = (group, deciding.plan, deciding.key(axes))
        known = self._lates.get(key)
        if known is None:
            if len(self._lates) >= _MOST:
                self._lates.clear()
            late: dict[Late, None] = {}
            setting = deciding.change(group, late)
            found = tuple(of_decided(deciding, group, setting))
            known = self._lates[key] = _Around(
                found,
                frozenset([one.mark for one in late]),
                has_whole=any(one.whole for one in late),
                has_texts=bool(late) and any(one.kind != "order" for one in found),
            )
        return known

    def _axes_of(self, plan: Plan, matrix: hir.MatrixDef) -> tuple[frozenset[str], ...]:
        known = self._axes.get(plan)
        if known is None:
            one = self._elaboration
            overlays = one.axes_of_overlays(plan, matrix)
            known = (one.axes_of_config(plan), one.axes_of_pin(plan), overlays)
            self._axes[plan] = known
        return known

    def _overlays(self, deciding: Deciding) -> Iterator[Entry]:
        overlays = self._elaboration.overlays.decide(deciding)
        return of_overlays(self._elaboration, deciding, overlays)

    def _once(
        self,
        what: object,
        deciding: Deciding,
        axes: frozenset[str],
        make: Callable[[], Iterator[Entry]],
    ) -> tuple[Entry, ...]:
        key = (what, deciding.plan, deciding.key(axes))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            known = self._known[key] = tuple(make())
        return known


def _is_plain(plan: Plan, group: GroupKey) -> bool:
    """Whether *group* is written once, as a text or the like, so that it has no entry."""
    match plan.groups[group]:
        case [Placed(write=hir.Write(op="=", value=hir.Text() | hir.AxisRef() | hir.Member()))]:
            return True
        case [Placed(write=hir.Write(op="=", value=hir.Const(value=value)))]:
            return value is not NONE
        case _:
            return False


def of_package(deciding: Deciding) -> Iterator[Entry]:
    """The entries of all that the plan of *deciding* changes about its package."""
    for group in deciding.plan.groups:
        if group[0] in _BLOCKS:
            yield from of_setting(deciding, group)


def of_setting(deciding: Deciding, group: GroupKey) -> Iterator[Entry]:
    """The entries of one setting, which may be unset. Raises Failed."""
    return of_decided(deciding, group, deciding.settled(group))


def of_decided(
    deciding: Deciding,
    group: GroupKey,
    setting: ir.Setting | None,
    changes: ir.Changes | None = None,
) -> Iterator[Entry]:
    """The entries of *setting*, which is decided. *changes* has the texts of its late parts."""
    if setting is not None:
        found = _taken_of(setting, _base(deciding), changes.fills if changes is not None else {})
        yield from found if changes is None else _filled(found, changes)
        if not is_unset(setting):
            yield from _order(deciding, group, setting)
            yield from _order_of_parts(deciding, group, setting)


def of_config(deciding: Deciding) -> Iterator[Entry]:
    """Those of `config`. Raises Failed."""
    kept = config_of(deciding)
    for setting in (*kept, *unset_config_of(deciding)):
        yield from _taken_of(setting, (), {})
    for setting in kept:
        yield from _order(deciding, (CONFIG, setting.key), setting)


def of_pin(elaboration: Elaboration, deciding: Deciding) -> Iterator[Entry]:
    """Those of the platforms of the pin. Raises Failed."""
    pin = decide_pin(deciding, elaboration.pins)
    for setting in pin.systems if pin is not None else ():
        yield from _taken_of(setting, (), {})


def of_overlays(
    elaboration: Elaboration, deciding: Deciding, overlays: tuple[ir.Overlay, ...]
) -> Iterator[Entry]:
    """Those of the list of overlays, and of the *overlays* in it. Raises Failed."""
    listed = deciding.decide(("overlays", ""))
    if listed is not None:
        yield from _taken_of(listed, (), {})
    declared = {one.span: one for one in elaboration.program.overlays}
    for one in overlays:
        overlay = declared[one.declared]
        if overlay.patch:
            continue
        plan = elaboration.overlays.plan(overlay, deciding.matrix)
        inner = deciding.within(plan, overlay.name)
        yield from of_package(inner)


# --- one setting ------------------------------------------------------------------------------


def _base(deciding: Deciding) -> ir.Path:
    return ("overlays", deciding.overlay) if deciding.overlay else ()


def _order(deciding: Deciding, group: GroupKey, setting: ir.Setting) -> Iterator[Entry]:
    """An entry for a setting whose first write decides only its place."""
    written = deciding.plan.groups.get(group, ())
    if len(written) > 1 and group[0] not in IN_PARTS:  # scripts are in the order of the phases
        first = written[0].write
        if first.span not in {origin.span for origin in _origins(setting)}:
            path = (*_base(deciding), *[step for step in group if step])
            yield _first(deciding, path, ".".join(path), first)


def _order_of_parts(deciding: Deciding, group: GroupKey, setting: ir.Setting) -> Iterator[Entry]:
    """Entries for the parts whose first write decides only their place."""
    origins: dict[str | None, set[Span]] = {}
    for part in setting.parts:
        if part.origin is not None:
            origins.setdefault(part.name, set()).add(part.origin.span)
    written: dict[str, list[hir.Write]] = {}
    for placed in deciding.plan.groups.get(group, ()) if origins else ():
        place = placed.write.part
        if place is not None and place.name is not None:
            written.setdefault(place.name, []).append(placed.write)
    path = (*_base(deciding), *group)
    for name, (first, *more) in written.items():
        spans = origins.get(name)
        if more and spans and first.span not in spans:
            text = f"script {group[1]}" if group[0] in IN_PARTS else ".".join(path)
            yield _first(deciding, path, f"part {name} of {text}", first)


def _first(deciding: Deciding, path: ir.Path, what: str, write: hir.Write) -> Entry:
    tracing = deciding.shared.tracing
    assert tracing is not None
    return Entry("order", path, what, write.span, tracing.numbering.lines(write.span))


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
    lost: Sequence[ir.Shadowed], path: ir.Path, over: ir.Origin | None, fills: Mapping[str, str]
) -> Iterator[Entry]:
    """What was taken out of a setting, what took it out, and what lost to another value, which is
    written at *over*. *fills* has the texts of late parts."""
    for number, one in enumerate(lost):
        if one.prov is None:
            continue
        lines = one.prov.all | one.prov.head
        if one.reason == ir.TAKEN_OUT:
            yield Entry("removed", path, _shown(one.value, fills), one.origin.span, lines)
        elif one.reason == ir.BEGUN_ANEW:
            yield Entry("removed", path, BEFORE, one.origin.span, lines)
        else:
            # An element that was taken out stands before what takes it out.
            taker = next((other for other in lost[number:] if other.reason == ir.TAKEN_OUT), None)
            by = taker.origin if one.op == "+=" and taker is not None else over
            span = by.span if by is not None else None
            what = _shown(one.value, fills)
            yield Entry("shadowed", path, what, one.origin.span, lines, span, one.reason)


def _shown(value: Value, fills: Mapping[str, str]) -> str:
    """*value* as it is shown, its late parts filled in."""
    if fills:
        from tvarc.decide.late import without_late

        value = without_late(value, fills)
    return show(value)


def _filled(entries: Iterable[Entry], changes: ir.Changes) -> Iterator[Entry]:
    """The *entries* with the lines of late parts."""
    for entry in entries:
        (lines,) = all_filled((entry.lines,), changes.filled or {})
        yield entry if lines == entry.lines else replace(entry, lines=lines)


BEFORE: Final = "what is written before"
WHOLE: Final = "all of it"


def _taken_parts(
    parts: Iterable[ir.Part], path: ir.Path, fills: Mapping[str, str]
) -> Iterator[Entry]:
    for part in parts:
        yield from _shadowed(part.shadowed, path, part.origin, fills)
        if part.prov is not None and part.origin is not None:
            lines = part.prov.all | part.prov.head
            yield Entry("removed", path, f"part {part.name}", part.origin.span, lines)


def _taken_of(
    setting: ir.Setting, base: ir.Path, fills: Mapping[str, str]
) -> Iterator[Entry]:
    # As `explain` names it: in an overlay attributes stand plainly.
    plain = bool(base) and setting.path[0] == ATTRIBUTES
    path = (*base, *setting.path[1 if plain else 0 :])
    yield from _shadowed(setting.shadowed, path, setting.origin, fills)
    for part in setting.parts:
        yield from _shadowed(part.shadowed, path, part.origin, fills)
    others = any(one.value is not NONE for one in setting.shadowed) or setting.unset
    if setting.value is NONE and setting.prov is not None and setting.path[0] != "pin" and others:
        lines = setting.prov.all | setting.prov.head
        yield Entry("removed", path, WHOLE, setting.origin.span, lines)
    yield from _taken_parts(setting.taken, path, fills)
    for inner in (*(setting.children or ()), *setting.unset):
        yield from _taken_of(inner, base, fills)
