"""What keeps Nix from being given what it is to read is told as what it is."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from tvarc.nix.judge.folder import in_folder, in_lasting_folder
from tvarc.nix.judge.nix import NotInstalled
from tvarc.text.diagnostics.model import Sink


def told(number: int, file: str | None, *, lasting: bool = False) -> tuple[str, str, str]:
    """Code, title and note of what is told where the system refuses *file*, which is in the folder
    of what Nix is to read unless it is absolute."""
    folders: list[str] = []

    def asks(folder: str) -> str:
        folders.append(folder)
        place = str(Path(folder, file)) if file is not None else None
        raise OSError(number, os.strerror(number) if number else "its name is odd", place)

    sink = Sink()
    if lasting:
        assert in_lasting_folder(asks, sink) is None
    else:
        assert in_folder(asks, sink, "it", "nothing") is None
        assert not Path(folders[0]).exists()
    (one,) = sink
    return one.code, one.title, one.notes[0].replace(folders[0], "FOLDER")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("lasting", [False, True])
def test_what_the_system_refuses_is_told_as_what_it_is(lasting: bool) -> None:
    no_room = os.strerror(errno.ENOSPC)
    wrong = "the files that Nix reads cannot be written"
    assert told(errno.ENOSPC, "a.nix", lasting=lasting) == (
        "E802",
        wrong,
        f"FOLDER/a.nix: {no_room}",
    )
    assert told(errno.ENOSPC, None, lasting=lasting) == ("E802", wrong, no_room)
    denied = os.strerror(errno.EACCES)
    assert told(errno.EACCES, "/x/y.nix", lasting=lasting) == (
        "E106",
        "cannot read `/x/y.nix`",
        denied,
    )
    code, title, note = told(0, "/x/y", lasting=lasting)
    assert (code, title) == ("E802", "Nix cannot read a path with this name")
    assert note == "/x/y: its name is odd"


def test_a_folder_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    for lasting in (False, True):
        sink = Sink()
        found = in_lasting_folder(str, sink) if lasting else in_folder(str, sink, "it", "nothing")
        assert found is None
        (one,) = sink
        assert one.title == "there is no temporary folder for the files that Nix reads"
        assert os.strerror(errno.ENOENT) in one.notes[0] and "/no/such/folder" in one.notes[0]


def test_what_was_found_out_is_kept_where_the_folder_cannot_be_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(path: str, **_: object) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), path)

    def asks(folder: str) -> str:
        Path(folder, "a").write_text("")
        monkeypatch.setattr(os, "rmdir", refuse)
        monkeypatch.setattr(os, "unlink", refuse)
        return "found"

    sink = Sink()
    assert in_folder(asks, sink, "it", "nothing") == "found" and not list(sink)


def test_no_nix_is_no_matter_of_folders() -> None:
    def asks(_: str) -> str:
        raise NotInstalled

    sink = Sink()
    assert in_folder(asks, sink, "it", "nothing") is None
    assert [one.code for one in sink] == ["E912"]
