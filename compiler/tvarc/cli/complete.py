"""What the shell offers while a person types. Faults are silent here: nobody asked yet."""

from __future__ import annotations

import os

import typer

from tvarc.diagnostics.registry import CODES
from tvarc.light import TYPE_CHECKING, Callable, Iterable, Iterator, suppress

if TYPE_CHECKING:
    from tvarc.driver import Compilation

_MOST = 200  # more is no help to choose from
_LARGEST = 5_000  # variants; with more, names are not looked through


def selectors(ctx: typer.Context, incomplete: str) -> list[str]:
    """Axis values as names print them, `axis=value`, and names of variants."""
    axis = _axis_before()
    if axis:
        # The shell has split the word at `=` and wants what comes after it.
        whole = f"{axis}={incomplete.lstrip('=')}"
        found = _offer(ctx, lambda made: _selectors(made, whole), whole)
        return [word.partition("=")[2] for word in found]
    return _offer(ctx, lambda made: _selectors(made, incomplete), incomplete)


def _typed() -> tuple[list[str], int]:
    """The words as the shell has split them, and which of them is being typed; 0 for none."""
    place = os.environ.get("COMP_CWORD", "")
    return os.environ.get("COMP_WORDS", "").split(), int(place) if place.isdigit() else 0


def _axis_before() -> str:
    """The axis of a pair that bash has split: it breaks words at `=`; empty for no pair."""
    words, place = _typed()
    if not place:
        return ""
    sign = place if words[place : place + 1] == ["="] else place - 1
    return words[sign - 1] if sign > 1 and words[sign : sign + 1] == ["="] else ""


def explain_words(ctx: typer.Context, incomplete: str) -> list[str]:
    """The first word is a selector, the second a path."""
    words: list[str] = list(ctx.params.get("words") or ())
    if not words and incomplete[:1] in ("E", "W") and not incomplete[1:].strip("0123456789"):
        return [code for code in CODES if code.startswith(incomplete)]
    if not words or _axis_before():
        return selectors(ctx, incomplete)
    return _offer(ctx, lambda made: _paths(made, words), incomplete)


def flags(ctx: typer.Context, incomplete: str) -> list[str]:
    def names(made: Compilation) -> Iterator[str]:
        for recipe in made.resolution.program.recipes if made.resolution else ():
            yield from (f"{flag.name}=" for flag in recipe.layer.flags)

    return _offer(ctx, names, incomplete)


def settings(ctx: typer.Context, incomplete: str) -> list[str]:
    def names(made: Compilation) -> Iterator[str]:
        for recipe in made.resolution.program.recipes if made.resolution else ():
            for write in recipe.layer.writes:
                path = getattr(write, "path", ())
                if path and path[0] != "flag":
                    yield ".".join(path) + "="

    return _offer(ctx, names, incomplete)


def places(ctx: typer.Context, incomplete: str) -> list[str]:
    """`FILE:LINE` for `who`: the files of the program, then the lines that hold anything."""
    words, at = _typed()
    split = at > 1 and ":" in words[at - 1 : at + 1]  # bash breaks words at `:`
    if split:
        sign = at if words[at : at + 1] == [":"] else at - 1
        incomplete = f"{words[sign - 1]}:{incomplete.lstrip(':')}"
    file, colon, _ = incomplete.rpartition(":")

    def known(made: Compilation) -> Iterator[str]:
        modules = made.graph.modules if made.graph is not None else {}
        for name in sorted(modules, key=lambda one: modules[one].std):  # one's own files first
            if not colon:
                yield f"{name}:"
            elif name == file:
                source = made.sources.get(name)
                for number, text in enumerate(source.text.split("\n") if source else (), start=1):
                    if text.strip() and not text.lstrip().startswith("#"):
                        yield f"{name}:{number}"

    found = _offer(ctx, known, incomplete)
    return [word.rpartition(":")[2] for word in found] if split else found


def cells(ctx: typer.Context, incomplete: str) -> list[str]:
    """For `why-not`: axes, and their values with those that only a table has yet."""
    axis = _axis_before()
    whole = f"{axis}={incomplete.lstrip('=')}" if axis else incomplete

    def known(made: Compilation) -> Iterator[str]:
        from tvarc.matrix.dependencies import Dependencies
        from tvarc.matrix.query import Vocabulary

        assert made.resolution is not None
        matrices = made.resolution.program.matrices
        reads, lets = Dependencies(), made.resolution.scope.lets
        for one in [Vocabulary(matrix, lets, reads) for matrix in matrices]:
            for text, choices in one.by_text.items():
                yield from (f"{name}={text}" for name in choices if whole.startswith(f"{name}="))
                if "=" not in whole:
                    yield text
            yield from (f"{pick.axis.name}=" for pick in one.matrix.axes)

    found = _offer(ctx, known, whole)
    return [word.partition("=")[2] for word in found] if axis else found


def bump_words(ctx: typer.Context, incomplete: str) -> list[str]:
    """`pin` and the names of what `bump` changes, then the value that they have."""
    words: list[str] = list(ctx.params.get("words") or ())

    def names(made: Compilation) -> Iterator[str]:
        from tvarc.cli.places import bumpable

        lets, pins = bumpable(made.graph) if made.graph is not None else ({}, {})
        if not words:
            yield from (*lets, *(("pin",) if pins else ()))
        elif words[0] != "pin":
            yield from (value for name, value in lets.items() if words == [name])
        elif len(words) == 1:
            yield from pins
        else:
            yield from (value for name, value in pins.items() if words[1:] == [name])

    return _offer(ctx, names, incomplete)


def stages(ctx: typer.Context, incomplete: str) -> list[str]:
    from tvarc.cli.dump import STAGES

    return [stage for stage in STAGES if stage.startswith(incomplete)]


def _offer(
    ctx: typer.Context, words: Callable[[Compilation], Iterable[str]], incomplete: str
) -> list[str]:
    found: dict[str, None] = {}
    with suppress(Exception):
        made = _compile(ctx)
        if made is None:
            return []
        for word in words(made):
            if word.startswith(incomplete):
                found.setdefault(word)
            if len(found) >= _MOST:
                break
    return list(found)


def _compile(ctx: typer.Context) -> Compilation | None:
    from tvarc.cache import open_cache
    from tvarc.cli.program import program_name
    from tvarc.disk import DiskLoader
    from tvarc.driver import compile_file
    from tvarc.resources import stdlib_dir

    file = program_name(_given(ctx))
    return (
        compile_file(file, DiskLoader(stdlib_dir()), cache=open_cache())
        if file is not None
        else None
    )


def _given(ctx: typer.Context) -> str | None:
    """The program that the words so far name: by an option, as the argument that it is, or among
    words that may be others."""
    from tvarc.cli.program import is_program

    for name in ("named", "file", "files"):
        given = ctx.params.get(name)
        if given:
            return given if isinstance(given, str) else str(given[0])
    for name in ("words", "selectors", "places"):
        for word in ctx.params.get(name) or ():
            if is_program(word):
                return str(word)
    return None


def _selectors(made: Compilation, incomplete: str) -> Iterator[str]:
    from tvarc.matrix.dependencies import Dependencies
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
            if incomplete.startswith(f"{axis}="):
                yield from (f"{axis}={text}" for text in texts)
            else:
                yield texts[0]
    yield from (f"{axis}=" for axis in axes)
    if incomplete:
        for variant in variants:
            yield variant.name
            yield from runs(variant)


def _paths(made: Compilation, words: list[str]) -> Iterator[str]:
    from tvarc.matrix.select import select
    from tvarc.report.lookup import path_text
    from tvarc.report.tree import recipe_tree

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


def fact_names(incomplete: str) -> list[str]:
    """Tables of the standard library and their rows."""
    with suppress(Exception):
        from tvarc.cache import open_cache
        from tvarc.disk import DiskLoader
        from tvarc.library.tables import load_library
        from tvarc.resources import stdlib_dir

        library = load_library(DiskLoader(stdlib_dir()), open_cache())
        names = dict.fromkeys([*library.tables, *(found.row.name for found in library.rows())])
        return [name for name in names if name.startswith(incomplete)][:_MOST]
    return []
