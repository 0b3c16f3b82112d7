"""Builds variants, or their tests, with Nix: the code that `realise` and `test` share."""

from __future__ import annotations

import sys
from time import monotonic

from rich.live import Live
from rich.table import Table

from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.files import Test
from tvarc.commands.evaluation.machines import listed_machines, report_unplaced
from tvarc.commands.evaluation.text import lines_without_eval_jobs, report_nix_faults
from tvarc.commands.line import exits
from tvarc.commands.line.announcer import Announcer
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import clear, has_colour, is_terminal
from tvarc.commands.line.exits import interrupted
from tvarc.commands.line.session import Session
from tvarc.commands.programs.selecting import may_be_evaluated
from tvarc.commands.realise.plan import (
    Options,
    Plan,
    build_faults,
    logs_folder,
    planned,
)
from tvarc.commands.realise.realising import (
    carried_out,
    has_folder_of_links,
    keep_report,
    opened_logs,
    recorded,
    refuse_links,
)
from tvarc.commands.realise.result import (
    build_line,
    build_row,
    dry_run_lines,
    realised_lines,
    report_broken_builds,
    report_lost_builds,
    result_of,
    standing_line,
)
from tvarc.doing import Doing, each
from tvarc.farm.ledger import can_record, ledger_of
from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.model import Build, Fate, Realised, State
from tvarc.light import Callable, Final, Mapping, Sequence, suppress
from tvarc.matrix.variants import Variant
from tvarc.values.plain import json_text

_BETWEEN = 0.25  # seconds between two states of the table
_AROUND = 4  # lines of a terminal that are not rows: the head, the caption, and two empty lines


def compiled(session: Session, given: Arguments) -> tuple[Compilation, Sequence[str]]:
    """The program that the line names, which has no errors, and the selectors."""
    file, selectors = given.program_and_words()
    _jobs(given)
    for name in ("builders", "to", "logs", "out_link", "sbom"):
        if given.values.get(name) == "":
            raise Misused("it must not be empty", f"--{name.replace('_', '-')}")
    session.tells_fake_hashes = True
    made = session.compile(file)
    session.demand_matrix()
    session.demand_output()
    session.stop_on_errors()
    return made, selectors


def decided(session: Session, made: Compilation, variants: Sequence[Variant]) -> None:
    """Decide *variants* and all that they need. Ends the command if one of them has an error."""
    may_be_evaluated(made, variants)
    session.stop_on_errors()
    needed = made.stack.closure(variants) if made.is_stacked else variants
    for variant in each("compiling", needed, len(needed), "variants"):
        made.recipe(variant)
    session.stop_on_errors()


def options_of(session: Session, given: Arguments, made: Compilation) -> Options:
    """The options of a build that all commands which build have in common."""
    file_of_machines = given.text("builders")
    builders = listed_machines(file_of_machines, session.sink) if file_of_machines else None
    # A damaged or read-only ledger is reported before hours of building.
    known, wanted = ledger_of(made.file, session.sink), given.flag("record")
    record = not given.flag("dry_run") and (known.exists or wanted)
    record = record and can_record(made.file, session.sink, wanted=wanted)
    session.end_on_errors()
    logs = given.text("logs") or logs_folder(made.file)
    return Options(logs, builders, _jobs(given), given.flag("keep_going"), record=record)


def _jobs(given: Arguments) -> int | None:
    return given.number("max_jobs", 0, "give a number; 0 means only other machines")


def built(
    session: Session,
    given: Arguments,
    made: Compilation,
    variants: Sequence[Variant],
    options: Options,
    tests: Sequence[Test] | None = None,
    after: Callable[[Plan, Logs, Realised, Announcer], Realised] | None = None,
) -> int:
    """Build *variants*, or *tests* of them, and report the results; the exit code. *after*
    continues with the built results."""
    noun: Final = "variant" if tests is None else "test"
    asked = variants if tests is None else tests
    with Doing("evaluating", len(asked), f"{noun}s") as progress:
        plan = planned(made, variants, options, session.sink, progress, tests)
    if plan is None:
        session.finish(exits.UNJUDGED)
    for line in lines_without_eval_jobs(plan.evaluation):
        session.console.error(f"{line}\n")
    refuse_links(plan, session.sink)
    session.end_on_errors()
    report_nix_faults(plan.evaluation, session.sink)
    report_unplaced(plan.unplaced, plan.machines, given.text("builders"), session.sink)
    code = exits.FAILED if plan.evaluation.faults else exits.UNJUDGED
    if session.sink.has_errors and not options.keep_going:
        session.finish(code)
    if given.flag("dry_run"):
        session.show()
        lines = dry_run_lines(plan.commands, plan.to_build, plan.there, noun)
        session.console.out("".join(f"{line}\n" for line in lines))
        return code if session.sink.has_errors else exits.OK
    logs = opened_logs(plan, session.sink) if has_folder_of_links(plan, session.sink) else None
    if logs is None:
        session.finish(exits.FAILED)
    announce = Announcer(session, as_json=given.flag("json"))
    told = watcher(announce, plan.named, len(plan.todo))
    found = carried_out(plan, logs, session.sink, told)
    if found is None:
        session.finish(exits.UNJUDGED)
    if after is not None:
        found = after(plan, logs, found, announce)
    faults = build_faults(made, plan, found.broken)
    report_broken_builds(faults, session.sink)
    report_lost_builds(found, session.sink)
    result = result_of(found, faults, plan.evaluation, options.to)
    text = json_text(result, session.sources)
    kept = keep_report(logs, text, session.sink)
    if options.record:
        wanted = given.flag("record")
        kept = recorded(made, plan, found, logs, session.sink, wanted=wanted) and kept
    session.show()
    if given.flag("json"):
        session.console.data(text)
    else:
        for line in realised_lines(found, logs.name, options.to, options.bills, noun):
            announce(line)
    return _code(session, found) if kept or found.interrupted is not None else exits.FAILED


def _code(session: Session, found: Realised) -> int:
    """A broken recipe is an error of the program. A build that is missing for another reason is
    not."""
    fates = {one.fate for one in found.outcomes}
    if found.interrupted is not None:
        return interrupted(found.interrupted)
    if fates.intersection(_BROKEN):
        return exits.FAILED
    return exits.UNJUDGED if session.sink.has_errors or fates.intersection(_MISSING) else exits.OK


def watcher(announce: Announcer, variants: Mapping[str, Sequence[str]], total: int) -> Lines | Rows:
    """Shows each build. *variants* has the names of the variants of each derivation, and *total* is
    the number of builds."""
    if not announce.as_json and is_terminal(sys.stdout) and is_terminal(sys.stderr):
        with suppress(ImportError):  # the output has no table then
            return Rows(announce, variants, total)
    return Lines(announce, variants)


class Lines:
    """Prints each build in a line, when it begins and when it ends."""

    def __init__(self, announce: Announcer, variants: Mapping[str, Sequence[str]]) -> None:
        self._announce = announce
        self._variants = variants

    def build(self, build: Build) -> None:
        self._announce(build_line(build, self._variants.get(build.derivation, ())))

    def tick(self) -> None:
        pass

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Rows:
    """Shows the builds that run in a table: variant, state, machine, time."""

    def __init__(
        self, announce: Announcer, variants: Mapping[str, Sequence[str]], total: int
    ) -> None:
        """Raises ImportError."""
        from rich.console import Console
        from rich.live import Live

        self._announce = announce
        self._variants = variants
        self._total = total
        self._running: dict[str, Build] = {}
        self._ended: dict[str, Build] = {}
        self._next = 0.0
        self._live: Live = Live(
            console=Console(stderr=True), auto_refresh=False, transient=True, redirect_stdout=False
        )

    def build(self, build: Build) -> None:
        if build.state is State.RUNNING:
            self._running[build.derivation] = build
        else:
            self._running.pop(build.derivation, None)
            self._ended[build.derivation] = build
            line = build_line(build, self._variants.get(build.derivation, ()))
            self._live.update(self._table(monotonic()), refresh=True)  # it moves below the line
            self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)
        self._next = 0.0

    def tick(self) -> None:
        now = monotonic()
        if now >= self._next:
            self._next = now + _BETWEEN
            self._live.update(self._table(now), refresh=True)

    def _table(self, now: float) -> Table:
        from rich.table import Table
        from rich.text import Text

        head, caption = ("bold", "dim") if has_colour(sys.stderr) else ("", "")
        table = Table(
            "variant", "state", "machine", "time", box=None, caption_justify="left",
            caption=standing_line(self._running.values(), self._ended, self._variants, self._total),
            header_style=head, caption_style=caption,
        )  # fmt: skip
        most = max(1, self._live.console.size.height - _AROUND)
        for build in list(self._running.values())[:most]:
            row = build_row(build, self._variants.get(build.derivation, ()), now)
            table.add_row(*map(Text, row))
        return table

    def __enter__(self) -> Rows:
        clear()
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # the terminal is gone
            self._live.stop()


_BROKEN = (Fate.FAILED, Fate.REFUSED)
_MISSING = (Fate.LOST, Fate.UNPLACED, Fate.STOPPED)
