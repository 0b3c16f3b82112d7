"""The 44 recipes of `variants.tvar`, judged by real Nix against the plan."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.compile import ROOT, VARIANTS, compile_variants, messages, write_recipes
from support.nix import requires_nix
from support.recipes import RecipeFacts, evaluate, parse_ok
from tvarc.values.value import RowValue

pytestmark = [requires_nix, pytest.mark.nix]

PLAN: dict[str, dict[str, Any]] = json.loads((ROOT / "tests/data/plan44.json").read_text())
HASH = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
# The table of the plan: compiler flags of each instruction set.
FLAGS = {
    "avx2": "-mavx2 -mfma -mf16c",
    "avx512": "-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma",
    "avx512bf16": "-mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx512bf16 -mfma",
    "avx512vnni": "-mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx512vnni -mfma",
    "armv8_2": "-march=armv8.2-a+fp16+dotprod",
    "armv9": "-march=armv9-a+sve2+bf16+i8mm",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_recipes(compile_variants(), tmp_path_factory.mktemp("plan44"))


@pytest.fixture(scope="module")
def facts(files: dict[str, Path]) -> dict[str, RecipeFacts]:
    return evaluate(files)


def each(facts: dict[str, RecipeFacts]) -> Iterator[tuple[str, RecipeFacts, dict[str, Any], bool]]:
    """Name, what Nix says, what the plan says, and whether it is a GPU build."""
    for name, planned in PLAN.items():
        yield name, facts[name], planned, "-cpu-" not in name


def test_the_plan_and_the_recipes_are_the_same_44(files: dict[str, Path]) -> None:
    assert len(PLAN) == 44
    assert set(files) == set(PLAN)
    assert {path.parent.name for path in files.values()} == {"pkgs"}
    assert {path.suffix for path in files.values()} == {".nix"}


def test_every_recipe_parses(files: dict[str, Path]) -> None:
    assert parse_ok(files.values())


def test_every_recipe_is_another_derivation(facts: dict[str, RecipeFacts]) -> None:
    assert len({fact["drvPath"] for fact in facts.values()}) == 44


def test_names_pin_and_config(facts: dict[str, RecipeFacts]) -> None:
    for name, fact, planned, gpu in each(facts):
        assert fact["pname"] == planned["pname"], name
        assert fact["pname"] == f"pytorch210-{name.removeprefix('pytorch-')}"
        assert fact["version"] == planned["torch"] == "2.10.0", name
        url = fact["pin"]["url"]
        assert url is not None
        assert planned["rev"] in url, name
        expected = {"allowUnfree": True, "allowBroken": True}
        expected |= {"cudaSupport": True} if gpu else {}
        assert fact["pin"]["config"] == expected, name
        assert sorted(fact["pin"]["config"]) == planned["config"], name
        assert fact["pin"]["overlays"] == (3 if gpu else 1), name


def test_cuda_targets_and_magma(facts: dict[str, RecipeFacts]) -> None:
    for name, fact, planned, gpu in each(facts):
        torch = fact["torch"]
        assert torch is not None
        assert torch["cudaSupport"] is gpu, name
        assert torch["gpuTargets"] == planned["gpu"], name
        if gpu:
            assert planned["cuda"] == "cudaPackages_13"
            assert torch["cuda"] == "13.0", name
            # The model's MAGMA has patches of its own at no pin: these are ours alone.
            assert torch["magmaPatches"] == planned["magma_patches"], name
            script = fact["phases"]["preConfigure"]
            assert re.search(rf'TORCH_CUDA_ARCH_LIST="?{re.escape(planned["gpu"][0])}"?\n', script)


def test_source_and_patches(facts: dict[str, RecipeFacts]) -> None:
    for name, fact, _, _ in each(facts):
        src = fact["src"]
        assert src is not None
        assert (src["owner"], src["repo"], src["hash"]) == ("pytorch", "pytorch", HASH), name
        assert src["tag"] == "v2.10.0" and src["fetchSubmodules"] is True, name
        assert fact["patches"] == [], name


def test_flags_and_features(facts: dict[str, RecipeFacts]) -> None:
    for name, fact, planned, _ in each(facts):
        ours = [flag for flag in fact["cmakeFlags"] if flag in planned["cmakeFlags"]]
        assert ours == planned["cmakeFlags"], name
        assert fact["cmakeFlags"][-len(ours) :] == ours, "added after the package's own"
        assert fact["ninjaFlags"] == ["-j32"], name
        assert fact["requiredSystemFeatures"] == ["big-parallel"], name


def test_configure_script(facts: dict[str, RecipeFacts]) -> None:
    for name, fact, _, gpu in each(facts):
        script = fact["phases"]["preConfigure"]
        isa = name.rpartition("-")[2]
        for variable in ("CXXFLAGS", "CFLAGS"):
            assert f'export {variable}="{FLAGS[isa]} ${variable}"\n' in script, name
        assert "export MAX_JOBS=32\n" in script
        assert "export PYTORCH_BUILD_VERSION=2.10.0\n" in script
        assert 'echo "2.10.0" > version.txt\n' in script
        if gpu:
            assert re.search(r"ln -sfn /nix/store/\S+cuda_cccl\S+/include/\$dir", script), name
            assert "for dir in cuda cub thrust nv; do" in script
            for variable in ("CXXFLAGS", "CFLAGS", "CUDAFLAGS"):
                assert f'export {variable}="-I/build/cccl-compat ${variable}"\n' in script, name
            assert "TORCH_CUDA_ARCH_LIST" in script.partition("MAX_JOBS")[0], (
                "nixpkgs' own comes first"
            )
            shim = script.index('export CXXFLAGS="-I/build/cccl-compat $CXXFLAGS"')
            assert script.index(FLAGS[isa]) < shim, "the shim is put in front of the flags"
        else:
            assert "cccl" not in script, name


def test_find_cuda_toolkit_stub(facts: dict[str, RecipeFacts]) -> None:
    for name, fact, _, gpu in each(facts):
        script = fact["phases"].get("postPatch") or ""
        if not gpu:
            assert "FindCUDAToolkit" not in script, name
            continue
        removed = script.index("rm")
        stub = script.index("cat > cmake/Modules/FindCUDAToolkit.cmake <<'EOF'\n")
        assert removed < stub, "nixpkgs deletes the file first"
        assert 'list(REMOVE_ITEM CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")' in script
        assert 'include("${CMAKE_ROOT}/Modules/FindCUDAToolkit.cmake")' in script
        assert 'set(_saved_module_path "${CMAKE_MODULE_PATH}")' in script
        assert 'set(CMAKE_MODULE_PATH "${_saved_module_path}")' in script
        assert "\nEOF\n" in script, "the here-document ends at the start of a line"


def test_passthru_and_meta(facts: dict[str, RecipeFacts]) -> None:
    for name, fact, planned, gpu in each(facts):
        passthru, meta, isa = fact["passthru"], fact["meta"], name.rpartition("-")[2]
        assert passthru["cpuISA"] == isa, name
        assert passthru["blasProvider"] == ("cublas" if gpu else "openblas"), name
        assert "cudaSupport" in passthru, "the package's own passthru stays"
        assert meta["platforms"] == planned["platforms"], name
        if gpu:
            dotless = planned["gpu"][0].replace(".", "")
            assert passthru["gpuArch"] == f"sm_{dotless}", name
            assert f"(SM{dotless})" in meta["description"], name
            for word in ("GPU: ", "Driver: 580 or newer", "CPU: ", "CUDA 13.0", planned["gpu"][0]):
                assert word in meta["longDescription"], (name, word)
        else:
            assert "CPU-only" in meta["description"], name
        assert meta["license"], "the package's own meta stays"


@pytest.mark.slow
def test_overlays_by_name_and_order() -> None:
    for recipe in compile_variants().recipes():
        names = [overlay.name for overlay in recipe.overlays]
        gpu = ["cuda-13_0", "magma-clockrate", "torch-source"]
        assert names == (gpu if "cuda" in recipe.variant else ["torch-source"])


@pytest.mark.slow
def test_long_descriptions_are_made_from_facts(facts: dict[str, RecipeFacts]) -> None:
    compilation = compile_variants()
    for recipe in compilation.recipes():
        rows = {axis.axis: axis.value for axis in recipe.axes}
        text = facts[f"pytorch-{recipe.variant}"]["meta"]["longDescription"]
        isa = rows["isa"]
        assert isinstance(isa, RowValue)
        assert f"CPU: {isa.facts['label'].value}, from {isa.facts['generations'].value} on." in text
        gpu = rows.get("gpu")
        if isinstance(gpu, RowValue):
            products = gpu.facts["products"].value
            assert isinstance(products, tuple)
            assert f"GPU: {', '.join(map(str, products))} (" in text


# --- what must turn it red --------------------------------------------------------------------

MUTATIONS = {
    "the MAGMA patch is dropped": (
        "overlays = [cuda-13_0, magma-clockrate, torch-source]",
        "overlays = [cuda-13_0, torch-source]",
    ),
    "the CUDA overlay is dropped": (
        "overlays = [cuda-13_0, magma-clockrate, torch-source]",
        "overlays = [magma-clockrate, torch-source]",
    ),
    "a flag is changed": ("-DCUDA_VERSION={{cuda}}", "-DCUDA_VERSION=13"),
    "the pin is changed": (
        "6a030d535719c5190187c4cec156f335e95e3211",
        "6a030d535719c5190187c4cec156f335e95e3212",
    ),
    "the source is another": ("RKiZLHBC", "RKiZLHBD"),
    "nixpkgs' patches stay": ('  patches = [] because "nixpkgs\' patches are for 2.9.1"\n', ""),
    "the order of parts is another": ("part cccl after version", "part cccl before flags"),
}


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.parametrize("change", MUTATIONS)
def test_a_change_of_the_source_is_another_build(
    change: str, facts: dict[str, RecipeFacts], tmp_path: Path
) -> None:
    before, after = MUTATIONS[change]
    text = VARIANTS.read_text(encoding="utf-8")
    assert text.count(before) == 1
    text = text.replace(before, after)
    # What the change leaves unused or unmet is an error of its own; here Nix is to judge.
    text = re.sub(r"when recipe is torch-cuda \{.*?\n\}\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^warn .*\n", "", text, flags=re.MULTILINE)
    if "is dropped" in change:
        name = "magma-clockrate" if "MAGMA" in change else "cuda-13_0"
        text = re.sub(rf"(patch|overlay) {name} .*?\n\}}\n", "", text, flags=re.DOTALL)
    files = write_recipes(compile_variants(text), tmp_path)
    changed = evaluate(files)
    name = "pytorch-python313-cuda13_0-sm103-avx512bf16"
    assert changed[name]["drvPath"] != facts[name]["drvPath"]
    assert [check.__name__ for check in CHECKS if turns_red(check, changed)]


def turns_red(
    check: Callable[[dict[str, RecipeFacts]], None], facts: dict[str, RecipeFacts]
) -> bool:
    """Whether *check* fails for these recipes."""
    try:
        check(facts)
    except (AssertionError, KeyError, ValueError):
        return True
    return False


CHECKS: tuple[Callable[[dict[str, RecipeFacts]], None], ...] = (
    test_names_pin_and_config,
    test_cuda_targets_and_magma,
    test_source_and_patches,
    test_flags_and_features,
    test_configure_script,
    test_find_cuda_toolkit_stub,
    test_passthru_and_meta,
)


@pytest.mark.slow
def test_dropping_the_patch_is_refused_by_the_source_itself() -> None:
    before, after = MUTATIONS["the MAGMA patch is dropped"]
    compilation = compile_variants(VARIANTS.read_text(encoding="utf-8").replace(before, after))
    compilation.recipes()
    text = messages(compilation)
    assert "E405" in text and "every GPU build ships MAGMA" in text
    assert "overlays = [cuda-13_0, torch-source]" in text
