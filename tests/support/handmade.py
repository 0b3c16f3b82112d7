"""Recipes as people write them by hand: other names, other forms, other orders than tvarc's."""

from __future__ import annotations

from collections.abc import Sequence

from tvarc.byhand.audit.model import RecipeFacts

GOOD_PIN = "6a030d535719c5190187c4cec156f335e95e3211"
OLD_PIN = "fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3"
AVX512 = ("-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mfma")

_CUDA = "(final: prev: { cudaPackages = final.cudaPackages_13; })"
_MAGMA = """\
(final: prev: {
        magma = prev.magma.overrideAttrs (oldAttrs: {
          patches = (oldAttrs.patches or []) ++ [
            (final.fetchpatch {
              name = "cuda-13.0-clockrate-fix.patch";
              url = "https://github.com/icl-utk-edu/magma/commit/235aefb7b064954fce09d035c69907ba8a87cbcd.patch";
              hash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
            })
          ];
        });
      })"""
_TORCH = """\
(self: super: {
        python3Packages = super.python3Packages.override {
          overrides = pself: psuper: {
            torch = psuper.torch.overrideAttrs (oldAttrs: rec {
              version = "2.10.0";
              src = super.fetchFromGitHub {
                owner = "pytorch";
                repo = "pytorch";
                rev = "v${version}";   # the tag
                hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
                fetchSubmodules = true;
              };
              patches = [];
            });
          };
        };
      })"""
_WHOLE = """\
# By hand, for @name@
{ pkgs ? import <nixpkgs> {} }:

let
  fixed = import (builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/@pin@.tar.gz";
  }) {
    config = { allowUnfree = true; @broken@cudaSupport = true; };
    overlays = [
      @overlays@
    ];
  };

  gpuArchSM = "@sm@";
  cpuFlags = [ @flags@ ];   # what the CPU has
@helper@
in
  (fixed.python3Packages.@torch@.override {
    cudaSupport = true;
    gpuTargets = [ gpuArchSM ];@args@
  }).overrideAttrs (oldAttrs: {
    pname = "@pname@";
    ninjaFlags = [ "-j32" ];
    requiredSystemFeatures = [ "big-parallel" ];@attrs@
    cmakeFlags = (oldAttrs.cmakeFlags or []) ++ [
      "-DTORCH_BUILD_VERSION=2.10.0"
      "-DCMAKE_CUDA_FLAGS=-I/build/cccl-compat"
      "-DCUDA_VERSION=13.0"@cmake@
    ];
    preConfigure = (oldAttrs.preConfigure or "") + ''
      export CXXFLAGS="${fixed.lib.concatStringsSep " " cpuFlags} $CXXFLAGS"
      export CFLAGS="${fixed.lib.concatStringsSep " " cpuFlags} $CFLAGS"
      export MAX_JOBS=32@script@
      echo "GPU target: ${gpuArchSM}"
    '';
    meta = oldAttrs.meta // {
      description = "PyTorch by hand";
      platforms = [ "@platform@" ];
    };
  })
"""
_NIGHTLY = """\
{ python3, lib, fetchFromGitHub, cudaPackages_13 }:

let
  gpuArchSM = "sm_121";
  cpuFlags = [ "-march=armv9-a+sve+sve2" ];
  torchSource = "${toString <nixpkgs>}/pkgs/development/python-modules/torch/source";
  base = python3.pkgs.callPackage torchSource {
    cudaPackages = cudaPackages_13 // { cusparselt = cudaPackages_13.libcusparse_lt; };
    cudaSupport = true;
    gpuTargets = [ gpuArchSM ];
  };
in
base.overrideAttrs (oldAttrs: let
  nightly = fetchFromGitHub {
    owner = "pytorch"; repo = "pytorch"; rev = "v2.9.0"; hash = ""; fetchSubmodules = true;
  };
in {
  pname = "pytorch-python313-cuda13_0-sm121-armv9-nightly";
  version = "2.9.0-nightly";
  src = nightly;
  preConfigure = (oldAttrs.preConfigure or "") + ''
    export CXXFLAGS="$CXXFLAGS ${lib.concatStringsSep " " cpuFlags}"
  '';
  meta = oldAttrs.meta // { platforms = [ "aarch64-linux" ]; };
})
"""


def handmade(
    name: str,
    *,
    sm: str = "12.0",
    flags: Sequence[str] = AVX512,
    platform: str = "x86_64-linux",
    pname: str | None = None,
    pin: str = GOOD_PIN,
    overlays: Sequence[str] = (_CUDA, _MAGMA, _TORCH),
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
    text = _WHOLE
    for key, value in parts.items():
        text = text.replace(f"@{key}@", value)
    return text


def outdated(name: str, **changes: object) -> str:
    """A recipe of the older kind: another pin, no overlays, another attribute, no prefix."""
    given: dict[str, object] = {
        "pin": OLD_PIN, "overlays": (), "torch": "pytorch", "broken": False, "pname": name,
        **changes,
    }  # fmt: skip
    return handmade(name, **given)  # type: ignore[arg-type]


def nightly() -> str:
    """A recipe that calls nixpkgs' expression of Torch itself."""
    return _NIGHTLY


MAGMA_PATCH, TORCH_SOURCE, CUDA_13 = _MAGMA, _TORCH, _CUDA


def forms(facts: RecipeFacts) -> dict[str, str]:
    """How the overlays of a recipe change what they change, by path."""
    return {path: seen.form for path, seen in facts.effects.items()}
