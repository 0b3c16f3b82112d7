"""The part of `diff` on files that are no recipes."""

from __future__ import annotations

from tvarc.build.diff.files import FileChange
from tvarc.light import Final, Iterator, Sequence
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted, counted_long
from tvarc.values.plain import Json

_LINES: Final = 8
"""Lines that are shown of a file, unless all are."""
_LONGEST: Final = 300


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


def changed_files_data(found: Sequence[FileChange]) -> list[Json]:
    """The same as data, all lines."""
    return [
        {
            "file": one.file,
            "state": one.state,
            "removed": list(one.removed),
            "added": list(one.added),
        }
        for one in found
    ]
