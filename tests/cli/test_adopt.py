"""`tvarc build --adopt`: a person's file gives way, and nothing of it is lost."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from support.command import tvarc
from tvarc.commands.line import exits

NAME = "pkgs/hello-cuda12_8-sm90.nix"
OTHER = "pkgs/hello-cuda12_8-sm100.nix"


@pytest.fixture
def edited(project: Path) -> Path:
    """A project with a recipe that was edited and one that tvarc did not write."""
    tvarc("build")
    file = project / NAME
    file.write_text(file.read_text().replace('"-a"', '"-mine"'))
    (project / OTHER).write_text("{ }: mine\n")
    return project


def test_errors_say_what_to_do(edited: Path) -> None:
    result = tvarc("build", code=exits.FAILED)
    told = " ".join(result.stderr.split())
    assert f"`{NAME}` was changed by hand since it was written" in told
    assert "move the change into the .tvar, then build with `--adopt`" in told
    assert f"`{OTHER}` is in the way: tvarc did not write it" in told
    assert "to keep it, move it or choose another `file`" in told
    assert "`--force`, which keeps no copy" in told


def test_dry_run_shows_what_would_be_lost(edited: Path) -> None:
    before = {path.name: path.read_bytes() for path in (edited / "pkgs").iterdir()}
    result = tvarc("build", "--adopt", "--dry-run", code=exits.OK)
    assert f"--- {NAME} (as it was)\n+++ {NAME} (as tvarc writes it)\n@@ " in result.stdout
    assert '\n-  flags = [ "-mine" ];\n+  flags = [ "-a" ];\n' in result.stdout
    assert "\n-{ }: mine\n" in result.stdout
    assert f"\nadopt {NAME}: the old file is {NAME}.orig\n" in result.stdout
    assert "2 would be written, 3 unchanged" in result.stdout
    assert {path.name: path.read_bytes() for path in (edited / "pkgs").iterdir()} == before


def test_adopt_keeps_a_copy(edited: Path) -> None:
    mine = (edited / NAME).read_bytes()
    (edited / NAME).chmod(0o640)
    shown = tvarc("build", "--adopt", code=exits.OK)
    assert '\n-  flags = [ "-mine" ];\n' in shown.stdout
    assert f"\nadopted {NAME}: the old file is {NAME}.orig\n" in shown.stdout
    assert "\n5 recipes in pkgs: 2 written, 3 unchanged\n2 copies are kept: `rm " in shown.stdout
    assert (edited / f"{NAME}.orig").read_bytes() == mine
    assert (edited / f"{OTHER}.orig").read_text() == "{ }: mine\n"
    assert "-mine" not in (edited / NAME).read_text()
    assert (edited / NAME).stat().st_mode & 0o777 == 0o640
    again = tvarc("build", "--adopt")
    assert again.stdout == "5 recipes in pkgs: 0 written, 5 unchanged\n"


def test_no_copy_is_ever_overwritten(edited: Path) -> None:
    (edited / f"{NAME}.orig").write_text("first")
    (edited / f"{NAME}.orig.1").symlink_to("nowhere")
    data = json.loads(tvarc("build", "--adopt", "--json").stdout)
    assert data["adopted"] == [
        {"file": NAME, "copy": f"{NAME}.orig.2"},
        {"file": OTHER, "copy": f"{OTHER}.orig"},
    ]
    assert (edited / f"{NAME}.orig").read_text() == "first"
    assert "-mine" in (edited / f"{NAME}.orig.2").read_text()


def test_a_killed_run_is_gone_on_with(edited: Path) -> None:
    (edited / f"{NAME}.orig").hardlink_to(edited / NAME)
    assert f"the old file is {NAME}.orig\n" in tvarc("build", "--adopt").stdout
    assert "-mine" in (edited / f"{NAME}.orig").read_text()


def test_without_hard_links_it_is_copied(edited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: object, **named: object) -> None:
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", none)
    (edited / f"{NAME}.orig").write_text("first")
    assert tvarc("build", "--adopt").exit_code == exits.OK
    assert "-mine" in (edited / f"{NAME}.orig.1").read_text()
    assert (edited / f"{OTHER}.orig").read_text() == "{ }: mine\n"


def test_a_copy_that_cannot_be_made_stops_it(edited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    result = tvarc("build", "--adopt", code=exits.FAILED)
    assert "error[E802]" in result.stderr
    assert "-mine" in (edited / NAME).read_text()
    assert (edited / OTHER).read_text() == "{ }: mine\n"


def test_what_a_terminal_would_obey_is_not_printed(project: Path) -> None:
    tvarc("build")
    (project / NAME).write_bytes(b"{ }: \x1b]0;title\x07\n")
    (project / OTHER).write_bytes(b"\xff\xfe")
    result = tvarc("build", "--adopt")
    assert r"-{ }: \x1b]0;title\x07" in result.stdout
    assert "the old content is not text: 2 bytes" in result.stdout
    assert "\x1b" not in result.stdout


def test_links_are_no_more_adopted_than_forced(edited: Path, tmp_path: Path) -> None:
    away = tmp_path / "away.nix"
    (edited / OTHER).rename(away)
    (edited / OTHER).symlink_to(away)
    result = tvarc("build", "--adopt", code=exits.FAILED)
    assert "error[E803]" in result.stderr
    assert away.read_text() == "{ }: mine\n"
    assert "-mine" in (edited / NAME).read_text()


def test_one_of_adopt_and_force(edited: Path) -> None:
    assert tvarc("build", "--adopt", "--force").exit_code == exits.USAGE
    assert "-mine" in (edited / NAME).read_text()


def test_long_files_are_not_compared(edited: Path) -> None:
    (edited / OTHER).write_text("a\n" * 30_000)
    told = tvarc("build", "--adopt").stdout
    assert "\nthe old content has 30000 lines, too many to compare here\n" in told
    assert "\n-a\n" not in told
    assert (edited / f"{OTHER}.orig").read_text() == "a\n" * 30_000


def command_of(stdout: str) -> str:
    """The command that the last line shows."""
    found = re.search(r"`(rm [^`]*)` deletes", stdout.splitlines()[-1])
    assert found is not None
    return found[1]


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--out", "a b/it's"), ("--out", "-new")], ids=" ".join)
def test_the_command_deletes_the_copies_and_nothing_else(
    project: Path, words: tuple[str, ...]
) -> None:
    """In the folder in which the build ran, of few copies and of many."""
    root = project / words[1] if words else project
    tvarc("build", *words)
    recipes = sorted((root / "pkgs").glob("*.nix"))
    for count in (2, 5):
        for one in recipes[:count]:
            one.write_text("{ }: mine\n")
        (root / "pkgs" / "notes.txt").write_text("mine\n")
        if count > 3:
            (root / "pkgs" / f"{recipes[0].name}.orig").write_text("first")
        shown = tvarc("build", "--adopt", "--no-git", *words).stdout
        assert shown.splitlines()[-1].startswith(f"{count} copies are kept: `rm ")
        assert len([*(root / "pkgs").glob("*.orig*")]) == (2 if count == 2 else 6)
        subprocess.run(["sh", "-ec", command_of(shown)], cwd=project, check=True)
        assert sorted((root / "pkgs").iterdir()) == sorted([*recipes, root / "pkgs" / "notes.txt"])


@pytest.mark.slow
def test_few_copies_are_named_and_many_are_a_pattern(edited: Path) -> None:
    shown = tvarc("build", "--adopt", "--no-git").stdout
    assert shown.endswith(f"2 copies are kept: `rm {NAME}.orig {OTHER}.orig` deletes them\n")
    recipes = sorted((edited / "pkgs").glob("*.nix"))
    for one in recipes:
        one.write_text("{ }: mine\n")
    shown = tvarc("build", "--adopt", "--no-git").stdout
    assert shown.splitlines()[-1].startswith("5 copies are kept: `rm pkgs/*.orig")
    assert shown.endswith("` deletes all copies there\n")
    recipes[0].write_text("{ }: mine\n")
    shown = tvarc("build", "--adopt", "--no-git").stdout
    assert "1 copy is kept: `rm pkgs/" in shown and shown.endswith("` deletes it\n")
    assert "deletes" not in tvarc("build", "--adopt", "--no-git").stdout
