"""`tvarc build`: the recipes, brought up to date on disk."""

# ruff: noqa: PTH119, PTH120
from __future__ import annotations

import os

from tvarc.backend.nix.quoting import comment_line
from tvarc.cli import exits
from tvarc.cli.options import BuildOptions
from tvarc.cli.program import source_from
from tvarc.cli.progress import Progress
from tvarc.cli.session import Session, counted
from tvarc.cli.told import tell
from tvarc.cli.unchanged import keep, record_key
from tvarc.disk import WatchingLoader
from tvarc.driver import Compilation
from tvarc.output.model import Place, Sweep, WriteReport
from tvarc.output.record import Notes
from tvarc.output.write import write_files
from tvarc.resources import stdlib_dir
from tvarc.sema.hir import OutputDef, Text
from tvarc.sema.overrides import Setting

_LISTED = 20


def build(session: Session, options: BuildOptions) -> int:
    """Write what changed, or with `check` tell what would be written; the exit code."""
    loader = WatchingLoader(stdlib_dir())
    settings = [Setting(option, text) for option, text in options.settings]
    made = session.compile(options.file, settings, loader)
    if made.elaboration is not None:
        made.elaboration.shared.hashes.strict = options.locked
    if not made.variants and not session.sink.has_errors:
        session.sink.error(
            "E401",
            f"`{made.file}` declares no matrix and no variant",
            help="a `matrix` says which variants there are",
        )
    session.demand_output()
    root = os.path.dirname(made.file) if options.out is None else options.out
    source = source_from(made.file, root)
    _demand_text(session, os.path.dirname(source))
    session.stop_on_errors()
    variants = session.select(options.only)
    notes = Notes() if session.cache.keeps else None
    sweep = _sweep(made, options)
    progress = Progress(session.console, len(variants) * len(made.outputs))
    with progress:
        report = write_files(
            made.files(source, variants if options.only else None),
            root or ".",
            check=options.check or options.dry_run,
            force=options.force,
            sink=session.sink,
            progress=progress,
            sources=_real_sources(made),
            sweep=sweep,
            adopt=options.adopt,
            notes=notes,
        )
    if session.sink.has_errors:
        count = f"{len(report.written)} of them were" if report.written else "nothing was"
        session.finish(exits.FAILED, closing=f"{session.counts()}; {count} written")
    if options.check and (report.written or report.swept.removed):
        _out_of_date(session, report)
    session.show()
    as_told = not report.written or not (options.check or options.dry_run)
    if notes is not None and as_told and not len(session.sink):
        key = record_key(session.cache, made.file, root, source, options)
        keep(session.cache, key, loader.seen, sweep, notes)
    tell(session.console, report, root, options)
    return exits.STALE if options.check and (report.written or report.swept.removed) else exits.OK


def _sweep(made: Compilation, options: BuildOptions) -> Sweep | None:
    """What to look for that the program has no longer; None where the run sees only a part of
    the program, or another than the source says."""
    if options.only or options.settings:
        return None
    source = " ".join(comment_line(os.path.basename(made.file)).split())
    return Sweep(tuple(dict.fromkeys(map(_place, made.outputs))), source, options.prune)


def _place(output: OutputDef) -> Place:
    """Where the files of *output* are, as far as what is written in the program tells."""
    expr = output.file
    parts = expr.parts if isinstance(expr, Text) else ()
    fixed = parts[0] if parts and isinstance(parts[0], str) else ""
    literal = [part for part in parts if isinstance(part, str)]
    folder = fixed.rpartition("/")[0]
    steps = sum(part.count("/") for part in literal) - fixed.count("/")
    return Place(folder, steps)


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


def _real_sources(made: Compilation) -> list[str]:
    names = made.graph.modules if made.graph is not None else ()
    return [os.path.realpath(name) for name in names if not name.startswith("std/")]


def _out_of_date(session: Session, report: WriteReport) -> None:
    count = len(report.written)
    shown = [
        f"  {path}{' (new)' if path in report.created else ''}" for path in report.written[:_LISTED]
    ]
    if count > _LISTED:
        shown.append(f"  and {count - _LISTED} more")
    removed = report.swept.removed
    command = "tvarc build --prune" if removed else "tvarc build"
    notes = ["\n".join([f"`{command}` would write:", *shown])] if shown else []
    if removed:
        listed = [f"  {path}" for path in removed[:_LISTED]]
        if len(removed) > _LISTED:
            listed.append(f"  and {len(removed) - _LISTED} more")
        notes.append("\n".join([f"`{command}` would remove:", *listed]))
    count += len(removed)
    are = "is" if count == 1 else "are"
    session.sink.error(
        "E804",
        f"{counted(count, 'file')} {are} out of date",
        notes=notes,
        help=f"run `{command}`",
    )
