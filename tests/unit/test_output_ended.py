"""A run that is ended by a signal, after each of its operations on the disk: no temporary file and
no temporary folder is left, and every file is wholly old or wholly new."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tvarc.commands.line.exits import EndedFromOutside
from tvarc.files.output import folders
from tvarc.files.output.header import OutputFile, seal
from tvarc.files.output.plan import WriteMode
from tvarc.files.output.write import write_files
from tvarc.files.persons import rewrite
from tvarc.text.diagnostics.model import Sink

CHANGING = ("open", "write", "close", "replace", "rename", "mkdir", "fchmod", "fsync")
MOST = 60


class Ending:
    """The module `os`, in which a signal arrives after the change with number *at*."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        if name not in CHANGING:
            return real

        def call(*args: object, **named: object) -> object:
            self.left -= 1
            made = real(*args, **named)
            if self.left == 0:
                raise EndedFromOutside(143)
            return made

        return call


def text(body: str) -> str:
    return seal(["# Made by tvarc."], body * 100)


def write(root: Path, body: str) -> None:
    files = [OutputFile(name, text(body)) for name in ("d/a.nix", "d/b.nix", "d/e/c.nix")]
    write_files(files, str(root), WriteMode(), Sink())


def ended(monkeypatch: pytest.MonkeyPatch, at: int, run: object) -> bool:
    """Whether a signal at that place ended *run*."""
    with monkeypatch.context() as patch:
        ending = Ending(at)
        patch.setattr(folders, "os", ending)
        try:
            run()  # type: ignore[operator]
        except EndedFromOutside:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("before", [False, True], ids=["a new folder", "over files"])
def test_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool) -> None:
    count = 0
    for at in range(1, MOST):
        root = tmp_path / str(at)
        root.mkdir()
        if before:
            write(root, "old")
        count += ended(monkeypatch, at, lambda root=root: write(root, "new"))
        assert list(root.rglob(".tvarc-*")) == []
        for file in root.rglob("*.nix"):
            assert file.read_text(encoding="utf-8") in (text("old"), text("new"))
    assert 10 < count < MOST - 1


@pytest.mark.slow
def test_a_source_that_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "variants.tvar"
    count = 0
    for at in range(1, MOST):
        file.write_bytes(b"old")
        count += ended(monkeypatch, at, lambda: rewrite(str(file), b"old", b"new", Sink()))
        assert [path.name for path in tmp_path.iterdir()] == ["variants.tvar"]
        assert file.read_bytes() in (b"old", b"new")
    assert 4 < count < MOST - 1


def test_what_a_killed_run_has_left_goes_with_the_next_one(tmp_path: Path) -> None:
    file = tmp_path / "variants.tvar"
    file.write_bytes(b"old")
    gone = tmp_path / ".tvarc-0.tmp"  # no process has this number
    gone.write_bytes(b"half")
    assert rewrite(str(file), b"old", b"new", Sink())
    assert not gone.exists()
