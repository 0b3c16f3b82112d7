"""Settings of the whole test suite."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile

import pytest

_CACHE = "XDG_CACHE_HOME"
_FROZEN = "TVARC_TESTS_FROZEN"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # processes that share the work share the folder
        os.environ[_CACHE] = tempfile.mkdtemp(prefix="tvarc-tests-cache-")
    config.addinivalue_line("markers", "nix: judged by real Nix, and again by a newer one in CI")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[_CACHE], ignore_errors=True)


def _freeze() -> None:
    """Let `tvarc.light` hand out the standard library's dataclasses, whose frozen nodes refuse to
    be changed."""
    from tvarc import light

    for name in ("dataclass", "field", "fields", "is_dataclass", "replace"):
        setattr(light, name, getattr(dataclasses, name))


# Now: other files of this name load modules that take their dataclasses from there.
if os.environ.get(_FROZEN) == "1":
    _freeze()
