"""The merge rules, held against a second, plainer statement of them."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tvarc.decide.merge import DEEPEST, EMPTY, OWN, Candidate, choose, combine
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.source import Span
from tvarc.values.value import NONE, Value

PATH = ("attrs", "x")


def candidate(
    op: str, value: Value, strength: int, depth: int, conditional: bool, place: int
) -> Candidate:
    origin = ir.Origin(Span("f", place, place + 1), f"layer{depth}")
    return Candidate(op, value, strength, depth, conditional, origin)


@st.composite
def writes(draw: st.DrawFn) -> list[Candidate]:
    """Writes as a program has them: root first, then in the order of the text."""
    raw = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["=", "=", "+="]),
                st.one_of(st.just(None), st.lists(st.integers(0, 3), max_size=3).map(tuple)),
                st.integers(0, 2),
                st.integers(1, 3),
                st.booleans(),
            ),
            min_size=1,
            max_size=8,
        )
    )
    raw.sort(key=lambda item: item[3])
    found = []
    for place, (op, value, strength, depth, conditional) in enumerate(raw):
        made: Value = value
        if value is None:
            op, made = "=", NONE
        found.append(candidate(op, made, strength if op == "=" else 1, depth, conditional, place))
    return found


def expected(found: list[Candidate]) -> tuple[bool, list[int]] | None:
    """Whether the package's own value comes first, and the elements; None for a conflict."""
    base: list[Candidate] = []
    for other in found:
        beaten = any(o.op == "=" and o.rank > other.rank for o in found)
        if other.op == "=" and not beaten:
            base.append(other)
    if len({c.value for c in base}) > 1:
        return None
    elements: list[int] = []
    floor = 0
    if base:
        own = base[0].value if base[0].value is not NONE else ()
        assert isinstance(own, tuple)
        elements += [e for e in own if isinstance(e, int)]
        floor = base[0].depth if base[0].strength > 0 else 0
    added = False
    for other in found:
        if other.op == "+=" and other.depth >= floor:
            added = True
            assert isinstance(other.value, tuple)
            elements += [e for e in other.value if isinstance(e, int)]
    return not base or (added and base[0].value is NONE), elements


@pytest.mark.slow
@given(writes())
def test_merging_follows_the_ranks(found: list[Candidate]) -> None:
    sink = Sink()
    wanted = expected(found)
    try:
        setting = combine(PATH, choose(PATH, found, sink), OWN, sink)
    except Failed:
        assert wanted is None
        assert [d.code for d in sink] == ["E501"]
        return
    assert wanted is not None
    assert (
        setting.extends,
        list(setting.value if isinstance(setting.value, tuple) else ()),
    ) == wanted


@pytest.mark.slow
@given(writes())
def test_nothing_is_lost_in_silence(found: list[Candidate]) -> None:
    """Every write is the value, an element of it, or among what is shadowed."""
    sink = Sink()
    try:
        setting = combine(PATH, choose(PATH, found, sink), EMPTY, sink)
    except Failed:
        return
    seen = {setting.origin.span}
    seen |= {element.origin.span for element in setting.elements or ()}
    seen |= {shadowed.origin.span for shadowed in setting.shadowed}
    for write in found:
        assert write.origin.span in seen or write.value == ()


@pytest.mark.slow
@given(writes(), st.randoms())
def test_the_order_of_assignments_does_not_matter(found: list[Candidate], random: object) -> None:
    sets = [c for c in found if c.op == "="]
    assume(sets)
    shuffled = list(sets)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    results = []
    for order in (sets, shuffled):
        try:
            results.append(combine(PATH, choose(PATH, order, Sink()), EMPTY, Sink()).value)
        except Failed:
            results.append("conflict")
    assert results[0] == results[1]


@pytest.mark.slow
@given(writes(), st.lists(st.integers(0, 3), max_size=3))
def test_the_command_line_wins_over_everything(found: list[Candidate], value: list[int]) -> None:
    given_there = candidate("=", tuple(value), 3, DEEPEST, False, 99)
    setting = combine(PATH, choose(PATH, [*found, given_there], Sink()), OWN, Sink())
    assert setting.value == tuple(value)
    assert not setting.extends
