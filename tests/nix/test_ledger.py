"""The ledger of a program: what runs of real Nix record in it."""

from __future__ import annotations

import errno
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from nix.farm import Farm, builds, put_farm
from support.command import tvarc
from tvarc.commands.line import exits

pytestmark = [*builds, pytest.mark.slow]

PROGRAM = """\
pin model { path = "./nixpkgs" }
axis jobs = ["8", "16"]
recipe tool {
  package = pkgs.hello
  env { MAX_JOBS = jobs }
  script preBuild {
    part last \"\"\"
      [ "$MAX_JOBS" != 16 ] || { echo no more; false; }
    \"\"\"
  }
}
matrix all { recipe = tool, axes = jobs, name = "tool-{{jobs}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
FIXED = PROGRAM.replace("!= 16", "!= 17")


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    found = put_farm(tmp_path, monkeypatch)
    found.write(PROGRAM)
    return found


def entries(farm: Farm) -> dict[str, dict[str, Any]]:
    lines = (farm.project / "tvarc-results.jsonl").read_text().splitlines()
    assert lines == sorted(lines)
    found = {one["variant"]: one for one in map(json.loads, lines)}
    assert len(found) == len(lines)
    return found


def columns() -> str:
    done = tvarc("list", "--columns", "name,state,time,size", "--format", "csv", code=exits.OK)
    return done.stdout


def test_a_run_records_what_happened(farm: Farm) -> None:
    report = farm.realise("--keep-going", "--record", code=exits.FAILED)
    found = entries(farm)
    for one in report["variants"]:
        entry = found[one["name"]]
        assert entry["derivation"] == one["derivation"]
        assert entry["seconds"] == one["seconds"] and entry["test"] is None
        assert entry["log"] == Path(one["log"]).name
    assert found["tool-8"]["event"] == "built" and found["tool-8"]["size"] > 0
    failed = found["tool-16"]
    assert (failed["event"], failed["phase"], failed["size"]) == ("failed", "buildPhase", None)


def test_a_run_that_finds_all_builds_keeps_what_is_known_of_them(farm: Farm) -> None:
    farm.write(FIXED)
    farm.realise("--record")
    before = entries(farm)
    farm.realise()  # a ledger that exists is kept up to date
    assert entries(farm) == before


def test_what_others_built_is_good(farm: Farm) -> None:
    farm.write(FIXED)
    farm.realise("tool-8")
    farm.realise("tool-8", "--record")
    (entry,) = entries(farm).values()
    assert (entry["event"], entry["seconds"]) == ("built", None) and entry["size"] > 0


def test_without_a_ledger_nothing_is_recorded(farm: Farm) -> None:
    farm.write(FIXED)
    before = sorted(farm.project.iterdir())
    farm.realise("tool-8")
    assert sorted(farm.project.iterdir()) == before


def test_a_damaged_ledger_is_reported_before_anything_is_built(farm: Farm) -> None:
    (farm.project / "tvarc-results.jsonl").write_text("<<<<<<< HEAD\n")
    done = tvarc("realise", "tool-8", "--logs", str(farm.logs))
    assert done.exit_code == exits.FAILED and "error[E918]" in done.stderr
    assert not farm.logs.exists()


def test_a_ledger_that_cannot_be_written_is_reported_before_anything_is_built(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> object:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    done = tvarc("realise", "tool-8", "--record", "--logs", str(farm.logs), code=exits.FAILED)
    assert "error[E802]: the results of the run cannot be written to" in done.stderr
    assert not farm.logs.exists()


def test_a_ledger_that_cannot_be_written_stops_no_run(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that nobody asked to record its results goes on."""
    farm.write(FIXED)
    farm.realise("tool-8", "--record")

    real = tempfile.TemporaryFile

    def refused(*words: object, **how: str) -> Any:
        if not words and "dir" not in how:
            return real()  # a file for Nix
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tvarc.farm.ledger.put_one", refused)  # known at the end of the run
    done = tvarc("realise", "--logs", str(farm.logs), code=exits.OK)
    warning = "warning[W316]: the results of this run are not recorded in `tvarc-results.jsonl`"
    assert done.stderr.count(warning) == 1
    monkeypatch.setattr("tempfile.TemporaryFile", refused)  # known before the run
    (farm.project / "tvarc-results.jsonl").write_text("", encoding="utf-8")
    done = tvarc("realise", "--logs", str(farm.logs))
    assert (done.exit_code, done.stderr.count(warning)) == (exits.OK, 1), done.stderr
    assert "\n2 variants: 2 already in the store; " in f"\n{done.stdout}"
    done = tvarc("realise", "--record")
    assert done.exit_code == exits.FAILED and "error[E802]: the results of the run" in done.stderr
    assert "or run it without" in done.stderr


def test_a_list_has_the_results_of_the_present_recipes(farm: Farm) -> None:
    assert columns() == "name,state,time,size\ntool-8,,,\ntool-16,,,\n"
    farm.realise("--keep-going", "--record", code=exits.FAILED)
    found = entries(farm)
    size, seconds = found["tool-8"]["size"], found["tool-8"]["seconds"]
    failed = found["tool-16"]["seconds"]
    assert columns() == (
        f"name,state,time,size\ntool-8,built,{seconds},{size}\ntool-16,failed,{failed},\n"
    )
    farm.write(FIXED)
    assert columns() == "name,state,time,size\ntool-8,changed,,\ntool-16,changed,,\n"
    farm.write(PROGRAM)  # the earlier recipe is the present one again
    assert columns().startswith(f"name,state,time,size\ntool-8,built,{seconds},{size}\n")
