"""Elements of lists and entries of records are told with the line that each is written on, be it
by a `let`, by another list or within a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.test_schemas import validator
from support.command import tvarc
from support.compile import PIECES
from support.html import page_entries
from tvarc.commands.line import exits

RECIPE = "pkgs/v-one.nix"
FILE = "variants.tvar"
SOURCE = PIECES.splitlines()

ELEMENTS = (
    ("attrs.plain", 0, '"-flag-a"'),
    ("attrs.plain", 1, '"-flag-{{n}}"'),
    ("attrs.listed", 1, '"-flag-{{n}}"'),
    ("attrs.listed", 2, '"-more"'),
    ("attrs.added", 0, 'added = ["-own"]'),
    ("attrs.added", 1, '"-flag-a"'),
    ("attrs.added", 3, '"-more"'),
    ("attrs.added", 4, '"-last"'),
    ("attrs.chosen", 0, '"-flag-a"'),
    ("attrs.member", 1, '"-tool-b"'),
    ("attrs.row", 1, '"-flag-{{n}}"'),
    ("attrs.whole.tools", 1, '"-tool-b"'),
    ("attrs.record.inner", 1, '"-inner-b"'),
    ("attrs.record.deep.down", 1, '["-deep-b"'),
    ("attrs.record.by-let", 1, '"-flag-{{n}}"'),
)
ENTRIES = (
    ("attrs.record.inner", "inner = ["),
    ("attrs.record.text", 'text = """'),
    ("attrs.record.deep.down", "down = ["),
    ("attrs.record.by-let", "by-let = flags"),
    ("attrs.whole.tools", "tools = ["),
    ("attrs.whole.names.long", "names.long"),
    ("attrs.whole.names", "names.short"),
)
LINES = (
    ("attrs.taken", 2, "word of {{n}}"),
    ("attrs.joined", 1, "line before"),
    ("attrs.joined", 2, "word first"),
    ("attrs.joined", 3, "word of {{n}}"),
    ("attrs.joined", 5, "line after"),
    ("attrs.record.text", 2, "text second"),
    ("attrs.whole.notes", 1, "note first"),
)


@pytest.fixture(autouse=True)
def project(here: Path) -> Path:
    (here / FILE).write_text(PIECES, encoding="utf-8")
    assert tvarc("build", "--source-map").exit_code == exits.OK
    return here


def line_of(text: str) -> int:
    (found,) = [n for n, line in enumerate(SOURCE, start=1) if text in line]
    return found


def recipe_line(text: str, within: str = "") -> int:
    """The line of the recipe that holds *text*, the first after one that holds *within*."""
    lines = Path(RECIPE).read_text(encoding="utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if within in line)
    return next(n for n, line in enumerate(lines, start=1) if n > start and text in line)


def explained(*words: str) -> dict[str, Any]:
    result = tvarc("explain", *words, "--json", code=exits.OK)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("path", "number", "text"), ELEMENTS)
def test_an_element_has_its_own_line(path: str, number: int, text: str) -> None:
    found = explained("v-one", f"{path}:{number}")
    assert (found["at"]["file"], found["at"]["line"]) == (FILE, line_of(text))
    validator("explain").validate(found)
    shown = tvarc("explain", "v-one", f"{path}:{number}").stdout
    assert f"{FILE}:{line_of(text)}\n" in shown.splitlines(keepends=True)[1]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "text"), ENTRIES)
def test_an_entry_of_a_record_has_its_own_line(path: str, text: str) -> None:
    found = explained("v-one", path)
    assert found["at"]["line"] == line_of(text)
    validator("explain").validate(found)


@pytest.mark.parametrize(("path", "number", "text"), LINES)
def test_a_line_of_a_text_has_its_own_line(path: str, number: int, text: str) -> None:
    assert explained("v-one", f"{path}:{number}")["at"]["line"] == line_of(text)


def test_what_is_within_an_element_has_its_own_line() -> None:
    down = explained("v-one", "attrs.record.deep.down")
    places = [(one["value"], one["at"]["line"]) for one in down["elements"]]
    assert places == [
        (["-deep-a"], line_of('["-deep-a"]')),
        (["-deep-b", "-deep-c"], line_of('["-deep-b"')),
    ]


@pytest.mark.slow
def test_a_line_of_a_recipe_names_the_one_piece_on_it() -> None:
    for text, within, path in (
        ('"-inner-b"', "record =", "attrs.record.inner.1"),
        ("inner = [", "record =", "attrs.record.inner"),
        ("text second", "record =", "attrs.record.text:2"),
        ('"-flag-one"', "by-let", "attrs.record.by-let.1"),
        ('"-tool-b"', "whole =", "attrs.whole.tools.1"),
        ('"-more"', "added =", "attrs.added.3"),
    ):
        found = explained(f"{RECIPE}:{recipe_line(text, within)}")
        assert [one["path"] for one in found["values"]] == [path]
        (value,) = found["values"]
        assert value["at"]["line"] in {one["line"] for one in found["made"]}


def test_who_reaches_no_line_of_another_element() -> None:
    """`-flag-a` stands on six lines of the recipe, and on no other is it told of."""
    lines = Path(RECIPE).read_text(encoding="utf-8").splitlines()
    wanted = [n for n, line in enumerate(lines, start=1) if '"-flag-a"' in line]
    result = tvarc("who", f"{FILE}:{line_of('-flag-a')}", "--only", "v-one", "--json")
    assert len(wanted) == 6 and result.exit_code == exits.OK
    (group,) = json.loads(result.stdout)["groups"]
    assert group["lines"] == [[number, number] for number in wanted]


def test_the_map_has_the_own_line_of_each() -> None:
    data = json.loads(Path("pkgs/variants.tvar.map.json").read_text(encoding="utf-8"))
    recipe = next(one for one in data["recipes"] if one["variant"] == "v-one")
    pieces = [text for _, _, text in ELEMENTS if text.startswith('"')] + [
        text for _, _, text in LINES
    ]
    for piece in pieces:
        text = piece.replace("{{n}}", "one")
        for number, line in enumerate(Path(RECIPE).read_text().splitlines()):
            if text in line:
                made = {at for _, at in data["sets"][recipe["lines"][number][0]]}
                others = {line_of(other) for other in pieces if other != piece}
                assert line_of(piece) in made and not made & others, line


def test_the_page_names_the_own_line_of_each() -> None:
    entries = page_entries(tvarc("report", "v-one", "--html", "-").stdout)
    for path, number, text in ELEMENTS:
        name = f"{path}.{number}"
        assert int(entries[name]["place"].rpartition(":")[2]) == line_of(text), name
