"""What a command loads when the cache is warm: start is most of its time, so it is counted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import ROOT, spawn

# Each takes from one to fifty milliseconds, or brings others that do, as `array` does.
HEAVY = frozenset(
    (
        "argparse", "array", "ast", "asyncio", "collections", "concurrent", "contextlib", "ctypes",
        "dataclasses", "datetime", "difflib", "email", "enum", "functools", "glob", "hashlib",
        "html", "http", "importlib.metadata", "importlib.resources", "inspect", "json", "locale",
        "logging", "multiprocessing", "pathlib", "pickle", "platform", "random", "re", "selectors",
        "shutil", "signal", "socket", "subprocess", "tempfile", "textwrap", "threading", "tokenize",
        "tomllib", "traceback", "typing", "unittest", "urllib", "uuid", "xml", "zipfile",
    )
)  # fmt: skip

LIBRARIES = frozenset(
    ("click", "lark", "lsprotocol", "pygls", "rich", "tomlkit", "tree_sitter", "typer")
)

PROGRAM = """\
import sys
before = set(sys.modules)
from tvarc.commands.start.main import main
try:
    main()
except SystemExit as end:
    assert end.code in (0, None), end.code
print(*sorted(set(sys.modules) - before), sep="\\n", file=sys.stderr)
"""

# How many of our modules a command loads when it runs again, with a warm cache. More are a slower
# start: whoever raises a number knows which came and why.
MOST = {
    "build": 40,
    "build --check": 40,
    "check": 205,
    "list": 114,
    "explain cuda12_8-sm103": 148,
    "explain hello-cuda12_8-sm90 attrs.pname": 148,
    "who variants.tvar:29": 167,
}
FOR_ONE_RECIPE = 216
"""The same for a build that has one recipe to write."""


def loaded(project: Path, args: list[str], *, less: str = "") -> list[str]:
    """The modules that the second run of a command loads; the file *less* is gone by then."""
    if args[0] != "build" or "--check" in args:
        spawn("build", cwd=project)
    spawn(*args, cwd=project)
    spawn(*args, cwd=project)
    if less:
        (project / less).unlink()
    return run(project, args)


def run(project: Path, args: list[str]) -> list[str]:
    """The modules that a command loads."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *args],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.split()


def no_more_than(most: int, found: list[str]) -> None:
    """Nothing that is slow to load is among *found*, no library, and no more of our modules."""
    ours = [name for name in found if name.split(".")[0] == "tvarc"]
    assert len(ours) <= most, f"{len(ours)} modules: {ours}"
    assert not (HEAVY | LIBRARIES).intersection(found)


SCRIPT = """\
import sys
before = set(sys.modules)
with open(sys.argv[1]) as script:
    text = script.read()
from tvarc.commands.start import entry
entry.process = lambda: print(*sorted(set(sys.modules) - before))
exec(text)
"""


def test_what_is_loaded_before_an_interrupt_ends_it() -> None:
    """Until then Python shows a traceback, and most installers let it load `re` in that time."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, ROOT / "bin" / "tvarc"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        text=True,
        check=True,
    )
    package = "tvarc.commands.start"
    assert done.stdout.split() == ["tvarc", "tvarc.commands", package, f"{package}.entry"]


@pytest.mark.slow
@pytest.mark.parametrize("line", MOST)
def test_what_is_loaded(project: Path, line: str) -> None:
    no_more_than(MOST[line], loaded(project, line.split()))


@pytest.mark.slow
def test_what_is_loaded_for_one_recipe(project: Path) -> None:
    found = loaded(project, ["build", "--no-git"], less="pkgs/hello-cuda13_0-sm103.nix")
    no_more_than(FOR_ONE_RECIPE, found)


@pytest.mark.slow
def test_nothing_is_compiled_where_nothing_has_changed(project: Path) -> None:
    for args in (["build"], ["build", "--check"], ["build", "--prune"], ["build", "--no-git"]):
        found = loaded(project, args)
        rooms = ("meaning", "syntax", "matrix", "decide", "nix.lower", "build.assembly")
        compiling = tuple(f"tvarc.{room}" for room in (*rooms, "build.driver"))
        assert not {name for name in found if name.startswith(compiling)}


@pytest.mark.slow
def test_fmt_takes_the_tables_that_are_kept(project: Path) -> None:
    """The library that makes them is not loaded a second time."""
    assert not [name for name in loaded(project, ["fmt", "--diff"]) if "lark" in name]
