"""What `who` finds by the fragments that variants share is what it finds of each by itself."""

from __future__ import annotations

import posixpath
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.assembled import KeptMaps
from support.compile import ROOT, VARIANTS, std_sources
from support.effort import sampled
from support.library_cache import library_cache
from tvarc.assembly.present import NotShareable
from tvarc.disk import MemoryLoader
from tvarc.driver import Compilation, compile_file
from tvarc.impact.line_impact import line_impact
from tvarc.impact.model import LineImpact
from tvarc.light import replace
from tvarc.sema.budget import Total

OWN = """\
pin p {
  github = "NixOS/nixpkgs"
  rev = b.rev
  localSystem {
    gcc.arch = "arch-{{m}}"
    when b == nuc { gcc.tune = m }
  }
}
pin near { path = "../../nixpkgs" }
facts board (arch: string, flags: [string], rev: string, label: string) {
  rpi5 {
    arch = "aarch64", flags = ["-a", "-b"], label = "A board"
    rev = "6a030d535719c5190187c4cec156f335e95e3211"
  }
  nuc {
    arch = "x86_64", flags = ["-x"], label = "A box"
    rev = "7a030d535719c5190187c4cec156f335e95e3211"
  }
}
axis b = board[rpi5, nuc]
axis n = [1, 2, 3]
axis m = ["x", "y"]
let common = [
  "-one",
  "-two {{n}}",
]
let long = "{{b.label}} with {{n}} of {{m}}"
let named = variant
overlay members in python3Packages
  because "they are newer" {
  via = scope
  numpy = final.numpy_2 because "plain is not enough"
}
overlay chosen for pkgs[
  if b == nuc then set else "perlPackages"
].six { version = "{{n}}" }
let set = "python3Packages"
overlay plain {
  alias = final.hello
  when loud { echo = true }
}
recipe base {
  package  = pkgs.hello
  overlays = [members, chosen]
  pin      = if n == 3 then near else p
  flag loud: bool = n == 2
  attrs {
    gone  = long
    set.a = m
    set.b = "{{n}}"
    pname = "{{variant}}"
    other = named
    again = long
    board = b
    flags = [
      ...common,
      long,
      "{{b.arch}}-{{m}}",
    ] because "they are needed"
    when n >= 2 and b == nuc {
      many = true
    }
  }
  when m == "x" {
    overlays += [plain]
    env {
      M = m
    }
  }
  script build {
    part main \"\"\"
      echo {{b.arch}} {{n}} {{m}} {{variant}}
      echo {{b.arch}} {{attrs.again}}
      make {{join(b.flags, " ")}}
    \"\"\"
    when n == 3 {
      part three after main "echo three\\n"
    }
  }
  meta {
    description = long
    longDescription = \"\"\"
      {{long}}
      {{meta.description}}: {{b.label}}
    \"\"\"
    notes {
      part one "{{n}}"
      part two \"\"\"
        for {{b.label}}
        and {{m}}
      \"\"\"
    }
  }
}
recipe child extends base {
  attrs {
    gone  = none
    set.a = none
    when m == "x" {
      set = none
    }
    flags += nix\"\"\"
      [ {{b.arch}}
        {{m}} ]
    \"\"\"
    flags -= ["-one"]
  }
  meta {
    notes {
      when n == 3 {
        part one = none
      }
      part two before one "first"
    }
  }
}
matrix all {
  recipe = child
  axes   = b * n * m
  name   = "members-{{b}}-{{n}}{{m}}"
}
output nix { file = "{{variant}}.nix" }
"""
LARGE = "examples/torch-2.10/variants.tvar"


@cache
def compiled(file: str) -> Compilation:
    sources: dict[str, str | bytes] = {
        "own.tvar": OWN,
        "variants.tvar": VARIANTS.read_text(encoding="utf-8"),
        "../../nixpkgs/default.nix": "",
    }
    for name in (LARGE, "examples/shared/torch.tvar"):
        sources[name] = (ROOT / name).read_text(encoding="utf-8")
    made = compile_file(file, MemoryLoader(sources, std_sources()), cache=library_cache())
    assert not made.sink.has_errors
    return made


@cache
def kept_maps(file: str) -> KeptMaps:
    return KeptMaps(compiled(file).traced(), posixpath.basename(file), file)


def agree(file: str, line: int) -> LineImpact:
    """What is found by fragments, which has to be what is found of each variant by itself."""
    made = compiled(file)
    assert made.elaboration is not None
    made.elaboration.shared.total = Total(made.sink)  # each question has one of its own
    place = (file, line)
    shared = line_impact(made, made.variants, place)

    def refuse(*_: object, **__: object) -> None:
        raise NotShareable

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tvarc.impact.line_impact.SharedMaps", refuse)
        patch.setattr("tvarc.impact.line_impact.SourceMaps", lambda *_: kept_maps(file))
        alone = line_impact(made, made.variants, place)
    assert not made.sink.has_errors
    unordered = (frozenset(alone.withheld), frozenset(alone.effects))
    assert (frozenset(shared.withheld), frozenset(shared.effects)) == unordered
    assert replace(shared, withheld=alone.withheld, effects=alone.effects) == alone
    return shared


@pytest.mark.parametrize("line", sampled(range(1, OWN.count("\n") + 1)))
def test_each_line_of_a_small_program(line: int) -> None:
    agree("own.tvar", line)


@pytest.mark.slow
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, VARIANTS.read_text(encoding="utf-8").count("\n")))
def test_lines_of_the_44(line: int) -> None:
    agree("variants.tvar", line)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", sampled(["pin = at-2017d6d", "pname       = longer", "let longer", "python * isa"])
)
def test_lines_of_the_237(text: str) -> None:
    lines = (ROOT / LARGE).read_text(encoding="utf-8").split("\n")
    agree(LARGE, 1 + next(n for n, one in enumerate(lines) if text in one))


@pytest.mark.slow
def test_fragments_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the programs above none is looked at variant by variant."""

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("tvarc.impact.line_impact._one_by_one", never)
    for file in ("own.tvar", "variants.tvar", LARGE):
        made = compiled(file)
        for line in (10, 30, 50):
            assert line_impact(made, made.variants, (file, line)).names
