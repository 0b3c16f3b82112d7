"""What a command loads when the cache is warm: start is most of its time, so the list is guarded.

After a change: `pytest tests/cli/test_start.py --snapshot-update`, and see that each module that
came is needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.command import ROOT, spawn

# Each takes from one to fifty milliseconds, or brings others that do. `collections`, which comes
# with `array`, takes one and is let in.
HEAVY = frozenset(
    (
        "argparse", "ast", "asyncio", "concurrent", "contextlib", "ctypes",
        "dataclasses", "datetime", "difflib", "email", "enum", "functools", "glob", "hashlib",
        "html", "http", "importlib.metadata", "importlib.resources", "inspect", "json", "locale",
        "logging", "multiprocessing", "pathlib", "pickle", "platform", "random", "re", "selectors",
        "shutil", "signal", "socket", "subprocess", "tempfile", "textwrap", "threading", "tokenize",
        "tomllib", "traceback", "typing", "unittest", "urllib", "uuid", "xml", "zipfile",
    )
)  # fmt: skip

PROGRAM = """\
import sys
before = set(sys.modules)
from tvarc.commands.cli.main import main
try:
    main()
except SystemExit as end:
    assert end.code in (0, None), end.code
print(*sorted(set(sys.modules) - before), sep="\\n", file=sys.stderr)
"""

COMMANDS = (
    ["build"], ["build", "--check"], ["check"], ["list"], ["explain", "cuda12_8-sm103"],
    ["explain", "hello-cuda12_8-sm90", "attrs.pname"], ["who", "variants.tvar:29"],
)  # fmt: skip


def loaded(project: Path, args: list[str], *, less: str = "") -> list[str]:
    """The modules that the second run of a command loads; the file *less* is gone by then."""
    env = {"XDG_CACHE_HOME": str(project / "cache")}
    if args[0] != "build" or "--check" in args:
        spawn("build", cwd=project, env=env)
    spawn(*args, cwd=project, env=env)
    spawn(*args, cwd=project, env=env)
    if less:
        (project / less).unlink()
    return run(project, args)


def run(project: Path, args: list[str]) -> list[str]:
    """The modules that a command loads."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *args],
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "compiler"),
            "XDG_CACHE_HOME": str(project / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.split()


@pytest.mark.slow
@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_what_is_loaded(project: Path, args: list[str], snapshot: SnapshotAssertion) -> None:
    found = loaded(project, args)
    ours = [name for name in found if name.split(".")[0] not in sys.stdlib_module_names]
    assert "\n".join(ours) == snapshot
    assert not {name for name in found if name in HEAVY}


def test_what_is_loaded_for_one_recipe(project: Path, snapshot: SnapshotAssertion) -> None:
    """What a build loads that has something to write."""
    found = loaded(project, ["build", "--no-git"], less="pkgs/hello-cuda13_0-sm103.nix")
    ours = [name for name in found if name.split(".")[0] not in sys.stdlib_module_names]
    assert "\n".join(ours) == snapshot
    assert not {name for name in found if name in HEAVY}


def test_nothing_is_compiled_where_nothing_has_changed(project: Path) -> None:
    for args in (["build"], ["build", "--check"], ["build", "--prune"], ["build", "--no-git"]):
        found = loaded(project, args)
        compiling = ("sema", "syntax", "elaborate", "assembly", "backend", "driver")
        assert not {
            name for name in found if name.startswith("tvarc.") and name.split(".")[1] in compiling
        }


def test_fmt_takes_the_tables_that_are_kept(project: Path) -> None:
    """The library that makes them is not loaded a second time."""
    assert not [name for name in loaded(project, ["fmt", "--diff"]) if "lark" in name]
