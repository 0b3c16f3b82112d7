"""What of one variant a line of source reaches: the variant with all of that changed.

The line of each value is known, and the lines of all that it was made of: `let`s, facts, other
settings, conditions. Where those values stand in a file shows when both variants are printed.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.elaborate.lines import lines_of
from tvarc.elaborate.marks import marked, marked_lines, marked_text
from tvarc.elaborate.plan import group_of
from tvarc.elaborate.trace import Noting, Trace, Written, element_expr
from tvarc.light import Iterable, Mapping, replace
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.source import Span
from tvarc.values import (
    DeclValue,
    Fact,
    NixCall,
    NixText,
    Record,
    RowValue,
    Value,
)

Place = tuple[str, int]
"""A file and a line of it, from 1."""


class Reach:
    """One variant, seen from one line."""

    def __init__(self, trace: Trace, target: Place) -> None:
        self.trace = trace
        self.target = target
        self.found = False  # whether anything was changed
        self.overlays: list[int] = []  # those that are reached as a whole, by their number
        self.known: dict[hir.Path, frozenset[Place]] = {}

    # --- the variant ---------------------------------------------------------------------

    def recipe(self, recipe: ir.Recipe) -> ir.Recipe:
        """*recipe* with all changed that the line reaches; see also `overlays`."""
        overlays: list[ir.Overlay] = []
        listed = recipe.overlay_list.elements if recipe.overlay_list is not None else None
        for number, overlay in enumerate(recipe.overlays):
            chosen = listed[number].value if listed is not None else None
            if self.lists(overlay, chosen):
                self.overlays.append(number)
                self.found = True
            overlays.append(
                replace(
                    overlay,
                    changes=self.changes(overlay.changes),
                    patch=self.settings(overlay.patch),
                )
            )
        return replace(
            recipe,
            variant=self.name(recipe.variant),
            axes=tuple(map(self.axis, recipe.axes)),
            pin=self.pin(recipe.pin) if recipe.pin is not None else None,
            config=self.settings(recipe.config),
            overlays=tuple(overlays),
            package=self.setting(recipe.package),
            changes=self.changes(recipe.changes),
        )

    def lists(self, overlay: ir.Overlay, value: Value | None) -> bool:
        """Whether the line declares *overlay*, or lists it."""
        if self.opens(overlay.declared):
            return True
        written = self.trace.written.get(overlay.listed.span)
        if written is None or written.expr is None or not isinstance(value, DeclValue):
            return self.at(overlay.listed.span)
        if self.whole(written):
            return True
        return self.target in self.places((element_expr(written.expr, value, written.deciding),))

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

    def pin(self, pin: ir.Pin) -> ir.Pin:
        fields = {
            one.write.path[-1]: one
            for one in self.trace.written.values()
            if isinstance(one.write, hir.Write) and one.whose == f"pin {pin.name}"
            and len(one.write.path) == 1
        }  # fmt: skip
        head = self.opens(pin.declared)
        hit = {
            name for name, one in fields.items()
            if head or self.whole(one) or (one.expr is not None and self.reads((one.expr,)))
        }  # fmt: skip
        if not hit:
            return pin
        self.found = True
        where = hit & {"url", "github", "rev"}
        sealed = pin.hash is not None and "hash" in hit
        return replace(
            pin,
            url=marked_text(pin.url) if where else pin.url,
            hash=marked_text(pin.hash) if sealed and pin.hash is not None else pin.hash,
        )

    def changes(self, changes: ir.Changes) -> ir.Changes:
        return ir.Changes(
            self.settings(changes.args),
            self.settings(changes.attrs),
            self.settings(changes.env),
            tuple(replace(one, parts=tuple(map(self.part, one.parts))) for one in changes.scripts),
            self.settings(changes.passthru),
            self.settings(changes.meta),
        )

    def settings(self, settings: tuple[ir.Setting, ...]) -> tuple[ir.Setting, ...]:
        return tuple(map(self.setting, settings))

    def setting(self, setting: ir.Setting) -> ir.Setting:
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
        if self.whole(written):
            return replace(element, value=self.mark(element.value))
        expr = element_expr(written.expr, element.value, written.deciding)
        return replace(element, value=self.within(element.value, expr, written))

    def part(self, part: ir.Part) -> ir.Part:
        written = self.trace.written.get(part.origin.span) if part.origin is not None else None
        if part.text is None or written is None or written.expr is None:
            return part
        text = (
            self.mark(part.text) if self.whole(written)
            else self.within(part.text, written.expr, written)
        )  # fmt: skip
        return replace(part, text=text) if isinstance(text, str | NixText) else part

    # --- values --------------------------------------------------------------------------

    def value(self, value: Value, origin: ir.Origin, path: ir.Path) -> Value:
        written = self.trace.written.get(origin.span)
        if written is None or written.expr is None:
            return value
        if self.whole(written):
            return self.mark(value)
        expr: hir.Expr = written.expr
        # A key of a record that was written as one.
        own = written.write.path if isinstance(written.write, hir.Write) else path
        for key in path[len(own) :]:
            expr = _entry(expr, key)
        return self.within(value, expr, written)

    def within(self, value: Value, expr: hir.Expr, written: Written) -> Value:
        """*value*, which *expr* made, with what the line reaches of it changed."""
        match expr:
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
                        if (inner := _entry(expr, key)) is not expr
                        else (key, self.leaf(item, expr))
                        for key, item in value
                    )
                )
            case hir.ListOf() if isinstance(value, tuple) and value:
                items: list[Value] = []
                for item in value:
                    inner = element_expr(expr, item, written.deciding)
                    leaf = inner is expr
                    items.append(
                        self.leaf(item, expr) if leaf else self.within(item, inner, written)
                    )
                return tuple(items)
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
        if not self.opens(span):
            return False
        noting = Noting(written.deciding)
        noting.look((written.expr,) if written.expr is not None else ())
        return not any(self.has_value(one) for one in noting.spans if _inside(one, span))

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

    def places(self, exprs: Iterable[hir.Expr]) -> frozenset[Place]:
        """The lines of *exprs*, and of all that they read."""
        noting = Noting(self.trace.deciding)
        noting.look(exprs)
        found: set[Place] = set()
        spans = [*noting.spans, *(fact.span for fact in noting.facts.values())]
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
    for child in setting.children or ():
        yield from _origins(child)


def _entry(expr: hir.Expr, key: str) -> hir.Expr:
    """What gives *key* in a record that *expr* writes; *expr* itself where that is not plain."""
    if isinstance(expr, hir.RecordOf):
        found = [value for path, value in expr.entries if path[0] == key]
        if len(found) == 1 and any(path == (key,) for path, _ in expr.entries):
            return found[0]
    return expr


def _inside(inner: Span, outer: Span) -> bool:
    return inner.file == outer.file and outer.start <= inner.start and inner.end <= outer.end
