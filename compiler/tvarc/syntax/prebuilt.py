"""The syntax trees of the standard library, ready made and read from the cache. A wheel includes
these entries.

A program uses some modules with hundreds of rows and reads a few of the rows. To parse the modules
that `variants.tvar` uses takes 30 ms, those of `examples/torch-2.10` 100; to read their trees takes
1 and 3, since the items of a row become nodes on the first request. To measure it, have
`library_tree` call `parse_module` alone, and time `tvarc list`.

Sources of a person are parsed each time.
"""

from __future__ import annotations

from tvarc.files.cache import Cache, dumped, loaded
from tvarc.light import Any, Callable, Final, dataclass
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import CompilerBug, Sink
from tvarc.text.source import Source, Span

KIND: Final = "library"  # of the entry in the cache

_CLASSES: Final[tuple[Callable[..., Any], ...]] = tuple(
    [
        found
        for found in vars(ast).values()
        if getattr(found, "__match_args__", ())[-1:] == ("span",)
    ]
)
_NUMBERS: Final = {made: number for number, made in enumerate(_CLASSES)}
_ROW: Final = _NUMBERS[ast.Row]
_SPAN: Final = len(_CLASSES)  # a span that is a field of its own


def library_tree(source: Source, sink: Sink, cache: Cache | None) -> ast.Module:
    """The items of a module of the standard library, as `parse_module` makes them: with a cache and
    without, all is equal, spans and faults included."""
    key = cache.key(KIND, source.text) if cache is not None else ""
    known = cache.at_hand.get((key, source.file)) if cache is not None else None
    if isinstance(known, ast.Module):
        return known
    data = cache.load(key) if cache is not None else None
    if cache is not None and data is not None:
        made = cache.at_hand[key, source.file] = tree_of(data, source)
        return made
    # What reads text is not loaded where no text is to be read.
    from tvarc.syntax.parser import parse_module

    before = len(sink)
    tree = parse_module(source, sink, cache)
    if cache is not None and len(sink) == before:
        cache.store(key, plain(tree.items))
        if not cache.keeps:
            cache.at_hand[key, source.file] = tree
    return tree


def plain(value: object) -> object:
    """*value*, which is a tree or a part of one, as plain data: a node is a tuple of its class, its
    span and its fields, a tuple is a list, and all else is itself. The items of a row are bytes by
    themselves, so that they can be read by themselves."""
    match value:
        case None | bool() | int() | str():
            return value
        case tuple():
            return [plain(one) for one in value]
        case Span():
            return (_SPAN, value.start, value.end)
        case ast.Row():
            name, span, items = plain(value.name), value.span, dumped(plain(value.body))
            return (_ROW, span.start, span.end, name, items)
        case _ if type(value) in _NUMBERS:
            *names, _ = value.__match_args__  # type: ignore[attr-defined]
            span = value.span  # type: ignore[attr-defined]
            fields = [plain(getattr(value, name)) for name in names]
            return (_NUMBERS[type(value)], span.start, span.end, *fields)
        case _:
            raise CompilerBug(f"{type(value).__name__} in a syntax tree")


def tree_of(data: Any, source: Source) -> ast.Module:
    """The tree of *source* from *data*, which `plain` made of its items."""
    items = _Reading(source.file).value(data)
    return ast.Module(source.file, items, Span(source.file, 0, len(source.text)))


@dataclass(slots=True, eq=False)
class _Reading:
    """Makes nodes of plain data; their spans are in the file *file*."""

    file: str

    def value(self, data: Any) -> Any:
        kind = type(data)
        if kind is list:
            return tuple([self.value(one) for one in data])
        if kind is not tuple:
            return data
        number, start, end, *fields = data
        span = Span(self.file, start, end)
        if number == _SPAN:
            return span
        if number == _ROW:
            name, items = fields
            return _LaterRow(self.value(name), items, self, span)
        return _CLASSES[number](*[self.value(one) for one in fields], span)


class _LaterRow(ast.Row):
    """A row whose items become nodes on the first request; else like any row."""

    __slots__ = ("_found", "_items", "_reading")
    _items: bytes
    _found: tuple[ast.Item, ...] | None
    _reading: _Reading

    def __init__(self, name: ast.Name, items: bytes, reading: _Reading, span: Span) -> None:
        put = object.__setattr__  # a row is frozen
        put(self, "name", name)
        put(self, "span", span)
        put(self, "_items", items)
        put(self, "_reading", reading)
        put(self, "_found", None)

    @property
    def body(self) -> tuple[ast.Item, ...]:
        found = self._found
        if found is None:
            found = self._reading.value(loaded(self._items))
            object.__setattr__(self, "_found", found)
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ast.Row) and (self.name, self.body) == (other.name, other.body)

    def __hash__(self) -> int:
        return hash((self.name, self.body))


_LaterRow.__name__ = _LaterRow.__qualname__ = ast.Row.__name__
