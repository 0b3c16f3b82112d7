"""The message of another program, such as Nix or git: the line that matters in its output."""

from __future__ import annotations

import re

from tvarc.light import Final, Sequence

NIX: Final = ("error:",)
GIT: Final = ("fatal:", "error:")
_TRAILER: Final = "--show-trace"
_MARK: Final = re.compile(r"^error:\s*")


def message_in(printed: str, marks: Sequence[str]) -> str:
    """The message in *printed*. *marks* are beginnings of lines, the most important first. The
    message is the last line with the first mark that any line has, because causes are last. A line
    that only says how to see more does not count. Without a mark, the message is the last line that
    is no such advice; empty if there is none."""
    lines = [line.strip() for line in printed.splitlines()]
    lines = [line for line in lines if line and not _is_advice(_MARK.sub("", line))]
    for mark in marks:
        told = [line.removeprefix(mark).strip() for line in lines if line.startswith(mark)]
        words = [word for word in told if word]
        if words:
            return words[-1]
        if told:  # in newer versions of Nix the text follows on the line after the mark
            return lines[-1].removeprefix(mark).strip()
    return lines[-1] if lines else ""


def without_advice(printed: str) -> str:
    """*printed* without the lines that only say how to see more."""
    lines = printed.split("\n")
    kept = [line for line in lines if not _is_advice(_MARK.sub("", line.strip()))]
    return "\n".join(kept) if len(kept) < len(lines) else printed


def _is_advice(line: str) -> bool:
    return line.startswith("(") and _TRAILER in line
