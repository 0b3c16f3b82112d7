"""Recipes by hand without any program: the faults that people make, in the styles that they use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.byhand import RIGHT, STYLES, WRONG, Recipe, chain, reduced, wrapper
from support.command import ROOT, tvarc
from tvarc.cli import exits


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below which there is no program."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


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


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", WRONG)
def test_each_fault_is_found_in_each_style(name: str, style: str, tmp_path: Path) -> None:
    code, recipe = WRONG[name]
    put(tmp_path / "recipes", STYLES[style](recipe))
    assert code in {one["code"] for one in findings()}


MATRICES = json.loads((ROOT / "tests/data/matrices.json").read_text(encoding="utf-8"))["matrices"]
# What is wrong in tables that people keep, by the lint: how many recipes have it. All of it is in
# the facts: no pin has a hash, no flag reaches CMake, MAGMA and NCCL follow other settings.
KNOWN = {
    "torch-2.8": {"W105": 62, "W106": 1, "W109": 62, "W110": 51},
    "torch-2.9": {"W105": 177, "W106": 1, "W107": 4, "W108": 60, "W109": 177, "W110": 169},
    "torch-2.10": {"W104": 60, "W105": 237, "W107": 4, "W109": 177, "W110": 229},
}


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
            {f"torch-{number}.nix": chain(Recipe(hash=""))["pytorch-by-hand.nix"]},
        )
    odd = Recipe(hash="", target="sm_80", set="cudaPackages_13_0", description="PyTorch")
    put(tmp_path / "recipes", {"torch-9.nix": chain(odd)["pytorch-by-hand.nix"]})
    done = tvarc("audit", "recipes")
    assert done.exit_code == exits.STALE
    text = done.stdout
    first, second = (
        text.index(f"{words}:\n")
        for words in ("What contradicts itself or the facts", "What departs from its neighbours")
    )
    assert first < text.index("W103 target-not-dotted: 1 finding") < second
    assert second < text.index("W216 unlike-neighbours: ")
    assert "5 of 6 recipes have final.cudaPackages_12_9" in text
    assert text.count("all 6 files: nothing checks what the pin fetches") == 1
    shared = text.partition("W105 pin-without-hash")[2].partition("\n\n")[0]
    assert "torch-" not in shared
    assert "variant" not in text.partition("\n")[0]


def test_a_file_that_is_followed_is_named(tmp_path: Path) -> None:
    files = wrapper(Recipe(hash=""))
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
    put(tmp_path / "recipes", {"vision.nix": text})
    assert {"W103", "W102"} <= {one["code"] for one in findings()}


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("# SM90: H100, L40S", True),
        ("# SM120 (Vera Rubin)", True),
        ("# SM90: H100, H200", False),
        ("# for the RTX 5090 see the other file", False),
        ("# CUDA 12.8 would do as well", False),
    ],
)
def test_comments_are_read(comment: str, told: bool, tmp_path: Path) -> None:
    files = chain(Recipe())
    text = files["pytorch-by-hand.nix"].replace("\nlet\n", f"\n{comment}\nlet\n")
    put(tmp_path / "recipes", {"pytorch-by-hand.nix": text})
    found = findings()
    assert [one["code"] for one in found] == (["W119"] if told else [])
    assert not told or found[0]["line"] == 2


def test_names_of_files_are_read(tmp_path: Path) -> None:
    text = chain(Recipe())["pytorch-by-hand.nix"]
    put(tmp_path / "recipes", {"torch-cuda12_8-sm120.nix": text, "torch-cuda12_9-sm90.nix": text})
    found = [(one["code"], one["file"]) for one in findings()]
    assert found == [("W119", "torch-cuda12_8-sm120.nix"), ("W120", "torch-cuda12_8-sm120.nix")]


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../../../../../../outside.nix", "./link.nix", "./itself.nix", "./none.nix"],
)
def test_files_that_are_not_followed(path: str, tmp_path: Path) -> None:
    folder = tmp_path / "a/b/c/d/e/recipes"
    put(tmp_path, {"outside.nix": "{ }: (import <nixpkgs> { }).hello"})
    put(folder, {"itself.nix": "{ }: import ./itself.nix { }", "one.nix": f"import {path} {{ }}"})
    (folder / "link.nix").symlink_to(tmp_path / "outside.nix")
    done = tvarc("audit", str(folder), "--json")
    assert done.exit_code in (exits.OK, exits.STALE), done.stderr
    said = {one["file"]: one["says"] for one in json.loads(done.stdout)["files"]}
    assert said["one.nix"] is None


def test_without_a_folder_a_program_is_asked_for() -> None:
    done = tvarc("audit")
    assert done.exit_code == exits.FAILED and "E903" in done.stderr
    assert tvarc("audit", "nowhere").exit_code == exits.FAILED


def test_a_folder_with_nothing_wrong(tmp_path: Path) -> None:
    put(
        tmp_path / "recipes",
        {**chain(Recipe()), "lib.nix": "{ add = a: b: a + b; }", "bad.txt": "{"},
    )
    done = tvarc("audit", "recipes/")
    assert done.exit_code == exits.OK, done.stdout
    assert done.stdout.startswith("recipes/: 2 files\n  1 read as recipes\n")
    assert "nothing is out of line" in done.stdout
