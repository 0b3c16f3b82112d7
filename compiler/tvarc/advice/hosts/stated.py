"""A recipe's statements about the machines that it is for. Axes that decide it come first."""

from __future__ import annotations

from tvarc.light import Callable, dataclass
from tvarc.nix import ir
from tvarc.values.value import Value, Version


@dataclass(frozen=True, slots=True)
class Stated:
    """`platforms` are its Nix platforms, none for any. `targets` are the GPUs it is made for, as
    PyTorch spells them (`9.0`, `gfx90a`), and `setting` the one that names them; `gpus` tells that
    it supports GPUs, whether or not it names them."""

    platforms: tuple[str, ...] = ()
    gpus: bool = False
    targets: tuple[str, ...] = ()
    setting: str = ""


NOTHING = Stated()


def stated(setting: Callable[[str, str], ir.Setting | None]) -> Stated:
    """The statements of a recipe. *setting* returns a setting by its block and key, None if there
    is none. Values that Nix alone knows count as not stated.

    Only the settings that are read here are decided. They depend on few axes, while a recipe may
    depend on all of them.
    """

    def texts(block: str, key: str) -> tuple[str, ...]:
        found = setting(block, key)
        return _texts(found.value) if found is not None else ()

    def supports(name: str) -> Value:
        # Arguments are nearer to the package than the configuration of all of nixpkgs.
        found = setting("args", name) or setting("config", name)
        return found.value if found is not None else None

    platforms = texts("meta", "platforms")
    supported = [supports(name) for name in ("cudaSupport", "rocmSupport")]
    named = {}
    if True in supported or False not in supported:
        named["gpuTargets"] = texts("args", "gpuTargets")
    if True in supported:
        named["cudaCapabilities"] = texts("config", "cudaCapabilities")
    for name, targets in named.items():
        if targets:
            return Stated(platforms, True, targets, name)
    return Stated(platforms, True in supported)


def _texts(value: Value) -> tuple[str, ...]:
    items = value if isinstance(value, tuple) else ()
    # A version is emitted as a string.
    texts = (item.text if isinstance(item, Version) else item for item in items)
    return tuple(text for text in texts if isinstance(text, str))
