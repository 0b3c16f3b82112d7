"""Sets of variants are named by as little as possible, and by nothing that is not true."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.compile import compile_text
from support.effort import for_each
from tvarc.matrix.boxes import Box, Universe, cells_of
from tvarc.matrix.variants import axis_text
from tvarc.text.source import Span
from tvarc.values.value import DeclValue, RowValue, Value, Version

GRID = [
    {"gpu": gpu, "isa": isa, "matrix": "gpus"}
    for gpu, isa in product(("sm80", "sm90", "sm100", "sm103", "sm120"), ("avx2", "avx512"))
] + [{"isa": isa, "matrix": "cpus"} for isa in ("avx2", "avx512")]


def described(**wanted: str) -> str:
    chosen = [i for i, c in enumerate(GRID) if wanted.items() <= c.items()]
    boxes = Universe(GRID).describe(chosen)
    assert boxes is not None
    return " or ".join(box.text() for box in boxes)


def test_one_box() -> None:
    assert described() == "all variants"
    assert described(gpu="sm90") == "gpu sm90"
    assert described(isa="avx2") == "isa avx2"
    assert described(matrix="cpus") == "matrix cpus"
    assert described(matrix="gpus") == "matrix gpus"
    assert described(gpu="sm90", isa="avx2") == "gpu sm90; isa avx2"
    assert described(isa="avx2", matrix="cpus") == "isa avx2; matrix cpus"


def test_most_values_and_several_boxes() -> None:
    universe = Universe(GRID)
    others = [i for i, c in enumerate(GRID) if c.get("gpu", "sm90") != "sm90"]
    assert universe.describe(others) == (
        Box((("gpu", ("sm80", "sm100", "sm103", "sm120"), ("sm90",)),)),
    )
    assert universe.describe(others)[0].text() == "gpu other than sm90"  # type: ignore[index]
    two = [i for i, c in enumerate(GRID) if c["matrix"] == "cpus" or c["gpu"] == "sm90"]
    boxes = universe.describe(two)
    assert boxes is not None and {box.text() for box in boxes} == {"gpu sm90", "matrix cpus"}


@pytest.mark.slow
@given(st.sets(st.integers(0, len(GRID) - 1)))
def test_boxes_hold_exactly_what_was_chosen(chosen: set[int]) -> None:
    boxes = Universe(GRID).describe(chosen)
    if boxes is None:
        return
    held = {
        index
        for index, cell in enumerate(GRID)
        for box in boxes
        if all(cell.get(axis) in some for axis, some, _ in box.values)
    }
    assert held == chosen


def test_far_too_many_are_not_named() -> None:
    cells = [{"a": str(i), "b": str(j)} for i in range(12) for j in range(12)]
    diagonal = [i * 12 + i for i in range(12)]
    assert Universe(cells).describe(diagonal) is None


# --- the boundaries of each choice ----------------------------------------------------------------


@for_each(
    "some, rest, text, cost",
    [
        ("a", "", "x a", 4),
        ("ab", "", "any x", 4),
        ("a", "b", "x a", 2),
        ("abc", "d", "x a, b, c", 3),
        ("abcd", "e", "x other than e", 3),
        ("abcd", "ef", "x a, b, c, d", 4),
        ("abcde", "fg", "x other than f, g", 4),
        ("abcde", "fghijk", "x a, b, c, d, e", 6),
    ],
)
def test_an_axis_is_told_by_what_is_shorter(some: str, rest: str, text: str, cost: int) -> None:
    box = Box((("x", tuple(some), tuple(rest)),))
    assert (box.text(), box.cost) == (text, cost)
    both = Box((*box.values, ("y", ("z",), ("w",))))
    assert (both.text(), both.cost) == (f"{text}; y z", cost + 1)


def test_all_costs_least() -> None:
    assert (Box().text(), Box().cost) == ("all variants", 1)


def square(size: int) -> list[dict[str, str]]:
    return [{"a": str(i), "b": str(j)} for i in range(size) for j in range(size)]


@pytest.mark.parametrize(("size", "boxes"), [(2, 2), (3, 3), (4, 4), (5, None)])
def test_four_boxes_are_told_and_five_are_not(size: int, boxes: int | None) -> None:
    found = Universe(square(size)).describe([i * size + i for i in range(size)])
    assert (None if found is None else len(found)) == boxes
    if found is not None:
        assert [box.text() for box in found] == [f"a {i}; b {i}" for i in range(size)]


@pytest.mark.parametrize("telling", [8, 9])
def test_eight_axes_are_looked_at(telling: int) -> None:
    """Of nine, each of one cell alone, the last is passed over."""
    cells = [{f"a{i}": str(int(i == j)) for i in range(telling)} for j in range(telling)]
    universe = Universe(cells)
    assert universe.axes == [f"a{i}" for i in range(8)]
    boxes = universe.describe([telling - 1])
    assert boxes is not None
    texts = [f"a{telling - 1} 1"] if telling == 8 else ["; ".join(f"a{i} 0" for i in range(8))]
    assert [box.text() for box in boxes] == texts


def test_an_axis_on_which_all_agree_tells_nothing() -> None:
    assert Universe([{"a": "1", "b": "1"}, {"a": "1", "b": "2"}]).axes == ["b"]
    # That a cell has the axis at all does tell.
    assert Universe([{"a": "1"}, {"b": "2"}]).axes == ["a", "b"]
    assert Universe([{"matrix": "m", "a": "1"}, {"matrix": "n", "a": "2"}]).axes == ["a", "matrix"]


def test_the_variants_of_one_matrix_are_named_by_it() -> None:
    """Unless an axis has the name `matrix`: then its values tell the variants apart."""
    program = """
        axis gpu = ["a", "b"]
        axis matrix = ["m", "n"]
        recipe r { package = pkgs.hello, pin = none }
        matrix one { recipe = r, axes = gpu, name = "one-{{gpu}}" }
        matrix two { recipe = r, axes = gpu, name = "two-{{gpu}}" }
        matrix own { recipe = r, axes = matrix, name = "own-{{matrix}}" }
    """
    cells = cells_of(compile_text(program).variants)
    assert [cell["matrix"] for cell in cells] == ["one", "one", "two", "two", "m", "n"]
    boxes = Universe(cells).describe([2, 3])
    assert boxes is not None and [box.text() for box in boxes] == ["matrix two"]


def test_of_boxes_that_hold_the_same_the_cheapest_is_told() -> None:
    cells = [
        {"y": "p", "x": "1", "z": "k"},
        {"y": "q", "x": "1", "z": "k"},
        {"y": "r", "x": "2", "z": "l"},
        {"y": "s", "x": "2", "z": "l"},
    ]
    boxes = Universe(cells).describe([0, 1])
    assert boxes == (Box((("x", ("1",), ("2",)),)),)  # not `y p, q`; of `x` and `z` the first
    assert Universe(cells).describe([0]) == (Box((("y", ("p",), ("q", "r", "s")),)),)


def test_boxes_that_overlap() -> None:
    cells = [{**one, "c": "k" if one["a"] == "0" else "l"} for one in square(3)]
    universe = Universe(cells)
    either = [i for i, one in enumerate(cells) if one["a"] == "0" or one["b"] == "0"]
    # `c k` holds what `a 0` holds: nothing of it is left.
    assert [box.text() for box in universe.describe(either) or ()] == ["a 0", "b 0"]
    most = [i for i, one in enumerate(cells) if one["a"] != "2" or one["b"] == "1"]
    assert universe.describe(most) == (
        Box((("a", ("0", "1"), ("2",)),)),
        Box((("b", ("1",), ("0", "2")),)),
    )
    wide = [i for i, one in enumerate(cells) if one["a"] == "2" or one["b"] != "1"]
    assert [box.text() for box in universe.describe(wide) or ()] == ["b 0, 2", "a 2"]
    assert universe.cover(0) == []
    assert universe.cover(1 << 4) is None  # no axis alone is within one cell of the middle


def test_values_of_one_shape_are_told_together() -> None:
    universe = Universe(square(4))
    chosen = [0, 4, 9, 13]  # b 0 where a is 0 or 1, b 1 where a is 2 or 3
    boxes = universe.describe(chosen)
    assert boxes is not None
    assert [box.text() for box in boxes] == ["a 0, 1; b 0", "a 2, 3; b 1"]
    wanted = sum(1 << i for i in chosen)
    assert universe.split(wanted, "a") == list(boxes)
    # Not all cells have the axis: those that lack it cannot be told by its values.
    assert Universe([*square(2), {"b": "0"}]).split(0b10001, "a") is None


@for_each(
    "wanted, longest, text",
    [
        ({"gpu": "sm90", "isa": "avx2"}, 99, "gpu sm90; isa avx2"),
        ({"gpu": "sm90", "isa": "avx2"}, 18, "isa avx2; gpu sm90"),
        ({"gpu": "sm90", "isa": "avx2"}, 17, "gpu sm90"),
        ({"gpu": "sm90"}, 99, "gpu sm90"),
        ({"gpu": "sm90"}, 8, "gpu sm90"),
        ({"gpu": "sm90"}, 7, "all variants"),
        ({"matrix": "cpus"}, 99, "matrix cpus"),
        ({"matrix": "cpus", "isa": "avx2"}, 99, "isa avx2"),
        ({}, 99, "all variants"),
    ],
)
def test_what_variants_share(wanted: dict[str, str], longest: int, text: str) -> None:
    chosen = [i for i, c in enumerate(GRID) if wanted.items() <= c.items()]
    found = Universe(GRID).shared(chosen, longest)
    assert sorted(found.text().split("; ")) == sorted(text.split("; "))
    assert len(found.text()) <= longest or not found.values


@for_each(
    "value, text",
    [
        ("a b", "a b"),
        (Version("13.0"), "13.0"),
        (8, "8"),
        (True, "true"),
        (RowValue("f::t", "sm90", {}, Span("f", 0, 0)), "sm90"),
        (DeclValue("pin", "p", "f::p"), "p"),
    ],
)
def test_a_value_is_told_as_it_is_typed(value: Value, text: str) -> None:
    assert axis_text(value) == text
