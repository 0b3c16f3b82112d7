"""Strips a script's indentation exactly as Nix strips that of `''` strings.

A piece that is no string represents an interpolation. `Escaped` represents an escape such as
`''\\n`. Nix has these rules. The rest of the opening line is dropped if it has only spaces. The
least indentation of all lines with more than spaces is removed from every line. Only spaces are
indentation. Lines of spaces do not count, and are shortened. A last line of spaces becomes empty.
An escape ends the indentation of its line. A newline from an escape begins a line that is stripped
and does not count.
"""

from __future__ import annotations

from tvarc.light import Sequence, TypeVar, dataclass

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Escaped:
    """The characters that an escape in a string means."""

    text: str


def strip_indentation(pieces: Sequence[str | Escaped | Part]) -> list[str | Part]:
    """The pieces without the common indentation. Empty strings are left out, and no two strings are
    neighbours.

    Line ends must already be `\\n`, and no two strings may be neighbours in *pieces*.
    """
    rest = _without_blank_opening(pieces)
    common = _least_indentation(rest)
    result: list[str | Part] = []
    dropped: int | None = 0  # removed spaces of the line so far; None once it has more
    for index, piece in enumerate(rest):
        if not isinstance(piece, str | Escaped):
            result.append(piece)
            dropped = None
            continue
        text = piece if isinstance(piece, str) else piece.text
        made, dropped = _strip(text, common, dropped)
        if index == len(rest) - 1:
            made = _without_blank_ending(made)
        if made and result and isinstance(result[-1], str):
            result[-1] += made
        elif made:
            result.append(made)
    return result


def _without_blank_opening(
    pieces: Sequence[str | Escaped | Part],
) -> list[str | Escaped | Part]:
    rest = list(pieces)
    if rest and isinstance(rest[0], str):
        head, newline, tail = rest[0].partition("\n")
        if newline and not head.strip(" "):
            rest[0] = tail
    return rest


def sole_least(pieces: Sequence[str | Escaped | Part]) -> int | None:
    """The number, from 0, of the only line that decides the indentation: it is indented less than
    all others that count. None if there is no such line."""
    found = sorted([(indent, number) for number, indent in _indentations(pieces)])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]


def _least_indentation(pieces: Sequence[str | Escaped | Part]) -> int | None:
    """The least indentation of the lines that count; None if no line counts."""
    return min([indent for _, indent in _indentations(pieces)], default=None)


def _indentations(pieces: Sequence[str | Escaped | Part]) -> list[tuple[int, int]]:
    """The number, from 0, and the indentation of each line with more than spaces."""
    found: list[tuple[int, int]] = []
    at = 0
    indent: int | None = 0  # of the line so far; None once it has more than spaces
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


def _strip(piece: str, common: int | None, dropped: int | None) -> tuple[str, int | None]:
    """*piece* without the indentation of its lines, and the number of spaces dropped from its last
    line. Its first line continues a line from which *dropped* spaces were dropped. Either number is
    None if the line has more than spaces."""
    lines = piece.split("\n")
    for number, line in enumerate(lines):
        before = 0 if number > 0 else dropped
        if before is None:
            continue
        indent = len(line) - len(line.lstrip(" "))
        gone = indent if common is None else min(indent, common - before)
        lines[number] = line[gone:]
        dropped = before + gone if indent == len(line) else None
    return "\n".join(lines), dropped


def _without_blank_ending(text: str) -> str:
    head, newline, tail = text.rpartition("\n")
    return head + newline if newline and not tail.strip(" ") else text
