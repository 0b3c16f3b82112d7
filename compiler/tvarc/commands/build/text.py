"""The report of `tvarc build`, as lines and as JSON."""

# ruff: noqa: PTH100, PTH118
from __future__ import annotations

import os
import posixpath

from tvarc.files.output.plan import Adopted, BuildOptions, Shared, WriteReport
from tvarc.light import TYPE_CHECKING, Callable, Collection, Iterable, Iterator, Sequence, replace
from tvarc.text.diagnostics.model import Diagnostic, filled

if TYPE_CHECKING:
    from tvarc.build.diff.manifests import EntryChange

_SHOWN = 20  # the number of files that are listed, or whose difference is printed
_NAMED = 3  # of copies, those that are named one by one


def run_lines(
    report: WriteReport, root: str, options: BuildOptions, paths: Iterable[str]
) -> Iterator[str]:
    """The results for the recipes below *root*, and the recipes that git lacks. *paths* are the
    paths of all recipes; they are read only if git reports something."""
    yield from map(plain, build_lines(report, _folder_of(report, root), options))
    if options.git and not options.dry_run:
        yield from untracked_lines(report, root, paths)


def untracked_lines(report: WriteReport, root: str, paths: Iterable[str]) -> Iterator[str]:
    """The recipes below *root* that git lacks."""
    from tvarc.files.git.repository import top_of

    if top_of(os.path.abspath(_folder_of(report, root))):
        from tvarc.files.git.tracking import tracking_lines

        yield from map(plain, tracking_lines(root, common_folder(report.folders), paths))


def _folder_of(report: WriteReport, root: str) -> str:
    """The folder of the recipes, which are below *root*."""
    common = common_folder(report.folders)
    return os.path.join(root, common) if common else root or "."


def plain(line: str) -> str:
    """*line*, which contains names of files, without characters that control a terminal or begin
    another line."""
    if line.isprintable():
        return line
    from tvarc.text.diagnostics.render_cells import safe

    return "\t".join(map(safe, line.split("\t")))


def common_folder(folders: Sequence[str]) -> str:
    """The folder that all of *folders* lie in, `/` between its steps; empty for the root."""
    return posixpath.commonpath(folders) if folders else ""


def build_lines(report: WriteReport, where: str, options: BuildOptions) -> Iterator[str]:
    """The actions of the build, or with `--dry-run` the planned ones, without those that `--check`
    has reported. *where* is the folder of the recipes."""
    swept = report.swept
    if options.check and (report.written or swept.removed):
        return
    for one in report.adopted[:_SHOWN]:
        yield from difference_lines(one)
    yield from adopted_lines(report, options)
    would = "would be " if options.dry_run else ""
    new = frozenset(report.created)
    if options.dry_run:
        yield from (f"write {path}{' (new)' if path in new else ''}" for path in report.written)
    yield from removed_lines(report, options)
    written, total = len(report.written), len(report.written) + report.unchanged
    summary = f"{total} {'recipe' if total == 1 else 'recipes'} in {where}: "
    if options.check:
        summary += "up to date"
    else:
        summary += f"{written} {would}written, {report.unchanged} unchanged"
    if swept.removed:
        summary += f", {len(swept.removed)} {would}removed"
    yield summary
    yield from remaining_lines(report, options)


def removed_lines(report: WriteReport, options: BuildOptions) -> Iterator[str]:
    """The files that were, or would be, removed, and their new names."""
    swept = report.swept
    verbs = ("remove", "rename") if options.dry_run else ("removed", "renamed")
    for path in swept.removed:
        to = swept.renamed.get(path)
        yield f"{verbs[0]} {path}" if to is None else f"{verbs[1]} {path} to {to}"


def remaining_lines(report: WriteReport, options: BuildOptions) -> Iterator[str]:
    """The lines on files that another program or a person made, and on files that no longer have a
    variant."""
    swept = report.swept
    would = "would be " if options.dry_run else ""
    for name, count in report.inherited.items():
        recipes = "1 recipe" if count == 1 else f"{count} recipes"
        yield f"{recipes} {would}taken over from `{name}`, which no longer exists"
    if report.merged:
        count = len(report.merged)
        recipes = "1 recipe" if count == 1 else f"{count} recipes"
        tense = "have" if options.dry_run and count > 1 else "has" if options.dry_run else "had"
        yield f"{recipes} {tense} merge conflicts: {would}written again from the source"
    if swept.stale and not options.prune:
        count = len(swept.stale)
        yield (
            "1 file has no variant any more: `tvarc build --prune` removes it"
            if count == 1
            else f"{count} files have no variant any more: `tvarc build --prune` removes them"
        )
    for path in swept.edited:
        kept = "kept" if options.prune else "`--prune` keeps"
        yield f"{kept} {path}: it has no variant any more, but was changed by hand"
    yield from _unsure_lines(swept.unsure, options)


def difference_lines(one: Adopted) -> Iterator[str]:
    """The lines of a hand-written file that are lost when it is replaced."""
    yield f"--- {one.path} (as it was)"
    yield f"+++ {one.path} (as tvarc writes it)"
    yield from one.difference


def adopted_lines(report: WriteReport, options: BuildOptions) -> Iterator[str]:
    """The hand-written files that were replaced, or would be, and the places of their copies."""
    return (adopted_line(one, options) for one in report.adopted)


def adopted_line(one: Adopted, options: BuildOptions) -> str:
    return f"{'adopt' if options.dry_run else 'adopted'} {one.path}: the old file is {one.backup}"


def copies_lines(adopted: Sequence[Adopted], root: str, options: BuildOptions) -> Iterator[str]:
    """A shell command that deletes the copies that a run kept below *root*, for the current folder.
    It names each of a few copies. For many it has patterns, which match all copies in their
    folders."""
    if not adopted or options.dry_run:
        return
    from shlex import quote  # it takes longer to load than this function to run

    copies = [os.path.join(root, one.backup) for one in adopted]
    words, what = [quote(path) for path in copies], "it" if len(copies) == 1 else "them"
    if len(copies) > _NAMED:
        words, what = [_pattern(path, quote) for path in copies], "all copies there"
    files = " ".join([f"./{one}" if one.startswith("-") else one for one in dict.fromkeys(words)])
    kept = "1 copy is kept" if len(copies) == 1 else f"{len(copies)} copies are kept"
    yield f"{kept}: `rm {files}` deletes {what}"


def _pattern(copy: str, quote: Callable[[str], str]) -> str:
    """A shell pattern that matches *copy* and the other copies in its folder."""
    folder, slash, name = copy.rpartition("/")
    if name.startswith("."):  # no `*` matches it
        return quote(copy)
    ending = ".orig" if name.endswith(".orig") else ".orig.*"
    return f"{quote(folder) if folder else ''}{slash}*{ending}"


def _unsure_lines(paths: Sequence[str], options: BuildOptions) -> Iterator[str]:
    """The lines on files that may belong to another program."""
    if not paths:
        return
    count = len(paths)
    these = "1 file has" if count == 1 else f"{count} files have"
    yield f"{these} no variant in this program, but may belong to another with the same file name"
    if not options.prune:
        return
    them = "it" if count == 1 else "them"
    yield from (f"  kept {path}" for path in paths[:_SHOWN])
    if count > _SHOWN:
        yield f"  and {count - _SHOWN} more"
    force = "`tvarc build --prune --force`"
    yield f"{force} removes {them}, too; or give the programs different file names"


def command_of(options: BuildOptions, *, prune: bool) -> str:
    """The command that writes the files that a run with *options* checks."""
    from shlex import quote

    inputs = [f"--input {quote(one)}" for one in options.inputs]
    return " ".join(["tvarc build", *["--prune"] * prune, *inputs])


def out_of_date(report: WriteReport, options: BuildOptions) -> Diagnostic:
    """The lines of `--check` on files that a build would write or remove."""
    from tvarc.commands import messages as msg

    count = len(report.written)
    command = command_of(options, prune=bool(report.swept.removed))
    notes = _listed(f"`{command}` would write:", report.written, report)
    notes += _listed(f"`{command}` would remove:", report.swept.removed, report)
    count += len(report.swept.removed)
    return filled(
        msg.outputs.FILES_OUT_OF_DATE, None, {"count": count, "command": command}, notes=notes
    )


def _listed(head: str, paths: Sequence[str], report: WriteReport) -> tuple[str, ...]:
    """A note on *paths*; empty without paths."""
    from tvarc.text.diagnostics.render_cells import safe

    shown = [f"  {safe(path)}{_state_of(path, report)}" for path in paths[:_SHOWN]]
    if len(paths) > _SHOWN:
        shown.append(f"  and {len(paths) - _SHOWN} more")
    return ("\n".join([head, *shown]),) if shown else ()


def _state_of(path: str, report: WriteReport) -> str:
    """The lines on the file *path*, which would be written."""
    if path in report.merged:
        return " (merge conflicts)"
    return " (new)" if path in report.created else ""


# --- what is not the recipe of one variant ----------------------------------------------------


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
    """The result for each file, or with `--dry-run` the planned result, without those that
    `--check` has reported."""
    for one in found:
        if options.check and one.differs:
            continue
        if one.adopted is not None:
            yield from map(plain, difference_lines(one.adopted))
            yield plain(adopted_line(one.adopted, options))
        if options.dry_run:
            yield from map(plain, _planned(one))
        count = _number(one.total, "part", "parts") if one.is_page else _number(one.total)
        yield plain(f"{one.path}: {count}{_counted(one, options)}")
        if one.stale:
            them = "it" if len(one.stale) == 1 else "them"
            has = "has" if len(one.stale) == 1 else "have"
            stale = f"{_number(len(one.stale))} {has} no variant any more"
            yield f"{stale}: `tvarc build --prune` removes {them}"
        for name in one.kept:
            kept = "kept" if options.prune else "`--prune` keeps"
            yield plain(f"{kept} entry {name}: it has no variant any more, but was changed by hand")


def _planned(one: Shared) -> Iterator[str]:
    """The planned changes of each entry or part."""
    if one.is_page:
        yield from (f"fill in `{part}` in {one.path}" for part in one.changed)
        return
    for verb, names in _changes(one):
        yield from (f"{verb} {name} in {one.path}" for name in names)


def _changes(one: Shared) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("add", one.added), ("change", one.changed), ("remove", one.removed)


def _number(count: int, one: str = "entry", several: str = "entries") -> str:
    from tvarc.text.diagnostics.words import counted

    return counted(count, one, several)


def _counted(one: Shared, options: BuildOptions) -> str:
    """The number of entries or parts, and how many of them change."""
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
    from tvarc.commands import messages as msg

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
    """Notes on the changes that *command* would make to the entries or parts of a file."""
    if one.is_page:
        yield _named_below(f"`{command}` would fill in these parts of {one.path}:", one.changed)
        return
    for verb, names in _changes(one):
        if names:
            yield _named_below(f"`{command}` would {verb} in {one.path}:", names)


def _named_below(head: str, names: Sequence[str]) -> str:
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
