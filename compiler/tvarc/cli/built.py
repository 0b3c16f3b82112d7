"""What is told of a build that is done, and of one that has nothing to do."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.console import Console
from tvarc.light import Iterable
from tvarc.output.model import BuildOptions, WriteReport
from tvarc.programs.noop_build import Watcher, noop_build
from tvarc.report.build_report import build_data, run_lines


def confirmed(console: Console, options: BuildOptions) -> int | None:
    """The exit code of a build that has nothing to do, which is told; None where that is not
    known, and nothing was told."""

    def progress(count: int) -> Watcher:
        from tvarc.cli.progress import Progress

        return Progress(console, count)

    try:
        found = noop_build(options, progress)
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    if found is None:
        return None
    console.diagnostics(found.warnings, found.sources)
    tell(console, found.report, found.root, options, found.paths)
    return exits.OK


def tell(
    console: Console, report: WriteReport, root: str, options: BuildOptions, paths: Iterable[str]
) -> None:
    """What became of the recipes below *root*, on the streams; *paths* are those of all recipes."""
    if options.json:
        from tvarc.plain import json_text

        console.data(json_text(build_data(report, root or ".", options), indent=None))
        return
    for line in run_lines(report, root, options, paths):
        console.remark(f"{line}\n")
