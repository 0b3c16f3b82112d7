"""Runs Nix, and follows the state of each build in its log."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading

from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.model import Build, State, plain
from tvarc.farm.realise.store import StoreRefused
from tvarc.light import Any, Callable, Collection, Final, Iterable, Iterator, Sequence, dataclass
from tvarc.nix.judge.nix import NotInstalled, begin, printed
from tvarc.text.diagnostics.programs_say import without_advice

_MARK: Final = "@nix "
_BUILD: Final = 105  # an activity: its fields are the derivation and the machine, "" for this one
_FETCH: Final = 108  # an activity
_LOG_LINE: Final = 101  # a result of an activity
_PHASE: Final = 104
_PROGRESS: Final = 105  # the numbers of finished, expected, running and failed builds
_LEVEL_OF_OTHERS: Final = 1
"""Text that is not JSON comes from other programs, such as ssh, and counts as a warning."""


@dataclass(frozen=True, slots=True)
class Begun:
    """The build of a derivation has begun, on *machine*, which is empty for this one. A remote
    machine's reports of its own builds arrive as well, and have no machine.
    """

    activity: int
    derivation: str
    machine: str


@dataclass(frozen=True, slots=True)
class Printed:
    """A line that a builder has printed."""

    activity: int
    text: str


@dataclass(frozen=True, slots=True)
class Entered:
    """A builder has entered this phase."""

    activity: int
    phase: str


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers of finished and failed builds, from the activity that represents all builds of
    one Nix, this one or a remote one.
    """

    activity: int
    done: int
    failed: int


@dataclass(frozen=True, slots=True)
class Said:
    """A message, without colours; `level` is 0 for an error, 1 for a warning, more for the rest."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Fetching:
    """A path is copied from a cache."""


Event = Begun | Printed | Entered | Counted | Said | Fetching


def read_event(line: str) -> Event | None:
    """The event of *line*; None if the line is not about the state of builds."""
    if not line.startswith(_MARK):
        text = plain(line.rstrip())
        return Said(_LEVEL_OF_OTHERS, text) if text else None
    try:
        data = _decoded(line, len(_MARK))[0]
    except (ValueError, RecursionError):
        return None
    if type(data) is dict and data.get("action") == "result":  # nearly all lines are from builders
        return _result(data.get("type"), data.get("id"), data.get("fields"))
    match data:
        case {
            "action": "start",
            "type": int(kind),
            "id": int(id_),
            "fields": [str(path), str(machine), *_],
        } if kind == _BUILD:
            return Begun(id_, path, machine)
        case {"action": "start", "type": int(kind)} if kind == _FETCH:
            return Fetching()
        case {"action": "msg", "level": int(level), "msg": str(text)}:
            return Said(level, plain(text).rstrip())
        case _:
            return None


_decoded: Final = json.JSONDecoder().raw_decode


def _result(kind: Any, activity: Any, fields: Any) -> Event | None:
    if not isinstance(activity, int):
        return None
    match fields:
        case [str(text)] if kind == _LOG_LINE:
            return Printed(activity, text)
        case [str(phase)] if kind == _PHASE:
            return Entered(activity, phase)
        case [int(done), int(), int(), int(failed)] if kind == _PROGRESS:
            return Counted(activity, done, failed)
        case _:
            return None


_BETWEEN: Final = 1.0  # seconds between queries to the store
_ERROR: Final = 0  # the level of a message
_WARNING: Final = "warning:"
_ASKED_TO_END: Final = "interrupted by the user"  # whichever process started Nix
_MOST_WARNINGS: Final = 20
_NAMED: Final = re.compile(r"['‘]([^'’\s]+\.drv)['’]")
_VERDICT: Final = re.compile(
    r"build of ['‘]([^'’\s]+\.drv)['’] on ['‘]([^'’]+)['’] failed: (.*)", re.S
)
_UNREACHED: Final = re.compile(r"cannot build on ['‘]([^'’]+)['’]: (.*)", re.S)
_ERROR_WORD: Final = re.compile(r"^\s*error:\s*", re.MULTILINE)
# The error of a machine that lacks features which the list states.
_LACKS_FEATURES: Final = re.compile(r"is required to build .* but I am a ", re.DOTALL)
# The log is kept, and so are its last lines.
_TAIL: Final = re.compile(r";?\s*last \d+ log lines:.*", re.DOTALL)
# Messages that only report the failure of other builds.
_BY_OTHERS: Final = re.compile(
    r"dependenc(?:y|ies) (?:of derivation .* )?failed|^build of .* failed$"
)


class Following:
    """The builds of a run. `begun` has the last build of each derivation, in the order of their
    beginnings. `fetches` says whether any path was copied from a cache. `away` has the reports on
    machines that do not answer. `fault` is the last error that belongs to no build. `warnings` are
    those of Nix, each once.
    """

    def __init__(
        self,
        logs: Logs,
        clock: Callable[[], float],
        unbuilt: Callable[[Collection[str]], set[str]],
    ) -> None:
        """*unbuilt* returns those of some derivations that have no output in the store yet."""
        self.begun: dict[str, Build] = {}
        self.fetches = False
        self.away: dict[str, str] = {}
        self.fault = ""
        self.warnings: dict[str, None] = {}
        self._logs = logs
        self._clock = clock
        self._unbuilt = unbuilt
        self._activities: dict[int, str] = {}
        self._counted: Counted | None = None  # by this Nix, and not by a remote one
        self._of_run: set[str] = set()  # builds that Nix has begun since its start
        self._suspects: list[Build] = []
        self._unexplained = 0  # errors of which it is not known yet what they are about
        self._done: list[float] = []  # when one more was, of which it is not known yet which one
        self._next = 0.0
        self._unnamed: list[tuple[float, str]] = []

    def running(self) -> list[Build]:
        return [one for one in self.begun.values() if one.state is State.RUNNING]

    @property
    def failed(self) -> bool:
        """Whether a recipe is known to be broken."""
        return any(one.state is State.FAILED for one in self.begun.values())

    def take(self, event: Event) -> Iterable[Build]:
        """Process *event*, and return the builds whose state changes. The caller must iterate over
        all of them before the next event."""
        match event:
            case Printed() | Entered():
                build = self.begun.get(self._activities.get(event.activity, ""))
                if build is not None:
                    self._goes_on(build, event)
                    if self._suspects:
                        return self._convicted(build)
            case Begun():
                return self._begins(event)
            case Counted():
                return self._count(event)
            case Fetching():
                self.fetches = True
            case Said():
                self._logs.say(event.text)
                if event.level == _ERROR:
                    return self._error(event.text)
                if event.text.startswith(_WARNING) and len(self.warnings) < _MOST_WARNINGS:
                    self.warnings[event.text.removeprefix(_WARNING).strip()] = None
        return ()

    def wait(self) -> None:
        """Flush the logs, because Nix has printed nothing for a while."""
        self._logs.flush()

    def tick(self) -> Iterable[Build]:
        """Query the store if a build may be done, and return the builds that are done."""
        return self._ask() if self._done and self._clock() >= self._next else ()

    def _ask(self) -> Iterator[Build]:
        running = self.running()
        left = self._unbuilt([one.derivation for one in running]) if running else set()
        for one in running:
            if one.derivation not in left:
                yield self._end(one, State.BUILT, at=self._done_after(one.began))
        yield from self._convicted()
        self._done.clear()
        self._next = self._clock() + _BETWEEN

    def _done_after(self, began: float) -> float | None:
        """The time when the first build was done that may be the build which *began* then."""
        at = next((when for when in self._done if when >= began), None)
        if at is not None:
            self._done.remove(at)
        return at

    def end(self, *, interrupted: bool) -> Iterator[Build]:
        """Nix has ended. Return the final state of each build that was running."""
        if interrupted and self.fault == _ASKED_TO_END:
            self.fault = ""
        yield from self._ask()
        for one in self.running():
            if one.words:
                yield self._judged(one)
            elif one.machine and not interrupted:
                yield self._without_verdict(one, "Nix has ended before it was done")
            else:
                yield self._end(one, State.STOPPED)
        self._activities.clear()
        self._counted = None
        self._suspects.clear()
        self._unexplained = 0
        self._of_run.clear()

    def _begins(self, event: Begun) -> Iterator[Build]:
        self._activities[event.activity] = event.derivation
        if event.derivation in self._of_run:
            return  # the remote machine reports it as well, perhaps late
        self._of_run.add(event.derivation)
        build = Build(event.derivation, event.machine, self._clock())
        self.begun.pop(event.derivation, None)
        self.begun[event.derivation] = build
        self._logs.begin(event.derivation)
        yield build

    def _goes_on(self, build: Build, event: Printed | Entered) -> None:
        if isinstance(event, Entered):
            build.phase = event.phase
        else:
            self._logs.add(build.derivation, event.text)
            build.prints(event.text)

    def _count(self, event: Counted) -> Iterator[Build]:
        """Nix counts before any remote machine."""
        before = self._counted
        if before is not None and before.activity != event.activity:
            return
        self._counted = event
        done = event.done - (before.done if before is not None else 0)
        self._done += [self._clock()] * done
        more = event.failed - (before.failed if before is not None else 0)
        for one in self.running():
            if more > 0 and one.machine and one.words:
                more -= 1
                yield self._judged(one)
        lost = min(max(more, 0), self._unexplained)
        self._unexplained -= lost
        if more > lost:
            self._suspects = [one for one in self.running() if not one.machine]
            yield from self._convicted()

    def _convicted(self, innocent: Build | None = None) -> Iterator[Build]:
        """The build on this machine that has failed. Nix reports at once that one has failed, but
        perhaps only at its end which one. Builds that continue, the *innocent*, and finished builds
        are excluded."""
        if not self._suspects:
            return
        self._suspects = [
            one for one in self._suspects if one is not innocent and one.state is State.RUNNING
        ]
        if len(self._suspects) == 1:
            yield self._end(self._suspects.pop(), State.FAILED)

    def _error(self, text: str) -> Iterator[Build]:
        said = _ERROR_WORD.sub("", without_advice(text)).strip()
        if not said:
            return  # it only repeats how to see more of an earlier message
        unreached = _UNREACHED.search(said)
        if unreached is not None:
            self.away.setdefault(unreached[1], " ".join(unreached[2].split()))
            return
        verdict = _VERDICT.search(said)
        if verdict is not None and verdict[1] in self.begun:
            one = self.begun[verdict[1]]
            if one.state is State.RUNNING:
                one.words = _TAIL.sub("", verdict[3]).strip()
            return
        named = [self.begun[path] for path in _NAMED.findall(said) if path in self.begun]
        self.fault = ""
        if any(one in self._suspects for one in named):
            self._suspects.clear()  # it is known which one it was
        for one in named:
            if one.state is State.RUNNING:
                yield self._fails(one, _TAIL.sub("", said).strip())
                return
            if one.state is State.FAILED and not one.words:
                one.words = _TAIL.sub("", said).strip()
                self._logs.append(one.derivation, one.words)
                return
        if not named and not _BY_OTHERS.search(said):
            self._unnamed.append((self._clock(), said))
            self._unexplained += any(one.machine for one in self.running())
            self.fault = said

    def _fails(self, one: Build, said: str) -> Build:
        if not one.machine or one.words:
            one.words = one.words or said
            return self._judged(one)
        return self._without_verdict(one, said)

    def _judged(self, one: Build) -> Build:
        """It is known why it failed."""
        if not one.machine or not lacks_features(one):
            return self._end(one, State.FAILED)
        self.away.setdefault(one.machine, one.words)
        return self._end(one, State.LOST)

    def _without_verdict(self, one: Build, said: str) -> Build:
        """Its machine has not reported its result."""
        since = [text for when, text in self._unnamed if when >= one.began]
        one.words = since[-1] if since else said
        self.away.setdefault(one.machine, one.words)
        return self._end(one, State.LOST)

    def _end(self, one: Build, state: State, at: float | None = None) -> Build:
        one.state = state
        one.ended = self._clock() if at is None else at
        if one.words:
            self._logs.add(one.derivation, one.words)
        self._logs.end(one.derivation)
        return one


def lacks_features(build: Build) -> bool:
    """Whether the machine lacks the features because of which it got *build*."""
    return _LACKS_FEATURES.search(build.words) is not None


_PROGRAM: Final = "nix-store"
_POINTER: Final = 9  # bytes that a word takes in addition to its characters
_USUAL: Final = 1 << 17
_FEWEST: Final = 1 << 13
_SECONDS_TO_END: Final = 10
"""Seconds within which Nix must end. It first ends its builders."""


def parts(derivations: Sequence[str]) -> list[list[str]]:
    """*derivations* in parts for runs of Nix, with as many as fit into a command line. That is far
    more than ten thousand, so machines rarely wait for the last build of a run."""
    found: list[list[str]] = []
    room = 0
    most = most_bytes()
    for one in derivations:
        size = len(one) + _POINTER
        if size > room or not found:
            found.append([])
            room = most
        found[-1].append(one)
        room -= size
    return found


def most_bytes() -> int:
    """The most bytes of arguments of a command: half of this system's limit, because environment
    variables share it.
    """
    try:
        most = os.sysconf("SC_ARG_MAX")
    except (ValueError, OSError):
        most = _USUAL
    return max(_FEWEST, most // 2 if most > 0 else _USUAL)


def command(
    derivations: Sequence[str], builders: str | None, jobs: int | None, *, keep_going: bool
) -> list[str]:
    """The command that builds *derivations*: on the machines of *builders*, Nix's setting, and with
    at most *jobs* builds at a time on this machine. With None, Nix's settings decide. With
    *keep_going* it continues after a failure.
    """
    found = [_PROGRAM, "--realise", "--no-gc-warning", "--log-format", "internal-json"]
    if keep_going:
        found.append("--keep-going")
    if jobs is not None:
        found += ["--max-jobs", str(jobs)]
    if builders is not None:
        found += ["--builders", builders]
    return [*found, *derivations]


def run(
    words: Sequence[str],
    following: Following,
    note: Callable[[Build | None], object],
    *,
    to_the_end: bool,
) -> KeyboardInterrupt | None:
    """Run *words* until Nix ends, or, if not *to_the_end*, until the first recipe is known to be
    broken. Returns the interrupt that ended it, None if there was none. *note* is called with each
    build whose state changed, and with None if nothing happens for a while. Raises NotInstalled and
    StoreRefused.
    """
    begun: list[subprocess.Popen[bytes]] = []
    try:
        process = begin(words, subprocess.DEVNULL, begun)
    except FileNotFoundError:
        raise NotInstalled(_PROGRAM) from None
    except OSError as fault:
        raise StoreRefused(f"{_PROGRAM}: {fault.strerror}") from None
    except KeyboardInterrupt as fault:
        for one in begun:
            _end(one)
        return fault
    late = threading.Timer(_SECONDS_TO_END, process.kill)
    interrupted: KeyboardInterrupt | None = None
    ended = False
    try:
        for data in printed(process):
            line = data.decode("utf-8", "replace")
            event = read_event(line) if line else None
            for build in following.take(event) if event is not None else ():
                note(build)
            for build in following.tick():
                note(build)
            if not line:
                following.wait()
                note(None)
            if not to_the_end and not ended and following.failed:
                ended = True
                process.send_signal(signal.SIGTERM)
                late.start()
        if process.wait() < 0 and not ended:
            following.fault = f"`{_PROGRAM}` was ended by signal {-process.returncode}"
    except KeyboardInterrupt as fault:
        interrupted = fault
    finally:
        late.cancel()
        _end(process)
    for build in following.end(interrupted=interrupted is not None or ended):
        note(build)
    return interrupted


def _end(process: subprocess.Popen[bytes]) -> None:
    """End *process* and all processes that it has started."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
