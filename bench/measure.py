"""One run of it all: tables of rows, from folders that are made for it and deleted again."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench import builds, commands, evaluation, inputs, sources, workload
from bench.results import Machine, Results, Table, rows
from bench.timing import Failed, Job, rounds

MEMORY = Path("/dev/shm")
# Rounds at each size: what is quick needs more of them.
ROUNDS = {44: 15, 237: 11, 948: 9, 9_954: 5, 99_540: 3}
START_ROUNDS = 21
EVALUATED, EVALUATION_ROUNDS = (44, 237), 5
# Files of 4.5 KB take two pages, and at most so many trees are there at once.
_BYTES_A_FILE, _TREES = 8192, 12
COMPARED = ("tvarc-first", "tvarc-edit-new")

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured. `rounds` and `folder` are None for what is fit; `other` is the tvarc that
    ours is set beside, with the template of its program where that is not ours."""

    tvarc: Sequence[str]
    other: Sequence[str]
    other_program: Path | None
    sizes: Sequence[int]
    parts: Sequence[str]
    peers: Sequence[str]
    rounds: int | None
    limit: float
    folder: Path | None
    say: Say


def measure(plan: Plan) -> Results:
    """Measure all that is planned; `Failed` when tvarc does not build at all."""
    missing = commands.missing()
    peers = [key for key in plan.peers if key not in missing]
    for key in plan.peers:
        if key in missing:
            plan.say(f"left out: {commands.LABELS[key]}: {missing[key]}")
    left_out = {key: missing[key] for key in plan.peers if key in missing}
    with _places(plan, 1) as places:
        versions = commands.versions(plan.tvarc, peers, places)
    return Results(
        machine(versions),
        [_matrix(plan, size, peers, left_out) for size in plan.sizes],
        [_attempted(plan, source, _program) for source in _programs(plan, "programs")],
        [_attempted(plan, source, _start) for source in _programs(plan, "start")],
        _evaluations(plan),
    )


def _attempted(
    plan: Plan, source: sources.Source, part: Callable[[Plan, sources.Source], Table]
) -> Table:
    """The table of a program, or an empty one with the reason when it does not build."""
    try:
        return part(plan, source)
    except Failed as failure:
        plan.say(f"left out: {source.title}: {failure}")
        return Table(source.title, 0, 0, 0, {}, {"tvarc-first": str(failure)})


def _programs(plan: Plan, part: str) -> list[sources.Source]:
    return sources.programs() if part in plan.parts else []


def _matrix(plan: Plan, size: int, peers: Sequence[str], left_out: dict[str, str]) -> Table:
    chosen = workload.spec(size)
    with _places(plan, size) as places:
        places.inputs.mkdir()
        inputs.write_inputs(chosen, places.inputs)
        ours = builds.Builds(plan.tvarc, sources.matrix(chosen), places)
        files, total = ours.pack(plan.limit)
        jobs = commands.floors(places)
        if "tvarc" in plan.parts:
            jobs += ours.jobs()
            jobs += _other_jobs(plan, chosen, places)
        jobs += commands.peers(places, peers, lambda: workload.files(chosen))
        count = plan.rounds or ROUNDS[size]
        table = _table(plan, str(size), (files, total), jobs, count)
    return replace(table, left_out=left_out | table.left_out)


def _other_jobs(plan: Plan, chosen: workload.Spec, places: commands.Places) -> list[Job]:
    """The builds of the tvarc that ours is set beside, if there is one."""
    if not plan.other:
        return []
    own = commands.Places(places.home("other"))
    source = sources.matrix(chosen, plan.other_program)
    made = builds.Builds(plan.other, source, own, other=True)
    made.pack(plan.limit)
    return made.jobs()


def _program(plan: Plan, source: sources.Source) -> Table:
    with _places(plan, 1000) as places:
        ours = builds.Builds(plan.tvarc, source, places)
        made = ours.pack(plan.limit)
        jobs = [*commands.floors(places), *ours.jobs(), ours.taken()]
        return _table(plan, source.title, made, jobs, plan.rounds or ROUNDS[237])


def _start(plan: Plan, source: sources.Source) -> Table:
    with _places(plan, 1) as places:
        jobs = builds.starts(plan.tvarc, source, places)
        return _table(plan, source.title, (0, 0), jobs, plan.rounds or START_ROUNDS)


def _evaluations(plan: Plan) -> list[Table]:
    """What Nix takes for what was written, at the sizes that people build."""
    if "evaluation" not in plan.parts:
        return []
    if shutil.which("nix-instantiate") is None:
        plan.say("left out: what Nix takes: `nix-instantiate` is not installed")
        return []
    return [_evaluation(plan, size) for size in EVALUATED]


def _evaluation(plan: Plan, size: int) -> Table:
    with _places(plan, size) as places:
        made = evaluation.Evaluation(plan.tvarc, workload.spec(size), places, plan.limit)
        return _table(plan, str(size), made.made(), made.jobs(), plan.rounds or EVALUATION_ROUNDS)


def _table(plan: Plan, title: str, made: tuple[int, int], jobs: Sequence[Job], count: int) -> Table:
    plan.say(f"{title}: {len(jobs)} commands, {count} rounds")
    files, total = made
    outcomes = rounds(jobs, count, plan.limit)
    found, failures = rows(outcomes, commands.FLOOR_OF, COMPARED)
    for key, why in failures.items():
        plan.say(f"left out: {commands.LABELS[key]}: {why}")
    return Table(title, files, round(total / max(files, 1)), count, found, failures)


@contextmanager
def _places(plan: Plan, files: int) -> Iterator[commands.Places]:
    """A folder for the trees of one table: in memory, if there is room."""
    parent = plan.folder or _in_memory(files)
    with tempfile.TemporaryDirectory(prefix="tvarc-bench-", dir=parent) as folder:
        yield commands.Places(Path(folder))


def _in_memory(files: int) -> Path | None:
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)):
        return None
    room = shutil.disk_usage(MEMORY).free
    return MEMORY if room > files * _BYTES_A_FILE * _TREES else None


def machine(versions: dict[str, str]) -> Machine:
    """This machine, as far as a reader of times has to know it."""
    return Machine(
        date=time.strftime("%Y-%m-%d"),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        versions=versions,
    )


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()
