"""The standard library's tables in tests, and the collected facts that they are made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from support.compile import ROOT, codes, compile_text, messages, std_sources
from tvarc.meaning import hir
from tvarc.values.value import RowValue, Value, Version, show

MARKS = {"V": "verified", "S": "single", "C": "conflicting", "U": "unsourced"}
LONG_MARKS = {"single-source": "single"}


@cache
def collected(name: str) -> Any:
    """The facts collected in `tests/data/<name>.json`."""
    return json.loads((ROOT / "tests" / "data" / f"{name}.json").read_text(encoding="utf-8"))


@cache
def module_tables(module: str) -> dict[str, hir.Table]:
    """The tables that `std.<module>` declares, by name, in the order of its text."""
    compilation = compile_text(f"use std.{module}\n")
    assert codes(compilation) == [], messages(compilation)
    assert compilation.resolution is not None
    tables = compilation.resolution.program.tables.values()
    own = [table for table in tables if table.origin.startswith(f"std/{module}.tvar::")]
    return {table.name: table for table in sorted(own, key=lambda table: table.span.start)}


def all_tables() -> Iterator[tuple[str, hir.Table]]:
    """Every table, with the module that it stands in."""
    for module in sorted(std_sources()):
        for table in module_tables(module).values():
            yield module, table


def rows(module: str, table: str) -> dict[str, RowValue]:
    return module_tables(module)[table].rows


def fact(row: RowValue, name: str) -> Value:
    return row.facts[name].value


def text(row: RowValue, name: str) -> str | None:
    """A string or version as text; None for null."""
    value = fact(row, name)
    assert value is None or isinstance(value, str | Version), show(value)
    return str(value.text) if isinstance(value, Version) else value


def version(row: RowValue, name: str) -> Version:
    value = fact(row, name)
    assert isinstance(value, Version), f"{row.name}: {name}"
    return value


def texts(row: RowValue, name: str) -> list[str]:
    """A list of strings or versions as texts; [] for null."""
    value = fact(row, name)
    if value is None:
        return []
    assert isinstance(value, tuple), f"{row.name}: {name}"
    return [item.text if isinstance(item, Version) else str(item) for item in value]


def at_least(left: Version, right: Version) -> bool:
    return left.compare(right) >= 0


def holds(row: RowValue, toolkit: Version) -> bool:
    """Whether the compiler of *toolkit* takes the target *row*, by its first and last toolkit."""
    last = fact(row, "last-cuda")
    ended = isinstance(last, Version) and not at_least(last, toolkit)
    return at_least(toolkit, version(row, "first-cuda")) and not ended
