"""The contracts on imports, held against what they are to refuse: they look into every room."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.compile import ROOT
from tvarc.commands.table import COMMANDS

LINTER = Path(sys.executable).parent / "lint-imports"
FIRST = """\
from tvarc.light import TYPE_CHECKING

if TYPE_CHECKING:
    from tvarc.{room}.second import B
"""
SECOND = """\
class B:
    def late(self) -> None:
        from tvarc.{room} import first
"""
PACKAGE = ROOT / "compiler" / "tvarc"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "contracts"
]
(COMMAND_LAYERS,) = [
    one["layers"] for one in CONTRACTS if one.get("containers") == ["tvarc.commands"]
]
IMPORTED = re.compile(r"\btvarc\.commands\.(\w+)")
ROOMS = sorted(
    path.parent.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*/__init__.py")
    if len(list(path.parent.glob("*.py"))) > 1
)


def broken(tmp_path: Path, planted: dict[str, str]) -> str:
    """What the contracts say of the package with the files *planted* in it."""
    shutil.copytree(PACKAGE, tmp_path / "tvarc", ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, text in planted.items():
        place = tmp_path / "tvarc" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [LINTER, "--no-cache"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "COLUMNS": "200", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (1 if planted else 0), done.stdout
    return done.stdout


@pytest.mark.slow
def test_a_ring_is_seen_in_each_room(tmp_path: Path) -> None:
    """Also where one side imports for types alone and the other late."""
    found = broken(
        tmp_path,
        {
            f"{room}/{side}.py": text.format(room=room.replace("/", "."))
            for room in ROOMS
            for side, text in (("first", FIRST), ("second", SECOND))
        },
    )
    for room in ROOMS:
        assert f"allowed in tvarc.{room.replace('/', '.')}." in found


@pytest.mark.slow
def test_a_room_without_a_layer_is_seen(tmp_path: Path) -> None:
    assert "- tvarc.attic" in broken(tmp_path, {"attic/__init__.py": ""})


@pytest.mark.slow
def test_the_library_for_command_lines_is_seen_in_each_room(tmp_path: Path) -> None:
    others = [room for room in ROOMS if room != "commands/start"]
    found = broken(tmp_path, {f"{room}/asking.py": "import typer\n" for room in others})
    for room in others:
        assert f"tvarc.{room.replace('/', '.')}.asking -> typer" in found


@pytest.mark.slow
def test_a_public_interface_that_writes_is_seen(tmp_path: Path) -> None:
    """Whether it does so itself, or through a module that it uses."""
    found = broken(tmp_path, {"commands/shown/tree.py": "import subprocess\n"})
    assert "tvarc.api is not allowed to import subprocess" in found


def test_only_a_command_has_no_layer_in_commands() -> None:
    """A command that only `start` imports needs no layer. Every other module has one."""
    layers = {name for line in COMMAND_LAYERS for name in line.split(" : ")}
    commands = {one.module.partition(".")[0] for one in COMMANDS.values()}
    folder = PACKAGE / "commands"
    files = [*folder.glob("[!_]*.py"), *[path.parent for path in folder.glob("*/__init__.py")]]
    rooms = {path.stem for path in files}
    assert rooms - layers <= commands
    imported = {
        name
        for path in (PACKAGE / "commands").rglob("*.py")
        for name in IMPORTED.findall(path.read_text(encoding="utf-8"))
        if path.relative_to(PACKAGE / "commands").parts[0].removesuffix(".py")
        not in ("start", name)
    }
    assert imported <= layers


@pytest.mark.slow
def test_nothing_is_broken_as_it_is(tmp_path: Path) -> None:
    assert "0 broken" in broken(tmp_path, {})
