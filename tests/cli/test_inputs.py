"""Inputs on the command line: what nobody else has is refused, and nothing is written into one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put

HASH = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
PROGRAM = """
input tools { path = "../tools" }

axis n = ["a", "b"]
recipe r {
  pin     = none
  package = file(tools, "pkgs/{{n}}.nix")
}
matrix m { recipe = r, axes = n, name = "r-{{n}}" }
output nix { file = "recipes/{{variant}}.nix" }
"""


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with a checkout of another repository beside it; the checkout."""
    recipes = {f"tools/pkgs/{name}.nix": "{ hello }: hello\n" for name in ("a", "b")}
    put(tmp_path, {"project/variants.tvar": PROGRAM, **recipes})
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "tools"


def test_nothing_is_written_into_it(beside: Path) -> None:
    before = sorted(beside.rglob("*"))
    for option in ("--check", "--force", "--adopt"):
        refused = tvarc("build", "--no-git", "--out", "../tools", option, code=1)
        assert "error[E803]: 2 outputs are in a folder that recipes are built from" in (
            refused.stderr
        )
    assert sorted(beside.rglob("*")) == before
    assert tvarc("build", "--no-git").exit_code == 0


def test_a_link_is_none_that_others_have(beside: Path) -> None:
    beside.rename(beside.parent / "result-1")
    beside.symlink_to(beside.parent / "result-1")
    done = tvarc("check", code=1)
    assert "error[E703]: `../tools` cannot be an input" in done.stderr
    told = " ".join(done.stderr.split())  # how long its lines are depends on the folder
    assert "a link leads from there to" in told
    assert "a link can change" in told


def test_a_link_on_the_way_is_one_too(beside: Path) -> None:
    Path("far").symlink_to(beside.parent)
    source = Path("variants.tvar")
    source.write_text(PROGRAM.replace("../tools", "far/tools"), encoding="utf-8")
    assert "a link leads from there to" in " ".join(tvarc("check").stderr.split())


def test_the_program_itself_may_be_reached_over_a_link(
    beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (beside.parent / "link").symlink_to("project")
    monkeypatch.chdir(beside.parent)
    assert tvarc("check", "link/variants.tvar").exit_code == 0


def test_a_file_that_it_lost_is_missed_by_the_next_build(beside: Path) -> None:
    assert tvarc("build", "--no-git").exit_code == 0
    (beside / "pkgs" / "b.nix").unlink()
    done = tvarc("build", "--no-git", code=1)
    assert "error[E106]: input `tools` has no file `pkgs/b.nix`" in done.stderr
    assert "where n is" in done.stderr


@pytest.mark.slow
def test_an_unlocked_one_is_locked(here: Path) -> None:
    source = here / "variants.tvar"
    source.write_text(
        PROGRAM.replace(
            'path = "../tools"', f'github = "a/b", rev = "{"1" * 40}", hash = unlocked'
        ),
        encoding="utf-8",
    )
    done = tvarc("build", "--no-git", code=0)
    assert done.stderr.count("warning[W002]") == 1
    recipe = (here / "recipes" / "r-a.nix").read_text(encoding="utf-8")
    fake = recipe.split('sha256 = "')[1].split('"')[0]
    (here / "log").write_text(
        f"error: hash mismatch in fixed-output derivation '/nix/store/x-source.drv':\n"
        f"         specified: {fake}\n            got:    {HASH}\n",
        encoding="utf-8",
    )
    assert tvarc("lock", "--from-log", "log").exit_code == 0
    assert tvarc("build", "--no-git", "--locked").exit_code == 0
    assert HASH in (here / "recipes" / "r-a.nix").read_text(encoding="utf-8")


def test_diff_tells_of_another_commit_of_an_input(here: Path) -> None:
    fields = f'github = "a/b", rev = "{"1" * 40}", hash = "{HASH}"'
    in_list = 'pin = none\n  package = pkgs.hello\n  attrs { x = [file(tools, "a.nix")] }'
    program = PROGRAM.replace('path = "../tools"', fields)
    program += f"recipe q {{ {in_list} }}\nvariant one {{ recipe = q }}\n"
    (here / "old").mkdir()
    (here / "old" / "variants.tvar").write_text(program, encoding="utf-8")
    (here / "variants.tvar").write_text(program.replace("1" * 40, "2" * 40), encoding="utf-8")
    done = tvarc("diff", "--against", "old")
    told = done.stdout
    assert "3 variants: 3 changed" in told, done.stderr
    assert f"archive/{'1' * 40}.tar.gz" in told and f"archive/{'2' * 40}.tar.gz" in told


def test_who_leads_from_pin_none_to_the_head_of_a_recipe(beside: Path) -> None:
    line = PROGRAM.split("\n").index("  pin     = none") + 1
    told = tvarc("who", f"variants.tvar:{line}").stdout
    assert "affects 2 of 2 variants" in told


def test_a_pipe_is_no_recipe(beside: Path) -> None:
    os.mkfifo("q.nix")
    done = tvarc("explain", "q.nix:1", code=1)
    assert "error[E909]: cannot read `q.nix`" in done.stderr
    assert "not a plain file" in done.stderr


def test_audit_tells_of_another_input(beside: Path) -> None:
    (beside.parent / "other" / "pkgs").mkdir(parents=True)
    assert tvarc("build", "--no-git").exit_code == 0
    recipe = Path("recipes/r-a.nix")
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text.replace("../../tools", "../../other"), encoding="utf-8")
    told = tvarc("audit", "recipes").stdout
    assert "W217" in told
    assert "r-a.nix" in told.partition("W217")[2]
    assert "r-b.nix" not in told.partition("W217")[2].partition("What these files say")[0]


# --- a checkout in the place of an input ----------------------------------------------------------


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program whose input is fetched, built; a checkout of it stands in `../mine`."""
    checkout, project = tmp_path / "mine", tmp_path / "project"
    (checkout / "pkgs").mkdir(parents=True)
    project.mkdir()
    for name in ("a", "b"):
        (checkout / "pkgs" / f"{name}.nix").write_text("{ hello }: hello\n", encoding="utf-8")
    fields = f'github = "a/b", rev = "{"1" * 40}", hash = "{HASH}"'
    (project / "variants.tvar").write_text(
        PROGRAM.replace('path = "../tools"', fields), encoding="utf-8"
    )
    monkeypatch.chdir(project)
    assert tvarc("build", "--no-git").exit_code == 0
    return checkout


def recipes() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(Path("recipes").iterdir())}


def test_a_checkout_changes_no_recipe(fetched: Path) -> None:
    before = recipes()
    done = tvarc("build", "--no-git", "--input", "tools=../mine", code=0)
    assert "0 written, 2 unchanged" in done.stdout
    assert "`pkgs.callPackage ./recipes/r-a.nix { tools-input = ../mine; }`" in done.stdout
    assert recipes() == before
    Path("recipes/r-a.nix").unlink()
    assert tvarc("build", "--no-git", "--input", "tools=../mine").exit_code == 0
    assert recipes() == before


def test_the_command_for_a_pinned_recipe_carries_arg(fetched: Path) -> None:
    source = Path("variants.tvar")
    pin = f'pin p {{ github = "a/nixpkgs", rev = "{"3" * 40}", hash = "{HASH}" }}\n'
    text = source.read_text(encoding="utf-8").replace("  pin     = none\n", "")
    source.write_text(pin + text, encoding="utf-8")
    (fetched.parent / "a checkout").symlink_to("mine")
    done = tvarc("build", "--no-git", "--input", "tools=../a checkout", "--only", "r-b")
    assert "`nix-build recipes/r-b.nix --arg tools-input './.. + \"/a checkout\"'`" in done.stdout


@pytest.mark.parametrize("command", ["build", "check"])
def test_files_are_looked_for_in_the_checkout(fetched: Path, command: str) -> None:
    (fetched / "pkgs" / "b.nix").unlink()
    options = ("--no-git",) if command == "build" else ()
    assert tvarc(command, *options).exit_code == 0
    done = tvarc(command, *options, "--input", "tools=../mine", code=1)
    assert "error[E106]: input `tools` has no file `pkgs/b.nix`" in done.stderr
    assert "the folder is `../mine`" in done.stderr
    assert tvarc(command, *options).exit_code == 0  # nothing of it is remembered


def test_nothing_is_written_into_the_checkout(fetched: Path) -> None:
    done = tvarc("build", "--no-git", "--input", "tools=../mine", "--out", "../mine", code=1)
    assert "error[E803]" in done.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("tolls=../mine", "did you mean `tools`?"),
        ("tools", "`--input` needs NAME=PATH"),
        ("tools=", "`--input` needs NAME=PATH"),
        ("tools=../nowhere", "`../nowhere` is not a folder for input `tools`"),
        ("tools=variants.tvar", "it is a file"),
    ],
)
def test_what_is_no_checkout(fetched: Path, given: str, said: str) -> None:
    done = tvarc("build", "--input", given, code=1)
    assert "error[E505]" in done.stderr
    assert said in done.stderr


def test_a_checkout_that_no_recipe_takes(fetched: Path) -> None:
    source = Path("variants.tvar")
    text = source.read_text(encoding="utf-8").replace('file(tools, "pkgs/{{n}}.nix")', "pkgs.hello")
    source.write_text(text.replace("axis n", "let x = tools\naxis n"), encoding="utf-8")
    done = tvarc("build", "--no-git", "--input", "tools=../mine")
    assert "error[E608]" in done.stderr


# --- folders that nobody else has -----------------------------------------------------------------


def test_an_untracked_folder_is_not_shared(beside: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=beside.parent, check=True, capture_output=True)

    assert tvarc("build").exit_code == 0  # in no repository nobody can tell
    git("init", "-q")
    git("add", "project")
    for _ in range(2):  # the second run has a record of the first, or none
        done = tvarc("build", code=1)
        assert "error[E703]: input `tools` cannot be shared" in done.stderr
        assert "a clone of this repository does not contain it" in " ".join(done.stderr.split())
    assert tvarc("build", "--no-git").exit_code == 0
    assert tvarc("build").exit_code == 1  # what a run without git has found is no answer
    git("add", "tools/pkgs/a.nix")
    assert tvarc("build").exit_code == 0


def test_a_repository_of_its_own_is_not_asked(beside: Path) -> None:
    for folder in (Path(), beside):
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True, capture_output=True)
    assert tvarc("build").exit_code == 0


# --- what is told of an input -----------------------------------------------------------------


def test_explain_shows_where_it_is(fetched: Path) -> None:
    whole = tvarc("explain", "r-a").stdout
    block = whole.partition("\ninputs\n")[2].partition("\n\n")[0].splitlines()
    assert [" ".join(line.split()) for line in block] == [
        "tools variants.tvar:2",
        f"url = https://github.com/a/b/archive/{'1' * 40}.tar.gz",
        f"rev = {'1' * 40}",
        f"hash = {HASH}",
    ]
    assert 'package = file(tools, "pkgs/a.nix")' in whole
    told = " ".join(tvarc("explain", "r-a", "package").stdout.split())
    assert f"reads input tools: rev {'1' * 40}, hash variants.tvar:2 {HASH}" in told
    assert tvarc("explain", "r-a", "inputs.tools.rev").stdout.count("1" * 40) == 1


def test_explain_shows_the_folder_of_one(beside: Path) -> None:
    assert "path = ../tools" in tvarc("explain", "r-a", "inputs").stdout
    assert "reads input tools: path ../tools" in tvarc("explain", "r-a", "package").stdout
    found = json.loads(tvarc("explain", "r-a", "--json").stdout)
    assert found["inputs"][0]["fields"][0]["value"] == "../tools"
    assert found["package"]["value"] == {"nix": 'file(tools, "pkgs/a.nix")'}
