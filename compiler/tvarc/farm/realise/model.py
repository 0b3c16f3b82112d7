"""What becomes of derivations and variants while they are built, and in the end."""

from __future__ import annotations

from tvarc.light import Enum, dataclass, field
from tvarc.text.source import Span


class State(Enum):
    """How far the build of one derivation is."""

    RUNNING = "running"
    BUILT = "built"
    FAILED = "failed"
    LOST = "lost"
    STOPPED = "stopped"


@dataclass(slots=True)
class Build:
    """One build of one derivation, on *machine*, empty for this one. Times are seconds of one
    clock. `words` is what Nix says of a build that came to nothing, `phase` where its builder was
    last, `tail` what that printed last."""

    derivation: str
    machine: str
    began: float
    state: State = State.RUNNING
    ended: float | None = None
    words: str = ""
    phase: str = ""
    tail: list[str] = field(default_factory=list)

    def seconds(self, now: float) -> float:
        """How long it has taken until *now*, or took."""
        return (now if self.ended is None else self.ended) - self.began


class Fate(Enum):
    """What has become of a variant."""

    THERE = "there"  # the store had it
    CACHED = "cached"  # the store that it is to go to had it
    FETCHED = "fetched"  # a cache had it
    BUILT = "built"
    FAILED = "failed"  # its recipe, or that of what it is made of
    LOST = "lost"  # a machine went away
    UNPLACED = "unplaced"  # no machine takes it
    REFUSED = "refused"  # Nix makes no derivation of it
    STOPPED = "stopped"  # nothing is wrong with it: the run ended before


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has become of one variant: by which derivation's build, where it is not its own, on
    which machine, in how many seconds, and where that is logged."""

    name: str
    derivation: str
    fate: Fate
    through: str = ""
    machine: str = ""
    seconds: float | None = None
    log: str = ""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Variants that no machine builds, as it is asked for at *span*: they are for this system, and
    ask for these features; or a derivation that they are made of does, *through*."""

    variants: tuple[str, ...]
    system: str
    features: tuple[str, ...]
    span: Span
    through: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """A build that came to nothing, and the variants that are of its derivation, or are made of
    it: then it is not their `own`. `lost` says that its machine went away; nothing is known of the
    recipe then."""

    build: Build
    variants: tuple[str, ...]
    log: str
    own: bool = True
    lost: bool = False


@dataclass(frozen=True, slots=True)
class BuildFault:
    """A broken recipe at its place in the program: the one that made it so, as far as that is
    known. `source` is what has another hash than it should have, if it is that."""

    broken: Broken
    span: Span
    label: str = ""
    source: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Realised:
    """What a run came to: the outcome of each variant, what could not be built, how many builds
    each machine did, what was said of machines that went away or never answered, and what ended
    the run before its time. `copied` are the variants that are in the store now that they were to
    go to; `warnings` are Nix's own."""

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
