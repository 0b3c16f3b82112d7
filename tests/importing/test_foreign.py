"""Families of other kinds than PyTorch's: real Nix finds that what is built is the same."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Final

import pytest

from support.byhand import HASH, PIN
from support.command import tvarc
from support.effort import sampled
from support.families import CPUS, codecs, put
from support.nix import requires_nix
from support.recipes import drv_paths

# --- the families ---------------------------------------------------------------------------------

_NIXPKGS: Final = f"""import (builtins.fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{PIN}.tar.gz";
    sha256 = "{HASH}";
  }})"""


def members() -> dict[str, str]:
    """A package of Haskell's set, which an overlay changes, with other options in each."""
    made: dict[str, str] = {}
    for profile, split in product(("dev", "release"), ("static", "shared")):
        flag = "-O0" if profile == "dev" else "-O2"
        linking = "--disable-shared" if split == "static" else "--enable-shared"
        made[f"pkgs/aeson-{profile}-{split}.nix"] = f"""let
  nixpkgs = {_NIXPKGS} {{
    config = {{ }};
    overlays = [
      (final: prev: {{
        haskellPackages = prev.haskellPackages.override {{
          overrides = hfinal: hprev: {{
            text = hprev.text.overrideAttrs (_: {{ doCheck = false; }});
          }};
        }};
      }})
    ];
  }};
  flags = [ "{flag}" "{linking}" ];
in
nixpkgs.haskellPackages.aeson.overrideAttrs (finalAttrs: old: {{
  configureFlags = (old.configureFlags or [ ]) ++ flags;
  doCheck = {"true" if profile == "release" else "false"};
  passthru = (old.passthru or {{ }}) // {{ profile = "{profile}"; }};
  label = "${{finalAttrs.pname}} {profile}";
}})
"""
    return made


def scratch() -> dict[str, str]:
    """A tool from its sources, with other flags in each; a patch stands beside the recipes."""
    made = {"pkgs/fix.patch": "--- a/x\n+++ b/x\n"}
    for simd, threads in product(CPUS, ("st", "mt")):
        option = "ON" if threads == "mt" else "OFF"
        more = "\n    numactl" if threads == "mt" else ""
        made[f"pkgs/solver-{simd}-{threads}.nix"] = f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  nixpkgs = {_NIXPKGS} {{ }};
in
nixpkgs.stdenv.mkDerivation (finalAttrs: {{
  pname = "solver-{simd}-{threads}";
  version = "3.2.1";
  src = nixpkgs.fetchFromGitHub {{
    owner = "example";
    repo = "solver";
    rev = "v${{finalAttrs.version}}";
    hash = "{HASH}";
  }};
  patches = [ ./fix.patch ];
  nativeBuildInputs = [ nixpkgs.cmake ];
  buildInputs = with nixpkgs; [
    zlib{more}
  ];
  cmakeFlags = [
    "-DSOLVER_ARCH={CPUS[simd]}"
    "-DSOLVER_THREADS={option}"
  ];
  postInstall = ''
    echo "{simd}" > $out/simd
  '';
  meta.platforms = [ "x86_64-linux" ];
}})
"""
    return made


def snakes() -> dict[str, str]:
    """A package of Python's, built anew, on NumPy that an overlay changes."""
    made: dict[str, str] = {}
    for python, isa in product(("py312", "py313"), CPUS):
        set_name = f"python{python[2:]}Packages"
        made[f"pkgs/scipy-{python}-{isa}.nix"] = f"""{{ system ? builtins.currentSystem, pkgs }}:
let
  nixpkgs = {_NIXPKGS} {{
    inherit (pkgs) system;
    overlays = [
      (final: prev: {{
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyfinal: pyprev: {{
            numpy = pyprev.numpy.overridePythonAttrs (old: {{
              doCheck = false;
              env.NPY_CPU = "{CPUS[isa]}";
            }});
          }})
        ];
      }})
    ];
  }};
in
(nixpkgs.{set_name}.scipy.overridePythonAttrs (old: {{
  doCheck = false;
  version = "${{old.version}}+{isa}";
}})).overrideAttrs (old: {{
  preBuild = (old.preBuild or "") + ''
    export CFLAGS="-march={CPUS[isa]}"
  '';
}})
"""
    return made


def functions() -> dict[str, str]:
    """A few arguments in each file, of a function that they share, by callPackage."""
    made = {
        "lib/daemon.nix": """{ lib, stdenv, zlib, variant, level, extra ? [ ] }:
stdenv.mkDerivation {
  pname = "daemon-${variant}";
  version = "1.0";
  buildInputs = [ zlib ] ++ extra;
  configureFlags = [ "--level=${toString level}" ];
  meta.platforms = lib.platforms.linux;
}
"""
    }
    for number, name in enumerate(("quiet", "loud", "debug")):
        made[f"pkgs/daemon-{name}.nix"] = f"""{{ callPackage, numactl }}:
callPackage ../lib/daemon.nix {{
  variant = "{name}";
  level = {number};
  extra = [ numactl ];
}}
"""
    return made


def siblings() -> dict[str, str]:
    """Packages on others beside them: by a file, by callPackage, and one that all take."""
    made = {
        "pkgs/base.nix": f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
(({_NIXPKGS} {{ inherit (pkgs) system; }}).zlib).overrideAttrs (_: {{ pname = "base"; }})
"""
    }
    for gpu in ("sm80", "sm90"):
        made[f"pkgs/numpy-{gpu}.nix"] = f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  nixpkgs = {_NIXPKGS} {{ inherit (pkgs) system; }};
in
nixpkgs.python3Packages.numpy.overrideAttrs (_: {{ pname = "numpy-{gpu}"; }})
"""
        made[f"pkgs/tool-{gpu}.nix"] = f"""{{ hello }}:
hello.overrideAttrs (_: {{ pname = "tool-{gpu}"; }})
"""
        for isa in CPUS:
            made[f"pkgs/scipy-{gpu}-{isa}.nix"] = f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  numpy = import ./numpy-{gpu}.nix {{ inherit pkgs; }};
  tool = pkgs.callPackage ./tool-{gpu}.nix {{ }};
  base = import ./base.nix {{ }};
  nixpkgs = {_NIXPKGS} {{
    inherit (pkgs) system;
    overlays = [
      (final: prev: {{
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyfinal: pyprev: {{ inherit numpy; }})
        ];
      }})
    ];
  }};
in
nixpkgs.python3Packages.scipy.overrideAttrs (old: {{
  pname = "scipy-{gpu}-{isa}";
  buildInputs = (old.buildInputs or [ ]) ++ [ base tool ];
}})
"""
    return made


OTHER: Final = "https://github.com/example/cuda-parts/archive/" + "1" * 40 + ".tar.gz"


def parts() -> dict[str, str]:
    """Packages of another repository, of a file whose name is computed."""
    made: dict[str, str] = {}
    for gpu, isa in product(("sm80", "sm90"), CPUS):
        made[f"pkgs/app-{gpu}-{isa}.nix"] = f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  nixpkgs = {_NIXPKGS} {{ inherit (pkgs) system; }};
  parts = builtins.fetchTarball {{ url = "{OTHER}"; sha256 = "{HASH}"; }};
  gpu = "{gpu}";
  cudart = import "${{parts}}/pkgs/cudart-${{gpu}}.nix" {{ pkgs = nixpkgs; }};
  cudnn = import (parts + "/pkgs/" + "cudnn-{isa}.nix") {{ pkgs = nixpkgs; }};
in
nixpkgs.hello.overrideAttrs (old: {{
  pname = "app-{gpu}-{isa}";
  buildInputs = (old.buildInputs or [ ]) ++ [ cudart cudnn ];
  patches = [ "${{parts}}/all.patch" ];
}})
"""
    return made


def parts_repository() -> dict[str, str]:
    """The files of the other repository."""
    made = {"parts/all.patch": "--- a\n"}
    for name in [f"cudart-{gpu}" for gpu in ("sm80", "sm90")] + [f"cudnn-{isa}" for isa in CPUS]:
        recipe = f'pkgs.zlib.overrideAttrs (_: {{ pname = "{name}"; }})'
        made[f"parts/pkgs/{name}.nix"] = f"{{ pkgs }}: {recipe}\n"
    return made


def compilers() -> dict[str, str]:
    """A derivation for each compiler and purpose, some for a system of two words: names from one
    `with` in another, a hash as it was written of old, lists that are empty in some."""
    made: dict[str, str] = {}
    systems = ("linux-x64", "linux-arm64", "macos")
    for compiler, system, level in product(("gcc13", "clang18"), systems, ("debug", "asan")):
        needed = "zlib" if system == "macos" else ""
        made[f"pkgs/tool-{compiler}-{system}-{level}.nix"] = f"""{{ pkgs }}:
with pkgs;
with lib;
stdenv.mkDerivation rec {{
  pname = "tool-{compiler}-{system}-{level}";
  version = "1.2";
  src = pkgs.fetchurl {{
    url = "https://example.org/tool-${{version}}.tar.gz";
    sha256 = "0ssi1wpaf7plaswqqjwigppsg5fyh99vdlb9kzl7c9lng89ndq1i";
  }};
  nativeBuildInputs = singleton cmake;
  buildInputs = [ {needed} ];
  configureFlags = optional (buildInputs != [ ]) "--with-zlib" ++ [ "--level={level}" ];
  hardeningDisable = optionals (elem "{level}" [ "asan" ]) [ "fortify" ];
}}
"""
    return made


FOREIGN: Final = {
    "compilers": compilers,
    "parts": parts,
    "siblings": siblings,
    "codecs": codecs,
    "members": members,
    "scratch": scratch,
    "snakes": snakes,
    "functions": functions,
}


# --- the tests ------------------------------------------------------------------------------------


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.once
@pytest.mark.parametrize("kind", sampled(FOREIGN, 4))
def test_what_is_built_is_the_same_derivation(kind: str, here: Path) -> None:
    folder = put(here, FOREIGN[kind]())
    tvarc("import", "pkgs", code=0)
    by_hand = {path.stem: path for path in folder.glob("*.nix")}
    put(here, parts_repository())
    sources = {OTHER: here / "parts"}
    wanted = drv_paths(by_hand, sources=sources)
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    built = {path.stem: path for path in (here / "built").rglob("*.nix")}
    assert set(built) == set(by_hand)
    made = drv_paths(built, sources=sources)
    for name in by_hand:
        assert made[name] == wanted[name], name
    assert len(set(wanted.values())) == len(wanted)
