"""Commands follow what variants need: of one program, or of modules that it uses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.command import tvarc

AXES = """
facts torches-of (version: version) {
  torch2_9_1  { version = 2.9.1 }
  torch2_10_0 { version = 2.10.0 }
}
facts visions-of (version: version, torch: version) {
  v24 { version = 0.24.1, torch = 2.9.1 }
  v25 { version = 0.25.0, torch = 2.10.0 }
}
axis release = torches-of[torch2_9_1, torch2_10_0]
axis vision  = visions-of[v24, v25]
axis gpu { sm80 { label = "A100" }, sm90 { label = "H100" } }
"""
PIN = """
pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "0182a361324364ae3f436a63005877674cf45efb"
  hash   = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}
"""
TORCH = """
recipe torch {
  package = pkgs.python3Packages.torch
  attrs { version = release.version }
  env   { GPU = gpu.label }
}
matrix torches {
  recipe = torch
  axes   = release * gpu
  name   = "{{release}}-{{gpu}}"
  exclude release == torch2_9_1 and gpu == sm90 because "it came later"
}
"""
VISION = """
recipe torchvision {
  package = pkgs.python3Packages.torchvision
  needs torch = torches[release where version == vision.torch]
    or exclude because "there is no Torch for it"
  args  { torch = needs.torch }
  attrs { version = vision.version }
}
matrix visions {
  recipe = torchvision
  axes   = vision * gpu
  name   = "vision-{{vision}}-{{gpu}}"
}
"""
APP = """
recipe app {
  package = pkgs.hello
  needs vision = visions[vision = v25]
  attrs { vision = needs.vision }
}
matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }
"""
OUTPUT = 'output nix { file = "recipes/{{variant}}.nix" }\n'
ONE = {"variants.tvar": PIN + AXES + TORCH + VISION + APP + OUTPUT}
THREE = {
    "axes.tvar": AXES,
    "torches.tvar": 'use "./axes.tvar"\n' + PIN + TORCH,
    "visions.tvar": 'use "./axes.tvar"\nuse "./torches.tvar"\n' + VISION,
    "variants.tvar": 'use "./axes.tvar"\nuse "./visions.tvar"\n' + APP + OUTPUT,
}
ALIASED = {
    **THREE,
    "visions.tvar": 'use "./axes.tvar"\nuse "./torches.tvar" as t\n'
    + VISION.replace("torches[", "t.torches["),
    "variants.tvar": 'use "./axes.tvar"\nuse "./visions.tvar" as v\n'
    + APP.replace("visions[", "v.visions[")
    + OUTPUT,
}


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")


@pytest.fixture
def stack(here: Path) -> Path:
    write(ONE)
    return here


def built(folder: str = "recipes") -> list[str]:
    return sorted(path.stem for path in Path(folder).glob("*.nix"))


@pytest.mark.slow
@pytest.mark.parametrize("files", [THREE, ALIASED], ids=["three", "aliased"])
def test_a_stack_is_one_program_or_three_modules(stack: Path, files: dict[str, str]) -> None:
    assert tvarc("build", "--no-git", "--out", "one").exit_code == 0
    write(files)
    tvarc("build", "--no-git", "--out", "three", code=0)
    names = built("one/recipes")
    assert names == built("three/recipes")
    assert len(names) == 8
    for name in names:
        texts = [Path(f"{one}/recipes/{name}.nix").read_text("utf-8") for one in ("one", "three")]
        bodies = [text.partition("\n{")[2] for text in texts]
        assert bodies[0] == bodies[1]


def test_a_matrix_that_is_called_otherwise_is_missed(stack: Path) -> None:
    program = ONE["variants.tvar"].replace("matrix torches", "matrix pytorches")
    Path("variants.tvar").write_text(program, encoding="utf-8")
    done = tvarc("build", "--no-git", code=1)
    assert "error[E201]: there is no matrix or recipe `torches`" in done.stderr
    assert "did you mean `pytorches`?" in done.stderr
    assert built() == []


def test_a_part_is_written_with_what_it_needs(stack: Path) -> None:
    tvarc("build", "--no-git", "--only", "app-sm90", code=0)
    assert built() == ["app-sm90", "torch2_10_0-sm90", "vision-v25-sm90"]
    assert tvarc("build", "--no-git", "--only", "torch2_9_1-sm80").exit_code == 0
    assert built() == ["app-sm90", "torch2_10_0-sm90", "torch2_9_1-sm80", "vision-v25-sm90"]
    assert tvarc("build", "--no-git", "--prune").exit_code == 0
    assert len(built()) == 8
    assert tvarc("build", "--no-git", "--prune", "--check").exit_code == 0


def test_prune_removes_what_nothing_builds_any_more(stack: Path) -> None:
    assert tvarc("build", "--no-git").exit_code == 0
    program = ONE["variants.tvar"].replace(
        'exclude release == torch2_9_1 and gpu == sm90 because "it came later"',
        'exclude release == torch2_9_1 because "nobody wants it"',
    )
    Path("variants.tvar").write_text(program, encoding="utf-8")
    assert tvarc("build", "--no-git", "--prune").exit_code == 0
    assert [name for name in built() if "2_9" in name or "v24" in name] == []
    assert len(built()) == 6


def test_a_list_says_what_each_needs(stack: Path) -> None:
    lines = {line.split()[0]: line.split() for line in tvarc("list").stdout.splitlines()}
    assert lines["app-sm80"][-1] == "vision=vision-v25-sm80"
    assert lines["vision-v24-sm80"][-1] == "torch=torch2_9_1-sm80"
    assert lines["torch2_9_1-sm80"] == ["torch2_9_1-sm80", "torch2_9_1", "sm80", "-"]
    rows = {row["name"]: row["needs"] for row in json.loads(tvarc("list", "--json").stdout)}
    assert rows["app-sm80"] == {"vision": "vision-v25-sm80"}
    assert rows["vision-v24-sm80"] == {"torch": "torch2_9_1-sm80"}
    assert rows["torch2_9_1-sm80"] == {}


def test_a_list_reports_a_need_that_leads_nowhere(here: Path) -> None:
    program = (
        f'{TWO}recipe app {{ package = pkgs.hello, needs x = libs, attrs {{ x = needs.x }} }}\n'
        'matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }\n'
    )
    Path("variants.tvar").write_text(program, encoding="utf-8")
    listed = tvarc("list", code=1)
    assert "error[E408]: `libs` does not have the needed variant" in listed.stderr
    assert "`app-sm90` needs it, where gpu is sm90" in listed.stderr


@pytest.mark.parametrize("command", ["check", "build"])
def test_the_checks_of_a_recipe_that_is_put_in_apply(command: str, here: Path) -> None:
    program = (
        f'{TWO}recipe inner {{ package = pkgs.jq, require gpu == sm80 because "only sm80" }}\n'
        "recipe app { package = pkgs.hello, needs x = inner, attrs { x = needs.x } }\n"
        'matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }\n'
        'output o { file = "out/{{variant}}.nix" }\n'
    )
    Path("variants.tvar").write_text(program, encoding="utf-8")
    done = tvarc(command, code=1)
    assert "error[E405]: a requirement is not met: only sm80" in done.stderr
    assert "for 1 variant: app-sm90" in done.stderr
    assert not Path("out").exists()


def test_explain_goes_on_in_what_is_needed(stack: Path) -> None:
    assert "torch = torch2_10_0-sm90 (of matrix torches)" in (
        tvarc("explain", "vision-v25-sm90").stdout
    )
    told = tvarc("explain", "app-sm90", "needs.vision.needs.torch.attrs.version").stdout
    assert told.startswith("torch2_10_0-sm90\nattrs.version = 2.10.0")
    data = json.loads(tvarc("explain", "app-sm90", "--json").stdout)
    assert [(one["path"], one["value"]) for one in data["needs"]] == [
        ("needs.vision", "vision-v25-sm90")
    ]
    unknown = tvarc("explain", "app-sm90", "needs.torch", code=1)
    assert "this variant has no `needs.torch`" in unknown.stderr


def test_a_line_reaches_what_needs_its_variants(stack: Path) -> None:
    text = ONE["variants.tvar"]
    line = text[: text.index("env   { GPU")].count("\n") + 1
    told = tvarc("who", f"variants.tvar:{line}").stdout
    assert "affects 3 of 8 variants" in told
    assert "through their needs: 5 variants" in told
    data = json.loads(tvarc("who", f"variants.tvar:{line}", "--json").stdout)
    assert sorted(data["through"]) == [
        "app-sm80", "app-sm90", "vision-v24-sm80", "vision-v25-sm80", "vision-v25-sm90",
    ]  # fmt: skip
    inside = text[: text.index("attrs { vision =")].count("\n") + 1
    assert "through" not in tvarc("who", f"variants.tvar:{inside}").stdout


def test_diff_tells_what_is_other_through_its_needs(stack: Path) -> None:
    Path("old.tvar").write_text(ONE["variants.tvar"], encoding="utf-8")
    program = ONE["variants.tvar"].replace(
        "env   { GPU = gpu.label }",
        "env   { GPU = gpu.label }\n  when gpu == sm90 { args { x = 1 } }",
    )
    Path("variants.tvar").write_text(program, encoding="utf-8")
    done = tvarc("diff", "--against", "old.tvar", code=1)
    assert "8 variants: 1 changed, 2 changed through their needs" in done.stdout
    assert "  vision-v25-sm90 (needs.torch)\n" in done.stdout
    assert "  app-sm90 (needs.vision)\n" in done.stdout
    alone = tvarc("diff", "--against", "old.tvar", "app-sm90", code=1)
    assert "1 variant: 1 changed through their needs" in alone.stdout
    assert tvarc("diff", "--against", "old.tvar", "app-sm80").exit_code == 0
    data = json.loads(tvarc("diff", "--against", "old.tvar", "--json").stdout)
    assert {one["variant"]: one["need"] for one in data["through"]} == {
        "vision-v25-sm90": "torch",
        "app-sm90": "vision",
    }


def test_diff_tells_which_need_is_another(stack: Path) -> None:
    data = json.loads(tvarc("diff", "vision-v24-sm80", "vision-v25-sm80", "--json").stdout)
    found = {one["path"]: one for one in data["differences"]}["needs.torch"]
    assert found["removed"] == ["torch2_9_1-sm80 of torches"]
    assert found["added"] == ["torch2_10_0-sm80 of torches"]


def test_diff_goes_into_a_recipe_that_is_put_in(here: Path) -> None:
    program = (
        f"{TWO}recipe inner {{ package = pkgs.jq, env {{ N = gpu.n }} }}\n"
        "recipe app { package = pkgs.hello, needs x = inner, attrs { x = needs.x } }\n"
        'matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }\n'
    )
    Path("variants.tvar").write_text(program, encoding="utf-8")
    data = json.loads(tvarc("diff", "app-sm80", "app-sm90", "--json").stdout)
    found = {one["path"]: (one["removed"], one["added"]) for one in data["differences"]}
    assert found["needs.x.env.N"] == (['"1"'], ['"2"'])


def test_why_not_tells_what_is_not_there(stack: Path) -> None:
    told = " ".join(tvarc("why-not", "vision-v24-sm90").stdout.split())
    assert "excluded: there is no Torch for it" in told
    assert "torches[release = torch2_9_1, gpu = sm90] = none, since it came later" in told
    assert "remove the exclusion" in told
    assert "it adds 1 more: torch2_9_1-sm90" in told
    listed = tvarc("list", "--excluded").stdout
    assert "needs torch = torches[release where version == vision.torch] or exclude" in listed
    assert "torches[release = torch2_9_1, gpu = sm90] = none" in listed


def test_why_not_adds_a_value_and_keeps_the_need(here: Path) -> None:
    Path("variants.tvar").write_text(
        """\
axis chosen = gpus[sm80, sm90]
facts gpus (n: int) { sm80 { n = 1 }, sm90 { n = 2 }, sm100 { n = 3 } }
recipe base { package = pkgs.hello, pin = none }
recipe app { package = pkgs.hello, pin = none, needs b = bases or exclude because "none"
  attrs { b = needs.b } }
matrix bases { recipe = base, axes = chosen, name = "base-{{chosen}}" }
matrix apps { recipe = app, axes = chosen, name = "app-{{chosen}}" }
output nix { file = "{{variant}}.nix" }
""",
        encoding="utf-8",
    )
    found = tvarc("why-not", "apps", "chosen=sm100").stdout
    assert "add `sm100` to axis `chosen`" in found
    assert "it adds 1 more: base-sm100" in found
    assert "remove" not in found and "an error then" not in found


def test_a_cell_is_dropped_by_what_a_recipe_that_it_needs_needs(here: Path) -> None:
    """The order of the matrices in the file does not matter."""
    Path("variants.tvar").write_text(
        """\
axis gpu = ["a", "b"]
recipe lib { package = pkgs.hello, pin = none }
recipe inner { package = pkgs.hello, pin = none, needs x = libs or exclude because "none"
  attrs { x = needs.x } }
recipe app { package = pkgs.hello, pin = none, needs y = inner, attrs { y = needs.y } }
matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }
matrix libs { recipe = lib, axes = gpu, name = "lib-{{gpu}}", exclude gpu == "b" because "no" }
output nix { file = "{{variant}}.nix" }
""",
        encoding="utf-8",
    )
    listed = tvarc("list")
    assert [row.split()[0] for row in listed.stdout.splitlines()] == ["app-a", "lib-a"]
    assert "2 cells are dropped" in listed.stdout + listed.stderr


def test_the_lint_on_releases_reads_the_torch_that_is_needed(stack: Path) -> None:
    assert "W111" not in tvarc("check").stderr
    program = ONE["variants.tvar"].replace("torch = 2.10.0 }", "torch = 2.9.1 }")
    assert program != ONE["variants.tvar"]
    for form in (
        program,
        program.replace("args  { torch = needs.torch }", "overlays = [with-torch]")
        + "overlay with-torch in python3Packages { torch = needs.torch }\n",
    ):
        Path("variants.tvar").write_text(
            form.replace("[vision = v25]", "[vision = v24]").replace(
                "axes = gpu, name", "axes = gpu[sm80], name"
            ),
            encoding="utf-8",
        )
        told = tvarc("check").stderr
        assert "warning[W111]: release-not-paired" in told, told
        reason = "TorchVision 0.25.0 needs Torch 2.10.0, but this is Torch 2.9.1"
        assert reason in " ".join(told.split())
        assert "for 1 variant: vision-v25-sm80" in told


def test_a_line_of_a_need_has_the_places_of_the_need(stack: Path) -> None:
    assert tvarc("build", "--no-git").exit_code == 0
    text = Path("recipes/vision-v25-sm90.nix").read_text("utf-8")
    line = text[: text.index("torch = import ./torch2_10_0-sm90.nix")].count("\n") + 1
    told = tvarc("explain", f"recipes/vision-v25-sm90.nix:{line}").stdout
    assert "needs torch = torches[release where version == vision.torch]" in told
    assert 'name   = "{{release}}-{{gpu}}"' in told
    assert "v25 { version = 0.25.0, torch = 2.10.0 }" in told


def test_audit_takes_what_is_built_for_what_it_is(stack: Path) -> None:
    assert tvarc("check").exit_code == 0
    assert tvarc("audit", "recipes").exit_code == 1  # nothing is built yet
    assert tvarc("build", "--no-git").exit_code == 0
    done = tvarc("audit", "recipes")
    assert "missing" not in done.stdout
    assert "W206" not in done.stdout


@pytest.mark.slow
def test_a_program_that_is_written_nowhere_is_asked_as_well(stack: Path) -> None:
    Path("variants.tvar").write_text(ONE["variants.tvar"].replace(OUTPUT, ""), encoding="utf-8")
    line = ONE["variants.tvar"][: ONE["variants.tvar"].index("args  { torch")].count("\n") + 1
    assert "in 3 variants (matrix visions)" in tvarc("who", f"variants.tvar:{line}").stdout
    assert tvarc("explain", "app-sm90", "needs").exit_code == 0
    assert tvarc("diff", "app-sm90", "app-sm80").exit_code == 1
    assert len(json.loads(tvarc("list", "--json").stdout)) == 8


TWO = (
    PIN
    + """
axis gpu { sm80 { n = "1" }, sm90 { n = "2" } }
axis kind = [one, two]
recipe lib { package = pkgs.hello, env { N = gpu.n } }
matrix libs { recipe = lib, axes = gpu, name = "lib-{{gpu}}", exclude gpu == sm90 because "late" }
"""
)


def test_what_a_recipe_that_is_not_chosen_lacks_drops_nothing(here: Path) -> None:
    Path("variants.tvar").write_text(
        TWO
        + """
recipe first {
  package = pkgs.jq
  needs lib = libs or exclude because "no lib"
  attrs { l = needs.lib }
}
recipe second { package = pkgs.curl }
recipe app { package = pkgs.hello, needs x = if kind == one then first else second
             attrs { x = needs.x } }
matrix apps { recipe = app, axes = gpu * kind, name = "app-{{gpu}}-{{kind}}" }
"""
    )
    listed = tvarc("list").stdout
    assert "app-sm90-two" in listed
    assert "app-sm90-one" not in listed


def test_the_version_of_a_need_is_that_of_what_is_built(here: Path) -> None:
    """An overlay that gives a version says nothing of a package that a later one puts there."""
    program = (
        PIN
        + OUTPUT
        + """
axis gpu { sm80 { n = "1" } }
overlay newer for pkgs.hello { version = "9.9" }
overlay other { hello = pkgs.cowsay }
recipe lib { package = pkgs.hello, overlays = [LIST], env { N = gpu.n } }
matrix libs { recipe = lib, axes = gpu, name = "lib-{{gpu}}" }
recipe app { package = pkgs.curl, needs lib = libs, attrs { v = "v{{needs.lib.version}}" } }
matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }
"""
    )
    Path("variants.tvar").write_text(program.replace("LIST", "newer"))
    assert "v9.9" in tvarc("explain", "app-sm80", "attrs.v").stdout
    Path("variants.tvar").write_text(program.replace("LIST", "newer, other"))
    assert "9.9" not in tvarc("explain", "app-sm80", "attrs.v").stdout
    caller = program.replace("LIST", "newer").replace(
        "package = pkgs.hello", "package = caller.hello"
    )
    Path("variants.tvar").write_text(caller)
    assert "9.9" not in tvarc("explain", "app-sm80", "attrs.v").stdout


@pytest.mark.parametrize(
    "file", ["{{if gpu == sm80 then \"default\" else variant}}.nix", "x/{{variant}}-input.nix"]
)
def test_files_without_a_name_of_their_own_are_no_arguments(here: Path, file: str) -> None:
    Path("variants.tvar").write_text(
        TWO
        + f"""
recipe app {{
  package = pkgs.hello
  needs x = libs[gpu = sm80] by argument
  attrs {{ x = needs.x }}
}}
matrix apps {{ recipe = app, axes = kind, name = "app-{{{{kind}}}}" }}
output nix {{ file = "{file}" }}
"""
    )
    assert "error[E403]" in tvarc("check").stderr


PUT_IN = (
    PIN
    + OUTPUT
    + """
pin other {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
  hash   = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
}
axis gpu { sm80 { n = "1" }, sm90 { n = "2" } }
overlay newer for pkgs.jq { version = "9.9" }
recipe lib { package = pkgs.zlib, pin = nixpkgs, attrs { version = "1.3" }, env { N = gpu.n } }
recipe tool {
  package  = pkgs.jq
  pin      = other
  overlays = [newer]
  needs lib = libs
  attrs { lib = needs.lib }
}
recipe app { package = pkgs.hello, pin = nixpkgs, needs tool = tool, attrs { t = needs.tool } }
matrix libs { recipe = lib, axes = gpu, name = "lib-{{gpu}}" }
matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }
"""
)


def test_explain_tells_all_of_a_recipe_that_is_put_in(here: Path) -> None:
    Path("variants.tvar").write_text(PUT_IN)
    told = tvarc("explain", "app-sm80", "needs").stdout
    assert "    pin other" in told
    assert "      lib = lib-sm80 (of matrix libs)" in told
    assert "6a030d535719c5190187c4cec156f335e95e3211" in (
        tvarc("explain", "app-sm80", "needs.tool.pin.rev").stdout
    )
    assert "lib-sm80" in tvarc("explain", "app-sm80", "needs.tool.needs.lib").stdout
    data = json.dumps(json.loads(tvarc("explain", "app-sm80", "needs.tool", "--json").stdout))
    assert '"needs.tool.pin"' in data
    assert '"needs.tool.needs.lib"' in data


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("needs.tool.variant", '"app-sm90"'),
        ("needs.tool.version", '"9.9"'),
        ("needs.tool.needs.lib.variant", "lib-sm90"),
        ("needs.tool.needs.lib.version", '"1.3"'),
        ("needs.tool.needs.lib.env.N", '"2"'),
        ("variant", "app-sm90"),
    ],
)
def test_explain_takes_what_programs_read_of_a_need(here: Path, path: str, told: str) -> None:
    Path("variants.tvar").write_text(PUT_IN)
    done = tvarc("explain", "app-sm90", path, code=0)
    assert told in done.stdout


def test_explain_says_of_a_need_what_it_has_not(stack: Path) -> None:
    for path in ("needs.vision.versions", "needs.visions.variant"):
        done = tvarc("explain", "app-sm90", path, code=1)
        assert "error[E904]" in done.stderr
    assert "vision-v25-sm90" in tvarc("explain", "app-sm90", "needs.vision.variant").stdout
    assert "0.25.0" in tvarc("explain", "app-sm90", "needs.vision.version").stdout


THROUGH_LETS = (
    TWO
    + """
let cell = "{{gpu}}-{{kind}}"
let whole = "app-{{cell}}"
recipe app { package = pkgs.hello, attrs { x = kind, y = gpu.n } }
matrix apps { recipe = app, axes = gpu * kind, name = whole, exclude gpu == sm80 and kind == two }
matrix more { recipe = app, axes = gpu * kind, name = "more-{{whole}}" }
"""
)


def test_a_name_that_is_a_let_is_selected_by_its_values(here: Path) -> None:
    Path("variants.tvar").write_text(THROUGH_LETS)
    found = [line.split()[0] for line in tvarc("list", "sm90-one").stdout.splitlines()]
    assert found == ["app-sm90-one", "more-app-sm90-one"]
    assert tvarc("list", "m90-one").exit_code == 1
    assert "app-sm80-two" in tvarc("list", "--excluded", "sm80-two").stdout
    assert "app-sm80-one" in tvarc("list", "gpu=sm80", "kind=one").stdout


def test_why_not_takes_the_name_of_a_matrix(here: Path) -> None:
    Path("variants.tvar").write_text(THROUGH_LETS)
    both = tvarc("why-not", "sm80-two").stdout
    assert "apps: no such variant" in both
    assert "more: the variant exists" in both
    one = tvarc("why-not", "apps", "sm80-two").stdout
    assert "apps: no such variant" in one
    assert "more:" not in one
    assert tvarc("why-not", "appz", "sm80-two").exit_code == 1


def test_a_name_of_a_module_is_written_with_its_own(stack: Path) -> None:
    write({"ours.tvar": PIN + AXES + TORCH})
    Path("variants.tvar").write_text(
        'use "./ours.tvar" as ours\n'
        "recipe app { package = pkgs.hello, attrs { x = gpu.label } }\n"
        'matrix apps { recipe = app, axes = ours.gpu, name = "app-{{ours.gpu}}" }\n' + OUTPUT
    )
    told = tvarc("check").stderr
    assert "did you mean `ours.gpu`?" in told
    assert "std.nvidia" not in told


def test_if_and_or_exclude_need_no_brackets(here: Path) -> None:
    """`or exclude` is of the whole need, not of the last branch."""
    program = (
        TWO
        + """
recipe app {
  package = pkgs.hello
  needs x = if kind == one then libs else libs[gpu = sm90] or exclude because "no lib"
  attrs { x = needs.x, kind = kind }
}
matrix apps { recipe = app, axes = gpu * kind, name = "app-{{gpu}}-{{kind}}" }
"""
    )
    Path("variants.tvar").write_text(program)
    bare = tvarc("list", "apps").stdout
    assert [line.split()[0] for line in bare.splitlines() if "app-" in line] == ["app-sm80-one"]
    words = "if kind == one then libs else libs[gpu = sm90]"
    Path("variants.tvar").write_text(program.replace(words, f"({words})"))
    assert tvarc("list", "apps").stdout == bare


@pytest.mark.slow
def test_a_long_chain_takes_as_long_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each matrix it is asked once what it is made of, however many need it through others."""
    from support.compile import compile_text
    from tvarc.decide import needs, plan
    from tvarc.meaning.evaluation import kinds

    counted = {"walks": 0, "plans": 0}

    def count(name: str, of: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*given: Any, **named: Any) -> Any:
            counted[name] += 1
            return of(*given, **named)

        return counting

    monkeypatch.setattr(needs, "walk", count("walks", kinds.walk))
    monkeypatch.setattr(plan.Plan, "add_layer", count("plans", plan.Plan.add_layer))

    def asked(length: int, words: str) -> dict[str, int]:
        counted.update(walks=0, plans=0)
        recipes = [
            f"recipe r{n} {{ package = pkgs.hello, needs x = m{n + 1}{words}, "
            f"attrs {{ n = {n}, x = needs.x }} }}"
            for n in range(length)
        ]
        recipes.append(f"recipe r{length} {{ package = pkgs.curl }}")
        matrices = [f"variant m{n} {{ recipe = r{n} }}" for n in range(length + 1)]
        made = compile_text("\n".join([PIN, OUTPUT, *recipes, *matrices]))
        texts = [file.data() for file in made.files("input.tvar")]
        assert len(texts) == length + 1 and not made.sink.has_errors
        return dict(counted)

    for words in ("", " by argument"):
        few, many = asked(30, words), asked(120, words)
        for name in counted:
            assert many[name] < 6 * few[name], (name, few, many)


def test_an_exclusion_that_drops_what_is_needed_as_well_is_edited_once(here: Path) -> None:
    """To take a line out twice would take the next one with it."""
    Path("variants.tvar").write_text(
        """\
axis isa = ["x86", "arm"]
axis lto = ["lto", "plain"]
axis gui = ["none", "gtk"]

recipe ffmpeg { package = pkgs.ffmpeg, pin = none, attrs { pname = variant } }
recipe opencv { package = pkgs.opencv, pin = none, args { ffmpeg = needs.ffmpeg } }

matrix ffmpegs { recipe = ffmpeg, axes = isa * lto, name = "ffmpeg-{{isa}}-{{lto}}" }
matrix opencvs {
  recipe = opencv
  axes   = isa * lto * gui
  name   = "opencv-{{isa}}-{{lto}}-{{gui}}"
  needs ffmpeg = ffmpegs or exclude because "there is no such FFmpeg"
}

exclude lto == "lto" and isa == "arm" because "they run out of memory"
output o { file = "{{variant}}.nix" }
""",
        encoding="utf-8",
    )
    told = tvarc("why-not", "opencvs", "isa=arm", "lto=lto", "gui=none").stdout
    change = told.partition("the smallest change:")[2]
    assert change.count("variants.tvar:16:") == 1
    assert 'and isa == "arm" and not (isa == "arm" and lto == "lto" and gui == "none")' in change
    assert "it adds 1 more: ffmpeg-arm-lto\n" in change
