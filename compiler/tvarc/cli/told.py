"""What `tvarc build` tells of a run, as lines and as JSON."""

# ruff: noqa: PTH118
from __future__ import annotations

import os
import posixpath

from tvarc.cli.console import Console, json_text
from tvarc.cli.options import BuildOptions
from tvarc.light import Iterator, Sequence
from tvarc.output.model import WriteReport

_SHOWN = 20  # of adopted files, those of which the difference is printed


def tell(console: Console, report: WriteReport, root: str, options: BuildOptions) -> None:
    """What became of the recipes below *root*, on the streams."""
    if options.json:
        console.out(build_data(report, root or ".", options))
        return
    common = common_folder(report.folders)
    where = os.path.join(root, common) if common else root or "."
    for line in build_lines(report, where, options):
        console.remark(f"{line}\n")
    if report.created and options.git and not (options.check or options.dry_run):
        from tvarc.cli.tracking import tracking_lines

        for line in tracking_lines(root, common, report.created):
            console.remark(f"{line}\n")


def common_folder(folders: Sequence[str]) -> str:
    """The folder that all of *folders* lie in, `/` between its steps; empty for the root."""
    return posixpath.commonpath(folders) if folders else ""


def build_lines(report: WriteReport, where: str, options: BuildOptions) -> Iterator[str]:
    """What happened, or with `--dry-run` would; nothing that `--check` has told already. *where*
    is the folder of the recipes."""
    swept = report.swept
    if options.check and (report.written or swept.removed):
        return
    for one in report.adopted[:_SHOWN]:
        yield f"--- {one.path} (as it was)"
        yield f"+++ {one.path} (as tvarc writes it)"
        yield from one.difference
    for one in report.adopted:
        yield f"{'adopt' if options.dry_run else 'adopted'} {one.path}: a copy is {one.backup}"
    would = "would be " if options.dry_run else ""
    new = frozenset(report.created)
    if options.dry_run:
        yield from (f"write {path}{' (new)' if path in new else ''}" for path in report.written)
    verbs = ("remove", "rename") if options.dry_run else ("removed", "renamed")
    for path in swept.removed:
        to = swept.renamed.get(path)
        yield f"{verbs[0]} {path}" if to is None else f"{verbs[1]} {path} to {to}"
    written, total = len(report.written), len(report.written) + report.unchanged
    summary = f"{total} {'recipe' if total == 1 else 'recipes'} in {where}: "
    if options.check:
        summary += "up to date"
    else:
        summary += f"{written} {would}written, {report.unchanged} unchanged"
    if swept.removed:
        summary += f", {len(swept.removed)} {would}removed"
    yield summary
    if swept.stale and not options.prune:
        count = len(swept.stale)
        yield (
            "1 file there is of no variant any more: `tvarc build --prune` removes it"
            if count == 1
            else f"{count} files there are of no variant any more: `tvarc build --prune` removes "
            "them"
        )
    for path in swept.edited:
        yield f"kept {path}: of no variant any more, but changed by hand"


def build_data(report: WriteReport, root: str, options: BuildOptions) -> str:
    """What was written, or with `check` what is out of date (`stale`), below `root`. `left` are
    files of no variant any more that stay, `edited` those of them that somebody changed."""
    swept = report.swept
    data: dict[str, object] = {
        "stale" if options.check else "written": list(report.written),
        "unchanged": report.unchanged,
        "removed": list(swept.removed),
        "renamed": [{"from": old, "to": new} for old, new in swept.renamed.items()],
        "adopted": [{"file": one.path, "copy": one.backup} for one in report.adopted],
        "left": [*swept.stale, *swept.edited],
        "edited": list(swept.edited),
        "dry_run": options.check or options.dry_run,
        "root": root,
    }
    return json_text(data, indent=None)
