"""`std.torch-build`, judged by real Nix: what its recipes come to in the model nixpkgs."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.compile import compile_text, write_recipes
from support.nix import requires_nix
from support.recipes import RecipeFacts, TorchFacts, evaluate, parse_ok
from support.torch_build import PIN, cpu, cuda, matrix, program, rocm

# Two recipes are one derivation in each Nix or in none.
pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once]

SOURCE = "overlays += [torch-source]"
PROGRAM = program(
    cuda("gpu", gpu="sm61, sm75, sm90", isa="avx, avx2, avx512", toolkit="cuda12_8"),
    cuda("new", gpu="sm75, sm90, sm103", toolkit="cuda13_0, cuda13_1"),
    cuda("arm", gpu="sm110, sm121", isa="armv9", toolkit="cuda13_0"),
    cuda("wide", "flag narrow = false", gpu="sm90"),
    cuda("kept", "flag cudnn = true", gpu="sm61"),
    cuda("plain", "flag cccl = false", "flag magma-fix = false", gpu="sm90", toolkit="cuda13_0"),
    cuda("refused", "flag allow-broken = false", gpu="sm90", toolkit="cuda13_0"),
    cuda("jobs", "flag jobs = 8", gpu="sm90"),
    cuda("mkl", 'flag blas = "mkl"', gpu="sm90"),
    cpu("cpu", isa="avx, avx2, armv8_2"),
    cpu("no-cuda", "config { cudaSupport = true, rocmSupport = true }"),
    cpu("mkl-cpu", 'flag blas = "mkl"'),
    cpu("kernels", "flag avx2-kernels = true", isa="avx"),
    cpu("onednn", "flag onednn = true", isa="avx"),
    rocm("amd", gfx="gfx90a, gfx1030"),
    rocm("amd-wide", "flag narrow = false", gfx="gfx90a, gfx1030"),
    rocm("amd-magma", "flag magma = true", gfx="gfx90a"),
    "variant mps { recipe = torch-mps }",
    matrix(
        "other",
        "torch-cuda",
        "toolkit[cuda12_8] * gpu[sm90] * isa[avx2] * release[torch2_8_0, torch2_10_0]",
        "other-{{release}}",
        SOURCE,
    ),
    matrix(
        "other-mkl",
        "torch-cpu",
        "isa[avx2] * release[torch2_10_0]",
        "other-mkl",
        SOURCE,
        'flag blas = "mkl"',
    ),
)
FIRST = "gpu-cuda12_8-sm90-avx2"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_recipes(compile_text(PROGRAM), tmp_path_factory.mktemp("torch-build"))


@pytest.fixture(scope="module")
def facts(files: dict[str, Path]) -> dict[str, RecipeFacts]:
    return evaluate(files, record_refusals=True)


def torch_of(fact: RecipeFacts) -> TorchFacts:
    assert fact["torch"] is not None, fact
    return fact["torch"]


def exported(script: str) -> list[str]:
    """What a script exports, in order."""
    return re.findall(r"^export (.*)$", script, re.MULTILINE)


def configure(fact: RecipeFacts) -> list[str]:
    return exported(fact["phases"]["preConfigure"])


@pytest.mark.slow
def test_all_are_accepted_and_differ(files: dict[str, Path], facts: dict[str, RecipeFacts]) -> None:
    assert parse_ok(files.values())
    good = {name: fact for name, fact in facts.items() if name != "refused-cuda13_0-sm90-avx2"}
    assert [name for name, fact in good.items() if fact["refusal"] is not None] == []
    assert len({fact["drvPath"] for fact in good.values()}) == len(good) == len(files) - 1


@pytest.mark.slow
def test_scripts_are_shell(facts: dict[str, RecipeFacts]) -> None:
    scripts = {
        script
        for fact in facts.values()
        if fact["refusal"] is None
        for script in fact["phases"].values()
    }
    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, timeout=60, check=True)


# --- CUDA ----------------------------------------------------------------------------------------


def test_one_gpu_is_what_torch_magma_and_nccl_are_built_for(facts: dict[str, RecipeFacts]) -> None:
    for name, capability in {FIRST: "9.0", "gpu-cuda12_8-sm61-avx2": "6.1",
                             "new-cuda13_0-sm103-avx2": "10.3"}.items():  # fmt: skip
        torch, plain = torch_of(facts[name]), capability.replace(".", "")
        assert torch["gpuTargets"] == torch["cudaCapabilities"] == [capability]
        assert f'TORCH_CUDA_ARCH_LIST="{capability}"' in configure(facts[name])
        assert torch["magmaFlags"] is not None
        assert f"-DCMAKE_CUDA_ARCHITECTURES:STRING={plain}" in torch["magmaFlags"]
        assert f"-DMIN_ARCH:STRING={plain}0" in torch["magmaFlags"]
        gencode = f"-gencode=arch=compute_{plain},code=sm_{plain}"
        assert torch["ncclFlags"] == [f"NVCC_GENCODE={gencode}"]


def test_without_narrow_only_torch_is_for_one_gpu(facts: dict[str, RecipeFacts]) -> None:
    torch = torch_of(facts["wide-cuda12_8-sm90-avx2"])
    assert torch["gpuTargets"] == ["9.0"]
    assert len(torch["cudaCapabilities"]) > 5
    assert torch["ncclFlags"][0].count("-gencode") == len(torch["cudaCapabilities"])
    assert "cudaCapabilities" not in facts["wide-cuda12_8-sm90-avx2"]["pin"]["config"]


def test_thor_is_named_although_nixpkgs_does_not_know_it(facts: dict[str, RecipeFacts]) -> None:
    fact = facts["arm-cuda13_0-sm110-armv9"]
    assert 'TORCH_CUDA_ARCH_LIST="11.0"' in configure(fact)
    assert fact["system"] == "aarch64-linux"
    assert fact["meta"]["platforms"] == ["aarch64-linux"]


def test_the_toolkit_is_one_for_all(facts: dict[str, RecipeFacts]) -> None:
    for name, toolkit in {FIRST: "12.8", "new-cuda13_0-sm90-avx2": "13.0",
                          "new-cuda13_1-sm90-avx2": "13.1"}.items():  # fmt: skip
        fact = facts[name]
        assert torch_of(fact)["cuda"] == toolkit
        broken = set(fact["passthru"]["brokenConditions"])
        assert broken == ({"Unsupported CUDA version"} if toolkit > "13" else set())


def test_the_sets_are_named_exactly(files: dict[str, Path]) -> None:
    assert "cudaPackages = final.cudaPackages_12_8;" in files[FIRST].read_text()
    assert "cudaPackages = final.cudaPackages_13_1;" in files["new-cuda13_1-sm90-avx2"].read_text()


def test_configuration_is_what_the_recipe_needs(facts: dict[str, RecipeFacts]) -> None:
    own = {"allowUnfree": True, "cudaSupport": True, "cudaCapabilities": ["9.0"]}
    assert facts[FIRST]["pin"]["config"] == own
    assert facts["new-cuda13_0-sm90-avx2"]["pin"]["config"] == own | {"allowBroken": True}
    assert facts["cpu-avx2"]["pin"]["config"] == {"allowUnfree": True}
    assert facts["amd-gfx90a-avx2"]["pin"]["config"] == {"allowUnfree": True, "rocmSupport": True}
    for fact in facts.values():
        assert fact["refusal"] is not None or PIN in (fact["pin"]["url"] or "")


def test_cuda_13_is_refused_where_nothing_allows_it(facts: dict[str, RecipeFacts]) -> None:
    assert facts["refused-cuda13_0-sm90-avx2"]["refusal"] == (
        "python3.13-torch-2.9.1 is marked as broken"
    )


def test_cudnn_is_off_below_7_5_alone(facts: dict[str, RecipeFacts]) -> None:
    off = {name for name, fact in facts.items()
           if fact["refusal"] is None and "USE_CUDNN=0" in configure(fact)}  # fmt: skip
    assert off == {f"gpu-cuda12_8-sm61-{isa}" for isa in ("avx", "avx2", "avx512")}
    assert "kept-cuda12_8-sm61-avx2" in facts


def test_cuda_13_brings_headers_and_a_patch_of_magma(facts: dict[str, RecipeFacts]) -> None:
    for name, fact in facts.items():
        if fact["refusal"] is not None or torch_of(fact)["cuda"] is None:
            continue
        newer = "-cuda13_" in name and not name.startswith("plain")
        script = fact["phases"]["preConfigure"]
        assert ('export CUDAFLAGS="-I$NIX_BUILD_TOP/cccl $CUDAFLAGS"' in script) == newer, name
        patched = torch_of(fact)["magmaPatches"] == ["cuda-13.0-clockrate-fix.patch"]
        assert patched == newer, name


def test_headers_are_linked_as_cutlass_looks_for_them(
    facts: dict[str, RecipeFacts], tmp_path: Path
) -> None:
    script = facts["new-cuda13_0-sm90-avx2"]["phases"]["preConfigure"]
    run_shell("mkdir" + script.partition("\nmkdir")[2], tmp_path)
    links = {path.name: path.readlink() for path in (tmp_path / "cccl" / "cccl").iterdir()}
    assert set(links) == {"cuda", "cub", "thrust", "nv"}
    assert all(f"cuda_cccl-13.0.2/include/{name}" in str(to) for name, to in links.items())


def run_shell(script: str, folder: Path) -> str:
    """What a script prints, with *folder* as its place and as that of the build."""
    done = subprocess.run(
        ["bash", "-e"],
        input=script,
        cwd=folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "NIX_BUILD_TOP": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_headers_come_from_the_toolkit_in_use(facts: dict[str, RecipeFacts]) -> None:
    for toolkit in ("13.0.2", "13.1.1"):
        name = f"new-cuda{toolkit[:4].replace('.', '_')}-sm90-avx2"
        script = facts[name]["phases"]["preConfigure"]
        assert re.search(rf"cuda_cccl-{toolkit}/include/\$dir ", script), name


# --- CPU -----------------------------------------------------------------------------------------


def test_compiler_flags_come_after_nixpkgs_own_script(facts: dict[str, RecipeFacts]) -> None:
    found = configure(facts["gpu-cuda12_8-sm90-avx512"])
    flags = "-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma"
    assert f'CXXFLAGS="{flags} $CXXFLAGS"' in found
    assert f'CFLAGS="{flags} $CFLAGS"' in found
    assert found[0].startswith("TORCH_CUDA_ARCH_LIST=")
    script = facts["cpu-armv8_2"]["phases"]["preConfigure"]
    assert 'CFLAGS="-march=armv8.2-a+fp16+dotprod $CFLAGS"' in script


def test_a_build_for_cpus_has_no_gpu_whatever_is_configured(facts: dict[str, RecipeFacts]) -> None:
    torch = torch_of(facts["no-cuda-avx2"])
    assert (torch["cudaSupport"], torch["rocmSupport"]) == (False, False)


def test_without_avx2_its_kernels_are_off(facts: dict[str, RecipeFacts]) -> None:
    off = ["USE_FBGEMM=0", "USE_NNPACK=0"]
    onednn = ["USE_MKLDNN=0", "USE_MKLDNN_CBLAS=0"]
    for name, wanted, lost in [
        ("cpu-avx", [*off, *onednn], []),
        ("gpu-cuda12_8-sm90-avx", [*off, *onednn], []),
        ("kernels-avx", [], [*off, *onednn]),
        ("onednn-avx", off, onednn),
        ("cpu-avx2", [], [*off, *onednn]),
        ("cpu-armv8_2", [], [*off, *onednn]),
    ]:
        found = configure(facts[name])
        assert set(wanted) <= set(found) and not set(lost) & set(found), name
        included = any(line.startswith("CMAKE_PROJECT_Torch_INCLUDE=") for line in found)
        assert included == bool(wanted), name


FIND_AVX = """
include(CheckCXXSourceCompiles)
macro(check_vectors lang type flags source)
  set(number 1)
  foreach(flag ${flags})
    if(NOT ${lang}_${type}_FOUND)
      set(CMAKE_REQUIRED_FLAGS ${flag})
      check_cxx_source_compiles("${source}" ${lang}_HAS_${type}_${number})
      if(${lang}_HAS_${type}_${number})
        set(${lang}_${type}_FOUND TRUE CACHE BOOL "found")
      endif()
    endif()
    math(EXPR number "${number}+1")
  endforeach()
endmacro()
check_vectors(CXX AVX2 " ;-O1" "int main() { return 0; }")
check_vectors(CXX AVX512 " ;-O1" "int main() { return 0; }")
message(STATUS "found: ${CXX_AVX2_FOUND} ${CXX_AVX512_FOUND}")
"""


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("c++") is None, reason="CMake is not installed"
)
@pytest.mark.parametrize(("variant", "found"), [("cpu-avx", "FALSE"), ("cpu-avx2", "TRUE")])
def test_cmake_believes_the_script(
    facts: dict[str, RecipeFacts], tmp_path: Path, variant: str, found: str
) -> None:
    """With PyTorch's way to look for AVX2, and its setup.py's way to hand on variables."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(Torch CXX C)\n" + FIND_AVX
    )
    include = "CMAKE_PROJECT_Torch_INCLUDE"
    handed_on = "${" + include + ":+-D" + include + "=$" + include + "}"
    script = facts[variant]["phases"]["preConfigure"] + f"cmake -S . -B build {handed_on}\n"
    assert f"found: {found} {found}\n" in run_shell(script, tmp_path)


def test_mkl_replaces_openblas_everywhere(facts: dict[str, RecipeFacts]) -> None:
    for name in ("mkl-cpu-avx2", "mkl-cuda12_8-sm90-avx2"):
        fact = facts[name]
        assert torch_of(fact)["blas"] == fact["passthru"]["blasProvider"] == "mkl"
        assert "BLAS=MKL" in configure(fact)
        assert "disable-cmake-mkl-rpath.patch" in torch_of(fact)["patches"]
    for name in (FIRST, "cpu-avx2", "cpu-armv8_2"):
        assert torch_of(facts[name])["blas"] == facts[name]["passthru"]["blasProvider"]
        assert facts[name]["passthru"]["blasProvider"] == "openblas"
        assert "BLAS=OpenBLAS" in configure(facts[name])


def test_lapack_is_mkl_as_well(files: dict[str, Path]) -> None:
    text = " ".join(files["mkl-cpu-avx2"].read_text(encoding="utf-8").split())
    assert "; prev.blas.override { blasProvider = final.mkl; };" in text
    assert "; prev.lapack.override { lapackProvider = final.mkl; };" in text


def test_jobs_are_exported_where_nixpkgs_does_not_undo_it(facts: dict[str, RecipeFacts]) -> None:
    found = exported(facts["jobs-cuda12_8-sm90-avx2"]["phases"]["preBuild"])
    assert found == ["MAX_JOBS=$NIX_BUILD_CORES", "MAX_JOBS=8"]
    assert exported(facts[FIRST]["phases"]["preBuild"]) == ["MAX_JOBS=$NIX_BUILD_CORES"]


# --- another Torch -------------------------------------------------------------------------------


def test_another_torch_is_one_overlay(facts: dict[str, RecipeFacts]) -> None:
    for release in ("2.8.0", "2.10.0"):
        fact = facts[f"other-torch{release.replace('.', '_')}"]
        assert fact["version"] == torch_of(fact)["version"] == release
        source = fact["src"]
        assert source is not None
        assert (source["tag"], source["fetchSubmodules"]) == (f"v{release}", True)
        assert f"PYTORCH_BUILD_VERSION={release}" in configure(fact)
        assert f'echo "{release}" > version.txt' in fact["phases"]["preConfigure"]
        assert fact["patches"] == []
        deleted, _, stub = fact["phases"]["postPatch"].partition("rm cmake/Modules/FindCUDA")
        assert deleted and "if [ ! -e cmake/Modules/FindCUDAToolkit.cmake ]" in stub
        assert fact["meta"]["description"].startswith(f"PyTorch {release} for NVIDIA Hopper")
    pairs = [facts[f"other-{one}"]["passthru"] for one in ("torch2_8_0", "torch2_10_0")]
    assert [pair["torchvision"] for pair in pairs] == [["0.23.0"], ["0.25.0"]]
    assert [pair["torchaudio"] for pair in pairs] == ["2.8.0", "2.10.0"]


def test_the_patch_that_mkl_needs_is_kept(facts: dict[str, RecipeFacts]) -> None:
    assert facts["other-mkl"]["patches"] == ["disable-cmake-mkl-rpath.patch"]


def test_the_stub_is_written_where_the_file_is_gone_alone(
    facts: dict[str, RecipeFacts], tmp_path: Path
) -> None:
    script = facts["other-torch2_10_0"]["phases"]["postPatch"].partition("FindCUDAToolkit.cmake\n")
    for kept in (False, True):
        folder = tmp_path / str(kept)
        file = folder / "cmake/Modules/FindCUDAToolkit.cmake"
        file.parent.mkdir(parents=True)
        if kept:
            file.write_text("kept\n", encoding="utf-8")
        run_shell(script[2], folder)
        text = file.read_text(encoding="utf-8")
        assert text == "kept\n" if kept else 'include("${CMAKE_ROOT}/Modules/Find' in text


def test_without_it_everything_speaks_of_the_torch_of_the_pin(
    facts: dict[str, RecipeFacts],
) -> None:
    fact = facts[FIRST]
    assert fact["version"] == "2.9.1"
    assert fact["meta"]["description"] == (
        "PyTorch 2.9.1 for NVIDIA Hopper (H100, H200, GH200) (SM90) + AVX2"
    )
    assert "PyTorch 2.9.1 with CUDA 12.8" in fact["meta"]["longDescription"]
    assert "Driver: 525 or newer." in fact["meta"]["longDescription"]
    assert facts["cpu-avx2"]["meta"]["description"] == "PyTorch 2.9.1 for CPUs with AVX2"


# --- ROCm and Darwin -----------------------------------------------------------------------------


def test_rocm_is_for_one_target(facts: dict[str, RecipeFacts]) -> None:
    for target, wide in itertools.product(("gfx90a", "gfx1030"), (False, True)):
        fact = facts[f"amd-{'wide-' if wide else ''}{target}-avx2"]
        torch = torch_of(fact)
        assert (torch["rocmSupport"], torch["cudaSupport"]) == (True, False)
        assert f'PYTORCH_ROCM_ARCH="{target}"' in configure(fact)
        assert (torch["rocmTargets"] == [target]) != wide
        assert fact["passthru"]["gpuArch"] == target


def test_cmake_gets_the_flags_of_the_cpu_beside_those_of_rocm(
    facts: dict[str, RecipeFacts],
) -> None:
    found = [one for one in configure(facts["amd-gfx90a-avx2"]) if one.startswith("CMAKE_CXX")]
    assert len(found) == 2
    assert found[1] == 'CMAKE_CXX_FLAGS="-mavx2 -mfma -mf16c $CMAKE_CXX_FLAGS"'


def test_magma_is_there_for_targets_that_it_knows(facts: dict[str, RecipeFacts]) -> None:
    for name, there in {"amd-gfx90a-avx2": False, "amd-gfx1030-avx2": True,
                        "amd-magma-gfx90a-avx2": True}.items():  # fmt: skip
        assert ("USE_MAGMA=0" in configure(facts[name])) != there, name
        assert (torch_of(facts[name])["magmaFlags"] is not None) == there, name


def test_darwin_has_mps_and_veclib(facts: dict[str, RecipeFacts]) -> None:
    fact = facts["mps"]
    assert fact["system"] == "aarch64-darwin"
    assert fact["meta"]["platforms"] == ["aarch64-darwin"]
    torch = torch_of(fact)
    assert not torch["cudaSupport"] and not torch["rocmSupport"]
    assert (fact["env"]["USE_MPS"], fact["env"]["USE_MKLDNN"]) == ("1", "0")
    assert configure(fact) == ["BLAS=vecLib"]
    assert fact["passthru"]["blasProvider"] == "veclib"
    assert fact["meta"]["description"] == "PyTorch 2.9.1 for Apple GPUs (MPS)"
