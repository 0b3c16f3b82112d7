"""`check --eval`: what real Nix refuses is told at the line of the program that made it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from support.command import ROOT, tvarc
from support.nix import evaluated, put_project, requires_nix
from support.recipes import MODEL, nix_instantiate
from tvarc.commands.line import exits
from tvarc.nix.judge.evaluate import Derived, Evaluators, Job

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.slow]

PROGRAM = """\
pin model { path = "./nixpkgs", config { allowUnfree = true } }
axis jobs = ["8", "16"]
patch fix for magma { file = path("./fix.patch") }
overlay unused { somethingElse = final.hello }
recipe torch {
  package  = pkgs.python3Packages.torch
  overlays = [fix, unused]
  args  { cudaSupport = true }
  env   { MAX_JOBS = jobs }
}
matrix all { recipe = torch, axes = jobs, name = "torch-{{jobs}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
DOCUMENT = ROOT / "docs" / "nix.md"
SYSTEM = 'pkgs.stdenv.hostPlatform.system = "x86_64-linux";'
MORE = 'attrs {{ more = nix"""{}""" }}'
PIN = 'pin model { path = "./nixpkgs", config { allowUnfree = true } }\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the model as its nixpkgs, and the Nix that is to judge."""
    folder = put_project(tmp_path, monkeypatch)
    (folder / "fix.patch").write_text("--- a\n", encoding="utf-8")
    write(PROGRAM)
    return folder


def write(text: str) -> None:
    Path("variants.tvar").write_text(text, encoding="utf-8")


def changed(old: str, new: str) -> None:
    assert old in PROGRAM
    write(PROGRAM.replace(old, new))


@pytest.mark.parametrize(
    "made, function, instead",
    [
        ('pkgs.hello // { override = null; }', None, ""),
        ('builtins.removeAttrs pkgs.hello [ "override" ]', "override", "remove `args`"),
        (
            '(builtins.removeAttrs pkgs.hello [ "overrideAttrs" ]) // { override = _: { }; }',
            "overrideAttrs",
            "name a package that `mkDerivation` makes",
        ),
    ],
    ids=["another fault", "override", "overrideAttrs"],
)
def test_a_package_without_the_functions_of_a_package_says_so(
    project: Path, made: str, function: str | None, instead: str
) -> None:
    lines = PROGRAM.replace("pkgs.python3Packages.torch", f'nix"""({made})"""').splitlines()
    unused = ("patch fix", "overlay unused", "  overlays")
    write("\n".join(line for line in lines if not line.startswith(unused)))
    result = tvarc("check", "--eval", code=exits.FAILED)
    said = " ".join(result.stderr.split())
    if function is None:
        assert "help: correct this line, or exclude these cells" in said
    else:
        assert f"help: the package has no `{function}`, which " in said
        assert instead in said


def test_every_variant_has_a_derivation_and_nothing_is_written(project: Path) -> None:
    before = sorted(project.iterdir())
    found = evaluated()
    paths = {one["name"]: one["derivation"] for one in found["variants"]}
    assert set(paths) == {"torch-8", "torch-16"}
    assert len(set(paths.values())) == 2 and all(path.endswith(".drv") for path in paths.values())
    assert (found["refused"], found["not_evaluated"], found["same"]) == ([], [], [])
    assert found["systems"] == {"x86_64-linux": 2}
    assert sorted(project.iterdir()) == before
    # They are those of the recipes as they are built.
    assert tvarc("build").exit_code == exits.OK
    for name, path in paths.items():
        asked = [nix_instantiate(), "--eval", "--json", "-E"]
        done = subprocess.run(
            [*asked, f"(import ./pkgs/{name}.nix {{ {SYSTEM} }}).drvPath"],
            capture_output=True,
            check=True,
        )
        assert json.loads(done.stdout) == path


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("env   { MAX_JOBS = jobs }", MORE.format("pkgs.noSuchThing"), 9, "noSuchThing"),
        ("args  { cudaSupport = true }", "args  { cudaSupport = true, cudaSuport = true }", 8,
         "unexpected argument 'cudaSuport'"),
        ("python3Packages.torch\n", "python3Packages.torchh\n", 6, "torchh"),
        ("env   { MAX_JOBS = jobs }", MORE.format(r'throw "it is\ntold" '), 9, "it is"),
        ("{ somethingElse = final.hello }", '{ python3Packages = nix"""throw "not this set" """ }',
         4, "not this set"),
        (", config { allowUnfree = true }", "", 8, "unfree"),
    ],
)  # fmt: skip
def test_what_nix_refuses_is_told_at_its_line(old: str, new: str, line: int, says: str) -> None:
    changed(old, new)
    found = evaluated(code=exits.FAILED)
    (refused,) = found["refused"]
    assert refused["variants"] == ["torch-8", "torch-16"]
    assert says in refused["nix"]
    assert (refused["file"], refused["line"]) == ("variants.tvar", line), refused
    shown = tvarc("check", "--eval").stderr
    assert shown.count("error[E991]: Nix refuses 2 variants") == 1
    assert f"variants.tvar:{line}:" in shown and says in shown


@pytest.mark.parametrize(
    ("recipe", "blamed", "says"),
    [
        ("package = pkgs.nope", "package = pkgs.nope", "`nope`"),
        ("package = pkgs.hello, attrs { a = 1, buildInputs += [pkgs.nope] }",
         "buildInputs += [pkgs.nope]", "'nope' missing"),
        ('package = pkgs.hello, attrs { a = 1, b = nix"""pkgs.nope.x""" }',
         'b = nix"""pkgs.nope.x"""', "'nope' missing"),
        ('package = pkgs.hello, attrs { a = 1 }, script postInstall { part x "{{pkgs.nope}}" }',
         'part x "{{pkgs.nope}}"', "'nope' missing"),
        ("package = pkgs.numpy, scope = pkgs.python3Packages, attrs { buildInputs += [pkgs.nope] }",
         "buildInputs += [pkgs.nope]", "required argument "),
        ('package = pkgs.hello, attrs { a = "x", doc = nix"""abort "stop" """ }',
         'doc = nix"""abort', "stop"),
    ],
)  # fmt: skip
def test_of_a_recipe_on_one_line_the_setting_is_blamed(recipe: str, blamed: str, says: str) -> None:
    """The map from Nix to the program tells lines apart; what Nix does not find has a name."""
    write(
        f'{PIN}axis jobs = [1, 2]\nrecipe r {{ {recipe}, env {{ JOBS = "{{{{jobs}}}}" }} }}\n'
        'matrix all { recipe = r, axes = jobs, name = "r-{{jobs}}" }\n'
        'output nix { file = "pkgs/{{variant}}.nix" }\n'
    )
    shown = tvarc("check", "--eval").stderr
    assert shown.count("error[E991]: Nix refuses 2 variants") == 1, shown
    text = Path("variants.tvar").read_text(encoding="utf-8").splitlines()[2]
    assert f"variants.tvar:3:{text.index(blamed) + 1}\n" in shown
    assert says in shown and "tvarc-nix-" not in shown


def test_each_fault_of_one_line_is_told() -> None:
    changed(
        "MAX_JOBS = jobs", 'MAX_JOBS = nix"""if {{jobs}} == "8" then pkgs.nope else pkgs.nada"""'
    )
    found = evaluated(code=exits.FAILED)
    assert [(one["variants"], one["line"]) for one in found["refused"]] == [
        (["torch-8"], 9),
        (["torch-16"], 9),
    ]
    shown = tvarc("check", "--eval").stderr
    assert "'nope' missing" in shown and "'nada' missing" in shown
    assert shown.count("error[E991]: Nix refuses `torch-") == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [("if true then 1", "syntax error"), ("noSuchName", "undefined variable 'noSuchName'")],
)
def test_what_nix_cannot_read_is_of_its_variants_alone(text: str, says: str) -> None:
    wrong = f'when jobs == "8" {{ env {{ WRONG = nix"""{text}""" }} }}\n'
    changed("  env   { MAX_JOBS", f"  {wrong}  env   {{ MAX_JOBS")
    found = evaluated(code=exits.FAILED)
    (refused,) = found["refused"]
    assert (refused["variants"], refused["line"]) == (["torch-8"], 9)
    assert says in refused["nix"]
    assert {one["name"]: bool(one["derivation"]) for one in found["variants"]} == {
        "torch-8": False,
        "torch-16": True,
    }


def test_many_variants_that_nix_cannot_read_are_not_each_looked_for() -> None:
    jobs = ", ".join(f'"{number}"' for number in range(1, 13))
    write(
        PROGRAM.replace('["8", "16"]', f"[{jobs}]").replace(
            "MAX_JOBS = jobs", 'MAX_JOBS = nix"""noSuchName {{jobs}}"""'
        )
    )
    found = evaluated(code=exits.FAILED)
    told = [name for one in found["refused"] for name in one["variants"]]
    (left,) = found["not_evaluated"]
    assert len(told) + len(left["variants"]) == 12 and len(told) == 7
    assert "are fixed" in left["because"]


SHARED = """\
pin model { path = "./nixpkgs" }
axis n = ["1", "2"]
overlay bad { mine = nix\"\"\"WRONG\"\"\" }
overlay good { hello2 = final.hello }
recipe a { package = pkgs.hello, overlays = [bad], attrs { n = n } }
recipe b { package = pkgs.hello, overlays = [good], attrs { n = n, h = pkgs.hello2 } }
recipe c { package = pkgs.hello, overlays = [good, bad], attrs { n = n } }
recipe d { package = pkgs.hello, needs c = cs, attrs { n = n, c = needs.c } }
recipe e { package = pkgs.hello, config { CONFIG }, attrs { n = n } }
matrix as { recipe = a, axes = n, name = "a-{{n}}" }
matrix bs { recipe = b, axes = n, name = "b-{{n}}" }
matrix cs { recipe = c, axes = n, name = "c-{{n}}" }
matrix ds { recipe = d, axes = n, name = "d-{{n}}" }
matrix es { recipe = e, axes = n, name = "e-{{n}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""


@pytest.mark.parametrize("text", ["noSuch + 1", "if true then 1"])
def test_what_nix_cannot_read_in_an_overlay_is_of_those_that_have_it(text: str) -> None:
    """It is told once, and the others are evaluated; so are those with a wrong `config`."""
    write(SHARED.replace("WRONG", text).replace("CONFIG", 'x = nix"""if caller.foo then"""'))
    found = evaluated(code=exits.FAILED)
    assert [(one["line"], one["variants"]) for one in found["refused"]] == [
        (3, ["a-1", "a-2", "c-1", "c-2", "d-1", "d-2"]),
        (9, ["e-1", "e-2"]),
    ]
    assert {one["name"] for one in found["variants"] if one["derivation"]} == {"b-1", "b-2"}
    assert found["not_evaluated"] == []


def test_the_last_line_of_a_variant_is_not_of_the_next() -> None:
    """Where its text is a line, what is wrong in it stands in that."""
    write(
        SHARED.replace("WRONG", "1").replace("CONFIG", "x = 1").replace(
            "[bad], attrs { n = n }",
            '[bad], attrs { n = nix"""if {{n}} then""" }\nwhen n == "2" { attrs { force n = 2 } }',
        )
    )  # fmt: skip
    found = evaluated(code=exits.FAILED)
    assert [(one["line"], one["variants"]) for one in found["refused"]] == [(5, ["a-1"])]
    assert sum(bool(one["derivation"]) for one in found["variants"]) == 9


def test_what_is_wrong_with_what_others_need_is_told_once() -> None:
    changed(
        "matrix all { recipe = torch",
        "recipe app { package = pkgs.hello, needs torch = all, env { T = needs.torch.out } }\n"
        'matrix apps { recipe = app, axes = jobs, name = "app-{{jobs}}" }\n'
        "matrix all { recipe = torch",
    )
    text = Path("variants.tvar").read_text(encoding="utf-8")
    write(text.replace("cudaSupport = true }", "cudaSuport = true }"))
    found = evaluated(code=exits.FAILED)
    (refused,) = found["refused"]
    assert len(refused["variants"]) == 4
    assert refused["line"] == 8
    (alone,) = evaluated("apps", code=exits.FAILED)["refused"]
    assert (alone["variants"], alone["line"]) == (["app-8", "app-16"], 8)


def test_a_variable_that_nixpkgs_does_not_take_is_told_at_its_line() -> None:
    changed("MAX_JOBS = jobs", 'MAX_JOBS = nix"""1.5"""')
    (refused,) = evaluated(code=exits.FAILED)["refused"]
    assert (refused["line"], "MAX_JOBS" in refused["nix"]) == (9, True)


@pytest.mark.once
def test_a_program_with_errors_is_not_evaluated() -> None:
    changed("MAX_JOBS = jobs", "MAX_JOBS = jbos")
    result = tvarc("check", "--eval", "--json")
    assert (result.exit_code, result.stdout) == (exits.FAILED, "")
    assert "error[E201]" in result.stderr and "Nix" not in result.stderr


def test_one_that_is_refused_hides_no_other() -> None:
    changed(
        "env   { MAX_JOBS = jobs }", 'when jobs == "8" { attrs { more = nix"""abort "here" """ } }'
    )
    found = evaluated(code=exits.FAILED)
    assert [one["variants"] for one in found["refused"]] == [["torch-8"]]
    assert [bool(one["derivation"]) for one in found["variants"]] == [False, True]
    shown = tvarc("check", "--eval")
    assert shown.stdout.endswith(
        "evaluated 2 for x86_64-linux, 1 derivation, 1 refused; 1 error, 1 warning\n"
    )
    assert tvarc("check", "--eval", "torch-16").exit_code == exits.OK


@pytest.mark.once
def test_an_overlay_that_changes_no_derivation() -> None:
    found = evaluated()
    assert [(one["kind"], one["overlay"]) for one in found["idle"]] == [("overlay", "unused")]
    assert found["idle"][0]["variants"] == ["torch-8", "torch-16"]
    assert (
        "warning[W302]: overlay `unused` changes no derivation" in tvarc("check", "--eval").stderr
    )
    changed("cudaSupport = true", "cudaSupport = false")  # then it needs no MAGMA
    kinds = {(one["kind"], one["overlay"]) for one in evaluated()["idle"]}
    assert kinds == {("overlay", "unused"), ("patch", "fix")}


@pytest.mark.once
def test_an_overlay_that_changes_some_derivations() -> None:
    """Who takes it out of the list would change the others."""
    changed("args  { cudaSupport = true }", 'args  { cudaSupport = jobs == "16" }')
    shown = tvarc("check", "--eval").stderr
    assert "patch `fix` changes no derivation of `torch-8`" in shown
    assert "= note: it changes 1 other variant that lists it" in shown
    assert "= help: list it only for the other variants," in " ".join(shown.split("\n"))


NEEDY = """\
pin model { path = "./nixpkgs" }
axis n = ["1", "2"]
overlay idle { other = final.hello }
overlay with-lib { zlib = needs.l }
recipe l { package = pkgs.zlib, attrs { n = n } }
recipe b { package = pkgs.hello, overlays = [idle, with-lib], needs l = ls, attrs { l = pkgs.A } }
recipe c { package = pkgs.hello, overlays = [idle], needs l = ls by argument, attrs.c = needs.l }
recipe d { package = pkgs.hello, overlays = [idle], needs b = b, attrs { d = needs.b } }
matrix ls { recipe = l, axes = n, name = "l-{{n}}" }
matrix bs { recipe = b, axes = n, name = "b-{{n}}" }
matrix cs { recipe = c, axes = n, name = "c-{{n}}" }
matrix ds { recipe = d, axes = n, name = "d-{{n}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""


@pytest.mark.once
@pytest.mark.parametrize("words", [(), ("bs", "cs", "ds")])
def test_overlays_of_what_needs_others_are_tried_too(words: tuple[str, ...]) -> None:
    every = ["b-1", "b-2", "c-1", "c-2", "d-1", "d-2"]
    write(NEEDY.replace("pkgs.A", "pkgs.zlib"))
    idle = evaluated(*words)["idle"]
    assert [(one["overlay"], one["variants"], one["line"]) for one in idle] == [("idle", every, 6)]
    write(NEEDY.replace("pkgs.A", "needs.l"))
    found = [(one["overlay"], one["variants"]) for one in evaluated(*words)["idle"]]
    assert found == [("idle", every), ("with-lib", ["b-1", "b-2"])]


@pytest.mark.once
def test_a_setting_that_does_not_show() -> None:
    """A package that drops what `overrideAttrs` gives it."""
    hidden = 'nix"""(pkgs.hello // { overrideAttrs = _: pkgs.hello; })"""'
    program = (
        PROGRAM.replace("pkgs.python3Packages.torch", hidden)
        .replace("  args  { cudaSupport = true }\n", "")
        .replace("MAX_JOBS = jobs", "NPY_NUM_BUILD_JOBS = jobs")
        .replace("[fix, unused]", "[]")
    )
    write(program.replace("patch fix", "# patch fix").replace("overlay unused", "# overlay unused"))
    found = evaluated()
    told = [(one["kind"], one["name"], one["line"]) for one in found["not_shown"]]
    assert told == [("variable", "NPY_NUM_BUILD_JOBS", 8)]
    assert found["same"] == [["torch-8", "torch-16"]]
    shown = tvarc("check", "--eval").stderr
    assert "warning[W301]: variable `NPY_NUM_BUILD_JOBS` is not in the derivation" in shown
    assert "warning[W303]: `torch-8` and `torch-16` have the same derivation" in shown


def test_a_pin_that_cannot_be_fetched() -> None:
    changed('path = "./nixpkgs"', 'url = "file:///no/such/tarball.tar.gz"')
    result = tvarc("check", "--eval", "--json")
    assert (result.exit_code, result.stdout) == (exits.UNJUDGED, "")
    assert "error[E944]: pin `model` cannot be fetched here" in result.stderr
    assert "refuse" not in result.stderr


STACK = """\
pin model { path = "./nixpkgs" }
axis n = ["1", "2"]
input tools { url = "file:///no/such-{{n}}.tar.gz", hash = "HASH" }
recipe thing { package = file(tools, "thing.nix"), args { size = n } }
recipe app { package = pkgs.hello, needs t = things, attrs { part = needs.t } }
recipe own { package = pkgs.hello, needs t = thing, attrs { part = needs.t } }
matrix things { recipe = thing, axes = n, name = "thing-{{n}}" }
matrix apps { recipe = app, axes = n, name = "app-{{n}}" }
matrix owns { recipe = own, axes = n, name = "own-{{n}}" }
output nix { file = "pkgs/{{variant}}.nix" }
""".replace("HASH", "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=")
THING = """{ stdenv, size }: stdenv.mkDerivation { name = "thing"; inherit size; }"""


@pytest.mark.parametrize("words", [(), ("apps",), ("owns",), ("things",)])
def test_an_input_that_cannot_be_fetched(words: tuple[str, ...]) -> None:
    """Also where only what is needed takes files of it."""
    write(STACK)
    result = tvarc("check", "--eval", "--json", *words)
    assert (result.exit_code, result.stdout) == (exits.UNJUDGED, "")
    assert "error[E944]: input `tools` cannot be fetched here" in result.stderr
    assert "variants.tvar:3:7" in result.stderr and "no/such-1.tar.gz" in result.stderr
    assert "`--input tools=PATH`" in result.stderr
    assert "refuse" not in result.stderr


def test_a_pin_of_what_is_needed_that_cannot_be_fetched() -> None:
    write(
        """\
pin model { path = "./nixpkgs" }
pin other { url = "file:///no/such/pin.tar.gz" }
warn pin-without-hash = off because "it is not there"
recipe thing { package = pkgs.zlib, pin = other }
recipe app { package = pkgs.hello, pin = model, needs t = things, attrs { part = needs.t } }
recipe own { package = pkgs.hello, pin = model, needs t = thing, attrs { part = needs.t } }
variant things { recipe = thing }
variant apps { recipe = app }
variant owns { recipe = own }
output nix { file = "pkgs/{{variant}}.nix" }
"""
    )
    for name in ("apps", "owns"):
        result = tvarc("check", "--eval", name, code=exits.UNJUDGED)
        assert "error[E944]: pin `other` cannot be fetched here" in result.stderr


@pytest.mark.parametrize("folder", ["mine", "my tools"])
def test_a_checkout_takes_the_place_of_an_input(project: Path, folder: str) -> None:
    """As it does in a build by Nix: of the variant that takes files of it and of those that need
    that one."""
    write(STACK)
    (project / folder).mkdir()
    (project / folder / "thing.nix").write_text(THING, encoding="utf-8")
    variants = evaluated("--input", f"tools=./{folder}")["variants"]
    found = {one["name"]: one["derivation"] for one in variants}
    assert tvarc("build").exit_code == exits.OK
    for name, path in found.items():
        given = f'tools-input = ./. + "/{folder}"'
        asked = f"(import ./pkgs/{name}.nix {{ {SYSTEM} {given}; }}).drvPath"
        done = subprocess.run(
            [nix_instantiate(), "--eval", "--json", "-E", asked], capture_output=True, check=True
        )
        assert json.loads(done.stdout) == path
    assert len(set(found.values())) == 4
    (only,) = evaluated("--input", f"tools=./{folder}", "app-1")["variants"]
    assert only["derivation"] == found["app-1"]


IN_TEXT = """\
pin model { path = "./nixpkgs" }
axis n = ["1", "2"]
overlay mine { mine = nix\"\"\"import ../lib/f.nix prev\"\"\" }
recipe app {
  package  = nix\"\"\"import ../lib/f.nix pkgs\"\"\"
  overlays = [mine]
  attrs {
    src  = nix\"\"\"./notes.txt\"\"\"
    more = nix\"\"\"
      [ ./notes.txt "${./notes.txt}" (./. + "/notes.txt") # ./no
        ./n-${ {{n}} }.txt ../pkgs/n-${ {{n}} }.txt
        "./no" ''${"${./notes.txt}"} ./no'' (import ../lib/text.nix) ]
    \"\"\"
    mine = pkgs.mine
  }
}
recipe other { package = pkgs.hello, needs a = apps, attrs { a = needs.a } }
recipe inner { package = pkgs.hello, needs a = app, attrs { a = needs.a } }
matrix apps { recipe = app, axes = n, name = "app-{{n}}" }
matrix others { recipe = other, axes = n, name = "other-{{n}}" }
matrix inners { recipe = inner, axes = n, name = "inner-{{n}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""


@pytest.mark.parametrize("name", ["project", "my project"])
def test_relative_paths_in_nix_text_mean_what_they_mean_in_the_recipe(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = project.parent / name
    if not folder.exists():
        project.rename(folder)
        monkeypatch.chdir(folder)
    for file, text in {
        "lib/f.nix": "pkgs: pkgs.hello",
        "lib/text.nix": '"text"',
        "pkgs/notes.txt": "notes",
        "pkgs/n-1.txt": "one",
        "pkgs/n-2.txt": "two",
    }.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    write(IN_TEXT)
    found = {one["name"]: one["derivation"] for one in evaluated()["variants"]}
    assert tvarc("build").exit_code == exits.OK
    for variant, path in found.items():
        asked = f"(import ./pkgs/{variant}.nix {{ {SYSTEM} }}).drvPath"
        done = subprocess.run(
            [nix_instantiate(), "--eval", "--json", "-E", asked], capture_output=True, check=True
        )
        assert json.loads(done.stdout) == path, variant
    assert len(set(found.values())) == 4
    write(IN_TEXT.replace("(import ../lib/text.nix)", "(import ../lib/none.nix)"))
    (refused,) = evaluated(code=exits.FAILED)["refused"]
    # Newer versions of Nix name the line of the text, older ones what the text is set to.
    assert refused["line"] in (9, 12) and "lib/none.nix" in refused["nix"]
    assert len(refused["variants"]) == 6


def test_variants_without_a_pin_need_a_nixpkgs(monkeypatch: pytest.MonkeyPatch) -> None:
    write(PROGRAM.replace(PIN, "").replace("cudaSupport = true", "cudaSupport = false").replace(
        "  package ", "  pin = none\n  package "
    ).replace("  overlays = [fix, unused]\n", "").replace("patch", "# patch").replace(
        "overlay unused", "# overlay unused"
    ))  # fmt: skip
    result = tvarc("check", "--eval", code=exits.UNJUDGED)
    assert "use `<nixpkgs>`, and Nix does not find it" in result.stderr
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={MODEL}")
    assert all(one["derivation"] for one in evaluated()["variants"])


@pytest.mark.once
def test_without_nix(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))
    result = tvarc("check", "--eval")
    assert (result.exit_code, result.stdout) == (exits.UNJUDGED, "")
    assert "error[E912]: Nix is not installed here" in result.stderr
    assert tvarc("check").exit_code == exits.OK


def test_an_evaluator_that_is_ended(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for want of memory: nothing is said of the variants that it had."""
    nix = project.parent / "bin" / "nix-instantiate"
    nix.write_text(
        nix.read_text().replace("exec", 'case "$*" in *evaluate.nix*) kill -9 $$;; esac\nexec')
    )
    found = evaluated(code=exits.FAILED)
    (one,) = found["not_evaluated"]
    assert one["variants"] == ["torch-8", "torch-16"] and "signal 9" in one["because"]
    assert "could not be evaluated" in tvarc("check", "--eval").stderr


WARNED = """\
pin model { path = "./nixpkgs" }
axis n = ["1", "2"]
overlay idle { other = 1 }
recipe e {
  package  = nix\"\"\"(pkgs.hello // { overrideAttrs = _: pkgs.hello; })\"\"\"
  overlays = [idle]
  env      { NPY_NUM_BUILD_JOBS = n }
}
matrix es { recipe = e, axes = n, name = "e-{{n}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
LISTS = {
    "not-in-derivation": "not_shown",
    "overlay-without-effect": "idle",
    "one-derivation": "same",
}


@pytest.mark.once
@pytest.mark.parametrize("name", LISTS)
def test_a_warning_can_be_switched_off(name: str) -> None:
    write(WARNED)
    before = evaluated()
    assert all(before[one] for one in LISTS.values())
    shown = tvarc("check", "--eval", "--format", "json").stdout
    assert {one["name"] for one in json.loads(shown)["diagnostics"]} == set(LISTS)
    line = f'warn {name} = off because "it is known"\n'
    write(WARNED + line)
    after = evaluated()
    assert after.pop(LISTS[name]) == []
    assert all(after[one] for one in LISTS.values() if one in after)
    shown = tvarc("check", "--eval").stderr
    assert f"warn {name} = off" not in shown and shown.count("warning[W30") == 2
    # Where it does not occur the line is an error; but only where Nix has seen all variants.
    fine = WARNED.replace("(pkgs.hello // { overrideAttrs = _: pkgs.hello; })", "pkgs.hello")
    fine = fine.replace("overlays = [idle]", "attrs { n = n }").replace("overlay idle", "# ")
    write(fine + line)
    found = tvarc("check", "--eval", code=exits.FAILED)
    assert f"error[E606]: warning `{name}` does not occur" in found.stderr
    assert tvarc("check", "--eval", "e-1").exit_code == exits.OK
    assert tvarc("check").exit_code == exits.OK


@pytest.mark.once
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
@pytest.mark.parametrize("stage", ["fetching", "evaluating"])
def test_a_signal_ends_the_evaluators_too(
    project: Path, number: signal.Signals, code: int, stage: str
) -> None:
    """Also several side by side: none goes on, and the temporary folder is gone."""
    jobs = ", ".join(f'"{number}"' for number in range(1, 17))
    write(PROGRAM.replace('["8", "16"]', f"[{jobs}]"))
    if stage == "fetching":
        changed('path = "./nixpkgs"', 'url = "file:///no/such/tarball.tar.gz"')
    nix = project.parent / "bin" / "nix-instantiate"
    here = project.parent
    running = here / "running"
    running.mkdir()
    kept = "evaluate.nix" if stage == "evaluating" else "fetchTarball"
    slow = f'case "$*" in *{kept}*) echo > "{running}/$$"; exec sleep 300;; esac\nexec'
    nix.write_text(nix.read_text().replace("exec", slow), encoding="utf-8")
    (here / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "tvarc", "check", "--eval", "--jobs", "3"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler"), "TMPDIR": str(here / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wanted = 3 if stage == "evaluating" else 1
    _until(lambda: len(list(running.iterdir())) == wanted)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (code, b"", b"")
    for one in running.iterdir():
        ended = Path(f"/proc/{one.name}")
        _until(partial(_gone, ended))
    assert list((here / "tmp").iterdir()) == []


def _gone(path: Path) -> bool:
    return not path.exists()


def _until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it does not come about")


@pytest.mark.once
def test_of_several_programs_each_is_told(project: Path) -> None:
    """One whose pin cannot be fetched is judged by none: the other is."""
    for name, text in (
        ("a", PROGRAM.replace('path = "./nixpkgs"', 'url = "file:///no/such/tarball.tar.gz"')),
        ("b", PROGRAM.replace('"./nixpkgs"', '"../nixpkgs"')),
    ):
        (project / name).mkdir()
        (project / name / "variants.tvar").write_text(text, encoding="utf-8")
        (project / name / "fix.patch").write_text("--- a\n", encoding="utf-8")
    result = tvarc("check", "--eval", "a/", "b/", code=exits.UNJUDGED)
    assert "evaluated 2 for x86_64-linux, 2 derivations" in result.stdout


def test_the_commands_are_told_and_work() -> None:
    result = tvarc("check", "--eval", "--dry-run", "--jobs", "1")
    folder, names, line = result.stdout.splitlines()
    assert names == "# `torch-8` and `torch-16`"
    done = subprocess.run(shlex.split(line), capture_output=True, check=True)
    assert done.stderr.decode().count("trace: tvarc-judge ") == 2
    assert Path(folder.rpartition(" ")[2]).is_dir()


def test_a_program_may_trace_what_it_likes() -> None:
    changed("pkgs.python3Packages.torch", 'nix"""builtins.trace "tvarc-judge {}" pkgs.hello"""')
    text = Path("variants.tvar").read_text()
    write(text.replace("  args  { cudaSupport = true }\n", ""))
    assert all(one["derivation"] for one in evaluated()["variants"])


def test_a_program_may_trace_what_an_evaluator_does() -> None:
    """And of another shape, or of variants that it has not."""
    told = (
        '{\\"name\\":\\"torch-8\\",\\"derivation\\":\\"/x\\",\\"attributes\\":5,\\"structured\\":1}'
    )
    changed(
        "pkgs.python3Packages.torch", f'nix"""builtins.trace "tvarc-judge {told}" pkgs.hello"""'
    )
    text = Path("variants.tvar").read_text()
    write(text.replace("  args  { cudaSupport = true }\n", ""))
    assert all(one["derivation"].endswith(".drv") for one in evaluated()["variants"])


def test_an_error_without_words_is_told_at_its_line() -> None:
    changed("env   { MAX_JOBS = jobs }", MORE.format('throw "" '))
    (refused,) = evaluated(code=exits.FAILED)["refused"]
    assert refused["variants"] == ["torch-8", "torch-16"]
    assert (refused["nix"], refused["line"]) == ("an error without words", 9)


@pytest.mark.once
def test_there_may_be_no_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    for words in ((), ("--dry-run",)):
        result = tvarc("check", "--eval", *words)
        assert (result.exit_code, result.stdout) == (exits.UNJUDGED, "")
        assert "error[E802]: there is no temporary folder" in result.stderr


def test_needed_recipes_lie_beside() -> None:
    write(
        """\
pin model { path = "./nixpkgs", config { allowUnfree = true } }
axis jobs = ["8", "16"]
recipe torch {
  package = pkgs.python3Packages.torch
  env { MAX_JOBS = jobs }
  attrs { patches = [path("./fix.patch")] }
}
recipe vision {
  package = pkgs.python3Packages.torchvision
  needs torch = torches[jobs = jobs]
  args  { torch = needs.torch }
}
matrix torches { recipe = torch, axes = jobs, name = "torch-{{jobs}}" }
matrix visions { recipe = vision, axes = jobs, name = "vision-{{jobs}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
    )
    found = evaluated("vision-8")
    assert found["variants"][0]["derivation"].endswith(".drv")
    whole = {one["name"]: one["derivation"] for one in evaluated()["variants"]}
    assert whole["vision-8"] == found["variants"][0]["derivation"] != whole["vision-16"]


def test_the_document_shows_what_is_printed() -> None:
    """With UPDATE_DOCS=1 in the environment its outputs are rewritten."""
    page = DOCUMENT.read_text(encoding="utf-8")
    found = re.findall(r"^```(?:tvar|text).*\n((?:(?!```).*\n)*)```", page, re.MULTILINE)
    program, first, second = found[:3]
    write(program)
    outputs = [tvarc("check", "--eval")]
    write("".join(line for line in program.splitlines(True) if "dokumentation" not in line))
    outputs.append(tvarc("check", "--eval"))
    printed = [one.stderr + one.stdout for one in outputs]
    if os.environ.get("UPDATE_DOCS") == "1":
        page = page.replace(first, printed[0]).replace(second, printed[1])
        DOCUMENT.write_text(page, encoding="utf-8")
    else:
        assert printed == [first, second]


@pytest.mark.once
def test_a_library_has_nothing_to_evaluate() -> None:
    write("recipe r { package = pkgs.hello, pin = none }\n")
    found = evaluated()
    assert (found["variants"], found["systems"], found["refused"]) == ([], {}, [])
    result = tvarc("check", "--eval")
    assert (result.exit_code, result.stdout) == (
        exits.OK,
        "no variant to check, 0 errors, 1 warning\n",
    )
    assert tvarc("check", "--eval", "--dry-run").exit_code == exits.OK


@pytest.mark.parametrize("plain", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_folders_may_be_called_what_they_like(
    project: Path, monkeypatch: pytest.MonkeyPatch, plain: dict[str, str]
) -> None:
    """Also where the locale knows nothing of their letters, and nobody has a home."""
    folder = project.parent / "prö 'j\"e $ct"
    project.rename(folder)
    temporary = project.parent / "tmp ö"
    temporary.mkdir()
    monkeypatch.chdir(folder)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler"), "TMPDIR": str(temporary)}
    environment.pop("HOME", None)

    def asked(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "tvarc", *words],
            cwd=folder,
            env=environment | plain,
            capture_output=True,
            check=False,
        )

    write(PROGRAM.replace("env   { MAX_JOBS = jobs }", MORE.format("pkgs.noSuchThing")))
    found = asked("check", "--eval", "--json")
    (refused,) = json.loads(found.stdout)["refused"]
    assert (refused["line"], len(refused["variants"])) == (9, 2), found.stderr
    write(PROGRAM)
    found = asked("check", "--eval", "--json")
    assert found.returncode == exits.OK, found.stderr
    assert len({one["derivation"] for one in json.loads(found.stdout)["variants"]}) == 2
    assert asked("build").returncode == exits.OK
    with (folder / "pkgs" / "torch-8.nix").open("a", encoding="utf-8") as recipe:
        recipe.write("# by hand\n")
    found = asked("audit", "--nix")
    assert found.returncode == exits.OK and b"the same derivation as torch-8" in found.stdout
    found = asked("diff", "--nix", "torch-8", "torch-16")
    assert b"variable MAX_JOBS: 8" in found.stdout, found.stderr
    assert not list(temporary.iterdir())


def test_a_folder_that_nix_text_cannot_name(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.fsencode(project.parent) + b"/l\xe4tin"
    os.rename(project, folder)  # noqa: PTH104
    monkeypatch.chdir(os.fsdecode(folder))
    for words in (("check", "--eval"), ("diff", "--nix", "torch-8", "torch-16")):
        result = tvarc(*words)
        assert "error[E802]: Nix cannot read a path with this name" in result.stderr
        assert "is not UTF-8" in result.stderr and result.exit_code in (
            exits.UNJUDGED,
            exits.TROUBLE,
        )


@pytest.mark.once
@pytest.mark.parametrize("words", [("--jobs", "2"), ("--dry-run",), ("--json",)])
def test_what_is_about_evaluation_needs_it(words: tuple[str, ...]) -> None:
    result = tvarc("check", *words, code=exits.USAGE)
    assert "works only with --eval" in result.stderr


@pytest.mark.once
@pytest.mark.parametrize("number", ["0", "-1", "two", ""])
def test_jobs_is_a_number(number: str) -> None:
    assert tvarc("check", "--eval", f"--jobs={number}").exit_code == exits.USAGE


def test_evaluators_that_start_at_once_share_a_new_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "one.nix"
    file.write_text(
        'derivation { name = "one"; builder = "b"; system = "x86_64-linux"; }', encoding="utf-8"
    )
    jobs = [Job(f"{number}", str(file), "x86_64-linux") for number in range(6)]
    for number in range(6):
        folder = tmp_path / f"new-{number}"
        for name in ("STORE", "STATE", "LOG"):
            monkeypatch.setenv(f"NIX_{name}_DIR", str(folder / name))
        folder.mkdir()
        found = Evaluators(str(folder), len(jobs)).run([[job] for job in jobs])
        assert all(isinstance(one, Derived) for one in found.values()), found
