"""Elaborate: decides all settings of each variant. Every value keeps its origins."""

from __future__ import annotations

from tvarc.blocks import CONFIG, OF_RECIPE, OF_SYSTEMS
from tvarc.decide import messages as msg
from tvarc.decide.checks import Checks, Effects, idle
from tvarc.decide.decide import Deciding, Shared, is_unset
from tvarc.decide.dependencies import declarations, overlays_dependencies, pin_dependencies
from tvarc.decide.merge import DEEPEST
from tvarc.decide.parts import (
    Overlays,
    changes,
    check_age,
    check_env,
    decide_pin,
    decide_scope,
    decided_block,
)
from tvarc.decide.plan import GroupKey, Plan, make_plan
from tvarc.decide.portions import FAILED, Piece, overlaid, values_of
from tvarc.decide.rows import Key, picker
from tvarc.light import TYPE_CHECKING, Callable, Iterator, Sequence, cast, dataclass, getitem
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.expand import Expansion
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.budget import COST_OF_FRAME, COST_OF_OVERLAY, is_small
from tvarc.nix import ir
from tvarc.nix.nixpkgs import is_set
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import (
    NONE,
    DeclValue,
    NixCall,
    NixRef,
    NixSource,
    PathValue,
    RowValue,
    type_name,
)

if TYPE_CHECKING:
    from tvarc.decide.late import Lates
    from tvarc.decide.needs import Needs
    from tvarc.decide.portions import Decided
    from tvarc.decide.provenance import Tracing
    from tvarc.values.provenance import Lines


FilesOf = Callable[[Deciding], tuple[tuple[str, str], ...]]
"""The path of a variant's file for each output, by the output's name. Raises Failed."""


@dataclass(frozen=True, slots=True)
class Override:
    """A value from the command line: the path of a setting (or `flag` and a name), and its
    expression."""

    path: hir.Path
    value: hir.Expr


@dataclass(frozen=True, slots=True)
class Rest:
    """All pieces of a recipe except the changes of its package. Variants with equal pieces share
    one object."""

    frame: ir.Frame
    flags: tuple[ir.Setting, ...]
    # The checks that the changes of the package need: that no argument is set if the package is a
    # `call`, and that no variable has the name of an attribute.
    checks_args: bool
    checks_env: bool


class Elaboration:
    """Decides variants of one program, in any number and order. A setting is decided once for all
    variants that agree on its reads. Its faults are reported once, to `sink`. A program has one
    elaboration, and a second one if it is traced."""

    def __init__(
        self,
        program: hir.Program,
        overrides: tuple[Override, ...],
        sink: Sink,
        tracing: Tracing | None = None,
    ) -> None:
        """With *tracing*, decided values carry their source lines."""
        self.program = program
        self.overrides = overrides
        self.sink = sink
        self.tracing = tracing
        self.shared = Shared(sink, Dependencies(), tracing=tracing)
        self.pins = {pin.id: pin for pin in program.pins}
        self.overlays = Overlays(program.overlays, self.plan, self.shared)
        self.checks = Checks(program.warn_off, self.shared.reads)
        self.plans: dict[str, Plan] = {}
        self._lates: dict[Plan, Lates] = {}
        self.decided: tuple[Decided, ...] = ()  # the portions of the last recipe
        # The frames of recipes, by the identities of their parts.
        self._frames: dict[tuple[int, ...], ir.Frame] = {}
        # The identities of the overlays in these frames.
        self._overlays: set[int] = set()
        # The values of a matrix's axes by their numbers, and the names of its recipes, by its id.
        self._axes: dict[str, list[dict[int, ir.AxisValue]]] = {}
        self._chains: dict[str, tuple[str, ...]] = {}
        # With tracing, the parts of the heads of files, by the id of the matrix.
        self._heads: dict[str, list[HeadPart]] = {}
        self._outputs = tuple([output.file.span for output in program.outputs])
        self._needs: Needs | None = None
        self._pieces_of, self._rest_of = self.pieces, self.rest_of  # bound once
        self.shared.linking = lambda: self.needs

    def begin(self, sink: Sink) -> None:
        """Begin to decide all variants again, with what is already decided. Faults go to *sink*."""
        self.sink = self.shared.sink = self.shared.total.sink = sink
        self.checks.begin()
        for plan in self.plans.values():
            for check in (*plan.checks, *self.program.checks):
                self.shared.held.difference_update(map(id, check.conditions))

    def forget(
        self, plan: Plan, changed: set[GroupKey], affected: set[GroupKey], *, lets: bool
    ) -> bool:
        """Drop what *plan* has decided of the groups *affected*, since other values are written to
        those that are *changed*, with *lets* by `let`s. Returns whether their late parts are the
        same."""
        lates = self._lates.get(plan)
        late = lets and lates is not None and not changed.isdisjoint(lates.axes)
        for group in affected:
            self.shared.decided.get(group, {}).pop(plan, None)
            if lates is not None:
                lates.decided.pop(group, None)
        for (of, _), portions in self.shared.portions.items():
            if of is plan:
                portions.forget(None if late else affected)
        return lates is None or all(lates.is_as_before(group) for group in changed)

    @property
    def needs(self) -> Needs:
        """The needs of variants."""
        if self._needs is None:
            from tvarc.decide.needs import Needs

            self._needs = Needs(self)
        return self._needs

    def plan(self, matrix: hir.MatrixDef) -> Plan:
        plan = self.plans.get(matrix.id)
        if plan is None:
            plan = make_plan(matrix, self.program.pins, self.sink)
            for override in self.overrides:
                write = hir.Write(
                    override.path,
                    "=",
                    override.value,
                    "command line",
                    (),
                    "",
                    COMMAND_LINE_LAYER,
                    override.value.span,
                )
                if override.path[0] == "flag" and override.path[1] not in plan.flags:
                    continue
                if not self.idles(override, plan):
                    plan.add(write, DEEPEST)
            if self.program.stacked:
                made = plan
                plan.inner = lambda name: self.needs.reach(made, name, matrix)
            self.plans[matrix.id] = plan
        return plan

    def idles(self, override: Override, plan: Plan) -> bool:
        """Whether *override* unsets a setting that *plan* does not have and the plan of another
        matrix has. Then it has no effect here, and is no mistake."""
        value = override.value
        if override.path[0] not in OF_RECIPE or not isinstance(value, hir.Const):
            return False
        if value.value is not NONE or any(True for _ in plan.related(override.path)):
            return False
        pins = self.program.pins
        others = [make_plan(matrix, pins, Sink()) for matrix in self.program.matrices]
        return any(True for other in others for _ in other.related(override.path))

    def deciding(self, variant: Variant) -> Deciding:
        """The settings of *variant*. Each is decided when it is first read."""
        matrix = variant.matrix
        plan = self.plans.get(matrix.id) or self.plan(matrix)
        return Deciding(plan, self.shared, matrix, variant.name, variant, variant.indices)

    def printing(self, variant: Variant) -> Deciding:
        """The settings of *variant* for its file. Their texts may have late parts."""
        deciding = self.deciding(variant)
        if not self.program.stacked:
            lates = self._lates.get(deciding.plan)
            if lates is None:
                from tvarc.decide.late import Lates

                sizes = {pick.axis.name: len(pick.values) for pick in variant.matrix.axes}
                numbering = self.tracing.numbering if self.tracing is not None else None
                lates = Lates(deciding.plan, self.shared.reads, sizes, numbering)
                self._lates[deciding.plan] = lates
            deciding.lates = lates
        return deciding

    @property
    def are_current(self) -> bool:
        """Whether the edit before this build has left most variants as they were."""
        return all(portions.are_current for portions in self.shared.portions.values())

    def is_current(self, variant: Variant, decided: tuple[Decided, ...]) -> bool:
        """Whether *variant*, which had these decisions, still has them."""
        plan = self.plans[variant.matrix.id]
        portions = self.shared.portions.get((plan, not self.program.stacked))
        return portions is not None and portions.is_current(decided, lambda: self.printing(variant))

    def variant(
        self, variant: Variant, files_of: FilesOf, *, late: bool = False
    ) -> ir.Recipe | None:
        """The recipe of *variant*. None after reporting its faults. None also if the budget of all
        variants is spent, which is reported once. With *late*, its texts may have late parts."""
        return self.checked(self.printing(variant) if late else self.deciding(variant), files_of)

    def checked(self, deciding: Deciding, files_of: FilesOf) -> ir.Recipe | None:
        """The recipe of the variant of *deciding*, or None, as in `variant`."""
        if self.shared.total.reported:
            return None
        try:
            recipe = self.recipe(deciding, files_of)
        except Failed:
            recipe = None
        self.checks.run(deciding.plan.checks, self.program.checks, deciding)
        if self.program.stacked:
            self.check_needs(deciding)
        return recipe

    def check_needs(self, deciding: Deciding) -> None:
        """Run the checks of the recipes that `needs` puts into the recipe of *deciding*."""
        for name, recipe in self.needs.recipes_in(deciding.matrix):
            try:
                inner = self.needs.put_in(deciding, name, recipe)
            except Failed:
                continue
            if inner is not None:
                self.checks.run(inner.plan.checks, (), inner)
                self.check_needs(inner)

    def recipe(self, deciding: Deciding, files_of: FilesOf) -> ir.Recipe:
        """The recipe of the variant of *deciding*. *files_of* returns the paths of its files.
        Raises Failed after reporting all its faults."""
        made = needs = None
        failed = False
        matrix = deciding.matrix
        portions = deciding.portions(self._pieces_of, self._rest_of)
        decided, fills = portions.of(deciding)
        self.decided = decided
        head = self.head_prov(deciding)
        filled = portions.filled(decided, head.name) if head is not None else ()
        try:
            made = changes(deciding, portions, decided, fills, filled)
        except Failed:
            failed = True
        try:
            needs = self.needs.of(deciding) if self.program.stacked else ()
        except Failed:
            failed = True
        files = files_of(deciding)
        rest: Rest | None = portions.pieces(decided)  # type: ignore[assignment]
        if failed or rest is None or made is None or needs is None:
            raise Failed
        frame = rest.frame
        if rest.checks_args and made.args:
            first, named = made.args[0].origin.span, frame.package.origin.span
            raise self.sink.refuse(msg.packages.ARGS_OF_CALL, first, others=[named])
        if rest.checks_env:
            check_env(made, _age_of(frame), self.sink)
        if not is_small(*portions.most):
            # Hardly any recipe is large.
            from tvarc.decide.total import check_total

            check_total(frame, made, self.shared.total, self.sink)
        recipe = ir.Recipe(
            deciding.variant,
            matrix.name,
            matrix.span,
            self.chain(matrix),
            self.axes(deciding),
            frame,
            made,
            rest.flags,
            files,
            self._outputs,
            head,
            needs,
            self.program.looked_for,
        )
        if needs:
            self.needs.check(recipe)
        return recipe

    def chain(self, matrix: hir.MatrixDef) -> tuple[str, ...]:
        """The names of the recipes in the chain of *matrix*."""
        known = self._chains.get(matrix.id)
        if known is None:
            known = tuple([recipe.name for recipe in matrix.recipe.chain()])
            self._chains[matrix.id] = known
        return known

    def axes(self, deciding: Deciding) -> tuple[ir.AxisValue, ...]:
        """The values of the axes in a recipe."""
        known = self._axes.get(deciding.matrix.id)
        if known is None:
            known = self._axes[deciding.matrix.id] = [{} for _ in deciding.row]
        try:
            return tuple(map(getitem, known, deciding.row))
        except KeyError:
            values = zip(known, deciding.row, deciding.matrix.axes, strict=True)
            for of, number, pick in values:
                if number not in of:
                    value = deciding.values[pick.axis.name]
                    of[number] = ir.AxisValue.of(pick.axis.name, value, pick.axis.span)
            return self.axes(deciding)

    # --- the pieces of a recipe ----------------------------------------------------------

    def pieces(self, deciding: Deciding) -> list[Piece]:
        """The pieces of a variant with the plan of *deciding*: one for each field of `ir.Frame`,
        and the flags at the end."""
        plan = deciding.plan

        def of(*groups: GroupKey) -> frozenset[str]:
            return plan.transitive_dependencies(groups, self.shared.reads)[0]

        pin, listed = ("pin", ""), ("overlays", "")
        flags: list[GroupKey] = [("flag", name) for name in plan.flags]
        config = self.axes_of_config(plan)
        return [
            Piece(of(("package", "")), self.package),
            Piece(of(("scope", "")), decide_scope),
            Piece(config, config_of, values_of),
            Piece(config, unset_config_of),
            Piece(of(pin), lambda one: one.decide(pin)),
            Piece(of(listed), lambda one: one.decide(listed)),
            Piece(self.axes_of_pin(plan), lambda one: decide_pin(one, self.pins)),
            Piece(self.axes_of_overlays(plan, deciding.matrix), self.overlays.decide, overlaid),
            Piece(of(*flags), self.flags),
        ]

    def rest_of(self, pieces: Sequence[object]) -> Rest | None:
        """*pieces* joined; they have the order of the method `pieces`. None if one of them failed.
        None also after reporting that they do not fit together, or that the budget of all variants
        is spent."""
        if FAILED in pieces:
            return None
        *of_frame, flags = pieces
        key = tuple(map(id, of_frame))
        frame = self._frames.get(key)
        if frame is None:
            frame = ir.Frame(*of_frame)  # type: ignore[arg-type]
            try:
                self._check_frame(frame)
            except Failed:
                return None
            self._frames[key] = frame
        value = frame.package.value
        is_call = isinstance(value, NixCall) and value.function == "call"
        is_old = _age_of(frame).knows("env") is False
        return Rest(frame, cast("tuple[ir.Setting, ...]", flags), is_call, is_old)

    def _check_frame(self, frame: ir.Frame) -> None:
        """Charge a frame to the budget, and refuse one whose parts do not fit together. Raises
        Failed after reporting."""
        if frame.pin is None and frame.config:
            raise self.sink.refuse(msg.pins.CONFIG_WITHOUT_PIN, frame.config[0].origin.span)
        age = _age_of(frame)
        for overlay in frame.overlays:
            check_age(overlay, age, self.sink)
        before = len(self._overlays)  # frames keep the overlays, so identities stay unique
        self._overlays.update(map(id, frame.overlays))
        more = len(self._overlays) - before
        cost = COST_OF_FRAME + COST_OF_OVERLAY * more
        subject = ("overlays",) if more else ("package",)
        self.shared.charge(cost, subject, frame.package.origin.span)

    def axes_of_config(self, plan: Plan) -> frozenset[str]:
        """The axes that decide `config`."""
        groups = [(CONFIG, key) for key in plan.config_keys()]
        return plan.transitive_dependencies(groups, self.shared.reads)[0]

    def axes_of_pin(self, plan: Plan) -> frozenset[str]:
        """The axes that decide the pin."""
        reads = self.shared.reads
        axes, _ = pin_dependencies(plan, self.program.pins, reads, whole=True)
        blocks = [(block, key) for block in OF_SYSTEMS for key in plan.keys(block)]
        return axes | plan.transitive_dependencies(blocks, reads)[0]

    def axes_of_overlays(self, plan: Plan, matrix: hir.MatrixDef) -> frozenset[str]:
        """The axes that decide the overlays in effect."""
        if ("overlays", "") not in plan.groups:
            return frozenset()
        named = declarations(plan)
        listed = [placed.write.value for placed in plan.groups["overlays", ""]]
        if not all(is_list_of(one, named) for one in listed):
            return frozenset(plan.axes)  # a computed list may name any overlay
        axes, _ = plan.transitive_dependencies([("overlays", "")], self.shared.reads)
        return axes | overlays_dependencies(plan, named, self.overlays, matrix)[0]

    def head_prov(self, deciding: Deciding) -> ir.HeadProv | None:
        """The source lines of the head of the variant's file; None without tracing."""
        tracing = self.tracing
        if tracing is None:
            return None
        matrix = deciding.matrix
        heads = self._heads.get(matrix.id)
        if heads is None:
            heads = self._heads[matrix.id] = heads_of(matrix, self.shared.reads)
        labels = name = 0
        row = deciding.row
        for head in heads:
            key = head.pick(row)
            known = head.known.get(key)
            if known is None:
                known = head.known[key] = head.lines(deciding, tracing)
            labels |= known[0]
            name |= known[1]
        first = tracing.numbering.first
        return ir.HeadProv(name, labels, first(matrix.span) | first(matrix.recipe.span))

    def package(self, deciding: Deciding) -> ir.Setting:
        setting = deciding.decide(("package", ""))
        if setting is None:
            raise self.sink.refuse(
                msg.packages.NO_PACKAGE,
                deciding.matrix.recipe.span,
                recipe=deciding.matrix.recipe.name,
            )
        if not isinstance(setting.value, NixRef | NixSource | NixCall | PathValue):
            raise self.sink.refuse(
                msg.packages.NOT_OF_NIXPKGS,
                setting.origin.span,
                kind=type_name(setting.value),
            )
        value = setting.value
        if isinstance(value, NixCall) and value.function in ("input", "github", "url"):
            raise self.sink.refuse(msg.packages.SOURCE_AS_PACKAGE, setting.origin.span)
        if isinstance(value, PathValue | NixCall):
            from tvarc.meaning.evaluation.nix_files import refuse_no_nix

            if refuse_no_nix(value, setting.origin.span, self.shared.hashes, self.sink):
                raise Failed
        if isinstance(value, NixRef) and is_set(value.attributes):
            name = ".".join((value.root, *value.attributes))
            raise self.sink.refuse(
                msg.packages.SET_OF_PACKAGES
                if value.attributes != ("lib",)
                else msg.packages.LIB_AS_PACKAGE,
                setting.origin.span,
                name=name,
            )
        return setting

    def flags(self, deciding: Deciding) -> tuple[ir.Setting, ...]:
        found = [deciding.decide(("flag", name)) for name in deciding.plan.flags]
        return tuple(setting for setting in found if setting is not None)

    # --- the end -------------------------------------------------------------------------

    def finish(self, expansion: Expansion) -> None:
        """Report declarations without an effect. All variants must be decided, and their checks
        reported."""
        if self.sink.has_errors or self.overrides:
            return
        unread: list[hir.Write] = []
        if self.program.stacked:
            from tvarc.decide.unread import unread_needs

            unread = list(unread_needs(self.program, self.plans.values(), self.overlays))
        conditions = [c for plan in self.plans.values() for c in plan.conditions]
        conditions += [c for plan in self.overlays.plans_used() for c in plan.conditions]
        flags = {id(flag): flag for plan in self.plans.values() for flag, _ in plan.flags.values()}
        idle(
            self.program,
            expansion,
            conditions,
            list(flags.values()),
            Effects(
                self.shared.held | expansion.held,
                set(self.flags_read()),
                self.overlays.used,
                self.checks.silenced,
                self.shared.hashes.inputs,
                unread,
            ),
            self.sink,
        )

    def flags_read(self) -> Iterator[int]:
        """The flags that are read, by identity: by a write, a condition or a check of their plan,
        or by an overlay that a recipe of the plan lists."""
        reads = self.shared.reads
        for plan in self.plans.values():
            found = [reads.check(check) for check in plan.checks]
            found += [reads.expr(c.expr) for c in plan.conditions]
            found += [reads.expr(p.write.value) for group in plan.groups.values() for p in group]
            found += [reads.expr(flag.default) for flag, _ in plan.flags.values()]
            for one in found:
                for path in one.settings:
                    if path[0] == "flag" and path[1] in plan.flags:
                        yield id(plan.flags[path[1]][0])
        for plan in self.overlays.plans_used():
            known = plan.lister.flags if plan.lister is not None else {}
            for ref in plan.flags_read():
                if ref.path[1] in known:
                    yield id(known[ref.path[1]][0])


class HeadPart:
    """The part of the head of a file that some *axes* decide: the labels of their values, and parts
    of the variant's name."""

    __slots__ = ("known", "labels", "names", "pick")

    def __init__(self, axes: frozenset[str], matrix: hir.MatrixDef) -> None:
        places = [at for at, pick in enumerate(matrix.axes) if pick.axis.name in axes]
        self.pick = picker(places)
        self.labels: list[hir.AxisPick] = []
        self.names: list[hir.Expr] = []
        self.known: dict[Key, tuple[Lines, Lines]] = {}

    def lines(self, deciding: Deciding, tracing: Tracing) -> tuple[Lines, Lines]:
        """The source lines of the labels and of the parts of the name. Raises Failed."""
        labels = name = 0
        for pick in self.labels:
            value = deciding.values[pick.axis.name]
            row = value if isinstance(value, RowValue) else None
            labels |= tracing.numbering.lines(row.span if row is not None else pick.axis.span)
            label = row.facts.get("label") if row is not None else None
            labels |= tracing.numbering.lines(label.span) if label is not None else 0
        for part in self.names:
            name |= tracing.of(deciding, part).all
        return labels, name


def heads_of(matrix: hir.MatrixDef, reads: Dependencies) -> list[HeadPart]:
    """The parts of the head of the files of *matrix*. The fixed text of a name is one part of it.
    """
    found: dict[frozenset[str], HeadPart] = {}

    def part(axes: frozenset[str]) -> HeadPart:
        return found.setdefault(axes, HeadPart(axes, matrix))

    for pick in matrix.axes:
        part(frozenset({pick.axis.name})).labels.append(pick)
    expr = matrix.name_expr
    names: list[hir.Expr] = [expr]
    if isinstance(expr, hir.Text):
        texts = tuple([one for one in expr.parts if isinstance(one, str)])
        names = [one for one in expr.parts if not isinstance(one, str)]
        names += (hir.Text(texts, expr.span),) if texts else ()
    for name in names:
        part(reads.expr(name).axes).names.append(name)
    return list(found.values())


def config_of(deciding: Deciding) -> tuple[ir.Setting, ...]:
    """`config` of the variant, in its order."""
    return decided_block(CONFIG, deciding)


def unset_config_of(deciding: Deciding) -> tuple[ir.Setting, ...]:
    """The settings of `config` that are unset for the variant."""
    found = [deciding.settled((CONFIG, key)) for key in deciding.pin_keys(CONFIG)]
    return tuple(setting for setting in found if setting is not None and is_unset(setting))


def _age_of(frame: ir.Frame) -> ir.Age:
    """The age of the nixpkgs of *frame*, as far as it is known."""
    return frame.pin.age if frame.pin is not None else ir.UNKNOWN


def is_list_of(expr: hir.Expr, ids: set[str]) -> bool:
    """Whether *expr* is a written list of declarations, all of which have an id in *ids*."""
    match expr:
        case hir.Const():
            values = expr.value if isinstance(expr.value, tuple) else ()
            return isinstance(expr.value, tuple) and all(
                isinstance(one, DeclValue) and one.id in ids for one in values
            )
        case hir.ListOf():
            return all(
                isinstance(one, hir.Const)
                and isinstance(one.value, DeclValue)
                and one.value.id in ids
                for one in expr.items
            )
        case _:
            return False


COMMAND_LINE_LAYER = "the command line"
