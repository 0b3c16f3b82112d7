"""The meanings of the names of a program: their declarations, their uses, and their renaming."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.light import Final, Iterator, dataclass
from tvarc.meaning.declarations.noted import Meaning, Notes, meaning_of
from tvarc.meaning.names.scope import ModuleScope
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_expression
from tvarc.text.diagnostics.model import Sink
from tvarc.text.edits import Edit
from tvarc.text.source import Source, Span

_RENAMED: Final = ("declaration", "axis", "row", "field", "flag", "need", "element")


class NotRenamed(Exception):
    """A name cannot be changed. The text of the error is the reason."""


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a source, and its meaning. `declares` says that the thing is declared there."""

    span: Span
    meaning: Meaning
    declares: bool


class Meanings:
    """The names of one compiled program."""

    __slots__ = ("_made", "_notes", "_places")

    def __init__(self, made: Compilation, notes: Notes) -> None:
        self._made = made
        self._notes = notes
        self._places: dict[Span, Place] | None = None

    @property
    def places(self) -> dict[Span, Place]:
        """All names with a meaning that are not in the library, and the declarations of the
        library, by their places."""
        if self._places is None:
            found = {
                span: Place(span, meaning, declares=False)
                for span, meaning in self._notes.names.items()
            }
            graph = self._made.graph
            for file, scope in self._notes.scopes.items():
                if graph is not None and file in graph.modules:
                    for place in _written(graph.modules[file].tree, scope):
                        found[place.span] = place
            self._places = found
        return self._places

    def at(self, file: str, offset: int) -> Place | None:
        """The name at *offset* of *file*, or right before it."""
        found = [
            place
            for span, place in self.places.items()
            if span.file == file and span.start <= offset <= span.end
        ]
        return max(found, key=lambda place: place.span.start, default=None)

    def definitions(self, meaning: Meaning) -> list[Span]:
        """The places where the thing is declared. Each write of a setting declares it."""
        found = [one.span for one in self.places.values() if one.meaning == meaning]
        declaring = [span for span in found if self.places[span].declares]
        if not declaring and meaning[0] == "element":
            start = int(meaning[2])
            length = next((span.end - span.start for span in found), 0)
            declaring = [Span(meaning[1], start, start + length)]
        return sorted(declaring)

    def references(self, meaning: Meaning) -> list[Span]:
        """All names of the thing, its declarations among them."""
        found = {one.span for one in self.places.values() if one.meaning == meaning}
        return sorted(found.union(self.definitions(meaning)))

    def kind_of(self, ident: str) -> str:
        """The kind of the declaration with the id *ident*. A name of a recipe's body is a `let`."""
        file, _, name = ident.rpartition("::")
        scope = self._notes.scopes.get(file)
        symbol = scope.own.get(name) if scope is not None else None
        return symbol.kind if symbol is not None else "let"

    def renamed(self, meaning: Meaning, name: str) -> list[Edit]:
        """The edits that give the thing another *name* in all files of the program. Raises
        NotRenamed."""
        graph = self._made.graph
        spans = self.references(meaning)
        foreign = [one.file for one in spans if graph is None or not graph.is_own(one.file)]
        if meaning[0] not in _RENAMED or not spans:
            raise NotRenamed("it is no name of the program")
        if foreign:
            raise NotRenamed(f"{foreign[0]} has the name, too, and is no file of the program")
        if not is_name(name):
            raise NotRenamed(f"`{name}` is no name in the language")
        return [Edit(span, name) for span in spans]


def is_name(text: str) -> bool:
    """Whether *text* is a name of the language."""
    return parse_expression(Source("", text), Sink()) == ast.Ref(text, Span("", 0, 0))


def _written(tree: ast.Module, scope: ModuleScope) -> Iterator[Place]:
    """The names that declarations and settings of *tree* write."""
    for item in tree.items:
        match item:
            case ast.Facts():
                table = scope.tables.get(item.name.text)
                origin = table.origin if table is not None else f"{tree.file}::{item.name.text}"
                declares = not item.extends
                yield Place(item.name.span, ("declaration", origin), declares)
                for one in item.fields:
                    yield Place(one.name.span, ("field", origin, one.name.text), declares=True)
                yield from _rows(item.rows, origin, declares=not item.overrides, fields=True)
            case ast.Axis():
                yield Place(item.name.span, ("axis", item.name.text), declares=True)
                origin = f"{tree.file}::{item.name.text}"
                yield from _rows(item.rows or (), origin, declares=True, fields=False)
            case ast.Use():
                if item.alias is not None:
                    meaning = ("declaration", f"{tree.file}::{item.alias.text}")
                    yield Place(item.alias.span, meaning, declares=True)
                if item.origin is not None:
                    meaning = ("declaration", f"{tree.file}::{item.origin.text}")
                    yield Place(item.origin.span, meaning, declares=False)
            case _:
                yield from _item(item, tree.file, scope)


def _item(item: ast.Item, file: str, scope: ModuleScope) -> Iterator[Place]:
    """The names that *item*, a declaration with a body, writes."""
    name = getattr(item, "name", None)
    prefix = file
    if isinstance(name, ast.Name) and not isinstance(item, ast.Flag | ast.Needs | ast.Block):
        symbol = scope.own.get(name.text)
        if symbol is not None and symbol.span == name.span:
            yield Place(name.span, meaning_of(symbol), declares=True)
            prefix = symbol.id
    yield from _body(ast.items_in(item), prefix, ())


def _body(items: tuple[ast.Item, ...], prefix: str, block: tuple[str, ...]) -> Iterator[Place]:
    """The names that *items* write in the body of the declaration *prefix*, in its *block*."""
    for item in items:
        match item:
            case ast.Let():
                meaning: Meaning = ("declaration", f"{prefix}::{item.name.text}")
                yield Place(item.name.span, meaning, declares=True)
            case ast.Flag():
                declares = item.type is not None
                yield Place(item.name.span, ("flag", item.name.text), declares)
            case ast.Needs():
                yield Place(item.name.span, ("need", item.name.text), declares=True)
            case ast.Assign():
                last = item.path[-1]
                path = tuple([key.text for key in item.path])
                yield Place(last.span, ("setting", *block, *path), declares=True)
            case ast.Block():
                within = (*block, item.name.text)
                if item.of is not None:
                    within = (*within, item.of.text)
                    yield Place(item.of.span, ("setting", *within), declares=True)
                yield from _body(item.body, prefix, within)
            case ast.Script():
                yield Place(item.name.span, ("setting", "script", item.name.text), declares=True)
            case _:
                yield from _body(ast.items_in(item), prefix, block)


def _rows(
    rows: tuple[ast.Row, ...], origin: str, *, declares: bool, fields: bool
) -> Iterator[Place]:
    """The names of *rows* of the table *origin*, and of the fields that they fill. Without *fields*
    that are declared, each row declares its own."""
    for row in rows:
        yield Place(row.name.span, ("row", origin, row.name.text), declares)
        for item in row.body:
            if isinstance(item, ast.Assign):
                key = item.path[0]
                yield Place(key.span, ("field", origin, key.text), not fields)
