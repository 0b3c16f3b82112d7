"""Completions from a program: the words that a shell offers while a person types."""

from __future__ import annotations

from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.dump import STAGES
from tvarc.commands.programs.find import is_program, program_name
from tvarc.files.cache import open_cache
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.light import Callable, Final, Iterable, Iterator, Sequence, dataclass
from tvarc.text.diagnostics.registry import CODES

_LARGEST: Final = 5_000  # variants; if there are more, their names are not searched
_MOST: Final = 200  # words; a longer list is not useful


@dataclass(frozen=True, slots=True)
class Typed:
    """An incomplete line: its last word, the words before it that belong to no option, and those
    that name the program."""

    incomplete: str
    words: tuple[str, ...]
    programs: tuple[str, ...]

    def compiled(self) -> Compilation | None:
        """The program of the line; None if there is none."""
        named = [*self.programs, *filter(is_program, self.words)]
        file = program_name(named[0] if named else None)
        if file is None:
            return None
        return compile_file(file, DiskLoader(stdlib_dir()), cache=open_cache())


def offer(name: str, typed: Typed) -> list[str]:
    """The completions of the last word, by the function *name* of this module, each once."""
    found: dict[str, None] = {}
    for word in _words(name, typed):
        if word.startswith(typed.incomplete):
            found.setdefault(word)
        if len(found) >= _MOST:
            break
    return list(found)


def _words(name: str, typed: Typed) -> Iterable[str]:
    match name:
        case "stages":
            return STAGES
        case "templates":
            from tvarc.commands.init import TEMPLATES

            return TEMPLATES
        case "facts":
            return facts()
        case "explained" if _is_of_code(typed):
            return CODES
    made = typed.compiled()
    return _OF_PROGRAM[name](made, typed) if made is not None else ()


def _is_of_code(typed: Typed) -> bool:
    """Whether the word may become the code of a diagnostic."""
    letter, digits = typed.incomplete[:1], typed.incomplete[1:]
    return not typed.words and letter in ("E", "W") and not digits.strip("0123456789")


def facts() -> Iterator[str]:
    """Tables of the standard library and their rows."""
    from tvarc.advice.library.tables import load_library

    library = load_library(DiskLoader(stdlib_dir()), open_cache())
    yield from library.tables
    yield from (found.row.name for found in library.rows())


def selectors(made: Compilation, typed: Typed) -> Iterator[str]:
    """Axis values as names print them, `axis=value`, and names of variants."""
    from tvarc.matrix.dependencies import Dependencies
    from tvarc.matrix.pairs import is_pairs
    from tvarc.matrix.select import runs, value_texts

    reads = Dependencies()
    variants = made.variants[:_LARGEST]
    # A value is offered once, however many variants have it.
    seen: set[tuple[str, str, int]] = set()
    axes: dict[str, None] = {}
    for variant in variants:
        for axis, value in variant.values.items():
            known = (variant.matrix.id, axis, id(value))
            if known in seen:
                continue
            seen.add(known)
            axes[axis] = None
            texts = value_texts(variant, axis, reads)
            if typed.incomplete.startswith(f"{axis}="):
                yield from filter(is_pairs, [f"{axis}={text}" for text in texts])
            else:
                yield texts[0]
    yield from (f"{axis}=" for axis in axes)
    if typed.incomplete:
        for variant in variants:
            yield variant.name
            yield from runs(variant)


def columns(made: Compilation, typed: Typed) -> Iterator[str]:
    """The names of columns, the last of several between commas."""
    from tvarc.commands.listing.columns_named import column_names

    before, comma, _ = typed.incomplete.rpartition(",")
    yield from (f"{before}{comma}{name}" for name in column_names(made))


def explained(made: Compilation, typed: Typed) -> Iterator[str]:
    """The first word is a selector, the second a path."""
    if not typed.words or "=" in typed.incomplete:
        return selectors(made, typed)
    return paths(made, typed.words)


def paths(made: Compilation, words: Sequence[str]) -> Iterator[str]:
    """The paths of the variant that *words* mean."""
    from tvarc.commands.shown.lookup import path_text
    from tvarc.commands.shown.tree import recipe_tree
    from tvarc.matrix.select import select

    if made.resolution is None:
        return
    found = select(
        [" ".join(words)], made.resolution, made.variants, made.sources, made.sink,
        made.loader.join, cache=made.cache,
    )  # fmt: skip
    recipe = made.recipe(found[0]) if found else None
    if recipe is None:
        return
    for node in recipe_tree(recipe).walk():
        if node.path and node.kind not in ("element", "removed"):
            yield path_text(node.path)


def inputs(made: Compilation, typed: Typed) -> Iterator[str]:
    """`NAME=`, for each input."""
    return (f"{one.name}=" for one in made.program.inputs)


def job_outputs(made: Compilation, typed: Typed) -> Iterator[str]:
    """The outputs that list jobs for other systems."""
    return (one.name for one in made.program.jobs)


def flags(made: Compilation, typed: Typed) -> Iterator[str]:
    """`NAME=` for each flag."""
    for recipe in made.program.recipes:
        yield from (f"{flag.name}=" for flag in recipe.layer.flags)


def settings(made: Compilation, typed: Typed) -> Iterator[str]:
    """`PATH=` for each setting that is written."""
    for recipe in made.program.recipes:
        for write in recipe.layer.writes:
            path = getattr(write, "path", ())
            if path and path[0] != "flag":
                yield ".".join(path) + "="


def places(made: Compilation, typed: Typed) -> Iterator[str]:
    """The files of the program, and the lines of one that hold anything."""
    file, colon, _ = typed.incomplete.rpartition(":")
    modules = made.graph.modules if made.graph is not None else {}
    for name in sorted(modules, key=lambda one: modules[one].std):  # the user's own files first
        if not colon:
            yield f"{name}:"
        elif name == file:
            source = made.sources.get(name)
            for number, text in enumerate(source.text.split("\n") if source else (), start=1):
                if text.strip() and not text.lstrip().startswith("#"):
                    yield f"{name}:{number}"


def cells(made: Compilation, typed: Typed) -> Iterator[str]:
    """Axes, and their values, including those that only the table has."""
    from tvarc.matrix.dependencies import Dependencies
    from tvarc.matrix.query import Vocabulary

    assert made.resolution is not None
    whole = typed.incomplete
    matrices = made.program.matrices
    reads, lets = Dependencies(), made.resolution.scope.lets
    for one in [Vocabulary(matrix, lets, reads) for matrix in matrices]:
        for text, choices in one.by_text.items():
            yield from (f"{name}={text}" for name in choices if whole.startswith(f"{name}="))
            if "=" not in whole:
                yield text
        yield from (f"{pick.axis.name}=" for pick in one.matrix.axes)


def bumped(made: Compilation, typed: Typed) -> Iterator[str]:
    """`pin`, `input` and the names of values that a bump changes, then their current value."""
    from tvarc.build.bump.places import bumpable

    found = bumpable(made.graph) if made.graph is not None else {}
    lets = found.pop("let", {})
    words = list(typed.words)
    if not words:
        yield from (*lets, *(kind for kind, names in found.items() if names))
        return
    kind, *named = words
    if kind not in found:
        yield from (value for name, value in lets.items() if words == [name])
    elif not named:
        yield from found[kind]
    else:
        yield from (value for name, value in found[kind].items() if named == [name])


_OF_PROGRAM: Final[dict[str, Callable[[Compilation, Typed], Iterator[str]]]] = {
    "selectors": selectors,
    "columns": columns,
    "explained": explained,
    "inputs": inputs,
    "flags": flags,
    "job_outputs": job_outputs,
    "settings": settings,
    "places": places,
    "cells": cells,
    "bumped": bumped,
}
