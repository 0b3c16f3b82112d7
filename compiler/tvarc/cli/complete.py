"""What the shell offers while a person types. Faults are silent here: nobody asked yet."""

from __future__ import annotations

import os

import typer

from tvarc.diagnostics.registry import CODES
from tvarc.light import TYPE_CHECKING, Callable, Iterable, Iterator, Protocol, suppress

if TYPE_CHECKING:
    from tvarc.driver import Compilation

_MOST = 200  # more is no help to choose from


def selectors(ctx: typer.Context, incomplete: str) -> list[str]:
    """Axis values as names print them, `axis=value`, and names of variants."""
    axis = _axis_before()
    if axis:
        # The shell has split the word at `=` and wants what comes after it.
        whole = f"{axis}={incomplete.lstrip('=')}"
        found = _offer(ctx, lambda made, words: words.selectors(made, whole), whole)
        return [word.partition("=")[2] for word in found]
    return _offer(ctx, lambda made, words: words.selectors(made, incomplete), incomplete)


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
    given: list[str] = list(ctx.params.get("words") or ())
    if not given and incomplete[:1] in ("E", "W") and not incomplete[1:].strip("0123456789"):
        return [code for code in CODES if code.startswith(incomplete)]
    if not given or _axis_before():
        return selectors(ctx, incomplete)
    return _offer(ctx, lambda made, words: words.paths(made, given), incomplete)


def flags(ctx: typer.Context, incomplete: str) -> list[str]:
    return _offer(ctx, lambda made, words: words.flags(made), incomplete)


def inputs(ctx: typer.Context, incomplete: str) -> list[str]:
    """`NAME=`; which folder follows the shell itself knows."""
    return _offer(ctx, lambda made, words: words.inputs(made), incomplete)


def settings(ctx: typer.Context, incomplete: str) -> list[str]:
    return _offer(ctx, lambda made, words: words.settings(made), incomplete)


def places(ctx: typer.Context, incomplete: str) -> list[str]:
    """`FILE:LINE` for `who`: the files of the program, then the lines that hold anything."""
    words, at = _typed()
    split = at > 1 and ":" in words[at - 1 : at + 1]  # bash breaks words at `:`
    if split:
        sign = at if words[at : at + 1] == [":"] else at - 1
        incomplete = f"{words[sign - 1]}:{incomplete.lstrip(':')}"
    found = _offer(ctx, lambda made, words: words.places(made, incomplete), incomplete)
    return [word.rpartition(":")[2] for word in found] if split else found


def cells(ctx: typer.Context, incomplete: str) -> list[str]:
    """For `why-not`: axes, and their values with those that only a table has yet."""
    axis = _axis_before()
    whole = f"{axis}={incomplete.lstrip('=')}" if axis else incomplete
    found = _offer(ctx, lambda made, words: words.cells(made, whole), whole)
    return [word.partition("=")[2] for word in found] if axis else found


def bump_words(ctx: typer.Context, incomplete: str) -> list[str]:
    """`pin` and the names of what `bump` changes, then the value that they have."""
    given: list[str] = list(ctx.params.get("words") or ())
    return _offer(ctx, lambda made, words: words.bump_words(made, given), incomplete)


def stages(ctx: typer.Context, incomplete: str) -> list[str]:
    from tvarc.cli.dump import STAGES

    return [stage for stage in STAGES if stage.startswith(incomplete)]


class _Words(Protocol):
    """The module `tvarc.programs.completion`, loaded when something is to be offered."""

    def selectors(self, made: Compilation, incomplete: str) -> Iterator[str]: ...
    def paths(self, made: Compilation, words: list[str]) -> Iterator[str]: ...
    def flags(self, made: Compilation) -> Iterator[str]: ...
    def inputs(self, made: Compilation) -> Iterator[str]: ...
    def settings(self, made: Compilation) -> Iterator[str]: ...
    def places(self, made: Compilation, incomplete: str) -> Iterator[str]: ...
    def cells(self, made: Compilation, whole: str) -> Iterator[str]: ...
    def bump_words(self, made: Compilation, words: list[str]) -> Iterator[str]: ...


def _offer(
    ctx: typer.Context, words: Callable[[Compilation, _Words], Iterable[str]], incomplete: str
) -> list[str]:
    found: dict[str, None] = {}
    with suppress(Exception):
        made = _compile(ctx)
        if made is None:
            return []
        from tvarc.programs import completion

        for word in words(made, completion):
            if word.startswith(incomplete):
                found.setdefault(word)
            if len(found) >= _MOST:
                break
    return list(found)


def _compile(ctx: typer.Context) -> Compilation | None:
    from tvarc.cache import open_cache
    from tvarc.disk import DiskLoader
    from tvarc.driver import compile_file
    from tvarc.programs.find import program_name
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
    from tvarc.programs.find import is_program

    for name in ("named", "file", "files"):
        given = ctx.params.get(name)
        if given:
            return given if isinstance(given, str) else str(given[0])
    for name in ("words", "selectors", "places"):
        for word in ctx.params.get(name) or ():
            if is_program(word):
                return str(word)
    return None


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
