"""The rules that the choice rests on, held against the standard library."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from support.compile import ROOT
from tvarc.disk import DiskLoader
from tvarc.hosts.capability import Capability
from tvarc.hosts.cpu import weight
from tvarc.hosts.driver import BRANCH_OF_MAJOR
from tvarc.hosts.gpu import TEGRA, Reach, reach
from tvarc.hosts.rows import texts_fact, version_fact
from tvarc.library.related import holds, is_toolkit, satisfied
from tvarc.library.tables import Library, load_library
from tvarc.values import RowValue

CAPABILITIES = st.builds(Capability, st.integers(5, 13), st.integers(0, 9), st.just(""))


def library() -> Library:
    return load_library(DiskLoader(str(ROOT / "stdlib")))


@given(CAPABILITIES, CAPABILITIES, CAPABILITIES)
def test_reach_is_an_order(one: Capability, two: Capability, three: Capability) -> None:
    assert reach(one, one) is Reach.EXACT
    if reach(one, two) > Reach.NO_GPU and reach(two, one) > Reach.NO_GPU:
        assert one == two
    if reach(one, two) > Reach.NO_GPU and reach(two, three) > Reach.NO_GPU:
        assert reach(one, three) > Reach.NO_GPU


def test_tegras_are_those_of_the_library() -> None:
    # A GPU of which no machine is known is taken for one: nothing else is said of it.
    rows = library().tables["nvidia"].rows.values()
    of_tegras = {row.name for row in rows if "tegra" in (texts_fact(row, "machines") or ["tegra"])}
    assert {f"sm{major}{minor}" for major, minor in TEGRA} == of_tegras


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
    for found in library().rows():
        version, driver = version_fact(found.row, "version"), version_fact(found.row, "min-driver")
        if is_toolkit(found.row) and version is not None and driver is not None:
            seen.add(version.parts[0])
            assert BRANCH_OF_MAJOR[version.parts[0]].compare(driver) == 0, found.row.name
    assert seen == set(BRANCH_OF_MAJOR)


def test_what_satisfies_more_weighs_no_less() -> None:
    shipped = library()
    rows = shipped.tables["cpu"].rows
    for row in rows.values():
        needed = texts_fact(row, "cpuinfo")
        if needed is None:
            continue
        for name in satisfied(row, shipped):
            assert weight(needed) >= weight(texts_fact(rows[name], "cpuinfo") or ()), row.name
        for other in rows.values():
            if set(needed) > set(texts_fact(other, "cpuinfo") or needed):
                less = texts_fact(other, "cpuinfo") or ()
                assert (weight(needed), len(needed)) > (weight(less), len(less)), row.name


def test_ranges_of_gpus_and_targets_of_toolkits_agree() -> None:
    shipped = library()
    gpus = shipped.tables["nvidia"].rows
    checked = 0
    for found in shipped.rows():
        targets = texts_fact(found.row, "targets")
        if is_toolkit(found.row) and targets is not None:
            checked += 1
            assert set(targets) == {name for name, row in gpus.items() if _holds(found.row, row)}
    assert checked


def _holds(toolkit: RowValue, row: RowValue) -> bool:
    return holds(toolkit, row)
