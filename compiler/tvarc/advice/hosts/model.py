"""The properties of a host that the choice of a variant reads: its system, its CPU's features, its
GPUs."""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.values.plain import ABSENT, Absent
from tvarc.values.value import Version

Schema = Literal["tvarc-host/1"]
"""The form of a description."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU. A GPU of NVIDIA has a compute capability and a driver; a GPU of AMD has a target."""

    SHOWN = ("name", "gfx", "capability", "known_driver", "cuda", "windows")
    KEYS = (("known_driver", "driver"),)
    OPTIONAL = ("gfx", "capability", "cuda", "windows")

    name: str
    capability: Version | None = None
    """The compute capability of a GPU of NVIDIA, such as 9.0."""
    driver: Version | None = None
    gfx: str = ""
    """The target of a GPU of AMD, such as gfx90a."""
    cuda: Version | None = None
    """The newest CUDA that programs can use, as nvidia-smi prints it. A forward-compatibility
    package makes it newer than the driver's own."""
    windows: bool = False
    """Whether this is WSL with a Windows driver. Its version numbers differ within a branch."""

    @property
    def known_driver(self) -> Version | Absent | None:
        """The version of the NVIDIA driver; None if it is not known."""
        return self.driver if self.capability is not None else ABSENT

    @property
    def target(self) -> str:
        """The target of code for this GPU: `9.0` or `gfx90a`."""
        return self.capability.text if self.capability is not None else self.gfx


@dataclass(frozen=True, slots=True)
class Cpu:
    """The model and the features of a CPU, by their names in Linux' /proc/cpuinfo."""

    model: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Host:
    """The description of a host. `flags` are features of its CPU, sorted; none at all means that
    they are unknown."""

    SHOWN = ("schema", "made", "told_facts", "system", "arch", "processor", "gpus", "notes")
    KEYS = (("told_facts", "facts"), ("processor", "cpu"))
    OPTIONAL = ("made",)

    system: str
    """The operating system as Nix spells it."""
    arch: str
    """The architecture as Nix spells it."""
    cpu: str = ""
    flags: tuple[str, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    notes: tuple[str, ...] = ()
    """Properties that could not be detected."""
    made: bool = False
    """Whether the description was made from facts and not from a machine."""
    facts: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        return "tvarc-host/1"

    @property
    def told_facts(self) -> tuple[str, ...] | Absent:
        """The facts from which the description was made."""
        return self.facts if self.made or self.facts else ABSENT

    @property
    def processor(self) -> Cpu:
        return Cpu(self.cpu, self.flags)

    @property
    def platform(self) -> str:
        """The Nix platform: `x86_64-linux`."""
        return f"{self.arch}-{self.system}"

    def kinds(self) -> tuple[tuple[Gpu, ...], ...]:
        """The GPUs, grouped by target, in the order found."""
        found: dict[str, list[Gpu]] = {}
        for gpu in self.gpus:
            found.setdefault(gpu.target, []).append(gpu)
        return tuple(map(tuple, found.values()))
