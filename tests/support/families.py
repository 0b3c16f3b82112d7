"""Families of recipes by hand: one for each GPU and each instruction set, in a style of writing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Final

from support.byhand import AVX2, STYLES, Recipe, filled
from support.compile import ROOT

GPUS: Final = {"sm80": "8.0", "sm90": "9.0", "sm100": "10.0", "sm120": "12.0"}
ISAS: Final = {
    "avx2": AVX2,
    "avx512": ("-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mfma"),
    "avx512vnni": (
        "-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mavx512vnni", "-mfma",
    ),
}  # fmt: skip
CPUS: Final = {"avx2": "haswell", "avx512": "skylake-avx512", "avx512bf16": "cooperlake"}
ODD: Final = "pytorch-sm90-avx512"
"""The recipe that faults are planted in."""


def family(style: str, change: Callable[[Recipe], Recipe] | None = None) -> dict[str, str]:
    """Texts by path: the recipes in `pkgs/`, and what they import; one of them with a *change*."""
    made: dict[str, str] = {}
    for gpu, target in GPUS.items():
        for isa, flags in ISAS.items():
            name = f"pytorch-{gpu}-{isa}"
            one = Recipe(target=target, flags=flags, description=f"PyTorch for {gpu.upper()}")
            if change is not None and name == ODD:
                one = change(one)
            for path, text in STYLES[style](one).items():
                shared = path.startswith("lib/")
                place = path if "/" in path else f"pkgs/{path}"
                made[place.replace(one.name, name)] = (
                    text if shared else text.replace(one.name, name)
                )
    return made


def put(folder: Path, files: Mapping[str, str]) -> Path:
    """Write *files* below *folder*; the folder of the recipes."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder / "pkgs"


def planted(old: str, new: str, name: str = ODD) -> dict[str, str]:
    """The chains of overrides, one of them with *new* in the place of *old*."""
    made = family("chain")
    path = f"pkgs/{name}.nix"
    assert old in made[path]
    return {**made, path: made[path].replace(old, new)}


def parametric() -> dict[str, str]:
    """A family of torchvision recipes that one function makes, from values in tables: two GPUs with
    two toolkits each, and `cpu.nix`, which is called otherwise."""
    root = ROOT / "tests" / "data" / "parametric"
    files = sorted(one for one in root.rglob("*.nix"))
    return {one.relative_to(root).as_posix(): one.read_text(encoding="utf-8") for one in files}


def codecs() -> dict[str, str]:
    """FFmpeg by callPackage: another set of codecs and another CPU in each."""
    made: dict[str, str] = {}
    sets = {
        "full": ("true", "true", "full"),
        "small": ("false", "false", "small"),
        "gpl": ("true", "false", "GPL"),
    }
    for (name, (x264, x265, label)), (cpu, march) in product(sets.items(), CPUS.items()):
        extra = ' "--disable-doc"' if name == "small" else ""
        parts = {"name": name, "x264": x264, "x265": x265, "label": label, "cpu": cpu}
        text = filled("ffmpeg", {**parts, "march": march, "extra": extra})
        made[f"pkgs/ffmpeg-{name}-{cpu}.nix"] = text
    return made
