"""The syntax trees of the standard library, made once and then read from the cache. A wheel
includes these entries.

A program uses some modules with hundreds of rows, and reads a few of the rows. Parsing the modules
that `variants.tvar` uses takes 30 ms, and 100 ms for `examples/torch-2.10`. Reading their trees
takes 1 ms and 3 ms, since the items of a row become nodes only when they are first read. To measure
this, let `library_tree` only call `parse_module`, and time `tvarc list`.

Sources that a user wrote are parsed each time, except for items that have not changed in a process
that parses again and again (`parse_module`).
"""

from __future__ import annotations

from tvarc.files.cache import Cache, dumped, loaded
from tvarc.light import Any, Callable, Final, dataclass
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import CompilerBug, Sink
from tvarc.text.source import Source, Span

KIND: Final = "library"  # the kind of the entry in the cache

_CLASSES: Final[tuple[Callable[..., Any], ...]] = tuple(
    [
        found
        for found in vars(ast).values()
        if getattr(found, "__match_args__", ())[-1:] == ("span",)
    ]
)
_NUMBERS: Final = {made: number for number, made in enumerate(_CLASSES)}
_ROW: Final = _NUMBERS[ast.Row]
_SPAN: Final = len(_CLASSES)  # the number for a span that is a field of its own


def library_tree(source: Source, sink: Sink, cache: Cache | None) -> ast.Module:
    """The items of a module of the standard library, as `parse_module` makes them. The result is
    the same with and without a cache, including spans and faults."""
    key = cache.key(KIND, source.text) if cache is not None else ""
    known = cache.at_hand.get((key, source.file)) if cache is not None else None
    if isinstance(known, ast.Module):
        return known
    data = cache.load(key) if cache is not None else None
    if cache is not None and data is not None:
        made = cache.at_hand[key, source.file] = tree_of(data, source)
        return made
    # The parser is not loaded unless there is text to parse.
    from tvarc.syntax.parser import parse_module

    before = len(sink)
    tree = parse_module(source, sink, cache)
    if cache is not None and len(sink) == before:
        cache.store(key, plain(tree.items))
        if not cache.keeps:
            cache.at_hand[key, source.file] = tree
    return tree


def plain(value: object) -> object:
    """*value*, a tree or a part of one, as plain data. A node becomes a tuple of its class, its
    span and its fields. A tuple becomes a list. Anything else stays as it is. The items of a row
    become bytes of their own, so that they can be read separately."""
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
    """The tree of *source*, from the *data* that `plain` made of its items."""
    items = _Reading(source.file).value(data)
    return ast.Module(source.file, items, (), Span(source.file, 0, len(source.text)))


@dataclass(slots=True, eq=False)
class _Reading:
    """Makes nodes from plain data. Their spans are in *file*."""

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
    """A row whose items become nodes when they are first read. Otherwise like any row."""

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
