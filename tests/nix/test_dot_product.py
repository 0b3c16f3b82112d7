"""The example that really builds: the machine's GCC compiles its library, and its programs run."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from support.command import tvarc
from support.examples import EXAMPLES
from support.farm import Farm, builds, put_farm, states

pytestmark = [
    *builds,
    pytest.mark.slow,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="its variants are for x86-64"),
]

COMPILED = {
    "dot-product-x86-64-v2": "baseline sse4.2",
    "dot-product-x86-64-v3": "baseline sse4.2 avx2 fma",
    "dot-product-x86-64-v4": "baseline sse4.2 avx2 fma avx512f",
}


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    """A farm with a copy of the example, and with the settings of Nix that the example has."""
    farm = put_farm(tmp_path, monkeypatch)
    shutil.rmtree(farm.project)
    shutil.copytree(EXAMPLES / "dot-product", farm.project)
    monkeypatch.chdir(farm.project)
    monkeypatch.setenv("NIX_CONF_DIR", str(farm.project))
    return farm


def in_store(farm: Farm, link: str) -> Path:
    """What the link *link* of the project names in the farm's store."""
    return farm.root / "store" / (farm.project / link).readlink().relative_to("/")


def can_run(variant: str) -> bool:
    """Whether this machine has the vectors of *variant*."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    needed = {"sse4.2": "sse4_2", "baseline": "sse2"}
    return all(needed.get(word, word) in flags for word in COMPILED[variant].split())


def test_each_variant_is_compiled_for_its_cpu_and_runs(example: Farm) -> None:
    found = example.realise("--out-link", "result")
    assert set(states(found)) == set(COMPILED) and set(states(found).values()) == {"built"}
    for variant, compiled in COMPILED.items():
        flag = f"-march={variant.removeprefix('dot-product-')} "
        assert flag in (example.logs / f"{variant}.log").read_text(encoding="utf-8")
        program = in_store(example, f"result/{variant}") / "bin" / "dot"
        if not can_run(variant):
            continue
        printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        assert printed == f"compiled for: {compiled}\ndot product: 9900\n"


def test_the_set_of_all_variants_has_the_same_derivations(example: Farm) -> None:
    assert tvarc("build").exit_code == 0
    found = example.realise()
    for one in found["variants"]:
        words = ("default.nix", "-A", one["name"])
        assert example.nix("nix-instantiate", *words).strip() == one["derivation"]
