"""How much of what is slow is tried: all of it in CI, a part by hand."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

import pytest

SLOW: Final = "TVARC_TESTS_SLOW"
"""Set to 1 by `--slow`, before tests are collected."""
_SHARE: Final = 6
_LEAST: Final = 5


def thorough() -> bool:
    """Whether all is tried: where `CI` is set, as services do, and with `--slow`."""
    return os.environ.get(SLOW) == "1" or os.environ.get("CI", "") not in ("", "0", "false")


def examples(count: int) -> int:
    """How many examples a property is tried on that takes *count* of them in CI."""
    return count if thorough() else max(_LEAST, count // _SHARE)


def sampled(values: Iterable[Any], every: int = 8, *, several: bool = False) -> list[Any]:
    """What `parametrize` is given: of *values* one in so many is tried by hand too, the others are
    slow. They are many ways to ask one thing. With *several* each is a tuple for several names."""
    return [
        pytest.param(*(value if several else (value,)), marks=[pytest.mark.slow] * (at % every > 0))
        for at, value in enumerate(values)
    ]
