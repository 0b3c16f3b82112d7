"""The files that values of a recipe name: as values of the program, and in Nix text."""

from __future__ import annotations

import posixpath

from tvarc.light import Iterator
from tvarc.nix.text_paths import files_named
from tvarc.values import NixCall, NixPart, NixSource, NixText, PathValue, Record, Value


def files_in(value: Value) -> Iterator[str]:
    """The files that *value* names by `path(…)`, as the loader does."""
    return (one.file for one in _within(value) if isinstance(one, PathValue))


def files_in_text(value: Value, folder: str = "") -> Iterator[str]:
    """Those that relative paths in Nix text of *value* name: they start at *folder*, or at that
    which the text has."""
    for one in _within(value):
        if isinstance(one, NixSource):
            for file in files_named(one.parts):
                yield posixpath.normpath(posixpath.join(folder or one.folder, file))


def _within(value: Value) -> Iterator[Value]:
    """*value*, and all that it is made of."""
    yield value
    match value:
        case tuple():
            for item in value:
                yield from _within(item)
        case Record():
            for _, item in value:
                yield from _within(item)
        case NixCall():
            for _, item in value.arguments:
                yield from _within(item)
        case NixText():
            for piece in value.parts:
                yield from _within(piece)
        case NixSource():
            for part in value.parts:
                if isinstance(part, NixPart):
                    yield from _within(part.value)
        case _:
            pass
