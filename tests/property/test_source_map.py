"""Maps of recipes: they change no byte, and no line that an edit changes is missing from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from test_assembled_files import FILES, programs

from support.alone import emit
from support.compile import PIECES, ROOT, VARIANTS, std_sources
from support.effort import examples, sampled
from support.library_cache import library_cache
from tvarc.build.assembly.source_map import MappedFile, MappedVariant, SourceMaps
from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.programs.recipes import Recipe
from tvarc.commands.shown.data import place_of
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.trace import Trace
from tvarc.files.disk import MemoryLoader
from tvarc.files.output.header import DIGEST_PREFIX
from tvarc.matrix.variants import Variant
from tvarc.values.provenance import Place
from tvarc.values.value import show

# --- changes of one character, and what recipes show of them --------------------------------------

_OTHER = {"=": "!", "!": "=", "<": ">", ">": "<", "+": "-", "-": "+", ".": "-"}
_LETTERS = "abgmnxyz"


class KeptMaps(SourceMaps):
    """The maps of each file by itself, made once for all that is asked of them."""

    def __init__(self, elaboration: Elaboration, source: str, entry: str) -> None:
        super().__init__(elaboration, source, entry)
        self._kept: dict[str, MappedVariant | None] = {}

    def of(self, variant: Variant) -> MappedVariant | None:
        if variant.name not in self._kept:
            self._kept[variant.name] = super().of(variant)
        return self._kept[variant.name]


@dataclass(frozen=True)
class State:
    """A program as it is before or after a change. *std* are the sources of the library."""

    made: Compilation
    maps: SourceMaps

    @classmethod
    def of(cls, file: str, sources: Mapping[str, str], std: Mapping[str, str]) -> State | None:
        """None where it has an error."""
        made = compile_file(file, MemoryLoader(dict(sources), std), cache=library_cache())
        if made.sink.has_errors or made.elaboration is None:
            return None
        return cls(made, KeptMaps(made.traced(), file, file))


def changed(text: str, at: int, random: Random) -> str:
    """*text* with another character at *at*, of its kind."""
    old = text[at]
    if old.isdigit():
        new = random.choice([one for one in "0123456789" if one != old])
    elif old.isalpha():
        new = random.choice([one for one in _LETTERS if one != old])
    else:
        new = _OTHER.get(old, old)
    return text[:at] + new + text[at + 1 :]


def places_to_change(text: str) -> list[int]:
    """Where a character stands that may be changed; comments are left alone."""
    found: list[int] = []
    at = 0
    for line in text.splitlines(keepends=True):
        if not line.lstrip().startswith("#"):
            found += [at + n for n, c in enumerate(line) if c.isalnum() or c in _OTHER]
        at += len(line)
    return found


def unexplained(before: State, after: State, place: Place, most: int, random: Random) -> list[str]:
    """The lines of recipes that differ, and that the maps do not lead from to *place*; of *most*
    variants."""
    cells = {_cell(one): one for one in after.made.variants}
    pairs = [(one, cells[_cell(one)]) for one in before.made.variants if _cell(one) in cells]
    found: list[str] = []
    for one, other in random.sample(pairs, min(most, len(pairs))):
        was, now = before.maps.of(one), after.maps.of(other)
        if was is not None and now is not None:
            found += _of_variant(_Side(before.maps, was, place), _Side(after.maps, now, place))
    return found


def _cell(variant: Variant) -> tuple[str, ...]:
    return (variant.matrix.name, *map(show, variant.values.values()))


class _Side:
    """The maps of one variant, before or after, as seen from one line."""

    def __init__(self, maps: SourceMaps, variant: MappedVariant, place: Place) -> None:
        self.variant = variant
        self._bit = maps.numbering.line(*place)

    @property
    def has_entry(self) -> bool:
        return any(entry.lines & self._bit for entry in self.variant.entries)

    def leads(self, file: MappedFile, text: str) -> bool:
        """Whether the line, or any that is the same, leads there: which of these was added or
        removed nobody can tell."""
        lines = zip(file.text.split("\n"), file.made, file.around, strict=True)
        return any(
            (made | around) & self._bit for one, made, around in lines if one.strip() == text
        )


def _counts(lines: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in lines:
        found[line.strip()] = found.get(line.strip(), 0) + 1
    return found


def _of_variant(was: _Side, now: _Side) -> Iterator[str]:
    for old, new in zip(was.variant.files, now.variant.files, strict=True):
        mine, theirs = old.text.split("\n"), new.text.split("\n")
        # A line of which there are as many as before has only moved.
        moved = {text for text, _ in _counts(mine).items() & _counts(theirs).items()}
        matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
        for op, start, end, first, last in matcher.get_opcodes():
            if op == "equal":
                continue
            led = [was.leads(old, one.strip()) for one in mine[start:end]]
            led_now = [now.leads(new, one.strip()) for one in theirs[first:last]]
            either = was.has_entry or now.has_entry
            for text, leads, others in (
                *zip(mine[start:end], led, [any(led_now)] * len(led), strict=True),
                *zip(theirs[first:last], led_now, [any(led)] * len(led_now), strict=True),
            ):
                if text.startswith(DIGEST_PREFIX) or not text.strip():
                    continue
                if not (leads or others or either or text.strip() in moved):
                    yield f"{old.path}: {text}"


# --- the tests ------------------------------------------------------------------------------------

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
    """All sources of the examples, and the tables and patches that they name, by their paths below
    that folder."""
    found = [path for end in ("tvar", "toml", "patch") for path in EXAMPLES.rglob(f"*.{end}")]
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


TESTED = '''\
facts gpu (capability: version, size: int) {
  small { capability = 8.0, size = 1 }
  large { capability = 9.0, size = 2 }
}
axis on-gpu = gpu
axis n = [1, 2]
mixin tested {
  test imports {
    script = """
      import {{n}}
      found version 3 {{on-gpu.capability}}
    """
    tools  = [pkgs.jq]
    expect = { version = ["3", on-gpu.capability] }
  }
}
recipe r with tested {
  package = pkgs.hello
  pin = none
  attrs { x = n }
  test imports {
    tools += [pkgs.yq]
    expect.more = "{{n}}-{{on-gpu.size}}"
  }
  test lean {
    without          = [pkgs.gcc, pkgs.llvm]
    max-closure-size = "{{on-gpu.size}} GiB"
    features         = ["big"]
  }
  test here {
    script = "echo {{n}}"
    on     = "host"
    when n == 2 {
      expect = { at = 7 }
    }
  }
}
matrix m { recipe = r, axes = on-gpu * n, name = "v-{{on-gpu}}-{{n}}" }
output nix { file = "{{variant}}.nix" }
'''
"""A program with all that a test may have."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_changed_line_of_a_test_is_missing(seed: int) -> None:
    assert held(TESTED, FILE, {}, Random(seed), 12) > 1
    state = State.of(FILE, {FILE: TESTED}, std_sources())
    assert state is not None
    for text, mapped in texts(state, FILE, 4):
        assert text == mapped


def test_each_line_of_a_test_is_mapped_to_its_own() -> None:
    state = State.of(FILE, {FILE: TESTED}, std_sources())
    assert state is not None
    mapped = state.maps.of(state.made.variants[-1])
    assert mapped is not None
    (file,) = mapped.files
    source = TESTED.splitlines()
    for text, expected in {
        "import 2": {"import {{n}}", 'script = """', "test imports {", "axis n = [1, 2]"},
        "version=9.0": {
            "large { capability = 9.0, size = 2 }", "test imports {",
            'expect = { version = ["3", on-gpu.capability] }',
        },
        "maxClosureSize = 2147483648;": {
            "large { capability = 9.0, size = 2 }", "test lean {",
            'max-closure-size = "{{on-gpu.size}} GiB"',
        },
    }.items():  # fmt: skip
        (made,) = [
            lines
            for line, lines in zip(file.text.split("\n"), file.made, strict=True)
            if line.strip().startswith(text)
        ]
        found = {source[number - 1].strip() for _, number in state.maps.numbering.places(made)}
        assert found == expected, text


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
