"""`lock --json` and `bump --json`, their schemas, and what the shell completes."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest

from lock.programs import Programs, told
from lock.test_command import ALL, BASE32, FILE, OTHER, PLAIN, PROGRAM, SRI, mismatch, write
from support.command import ROOT, tvarc
from tvarc.commands.line import exits
from tvarc.decide.lock import fake_hash
from tvarc.meaning.evaluation.fetched import Fetched

OLD = Fetched("file", (("url", "https://example.org/old"),))

if importlib.util.find_spec("jsonschema") is None and "CI" not in os.environ:
    pytest.skip("jsonschema is not installed", allow_module_level=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    Path("variants.tvar").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1770076800")
    return tmp_path


def answer(*words: str, code: int = exits.OK) -> Any:
    """What the command prints, which is what its schema says."""
    result = tvarc(*words, "--json", code=code)
    data = json.loads(result.stdout)
    draft = importlib.import_module("jsonschema").Draft202012Validator
    schema = json.loads((ROOT / "docs" / "schema" / f"{words[0]}.json").read_text("utf-8"))
    draft.check_schema(schema)
    draft(schema).validate(data)
    assert not draft(schema).is_valid({}) and not draft(schema).is_valid({**data, "more": 1})
    return data


def states(data: Any) -> dict[str, str]:
    return {one["source"]: one["state"] for one in data["sources"]}


# --- lock ----------------------------------------------------------------------------------------


def test_what_is_missing(project: Path) -> None:
    write(PLAIN, OLD)
    data = answer("lock", "--check", code=exits.STALE)
    assert data["lock"] == "tvar.lock"
    assert states(data) == {
        **{source.describe(): "missing" for source in ALL},
        PLAIN.describe(): "locked",
        OLD.describe(): "unused",
    }
    (file,) = (one for one in data["sources"] if one["source"] == FILE.describe())
    assert file["place"] == {"file": "variants.tvar", "line": 20, "column": 53}
    assert (file["hash"], file["date"], file["by"], file["command"]) == (None,) * 4
    assert file["fields"] == {"url": "https://example.org/file.tar.gz"}
    assert list(states(data)) == list(states(answer("lock", "--check", code=exits.STALE)))


@pytest.mark.slow
def test_what_was_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs(project / "bin")
    monkeypatch.setenv("PATH", str(programs.folder))
    programs.answer("nix-prefetch-url", {"https": BASE32})
    write(*(source for source in ALL if source != FILE), OLD)
    data = answer("lock", "--prune")
    rows = {one["source"]: one for one in data["sources"]}
    added = rows[FILE.describe()]
    assert (added["state"], added["hash"], added["by"]) == ("added", SRI, "nix-prefetch-url")
    assert added["command"] == [
        "nix-prefetch-url", "--type", "sha256", "--", "https://example.org/file.tar.gz"
    ]  # fmt: skip
    assert added["date"] == "2026-02-03"
    assert rows[OLD.describe()]["state"] == "removed"
    assert states(answer("lock")) == {source.describe(): "locked" for source in ALL}


def test_what_came_of_a_log(project: Path) -> None:
    Path("build.log").write_text("x\n" + mismatch(fake_hash(FILE), OTHER), encoding="utf-8")
    data = answer("lock", "--from-log", "build.log")
    (added,) = (one for one in data["sources"] if one["state"] == "added")
    assert (added["source"], added["hash"]) == (FILE.describe(), OTHER)
    assert (added["by"], added["log_line"], added["command"]) == ("log", 2, None)


def test_an_answer_with_errors_is_one_still(project: Path) -> None:
    write(FILE)
    Path("build.log").write_text(
        mismatch(OTHER, SRI) + mismatch(fake_hash(PLAIN), OTHER), encoding="utf-8"
    )
    data = answer("lock", "--from-log", "build.log", code=exits.FAILED)
    assert states(data)[FILE.describe()] == "locked"
    assert states(data)[PLAIN.describe()] == "added"


def test_what_could_not_be_written_is_not_locked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(PLAIN, OLD)
    Path("build.log").write_text(mismatch(fake_hash(FILE), OTHER), encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    data = answer("lock", "--from-log", "build.log", "--prune", code=exits.FAILED)
    assert states(data)[FILE.describe()] == "missing"
    assert states(data)[OLD.describe()] == "unused"


# --- bump ----------------------------------------------------------------------------------------


@pytest.fixture
def plan(here: Path) -> Path:
    Path("variants.tvar").write_bytes((ROOT / "variants.tvar").read_bytes())
    return here


@pytest.mark.slow
def test_a_bump(plan: Path) -> None:
    before = Path("variants.tvar").read_text(encoding="utf-8")
    data = answer("bump", "torch", "2.11.0", "--dry-run")
    assert (data["name"], data["value"], data["written"]) == ("torch", "2.11.0", False)
    assert Path("variants.tvar").read_text(encoding="utf-8") == before
    assert [(one["line"], one["old"], one["new"], one["unlocked"]) for one in data["changes"]] == [
        (5, "2.10.0", "2.11.0", False),
        (30, '"sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="', "unlocked", True),
    ]
    assert data["to_lock"][1:] == ["pytorch/pytorch v2.11.0 with submodules"]
    assert [(one["line"], one["what"]) for one in data["still_there"]] == [
        (1, "2.10.0"),
        (39, "210"),
    ]
    assert [one["line"] for one in data["not_changed"]] == [6, 8, 24]
    assert (data["tables_without_row"], data["library_row"]) == ([], None)
    assert data["diff"].startswith("--- variants.tvar\n+++ variants.tvar\n@@ ")
    assert answer("bump", "torch", "2.11.0")["written"] is True
    assert {**data, "written": True}["diff"] == data["diff"]
    nothing = answer("bump", "torch", "2.11.0")
    assert (nothing["written"], nothing["changes"], nothing["diff"]) == (False, [], "")


@pytest.mark.slow
def test_a_bump_of_a_pin(plan: Path) -> None:
    commit = "0182a361324364ae3f436a63005877674cf45efb"
    data = answer("bump", "pin", "nixpkgs", commit)
    assert (data["name"], data["files"]) == ("pin nixpkgs", ["variants.tvar"])
    assert data["library_row"].startswith("nixpkgs-0182a36 of 2026-02-17, sha256-0NBlEBKk")
    assert data["to_lock"] == []  # the library knows the hash
    (locked,) = data["locked"]
    assert locked["source"] == f"tarball https://github.com/NixOS/nixpkgs/archive/{commit}.tar.gz"
    assert data["library_row"].endswith(locked["hash"])


# --- completion ----------------------------------------------------------------------------------


def completed(*words: str) -> list[str]:
    env = {
        "_TVARC_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["tvarc", *words]),
        "COMP_CWORD": str(len(words)),
    }
    return tvarc(env=env).stdout.split()


@pytest.mark.slow
def test_names_are_completed(plan: Path) -> None:
    assert completed("bump", "") == ["torch", "cuda", "pin"]
    assert completed("bump", "t") == ["torch"]
    assert completed("bump", "torch", "") == ["2.10.0"]
    assert completed("bump", "pin", "n") == ["nixpkgs"]
    assert completed("bump", "pin", "nixpkgs", "6a") == ["6a030d535719c5190187c4cec156f335e95e3211"]
    assert completed("bump", "nobody", "") == []
    assert "--from-log" in completed("lock", "--f") and "--json" in completed("lock", "--j")
    assert "--json" in completed("bump", "--j")
    Path("variants.tvar").write_text("let [", encoding="utf-8")
    assert completed("bump", "t") == []


def test_both_forms_of_json_at_once(project: Path) -> None:
    result = tvarc("lock", "--check", "--json", "--format", "json", code=exits.STALE)
    assert not told(result.stderr, "W002")
