"""`tvarc build` where something may have changed: the program compiled, and its files written."""

# ruff: noqa: PTH120
from __future__ import annotations

import os

from tvarc.cli import exits
from tvarc.cli.progress import Progress
from tvarc.cli.session import Ended, Session
from tvarc.disk import WatchingLoader
from tvarc.light import TYPE_CHECKING, Collection, Iterable, Sequence, dataclass
from tvarc.output.model import BuildOptions, WriteReport
from tvarc.output.record import Notes
from tvarc.output.write import write_files
from tvarc.programs.find import source_from
from tvarc.programs.noop_build import keep, record_key
from tvarc.programs.outputs import (
    LazyVersions,
    author_of,
    demand_no_packages,
    files_read,
    sweep_of,
)
from tvarc.report.build_report import adopted_lines, common_folder, out_of_date, plain
from tvarc.resources import stdlib_dir
from tvarc.sema.overrides import Setting

if TYPE_CHECKING:
    from tvarc.driver import Compilation
    from tvarc.judge.held import Held
    from tvarc.manifest.model import Manifest
    from tvarc.matrix.variants import Variant
    from tvarc.programs.manifests import Planned


@dataclass(frozen=True, slots=True)
class Built:
    """A build that is done: its exit code, what became of the files below *root*, the paths of all
    of them, lines to tell after that, and what became of manifests."""

    code: int
    report: WriteReport
    root: str
    paths: Iterable[str]
    remarks: tuple[str, ...]
    manifests: tuple[Manifest, ...]


def full_build(session: Session, options: BuildOptions) -> Built:
    """Write what changed, or with `check` find out what would be written. Raises Ended, all told,
    when nothing is to be told of files."""
    session.tells_fake_hashes = True
    loader = WatchingLoader(stdlib_dir())
    settings = [Setting(option, text) for option, text in options.settings]
    made = session.compile(options.file, settings, loader, options.inputs)
    if made.elaboration is not None:
        made.elaboration.shared.hashes.strict = options.locked
    session.demand_matrix()
    session.demand_output()
    root = os.path.dirname(made.file) if options.out is None else options.out
    source = source_from(made.file, root)
    demand_no_packages(made, root, session.sink)
    if options.out is not None:
        from tvarc.output.out_folder import demand_plain

        demand_plain(options.out, os.path.dirname(made.file), source, session.sink)
    if options.git and made.has_folders():
        from tvarc.programs.checkouts import refuse_unshared

        refuse_unshared(made, session.sink)
    session.stop_on_errors()
    variants = session.select(options.only)
    if options.only and not variants:  # of several programs this one has none
        session.show()
        session.console.remark("no variant is selected\n")
        raise Ended(exits.OK)
    if options.only and made.is_stacked:
        variants = made.stack.closure(variants)
    # Of several programs `--only` goes by other rules than in a run of one.
    part = session.missed is not None and bool(options.only)
    # A record tells what was read: not what git would say, nor of checkouts in place of inputs.
    lasting = not (part or made.has_folders() or options.inputs or made.manifests)
    lasting = lasting and not options.if_equal
    notes = Notes() if session.cache.keeps and lasting else None
    author = author_of(made.file)
    sweep = sweep_of(made, author, options)
    whole = 0 if options.only else len(made.all_outputs) - len(made.outputs)
    reads = files_read(made)
    planned = _manifests(session, made, variants, root, author.name, reads, options)
    session.stop_on_errors()
    differing = _differing(session, made, variants, root) if options.if_equal else ()
    files = made.files(source, variants if options.only else None, collections=not options.only)
    progress = Progress(session.console, len(variants) * len(made.outputs) + whole)
    with progress:
        report = write_files(
            files,
            root or ".",
            check=options.check or options.dry_run,
            force=options.force,
            sink=session.sink,
            progress=progress,
            sources=reads,
            checkouts=[
                made.loader.identity(name) for name in (*made.checkouts, *made.replaced.values())
            ],
            sweep=sweep,
            adopt=options.adopt,
            left=[one.path for one in differing],
            notes=notes,
            author=author,
            versions=LazyVersions() if options.git else None,
        )
    if session.sink.has_errors:
        for line in () if options.json else adopted_lines(report, options):
            session.console.remark(f"{plain(line)}\n")  # where the copies are, above all now
        count = f"{len(report.written)} of them were" if report.written else "nothing was"
        session.finish(exits.FAILED, closing=f"{session.counts()}; {count} written")
    if planned:
        from tvarc.programs.manifests import write_manifests

        write_manifests(planned, options)
        if session.sink.has_errors:
            session.finish(exits.FAILED)
    found = tuple([one for one, _ in planned])
    differs = any(one.differs for one in found)
    if options.check and (report.written or report.swept.removed or differs):
        # The program may be asked for its files once more, as one without errors.
        session.use_own_sink()
        if report.written or report.swept.removed:
            session.sink.add(out_of_date(report))
        if differs:
            from tvarc.report.manifest_report import manifests_out_of_date

            session.sink.add(manifests_out_of_date(found, options))
    remarks = _by_hand(differing)
    if options.only and len(made.all_outputs) > len(made.outputs):
        remarks.append("with --only the files that hold all variants stay as they are")
    if options.source_map:
        remarks.append(_write_map(session, report, root, source, options))
    session.show()
    if options.source_map and session.sink.has_errors:
        raise Ended(exits.FAILED)
    as_told = not report.written or not (options.check or options.dry_run)
    if notes is not None and as_told and not session.sink.has_errors:
        key = record_key(session.cache, made.file, root, source, options)
        warnings = session.sink.sorted(session.sources)
        keep(session.cache, key, loader.seen, sweep, notes, warnings)
    if options.inputs and not options.json:
        from tvarc.programs.checkouts import telling_nix

        remarks.append(plain(telling_nix(made, map(made.recipe, variants), root)))
    stale = options.check and (report.written or report.swept.removed or differs)
    return Built(
        exits.STALE if stale or differing else exits.OK,
        report,
        root,
        (file.path for file in files),
        () if options.json else tuple(remarks),
        found,
    )


def _differing(
    session: Session, made: Compilation, variants: Sequence[Variant], root: str
) -> Sequence[Held]:
    """The files by hand that are not the derivations of their variants; ends the command where Nix
    cannot tell."""
    from tvarc.programs.by_hand import held_by_nix, in_build

    files = list(in_build(made, variants, root))
    session.stop_on_errors()
    found = held_by_nix(made, files, session.sink)
    if found is None:
        session.finish(exits.UNJUDGED)
    return [one for one in found if not one.equal]


def _by_hand(differing: Sequence[Held]) -> list[str]:
    """What is told of the files by hand that differ; nearly always there are none."""
    if not differing:
        return []
    from tvarc.report.held import differing_lines

    return [line for one in differing for line in differing_lines(one)]


def _manifests(
    session: Session,
    made: Compilation,
    variants: Sequence[Variant],
    root: str,
    program: str,
    reads: Collection[str],
    options: BuildOptions,
) -> Sequence[Planned]:
    """What is to become of the manifests of the program; few have any."""
    if not made.manifests or session.sink.has_errors:
        return ()
    from tvarc.programs.manifests import manifests_of

    with session.guarded():
        return manifests_of(made, variants, root, program, reads, options, session.sink)
    return ()


def _write_map(
    session: Session, report: WriteReport, root: str, source: str, options: BuildOptions
) -> str:
    """Write the source map; what to tell of it."""
    from tvarc.programs.source_map import write_map

    made = session.compilation
    assert made is not None
    with session.guarded():
        place, changed = write_map(
            made, common_folder(report.folders), root, source, session.sink, force=options.force
        )
    return plain(f"source map {place}: {'written' if changed else 'unchanged'}")
