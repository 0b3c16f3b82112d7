"""`tvarc who` and `tvarc explain FILE.nix:LINE` are one relation: a line of a recipe is among the
lines that a line of source reaches if and only if `explain` says that it is made of that line."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_agreement import OWN, PROGRAM
from test_assembled_files import FILES, programs
from test_source_map import example_files

from support.alone import emit
from support.compile import PIECES, VARIANTS, std_sources
from support.effort import examples, sampled
from support.library_cache import library_cache
from tvarc.build.assembly.source_map import SourceMaps
from tvarc.build.driver import Compilation, compile_file
from tvarc.build.impact.line_impact import line_impact
from tvarc.commands.programs.recipes import Recipe
from tvarc.files.disk import MemoryLoader
from tvarc.files.output.header import DIGEST_PREFIX
from tvarc.matrix.variants import Variant
from tvarc.values.provenance import Place

FILE = "input.tvar"

FRAMES = '''\
pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
}
facts kinds (
  words: [string],
  size: int,
) {
  small {
    words = [
      # a comment
      "-s",
    ],
    size = 1
  }
  large { words = [], size = 2 }
}
axis n = kinds[small, large]
let words = """
  a word
    deeper
  """
recipe r {
  package = pkgs.hello
  attrs {
    flags = [
      "-a",
      """
      of a list
      """,
      # a comment
    ]
    taken = words
    given = n.words
    empty = [
      # nothing
    ]
    hooked = """
        deep one
      shallow
        deep two

        # deep three
      """
    nested.first = {
      # of a record
      a = [
        1,
      ]
    }
    chosen = (
      if n.size == 1 then
        ["x"]
      else
        ["y"]
    )
    raw = nix"""
      with pkgs;
        [ zlib ]
    """
    hashed = """
      # as a comment
    """
  }
  script build {
    part main """
        echo one

      echo two
    """
    when n.size == 1 {
      part more """
        echo three"""
    }
    += """
      echo last
    """
  }
  script install += """
    echo {{words}}
    """
  meta {
    description = "x"
    longDescription = """
      One
      Two
    """
  }
}
matrix m {
  recipe = r
  axes   = n
  name   = "v-{{n}}"
}
output o { file = "pkgs/{{variant}}.nix" }
'''
"""Brackets, fences, comments and empty lines, in all places."""

Reached = set[tuple[str, int]]
"""Lines of recipes: the variant, and the line in each of its files."""


def compiled(file: str, sources: dict[str, str]) -> Compilation | None:
    """None where the program has an error."""
    made = compile_file(file, MemoryLoader(dict(sources), std_sources()), cache=library_cache())
    if made.sink.has_errors or made.elaboration is None:
        return None
    return None if any(made.recipe(one) is None for one in made.variants) else made


def explained(made: Compilation, variants: Sequence[Variant]) -> dict[Place, Reached]:
    """By the line of source the lines of recipes that `explain` says are made of it."""
    found: dict[Place, Reached] = {}
    maps = SourceMaps(made.traced(), made.file, made.file)
    for variant in variants:
        mapped = maps.of(variant)
        assert mapped is not None
        for file in mapped.files or (maps.file(mapped.recipe, f"{variant.name}.nix"),):
            recipe = Recipe(file.path, made, maps, variant, mapped, file)
            for number in range(1, recipe.count + 1):
                for one in recipe.line(number).made:
                    found.setdefault((one.file, one.line), set()).add((variant.name, number))
    return found


def reached(made: Compilation, variants: Sequence[Variant], place: Place) -> Reached:
    """The lines of recipes that `who` says are reached from *place*."""
    answer = line_impact(made, variants, place)
    return {
        (answer.names[variant], number)
        for group in answer.groups
        for variant in group.variants
        for first, last in group.lines
        for number in range(first, last + 1)
    }


def lines_of(made: Compilation, file: str) -> list[Place]:
    source = made.sources.get(file)
    assert source is not None
    return [(file, number) for number in range(1, len(source.line_starts()) + 1)]


def is_frame(made: Compilation, place: Place) -> bool:
    """Whether a line has no letter and no digit, as one that opens or closes something."""
    source = made.sources.get(place[0])
    return source is not None and not any(one.isalnum() for one in source.line(place[1]))


def differing(
    made: Compilation, variants: Sequence[Variant], places: Sequence[Place]
) -> list[tuple[Place, Reached, Reached]]:
    """Of *places* those on which the two commands disagree, with what `who` alone names and what
    `explain` alone names."""
    told = explained(made, variants)
    found: list[tuple[Place, Reached, Reached]] = []
    for place in places:
        one, other = reached(made, variants, place), told.get(place, set())
        if one != other:
            found.append((place, one - other, other - one))
    return found


def asked(made: Compilation, file: str, random: Random, most: int) -> list[Place]:
    """At most *most* lines of *file*, and as many that only open or close something."""
    every = lines_of(made, file)
    frames = [one for one in every if is_frame(made, one)]
    others = [one for one in every if not is_frame(made, one)]
    return [
        *random.sample(frames, min(most, len(frames))),
        *random.sample(others, min(most, len(others))),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "program"), [(FILE, FRAMES), (FILE, PIECES), (OWN, PROGRAM)])
def test_each_line_of_a_small_program(file: str, program: str) -> None:
    made = compiled(file, {file: program})
    assert made is not None
    assert not differing(made, made.variants, lines_of(made, file))


def texts(made: Compilation, variants: Sequence[Variant]) -> dict[str, list[str]]:
    """The lines of the first file of each variant, without its digest."""
    found: dict[str, list[str]] = {}
    for variant in variants:
        recipe = made.recipe(variant)
        assert recipe is not None
        file, *_ = emit((recipe,), made.file)
        rows = file.text.split("\n")
        found[variant.name] = ["" if row.startswith(DIGEST_PREFIX) else row for row in rows]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "program"), [(FILE, FRAMES), (FILE, PIECES), ("variants.tvar", "")]
)
def test_a_line_that_is_indented_more_changes_what_it_reaches(file: str, program: str) -> None:
    """In particular the line that is indented least of a text: the indentation of all of its lines
    depends on it."""
    program = program or VARIANTS.read_text("utf-8")
    before = compiled(file, {file: program})
    assert before is not None
    variants = before.variants[:1]
    was = texts(before, variants)
    rows = program.split("\n")
    count = 0
    for at in sampled_lines(file, rows):
        moved = [*rows[:at], f" {rows[at]}", *rows[at + 1 :]]
        after = compiled(file, {file: "\n".join(moved)})
        assert after is not None
        now = texts(after, after.variants[:1])
        changed = {
            (name, number)
            for name, lines in was.items()
            for number, (one, two) in enumerate(zip(lines, now[name], strict=True), start=1)
            if one != two
        }
        count += len(changed)
        assert changed <= reached(before, variants, (file, at + 1)), rows[at]
    assert count > (10 if file == FILE else 2)


TEXT = '''\
recipe r {
  package = pkgs.hello, pin = none
  BEGIN """
LINES
      """ }
}
variant v { recipe = r }
output o { file = "v.nix" }
'''
FIRST = 4  # the line of the program on which the text begins


@pytest.mark.slow
@given(
    st.sampled_from(["attrs { a =", "script build { part p"]),
    st.lists(st.integers(1, 5), min_size=2, max_size=6),
    st.data(),
)
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_lines_that_share_the_least_indentation_set_it_together(
    begin: str, indents: list[int], data: st.DataObject
) -> None:
    """None of them reaches the other lines: with more indentation it changes alone. With less it is
    the least indented line, and all others move."""
    at = data.draw(st.integers(0, len(indents) - 1))
    made, was = indented(begin, indents)
    others = {number for number in was if number != at}
    sole = indents.count(min(indents)) == 1
    (variant,) = made.variants
    found = {number for _, number in reached(made, [variant], (FILE, FIRST + at))}
    numbers = {number: line for number, (line, _) in was.items()}
    reaches = {number for number, line in numbers.items() if line in found}
    assert reaches == ({*was} if sole and indents[at] == min(indents) else {at})
    more, less = (
        {number for number, one in indented(begin, moved)[1].items() if one != was[number]}
        for step in (1, -1)
        for moved in ([*indents[:at], indents[at] + step, *indents[at + 1 :]],)
    )
    assert more == (others if reaches == {*was} else {at})
    assert less == (others if indents[at] == min(indents) else {at})


def indented(begin: str, indents: Sequence[int]) -> tuple[Compilation, dict[int, tuple[int, str]]]:
    """A program with a text whose lines have these *indents*; for each line of the text, by its
    number, the number and the text of its line in the recipe."""
    rows = [" " * indent + f"echo line{number}" for number, indent in enumerate(indents)]
    made = compiled(FILE, {FILE: TEXT.replace("BEGIN", begin).replace("LINES", "\n".join(rows))})
    assert made is not None
    (lines,) = texts(made, made.variants).values()
    return made, {
        number: (place, line)
        for number in range(len(indents))
        for place, line in enumerate(lines, start=1)
        if line.endswith(f"echo line{number}")
    }


def sampled_lines(file: str, rows: Sequence[str]) -> list[int]:
    """The lines, from 0, that have something on them; of a large program a few."""
    found = [at for at, row in enumerate(rows) if row.strip()]
    return found if file == FILE else Random(file).sample(found, 12)


@pytest.mark.slow
@given(programs(), st.integers(0, 1 << 30))
@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
def test_lines_of_any_program(program: str, seed: int) -> None:
    made = compiled(FILE, {**FILES, FILE: program})
    if made is None:
        return
    random = Random(seed)
    variants = random.sample(list(made.variants), min(3, len(made.variants)))
    assert not differing(made, variants, asked(made, FILE, random, 4))


@pytest.mark.slow
def test_lines_of_the_44() -> None:
    file = "variants.tvar"
    made = compiled(file, {file: VARIANTS.read_text("utf-8")})
    assert made is not None
    assert not differing(made, made.variants[::22], lines_of(made, file))


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    sampled([one for one in sorted(example_files()) if one.endswith("variants.tvar")], 8, ci=8),
)
def test_lines_of_the_examples(file: str) -> None:
    made = compiled(file, example_files())
    assert made is not None
    random = Random(file)
    variants = random.sample(list(made.variants), min(2, len(made.variants)))
    assert made.graph is not None
    library = [name for name in made.graph.modules if name.startswith("std/")]
    own = [name for name in made.graph.modules if name not in library]
    modules = (*own, *random.sample(library, min(2, len(library))))
    places = [place for module in modules for place in asked(made, module, random, 3)]
    assert not differing(made, variants, places)
