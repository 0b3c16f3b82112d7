"""The report of `tvarc build` on what is not the recipe of one variant: files of all variants, jobs
for other systems, entries of manifests, and parts of pages."""

from __future__ import annotations

import posixpath

from tvarc.commands import messages as msg
from tvarc.commands.build.text import adopted_line, difference_lines, plain, run_lines
from tvarc.commands.documents.parts import Page
from tvarc.files.output.model import BuildOptions, WriteReport
from tvarc.light import TYPE_CHECKING, Collection, Iterable, Iterator, Sequence, replace
from tvarc.text.diagnostics.model import Diagnostic, filled
from tvarc.text.diagnostics.words import counted

if TYPE_CHECKING:
    from tvarc.build.diff.manifests import EntryChange
    from tvarc.build.manifest.model import Manifest


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


def manifest_lines(found: Sequence[Manifest], options: BuildOptions) -> Iterator[str]:
    """The result for each, or with `--dry-run` the planned one, without those that `--check` has
    reported."""
    for one in found:
        edited = one.edited
        if options.check and one.differs:
            continue
        if one.adopted is not None:
            yield from map(plain, difference_lines(one.adopted))
            yield plain(adopted_line(one.adopted, options))
        if options.dry_run:
            for verb, names in _changes(one):
                yield from (plain(f"{verb} {name} in {one.asked.path}") for name in names)
        yield plain(f"{one.asked.path}: {_counted(one, options)}")
        if edited.stale:
            count = len(edited.stale)
            yield (
                "1 entry has no variant any more: `tvarc build --prune` removes it"
                if count == 1
                else f"{count} entries have no variant any more: `tvarc build --prune` removes them"
            )
        for name in edited.kept:
            kept = "kept" if options.prune else "`--prune` keeps"
            yield plain(f"{kept} entry {name}: it has no variant any more, but was changed by hand")


def _changes(one: Manifest) -> Iterator[tuple[str, Sequence[str]]]:
    yield "add", one.edited.added
    yield "change", one.edited.changed
    yield "remove", one.edited.removed


def _counted(one: Manifest, options: BuildOptions) -> str:
    edited = one.edited
    total = len(edited.added) + len(edited.changed) + edited.unchanged
    entries = counted(total, "entry", "entries")
    if options.check:
        return f"{entries}, up to date"
    would = "would be " if options.dry_run else ""
    words = [
        f"{len(names)} {would}{verb}"
        for verb, names in (("added", edited.added), ("changed", edited.changed))
        if names or verb == "added"
    ]
    words.append(f"{edited.unchanged} unchanged")
    if edited.removed:
        words.append(f"{len(edited.removed)} {would}removed")
    return f"{entries}: {', '.join(words)}"


def manifests_out_of_date(found: Sequence[Manifest], options: BuildOptions) -> Diagnostic:
    """The lines of `--check` on manifests that a build would change."""
    stale = [one for one in found if one.differs]
    command = "tvarc build --prune" if options.prune else "tvarc build"
    notes = tuple(
        f"`{command}` would {verb} in {one.asked.path}:\n"
        + "\n".join(f"  {name}" for name in names)
        for one in stale
        for verb, names in _changes(one)
        if names
    )
    return filled(
        msg.outputs.MANIFESTS_OUT_OF_DATE,
        None,
        {"file": stale[0].asked.path, "count": len(stale), "command": command},
        notes=notes,
    )


def changed_entries(found: Sequence[EntryChange]) -> Iterator[str]:
    """The lines of `diff` on entries."""
    from tvarc.build.manifest.edit import entry_line

    for number, one in enumerate(found):
        if not number or found[number - 1].file != one.file:
            yield f"{plain(one.file)}:"
        for sign, fields in (("-", one.before), ("+", one.after)):
            if fields is not None:
                yield f"  {sign} {plain(entry_line(one.name, fields))}"


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
        yield plain(f"{one.path}: {counted(one.parts, 'part')}: {_counted_parts(one, options)}")


def _counted_parts(one: Page, options: BuildOptions) -> str:
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
