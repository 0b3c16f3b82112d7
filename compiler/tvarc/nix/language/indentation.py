"""Stripping a script's indentation exactly as Nix strips that of `''` strings.

A piece that is not a string stands for an interpolation. The rules, as Nix has them: the rest
of the opening line is dropped when it holds spaces only; the least indentation of all lines
that hold more than spaces is taken from every line; only spaces are indentation; lines of
spaces alone do not count, and are shortened; a last line of spaces alone is emptied.
"""

from __future__ import annotations

from tvarc.light import Sequence, TypeVar

Part = TypeVar("Part")


def strip_indentation(pieces: Sequence[str | Part]) -> list[str | Part]:
    """The pieces without the common indentation; empty strings are left out.

    Line ends must be `\\n` already, and no two strings stand side by side.
    """
    rest = _without_blank_opening(pieces)
    common = _least_indentation(rest)
    result: list[str | Part] = []
    for index, piece in enumerate(rest):
        if not isinstance(piece, str):
            result.append(piece)
            continue
        text = _strip(piece, common, fresh=index == 0)
        if index == len(rest) - 1:
            text = _without_blank_ending(text)
        if text:
            result.append(text)
    return result


def _without_blank_opening(pieces: Sequence[str | Part]) -> list[str | Part]:
    rest = list(pieces)
    if rest and isinstance(rest[0], str):
        head, newline, tail = rest[0].partition("\n")
        if newline and not head.strip(" "):
            rest[0] = tail
    return rest


def sole_least(pieces: Sequence[str | Part]) -> int | None:
    """The number, from 0, of the one line that is indented less than all others that count: if it
    were indented otherwise, so would all lines be. None if there is no such line."""
    found = sorted([(indent, number) for number, indent in _indentations(pieces)])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]


def _least_indentation(pieces: Sequence[str | Part]) -> int | None:
    """The least indentation of the lines that count; None when there is none."""
    return min([indent for _, indent in _indentations(pieces)], default=None)


def _indentations(pieces: Sequence[str | Part]) -> list[tuple[int, int]]:
    """The number, from 0, and the indentation of each line that holds more than spaces."""
    found: list[tuple[int, int]] = []
    at = 0
    indent: int | None = 0  # of the line so far; None once it holds more than spaces
    for piece in pieces:
        lines = piece.split("\n") if isinstance(piece, str) else [None]
        for number, line in enumerate(lines):
            if number > 0:
                indent = 0
                at += 1
            if indent is None:
                continue
            text = line.lstrip(" ") if line is not None else "x"
            indent += len(line) - len(text) if line is not None else 0
            if text:
                found.append((at, indent))
                indent = None
    return found


def _strip(piece: str, common: int | None, *, fresh: bool) -> str:
    """*piece* without the indentation of its lines; of its first line only when *fresh*."""
    lines = piece.split("\n")
    for number, line in enumerate(lines):
        if number > 0 or fresh:
            indent = len(line) - len(line.lstrip(" "))
            lines[number] = line[indent if common is None else min(indent, common) :]
    return "\n".join(lines)


def _without_blank_ending(text: str) -> str:
    head, newline, tail = text.rpartition("\n")
    return head + newline if newline and not tail.strip(" ") else text
