"""What the library lists of others' names: CUDA sets of nixpkgs, AMD GPUs of LLVM, flags of GCC."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from support.effort import for_each
from support.library import collected, fact, rows, text, texts
from tvarc.advice.lints.subjects import OWN_LISTS
from tvarc.nix.judge import leaving_out, phases
from tvarc.nix.nixpkgs import HASHES

FACTS = collected("tables")
SETS = rows("nixpkgs", "nixpkgs-cuda")
OF_FETCHERS = {"hash", "md5", "narHash", "sha1", "sha256", "sha512"}  # arguments of functions
LATER = {"12_9", "13_0", "13_1", "13_2", "13_3"}  # of which not every release is sure


def has(name: str, release: str) -> bool | None:
    """Whether a release has the set; None where the table does not tell."""
    row = SETS[f"cuda-set-{name}"]
    first, last = text(row, "first-release"), text(row, "last-release")
    if last is not None and release > last:
        return False
    return None if first is None else release >= first


@for_each("release", FACTS["cuda_sets_by_release"])
def test_a_release_has_the_sets_that_were_found(release: str) -> None:
    found = set(FACTS["cuda_sets_by_release"][release])
    for row in SETS.values():
        name = (text(row, "set") or "").removeprefix("cudaPackages_")
        told = has(name, release) if fact(row, "exists") else False
        assert told is None or told == (name in found) or name in LATER, name


def test_sets_come_with_their_pull_requests() -> None:
    told = {
        (text(row, "set") or "").removeprefix("cudaPackages_"): text(row, "not-before")
        for row in SETS.values()
    }
    assert {name: day for name, day in told.items() if day} == FACTS["cuda_sets_opened"]
    assert fact(SETS["cuda-set-12_7"], "exists") is False
    assert sum(fact(row, "exists") is False for row in SETS.values()) == 1


def test_toolkits_in_nixpkgs_are_among_the_sets() -> None:
    known = {text(row, "set") for row in SETS.values()}
    toolkits = {text(row, "set") for row in rows("cuda", "cuda-toolkit").values()} - {None}
    assert toolkits - known == {"cudaPackages_13_4"}  # of which nothing was looked up
    pins = rows("nixpkgs", "nixpkgs-pin")
    assert {one for row in pins.values() for one in texts(row, "cuda-sets")} <= known


def test_targets_of_amd_are_those_of_the_compiler() -> None:
    (row,) = rows("amd", "amd-compiler").values()
    assert texts(row, "targets") == [f"gfx{one}" for one in FACTS["amd_llvm"].split()]
    assert set(rows("amd", "amd")) <= set(texts(row, "targets"))


def test_flags_that_gcc_dropped() -> None:
    dropped = rows("gcc", "gcc-dropped")
    assert [text(row, "flag") for row in dropped.values()] == FACTS["dropped_by_gcc"]["flags"]
    assert {fact(row, "last-gcc") for row in dropped.values()} == {FACTS["dropped_by_gcc"]["last"]}
    for row in rows("cpu", "cpu").values():
        assert not set(texts(row, "flags")) & {text(one, "flag") for one in dropped.values()}


def test_switches_of_ggml() -> None:
    switches = rows("cpu", "cpu-switch").values()
    known = {text(row, "switch"): " ".join(texts(row, "flags")) for row in switches}
    assert known == FACTS["switches_of_ggml"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_gcc_of_this_machine_knows_them_if_it_is_old_enough() -> None:
    version = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True)
    machine = subprocess.run(["gcc", "-dumpmachine"], capture_output=True, text=True, check=True)
    if not machine.stdout.startswith("x86_64"):
        pytest.skip("it is for another CPU")
    for row in rows("gcc", "gcc-dropped").values():
        flag = text(row, "flag") or ""
        made = subprocess.run(
            ["gcc", flag, "-fsyntax-only", "-x", "c", "/dev/null"], capture_output=True, check=False
        )
        assert (made.returncode == 0) == (int(version.stdout.split(".")[0]) <= 14), flag


def test_attributes_are_listed_once_and_sorted() -> None:
    every: list[str] = []
    for row in rows("nixpkgs", "nixpkgs-attributes").values():
        names = texts(row, "names")
        assert names == sorted(names)
        every += names
    assert len(every) == len(set(every))
    assert {"buildInputs", "configureFlags", "pythonImportsCheck", "cmakeFlags"} <= set(every)


def test_the_names_of_meta() -> None:
    (row,) = rows("nixpkgs", "nixpkgs-meta").values()
    assert texts(row, "names") == sorted(FACTS["meta"].split())


def test_what_the_compiler_knows_of_builds_is_in_the_table() -> None:
    """`judge/phases.py`, the lists of packages and the names of hashes are small tables of their
    own: none of them has a word that the library does not know."""
    known = {name for row in rows("nixpkgs", "nixpkgs-attributes").values()
             for name in texts(row, "names")}  # fmt: skip
    run = {f"{phase}Phase" for phase in phases.PHASES} | phases.HOOKS.keys()
    variables = {*phases.PHASES.values(), *phases.OTHERS, *phases.LISTS, *phases.TOOLS}
    assert run | variables | OWN_LISTS | leaving_out.CONDITIONAL <= known
    assert known >= HASHES - OF_FETCHERS
