"""When the system fails in the middle: every file is wholly old or wholly new."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tvarc.files.output import folders
from tvarc.files.output.header import OutputFile, seal
from tvarc.files.output.plan import WriteMode, WriteReport
from tvarc.files.output.write import write_files
from tvarc.text.diagnostics.model import Sink

NAMES = ["a.nix", "b.nix", "dir/c.nix", "dir/d.nix", "e.nix"]


def text(body: str) -> str:
    return seal(["# Made by tvarc."], body * 100)


def run(root: Path, body: str) -> tuple[WriteReport, Sink]:
    sink = Sink()
    files = [OutputFile(name, text(body)) for name in NAMES]
    return write_files(files, str(root), WriteMode(), sink), sink


def temporaries(root: Path) -> list[Path]:
    return list(root.rglob(".tvarc-*"))


class Failing:
    """Calls *real*, but fails at the call with number *at*."""

    def __init__(self, real: Callable[..., Any], at: int, error: BaseException) -> None:
        self.real, self.at, self.error, self.calls = real, at, error, 0

    def __call__(self, *args: Any, **named: Any) -> Any:
        # Reading closes files and folders too: fail in the writing alone.
        if self.real is os.close and not fcntl.fcntl(args[0], fcntl.F_GETFL) & os.O_WRONLY:
            return self.real(*args)
        self.calls += 1
        if self.calls == self.at:
            raise self.error
        return self.real(*args, **named)


@pytest.mark.parametrize("call", ["write", "replace", "fchmod", "close"])
@pytest.mark.parametrize("at", range(1, 6))
def test_failure_leaves_whole_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, at: int
) -> None:
    run(tmp_path, "old")
    failing = Failing(getattr(os, call), at, OSError(errno.ENOSPC, "No space left on device"))
    with monkeypatch.context() as patch:
        patch.setattr(folders, "os", _Os({call: failing}))
        report, sink = run(tmp_path, "new")
    (item,) = sink
    assert item.code == "E802"
    assert "no space left on device" in item.title
    assert report.written == tuple(NAMES[: at - 1])
    assert item.notes == (f"{at - 1} of 5 files had been written; the rest is as it was",)
    for index, name in enumerate(NAMES):
        expected = text("new") if index < at - 1 else text("old")
        assert (tmp_path / name).read_text() == expected
    assert temporaries(tmp_path) == []
    report, sink = run(tmp_path, "new")
    assert len(sink) == 0
    assert report.written == tuple(NAMES[at - 1 :])


class _Os:
    """The module `os` with some of its functions replaced."""

    def __init__(self, replaced: dict[str, object]) -> None:
        self._replaced = replaced

    def __getattr__(self, name: str) -> object:
        return self._replaced.get(name, getattr(os, name))


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(handle: int, data: bytes) -> int:
        return os.write(handle, data[:7])

    monkeypatch.setattr(folders, "os", _Os({"write": short}))
    _, sink = run(tmp_path, "new")
    assert len(sink) == 0
    assert (tmp_path / "a.nix").read_text() == text("new")


def test_interrupt_leaves_no_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, "old")
    failing = Failing(os.replace, 2, KeyboardInterrupt())
    with monkeypatch.context() as patch:
        patch.setattr(folders, "os", _Os({"replace": failing}))
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, "new")
    assert temporaries(tmp_path) == []
    assert (tmp_path / "a.nix").read_text() == text("new")
    assert (tmp_path / "b.nix").read_text() == text("old")


def test_killed_run_is_cleaned_up_by_the_next(tmp_path: Path) -> None:
    run(tmp_path, "old")
    script = (
        "import os, sys\n"
        "from tvarc.files.output import folders\n"
        "os.replace = lambda *_, **__: os._exit(9)\n"
        "folder = os.open(sys.argv[1], os.O_RDONLY)\n"
        "folders.put(folder, folders.temporary_name(), 'a.nix', b'half', None)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "dir")], check=False)
    assert killed.returncode == 9
    (left,) = temporaries(tmp_path)
    assert left.suffix == ".tmp"
    (tmp_path / ".tvarc-999999999.tmp").write_text("x")
    (tmp_path / f".tvarc-{os.getpid()}.tmp").write_text("x")
    report, sink = run(tmp_path, "old")
    assert report.unchanged == 5
    assert len(sink) == 0
    assert temporaries(tmp_path) == []


def test_temporary_of_a_living_run_stays(tmp_path: Path) -> None:
    run(tmp_path, "old")
    living = tmp_path / f".tvarc-{os.getppid()}.tmp"
    living.write_text("x")
    run(tmp_path, "new")
    assert living.exists()


def test_folder_is_flushed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Failing(os.fsync, 0, OSError())
    monkeypatch.setattr(folders, "os", _Os({"fsync": counted}))
    run(tmp_path, "old")
    assert counted.calls == 2
    run(tmp_path, "old")
    assert counted.calls == 2


@pytest.mark.parametrize(("code", "told"), [(errno.EINVAL, 0), (errno.EIO, 1)])
def test_flush_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, told: int
) -> None:
    failing = Failing(os.fsync, 1, OSError(code, os.strerror(code)))
    monkeypatch.setattr(folders, "os", _Os({"fsync": failing}))
    report, sink = run(tmp_path, "old")
    assert [item.code for item in sink] == ["E802"] * told
    assert len(report.written) == 5


def test_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = Failing(os.mkdir, 1, OSError(errno.EACCES, "Permission denied"))
    monkeypatch.setattr(os, "mkdir", failing)
    report, sink = run(tmp_path, "new")
    (item,) = sink
    assert item.title == "`dir/c.nix` cannot be written: permission denied"
    assert report.written == ("a.nix", "b.nix")


def test_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, "old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "read", Failing(os.read, 2, OSError(errno.EIO, "Input/output error")))
        report, sink = run(tmp_path, "new")
    (item,) = sink
    assert item.code == "E802"
    assert "`b.nix`" in item.title
    assert report.written == ()
    assert (tmp_path / "a.nix").read_text() == text("old")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_without_permission(tmp_path: Path) -> None:
    run(tmp_path, "old")
    tmp_path.chmod(0o555)
    try:
        report, sink = run(tmp_path, "new")
    finally:
        tmp_path.chmod(0o755)
    assert [item.code for item in sink] == ["E802"]
    assert report.written == ()
