"""Folders of recipes with one thing out of line, by the code of the finding that tells it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

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


def missing(folder: Path) -> None:
    file(folder, "sm80-avx2").unlink()


def extra(folder: Path) -> None:
    put(folder, "sm90-avx", handmade(f"{HEAD}sm90-avx", sm="9.0", flags=["-mavx"]))


def by_hand(folder: Path) -> None:
    put(folder, "sm120-avx512", handmade(f"{HEAD}sm120-avx512"))


def edited(folder: Path) -> None:
    rewrite(file(folder, "sm89-avx2"), '"-j32"', '"-j16"')


def stale(folder: Path) -> None:
    program = folder.parents[1] / "variants.tvar"
    rewrite(program, "-DUSE_CUDA=OFF", "-DUSE_CUDA=0")


def unreadable(folder: Path) -> None:
    put(folder, "sm86-avx2", "{ pkgs ? import <nixpkgs> { } }: pkgs.hello.override {\n")


def hidden(folder: Path) -> None:
    below = folder / f"{HEAD}sm90-avx2"
    below.mkdir()
    file(folder, "sm90-avx2").rename(below / "default.nix")
    put(folder, "sm90-avx2", handmade(f"{HEAD}sm90-avx2", sm="9.0"))


def wrong_pin(folder: Path) -> None:
    rewrite(file(folder, "sm110-armv9"), GOOD_PIN, OLD_PIN)


def no_magma_patch(folder: Path) -> None:
    name = f"{HEAD}sm120-avx512"
    put(folder, "sm120-avx512", handmade(name, overlays=(CUDA_13, TORCH_SOURCE)))


def wrong_name(folder: Path) -> None:
    name = f"{HEAD}sm120-avx512"
    put(folder, "sm120-avx512", handmade(name, pname=name))


def copy(folder: Path) -> None:
    source = file(folder, "sm120-avx512").read_text(encoding="utf-8")
    put(folder, "sm120-avx512-magma", source.partition("\n{")[2].join(("{", "")))


def wrong_package(folder: Path) -> None:
    put(folder, "sm120-avx512", handmade(f"{HEAD}sm120-avx512", torch="pytorch"))


def wrong_target(folder: Path) -> None:
    rewrite(file(folder, "sm120-avx512"), 'gpuTargets = [ "12.0" ]', 'gpuTargets = [ "12.1" ]')


def contradiction(folder: Path) -> None:
    rewrite(file(folder, "sm121-armv9"), '"12.1"', '"9.0"')


def magma_off(folder: Path) -> None:
    put(folder, "sm120-avx512", handmade(f"{HEAD}sm120-avx512", magma_off=True))


def apart(folder: Path) -> None:
    """A recipe of a cell that is excluded: only its neighbours say for which GPU it should be."""
    name = f"{HEAD}sm80-armv9"
    flags = ["-march=armv9-a+sve2+bf16+i8mm"]
    put(folder, "sm80-armv9", handmade(name, sm="9.0", flags=flags, platform="aarch64-linux"))


def not_understood(folder: Path) -> None:
    given = "magma = customMagma;"
    text = handmade(f"{HEAD}sm120-avx512").replace(
        "gpuTargets = [ gpuArchSM ];", f"gpuTargets = [ gpuArchSM ]; {given}"
    )
    made = "let\n  customMagma = fixed.magma.override { static = true; };\n"
    put(folder, "sm120-avx512", text.replace("let\n", made, 1))


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


BROKEN: Final[dict[str, Callable[[Path], None]]] = {
    "W201": missing,
    "W202": extra,
    "W203": by_hand,
    "W204": edited,
    "W205": stale,
    "W206": unreadable,
    "W207": hidden,
    "W208": wrong_pin,
    "W209": no_magma_patch,
    "W210": wrong_name,
    "W211": copy,
    "W212": wrong_package,
    "W213": wrong_target,
    "W214": contradiction,
    "W215": magma_off,
    "W216": apart,
    "W217": not_understood,
    "W218": other_need,
}
