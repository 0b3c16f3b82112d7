"""`std.amd` against the collected facts on AMD GPUs, and against the wheels of PyTorch."""

from __future__ import annotations

from support.effort import for_each
from support.library import collected, fact, rows, text, texts

FACTS = {f"gfx{entry['gfx']}": entry for entry in collected("amd")["targets"]}
TARGETS = rows("amd", "amd")
MINORS = rows("torch", "torch-minor")


def test_targets_are_those_of_the_facts() -> None:
    assert list(TARGETS) == list(FACTS)
    wheels = {target for row in MINORS.values() for target in texts(row, "rocm-targets")}
    assert wheels <= TARGETS.keys()
    assert {f"gfx{one}" for one in collected("amd")["clr_default"]} <= TARGETS.keys()


@for_each("name", FACTS)
def test_a_target_has_the_facts(name: str) -> None:
    row, entry = TARGETS[name], FACTS[name]
    assert text(row, "target") == name
    assert text(row, "architecture") == entry["architecture"]
    assert texts(row, "products") == entry["products"]
    assert (text(row, "label") or "").startswith(f"{entry['architecture'] or name}")
    assert (texts(row, "chips"), text(row, "runs-as")) == (entry["chips"], entry["runs_as"])
    assert text(row, "mark") == entry["confidence"]
    assert text(row, "note") == entry["note"]
    assert set(entry["sources"]) <= set(texts(row, "sources"))


@for_each("name", FACTS)
def test_what_is_built_for_a_target_is_what_the_sources_list(name: str) -> None:
    row, plain = TARGETS[name], name.removeprefix("gfx")
    listed = collected("amd")
    assert fact(row, "nixpkgs") == (plain in listed["clr_default"])
    assert fact(row, "magma") == (plain in listed["magma_hip"])
    holding = [minor for minor in MINORS.values() if name in texts(minor, "rocm-targets")]
    assert text(row, "first-wheel") == (text(holding[0], "version") if holding else None)


def test_targets_stand_in_their_order() -> None:
    numbers = [int(name.removeprefix("gfx"), 16) for name in TARGETS]
    assert numbers == sorted(numbers)
