"""`diff` tells the truth: nothing of equal programs, and of changed ones exactly the variants
whose emitted text is another."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.alone import emit
from support.compile import VARIANTS, compare_states, compile_text, compile_variants
from support.effort import examples
from tvarc.build.diff import sharing
from tvarc.build.diff.changes import Changes, compare_members, comparing
from tvarc.build.diff.compare import Comparer
from tvarc.build.diff.members import Emitted, alike, emitted, members, others
from tvarc.build.diff.sharing import SharedDifferences
from tvarc.build.driver import Compilation
from tvarc.nix import ir

PROGRAM = """\
pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
  config { allowUnfree = true, cudaSupport = true }
}
let release = 2.10.0
axis gpu {
  sm90  { capability = 9.0, label = "Hopper" }
  sm100 { capability = 10.0, label = "Blackwell" }
  sm103 { capability = 10.3, label = "Blackwell Ultra" }
}
axis cuda = [12.8, 13.0]
overlay toolkit because "the default is older" {
  cudaPackages = final.cudaPackages_13
}
overlay source for python3Packages.torch because "it is newer" {
  version = release
  patches = [] because "they are for another version"
  when gpu == sm103 { doCheck = false }
}
patch fix for magma {
  url  = "https://example.org/fix.patch"
  hash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
}
recipe base {
  package  = pkgs.python3Packages.torch
  overlays = [source]
  flag fast: bool = true because "it is"
  args { cudaSupport = true, gpuTargets = [gpu.capability] }
  attrs {
    pname       = "torch-{{variant}}"
    cmakeFlags += ["-DA=1", "-DB={{cuda}}"] because "they are needed"
    cmakeFlags += ["-DC=3"]
    patches    -= [pname("old*")]
    extra       = { a = 1, b.c = 2, list = ["x", "y"] }
    doCheck     = gpu == sm90
  }
  env { MAX_JOBS = "32" }
  script preConfigure {
    part one \"\"\"
      export A="{{gpu.label}}"
      export B=2
    \"\"\"
    when fast {
      part two \"\"\"
        echo fast
      \"\"\"
    }
    part three before old \"\"\"
      echo {{old.version}}
    \"\"\"
  }
  passthru { arch = "sm_{{flat(gpu.capability)}}", release = release }
  meta {
    description = "torch for {{gpu.label}}"
    platforms   = ["x86_64-linux"]
  }
}
recipe child extends base {
  overlays = [toolkit, fix, source]
  when cuda >= 13.0 { attrs { cmakeFlags += ["-DNEW=1"] } }
}
matrix all {
  recipe = child
  axes   = gpu * cuda
  name   = "cuda{{under(cuda)}}-{{gpu}}"
  exclude gpu == sm90 and cuda == 13.0 because "never"
  attrs { matrixName = "all" }
}
variant single { recipe = base, axes = gpu[sm90] * cuda[12.8] }
output nix { file = "pkgs/{{variant}}.nix" }
"""
LINES = PROGRAM.splitlines()
DIGEST = re.compile(r"^# tvarc digest.*\n", re.MULTILINE)

Mutation = tuple[str, str, str]
MUTATIONS: tuple[Mutation, ...] = (
    ("next digit", r"\d", "7"),
    ("last digit", r"\d(?=\D*$)", "4"),
    ("text", r'"([^"]*)"', r'"\1x"'),
    ("true", r"\btrue\b", "false"),
    ("order", r"\[([^,\]]+), ([^,\]]+)", r"[\2, \1"),
    ("add", r"\+=", "="),
    ("no reason", r' because "[^"]*"', ""),
    ("part", r"part (\w+)", r"part \1x"),
    ("nothing", r"^.*$", ""),
)


def decided(made: Compilation) -> list[ir.Recipe] | None:
    """All variants of *made*; None where it has errors."""
    found = [made.recipe(variant) for variant in made.variants] if not made.sink.has_errors else []
    return None if made.sink.has_errors else [recipe for recipe in found if recipe is not None]


def texts(recipes: list[ir.Recipe]) -> dict[str, tuple[tuple[str, str], ...]]:
    """What is emitted for each variant, without the digest of it."""
    return {
        recipe.variant: tuple(
            (file.path, DIGEST.sub("", file.text)) for file in emit([recipe], "input.tvar")
        )
        for recipe in recipes
    }


def agrees(before: list[ir.Recipe], after: list[ir.Recipe], old: dict[str, object]) -> Changes:
    """The changes, which have to be those of the emitted texts."""
    changes = compare_states(before, after)
    new = texts(after)
    differ = {name for name in new if name in old and new[name] != old[name]}
    assert {name for name in changes.changed if name in old} == differ
    assert {name for block in changes.blocks for name in block.variants} == set(changes.changed)
    gone = {*changes.removed.variants, *(one.before for one in changes.renamed)}
    come = {*changes.added.variants, *(one.after for one in changes.renamed)}
    assert (gone, come) == (set(old) - set(new), set(new) - set(old))
    return changes


@cache
def original() -> tuple[list[ir.Recipe], dict[str, object]]:
    found = decided(compile_text(PROGRAM))
    assert found is not None
    return found, dict(texts(found))


@pytest.mark.slow
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.integers(0, len(LINES) - 1), st.sampled_from(MUTATIONS))
def test_a_changed_line_is_shown_where_it_changes_text(number: int, mutation: Mutation) -> None:
    _, pattern, replacement = mutation
    line = re.sub(pattern, replacement, LINES[number], count=1)
    after = decided(compile_text("\n".join([*LINES[:number], line, *LINES[number + 1 :]])))
    before, old = original()
    if after is not None:
        agrees(before, after, old)


WIDE = (
    PROGRAM.replace("[12.8, 13.0]", "[12.8, 12.9, 13.0, 13.1]")
    .replace("package  = pkgs.python3Packages.torch", """package  = pkgs.python3Packages.torch
  when cuda == 12.9 { pin = other }
  when gpu == sm103 { script preConfigure { part one = none } }""")
    .replace("axis gpu {", """pin other {
  github = "NixOS/nixpkgs"
  rev    = "2017d6d515f8a7b289fe06d3a880a7ec588c3900"
}
axis gpu {""")
    .replace("pin nixpkgs", "pin first").replace("  flag fast", "  pin = first\n  flag fast")
)  # fmt: skip
"""More cells, so that many share what is different, and no pin for all."""
WIDE_LINES = WIDE.splitlines()


def shown(changes: Changes) -> object:
    """All that is told of *changes*, as it is told."""
    return (
        changes.added, changes.removed, changes.renamed, changes.changed, changes.pairs,
        [
            (block.variants, [
                (one.values, one.example, one.difference.path, one.difference.kind,
                 one.difference.removed, one.difference.added, _place(one.difference.before),
                 _place(one.difference.after)) for one in block.changes
            ]) for block in changes.blocks
        ],
    )  # fmt: skip


def _place(origin: ir.Origin | None) -> object:
    return origin.span if origin is not None else None


def told(made: Compilation) -> Emitted:
    return emitted(made, made.variants)


@cache
def wide() -> Compilation:
    made = compile_text(WIDE)
    assert not made.sink.has_errors and len(made.variants) == 12
    return made


@cache
def wide_recipes() -> list[ir.Recipe]:
    found = decided(compile_text(WIDE))
    assert found is not None
    return found


@pytest.mark.slow
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.integers(0, len(WIDE_LINES) - 1), st.sampled_from(MUTATIONS))
def test_few_variants_tell_what_all_would(number: int, mutation: Mutation) -> None:
    """Where both states emit one text nothing is decided, and of others one for many."""
    _, pattern, replacement = mutation
    line = re.sub(pattern, replacement, WIDE_LINES[number], count=1)
    text = "\n".join([*WIDE_LINES[:number], line, *WIDE_LINES[number + 1 :]])
    made, plain = compile_text(text), decided(compile_text(text))
    if plain is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharing, "FEW", 0)
        old, new = told(wide()), told(made)
        found = compare_members(
            members(wide(), old.variants),
            members(made, new.variants),
            alike(old, new),
            None,
            SharedDifferences(old, new, others(old, new), comparing()),
        )
    assert shown(found) == shown(compare_states(wide_recipes(), plain))


def test_nothing_differs_from_itself() -> None:
    before, _ = original()
    again = decided(compile_text(PROGRAM))
    assert again is not None
    assert not compare_states(before, again).any
    for comparer in (Comparer(), Comparer(flags=True)):
        for one, other in zip(before, again, strict=True):
            assert comparer.compare(one, other).differences == []
            assert comparer.compare(one, one).differences == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("MAX_JOBS=32", "MAX_JOBS=64", 44),
        ("USE_CUDA=OFF", "USE_CUDA=0", 4),
        ("-DCUDA_VERSION=", "-DCUDA_RELEASE=", 40),
        ("let torch = 2.10.0", "let torch = 2.11.0", 44),
        ("so as to say", "nothing of it", 0),
        ('because "the pinned nixpkgs has 2.9.1"', "", 44),
    ],
)
def test_the_44(old: str, new: str, changed: int) -> None:
    text = VARIANTS.read_text(encoding="utf-8")
    before, after = decided(compile_variants()), decided(compile_variants(text.replace(old, new)))
    assert before is not None and after is not None
    assert len(agrees(before, after, dict(texts(before))).changed) == changed


@pytest.mark.slow
def test_a_change_of_a_hundred_variants_is_one_block() -> None:
    many = PROGRAM.replace("[12.8, 13.0]", f"[{', '.join(f'12.{n}' for n in range(8, 108))}]")
    many = many.replace("exclude gpu == sm90 and cuda == 13.0", "exclude cuda == 12.9")
    before = decided(compile_text(many))
    after = decided(compile_text(many.replace('part one """', 'part one """\n      set -x')))
    assert before is not None and after is not None
    changes = agrees(before, after, dict(texts(before)))
    (block,) = changes.blocks
    assert len(block.variants) == len(changes.changed) == len(after) == 298
    assert [(c.difference.path, c.difference.added) for c in block.changes] == [
        (("script", "preConfigure", "one"), ("set -x",))
    ]
