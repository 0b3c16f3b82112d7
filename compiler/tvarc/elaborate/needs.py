"""What variants need of others: the variants and recipes that needs lead to, and what is read of
them."""

from __future__ import annotations

from tvarc import ir
from tvarc.backend.nix.context import may_be_argument
from tvarc.backend.nix.values import INPUT
from tvarc.diagnostics.model import Failed, Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.elaborate.decide import Deciding, Shared
from tvarc.elaborate.dependencies import (
    declarations,
    overlays_dependencies,
    pin_dependencies,
)
from tvarc.elaborate.parts import Overlays, decide_pin
from tvarc.elaborate.plan import Plan
from tvarc.light import Callable, Final, Iterator, Protocol, replace
from tvarc.matrix.expand import CellEnvironment, exclusions_of
from tvarc.matrix.links import ARGUMENT, Cell, Following, is_link, spelt, value_of
from tvarc.sema import hir
from tvarc.sema.evaluate import Evaluator
from tvarc.sema.kinds import walk
from tvarc.sema.scope import NEEDS
from tvarc.source import Span
from tvarc.values import (
    DeclValue,
    NixCall,
    NixRef,
    NixSource,
    PathValue,
    Value,
    holds_nix,
    same,
    show,
    type_name,
)


class Decides(Protocol):
    """What decides the variants of a program (`elaborate/elaborate.py`)."""

    program: hir.Program
    pins: dict[str, hir.PinDef]
    shared: Shared
    overlays: Overlays

    def plan(self, matrix: hir.MatrixDef) -> Plan:
        """What the variants of *matrix* are made of."""

    def recipe(
        self, deciding: Deciding, files_of: Callable[[Deciding], tuple[tuple[str, str], ...]]
    ) -> ir.Recipe:
        """The recipe of the variant of *deciding*; raises Failed."""


# What a package of Nix has under the name that the block has here.
_OF_PACKAGES = ("passthru", "meta")


class Needs:
    """The needs of the variants that one elaboration decides."""

    __slots__ = ("_callers", "_elaboration", "_inner", "_matrices", "_names", "_reach", "_recipes")

    def __init__(self, elaboration: Decides) -> None:
        self._elaboration = elaboration
        program = elaboration.program
        self._matrices = {matrix.id: matrix for matrix in program.matrices}
        self._recipes = {recipe.id: recipe for recipe in program.recipes}
        self._inner: dict[tuple[str, str], hir.MatrixDef] = {}
        self._names: dict[tuple[str, tuple[Value, ...]], str] = {}
        self._reach: dict[tuple[str, str], tuple[frozenset[str], bool]] = {}
        self._callers: dict[Plan, bool] = {}

    # --- which variant -------------------------------------------------------------------

    def follow(self, deciding: Deciding, link: hir.Link) -> Value:
        """The variant that *link* leads to; raises Failed after reporting that there is none."""
        following = Following(deciding.matrix, deciding.values, deciding, deciding.sink)
        built = following.built(link)
        if not built:
            self._refuse_missing(link, following, deciding)
            raise Failed
        return value_of(link, following.only(link, built))

    def _refuse_missing(self, link: hir.Link, following: Following, deciding: Deciding) -> None:
        from tvarc.matrix.exclusion_eval import reason_at

        reads = deciding.shared.reads
        notes = [f"`{deciding.variant}` needs it{_where(following)}"]
        others = []
        cells = following.cells(link)
        for cell in cells:
            absent = [
                (pick.axis.name, cell.values[pick.axis.name])
                for pick in cell.matrix.axes
                if not any(same(one, cell.values[pick.axis.name]) for one in pick.values)
            ]
            notes.append(f"asked for: {spelt(cell.values)}")
            for axis, value in absent:
                notes.append(f"axis `{axis}` of `{cell.matrix.name}` has no {show(value)}")
            checks = exclusions_of(cell.matrix, self._elaboration.program, reads)
            others += [
                (check.span, check.because or "drops it")
                for check in checks
                if not absent and reason_at(check, cell.matrix, cell.values) is not None
            ]
        fits = "fits what stands in brackets"
        notes += [f"no value of axis `{one.axis}` {fits}" for one in link.choices if not cells]
        deciding.sink.error(
            "E408",
            f"`{link.name}` has no such variant",
            link.span,
            "not built",
            others=others,
            notes=tuple(notes),
            help='build it, or drop the cells that lack it: `needs … or exclude because "…"`',
            cause=f"no variant {link.span.file}:{link.span.start} {deciding.matrix.id}",
        )

    def linked(self, value: NixCall) -> Deciding:
        """The settings of the variant that *value* stands for."""
        (_, named), *given = value.arguments
        assert isinstance(named, DeclValue)
        matrix, values = self._matrices[named.id], dict(given)
        key = (matrix.id, tuple(values.values()))
        name = self._names.get(key)
        if name is None:
            silent = Sink()
            found = Evaluator(CellEnvironment(matrix, values, silent), silent).value(
                matrix.name_expr
            )
            assert isinstance(found, str)
            name = self._names[key] = found
        plan = self._elaboration.plan(matrix)
        return Deciding(plan, self._elaboration.shared, matrix, name, values)

    def inline(self, recipe: str, deciding: Deciding) -> Deciding:
        """The settings of the *recipe* of this id, decided for the cell of *deciding*. Raises
        Failed for one that needs itself, which has been told of."""
        if _is_within(recipe, deciding.matrix):
            raise Failed
        matrix = self.inner(recipe, deciding.matrix)
        plan = self._elaboration.plan(matrix)
        shared = self._elaboration.shared
        return Deciding(plan, shared, matrix, deciding.variant, deciding.values)

    def inner(self, recipe: str, matrix: hir.MatrixDef) -> hir.MatrixDef:
        """The cells of *matrix*, as those of another recipe."""
        key = (recipe, matrix.id)
        if key not in self._inner:
            of = self._recipes[recipe]
            self._inner[key] = replace(
                matrix, id=f"{matrix.id}{_WITHIN}{recipe}", recipe=of, layers=(), excludes=()
            )
        return self._inner[key]

    def target(self, deciding: Deciding, value: Value) -> Deciding | None:
        """The settings of what *value*, that of a need, leads to; None for what only Nix knows."""
        if is_link(value):
            assert isinstance(value, NixCall)
            return self.linked(value)
        if isinstance(value, DeclValue) and value.kind == "recipe":
            return self.inline(value.id, deciding)
        return None

    # --- what is read --------------------------------------------------------------------

    def read(self, deciding: Deciding, ref: hir.NeedRef) -> Value:
        """What *ref* reads; raises Failed after reporting."""
        asked = hir.SettingRef((NEEDS, ref.name), ref.span)
        written = deciding.plan.groups.get((NEEDS, ref.name), ())
        there = any(deciding.holds(one.write.conditions) for one in written)
        setting = deciding.decide((NEEDS, ref.name), asked) if there and ref.path else None
        if not there:
            known = deciding.plan.keys(NEEDS)
            never = ref.name not in known
            deciding.sink.error(
                "E201",
                f"nothing is needed as `{ref.name}`",
                ref.name_span,
                "unknown need" if never else "not needed by this variant",
                notes=()
                if never
                else (f"the needs of `{deciding.variant}` are decided by `when`",),
                help=did_you_mean(ref.name, known)
                or f"write `needs {ref.name} = …` in recipe `{deciding.matrix.recipe.name}`",
                cause=f"no need {deciding.matrix.id} {ref.name}",
            )
            raise Failed
        if setting is None:
            return NixRef(NEEDS, (ref.name,))
        target = self.target(deciding, setting.value)
        value = self.known(target, ref.path) if target is not None else None
        if value is not None and not holds_nix(value):
            return value
        if ref.path == ("version",) or ref.path[0] in _OF_PACKAGES:
            return NixRef(NEEDS, (ref.name, *ref.path))
        self._refuse_unknown(ref, target, deciding)
        raise Failed

    def known(self, target: Deciding, path: hir.Path) -> Value:
        """What is decided of *target* at *path*; None where nothing is, or only Nix knows it."""
        if path == ("variant",):
            return target.variant
        setting = self.setting(target, path)
        if setting is None:
            return None
        elements = setting.elements or ()
        if setting.extends or setting.head is not None or any(one.spread for one in elements):
            return None
        return setting.value

    def setting(self, target: Deciding, path: hir.Path) -> ir.Setting | None:
        """The setting of *target* at *path*. Its `version` is what the program writes of it: in the
        recipe, or in an overlay for its package."""
        if path != ("version",):
            return target.decide((path[0], path[1]))
        own = target.decide(("attrs", "version"))
        package = target.decide(("package", ""))
        if own is not None or package is None or not isinstance(package.value, NixRef):
            return own
        path = package.value.attributes
        if package.value.root != "pkgs":  # overlays change the pinned packages alone
            return None
        for overlay in reversed(self._elaboration.overlays.decide(target)):
            changed = overlay.changes.attrs
            if overlay.relation == "for":
                for setting in changed if overlay.target == path else ():
                    if setting.key == "version":
                        return setting
            elif any(path[: len(overlay.target) + 1] == (*overlay.target, s.key) for s in changed):
                return None  # the package is another one there
        return None

    def _refuse_unknown(
        self, ref: hir.NeedRef, target: Deciding | None, deciding: Deciding
    ) -> None:
        name = ".".join(ref.path)
        whose = f"`{target.variant}`" if target is not None else "what is needed"
        deciding.sink.error(
            "E201" if target is not None else "E302",
            f"nothing says `{name}` of `{NEEDS}.{ref.name}`",
            ref.span,
            f"{whose} does not set it whole" if target is not None else "known to Nix only",
            help=f"what Nix knows of it is `{NEEDS}.{ref.name}.{ref.path[-1]}`"
            if len(ref.path) > 1
            else "",
            cause=f"unknown of need {ref.span.file}:{ref.span.start}",
        )

    # --- what is emitted -----------------------------------------------------------------

    def of(self, deciding: Deciding) -> tuple[ir.Need, ...]:
        """All that the variant needs. Raises Failed after reporting."""
        found = [self.need(deciding, name) for name in deciding.plan.keys(NEEDS)]
        return tuple([need for need in found if need is not None])

    def need(self, deciding: Deciding, name: str) -> ir.Need | None:
        """What the variant needs as *name*; None where it does not. Raises Failed."""
        setting = deciding.decide((NEEDS, name))
        if setting is None:
            return None
        value = setting.value
        if is_link(value):
            assert isinstance(value, NixCall)
            return ir.Need(
                name,
                setting,
                self.link_of(value, setting.origin.span),
                None,
                self.built(self.linked(value)),
            )
        if isinstance(value, DeclValue) and value.kind == "recipe":
            within = self.inline(value.id, deciding)
            inner = self._elaboration.recipe(within, _no_files)
            return ir.Need(name, setting, None, inner, self.built(within))
        if not isinstance(value, NixRef | NixSource | NixCall | PathValue) or (
            isinstance(value, NixCall) and value.function in ("input", "github", "url")
        ):
            deciding.sink.error(
                "E301",
                f"`needs {name}` is a matrix, a recipe, or what Nix makes",
                setting.origin.span,
                f"this is {type_name(value)}" if not isinstance(value, NixCall) else "a source",
                help="`needs x = MATRIX[AXIS where …]`, `needs x = RECIPE`, or "
                "`needs x = call(file(INPUT, …), {})`",
            )
            raise Failed
        return ir.Need(name, setting)

    def built(self, target: Deciding) -> ir.Built | None:
        """What the program says of the build of *target*."""
        package = target.decide(("package", ""))
        if package is None:
            return None
        pin = decide_pin(target, self._elaboration.pins)
        return ir.Built(package, self.setting(target, ("version",)), pin)

    def cells(self, deciding: Deciding) -> Iterator[tuple[str, Cell]]:
        """The cells of matrices that the variant needs, by the names of its needs; those of a
        recipe that is put into it among them, as `torch.python`. Raises Failed."""
        for name in deciding.plan.keys(NEEDS):
            setting = deciding.decide((NEEDS, name))
            value = setting.value if setting is not None else None
            if is_link(value):
                assert isinstance(value, NixCall)
                target = self.linked(value)
                yield name, Cell(target.matrix, target.values)
            elif isinstance(value, DeclValue) and value.kind == "recipe":
                for inner, cell in self.cells(self.inline(value.id, deciding)):
                    yield f"{name}.{inner}", cell

    def link_of(self, value: NixCall, place: Span) -> ir.Linked:
        """The variant that *value*, which is written at *place*, stands for, with its files. Raises
        Failed."""
        target = self.linked(value)
        elaboration = self._elaboration
        pin = decide_pin(target, elaboration.pins)
        files = []
        for output in elaboration.program.outputs:
            file = target.evaluator().value(output.file)
            if not isinstance(file, str):
                raise Failed
            files.append((output.name, file))
        if not files:  # of a program that says nowhere where they go
            files.append(("", f"{target.variant}.nix"))
        by_argument = value.function == ARGUMENT
        for _, file in files if by_argument else ():
            refuse_argument(file, place, elaboration.shared.sink)
        of_caller = self.asks_caller(target.plan)
        return ir.Linked(
            target.variant, target.matrix.name, tuple(files), pin is None, of_caller, by_argument
        )

    def decides_file(self, target: Deciding) -> tuple[tuple[hir.Expr, ...], ir.Pin | None]:
        """What decides where the files of *target* are and how they are called: expressions of it,
        and its pin."""
        outputs = tuple([output.file for output in self._elaboration.program.outputs])
        asking = [expr for expr in self._written(target.plan) if _asks_caller(expr)]
        return (*outputs, *asking), decide_pin(target, self._elaboration.pins)

    def asks_caller(self, plan: Plan) -> bool:
        """Whether recipes of *plan* may take packages of the nixpkgs that they are called with."""
        if plan not in self._callers:
            self._callers[plan] = False  # circles have been refused
            self._callers[plan] = any(_asks_caller(expr) for expr in self._written(plan)) or any(
                self.asks_caller(self._elaboration.plan(self._matrices[matrix.id]))
                for expr in self._written(plan)
                if isinstance(expr, hir.Link)
                for matrix in expr.targets
            )
        return self._callers[plan]

    def _written(self, plan: Plan) -> Iterator[hir.Expr]:
        """All expressions of *plan*, of the overlays of the program, and of the recipes that are
        put into it."""
        layers = [overlay.layer for overlay in self._elaboration.program.overlays]
        written = [one.write.value for group in plan.groups.values() for one in group]
        written += [
            one.write.text
            for parts in plan.scripts.values()
            for one in parts
            if one.write.text is not None
        ]
        seen: set[str] = set()
        waiting = [written, *[_values(layer) for layer in layers]]
        waiting += [[one.value for one in pin] for pin in plan.pin_blocks.values()]
        while waiting:
            for expr in walk(waiting.pop(), lets=True):
                yield expr
                value = expr.value if isinstance(expr, hir.Const) else None
                if isinstance(value, DeclValue) and value.kind == "recipe" and value.id not in seen:
                    seen.add(value.id)
                    chain = self._recipes[value.id].chain() if value.id in self._recipes else ()
                    waiting += [_values(one.layer) for one in chain]

    # --- recipes that are put into others ------------------------------------------------

    def recipes_in(self, matrix: hir.MatrixDef) -> Iterator[tuple[str, str]]:
        """The recipes that may be put into those of *matrix*: the need, and the recipe's id."""
        plan = self._elaboration.plan(matrix)
        for name in plan.keys(NEEDS):
            for recipe in dict.fromkeys(_recipes_in(plan, name)):
                if not _is_within(recipe, matrix):
                    yield name, recipe

    def checks_in(self, matrix: hir.MatrixDef) -> bool:
        """Whether a recipe that may be put into those of *matrix* has a check."""
        for _, recipe in self.recipes_in(matrix):
            inner = self.inner(recipe, matrix)
            if self._elaboration.plan(inner).checks or self.checks_in(inner):
                return True
        return False

    def put_in(self, deciding: Deciding, name: str, recipe: str) -> Deciding | None:
        """The settings of *recipe* where it is what the variant needs as *name*. Raises Failed."""
        setting = deciding.decide((NEEDS, name))
        value = setting.value if setting is not None else None
        if not isinstance(value, DeclValue) or value.id != recipe:
            return None
        return self.inline(recipe, deciding)

    # --- what it depends on --------------------------------------------------------------

    def reach(self, plan: Plan, name: str, matrix: hir.MatrixDef) -> tuple[frozenset[str], bool]:
        """The axes that decide the recipes which are put into those of *plan* as need *name*, and
        whether the variant's name does."""
        key = (matrix.id, name)
        if key not in self._reach:
            self._reach[key] = (frozenset(), False)  # circles have been refused
            self._reach[key] = self._reached(plan, name, matrix)
        return self._reach[key]

    def _reached(self, plan: Plan, name: str, matrix: hir.MatrixDef) -> tuple[frozenset[str], bool]:
        elaboration = self._elaboration
        reads = elaboration.shared.reads
        recipes = list(_recipes_in(plan, name))
        axes: set[str] = set()
        for recipe in [one for one in recipes if not _is_within(one, matrix)]:
            inner = self.inner(recipe, matrix)
            for plan_, of in ((elaboration.plan(inner), inner), (plan, matrix)):
                groups = [*plan_.groups, *(("script", one) for one in plan_.scripts)]
                groups += [("flag", one) for one in plan_.flags]
                if of is matrix:  # what decides, with the pin, whether both have one nixpkgs
                    groups = [("overlays", "")]
                    groups += [("config", one) for one in plan_.config_keys()]
                for found, lone in (
                    plan_.transitive_dependencies(groups, reads),
                    overlays_dependencies(plan_, declarations(plan_), elaboration.overlays, of),
                ):
                    if lone:
                        return frozenset(plan.axes), True
                    axes |= found
            found, lone = pin_dependencies(plan, elaboration.program.pins, reads, whole=True)
            if lone:
                return frozenset(plan.axes), True
            axes |= found
        return frozenset(axes & set(plan.axes)), False


def _recipes_in(plan: Plan, name: str) -> Iterator[str]:
    """The ids of the recipes that the need *name* of *plan* may be."""
    written = [one.write.value for one in plan.groups.get((NEEDS, name), ())]
    for expr in walk(written, lets=True):
        value = expr.value if isinstance(expr, hir.Const) else None
        if isinstance(value, DeclValue) and value.kind == "recipe":
            yield value.id


_WITHIN: Final = " needs "


def _is_within(recipe: str, matrix: hir.MatrixDef) -> bool:
    """Whether *matrix* holds the cells of *recipe*, put into those of another one."""
    return recipe in matrix.id.split(_WITHIN)[1:]


def _where(following: Following) -> str:
    return "".join(f", {note}" for note in following.where())


def _values(layer: hir.Layer) -> list[hir.Expr]:
    """The values that *layer* writes."""
    found: list[hir.Expr] = []
    for write in layer.writes:
        value = write.text if isinstance(write, hir.PartWrite) else write.value
        found += [value] if value is not None else []
    return found


_UNNAMED: Final = "default"  # a folder with this file is known by its own name


def refuse_argument(file: str, place: Span, sink: Sink) -> None:
    """Refuse an argument that is called like *file* where that name means something else in
    recipes. Raises Failed after reporting."""
    name = file.rpartition("/")[2].removesuffix(".nix")
    if may_be_argument(name) and name != _UNNAMED and not name.endswith(INPUT):
        return
    sink.error(
        "E403",
        f"`{name}` cannot be an argument of a recipe",
        place,
        f"by the name of the file `{file}`",
        notes=("the name has a meaning of its own there",),
        help="give the variant that is needed another name, or leave `by argument` out",
    )
    raise Failed


def _asks_caller(expr: hir.Expr) -> bool:
    match expr:
        case hir.NixRoot(name):
            return name == "caller"
        case hir.NixCode(parts):
            return any(isinstance(part, str) and "caller" in part for part in parts)
        case _:
            return False


def _no_files(_: Deciding) -> tuple[tuple[str, str], ...]:
    return ()
