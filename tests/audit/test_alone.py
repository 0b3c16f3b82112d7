"""Recipes by hand without any program: the faults that people make, in the styles that they use."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from support.byhand import ARMV9, AVX2, STYLES, Recipe
from support.command import ROOT, tvarc
from support.effort import sampled
from support.families import put
from tvarc.commands.line import exits

pytestmark = pytest.mark.usefixtures("here")  # there is no program below it

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


def findings(folder: str = "recipes") -> list[dict[str, Any]]:
    done = tvarc("audit", folder, "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == (exits.STALE if _departing(data["findings"]) else exits.OK)
    found: list[dict[str, Any]] = data["findings"]
    return found


def _departing(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in found if one["code"] != "W217"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_has_no_finding(name: str, style: str, tmp_path: Path) -> None:
    put(tmp_path / "recipes", STYLES[style](RIGHT[name]))
    assert findings() == []


@pytest.mark.parametrize(("name", "style"), sampled(product(WRONG, STYLES), 3, several=True))
def test_each_fault_is_found_in_each_style(name: str, style: str, tmp_path: Path) -> None:
    code, recipe = WRONG[name]
    put(tmp_path / "recipes", STYLES[style](recipe))
    assert code in {one["code"] for one in findings()}


# Ways to name the GPUs of a build from scratch to its compilers: 12.0 in each of them.
NAMED = {
    "torch": 'env.TORCH_CUDA_ARCH_LIST = "12.0";',
    "torch-in-cmake": 'cmakeFlags = [ "-DTORCH_CUDA_ARCH_LIST=12.0" ];',
    "cmake": 'cmakeFlags = [ "-GNinja" "-DCMAKE_CUDA_ARCHITECTURES=120" ];',
    "cmake-typed": 'cmakeFlags = [ "-DCMAKE_CUDA_ARCHITECTURES:STRING=120-real;120-virtual" ];',
    "cmake-feature": 'cmakeFlags = [ (lib.cmakeFeature "CMAKE_CUDA_ARCHITECTURES" "120") ];',
    "cmake-variable": "CUDAARCHS = gpu;",
    "cmake-in-a-script": "configurePhase = ''cmake -DCMAKE_CUDA_ARCHITECTURES=\"120\" ..'';",
    "exported": "preBuild = ''export CUDAARCHS='120' '';",
    "nvcc": 'env.NVCC_APPEND_FLAGS = "-gencode arch=compute_120,code=sm_120";',
    "nvcc-list": 'NVCC_FLAGS = [ "-O3" "-gencode=arch=compute_120,code=[sm_120,compute_120]" ];',
    "nvcc-short": 'env.CUDAFLAGS = "-arch=sm_120";',
    "nccl": 'makeFlags = [ "NVCC_GENCODE=-gencode=arch=compute_120,code=sm_120" ];',
}
SCRATCH = """{ pkgs ? import <nixpkgs> { } }:
let
  nixpkgs = import (fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  }) { config = { allowUnfree = true; CAPS allowBroken = true; }; };
  inherit (nixpkgs) lib;
  gpu = "120";
in
nixpkgs.BUILDER {
  pname = "NAME";
  version = "2.10.0";
  buildInputs = [ nixpkgs.SET.cudnn ];
  WAY
  meta.description = "WORDS";
}
"""
BUILDERS = {"torch": "python3Packages.buildPythonPackage", "ggml": "stdenv.mkDerivation"}


def from_scratch(name: str, way: str, words: str, **more: str) -> dict[str, str]:
    text = SCRATCH.replace("BUILDER", BUILDERS[name]).replace("NAME", name).replace("WAY", way)
    caps = 'cudaSupport = true; cudaCapabilities = [ "9.0" ];'
    text = text.replace("WORDS", words).replace("CAPS", more.get("caps", caps))
    return {"one.nix": text.replace("SET", more.get("set", "cudaPackages_12_9"))}


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize("way", NAMED)
def test_gpus_that_a_build_names_to_its_compilers(way: str, name: str, tmp_path: Path) -> None:
    """They are what it is for, whatever nixpkgs is configured for."""
    put(tmp_path / "recipes", from_scratch(name, NAMED[way], "For the RTX 5090 (SM120)"))
    assert [one for one in findings() if one["code"] != "W217"] == []
    put(tmp_path / "recipes", from_scratch(name, NAMED[way], "For the L40S"))
    assert "W119" in {one["code"] for one in findings()}
    # CUDA 12.6 does not know them.
    put(tmp_path / "recipes", from_scratch(name, NAMED[way], "", set="cudaPackages_12_6", caps=""))
    assert "W102" in {one["code"] for one in findings()}


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize(
    "way",
    [
        'cmakeFlags = [ "-DCMAKE_CUDA_ARCHITECTURES=native" ];',
        'cmakeFlags = [ "-DCMAKE_CUDA_ARCHITECTURES=${lib.concatStringsSep ";" (f gpu)}" ];',
        'env.TORCH_CUDA_ARCH_LIST = lib.concatStringsSep ";" (map f [ gpu ]);',
    ],
)
def test_gpus_that_nix_or_the_machine_knows(way: str, name: str, tmp_path: Path) -> None:
    put(tmp_path / "recipes", from_scratch(name, way, "For the RTX 5090 (SM120)"))
    assert [one for one in findings() if one["code"] != "W217"] == []


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_helps_are_for_who_writes_nix(style: str, tmp_path: Path) -> None:
    """Without a program nothing speaks of one, nor of settings as a program has them."""
    for name, (_, recipe) in WRONG.items():
        for path, text in STYLES[style](recipe).items():
            moved = text.replace("by-hand", name).replace("lib/mk.nix", f"lib/{name}.nix")
            put(
                tmp_path / "recipes",
                {path.replace("by-hand", name).replace("lib/mk.nix", f"lib/{name}.nix"): moved},
            )
    found = findings()
    codes = {code for code, _ in WRONG.values()} | {"W216"}
    assert codes <= {one["code"] for one in found}
    for one in found:
        for word in (".tvar", "tvarc build", "tvarc lock", "exclude", "cells", "field", "axes"):
            assert word not in one["help"], one
        assert not re.search(r"`[a-z]+ \{", one["help"]), one


MATRICES = json.loads((ROOT / "tests/data/matrices.json").read_text(encoding="utf-8"))["matrices"]
# What is wrong in tables that people keep, by the lint: how many recipes have it. All of it is in
# the facts: no pin has a hash, no flag reaches CMake, MAGMA and NCCL follow other settings.
KNOWN = {
    "torch-2.8": {"W105": 62, "W106": 1, "W109": 62, "W110": 51},
    "torch-2.9": {"W105": 177, "W106": 1, "W107": 4, "W108": 60, "W109": 177, "W110": 169},
    "torch-2.10": {"W104": 60, "W105": 237, "W107": 4, "W109": 177, "W110": 229},
}


_AVX512: Final = ("-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mfma")
_ISA: Final = {
    "avx": ("-mavx",),
    "avx2": AVX2,
    "avx512": _AVX512,
    "avx512vnni": (*_AVX512, "-mavx512vnni"),
    "avx512bf16": (*_AVX512, "-mavx512bf16"),
    "armv8_2": ("-march=armv8.2-a+fp16+dotprod",),
    "armv9": ARMV9,
}


def reduced(entry: dict[str, Any], isa: str, *, version: bool) -> str:
    """A recipe that says what the *entry* of a table of such says."""
    flags = " ".join(_ISA.get(isa, ()))
    config = " ".join(f"{key} = true;" for key in entry["config"])
    overlays = f"(f: p: {{ cudaPackages = f.{entry['cuda']}; }})" if entry["cuda"] else ""
    off = "export USE_FBGEMM=0" if isa == "avx" else ""
    return f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  nixpkgs = import (builtins.fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{entry["rev"]}.tar.gz";
  }}) {{
    config = {{ {config} }};
    overlays = [ {overlays} ];
  }};
in
  (nixpkgs.python3Packages.torch.override {{
    cudaSupport = {"true" if "cudaSupport" in entry["config"] else "false"};
    gpuTargets = {_listed(entry["gpu"])};
  }}).overrideAttrs (old: {{
    pname = "{entry["pname"]}";
    {f'version = "{entry["torch"]}";' if version else ""}
    cmakeFlags = old.cmakeFlags ++ {_listed(entry["cmakeFlags"])};
    preConfigure = old.preConfigure + ''
      export CXXFLAGS="{flags} $CXXFLAGS"
      {off}
    '';
    meta = old.meta // {{ platforms = {_listed(entry["platforms"])}; }};
  }})
"""


def _listed(words: Sequence[str]) -> str:
    return " ".join(("[", *(f'"{word}"' for word in words), "]"))


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_tables_that_people_keep_raise_no_false_alarm(name: str, tmp_path: Path) -> None:
    for stem, entry in MATRICES[name].items():
        text = reduced(entry, stem.rpartition("-")[2], version=name == "torch-2.10")
        put(tmp_path / "recipes", {f"{stem}.nix": text})
    found = [one for one in findings() if one["about"] == "itself"]
    counts: dict[str, set[str]] = {}
    for one in found:
        counts.setdefault(one["code"], set()).add(one["file"])
    assert {code: len(files) for code, files in sorted(counts.items())} == KNOWN[name]


def test_what_contradicts_itself_is_told_before_what_departs(tmp_path: Path) -> None:
    """Then what departs from neighbours, with the majority; what all share is one line."""
    for number in range(5):
        put(
            tmp_path / "recipes",
            {f"torch-{number}.nix": STYLES["chain"](Recipe(hash=""))["pytorch-by-hand.nix"]},
        )
    odd = Recipe(hash="", target="sm_80", set="cudaPackages_13_0", description="PyTorch")
    put(tmp_path / "recipes", {"torch-9.nix": STYLES["chain"](odd)["pytorch-by-hand.nix"]})
    done = tvarc("audit", "recipes", code=exits.STALE)
    text = done.stdout
    first, second = (
        text.index(f"{words}:\n")
        for words in (
            "Contradictions in a recipe, or with known facts",
            "Differences from neighbouring recipes",
        )
    )
    assert first < text.index("W103 target-not-dotted: 1 finding") < second
    assert second < text.index("W216 unlike-neighbours: ")
    assert "5 of 6 recipes have final.cudaPackages_12_9" in text
    assert text.count("all 6 files: nothing checks what the pin fetches") == 1
    shared = text.partition("W105 pin-without-hash")[2].partition("\n\n")[0]
    assert "torch-" not in shared
    assert "variant" not in text.partition("\n")[0]


@pytest.mark.parametrize("style", STYLES)
def test_neighbours_are_of_the_same_package(style: str, tmp_path: Path) -> None:
    """Five recipes of Torch say nothing of what one of TorchVision should be like."""
    for number in range(5):
        for name, text in STYLES[style](Recipe()).items():
            mine = name.replace("by-hand", f"sm90-{number}")
            put(tmp_path / "recipes", {mine: text.replace("by-hand", f"sm90-{number}")})
    other = replace(Recipe(), set="cudaPackages_12_8", description="Vision")
    for name, text in STYLES[style](other).items():
        text = text.replace("pytorch-by-hand", "torchvision-sm90").replace(
            ".torch.", ".torchvision."
        )
        folder = (
            {"vision-sm90.nix": text.replace("../lib/mk", "../lib/mkv")}
            if "lib" not in name
            else {"../lib/mkv.nix": text}
        )
        put(tmp_path / "recipes/pkgs", folder)
    assert not [one for one in findings() if one["code"] == "W216"]
    again = STYLES[style](replace(Recipe(), flags=AVX2[:1]))
    put(
        tmp_path / "recipes",
        {name.replace("by-hand", "sm90-odd"): text for name, text in again.items()},
    )
    found = [one for one in findings() if one["code"] == "W216"]
    assert {one["file"].rpartition("/")[2] for one in found} == {"pytorch-sm90-odd.nix"}


def test_a_file_that_is_followed_is_named(tmp_path: Path) -> None:
    files = STYLES["wrapper"](Recipe(hash=""))
    put(tmp_path / "recipes", files)
    (one,) = [one for one in findings() if one["code"] == "W105"]
    line = files["lib/mk.nix"].partition("builtins.fetchTarball")[0].count("\n") + 1
    assert one["file"] == "pkgs/pytorch-by-hand.nix"
    assert one["notes"] == [f"in `lib/mk.nix`, line {line}"]
    states = {
        one["file"]: one["state"]
        for one in json.loads(tvarc("audit", "recipes", "--json").stdout)["files"]
    }
    assert states == {"pkgs/pytorch-by-hand.nix": "recipe", "lib/mk.nix": "unrelated"}


def test_overrides_within_overrides(tmp_path: Path) -> None:
    text = """{ pkgs ? import <nixpkgs> { } }:
    let
      nixpkgs = import (fetchTarball {
        url = "https://github.com/NixOS/nixpkgs/archive/PIN.tar.gz";
        sha256 = "HASH";
      }) { config = { cudaSupport = true; cudaCapabilities = [ "9.0" ]; allowBroken = true; }; };
      torch = nixpkgs.python3Packages.torch.override {
        cudaPackages = nixpkgs.cudaPackages_12_8;
        gpuTargets = [ "sm_90" "10.3" ];
      };
    in nixpkgs.python3Packages.torchvision.override { inherit torch; }
    """
    one = Recipe()
    text = text.replace("PIN", "0182a361324364ae3f436a63005877674cf45efb").replace("HASH", one.hash)
    put(tmp_path / "recipes", {"vision-sm90.nix": text})
    assert {"W103", "W102"} <= {one["code"] for one in findings()}


@pytest.mark.parametrize(
    ("comment", "within", "at_head"),
    [
        ("# SM90: H100, L40S", "W119", "W119"),
        ("# SM120 (Vera Rubin)", "W119", "W119"),
        ("# SM90: H100, H200", "", ""),
        ("# for the RTX 5090 see the other file", "", ""),
        # Within a recipe these may tell of another one.
        ("# CUDA 12.8", "", "W120"),
        ("# CUDA 12.8 would do as well", "", "W120"),
        ("# PyTorch for SM86", "", "W119"),
        ("# PyTorch for the RTX 5090", "", "W119"),
        ("# needs CUDA 12.4 or newer", "", ""),
        ("# PyTorch for H100 with CUDA 12.9", "", ""),
    ],
)
def test_comments_are_read(comment: str, within: str, at_head: str, tmp_path: Path) -> None:
    text = STYLES["chain"](Recipe())["pytorch-by-hand.nix"]
    put(tmp_path / "recipes", {"one.nix": text.replace("\nlet\n", f"\n{comment}\nlet\n")})
    found = findings()
    assert [one["code"] for one in found] == ([within] if within else [])
    assert not within or found[0]["line"] == 2
    put(tmp_path / "recipes", {"one.nix": f"# Torch.\n\n{comment}\n{text}"})
    found = findings()
    assert {one["code"] for one in found} == ({at_head} if at_head else set())
    assert not at_head or found[0]["line"] == 3


def test_comments_of_a_file_of_several_packages_are_of_none(tmp_path: Path) -> None:
    """What is wrong in itself is told once."""
    torch = TORCH.replace("sm_90", "9.0")
    text = "# PyTorch for SM86, CUDA 12.8\n# SM90: L40S\n{ pkgs }: { a = X; b = Y; }"
    text = text.replace("X", torch).replace("Y", torch.replace("9.0", "8.6"))
    put(tmp_path / "recipes", {"one.nix": text})
    assert [(one["code"], one["line"]) for one in findings()] == [("W119", 2)]


def test_names_of_files_are_read(tmp_path: Path) -> None:
    text = STYLES["chain"](Recipe())["pytorch-by-hand.nix"]
    put(tmp_path / "recipes", {"torch-cuda12_8-sm120.nix": text, "torch-cuda12_9-sm90.nix": text})
    found = [(one["code"], one["file"]) for one in findings()]
    assert found == [("W119", "torch-cuda12_8-sm120.nix"), ("W120", "torch-cuda12_8-sm120.nix")]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/etc/passwd", "it is not a file in the folder of the recipes"),
        ("../../../../../../outside.nix", "it is too far above the folder of the recipes"),
        ("./link.nix", "link.nix: it is a symbolic link"),
        ("./itself.nix", "whose result is not understood"),
        ("./one.nix", "it refers back to this file"),
        ("./none.nix", "there is no file none.nix"),
        ("./broken.nix", "broken.nix: tvarc cannot read this as Nix"),
    ],
)
def test_files_that_are_not_followed(path: str, why: str, tmp_path: Path) -> None:
    """What may be a recipe is named with the reason, and is no finding."""
    folder = tmp_path / "a/b/c/d/e/recipes"
    put(tmp_path, {"outside.nix": "{ }: (import <nixpkgs> { }).hello"})
    put(folder, {"itself.nix": "{ }: import ./itself.nix { }", "one.nix": f"import {path} {{ }}"})
    (folder / "link.nix").symlink_to(tmp_path / "outside.nix")
    put(folder, {"broken.nix": "{ }: ("})
    done = tvarc("audit", str(folder), "--json", code=exits.STALE)
    data = json.loads(done.stdout)
    (file,) = [one for one in data["files"] if one["file"] == "one.nix"]
    assert (file["says"], file["state"]) == (None, "not understood")
    (told,) = [one for one in data["findings"] if one["file"] == "one.nix"]
    assert told["code"] == "W217" and why in told["message"], told
    assert data["not understood"] == 2  # the other is the one that imports itself


def test_what_cannot_be_read_is_counted_as_it_is_told(tmp_path: Path) -> None:
    unreadable = {"a.nix": "{ }: (", "big.nix": "#" * 70_000}
    put(tmp_path / "recipes", {**STYLES["chain"](Recipe()), **unreadable})
    (tmp_path / "recipes/link.nix").symlink_to(tmp_path / "outside.nix")
    done = tvarc("audit", "recipes")
    assert "4 files\n  1 read as recipes\n  3 cannot be read\n" in done.stdout
    assert "W206 unreadable-recipe: 3 findings" in done.stdout


SEVERAL = {
    "flake": """{
      inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.05";
      outputs = { self, nixpkgs }: let
        systems = [ "x86_64-linux" "aarch64-linux" ];
        forAll = f: nixpkgs.lib.genAttrs systems (system: f (import nixpkgs {
          inherit system; config = { cudaSupport = true; cudaCapabilities = [ "9.0" ]; };
        }));
      in {
        packages = forAll (pkgs: rec { torch = TORCH; default = torch; });
        devShells = forAll (pkgs: { default = pkgs.mkShell { }; });
      };
    }""",
    "flake-utils": """{
      outputs = { self, nixpkgs, flake-utils, ... }@inputs:
        flake-utils.lib.eachDefaultSystem (system:
          let pkgs = nixpkgs.legacyPackages.${system}; in { packages.torch = TORCH; });
    }""",
    "flake-parts": """{
      outputs = inputs: inputs.flake-parts.lib.mkFlake { inherit inputs; } {
        systems = [ "x86_64-linux" ];
        perSystem = { pkgs, ... }: { packages.torch = TORCH; };
      };
    }""",
    "set": "{ pkgs ? import <nixpkgs> { } }: rec { torch = TORCH; same = torch; add = a: a + 1; }",
    "nested": "{ pkgs }: { gpu = { torch = TORCH; }; } // { inherit (pkgs) hello; }",
    "overlay": "final: prev: let pkgs = prev; in { torch = TORCH; }",
    "overlay-of-python": """self: super: {
      pythonPackagesExtensions = super.pythonPackagesExtensions ++ [
        (pyFinal: pyPrev: { torch = pyPrev.torch.override {
          cudaSupport = true; gpuTargets = [ "sm_90" ];
        }; })
      ];
    }""",
    "overlay-of-flake": """{
      outputs = { self, nixpkgs }: {
        overlays.default = final: prev: let pkgs = final; in { torch = TORCH; };
      };
    }""",
    "mapped": """{ pkgs }: pkgs.lib.mapAttrs (name: target:
      pkgs.python3Packages.torch.override { gpuTargets = [ target ]; }) { my-torch = "sm_90"; }""",
    "overlays": "[ (final: prev: { }) (final: prev: let pkgs = prev; in { torch = TORCH; }) ]",
    "piped": """{ pkgs }: { torch = pkgs.lib.pipe pkgs.python3Packages.torch [
      (one: one.override { gpuTargets = [ "sm_90" ]; })
      (one: one.overrideAttrs (old: { pname = "torch-sm90"; }))
    ]; }""",
    "files": '{ pkgs }: { torch = pkgs.callPackage ./lib/torch.nix { target = "sm_90"; }; }',
}
TORCH = 'pkgs.python3Packages.torch.override { cudaSupport = true; gpuTargets = [ "sm_90" ]; }'


@pytest.mark.parametrize("name", SEVERAL)
def test_files_of_several_packages(name: str, tmp_path: Path) -> None:
    """Each of them is read as a recipe, and named where something is wrong with it."""
    put(tmp_path / "recipes", {f"{name}.nix": SEVERAL[name].replace("TORCH", TORCH)})
    if name == "files":
        body = "python3Packages.torch.override { gpuTargets = [ target ]; }"
        body = f"{{ python3Packages, target }}: {body}"
        put(tmp_path / "recipes/lib", {"torch.nix": body})
    found = [one for one in findings() if one["code"] != "W217"]
    assert {one["code"] for one in found} == {"W103"}, found
    assert all("torch`" in one["notes"][-1] for one in found)
    done = tvarc("audit", "recipes")
    assert "\n  1 read as recipes\n" in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "{ add = a: b: a + b; }",
        "{ lib }: lib.mapAttrs (name: value: value) { }",
        "{ pkgs ? import <nixpkgs> { } }: pkgs.mkShell { packages = [ pkgs.hello ]; }",
        "{ config, lib, pkgs, ... }: { environment.systemPackages = [ pkgs.hello ]; }",
        "{ outputs = { self, nixpkgs }: { lib.add = a: a + 1; templates.default.path = ./t; }; }",
        "final: prev: { }",
        "[ 1 2 ]",
    ],
)
def test_what_is_no_recipe(text: str, tmp_path: Path) -> None:
    put(tmp_path / "recipes", {"one.nix": text})
    assert findings() == []
    assert "1 not recipes, or parts of other recipes" in tvarc("audit", "recipes").stdout


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("(builtins.toPath ./lib/mk.nix)", "recipe"),
        ("(toString ./lib/mk.nix)", "recipe"),
        ('(toString ./lib + "/mk.nix")', "recipe"),
        ("(builtins.path { path = ./lib/mk.nix; })", "not understood"),
        ('(lib.concatStrings [ (toString ./lib) "/mk.nix" ])', "not understood"),
        ('(fetchTarball "https://x.org/nixpkgs.tar.gz")', "unrelated"),
    ],
)
def test_a_path_is_followed_or_the_recipe_is_not_understood(
    path: str, state: str, tmp_path: Path
) -> None:
    made = "{ p }: p.override { x = 1; }"
    recipe = f"{{ lib, pkgs }}: import {path} {{ p = pkgs.hello; }}"
    put(tmp_path / "recipes", {"lib/mk.nix": made, "one.nix": recipe})
    files = json.loads(tvarc("audit", "recipes", "--json").stdout)["files"]
    assert [one["state"] for one in files if one["file"] == "one.nix"] == [state]


def test_without_a_folder_a_program_is_asked_for() -> None:
    done = tvarc("audit")
    assert done.exit_code == exits.FAILED and "E903" in done.stderr
    assert tvarc("audit", "--file", "here.tvar").exit_code == exits.FAILED


@pytest.mark.parametrize(
    ("word", "why", "help"),
    [
        ("nonesuch", "there is no such folder", "name the folder of the recipes, such as"),
        ("nonesuch/", "there is no such folder", "name the folder of the recipes, such as"),
        (
            "below/one.nix",
            "it is not a folder",
            "name the folder that contains it: `tvarc audit below`",
        ),
        ("one.nix", "it is not a folder", "name the folder that contains it: `tvarc audit .`"),
        ("notes.txt", "it is not a folder", "name the folder of the recipes, such as"),
    ],
)
@pytest.mark.parametrize("program", [False, True])
def test_what_is_no_folder(
    word: str, why: str, help: str, tmp_path: Path, *, program: bool
) -> None:
    """It is what is wrong, whether or not there is a program."""
    put(tmp_path, {"one.nix": "{ }: 1", "below/one.nix": "{ }: 1", "notes.txt": ""})
    if program:
        text = "recipe r { package = pkgs.hello, pin = none }\nvariant v { recipe = r }\n"
        put(tmp_path, {"variants.tvar": text + 'output o { file = "{{variant}}.nix" }\n'})
    done = tvarc("audit", word, code=exits.FAILED)
    told = f"error[E106]: cannot read `{word}`\n  = note: {why}\n  = help: {help}"
    assert done.stderr.startswith(told), done.stderr


UNREADABLE = """{ pkgs ? import <nixpkgs> { }, root, name }:
let made = import "${toString root}/${name}.nix" { }; in made.overrideAttrs (old: { })
"""


@pytest.mark.parametrize(
    ("files", "code", "last"),
    [
        (
            {"a.nix": UNREADABLE, "b.nix": UNREADABLE},
            exits.UNREAD,
            ["nothing was judged: none of 2 recipes could be read"],
        ),
        (
            {"a.nix": UNREADABLE, **STYLES["chain"](Recipe())},
            exits.OK,
            [
                "no findings in what was read",
                "2 recipes: 1 read in full, 1 not read",
            ],
        ),
        ({"lib.nix": "{ add = a: b: a + b; }"}, exits.OK, ["no findings"]),
    ],
)
def test_what_share_was_read_is_told(
    files: dict[str, str], code: int, last: list[str], tmp_path: Path
) -> None:
    put(tmp_path / "recipes", files)
    done = tvarc("audit", str(tmp_path / "recipes"), code=code)
    told = done.stdout.rpartition("\n\n")[2].splitlines()
    assert [line for line in told if "not understood" not in line] == last
    shown = tvarc("audit", str(tmp_path / "recipes"), "--json")
    data = json.loads(shown.stdout)
    assert (shown.exit_code, data["judged"]) == (code, code == exits.OK)
    assert ("nothing was judged" in shown.stderr) == (code == exits.UNREAD)
    assert sum(data["read"].values()) == sum("2 recipes" in line for line in last) * 2


def test_a_folder_with_nothing_wrong(tmp_path: Path) -> None:
    put(
        tmp_path / "recipes",
        {**STYLES["chain"](Recipe()), "lib.nix": "{ add = a: b: a + b; }", "bad.txt": "{"},
    )
    done = tvarc("audit", "recipes/", code=exits.OK)
    assert done.stdout.startswith("recipes/: 2 files\n  1 read as recipes\n")
    assert "no findings" in done.stdout
