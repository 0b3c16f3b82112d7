"""`tvarc build` as a process of its own, on a disk that is full or killed at any moment: each file
is wholly old or wholly new, and the next build mends the rest."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.command import ROOT, SMALL, put_small, spawn, tvarc
from tvarc.commands.line import exits

COUNT = 60
VALUES = ", ".join(f"1.{number}" for number in range(COUNT // 3))
MANY = SMALL.replace("[12.8, 13.0]", f"[{VALUES}]").replace(
    '  exclude gpu == sm90 and cuda == 13.0 because "never"\n', ""
)
MINE = "{ }: by hand\n"


def program(flag: str, *, without: str = "") -> str:
    """The program in a state of its own: each file says *flag*."""
    text = MANY.replace('["-a"]', f'["-{flag}"]')
    return text.replace(f"  {without} {{ capability = 10.3 }}\n", "") if without else text


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    return spawn("build", "--adopt", "--prune", *options, cwd=folder)


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder / "pkgs").iterdir()}


def wholes(tmp_path: Path, text: str) -> dict[str, str]:
    """The files of the program *text*, made in a folder where nothing happens."""
    folder = tmp_path / f"calm{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    put_small(folder, text)
    done = build(folder)
    assert done.returncode == exits.OK, done.stderr
    return files(folder)


def assert_whole(folder: Path, old: dict[str, str], new: dict[str, str]) -> None:
    """Nothing is lost, and nothing is half of what it was or is to be."""
    here = files(folder)
    for name, text in here.items():
        if name.startswith(".tvarc-"):
            continue
        known = {one[name] for one in (old, new) if name in one}
        assert text in (known | {MINE}), name
    kept = set(old) & set(new)
    assert kept <= set(here)
    (edited,) = [name for name in old if old[name] == MINE]
    assert MINE in (here.get(edited), here.get(f"{edited}.orig"))


def states(tmp_path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What is there at first, one file of it by hand, and what is to be there."""
    old = wholes(tmp_path, program("a"))
    new = wholes(tmp_path, program("b", without="sm103"))
    assert len(old) == COUNT and len(new) == COUNT * 2 // 3
    old[min(new)] = MINE
    return old, new


def lay_out(folder: Path, old: dict[str, str]) -> None:
    pkgs = folder / "pkgs"
    pkgs.mkdir()
    for name, text in old.items():
        (pkgs / name).write_text(text)
    put_small(folder, program("b", without="sm103"))


def assert_mended(folder: Path, new: dict[str, str]) -> None:
    done = build(folder)
    assert done.returncode == exits.OK, done.stderr
    assert files(folder) == {**new, f"{min(new)}.orig": MINE}


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    old, new = states(tmp_path)
    chance = random.Random(7)
    interrupted = 0
    for number in range(8):
        folder = tmp_path / f"killed{number}"
        folder.mkdir()
        lay_out(folder, old)
        command = [sys.executable, "-m", "tvarc", "build", "--adopt", "--prune"]
        env = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
        # All is written within milliseconds of a run that takes a second: wait for the first file.
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        watched = folder / "pkgs" / f"{min(new)}.orig"
        while number and process.poll() is None and not watched.exists():
            time.sleep(0.0002)
        time.sleep(chance.random() * (0.004 if number else 0.05))
        process.send_signal(signal.SIGKILL)
        assert process.wait() in (-signal.SIGKILL, exits.OK)
        assert_whole(folder, old, new)
        texts = set(files(folder).values())
        interrupted += not texts.isdisjoint(old.values()) and not texts.isdisjoint(new.values())
        assert_mended(folder, new)
    assert interrupted, "no build was killed while it wrote"


def fill(folder: Path, left: int) -> Path:
    """Take all room on the disk but *left* pages, with one file."""
    filler = folder / "filler"
    state = os.statvfs(folder)
    filler.write_bytes(b"x" * (state.f_bavail - left) * state.f_frsize)
    return filler


@pytest.mark.slow
@pytest.mark.parametrize(("left", "written"), [(0, 0), (1, 4), (2, 5)])
def test_a_full_disk(tmp_path: Path, small_disk: Path, left: int, written: int) -> None:
    """A recipe takes one page. Three take the place of others, two are new; while one is written,
    the old one is still there."""
    old, new = few(tmp_path)
    lay_out_few(small_disk, old)
    filler = fill(small_disk, left)
    done = spawn("build", cwd=small_disk)
    here = files(small_disk)
    assert not [name for name in here if name.startswith(".tvarc-")]
    for name, text in here.items():
        assert text in {one[name] for one in (old, new) if name in one}, name
    assert set(old) <= set(here)
    assert sum(here.get(name) == text for name, text in new.items()) == written
    if written < len(new):
        told = " ".join(done.stderr.decode().split())
        assert done.returncode == exits.FAILED
        assert "cannot be written: no space left on device" in told
        assert f"{written} of 5 files had been written; the rest is as it was" in told
        assert "help: free disk space and run the command again" in told
        assert done.stderr.count(b"error[") == 1
    filler.unlink()
    assert spawn("build", cwd=small_disk).returncode == exits.OK
    assert files(small_disk) == new


@pytest.mark.slow
def test_nothing_is_removed_from_a_full_disk(tmp_path: Path, small_disk: Path) -> None:
    old, _ = few(tmp_path)
    lay_out_few(small_disk, old)
    extra = next(iter(old.values())).replace("hello-", "other-")
    (small_disk / "pkgs" / "other.nix").write_text(extra)
    filler = fill(small_disk, 0)
    done = spawn("build", "--prune", cwd=small_disk)
    assert b"no space left on device" in done.stderr
    assert (small_disk / "pkgs" / "other.nix").read_text() == extra
    filler.unlink()


def few(tmp_path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The files of the small program, and of its next state: each of them is another, and there
    are more."""
    old = SMALL.replace("  sm103 { capability = 10.3 }\n", "")
    return wholes(tmp_path, old), wholes(tmp_path, SMALL.replace('["-a"]', '["-b"]'))


def lay_out_few(folder: Path, old: dict[str, str]) -> None:
    (folder / "pkgs").mkdir()
    for name, text in old.items():
        (folder / "pkgs" / name).write_text(text)
    put_small(folder, SMALL.replace('["-a"]', '["-b"]'))


def test_what_a_killed_build_left_is_removed(project: Path) -> None:
    """A temporary file that a build left is removed by the next, even by one with nothing to do;
    that of a build that runs is not, nor what a person calls so."""
    tvarc("build")
    folder = project / "pkgs"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = folder / f".tvarc-{ended.pid}.tmp"
    left.write_text("half")
    living = folder / f".tvarc-{os.getppid()}.tmp"
    living.write_text("half")
    for name in (".tvarc-.tmp", ".tvarc-x.tmp", ".tvarc-1.nix", f".tvarc-{ended.pid}.tmp.orig"):
        (folder / name).write_text("mine")
    tvarc("build", "--dry-run")
    assert left.exists()
    assert tvarc("build").stdout == "5 recipes in pkgs: 0 written, 5 unchanged\n"
    assert not left.exists() and living.exists()
    assert len(list(folder.glob(".tvarc-*"))) == 5
