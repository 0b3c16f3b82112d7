"""`tvarc build`: ends at once if nothing has changed, and compiles otherwise."""

from __future__ import annotations

from tvarc.commands.build.noop_build import Watcher, noop_build
from tvarc.commands.build.text import adopted_lines, copies_lines, plain, run_lines
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import Console
from tvarc.commands.line.exits import interrupted
from tvarc.files.output.plan import BuildOptions, Comparison, WriteReport
from tvarc.light import TYPE_CHECKING, Iterable, Sequence

if TYPE_CHECKING:
    from tvarc.build.kept import KeptBuild
    from tvarc.commands.build.full_build import Built, Plan
    from tvarc.commands.build.noop_build import Beside
    from tvarc.commands.line.session import Session
    from tvarc.commands.programs.missed import Missed
    from tvarc.files.disk import WatchingLoader
    from tvarc.files.output.plan import Comparing


def command(given: Arguments) -> int:
    """Bring the recipes of each program up to date; the exit code."""
    _demand_fitting(given)
    only = bool(given.words("only"))
    recorded = not (given.flag("no_cache") or given.flag("source_map") or given.words("input"))

    def build(console: Console, program: str | None, missed: Missed | None) -> int:
        options = _options(given, program)
        if recorded and (missed is None or not only):
            code = _unchanged(console, options)
            if code is not None:
                return code
        from tvarc.commands.line.session import run

        return run(given, lambda session: _compiled(session, options), console, missed)

    return given.for_each(given.words("programs"), build)


def _demand_fitting(given: Arguments) -> None:
    """Raises Misused for options that do not go together."""

    def first(*names: str) -> str | None:
        """The first of these options that is given."""
        options = (f"--{name.replace('_', '-')}" for name in names if given.is_given(name))
        return next(options, None)

    part = first("only", "flag", "set")
    if given.flag("prune") and part is not None:
        raise Misused(f"it needs all variants as the source has them: leave out {part}", "--prune")
    part = first("only", "check", "dry_run")
    if given.flag("source_map") and part is not None:
        raise Misused(
            f"it describes all recipes that are written: leave out {part}", "--source-map"
        )
    if given.flag("adopt") and given.flag("force"):
        raise Misused("it keeps a copy and --force keeps none: give one of them", "--adopt")
    if given.flag("if_equal") and not given.flag("adopt"):
        raise Misused("it limits what --adopt takes: add --adopt", "--if-equal")
    words = [*given.words("programs"), *given.words("file")]
    if given.text("out") is not None and (given.flag("all") or len(words) > 1):
        raise Misused(
            "it is the output folder of one program: build the programs one by one",
            "--out",
        )


def _options(given: Arguments, program: str | None) -> BuildOptions:
    return BuildOptions(
        program,
        given.text("out"),
        given.words("only"),
        (
            *(("--flag", text) for text in given.words("flag")),
            *(("--set", text) for text in given.words("set")),
        ),
        given.flag("check"),
        given.flag("force"),
        given.flag("json"),
        prune=given.flag("prune"),
        dry_run=given.flag("dry_run"),
        adopt=given.flag("adopt"),
        git=not given.flag("no_git"),
        locked=given.flag("locked"),
        source_map=given.flag("source_map"),
        inputs=given.words("input"),
        if_equal=given.flag("if_equal"),
    )


def _unchanged(console: Console, options: BuildOptions) -> int | None:
    """The exit code of a build that has nothing to do, after its report; None, without a report, if
    it is not known whether there is something to do."""

    def progress(count: int) -> Watcher:
        from tvarc.doing import Doing

        return Doing("comparing", count, "recipes")

    try:
        found = noop_build(options, progress)
    except KeyboardInterrupt as fault:
        return interrupted(fault)
    if found is None:
        return None
    console.diagnostics(found.warnings, found.sources)
    tell(console, found.report, found.root, options, found.paths, found.beside)
    for line in () if options.json else found.remarks:
        console.remark(f"{line}\n")
    return exits.OK


def _compiled(session: Session, options: BuildOptions) -> int:
    """Compile the program and write the changes, or with `check` find out which there are; returns
    the exit code.
    """
    from tvarc.files.disk import WatchingLoader
    from tvarc.files.resources import stdlib_dir

    done = built(session, options, WatchingLoader(stdlib_dir()))
    if done is None:
        session.console.remark("no variant is selected\n")
        return exits.OK
    tell(session.console, done.report, done.root, options, done.paths, done)
    for line in done.remarks:
        session.console.remark(f"{line}\n")
    return exits.OK if done.up_to_date else exits.STALE


def built(
    session: Session,
    options: BuildOptions,
    loader: WatchingLoader,
    *,
    recorded: bool = True,
    kept: KeptBuild | None = None,
    compare: Comparing = Comparison,
) -> Built | None:
    """The finished build, after its diagnostics were shown; None if this is one of several programs
    and no variant of it is selected. With *recorded*, it may store a record. *kept* has the data of
    the last build, for a process that builds repeatedly. Raises Ended."""
    from tvarc.commands.build.full_build import plan, target_of

    session.tells_fake_hashes = True
    settings: Sequence[Setting] = ()
    if options.settings:
        from tvarc.meaning.overrides import Setting

        settings = [Setting(option, text) for option, text in options.settings]
    made = session.compile(options.file, settings, loader, kept)
    made.elaboration.shared.hashes.strict = options.locked
    session.demand_matrix()
    session.demand_output()
    target = target_of(made, options, session.sink)
    session.stop_on_errors()
    variants = session.select(options.only)
    if options.only and not variants:  # this one of several programs has none
        session.show()
        return None
    # `--only` has other rules for several programs than for one.
    alone = session.missed is None or not options.only
    recorded = recorded and session.cache.keeps and alone
    planned = plan(made, options, target, variants, session.sink, recorded=recorded)
    if planned is None:
        session.finish(exits.UNJUDGED)
    session.stop_on_errors()
    return _written(session, planned, loader, compare)


def _written(
    session: Session, planned: Plan, loader: WatchingLoader, compare: Comparing
) -> Built:
    """Write the *planned* files. If some could not be written, end the command after the report."""
    from tvarc.doing import Doing

    with Doing("comparing", planned.count, "recipes") as progress:
        report = planned.write(progress, session.sink, compare)
    if session.sink.has_errors:
        options = planned.options
        for line in () if options.json else adopted_lines(report, options):
            session.console.remark(f"{plain(line)}\n")  # to show where the copies are
        count = f"{len(report.written)} of them were" if report.written else "nothing was"
        closing = f"{session.counts()}; {count} written"
        session.finish(exits.FAILED, closing=closing, unwritten=report.unwritten)
    planned.write_shared()
    session.end_on_errors()
    if planned.is_out_of_date(report):
        # The files of the program may be needed once more, as those of a program without errors.
        session.use_own_sink()
        planned.report_out_of_date(report, session.sink)
    source_map = planned.write_source_map(report, session.sink)
    if source_map and session.sink.has_errors:
        session.finish(exits.FAILED)
    session.show()
    if not session.sink.has_errors:
        planned.keep_record(session.cache, loader.seen, report)
    return planned.built(report, source_map)


def tell(
    console: Console,
    report: WriteReport,
    root: str,
    options: BuildOptions,
    paths: Iterable[str],
    done: Built | Beside | None,
) -> None:
    """Report on the files below *root*, whose *paths* are all of them, and on the other work that
    was *done*.
    """
    shared = done.shared if done is not None else ()
    apart = done.apart if done is not None else ()
    if options.json:
        from tvarc.commands.build.result import result_of
        from tvarc.values.plain import json_text

        result = result_of(report, root or ".", options, shared)
        console.data(json_text(result, indent=None))
        return
    lines: Iterable[str] = run_lines(report, root, options, paths)
    if apart:
        from tvarc.commands.build.text import build_lines_apart

        lines = build_lines_apart(report, root, options, paths, apart)
    for line in lines:
        console.remark(f"{line}\n")
    if shared:
        from tvarc.commands.build.text import shared_lines

        for line in shared_lines(shared, options):
            console.remark(f"{line}\n")
    beside = [one.adopted for one in shared]
    copies = [one for one in (*report.adopted, *beside) if one is not None]
    for line in copies_lines(copies, root, options):
        console.remark(f"{plain(line)}\n")
