"""The files of two states of a program that are no recipes: files for other systems, and parts of
pages. They are compared as builds would write them, whether they were written or not.
"""

from __future__ import annotations

from tvarc.build.diff.files import FileChange, file_changes
from tvarc.build.diff.states import State
from tvarc.build.driver import Compilation
from tvarc.commands.documents.pages import lines_of_parts, parts_wanted
from tvarc.commands.programs.checking import refuse_pages
from tvarc.farm.ci.files import files_of
from tvarc.files.output.header import unsealed
from tvarc.light import Final, Iterator, Sequence
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted, counted_long
from tvarc.text.source import UnreadableSource

_LINES: Final = 8
"""Lines that are shown of a file, unless all are."""
_LONGEST: Final = 300


def changed_files(state: State, made: Compilation) -> list[FileChange]:
    """The files that differ between *state* and *made*. Errors go to the sink of their state."""
    states = (state.made, made)
    before, after = ({**_for_others(one), **_pages(one, state, made)} for one in states)
    return file_changes(before, after)


def _for_others(made: Compilation) -> dict[str, list[str]]:
    """The lines of files for other systems, in which the digests are left out: these differ
    wherever anything does."""
    found = files_of(made) if made.job_outputs else []
    return {one.path: unsealed(one.data()).decode().splitlines() for one in found}


def _pages(made: Compilation, state: State, now: Compilation) -> dict[str, list[str]]:
    """The content of the parts of pages, beginning with the marks of all parts. The page as it is
    now says which parts it has, or else the page of *state*."""
    refuse_pages(made)
    if made.sink.has_errors:
        return {}
    found: dict[str, list[str]] = {}
    for output in made.documents:
        page = _page(output.one_file, state, now)
        found[output.one_file] = lines_of_parts(made, parts_wanted(made, page))
    return found


def _page(path: str, state: State, now: Compilation) -> str | None:
    name = now.loader.join(now.file, path)
    for loader in (now.loader, state.loader):
        try:
            return loader.read(name).text
        except UnreadableSource:
            continue
    return None


def changed_files_lines(found: Sequence[FileChange], *, whole: bool) -> Iterator[str]:
    """For each file, how many lines differ, and these lines."""
    for one in found:
        yield ""
        yield f"{safe(one.file)}: {_summary(one)}"
        lines = [*(f"- {line}" for line in one.removed), *(f"+ {line}" for line in one.added)]
        told = lines if whole or one.state == "changed" else []
        for line in told if whole else told[:_LINES]:
            cut = line if whole or len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
            yield f"  {safe(cut)}"
        if len(told) > _LINES and not whole:
            yield f"  … {counted_long(len(told) - _LINES, 'line')} more: --all shows them"


def _summary(one: FileChange) -> str:
    match one.state:
        case "new":
            return f"new, {counted(len(one.added), 'line')}"
        case "gone":
            return "no output writes it any more"
        case "changed":
            counts = (
                (len(one.added) - one.changed, "added"),
                (len(one.removed) - one.changed, "removed"),
                (one.changed, "changed"),
            )
            told = [(count, what) for count, what in counts if count]
            first, *rest = [f"{count:,} {what}" for count, what in told]
            number, _, what = first.partition(" ")
            noun = "line" if told[0][0] == 1 else "lines"
            return ", ".join([f"{number} {noun} {what}", *rest])
