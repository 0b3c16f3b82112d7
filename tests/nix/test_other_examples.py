"""The examples that are not of PyTorch, by real Nix: what is built is what is written by hand."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.alone import emit
from support.compile import ROOT, compile_text, messages
from support.nix import requires_nix
from support.recipes import MODEL, nix_instantiate

pytestmark = [pytest.mark.nix, pytest.mark.once, requires_nix]

PIN = re.compile(r"^pin nixpkgs \{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)


def recipes(example: str, folder: Path) -> dict[str, Path]:
    """The recipes of *example*, written below *folder*, with the model in the place of its pin."""
    text = (ROOT / "examples" / example / "variants.tvar").read_text(encoding="utf-8")
    pin = PIN.search(text)
    assert pin is not None
    config = "".join(line for line in pin[1].splitlines(True) if line.startswith("  config"))
    text = PIN.sub(f'pin nixpkgs {{\n  path = "../nixpkgs"\n{config}}}\n', text)
    project = folder / "project"
    project.mkdir()
    (folder / "nixpkgs").symlink_to(MODEL)
    for patch in (ROOT / "examples" / example).glob("*.patch"):
        (project / patch.name).write_bytes(patch.read_bytes())
    made = compile_text(text, files={"../nixpkgs/default.nix": ""})
    found = made.recipes()
    assert not made.sink.has_errors, messages(made)
    written: dict[str, Path] = {}
    for recipe in found:
        (output,) = emit([recipe], made.file)
        path = project / output.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(output.text, encoding="utf-8")
        written[recipe.variant] = path
    return written


def asked(folder: Path, expressions: Mapping[str, str], system: str = "x86_64-linux") -> Any:
    """The values of *expressions*, in which `p CONFIG OVERLAYS` is the model."""
    model = (
        f'config: overlays: import ../nixpkgs {{ system = "{system}"; inherit config overlays; }}'
    )
    fields = "".join(f'"{name}" = {text};\n' for name, text in expressions.items())
    done = subprocess.run(
        [nix_instantiate(), "--store", "dummy://", "--readonly-mode", "--eval", "--strict",
         "--json", "--expr", f"let p = {model}; in {{ {fields} }}"],
        cwd=folder / "project", stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def package_of(recipe: Path, system: str = "x86_64-linux") -> str:
    return f'(import {recipe} {{ pkgs.stdenv.hostPlatform.system = "{system}"; }})'


def system_of(name: str) -> str:
    return "aarch64-linux" if "armv9" in name else "x86_64-linux"


def drv_paths(folder: Path, found: Mapping[str, Path]) -> dict[str, str]:
    asked_for = {
        name: f"{package_of(path, system_of(name))}.drvPath" for name, path in found.items()
    }
    return dict(asked(folder, asked_for))


# --- ffmpeg ---------------------------------------------------------------------------------------

CODECS = {
    "web": "withGPL = true; withX264 = true; withX265 = false; withSvtav1 = true;",
    "archive": "withGPL = true; withX264 = false; withX265 = true; withSvtav1 = true;",
    "lgpl": "withGPL = false; withX264 = false; withX265 = false; withSvtav1 = true;",
}
MARCH = {
    "x86-64-v3": "x86-64-v3",
    "x86-64-v4": "x86-64-v4",
    "armv9": "armv9-a+sve2+bf16+i8mm",
}


def test_ffmpeg_is_built_as_by_hand(tmp_path: Path) -> None:
    found = recipes("ffmpeg", tmp_path)
    by_hand: dict[str, dict[str, str]] = {"x86_64-linux": {}, "aarch64-linux": {}}
    for codecs, arguments in CODECS.items():
        for isa, march in MARCH.items():
            for lto in ("", "-lto"):
                if lto and isa == "armv9":
                    continue
                name = f"ffmpeg-{codecs}-{isa}{lto}"
                flags = f'"--extra-cflags=-march={march}"' + (' "--enable-lto"' if lto else "")
                by_hand[system_of(name)][name] = (
                    f"(((p {{ }} [ ]).ffmpeg.override {{ {arguments} }}).overrideAttrs (old: {{"
                    f" configureFlags = old.configureFlags ++ [ {flags} ];"
                    " patches = [ ./no-banner.patch ]; })).drvPath"
                )
    expected: dict[str, str] = {}
    for system, expressions in by_hand.items():
        expected |= asked(tmp_path, expressions, system)
    made = drv_paths(tmp_path, found)
    assert made == expected
    assert len(set(made.values())) == len(made) == 15


# --- llama.cpp ------------------------------------------------------------------------------------

GGML = {
    "avx2": ["AVX2=ON", "FMA=ON", "F16C=ON"],
    "avx512": ["AVX2=ON", "FMA=ON", "F16C=ON", "AVX512=ON"],
    "avx512bf16": ["AVX2=ON", "FMA=ON", "F16C=ON", "AVX512=ON", "AVX512_VNNI=ON", "AVX512_BF16=ON"],
    "armv9": ["CPU_ARM_ARCH=armv9-a+sve2+bf16+i8mm"],
}
GPUS = {"cpu": "", "sm86": "86", "sm89": "89", "sm90": "90", "sm120": "120"}
SCRATCH = """
let pkgs = p {{ allowUnfree = true; }} [ ]; cuda = pkgs.cudaPackages_12_9; in
({stdenv}.mkDerivation {{
  pname = "{name}";
  version = "5760";
  src = pkgs.fetchFromGitHub {{
    owner = "ggml-org"; repo = "llama.cpp"; tag = "b5760"; hash = "{hash}";
  }};
  nativeBuildInputs = [ pkgs.cmake pkgs.ninja pkgs.pkg-config ] ++ {native};
  buildInputs = [ pkgs.curl ] ++ {inputs};
  cmakeFlags = [ "-DGGML_NATIVE=OFF" "-DLLAMA_CURL=ON" "-DBUILD_SHARED_LIBS=ON" {flags} ];
}}).drvPath
"""


def test_llama_cpp_is_built_as_by_hand(tmp_path: Path) -> None:
    found = recipes("llama-cpp", tmp_path)
    hashes = {re.findall(r'hash = "(.*?)"', path.read_text("utf-8"))[0] for path in found.values()}
    (hash,) = hashes
    by_hand: dict[str, dict[str, str]] = {"x86_64-linux": {}, "aarch64-linux": {}}
    for gpu, architecture in GPUS.items():
        for isa, ggml in GGML.items():
            if isa == "armv9" and gpu not in ("cpu", "sm90"):
                continue
            name = f"llama-cpp-{gpu}-{isa}"
            flags = [f"-DGGML_{one}" for one in ggml]
            if architecture:
                flags += ["-DGGML_CUDA=ON", f"-DCMAKE_CUDA_ARCHITECTURES={architecture}-real"]
            by_hand[system_of(name)][name] = SCRATCH.format(
                name=name,
                hash=hash,
                stdenv="cuda.backendStdenv" if architecture else "pkgs.stdenv",
                native="[ cuda.cuda_nvcc pkgs.autoAddDriverRunpath ]" if architecture else "[ ]",
                inputs="[ cuda.cuda_cccl cuda.cuda_cudart cuda.libcublas ]"
                if architecture
                else "[ ]",
                flags=" ".join(f'"{flag}"' for flag in flags),
            )
    expected: dict[str, str] = {}
    for system, expressions in by_hand.items():
        expected |= asked(tmp_path, expressions, system)
    made = drv_paths(tmp_path, found)
    assert made == expected
    assert len(set(made.values())) == len(made) == 17


# --- one BLAS -------------------------------------------------------------------------------------


def test_a_whole_python_set_has_one_blas(tmp_path: Path) -> None:
    found = recipes("blas", tmp_path)
    assert len(found) == 4
    told = asked(
        tmp_path,
        {
            name: f"""
              let
                paths = {package_of(path)}.paths;
                named = map (one: one.pname) paths;
                linked = builtins.concatMap (one: one.buildInputs or [ ]) paths;
              in
              {{
                inherit named;
                providers = map (one: one.implementation) linked;
                interpreters = map (one: one.pythonModule.pythonVersion) paths;
              }}
            """
            for name, path in found.items()
        },
    )
    for name, one in told.items():
        python, blas = name.split("-")
        assert one["named"] == ["numpy", "scipy", "scikit-learn"]
        assert one["providers"] == [blas] * 4  # BLAS and LAPACK of numpy and of scipy
        assert set(one["interpreters"]) == {f"3.{python.removeprefix('python3')}"}


def test_an_environment_is_built_as_by_hand(tmp_path: Path) -> None:
    found = recipes("blas", tmp_path)
    overlay = (
        "(final: prev: {{ blas = prev.blas.override {{ blasProvider = final.{0}; }};"
        " lapack = prev.lapack.override {{ lapackProvider = final.{0}; }}; }})"
    )
    by_hand = {
        name: f"((p {{ allowUnfree = true; }} [ {overlay.format(name.split('-')[1])} ])"
        f".{name.split('-')[0]}.withPackages (ps: [ ps.numpy ps.scipy ps.scikit-learn ])).drvPath"
        for name in found
    }
    made = drv_paths(tmp_path, found)
    assert made == asked(tmp_path, by_hand)
    assert len(set(made.values())) == 4


@pytest.mark.parametrize("example", ["ffmpeg", "llama-cpp", "blas"])
def test_nothing_of_torch_is_in_them(example: str, tmp_path: Path) -> None:
    for path in recipes(example, tmp_path).values():
        assert "torch" not in path.read_text(encoding="utf-8").lower()
