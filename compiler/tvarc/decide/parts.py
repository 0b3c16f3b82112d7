"""The parts of a recipe besides its settings: the pin, and the overlays in effect."""

from __future__ import annotations

from tvarc.blocks import OF_SYSTEMS
from tvarc.decide import messages as msg
from tvarc.decide.decide import Deciding, Shared
from tvarc.decide.merge import origin_of
from tvarc.decide.order import Orders
from tvarc.decide.plan import GroupKey, Plan, group_of, overlay_plan
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    lru_cache,
    replace,
)
from tvarc.meaning import hir
from tvarc.meaning.declarations.sources import TARGET, UNTIL, no_such_form
from tvarc.meaning.evaluation.fetched import fetched, tarball
from tvarc.meaning.evaluation.formats import PATCH_FORMATS, PIN_FORMATS
from tvarc.meaning.evaluation.kinds import walk
from tvarc.nix import ir
from tvarc.nix.nixpkgs import (
    FEATURES,
    NAMES_PLATFORM,
    Kind,
    cannot_fetch,
    has,
    has_sets,
    is_python_set,
    leads_through_set,
    name_of_set,
)
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span
from tvarc.values.value import (
    NONE,
    UNLOCKED,
    DeclValue,
    Missing,
    NixCall,
    NixRef,
    PathValue,
    Record,
    RowValue,
    Value,
    Version,
    same,
    show,
    show_short,
    type_name,
)

if TYPE_CHECKING:
    from tvarc.decide.portions import Decided, Portions
    from tvarc.values.provenance import Filled, Prov


def decide_pin(deciding: Deciding, pins: dict[str, hir.PinDef]) -> ir.Pin | None:
    """The pin of the variant; None for `pin = none`. Raises Failed after reporting."""
    sink = deciding.shared.sink
    setting = deciding.decide(("pin", ""))
    if setting is not None and setting.value == NONE:
        return None
    if setting is not None:
        value = setting.value
        if not isinstance(value, DeclValue) or value.kind != "pin":
            raise sink.refuse(msg.pins.BAD_PIN, setting.origin.span, kind=type_name(value))
        return make_pin(pins[value.id], deciding)
    if len(pins) == 1:
        return make_pin(next(iter(pins.values())), deciding)
    recipe = deciding.matrix.recipe
    written = deciding.plan.groups.get(("pin", ""), ())
    if written:
        raise sink.refuse(
            msg.pins.NO_PIN_HERE,
            recipe.span,
            others=[placed.write.span for placed in written],
            cause=f"no pin {recipe.id}",
            recipe=recipe.name,
            cell=cell_of(deciding, [("pin", "")]),
        )
    names = ", ".join(pin.name for pin in pins.values())
    raise sink.refuse(
        msg.pins.NO_PIN_CHOSEN if pins else msg.pins.NO_PIN_DECLARED,
        recipe.span,
        recipe=recipe.name,
        names=names,
    )


def decide_scope(deciding: Deciding) -> ir.Setting | None:
    """The package set whose callPackage passes packages to the variant. None or `none` is the top
    level of nixpkgs. Raises Failed after reporting."""
    setting = deciding.decide(("scope", ""))
    if setting is None or setting.value == NONE:
        return setting
    value = setting.value
    if not isinstance(value, NixRef) or value.root != "pkgs":
        raise deciding.shared.sink.refuse(
            msg.packages.BAD_SCOPE, setting.origin.span, kind=type_name(value)
        )
    return setting


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
        if isinstance(value, Version):
            value = value.text
        assert isinstance(value, str)
        fields[name] = value
    systems = tuple([one for block in OF_SYSTEMS for one in decided_block(block, deciding)])
    check_platforms(pin, systems, deciding)
    written = tuple((name, origin_of(write)) for name, write in pin.fields.items())
    release, date = fields.get("release", ""), fields.get("date", "")
    url, known = "", None
    if not pin.checkout:
        url = _address(fields)
        what = fetched("tarball", {"url": url})
        assert what is not None
        place = deciding.written_at(pin.fields["hash"].value) if "hash" in pin.fields else pin.span
        known = deciding.shared.hashes.of(
            what, fields.get("hash"), place, deciding.shared.sink, optional=not unlocked
        )
    return ir.Pin(
        pin.name,
        url,
        fields.get("rev", "") if url else "",
        known,
        pin.span,
        written,
        release,
        date,
        age_of(release, date),
        pin.checkout,
        systems,
        _pin_prov(pin, deciding),
    )


def _address(fields: Mapping[str, str]) -> str:
    """The address of the archive of a pinned nixpkgs. Raises Failed if it is already refused."""
    if "url" in fields:
        return fields["url"]
    if not {"github", "rev"} <= fields.keys():
        raise Failed
    return tarball(fields["github"], fields["rev"])


def _pin_prov(pin: hir.PinDef, deciding: Deciding) -> ir.PinProv | None:
    tracing = deciding.shared.tracing
    if tracing is None:
        return None
    choice = deciding.decide(("pin", ""))
    chosen = tracing.numbering.first(pin.span)
    if choice is not None and choice.prov is not None:
        chosen |= choice.prov.all | choice.prov.head
    fields = [(name, tracing.write(deciding, write).all) for name, write in pin.fields.items()]
    return ir.PinProv(chosen, tuple(fields))


def decided_block(block: str, deciding: Deciding) -> tuple[ir.Setting, ...]:
    """A block of the variant's pin, in its order, followed by the additions of recipes."""
    found = [deciding.decide((block, key)) for key in deciding.pin_keys(block)]
    return tuple(setting for setting in found if setting is not None)


def check_platforms(
    pin: hir.PinDef,
    systems: tuple[ir.Setting, ...],
    deciding: Deciding,
) -> None:
    """Refuse a platform that nixpkgs would not know. Raises Failed after reporting."""
    failed = False
    cross = [one for one in systems if one.path[0] == "crossSystem"]
    if cross and not {setting.key for setting in cross} & NAMES_PLATFORM:
        deciding.shared.sink.report(msg.pins.NO_PLATFORM, cross[0].origin.span, pin=pin.name)
        failed = True
    for setting in systems:
        if setting.key in NAMES_PLATFORM and not isinstance(setting.value, str):
            deciding.shared.sink.report(
                msg.pins.BAD_PLATFORM,
                setting.origin.span,
                key=setting.key,
                kind=type_name(setting.value),
            )
            failed = True
    if failed:
        raise Failed


@lru_cache(maxsize=64)  # a pin is decided a few times, for files and for lints
def age_of(release: str, date: str) -> ir.Age:
    """The known features of a nixpkgs with this *release* and *date*. Either may be empty."""
    if not release:
        return ir.UNKNOWN
    found = {feature: has(feature, release, date) for feature in FEATURES}
    return ir.Age(
        frozenset([feature for feature, there in found.items() if there is True]),
        frozenset([feature for feature, there in found.items() if there is False]),
    )


def check_age(overlay: ir.Overlay, age: ir.Age, sink: Sink) -> None:
    """Refuse settings that the variant's nixpkgs cannot express. Raises Failed after reporting."""
    check_env(overlay.changes, age, sink)
    fields = {setting.key: setting for setting in overlay.patch}
    relative = fields.get("relative")
    if relative is not None and age.knows("fetchpatch-relative") is False:
        raise sink.refuse(
            msg.patches.RELATIVE_PATCH,
            relative.origin.span,
            first=FEATURES["fetchpatch-relative"].first,
            overlay=overlay.name,
        )
    oldest = age.knows("python-scope") is False
    for target, setting, kinds in _fetched_by(overlay):
        if kinds.isdisjoint(cannot_fetch(target, oldest=oldest)):
            continue
        name = ".".join(target)
        raise sink.refuse(msg.patches.NOT_FETCHED_SO, setting.origin.span, name=name)


def _fetched_by(overlay: ir.Overlay) -> Iterator[tuple[ir.Path, ir.Setting, frozenset[Kind]]]:
    """For each setting of *overlay* that changes a package: the package's name in nixpkgs, the
    setting, and the kinds of fetchers in its value."""
    for setting in overlay.patch:
        if setting.key == "url":
            yield overlay.target, setting, frozenset(("patch",))
    for setting in (*overlay.changes.args, *overlay.changes.attrs):
        kinds = _kinds(setting.value)
        for element in setting.elements or ():
            kinds |= _kinds(element.value)
        of_package = overlay.relation == "for"
        yield overlay.target if of_package else (*overlay.target, setting.key), setting, kinds


def _kinds(value: Value) -> frozenset[Kind]:
    """The kinds of fetchers that *value* is, or contains."""
    match value:
        case NixCall("url"):
            return frozenset(("url",))
        case NixCall("github"):
            whole = value.argument("submodules") is True
            return frozenset(("git",) if whole else ("github",))
        case tuple():
            return frozenset[Kind]().union(*map(_kinds, value))
        case _:
            return frozenset()


def check_env(changes: ir.Changes, age: ir.Age, sink: Sink) -> None:
    """Refuse a variable with the name of an attribute or a script, if nixpkgs keeps all of these in
    one place. Raises Failed after reporting."""
    if age.knows("env") is not False:
        return
    taken = {one.key: one.origin.span for one in (*changes.attrs, *changes.scripts)}
    failed = False
    for setting in changes.env:
        if setting.key in taken:
            sink.report(
                msg.merging.VARIABLE_AND_ATTRIBUTE,
                setting.origin.span,
                others=[taken[setting.key]],
                key=setting.key,
                first=FEATURES["env"].first,
            )
            failed = True
    if failed:
        raise Failed


class Overlays:
    """The overlays of variants. Variants share the decision of an overlay if what it reads is equal
    in them."""

    __slots__ = ("by_id", "orders", "plan_of", "plans", "shared", "used")

    def __init__(
        self,
        overlays: tuple[hir.OverlayDef, ...],
        plan_of: Callable[[hir.MatrixDef], Plan],
        shared: Shared,
    ) -> None:
        self.plan_of = plan_of
        self.by_id = {overlay.id: overlay for overlay in overlays}
        self.shared = shared
        self.plans: dict[tuple[str, str], Plan] = {}
        self.used: set[str] = set()
        self.orders = Orders()

    def plans_used(self) -> Iterator[Plan]:
        """The plans of overlays in effect. Other plans may exist, for lists that were shadowed."""
        return (plan for (overlay, _), plan in self.plans.items() if overlay in self.used)

    def decide(self, deciding: Deciding) -> tuple[ir.Overlay, ...]:
        """The variant's overlays, in the order in which they are applied. Raises Failed after
        reporting."""
        setting = deciding.decide(("overlays", ""))
        if setting is None:
            return ()
        sink = self.shared.sink
        if setting.elements is None:
            given = setting.value
            raise sink.refuse(
                msg.overlays.NO_OVERLAYS if given in (None, NONE) else msg.overlays.NO_LIST,
                setting.origin.span,
                kind=type_name(given),
                declared=show(given)[:40] if isinstance(given, DeclValue) else None,
            )
        found: list[ir.Overlay] = []
        seen: dict[str, ir.Origin] = {}
        failed = False
        for element in setting.elements:
            value = element.value
            if not isinstance(value, DeclValue) or value.kind not in ("overlay", "patch"):
                raise sink.refuse(
                    msg.overlays.NO_OVERLAY,
                    element.origin.span,
                    value=show_short(value),
                    kind=type_name(value),
                )
            if value.id in seen:
                raise sink.refuse(
                    msg.overlays.APPLIED_TWICE,
                    element.origin.span,
                    others=[seen[value.id].span],
                    value=value.name,
                )
            seen[value.id] = element.origin
            self.used.add(value.id)
            try:
                self.check_flags(self.by_id[value.id], element, deciding)
                found.append(self.one(self.by_id[value.id], element, deciding))
            except Failed:
                failed = True
        if failed:
            raise Failed
        return self.orders.in_order(tuple(found))

    def plan(self, overlay: hir.OverlayDef, matrix: hir.MatrixDef) -> Plan:
        """The plan of *overlay* in *matrix*."""
        key = (overlay.id, matrix.id)
        plan = self.plans.get(key)
        if plan is None:
            lister = self.plan_of(matrix)
            plan = self.plans[key] = overlay_plan(overlay, lister, self.shared.sink)
        return plan

    def one(self, overlay: hir.OverlayDef, element: ir.Element, deciding: Deciding) -> ir.Overlay:
        """*overlay*, decided. *element* of the recipe's list names it. Raises Failed."""
        plan = self.plan(overlay, deciding.matrix)
        inner = deciding.within(plan, overlay.name)
        via = (
            overlay.via.value.value
            if overlay.via and isinstance(overlay.via.value, hir.Const)
            else ""
        )
        target = self.target(overlay, inner)
        path = target if overlay.relation == "in" else target[:-1]
        if overlay.via is not None and path:
            notes = (cell_of(inner, ((TARGET, str(at)) for at in range(len(path)))),)
            span = overlay.via.value.span
            if no_such_form(str(via), path, span, self.shared.sink, notes):
                raise Failed
        patch: tuple[ir.Setting, ...] = ()
        if overlay.patch:
            patch = self.patch(plan, inner)
        return ir.Overlay(
            overlay.name,
            overlay.relation,
            target,
            self.reason(overlay),
            str(via),
            ir.Changes() if overlay.patch else _changes_alone(inner),
            patch,
            element.origin,
            overlay.span,
            self.prov(overlay, element, inner),
            self.until(overlay, path, target, inner),
        )

    def until(
        self, overlay: hir.OverlayDef, path: ir.Path, target: ir.Path, inner: Deciding
    ) -> ir.Until | None:
        """The condition under which *overlay* is no longer needed. It changes *target* in the set
        at *path*. Raises Failed after reporting."""
        declared = overlay.until
        setting = inner.decide((UNTIL, "")) if declared is not None else None
        if declared is None or setting is None:
            return None
        if not isinstance(setting.value, Version):
            raise self.shared.sink.refuse(
                msg.overlays.NO_VERSION, declared.version.span, kind=type_name(setting.value)
            )
        named = declared.package
        if not declared.nixpkgs:
            self.refuse_set_in_set(declared, path, setting.value.text)
            return ir.Until((*path, *named), len(named), setting.value.text, declared.span)
        # Nix inspects the package in the set before the overlay. The Python sets of nixpkgs already
        # have the overlay.
        around = named[:-1]
        of_python = bool(path and around) and is_python_set(path) and is_python_set(around)
        same = of_python and (
            name_of_set(around) == name_of_set(path) or named[-1:] == target[len(path) :]
        )
        return ir.Until(named, int(same), setting.value.text, declared.span)

    def refuse_set_in_set(self, declared: hir.Until, path: ir.Path, version: str) -> None:
        """Report an `until` that names a package set inside the set at *path*. That set has no such
        package, so the overlay would be needed forever. Raises Failed after reporting."""
        named = declared.package
        if not path or len(named) < 2:
            return
        same = name_of_set(path)
        again = next((n for n in range(1, len(named)) if name_of_set(named[:n]) == same), 0)
        if not again and not leads_through_set(named) and has_sets(path):
            return
        own, written = ".".join(path), ".".join(named)
        right = named[again:] if again else ("pkgs", *named)
        raise self.shared.sink.refuse(
            msg.overlays.NO_SUCH_PACKAGE,
            declared.span,
            own=own,
            written=written,
            name=".".join(right),
            version=version,
        )

    def reason(self, overlay: hir.OverlayDef) -> str:
        tracing = self.shared.tracing
        if tracing is None:
            return overlay.because
        return tracing.reason(overlay.because, overlay.because_span)

    def prov(self, overlay: hir.OverlayDef, element: ir.Element, inner: Deciding) -> Prov | None:
        """The provenance of the effect of *overlay*: its place in the list, its declaration, its
        target, and the way in which it changes the set."""
        tracing = self.shared.tracing
        if tracing is None or element.prov is None:
            return None
        lines = tracing.overlay(overlay)
        computed = [step for step in overlay.target if isinstance(step, hir.Write)]
        if overlay.until is not None:
            computed.append(overlay.until.version)
        for step in computed:
            setting = inner.decide(group_of(step.path))
            if setting is not None and setting.prov is not None:
                lines |= setting.prov.all
        return element.prov.under(lines)

    def target(self, overlay: hir.OverlayDef, inner: Deciding) -> ir.Path:
        """The target of *overlay* in this variant. Raises Failed after reporting."""
        steps: list[str] = []
        for step in overlay.target:
            if isinstance(step, str):
                steps.append(step)
                continue
            group = group_of(step.path)
            setting = inner.decide(group)
            value = setting.value if setting is not None else None
            if isinstance(value, RowValue):
                value = value.name
            if not isinstance(value, str) or not value:
                raise self.shared.sink.refuse(
                    msg.overlays.EMPTY_TARGET if value == "" else msg.overlays.BAD_TARGET,
                    step.value.span,
                    overlay=overlay.name,
                    kind="patch" if overlay.patch else "overlay",
                    found=type_name(value),
                    cell=cell_of(inner, (group,)),
                )
            steps.append(value)
        return tuple(steps)

    def check_flags(self, overlay: hir.OverlayDef, element: ir.Element, deciding: Deciding) -> None:
        """Refuse an overlay that reads a flag that the recipe does not have. *element* of the
        recipe's list names the overlay. Raises Failed after reporting."""
        known = deciding.plan.flags
        plan = self.plan(overlay, deciding.matrix)
        missing = [ref for ref in plan.flags_read() if ref.path[1] not in known]
        if not missing:
            return
        recipe = deciding.matrix.recipe
        span = _listed_at(element, deciding)
        kind = "patch" if overlay.patch else "overlay"
        for name in dict.fromkeys(ref.path[1] for ref in missing):
            self.shared.sink.report(
                msg.flags.UNKNOWN_FLAG,
                span,
                others=tuple((ref.span, "read here") for ref in missing if ref.path[1] == name)[:1],
                recipe=recipe.name,
                name=name,
                kind=kind,
                overlay=overlay.name,
                guess=guess(name, known),
            )
        raise Failed

    def patch(self, plan: Plan, inner: Deciding) -> tuple[ir.Setting, ...]:
        """The fields of a patch, after checks. Raises Failed after reporting."""
        found: list[ir.Setting] = []
        place: Span | None = None
        for key in plan.groups:
            if key[0] in (TARGET, UNTIL):
                continue
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
                raise self.shared.sink.refuse(
                    msg.patches.BAD_PATCH_FILE, write.value.span, kind=type_name(setting.value)
                )
            if setting.key == "hash":
                place = inner.written_at(write.value)
            found.append(setting)
        return self.with_hash(tuple(found), place)

    def with_hash(
        self, fields: tuple[ir.Setting, ...], place: Span | None
    ) -> tuple[ir.Setting, ...]:
        """The fields of a patch with an address, with the hash that is known for it."""
        given = {setting.key: setting.value for setting in fields}
        if given.get("url") is None:
            return fields  # the declaration reports the missing field
        what = fetched("patch", given)
        stated = Record(tuple((s.key, s.value) for s in fields)).get("hash")
        if what is None or place is None or isinstance(stated, Missing):
            return fields
        known: Value = self.shared.hashes.of(
            what, stated if isinstance(stated, str) else None, place, self.shared.sink
        )
        return tuple(
            replace(s, value=known, prov=s.prov.flat() if s.prov is not None else None)
            if s.key == "hash"
            else s
            for s in fields
        )


def cell_of(deciding: Deciding, groups: Iterable[GroupKey]) -> str:
    """The cell of a fault, as the values of the axes that *groups* depend on."""
    reads = deciding.shared.reads
    axes = {axis for group in groups for axis in deciding.plan.dependencies(group, reads)}
    values = [f"{name} = {show(v)}" for name, v in deciding.values.items() if name in axes]
    return f"where {', '.join(values)}" if values else "in every variant"


def _listed_at(element: ir.Element, deciding: Deciding) -> Span:
    """The place where the list of `overlays` names the declaration of *element*."""
    for placed in deciding.plan.groups.get(("overlays", ""), ()):
        if placed.write.span == element.origin.span:
            for expr in walk([placed.write.value], lets=True):
                if isinstance(expr, hir.Const) and same(expr.value, element.value):
                    return expr.span
    return element.origin.span


def _changes_alone(deciding: Deciding) -> ir.Changes:
    """The changes of a plan that has no other pieces. Raises Failed after reporting."""
    portions = deciding.portions(lambda _: (), tuple)
    return changes(deciding, portions, *portions.of(deciding))


def changes(
    deciding: Deciding,
    portions: Portions[Deciding, object],
    decided: tuple[Decided, ...],
    fills: ir.Fills,
    filled: Filled = (),
) -> ir.Changes:
    """A plan's changes to its package, composed of its portions and the texts for late parts. With
    tracing, *filled* has the provenance of these texts. Raises Failed after reporting, or if a
    portion failed."""
    blocks, unset = portions.blocks(decided), portions.unset(decided)
    made = ir.Changes(blocks, unset, fills, filled)
    failed = portions.has_failed and any(one.failed for one in decided)
    names = {setting.key: setting for setting in made.attrs} if portions.both else {}
    for script in made.scripts if names else ():
        if script.key in names:
            deciding.shared.sink.report(
                msg.merging.ATTRIBUTE_AND_SCRIPT,
                script.origin.span,
                others=[names[script.key].origin.span],
                key=script.key,
            )
            failed = True
    if failed:
        raise Failed
    return made
