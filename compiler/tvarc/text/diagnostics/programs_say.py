"""The message of another program, such as Nix or git: the line that matters among all it prints."""

from __future__ import annotations

import re

from tvarc.light import Final, Sequence

NIX: Final = ("error:",)
GIT: Final = ("fatal:", "error:")
_TRAILER: Final = "--show-trace"
_MARK: Final = re.compile(r"^error:\s*")


def message_in(printed: str, marks: Sequence[str]) -> str:
    """The message in *printed*. It is the last line that begins with the first of *marks* which any
    line begins with, since causes come last. A line that only says how to see more does not count.
    If no line begins with a mark, it is the last line that is not such advice; empty if there is
    none.
    """
    lines = [line.strip() for line in printed.splitlines()]
    lines = [line for line in lines if line and not _is_advice(_MARK.sub("", line))]
    for mark in marks:
        told = [line.removeprefix(mark).strip() for line in lines if line.startswith(mark)]
        words = [word for word in told if word]
        if words:
            return words[-1]
        if told:  # newer versions of Nix end with a mark alone, and the words come on the next line
            return lines[-1].removeprefix(mark).strip()
    return lines[-1] if lines else ""


def without_advice(printed: str) -> str:
    """*printed* without the lines that only tell how to see more."""
    lines = printed.split("\n")
    kept = [line for line in lines if not _is_advice(_MARK.sub("", line.strip()))]
    return "\n".join(kept) if len(kept) < len(lines) else printed


def _is_advice(line: str) -> bool:
    return line.startswith("(") and _TRAILER in line
