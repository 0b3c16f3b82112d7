"""The report of `tvarc build` on pages whose parts it writes."""

from __future__ import annotations

from tvarc.commands import messages as msg
from tvarc.commands.build.text import adopted_line, difference_lines, plain
from tvarc.commands.documents.parts import Page
from tvarc.files.output.model import BuildOptions
from tvarc.light import Iterator, Sequence
from tvarc.text.diagnostics.model import Diagnostic, filled
from tvarc.text.diagnostics.words import counted


def page_lines(found: Sequence[Page], options: BuildOptions) -> Iterator[str]:
    """The result for each, or with `--dry-run` the planned one, without those that `--check` has
    reported."""
    for one in found:
        if options.check and one.differs:
            continue
        if one.adopted is not None:
            yield from map(plain, difference_lines(one.adopted))
            yield plain(adopted_line(one.adopted, options))
        if options.dry_run:
            yield from (plain(f"fill in `{part}` in {one.path}") for part in one.changed)
        yield plain(f"{one.path}: {counted(one.parts, 'part')}: {_counted(one, options)}")


def _counted(one: Page, options: BuildOptions) -> str:
    if options.check:
        return "up to date"
    would = "would be " if options.dry_run else ""
    written = len(one.changed)
    return f"{written} {would}written, {one.parts - written} unchanged"


def pages_out_of_date(found: Sequence[Page]) -> Diagnostic:
    """The lines of `--check` on pages that a build would change."""
    stale = [one for one in found if one.differs]
    notes = tuple(
        f"`tvarc build` would fill in these parts of {one.path}:\n"
        + "\n".join(f"  {part}" for part in one.changed)
        for one in stale
    )
    return filled(
        msg.outputs.PAGES_OUT_OF_DATE,
        None,
        {"file": stale[0].path, "count": len(stale)},
        notes=notes,
    )
