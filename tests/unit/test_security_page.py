"""The page on security against the code: which commands run other programs."""

from __future__ import annotations

import ast
import functools
import re

import pytest

from support.compile import ROOT
from tvarc.commands.table import COMMANDS

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
COMPILER = ROOT / "compiler"
RUNS_NIX = {"nix.judge.nix", "build.lock.prefetch", "farm.realise.store"}
RUNS = RUNS_NIX | {"files.git.program", "advice.hosts.machine"}
"""Modules that run other programs."""


@functools.cache
def imported(module: str) -> frozenset[str]:
    """The modules of the package that *module* imports, wherever it does, but for types."""
    path = COMPILER / f"tvarc/{module.replace('.', '/')}.py"
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.exists() else ast.Module([], [])
    typing = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    return frozenset(
        name.removeprefix("tvarc.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node not in typing
        for name in (f"{node.module}", *(f"{node.module}.{one.name}" for one in node.names))
        if name.startswith("tvarc.")
    )


def reached(module: str) -> set[str]:
    found: set[str] = set()
    waiting = [module]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += imported(one)
    return found


def told(column: int) -> set[str]:
    """What stands in code in a column of the table of commands that run programs."""
    (table,) = re.findall(r"\| command \| runs \| because \|\n\|[-|]+\n((?:\|.*\n)+)", PAGE)
    cells = [row.split(" | ")[column] for row in table.splitlines()]
    return {code.split()[0] for cell in cells for code in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.slow
def test_each_command_that_runs_a_program_is_told_of() -> None:
    reach = {name: reached(f"commands.{one.module}") for name, one in COMMANDS.items()}
    asks_nix = {name for name, found in reach.items() if found & RUNS_NIX}
    may_run = {name for name, found in reach.items() if found & RUNS}
    assert {"realise", "check", "lock"} <= asks_nix and "explain" not in may_run
    assert asks_nix <= told(0) <= may_run


@pytest.mark.slow
def test_only_these_modules_run_programs() -> None:
    starts = re.compile(
        r"\bsubprocess\.(?:Popen|run|call|check_\w+)\(|\bos\.(?:system|exec|spawn|posix)"
    )
    files = (COMPILER / "tvarc").rglob("*.py")
    found = {
        str(path.relative_to(COMPILER / "tvarc"))[:-3].replace("/", ".")
        for path in files
        if starts.search(path.read_text(encoding="utf-8"))
    }
    assert found == RUNS


def test_only_the_served_page_opens_a_port() -> None:
    listens = re.compile(r"^\s*(?:import|from) (?:socket|http\.server|wsgiref|xmlrpc)", re.M)
    files = (COMPILER / "tvarc").rglob("*.py")
    found = {path.name for path in files if listens.search(path.read_text(encoding="utf-8"))}
    assert found == {"serving.py"}
    assert "`tvarc report --serve` listens only at `127.0.0.1`" in PAGE
