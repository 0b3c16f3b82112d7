"""The report of `tvarc build` on manifests into which it writes entries."""

from __future__ import annotations

from tvarc.commands import messages as msg
from tvarc.commands.build.text import adopted_line, difference_lines, plain
from tvarc.files.output.model import BuildOptions
from tvarc.light import TYPE_CHECKING, Iterator, Sequence
from tvarc.text.diagnostics.model import Diagnostic, filled
from tvarc.text.diagnostics.words import counted

if TYPE_CHECKING:
    from tvarc.build.diff.manifests import EntryChange
    from tvarc.build.manifest.model import Manifest


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
