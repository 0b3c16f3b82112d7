"""The results of `tvarc realise`: the report for people, that of `report.json`, and diagnostics."""

from __future__ import annotations

import shlex
from collections import Counter

from tvarc.commands import messages as msg
from tvarc.commands.evaluation.result import Underived, underived
from tvarc.commands.evaluation.text import all_of, block, label, many, named, quoted
from tvarc.farm.realise.follow import lacks_features
from tvarc.farm.realise.model import Build, BuildFault, Fate, Outcome, Realised, State
from tvarc.light import (
    TYPE_CHECKING,
    Collection,
    Final,
    Iterable,
    Iterator,
    Literal,
    Mapping,
    Sequence,
    dataclass,
)
from tvarc.nix.judge.model import Evaluation
from tvarc.text.diagnostics.model import Diagnostic, Sink, filled
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted, time_text
from tvarc.text.source import Span

if TYPE_CHECKING:
    from tvarc.farm.realise.bills import Component


@dataclass(frozen=True, slots=True)
class Broken:
    """A build that failed."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    derivation: str
    place: Span
    kind: Literal["build", "hash", "test"]
    """hash: a source has another hash than the program states. test: a test failed."""
    phase: str | None
    """Where the builder was last."""
    nix: str
    """Nix's own words."""
    log: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A build whose machine went away."""

    variants: tuple[str, ...]
    derivation: str
    machine: str
    nix: str
    log: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that builds."""

    address: str | None
    """null for this one."""
    built: int
    """How many derivations it has built."""
    away: str | None
    """The message when it went away or did not answer; null otherwise."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result for each variant that was built. The folder of logs has it as report.json."""

    KEYS = (("underived", ""),)

    variants: tuple[Outcome, ...]
    broken: tuple[Broken, ...]
    """Builds that failed, each at the line of the program that is known to be at fault, or that of
    the package."""
    lost: tuple[Lost, ...]
    """Builds whose machine went away: nothing is known about their recipes."""
    machines: tuple[Machine, ...]
    underived: Underived
    to: str | None
    """The store that variants are to go to."""
    copied: tuple[str, ...]
    """The variants that were copied there."""
    warnings: tuple[str, ...]
    """Nix's own."""
    ended_by: str | None
    """An error that ended the run and belongs to no build."""
    interrupted: bool
    rounds: int
    """How often Nix was run; once more after a machine went away."""
    seconds: int


def result_of(
    found: Realised,
    faults: Iterable[BuildFault],
    evaluation: Evaluation,
    store: str | None,
) -> Result:
    """The output of `--json`: *store* is the one that variants are to go to."""
    return Result(
        variants=found.outcomes,
        broken=tuple(
            [
                Broken(
                    variants=one.broken.variants,
                    derivation=one.broken.build.derivation,
                    place=one.span,
                    kind="test" if one.test else "hash" if one.source else "build",
                    phase=one.broken.build.phase or None,
                    nix=one.broken.build.words,
                    log=one.broken.log,
                )
                for one in faults
            ]
        ),
        lost=tuple(
            [
                Lost(one.variants, build.derivation, build.machine, build.words, one.log)
                for one in found.broken
                for build in [one.build]
                if one.lost
            ]
        ),
        machines=tuple(
            [
                Machine(name or None, found.machines.get(name, 0), found.away.get(name))
                for name in sorted({*found.machines, *found.away})
            ]
        ),
        underived=underived(evaluation),
        to=store,
        copied=found.copied,
        warnings=found.warnings,
        ended_by=found.fault or None,
        interrupted=found.interrupted is not None,
        rounds=found.rounds,
        seconds=int(found.seconds),
    )


HERE: Final = "this machine"
_SHOWN: Final = 20  # the number of variants that a dry run names
_LAST: Final = 8  # lines of a builder's output
_NAMED: Final = 3  # variants of one derivation
_WORDS: Final = {
    Fate.THERE: "already in the store",
    Fate.CACHED: "already in the cache",
    Fate.FETCHED: "fetched",
    Fate.BUILT: "built",
    Fate.FAILED: "failed",
    Fate.LOST: "lost with a machine",
    Fate.UNPLACED: "without a machine",
    Fate.REFUSED: "refused",
    Fate.STOPPED: "not built",
}
_OF_TESTS: Final = {Fate.THERE: "passed before", Fate.BUILT: "passed", Fate.STOPPED: "not run"}
_STATES: Final = {
    State.RUNNING: "building",
    State.BUILT: "built",
    State.FAILED: "failed",
    State.LOST: "lost",
    State.STOPPED: "stopped",
}


# --- diagnostics ------------------------------------------------------------------------------


def report_broken_builds(found: Iterable[BuildFault], sink: Sink) -> None:
    """Report errors of recipes. Builds that failed in the same way at one place are reported
    once."""
    alike: dict[object, list[BuildFault]] = {}
    for one in found:
        last = one.broken.build.last(1)
        ended = "".join(char for text in last for char in text if not char.isdigit())
        own = one.broken.own or one.broken.build.derivation
        alike.setdefault((one.span, one.label, one.others, one.source, own, ended), []).append(one)
    for several in alike.values():
        sink.add(_broken(several), another=True)


def _broken(alike: Sequence[BuildFault]) -> Diagnostic:
    one = alike[0]
    build = one.broken.build
    variants = tuple([
        name.removesuffix(f".tests.{one.test}") for each in alike for name in each.broken.variants
    ])  # fmt: skip
    notes: list[str] = []
    if build.tail and not one.source:
        where = f" in {build.phase}" if build.phase else ""
        by = "test" if one.broken.on_host else f"builder{where}"
        notes.append(block(f"the last lines of the {by}", build.last(_LAST)))
    if not one.broken.own:
        notes.append(f"the failed build is `{label(build.derivation)}`, a dependency")
    notes += [*named(variants), f"its log is {one.broken.log}"]
    if len(alike) > 1:
        notes[-1] = f"the log of the first is {one.broken.log}"
    said = build.words if one.broken.on_host else quoted(build.words or "no reason")
    if one.test:
        return filled(
            msg.builds.TEST_FAILED,
            one.span,
            {"test": one.test, "variants": many(variants), "label": one.label, "said": said},
            one.others,
            notes=notes,
        )
    return filled(
        msg.builds.WRONG_HASH if one.source else msg.builds.BROKEN,
        one.span,
        {
            "source": one.source,
            "variants": many(variants),
            "label": one.label,
            "said": said,
            "advice": one.help,
        },
        notes=notes,
    )


def report_lost_builds(found: Realised, sink: Sink) -> None:
    """Report machines that went away or never answered, as an error if a build is missing because
    of that; and warnings of Nix, and other reasons why the run ended."""
    stopped = [one.name for one in found.outcomes if one.fate is Fate.STOPPED]
    for machine, words in found.away.items():
        lost = [one for one in found.broken if one.lost and one.build.machine == machine]
        names = [name for one in lost for name in one.variants]
        if any(lacks_features(one.build) for one in lost):
            message = msg.builds.LACKS_FEATURES
        elif names:
            message = msg.builds.MACHINE_LOST_WITH_BUILDS
        elif stopped and found.fault:
            message = msg.builds.MACHINE_LOST
        else:
            message = msg.builds.MACHINE_REPLACED
        sink.report(
            message,
            machine=machine,
            variants=many(names),
            said=quoted(words),
            notes=named(names),
        )
    if found.warnings:
        sink.report(msg.builds.NIX_WARNS, said=quoted("\n".join(found.warnings)))
    # The first broken recipe and an interrupt end a run.
    expected = found.interrupted is not None or any(not one.lost for one in found.broken)
    if stopped and not found.away and (found.fault or not expected):
        sink.report(
            msg.builds.STOPPED,
            variants=many(stopped),
            said=quoted(found.fault or "no reason"),
            notes=named(stopped),
        )


# --- lines ------------------------------------------------------------------------------------


def build_row(build: Build, variants: Sequence[str], now: float) -> tuple[str, str, str, str]:
    """A build that runs, as a row: variant, state, machine, time."""
    state = build.phase or _STATES[build.state]
    took = time_text(build.seconds(now))
    return (safe(_of(build, variants)), safe(state), safe(build.machine or HERE), took)


def standing_line(
    running: Collection[Build],
    ended: Mapping[str, Build],
    variants: Mapping[str, Sequence[str]],
    total: int,
) -> str:
    """The progress of *total* derivations of variants, in a line; builds of their dependencies do
    not count."""
    states = Counter(one.state for path, one in ended.items() if path in variants)
    parts = [f"{states[state]} {_STATES[state]}" for state in State if states[state]]
    now = sum(one.derivation in variants for one in running)
    waiting = total - sum(states.values()) - now
    return ", ".join([*parts, f"{now} building", f"{max(waiting, 0)} to come"])


def _of(build: Build, variants: Sequence[str]) -> str:
    if len(variants) > _NAMED:
        return f"{variants[0]} and {len(variants) - 1} more"
    return ", ".join(variants) or label(build.derivation)


def build_line(build: Build, variants: Sequence[str]) -> str:
    """The result of a build, in a line; it is for *variants*."""
    name = _of(build, variants)
    on = f" on {build.machine}" if build.machine else ""
    took = "" if build.state is State.RUNNING else f", {time_text(build.seconds(0))}"
    return safe(f"{name}: {_STATES[build.state]}{on}{took}")


def dry_run_lines(
    commands: Sequence[Sequence[str]], to_build: Sequence[str], there: int, noun: str
) -> Iterator[str]:
    """The output of `--dry-run`: the builds, and then the command, or several commands if one would
    be too long."""
    if there:
        yield f"# {counted(there, noun)} already in the store"
    if to_build:
        few = len(to_build) <= _SHOWN
        yield f"# {all_of(to_build) if few else counted(len(to_build), noun)}"
        yield from map(shlex.join, commands)
    if not there and not to_build:
        yield "# nothing to build"


def realised_lines(
    found: Realised,
    folder: str,
    store: str | None,
    bills: str | None,
    noun: Literal["variant", "test"],
) -> Iterator[str]:
    """The results for people: logs in *folder*, the variants in *store*, and their bills of
    materials in the folder *bills*."""
    fates = Counter(one.fate for one in found.outcomes)
    words = _WORDS | (_OF_TESTS if noun == "test" else {})
    parts = [f"{fates[fate]} {words[fate]}" for fate in Fate if fates[fate]]
    total = counted(len(found.outcomes), noun)
    yield f"{total}: {', '.join(parts)}; {time_text(found.seconds)}" if parts else total
    if store is not None:
        yield safe(f"{counted(len(found.copied), 'variant')} copied to {store}")
    if found.machines:
        done = [f"{count} on {name or HERE}" for name, count in sorted(found.machines.items())]
        yield safe(f"builds: {', '.join(done)}")
    if bills is not None and found.billed:
        yield safe(f"bills of materials: {bills}")
    yield safe(f"logs and report.json: {folder}")


def licences_table(parts: Mapping[str, Sequence[Component]]) -> str:
    """A page with the licence of each component of variants. *parts* are the components of each."""
    from tvarc.commands.shown.markdown import Code, Heading, Table, Text, print_markdown

    rows: dict[tuple[str, str, str], int] = {}
    for some in parts.values():
        for key in {(one.name, one.version, one.licence or "not known") for one in some}:
            rows[key] = rows.get(key, 0) + 1
    head = tuple([(Text(word),) for word in ("component", "version", "licence", "variants")])
    lines = [
        ((Code(name),), (Text(version),), (Text(licence),), (Text(f"{count}"),))
        for (name, version, licence), count in sorted(rows.items())
    ]
    title = Heading(1, (Text(f"Licences of {counted(len(parts), 'variant')}"),))
    return print_markdown([title, Table(head, tuple(lines))])
