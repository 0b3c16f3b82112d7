"""What is emitted of needs: each file is the same alone and together with others, and no line that
an edit changes is missing from the maps."""

from __future__ import annotations

from random import Random

import pytest
from test_shared_maps import asked, compare, compiled
from test_source_map import held

from support.assembled import assembled, plain, small
from support.compile import ROOT
from support.effort import sampled

FILE = "input.tvar"
STACK = (ROOT / "tests" / "snapshots" / "ok-needs" / "input.tvar").read_text("utf-8")
# Needs that are there for some variants, that are written anew, and through several recipes.
LAYERS = """
axis gpu { sm80 { label = "A100" }, sm90 { label = "H100" }, sm100 { label = "B200" } }
axis lto = [true, false]

let wanted = "H100"

pin a {
  url  = "https://example.org/a.tar.gz"
  hash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}
pin b {
  url  = "https://example.org/b.tar.gz"
  hash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}

recipe lib {
  package = pkgs.zlib
  pin     = if lto then a else none
  attrs { gpu = gpu.label, name = "{{variant}}-{{gpu}}" }
  when lto { env { LTO = "1" } }
}

recipe tool {
  package = pkgs.hello
  pin     = b
  needs zlib = libs
  attrs { gpu = gpu.label, buildInputs += [needs.zlib] }
  config { allowUnfree = lto }
}

matrix libs {
  recipe = lib
  axes   = gpu * lto
  name   = "lib-{{gpu}}-{{if lto then "lto" else "plain"}}"
  exclude gpu == sm100 and lto because "it fails"
}

overlay newer { zlib = needs.lib }

recipe base {
  package  = pkgs.hello
  pin      = a
  needs lib = libs[gpu where label == wanted]
  needs own = tool
  overlays = [newer]
}

recipe app extends base {
  needs lib = libs or exclude because "there is no lib"
  when lto {
    needs extra = pkgs.curl because "it fetches"
    attrs { extra = needs.extra }
  }
  when gpu == sm90 { needs own = lib }
  attrs { lib = "{{needs.lib.variant}} {{needs.lib.attrs.name}}", own = needs.own.out }
  meta  { description = "{{needs.own.version}} on {{gpu.label}}" }
}

matrix apps {
  recipe = app
  axes   = lto * gpu
  name   = "app-{{gpu}}-{{if lto then "lto" else "plain"}}"
}
matrix bases {
  recipe = base
  axes   = lto * gpu[sm80]
  name   = "base-{{if lto then "lto" else "plain"}}"
}

output nix { file = "{{if matrix == libs then "libs" else "apps"}}/{{variant}}.nix" }
"""
# Arguments that are handed on, through variants and a recipe that is put into another.
HANDED = """
axis gpu { sm80 { label = "A100" }, sm90 { label = "H100" } }
axis kind { small { of = "A100" }, large { of = "H100" } }

pin a {
  url  = "https://example.org/a.tar.gz"
  hash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}

recipe lib { package = pkgs.zlib, env { GPU = gpu.label } }
recipe tool {
  package = pkgs.curl
  needs zlib = libs[gpu where label == kind.of] by argument
  attrs { zlib = needs.zlib, kind = kind.of }
}
recipe holder {
  package = pkgs.jq
  needs tool = tools
  attrs { tool = nix\"\"\"[ needs.tool.out ]\"\"\" }
}
recipe app {
  package = pkgs.hello
  needs tool = tools
  needs held = holder
  attrs { tools = [needs.tool, needs.held], kind = kind.of }
}

matrix libs { recipe = lib, axes = gpu, name = "lib-{{gpu}}" }
matrix tools { recipe = tool, axes = kind, name = "tool-{{kind}}" }
matrix apps { recipe = app, axes = kind, name = "app-{{kind}}" }
matrix loose {
  recipe = app
  axes   = kind
  name   = "loose-{{kind}}"
  pin    = none
}

output nix { file = "all/{{variant}}.nix" }
"""
# Inputs that go through links, one of them another for each GPU.
INPUTS = """
axis gpu { sm80 { label = "A100" }, sm90 { label = "H100" } }
axis lto = [true, false]
let how = if lto then "lto" else "plain"

pin a {
  url  = "https://example.org/a.tar.gz"
  hash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}
input tools {
  github = "example/tools"
  rev    = "0182a361324364ae3f436a63005877674cf45efb"
  hash   = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}
input parts {
  url  = "https://example.org/parts-{{gpu.label}}.tar.gz"
  hash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}

recipe lib {
  package = file(tools, "lib.nix")
  pin     = if lto then a else none
  attrs { gpu = gpu.label }
}
recipe mid {
  package = pkgs.hello
  pin     = a
  needs lib = libs
  attrs { lib = needs.lib, gpu = gpu.label }
  when lto { attrs { part = file(parts, "x") } }
}
recipe app {
  package = pkgs.hello
  pin     = if lto then none else a
  needs mid = mids
  attrs { mid = needs.mid, gpu = gpu.label }
}

matrix libs { recipe = lib, axes = gpu * lto, name = "lib-{{gpu}}-{{how}}" }
matrix mids { recipe = mid, axes = gpu * lto, name = "mid-{{gpu}}-{{how}}" }
matrix apps { recipe = app, axes = gpu * lto, name = "app-{{gpu}}-{{how}}" }

output nix { file = "{{variant}}.nix" }
"""
PROGRAMS = {"stack": STACK, "layers": LAYERS, "handed": HANDED, "inputs": INPUTS}


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("few", [True, False])
def test_files_of_needs_are_the_same_alone_and_together(
    program: str, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        one, other = (
            compiled(FILE, {FILE: PROGRAMS[program]}),
            compiled(FILE, {FILE: PROGRAMS[program]}),
        )
        assert one is not None and other is not None
        found = plain(one), assembled(other)
        assert not one.sink.has_errors and not other.sink.has_errors
        return found

    if few:
        with small(monkeypatch):
            mine, theirs = made()
    else:
        mine, theirs = made()
    assert mine == theirs
    assert len(mine) > 7


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_maps_of_needs_are_the_same_alone_and_together(program: str) -> None:
    made = compiled(FILE, {FILE: PROGRAMS[program]})
    assert made is not None
    assert compare(made) > 7
    assert asked(made, FILE, 3) > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(12), ci=6))
@pytest.mark.parametrize("program", PROGRAMS)
def test_no_changed_line_of_a_need_is_missing(program: str, seed: int) -> None:
    assert held(PROGRAMS[program], FILE, {}, Random(seed), 12) > 0
