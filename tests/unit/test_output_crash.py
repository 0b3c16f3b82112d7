"""A run that is killed, at each of its operations on the disk: every file is wholly old or wholly
new, what a person wrote is still there, and the next run mends the rest."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from support.dying import KILLED, Dying, Full, end, forked
from tvarc.files.output import folders, prune, write
from tvarc.files.output.header import OutputFile, seal
from tvarc.files.output.plan import Author, Place, Sweep, WriteMode
from tvarc.files.output.write import write_files
from tvarc.text.diagnostics.model import Sink

MINE = "{ }: by hand\n"
OLD = {"d/a.nix": "old", "d/b.nix": "old", "d/gone.nix": "gone", "d/moved.nix": "moved"}
NEW = {"d/a.nix": "new", "d/b.nix": "new", "d/hand.nix": "new", "d/new.nix": "new"}
SWEEP = Sweep((Place("d", 0),), Author("p.tvar"), remove=True)


def text(path: str, body: str) -> str:
    head = [f"# {Path(path).stem}: x", "# Made by tvarc from p.tvar: matrix m, recipe r."]
    return seal(head, f"{body} " * 3000 + "\n")


def given(files: dict[str, str]) -> list[OutputFile]:
    return [OutputFile(path, text(path, body)) for path, body in files.items()]


def build(root: Path, files: dict[str, str]) -> Sink:
    sink = Sink()
    write_files(given(files), str(root), WriteMode(adopt=True), sink, sweep=SWEEP)
    return sink


def prepare(root: Path) -> None:
    assert not list(build(root, OLD))
    (root / "d" / "hand.nix").write_text(MINE)


def found(root: Path) -> dict[str, str]:
    return {f"d/{path.name}": path.read_text() for path in (root / "d").iterdir()}


def assert_whole(root: Path) -> None:
    here = found(root)
    for path, content in here.items():
        if path.startswith("d/.tvarc-"):
            continue
        whole = {text(path, files[path]) for files in (OLD, NEW) if path in files}
        assert content in (whole | {MINE} if "hand" in path else whole), path
    assert MINE in (here.get("d/hand.nix"), here.get("d/hand.nix.orig"))
    assert {"d/a.nix", "d/b.nix", "d/hand.nix"} <= set(here)


def assert_mended(root: Path) -> None:
    assert not list(build(root, NEW))
    wanted = {path: text(path, body) for path, body in NEW.items()}
    assert found(root) == {**wanted, "d/hand.nix.orig": MINE}


@pytest.mark.slow
def test_killed_before_each_change(tmp_path: Path) -> None:
    for at in range(1, 500):
        root = tmp_path / str(at)
        prepare(root)

        def run(at: int = at, root: Path = root) -> None:
            dying = Dying(at)
            for module in (folders, prune, write):
                module.os = dying  # type: ignore[attr-defined]
            build(root, NEW)

        ended = os.waitstatus_to_exitcode(forked(run))
        assert ended in (0, KILLED)
        assert_whole(root)
        assert_mended(root)
        if ended == 0:
            break
    assert at > 30  # there are some, and the last run had no more of them
    assert ended == 0


@pytest.mark.slow
def test_the_disk_is_full_at_each_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(1, 100):
        root = tmp_path / str(at)
        prepare(root)
        full = Full(at)
        with monkeypatch.context() as patch:
            for module in (folders, prune, write):
                patch.setattr(module, "os", full)
            faults = list(build(root, NEW))
        assert_whole(root)
        assert not [path for path in found(root) if path.startswith("d/.tvarc-")]
        if faults:
            assert [fault.code for fault in faults] == ["E802"]
            assert "no space left on device" in faults[0].title
            assert {"d/gone.nix", "d/moved.nix"} <= set(found(root))
        assert_mended(root)
        if not faults:
            break
    assert at > 8
    assert not faults


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_killed_at_any_time(tmp_path: Path, seed: int) -> None:
    prepare(tmp_path)
    child = os.fork()
    if not child:
        end(lambda: build(tmp_path, NEW))
    time.sleep(0.0004 * seed)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert_whole(tmp_path)
    assert_mended(tmp_path)


@pytest.mark.slow
def test_two_runs_at_once(tmp_path: Path) -> None:
    """Two programs' states are built again and again by two processes; a third looks on."""
    bodies = ("one", "two")
    names = [f"d/{number}.nix" for number in range(6)]
    wholes = {name: {text(name, body) for body in bodies} for name in names}
    build(tmp_path, dict.fromkeys(names, "one"))

    def loop(body: str) -> None:
        for _ in range(40):
            build(tmp_path, dict.fromkeys(names, body))

    children: list[int] = []
    for body in bodies:
        child = os.fork()
        if not child:
            end(lambda body=body: loop(body))  # type: ignore[misc]
        children.append(child)
    for _ in range(100):
        for name in names:
            assert (tmp_path / name).read_text() in wholes[name]
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    assert not list(build(tmp_path, dict.fromkeys(names, "two")))
    assert found(tmp_path) == {name: text(name, "two") for name in names}
