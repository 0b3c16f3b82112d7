"""What `who` shows: which variants and which emitted lines a line of source reaches."""

from __future__ import annotations

from tvarc.diagnostics.render_cells import safe
from tvarc.light import Final, Sequence, dataclass
from tvarc.plain import Data, Json
from tvarc.report.boxes import Universe

_LONGEST: Final = 80  # what takes more words than this is no name for a set of variants

Run = tuple[int, int]
"""Lines from one to another, both counted from 1."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Variants, by their numbers, in whose files the same lines are reached."""

    lines: tuple[Run, ...]
    variants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """The cells of a matrix that an exclusion on the line drops."""

    matrix: str
    cells: int


@dataclass(frozen=True, slots=True)
class Withheld:
    """A condition that reads the line, its place, and the variants, by their numbers, in which it
    keeps something out."""

    condition: str
    place: str
    variants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WhoAnswer:
    """`decides` is what the line decides beside values, with the variants that it is about;
    `why` tells why a line reaches nothing."""

    place: str
    line: str
    names: tuple[str, ...]
    files: tuple[tuple[str, ...], ...]
    groups: tuple[Reached, ...]
    decides: tuple[str, tuple[int, ...]] | None = None
    dropped: tuple[Dropped, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    why: tuple[str, ...] = ()

    @property
    def reached(self) -> int:
        return len({number for group in self.groups for number in group.variants})


def who_text(answer: WhoAnswer, universe: Universe) -> str:
    """The answer for a person; names of the program cannot move the cursor."""
    rows = [f"{answer.place}: {answer.line.strip()}"]
    whole = len(answer.names)
    if answer.groups:
        rows.append(f"reaches {_of(answer.reached, whole)}")
    for group in answer.groups:
        rows.append(f"  in {_named(group.variants, answer, universe)}: {_lines(group.lines)}")
        if len(group.variants) == 1:
            rows.extend(f"    {file}" for file in answer.files[group.variants[0]])
    if answer.decides is not None:
        text, variants = answer.decides
        rows.append(f"{text}: {_of(len(variants), whole)}")
    rows += [f"drops {_count(one.cells, 'cell')} of matrix {one.matrix}" for one in answer.dropped]
    for kept in answer.withheld:
        where = _named(kept.variants, answer, universe)
        rows.append(f"lets nothing in by `when {kept.condition}` ({kept.place}) in {where}")
    rows += [f"reaches nothing: {reason}" for reason in answer.why]
    return "".join(f"{safe(row)}\n" for row in rows)


def who_data(answer: WhoAnswer) -> Data:
    """The answer for a program."""
    groups: list[Json] = [
        {
            "lines": [[first, last] for first, last in group.lines],
            "variants": [
                {"variant": answer.names[n], "files": list(answer.files[n])} for n in group.variants
            ],
        }
        for group in answer.groups
    ]
    file, _, line = answer.place.rpartition(":")
    data: Data = {
        "file": file,
        "line": int(line),
        "text": answer.line,
        "variants": len(answer.names),
        "reached": answer.reached,
        "groups": groups,
        "dropped": [{"matrix": one.matrix, "cells": one.cells} for one in answer.dropped],
        "withheld": [
            {
                "condition": one.condition,
                "place": one.place,
                "variants": [answer.names[n] for n in one.variants],
            }
            for one in answer.withheld
        ],
        "why": list(answer.why),
    }
    if answer.decides is not None:
        text, variants = answer.decides
        data["decides"] = {"what": text, "variants": [answer.names[n] for n in variants]}
    return data


def _named(variants: Sequence[int], answer: WhoAnswer, universe: Universe) -> str:
    if len(variants) == 1:
        return answer.names[variants[0]]
    count = _count(len(variants), "variant")
    if len(variants) == len(answer.names):
        return f"all {count}"
    boxes = universe.describe(variants)
    text = " or ".join(box.text() for box in boxes) if boxes else ""
    return f"{count} ({text})" if text and len(text) <= _LONGEST else count


def _lines(lines: Sequence[Run]) -> str:
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in lines]
    one = len(texts) == 1 and lines[0][0] == lines[0][1]
    return f"{'line' if one else 'lines'} {', '.join(texts)}"


def _of(count: int, whole: int) -> str:
    return f"{count:,} of {_count(whole, 'variant')}"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
