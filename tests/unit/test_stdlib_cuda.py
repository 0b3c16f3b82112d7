"""`std.cuda` against the collected facts, and against the GPUs of `std.nvidia`."""

from __future__ import annotations

import re
from typing import Any

from support.effort import for_each
from support.library import (
    LONG_MARKS,
    at_least,
    collected,
    fact,
    holds,
    rows,
    text,
    texts,
    version,
)
from tvarc.values.value import RowValue, Version

CUDA = collected("cuda")
EXTRA = collected("tables")
TOOLKITS = rows("cuda", "cuda-toolkit")
OLDER = rows("cuda", "cuda-older")
CUDNN = rows("cuda", "cuda-cudnn")
NCCL = rows("cuda", "cuda-nccl")
ALIASES = rows("cuda", "cuda-alias")
GPUS = rows("nvidia", "nvidia")
TARGETS = rows("nvidia", "nvidia-target")


def name_of(toolkit: str) -> str:
    return f"cuda{toolkit.replace('.', '_')}"


def releases(told: list[str]) -> list[str]:
    """The versions in texts such as `9.20.0 (cuda-legacy style file)`."""
    return [found for one in told for found in re.findall(r"\d+\.\d+\.\d+", one)]


def test_toolkits_are_those_of_the_facts() -> None:
    assert list(TOOLKITS) == [name_of(entry["version"]) for entry in CUDA["toolkits"]]


@for_each("entry", CUDA["toolkits"])
def test_a_toolkit_has_the_facts(entry: dict[str, Any]) -> None:
    row = TOOLKITS[name_of(entry["version"])]
    drivers: dict[str, str] = entry["toolkit_driver_linux"]
    assert text(row, "version") == entry["version"]
    assert text(row, "set") == entry["nixpkgs_attr"]
    assert text(row, "nvcc") == entry["nvcc_build"]
    assert text(row, "update") == entry["latest_update"]
    assert texts(row, "nixpkgs-versions") == releases(entry["nixpkgs_versions_seen"])
    assert text(row, "min-driver") == f"{entry['minor_compat_floor_linux']}.0"
    assert text(row, "driver") == drivers.get("GA")
    assert texts(row, "update-drivers") == [d for name, d in drivers.items() if name != "GA"]
    assert fact(row, "max-gcc") == entry["max_gcc_major"]
    assert fact(row, "max-clang") == entry["max_clang_major"]
    assert texts(row, "cudnn") == releases(entry["nixpkgs_cudnn_seen"])
    assert texts(row, "jetson-cudnn") == entry["nixpkgs_jetson_cudnn_seen"]
    assert texts(row, "nccl") == entry["nixpkgs_nccl_seen"]
    confidence = entry["confidence"]
    assert text(row, "mark") == LONG_MARKS.get(confidence, confidence)
    assert entry["note"] in (text(row, "note") or "")


@for_each("row", TOOLKITS.values())
def test_targets_are_those_that_ptxas_listed(row: RowValue) -> None:
    toolkit = version(row, "version")
    listed = {f"sm{target}" for target in EXTRA["ptxas_targets"][toolkit.text].split()}
    assert set(texts(row, "targets")) == {target for target in listed if target[-1].isdigit()}
    assert listed - set(texts(row, "targets")) == {
        name for name, target in TARGETS.items() if holds(target, toolkit)
    }


@for_each("row", TOOLKITS.values())
def test_targets_are_the_gpus_whose_range_holds_the_toolkit(row: RowValue) -> None:
    toolkit = version(row, "version")
    assert texts(row, "targets") == [n for n, gpu in GPUS.items() if holds(gpu, toolkit)]
    lowest = GPUS[texts(row, "targets")[0]]
    assert fact(row, "min-capability") == fact(lowest, "capability")


def test_the_set_of_a_toolkit_is_named_after_it() -> None:
    for name, row in TOOLKITS.items():
        assert name == name_of(text(row, "version") or "")
        assert text(row, "set") in (None, name.replace("cuda", "cudaPackages_"))


def test_drivers_stand_in_order() -> None:
    before = Version("0.0")
    for row in [*OLDER.values(), *TOOLKITS.values()]:
        if row.name == "cuda12_5":
            continue  # newer than the first of those that are listed in full
        driver = fact(row, "driver")
        assert isinstance(driver, Version) or row.name in ("cuda13_4", "cuda13_5")
        if isinstance(driver, Version):
            assert at_least(driver, before), row.name
            before = driver
            # Of CUDA 11 the first release came before there was minor-version compatibility.
            assert at_least(driver, version(row, "min-driver")) != (row.name == "cuda11_0")


def test_floors_go_with_the_major() -> None:
    for row in [*OLDER.values(), *TOOLKITS.values()]:
        floor = EXTRA["minor_compat_floors"][version(row, "version").parts[0]]
        assert text(row, "min-driver") == floor


def test_older_toolkits_are_those_of_the_facts() -> None:
    assert {text(row, "version"): text(row, "driver") for row in OLDER.values()} == (
        EXTRA["older_toolkit_drivers"]
    )
    told = {v: gcc for row in OLDER.values() if (gcc := fact(row, "max-gcc")) is not None
            and (v := text(row, "version"))}  # fmt: skip
    assert told == EXTRA["older_max_gcc"]
    assert not OLDER.keys() & TOOLKITS.keys()


def test_the_first_toolkit_of_a_gpu_is_listed_or_older_than_all() -> None:
    known = {text(row, "version"): row for row in [*OLDER.values(), *TOOLKITS.values()]}
    for gpu in [*GPUS.values(), *TARGETS.values()]:
        for end in ("first-cuda", "last-cuda"):
            toolkit = fact(gpu, end)
            if toolkit is None:
                continue
            assert isinstance(toolkit, Version)
            assert toolkit.text in known or not at_least(toolkit, Version("11.0")), gpu.name


def test_the_first_driver_of_a_gpu_is_that_of_its_first_toolkit() -> None:
    known = {text(row, "version"): row for row in [*OLDER.values(), *TOOLKITS.values()]}
    for gpu in GPUS.values():
        toolkit, driver = known.get(text(gpu, "first-cuda")), fact(gpu, "first-driver")
        if toolkit is not None and driver is not None:
            assert driver == fact(toolkit, "driver"), gpu.name


def test_cudnn_is_that_of_the_facts() -> None:
    assert len(CUDNN) == len(CUDA["cudnn_sass"])
    for row, entry in zip(CUDNN.values(), CUDA["cudnn_sass"], strict=True):
        assert entry["package"].startswith(f"cu{fact(row, 'cuda')} {text(row, 'version')}")
        assert text(row, "min-capability") == str(entry["min_main"])
        assert texts(row, "targets") == [f"sm{one}" for one in entry["main"].split()]
        assert entry["precompiled"].partition(" ")[0] == text(row, "engines")
        lowest = texts(row, "targets")[0]
        assert text(GPUS[lowest], "capability") == str(entry["min_main"])


def test_nccl_is_that_of_the_facts() -> None:
    told = [(one["version"], tuple(one["cuda"]), one["nixpkgs"]) for one in CUDA["nccl"]]
    found = [
        (text(row, "version"), fact(row, "cuda"), fact(row, "nixpkgs")) for row in NCCL.values()
    ]
    assert found == told
    seen = {one.partition("-")[0] for row in TOOLKITS.values() for one in texts(row, "nccl")}
    assert {text(row, "version") for row in NCCL.values() if fact(row, "nixpkgs")} == seen


def test_cudnn_of_a_gpu_ends_where_its_libraries_do() -> None:
    for gpu in GPUS.values():
        ends = fact(gpu, "no-cudnn-from")
        for row in CUDNN.values():
            runs = at_least(version(gpu, "capability"), version(row, "min-capability"))
            dropped = isinstance(ends, Version) and at_least(version(row, "version"), ends)
            assert runs != dropped, f"{gpu.name}: {row.name}"


def test_aliases_stand_for_sets_that_are_there() -> None:
    sets = {text(row, "set") for row in TOOLKITS.values()} | ALIASES.keys()
    assert set(CUDA["aliases"]) == ALIASES.keys()
    for row in ALIASES.values():
        assert row.name not in {text(toolkit, "set") for toolkit in TOOLKITS.values()}
        told = CUDA["aliases"][row.name]
        for means in texts(row, "means"):
            assert means in sets
            assert means.removeprefix("cudaPackages_") in str(told)
