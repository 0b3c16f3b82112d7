"""A folder with a small program, made the current one."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import put_small


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose name has a blank and a letter beyond ASCII, with `variants.tvar` in it."""
    folder = tmp_path / "my prøject"
    folder.mkdir()
    put_small(folder)
    monkeypatch.chdir(folder)
    return folder
