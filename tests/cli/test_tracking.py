"""Recipes that git does not track are named, for Flox sees tracked files only."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from support.command import SMALL, git, put_small, spawn, tvarc
from tvarc.commands.line import exits
from tvarc.files.git.program import GitFailed, run_git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
NAME = "pkgs/hello-cuda12_8-sm90.nix"
COMMAND = re.compile(r"^Flox and flakes see tracked files only: `(.*)`$", re.MULTILINE)
QUIET = "5 recipes in pkgs: 0 written, 5 unchanged\n"


def mend(told: str, cwd: Path | None = None) -> str:
    """Run the command that *told* gives, and give it."""
    (command,) = COMMAND.findall(told)
    subprocess.run(shlex.split(command), check=True, capture_output=True, cwd=cwd)
    return str(command)


@pytest.fixture
def checkout(project: Path) -> Path:
    git("init", "-q", ".")
    return project


def test_recipes_are_named_with_the_command(checkout: Path) -> None:
    told = tvarc("build").stdout
    assert "git does not track 5 recipes:\n" in told
    assert "\n  hello-cuda12_8-sm90.nix\n" in told
    assert mend(told) == "git add -- pkgs"
    assert tvarc("build").stdout == QUIET
    (checkout / NAME).unlink()
    assert tvarc("build").stdout == "5 recipes in pkgs: 1 written, 4 unchanged\n"


def test_they_are_named_until_that_is_mended(checkout: Path) -> None:
    tvarc("build")
    told = tvarc("build").stdout
    assert told.startswith(QUIET + "git does not track 5 recipes:\n")


def test_check_names_them_too(checkout: Path) -> None:
    tvarc("build", "--no-git")
    up_to_date = "5 recipes in pkgs: up to date\n"
    for _ in range(2):
        result = tvarc("build", "--check", code=exits.OK)
        assert result.stdout.startswith(up_to_date + "git does not track 5 recipes:\n")
    assert tvarc("build", "--check", "--no-git").stdout == up_to_date
    (checkout / NAME).unlink()
    stale = tvarc("build", "--check", code=exits.STALE)
    assert mend(stale.stdout) == "git add -- pkgs"
    assert tvarc("build", "--check").stdout == ""
    tvarc("build")
    git("add", "pkgs")
    assert tvarc("build", "--check").stdout == up_to_date


def test_from_another_folder(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "in ner").mkdir()
    monkeypatch.chdir(checkout / "in ner")
    assert mend(tvarc("build").stdout) == "git add -- ../pkgs"
    assert "git" not in tvarc("build").stdout


def test_from_outside_of_the_repository(checkout: Path, here: Path) -> None:
    file = f"{checkout.name}/variants.tvar"
    assert mend(tvarc("build", file).stdout) == f"git -C '{checkout.name}/pkgs' add -- ."
    assert "git" not in tvarc("build", file).stdout


def test_other_files_of_the_folder_are_not_added(checkout: Path) -> None:
    """With a text beside them `*.nix` means the recipes, with other Nix files each is named."""
    (checkout / "pkgs").mkdir()
    (checkout / "pkgs" / "notes.txt").write_text("mine\n")
    command = mend(tvarc("build").stdout)
    assert command == "git add -- 'pkgs/*.nix'"
    assert "notes" not in git("ls-files")
    git("rm", "-q", "--cached", "-r", "pkgs")
    (checkout / "pkgs" / "mine.nix").write_text("{ }: 1\n")
    mend(tvarc("build").stdout)
    assert git("ls-files").count("hello-") == 5 and "mine.nix" not in git("ls-files")


def test_ignored_files_are_named_with_the_line(checkout: Path) -> None:
    (checkout / ".gitignore").write_text("# all\npkgs/*sm90*\n")
    told = tvarc("build").stdout
    assert "git does not track 4 recipes:\n" in told
    assert told.endswith(
        "git ignores 1 recipe:\n  hello-cuda12_8-sm90.nix\n"
        "Flox and flakes see tracked files only: "
        "`git add --force -- pkgs/hello-cuda12_8-sm90.nix`\n"
        "line 2 of .gitignore ignores them: `pkgs/*sm90*`\n"
    )
    git("add", "pkgs")
    mend(tvarc("build").stdout)
    assert tvarc("build").stdout == QUIET


def test_a_folder_that_is_ignored(checkout: Path) -> None:
    (checkout / ".git" / "info" / "exclude").write_text("pkgs/\n")
    told = tvarc("build").stdout
    assert "git ignores 5 recipes:\n" in told
    assert "line 1 of .git/info/exclude ignores them: `pkgs/`\n" in told
    assert mend(told) == "git add --force -- pkgs"
    assert tvarc("build").stdout == QUIET


def test_a_repository_runs_no_program_of_its_own(checkout: Path) -> None:
    program = checkout / "hostile"
    program.write_text("#!/bin/sh\ntouch ran\n")
    program.chmod(0o755)
    (checkout / "hooks").mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "query-watchman"):
        shutil.copy(program, checkout / "hooks" / hook)
    git("config", "core.fsmonitor", str(program))
    git("config", "core.hooksPath", str(checkout / "hooks"))
    git("config", "core.pager", str(program))
    git("config", "alias.ls-files", f"!{program}")
    assert "git does not track" in tvarc("build").stdout
    assert not (checkout / "ran").exists()


def test_the_environment_says_nothing(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook of another repository, and in another language."""
    other = tmp_path / "other"
    git("init", "-q", str(other))
    plain = tvarc("build").stdout.replace("5 written, 0", "0 written, 5")
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_PREFIX": "pkgs/",
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_ICASE_PATHSPECS": "1",
        "GIT_CEILING_DIRECTORIES": str(checkout),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_TRACE": "1",
        "LC_ALL": "de_DE.UTF-8",
        "LANGUAGE": "de",
    }.items():
        monkeypatch.setenv(name, value)
    assert tvarc("build").stdout == plain
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("broken", ["no git", "exit 3", "echo nonsense", "kill -9 $$", "file"])
def test_a_broken_git_is_in_nobodys_way(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    if broken == "file":
        shutil.rmtree(checkout / ".git")
        (checkout / ".git").write_text("no link\n")
    elif broken != "no git":
        (programs / "git").write_text(f"#!/bin/sh\n{broken}\n")
        (programs / "git").chmod(0o755)
    if broken != "file":
        monkeypatch.setenv("PATH", str(programs))
    result = tvarc("build", code=exits.OK)
    assert result.stdout == "5 recipes in pkgs: 5 written, 0 unchanged\n"
    assert result.stderr == ""


def test_a_git_that_hangs_is_not_waited_for(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 30\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("tvarc.files.git.program.PATIENCE", 0.1)
    told, silent = tvarc("build").stdout.splitlines()
    assert told == "5 recipes in pkgs: 5 written, 0 unchanged"
    assert silent.startswith("git did not answer in `") and "`.git/HEAD`" in silent


@pytest.mark.slow
@pytest.mark.parametrize("file", ["HEAD", "objects/info/alternates"])
def test_a_pipe_in_the_repository_costs_seconds_and_is_told(checkout: Path, file: str) -> None:
    git("add", "variants.tvar", "fix me.patch")
    git("commit", "-qm", "one")
    path = Path(".git", file)
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    started = time.monotonic()
    assert "git did not answer" in tvarc("diff", "--against", "HEAD").stderr
    assert time.monotonic() - started < 20


def test_a_bare_repository_tracks_nothing(project: Path) -> None:
    git("init", "-q", "--bare", ".git")
    assert tvarc("build").stdout == "5 recipes in pkgs: 5 written, 0 unchanged\n"


@pytest.mark.slow
def test_a_work_tree_of_another_repository(checkout: Path, tmp_path: Path) -> None:
    git("add", "variants.tvar", "fix me.patch")
    git("commit", "-qm", "one")
    tree = tmp_path / "tree"
    git("worktree", "add", "-q", str(tree))
    done = spawn("build", cwd=tree)
    assert mend(done.stdout.decode(), tree) == "git add -- pkgs"
    assert b"git" not in spawn("build", cwd=tree).stdout
    assert git("ls-files", cwd=tree).count("hello-") == 5 and "hello" not in git("ls-files")


@pytest.mark.slow
def test_a_submodule_is_asked_for_what_is_in_it(checkout: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    git("init", "-q", str(inner))
    git("commit", "-qm", "one", "--allow-empty", cwd=inner)
    git("submodule", "--quiet", "add", str(inner), "pkgs")
    told = tvarc("build").stdout
    assert "git does not track 5 recipes:\n" in told
    assert mend(told) == "git -C pkgs add -- ."
    assert tvarc("build").stdout == QUIET
    assert git("ls-files", cwd=checkout / "pkgs").count("hello-") == 5


def test_what_a_sparse_checkout_leaves_out_can_be_added(checkout: Path) -> None:
    (checkout / "kept").mkdir()
    (checkout / "kept" / "a").write_text("a\n")
    git("add", ".")
    git("commit", "-qm", "one")
    git("sparse-checkout", "set", "kept")
    assert mend(tvarc("build").stdout) == "git add --sparse -- pkgs"
    assert tvarc("build").stdout == QUIET
    git("commit", "-qm", "two")
    git("sparse-checkout", "reapply")
    assert not (checkout / NAME).exists()
    assert tvarc("build").stdout == "5 recipes in pkgs: 5 written, 0 unchanged\n"


@pytest.mark.slow
def test_a_folder_with_odd_bytes(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"o\xff d\n'$(x)`*[a]")
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    put_small(odd)
    git("init", "-q", ".", cwd=odd)
    done = spawn("build", cwd=odd)
    assert mend(done.stdout.decode(), odd) == "git add -- pkgs"
    assert b"git" not in spawn("build", cwd=odd).stdout
    spawn("build", f"{odd.name}/variants.tvar", cwd=tmp_path, code=exits.OK)


def test_a_file_in_a_folder_that_looks_like_a_pattern(checkout: Path) -> None:
    file = checkout / "variants.tvar"
    file.write_text(SMALL.replace("pkgs/{{", "p*[g]/:(top)/{{"))
    (checkout / "pag" / ":(top)").mkdir(parents=True)
    for name in ("mine.nix", "hello-cuda12_8-sm90.nix"):
        (checkout / "pag" / ":(top)" / name).write_text("{ }: 1\n")
    told = tvarc("build").stdout
    assert "git does not track 5 recipes:\n" in told
    assert mend(told) == "git -C 'p*[g]/:(top)' add -- ."
    assert "pag" not in git("ls-files")
    assert "git" not in tvarc("build").stdout


def test_a_part_of_the_program_is_asked_about_alone(checkout: Path) -> None:
    told = tvarc("build", "--only", "sm90").stdout
    assert "git does not track 1 recipe:\n" in told
    tvarc("build", "--no-git")
    told = tvarc("build", "--only", "sm90").stdout
    assert "git does not track 1 recipe:\n" in told
    assert mend(told) == f"git add -- {NAME}"


def test_it_can_be_left_out(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "git" not in tvarc("build", "--no-git").stdout
    assert "git" not in tvarc("build", "--out", "dry", "--dry-run").stdout
    assert "git" not in tvarc("build", "--check", "--no-git").stdout
    assert tvarc("build", "--out", "json", "--json").stdout.count("\n") == 1
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert "git" not in tvarc("build", "--out", "other").stdout


def test_git_tells_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="git says: not a git repository"):
        run_git(str(tmp_path), "rev-parse", "--show-toplevel")
    with pytest.raises(GitFailed, match="git says: cannot change to"):
        run_git(str(tmp_path / "nothing"), "version")
