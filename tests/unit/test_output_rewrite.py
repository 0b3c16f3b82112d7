"""A source that `fmt`, `bump` or `lock` puts new text into: nothing of it is lost, and it stays
whose it was."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tvarc.files.persons import rewrite
from tvarc.text.diagnostics.model import Sink


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "variants.tvar"
    found.write_bytes(b"old\n")
    return found


def written(file: Path) -> None:
    sink = Sink()
    assert rewrite(str(file), b"old\n", b"new\n", sink) and not len(sink)
    assert file.read_bytes() == b"new\n"


def test_the_text_lasts_before_the_name_does(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut at any moment leaves the one text or the other, never an empty file."""
    calls: list[tuple[str, str]] = []
    sync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        text = "" if kind == "folder" else os.pread(os.open(f"/proc/self/fd/{handle}", 0), 99, 0)
        calls.append((kind, str(text)))
        sync(handle)

    def replaced(old: str, new: str, **options: int) -> None:
        calls.append(("replace", new))
        replace(old, new, **options)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the text of an open file cannot be asked for here")
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    written(file)
    assert calls == [("file", "b'new\\n'"), ("replace", "variants.tvar"), ("folder", "")]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="not root")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o4755])
def test_the_owner_stays(file: Path, mode: int) -> None:
    """As in a container, where root does what a person asks for."""
    os.chown(file, 1234, 4321)
    file.chmod(mode)
    written(file)
    now = file.stat()
    assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (1234, 4321, mode)


@pytest.mark.parametrize("group", [True, False])
def test_where_files_cannot_be_given_away(
    file: Path, monkeypatch: pytest.MonkeyPatch, group: bool
) -> None:
    """The group stays, or nothing is written."""
    asked: list[tuple[int, int]] = []
    found = os.stat
    mine = found(file)

    def other(path: str, **options: bool) -> os.stat_result:
        real = found(path, **options)
        return os.stat_result((*real[:4], mine.st_uid + 1, mine.st_gid + 1, *real[6:]))

    def refused(handle: int, owner: int, group_id: int) -> None:
        asked.append((owner, group_id))
        if owner != -1 or not group:
            raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "stat", other)
    monkeypatch.setattr(os, "fchown", refused)
    sink = Sink()
    assert rewrite(str(file), b"old\n", b"new\n", sink) is group
    assert asked == [(mine.st_uid + 1, mine.st_gid + 1), (-1, mine.st_gid + 1)]
    monkeypatch.undo()
    assert file.read_bytes() == (b"new\n" if group else b"old\n")
    assert [one.name for one in file.parent.iterdir()] == ["variants.tvar"]
    assert [one.title for one in sink] == (
        [] if group else [f"`{file}` cannot be written: operation not permitted"]
    )


def test_attributes_stay(file: Path) -> None:
    try:
        os.setxattr(file, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("files have no attributes here")
    written(file)
    assert os.getxattr(file, "user.note") == b"mine"


def test_another_hard_link_keeps_the_old_text(file: Path) -> None:
    other = file.with_name("other.tvar")
    other.hardlink_to(file)
    written(file)
    assert other.read_bytes() == b"old\n"
