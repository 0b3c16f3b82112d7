"""The needs of variants: the variants and recipes that they lead to, and the values that are read
from these."""

from __future__ import annotations

from tvarc.blocks import CONFIG, OF_PACKAGE
from tvarc.decide import messages as msg
from tvarc.decide.arguments import refuse_argument, refuse_shared_names
from tvarc.decide.decide import REMEMBERED, Deciding, Shared
from tvarc.decide.dependencies import declarations, overlays_dependencies, pin_dependencies
from tvarc.decide.overlay_circles import refuse_overlay_circles
from tvarc.decide.parts import Overlays, decide_pin, decide_scope
from tvarc.decide.plan import Plan
from tvarc.light import Callable, Final, Iterator, Protocol, Sequence, replace
from tvarc.matrix.expand import CellEnvironment, exclusions_of
from tvarc.matrix.links import ARGUMENT, Cell, Following, is_link, spelt, value_of
from tvarc.meaning import hir
from tvarc.meaning.budget import COST_OF_NEED
from tvarc.meaning.declarations.needs import layers_of
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.names.scope import NEEDS
from tvarc.nix import ir
from tvarc.nix.lower.context import Files
from tvarc.nix.taken_inputs import taken_by
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span
from tvarc.values.value import (
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


class Overriding(Protocol):
    """A value from the command line."""

    @property
    def value(self) -> hir.Expr: ...


class Decides(Protocol):
    """The interface of the elaboration that decides the variants of a program
    (`decide/elaborate.py`).
    """

    program: hir.Program
    pins: dict[str, hir.PinDef]
    shared: Shared
    overlays: Overlays

    @property
    def needs(self) -> Needs:
        """The needs of the variants."""

    @property
    def overrides(self) -> Sequence[Overriding]:
        """The settings of the command line."""

    def plan(self, matrix: hir.MatrixDef) -> Plan:
        """The plan of the variants of *matrix*."""

    def recipe(
        self, deciding: Deciding, files_of: Callable[[Deciding], tuple[tuple[str, str], ...]]
    ) -> ir.Recipe:
        """The recipe of the variant of *deciding*; raises Failed."""


# Blocks with the name of an attribute of a package in Nix.
_OF_PACKAGES = tuple([block.name for block in OF_PACKAGE if block.stage == "describe"])


class Needs:
    """The needs of the variants that one elaboration decides."""

    __slots__ = (
        "_elaboration",
        "_inner",
        "_inputs",
        "_made",
        "_matrices",
        "_names",
        "_reach",
        "_recipes",
    )

    def __init__(self, elaboration: Decides) -> None:
        self._elaboration = elaboration
        program = elaboration.program
        self._matrices = {matrix.id: matrix for matrix in program.matrices}
        self._recipes = {recipe.id: recipe for recipe in program.recipes}
        self._inner: dict[tuple[str, str], hir.MatrixDef] = {}
        self._names: dict[tuple[str, tuple[Value, ...]], str] = {}
        self._reach: dict[tuple[str, str], tuple[frozenset[str], bool]] = {}
        # The need that was made for a setting, by the identity of the setting.
        self._made: dict[int, tuple[ir.Setting, ir.Need]] = {}
        # The inputs that the file of a variant takes, by its matrix and values. None while the
        # variant is decided, and after an error in it.
        self._inputs: dict[tuple[str, tuple[Value, ...]], tuple[ir.Taken, ...] | None] = {}

    # --- which variant -------------------------------------------------------------------

    def follow(self, deciding: Deciding, link: hir.Link) -> Value:
        """The variant that *link* leads to. Raises Failed after reporting that there is none."""
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
            notes.append(f"it needs {spelt(cell.values)}")
            for axis, value in absent:
                notes.append(f"axis `{axis}` of `{cell.matrix.name}` has no {show(value)}")
            checks = exclusions_of(cell.matrix, self._elaboration.program, reads)
            others += [
                (check.span, check.because or "this drops it")
                for check in checks
                if not absent and reason_at(check, cell.matrix, cell.values) is not None
            ]
        notes += [
            f"no value of axis `{one.axis}` matches the brackets"
            for one in link.choices
            if not cells and not following.has_value(link, one)
        ]
        deciding.sink.report(
            msg.needs.NO_NEEDED_VARIANT,
            link.span,
            others=others,
            notes=tuple(notes),
            cause=f"no variant {link.span.file}:{link.span.start} {deciding.matrix.id}",
            link=link.name,
        )

    def linked(self, value: NixCall) -> Deciding:
        """The settings of the variant that *value* names."""
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
        plan, shared = self._elaboration.plan(matrix), self._elaboration.shared
        row = shared.rows.of_values(matrix, values)
        return Deciding(plan, shared, matrix, name, values, row)

    def inline(self, recipe: str, deciding: Deciding) -> Deciding:
        """The settings of the recipe with this id, decided for the cell of *deciding*. Raises
        Failed for a recipe that needs itself, which is already reported."""
        if _is_within(recipe, deciding.matrix):
            raise Failed
        matrix = self.inner(recipe, deciding.matrix)
        plan = self._elaboration.plan(matrix)
        shared = self._elaboration.shared
        return Deciding(plan, shared, matrix, deciding.variant, deciding.cell, deciding.row)

    def inner(self, recipe: str, matrix: hir.MatrixDef) -> hir.MatrixDef:
        """*matrix* with its cells, but with another recipe."""
        key = (recipe, matrix.id)
        if key not in self._inner:
            of = self._recipes[recipe]
            self._inner[key] = replace(
                matrix, id=f"{matrix.id}{_WITHIN}{recipe}", recipe=of, layers=(), excludes=()
            )
        return self._inner[key]

    def target(self, deciding: Deciding, value: Value) -> Deciding | None:
        """The settings that *value*, the target of a need, leads to. None if only Nix knows them.
        """
        if is_link(value):
            assert isinstance(value, NixCall)
            return self.linked(value)
        if isinstance(value, DeclValue) and value.kind == "recipe":
            return self.inline(value.id, deciding)
        return None

    # --- what is read --------------------------------------------------------------------

    def read(self, deciding: Deciding, ref: hir.NeedRef) -> Value:
        """The value that *ref* reads. Raises Failed after reporting."""
        asked = hir.SettingRef((NEEDS, ref.name), ref.span)
        written = deciding.plan.groups.get((NEEDS, ref.name), ())
        there = any(deciding.holds(one.write.conditions) for one in written)
        # A need may not read itself. In other places, `needs.NAME` is the same whatever its target.
        deep = ref.path or any(block == NEEDS for block, _ in deciding.open)
        setting = deciding.decide((NEEDS, ref.name), asked) if there and deep else None
        if not there:
            known = deciding.plan.keys(NEEDS)
            never = ref.name not in known
            raise deciding.sink.refuse(
                msg.needs.UNKNOWN_NEED if never else msg.needs.NEED_OF_OTHER_VARIANTS,
                ref.name_span,
                cause=f"no need {deciding.matrix.id} {ref.name}",
                ref=ref.name,
                guess=guess(ref.name, known),
                recipe=deciding.matrix.recipe.name,
                variant=deciding.variant,
            )
        if setting is None or not ref.path:
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
        """The decided value of *target* at *path*. None if there is none, or if only Nix knows it.
        """
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
        """The setting of *target* at *path*. For `version` it is the one that the program writes,
        in the recipe or in an overlay for its package."""
        if path != ("version",):
            return target.decide((path[0], path[1]))
        own = target.decide(("attrs", "version"))
        package = target.decide(("package", ""))
        if own is not None or package is None or not isinstance(package.value, NixRef):
            return own
        path = package.value.attributes
        if package.value.root != "pkgs":  # overlays change only the pinned packages
            return None
        for overlay in reversed(self._elaboration.overlays.decide(target)):
            changed = overlay.changes.attrs
            if overlay.relation == "for":
                for setting in changed if overlay.target == path else ():
                    if setting.key == "version":
                        return setting
            elif any(path[: len(overlay.target) + 1] == (*overlay.target, s.key) for s in changed):
                return None  # that overlay replaces the package
        return None

    def _refuse_unknown(
        self, ref: hir.NeedRef, target: Deciding | None, deciding: Deciding
    ) -> None:
        name = ".".join(ref.path)
        deciding.sink.report(
            msg.needs.NOT_SET_IN_NEED if target is not None else msg.needs.NEED_OF_NIX,
            ref.span,
            cause=f"unknown of need {ref.span.file}:{ref.span.start}",
            name=name,
            need=ref.name,
            variant=target.variant if target is not None else None,
            last=ref.path[-1] if len(ref.path) > 1 else None,
        )

    # --- what is emitted -----------------------------------------------------------------

    def of(self, deciding: Deciding) -> tuple[ir.Need, ...]:
        """All needs of the variant. Raises Failed after reporting."""
        found: list[ir.Need] = []
        failed = False
        for name in deciding.plan.keys(NEEDS):
            try:
                need = self.need(deciding, name)
            except Failed:
                failed = True
            else:
                found += [need] if need is not None else []
        if failed:
            raise Failed
        return tuple(found)

    def need(self, deciding: Deciding, name: str) -> ir.Need | None:
        """The need of the variant with the name *name*; None if there is none. Raises Failed."""
        setting = deciding.decide((NEEDS, name))
        if setting is None:
            return None
        value = setting.value
        if is_link(value):
            assert isinstance(value, NixCall)
            return self._need_of_variant(name, setting, value)
        if isinstance(value, DeclValue) and value.kind == "recipe":
            within = self.inline(value.id, deciding)
            inner = self._elaboration.recipe(within, _no_files)
            return ir.Need(name, setting, None, inner, self.built(within))
        if not isinstance(value, NixRef | NixSource | NixCall | PathValue) or (
            isinstance(value, NixCall) and value.function in ("input", "github", "url")
        ):
            raise deciding.sink.refuse(
                msg.needs.BAD_NEED if not isinstance(value, NixCall) else msg.needs.SOURCE_AS_NEED,
                setting.origin.span,
                name=name,
                kind=type_name(value),
            )
        return ir.Need(name, setting)

    def _need_of_variant(self, name: str, setting: ir.Setting, value: NixCall) -> ir.Need:
        """The need of *setting*, made once for all variants that share the setting. Raises Failed.
        """
        _, known = self._made.get(id(setting), (None, None))
        if known is None:
            place = setting.origin.span
            self._elaboration.shared.charge(COST_OF_NEED, (NEEDS, name), place)
            linked = self.link_of(value, place)
            known = ir.Need(name, setting, linked, None, self.built(self.linked(value)))
            if len(self._made) >= REMEMBERED:
                self._made.clear()
            self._made[id(setting)] = setting, known
        return known

    def built(self, target: Deciding) -> ir.Built | None:
        """The statements of the program about the build of *target*; None if it has no package."""
        package = target.decide(("package", ""))
        if package is None:
            return None
        pin = decide_pin(target, self._elaboration.pins)
        return ir.Built(package, self.setting(target, ("version",)), pin)

    def cells(self, deciding: Deciding) -> Iterator[tuple[str, Cell]]:
        """The cells of matrices that the variant needs, by the names of its needs. The needs of a
        recipe that is put into it are included, with names such as `torch.python`. Raises Failed.
        """
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
        """The variant that *value* names, with its files. *value* is written at *place*. Raises
        Failed."""
        target = self.linked(value)
        elaboration = self._elaboration
        pin = decide_pin(target, elaboration.pins)
        files = self._files(target)
        by_argument = _is_argument(value)
        for _, file in files if by_argument else ():
            refuse_argument(file, place, elaboration.shared.sink)
        of_caller = self.asks_caller(target.matrix)
        handed = () if by_argument else tuple(self._handed(target))
        return ir.Linked(
            target.variant,
            target.matrix.name,
            tuple(files),
            pin is None,
            of_caller,
            by_argument,
            handed,
            () if by_argument else self._inputs_of(target),
            ir.path_of_scope(decide_scope(target)),
        )

    def _files(self, target: Deciding) -> Files:
        """The files of the variant of *target*. Raises Failed."""
        files = []
        for output in self._elaboration.program.outputs:
            file = target.evaluator().value(output.file)
            if not isinstance(file, str):
                raise Failed
            files.append((output.name, file))
        if not files:  # a program without outputs
            files.append(("", f"{target.variant}.nix"))
        return tuple(files)

    def _handed(self, target: Deciding) -> Iterator[Files]:
        """The files of all variants that the variant of *target* takes as arguments, without
        duplicates. Recipes that it imports or contains may take such arguments, too. Raises Failed.
        """
        found: dict[Files, None] = {}
        for setting, inner in self._followed(target):
            if _is_argument(setting.value):
                found[self._files(inner)] = None
        return iter(found)

    def handed_by(self, target: Deciding) -> Iterator[ir.Setting]:
        """The settings that decide which variants the variant of *target* takes as arguments: its
        needs, and those of the recipes that it imports or contains. Raises Failed."""
        return (setting for setting, _ in self._followed(target))

    def _followed(self, target: Deciding) -> Iterator[tuple[ir.Setting, Deciding]]:
        """The needs of the variant of *target*, each with the settings that it leads to. If a need
        is not passed as an argument, the needs of its target follow. There are none if the program
        passes nothing as an argument."""
        waiting, seen = [target], set[str]()
        while waiting and self._elaboration.program.by_argument:
            one = waiting.pop()
            for name in one.plan.keys(NEEDS):
                setting = one.decide((NEEDS, name))
                inner = self.target(one, setting.value) if setting is not None else None
                if setting is None or inner is None:
                    continue
                yield setting, inner
                key = f"{inner.matrix.id} {inner.variant}"
                if not _is_argument(setting.value) and key not in seen:
                    seen.add(key)
                    waiting.append(inner)

    def check(self, recipe: ir.Recipe) -> None:
        """Refuse needs of *recipe* that do not fit together. Raises Failed after reporting."""
        sink = self._elaboration.shared.sink
        refuse_shared_names(recipe, sink)
        refuse_overlay_circles(recipe, sink)

    def _inputs_of(self, target: Deciding) -> tuple[ir.Taken, ...]:
        """The inputs that the file of *target* takes as arguments. A recipe that imports this file
        passes its own inputs on, so that both use files of the same checkout. Raises Failed if
        *target* has an error, which is reported."""
        if not self._elaboration.program.inputs:
            return ()
        key = (target.matrix.id, tuple(target.values.values()))
        if key not in self._inputs:
            self._inputs[key] = None
            self._inputs[key] = taken_by(self._elaboration.recipe(target, _no_files))
        found = self._inputs[key]
        if found is None:
            raise Failed
        return found

    def decides_file(self, target: Deciding) -> tuple[tuple[hir.Expr, ...], ir.Pin | None]:
        """The expressions of *target*, and its pin, that decide the paths and names of its files.
        """
        outputs = tuple([output.file for output in self._elaboration.program.outputs])
        asking = [expr for expr in self._written(target.plan) if _asks_caller(expr)]
        return (*outputs, *asking), decide_pin(target, self._elaboration.pins)

    def asks_caller(self, matrix: hir.MatrixDef) -> bool:
        """Whether recipes of *matrix* may take packages from their caller's nixpkgs, or pass it on
        to recipes that do."""
        known = self._elaboration.shared.of_caller
        if not known:
            known[""] = any(map(_asks_caller, walk(self._of_all(), lets=True)))
        if not known[""] and matrix.id not in known:
            self._find_caller(matrix, known)
        return known[""] or known[matrix.id]

    def _find_caller(self, matrix: hir.MatrixDef, known: dict[str, bool]) -> None:
        """Fill *known* for *matrix* and for the matrices that it links to. Names without a target
        may form a circle."""
        linked_by = {matrix.id: ""}
        waiting = [matrix]
        while waiting:
            one = waiting.pop()
            exprs = list(walk(self._of_matrix(one), lets=True)) if one.id not in known else []
            if known.get(one.id) or any(map(_asks_caller, exprs)):
                asking = one.id
                while asking:
                    known[asking] = True
                    asking = linked_by[asking]
                return
            for target in [t for expr in exprs if isinstance(expr, hir.Link) for t in expr.targets]:
                if target.id not in linked_by:
                    linked_by[target.id] = one.id
                    waiting.append(target)
        for reached in linked_by:
            known[reached] = False

    def _of_all(self) -> list[hir.Expr]:
        """The expressions that recipes of any matrix may read: overlays, settings of pins, and
        settings of the command line."""
        program = self._elaboration.program
        found = [expr for overlay in program.overlays for expr in _values(overlay.layer)]
        found += [write.value for pin in program.pins for write in pin.blocks]
        return found + [one.value for one in self._elaboration.overrides]

    def _of_matrix(self, matrix: hir.MatrixDef) -> list[hir.Expr]:
        """The expressions in *matrix*, in its recipes, and in the recipes that are put into these.
        """
        found: list[hir.Expr] = []
        seen: set[str] = set()
        waiting = [expr for one in layers_of(matrix.recipe, matrix.layers) for expr in _values(one)]
        while waiting:
            found += waiting
            recipes = dict.fromkeys(_recipes_named(waiting))
            fresh = [self._recipes[one] for one in recipes if one not in seen]
            seen |= recipes.keys()
            waiting = [e for one in fresh for inner in one.chain() for e in _values(inner.layer)]
        return found

    def _written(self, plan: Plan) -> Iterator[hir.Expr]:
        """All expressions of *plan*, of the overlays of the program, and of the recipes that are
        put into these."""
        layers = [overlay.layer for overlay in self._elaboration.program.overlays]
        written = [one.write.value for group in plan.groups.values() for one in group]
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
        """The recipes that may be put into those of *matrix*, as pairs of the need's name and the
        recipe's id."""
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
        """The settings of *recipe*, if the variant needs it under the name *name*; else None.
        Raises Failed."""
        setting = deciding.decide((NEEDS, name))
        value = setting.value if setting is not None else None
        if not isinstance(value, DeclValue) or value.id != recipe:
            return None
        return self.inline(recipe, deciding)

    # --- what it depends on --------------------------------------------------------------

    def reach(self, plan: Plan, name: str, matrix: hir.MatrixDef) -> tuple[frozenset[str], bool]:
        """The axes that decide the recipes that the need *name* puts into those of *plan*, and
        whether the variant's name decides them."""
        key = (matrix.id, name)
        if key not in self._reach:
            self._reach[key] = (frozenset(), False)  # circles are already refused
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
                groups = [*plan_.groups]
                groups += [("flag", one) for one in plan_.flags]
                if of is matrix:  # these decide, with the pin, whether both share one nixpkgs
                    groups = [("overlays", "")]
                    groups += [(CONFIG, one) for one in plan_.config_keys()]
                for found, name_dependent in (
                    plan_.transitive_dependencies(groups, reads),
                    overlays_dependencies(plan_, declarations(plan_), elaboration.overlays, of),
                ):
                    if name_dependent:
                        return frozenset(plan.axes), True
                    axes |= found
            found, name_dependent = pin_dependencies(
                plan, elaboration.program.pins, reads, whole=True
            )
            if name_dependent:
                return frozenset(plan.axes), True
            axes |= found
        return frozenset(axes & set(plan.axes)), False


def _recipes_in(plan: Plan, name: str) -> Iterator[str]:
    """The ids of the recipes that the need *name* of *plan* may lead to."""
    yield from _recipes_named([one.write.value for one in plan.groups.get((NEEDS, name), ())])


def _recipes_named(written: list[hir.Expr]) -> Iterator[str]:
    """The ids of the recipes that *written* names."""
    for expr in walk(written, lets=True):
        value = expr.value if isinstance(expr, hir.Const) else None
        if isinstance(value, DeclValue) and value.kind == "recipe":
            yield value.id


_WITHIN: Final = " needs "


def _is_within(recipe: str, matrix: hir.MatrixDef) -> bool:
    """Whether *matrix* has the cells of *recipe*, put into another recipe."""
    return recipe in matrix.id.split(_WITHIN)[1:]


def _where(following: Following) -> str:
    cell = following.whole_cell()
    return f", where {cell}" if cell else ""


def _values(layer: hir.Layer) -> list[hir.Expr]:
    """The values that *layer* writes."""
    return [write.value for write in layer.writes]


def _is_argument(value: Value) -> bool:
    return isinstance(value, NixCall) and value.function == ARGUMENT


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
