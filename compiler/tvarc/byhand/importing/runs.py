"""Aligned texts as runs: the common parts, and the differing parts."""

from __future__ import annotations

import re

from tvarc.byhand.importing.alignment import align, similar_words, tokens
from tvarc.byhand.importing.explain import Explanation
from tvarc.byhand.reading.marks import plain
from tvarc.light import Final, Mapping, Sequence, dataclass, lru_cache

BY_ROWS: Final = ("table", "cells")
"""The kinds of explanations that contain the texts, row by row."""
_HASH: Final = re.compile(r"sha\d+-[A-Za-z0-9+/]{43,}=*\Z")
_STEM: Final = re.compile(r"[A-Za-z-]+_(?=\d+\Z)")
_OPENERS: Final = {")": "(", "]": "[", "}": "{"}
_MARKS_BEHIND: Final = re.compile(r"[^\w\s\ue000-\ue005]+")


@dataclass(frozen=True, slots=True)
class Run:
    """A column of aligned texts: the same `text` everywhere, or a different one in each text."""

    text: str | None
    own: dict[int, str]


def runs(distinct: Sequence[str]) -> list[Run]:
    """The runs of *distinct* texts: their common and their differing parts."""
    found: list[Run] = []
    count = len(distinct)
    for column in align([tokens(text) for text in distinct], similar_words):
        kinds = {plain(word) for word in column.values()}
        if len(column) == count and len(kinds) == 1:
            found.append(Run(kinds.pop(), {}))
        elif found and found[-1].text is None:
            own = found[-1].own
            found[-1] = Run(None, {row: own[row] + column.get(row, "") for row in range(count)})
        else:
            found.append(Run(None, {row: column.get(row, "") for row in range(count)}))
    return found


@lru_cache(maxsize=None)
def runs_of(distinct: tuple[str, ...]) -> tuple[list[Run], list[Run]]:
    """The common and the differing parts of *distinct* texts: first word by word, then with
    differing words joined if only a mark is between them."""
    parts = runs(distinct)
    return trimmed(parts), trimmed(whole_words(parts, len(distinct)))


def whole_words(runs: list[Run], count: int) -> list[Run]:
    """*runs*, in which differing runs with only one mark between them are joined."""
    made: list[Run] = []
    for run in runs:
        if (
            run.text is None
            and len(made) > 1
            and made[-2].text is None
            and len(made[-1].text or "  ") <= 1
        ):
            between = made.pop().text or ""
            first = made.pop()
            own = {row: first.own[row] + between + run.own[row] for row in range(count)}
            made.append(Run(None, own))
        else:
            made.append(run)
    return made


def joined(runs: Sequence[Run], first: int, last: int) -> list[Run]:
    """*runs*, in which those from *first* to before *last* are joined to one differing run."""
    rows = next(run.own for run in runs[first:last] if run.text is None)
    own = {
        row: "".join([run.own[row] if run.text is None else run.text for run in runs[first:last]])
        for row in rows
    }
    return [*runs[:first], Run(None, own), *runs[last:]]


def as_one(runs: Sequence[Run], count: int) -> list[Run]:
    """*runs*, in which all from the first to the last differing one are joined, including the
    closing brackets of brackets that are open there."""
    places = [at for at, run in enumerate(runs) if run.text is None]
    if not places:
        return list(runs)
    first = places[0]
    *before, one = joined(runs, first, places[-1] + 1)[: first + 1]
    own, behind = one.own, list(runs[places[-1] + 1 :])
    text = (behind.pop(0).text or "") if behind else ""
    while _closes(text[:1], own):
        own = {row: each + text[0] for row, each in own.items()}
        text = text[1:]
    return [*before, Run(None, own), *([Run(text, {})] if text else []), *behind]


def trimmed(runs: list[Run]) -> list[Run]:
    """*runs*, in which marks at the end of all texts of a column are moved out of it."""
    made: list[Run] = []
    moved = ""
    for run in runs:
        if run.text is not None:
            made.append(Run(moved + run.text, {}))
            moved = ""
            continue
        if moved:
            made.append(Run(moved, {}))
        own, moved = run.own, ""
        first = _common_start(own)
        if first:
            own = {row: text[len(first) :] for row, text in own.items()}
            made.append(Run(first, {}))
        while (end := _common_end(own)) != "":
            own = {row: text[:-1] for row, text in own.items()}
            moved = end + moved
        made.append(Run(None, own))
    return [*made, Run(moved, {})] if moved else made


def widened(runs: Sequence[Run], explained: Sequence[Explanation | None], count: int) -> list[Run]:
    """*runs*, in which runs that a table explains include the marks directly after them."""
    made: list[Run] = []
    before: Explanation | None = None
    for run, found in zip(runs, explained, strict=True):
        marks = _MARKS_BEHIND.match(run.text or "")
        by_rows = before is not None and before.kind in BY_ROWS
        before = found
        if marks is not None and by_rows:
            own = {row: made[-1].own[row] + marks[0] for row in range(count)}
            made[-1] = Run(None, own)
            rest = (run.text or "")[marks.end() :]
            made += [Run(rest, {})] if rest else []
        else:
            made.append(run)
    return made


def _common_start(own: Mapping[int, str]) -> str:
    """The common beginning of all texts, up to a mark before numbers: `sm_`."""
    starts = {_STEM.match(text) for text in own.values()}
    words = {found[0] if found is not None else "" for found in starts}
    return words.pop() if len(words) == 1 else ""


def is_open(words: Sequence[str], mark: str) -> bool:
    """Whether *mark* is a bracket that closes what is open in *words*."""
    opener = _OPENERS.get(mark, "")
    return opener != "" and words.count(opener) > words.count(mark)


def _closes(mark: str, own: Mapping[int, str]) -> bool:
    """Whether *mark* is a bracket that closes an open bracket in all texts."""
    opener = _OPENERS.get(mark, "")
    return opener != "" and all(text.count(opener) > text.count(mark) for text in own.values())


def _common_end(own: Mapping[int, str]) -> str:
    """The mark at the end of all texts; empty if there is none."""
    if all(map(_HASH.match, own.values())):
        return ""  # a hash is a single word
    ends = {text[-1:] for text in own.values()}
    end = ends.pop() if len(ends) == 1 else ""
    if _closes(end, {row: text[:-1] for row, text in own.items()}):
        return ""
    return "" if end.isalnum() or "\ue000" <= end <= "\ue005" else end
