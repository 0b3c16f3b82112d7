"""A host as far as the choice of a variant asks: its system, its CPU's features, its GPUs."""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.values import Version


@dataclass(frozen=True, slots=True)
class Gpu:
    """An NVIDIA GPU. `capability` is its compute capability, such as 9.0; `driver` the version of
    the driver that runs it, None where that is not known."""

    name: str
    capability: Version
    driver: Version | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """One machine. `system` and `arch` are spelt as Nix spells them (linux, darwin; x86_64,
    aarch64). `flags` are CPU features by their names in Linux' /proc/cpuinfo, sorted.

    `notes` say what could not be found out. `made` tells that nobody read this off a machine:
    it was put together from the facts that `facts` names.
    """

    system: str
    arch: str
    cpu: str = ""
    flags: tuple[str, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    notes: tuple[str, ...] = ()
    made: bool = False
    facts: tuple[str, ...] = ()

    @property
    def platform(self) -> str:
        """The Nix platform: `x86_64-linux`."""
        return f"{self.arch}-{self.system}"

    def kinds(self) -> tuple[tuple[Gpu, ...], ...]:
        """The GPUs, those of one capability together, in the order found."""
        found: dict[str, list[Gpu]] = {}
        for gpu in self.gpus:
            found.setdefault(gpu.capability.text, []).append(gpu)
        return tuple(map(tuple, found.values()))
