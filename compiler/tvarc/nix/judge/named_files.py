"""The files that a recipe names, in values of the program and in Nix text."""

from __future__ import annotations

import posixpath
import re

from tvarc.light import Final, Iterator, Sequence
from tvarc.nix import ir
from tvarc.nix.language.text_paths import files_named, has_absolute_paths
from tvarc.values.value import NixRef, NixSource, PathValue, Value, values_in

_WORD: Final = re.compile(r"[A-Za-z_][\w'-]*")


def named_files(recipe: ir.Recipe) -> Iterator[str]:
    """The files that values in *recipe* name."""
    return (file for value in _values(recipe) for file in files_in(value))


def named_in_text(recipe: ir.Recipe, base: str = ".") -> Iterator[str]:
    """The files that relative paths in the Nix text of *recipe* name. The paths start at the folder
    below *base* to which a build writes the text."""
    folder = posixpath.join(base, posixpath.dirname(recipe.files[0][1]) if recipe.files else "")
    return (file for value in _values(recipe) for file in files_in_text(value, folder))


def all_files(recipe: ir.Recipe) -> Iterator[str]:
    """The files that values and Nix text of *recipe* name, as the loader names them."""
    for value in _values(recipe):
        yield from files_in(value)
        yield from files_in_text(value)


def reads_elsewhere(recipe: ir.Recipe) -> bool:
    """Whether Nix text of *recipe* names files that are not part of a program's states: with
    absolute paths, or paths that start at a home folder."""
    return any(
        has_absolute_paths(one.parts)
        for value in _values(recipe)
        for one in values_in(value)
        if isinstance(one, NixSource)
    )


def has_files(recipe: ir.Recipe) -> bool:
    """Whether the derivation depends on files for which the recipe has only the name."""
    named = (*named_files(recipe), *named_in_text(recipe))
    return bool(named) or reads_elsewhere(recipe)


def files_in(value: Value) -> Iterator[str]:
    """The files that *value* names with `path(…)`, as the loader names them."""
    return (one.file for one in values_in(value) if isinstance(one, PathValue))


def files_in_text(value: Value, folder: str = "") -> Iterator[str]:
    """The files that relative paths in Nix text of *value* name. The paths start at *folder*, or at
    the folder of the text if it has one."""
    for one in values_in(value):
        if isinstance(one, NixSource):
            for file in files_named(one.parts):
                yield posixpath.normpath(posixpath.join(folder or one.folder, file))


def names_in(value: Value) -> frozenset[str]:
    """The names that Nix looks up to evaluate *value*: steps of references, and words of Nix text.
    """
    found: set[str] = set()
    for one in values_in(value):
        match one:
            case NixRef():
                found.update(one.attributes)
            case NixSource():
                texts = [part for part in one.parts if isinstance(part, str)]
                found.update(word for text in texts for word in _WORD.findall(text))
            case _:
                pass
    return frozenset(found)


def _values(recipe: ir.Recipe) -> Iterator[Value]:
    """The values that *recipe* sets."""
    changes = [recipe.changes, *(overlay.changes for overlay in recipe.overlays)]
    settings: list[Sequence[ir.Setting]] = [recipe.config, (recipe.package,)]
    for need in recipe.needs:
        if need.recipe is not None:
            yield from _values(need.recipe)
        elif need.linked is None:
            settings.append((need.setting,))
    settings += [overlay.patch for overlay in recipe.overlays]
    for one in changes:
        settings.append(one.settings)
    for several in settings:
        for setting in several:
            yield setting.value
            yield setting.head
