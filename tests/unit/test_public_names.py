"""Tests use public names of the compiler: what a test holds stays true whatever is inside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.compile import ROOT
from support.effort import for_each

TESTS = ROOT / "tests"

# Private names that tests use, by file and name, each with its reason.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("conftest.py", "_get_local_constants"): "no setting turns these constants off",
    ("conftest.py", "_local_constants"): "no setting turns these constants off",
    ("support/command.py", "_get_command"): "typer's runner makes all commands for each call",
    ("cli/test_no_text_steers.py", "_NamedTextIOWrapper"): "typer's runner has no other stream",
    ("support/fresh.py", "_exit"): "`os._exit` is documented",
    ("unit/test_output_disasters.py", "_exit"): "`os._exit` is documented",
    ("unit/test_pattern.py", "_sre.MAGIC"): "the version of Python's engine, which has no other",
}
PATCHES = {"setattr", "delattr", "object", "getattr", "attrgetter"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def own(tree: ast.Module) -> set[str]:
    """The methods and attributes of the classes that a file defines."""
    found: set[str] = set()
    for kind in ast.walk(tree):
        for node in ast.walk(kind) if isinstance(kind, ast.ClassDef) else ():
            match node:
                case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(name)):
                    found.add(name)
                case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Store()):
                    found.add(name)
                case _:
                    pass
    return found


def private_names(tree: ast.Module) -> Iterator[str]:
    """The private names of other modules that a file imports, reads, patches or names in a text."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module != "__future__":
                for name in (*module.split("."), *(one.name for one in names)):
                    if is_private(name):
                        yield name
            case ast.Import(names=names):
                yield from (
                    part for one in names for part in one.name.split(".") if is_private(part)
                )
            case ast.Attribute(attr=name) if is_private(name):
                yield name
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(called), args=args) if (
                called in PATCHES
            ):
                for one in args:
                    match one:
                        case ast.Constant(str(text)) if any(map(is_private, text.split("."))):
                            yield text
                        case _:
                            pass
            case _:
                pass


def found_in(path: Path) -> set[tuple[str, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(TESTS).as_posix()
    return {(name, one) for one in {*private_names(tree)} - own(tree)}


@pytest.mark.slow
def test_no_test_uses_a_private_name() -> None:
    found = {one for path in sorted(TESTS.rglob("*.py")) for one in found_in(path)}
    assert found == EXCEPTIONS.keys()


@for_each(
    "text, name",
    [
        ("from tvarc.files.cache import _read", "_read"),
        ("from tvarc._inner import read", "_inner"),
        ("import tvarc._inner", "_inner"),
        ("from tvarc.files import cache; cache._read()", "_read"),
        ("monkeypatch.setattr('tvarc.files.cache._read', None)", "tvarc.files.cache._read"),
        ("monkeypatch.setattr(cache, '_read', None)", "_read"),
        ("with patch.object(cache, '_read'): pass", "_read"),
        ("getattr(cache, '_read')", "_read"),
    ],
)
def test_each_use_is_seen(text: str, name: str) -> None:
    assert [*private_names(ast.parse(text))] == [name]
