"""The report of `tvarc build` on files that are not the recipe of one variant: files of all
variants, and jobs for other systems."""

from __future__ import annotations

import posixpath

from tvarc.commands.build.text import plain, run_lines
from tvarc.files.output.model import BuildOptions, WriteReport
from tvarc.light import Collection, Iterable, Iterator, Sequence, replace


def build_lines_apart(
    report: WriteReport,
    root: str,
    options: BuildOptions,
    paths: Iterable[str],
    others: Sequence[str],
) -> Iterator[str]:
    """The lines on the recipes, and then on the *others*. *paths* are those of all files."""
    apart, every = frozenset(others), list(paths)
    recipes = [path for path in every if path not in apart]
    of_nix = [path for path in every if path not in apart or path.endswith(".nix")]
    yield from run_lines(_of_recipes(report, recipes, apart), root, options, of_nix)
    written = frozenset(report.written)
    if options.check and (written or report.swept.removed):
        return
    would = "would be " if options.dry_run else ""
    for path in others:
        yield plain(f"{path}: " + (f"{would}written" if path in written else "unchanged"))


def _of_recipes(
    report: WriteReport, recipes: Sequence[str], others: Collection[str]
) -> WriteReport:
    """The part of *report* on *recipes* alone."""
    folders = {posixpath.dirname(path) for path in recipes}
    unchanged = len(others) - sum(path in others for path in report.written)
    return replace(
        report,
        written=tuple([path for path in report.written if path not in others]),
        created=tuple([path for path in report.created if path not in others]),
        unchanged=report.unchanged - unchanged,
        folders=tuple([folder for folder in report.folders if folder in folders]),
    )
