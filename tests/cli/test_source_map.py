"""`tvarc build --source-map`: what made each line, as a file beside the recipes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.test_schemas import validator
from support.command import SMALL, put_small, tvarc
from support.compile import compile_on_disk
from tvarc.build.assembly.source_map import SourceMaps
from tvarc.commands.line import exits
from tvarc.files.output.header import DIGEST_PREFIX

MAP = "pkgs/variants.tvar.map.json"


def built(*args: str) -> dict[str, Any]:
    tvarc("build", "--source-map", *args, code=exits.OK)
    found: dict[str, Any] = json.loads(Path(MAP).read_text())
    validator("source-map").validate(found)
    return found


def test_it_leads_from_each_line_to_its_sources(project: Path) -> None:
    found = built()
    assert found["program"] == "../variants.tvar"
    assert found["sources"] == ["../variants.tvar"]
    assert len(found["recipes"]) == 5
    source = SMALL.splitlines()
    for recipe in found["recipes"]:
        lines = (Path("pkgs") / recipe["file"]).read_text().splitlines()
        assert len(recipe["lines"]) == len(lines)
        assert f"{DIGEST_PREFIX}{recipe['digest']}" in lines
        (number,) = [n for n, line in enumerate(lines) if "echo fast" in line]
        made, around = recipe["lines"][number]
        texts = [source[line - 1].strip() for _, line in found["sets"][made]]
        assert texts[-2:] == ["echo fast", '"""'] and "when fast {" in texts
        assert found["sets"][around] == []


@pytest.mark.slow
def test_it_is_what_each_variant_has_by_itself(project: Path) -> None:
    """What is remembered of one variant is not told of another."""
    text = SMALL.replace("when fast {", "when newest {")
    old = 'flag fast: bool = true because "it is"'
    put_small(project, text.replace(old, "attrs { default a = 1, a = 2 }"))
    found = built()
    kinds = {
        recipe["variant"]: [(one["kind"], one["path"]) for one in recipe["entries"]]
        for recipe in found["recipes"]
    }
    for name, entries in kinds.items():
        assert (("withheld", "script.preConfigure") in entries) is not name.endswith("sm103")
        assert ("shadowed", "attrs.a") in entries and ("order", "attrs.a") in entries
    made = compile_on_disk("variants.tvar")
    together = SourceMaps(made.traced(), "variants.tvar", "variants.tvar")
    for variant in made.variants:
        alone = SourceMaps(made.traced(), "variants.tvar", "variants.tvar")
        one, other = together.of(variant), alone.of(variant)
        assert one is not None and other is not None
        for mine, theirs in zip(one.files, other.files, strict=True):
            sets = zip((*mine.made, *mine.around), (*theirs.made, *theirs.around), strict=True)
            for a, b in sets:
                assert together.numbering.places(a) == alone.numbering.places(b)
        mine_told = [(e.kind, e.path, together.numbering.places(e.lines)) for e in one.entries]
        told = [(e.kind, e.path, alone.numbering.places(e.lines)) for e in other.entries]
        assert sorted(mine_told) == sorted(told)


@pytest.mark.slow
def test_it_is_written_when_it_changes(project: Path) -> None:
    first = tvarc("build", "--source-map")
    assert f"source map {MAP}: written" in first.stdout
    before = Path(MAP).stat()
    again = tvarc("build", "--source-map")
    assert f"source map {MAP}: unchanged" in again.stdout
    assert Path(MAP).stat().st_mtime_ns == before.st_mtime_ns
    Path("variants.tvar").write_text(SMALL.replace("echo fast", "echo first"))
    assert f"source map {MAP}: written" in tvarc("build", "--source-map").stdout


def test_it_says_nothing_in_json(project: Path) -> None:
    result = tvarc("build", "--source-map", "--json", code=exits.OK)
    assert json.loads(result.stdout)["unchanged"] == 0
    assert Path(MAP).exists()


@pytest.mark.slow
def test_a_file_of_another_stays(project: Path) -> None:
    Path("pkgs").mkdir()
    Path(MAP).write_text("mine")
    result = tvarc("build", "--source-map", code=exits.FAILED)
    assert "error[E801]" in result.stderr and "tvarc did not write it" in result.stderr
    assert Path(MAP).read_text() == "mine"
    built("--force")
    Path(MAP).unlink()
    Path("elsewhere").write_text("mine")
    Path(MAP).symlink_to("../elsewhere")
    assert tvarc("build", "--source-map", "--force").exit_code == exits.FAILED
    assert Path("elsewhere").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_refuses(project: Path) -> None:
    built()
    Path(MAP).unlink()
    Path("pkgs").chmod(0o555)
    result = tvarc("build", "--source-map")
    Path("pkgs").chmod(0o755)
    assert "error[E802]" in result.stderr


def test_programs_in_one_folder_have_maps_of_their_own(project: Path) -> None:
    put_small(project, SMALL.replace("hello-cuda", "other-cuda"), "other.tvar")
    assert tvarc("build", "--source-map", "other.tvar").exit_code == exits.OK
    built()
    assert sorted(path.name for path in Path("pkgs").glob("*.json")) == [
        "other.tvar.map.json", "variants.tvar.map.json",
    ]  # fmt: skip
    assert tvarc("build").stdout.count("of no variant") == 0


@pytest.mark.parametrize("other", ["--check", "--dry-run", "--only=sm90"])
def test_it_is_of_all_that_is_written(project: Path, other: str) -> None:
    tvarc("build", "--source-map", other, code=exits.USAGE)
    assert not Path("pkgs").exists()
