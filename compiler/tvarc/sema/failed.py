"""The way out of an expression that has no value."""

from __future__ import annotations


class Failed(Exception):
    """An expression has no value; the reason has been reported already."""
