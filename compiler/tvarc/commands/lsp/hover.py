"""Texts that an editor shows about a place: values with their reasons, facts, and pages of
codes."""

from __future__ import annotations

from tvarc.commands.explain.text import explain_text
from tvarc.commands.lsp.hints import made_text
from tvarc.commands.lsp.open_programs import Snapshot
from tvarc.commands.shown.data import place_of
from tvarc.commands.shown.markdown import Block, Code, Fenced, Paragraph, Text, print_markdown
from tvarc.commands.shown.tree import Node, recipe_tree
from tvarc.decide.trace import Trace
from tvarc.editor.counts import produced
from tvarc.files.resources import error_page
from tvarc.light import Final, Iterable, Iterator, dataclass
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.declarations.noted import Meaning
from tvarc.meaning.names.scope import Symbol
from tvarc.text.diagnostics.model import Failed
from tvarc.text.source import Span
from tvarc.values.value import Fact, RowValue, Value, show

_WIDTH: Final = 80
_LONGEST: Final = 300
_NODES: Final = ("setting", "script", "part", "element", "pin", "overlay", "need", "unset", "line")


@dataclass(frozen=True, slots=True)
class Shown:
    """A text in Markdown, and the place that it is about."""

    text: str
    span: Span | None


def shown_at(snapshot: Snapshot, file: str, offset: int, chosen: str) -> Shown | None:
    """The text about *offset* of *file*. Values are those in the variant *chosen*, or in a variant
    of the place. None if there is nothing to show."""
    blocks: list[Block] = []
    texts: list[str] = []
    span: Span | None = None
    made = snapshot.made
    if made.resolution is not None:
        variant = snapshot.looking.variant(chosen, file, offset)
        found = _expression(snapshot, file, offset)
        if found is not None:
            span, expr = found
            blocks += _value(snapshot, span, expr, variant)
        place = snapshot.meanings.at(file, offset)
        if not blocks and place is not None:
            span = place.span
            blocks += _declared(snapshot, place.meaning, variant)
        node = _explained(snapshot, file, offset, variant) if variant is not None else None
        if node is not None:
            span = span if blocks else node.span
            texts.append(node.text)
    pages = list(_pages(snapshot, file, offset))
    if blocks:
        texts.insert(0, print_markdown(blocks))
    if not texts and not pages:
        return None
    return Shown("\n---\n\n".join(["\n".join(texts), *pages] if texts else pages), span)


def _expression(snapshot: Snapshot, file: str, offset: int) -> tuple[Span, hir.Expr] | None:
    """The innermost expression at *offset*."""
    found = [
        (span, expr)
        for span, expr in snapshot.notes.values
        if span.file == file and span.start <= offset <= span.end
    ]
    return min(found, key=lambda one: one[0].end - one[0].start, default=None)


def _value(
    snapshot: Snapshot, span: Span, expr: hir.Expr, variant: Variant | None
) -> Iterator[Block]:
    """The value of *expr*, which is written at *span*, and the facts that it has or is."""
    if isinstance(expr, hir.Const) and not isinstance(expr.value, RowValue):
        return  # a literal or a declaration, whose value is the source itself
    if isinstance(expr, hir.Broken | hir.NixCode | hir.NixRoot | hir.Text | hir.ListOf):
        return
    try:
        value = _evaluated(snapshot, expr, variant)
    except Failed:
        return
    text = snapshot.made.sources.text_of(span)
    where = (Text(" in "), Code(variant.name)) if variant is not None else ()
    if show(value) != text:
        yield Paragraph((Code(_cut(text)), Text(" is "), Code(_cut(show(value))), *where))
    if isinstance(expr, hir.Member):
        base = _evaluated(snapshot, expr.base, variant)
        if isinstance(base, RowValue) and expr.name in base.facts:
            yield _shown(_fact(snapshot, base, expr.name, base.facts[expr.name]))
    elif isinstance(value, RowValue):
        yield _shown(_row(snapshot, value))


def _declared(
    snapshot: Snapshot, meaning: Meaning, variant: Variant | None
) -> Iterator[Block]:
    """The declaration of the name with this *meaning*."""
    scopes = snapshot.notes.scopes.values()
    program = snapshot.made.program
    match meaning:
        case "row", origin, name:
            tables = [one for scope in scopes for one in scope.all_tables() if one.origin == origin]
            row = next((one.rows[name] for one in tables if name in one.rows), None)
            if row is not None:
                yield _shown(_row(snapshot, row))
        case "field", origin, name:
            tables = [one for scope in scopes for one in scope.all_tables() if one.origin == origin]
            kind = next((one.fields[name] for one in tables if name in one.fields), None)
            if kind is not None:
                yield _shown([f"{origin.rpartition('::')[2]} ({name}: {kind.show()})"])
        case "axis", name if name in program.axes:
            values = program.axes[name].values or ()
            shown = ", ".join(map(show, values))
            yield _shown([_cut(f"axis {name} = [{shown}]")])
        case "declaration", ident:
            lets = [let for scope in scopes for let in scope.lets.values()]
            for recipe in program.recipes:
                lets += recipe.lets.values()
            let = next((one for one in lets if one.id == ident), None)
            if let is not None:
                yield from _value(snapshot, let.span, hir.LetRef(let, let.span), variant)
            else:
                symbols = [one for scope in scopes for one in scope.own.values() if one.id == ident]
                yield from [_shown(_item(snapshot, one)) for one in symbols[:1]]
        case _:
            pass


def _item(snapshot: Snapshot, symbol: Symbol) -> Iterator[str]:
    """A declaration with a body: what it is made of, and how many variants it makes."""
    made = snapshot.made
    yield f"{symbol.describe().replace('`', '')}, {made.sources.locate(symbol.span)}"
    for recipe in made.program.recipes:
        others = [one.name for one in recipe.chain() if one is not recipe]
        if recipe.span == symbol.span and others:
            yield f"  made of {', '.join(others)}"
    for matrix in made.program.matrices:
        if matrix.span == symbol.span:
            yield f"  recipe = {matrix.recipe.name}"
            axes = [f"{one.axis.name} ({len(one.values)})" for one in matrix.axes]
            yield from [f"  axes = {' * '.join(axes)}"] if axes else []
    yield from [f"  {made_text(one)}" for one in produced(made) if one.span == symbol.span]


def _evaluated(snapshot: Snapshot, expr: hir.Expr, variant: Variant | None) -> Value:
    """The value of *expr*. Raises Failed if it has none, or if no variant has it."""
    if isinstance(expr, hir.Const):
        return expr.value
    if variant is None:
        raise Failed
    return snapshot.looking.value(expr, variant)


def _fact(snapshot: Snapshot, row: RowValue, name: str, fact: Fact) -> Iterator[str]:
    place = snapshot.made.sources.locate(fact.span)
    yield f"fact of {_table(row)} {row.name}, {place}"
    if fact.shadowed is not None:
        yield f"corrects {show(fact.shadowed.value)}: {fact.because or 'without a reason'}"
    yield from _sources(row)


def row_text(snapshot: Snapshot, row: RowValue) -> str:
    """The facts of *row*, and their sources."""
    return print_markdown([_shown(_row(snapshot, row))])


def _row(snapshot: Snapshot, row: RowValue) -> Iterator[str]:
    yield f"{_table(row)} {row.name}, {snapshot.made.sources.locate(row.span)}"
    facts = row.facts.items()
    names = [name for name, one in facts if name != "sources" and one.value is not None]
    column = max(map(len, names), default=0)
    for name in names:
        yield f"  {name:<{column}} = {_cut(show(row.facts[name].value))}"
    yield from _sources(row)


def _sources(row: RowValue) -> Iterator[str]:
    sources = row.facts.get("sources")
    if sources is not None and isinstance(sources.value, tuple) and sources.value:
        yield f"sources: {', '.join(map(str, sources.value))}"


def _table(row: RowValue) -> str:
    return row.table.rpartition("::")[2]


def _shown(lines: Iterable[str]) -> Fenced:
    return Fenced("text", tuple(lines))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _explained(
    snapshot: Snapshot, file: str, offset: int, variant: Variant
) -> Shown | None:
    """What `tvarc explain` prints about the setting of *variant* that is written at *offset*, or
    about the part of it."""
    found = node_at(snapshot, file, offset, variant)
    if found is None:
        return None
    tree, node, place, why = found
    text = explain_text(tree, node, why.sources, colour=False, width=_WIDTH, why=why)
    return Shown(print_markdown([_shown(text.rstrip("\n").splitlines())]), place)


def node_at(
    snapshot: Snapshot, file: str, offset: int, variant: Variant
) -> tuple[Node, Node, Span, Trace] | None:
    """The tree of *variant*, and the innermost thing of it that is written at *offset*, with its
    place."""
    recipe = snapshot.looking.recipe(variant)
    if recipe is None:
        return None
    why = snapshot.looking.trace(variant, recipe)
    tree = recipe_tree(recipe, snapshot.made.inputs)
    found: list[tuple[int, int, Node, Span]] = []
    for node in tree.walk():
        if node.kind in _NODES and _is_at(node.span, file, offset):
            place = place_of(node, why)
            if place is not None and _is_at(place, file, offset):
                found.append((place.end - place.start, -len(node.path), node, place))
    if not found:
        return None
    *_, node, place = min(found, key=lambda one: one[:2])
    return tree, node, place, why


def _is_at(span: Span | None, file: str, offset: int) -> bool:
    return span is not None and span.file == file and span.start <= offset <= span.end


def _pages(snapshot: Snapshot, file: str, offset: int) -> Iterator[str]:
    """The pages on the codes of diagnostics at *offset*, each once."""
    codes = [one.code for one in snapshot.diagnostics if _is_at(one.primary, file, offset)]
    for code in dict.fromkeys(codes):
        page = error_page(code)
        if page is not None:
            yield page
