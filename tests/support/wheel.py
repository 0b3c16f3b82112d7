"""A wheel of the checkout, built as `pip` builds it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.compile import ROOT

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
UNCOMPILED = {"PIP_NO_COMPILE": "1"}
"""What is loaded is compiled then: to compile all modules of an installation takes longer."""


def build_wheel(source: Path, folder: Path) -> Path:
    """The wheel of *source*, in *folder*, which is made."""
    folder.mkdir()
    command = [*PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True, cwd=folder, env={**os.environ, **UNCOMPILED})
    (found,) = folder.glob("*.whl")
    return found


def wheel_of_checkout(folders: pytest.TempPathFactory) -> Path:
    """The one of the checkout: of `TVARC_WHEEL`, or built once for all processes that share the
    tests."""
    if given := os.environ.get("TVARC_WHEEL"):
        return Path(given)
    base = folders.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with (shared / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = [*(shared / "wheel").glob("*.whl")]
        return built[0] if built else build_wheel(ROOT, shared / "wheel")
