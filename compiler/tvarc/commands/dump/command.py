"""`tvarc dump`: the result of a stage of the compiler for a program."""

from __future__ import annotations

import posixpath

from tvarc.build import messages as msg
from tvarc.build.driver import Compilation, emit
from tvarc.commands.dump.text import STAGES, dump_node
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, run
from tvarc.commands.programs.selecting import are_few
from tvarc.light import Iterator, Literal, Sequence, assert_never
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import CompilerBug

_Decided = Literal["ir", "nix"]
"""The stages that have a part for each variant."""


def command(given: Arguments) -> int:
    """Print the result of a stage of the compiler for a program; the exit code."""
    stage = given.text("stage")
    if stage not in STAGES:
        raise Misused(f"`{stage}` is none of {', '.join(STAGES)}", "--stage")
    file = given.program()
    return run(given, lambda session: _dump(session, file, stage, given.words("only")))


def _dump(session: Session, file: str | None, stage: str, only: Sequence[str]) -> int:
    made = session.compile(file)
    match stage:
        case "ast":
            session.console.file(_syntax_text(made))
        case "hir":
            session.console.file(_program_text(made))
        case "ir" | "nix":
            session.stop_on_errors()
            for text in _decided_texts(made, stage, session.select(only) if only else None):
                session.console.file(text)
        case other:
            raise CompilerBug(f"there is no stage {other}")
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK


def _syntax_text(made: Compilation) -> str:
    """The tree of the program's own file, which has been read."""
    assert made.graph is not None
    source = made.sources.get(made.graph.entry)
    assert source is not None
    return dump_node(made.graph.modules[made.graph.entry].tree, source)


def _program_text(made: Compilation) -> str:
    """The resolved program, with all modules that it uses."""
    from tvarc.commands.dump.program import dump_program

    assert made.resolution is not None
    return dump_program(made.resolution.program, made.sources)


def _decided_texts(
    made: Compilation, stage: _Decided, variants: Sequence[Variant] | None
) -> Iterator[str]:
    """The recipe of each of *variants*, or its files; if *variants* is None, of all of them, and
    the files of all variants as well. None, after reporting it, if there are too many.
    """
    chosen = made.variants if variants is None else variants
    if not are_few(made, chosen, msg.questions.TOO_MANY_TO_DUMP):
        return
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
