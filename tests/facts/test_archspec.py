"""`std.gcc`, held against archspec, which knows CPUs by the features that their systems list."""

from __future__ import annotations

import re
from typing import Any

import pytest

from support.effort import for_each
from support.library import rows, text, texts
from tvarc.advice.hosts.cpu import features

pytestmark = pytest.mark.facts

archspec = pytest.importorskip("archspec.cpu", reason="archspec is not installed")

SETS = rows("cpu", "cpu")
TARGETS = rows("gcc", "gcc-target")
# What `runs` tells of: see the table.
OF_X86 = ("avx", "avx2", "avx512", "avx512vnni", "avx512bf16")
# Features that archspec has by another name.
NAMES = {"sse3": "pni"}
# GCC's entries of these leave out FP16, which the machines have: it is GCC that `runs` tells of.
APART = {"gcc-apple-m1", "gcc-apple-m2", "gcc-apple-m3", "gcc-apple-m4"}


def flagged() -> dict[str, Any]:
    """CPUs of archspec by the flag with which its newest GCC names them."""
    found: dict[str, Any] = {}
    for name, cpu in archspec.TARGETS.items():
        told = cpu.compilers.get("gcc", [])
        if not told:
            continue
        last = told[-1]
        words = last["flags"].replace("{name}", last.get("name", name)).split()
        # A name alone: what has further flags is only like the CPU that it names.
        plain = [one for one in words if not one.startswith("-mtune=")]
        if len(plain) == 1 and re.fullmatch(r"-m(arch|cpu)=[a-z0-9.-]+", plain[0]):
            found[plain[0]] = cpu
    return found


CPUS = flagged()
BOTH = [row.name for row in TARGETS.values() if text(row, "flag") in CPUS]


def test_enough_of_them_are_known_to_both() -> None:
    assert len(BOTH) >= 25


@for_each("name", BOTH)
def test_what_a_cpu_runs_is_what_its_features_allow(name: str) -> None:
    row = TARGETS[name]
    cpu = CPUS[text(row, "flag") or ""]
    listed = {NAMES.get(one, one) for one in cpu.features}
    asked = (
        OF_X86
        if text(row, "arch") == "x86_64"
        else tuple(one.name for one in SETS.values() if text(one, "arch") == "aarch64")
    )
    needs = {one: tuple(texts(SETS[one], "cpuinfo")) for one in asked}
    able = [one for one in asked if not features(needs[one], listed).missing]
    if row.facts["runs"].value is not None and name not in APART:
        assert able == texts(row, "runs")
