"""Programs on `std.torch-build` for tests."""

from __future__ import annotations

from typing import Final

PIN: Final = "0182a361324364ae3f436a63005877674cf45efb"
# What every program on the library begins with, and all axes that its recipes read.
HEAD: Final = """
use std.nvidia
use std.amd
use std.cpu
use std.cuda
use std.torch
use std.torch-build

pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "0182a361324364ae3f436a63005877674cf45efb"
  hash   = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
  config { allowUnfree = true }
}
output nix { file = "{{variant}}.nix" }

axis gpu     = nvidia
axis isa     = cpu
axis toolkit = cuda-toolkit
axis release = torch-release
axis gfx     = amd
"""


def program(*items: str) -> str:
    """A program with these matrices and recipes."""
    return "\n".join([HEAD, *items, ""])


def cuda(name: str, *more: str, gpu: str, isa: str = "avx2", toolkit: str = "cuda12_8") -> str:
    """A matrix of `torch-cuda` whose variants are `NAME-TOOLKIT-GPU-ISA`."""
    return matrix(
        name,
        "torch-cuda",
        f"toolkit[{toolkit}] * gpu[{gpu}] * isa[{isa}]",
        f"{name}-{{{{toolkit}}}}-{{{{gpu}}}}-{{{{isa}}}}",
        *more,
    )


def cpu(name: str, *more: str, isa: str = "avx2") -> str:
    """A matrix of `torch-cpu` whose variants are `NAME-ISA`."""
    return matrix(name, "torch-cpu", f"isa[{isa}]", f"{name}-{{{{isa}}}}", *more)


def rocm(name: str, *more: str, gfx: str, isa: str = "avx2") -> str:
    """A matrix of `torch-rocm` whose variants are `NAME-GFX-ISA`."""
    axes = f"gfx[{gfx}] * isa[{isa}]"
    return matrix(name, "torch-rocm", axes, f"{name}-{{{{gfx}}}}-{{{{isa}}}}", *more)


def matrix(name: str, recipe: str, axes: str, pattern: str, *more: str) -> str:
    lines = [f"recipe = {recipe}", f"axes = {axes}", f'name = "{pattern}"', *more]
    return "\n  ".join([f"matrix of-{name} {{", *lines]) + "\n}"
