"""The published schemas describe what commands print with `--json`, and no more."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from functools import cache
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


@cache
def validator(name: str) -> Any:
    draft = importlib.import_module("jsonschema").Draft202012Validator
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    draft.check_schema(schema)
    return draft(schema)


def holds(name: str, *words: str) -> None:
    result = tvarc(name, *words, "--json", code=exits.OK)
    validator(name).validate(json.loads(result.stdout))


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(("program", "variant"), [(SMALL, "sm90"), (PROGRAM, "rpi5")])
def test_explain_of_programs(here: Path, program: str, variant: str) -> None:
    put_small(here, program)
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
def test_import(fault: str, here: Path) -> None:
    folder = put(here, planted(fault, f"{fault}{fault}") if fault else family("wrapper"))
    (folder / "bad.nix").write_text("{", encoding="utf-8")
    result = tvarc("import", "pkgs", "--json", code=exits.STALE)
    validator("import").validate(json.loads(result.stdout))


CORRECTED = """\
use std.nvidia
facts nvidia override {
  sm110 { min-driver = 580.50 because "older ones fail on our Thors" }
}
""" + SMALL

HOSTS = ROOT / "tests" / "data" / "hosts" / "made"


@pytest.mark.parametrize("host", ["two-gpus", "apple-m2", "ivy-bridge-gtx-1080"])
def test_pick(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = tvarc("pick", "variants.tvar", "--host", str(HOSTS / f"{host}.json"), "--json")
    validator("pick").validate(json.loads(result.stdout))


def test_the_description_of_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for path in sorted(HOSTS.glob("*.json")):
        validator("pick").validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("words", [[], ["sm103"], ["nvidia"], ["cuda", "13"], ["--stale"]])
def test_facts(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    holds("facts", *words)


def test_a_corrected_fact(here: Path) -> None:
    put_small(here, CORRECTED)
    holds("facts", "sm110")
    row = json.loads(tvarc("facts", "sm110", "--json").stdout)[0]
    assert row["corrected"]["min-driver"]["because"] == "older ones fail on our Thors"


def test_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    lines = tvarc("jobs").stdout.splitlines()
    assert len(lines) == 44
    for line in lines:
        validator("jobs").validate(json.loads(line))
    validator("jobs-github").validate(json.loads(tvarc("jobs", "--as", "github").stdout))


def test_build(here: Path) -> None:
    put_small(here, SMALL)
    for words in (["--dry-run"], [], ["--check"]):
        holds("build", *words)


def test_audit(here: Path) -> None:
    put(here, planted("pname", "other"))
    result = tvarc("audit", "pkgs", "--json")
    assert json.loads(result.stdout)["files"], result.stderr
    validator("audit").validate(json.loads(result.stdout))
