"""The changes, line by line, in files other than recipes."""

from __future__ import annotations

from difflib import SequenceMatcher

from tvarc.light import Iterator, Literal, Mapping, Sequence, dataclass

Lines = Sequence[str]


FileState = Literal["new", "gone", "changed"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that is new, gone or changed. `removed` are the lines that it no longer has, and
    `added` its new lines. `changed` is the number of lines that replace one another."""

    SHOWN = ("file", "state", "removed", "added")

    file: str
    state: FileState
    removed: tuple[str, ...]
    added: tuple[str, ...]
    changed: int


def file_changes(before: Mapping[str, Lines], after: Mapping[str, Lines]) -> list[FileChange]:
    """The files that differ, by their paths. Removed files are last."""
    return [*_now(before, after), *_gone(before, after)]


def _now(before: Mapping[str, Lines], after: Mapping[str, Lines]) -> Iterator[FileChange]:
    for file, lines in after.items():
        if file not in before:
            yield FileChange(file, "new", (), tuple(lines), 0)
        elif list(before[file]) != list(lines):
            yield _changed(file, before[file], lines)


def _gone(before: Mapping[str, Lines], after: Mapping[str, Lines]) -> Iterator[FileChange]:
    for file, lines in before.items():
        if file not in after:
            yield FileChange(file, "gone", tuple(lines), (), 0)


def _changed(file: str, was: Lines, now: Lines) -> FileChange:
    removed: list[str] = []
    added: list[str] = []
    changed = 0
    for kind, start, end, first, last in SequenceMatcher(None, was, now).get_opcodes():
        if kind != "equal":
            removed += was[start:end]
            added += now[first:last]
            changed += min(end - start, last - first)
    return FileChange(file, "changed", tuple(removed), tuple(added), changed)
