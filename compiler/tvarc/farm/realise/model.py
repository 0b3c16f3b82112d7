"""The states of derivations and variants while they are built, and at the end."""

from __future__ import annotations

import re

from tvarc.light import Enum, Final, dataclass, field
from tvarc.text.source import Span

_STEERING: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_KEPT: Final = 200  # the number of last lines of a builder


def plain(text: str) -> str:
    """*text* of a program without colours, links and other control characters of a terminal."""
    return _STEERING.sub("", text) if "\x1b" in text else text


class State(Enum):
    """The state of the build of one derivation."""

    RUNNING = "running"
    BUILT = "built"
    FAILED = "failed"
    LOST = "lost"
    STOPPED = "stopped"


@dataclass(slots=True)
class Build:
    """One build of one derivation, on *machine*, empty for this one. Times are seconds of one
    clock. For a failed build, `words` are Nix's own, `phase` is the builder's last phase, and
    `tail` its last output, as printed.
    """

    derivation: str
    machine: str
    began: float
    state: State = State.RUNNING
    ended: float | None = None
    words: str = ""
    phase: str = ""
    tail: list[str] = field(default_factory=list)

    def prints(self, line: str) -> None:
        """Note a *line* of its output."""
        self.tail.append(line)
        if len(self.tail) > 2 * _KEPT:
            del self.tail[:_KEPT]

    def last(self, most: int = 2 * _KEPT) -> list[str]:
        """The last lines of its output, at most *most*, without control characters of a
        terminal."""
        return [plain(line) for line in self.tail[-most:]]

    def seconds(self, now: float) -> float:
        """The seconds that it took, or has taken until *now*."""
        return (now if self.ended is None else self.ended) - self.began


class Fate(Enum):
    """The final state of a variant."""

    THERE = "there"
    CACHED = "cached"
    FETCHED = "fetched"
    BUILT = "built"
    FAILED = "failed"
    LOST = "lost"
    UNPLACED = "unplaced"
    REFUSED = "refused"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one variant, and of its own build if there was one."""

    KEYS = (("fate", "state"),)
    NULLS = ("derivation", "through", "machine", "log")

    name: str
    derivation: str
    """Its path; null where there is none."""
    fate: Fate
    """there: the store had it. cached: the store that it is copied to had it. fetched: a cache had
    it. failed: its recipe, or the recipe of one of its inputs, is broken. lost: its machine went
    away. unplaced: no machine builds it. refused: Nix makes no derivation from it. stopped: nothing
    is wrong with it, the run ended before it was built."""
    through: str = ""
    """The derivation by which it failed or was lost, where that is not its own."""
    machine: str = ""
    """The address of the machine that built it; null for this one."""
    seconds: int | None = None
    """How long its own build took; null where there was none."""
    log: str = ""
    """Where that is kept."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A failed build, and the variants of its derivation, or those that depend on it (then it is
    not their `own`). `lost` says that its machine went away, so nothing is known about the recipe.
    `on_host` says that it is a test that ran on this machine, and no build.
    """

    build: Build
    variants: tuple[str, ...]
    log: str
    own: bool = True
    lost: bool = False
    on_host: bool = False


@dataclass(frozen=True, slots=True)
class BuildFault:
    """A broken recipe at its place in the program: the recipe with the fault, if it is known.
    `source` is the source with another hash than stated, if that is the fault. `test` is the name
    of the test that failed, if it is one, and `others` are more places with their labels.
    """

    broken: Broken
    span: Span
    label: str = ""
    source: str = ""
    help: str = ""
    test: str = ""
    others: tuple[tuple[Span, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Realised:
    """The result of a run: the outcome of each variant, the faults, the number of builds of each
    machine, the reports on machines that went away or never answered, and the reason if the run
    ended early. `copied` are the variants that arrived in the target store; `warnings` are Nix's
    own. `billed` says whether bills of materials are written, and `builds` has the last build of
    each derivation that Nix began to build.
    """

    outcomes: tuple[Outcome, ...]
    broken: tuple[Broken, ...] = ()
    machines: dict[str, int] = field(default_factory=dict)
    away: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    rounds: int = 0
    seconds: float = 0.0
    interrupted: KeyboardInterrupt | None = None
    copied: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    billed: bool = False
    builds: dict[str, Build] = field(default_factory=dict)
