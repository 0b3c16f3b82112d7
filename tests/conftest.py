"""Settings of the whole test suite."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "nix: judged by real Nix, and again by a newer one in CI")
