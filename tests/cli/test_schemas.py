"""The published schemas describe what `explain --json` and `who --json` print, and no more."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.test_explain_why import PROGRAM
from support.command import ROOT, SMALL, put_small, tvarc
from support.families import family, planted, put
from tvarc.commands.line import exits

SCHEMAS = ROOT / "docs" / "schema"

if importlib.util.find_spec("jsonschema") is None and "CI" not in os.environ:
    pytest.skip("jsonschema is not installed", allow_module_level=True)


def validator(name: str) -> Any:
    draft = importlib.import_module("jsonschema").Draft202012Validator
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    draft.check_schema(schema)
    return draft(schema)


def holds(name: str, *words: str) -> None:
    result = tvarc(name, *words, "--json")
    assert result.exit_code == exits.OK, result.stderr
    validator(name).validate(json.loads(result.stdout))


@pytest.mark.parametrize(
    "words",
    [
        ["sm103-avx512bf16"], ["python313-cpu-avx2"], ["sm90-avx2", "attrs"],
        ["sm90-avx2", "overlays"], ["sm90-avx2", "attrs.cmakeFlags"], ["sm90-avx2", "pin"],
        ["sm90-avx2", "attrs.cmakeFlags:1"], ["sm90-avx2", "script.preConfigure"],
        ["sm90-avx2", "script.preConfigure:1"], ["sm90-avx2", "axes.gpu"], ["E501"],
    ],
)  # fmt: skip
def test_explain_of_the_plan(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.chdir(ROOT)
    holds("explain", *words)


@pytest.mark.slow
@pytest.mark.parametrize("example", ["torch-2.8", "torch-2.9", "torch-2.10"])
def test_explain_of_the_examples(monkeypatch: pytest.MonkeyPatch, example: str) -> None:
    monkeypatch.chdir(ROOT / "examples" / example)
    names = [row["name"] for row in json.loads(tvarc("list", "--json").stdout)]
    for name in (names[0], names[len(names) // 2], names[-1]):
        holds("explain", name)


@pytest.mark.parametrize(("program", "variant"), [(SMALL, "sm90"), (PROGRAM, "rpi5")])
def test_explain_of_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, variant: str
) -> None:
    put_small(tmp_path, program)
    monkeypatch.chdir(tmp_path)
    holds("explain", variant)


@pytest.mark.slow
def test_who_of_each_line_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    lines = len((ROOT / "variants.tvar").read_text().splitlines())
    for line in range(1, lines + 1, 4):
        holds("who", f"variants.tvar:{line}", "--only", "sm90-avx2")


@pytest.mark.slow
def test_what_is_no_answer_is_refused() -> None:
    wrong: list[object] = [
        {}, {"variant": 1}, {"path": "a", "name": "a"}, [{"name": "a"}],
        {"path": "a", "name": "a", "origin": None, "colour": "red"},
    ]  # fmt: skip
    for one in wrong:
        assert not validator("explain").is_valid(one), one
        assert not validator("who").is_valid(one), one


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["", "pname"])
def test_import(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = put(tmp_path, planted(fault, f"{fault}{fault}") if fault else family("wrapper"))
    (folder / "bad.nix").write_text("{", encoding="utf-8")
    result = tvarc("import", "pkgs", "--json")
    assert result.exit_code == exits.STALE, result.stderr
    validator("import").validate(json.loads(result.stdout))
