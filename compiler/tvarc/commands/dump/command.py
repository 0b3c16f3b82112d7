"""`tvarc dump`: the result of a stage of the compiler for a program."""

from __future__ import annotations

from tvarc.commands.dump.stages import decided_texts, program_text, syntax_text
from tvarc.commands.dump.text import STAGES
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, run
from tvarc.light import Sequence
from tvarc.text.diagnostics.model import CompilerBug


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
            session.console.file(syntax_text(made))
        case "hir":
            session.console.file(program_text(made))
        case "ir" | "nix":
            session.stop_on_errors()
            for text in decided_texts(made, stage, session.select(only) if only else None):
                session.console.file(text)
        case other:
            raise CompilerBug(f"there is no stage {other}")
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK
