"""`std.nvidia` against the collected facts on GPUs, and against nvcc where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cmp_to_key
from typing import Any

import pytest

from support.compile import codes, compile_text, messages
from support.effort import for_each
from support.library import LONG_MARKS, collected, fact, holds, rows, text, texts, version
from tvarc.values.value import RowValue, Version

FACTS = {entry["sm"].replace("_", ""): entry for entry in collected("gpu")["architectures"]}
EXTRA = collected("tables")
GPUS = rows("nvidia", "nvidia")
TARGETS = rows("nvidia", "nvidia-target")
CLASSES = ("datacenter", "workstation", "consumer", "embedded")
MACHINES = {"x86_64": "x86_64", "aarch64-sbsa": "sbsa", "aarch64-tegra": "tegra"}


def test_gpus_are_those_of_the_facts() -> None:
    assert list(GPUS) == list(FACTS)


@for_each("name", FACTS)
def test_a_gpu_has_the_facts(name: str) -> None:
    row, entry = GPUS[name], FACTS[name]
    assert text(row, "capability") == entry["compute_capability"]
    assert entry["architecture"].startswith(text(row, "architecture"))
    assert (text(row, "label") or "").startswith(text(row, "architecture") or "-")
    assert text(row, "first-cuda") == entry["first_cuda"]
    assert text(row, "last-cuda") == entry["last_cuda"]
    assert text(row, "first-driver") == entry["first_toolkit_driver_linux"]
    branch = entry["last_driver_branch"]
    assert fact(row, "last-driver-branch") == (int(branch[1:]) if branch else None)
    floor = re.match(r"([\d.]+) \(", entry["hw_min_driver_linux"] or "")
    assert text(row, "min-driver") == (floor[1] if floor else None)
    assert texts(row, "sources") == entry["sources"]
    assert text(row, "tegra-cuda") == entry.get("tegra_cuda")
    assert (texts(row, "chips"), texts(row, "also")) == (entry["chips"], entry["also"])
    assert text(row, "mark") == LONG_MARKS.get(entry["confidence"], entry["confidence"])
    assert entry["note"] in (text(row, "note") or "")


@for_each("name", FACTS)
def test_hosts_are_those_of_the_facts(name: str) -> None:
    kinds = [host.partition(" ")[0] for host in FACTS[name]["hosts"] if "unknown" not in host]
    assert texts(GPUS[name], "machines") == [MACHINES[kind] for kind in kinds]
    assert texts(GPUS[name], "hosts") == list(dict.fromkeys(k.partition("-")[0] for k in kinds))
    assert set(texts(GPUS[name], "hosts")) <= {"x86_64", "aarch64"}
    told = [host.partition(" ")[0] for host in FACTS[name]["hosts"] if host.endswith(" unknown")]
    assert texts(GPUS[name], "unsure-hosts") == told


@for_each("name", FACTS)
def test_toolkits_of_kinds_of_hosts_are_those_of_the_facts(name: str) -> None:
    told = " ".join(FACTS[name]["hosts"])
    last = re.search(r"aarch64-tegra \(to CUDA ([\d.]+)\)", told)
    first = re.search(r"aarch64-sbsa \(from CUDA ([\d.]+)\)", told)
    assert text(GPUS[name], "tegra-last-cuda") == (last[1] if last else None)
    assert text(GPUS[name], "sbsa-first-cuda") == (first[1] if first else None)


@for_each("name", FACTS)
def test_products_are_those_of_the_facts(name: str) -> None:
    listed: list[str] = []
    for kind in CLASSES:
        found = texts(GPUS[name], kind)
        told = [
            product for entry in FACTS[name]["products"][kind] for product in written_out(entry)
        ]
        assert len(found) == len(told)
        assert all(full.endswith(short) for full, short in zip(found, told, strict=True)), kind
        listed += found
    assert set(texts(GPUS[name], "products")) <= set(listed)
    assert len(listed) == len(set(listed))


def written_out(entry: str) -> list[str]:
    """`RTX PRO 6000/5000 Blackwell` is two products; what stands in brackets is a remark."""
    if entry.startswith("no product"):
        return []
    entry = re.sub(r" \((DGX Spark|Vera Rubin)\)$", "", entry)
    shared = re.fullmatch(r"(.*?)([^ /]+(?:/[^ /]+)+)(.*)", entry)
    if shared is None:
        return [entry]
    return [f"{shared[1]}{one}{shared[3]}" for one in shared[2].split("/")]


def test_cudnn_ends_below_what_the_facts_say() -> None:
    for row in GPUS.values():
        ends = version(row, "capability").compare(Version("7.5")) < 0
        assert text(row, "no-cudnn-from") == (EXTRA["cudnn_drops_below_7_5_from"] if ends else None)


def test_the_first_torch_is_that_of_the_facts() -> None:
    for row in GPUS.values():
        known = EXTRA["first_torch"].get(text(row, "capability"))
        assert text(row, "first-torch") == known


def test_suffixed_targets_are_those_of_the_facts() -> None:
    wanted: dict[str, str] = {}
    for base, (first_a, first_f) in EXTRA["suffixed"].items():
        wanted[f"sm{base}a"] = first_a
        if first_f is not None:
            wanted[f"sm{base}f"] = first_f
    assert {name: text(row, "first-cuda") for name, row in TARGETS.items()} == wanted


@for_each("row", TARGETS.values())
def test_a_suffixed_target_goes_with_its_base(row: RowValue) -> None:
    base = GPUS[text(row, "base") or ""]
    suffix = text(row, "suffix") or "-"
    assert row.name == base.name + suffix
    assert fact(row, "capability") == fact(base, "capability")
    assert text(row, "target") == f"{text(base, 'capability')}{suffix}"
    assert version(row, "first-cuda").compare(version(base, "first-cuda")) >= 0
    assert fact(row, "last-cuda") == fact(base, "last-cuda")
    known = [EXTRA["parser_suffixes"][suffix], text(base, "first-torch") or "2.5"]
    assert version(row, "first-torch") == max(map(Version, known), key=cmp_to_key(Version.compare))


def test_the_variants_that_the_facts_name_are_there() -> None:
    for name, entry in FACTS.items():
        named = {word for told in entry["suffix_variants"] for word in told.split()[:1]}
        found = {row.name for row in TARGETS.values() if fact(row, "base") == name}
        assert {word.replace("_", "") for word in named} == found


def test_a_range_holds_base_targets_alone() -> None:
    made = compile_text(
        "use std.nvidia\naxis gpu = nvidia[sm80..sm121]\n"
        "recipe r { package = pkgs.hello, pin = none, attrs { x = sm90a.target } }\n"
        'matrix m { recipe = r, axes = gpu, name = "{{gpu}}" }\noutput o { file = "{{gpu}}.nix" }\n'
    )
    assert len(made.recipes()) == 13 and codes(made) == [], messages(made)
    names = [variant.name for variant in made.variants]
    assert names == ["sm80", "sm86", "sm87", "sm88", "sm89", "sm90", "sm100", "sm101", "sm103",
                     "sm107", "sm110", "sm120", "sm121"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_nvcc_knows_the_targets() -> None:
    told = run("nvcc", "--version")
    release = re.search(r"release (\d+\.\d+)", told)
    assert release is not None
    toolkit = Version(release[1])
    listed = {code.replace("_", "") for code in run("nvcc", "--list-gpu-code").split()}
    assert listed == {name for name, row in GPUS.items() if holds(row, toolkit)}
    help_ = run("nvcc", "--help")
    for name, row in TARGETS.items():
        assert (f"'{name.replace('sm', 'sm_')}'" in help_) == holds(row, toolkit), name


def run(*command: str) -> str:
    done: Any = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return str(done.stdout)
