"""The page on the architecture against the code: what it names exists, and no room is left out."""

from __future__ import annotations

import re
import tomllib

import pytest

from support.compile import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "compiler" / "tvarc"
ROOMS = sorted(
    path.name
    for path in PACKAGE.iterdir()
    if not path.name.startswith("__") and (path.is_dir() or path.suffix == ".py")
)
ENDING = r"(?:py|toml|md|lark)"
IN_WHEEL = "tvarc/"  # so do names begin that things have in a wheel
NAMED = sorted(
    name
    for name in {
        *re.findall(rf"`([\w/.-]+\.{ENDING})`", PAGE),
        *re.findall(rf"\s([a-z_]+/[\w/]+\.{ENDING})\b", PAGE),
        *re.findall(r"`([a-z_.]+/[\w/.-]*)`", PAGE),
    }
    if not name.startswith(IN_WHEEL)
)


@pytest.mark.parametrize("name", NAMED)
def test_what_the_page_names_is_there(name: str) -> None:
    places = (ROOT, ROOT / "compiler", PACKAGE, *PACKAGE.iterdir())
    assert any((place / name).exists() for place in places)


def test_the_rows_are_the_rooms() -> None:
    """Each room has one row, and each row of the package names rooms that are there."""
    rows = re.findall(r"^\| (`compiler/tvarc/.*?) \|", PAGE, re.MULTILINE)
    named = [
        word.removeprefix("compiler/tvarc/").split("/")[0]
        for row in rows
        for word in re.findall(r"`([^`]+)`", row)
    ]
    assert sorted(named) == ROOMS


def test_the_page_has_the_layers_of_the_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one["type"] == "layers"]
    told = [line.replace("tvarc.", "") for line in layers]
    after = PAGE[PAGE.index("## Allowed imports") :]
    (block,) = re.findall(r"```text\n(.*?)```", after.split("\n## ")[0], re.DOTALL)
    assert block.split("\n")[:-1] == told
