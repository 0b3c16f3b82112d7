"""What goes to disk, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to be written: *path* below the output root, with `/` between its steps."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What a run wrote, or would have written if it only checked.

    `written` are paths below the root in the order given; `created` are those of them that
    did not exist before; `unchanged` counts the files that were as they should be already.
    """

    written: tuple[str, ...]
    created: tuple[str, ...]
    unchanged: int
