"""Recipes of PyTorch by hand in the four styles that people use, right or with a fault planted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from support.compile import ROOT

_FOLDER: Final = ROOT / "tests" / "data" / "by-hand"
PIN: Final = "0182a361324364ae3f436a63005877674cf45efb"  # Torch 2.9.1 or 2.10.0, of February 2026
HASH: Final = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
AVX2: Final = ("-mavx2", "-mfma", "-mf16c")
ARMV9: Final = ("-march=armv9-a+sve2+bf16+i8mm",)


@dataclass(frozen=True)
class Recipe:
    """What a recipe says, whatever the style. Without *caps* only Torch is built for the GPU."""

    target: str = "9.0"
    set: str = "cudaPackages_12_9"
    flags: tuple[str, ...] = AVX2
    platform: str = "x86_64-linux"
    hash: str = HASH
    caps: bool = True
    description: str = "PyTorch for NVIDIA H100"
    version: str = "2.10.0"

    name: str = "pytorch-by-hand"

    def parts(self) -> dict[str, str]:
        """What stands in the places of a style."""
        short = self.set.removeprefix("cudaPackages_")
        return {
            "name": self.name, "target": self.target, "set": self.set, "version": self.version,
            "description": self.description, "platform": self.platform, "short": short,
            "whole": "cudaPackages_${cuda}" if short != self.set else "cudaPackages",
            "flags": f"[ {' '.join(map(json.dumps, self.flags))} ]",
            "digest": f"sha256 = {json.dumps(self.hash)};" if self.hash else "",
            "caps": f'cudaCapabilities = [ "{self.target}" ];' if self.caps else "",
            # A list that is written, or one of nixpkgs' own.
            "platforms": self.platform if "." in self.platform else f'[ "{self.platform}" ]',
        }  # fmt: skip


def filled(file: str, parts: Mapping[str, str]) -> str:
    """The *file* of `tests/data/by-hand/` with *parts* in their places, `@NAME@`."""
    text = (_FOLDER / f"{file}.nix").read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda place: parts[place[1]], text)


def _whole(style: str) -> Callable[[Recipe], dict[str, str]]:
    return lambda one: {f"{one.name}.nix": filled(style, one.parts())}


def _wrapper(one: Recipe) -> dict[str, str]:
    """A file of a few arguments, and one that all share."""
    parts = one.parts()
    shared = {
        name: text.replace(f'"{one.target}"', "gpu").replace(f'"{one.platform}"', "platform")
        for name, text in parts.items()
    }
    return {f"pkgs/{one.name}.nix": filled("wrapper", parts), "lib/mk.nix": filled("mk", shared)}


STYLES: Final[Mapping[str, Callable[[Recipe], dict[str, str]]]] = {
    "chain": _whole("chain"),  # a pinned nixpkgs, and a chain of overrides
    "function": _whole("function"),  # called with packages, the set among them
    "wrapper": _wrapper,
    "scratch": _whole("scratch"),  # Torch built from its sources
}
