"""A host as far as the choice of a variant asks: its system, its CPU's features, its GPUs."""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.values.value import Version


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU, identified by the target that code for it is made for.

    For NVIDIA, `capability` is its compute capability, such as 9.0, and `driver` the version of the
    driver that runs it, None if that is not known. `cuda` is the newest CUDA that programs have
    there according to `nvidia-smi`; with a forward-compatibility package this is more than the
    driver's own. `windows` says that the driver is one of Windows, seen from its subsystem for
    Linux: its numbers differ within a branch. For AMD, `gfx` is its target, such as gfx90a, and
    `capability` is None.
    """

    name: str
    capability: Version | None = None
    driver: Version | None = None
    gfx: str = ""
    cuda: Version | None = None
    windows: bool = False

    @property
    def target(self) -> str:
        """The target that code for it is made for: `9.0` or `gfx90a`."""
        return self.capability.text if self.capability is not None else self.gfx


@dataclass(frozen=True, slots=True)
class Host:
    """One machine. `system` and `arch` are spelt as Nix spells them (linux, darwin; x86_64,
    aarch64). `flags` are CPU features by their names in Linux' /proc/cpuinfo, sorted; none at all
    means that they are unknown.

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
        """The GPUs, those of one target together, in the order found."""
        found: dict[str, list[Gpu]] = {}
        for gpu in self.gpus:
            found.setdefault(gpu.target, []).append(gpu)
        return tuple(map(tuple, found.values()))
