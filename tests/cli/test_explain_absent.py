"""`explain` of what is not there: parts that were taken out, elements that a condition left out,
paths that lead nowhere; and of what made the pin, the files and each entry of a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT, tvarc
from tvarc.commands.line import exits

PROGRAM = """\
use std.nvidia
pin a { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
axis gpu = nvidia[sm80, sm90]
let big  = gpu.capability >= 9.0
let more = if big then ["m"] else []
let rows = { first = 1, second.third = gpu.label }
overlay ov for hello {
  list  = ["a", ...(if big then ["b"] else [])]
  list += more
}
recipe base {
  package  = pkgs.hello
  overlays = [ov]
  attrs {
    list  = ["a", "x", ...(if big then ["c"] else [])]
    added = ["a", "b"]
    added += more
    rec   = { a = 1, b.c = gpu.label, b.d = big, text = "one\\n{{gpu}}\\n" }
    named = rows
  }
  script build {
    part one "echo one\\n"
    part two "echo two\\n"
  }
  script check { part only "echo only\\n" }
  when big {
    script build { part one = none }
    script check { part only = none }
  }
}
matrix m { recipe = base, axes = gpu, name = "v-{{gpu}}" }
output nix { file = "{{variant}}.nix" }
"""


@pytest.fixture
def program(here: Path) -> None:
    (here / "variants.tvar").write_text(PROGRAM)


def line_of(text: str) -> int:
    (found,) = [n for n, line in enumerate(PROGRAM.splitlines(), start=1) if text in line]
    return found


def asked(variant: str, path: str) -> dict[str, Any]:
    result = tvarc("explain", variant, path, "--json", code=exits.OK)
    data = json.loads(result.stdout)
    assert isinstance(data, dict)
    return data


def told(variant: str, path: str) -> str:
    result = tvarc("explain", variant, path, code=exits.OK)
    return " ".join(result.stdout.split())


def refused(variant: str, path: str) -> str:
    result = tvarc("explain", variant, path, code=exits.FAILED)
    assert "error[E904]" in result.stderr
    return " ".join(result.stderr.split())


def test_a_part_that_was_taken_out(program: None) -> None:
    data = asked("sm90", "script.build")
    assert [part["name"] for part in data["parts"]] == ["old", "two"]
    (removed,) = data["removed"]
    assert removed["path"] == "script.build.one"
    assert removed["origin"]["line"] == line_of("part one = none")
    assert removed["origin"]["conditions"][0]["operands"] == {"big": True}
    (lost,) = removed["shadowed"]
    assert lost["value"] == "echo one\n"
    assert lost["rank"] == "recipe base's `part` under a condition over recipe base's `part`"
    assert "script.build.one (taken out)" in told("sm90", "script.build.one")
    assert "(taken out)" not in told("sm80", "script.build")
    page = tvarc("report", "sm90", "--html", "-").stdout
    assert "taken out" in page


def test_a_script_of_which_nothing_is_left(program: None) -> None:
    for path in ("script.check", "script.check.only"):
        text = refused("sm90", path)
        assert f"all parts of `{path}` are removed" in text
        assert f"variants.tvar:{line_of('part only = none')}) when big" in text


def test_a_list_names_what_left_an_element_out(program: None) -> None:
    text = told("sm80", "attrs.list")
    assert "reads let big = false" in text
    assert "reads nvidia.sm80.capability = 8.0" in text
    # Each element tells its own, and what it tells is not told again.
    assert told("sm90", "attrs.list").count("reads nvidia.sm90.capability") == 1


@pytest.mark.parametrize("path", ["attrs.added", "overlays.ov.list"])
def test_an_addition_of_nothing(program: None, path: str) -> None:
    place = f"variants.tvar:{line_of('added += more' if 'added' in path else 'list += more')}"
    assert "adds nothing" in told("sm80", path)
    assert place in told("sm80", path)
    assert "adds nothing" not in told("sm90", path)
    (found,) = asked("sm80", path)["added-nothing"]
    assert f"variants.tvar:{found['origin']['line']}" == place
    assert "more" in [name["name"] for name in found["names"]]


def test_an_entry_of_a_record_tells_what_it_is_made_of(program: None) -> None:
    assert "reads" not in asked("sm90", "attrs.rec.a")
    (fact,) = asked("sm90", "attrs.rec.b.c")["reads"]
    assert fact["field"] == "label"
    assert asked("sm90", "attrs.rec.b.d")["names"][0]["name"] == "big"
    assert "reads" not in asked("sm90", "attrs.named.first")
    through = asked("sm90", "attrs.named.second.third")
    assert through["reads"][0]["field"] == "label"
    assert through["names"][0]["name"] == "rows"
    assert asked("sm90", "attrs.rec.text:2")["value"] == "sm90"


def test_a_file_tells_the_line_that_names_it(program: None) -> None:
    data = asked("sm90", "files.nix")
    assert data["origin"]["line"] == line_of("output nix")
    assert data["origin"]["layer"] == "nix"
    assert data["names"][0]["kind"] == "variant"


@pytest.mark.slow
def test_the_line_that_chose_the_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples" / "torch-2.10")
    data = asked("pytorch-python313-cuda13_0-sm90-avx2", "pin")
    lines = Path("variants.tvar").read_text().splitlines()
    assert "pin      = at-6a030d5" in lines[data["origin"]["line"] - 1]
    (condition,) = data["origin"]["conditions"]
    assert condition["operands"] == {"toolkit": "cuda13_0"}
    rev = next(field for field in data["fields"] if field["name"] == "rev")
    assert rev["reads"][0]["table"] == "nixpkgs-pin"
    shared = Path("../shared/torch.tvar").read_text().splitlines()
    assert "nixpkgs-6a030d5.rev" in shared[rev["origin"]["line"] - 1]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("overlays:0", "ov for hello"),
        ("overlays.0", "ov for hello"),
        ("overlays:ov", "ov for hello"),
        ("axes.gpu.products:1", 'axes.gpu.products.1 = "H200"'),
        ("gpu.capability", "axes.gpu.capability = 9.0"),
        ("gpu.products:0", 'axes.gpu.products.0 = "H100"'),
    ],
)
def test_shorter_ways(program: None, path: str, value: str) -> None:
    assert value in told("sm90", path)


LONG = "9" * 5000


@pytest.mark.parametrize(
    ("path", "note"),
    [
        ("gpu.capabilty", "did you mean `axes.gpu.capability`?"),
        ("overlays:5", "it has `overlays.ov`"),
        ("package:1", "`package` has no parts"),
        ("attrs.list:7", "it has `attrs.list.0`, `attrs.list.1`, `attrs.list.2`"),
        (f"attrs.list:{LONG}", "it has `attrs.list.0`"),
        (f"attrs.list[{LONG}]", "it has `attrs.list.0`"),
        (f"attrs.list.{LONG}", "it has `attrs.list.0`"),
        (f"script.build:{LONG}", "it has `script.build:1`"),
        (f"overlays.{LONG}", "it has `overlays.ov`"),
    ],
)
def test_what_there_is_instead(program: None, path: str, note: str) -> None:
    text = refused("sm90", path)
    assert note in text
    assert len(text) < 1000
