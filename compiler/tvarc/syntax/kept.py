"""Syntax trees from the cache; a source that it does not have is parsed, and kept if it is
right."""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.diagnostics.model import Sink
from tvarc.light import suppress
from tvarc.packed import Damaged, pack, unpack
from tvarc.source import Source
from tvarc.syntax import ast


def module_tree(
    source: Source, sink: Sink, cache: Cache | None, *, std: bool = False
) -> ast.Module:
    """The items of one file, as `parse_module` makes them: with a cache and without, all is equal,
    spans and faults included.

    A module of the standard library (`std`) has many rows of which few are read: they are kept so
    that each can be read by itself.
    """
    if cache is None:
        return _parsed(source, sink, None)
    key = cache.key("library" if std else "tree", source.text)
    data = cache.get(key)
    if data is not None:
        from tvarc.syntax.tree_reading import read_tree

        try:
            return read_tree(*unpack(data), source)
        except Damaged:
            pass
    before = len(sink)
    tree = _parsed(source, sink, cache)
    if len(sink) == before:
        from tvarc.syntax.tree_writing import write_tree

        with suppress(ValueError):  # text that is no Unicode: such a source is parsed each time
            cache.put(key, pack(*write_tree(tree, rows_apart=std)))
    return tree


def _parsed(source: Source, sink: Sink, cache: Cache | None) -> ast.Module:
    # What reads text is not loaded where no text is to be read.
    from tvarc.syntax.parser import parse_module

    return parse_module(source, sink, cache)
