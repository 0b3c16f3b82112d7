"""The parts of a recipe beside its settings: the pin, and the overlays in effect."""

from __future__ import annotations

from tvarc import ir
from tvarc.elaborate.decide import Deciding, Shared, origin_of
from tvarc.elaborate.plan import Plan, overlay_plan
from tvarc.light import replace
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.sema.fetched import fetched
from tvarc.sema.formats import PATCH_FORMATS, PIN_FORMATS
from tvarc.source import Span
from tvarc.values import (
    NONE,
    UNLOCKED,
    DeclValue,
    Missing,
    PathValue,
    Record,
    Value,
    show,
    type_name,
)


def decide_pin(deciding: Deciding, pins: dict[str, hir.PinDef]) -> ir.Pin | None:
    """The pin of the variant; None for `pin = none`. Raises Failed after reporting."""
    sink = deciding.shared.sink
    setting = deciding.decide(("pin", ""))
    if setting is not None and setting.value == NONE:
        return None
    if setting is not None:
        value = setting.value
        if not isinstance(value, DeclValue) or value.kind != "pin":
            sink.error(
                "E301",
                "`pin` names a pin, or none",
                setting.origin.span,
                f"this is {type_name(value)}",
            )
            raise Failed
        return make_pin(pins[value.id], deciding)
    if len(pins) == 1:
        return make_pin(next(iter(pins.values())), deciding)
    names = ", ".join(pin.name for pin in pins.values())
    sink.error(
        "E506",
        f"recipe `{deciding.matrix.recipe.name}` has no pin",
        deciding.matrix.recipe.span,
        "which nixpkgs?",
        notes=(f"there are several: {names}",) if pins else ("no pin is declared",),
        help="write `pin = NAME` in the recipe"
        if pins
        else "declare a `pin`, or write `pin = none` for a function that callPackage fills",
    )
    raise Failed


def make_pin(pin: hir.PinDef, deciding: Deciding) -> ir.Pin:
    fields: dict[str, str] = {}
    evaluator = deciding.evaluator()
    unlocked = False
    for name, write in pin.fields.items():
        value = evaluator.value(write.value)
        if name == "hash" and value == UNLOCKED:
            unlocked = True
            continue
        if PIN_FORMATS[name].refuse(name, value, write.value.span, deciding.shared.sink):
            raise Failed
        if value is None:
            continue
        assert isinstance(value, str)
        fields[name] = value
    url = fields.get("url")
    if url is None:
        if not {"github", "rev"} <= fields.keys():
            raise Failed
        url = f"https://github.com/{fields['github']}/archive/{fields['rev']}.tar.gz"
    what = fetched("tarball", {"url": url})
    assert what is not None
    place = pin.fields["hash"].value.span if "hash" in pin.fields else pin.span
    known = deciding.shared.hashes.of(
        what, fields.get("hash"), place, deciding.shared.sink, optional=not unlocked
    )
    written = tuple((name, origin_of(write)) for name, write in pin.fields.items())
    return ir.Pin(pin.name, url, fields.get("rev", ""), known, pin.span, written)


class Overlays:
    """The overlays of variants; each is decided once for what it reads."""

    __slots__ = ("by_id", "plans", "shared", "used")

    def __init__(self, overlays: tuple[hir.OverlayDef, ...], shared: Shared) -> None:
        self.by_id = {overlay.id: overlay for overlay in overlays}
        self.shared = shared
        self.plans: dict[tuple[str, str], Plan] = {}
        self.used: set[str] = set()

    def decide(self, deciding: Deciding) -> tuple[ir.Overlay, ...]:
        """The variant's overlays, in order. Raises Failed after reporting."""
        setting = deciding.decide(("overlays", ""))
        if setting is None:
            return ()
        sink = self.shared.sink
        if setting.elements is None:
            sink.error(
                "E301",
                "`overlays` is a list",
                setting.origin.span,
                f"this is {type_name(setting.value)}",
            )
            raise Failed
        found: list[ir.Overlay] = []
        seen: dict[str, ir.Origin] = {}
        for element in setting.elements:
            value = element.value
            if not isinstance(value, DeclValue) or value.kind not in ("overlay", "patch"):
                sink.error(
                    "E301",
                    f"{show(value)[:60]} is no overlay",
                    element.origin.span,
                    f"this is {type_name(value)}",
                    help="`overlays` lists overlays and patches by name",
                )
                raise Failed
            if value.id in seen:
                sink.error(
                    "E202",
                    f"`{value.name}` is applied twice",
                    element.origin.span,
                    "again here",
                    others=((seen[value.id].span, "first here"),),
                    help="an overlay is listed once",
                )
                raise Failed
            seen[value.id] = element.origin
            self.used.add(value.id)
            found.append(self.one(self.by_id[value.id], element.origin, deciding))
        return tuple(found)

    def plan(self, overlay: hir.OverlayDef, matrix: hir.MatrixDef) -> Plan:
        """The plan of *overlay* in a matrix."""
        key = (overlay.id, matrix.id)
        plan = self.plans.get(key)
        if plan is None:
            axes = tuple(pick.axis.name for pick in matrix.axes)
            plan = self.plans[key] = overlay_plan(overlay, axes, self.shared.sink)
        return plan

    def one(self, overlay: hir.OverlayDef, listed: ir.Origin, deciding: Deciding) -> ir.Overlay:
        plan = self.plan(overlay, deciding.matrix)
        inner = Deciding(
            plan,
            self.shared,
            deciding.matrix,
            deciding.variant,
            deciding.values,
            overlay.name,
        )
        via = (
            overlay.via.value.value
            if overlay.via and isinstance(overlay.via.value, hir.Const)
            else ""
        )
        patch: tuple[ir.Setting, ...] = ()
        if overlay.patch:
            patch = self.patch(plan, inner)
        return ir.Overlay(
            overlay.name,
            overlay.relation,
            overlay.target,
            overlay.because,
            str(via),
            ir.Changes() if overlay.patch else changes(inner),
            patch,
            listed,
            overlay.span,
        )

    def patch(self, plan: Plan, inner: Deciding) -> tuple[ir.Setting, ...]:
        """The fields of a patch, checked."""
        found: list[ir.Setting] = []
        place: Span | None = None
        for key in plan.groups:
            setting = inner.decide(key)
            if setting is None:
                continue
            write = plan.groups[key][0].write
            known = PATCH_FORMATS.get(setting.key)
            span = write.value.span
            unlocked = setting.key == "hash" and setting.value == UNLOCKED
            if (
                known is not None
                and not unlocked
                and known.refuse(setting.key, setting.value, span, self.shared.sink)
            ):
                raise Failed
            if setting.key == "file" and not isinstance(setting.value, PathValue):
                self.shared.sink.error(
                    "E301",
                    "`file` of a patch is a path",
                    write.value.span,
                    f"this is {type_name(setting.value)}",
                    help='write `file = path("./a.patch")`',
                )
                raise Failed
            if setting.key == "hash":
                place = span
            found.append(setting)
        return self.with_hash(tuple(found), place)

    def with_hash(
        self, fields: tuple[ir.Setting, ...], place: Span | None
    ) -> tuple[ir.Setting, ...]:
        """The fields of a patch by url, with the hash that is known of it."""
        what = fetched("patch", {setting.key: setting.value for setting in fields})
        stated = Record(tuple((s.key, s.value) for s in fields)).get("hash")
        if what is None or place is None or isinstance(stated, Missing):
            return fields
        known: Value = self.shared.hashes.of(
            what, stated if isinstance(stated, str) else None, place, self.shared.sink
        )
        return tuple(replace(s, value=known) if s.key == "hash" else s for s in fields)


def changes(deciding: Deciding) -> ir.Changes:
    """What a plan changes about its package. All errors are reported before Failed is raised."""
    failed = False

    def settings(block: str) -> tuple[ir.Setting, ...]:
        nonlocal failed
        found: list[ir.Setting] = []
        for key in deciding.plan.keys(block):
            try:
                setting = deciding.decide((block, key))
            except Failed:
                failed = True
                continue
            if setting is not None:
                found.append(setting)
        return tuple(found)

    def scripts() -> tuple[ir.Script, ...]:
        nonlocal failed
        found: list[ir.Script] = []
        for name in deciding.plan.scripts:
            try:
                script = deciding.script(name)
            except Failed:
                failed = True
                continue
            if script is not None:
                found.append(script)
        return tuple(found)

    made = ir.Changes(
        settings("args"),
        settings("attrs"),
        settings("env"),
        scripts(),
        settings("passthru"),
        settings("meta"),
    )
    names = {setting.key: setting for setting in made.attrs}
    for script in made.scripts:
        if script.name in names:
            first = next(part.origin for part in script.parts if part.origin is not None)
            deciding.shared.sink.error(
                "E501",
                f"`{script.name}` is an attribute and a script",
                first.span,
                "a part of the script",
                others=((names[script.name].origin.span, "the attribute"),),
                help="write all of it as a script",
            )
            failed = True
    if failed:
        raise Failed
    return made
