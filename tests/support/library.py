"""The standard library's tables in tests, and the collected facts that they are made from."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from support.compile import ROOT, codes, compile_text, messages, std_sources
from tvarc.advice.library.relations import listed_sources
from tvarc.meaning import hir
from tvarc.values.value import RowValue, Value, Version, show

MARKS = {"V": "verified", "S": "single", "C": "conflicting", "U": "unsourced"}
LONG_MARKS = {"single-source": "single"}


@cache
def collected(name: str) -> Any:
    """The facts collected in `tests/data/<name>.json`."""
    return json.loads((ROOT / "tests" / "data" / f"{name}.json").read_text(encoding="utf-8"))


@cache
def module_program(module: str) -> hir.Program:
    compilation = compile_text(f"use std.{module}\n")
    assert codes(compilation) == [], messages(compilation)
    assert compilation.resolution is not None
    return compilation.resolution.program


Declared = TypeVar("Declared", hir.Table, hir.RecipeDef, hir.OverlayDef, hir.Check)


def _own(module: str, declared: Iterable[Declared]) -> list[Declared]:
    """What `std.<module>` itself declares, in the order of its text."""
    own = [one for one in declared if one.span.file == f"std/{module}.tvar"]
    return sorted(own, key=lambda one: one.span.start)


@cache
def module_tables(module: str) -> dict[str, hir.Table]:
    """The tables that `std.<module>` declares, by name."""
    return {one.name: one for one in _own(module, module_program(module).tables.values())}


def module_recipes(module: str) -> list[hir.RecipeDef]:
    return _own(module, module_program(module).recipes)


def module_overlays(module: str) -> list[hir.OverlayDef]:
    """The overlays and patches."""
    return _own(module, module_program(module).overlays)


def module_exclusions(module: str) -> list[hir.Check]:
    return _own(module, module_program(module).excludes)


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


# --- what a module declares, and says of it -------------------------------------------------------


def axes(node: object) -> list[str]:
    """The axes that a declaration reads, through `let`s, not through other declarations; those of
    a recipe with what it extends."""
    layers = [one.layer for one in node.chain()] if isinstance(node, hir.RecipeDef) else node
    return list(dict.fromkeys(_axes(layers)))


def _axes(node: object) -> Iterator[str]:
    match node:
        case hir.AxisRef():
            yield node.axis
        case hir.LetDef():
            yield from _axes(node.expr)
        case hir.Table() | hir.RecipeDef() | hir.OverlayDef() | hir.MatrixDef():
            pass
        case tuple() | list():
            for item in node:
                yield from _axes(item)
        case _ if dataclasses.is_dataclass(node):
            for one in dataclasses.fields(node):
                yield from _axes(getattr(node, one.name))
        case _:
            pass


_RECIPE = re.compile(r"^((?:# .*\n)+)recipe ([\w-]+)", re.MULTILINE)
_TABLE = re.compile(r"^facts ([\w-]+) \(\n(.*?)^\) \{$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"  ([\w-]+): .*?,(?:\s+# (.*))?")
_BEFORE = re.compile(r"  # (.*)")
_MORE = re.compile(r"\s{6,}# (.*)")


@dataclass(slots=True)
class Comments:
    """What a module's comments say: of itself, its sources, its tables' fields, its recipes."""

    paragraphs: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    recipes: dict[str, str] = field(default_factory=dict)


def comments_of(text: str) -> Comments:
    """The comments of a module: those at its head, and those beside the fields of its tables."""
    told = Comments()
    head = text.partition("\n\n")[0].partition("# Sources:\n")[0]
    lines = [line.removeprefix("#").strip() for line in head.splitlines()]
    paragraphs = "\n".join(lines).split("\n\n")
    told.paragraphs = [" ".join(one.split()) for one in paragraphs if one.strip()]
    told.sources = listed_sources(text)
    for table in _TABLE.finditer(text):
        told.fields[table[1]] = _field_comments(table[2])
    for recipe in _RECIPE.finditer(text):
        told.recipes[recipe[2]] = " ".join(recipe[1].replace("#", " ").split())
    return told


def _field_comments(text: str) -> dict[str, str]:
    """The comments on a field: next to it, above it, and on further lines below it."""
    told: dict[str, str] = {}
    before: list[str] = []
    name = ""
    for line in text.splitlines():
        if (above := _BEFORE.fullmatch(line)) is not None:
            before.append(above[1])
        elif (found := _FIELD.fullmatch(line)) is not None:
            name = found[1]
            told[name] = " ".join([*before, found[2] or ""]).strip()
            before = []
        elif (more := _MORE.fullmatch(line)) is not None and name:
            told[name] += f" {more[1]}"
    return told
