"""A folder that does not exist yet: each file in it is whole, whatever ends the run."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from support.dying import KILLED, Dying, Full, forked
from tvarc.files.output import folders, write
from tvarc.files.output.header import OutputFile, seal
from tvarc.files.output.plan import WriteMode, WriteReport
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


def assert_whole(root: Path) -> None:
    """Each file below *root*, apart from a temporary one, is one of the files, and whole."""
    for path, content in there(root).items():
        assert ".tvarc-" in path or content == WHOLE[path]


@pytest.mark.parametrize("root", ["", "made", "made/below"])
def test_all_files_with_their_folders(tmp_path: Path, root: str) -> None:
    report, sink = build(tmp_path / root)
    assert not list(sink)
    assert report.written == report.created == tuple(NAMES)
    assert there(tmp_path / root) == WHOLE


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
            dying = Dying(at)
            for module in (folders, write):
                module.os = dying  # type: ignore[attr-defined]
            build(root)

        ended = os.waitstatus_to_exitcode(forked(run))
        assert ended in (0, KILLED)
        assert_whole(root)
        report, sink = build(root)
        assert not list(sink)
        assert len(report.written) + report.unchanged == len(NAMES)
        assert there(root) == WHOLE
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
            for module in (folders, write):
                patch.setattr(module, "os", full)
            report, sink = build(root)
        assert not list(root.rglob(".tvarc-*"))
        assert set(there(root)) == set(report.written)
        assert_whole(root)
        if not list(sink):
            break
        assert [fault.code for fault in sink] == ["E802"]
    assert at > 5
    assert there(root) == WHOLE


@pytest.mark.parametrize("others", [(), ("a.nix",), ("README",), ("a.nix", "b.nix")])
def test_somebody_else_makes_the_folder_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: tuple[str, ...]
) -> None:
    real = os.mkdir

    def mkdir(path: str, *given: int) -> None:
        real(path, *given)
        for name in others:
            (tmp_path / "pkgs" / name).write_text(WHOLE.get(f"pkgs/{name}", "mine"))
        monkeypatch.setattr(os, "mkdir", real)
        real(path, *given)  # the one of this run, which comes second

    monkeypatch.setattr(os, "mkdir", mkdir)
    report, sink = build(tmp_path)
    assert not list(sink)
    found = there(tmp_path)
    assert found.pop("pkgs/README", "mine") == "mine"
    assert found == WHOLE
    mine = sum(f"pkgs/{name}" in WHOLE for name in others)
    assert (len(report.written), report.unchanged) == (len(NAMES) - mine, mine)


def test_somebody_else_writes_another_file_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.mkdir

    def mkdir(path: str, *given: int) -> None:
        real(path, *given)
        (tmp_path / "pkgs" / "b.nix").write_text("mine")
        monkeypatch.setattr(os, "mkdir", real)

    monkeypatch.setattr(os, "mkdir", mkdir)
    _, sink = build(tmp_path)
    assert [fault.code for fault in sink] == ["E801"]
    assert (tmp_path / "pkgs" / "b.nix").read_text() == "mine"


def test_an_interrupt_leaves_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    real = folders.write_all

    def stop(handle: int, data: bytes) -> None:
        real(handle, data)
        calls.append(handle)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(folders, "write_all", stop)
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path)
    assert there(tmp_path) == {name: text(name) for name in NAMES[:2]}


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
