"""How a text would change, in the form of `diff -u`."""

from __future__ import annotations

from difflib import unified_diff

_NO_END = "\\ No newline at end of file"


def difference(file: str, before: str, after: str, *, around: int = 3) -> str:
    """What changes in *file*, with so many lines *around*; empty for nothing."""
    lines = unified_diff(_lines(before), _lines(after), file, file, n=around)
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}\n" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
