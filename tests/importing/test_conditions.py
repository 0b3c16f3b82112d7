"""Boxes of cells: what is found without asking twice is what all orders of axes find."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import examples
from tvarc.byhand.importing.conditions import RULE, Cells
from tvarc.byhand.importing.explain import (
    Choice,
    Code,
    Constant,
    Explaining,
    Explanation,
    Fact,
    Lookup,
)
from tvarc.byhand.importing.shapes import Axis, Shape

AXES = (
    Axis("gpu", None, ("a", "b", "c")),
    Axis("isa", None, ("x", "y", "z")),
    Axis("python", None, ("p", "q")),
    Axis("release", None, ("1", "2")),
)
WIDE = Axis("gpu", None, ("a", "b", "c", "d", "e", "f"))
NAMES = [axis.name for axis in AXES]
PRODUCT = [dict(zip(NAMES, one, strict=True)) for one in product(*[a.values for a in AXES])]


def widest(cells: list[dict[str, str]], some: set[int], others: set[int]) -> int:
    """Of the cells *some*, the most that a box has which has none of *others*, by all orders of
    axes from each of the first four cells."""
    found = 0
    for seed in sorted(some)[:4]:
        for names in permutations(NAMES):
            box = {name: {cells[seed][name]} for name in names}
            for name in names:
                for value in {cell[name] for cell in cells}:
                    wider = {**box, name: box[name] | {value}}
                    if not any(is_in(cells[other], wider) for other in others):
                        box = wider
            found = max(found, sum(is_in(cells[one], box) for one in some))
    return found


def is_in(cell: dict[str, str], box: dict[str, set[str]]) -> bool:
    return all(cell[name] in values for name, values in box.items())


@given(st.lists(st.sampled_from(range(len(PRODUCT))), min_size=2, unique=True), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_a_condition_holds_in_its_cells_alone_and_is_as_wide_as_any(
    taken: list[int], data: st.DataObject
) -> None:
    cells = [PRODUCT[one] for one in sorted(taken)]
    every = range(len(cells))
    some = set(data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True)))
    others = set(every) - some
    made = Cells(AXES, cells)
    found = made.boxes(frozenset(some), frozenset(every))
    first = Cells(AXES, cells).boxes(frozenset(some), frozenset(every), most=0)
    assert first.terms == found.terms[:1]
    assert first.fewest >= widest(cells, some, others)
    held = {at for at, cell in enumerate(cells) if holds(found.terms, cell)}
    assert held == some and "!=" not in found.code and "not " not in found.code


@given(st.lists(st.sampled_from(range(len(PRODUCT))), min_size=2, unique=True), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_a_condition_of_few_boxes_is_the_one_of_any_number(
    taken: list[int], data: st.DataObject
) -> None:
    cells = [PRODUCT[one] for one in sorted(taken)]
    every = list(range(len(cells)))
    some = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    wanted = Cells(AXES, cells).condition(some, every)
    found = Cells(AXES, cells).condition_of(some, every, 2)
    assert found == (wanted if wanted.boxes <= 2 else None)


@given(st.data())
@settings(max_examples=examples(200), deadline=None)
def test_a_word_that_somebody_adds_has_no_text_of_few_others(data: st.DataObject) -> None:
    """It lacks an entry, or gets what several words or all words of the axis show, or all that the
    axis has there."""
    parts = [
        {word: data.draw(st.integers(0, 2)) for word in axis.values} for axis in (WIDE, AXES[1])
    ]
    texts = data.draw(st.lists(st.sampled_from(("a b", "c d", "e f", "")), min_size=9, max_size=9))
    product_of = [(gpu, isa) for gpu in WIDE.values for isa in AXES[1].values]
    cells = tuple([{"gpu": gpu, "isa": isa} for gpu, isa in product_of])
    values = [texts[parts[0][gpu] * 3 + parts[1][isa]] for gpu, isa in product_of]
    stems = tuple(["-".join(one) for one in product_of])
    shape = Shape((WIDE, AXES[1]), "{{gpu}}-{{isa}}", stems, cells)
    every = range(len(cells))
    way = data.draw(st.sampled_from((Explaining.explain, phrase)))
    code = way(Explaining(shape), values, every).code
    assert [said(code, cell) for cell in cells] == values
    for axis, other in (("gpu", "isa"), ("isa", "gpu")):
        for cell in cells:
            text = said(code, {**cell, axis: "new"})
            beside = [at for at, one in enumerate(cells) if one[other] == cell[other]]
            shown = {cells[at][axis] for at, value in enumerate(values) if value == text}
            if text and not all(values[at] == text for at in beside):
                words = {one[axis] for one in cells}
                assert len(shown) >= RULE or shown == words, (code, text)


def phrase(cells: Explaining, values: Sequence[str], every: Sequence[int]) -> Explanation:
    """What descriptions have in the place of *values*."""
    return cells.phrase(values, every).explanation


def said(code: Code, cell: dict[str, str]) -> str | None:
    """The text that *code* is in *cell*; None if a record has no entry for it."""
    match code:
        case Constant(text):
            return text
        case Fact():
            return None
        case Lookup(axes, entries):
            return dict(entries).get("-".join([cell[axis] for axis in axes]))
        case Choice(condition, yes, no):
            terms = tuple([term.strip("()") for term in condition.split(" or ")])
            return said(yes if holds(terms, cell) else no, cell)


def holds(terms: tuple[str, ...], cell: dict[str, str]) -> bool:
    """Whether one of *terms*, which compare axes with texts, is so in *cell*."""
    return any(all(compared(part, cell) for part in term.split(" and ")) for term in terms)


def compared(part: str, cell: dict[str, str]) -> bool:
    if part == "true":
        return True
    name, _, rest = part.partition(" ")
    operator, _, values = rest.rpartition(" " if "[" not in rest else " [")
    named = values.strip("[]").replace('"', "").split(", ")
    return (cell[name] in named) == (operator in ("==", "in"))
