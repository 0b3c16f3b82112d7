"""`tvarc build`: the recipes, brought up to date on disk."""

# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import os
import posixpath

from tvarc.cli import exits
from tvarc.cli.console import json_text
from tvarc.cli.progress import Progress
from tvarc.cli.session import Session, counted
from tvarc.driver import Compilation
from tvarc.light import Sequence, dataclass
from tvarc.output.model import WriteReport
from tvarc.output.write import write_files
from tvarc.sema.overrides import Setting

_LISTED = 20


@dataclass(frozen=True, slots=True)
class BuildOptions:
    file: str | None
    out: str | None
    only: tuple[str, ...]
    settings: tuple[Setting, ...]
    check: bool
    force: bool
    json: bool
    locked: bool = False


def build(session: Session, options: BuildOptions) -> int:
    """Write what changed, or with `check` tell what would be written; the exit code."""
    made = session.compile(options.file, options.settings)
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
    progress = Progress(session.console, len(variants) * len(made.outputs))
    with progress:
        report = write_files(
            made.files(source, variants if options.only else None),
            root or ".",
            check=options.check,
            force=options.force,
            sink=session.sink,
            progress=progress,
            sources=_real_sources(made),
        )
    if session.sink.has_errors:
        count = f"{len(report.written)} of them were" if report.written else "nothing was"
        session.finish(exits.FAILED, closing=f"{session.counts()}; {count} written")
    if options.check and report.written:
        _out_of_date(session, report)
    session.show()
    common = common_folder(report.folders)
    where = os.path.join(root, common) if common else root or "."
    if options.json:
        session.console.out(_data(report, root or ".", check=options.check))
    elif not (options.check and report.written):
        session.console.remark(f"{_summary(report, where, check=options.check)}\n")
    return exits.STALE if options.check and report.written else exits.OK


def source_from(file: str, root: str) -> str:
    """*file* as seen from the output folder *root*."""
    if os.path.dirname(file) == root:
        return os.path.basename(file)
    folder = os.path.realpath(os.path.dirname(file))
    return os.path.relpath(os.path.join(folder, os.path.basename(file)), os.path.realpath(root))


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


def common_folder(folders: Sequence[str]) -> str:
    """The folder that all of *folders* lie in, `/` between its steps; empty for the root."""
    return posixpath.commonpath(folders) if folders else ""


def _out_of_date(session: Session, report: WriteReport) -> None:
    count = len(report.written)
    shown = [
        f"  {path}{' (new)' if path in report.created else ''}" for path in report.written[:_LISTED]
    ]
    if count > _LISTED:
        shown.append(f"  and {count - _LISTED} more")
    are = "is" if count == 1 else "are"
    session.sink.error(
        "E804",
        f"{counted(count, 'file')} {are} out of date",
        notes=("\n".join(["`tvarc build` would write:", *shown]),),
        help="run `tvarc build`",
    )


def _summary(report: WriteReport, where: str, *, check: bool) -> str:
    written, total = len(report.written), len(report.written) + report.unchanged
    if check:
        return f"{counted(total, 'recipe')} in {where}: up to date"
    return f"{counted(total, 'recipe')} in {where}: {written} written, {report.unchanged} unchanged"


def _data(report: WriteReport, root: str, *, check: bool) -> str:
    """What was written, or with `check` what is out of date (`stale`), below `root`."""
    done = "stale" if check else "written"
    data = {done: list(report.written), "unchanged": report.unchanged, "root": root}
    return json_text(data, indent=None)
