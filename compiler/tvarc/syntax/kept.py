"""Syntax trees from the cache. Of a source that it does not have what was edited is parsed, or all;
it is kept if it is right."""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.diagnostics.model import Sink
from tvarc.packed import Damaged, pack, unpack
from tvarc.source import Source
from tvarc.syntax import ast


def module_tree(
    source: Source, sink: Sink, cache: Cache | None, *, std: bool = False, place: str = ""
) -> ast.Module:
    """The items of one file, as `parse_module` makes them: with a cache and without, all is equal,
    spans and faults included.

    A module of the standard library (`std`) has many rows of which few are read: they are kept so
    that each can be read by itself. Of any other what was read last is kept by its *place*, if that
    is given, so that after an edit the rest need not be parsed again.
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
    if place and not std:
        from tvarc.syntax.edited import edited_tree

        found = edited_tree(source, place, cache)
        if found is not None:
            return found
    before = len(sink)
    tree = _parsed(source, sink, cache)
    if len(sink) == before:
        if std:
            from tvarc.syntax.tree_writing import write_tree

            cache.put(key, pack(*write_tree(tree, rows_apart=True)))
        else:
            from tvarc.syntax.edited import keep_tree

            keep_tree(tree, source, place, cache)
    return tree


def _parsed(source: Source, sink: Sink, cache: Cache | None) -> ast.Module:
    # What reads text is not loaded where no text is to be read.
    from tvarc.syntax.parser import parse_module

    return parse_module(source, sink, cache)
