"""The small program of the command line's tests."""

from __future__ import annotations

from cli.conftest import project

__all__ = ["project"]
