"""What a decided recipe states of the machines it is for. Axes tell more, where they tell."""

from __future__ import annotations

from tvarc import ir
from tvarc.light import Iterable, dataclass
from tvarc.values import Value, Version


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


def stated(recipe: ir.Recipe) -> Stated:
    """What *recipe* states; what Nix alone knows counts as not stated."""
    args, config = _values(recipe.changes.args), _values(recipe.config)
    platforms = _texts(_values(recipe.changes.meta).get("platforms"))
    # Arguments are nearer to the package than the configuration of all of nixpkgs.
    supports = [args.get(name, config.get(name)) for name in ("cudaSupport", "rocmSupport")]
    named = {}
    if True in supports or False not in supports:
        named["gpuTargets"] = _texts(args.get("gpuTargets"))
    if True in supports:
        named["cudaCapabilities"] = _texts(config.get("cudaCapabilities"))
    for setting, targets in named.items():
        if targets:
            return Stated(platforms, True, targets, setting)
    return Stated(platforms, True in supports)


def _values(settings: Iterable[ir.Setting]) -> dict[str, Value]:
    return {setting.key: setting.value for setting in settings}


def _texts(value: Value) -> tuple[str, ...]:
    items = value if isinstance(value, tuple) else ()
    # A version is emitted as a string.
    texts = (item.text if isinstance(item, Version) else item for item in items)
    return tuple(text for text in texts if isinstance(text, str))
