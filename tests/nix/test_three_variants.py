"""`examples/three-variants`, judged by real Nix: what its README says of the recipes."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.compile import messages, write_recipes
from support.examples import EXAMPLES, block, compiled, copied, recipes
from support.nix import requires_nix
from support.recipes import RecipeFacts, TorchFacts, drv_paths, evaluate

# Two recipes are one derivation in each Nix or in none.
pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once]

EXAMPLE = "three-variants"
SM90 = "pytorch-python313-cuda12_8-sm90-avx512"
SM120 = "pytorch-python313-cuda12_8-sm120-avx512"
CPU = "pytorch-python313-cpu-avx2"
ALL_PYTHONS = ("python[python313]", "python")
ADA = ("nvidia[sm90, sm120]", "nvidia[sm89, sm90, sm120]")
AVX512 = "-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma"


def torch_of(fact: RecipeFacts) -> TorchFacts:
    assert fact["torch"] is not None
    return fact["torch"]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RecipeFacts]:
    """The three as they stand, in pure evaluation: all that they fetch has a hash."""
    root = copied(EXAMPLE, tmp_path_factory.mktemp("example"))
    return evaluate(recipes(root), pure=True)


def test_there_are_three_and_nothing_is_left_in_doubt() -> None:
    made = compiled(EXAMPLES / EXAMPLE)
    assert [recipe.variant for recipe in made.recipes()] == [SM90, SM120, CPU]
    assert messages(made) == ""


def test_each_is_for_its_gpu_and_cpu(facts: dict[str, RecipeFacts]) -> None:
    for name, target, flags in (
        (SM90, "9.0", AVX512),
        (SM120, "12.0", AVX512),
        (CPU, None, "-mavx2 -mfma -mf16c"),
    ):
        fact, torch = facts[name], torch_of(facts[name])
        assert fact["pname"] == name and fact["name"].startswith("python3.13-")
        assert torch["version"] == "2.9.1"
        assert torch["cudaSupport"] is (target is not None)
        assert torch["cuda"] == ("12.8" if target else None)
        assert torch["gpuTargets"] == ([target] if target else [])
        if target:
            assert torch["cudaCapabilities"] == [target]
        assert f'export CXXFLAGS="{flags} $CXXFLAGS"' in fact["phases"]["preConfigure"]
        assert fact["meta"]["platforms"] == ["x86_64-linux"]
        assert torch["blas"] == "openblas"
    assert len({fact["drvPath"] for fact in facts.values()}) == 3


@pytest.mark.slow
def test_sm89_is_one_word_more_and_the_others_stay(tmp_path: Path) -> None:
    before = recipes(copied(EXAMPLE, tmp_path / "before"))
    after = recipes(copied(EXAMPLE, tmp_path / "after", ADA))
    (added,) = after.keys() - before.keys()
    assert added == "pytorch-python313-cuda12_8-sm89-avx512"
    for name in before:
        assert before[name].read_bytes() == after[name].read_bytes()
    torch = torch_of(evaluate({added: after[added]})[added])
    assert (torch["cudaSupport"], torch["cuda"], torch["gpuTargets"]) == (True, "12.8", ["8.9"])


def test_the_copy_by_hand_is_a_torch_without_cuda() -> None:
    """Nix evaluates it, and nothing asks nixpkgs for CUDA."""
    path = EXAMPLES / EXAMPLE / "by-hand/pytorch-python313-cuda12_8-sm89-avx512.nix"
    fact = evaluate([path])[path.stem]
    torch = torch_of(fact)
    assert fact["drvPath"] is not None and fact["pname"] == path.stem
    assert (torch["cudaSupport"], torch["gpuTargets"]) == (False, [])
    assert 'TORCH_CUDA_ARCH_LIST="sm_89"' in fact["phases"]["preConfigure"]


@pytest.mark.slow
def test_three_pythons_are_nine_and_those_for_3_13_stay(
    facts: dict[str, RecipeFacts], tmp_path: Path
) -> None:
    found = evaluate(recipes(copied(EXAMPLE, tmp_path, ALL_PYTHONS)))
    assert len(found) == 9
    for minor in ("11", "12", "13"):
        for name in (SM90, SM120, CPU):
            fact = found[name.replace("python313", f"python3{minor}")]
            assert fact["name"].startswith(f"python3.{minor}-")
            assert fact["torch"] == facts[name]["torch"]
            if minor == "13":
                assert fact["drvPath"] == facts[name]["drvPath"]
    assert len({fact["drvPath"] for fact in found.values()}) == 9


@pytest.mark.slow
def test_mkl_takes_the_place_of_openblas_in_all_three(
    facts: dict[str, RecipeFacts], tmp_path: Path
) -> None:
    found = evaluate(recipes(copied(EXAMPLE, tmp_path), 'blas="mkl"'))
    assert found.keys() == facts.keys()
    for name, fact in found.items():
        assert torch_of(fact)["blas"] == "mkl"
        assert "export BLAS=MKL\n" in fact["phases"]["preConfigure"]
        assert fact["passthru"]["blasProvider"] == "mkl"
        assert fact["drvPath"] != facts[name]["drvPath"]


@pytest.mark.slow
def test_the_names_of_the_document_are_the_same_builds(
    facts: dict[str, RecipeFacts], tmp_path: Path
) -> None:
    """Flox takes `python313Packages/pytorch-sm90-avx512.nix` for that name with a dot."""
    root = copied(EXAMPLE, tmp_path)
    (root / "their-names.tvar").write_text(block(EXAMPLE, "their-names.tvar"), encoding="utf-8")
    write_recipes(compiled(root, program="their-names.tvar"), root)
    folder = root / ".flox/pkgs/python313Packages"
    names = {
        "pytorch-sm90-avx512": SM90,
        "pytorch-sm120-avx512": SM120,
        "pytorch-cpu-avx2": CPU,
    }
    assert {path.stem for path in folder.iterdir()} == names.keys()
    paths = drv_paths({ours: folder / f"{theirs}.nix" for theirs, ours in names.items()})
    assert paths == {name: fact["drvPath"] for name, fact in facts.items()}


@pytest.mark.slow
def test_the_three_of_the_document(facts: dict[str, RecipeFacts], tmp_path: Path) -> None:
    """An RTX 3090 beside AVX2 in the place of an RTX 50; the others are the same builds."""
    reason = 'because "the workstations have AVX2, the servers AVX-512"'
    root = copied(
        EXAMPLE,
        tmp_path,
        ("nvidia[sm90, sm120]", "nvidia[sm86, sm90]"),
        ("isa[avx512]", "isa"),
        (
            'name   = "pytorch-{{python}}-{{toolkit}}-{{gpu}}-{{isa}}"\n',
            'name   = "pytorch-{{python}}-{{toolkit}}-{{gpu}}-{{isa}}"\n'
            f"  exclude (gpu == sm86) != (isa == avx2) {reason}\n",
        ),
    )
    found = evaluate(recipes(root), pure=True)
    ampere = "pytorch-python313-cuda12_8-sm86-avx2"
    assert found.keys() == {ampere, SM90, CPU}
    assert torch_of(found[ampere])["gpuTargets"] == ["8.6"]
    flags = found[ampere]["phases"]["preConfigure"]
    assert 'export CXXFLAGS="-mavx2 -mfma -mf16c $CXXFLAGS"' in flags
    assert {found[name]["drvPath"] for name in (SM90, CPU)} == {
        facts[name]["drvPath"] for name in (SM90, CPU)
    }
