"""Settings of the whole test suite."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

_CACHE = "XDG_CACHE_HOME"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # processes that share the work share the folder
        os.environ[_CACHE] = tempfile.mkdtemp(prefix="tvarc-tests-cache-")
    config.addinivalue_line("markers", "nix: judged by real Nix, and again by a newer one in CI")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[_CACHE], ignore_errors=True)
