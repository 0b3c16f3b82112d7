"""Descriptions: their paragraphs, and the phrases in them that deserve a name."""

from __future__ import annotations

import re
from posixpath import commonprefix

from tvarc.byhand.importing.alignment import tokens
from tvarc.byhand.importing.runs import Run
from tvarc.byhand.reading.marks import plain
from tvarc.light import Final, Iterable, Sequence

_BEGINS: Final = re.compile(r"\s|[-*•#] |\d+[.)] |[A-Z][\w /()-]{0,24}:(?:\s|\Z)")
"""The beginning of a line that does not belong to the paragraph above it."""
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_FIRST: Final = re.compile("[\\w\"'`(\\[~<>=\ue000-\ue005-]", re.ASCII)
_LEADING: Final = re.compile(
    r"(?:\A|.*\s)(?:an?|the|and|or|of|in|on|to|for|with|without|than|that|from|by|not|use|want)\Z",
    re.DOTALL,
)
"""A text whose last word needs another word after it."""
_NAMES: Final = re.compile(r"[A-Z0-9][\w ]*(?:[/,] ?[A-Z0-9][\w ]*)+\Z")
"""Names, one after the other: `GTX 1070/1080`."""
_OF_NAME: Final = re.compile(r" [A-Z0-9]")
"""The continuation of a name: the `Ti` of `GTX 1070/1080 Ti`."""
_LABEL: Final = re.compile(r".*(?::|\A[-*•]) ", re.DOTALL)


def paragraphs(lines: Iterable[str]) -> list[str]:
    """*lines*, in which the lines of one sentence are joined."""
    found: list[str] = []
    for line in lines:
        before = found[-1].rpartition("\n")[2] if found else ""
        if before and not before.endswith(":") and line and not _BEGINS.match(plain(line)):
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found


def phrased(runs: Sequence[Run]) -> list[Run]:
    """*runs*, in which each differing run includes the neighbouring words that make its texts
    phrases: no text is empty, begins with a mark, needs another word, lacks the end of a name, or
    has an open bracket."""
    made = list(runs)
    at = 0
    while at < len(made):
        after = "".join([run.text or "" for run in made[at + 1 : at + 3]])  # a blank, a word
        side = _lacking(made[at].own.values(), after) if made[at].text is None else 0
        grown = side and (_grown(made, at, side) or _grown(made, at, -side))
        made, at = (grown, 0) if grown else (made, at + 1)
    return made


def labelled(texts: Sequence[str]) -> list[Run]:
    """*texts* as one differing run, after their common label."""
    label = _LABEL.match(commonprefix(list(texts)))
    start = label.end() if label is not None else 0
    own = {row: text[start:] for row, text in enumerate(texts)}
    return [*([Run(texts[0][:start], {})] if start else []), Run(None, own)]


def _lacking(texts: Iterable[str], after: str) -> int:
    """The side on which *texts*, each followed by *after*, lack a word: -1 before, 1 after, 0 for
    none.
    """
    goes_on = _OF_NAME.match(after) is not None
    for text in texts:
        opened = [text.count(one) - text.count(other) for one, other in _BRACKETS.items()]
        if min(opened) < 0 or (text and not _FIRST.match(text)):
            return -1
        if max(opened) > 0 or not text or text[-1].isspace() or _LEADING.match(text):
            return 1
        if goes_on and _NAMES.match(text):
            return 1
    return 0


def _grown(runs: list[Run], at: int, side: int) -> list[Run]:
    """*runs*, in which the run *at* a place includes the next word on *side*; empty if there is
    none."""
    beside = at + side
    if not 0 <= beside < len(runs):
        return []
    text, rest, others = runs[beside].text, "", runs[beside].own
    if text is not None:
        words = list(tokens(text))
        size = 2 if len(words) > 1 and words[-1 if side < 0 else 0].isspace() else 1
        cut = len(words) - size if side < 0 else size
        word, rest = "".join(words[cut:]), "".join(words[:cut])
        if side > 0:
            word, rest = rest, word
        others = dict.fromkeys(runs[at].own, word)
    own = {
        row: others[row] + one if side < 0 else one + others[row]
        for row, one in runs[at].own.items()
    }
    left = [Run(rest, {})] if rest else []
    if side < 0:
        return [*runs[:beside], *left, Run(None, own), *runs[at + 1 :]]
    return [*runs[:at], Run(None, own), *left, *runs[beside + 1 :]]
