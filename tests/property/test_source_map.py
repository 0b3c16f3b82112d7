"""Maps of recipes: they change no byte, and no line that an edit changes is missing from them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from test_assembled_files import FILES, programs

from support.compile import PIECES, ROOT, VARIANTS, std_sources
from support.edits import State, changed, places_to_change, unexplained
from support.effort import examples, sampled
from tvarc.build.driver import emit
from tvarc.commands.programs.recipes import Recipe
from tvarc.commands.shown.data import place_of
from tvarc.decide.trace import Trace

FILE = "input.tvar"
EXAMPLES = ROOT / "examples"


def texts(state: State, file: str, most: int) -> Iterator[tuple[str, str]]:
    """The recipes of the first variants, as they are emitted, and as they are mapped."""
    for variant in state.made.variants[:most]:
        recipe = state.made.recipe(variant)
        mapped = state.maps.of(variant)
        if recipe is None:
            assert mapped is None
            continue
        assert mapped is not None
        for one, other in zip(emit((recipe,), file, file), mapped.files, strict=True):
            assert one.path == other.path
            count = other.text.count("\n") + 1
            assert (len(other.made), len(other.around)) == (count, count)
            yield one.text, other.text


@pytest.mark.slow
@given(programs())
@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
def test_a_map_changes_no_byte(program: str) -> None:
    state = State.of(FILE, {**FILES, FILE: program}, std_sources())
    if state is not None:
        for text, mapped in texts(state, FILE, 4):
            assert text == mapped


@pytest.mark.slow
def test_a_map_of_the_44_changes_no_byte() -> None:
    state = State.of("variants.tvar", {"variants.tvar": VARIANTS.read_text("utf-8")}, std_sources())
    assert state is not None
    found = list(texts(state, "variants.tvar", 44))
    assert len(found) == 44
    for text, mapped in found:
        assert text == mapped


@cache
def example_files() -> dict[str, str]:
    """All sources of the examples, and the patches that they name, by their paths below that
    folder."""
    found = [*EXAMPLES.rglob("*.tvar"), *EXAMPLES.rglob("*.patch")]
    return {path.relative_to(EXAMPLES).as_posix(): path.read_text("utf-8") for path in found}


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    sampled([one for one in sorted(example_files()) if one.endswith("variants.tvar")], 4, ci=4),
)
def test_maps_of_the_examples(file: str) -> None:
    state = State.of(file, example_files(), std_sources())
    assert state is not None
    found = list(texts(state, file, 3))
    assert found
    for text, mapped in found:
        assert text == mapped
    others = {name: text for name, text in example_files().items() if name != file}
    held(example_files()[file], file, others, Random(file), 3)


def held(text: str, file: str, others: dict[str, str], random: Random, tries: int) -> int:
    """Changes *text* so often, and holds the maps against what changes; how often it compiled."""
    before = State.of(file, {**others, file: text}, std_sources())
    if before is None:
        return 0
    count = 0
    places = places_to_change(text)
    for _ in range(tries):
        at = random.choice(places)
        after = State.of(file, {**others, file: changed(text, at, random)}, std_sources())
        if after is None:
            continue
        count += 1
        line = text.count("\n", 0, at) + 1
        missing = unexplained(before, after, (file, line), 2, random)
        assert not missing, (line, text.split("\n")[line - 1], missing)
    return count


# What fails is not made smaller: each try compiles a program, and the message names the line.
@pytest.mark.slow
@given(programs(), st.integers(0, 1 << 30))
@settings(
    max_examples=examples(25),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_changed_line_is_missing(program: str, seed: int) -> None:
    held(program, FILE, dict(FILES), Random(seed), 4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_changed_line_of_the_44_is_missing(seed: int) -> None:
    text = VARIANTS.read_text("utf-8")
    assert held(text, "variants.tvar", {}, Random(seed), 8) > 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_changed_line_of_a_piece_is_missing(seed: int) -> None:
    """Of elements and entries that come by `let`s, by other lists and from within records."""
    assert held(PIECES, FILE, {}, Random(seed), 12) > 1


@pytest.mark.slow
def test_the_piece_that_a_line_is_told_of_is_in_its_map() -> None:
    """Where `explain` says that a value is written, what made its line is written too."""
    state = State.of(FILE, {FILE: PIECES}, std_sources())
    assert state is not None
    for variant in state.made.variants:
        mapped = state.maps.of(variant)
        assert mapped is not None and state.made.elaboration is not None
        why = Trace(state.made.elaboration, variant, mapped.recipe, state.made.sources)
        (file,) = mapped.files
        recipe = Recipe(file.path, state.made, state.maps, variant, mapped, file)
        told = 0
        for number in range(1, recipe.count + 1):
            for node in recipe.line(number).values:
                place = place_of(node, why)
                if node.kind == "element" and place is not None:
                    assert state.maps.numbering.first(place) & file.made[number - 1]
                    told += 1
        assert told > 20


def test_the_test_finds_what_is_missing() -> None:
    """With a map that knows nothing of the line, each changed line is told of."""
    text = VARIANTS.read_text("utf-8")
    file = "variants.tvar"
    before = State.of(file, {file: text}, std_sources())
    after = State.of(file, {file: text.replace("-j32", "-j31")}, std_sources())
    assert before is not None and after is not None
    line = text[: text.index("-j32")].count("\n") + 1
    assert not unexplained(before, after, (file, line), 1, Random(0))
    assert len(unexplained(before, after, (file, 1), 1, Random(0))) == 2
