"""Two repositories that share modules, and tables from files, as commands show them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put
from tvarc.commands.line import exits

SHARED = """\
language 1 with tvarc >= 0.1
facts kind (size: int) from "./kinds.toml"
let word = "shared"
recipe base { package = pkgs.hello, pin = none, attrs { x = word } }
mixin fixed { attrs { patches += [path("./fix.patch")] } }
"""
PROGRAM = """\
input recipes { path = "../recipes" }
use "sub/torch.tvar" from recipes

axis k = kind
recipe r extends base with fixed { attrs { y = k.size } }
matrix m { recipe = r, axes = k, name = "v-{{k}}" }
output nix { file = "recipes/{{variant}}.nix" }
"""


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with another repository beside it, which is the current folder; that repository."""
    files = {"torch.tvar": SHARED, "kinds.toml": "[a]\nsize = 1\n[b]\nsize = 2\n"}
    put(tmp_path / "recipes" / "sub", {**files, "fix.patch": "--- a\n"})
    put(tmp_path / "project", {"variants.tvar": PROGRAM})
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "recipes"


def test_each_command_names_a_line_of_a_module(both: Path) -> None:
    assert tvarc("build", "--no-git", "--source-map").exit_code == 0
    recipe = Path("recipes/v-a.nix").read_text(encoding="utf-8")
    assert "recipes-input ? ../../recipes" in recipe
    assert '(recipes-input + "/sub/fix.patch")' in recipe
    shown = tvarc("explain", "v-a").stdout
    assert "recipes/sub/torch.tvar:4" in shown and "recipes/sub/torch.tvar:5" in shown
    assert "affects 2 of 2 variants" in tvarc("who", "recipes/sub/torch.tvar:3").stdout
    assert "affects 2 of 2 variants" in tvarc("who", "../recipes/sub/torch.tvar:3").stdout
    found = json.loads(next(Path().rglob("*.map.json")).read_text(encoding="utf-8"))
    assert "recipes/sub/torch.tvar" in found["sources"]
    changed = both / "sub" / "torch.tvar"
    changed.write_text(SHARED.replace("word }", "word + }"), encoding="utf-8")
    done = tvarc("check", code=exits.FAILED)
    assert "--> recipes/sub/torch.tvar:4" in done.stderr


def test_diff_names_the_line_of_a_module(both: Path) -> None:
    top = both.parent
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        name = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *name, *words], cwd=top, check=True)
    changed = both / "sub" / "torch.tvar"
    changed.write_text(SHARED.replace('"shared"', '"new"'), encoding="utf-8")
    shown = tvarc("diff", "--against", "HEAD").stdout
    assert '"shared" → "new"' in shown
    assert "recipes/sub/torch.tvar:3" in shown


def test_diff_names_an_input_that_no_commit_has(both: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True)
    (both / "sub" / "torch.tvar").write_text(SHARED.replace('"shared"', '"new"'), "utf-8")
    says = (
        "input `recipes` (../recipes) is outside of this repository: both states read it as it is "
        "now"
    )
    shown = tvarc("diff", "--against", "HEAD").stdout
    assert "no change in 2 variants" in shown and says in shown
    done = tvarc("diff", "--against", "HEAD", "--json")
    assert json.loads(done.stdout) and done.stderr == f"{says}\n"


def test_a_fact_has_its_line_of_the_file(both: Path) -> None:
    assert "recipes/sub/kinds.toml:1" in tvarc("explain", "v-a").stdout
    assert "size = 2" in tvarc("who", "recipes/sub/kinds.toml:4").stdout
    assert "affects 1 of 2 variants" in tvarc("who", "recipes/sub/kinds.toml:4").stdout
    assert tvarc("build", "--no-git").exit_code == 0
    (both / "sub" / "kinds.toml").write_text("[a]\nsize = 1\n[b]\nsize = 3\n", "utf-8")
    assert "1 written, 1 unchanged" in tvarc("build", "--no-git").stdout
    bad = both / "sub" / "kinds.toml"
    bad.write_text('[a]\nsize = "1"\n', encoding="utf-8")
    assert "--> recipes/sub/kinds.toml:2" in tvarc("check").stderr


def test_a_checkout_in_place_of_an_input(both: Path) -> None:
    source = Path("variants.tvar")
    source.write_text(
        PROGRAM.replace(
            'path = "../recipes"', f'github = "a/b", rev = "{"1" * 40}", hash = unlocked'
        ),
        encoding="utf-8",
    )
    done = tvarc("list", code=exits.FAILED)
    assert "error[E213]: input `recipes` is not locked" in done.stderr
    assert "run `tvarc lock`" in done.stderr
    for words in (["list"], ["check"], ["explain", "v-a"], ["dump", "--stage", "ast"]):
        assert tvarc(*words, "--input", "recipes=../recipes").exit_code == 0, words


def test_a_link_out_of_the_input_is_refused(both: Path) -> None:
    (both / "sub" / "torch.tvar").rename(both.parent / "outside.tvar")
    (both / "sub" / "torch.tvar").symlink_to(both.parent / "outside.tvar")
    done = tvarc("check", code=exits.FAILED)
    assert "error[E106]: cannot read `recipes/sub/torch.tvar`" in done.stderr
    assert "a link leads from there out of the input" in done.stderr


def test_nothing_edits_a_module_of_an_input(both: Path) -> None:
    done = tvarc("bump", "word", "new", code=exits.FAILED)
    assert "E946" in done.stderr
    assert (both / "sub" / "torch.tvar").read_text(encoding="utf-8") == SHARED
    module = both / "sub" / "torch.tvar"
    module.write_text(SHARED.replace("recipe base", "recipee base"), encoding="utf-8")
    assert tvarc("check", "--fix").exit_code == exits.FAILED
    assert "recipee" in module.read_text(encoding="utf-8")


def test_a_circle_of_modules_of_an_input(both: Path) -> None:
    (both / "sub" / "torch.tvar").write_text('use "./other.tvar"\n', encoding="utf-8")
    (both / "sub" / "other.tvar").write_text('use "./torch.tvar"\n', encoding="utf-8")
    done = tvarc("check")
    ring = "recipes/sub/torch.tvar → recipes/sub/other.tvar → recipes/sub/torch.tvar"
    assert "error[E204]" in done.stderr
    assert ring in " ".join(done.stderr.split())


def test_two_inputs_with_a_module_of_one_name(both: Path) -> None:
    other = both.parent / "other" / "sub"
    other.mkdir(parents=True)
    (other / "torch.tvar").write_text("let from-other = 7\n", encoding="utf-8")
    source = Path("variants.tvar")
    source.write_text(
        'input other { path = "../other" }\nuse "sub/torch.tvar" from other as o\n'
        + PROGRAM.replace("y = k.size", "y = o.from-other"),
        encoding="utf-8",
    )
    assert "y = 7" in " ".join(tvarc("explain", "v-a").stdout.split())


def test_who_says_what_an_include_decides(project: Path) -> None:
    program = PROGRAM.partition("\n\n")[2].replace("axis k = kind", 'axis k = ["a", "b"]')
    program = program.replace("extends base with fixed { attrs { y = k.size } }", "{ PLAIN }")
    program = program.replace("PLAIN", "package = pkgs.hello, pin = none, attrs { k = k }")
    include = '"v-{{k}}"\n  include k == "a" because "the lab"\n}'
    program = program.replace('"v-{{k}}" }', include)
    (project / "variants.tvar").write_text(program, encoding="utf-8")
    shown = tvarc("who", "variants.tvar:4").stdout
    assert "matrix m makes these variants" in shown
    assert "drops" not in shown
    assert "because the lab" in tvarc("explain", "v-a").stdout
