"""`examples/megatron-environment`, judged by real Nix: what the environment is made of."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.command import spawn
from support.compile import codes, lints
from support.examples import EXAMPLES, compiled, copied, recipes
from support.nix import requires_nix
from support.recipes import MODEL, drv_paths, model_value

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once]

EXAMPLE = "megatron-environment"
PIN = """  github  = "NixOS/nixpkgs"
  rev     = nixos-24_11.rev
  hash    = nixos-24_11.hash
"""
HOSTS = {
    "megatron-x86-64-sm80": ("8.0", "-march=x86-64-v3", "x86_64-linux"),
    "megatron-aarch64-sm80": ("8.0", "-march=armv8.2-a+fp16+dotprod", "aarch64-linux"),
    "megatron-x86-64-sm90": ("9.0", "-march=x86-64-v3", "x86_64-linux"),
    "megatron-aarch64-sm90": ("9.0", "-march=armv8.2-a+fp16+dotprod", "aarch64-linux"),
    "megatron-gh200": ("9.0", "-march=armv9-a+sve2+bf16+i8mm", "aarch64-linux"),
}
# What a newer nixpkgs of the model has in a version of its own.
LIBRARIES = {
    *("cython", "hf-transfer", "huggingface-hub", "numcodecs", "pybind11", "py-sentencepiece"),
    *("pydantic", "pydantic-core", "safetensors", "sentry-sdk", "setuptools-scm", "sympy"),
    *("tokenizers", "transformers", "wandb", "zarr"),
}
NO_STORE = {"NIX_REMOTE": "dummy://"}
# What is told of each package of an environment.
TOLD = """
package: {
  inherit (package) version;
  address = builtins.head (package.src.urls or [ null ]);
  hash = package.src.outputHash or null;
  patches = map (patch: patch.name or (baseNameOf (toString patch))) (package.patches or [ ]);
  inputs = map (input: input.pname or input.name) (package.propagatedBuildInputs or [ ]);
  libraries = map (input: input.pname or input.name) (package.buildInputs or [ ]);
  targets = package._model.gpuTargets or null;
  capabilities = package._model.cudaCapabilities or null;
  crates = package.cargoDeps.name or null;
  attributes = builtins.mapAttrs (_: toString) (
    builtins.intersectAttrs {
      CUDAARCHS = null;
      NVTE_FRAMEWORK = null;
      TORCH_CUDA_ARCH_LIST = null;
      USE_FLASH_ATTENTION = null;
      USE_SYSTEM_NVTX = null;
      PYBIND11_SYSPATH = null;
      cmakeFlags = null;
      postPatch = null;
      preBuild = null;
      preConfigure = null;
      sourceRoot = null;
    } package.drvAttrs
  );
}
"""


def nixpkgs(folder: Path, age: str) -> Path:
    """A folder with a nixpkgs of *age*."""
    folder.mkdir(exist_ok=True)
    text = f'arguments: import {MODEL} (arguments // {{ age = "{age}"; }})\n'
    (folder / "default.nix").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The packages of each environment by name, those of Python and then the libraries."""
    folder = tmp_path_factory.mktemp("megatron")
    nixpkgs(folder / "nixpkgs", "24.11")
    written = recipes(copied(EXAMPLE, folder, (PIN, '  path = "../nixpkgs"\n')))
    asked = "".join(
        f'"{name}" = told (import {path} {{ pkgs = system "{HOSTS[name][2]}"; }});\n'
        for name, path in written.items()
    )
    text = f"""
      let
        tell = {TOLD};
        system = name: {{ stdenv.hostPlatform.system = name; }};
        # By name, with all that they are made of in the set of Python.
        named = packages: builtins.listToAttrs (
          map (package: {{ name = package.pname or package.name; value = tell package; }}) packages
        );
        told = environment:
          let
            inherit (environment) paths;
            python = (builtins.head paths).paths;
            closure = builtins.genericClosure {{
              startSet = map (package: {{ key = package.drvPath; inherit package; }}) python;
              operator = item: map (input: {{ key = input.drvPath; package = input; }}) (
                item.package.propagatedBuildInputs or [ ] ++ item.package.buildInputs or [ ]
              );
            }};
          in {{
            inherit (environment) drvPath name;
            inherit (environment.meta) platforms;
            python = named (map (item: item.package) closure);
            libraries = named (builtins.tail paths);
          }};
      in {{ {asked} }}
    """
    told: dict[str, dict[str, Any]] = model_value(text)
    return told


def test_the_hosts(environments: dict[str, dict[str, Any]]) -> None:
    assert environments.keys() == HOSTS.keys()
    assert len({found["drvPath"] for found in environments.values()}) == 5
    for name, (target, flags, platform) in HOSTS.items():
        found = environments[name]
        assert found["name"] == name and found["platforms"] == [platform]
        torch = found["python"]["torch"]
        assert torch["version"] == "2.6.0"
        assert (torch["targets"], torch["capabilities"]) == ([target], [target])
        assert f'export CXXFLAGS="{flags} $CXXFLAGS"' in torch["attributes"]["preConfigure"]
        assert found["python"]["apex"]["attributes"]["TORCH_CUDA_ARCH_LIST"] == target
        assert found["python"]["transformer-engine"]["attributes"]["CUDAARCHS"] == target.replace(
            ".", ""
        )
        assert ("third_party/XNNPACK" in torch["attributes"]["postPatch"]) is (
            platform == "aarch64-linux"
        )


def test_every_package_of_the_table_is_what_the_table_says(
    environments: dict[str, dict[str, Any]],
) -> None:
    readme = (EXAMPLES / EXAMPLE / "README.md").read_text(encoding="utf-8")
    readme, _, _ = readme.partition("<!-- tvarc: ")  # below stands what a build fills in
    rows = re.findall(r"^\| (\S+) \| (.+?) \| (\S+) \| (.*?) ?\|$", readme, re.MULTILINE)
    assert len(rows) == 28 + 1 - 1  # without hdf5, whose version is the pin's
    found = environments["megatron-gh200"]
    for theirs, ours, version, _ in rows:
        library = theirs in ("cpuinfo", "faiss", "nvtx", "sentencepiece")
        packages = found["libraries" if library else "python"]
        name = ours.removesuffix(" of Python")
        # What builds others is no part of the environment.
        if name in packages:
            assert packages[name]["version"] == version, theirs
        else:
            assert name in ("numcodecs", "setuptools-scm", "pydantic"), theirs


def test_the_two_printed_diffs(environments: dict[str, dict[str, Any]]) -> None:
    """The addresses and hashes that they name, and the dependencies."""
    python = environments["megatron-gh200"]["python"]
    assert python["docker-pycreds"]["patches"] == ["dockerpy-creds-15.patch"]
    wandb = python["wandb"]
    assert wandb["address"] == "mirror://pypi/w/wandb/wandb-0.16.6.tar.gz"
    assert bytes_of(wandb["hash"]).hex() == (
        "86f491e3012d715e0d7d7421a4d6de41abef643b7403046261f962f3e512fe1c"
    )
    assert "pathtools" not in wandb["inputs"]
    assert {"appdirs", "docker-pycreds", "sentry-sdk"} <= set(wandb["inputs"])


def bytes_of(sri: str) -> bytes:
    return base64.b64decode(sri.removeprefix("sha256-"))


def test_what_else_is_changed(environments: dict[str, dict[str, Any]]) -> None:
    found = environments["megatron-gh200"]
    python, libraries = found["python"], found["libraries"]
    torch = python["torch"]
    assert any("140275" in patch for patch in torch["patches"])
    assert "nvtx" in torch["libraries"]
    assert torch["attributes"]["USE_SYSTEM_NVTX"] == "1"
    assert torch["attributes"]["USE_FLASH_ATTENTION"] == "1"
    assert "HDF5_ENABLE_DIRECT_VFD=ON" in libraries["hdf5"]["attributes"]["cmakeFlags"]
    assert "SPM_ENABLE_TCMALLOC=OFF" in libraries["sentencepiece"]["attributes"]["cmakeFlags"]
    assert (
        "donfig" in python["zarr"]["inputs"]
        and "hf-transfer" in python["huggingface-hub"]["inputs"]
    )
    assert "pybind11" in python["triton"]["attributes"]["PYBIND11_SYSPATH"]
    assert "TRITON_HOME" in python["triton"]["attributes"]["preBuild"]
    assert python["triton"]["patches"] == ["setup_v3.2.0.patch"]
    assert python["transformer-engine"]["attributes"]["NVTE_FRAMEWORK"] == "pytorch"
    for name in ("tokenizers", "safetensors", "hf-transfer"):
        assert python[name]["crates"] == f"{name}-{python[name]['version']}-vendor.tar.gz"
        # nixpkgs builds the first two from a folder of the repository, which no archive has.
        root = python[name]["attributes"].get("sourceRoot", "")
        assert root in ("", f"{name}-{python[name]['version']}")
    folder = python["sentencepiece"]["attributes"]["sourceRoot"]
    assert folder == "sentencepiece-0.1.99/python"


@pytest.mark.slow
def test_as_it_stands_it_evaluates_on_its_release(tmp_path: Path) -> None:
    written = recipes(copied(EXAMPLE, tmp_path))
    systems = {name: HOSTS[name][2] for name in written}
    paths = drv_paths(written, systems, ages=dict.fromkeys(written, "24.11"))
    assert len(set(paths.values())) == 5


@pytest.mark.slow
def test_a_newer_nixpkgs_overtakes_what_says_until_when(tmp_path: Path) -> None:
    root = copied(EXAMPLE, tmp_path)
    # Of these the model has one version for all ages.
    always = {"torchvision", "torchaudio", "triton"}
    for age, libraries in (("24.11", always), ("26.05", LIBRARIES | always)):
        folder = nixpkgs(tmp_path / age, age)
        done = spawn("stale", "--pin", str(folder), "--json", cwd=root, env=NO_STORE)
        told = json.loads(done.stdout)["overlays"]
        assert {one["overlay"] for one in told if one["overtaken"]} == libraries


def test_nothing_is_left_in_doubt_but_eight_hashes() -> None:
    made = compiled(EXAMPLES / EXAMPLE)
    assert len(made.recipes()) == 5
    assert codes(made) == ["W002"] * 8 and lints(made) == []
