"""Finds items and texts on a line of source, only by the syntax."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.light import Callable, Iterator, Sequence
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.syntax import ast
from tvarc.text.source import Span
from tvarc.values.provenance import Place
from tvarc.values.value import show


def covers(made: Compilation, span: Span, place: Place) -> bool:
    """Whether a part of the text at *span* is on the line *place*."""
    source = made.sources.get(span.file)
    if source is None or span.file != place[0]:
        return False
    return source.position(span.start).line <= place[1] <= source.position(span.end).line


def items_at(made: Compilation, place: Place) -> tuple[ast.Item, ...]:
    """The items that contain the line, from the outermost one. A file of data has none."""
    assert made.graph is not None
    found: list[ast.Item] = []
    module = made.graph.modules.get(place[0])
    items: Sequence[ast.Item] = module.tree.items if module is not None else ()
    while items:
        inside = [item for item in items if covers(made, item.span, place)]
        items = ()
        for item in inside:
            found.append(item)
            items = ast.items_in(item) or items
    return tuple(found)


def within_text(made: Compilation, items: Sequence[ast.Item], place: Place) -> bool:
    """Whether the line is inside a text over several lines."""
    source = made.sources.get(place[0])
    return source is not None and any(
        isinstance(node, ast.StringLit | ast.NixLit)
        and covers(made, node.span, place)
        and source.position(node.span.start).line < place[1]
        for node in ast.walk(items[-1:])
    )


def decides(
    items: Sequence[ast.Item], variants: Sequence[Variant], made: Compilation, place: Place
) -> tuple[str, tuple[int, ...]] | None:
    """The effect of a line that is part of no value: it decides which variants exist, or their
    files. None if it concerns none of *variants*."""
    if not items:
        return None
    outer, inner = items[0], items[-1]
    source = made.sources.get(outer.span.file)
    first = source.position(outer.span.start).line if source is not None else 0
    field = inner.path[0].text if isinstance(inner, ast.Assign) and inner.path else ""
    head = inner is outer and place[1] == first
    match outer:
        case ast.Axis():
            name = outer.name.text
            text = f"the values of axis {name} make these variants"
            those = _those(variants, lambda matrix: any(
                pick.axis.name == name for pick in matrix.axes
            ))  # fmt: skip
            for row in outer.rows or ():
                if covers(made, row.span, place) and not head:
                    text = f"row {row.name.text} of axis {name} makes these variants"
                    those = tuple(
                        [one for one in those if show(variants[one].values[name]) == row.name.text]
                    )
        case ast.Matrix() | ast.Variant() if (
            head
            or field in ("recipe", "axes", "name", "limit")
            or isinstance(inner, ast.Include)
        ):
            kind = "matrix" if isinstance(outer, ast.Matrix) else "variant"
            text = f"{kind} {outer.name.text} makes these variants"
            those = _those(variants, lambda matrix: any(
                layer.span == outer.span for layer in matrix.layers
            ))  # fmt: skip
        case ast.Recipe() if head:
            kind = "mixin" if outer.partial else "recipe"
            text = f"{kind} {outer.name.text} is what variants are made of"
            those = _those(variants, lambda matrix: any(
                recipe.name == outer.name.text for recipe in matrix.recipe.chain()
            ))  # fmt: skip
        case ast.Output():
            text = f"output {outer.name.text} names the file of each"
            those = tuple(range(len(variants)))
        case _:
            return None
    return (text, those) if those else None


def _those(variants: Sequence[Variant], fits: Callable[[hir.MatrixDef], bool]) -> tuple[int, ...]:
    """The variants of the matrices for which *fits* is true."""
    known: dict[str, bool] = {}
    found: list[int] = []
    for number, one in enumerate(variants):
        matrix = one.matrix
        if matrix.id not in known:
            known[matrix.id] = fits(matrix)
        if known[matrix.id]:
            found.append(number)
    return tuple(found)


def excludes_at(made: Compilation, matrix: hir.MatrixDef, place: Place) -> Iterator[hir.Check]:
    """The exclusions of *matrix* on the line."""
    for check in made.excludes(matrix):
        through = check.through
        if check.includes:
            continue  # `decides` handles them
        if covers(made, check.span, place) or (
            through is not None and covers(made, through.span, place)
        ):
            yield check
