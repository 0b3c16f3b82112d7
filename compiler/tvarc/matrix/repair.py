"""Edits of a source that admit a cell: they add values to axes, and make exclusions admit it."""

from __future__ import annotations

from itertools import product
from math import prod

from tvarc.light import Iterator, Literal, Mapping, Sequence, dataclass
from tvarc.matrix.query import Agreement, Choice, WantedCell, like
from tvarc.meaning import hir
from tvarc.meaning.names.load import ModuleGraph
from tvarc.syntax import ast
from tvarc.text.edits import Edit, edited
from tvarc.text.source import Source, SourceMap, Span
from tvarc.values.value import RowValue, Value, Version, quote, show

EditKind = Literal["add", "narrow", "remove", "set"]


@dataclass(frozen=True, slots=True)
class Step:
    """An edit of a repair. `what` describes it in a few words."""

    SHOWN = ("kind", "edit")
    KEYS = (("edit", ""),)

    kind: EditKind
    edit: Edit
    what: str


Line = hir.Check | hir.ExcludeModule
"""An item of a source: one exclusion, or `exclude MODULE` for all those of a module."""


def lines_of(cell: WantedCell) -> list[Line]:
    """The lines that drop *cell*, without duplicates. Each must be changed to admit it."""
    found: list[Line] = []
    for reason in cell.reasons:
        line = reason.check.through or reason.check
        if line not in found:
            found.append(line)
    return found


def apply(steps: Sequence[Step], sources: SourceMap) -> dict[str, str]:
    """The contents of the files after *steps*."""
    return edited({one.file: one.text for one in sources}, [one.edit for one in steps])


# --- values ------------------------------------------------------------------------------------


def additions(
    matrix: hir.MatrixDef, new: Sequence[Choice], graph: ModuleGraph
) -> list[Step] | None:
    """Edits that add the *new* values to *matrix*. None if one of them cannot be added by an edit
    of a list of values."""
    steps: list[Step] = []
    for choice in new:
        pick = next(pick for pick in matrix.axes if pick.axis.name == choice.axis)
        text, name = literal(choice.value), choice.axis
        sliced = _slice_items(pick, graph)
        if choice.standing == "unlisted":
            items = _axis_items(pick.axis, graph)
            if items is None:
                return None
            steps.append(_insertion(choice, pick.axis, items, f"add `{text}` to axis `{name}`"))
        if sliced is not None:
            what = f"also take `{text}` of axis `{name}`"
            steps.append(_insertion(choice, pick.axis, sliced, what))
    return steps


def settings(
    asked: Sequence[Agreement], lets: Mapping[str, hir.LetDef], graph: ModuleGraph
) -> list[Step] | None:
    """Edits that give each `let` the value that was *asked* for. None if the value of one is
    computed, or is in a source that may not be edited."""
    steps: list[Step] = []
    for one in asked:
        expr = lets[one.name].expr
        if not isinstance(expr, hir.Const) or not graph.is_own(expr.span.file):
            return None
        value = like(expr.value, one.asked)
        if value is None:
            return None
        what = f"change `let {one.name}`, which is one value for all variants"
        steps.append(Step("set", Edit(expr.span, literal(value)), what))
    return steps


def _axis_items(axis: hir.AxisDef, graph: ModuleGraph) -> Sequence[_Item] | None:
    module = graph.modules.get(axis.span.file)
    for item in module.tree.items if module is not None else ():
        if isinstance(item, ast.Axis) and item.name.span == axis.span:
            match item.source:
                case ast.Index():
                    return item.source.picks
                case ast.ListLit():
                    return item.source.items
                case _:
                    return None
    return None


_Item = ast.Pick | ast.Spread | ast.Each


def _slice_items(pick: hir.AxisPick, graph: ModuleGraph) -> Sequence[_Item] | None:
    """The picks of `a[v, w]` in a matrix; None if it uses the whole axis."""
    module = graph.modules.get(pick.span.file)
    for item in module.tree.items if module is not None else ():
        if not isinstance(item, ast.Matrix | ast.Variant):
            continue
        for inner in item.body:
            if isinstance(inner, ast.Assign):
                terms = (
                    inner.value.terms if isinstance(inner.value, ast.Product) else (inner.value,)
                )
                for term in terms:
                    if isinstance(term, ast.Index) and term.span == pick.span:
                        return term.picks
    return None


def _insertion(choice: Choice, axis: hir.AxisDef, items: Sequence[_Item], what: str) -> Step:
    """The edit that adds the value to *items*. It keeps their order if they have the order of the
    table or of versions; otherwise it adds the value at the end."""
    text = literal(choice.value)
    ranks = [_rank(_named(item), axis) for item in items]
    mine = _rank(_spelt(choice.value), axis)
    known = [rank for rank in ranks if rank is not None]
    if mine is not None and len(known) == len(ranks) and known == sorted(known):
        for item, rank in zip(items, known, strict=True):
            if mine < rank:
                span = Span(item.span.file, item.span.start, item.span.start)
                return Step("add", Edit(span, f"{text}, "), what)
    last = items[-1].span
    return Step("add", Edit(Span(last.file, last.end, last.end), f", {text}"), what)


def _named(item: _Item) -> str | None:
    match item:
        case ast.Ref():
            return item.name
        case ast.VersionLit():
            return item.text
        case _:
            return None


def _spelt(value: Value) -> str | None:
    match value:
        case RowValue():
            return value.name
        case Version():
            return value.text
        case _:
            return None


def _rank(name: str | None, axis: hir.AxisDef) -> tuple[int, ...] | None:
    if name is None:
        return None
    rows = list(axis.table.rows) if axis.table is not None else []
    if name in rows:
        return (rows.index(name),)
    steps = name.split(".")
    return tuple(map(int, steps)) if all(step.isdigit() for step in steps) else None


def literal(value: Value) -> str:
    """*value* as the code of an expression."""
    return quote(value) if isinstance(value, str) else show(value)


# --- exclusions --------------------------------------------------------------------------------


def remedies(
    line: Line,
    cell: WantedCell,
    matrix: hir.MatrixDef,
    reads: frozenset[str],
    sources: SourceMap,
    graph: ModuleGraph,
) -> list[Step]:
    """Edits of *line* that admit *cell*: one that admits nothing else, one that removes the line,
    and one that tests only the axes that the line already *reads*. Empty if the line is not in a
    file of the program.

    The name of a value is not used if it is also declared, since it might mean the declaration.
    """
    source = sources.get(line.span.file)
    if source is None or not graph.is_own(line.span.file):
        return []
    if isinstance(line, hir.Check) and line.need:
        return []  # without the need, the cell has nothing to build from
    if isinstance(line, hir.Check) and line.includes:
        return [_included(line.includes[-1].span, cell, matrix, source, declared_names(graph))]
    declared = declared_names(graph)
    telling = {pick.axis.name for pick in matrix.axes if len(pick.values) > 1}
    telling |= {choice.axis for choice in cell.new}
    all_axes = [pick.axis.name for pick in matrix.axes if pick.axis.name in telling]
    own = [axis for axis in all_axes if axis in reads]
    found = [_narrowed(line, cell, all_axes, source, declared), _removed(line, source)]
    if own and own != all_axes:
        found.append(_narrowed(line, cell, own, source, declared))
    return [step for step in found if step is not None]


def _included(
    last: Span,
    cell: WantedCell,
    matrix: hir.MatrixDef,
    source: Source,
    declared: frozenset[str],
) -> Step:
    """The edit that includes *cell*, in a line below the *last* `include`."""
    terms = (
        _asked(pick.axis.name, "==", cell.values[pick.axis.name], declared) for pick in matrix.axes
    )
    line = source.line(source.position(last.start).line)
    indent = line[: len(line) - len(line.lstrip())]
    text = f"\n{indent}include {' and '.join(terms)}"
    return Step("add", Edit(Span(last.file, last.end, last.end), text), "include the cell")


def _narrowed(
    line: Line, cell: WantedCell, axes: Sequence[str], source: Source, declared: frozenset[str]
) -> Step | None:
    if not axes:
        return None
    if len(axes) == 1:
        condition = _asked(axes[0], "!=", cell.values[axes[0]], declared)
    else:
        terms = (_asked(axis, "==", cell.values[axis], declared) for axis in axes)
        condition = f"not ({' and '.join(terms)})"
    what = "narrow the exclusion"
    if isinstance(line, hir.ExcludeModule):
        written = source.text[line.span.start : line.span.end]
        return Step("narrow", Edit(line.span, f"when {condition} {{ {written} }}"), what)
    span = line.expr.span
    written = source.text[span.start : span.end]
    loose = isinstance(line.expr, hir.If) or (
        isinstance(line.expr, hir.Logic) and line.expr.op == "or"
    )
    if loose:
        written = f"({written})"
    return Step("narrow", Edit(span, f"{written} and {condition}"), what)


def _asked(axis: str, op: str, value: Value, declared: frozenset[str]) -> str:
    """The comparison of an axis with one of its values. It compares strings if a declaration has
    the value's name."""
    if isinstance(value, RowValue) and value.name in declared:
        return f'"{{{{{axis}}}}}" {op} {quote(value.name)}'
    return f"{axis} {op} {literal(value)}"


def declared_names(graph: ModuleGraph) -> frozenset[str]:
    """The names that the modules of *graph* declare, also inside bodies. Names of rows are not
    included."""
    found: set[str] = set()
    waiting: list[ast.Item] = [item for one in graph.modules.values() for item in one.tree.items]
    while waiting:
        item = waiting.pop()
        name = item.alias if isinstance(item, ast.Use) else getattr(item, "name", None)
        if isinstance(name, ast.Name):
            found.add(name.text)
        if isinstance(item, ast.Recipe | ast.Matrix | ast.Variant | ast.When):
            waiting += ast.items_in(item)
    return frozenset(found)


def _removed(line: Line, source: Source) -> Step:
    """The edit that removes the whole item, and its lines if they contain nothing else."""
    start, end = line.span.start, line.span.end
    text = source.text
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last + 1
    rest = text[end:last].strip()
    if not text[first:start].strip() and (not rest or rest.startswith("#")):
        start, end = first, last
    return Step("remove", Edit(Span(line.span.file, start, end), ""), "remove the exclusion")


def ways(options: Sequence[Sequence[Step]]) -> Iterator[tuple[Step, ...]]:
    """Choices of one option for each line. If there are few combinations, all of them; otherwise
    two, each with options of one kind."""
    if prod(map(len, options)) <= 9:
        yield from product(*options)
        return
    for number in range(2):
        yield tuple(some[min(number, len(some) - 1)] for some in options)
