"""Folders of recipes with one thing out of line, by the code of the finding that tells it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from support.command import tvarc
from support.handmade import CUDA_13, GOOD_PIN, OLD_PIN, TORCH_SOURCE, handmade

HEAD: Final = "pytorch-python313-cuda13_0-"


def file(folder: Path, cell: str) -> Path:
    return folder / f"{HEAD}{cell}.nix"


def rewrite(path: Path, old: str, new: str) -> None:
    """Change a recipe of tvarc's; it fails when there is nothing to change."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def put(folder: Path, cell: str, text: str) -> None:
    file(folder, cell).write_text(text, encoding="utf-8")


Break = Callable[[Path], None]


def rewritten(cell: str, old: str, new: str) -> Break:
    return lambda folder: rewrite(file(folder, cell), old, new)


def by_hand(cell: str = "sm120-avx512", **changes: Any) -> Break:
    return lambda folder: put(folder, cell, handmade(f"{HEAD}{cell}", **changes))


def hidden(folder: Path) -> None:
    below = folder / f"{HEAD}sm90-avx2"
    below.mkdir()
    file(folder, "sm90-avx2").rename(below / "default.nix")
    put(folder, "sm90-avx2", handmade(f"{HEAD}sm90-avx2", sm="9.0"))


def copy(folder: Path) -> None:
    source = file(folder, "sm120-avx512").read_text(encoding="utf-8")
    put(folder, "sm120-avx512-magma", source.partition("\n{")[2].join(("{", "")))


def not_understood(folder: Path) -> None:
    by_hand()(folder)
    given = "gpuTargets = [ gpuArchSM ];"
    rewrite(file(folder, "sm120-avx512"), given, f"{given} magma = customMagma;")
    made = "let\n  customMagma = fixed.magma.override { static = true; };\n"
    rewrite(file(folder, "sm120-avx512"), "\nlet\n", f"\n{made}")


_STACK: Final = """
overlay torch-of-the-cell in python3Packages { torch = needs.torch }

matrix visions {
  recipe  = torch-cpu
  package = pkgs.python3Packages.torchvision
  axes    = isa[avx2, avx512]
  name    = "torchvision-cpu-{{isa}}"
  needs torch = cpu-builds
  overlays = [torch-of-the-cell]
}
"""


def other_need(folder: Path) -> None:
    """A recipe that is built on the Torch of another CPU."""
    program = folder.parents[1] / "variants.tvar"
    program.write_text(program.read_text(encoding="utf-8") + _STACK, encoding="utf-8")
    assert tvarc("build").exit_code == 0
    vision = next(folder.glob("*torchvision-cpu-avx512.nix"))
    rewrite(vision, "cpu-avx512.nix {", "cpu-avx2.nix {")


BROKEN: Final[dict[str, Break]] = {
    "W201": lambda folder: file(folder, "sm80-avx2").unlink(),
    "W202": by_hand("sm90-avx", sm="9.0", flags=["-mavx"]),
    "W203": by_hand(),
    "W204": rewritten("sm89-avx2", '"-j32"', '"-j16"'),
    "W205": lambda folder: rewrite(
        folder.parents[1] / "variants.tvar", "-DUSE_CUDA=OFF", "-DUSE_CUDA=0"
    ),
    "W206": lambda folder: put(folder, "sm86-avx2", "{ pkgs }: pkgs.hello.override {\n"),
    "W207": hidden,
    "W208": rewritten("sm110-armv9", GOOD_PIN, OLD_PIN),
    "W209": by_hand(overlays=(CUDA_13, TORCH_SOURCE)),
    "W210": by_hand(pname=f"{HEAD}sm120-avx512"),
    "W211": copy,
    "W212": by_hand(torch="pytorch"),
    "W213": rewritten("sm120-avx512", 'gpuTargets = [ "12.0" ]', 'gpuTargets = [ "12.1" ]'),
    "W214": rewritten("sm121-armv9", '"12.1"', '"9.0"'),
    "W215": by_hand(magma_off=True),
    # A recipe of a cell that is excluded: only its neighbours say for which GPU it should be.
    "W216": by_hand(
        "sm80-armv9", sm="9.0", flags=["-march=armv9-a+sve2+bf16+i8mm"], platform="aarch64-linux"
    ),
    "W217": not_understood,
    "W218": other_need,
}
