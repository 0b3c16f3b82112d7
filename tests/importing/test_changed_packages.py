"""An argument that is a changed package becomes a recipe, and what has the argument needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put
from support.nix import requires_nix, use_own_store
from support.recipes import MODEL

GPUS = ("80", "89", "90")
TORCH = """(python3Packages.torch.override {
    cudaSupport = false; rocmSupport = false;
  }).overrideAttrs (old: {
    ninjaFlags = [ "-j8" ];
    preConfigure = (old.preConfigure or "") + ''
      export MAX_JOBS=8
      export ARCH=%s
    '';
    %s
  })"""
VISION = """{ python3Packages }:
let customTorch = %s;
in (python3Packages.torchvision.override { torch = customTorch; }).overrideAttrs (old: {
  pname = "vision-sm%s";
})
"""


def _visions() -> dict[str, str]:
    return {f"pkgs/vision-sm{gpu}.nix": VISION % (TORCH % (gpu, ""), gpu) for gpu in GPUS}


def _torches(more: str) -> dict[str, str]:
    """Files that build the same Torch, with *more* attributes."""
    return {
        f"pkgs/torch-sm{gpu}.nix": "{ python3Packages, lib }: " + TORCH % (gpu, more)
        for gpu in GPUS
    }


def _imported(here: Path, files: dict[str, str], *options: str) -> tuple[str, str]:
    """The program, and what the command says."""
    done = tvarc("import", str(put(here, files)), *options, code=0)
    return Path("variants.tvar").read_text(encoding="utf-8"), done.output


def test_a_changed_package_is_a_recipe(here: Path) -> None:
    made, _ = _imported(here, _visions())
    recipe = made[made.index("recipe torch {") : made.index("recipe vision-build {")]
    assert "args  { cudaSupport = false, rocmSupport = false }" in recipe
    assert "script preConfigure += " in recipe and "ARCH={{" in recipe
    assert "needs torch = torch\n" in made and "args  { torch = needs.torch }" in made
    assert 'nix"""' not in made


def test_a_change_of_one_setting_stays_an_argument(here: Path) -> None:
    short = "python3Packages.torch.override { cudaSupport = false; }"
    made, _ = _imported(here, {"pkgs/vision-sm80.nix": VISION % (short, "80")})
    assert "needs" not in made and "torch.override" in made


def test_a_changed_package_that_another_file_builds_is_a_need_of_it(here: Path) -> None:
    """`meta` is no part of a derivation, so the file may have more of it."""
    files = _visions() | _torches("meta = old.meta // { platforms = lib.platforms.linux; };")
    made, _ = _imported(here, files)
    assert made.count("MAX_JOBS=8") == 1 and made.count("\nrecipe ") == 3
    assert "needs torch = torch\n" in made and "args  { torch = needs.torch }" in made


def test_a_file_that_builds_another_derivation_is_not_needed(here: Path) -> None:
    made, _ = _imported(here, _visions() | _torches('pname = "own-torch";'))
    assert made.count("MAX_JOBS=8") == 2


@pytest.mark.once
@requires_nix
@pytest.mark.nix
@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, _torches("")])
def test_nix_makes_the_same_derivations(
    here: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, str]
) -> None:
    use_own_store(here, monkeypatch)
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={MODEL}")
    _, said = _imported(here, _visions() | more, "--nix")
    count = 3 + len(more)
    assert f"proven for {count} of {count} recipes" in said
