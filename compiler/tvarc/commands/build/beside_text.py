"""The report of `tvarc build` on what is not the recipe of one variant: files of all variants, jobs
for other systems, entries of manifests, and parts of pages."""

from __future__ import annotations

import posixpath

from tvarc.commands import messages as msg
from tvarc.commands.build.text import (
    adopted_line,
    command_of,
    difference_lines,
    plain,
    run_lines,
)
from tvarc.files.output.plan import BuildOptions, Shared, WriteReport
from tvarc.light import TYPE_CHECKING, Collection, Iterable, Iterator, Sequence, replace
from tvarc.text.diagnostics.model import Diagnostic, filled
from tvarc.text.diagnostics.words import counted

if TYPE_CHECKING:
    from tvarc.build.diff.manifests import EntryChange


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


def shared_lines(found: Sequence[Shared], options: BuildOptions) -> Iterator[str]:
    """The result for each, or with `--dry-run` the planned one, without those that `--check` has
    reported."""
    for one in found:
        if options.check and one.differs:
            continue
        if one.adopted is not None:
            yield from map(plain, difference_lines(one.adopted))
            yield plain(adopted_line(one.adopted, options))
        if options.dry_run:
            yield from map(plain, _planned(one))
        count = counted(one.total, "part") if one.is_page else _entries(one.total)
        yield plain(f"{one.path}: {count}{_counted(one, options)}")
        if one.stale:
            them = "it" if len(one.stale) == 1 else "them"
            has = "has" if len(one.stale) == 1 else "have"
            stale = f"{_entries(len(one.stale))} {has} no variant any more"
            yield f"{stale}: `tvarc build --prune` removes {them}"
        for name in one.kept:
            kept = "kept" if options.prune else "`--prune` keeps"
            yield plain(f"{kept} entry {name}: it has no variant any more, but was changed by hand")


def _planned(one: Shared) -> Iterator[str]:
    """What would be done to each entry or part."""
    if one.is_page:
        yield from (f"fill in `{part}` in {one.path}" for part in one.changed)
        return
    for verb, names in _changes(one):
        yield from (f"{verb} {name} in {one.path}" for name in names)


def _changes(one: Shared) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("add", one.added), ("change", one.changed), ("remove", one.removed)


def _entries(count: int) -> str:
    return counted(count, "entry", "entries")


def _counted(one: Shared, options: BuildOptions) -> str:
    """How many entries or parts change, after how many there are."""
    if options.check:
        return ": up to date" if one.is_page else ", up to date"
    would = "would be " if options.dry_run else ""
    if one.is_page:
        return f": {len(one.changed)} {would}written, {one.unchanged} unchanged"
    words = [f"{len(one.added)} {would}added"]
    words += [f"{len(one.changed)} {would}changed"] if one.changed else []
    words.append(f"{one.unchanged} unchanged")
    words += [f"{len(one.removed)} {would}removed"] if one.removed else []
    return f": {', '.join(words)}"


def shared_out_of_date(found: Sequence[Shared], options: BuildOptions) -> Iterator[Diagnostic]:
    """The report of `--check` on files that a build would change: manifests, and pages."""
    for kind, is_page in (("manifests", False), ("pages", True)):
        command = command_of(options, prune=options.prune and not is_page)
        stale = [one for one in found if one.differs and one.is_page is is_page]
        if stale:
            yield filled(
                msg.outputs.SHARED_OUT_OF_DATE,
                None,
                {"file": stale[0].path, "count": len(stale), "kind": kind, "command": command},
                notes=[note for one in stale for note in _notes(one, command)],
            )


def _notes(one: Shared, command: str) -> Iterator[str]:
    """What *command* would do to the entries or parts of a file."""
    if one.is_page:
        yield _listed(f"`{command}` would fill in these parts of {one.path}:", one.changed)
        return
    for verb, names in _changes(one):
        if names:
            yield _listed(f"`{command}` would {verb} in {one.path}:", names)


def _listed(head: str, names: Sequence[str]) -> str:
    return "\n".join([head, *(f"  {name}" for name in names)])


def changed_entries(found: Sequence[EntryChange]) -> Iterator[str]:
    """The lines of `diff` on entries."""
    from tvarc.build.manifest.edit import entry_line

    for number, one in enumerate(found):
        if not number or found[number - 1].file != one.file:
            yield f"{plain(one.file)}:"
        for sign, fields in (("-", one.before), ("+", one.after)):
            if fields is not None:
                yield f"  {sign} {plain(entry_line(one.name, fields))}"
