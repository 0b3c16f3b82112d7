"""`tvarc init` without questions: what it writes, what it leaves, and what it refuses."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import family, put
from tvarc.commands.init import AGENTS, TEMPLATES, WORKFLOW
from tvarc.commands.start.completion import Typed, offer
from tvarc.files import persons
from tvarc.files.persons import write_new
from tvarc.text.diagnostics.model import Sink

pytestmark = pytest.mark.usefixtures("here")

TVARC = ("--tvarc", "github:example/tvarc/6a030d535719c5190187c4cec156f335e95e3211")
FILES = ("variants.tvar", "tvar.lock", WORKFLOW, AGENTS, ".gitignore", ".gitattributes")


def all_of(folder: Path) -> dict[str, bytes | None]:
    """What is in *folder*: of each file the bytes, of a folder or a link to nothing None."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


# --- what is written ------------------------------------------------------------------------------


def test_an_empty_folder(here: Path) -> None:
    done = tvarc("init", "--yes", *TVARC, code=0)
    told = "".join(f"{name}: written\n" for name in FILES)
    assert done.stdout == (
        f"{told}next: `tvarc build` writes the recipes, `tvarc list` lists the variants\n"
    )
    assert {path.as_posix() for path in map(Path, all_of(here)) if path.is_file()} == {*FILES}
    assert (here / "variants.tvar").stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_the_same_words_twice_are_the_same_bytes(here: Path) -> None:
    for folder in ("a", "b"):
        assert tvarc("init", folder, "--template", "torch").exit_code == 0
    assert all_of(here / "a") == all_of(here / "b")


def test_a_folder_that_is_to_be_made(here: Path) -> None:
    done = tvarc("init", "new/my builds", "--template", "from-scratch", code=0)
    assert "new/my builds/variants.tvar: written\n" in done.stdout
    assert "next: `tvarc build 'new/my builds/'` writes the recipes" in done.stdout
    assert tvarc("list", "new/my builds/").exit_code == 0
    again = tvarc("init", str(here / "other"), "--yes")
    assert "other/variants.tvar: written\n" in again.stdout and str(here) not in again.stdout


def test_a_dry_run_writes_nothing(here: Path) -> None:
    done = tvarc("init", "new", "--yes", "--dry-run", *TVARC, code=0)
    assert done.stdout == "".join(f"new/{name}: would be written\n" for name in FILES)
    assert all_of(here) == {}


def test_below_the_top_of_a_repository_there_is_no_workflow(here: Path) -> None:
    (here / ".git").mkdir()
    done = tvarc("init", "sub", "--yes", *TVARC, code=0)
    assert f"sub/{WORKFLOW}: not written: GitHub reads it only at the top" in done.stdout
    assert not (here / "sub/.github").exists()
    assert tvarc("init", "--template", "package", *TVARC).exit_code == 0
    assert (here / WORKFLOW).is_file()


def test_nobody_makes_up_where_tvarc_is(here: Path) -> None:
    """Without the place where GitHub gets tvarc there is no workflow. The message names the command
    that adds one later, and changes nothing else."""
    done = tvarc("init", "--yes", code=0)
    told = f"{WORKFLOW}: not written: it needs to know where GitHub gets tvarc: `tvarc init"
    assert told in done.stdout
    assert not (here / ".github").exists()
    before = all_of(here)
    added = tvarc("init", *TVARC)
    assert (added.exit_code, added.stdout) == (0, f"{WORKFLOW}: written\n")
    assert {name: text for name, text in all_of(here).items() if ".github" not in name} == before
    assert tvarc("init", *TVARC).stdout.startswith(f"{WORKFLOW}: ")
    assert tvarc("init", "--template", "package", *TVARC).exit_code == 1


@pytest.mark.parametrize("text", ["tvarc", "github:example/tvarc", "github:example/tvarc/main"])
def test_a_reference_that_may_be_another_program_tomorrow(text: str, here: Path) -> None:
    done = tvarc("init", "--yes", "--tvarc", text, code=1)
    assert done.stderr.startswith(f"error[E919]: a workflow cannot get tvarc from `{text}`\n")
    assert "`github:OWNER/tvarc/REV`" in " ".join(done.stderr.split())
    assert all_of(here) == {}


def test_git_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nothing is run")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert tvarc("init", "--yes").exit_code == 0


# --- what is left ---------------------------------------------------------------------------------


def test_what_is_there_is_left_and_named(here: Path) -> None:
    (here / ".gitignore").write_text("/result\n*.log\n", encoding="utf-8")
    (here / ".gitattributes").write_text("/.flox/pkgs/*.nix -merge linguist-generated\n")
    (here / "tvar.lock").write_text("version = 1\n", encoding="utf-8")
    (here / WORKFLOW).parent.mkdir(parents=True)
    (here / WORKFLOW).write_text("mine\n", encoding="utf-8")
    (here / AGENTS).write_text("mine\n", encoding="utf-8")
    before = all_of(here)
    done = tvarc("init", "--yes", *TVARC, code=0)
    assert done.stdout == (
        "variants.tvar: written\n"
        ".gitattributes: not changed; it lacks these lines:\n"
        "  /tvarc-results.jsonl merge=union\n"
        "  *.tvar linguist-language=Nix\n"
        ".gitignore: not changed; it lacks these lines:\n"
        "  /result-*\n"
        "  *.nix.orig\n"
        "  *.nix.orig.*\n"
        f"{AGENTS}: not changed\n"
        f"{WORKFLOW}: not changed\n"
        "tvar.lock: not changed\n"
        "next: `tvarc lock` finds the missing hashes, `tvarc build` writes the recipes\n"
    )
    after = all_of(here)
    assert after.pop("variants.tvar") is not None
    assert after == before


def test_links_and_files_in_the_place_of_folders_are_left(here: Path) -> None:
    (here / "elsewhere").mkdir()
    (here / ".github").symlink_to("elsewhere")
    (here / ".gitignore").symlink_to("gone")
    done = tvarc("init", "--yes", *TVARC, code=0)
    assert f"{WORKFLOW}: not written: `.github` is a link\n" in done.stdout
    assert ".gitignore: not written: it is a link to nothing\n" in done.stdout
    assert not list((here / "elsewhere").iterdir()) and not (here / "gone").exists()
    (here / "a").mkdir()
    (here / "a/.github").write_text("a file\n", encoding="utf-8")
    done = tvarc("init", "a", "--yes", *TVARC, code=0)
    assert f"a/{WORKFLOW}: not written: `.github`: not a directory\n" in done.stdout


# --- what is refused ------------------------------------------------------------------------------


def test_an_unknown_template(here: Path) -> None:
    done = tvarc("init", "--template", "pytorch", code=1)
    assert done.stderr == (
        "error[E971]: there is no template `pytorch`\n"
        "  = note: templates: package, torch, python-set, from-scratch\n"
        "  = help: did you mean `torch`?\n"
    )
    assert all_of(here) == {}


def test_all_that_is_wrong_is_told_at_once(here: Path) -> None:
    (here / "variants.tvar").write_text("", encoding="utf-8")
    done = tvarc("init", "--template", "x", code=1)
    assert "error[E971]" in done.stderr and "error[E972]" in done.stderr


def test_a_folder_with_a_program(here: Path) -> None:
    (here / "variants.tvar").write_text("# mine\n", encoding="utf-8")
    before = all_of(here)
    for words in (["--yes"], ["--template", "torch"], [], ["--yes", "--dry-run"], [".", "--yes"]):
        done = tvarc("init", *words, code=1)
        assert done.stderr.startswith("error[E972]: `variants.tvar` exists already\n")
    assert all_of(here) == before
    (here / "a").mkdir()
    (here / "a/variants.tvar").symlink_to("gone")
    done = tvarc("init", "a", "--yes", code=1)
    assert done.stderr.startswith(
        "error[E972]: `a/variants.tvar` exists already\n  = note: it is a link to nothing\n"
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [("file", "not a directory"), ("file/sub", "not a directory"), ("gone", "a link to nothing"),
     ("round", "a link to nothing")],
)  # fmt: skip
def test_what_is_no_folder(name: str, reason: str, here: Path) -> None:
    (here / "file").write_text("mine\n", encoding="utf-8")
    (here / "gone").symlink_to("nowhere")
    (here / "round").symlink_to("round")
    before = all_of(here)
    done = tvarc("init", name, "--yes", code=1)
    assert done.stderr.startswith(f"error[E802]: no file can be written into `{name}`: ")
    assert reason in done.stderr
    assert all_of(here) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_ours(here: Path) -> None:
    (here / "closed").mkdir(0o555)
    done = tvarc("init", "closed", "--yes", code=1)
    assert "permission denied" in done.stderr and "error[E802]" in done.stderr


def test_what_is_in_the_place_of_a_program_is_told(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With help that fits: nothing is there that could be listed or built."""

    def told(folder: str) -> str:
        done = tvarc("init", folder, "--yes")
        assert done.exit_code == 1 and "error[E972]" in done.stderr
        assert "tvarc list" not in done.stderr and "Traceback" not in done.stderr
        return " ".join(done.stderr.split())

    (here / "a/variants.tvar").mkdir(parents=True)
    (here / "b").mkdir()
    (here / "b/variants.tvar").symlink_to("variants.tvar")
    (here / "c").mkdir()
    os.mkfifo(here / "c/variants.tvar")
    (here / "d e").mkdir()
    (here / "d e/variants.tvar").write_text("# mine\n", encoding="utf-8")
    (here / "f").mkdir()
    (here / "f/variants.tvar").symlink_to("../a")
    for folder in ("a", "f"):
        assert "note: it is a folder = help: move it away" in told(folder)
    assert "too many levels of symbolic links" in told("b") and "where the link leads" in told("b")
    assert "note: it is not a plain file = help: move it away" in told("c")
    monkeypatch.setattr(os, "access", lambda _, mode, **__: mode != os.R_OK)
    unread = told("d e")
    assert "note: you have no permission to read it = help: run `chmod u+r 'd e/var" in unread


def test_a_folder_that_the_system_keeps_closed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tvarc.files.output.folders.os.access", lambda *_, **__: False)
    done = tvarc("init", "--yes", code=1)
    assert done.stderr.startswith(
        "error[E802]: no file can be written into `.`: permission denied\n"
    )
    assert all_of(here) == {}


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("at", [0, 1, 3])
def test_all_or_nothing(
    fault: BaseException, at: int, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever the disk is full or somebody interrupts, what was written goes again."""
    calls = 0

    def failing(path: str, data: bytes, sink: Sink) -> None:
        nonlocal calls
        calls += 1
        if calls > at:
            raise fault
        write_new(path, data, sink)

    monkeypatch.setattr(persons, "write_new", failing)
    (here / "there").mkdir()
    (here / "there/.gitignore").write_text("mine\n", encoding="utf-8")
    before = all_of(here)
    for folder in ("there", "new/deep"):
        calls = 0
        done = tvarc("init", folder, "--yes", *TVARC, code=1 if isinstance(fault, OSError) else 130)
        assert "nothing was written" in done.stderr or isinstance(fault, KeyboardInterrupt)
        assert all_of(here) == before
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert tvarc("init", "there", "--yes").exit_code == 0


def test_what_somebody_changed_meanwhile_is_not_removed(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(path: str, data: bytes, sink: Sink) -> None:
        if path == "variants.tvar":
            Path(".gitignore").write_text("mine\n", encoding="utf-8")
            raise OSError(28, "No space left on device")
        write_new(path, data, sink)

    monkeypatch.setattr(persons, "write_new", failing)
    assert tvarc("init", "--yes").exit_code == 1
    assert all_of(here) == {".gitignore": b"mine\n"}


# --- recipes --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_recipes_that_nobody_was_asked_about(here: Path) -> None:
    put(here, family("chain"))
    before = all_of(here)
    for words in (["--yes"], []):
        done = tvarc("init", *words, code=1)
        assert done.stderr.startswith(
            "error[E973]: there are 12 recipes in `pkgs`\n"
            "  = note: `tvarc import pkgs` makes one program from them that builds the same\n"
        )
    assert all_of(here) == before
    assert tvarc("import", "pkgs", "--dry-run").exit_code == 0
    assert tvarc("init", "--template", "package").exit_code == 0


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["a.nix", "b.nix"], "2 recipes in this folder"),
        (["a.nix", "more/b.nix", "more/c.nix"], "2 recipes in `more`"),
        ([".flox/pkgs/a.nix", "b.nix", "c.nix"], "1 recipe in `.flox/pkgs`"),
        ([".flox/pkgs/a/default.nix"], "1 recipe in `.flox/pkgs`"),
        (["default.nix", "flake.nix", "shell.nix", ".hidden/a.nix", "x/y/z/a.nix"], ""),
        (["a.nixx", "b.txt"], ""),
    ],
)
def test_where_recipes_are_looked_for(files: list[str], told: str, here: Path) -> None:
    put(here, dict.fromkeys(files, "{ pkgs }: pkgs.hello\n"))
    done = tvarc("init", "--yes", code=1 if told else 0)
    assert f"there are {told}\n" in done.stderr if told else not done.stderr


def test_what_is_told_of_recipes_can_be_typed(here: Path) -> None:
    (here / "my recipes").mkdir()
    (here / "my recipes/a.nix").write_text("{ pkgs }: pkgs.hello\n", encoding="utf-8")
    assert "`tvarc import 'my recipes'` makes" in tvarc("init", "--yes").stderr
    os.chdir("my recipes")
    assert "`tvarc import . --out ../variants.tvar` makes" in tvarc("init", "--yes").stderr


# --- streams and shells ---------------------------------------------------------------------------


def test_without_a_terminal(here: Path) -> None:
    done = tvarc("init", code=1)
    assert done.stderr.startswith("error[E974]: `tvarc init` cannot ask you")
    assert all(name in done.stderr for name in TEMPLATES)
    assert all_of(here) == {}


def test_diagnostics_for_programs(here: Path) -> None:
    done = tvarc("init", "--template", "x", "--format", "json")
    assert done.exit_code == 1 and '"E971"' in done.stdout and not done.stderr
    done = tvarc("init", "--yes", "--format", "json")
    assert done.exit_code == 0 and not done.stdout and "variants.tvar: written" in done.stderr


def test_a_shell_offers_the_templates() -> None:
    assert offer("templates", Typed("", (), ())) == [*TEMPLATES]
    assert offer("templates", Typed("py", (), ())) == ["python-set"]
