"""What was measured, as data: medians, ratios within rounds, growth; to and from JSON."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.commands import OTHER
from bench.timing import Failed, Outcome, Run

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Ratio:
    """Of wall time and of CPU time: the median of the ratios within each round."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Row:
    """A command: milliseconds, milliseconds, MiB, and its ratio to the floor of its kind.

    `beside` has, for each kind of build of tvarc, the ratio of tvarc to this command.
    """

    wall: float
    cpu: float
    peak: float
    floor: Ratio
    beside: dict[str, Ratio] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """Commands that ran in the same rounds on the same work."""

    title: str
    files: int
    mean_bytes: int
    rounds: int
    rows: dict[str, Row]
    left_out: dict[str, str]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where it ran, for the reader of a table; `versions` of what was timed, by name."""

    date: str
    processor: str
    cores: int
    system: str
    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class Results:
    """One run: the matrix by size, programs that people build, commands that write nothing, and
    what Nix takes to evaluate what was written."""

    machine: Machine
    matrix: list[Table]
    programs: list[Table]
    start: list[Table]
    evaluation: list[Table] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Growth:
    """CPU time as `fixed` ms + `each` µs a variant; the exponent between the largest sizes."""

    fixed: float
    each: float
    exponent: float


def row(runs: Sequence[Run], floor: Sequence[Run], ours: Mapping[str, Sequence[Run]]) -> Row:
    """Of *runs*, beside those of the *floor* and of tvarc in the same rounds."""
    return Row(
        wall=_rounded(1e3 * statistics.median(run.wall for run in runs)),
        cpu=_rounded(1e3 * statistics.median(run.cpu for run in runs)),
        peak=_rounded(statistics.median(run.peak for run in runs)),
        floor=_ratio(runs, floor),
        beside={key: _ratio(own, runs) for key, own in ours.items()},
    )


def _ratio(upper: Sequence[Run], lower: Sequence[Run]) -> Ratio:
    pairs = list(zip(upper, lower, strict=True))
    tick = 1e-6
    return Ratio(
        _rounded(statistics.median(a.wall / max(b.wall, tick) for a, b in pairs)),
        _rounded(statistics.median(a.cpu / max(b.cpu, tick) for a, b in pairs)),
    )


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def rows(
    outcomes: dict[str, Outcome], floors: dict[str, str], compared: Sequence[str]
) -> tuple[dict[str, Row], dict[str, str]]:
    """The rows, and why others are missing.

    *floors* has the key of each command's floor, which is a command itself. *compared* are the
    keys of tvarc's builds that each command without a `tvarc-` is set beside; those of another
    tvarc are set beside ours. `Failed` when a floor failed: nothing can be said then.
    """
    made: dict[str, Row] = {}
    failures = {key: outcome.failure for key, outcome in outcomes.items() if outcome.failure}
    for key, outcome in outcomes.items():
        if key in failures:
            continue
        if floors[key] in failures:
            raise Failed(f"{floors[key]}: {failures[floors[key]]}")
        beside = (key.removeprefix(OTHER),) if key.startswith(OTHER) else compared
        ours = {
            own: outcomes[own].runs
            for own in beside
            if own in outcomes and own not in failures and not key.startswith("tvarc-")
        }
        made[key] = row(outcome.runs, outcomes[floors[key]].runs, ours)
    return made, failures


def growth(points: Sequence[tuple[int, float]]) -> Growth | None:
    """From (files, CPU milliseconds) of at least two sizes, in order.

    The line is fitted to relative errors, so that a small size counts as much as a large one.
    """
    if len(points) < 2:
        return None
    weights = [1 / cpu**2 for _, cpu in points]
    total = sum(weights)
    weighted = list(zip(weights, points, strict=True))
    mean_count = sum(weight * count for weight, (count, _) in weighted) / total
    mean_cpu = sum(weight * cpu for weight, (_, cpu) in weighted) / total
    slope = sum(w * (count - mean_count) * (cpu - mean_cpu) for w, (count, cpu) in weighted) / sum(
        w * (count - mean_count) ** 2 for w, (count, _) in weighted
    )
    (before, cpu_before), (last, cpu_last) = points[-2:]
    exponent = math.log(cpu_last / cpu_before) / math.log(last / before)
    return Growth(mean_cpu - slope * mean_count, 1e3 * slope, exponent)


def to_json(results: Results) -> str:
    return json.dumps(asdict(results), indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> Results:
    """The results that `to_json` wrote."""
    data = json.loads(text)
    return Results(
        Machine(**data["machine"]),
        *(
            list(map(_table, data.get(part, ())))
            for part in ("matrix", "programs", "start", "evaluation")
        ),
    )


def _table(data: dict[str, Any]) -> Table:
    return Table(**{**data, "rows": {key: _row(value) for key, value in data["rows"].items()}})


def _row(data: dict[str, Any]) -> Row:
    beside = {key: Ratio(**value) for key, value in data["beside"].items()}
    return Row(**{**data, "floor": Ratio(**data["floor"]), "beside": beside})
