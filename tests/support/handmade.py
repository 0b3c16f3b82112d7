"""Recipes as people write them by hand: other names, other forms, other orders than tvarc's."""

from __future__ import annotations

from collections.abc import Sequence

from support.byhand import filled
from tvarc.byhand.audit.model import RecipeFacts

GOOD_PIN = "6a030d535719c5190187c4cec156f335e95e3211"
OLD_PIN = "fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3"
AVX512 = ("-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mfma")

CUDA_13 = "(final: prev: { cudaPackages = final.cudaPackages_13; })"
MAGMA_PATCH, TORCH_SOURCE = (filled(name, {}).removesuffix("\n") for name in ("magma", "torch"))


def handmade(
    name: str,
    *,
    sm: str = "12.0",
    flags: Sequence[str] = AVX512,
    platform: str = "x86_64-linux",
    pname: str | None = None,
    pin: str = GOOD_PIN,
    overlays: Sequence[str] = (CUDA_13, MAGMA_PATCH, TORCH_SOURCE),
    torch: str = "torch",
    broken: bool = True,
    magma_off: bool = False,
) -> str:
    """A recipe in the form that the best of the hand-made ones have."""
    filters = (
        "  without = deps: builtins.filter (d: !(fixed.lib.hasPrefix %s (d.pname or %s))) deps;"
    )
    parts = {
        "name": name,
        "pin": pin,
        "broken": "allowBroken = true; " if broken else "",
        "overlays": "\n      ".join(overlays),
        "sm": sm,
        "flags": " ".join(f'"{flag}"' for flag in flags),
        "torch": torch,
        "pname": pname if pname is not None else name.replace("pytorch-", "pytorch210-", 1),
        "platform": platform,
        "helper": filters % ('"magma"', '""') if magma_off else "",
        "args": "\n    magma = null;" if magma_off else "",
        "attrs": "\n    buildInputs = without (oldAttrs.buildInputs or []);" if magma_off else "",
        "cmake": '\n      "-DUSE_MAGMA=OFF"' if magma_off else "",
        "script": "\n      export USE_MAGMA=0" if magma_off else "",
    }
    return filled("handmade", parts)


def outdated(name: str, **changes: object) -> str:
    """A recipe of the older kind: another pin, no overlays, another attribute, no prefix."""
    given: dict[str, object] = {
        "pin": OLD_PIN, "overlays": (), "torch": "pytorch", "broken": False, "pname": name,
        **changes,
    }  # fmt: skip
    return handmade(name, **given)  # type: ignore[arg-type]


def nightly() -> str:
    """A recipe that calls nixpkgs' expression of Torch itself."""
    return filled("nightly", {})


def forms(facts: RecipeFacts) -> dict[str, str]:
    """How the overlays of a recipe change what they change, by path."""
    return {path: seen.form for path, seen in facts.effects.items()}
