"""`tvarc dump`: what a stage of the compiler made of a program."""

from __future__ import annotations

import posixpath

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.session import Session, run
from tvarc.diagnostics.model import CompilerBug
from tvarc.driver import Compilation, emit
from tvarc.dump import STAGES
from tvarc.light import Iterator, Sequence
from tvarc.matrix.variants import Variant


def command(given: Arguments) -> int:
    """Print what a stage of the compiler makes of a program; the exit code."""
    stage = given.text("stage")
    if stage not in STAGES:
        raise Misused(f"`{stage}` is none of {', '.join(STAGES)}", "--stage")
    file = given.program()
    return run(given, lambda session: _dump(session, file, stage, given.words("only")))


def _dump(session: Session, file: str | None, stage: str, only: Sequence[str]) -> int:
    made = session.compile(file)
    assert made.graph is not None and made.resolution is not None
    match stage:
        case "ast":
            from tvarc.dump import dump_node

            source = session.sources.get(made.graph.entry)
            assert source is not None
            session.console.file(dump_node(made.graph.modules[made.graph.entry].tree, source))
        case "hir":
            from tvarc.dump_hir import dump_program

            session.console.file(dump_program(made.resolution.program, session.sources))
        case "ir":
            session.stop_on_errors()
            _recipes(session, made, session.select(only) if only else None)
        case "nix":
            session.stop_on_errors()
            variants = session.select(only)
            for text in _texts(made, variants if only else None, len(variants)):
                session.console.file(text)
        case other:
            raise CompilerBug(f"there is no stage {other}")
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK


def _recipes(session: Session, made: Compilation, variants: Sequence[Variant] | None) -> None:
    from tvarc.dump import dump_node

    for recipe in made.stream(variants):
        session.console.file(dump_node(recipe, session.sources))


def _texts(made: Compilation, variants: Sequence[Variant] | None, count: int) -> Iterator[str]:
    whole = len(made.all_outputs) - len(made.outputs) if variants is None else 0
    several = count * len(made.outputs) + whole > 1
    for recipe in made.stream(variants):
        for file in emit((recipe,), posixpath.basename(made.file), made.file):
            yield f"# file: {file.path}\n{file.text}" if several else file.text
    if whole and not made.sink.has_errors:
        for one in made.collections(posixpath.basename(made.file)):
            text = one.data().decode()
            yield f"# file: {one.path}\n{text}" if several else text
