"""A folder that is not there yet: written beside its place, and there whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.dying import KILLED, Dying, Full, forked
from tvarc.files.output import atomic, folders, fresh, leftovers, write
from tvarc.files.output.header import seal
from tvarc.files.output.model import OutputFile, WriteMode, WriteReport
from tvarc.files.output.write import write_files
from tvarc.text.diagnostics.model import Sink

NAMES = ["pkgs/a.nix", "pkgs/b.nix", "pkgs/deep/c.nix", "pkgs/deep/d.nix"]


def text(path: str) -> str:
    return seal(["# Made by tvarc."], f"{path} " * 2000)


def build(root: Path, names: list[str] = NAMES) -> tuple[WriteReport, Sink]:
    sink = Sink()
    files = [OutputFile(name, text(name)) for name in names]
    return write_files(files, str(root), WriteMode(), sink), sink


def there(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


WHOLE = {name: text(name) for name in NAMES}


class Counting:
    """The module `os`, which counts the calls of `rename` and `replace`."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> object:
        real: Any = getattr(os, name)
        if name not in ("rename", "replace"):
            return real

        def call(*args: object, **named: object) -> object:
            self.calls.append(name)
            return real(*args, **named)

        return call


@pytest.mark.parametrize("root", ["", "made", "made/below"])
def test_one_rename_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str) -> None:
    counting = Counting()
    for module in (atomic, fresh, leftovers):
        monkeypatch.setattr(module, "os", counting)
    report, sink = build(tmp_path / root)
    assert not list(sink)
    assert report.written == report.created == tuple(NAMES)
    assert counting.calls == ["rename"]
    assert there(tmp_path / root) == WHOLE
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / root).rglob("*.nix")}
    mask = os.umask(0)
    os.umask(mask)
    assert modes == {0o644 & ~mask}


def test_a_folder_that_is_there_keeps_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "pkgs").mkdir()
    (tmp_path / "pkgs" / "README").write_text("mine")
    build(tmp_path)
    assert there(tmp_path) == {**WHOLE, "pkgs/README": "mine"}


@pytest.mark.slow
def test_killed_before_each_change(tmp_path: Path) -> None:
    for at in range(1, 200):
        root = tmp_path / str(at)
        root.mkdir()

        def run(at: int = at, root: Path = root) -> None:
            dying = Dying(at, also=("rename",))
            for module in (atomic, folders, fresh, leftovers, write):
                module.os = dying  # type: ignore[attr-defined]
            build(root)

        ended = os.waitstatus_to_exitcode(forked(run))
        assert ended in (0, KILLED)
        placed = (root / "pkgs").exists()
        if placed:
            recipes = {path: text for path, text in there(root).items() if ".tvarc-" not in path}
            assert recipes == WHOLE
        report, sink = build(root)
        assert not list(sink)
        assert len(report.written) == (0 if placed else len(NAMES))
        assert there(root) == WHOLE
        assert not list(root.rglob(".tvarc-*"))
        if ended == 0:
            break
    assert at > 20
    assert ended == 0


def test_the_disk_is_full_at_each_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(1, 100):
        root = tmp_path / str(at)
        root.mkdir()
        full = Full(at)
        with monkeypatch.context() as patch:
            for module in (atomic, folders, fresh, leftovers, write):
                patch.setattr(module, "os", full)
            report, sink = build(root)
        if not list(sink):
            break
        assert [fault.code for fault in sink] == ["E802"]
        assert report.written == ()
        assert not list(root.iterdir())
    assert at > 5
    assert there(root) == WHOLE


@pytest.mark.parametrize("others", [(), ("a.nix",), ("README",), ("a.nix", "b.nix")])
def test_somebody_else_makes_the_folder_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: tuple[str, ...]
) -> None:
    real = os.rename

    def rename(source: str, place: str, **where: int) -> None:
        (tmp_path / "pkgs").mkdir()
        for name in others:
            (tmp_path / "pkgs" / name).write_text(WHOLE.get(f"pkgs/{name}", "mine"))
        real(source, place, **where)

    monkeypatch.setattr(os, "rename", rename)
    report, sink = build(tmp_path)
    assert not list(sink)
    found = there(tmp_path)
    assert found.pop("pkgs/README", "mine") == "mine"
    assert found == WHOLE
    mine = sum(f"pkgs/{name}" in WHOLE for name in others)
    assert (len(report.written), report.unchanged) == (len(NAMES) - mine, mine)
    assert not list(tmp_path.glob(".tvarc-*"))


def test_somebody_else_writes_another_file_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename

    def rename(source: str, place: str, **where: int) -> None:
        (tmp_path / "pkgs").mkdir()
        (tmp_path / "pkgs" / "b.nix").write_text("mine")
        real(source, place, **where)

    monkeypatch.setattr(os, "rename", rename)
    _, sink = build(tmp_path)
    assert [fault.code for fault in sink] == ["E801"]
    assert (tmp_path / "pkgs" / "b.nix").read_text() == "mine"


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    real = atomic.write_all

    def stop(handle: int, data: bytes) -> None:
        real(handle, data)
        calls.append(handle)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("tvarc.files.output.fresh.write_all", stop)
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_a_killed_run_left_is_removed_without_following_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "keep").write_text("mine")
    root = tmp_path / "root"
    left = root / ".tvarc-999999999.tmp"
    (left / "deep").mkdir(parents=True)
    (left / "deep" / "a.nix").write_text("half")
    (left / left.name).touch()
    (left / "link").symlink_to(outside)
    build(root)
    assert there(root) == WHOLE
    assert not left.exists()
    assert (outside / "keep").read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "mkdir", refuse)
    _, sink = build(tmp_path)
    assert [fault.code for fault in sink] == ["E802"]


def test_a_link_with_the_name_of_a_leftover_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "keep").write_text("mine")
    root = tmp_path / "root"
    root.mkdir()
    link = root / ".tvarc-999999999.tmp"
    link.symlink_to(outside)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        build(root)
    assert link.is_symlink()
    assert (outside / "deep" / "keep").read_text() == "mine"


def test_the_folder_of_a_run_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    """Where its process cannot be seen, as from another container, the lock tells."""
    going = tmp_path / ".tvarc-999999999.tmp"
    going.mkdir()
    (going / "a.nix").write_text("half")
    (going / going.name).touch()
    handle = os.open(going, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    build(tmp_path)
    assert (going / "a.nix").read_text() == "half"
    os.close(handle)
    build(tmp_path, [*NAMES, "pkgs/more.nix"])
    assert not going.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_is_of_another_user_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / ".tvarc-999999999.tmp"
    other.mkdir()
    (other / "a.nix").write_text("theirs")
    (other / other.name).touch()
    os.chown(other, 12345, 12345)
    build(tmp_path)
    assert (other / "a.nix").read_text() == "theirs"


def test_files_that_did_not_arrive_are_written_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename

    def rename(source: str, place: str, **where: int) -> None:
        real(source, place, **where)
        (tmp_path / "pkgs" / "deep" / "c.nix").unlink()

    monkeypatch.setattr(os, "rename", rename)
    report, sink = build(tmp_path)
    assert not list(sink)
    assert there(tmp_path) == WHOLE
    assert (report.written, report.created, report.unchanged) == (tuple(NAMES), tuple(NAMES), 0)


def test_a_rename_whose_answer_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As over a network: the folder is in its place, and the system says that it failed."""
    real = os.rename

    def rename(source: str, place: str, **where: int) -> None:
        real(source, place, **where)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(os, "rename", rename)
    report, sink = build(tmp_path)
    assert not list(sink)
    assert (report.written, report.created, report.unchanged) == (tuple(NAMES), tuple(NAMES), 0)
    assert there(tmp_path) == WHOLE
    assert not list(tmp_path.rglob(".tvarc-*"))


def test_a_renamed_folder_has_another_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems number a folder by its path; what was open leads nowhere then."""
    real = os.rename

    def rename(source: str, place: str, **where: int) -> None:
        shutil.copytree(tmp_path / source, tmp_path / place)
        shutil.rmtree(tmp_path / source)

    monkeypatch.setattr(os, "rename", rename)
    report, sink = build(tmp_path)
    assert not list(sink)
    assert (report.written, report.unchanged) == (tuple(NAMES), 0)
    assert there(tmp_path) == WHOLE
    monkeypatch.setattr(os, "rename", real)
    assert build(tmp_path)[0].unchanged == len(NAMES)


def test_without_locks_files_are_written_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    report, sink = build(tmp_path)
    assert not list(sink)
    assert len(report.written) == len(NAMES)
    assert there(tmp_path) == WHOLE
    assert not list(tmp_path.glob(".tvarc-*"))


def test_a_folder_above_that_cannot_be_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(write, "flush_folder", refuse)
    report, sink = build(tmp_path)
    assert [fault.code for fault in sink] == ["E802"]
    assert "4 of 4 files had been written" in str(list(sink))
    assert len(report.written) == len(NAMES)


def test_a_folder_that_was_given_the_name_of_a_leftover_is_left_alone(tmp_path: Path) -> None:
    thesis = tmp_path / ".tvarc-0.tmp"
    (thesis / "chapters").mkdir(parents=True)
    (thesis / "chapters" / "1.tex").write_text("mine")
    build(tmp_path)
    assert there(tmp_path) == {**WHOLE, ".tvarc-0.tmp/chapters/1.tex": "mine"}


def test_a_folder_that_is_not_the_one_that_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename

    def rename(source: str, place: str, **where: int) -> None:
        real(tmp_path / source, tmp_path / "aside")
        (tmp_path / source).mkdir()
        real(source, place, **where)

    monkeypatch.setattr(os, "rename", rename)
    _, sink = build(tmp_path)
    assert not list(sink)
    found = there(tmp_path)
    assert {path: text for path, text in found.items() if path.startswith("pkgs/")} == WHOLE
