"""Recipes of PyTorch by hand in the four styles that people use, right or with a fault planted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

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

    @property
    def name(self) -> str:
        return "pytorch-by-hand"


def _nixpkgs(one: Recipe, overlays: str) -> str:
    digest = f'sha256 = "{one.hash}";' if one.hash else ""
    caps = f'cudaCapabilities = [ "{one.target}" ];' if one.caps else ""
    return f"""import (builtins.fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{PIN}.tar.gz";
    {digest}
  }}) {{
    config = {{ allowUnfree = true; cudaSupport = true; allowBroken = true; {caps} }};
    overlays = [ {overlays} ];
  }}"""


def _changes(one: Recipe, name: str = "gpu") -> str:
    return f"""(oldAttrs: {{
    pname = "{one.name}";
    version = "{one.version}";
    preConfigure = (oldAttrs.preConfigure or "") + ''
      export CXXFLAGS="${{lib.concatStringsSep " " cpuFlags}} $CXXFLAGS"
      echo "GPU target: ${{{name}}}"
    '';
    meta = oldAttrs.meta // {{
      description = "{one.description}";
      platforms = {_platforms(one)};
    }};
  }})"""


def _platforms(one: Recipe) -> str:
    """A list that is written, or one of nixpkgs' own."""
    return one.platform if "." in one.platform else f'[ "{one.platform}" ]'


def _flags(one: Recipe) -> str:
    return "[ " + " ".join(f'"{flag}"' for flag in one.flags) + " ]"


def chain(one: Recipe) -> dict[str, str]:
    """A pinned nixpkgs, and a chain of overrides."""
    overlay = f"(final: prev: {{ cudaPackages = final.{one.set}; }})"
    text = f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  nixpkgs_pinned = {_nixpkgs(one, overlay)};
  inherit (nixpkgs_pinned) lib;
  gpu = "{one.target}";
  cpuFlags = {_flags(one)};
in
  (nixpkgs_pinned.python3Packages.torch.override {{
    cudaSupport = true;
    gpuTargets = [ gpu ];
  }}).overrideAttrs {_changes(one)}
"""
    return {f"{one.name}.nix": text}


def function(one: Recipe) -> dict[str, str]:
    """A function that is called with packages, the set among them."""
    text = f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  pinned = {_nixpkgs(one, "")};
  gpu = "{one.target}";
  cpuFlags = {_flags(one)};
in
pinned.callPackage (
  {{ lib, python3Packages, {one.set}, fetchFromGitHub }}:
  let
    torch = python3Packages.torch.override {{
      cudaPackages = {one.set};
      cudaSupport = true;
      gpuTargets = [ gpu ];
    }};
  in
  torch.overrideAttrs {_changes(one)}
) {{ }}
"""
    return {f"{one.name}.nix": text}


def wrapper(one: Recipe) -> dict[str, str]:
    """A file of a few arguments, and one that all share."""
    short = one.set.removeprefix("cudaPackages_")
    whole = "cudaPackages_${cuda}" if short != one.set else "cudaPackages"
    overlay = f'(final: prev: {{ cudaPackages = final.${{"{whole}"}}; }})'
    mine = f"""import ../lib/mk.nix {{
  gpu = "{one.target}";
  cuda = "{short}";
  cpuFlags = {_flags(one)};
  platform = "{one.platform}";
  description = "{one.description}";
}}
"""
    shared = f"""{{ gpu, cuda ? "12_9", cpuFlags ? [ ], platform, description, pname ? "{
        one.name
    }" }}:
let
  nixpkgs = {_nixpkgs(one, overlay).replace(f'"{one.target}"', "gpu")};
  inherit (nixpkgs) lib;
  mkTorch = target: nixpkgs.python3Packages.torch.override {{
    cudaSupport = true;
    gpuTargets = [ target ];
  }};
in
(mkTorch gpu).overrideAttrs {
        _changes(one)
        .replace(f'"{one.description}"', "description")
        .replace(f'"{one.platform}"', "platform")
        .replace(f'pname = "{one.name}";', "inherit pname;")
    }
"""
    return {f"pkgs/{one.name}.nix": mine, "lib/mk.nix": shared}


def scratch(one: Recipe) -> dict[str, str]:
    """Torch built from its sources."""
    text = f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  nixpkgs = {_nixpkgs(one, "")};
  inherit (nixpkgs) lib;
  gpu = "{one.target}";
  cpuFlags = {_flags(one)};
in
nixpkgs.python3Packages.buildPythonPackage rec {{
  pname = "{one.name}";
  version = "{one.version}";
  src = nixpkgs.fetchFromGitHub {{
    owner = "pytorch";
    repo = "pytorch";
    rev = "v${{version}}";
    hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
    fetchSubmodules = true;
  }};
  nativeBuildInputs = [ nixpkgs.cmake nixpkgs.ninja nixpkgs.{one.set}.cuda_nvcc ];
  buildInputs = with nixpkgs.{one.set}; [ cudnn libcublas nixpkgs.magma ];
  env.TORCH_CUDA_ARCH_LIST = gpu;
  preConfigure = ''
    export CXXFLAGS="${{lib.concatStringsSep " " cpuFlags}} $CXXFLAGS"
    echo "GPU target: ${{gpu}}"
  '';
  meta = {{
    description = "{one.description}";
    platforms = {_platforms(one)};
  }};
}}
"""
    return {f"{one.name}.nix": text}


STYLES: Final = {"chain": chain, "function": function, "wrapper": wrapper, "scratch": scratch}

_ARM: Final = replace(Recipe(), flags=ARMV9, platform="aarch64-linux", description="PyTorch")
_THOR: Final = replace(_ARM, target="11.0", set="cudaPackages_13_0")
RIGHT: Final = {
    "hopper": Recipe(),
    "grace-hopper": _ARM,
    "thor": _THOR,
    "spark": replace(_ARM, target="12.1", description="PyTorch for the GB10 (SM121)"),
    "thor-by-list": replace(_THOR, platform="lib.platforms.aarch64"),
    "blackwell": replace(Recipe(), target="10.3", description="PyTorch for the B300, CUDA 12.9"),
    "volta": replace(Recipe(), target="8.0", description="PyTorch for SM80: A100, RTX 3090"),
}
WRONG: Final = {
    # Each fault: the code that tells it, and the recipe that has it.
    "x86-flags-on-arm": ("W106", replace(_ARM, flags=AVX2)),
    "arm-flags-on-x86": ("W106", replace(Recipe(), flags=ARMV9)),
    "x86-flags-on-lists-of-arm": (
        "W106",
        replace(_ARM, flags=AVX2, platform="lib.platforms.aarch64"),
    ),
    "no-target": ("W103", replace(Recipe(), target="banana")),
    "no-such-set": ("W122", replace(Recipe(), set="cudaPackages_99_9")),
    "sm-target": ("W103", replace(Recipe(), target="sm_90")),
    "bare-target": ("W103", replace(Recipe(), target="90")),
    "absent-target": ("W151", replace(Recipe(), target="9.1")),
    "cuda-too-old-103": (
        "W102",
        replace(Recipe(), target="10.3", set="cudaPackages_12_8", description="PyTorch"),
    ),
    "cuda-too-old-110": ("W102", replace(_THOR, set="cudaPackages_12_8")),
    "cuda-too-old-121": ("W102", replace(_ARM, target="12.1", set="cudaPackages_12_8")),
    "cuda-too-new": (
        "W102",
        replace(Recipe(), target="7.0", set="cudaPackages_13_0", description="PyTorch"),
    ),
    "x86-beside-thor": (
        "W101",
        replace(Recipe(), target="11.0", set="cudaPackages_13_0", description="PyTorch"),
    ),
    "x86-beside-spark": ("W101", replace(Recipe(), target="12.1", description="PyTorch")),
    "gpu-misnamed": ("W119", replace(Recipe(), description="PyTorch for SM90 (H100, L40S)")),
    "gpu-of-others": ("W119", replace(Recipe(), description="PyTorch for DRIVE Thor")),
    "cuda-misnamed": ("W120", replace(Recipe(), description="PyTorch with CUDA 13.0")),
    "pin-without-hash": ("W105", replace(Recipe(), hash="")),
    "pin-hash-differs": (
        "W152",
        replace(Recipe(), hash="sha256-nj2SvACFH+NERpye1kudcuygCcvnsZYv26M2+wgM5vE="),
    ),
    "moving-alias": ("W104", replace(Recipe(), set="cudaPackages_12")),
    "torch-alone": ("W110", replace(Recipe(), caps=False)),
    "torch-too-old": ("W123", replace(_THOR, version="2.8.0")),
    "set-not-there": ("W122", replace(Recipe(), set="cudaPackages_12_4")),
}
