"""`tvarc check`: decides every variant and reports all errors. It writes nothing; only `--fix`
corrects the sources."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import Console
from tvarc.commands.line.session import Session, run
from tvarc.commands.programs.checking import check_program, could_ask
from tvarc.commands.programs.fixing import fix_lines, fixed
from tvarc.light import (
    TYPE_CHECKING,
    Final,
    Sequence,
)
from tvarc.text.diagnostics.words import counted

if TYPE_CHECKING:
    from tvarc.commands.programs.missed import Missed


_NOT_ASKED: Final = (
    "Nix did not evaluate the variants: `tvarc check --eval` does, and finds settings without "
    "effect"
)


def command(given: Arguments) -> int:
    """Check each program; the exit code."""
    programs: Sequence[str] = given.words("words")
    selectors: Sequence[str] = ()
    if given.flag("eval"):
        programs, selectors = given.programs_and_words()
    for name in ("jobs", "builders", "dry_run", "json"):
        if given.is_given(name) and not given.flag("eval"):
            option = f"--{name.replace('_', '-')}"
            raise Misused(f"{option} works only with --eval", option)
    _jobs(given)
    if given.text("builders") == "":
        raise Misused("it must not be empty", "--builders")

    def checked(console: Console, program: str | None, missed: Missed | None) -> int:
        return run(
            given, lambda session: _check(session, given, program, selectors), console, missed
        )

    return given.for_each(programs, checked)


def _jobs(given: Arguments) -> int | None:
    """The requested number of evaluators; None for the default of this machine. Raises Misused."""
    return given.number("jobs", 1, "give a number of at least 1")


def _check(session: Session, given: Arguments, file: str | None, selectors: Sequence[str]) -> int:
    session.tells_fake_hashes = True
    if given.flag("fix"):
        _fix(session, given, file)
    made = session.compile(file)
    check_program(made)
    asks = bool(made.variants) or (given.flag("json") and not given.flag("dry_run"))
    if given.flag("eval") and asks and not session.sink.has_errors:
        return _judged(session, given, made, selectors)
    session.show()
    if given.flag("json"):
        return exits.FAILED if session.sink.has_errors else exits.OK
    none = not made.program.matrices
    looked = "no variant to check" if none else counted(len(made.variants), "variant")
    session.console.remark(f"{looked}, {session.counts()}\n")
    if session.sink.has_errors:
        return exits.FAILED
    if not given.flag("eval") and could_ask(made):
        session.console.remark(f"{_NOT_ASKED}\n")
    return exits.OK


def _fix(session: Session, given: Arguments, file: str | None) -> None:
    """Correct the sources of the program, and print each change. Raises Ended if there is no such
    program, or if a file cannot be written."""
    from tvarc.commands.programs.find import demand_program
    from tvarc.files.disk import DiskLoader
    from tvarc.files.persons import rewrite_all
    from tvarc.files.resources import stdlib_dir
    from tvarc.text.diagnostics.render_cells import safe

    name = demand_program(file, session.sink)
    if name is None:
        session.finish(exits.FAILED)
    done = fixed(name, DiskLoader(stdlib_dir()), session.cache, given.words("input"))
    if not rewrite_all(done.texts, session.sink):
        session.finish(exits.FAILED)
    text = "".join(f"{safe(line)}\n" for line in fix_lines(done))
    if given.flag("json"):
        session.console.error(text)
    else:
        session.console.remark(text, whole=True)


def _judged(session: Session, given: Arguments, made: Compilation, selectors: Sequence[str]) -> int:
    """Report the results of Nix for the variants; the exit code."""
    from tvarc.commands.evaluation.evaluate import commands, evaluated
    from tvarc.commands.evaluation.machines import farm_of, listed_machines, report_unplaced
    from tvarc.commands.evaluation.text import commands_text, evaluation_line, report_evaluation
    from tvarc.commands.programs.selecting import may_be_evaluated
    from tvarc.doing import Doing
    from tvarc.values.plain import json_text

    variants = session.select(selectors)
    may_be_evaluated(made, variants)
    session.stop_on_errors()
    if given.flag("dry_run"):
        found = commands(made, variants, _jobs(given), session.sink)
        if found is None:
            session.finish(exits.UNJUDGED)
        session.show()
        session.console.out("".join(f"{line}\n" for line in commands_text(*found)))
        return exits.OK
    machines = given.text("builders")
    builders = listed_machines(machines, session.sink) if machines is not None else None
    session.end_on_errors()
    farm = farm_of(builders, session.sink) if builders is not None else None
    if session.sink.has_errors:
        session.finish(exits.UNJUDGED)
    with Doing("evaluating", len(variants), "variants") as progress:
        evaluation = evaluated(
            made, variants, _jobs(given), session.sink, progress, checks=True, farm=farm
        )
    if evaluation is None:
        session.finish(exits.UNJUDGED)
    report_evaluation(evaluation, session.sink)
    if farm is not None:
        listed = farm.builders.machines
        report_unplaced(evaluation.unplaced, listed, machines, session.sink)
    session.show()
    if given.flag("json"):
        from tvarc.commands.evaluation.result import result_of

        session.console.data(json_text(result_of(evaluation), session.sources))
    else:
        session.console.remark(f"{evaluation_line(evaluation)}; {session.counts()}\n")
    return exits.FAILED if session.sink.has_errors else exits.OK


# --- corrections of sources -------------------------------------------------------------------
