"""How much of what is slow is tried: a few examples by hand and in CI, all in a long run."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pytest

SLOW: Final = "TVARC_TESTS_SLOW"
"""Set to 1 by `--slow`, before tests are collected."""
LONG: Final = "TVARC_TESTS_LONG"
"""Set to 1 by a person, before a release: as many examples as find something once a year."""
_FEW: Final = 16
_LEAST: Final = 5
_SHOWN: Final = 200


def thorough() -> bool:
    """Whether slow tests run: where `CI` is set, as services do, with `--slow`, in a long run."""
    asked = os.environ.get(SLOW) == "1" or is_long()
    return asked or os.environ.get("CI", "") not in ("", "0", "false")


def is_long() -> bool:
    """Whether this is a long run, with all examples."""
    return os.environ.get(LONG) == "1"


def examples(count: int) -> int:
    """How many examples a property is tried on that takes *count* of them in a long run."""
    return count if is_long() else max(_LEAST, count // _FEW)


def sampled(
    values: Iterable[Any], every: int = 8, *, ci: int = 1, several: bool = False
) -> list[Any]:
    """What `parametrize` is given: many ways to ask one thing. Of *values*, one in *every* is tried
    by hand too, and the others are slow. If each is as good as another, CI tries one in *ci*, and
    a long run all. With *several* each is a tuple for several names."""
    return [
        pytest.param(*(value if several else (value,)), marks=[pytest.mark.slow] * (at % every > 0))
        for at, value in enumerate(values)
        if is_long() or at % every == 0 or at % ci == 0
    ]


def all_hold(check: Callable[[Any], None], rows: Iterable[Any]) -> None:
    """Check all *rows*. Raises an ExceptionGroup of the errors of those that fail, each with its
    row."""
    faults: list[Exception] = []
    for row in rows:
        try:
            check(row)
        except Exception as fault:
            fault.add_note(f"row: {repr(row)[:_SHOWN]}")
            faults.append(fault)
    if faults:
        raise ExceptionGroup(f"{len(faults)} rows fail", faults)


def for_each(
    names: str, rows: Iterable[Any], *, every: int = 1
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A test of many small cases, with *names* and *rows* as `parametrize` has them, but as one
    test: to start and to report a test takes longer than a small case. A fixture is the same for
    all rows. Without CI one row in *every* is tried."""
    words, tried = names.replace(",", " ").split(), [*rows][:: 1 if thorough() else every]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def whole(**fixtures: Any) -> None:
            def check(row: Any) -> None:
                given = (row,) if len(words) == 1 else row
                test(**fixtures, **dict(zip(words, given, strict=True)))

            all_hold(check, tried)

        own = inspect.signature(test)
        kept = [one for name, one in own.parameters.items() if name not in words]
        whole.__dict__["__signature__"] = own.replace(parameters=kept)
        return whole

    return decorate


def writes() -> int:
    """How often this process has asked the system to write."""
    counts = Path("/proc/self/io").read_text(encoding="utf-8")
    return int(counts.partition("syscw: ")[2].split()[0])
