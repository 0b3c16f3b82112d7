"""Settings of the whole test suite."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile

import pytest

_CACHE = "XDG_CACHE_HOME"
_FROZEN = "--frozen"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        _FROZEN,
        action="store_true",
        help="make tvarc's classes by the standard library's dataclasses, so that frozen is frozen",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(_FROZEN):
        _freeze()
    if not hasattr(config, "workerinput"):  # processes that share the work share the folder
        os.environ[_CACHE] = tempfile.mkdtemp(prefix="tvarc-tests-cache-")
    config.addinivalue_line("markers", "nix: judged by real Nix, and again by a newer one in CI")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[_CACHE], ignore_errors=True)


def _freeze() -> None:
    """Let `tvarc.light` hand out the standard library's dataclasses, whose frozen nodes refuse to
    be changed. No module that takes them from there is loaded yet."""
    from tvarc import light

    for name in ("dataclass", "field", "fields", "is_dataclass", "replace"):
        setattr(light, name, getattr(dataclasses, name))
