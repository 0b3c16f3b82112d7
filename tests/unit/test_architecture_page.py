"""The page on the architecture against the code: what it names exists, and no room is left out."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from support.compile import ROOT
from support.effort import for_each
from tvarc.commands.table import COMMANDS

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "compiler" / "tvarc"
ROOMS = sorted(
    path.name
    for path in PACKAGE.iterdir()
    if not path.name.startswith("__") and ((path / "__init__.py").exists() or path.suffix == ".py")
)
MODULES = {one.module for one in COMMANDS.values()}
FOLDERS = sorted(path for path in PACKAGE.iterdir() if (path / "__init__.py").exists())
ENDING = r"(?:py|toml|md|lark)"
ONE_PAGE = 80  # lines
IN_WHEEL = "tvarc/"  # so do names begin that things have in a wheel


def named(text: str) -> list[str]:
    """The files and folders that *text* names."""
    found = {
        *re.findall(rf"`([\w/.-]+\.{ENDING})`", text),
        *re.findall(rf"\s([a-z_]+/[\w/]+\.{ENDING})\b", text),
        *re.findall(r"`([a-z_.]+/[\w/.-]*)`", text),
    }
    return sorted(name for name in found if not name.startswith(IN_WHEEL))


@for_each("name", named(PAGE))
def test_what_the_page_names_is_there(name: str) -> None:
    places = (ROOT, ROOT / "compiler", PACKAGE, *PACKAGE.iterdir())
    assert any((place / name).exists() for place in places)


@for_each("room", FOLDERS)
def test_the_page_of_a_room_has_its_files_and_names_what_is_there(room: Path) -> None:
    page = (room / "README.md").read_text(encoding="utf-8")
    floors = [path for path in room.rglob("*") if path.is_dir() and path.name != "__pycache__"]
    places = (ROOT, ROOT / "compiler", PACKAGE, *PACKAGE.iterdir(), *floors)
    assert [name for name in named(page) if not any((at / name).exists() for at in places)] == []
    rows = re.findall(r"^\| `([\w.]+)/?` \|", page, re.MULTILINE)
    files = [path.name for path in room.glob("[!_]*.py")]
    inner = [path.parent.name for path in room.glob("*/__init__.py")]
    # A command has the file or the folder that its entry of the table names.
    commands = {name.partition(".")[0] for name in MODULES} if room.name == "commands" else set()
    assert sorted(rows) == sorted(
        name for name in files + inner if name.removesuffix(".py") not in commands
    )


@for_each("room", FOLDERS)
def test_the_page_of_a_room_is_one_page(room: Path) -> None:
    """It begins with what the room takes and gives, its rule, and where its tests are."""
    page = (room / "README.md").read_text(encoding="utf-8")
    begins = re.findall(r"^- (\w+): .+", page.partition("\n| Path |")[0], re.MULTILINE)
    assert begins == ["Takes", "Gives", "Rule", "Tests"]
    assert len(page.splitlines()) <= ONE_PAGE


def test_the_rows_are_the_rooms() -> None:
    """Each room has one row, and each row of the package names rooms that are there."""
    rows = re.findall(r"^\| (`compiler/tvarc/.*?) \|", PAGE, re.MULTILINE)
    rooms = [
        word.removeprefix("compiler/tvarc/").split("/")[0]
        for row in rows
        for word in re.findall(r"`([^`]+)`", row)
    ]
    assert sorted(rooms) == ROOMS


def test_the_page_has_the_layers_of_the_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one.get("containers") == ["tvarc"]]
    told = [line.replace("tvarc.", "") for line in layers]
    after = PAGE[PAGE.index("## Allowed imports") :]
    (block,) = re.findall(r"```text\n(.*?)```", after.split("\n## ")[0], re.DOTALL)
    assert block.split("\n")[:-1] == told
