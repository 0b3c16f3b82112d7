"""Recipes in the shape that the compiler prints, judged against the model nixpkgs."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.nix import requires_nix
from support.recipes import NixError, drv_paths, evaluate, parse_ok

pytestmark = [pytest.mark.nix, requires_nix]

DATA = Path(__file__).parent / "data"
CUDA = DATA / "cuda.nix"
CPU = DATA / "cpu.nix"


def edited(folder: Path, recipe: Path, old: str, new: str) -> Path:
    """A copy of a recipe with one place of it changed."""
    text = recipe.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    path = folder / recipe.name
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_a_recipe_with_cuda_comes_to_what_it_says() -> None:
    facts = evaluate([CUDA])["cuda"]
    assert facts["drvPath"] is not None
    assert facts["drvPath"].endswith("-python3.13-torch-2.9.1.drv")
    assert facts["pname"] == "pytorch210-python313-cuda13_0-sm103-avx512"
    assert (facts["version"], facts["system"]) == ("2.10.0", "x86_64-linux")
    assert facts["pin"] == {
        "url": "https://github.com/NixOS/nixpkgs/archive/"
        "6a030d535719c5190187c4cec156f335e95e3211.tar.gz",
        "sha256": None,
        "config": {"allowBroken": True, "allowUnfree": True, "cudaSupport": True},
        "overlays": 3,
    }
    torch = facts["torch"]
    assert torch is not None
    assert (torch["cudaSupport"], torch["cuda"], torch["gpuTargets"]) == (True, "13.0", ["10.3"])
    assert (torch["patches"], torch["magmaPatches"]) == ([], ["cuda-13.0-clockrate-fix.patch"])
    assert facts["src"] == {
        "owner": "pytorch",
        "repo": "pytorch",
        "rev": None,
        "tag": "v2.10.0",
        "hash": "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=",
        "fetchSubmodules": True,
    }
    assert facts["cmakeFlags"][-1] == "-DCUDA_VERSION=13.0"
    assert facts["env"]["cmakeFlags"].endswith(" -DCUDA_VERSION=13.0")
    assert facts["env"]["USE_NCCL"] == "1"
    assert "\nexport MAX_JOBS=32\n" in facts["phases"]["preConfigure"]
    assert "rm cmake/Modules/FindCUDAToolkit.cmake" in facts["phases"]["postPatch"]
    assert (facts["ninjaFlags"], facts["requiredSystemFeatures"]) == (["-j32"], ["big-parallel"])
    assert facts["passthru"]["gpuArch"] == "10.3"
    assert facts["passthru"]["cudaSupport"] is True
    assert facts["meta"]["platforms"] == ["x86_64-linux"]


@pytest.mark.slow
def test_a_recipe_is_evaluated_for_its_own_platform() -> None:
    facts = evaluate({"chosen": CPU, "said": CPU}, {"said": "aarch64-linux"})
    assert facts["chosen"] == facts["said"]
    assert facts["chosen"]["system"] == "aarch64-linux"
    assert facts["chosen"]["env"]["USE_CUDNN"] == "0"
    torch = facts["chosen"]["torch"]
    assert torch is not None
    assert torch["magmaPatches"] is None
    with pytest.raises(NixError, match="not available on the requested hostPlatform"):
        evaluate({"wrong": CPU}, {"wrong": "x86_64-linux"})


@pytest.mark.once
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("magma = prev.magma.overrideAttrs", "mine = prev.magma.overrideAttrs"),
        ('"-DCUDA_VERSION=13.0"', '"-DCUDA_VERSION=13.1"'),
        ("6a030d535719c5190187c4cec156f335e95e3211", "46336d4d6980ae6f136b45c8507b17787eb186a0"),
        ('gpuTargets = [ "10.3" ]', 'gpuTargets = [ "12.0" ]'),
        ("final.cudaPackages_13;", "final.cudaPackages_13_1;"),
        ('tag = "v2.10.0"', 'rev = "v2.10.0"'),
        ("export MAX_JOBS=32\n", "export MAX_JOBS=32 \n"),
        ('[ "big-parallel" ]', "[ ]"),
    ],
)
def test_a_change_of_the_recipe_changes_the_derivation(tmp_path: Path, old: str, new: str) -> None:
    paths = drv_paths({"kept": CUDA, "changed": edited(tmp_path, CUDA, old, new)})
    assert paths["kept"] != paths["changed"]


@pytest.mark.once
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("final.cudaPackages_13;", "final.cudaPackages_13_0;"),
        ('.tar.gz";\n', '.tar.gz";\n    sha256 = "0000";\n'),
        ('gpuArch = "10.3"', 'gpuArch = "another"'),
        ("PyTorch 2.10.0 for NVIDIA", "Another text for NVIDIA"),
    ],
)
def test_a_change_that_is_none_to_the_build_keeps_it(tmp_path: Path, old: str, new: str) -> None:
    paths = drv_paths({"kept": CUDA, "changed": edited(tmp_path, CUDA, old, new)})
    assert paths["kept"] == paths["changed"]


def test_both_ways_to_ask_give_one_derivation() -> None:
    facts = evaluate([CUDA, CPU])
    assert drv_paths([CUDA, CPU]) == {name: fact["drvPath"] for name, fact in facts.items()}


def test_a_misspelt_name_is_an_error_that_says_name_file_and_recipe(tmp_path: Path) -> None:
    wrong = edited(tmp_path, CUDA, "final.cudaPackages_13;", "final.cudaPackages13;")
    with pytest.raises(NixError) as raised:
        evaluate({"my-recipe": wrong})
    for word in ("attribute 'cudaPackages13' missing", str(wrong), "my-recipe"):
        assert word in str(raised.value)


@pytest.mark.slow
def test_refusals_are_errors_or_recorded(tmp_path: Path) -> None:
    broken = edited(tmp_path, CUDA, "allowBroken = true;", "")
    with pytest.raises(NixError, match="is marked as broken"):
        evaluate([broken])
    recorded = evaluate({"broken": broken, "good": CPU}, record_refusals=True)
    assert recorded["broken"]["drvPath"] is None
    assert recorded["broken"]["refusal"] == "python3.13-torch-2.9.1 is marked as broken"
    assert recorded["good"]["refusal"] is None

    unfree = tmp_path / "unfree.nix"
    unfree.write_text("{ pkgs }: (import <nixpkgs> { }).python3Packages.torchWithCuda")
    refused = evaluate([unfree], record_refusals=True)["unfree"]["refusal"]
    assert refused == "something that python3.13-torch-2.9.1 needs is refused"


@pytest.mark.slow
def test_pure_evaluation_asks_for_a_hash() -> None:
    pin = evaluate([CPU], pure=True)["cpu"]["pin"]
    assert pin["sha256"] == "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
    with pytest.raises(NixError, match="requires a 'sha256' argument"):
        evaluate([CUDA], pure=True)


@pytest.mark.slow
def test_other_repositories_are_folders_and_arguments_come_by_name(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "torch.nix").write_text(CPU.read_text(encoding="utf-8"), encoding="utf-8")
    vision = tmp_path / "vision.nix"
    vision.write_text("""
      { pkgs, python312Packages }:
      let
        source = builtins.fetchTarball { url = "https://host.example/other.tar.gz"; };
        torch = import (source + "/torch.nix") { inherit pkgs; };
      in
      python312Packages.torchvision.override { inherit torch; }
    """)
    system = {"vision": "aarch64-linux"}
    sources = {"https://host.example/other.tar.gz": other}
    facts = evaluate([vision], system, sources=sources)["vision"]
    assert facts["pname"] == "torchvision"
    assert facts["torch"] is not None
    assert facts["torch"]["cudaSupport"] is False
    with pytest.raises(NixError, match="no source stands for"):
        evaluate([vision], system)


@pytest.mark.slow
def test_nothing_is_fetched_and_the_environment_is_not_read(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.nix"
    recipe.write_text('{ pkgs }: builtins.fetchGit "https://host.example/repository"')
    with pytest.raises(NixError, match=r"may not call builtins\.fetchGit"):
        evaluate([recipe])
    recipe.write_text('{ which }: which.overrideAttrs { home = builtins.getEnv "HOME"; }')
    facts = evaluate([recipe])["recipe"]
    assert facts["env"]["home"] == ""
    assert facts["pin"]["url"] is None


def test_files_are_parsed_and_a_bad_one_is_named(tmp_path: Path) -> None:
    assert parse_ok([CUDA, CPU])
    wrong = tmp_path / "wrong.nix"
    wrong.write_text("{ a = 1; a = 2; }")
    with pytest.raises(NixError, match=r"wrong\.nix"):
        parse_ok([CPU, wrong])


def test_two_files_of_one_name_need_names(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give a mapping"):
        evaluate([CPU, tmp_path / "cpu.nix"])
