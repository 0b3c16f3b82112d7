"""Changes of a program that an editor offers at a place, as edits.

An action is offered only if the compiler accepts the program after it. Two of them only move what
is written: their recipes stay the same, byte for byte.
"""

from __future__ import annotations

from posixpath import basename

from tvarc.build.driver import Compilation
from tvarc.editor.meanings import is_name
from tvarc.editor.outline import nodes_at
from tvarc.light import Final, Iterator, Mapping, dataclass
from tvarc.matrix.repair import comparison, declared_names
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.names.scope import ModuleScope
from tvarc.syntax import ast
from tvarc.syntax.format.format import because, braced
from tvarc.text.edits import Edit
from tvarc.text.source import Source, Span
from tvarc.values.value import RowValue

_COMPARED: Final = 8
"""The number of variants whose recipes are compared before an action is offered."""

_INDENT: Final = "  "
_TYPES: Final[dict[type[ast.Expr], str]] = {
    ast.StringLit: "string",
    ast.IntLit: "int",
    ast.BoolLit: "bool",
    ast.VersionLit: "version",
}
_DECIDED: Final = (ast.Recipe, ast.Matrix, ast.Variant)


@dataclass(frozen=True, slots=True)
class Action:
    """A change, in a few words and as edits. With `same`, recipes must stay as they are."""

    title: str
    edits: tuple[Edit, ...]
    same: bool


def actions_at(
    made: Compilation,
    scopes: Mapping[str, ModuleScope],
    source: Source,
    offset: int,
    variant: Variant | None,
) -> Iterator[Action]:
    """The actions at *offset* of *source*, a module of *made*, before anything is tried. The
    editor shows values of *variant* there."""
    graph = made.graph
    if graph is None or not graph.is_own(source.file) or variant is None:
        return
    chain = nodes_at(graph.modules[source.file].tree, offset)
    if len(chain) < 2:
        return
    match chain[1]:
        case ast.Matrix() | ast.Variant() as matrix:
            yield from _excluded(made, source, matrix, variant)
        case ast.Recipe() as recipe if len(chain) > 2 and chain[2] in recipe.body:
            yield from _in_a_mixin(recipe, chain[2], source, declared_names(graph))
        case _:
            pass
    scope = scopes.get(source.file)
    if scope is not None and isinstance(chain[1], _DECIDED):
        yield from _as_facts(made, scope, source, chain, variant)


def builds_the_same(before: Compilation, after: Compilation) -> bool:
    """Whether both states of a program, which have no errors yet, make the same variants, and the
    same recipes of some of them."""
    every = max(1, len(before.variants) // _COMPARED)
    names = [[one.name for one in made.variants] for made in (before, after)]
    return names[0] == names[1] and _texts(before, every) == _texts(after, every)


def _texts(made: Compilation, every: int) -> list[bytes] | None:
    chosen = list(made.variants[::every])
    files = made.files(basename(made.file), chosen, lints=False, sizes=False)
    texts = [file.data() for file in files]
    return None if made.sink.has_errors else texts


def with_row(made: Compilation, row: Edit) -> Edit | None:
    """The edit that puts *row*, which is `lacking`, at the end of the record or the table at its
    place; None if that is not written out in the program."""
    graph, source = made.graph, made.sources.get(row.span.file)
    if graph is None or source is None or not graph.is_own(source.file):
        return None
    items = graph.modules[source.file].tree.items
    tables = [one for one in items if isinstance(one, ast.Axis | ast.Facts)]
    body = next((one.span for one in tables if one.name.span == row.span), row.span)
    return _appended(body, source, row.text) if source.text[body.end - 1] == "}" else None


# --- exclude a cell ------------------------------------------------------------------------------


def _excluded(
    made: Compilation, source: Source, item: ast.Matrix | ast.Variant, variant: Variant
) -> Iterator[Action]:
    """Exclude the cell of *variant* from the matrix that *item* declares."""
    matrix = variant.matrix
    assert made.graph is not None
    if matrix.span != item.name.span or len(variant.built.cells) < 2:
        return
    declared = declared_names(made.graph)
    terms = [
        comparison(pick.axis.name, "==", variant.values[pick.axis.name], declared)
        for pick in matrix.axes
        if len(pick.values) > 1
    ]
    text = f"exclude {' and '.join(terms)}{because('this build is not wanted')}"
    yield Action(f"Exclude {variant.name}", (_appended(item.span, source, text),), same=False)


def _appended(body: Span, source: Source, text: str) -> Edit:
    """The edit that puts *text* at the end of the braces with which *body* ends."""
    close = body.end - 1
    before = source.text[:close].rstrip()
    start = source.text.rfind("\n", 0, close) + 1
    if not source.text[start:close].strip():  # the brace is alone on its line
        newline = "\r\n" if source.text[:start].endswith("\r\n") else "\n"
        line = f"{source.text[start:close]}{_INDENT}{text}{newline}"
        return Edit(Span(source.file, start, start), line)
    separator = " " if before.endswith(("{", ",")) else ", "
    return Edit(Span(source.file, len(before), len(before)), f"{separator}{text}")


# --- move settings into a mixin ------------------------------------------------------------------


def _in_a_mixin(
    recipe: ast.Recipe, item: object, source: Source, declared: frozenset[str]
) -> Iterator[Action]:
    """Move the *item* of the body of *recipe* into a mixin of its own."""
    if recipe.partial or not isinstance(item, ast.Block | ast.When | ast.Script):
        return
    if isinstance(item, ast.When) and item.otherwise is not None:
        return  # it ends elsewhere
    word = item.name.text if isinstance(item, ast.Block | ast.Script) else "special"
    name = _free(f"{recipe.name.text}-{word}", declared)
    if not is_name(name):
        return
    text = source.text[item.span.start : item.span.end]
    last = recipe.mixins[-1][-1] if recipe.mixins else (recipe.extends or (recipe.name,))[-1]
    joined = f", {name}" if recipe.mixins else f" with {name}"
    after = recipe.span.end
    mixin = "\n".join(["", "", *braced(f"mixin {name}", [f"{_INDENT}{text}"], 0)])
    yield Action(
        f"Move this into the mixin {name}",
        (
            Edit(Span(source.file, last.span.end, last.span.end), joined),
            Edit(_with_its_line(item.span, source), ""),
            Edit(Span(source.file, after, after), mixin),
        ),
        same=True,
    )


def _with_its_line(span: Span, source: Source) -> Span:
    """*span* with the separator before it, or with its lines if they have nothing else."""
    text = source.text
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    end = len(text) if end < 0 else end + 1
    if not text[start : span.start].strip() and not text[span.end : end].strip():
        return Span(span.file, start, end)
    before = text[: span.start].rstrip()
    if before.endswith(","):
        return Span(span.file, len(before) - 1, span.end)
    rest = text[span.end :]
    behind = len(rest) - len(rest.lstrip())
    comma = rest.lstrip().startswith(",")
    return Span(span.file, span.start, span.end + behind + 1 if comma else span.end)


def _free(name: str, taken: frozenset[str]) -> str:
    """*name*, with a number if it is *taken*."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


# --- make a value a fact -------------------------------------------------------------------------


def _as_facts(
    made: Compilation, scope: ModuleScope, source: Source, chain: list[object], variant: Variant
) -> Iterator[Action]:
    """Make the literal at the end of *chain* a fact of each axis that has rows."""
    literal, assign = chain[-1], [one for one in chain if isinstance(one, ast.Assign)][:1]
    kind = _TYPES.get(type(literal))  # type: ignore[arg-type]
    if kind is None or not assign or not any(isinstance(one, ast.Block) for one in chain):
        return
    if isinstance(literal, ast.StringLit) and (
        literal.script or not all(isinstance(one, str) for one in literal.parts)
    ):
        return
    span: Span = literal.span  # type: ignore[attr-defined]
    key = assign[0].path[-1].text
    for pick in variant.matrix.axes:
        axis = pick.axis
        rows = [one for one in axis.values or () if isinstance(one, RowValue)]
        if axis.name not in scope.axes or not rows or len(rows) != len(axis.values or ()):
            continue
        known = frozenset({name for row in rows for name in row.facts})
        name = _free(key if is_name(key) else "value", known)
        text = source.text[span.start : span.end]
        given = _own_rows(made, axis, f"{name} = {text}") or _more_of_table(
            scope, rows, source, chain[1], name, kind, text
        )
        if given:
            edits = (*given, Edit(span, f"{axis.name}.{name}"))
            yield Action(f"Make this a fact of {axis.name}", edits, same=True)


def _own_rows(made: Compilation, axis: hir.AxisDef, text: str) -> list[Edit]:
    """The edits that add *text* to the rows that the declaration of *axis* has; none if it has no
    rows of its own."""
    graph = made.graph
    module = graph.modules.get(axis.span.file) if graph is not None else None
    source = made.sources.get(axis.span.file)
    if graph is None or module is None or source is None or not graph.is_own(axis.span.file):
        return []
    for item in module.tree.items:
        if isinstance(item, ast.Axis) and item.rows and item.name.span == axis.span:
            if any(source.text[row.span.end - 1] != "}" for row in item.rows):
                return []
            return [_appended(row.span, source, text) for row in item.rows]
    return []


def _more_of_table(
    scope: ModuleScope,
    rows: list[RowValue],
    source: Source,
    item: object,
    name: str,
    kind: str,
    text: str,
) -> list[Edit]:
    """The edit that adds a column to the table of *rows*, before *item*; none if the file has no
    name for the table."""
    origin = rows[0].table
    table = next((one for one in scope.tables.values() if one.origin == origin), None)
    if table is None or table.name not in scope.tables:
        return []
    kind = kind if len(rows) == len(table.rows) else f"{kind}?"
    values = [_INDENT + braced(row.name, [f"{name} = {text}"])[0] for row in rows]
    lines = braced(f"facts {table.name} += ({name}: {kind})", values, 0)
    span: Span = item.span  # type: ignore[attr-defined]
    start = source.text.rfind("\n", 0, span.start) + 1
    return [Edit(Span(source.file, start, start), "\n".join([*lines, "", ""]))]
