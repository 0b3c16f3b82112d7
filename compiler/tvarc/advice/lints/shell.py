"""Assignments in a script of the shell, as far as they are sure to be made.

Written by hand: each build asks, and regular expressions take longer to load than to run.
"""

from __future__ import annotations

from tvarc.light import Final, Iterator

# Of a list `if …; then`; of a script of CMake, `if(` opens nothing.
_OPENING: Final = ("if", "case", "while", "until", "for")
_CLOSING: Final = ("fi", "esac", "done")


def assignments(text: str) -> Iterator[tuple[str, str]]:
    """The names and the values of `name=value` and `export name+=value`; the value without the
    quotes around it."""
    done = 0
    at = text.find("=")
    while at >= 0:
        end = at - 1 if at > done and text[at - 1] == "+" else at
        start = end
        while start > done and _is_word(text[start - 1]):
            start -= 1
        name = text[start:end]
        before = text[start - 1] if start else "\n"
        if name and name[0] in _FIRST and (before == ";" or before.isspace()):
            done = _end_of_value(text, at + 1)
            yield name, text[at + 1 : done].strip("\"'")
        at = text.find("=", max(done, at + 1))


def _end_of_value(text: str, start: int) -> int:
    quote = text[start : start + 1]
    if quote and quote in "\"'":
        closing = text.find(quote, start + 1)
        return closing + 1 if closing >= 0 else start
    end = start
    while end < len(text) and not (text[end] in ";\"'" or text[end].isspace()):
        end += 1
    return end


_FIRST: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


def _is_word(char: str) -> bool:
    return char == "_" or char.isalnum()


def unguarded(text: str) -> str:
    """The lines of *text* that run in any case: those outside of `if`, `case` and loops."""
    depth = 0
    kept: list[str] = []
    for line in text.splitlines():
        depth += openings(line)
        if depth == 0:
            kept.append(line)
        elif _closes(line):
            depth -= 1
    return "\n".join(kept)


def openings(line: str) -> int:
    """How many lists *line* opens; none if it does not begin with one."""
    stripped = line.lstrip()
    if not any(_opens_at(stripped, 0, word) for word in _OPENING if stripped.startswith(word)):
        return 0
    count = 0
    for word in _OPENING:
        at = stripped.find(word)
        while at >= 0:
            count += _opens_at(stripped, at, word)
            at = stripped.find(word, at + len(word))
    return count


def _opens_at(line: str, at: int, word: str) -> bool:
    rest = line[at + len(word) : at + len(word) + 2]
    return rest[:1].isspace() and rest[1:] != "("


def _closes(line: str) -> bool:
    return any(
        part.startswith(word) and not _is_word(part[len(word) : len(word) + 1] or " ")
        for part in map(str.lstrip, line.split(";"))
        for word in _CLOSING
    )
