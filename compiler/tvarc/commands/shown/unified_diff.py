"""The change of a text, in the form of `diff -u`."""

from __future__ import annotations

import os
from difflib import unified_diff

_NO_END = "\\ No newline at end of file"


def difference(file: str, before: str, after: str, *, around: int = 3) -> str:
    """The change of *file*, with *around* lines of context; empty if there is none."""
    name = _name(file)
    lines = unified_diff(_lines(before), _lines(after), name, name, n=around)
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}\n" for line in lines)


def _name(file: str) -> str:
    """*file* in the quotes of git and `patch` if it contains a line end or a control character."""
    if file.isprintable() and not file.startswith('"'):
        return file
    quoted = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"
        for byte in os.fsencode(file)
    )
    return f'"{quoted}"'


def _lines(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
