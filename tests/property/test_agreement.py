"""`who`, `diff` and `explain` agree: one line of a program is changed, and what `diff` then shows
is what `who` named before, by values of which `explain` names that line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from random import Random

import pytest

from support.compile import ROOT, VARIANTS, compare_states, messages, std_sources
from support.effort import is_long, sampled
from support.library_cache import library_cache
from tvarc.build.assembly.bodies import recipe_text
from tvarc.build.diff.changes import Changes
from tvarc.build.driver import Compilation, compile_file
from tvarc.build.impact.line_impact import line_impact
from tvarc.build.impact.model import LineImpact
from tvarc.commands.shown.data import place_of, reads_of
from tvarc.commands.shown.lookup import Unknown, look_up, path_text
from tvarc.commands.shown.tree import Node, line_nodes, recipe_tree
from tvarc.decide.trace import Trace
from tvarc.files.disk import MemoryLoader
from tvarc.nix import ir
from tvarc.text.source import SourceMap, Span
from tvarc.values.reads import Reads

LARGE = "examples/torch-2.10/variants.tvar"
SHARED = "examples/shared/torch.tvar"
SMALLER = "examples/torch-2.8/variants.tvar"
PLAN = "variants.tvar"
OWN = "own.tvar"
ENTRIES = {PLAN: PLAN, LARGE: LARGE, SHARED: SMALLER, OWN: OWN}
"""The files whose lines are changed, each with the program that it is of."""

PROGRAM = """\
pin old { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
pin new {
  url  = "https://example.org/nixpkgs.tar.gz"
  hash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
}
facts board (arch: string, flags: [string]) {
  rpi5 { arch = "aarch64", flags = ["-a", "-b"] }
  nuc  { arch = "x86_64", flags = ["-x"] }
}
axis b = board[rpi5, nuc]
let common = [
  "-one",
  "-two",
]
let jobs = 4
let text = if b == nuc then "of a nuc" else "of another"
overlay members in python3Packages
  because "they are newer" {
  via = scope
  numpy = final.numpy_2
}
overlay plain {
  alias = final.hello
}
overlay changed for hello {
  flags  = ["-u", "-v"]
  flags -= ["-u"]
  when b == nuc {
    flags -= ["-v"]
  }
}
let words = [
  "-w",
]
let table = {
  first  = "1",
  second = { a = jobs, b = "2" },
}
recipe base {
  package  = pkgs.hello
  overlays = [members]
  flag quick: bool = false
  attrs {
    flags = common
    more  = [
      ...common,
      ...b.flags,
    ]
      because "they are needed"
    nested.first  = jobs
    nested.second = { a = jobs, b = "{{variant}}" }
    some          = ["-s", ...(if b == nuc then ["-n"] else [])]
    given         = words
    each          = [
      "{{word}}-{{b}}"
        for word in common
        if word != "-two",
      ...[flag, "-"]
        for flag in b.flags,
      "-last",
    ]
    rows          = table
    less          = ["-p", "-q"]
    less         -= ["-p"]
    default much  = "little"
    force   most  = "all"
    most          = "some"
    when quick {
      quick = true
    }
  }
  when b == nuc {
    env {
      NUC = "1"
    }
    overlays += [plain, changed]
    flag slow = true
    attrs {
      much = "much"
      less -= [
        "-q",
      ]
    }
  }
  flag slow: bool = false
  when slow {
    script build { part main = none }
    overlays -= [members]
  }
  when not slow {
    config { allowUnfree = true }
    attrs { speed = "fast" }
  } else when b == nuc {
    attrs { speed = "slow" }
  }
  when jobs > 4 or b == rpi5 {
    attrs { least = "one" }
  }
  else {
    attrs { least = "another" }
  }
  script build {
    part main \"\"\"
      echo {{text}}
      make -j{{jobs}} {{attrs.flags}}
    \"\"\"
    when b == rpi5 {
      part arm after main "echo arm\\n"
    }
    part last after main "echo last\\n"
    part over after last "echo over\\n"
  }
  meta {
    description = text
    longDescription = \"\"\"
      A program
      {{meta.description}}
    \"\"\"
  }
}
recipe leaf extends base {
  script build {
    part over "echo again\\n"
  }
}
matrix all {
  recipe = leaf
  axes   = b
  name   = "v-{{b}}"
  pin    = new
  when b == rpi5 {
    flag quick = true
  }
  when b == nuc {
    pin = old
    meta { description = "for a nuc" }
  }
}
output nix { file = "{{variant}}.nix" }
"""


@cache
def sources() -> dict[str, str | bytes]:
    found: dict[str, str | bytes] = {
        PLAN: VARIANTS.read_text(encoding="utf-8"),
        OWN: PROGRAM,
    }
    for name in (LARGE, SHARED, SMALLER):
        found[name] = (ROOT / name).read_text(encoding="utf-8")
    return found


@dataclass(frozen=True)
class Seen:
    """A variant, and what may be asked of it."""

    recipe: ir.Recipe
    trace: Trace


def look_at(made: Compilation) -> Iterator[Seen]:
    assert made.elaboration is not None
    for variant in made.variants:
        recipe = made.recipe(variant)
        if recipe is not None:
            yield Seen(recipe, Trace(made.elaboration, variant, recipe, made.sources))


class World:
    """A program, all its variants, and what was asked of it."""

    def __init__(self, made: Compilation, seen: list[Seen]) -> None:
        self.made = made
        self.seen = seen
        self.recipes = [one.recipe for one in seen]
        self.by_name = {one.recipe.variant: one for one in seen}
        self.answers: dict[int, LineImpact] = {}

    def who(self, file: str, line: int) -> LineImpact:
        if line not in self.answers:
            self.answers[line] = line_impact(self.made, self.made.variants, (file, line))
        return self.answers[line]


def world(entry: str, texts: dict[str, str | bytes]) -> World | None:
    """None where the program has errors."""
    made = compile_file(
        entry, MemoryLoader({**sources(), **texts}, std_sources()), cache=library_cache()
    )
    seen = [] if made.sink.has_errors else list(look_at(made))
    return None if made.sink.has_errors else World(made, seen)


@cache
def original(file: str) -> World:
    found = world(ENTRIES[file], {})
    assert found is not None
    return found


def named(answer: LineImpact) -> set[str]:
    """The variants that a line is said to have to do with."""
    numbers = {number for group in answer.groups for number in group.variants}
    numbers |= {number for one in answer.withheld for number in one.variants}
    numbers |= {number for one in answer.effects for number in one.variants}
    numbers |= set(answer.decides[1]) if answer.decides is not None else set()
    return {answer.names[number] for number in numbers}


def reached(answer: LineImpact) -> set[str]:
    return {answer.names[number] for group in answer.groups for number in group.variants}


def changed_by(changes: Changes) -> set[str]:
    """The variants, by their old names, that differ."""
    before = {new: old for old, new in changes.pairs}
    return {before[name] for name in changes.changed} | {one.before for one in changes.renamed}


# --- what explain names ------------------------------------------------------------------------


def lines_at(spans: set[Span], sources: SourceMap) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    for span in spans:
        source = sources.get(span.file)
        if source is not None:
            first, last = source.position(span.start).line, source.position(span.end).line
            found.update((span.file, line) for line in range(first, last + 1))
    return found


def explained(one: Seen, path: tuple[str, ...], seen: set[str]) -> set[Span]:
    """All places that `explain` tells of *path*, and of the settings that it reads."""
    tree = recipe_tree(one.recipe)
    steps = list(path[:1] if path[0] == "pin" else path)  # with it, what chose it
    node = look_up(tree, path_text(tuple(steps)))
    while isinstance(node, Unknown) and steps:  # `diff` names elements by their text
        steps.pop()
        node = look_up(tree, path_text(tuple(steps))) if steps else tree
    assert not isinstance(node, Unknown)
    found: set[Span] = set()

    def told(reads: Reads) -> None:
        found.update(fact.span for fact in reads.facts)
        found.update(name.span for name in reads.names)
        for setting in reads.settings:
            if setting not in seen:
                seen.add(setting)
                found.update(explained(one, tuple(setting.split(".")), seen))

    def tell(inner: Node) -> None:
        spans = [place_of(inner, one.trace), inner.declared]
        spans += [inner.origin.span] if inner.origin is not None else []
        found.update(span for span in spans if span is not None)
        told(reads_of(inner, one.trace))
        for origin in (inner.origin, *(lost.origin for lost in inner.shadowed)):
            if origin is not None:
                found.add(origin.span)
                found.update(origin.conditions)
                for held in one.trace.conditions(origin):
                    told(held.reads)

    for inner in node.walk():
        tell(inner)
        for line in line_nodes(inner) if inner.kind in ("part", "script") else ():
            tell(line)
    return found


# --- the three held against each other ----------------------------------------------------------


def agree(before: World, after: World, file: str, line: int) -> tuple[set[str], Changes]:
    """The variants that changed, which `who` has to have named and `explain` to explain."""
    changes = compare_states(before.recipes, after.recipes)
    answer = before.who(file, line)
    changed = changed_by(changes)
    pairs = dict(changes.pairs)
    missing = changed - named(answer)
    if missing:  # the line reaches them now, as where it no longer covers another
        assert {pairs[name] for name in missing} <= named(after.who(file, line))
    if changes.added.variants or changes.removed.variants:
        asked = (answer, after.who(file, line))
        assert any(one.decides is not None or one.dropped or reached(one) for one in asked)
    kept = {answer.names[number] for one in answer.withheld for number in one.variants}
    old = {recipe.variant: recipe for recipe in before.recipes}
    new = {recipe.variant: recipe for recipe in after.recipes}
    for name, now in changes.pairs:
        if name not in changed and name not in named(answer):
            assert text(old[name], before) == text(new[now], after)
    for block in changes.blocks:
        name = block.variants[0]
        was = next(one for one, now in changes.pairs if now == name)
        for change in block.changes:
            # As `explain` tells it of the variant as it was, or as it is.
            told = lines_at(
                explained(before.by_name[was], change.difference.path, set()), before.made.sources
            )
            told |= lines_at(
                explained(after.by_name[name], change.difference.path, set()), after.made.sources
            )
            if was in kept and change.difference.before is None:
                continue  # of what a condition keeps out there is nothing to explain
            if not OPENS.match(lines_of(file)[line - 1]):
                assert (file, line) in told, (change.difference.path, sorted(told))
    return changed, changes


# What only opens a block is no origin of what stands in it.
OPENS = re.compile(r"\s*(script|attrs|env|meta|args|passthru|config|recipe|axis|matrix)\b.*{$")


def text(recipe: ir.Recipe, of: World) -> str:
    return "".join(recipe_text(recipe, of.made.file, file) for _, file in recipe.files)


def with_line(file: str, line: int, new: str) -> dict[str, str | bytes]:
    given = sources()[file]
    assert isinstance(given, str)
    lines = given.split("\n")
    return {file: "\n".join([*lines[: line - 1], new, *lines[line:]])}


def lines_of(file: str) -> list[str]:
    given = sources()[file]
    assert isinstance(given, str)
    return given.split("\n")


# The line that has the first text, with that replaced by the second; all variants that it reaches
# change, and no other does.
CHOSEN = [
    (PLAN, "let torch = 2.10.0", "let torch = 2.11.0", 44),
    (PLAN, "let cuda  = 13.0", "let cuda  = 13.1", 40),
    (PLAN, 'rev = "6a', 'rev = "7a', 44),
    (PLAN, 'because "CUDA 13 removed', 'because "CUDA 13 dropped', 40),
    (PLAN, "version = torch", "version = cuda", 44),
    (PLAN, "because \"nixpkgs' patches", 'because "all patches', 44),
    (PLAN, 'cmakeFlags += ["-DUSE_CUDA=OFF', 'cmakeFlags += ["-DUSE_CUDA=0', 4),
    (PLAN, "export MAX_JOBS=32", "export MAX_JOBS=1", 44),
    (PLAN, "let toolkit-driver = 580.0", "let toolkit-driver = 600.0", 40),
    (PLAN, "Driver: {{major(driver)}}", "Driver {{major(driver)}}", 40),
    (PLAN, "script postPatch {", "script preBuild {", 40),
    (PLAN, "matrix cpu-builds {", "matrix cpus {", 4),
    (LARGE, "longer because \"the table has a longer prefix for these and for CPU",
     "variant because \"the table has a longer prefix for these and for CPU", 120),
    (LARGE, 'because "the table has it; it does not', 'because "it does not', 229),
    (LARGE, "pin = at-2017d6d", "pin = at-6a030d5", 60),
    (LARGE, "flag magma-fix = false", "flag magma-fix = true", 60),
    (LARGE, "let longer =", 'let longer = "x{{variant}}" #', 127),
    (SHARED, '  "-DCXX_AVX512_FOUND=FALSE"', '  "-DCXX_AVX512_FOUND=0"', 8),
    (SHARED, 'python313 { set = "python313Packages"', 'python313 { set = "python314Packages"', 62),
    (SHARED, "flag narrow = false", "flag narrow = true", 51),
    (OWN, '  because "they are newer"', '  because "they are new"', 1),
    (OWN, "via = scope", "via = extensions", 1),
    (OWN, '      because "they are needed"', '      because "they are wanted"', 2),
    (OWN, '  "-two",', '  "-three",', 2),
    (OWN, "      ...common,", '      "-z",', 2),
    (OWN, "flag quick: bool = false", "flag quick: bool = true", 1),
    (OWN, "    when quick {", "    when not quick {", 2),
    (OWN, '  url  = "https://example.org', '  url  = "https://example.com', 1),
    (OWN, 'hash = "sha256-i9', 'hash = "sha256-i8', 1),
    (OWN, "    nested.first  = jobs", "    nested.first  = 5", 2),
    (OWN, 'rpi5 { arch = "aarch64", flags = ["-a"', 'rpi5 { arch = "aarch64", flags = ["-c"', 1),
    (OWN, "    overlays += [plain, changed]", "    overlays += []", 1),
    (OWN, '        "-q",', "", 1),
    (OWN, "let text =", 'let text = "same" #', 1),
    (OWN, "  pin    = new", "  pin    = old", 1),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("file", "old", "new", "count"), sampled(CHOSEN, 4, ci=2, several=True))
def test_a_changed_line(file: str, old: str, new: str, count: int) -> None:
    lines = lines_of(file)
    (line,) = (n for n, text in enumerate(lines, start=1) if old in text)
    after = world(ENTRIES[file], with_line(file, line, lines[line - 1].replace(old, new)))
    assert after is not None
    before = original(file)
    changed, _ = agree(before, after, file, line)
    assert len(changed) == count
    assert changed == named(before.who(file, line))


MUTATIONS = (
    (r"\d(?=\D*$)", "4"),  # the last digit
    (r"\d", "7"),  # the first digit
    (r'"([^"]*)"', r'"\1x"'),
    (r"(\w)(\W*)$", r"\1x\2"),
    (r"\btrue\b", "false"),
    (r"\[([^,\]]+), ([^,\]]+)", r"[\2, \1"),
    (r"\+=", "="),
    (r"==", "!="),
    (r' because "[^"]*"', ""),
)


def changed_lines(file: str, line: int) -> Iterator[str]:
    """The line left out, and with another value."""
    was = lines_of(file)[line - 1]
    yield ""
    for pattern, other in MUTATIONS:
        new = re.sub(pattern, other, was, count=1)
        if new not in (was, ""):
            yield new


def chosen(file: str, share: int) -> list[int]:
    """The lines on which something stands. Of large programs one in *share* is changed, in each run
    the same, and in a long run all, which takes minutes."""
    lines = [
        number
        for number, text in enumerate(lines_of(file), start=1)
        if any(letter.isalnum() for letter in text) and not text.lstrip().startswith("#")
    ]
    if is_long() or share == 1:
        return lines
    return sorted(Random(share).sample(lines, len(lines) // share))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "most", "share", "least", "least_of_all"),
    [(OWN, 1, 1, 60, 60), (PLAN, 1, 12, 5, 75), (LARGE, 1, 24, 1, 30), (SHARED, 1, 24, 1, 25)],
)
def test_each_line(file: str, most: int, share: int, least: int, least_of_all: int) -> None:
    """Each line, or one in *share*, is changed, in *most* ways that leave a program, and in a long
    run in all ways. That is *least* changes or more."""
    count = 0
    for line in chosen(file, share):
        ways = [*dict.fromkeys(changed_lines(file, line))]
        Random(line).shuffle(ways)
        worlds = (world(ENTRIES[file], with_line(file, line, new)) for new in ways)
        for after in islice(filter(None, worlds), None if is_long() else most):
            agree(original(file), after, file, line)
            count += 1
    assert count >= (least_of_all if is_long() else least)


@pytest.mark.slow
def test_the_small_program_has_no_fault() -> None:
    made = compile_file(OWN, MemoryLoader(sources(), std_sources()), cache=library_cache())
    assert len(made.recipes()) == 2
    assert not made.sink.has_errors, messages(made)
