"""What of one variant a line of source reaches: the variant with all of that changed.

The line of each value is known, and the lines of all that it was made of: `let`s, facts, other
settings, conditions. Where those values stand in a file shows when both variants are printed.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.elaborate.lines import lines_of
from tvarc.elaborate.makers import element_expr, entry_expr, inner_expr
from tvarc.elaborate.marks import marked, marked_lines, marked_text
from tvarc.elaborate.plan import Plan, group_of
from tvarc.elaborate.scripts import joined_text
from tvarc.elaborate.trace import Noting, Trace, Written
from tvarc.light import Collection, Iterable, Iterator, Mapping, dataclass, replace, suppress
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.sema.outcomes import outcomes
from tvarc.sema.scope import BLOCKS
from tvarc.source import Span
from tvarc.values import (
    NONE,
    DeclValue,
    Fact,
    NixCall,
    NixText,
    Record,
    RowValue,
    Value,
    show,
)

Place = tuple[str, int]
"""A file and a line of it, from 1."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a line does of which no line of a file tells, and the place of the write that does it: a
    `-=`, an `= none` or a `part … = none` takes something out; the first of the writes to a
    setting, where another stands over it, still decides where among the others the setting
    stands."""

    span: Span
    what: str
    only_place: bool = False


class Reach:
    """One variant, seen from one line."""

    def __init__(self, trace: Trace, target: Place, heads: Iterable[Span] = ()) -> None:
        self.trace = trace
        self.target = target
        self.heads = tuple(heads)  # blocks and scripts that begin on the line
        self.found = False  # whether anything was changed
        self.overlays: list[int] = []  # those that are reached as a whole, by their number
        self.known: dict[hir.Path, frozenset[Place]] = {}
        self.declared = trace.declared

    # --- the variant ---------------------------------------------------------------------

    def recipe(self, recipe: ir.Recipe) -> ir.Recipe:
        """*recipe* with all changed that the line reaches; see also `overlays`."""
        chooses = recipe.pin_choice is not None and self.chooses(recipe.pin_choice)
        leaf = self.trace.deciding.matrix.recipe
        return replace(
            recipe,
            variant=self.name(recipe.variant),
            matrix=self.title(recipe.matrix, recipe.matrix_span),
            recipes=(*recipe.recipes[:-1], self.title(recipe.recipes[-1], leaf.span)),
            axes=tuple(map(self.axis, recipe.axes)),
            pin=self.pin(recipe.pin, chooses) if recipe.pin is not None else None,
            config=self.settings(recipe.config),
            overlays=self.listed(recipe.overlays, recipe.overlay_list),
            package=self.package(recipe.package, called=chooses and recipe.pin is None),
            changes=self.changes(recipe.changes),
        )

    def listed(
        self, given: tuple[ir.Overlay, ...], choice: ir.Setting | None
    ) -> tuple[ir.Overlay, ...]:
        """The overlays that *choice* lists; see also `overlays`."""
        overlays: list[ir.Overlay] = []
        listed = (choice.elements if choice is not None else None) or ()
        for number, overlay in enumerate(given):
            chosen = next((one.value for one in listed if one.origin == overlay.listed), None)
            if self.lists(overlay, chosen):
                self.overlays.append(number)
                self.found = True
            overlays.append(
                replace(
                    overlay,
                    because=self.reason(overlay.because, self.declared.get(overlay.declared)),
                    changes=self.changes(overlay.changes),
                    patch=self.settings(overlay.patch),
                )
            )
        return tuple(overlays)

    def lists(self, overlay: ir.Overlay, value: Value | None) -> bool:
        """Whether the line declares *overlay*, or says by which way it is applied, or lists it."""
        declared = self.declared.get(overlay.declared)
        via = declared.via if declared is not None else None
        if self.opens(overlay.declared) or (via is not None and self.at(via.span)):
            return True
        for step in declared.target if declared is not None else ():
            computed = self.trace.written.get(step.span) if isinstance(step, hir.Write) else None
            if computed is not None and self.touches(computed):
                return True
        written = self.trace.written.get(overlay.listed.span)
        if written is None or written.expr is None or not isinstance(value, DeclValue):
            return self.at(overlay.listed.span)
        if self.whole(written):
            return True
        through: list[hir.LetRef] = []
        expr = element_expr(written.expr, value, written.deciding, through)
        return self.passes(through) or self.reads((expr,))

    def title(self, name: str, span: Span) -> str:
        """A name that the head of a file tells, of what is declared at *span*."""
        if not self.opens(span):
            return name
        self.found = True
        return marked_text(name)

    def reason(self, because: str, written: hir.Write | hir.OverlayDef | None) -> str:
        """The reason that *written* gives, which is printed above what it is of."""
        span = written.because_span if written is not None else None
        if not because or span is None or not self.at(span):
            return because
        self.found = True
        return marked_text(because)

    def name(self, name: str) -> str:
        if self.target not in self.setting_places(("variant",)):
            return name
        self.found = True
        return marked_text(name)

    def axis(self, axis: ir.AxisValue) -> ir.AxisValue:
        """The head of a file has the label of each axis value."""
        value = axis.value
        label = value.facts.get("label") if isinstance(value, RowValue) else None
        if not isinstance(value, RowValue) or label is None or not isinstance(label.value, str):
            return replace(axis, value=self.mark(value)) if self.at(axis.declared) else axis
        if not self.at(label.span):
            return axis
        self.found = True
        facts: Mapping[str, Fact] = {"label": Fact(marked_text(label.value), label.span)}
        return replace(axis, value=RowValue(value.table, value.name, facts, value.span))

    def chooses(self, choice: ir.Setting) -> bool:
        """Whether the line chooses the pin: it writes `pin = …`, or lets that in."""
        written = self.trace.written.get(choice.origin.span)
        if written is None or written.expr is None:
            return False
        return self.whole(written) or self.reads((written.expr,)) or self.at(choice.origin.span)

    def package(self, package: ir.Setting, *, called: bool) -> ir.Setting:
        """The package; *called* says that the line leaves it to the caller whose it is."""
        if not called:
            return self.setting(package)
        return replace(package, value=self.mark(package.value))

    def pin(self, pin: ir.Pin, chosen: bool) -> ir.Pin:
        fields = {
            one.write.path[-1]: one
            for one in self.trace.written.values()
            if isinstance(one.write, hir.Write) and one.whose == f"pin {pin.name}"
            and len(one.write.path) == 1
        }  # fmt: skip
        head = chosen or self.opens(pin.declared)
        hit = {
            name for name, one in fields.items()
            if head or self.whole(one) or (one.expr is not None and self.reads((one.expr,)))
        }  # fmt: skip
        pin = replace(
            pin,
            local_system=self.settings(pin.local_system),
            cross_system=self.settings(pin.cross_system),
        )
        if not hit:
            return pin
        self.found = True
        where = hit & {"url", "github", "rev", "path"}
        sealed = pin.hash is not None and "hash" in hit
        stated = "release" in hit
        return replace(
            pin,
            url=marked_text(pin.url) if where else pin.url,
            path=marked_text(f"{pin.path}/a") if where and pin.path else pin.path,
            hash=marked_text(pin.hash) if sealed and pin.hash is not None else pin.hash,
            release=marked_text(pin.release) if stated and pin.release else pin.release,
        )

    def changes(self, changes: ir.Changes) -> ir.Changes:
        return ir.Changes(
            self.settings(changes.args),
            self.settings(changes.attrs),
            self.settings(changes.env),
            tuple(map(self.script, changes.scripts)),
            self.settings(changes.passthru),
            self.settings(changes.meta),
        )

    def settings(self, settings: tuple[ir.Setting, ...]) -> tuple[ir.Setting, ...]:
        return tuple(map(self.setting, settings))

    def setting(self, setting: ir.Setting) -> ir.Setting:
        because = self.reason(setting.because, self.write(setting.origin))
        return replace(self.valued(setting), because=because)

    def write(self, origin: ir.Origin) -> hir.Write | None:
        written = self.trace.written.get(origin.span)
        write = written.write if written is not None else None
        return write if isinstance(write, hir.Write) else None

    def valued(self, setting: ir.Setting) -> ir.Setting:
        if setting.parts:
            parts = tuple(map(self.part, setting.parts))
            text = joined_text(parts)
            return replace(setting, parts=parts, value=setting.value if text is None else text)
        if setting.elements is not None:
            elements = tuple(map(self.element, setting.elements))
            value: Value = tuple(element.value for element in elements)
            if not elements and not setting.extends:
                value = self.value(setting.value, setting.origin, setting.path)
                return replace(setting, value=value, elements=None)
            removed = tuple(map(self.element, setting.removed))
            return replace(setting, value=value, elements=elements, removed=removed)
        if setting.children is not None:
            children = self.settings(setting.children)
            entries = Record(tuple((child.key, child.value) for child in children))
            return replace(setting, value=entries, children=children)
        return replace(setting, value=self.value(setting.value, setting.origin, setting.path))

    def element(self, element: ir.Element) -> ir.Element:
        written = self.trace.written.get(element.origin.span)
        if written is None or written.expr is None:
            return element
        value = (
            self.mark(element.value) if self.whole(written)
            else self.item(element.value, written.expr, written)
        )  # fmt: skip
        because = self.reason(element.because, self.write(element.origin))
        removed = tuple(map(self.element, element.removed))
        return replace(element, value=value, because=because, removed=removed)

    def item(self, value: Value, expr: hir.Expr, written: Written) -> Value:
        """*value*, an element of the list that *expr* makes."""
        through: list[hir.LetRef] = []
        inner = element_expr(expr, value, written.deciding, through)
        if self.passes(through):
            return self.mark(value)
        whole = inner is expr and isinstance(expr, hir.ListOf)
        return self.leaf(value, expr) if whole else self.within(value, inner, written)

    def script(self, script: ir.Script) -> ir.Script:
        return replace(script, parts=tuple(map(self.part, script.parts)))

    def part(self, part: ir.Part) -> ir.Part:
        written = self.trace.written.get(part.origin.span) if part.origin is not None else None
        if part.text is None or written is None or written.expr is None:
            return part
        text = (
            self.mark(part.text) if self.whole(written)
            else self.within(part.text, written.expr, written)
        )  # fmt: skip
        return replace(part, text=text) if isinstance(text, str | NixText) else part

    def withheld(self, innermost: Collection[Span] | None = None) -> Iterable[Span]:
        """The conditions that read the line and keep out what is written under them; of what is
        written under one of *innermost* alone, where these are given."""
        asked: dict[Span, tuple[hir.Condition, ...]] = {}
        for written in self.trace.written.values():
            conditions = written.write.conditions
            if conditions and (innermost is None or conditions[-1].span in innermost):
                asked.setdefault(conditions[-1].span, conditions)
        for conditions in asked.values():
            for condition in conditions:
                noting = Noting(self.trace.deciding)
                with suppress(Failed):
                    if not noting.evaluator.truth(condition.expr, "when"):
                        if self.reads((condition.expr,)):
                            yield condition.span
                        break

    def effects(self, only: Span | None = None) -> Iterator[Effect]:
        """What else the line does; by the write at *only*, where it is given."""
        for written in self.trace.written.values():
            write = written.write
            if only is not None and write.span != only:
                continue
            with suppress(Failed):
                if is_removal(write) and self.touches(written):
                    for what in self._taken_by(written):
                        yield Effect(write.span, what)
                elif is_first(written.deciding.plan, write) and self.at(write.span):
                    what = self._places(written)
                    if what:
                        yield Effect(write.span, f"decides where {what} stands", only_place=True)

    def touches(self, written: Written) -> bool:
        """Whether the line is of *written*, or lets it in, or is read by it."""
        return (
            self.whole(written)
            or self.at(written.write.span)
            or (written.expr is not None and self.reads((written.expr,)))
        )

    def _taken_by(self, written: Written) -> Iterator[str]:
        write = written.write
        if isinstance(write, hir.PartWrite):
            if self.trace.takes(written):
                yield f"takes part {write.name} out of script {write.script}"
            return
        group = group_of(write.path)
        setting = written.deciding.settled(group)
        for inner in _all_settings(setting) if setting is not None else ():
            name = ".".join(inner.path)
            for part in inner.taken:
                if part.origin is not None and part.origin.span == write.span:
                    yield f"takes part {part.name} out of {name}"
            others = any(one.value is not NONE for one in inner.shadowed) or inner.unset
            if inner.value is NONE and inner.origin.span == write.span and others:
                yield f"unsets {name}"
            for lost in inner.shadowed:
                if lost.reason == ir.TAKEN_OUT and lost.origin.span == write.span:
                    yield f"takes {show(lost.value)} out of {name}"
                if lost.reason == ir.BEGUN_ANEW and lost.origin.span == write.span:
                    yield f"unsets what is written of {name} before"

    def _places(self, written: Written) -> str:
        """The setting or part that *written* writes, where nothing of that is from there."""
        write = written.write
        if isinstance(write, hir.PartWrite):
            script = written.deciding.script(write.script)
            parts = [one for one in script.parts if one.name == write.name] if script else []
            origins = [one.origin for one in parts if one.origin is not None]
            what = f"part {write.name} of script {write.script}"
        else:
            setting = written.deciding.decide(group_of(write.path))
            origins = list(_origins(setting)) if setting is not None else []
            what = ".".join(group_of(write.path))
        return what if origins and all(one.span != write.span for one in origins) else ""

    # --- values --------------------------------------------------------------------------

    def value(self, value: Value, origin: ir.Origin, path: ir.Path) -> Value:
        written = self.trace.written.get(origin.span)
        if written is None or written.expr is None:
            return value
        if self.whole(written):
            return self.mark(value)
        # A key of a record that was written as one.
        own = written.write.path if isinstance(written.write, hir.Write) else path
        through: list[hir.LetRef] = []
        expr = inner_expr(written.expr, path[len(own) :], through)
        if self.passes(through):
            return self.mark(value)
        return self.within(value, expr, written)

    def within(self, value: Value, expr: hir.Expr, written: Written) -> Value:
        """*value*, which *expr* made, with what the line reaches of it changed."""
        match expr:
            case hir.LetRef() if self.passes((expr,)):
                return self.mark(value)
            case hir.LetRef() if expr.target.expr is not None:
                return self.within(value, expr.target.expr, written)
            case hir.Apply() if isinstance(value, NixCall) and value.function == expr.function:
                made = dict(expr.arguments)
                arguments = tuple(
                    (name, self.within(item, made[name], written) if name in made else item)
                    for name, item in value.arguments
                )
                return NixCall(value.function, arguments)
            case hir.RecordOf() if isinstance(value, Record):
                return Record(
                    tuple(
                        (key, self.within(item, inner, written))
                        if (inner := entry_expr(expr, key, [])) is not expr
                        else (key, self.leaf(item, expr))
                        for key, item in value
                    )
                )
            case hir.ListOf() if isinstance(value, tuple) and value:
                return tuple(self.item(item, expr, written) for item in value)
            case _:
                return self.text(value, expr, written)

    def text(self, value: Value, expr: hir.Expr, written: Written) -> Value:
        """A text line by line, any other value as one."""
        evaluator = Noting(written.deciding).evaluator
        lines = lines_of(expr, evaluator, self.trace.sources)
        if not lines or not isinstance(value, str | NixText) or not isinstance(
            expr, hir.Text | hir.Const
        ):  # fmt: skip
            return self.leaf(value, expr)
        wanted = [self.at(one.span) or self.reads(one.exprs) for one in lines]
        if not any(wanted):
            return value
        if len(wanted) == 1:
            return self.mark(value)
        self.found = True
        return marked_lines(value, wanted)

    def leaf(self, value: Value, expr: hir.Expr) -> Value:
        return self.mark(value) if self.reads((expr,)) else value

    def mark(self, value: Value) -> Value:
        self.found = True
        return marked(value)

    # --- what lines a value comes from ---------------------------------------------------

    def at(self, span: Span) -> bool:
        return self.target in self.lines(span)

    def lines(self, span: Span) -> Iterable[Place]:
        source = self.trace.sources.get(span.file)
        if source is None:
            return ()
        first, last = source.position(span.start).line, source.position(span.end).line
        return [(span.file, line) for line in range(first, last + 1)]

    def reads(self, exprs: Iterable[hir.Expr]) -> bool:
        return self.target in self.places(exprs)

    def whole(self, written: Written) -> bool:
        """Whether the line reaches all of a write: by a condition of it, or as its first line
        where nothing of the value stands on that."""
        conditions = [condition.expr for condition in written.write.conditions]
        if conditions and self.reads(conditions):
            return True
        span = written.write.span
        if any(_inside(span, head) for head in self.heads):
            return True
        if not self.opens(span):
            return False
        noting = Noting(written.deciding)
        noting.look((written.expr,) if written.expr is not None else ())
        return not any(self.has_value(one) for one in noting.spans if _inside(one, span))

    def passes(self, refs: Iterable[hir.LetRef]) -> bool:
        """Whether the line is where a value is taken from a `let`, by one of *refs*, or opens that
        `let`."""
        return any(self.at(ref.span) or self.begins(ref.target) for ref in refs)

    def begins(self, let: hir.LetDef) -> bool:
        """Whether *let* begins on the line, and nothing of its value stands there."""
        if let.expr is None or not self.at(let.span):
            return False
        noting = Noting(self.trace.deciding)
        noting.look((let.expr,))
        whole = let.expr.span
        return not any(self.has_value(one) for one in noting.spans if _inside(one, whole))

    def opens(self, span: Span) -> bool:
        """Whether *span* begins on the line."""
        return self.at(Span(span.file, span.start, span.start))

    def has_value(self, span: Span) -> bool:
        """Whether something of the value at *span* stands on the line, and not only the fence of
        a text over several lines."""
        source = self.trace.sources.get(span.file)
        if source is None or not self.at(span):
            return False
        first = source.text[span.start : span.end].partition("\n")[0]
        bare = first.startswith('"""') and not first.strip('"').strip()
        return not (bare and self.opens(span))

    def reads_beneath(self, expr: hir.Expr) -> bool:
        """Whether what *expr* reads stands on the line; where it stands itself does not count."""
        return self.target in self.places((expr,), without=expr.span)

    def places(self, exprs: Iterable[hir.Expr], without: Span | None = None) -> frozenset[Place]:
        """The lines of *exprs*, and of all that they read, but for those of *without* itself."""
        noting = Noting(self.trace.deciding)
        noting.look(exprs)
        found: set[Place] = set()
        own = [one for one in noting.spans if without is None or not _inside(one, without)]
        spans = [*own, *(fact.span for fact in noting.facts.values())]
        spans += [let.span for let, _ in noting.lets.values()]
        for value in noting.axes.values():
            if isinstance(value, RowValue):
                spans.append(value.span)
        picks = self.trace.deciding.matrix.axes
        spans += [
            pick.axis.span for pick in picks
            if pick.axis.name in noting.axes
            and not isinstance(noting.axes[pick.axis.name], RowValue)
        ]  # fmt: skip
        for span in spans:
            found.update(self.lines(span))
        for path in noting.settings:
            found |= self.setting_places(path)
        return frozenset(found)

    def setting_places(self, path: hir.Path) -> frozenset[Place]:
        """The lines that a setting of the variant comes from."""
        known = self.known.get(path)
        if known is None:
            self.known[path] = frozenset()
            known = self.known[path] = frozenset(self._setting_places(path))
        return known

    def _setting_places(self, path: hir.Path) -> set[Place]:
        deciding = self.trace.deciding
        matrix = deciding.matrix
        match path:
            case ("variant",):
                return set(self.places((matrix.name_expr,)))
            case ("recipe",):
                return set(self.lines(matrix.recipe.span))
            case ("matrix",):
                return set(self.lines(matrix.span))
            case _:
                pass
        found: set[Place] = set()
        try:
            if path[0] == "script":
                script = deciding.script(path[1])
                origins = [part.origin for part in script.parts] if script is not None else []
            else:
                setting = deciding.decide(group_of(path))
                origins = list(_origins(setting)) if setting is not None else []
        except Failed:
            return found
        for span in dict.fromkeys(origin.span for origin in origins if origin is not None):
            written = self.trace.written.get(span)
            if written is None or written.expr is None:
                continue
            exprs = [condition.expr for condition in written.write.conditions]
            found |= self.places((*exprs, written.expr))
            found.update(self.lines(Span(span.file, span.start, span.start)))
        return found


def _origins(setting: ir.Setting) -> Iterable[ir.Origin]:
    yield setting.origin
    for element in setting.elements or ():
        yield element.origin
    for part in setting.parts:
        if part.origin is not None:
            yield part.origin
    for child in setting.children or ():
        yield from _origins(child)


def is_removal(write: hir.Write | hir.PartWrite) -> bool:
    """Whether *write* only takes something out."""
    if isinstance(write, hir.PartWrite):
        return write.text is None
    return write.op == "-=" or (write.op in ("=", "part") and _unsets(write))


def _unsets(write: hir.Write) -> bool:
    """Whether *write* may leave a setting unset."""
    return write.path[0] in BLOCKS and any(
        isinstance(found, hir.Const) and found.value is NONE for found, _ in outcomes(write.value)
    )


def is_first(plan: Plan, write: hir.Write | hir.PartWrite) -> bool:
    """Whether *write* is the first of several to a setting that stands among others in a block, or
    to a part of a script."""
    if isinstance(write, hir.PartWrite):
        parts = [one.write for one in plan.scripts.get(write.script, ())]
        same = [one for one in parts if one.name is not None and one.name == write.name]
        return len(same) > 1 and same[0] is write
    placed = plan.groups.get(group_of(write.path), ())
    return write.path[0] in _ORDERED and len(placed) > 1 and placed[0].write is write


_ORDERED = frozenset({"args", "attrs", "env", "passthru", "meta", *hir.PIN_BLOCKS})


def _all_settings(setting: ir.Setting) -> Iterator[ir.Setting]:
    yield setting
    for child in (*(setting.children or ()), *setting.unset):
        yield from _all_settings(child)


def _inside(inner: Span, outer: Span) -> bool:
    return inner.file == outer.file and outer.start <= inner.start and inner.end <= outer.end
