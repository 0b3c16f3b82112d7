"""`tvarc build`: the recipes, brought up to date on disk."""

# ruff: noqa: PTH114, PTH118, PTH119, PTH120
from __future__ import annotations

import os

from tvarc.cli import exits
from tvarc.cli.built import tell
from tvarc.cli.progress import Progress
from tvarc.cli.session import Session, counted
from tvarc.diagnostics.model import Sink
from tvarc.disk import WatchingLoader
from tvarc.driver import Compilation
from tvarc.light import TYPE_CHECKING, Iterable
from tvarc.output.model import BuildOptions, WriteReport
from tvarc.output.record import Notes
from tvarc.output.write import write_files
from tvarc.paths import is_reserved
from tvarc.plain import json_text
from tvarc.programs.find import source_from
from tvarc.programs.noop_build import keep, record_key
from tvarc.programs.outputs import author_of, files_read, sweep_of
from tvarc.report.build_report import adopted_lines, common_folder, plain
from tvarc.resources import stdlib_dir
from tvarc.sema.overrides import Setting

if TYPE_CHECKING:
    from tvarc.output.conflicts import Versions, VersionsOf

_LISTED = 20


def build(session: Session, options: BuildOptions) -> int:
    """Write what changed, or with `check` tell what would be written; the exit code."""
    loader = WatchingLoader(stdlib_dir())
    settings = [Setting(option, text) for option, text in options.settings]
    made = session.compile(options.file, settings, loader)
    if made.elaboration is not None:
        made.elaboration.shared.hashes.strict = options.locked
    session.demand_matrix()
    session.demand_output()
    root = os.path.dirname(made.file) if options.out is None else options.out
    if options.out is not None:
        _demand_no_link(session, options.out, os.path.dirname(made.file))
    source = source_from(made.file, root)
    _demand_text(session, os.path.dirname(source))
    session.stop_on_errors()
    variants = session.select(options.only)
    if options.only and not variants:  # of several programs this one has none
        session.show()
        session.console.remark("no variant is selected\n")
        return exits.OK
    part = session.missed is not None and bool(
        options.only
    )  # other rules than a run of one program
    notes = Notes() if session.cache.keeps and not part else None
    author = author_of(made.file)
    sweep = sweep_of(made, author, options)
    files = made.files(source, variants if options.only else None)
    progress = Progress(session.console, len(variants) * len(made.outputs))
    with progress:
        report = write_files(
            files,
            root or ".",
            check=options.check or options.dry_run,
            force=options.force,
            sink=session.sink,
            progress=progress,
            sources=files_read(made),
            checkouts=[made.loader.identity(name) for name in made.checkouts],
            sweep=sweep,
            adopt=options.adopt,
            notes=notes,
            author=author,
            versions=_Versions() if options.git else None,
        )
    if session.sink.has_errors:
        for line in () if options.json else adopted_lines(report, options):
            session.console.remark(f"{plain(line)}\n")  # where the copies are, above all now
        count = f"{len(report.written)} of them were" if report.written else "nothing was"
        session.finish(exits.FAILED, closing=f"{session.counts()}; {count} written")
    if options.check and (report.written or report.swept.removed):
        _out_of_date(session, report)
    mapped = _write_map(session, made, report, root, source, options)
    session.show()
    if options.source_map and session.sink.has_errors:
        return exits.FAILED
    as_told = not report.written or not (options.check or options.dry_run)
    if notes is not None and as_told and not session.sink.has_errors:
        key = record_key(session.cache, made.file, root, source, options)
        warnings = session.sink.sorted(session.sources)
        keep(session.cache, key, loader.seen, sweep, notes, warnings)
    tell(session.console, report, root, options, (file.path for file in files))
    if mapped and not options.json:
        session.console.remark(f"{plain(mapped)}\n")
    return exits.STALE if options.check and (report.written or report.swept.removed) else exits.OK


def _write_map(
    session: Session, made: Compilation, report: WriteReport, root: str, source: str,
    options: BuildOptions,
) -> str:  # fmt: skip
    """Write the source map where that is asked for; what to tell of it."""
    if not options.source_map:
        return ""
    from tvarc.assembly.shared_maps import all_maps
    from tvarc.assembly.source_map import SourceMaps
    from tvarc.output.beside import write_beside
    from tvarc.report.source_map import MARK, MapData

    common = common_folder(report.folders)
    folder = os.path.join(root, common) or "."
    name = f"{os.path.basename(made.file)}.map.json"
    maps = SourceMaps(made.traced(), source, made.file)

    def seen(file: str) -> str:
        """*file* as it is named from the folder of the map."""
        return file if file.startswith("std/") else source_from(file, folder)

    gathered = MapData(maps, common, seen)
    with session.guarded():
        gathered.add(all_maps(maps, made.variants, placeholders=made.may_have_placeholders()))
    data = json_text(gathered.data(seen(made.file)), indent=None).encode()

    def is_ours(known: bytes) -> bool:
        return known.startswith(f'{{"{MARK}":'.encode())

    changed = write_beside(folder, name, data, is_ours, session.sink, force=options.force)
    return f"source map {os.path.join(folder, name)}: {'written' if changed else 'unchanged'}"


class _Versions:
    """What git merged, for a path; git is asked when the first is looked for."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: VersionsOf | None = None

    def __call__(self, path: str) -> Iterable[Versions]:
        return self._asked()(path)

    def knows(self, path: str, name: bytes) -> bool:
        return self._asked().knows(path, name)

    def _asked(self) -> VersionsOf:
        from tvarc.git.merged import MergedVersions

        if self._found is None:
            self._found = MergedVersions()
        return self._found


def _demand_text(session: Session, folder: str) -> None:
    """Recipes name files by *folder*, from where they stand, and are text themselves."""
    try:
        folder.encode()
    except UnicodeEncodeError:
        session.sink.error(
            "E802",
            f"recipes cannot be written that name files in `{folder}`: this is not UTF-8",
            help="rename the folder, or leave out `--out`",
        )


def _demand_no_link(session: Session, out: str, home: str) -> None:
    """`--out` leads where it says. Links that a checkout brings along, here or in the folder of the
    program, could lead anywhere; those above are the system's own."""
    if any(map(is_reserved, os.path.realpath(out).split("/"))):
        session.sink.error(
            "E803",
            "`--out` leads into a folder of git's own, or to where the lock stands",
            notes=(f"it is {os.path.realpath(out)}",),
            help="name another folder: git runs what stands in `.git/hooks`",
        )
        return
    inner = [os.path.realpath(folder) for folder in (os.curdir, home)]
    steps = [step for step in out.split("/") if step not in ("", ".")]
    at = "/" if out.startswith("/") else os.curdir
    for place, step in enumerate(steps, 1):
        above = os.path.realpath(at)
        at = os.path.join(at, step)
        last = place == len(steps)
        if os.path.islink(os.path.realpath(at)):  # they go in circles, which is told of later
            return
        if os.path.islink(at) and (last or any(_is_below(above, one) for one in inner)):
            import shlex  # it loads much, and most runs refuse nothing

            session.sink.error(
                "E803",
                f"`--out` leads through `{at.removeprefix('./')}`, which is a symbolic link",
                help=f"name the folder that is meant: `--out {shlex.quote(os.path.realpath(out))}`",
            )
            return


def _is_below(folder: str, other: str) -> bool:
    """Whether the real path *folder* is that of *other*, or of a folder in it."""
    return f"{folder}/".startswith(f"{other}/") or other == "/"


def _state_of(path: str, report: WriteReport) -> str:
    """What there is to say of the file *path*, which would be written."""
    if path in report.merged:
        return " (conflicts of a merge)"
    return " (new)" if path in report.created else ""


def _out_of_date(session: Session, report: WriteReport) -> None:
    from tvarc.diagnostics.render_cells import safe  # most runs have nothing of this to tell

    count = len(report.written)
    shown = [f"  {safe(path)}{_state_of(path, report)}" for path in report.written[:_LISTED]]
    if count > _LISTED:
        shown.append(f"  and {count - _LISTED} more")
    removed = report.swept.removed
    command = "tvarc build --prune" if removed else "tvarc build"
    notes = ["\n".join([f"`{command}` would write:", *shown])] if shown else []
    if removed:
        listed = [f"  {safe(path)}" for path in removed[:_LISTED]]
        if len(removed) > _LISTED:
            listed.append(f"  and {len(removed) - _LISTED} more")
        notes.append("\n".join([f"`{command}` would remove:", *listed]))
    count += len(removed)
    are = "is" if count == 1 else "are"
    # A sink of its own: that of the program may be asked for its files once more, as one without.
    told, session.sink = session.sink, Sink()
    for one in told:
        session.sink.add(one)
    session.sink.error(
        "E804",
        f"{counted(count, 'file')} {are} out of date",
        notes=notes,
        help=f"run `{command}`",
    )
