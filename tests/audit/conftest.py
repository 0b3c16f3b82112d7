"""The 44 recipes of `variants.tvar`, written once and copied for each test that breaks them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.compile import VARIANTS, compile_variants, write_recipes


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    write_recipes(compile_variants(), folder)
    shutil.copy(VARIANTS, folder / "variants.tvar")
    return folder


@pytest.fixture
def recipes(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the recipes, in a project that is the current folder."""
    copy = tmp_path / "project"
    shutil.copytree(built, copy)
    monkeypatch.chdir(copy)
    return copy / ".flox" / "pkgs"
