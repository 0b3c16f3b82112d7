"""The result of a stage of the compiler as text, which `dump` shows."""

from __future__ import annotations

import posixpath

from tvarc.build.driver import Compilation, emit
from tvarc.commands.dump.text import dump_node
from tvarc.light import Iterator, Literal, Sequence, assert_never
from tvarc.matrix.variants import Variant

Decided = Literal["ir", "nix"]
"""The stages that have a part for each variant."""


def syntax_text(made: Compilation) -> str:
    """The tree of the program's own file, which has been read."""
    assert made.graph is not None
    source = made.sources.get(made.graph.entry)
    assert source is not None
    return dump_node(made.graph.modules[made.graph.entry].tree, source)


def program_text(made: Compilation) -> str:
    """The resolved program, with all modules that it uses."""
    from tvarc.commands.dump.program import dump_program

    assert made.resolution is not None
    return dump_program(made.resolution.program, made.sources)


def decided_texts(
    made: Compilation, stage: Decided, variants: Sequence[Variant] | None
) -> Iterator[str]:
    """The recipe of each of *variants*, or its files; where that is None of all of them, and then
    the files that are of all variants as well."""
    match stage:
        case "ir":
            for recipe in made.stream(variants):
                yield dump_node(recipe, made.sources)
        case "nix":
            yield from _files(made, variants)
        case _:
            assert_never(stage)


def _files(made: Compilation, variants: Sequence[Variant] | None) -> Iterator[str]:
    """The text of each file, below its path where they are several."""
    count = len(made.variants if variants is None else variants)
    whole = len(made.all_outputs) - len(made.outputs) if variants is None else 0
    several = count * len(made.outputs) + whole > 1
    for recipe in made.stream(variants):
        for file in emit((recipe,), posixpath.basename(made.file), made.file):
            yield f"# file: {file.path}\n{file.text}" if several else file.text
    if whole and not made.sink.has_errors:
        for one in made.collections(posixpath.basename(made.file)):
            text = one.data().decode()
            yield f"# file: {one.path}\n{text}" if several else text
