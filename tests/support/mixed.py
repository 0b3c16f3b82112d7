"""One tool by hand, some of its recipes in one style of writing and some in others."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Final

from support.byhand import HASH

GPUS: Final = {
    "sm75": "7.5", "sm80": "8.0", "sm86": "8.6", "sm89": "8.9", "sm90": "9.0",
    "sm100": "10.0", "sm103": "10.3", "sm110": "11.0", "sm120": "12.0", "sm121": "12.1",
}  # fmt: skip
CPUS: Final = {
    "avx2": "haswell",
    "avx512": "skylake-avx512",
    "avx512vnni": "cascadelake",
    "avx512bf16": "cooperlake",
    "armv8_2": "armv8.2-a",
    "armv9": "armv9-a",
}

Cell = tuple[str, str]


def _platform(isa: str) -> str:
    return "aarch64-linux" if isa.startswith("arm") else "x86_64-linux"


def changed(gpu: str, isa: str) -> str:
    """Attributes of a package, changed."""
    option = "-DUSE_SVE=ON" if isa.startswith("arm") else "-DUSE_AVX2=ON"
    more = " pkgs.numactl" if isa.startswith("arm") else ""
    return f"""{{ pkgs }}:
pkgs.ffmpeg.overrideAttrs (old: {{
  pname = "tool-{gpu}-{isa}";
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DUSE_CUDA=ON"
    "-DCUDA_ARCHITECTURES={GPUS[gpu]}"
    "-DUSE_NATIVE=OFF"
    "{option}"
  ];
  buildInputs = (old.buildInputs or [ ]) ++ [ pkgs.zlib{more} ];
  preConfigure = (old.preConfigure or "") + ''
    export CFLAGS="-O3 -march={CPUS[isa]}"
    export CUDAARCHS={GPUS[gpu]}
    echo "building for {gpu}"
  '';
  postInstall = (old.postInstall or "") + ''
    ln -s ffmpeg $out/bin/tool-{gpu}
    rm -rf $out/include
  '';
  meta = (old.meta or {{ }}) // {{
    description = "Tool for {gpu} on {isa}, quick";
    platforms = [ "{_platform(isa)}" ];
  }};
}})
"""


def configured(gpu: str, isa: str) -> str:
    """A package with other arguments, and attributes changed in other ways."""
    new = float(GPUS[gpu]) >= 10
    arm = isa.startswith("arm")
    return f"""{{ pkgs, lib }}:
let
  gpu = "{GPUS[gpu]}";
  flags = [ "-mcpu={CPUS[isa]}" "-fno-plt" ];
in
(pkgs.ffmpeg.override {{
  withX264 = {"false" if arm else "true"};
  withX265 = {"true" if new else "false"};
}}).overrideAttrs (old: {{
  pname = "tool-{gpu}-{isa}";
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DBUILD_FOR=${{gpu}}"
    "-DUSE_NVENC={"1" if new else "0"}"
    "-DWITH_TESTS=0"
  ] ++ lib.optionals {"true" if arm else "false"} [ "-DARM=1" "-DASM=neon" ];
  buildInputs = (old.buildInputs or [ ]) ++ [ pkgs.openssl pkgs.curl ];
  preConfigure = ''
    patchShebangs .
    export CXXFLAGS="${{lib.concatStringsSep " " flags}}"
    ./autogen.sh --target {gpu}
  '' + (old.preConfigure or "");
  postInstall = (old.postInstall or "") + ''
    install -m644 LICENSE $out/share/
    echo {gpu} {isa} > $out/share/built-for
    strip -s $out/bin/*
  '';
  doCheck = {"false" if arm else "true"};
  meta = (old.meta or {{ }}) // {{
    description = "The tool, {GPUS[gpu]}, with {CPUS[isa]}";
    platforms = [ "{_platform(isa)}" ];
  }};
}})
"""


def from_scratch(gpu: str, isa: str) -> str:
    """A derivation that is written out, and called."""
    more = " openssl" if isa.startswith("arm") else ""
    return f"""{{ pkgs }}:
pkgs.callPackage (
  {{ stdenv, cmake, zlib, openssl, fetchurl, lib, ninja }}:
  stdenv.mkDerivation {{
    pname = "tool-{gpu}-{isa}";
    version = "2.1";
    src = fetchurl {{
      url = "https://example.org/tool-2.1.tar.gz";
      hash = "{HASH}";
    }};
    nativeBuildInputs = [ cmake ninja ];
    buildInputs = [ zlib{more} ];
    cmakeFlags = [
      "-DTARGET={GPUS[gpu]}"
      "-DARCH={CPUS[isa]}"
      "-DCMAKE_BUILD_TYPE=Release"
    ];
    preConfigure = ''
      substituteInPlace CMakeLists.txt --replace native {CPUS[isa]}
      mkdir -p build && cd build
    '';
    installPhase = ''
      runHook preInstall
      mkdir -p $out/bin
      cp tool $out/bin/tool-{isa}
      echo {gpu} > $out/gpu
      runHook postInstall
    '';
    meta = {{
      description = "Tool, {gpu}";
      platforms = [ "{_platform(isa)}" ];
    }};
  }}
) {{ }}
"""


STYLES: Final[tuple[Callable[[str, str], str], ...]] = (changed, configured, from_scratch)


def by_gpu() -> dict[Cell, int]:
    """The number of a style for each GPU and each CPU: a style for some of the GPUs."""
    numbers = {gpu: number % len(STYLES) for number, gpu in enumerate(GPUS)}
    return {cell: numbers[cell[0]] for cell in product(GPUS, CPUS)}


def scattered(seed: int) -> dict[Cell, int]:
    """The same, each in the style of the day on which it was written."""
    chance = random.Random(seed)
    return {cell: chance.randrange(len(STYLES)) for cell in product(GPUS, CPUS)}


def recipes(styles: dict[Cell, int], only: int | None = None) -> dict[str, str]:
    """The recipes, or those of one style *only*."""
    return {
        f"pkgs/tool-{gpu}-{isa}.nix": STYLES[style](gpu, isa)
        for (gpu, isa), style in styles.items()
        if only in (None, style)
    }
