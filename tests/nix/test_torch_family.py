"""The example `torch-family` by real Nix: each release with its own Torch, Pythons and toolkits."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from nix.test_collections import with_all_values
from support.compile import ROOT, compile_on_disk, messages, write_recipes
from support.effort import is_long
from support.nix import requires_nix
from support.recipes import drv_paths, evaluate
from tvarc.build.driver import Compilation

pytestmark = [pytest.mark.nix, pytest.mark.once, requires_nix]

FILE = ROOT / "examples" / "torch-family" / "variants.tvar"
VERSIONS = {"torch2_8_0": "2.8.0", "torch2_9_1": "2.9.1", "torch2_10_0": "2.10.0"}


def compiled() -> Compilation:
    made = compile_on_disk(FILE)
    assert not made.sink.has_errors, messages(made)
    return made


def test_there_are_over_600_in_one_program() -> None:
    made = compiled()
    assert len(made.variants) == 762
    pythons = Counter(variant.name.split("-")[:2][1] for variant in made.variants)
    assert set(pythons) == {"python311", "python312", "python313"}
    for variant in made.variants:
        release, python, toolkit, *_ = variant.name.split("-")
        if release == "torch2_8_0":
            assert toolkit in ("cuda12_8", "cpu")
        assert python == "python313" or release != "torch2_10_0"


@pytest.mark.slow
def test_they_are_builds_of_their_own(tmp_path: Path) -> None:
    """All of them in a long run, and else some."""
    made = compiled()
    recipes = write_recipes(made, tmp_path)
    assert len(recipes) == 762
    some = recipes.keys() if is_long() else with_all_values(made)
    assert len(some) >= 40
    found = drv_paths({name: recipes[name] for name in some})
    assert len({*found.values()}) == len(found) == len(some)


@pytest.mark.slow
def test_each_release_is_its_own_torch(tmp_path: Path) -> None:
    made = compiled()
    recipes = write_recipes(made, tmp_path)
    wanted = {
        name: path for name, path in recipes.items() if name.endswith(("-sm90-avx512", "-cpu-avx2"))
    }
    facts = evaluate(wanted)
    assert len(facts) == 3 * 2 + 2 * 4 + 5
    for name, fact in facts.items():
        release, python, toolkit, *_ = name.split("-")
        torch = fact["torch"]
        assert torch is not None
        assert (fact["version"] or torch["version"]) == VERSIONS[release], name
        assert fact["name"].startswith(f"python3.{python.removeprefix('python3')}-"), name
        cuda = toolkit.removeprefix("cuda").replace("_", ".") if toolkit != "cpu" else None
        assert torch["cuda"] == cuda, name
        assert torch["gpuTargets"] == (["9.0"] if cuda else []) or cuda is None, name
