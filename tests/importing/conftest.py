"""Recipes by hand are put into a folder of the test, which is the current one."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def in_a_folder(here: Path) -> None:
    """All tests here are in a folder of their own."""
