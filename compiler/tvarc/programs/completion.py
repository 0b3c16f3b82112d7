"""Words that a command takes, as a program has them: what a shell offers while a person types."""

from __future__ import annotations

from tvarc.driver import Compilation
from tvarc.light import Final, Iterator

_LARGEST: Final = 5_000  # variants; with more, names are not looked through


def selectors(made: Compilation, incomplete: str) -> Iterator[str]:
    """Axis values as names print them, `axis=value`, and names of variants."""
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


def paths(made: Compilation, words: list[str]) -> Iterator[str]:
    """The paths of the variant that *words* mean."""
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


def inputs(made: Compilation) -> Iterator[str]:
    """`NAME=`, for each input."""
    if made.resolution is not None:
        yield from (f"{one.name}=" for one in made.resolution.program.inputs)


def flags(made: Compilation) -> Iterator[str]:
    """`NAME=` for each flag."""
    for recipe in made.resolution.program.recipes if made.resolution else ():
        yield from (f"{flag.name}=" for flag in recipe.layer.flags)


def settings(made: Compilation) -> Iterator[str]:
    """`PATH=` for each setting that is written."""
    for recipe in made.resolution.program.recipes if made.resolution else ():
        for write in recipe.layer.writes:
            path = getattr(write, "path", ())
            if path and path[0] != "flag":
                yield ".".join(path) + "="


def places(made: Compilation, incomplete: str) -> Iterator[str]:
    """The files of the program, and the lines of one that hold anything."""
    file, colon, _ = incomplete.rpartition(":")
    modules = made.graph.modules if made.graph is not None else {}
    for name in sorted(modules, key=lambda one: modules[one].std):  # one's own files first
        if not colon:
            yield f"{name}:"
        elif name == file:
            source = made.sources.get(name)
            for number, text in enumerate(source.text.split("\n") if source else (), start=1):
                if text.strip() and not text.lstrip().startswith("#"):
                    yield f"{name}:{number}"


def cells(made: Compilation, whole: str) -> Iterator[str]:
    """Axes, and their values with those that only a table has yet."""
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


def bump_words(made: Compilation, words: list[str]) -> Iterator[str]:
    """`pin`, `input` and the names of what a bump changes, then the value that they have."""
    from tvarc.bump.places import bumpable

    found = bumpable(made.graph) if made.graph is not None else {}
    lets = found.pop("let", {})
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
