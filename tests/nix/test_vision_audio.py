"""`examples/vision-audio`, judged by real Nix: each cell is built on the Torch of that cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.compile import ROOT, messages
from support.examples import EXAMPLES, compiled, copied, recipes
from support.nix import requires_nix
from support.recipes import MODEL, RecipeFacts, evaluate, model_value

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once]

EXAMPLE = "vision-audio"
PIN = """  github  = nixpkgs-0182a36.github
  rev     = nixpkgs-0182a36.rev
  hash    = nixpkgs-0182a36.hash
"""
CELLS = sorted(
    name.removeprefix("pytorch-")
    for name in json.loads((ROOT / "tests/data/plan44.json").read_text(encoding="utf-8"))
)
VERSIONS = {"pytorch": "2.10.0", "torchvision": "0.25.0", "torchaudio": "2.10.0"}


@pytest.mark.slow
def test_there_are_the_cells_of_the_plan_and_three_packages_for_each() -> None:
    made = compiled(EXAMPLES / EXAMPLE)
    names = {recipe.variant for recipe in made.recipes()}
    assert names == {f"{package}-{cell}" for package in VERSIONS for cell in CELLS}
    assert len(CELLS) == 44 and messages(made) == ""


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RecipeFacts]:
    """What Nix makes of each recipe as it stands, in pure evaluation."""
    return evaluate(recipes(copied(EXAMPLE, tmp_path_factory.mktemp("example"))), pure=True)


@pytest.mark.slow
def test_they_are_paired_and_for_the_gpu_and_cpu_of_their_cell(
    facts: dict[str, RecipeFacts],
) -> None:
    assert len({fact["drvPath"] for fact in facts.values()}) == 132
    for cell in CELLS:
        torch = facts[f"pytorch-{cell}"]
        for package, version in VERSIONS.items():
            fact = facts[f"{package}-{cell}"]
            assert fact["version"] == version
            assert fact["torch"] == torch["torch"], cell
            assert fact["system"] == torch["system"]
            flags = {line for line in lines(torch) if line.startswith('export CXXFLAGS="-m')}
            assert flags and flags <= lines(fact)


def lines(fact: RecipeFacts) -> set[str]:
    return set(fact["phases"]["preConfigure"].splitlines())


@pytest.mark.slow
def test_each_is_built_on_the_torch_that_is_built_by_itself(tmp_path: Path) -> None:
    """`needs.torch.drvPath` is that of the variant, for all cells."""
    (tmp_path / "nixpkgs").symlink_to(MODEL)
    written = recipes(copied(EXAMPLE, tmp_path, (PIN, '  path = "../nixpkgs"\n')))
    told: dict[str, Any] = model_value(
        "let of = path: import path { pkgs.stdenv.hostPlatform.system = "
        'if builtins.match ".*-armv.*" (toString path) == null then "x86_64-linux" '
        'else "aarch64-linux"; }; in {'
        + "".join(
            f'"{cell}" = {{ alone = (of {written[f"pytorch-{cell}"]}).drvPath; beneath = map '
            f"(path: (of path).torch.drvPath) "
            f"[ {written[f'torchvision-{cell}']} {written[f'torchaudio-{cell}']} ]; }};\n"
            for cell in CELLS
        )
        + "}"
    )
    assert len({one["alone"] for one in told.values()}) == 44
    for cell, one in told.items():
        assert one["beneath"] == [one["alone"]] * 2, cell


@pytest.mark.slow
def test_all_of_it_in_one_file_is_what_the_single_files_are(tmp_path: Path) -> None:
    (tmp_path / "nixpkgs").symlink_to(MODEL)
    both = (
        "output flox {",
        'output all: all { file = "default.nix", prefix = "{{matrix}}" }\noutput flox {',
    )
    root = copied(EXAMPLE, tmp_path, (PIN, '  path = "../nixpkgs"\n'), both)
    written = recipes(root)
    made = compiled(root)
    for _ in made.files(made.file):
        pass
    (one,) = made.collections("variants.tvar")
    (root / one.path).write_bytes(one.data())
    told: dict[str, dict[str, str]] = model_value(
        "let pkgs = system: { stdenv.hostPlatform.system = system; };"
        f" all = system: import {root / one.path} {{ pkgs = pkgs system; }};"
        ' x86 = all "x86_64-linux"; arm = all "aarch64-linux";'
        ' of = name: if builtins.match ".*-armv.*" name == null then "x86_64-linux" '
        'else "aarch64-linux"; in {'
        + "".join(
            f'"{name}" = {{ alone = (import {path} {{ pkgs = pkgs (of "{name}"); }}).drvPath;'
            f' together = (if of "{name}" == "x86_64-linux" then x86 else arm)."{name}".drvPath;'
            " };"
            for name, path in written.items()
        )
        + "}"
    )
    assert len({found["alone"] for found in told.values()}) == 132
    assert all(found["alone"] == found["together"] for found in told.values())
