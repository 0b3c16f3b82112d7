"""The rules that the choice rests on, held against the standard library."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.effort import for_each
from support.library_cache import whole_library
from tvarc.advice.hosts.capability import Capability
from tvarc.advice.hosts.cpu import weight
from tvarc.advice.hosts.driver import FLOOR_OF_MAJOR, Floor, floor
from tvarc.advice.hosts.gpu import TEGRA, Reach, reach
from tvarc.advice.hosts.toolkit import Toolkit
from tvarc.advice.library.relations import holds, is_toolkit, satisfied
from tvarc.values.row_facts import texts_fact, version_fact
from tvarc.values.value import RowValue, Version

CAPABILITIES = st.builds(Capability, st.integers(5, 13), st.integers(0, 9), st.just(""))


@given(CAPABILITIES, CAPABILITIES, CAPABILITIES)
def test_reach_is_an_order(one: Capability, two: Capability, three: Capability) -> None:
    assert reach(one, one) is Reach.EXACT
    if reach(one, two) > Reach.NO_GPU and reach(two, one) > Reach.NO_GPU:
        assert one == two
    if reach(one, two) > Reach.NO_GPU and reach(two, three) > Reach.NO_GPU:
        assert reach(one, three) > Reach.NO_GPU


def test_tegras_are_those_of_the_library() -> None:
    # A GPU of which no machine is known is taken for one: nothing else is said of it.
    rows = whole_library().tables["nvidia"].rows.values()
    of_tegras = {row.name for row in rows if "tegra" in (texts_fact(row, "machines") or ["tegra"])}
    assert {f"sm{major}{minor}" for major, minor in TEGRA} == of_tegras


@pytest.mark.slow
@given(CAPABILITIES, CAPABILITIES)
def test_reach_keeps_to_majors_and_machines(build: Capability, device: Capability) -> None:
    if reach(build, device) is Reach.SAME_MAJOR:
        assert build.major == device.major and build.minor < device.minor
        assert not {(build.major, build.minor), (device.major, device.minor)} & TEGRA
    only = replace(build, suffix="a", ptx=True)
    assert (reach(only, device) > Reach.NO_GPU) == (
        (build.major, build.minor) == (device.major, device.minor)
    )
    family = replace(build, suffix="f")
    assert reach(replace(family, ptx=True), device) == reach(family, device)
    with_ptx = reach(replace(build, ptx=True), device)
    assert (with_ptx > Reach.NO_GPU) == ((build.major, build.minor) <= (device.major, device.minor))


def test_drivers_of_majors_are_those_of_the_library() -> None:
    seen: set[str] = set()
    for found in whole_library().rows():
        version, driver = version_fact(found.row, "version"), version_fact(found.row, "min-driver")
        if is_toolkit(found.row) and version is not None and driver is not None:
            seen.add(version.parts[0])
            assert FLOOR_OF_MAJOR[version.parts[0]].compare(driver) == 0, found.row.name
    assert seen == set(FLOOR_OF_MAJOR)


def test_what_satisfies_more_weighs_no_less() -> None:
    shipped = whole_library()
    rows = shipped.tables["cpu"].rows
    for row in rows.values():
        needed = texts_fact(row, "cpuinfo")
        if needed is None:
            continue
        for name in satisfied(row, shipped):
            assert weight(needed)[2] >= weight(texts_fact(rows[name], "cpuinfo") or ())[2], row.name
        for other in rows.values():
            if set(needed) > set(texts_fact(other, "cpuinfo") or needed):
                less = texts_fact(other, "cpuinfo") or ()
                assert weight(needed) > weight(less), row.name


def test_what_switches_more_on_weighs_more() -> None:
    rows = whole_library().tables["cpu"].rows
    weights = {
        name: weight(texts_fact(row, "cpuinfo") or (), texts_fact(row, "switches-on"))
        for name, row in rows.items()
    }
    for name, row in rows.items():
        for other, less in rows.items():
            if set(texts_fact(row, "switches-on") or ()) > set(
                texts_fact(less, "switches-on") or ()
            ):
                assert weights[name] > weights[other], f"{name}: {other}"
    # The rows of public recipes are a chain; what a level of x86-64 switches on besides counts.
    chain = ["avx", "avx2", "avx512", "avx512vnni", "avx512bf16", "avx512fp16"]
    assert sorted(chain, key=lambda name: weights[name]) == chain
    assert weights["avx2"] < weights["avxvnni"] < weights["x86-64-v3"]
    assert weights["avx512fp16"] < weights["x86-64-v4"]
    # Wider vectors win against more features: each AVX-512 build is better than the third level.
    for name in ("avx512", "avx512vnni", "avx512bf16"):
        assert weights["x86-64-v3"] < weights[name]
    assert weights["amx"] < weights["avx"]


def test_flags_of_ones_own_weigh_what_comes_with_their_needs() -> None:
    assert weight(("avx512f",), None) < weight(("avx512f", "avx512bw"), None)
    assert weight(("avx2",), ()) < weight((), ("avx2",)) < weight(("avx2",), None)


def test_ranges_of_gpus_and_targets_of_toolkits_agree() -> None:
    shipped = whole_library()
    gpus = shipped.tables["nvidia"].rows
    checked = 0
    for found in shipped.rows():
        targets = texts_fact(found.row, "targets")
        if is_toolkit(found.row) and targets is not None:
            checked += 1
            assert set(targets) == {name for name, row in gpus.items() if _holds(found.row, row)}
    assert checked


def test_limits_that_are_enforced_are_named_and_no_others() -> None:
    """A driver that documents name for a GPU is none of them, nor is a host of a list."""
    shipped = whole_library()
    for row in shipped.tables["nvidia"].rows.values():
        wanted = {name for name in ("first-cuda", "last-cuda") if version_fact(row, name)}
        # What is on one chip with its CPU: modules, and what no x86_64 host has.
        if "x86_64" not in (texts_fact(row, "machines") or ["x86_64"]):
            wanted.add("hosts")
        assert set(texts_fact(row, "enforced") or ()) == wanted, row.name
    for found in shipped.rows():
        if is_toolkit(found.row):
            limits = {"driver", "max-gcc"} & {
                name for name, fact in found.row.facts.items() if fact.value is not None
            }
            version = version_fact(found.row, "version")
            # Of CUDA 11 the runtime enforces the branch alone.
            if version is not None and version.parts[0] != "11":
                limits.add("min-driver")
            assert set(texts_fact(found.row, "enforced") or ()) == limits, found.row.name


def _holds(toolkit: RowValue, row: RowValue) -> bool:
    return holds(toolkit, row)


@for_each(
    "toolkit, first, expected",
    [
        ("12.9", None, Floor(Version("525"), "CUDA 12.9")),
        ("12.9", "524.9", Floor(Version("525"), "CUDA 12.9")),
        # The toolkit is named where both ask for the same: it is what one can choose.
        ("12.9", "525", Floor(Version("525"), "CUDA 12.9")),
        ("12.9", "525.0", Floor(Version("525"), "CUDA 12.9")),
        ("12.9", "525.0.1", Floor(Version("525.0.1"), "sm90")),
        (None, "525", Floor(Version("525"), "sm90")),
        ("99.0", "525", Floor(Version("525"), "sm90")),
        ("99.0", None, None),
        (None, None, None),
    ],
)
def test_the_floor_of_a_driver(
    toolkit: str | None, first: str | None, expected: Floor | None
) -> None:
    known = Toolkit(Version(toolkit), None) if toolkit is not None else None
    of_gpu = Floor(Version(first), "sm90") if first is not None else None
    found = floor(known, of_gpu)
    assert (found and (found.driver, found.asked_by)) == (
        expected and (expected.driver, expected.asked_by)
    )
