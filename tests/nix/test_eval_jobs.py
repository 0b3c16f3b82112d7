"""`tvarc realise` where `nix-eval-jobs` is installed: it changes nothing but how long it takes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from nix import eval_jobs_stand_in
from nix.eval_jobs_stand_in import LINES_BEFORE_THE_END
from nix.farm import Farm, builds, put_farm
from support.command import tvarc
from support.effort import all_hold
from support.recipes import nix_instantiate
from tvarc.commands.line import exits

pytestmark = [*builds, pytest.mark.slow]

PROGRAM = "nix-eval-jobs"
ELSEWHERE = shutil.which(PROGRAM)
TOOLS = """\
pin model { path = "./nixpkgs" }
axis n = ["1", "2", "3", "4", "5", "6", "7", "8", "9"]
recipe tool {
  package = pkgs.hello
  env { N = n }
}
matrix all { recipe = tool, axes = n, name = "tool-{{n}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
SET = "  env { N = n }\n"
PROGRAMS = {
    "all are derived": TOOLS,
    "some are refused": TOOLS.replace(
        SET, f'{SET}  when n in ["2", "7"] {{ attrs {{ x = nix"""throw "no {{{{n}}}}" """ }} }}\n'
    ),
    "all are refused": TOOLS.replace("pkgs.hello", "pkgs.helo"),
    "some are not read": TOOLS.replace(
        SET, f'{SET}  when n == "4" {{ attrs {{ x = nix"""noSuchName""" }} }}\n'
    ),
    "features and structured attributes": TOOLS.replace(
        SET,
        f'{SET}  attrs {{ requiredSystemFeatures = ["big-parallel"] }}\n'
        '  when n == "3" { attrs { __structuredAttrs = true } }\n'
        '  when n == "5" { attrs { requiredSystemFeatures = ["none-has-it"] } }\n',
    ),
    "two groups and two systems": TOOLS.replace(
        "recipe tool {", 'pin other { path = "./nixpkgs", config { allowUnfree = true } }\n'
        "recipe tool {"
    ).replace(SET, f'{SET}  pin = if n in ["1", "8"] then other else model\n'),
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A farm with two or more evaluators, and logs of what is run."""

    farm: Farm

    @property
    def log(self) -> Path:
        return self.farm.root / "eval-jobs.log"

    @property
    def runs(self) -> list[str]:
        """What the program was run with, each time."""
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def asked(self) -> set[str]:
        """The variants that `nix-instantiate` was asked for since the last time."""
        log = self.farm.root / "instantiate.log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return {one["name"] for line in lines for one in json.loads(line)["variants"]}

    def put(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have the stand-in be there."""
        file = self.farm.root / "bin" / PROGRAM
        run = f'exec "{sys.executable}" -P "{eval_jobs_stand_in.__file__}" "$@"'
        file.write_text(f"#!/bin/sh\n{run}\n", encoding="utf-8")
        file.chmod(0o755)
        monkeypatch.setenv("EVAL_JOBS_NIX", shutil.which(nix_instantiate()) or "")
        monkeypatch.setenv("EVAL_JOBS_LOG", str(self.log))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    farm = put_farm(tmp_path, monkeypatch)
    farm.write(TOOLS)
    nix = farm.root / "bin" / "nix-instantiate"
    log = shlex.quote(str(farm.root / "instantiate.log"))
    keep = (
        f'for one; do case $one in */jobs-*.json) cat "$one" >> {log}; echo >> {log};; esac; done'
    )
    nix.write_text(nix.read_text().replace("exec", f"{keep}\nexec", 1), encoding="utf-8")
    if ELSEWHERE is not None:  # what a run without it comes to is asked as well
        folders = [
            one for one in os.environ["PATH"].split(":") if one != str(Path(ELSEWHERE).parent)
        ]
        monkeypatch.setenv("PATH", ":".join(folders))
    monkeypatch.setattr("tvarc.commands.evaluation.evaluate.evaluators_here", lambda: 3)
    return Place(farm)


def told(*words: str) -> tuple[int, str, str]:
    result = tvarc("realise", "--dry-run", "--keep-going", *words)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.once
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("kind", ["stand-in", "real"])
def test_it_changes_no_output(
    program: str, kind: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "real" and (ELSEWHERE is None or nix_instantiate() != "nix-instantiate"):
        pytest.skip(f"{PROGRAM} is not installed, or of another Nix")
    place.farm.write(PROGRAMS[program])
    before = told()
    if kind == "real":
        (place.farm.root / "bin" / PROGRAM).symlink_to(ELSEWHERE or "")
    else:
        place.put(monkeypatch)
    assert len(place.asked()) == 9
    code, out, errors = told()
    if kind == "real":  # old ones end with the first that they cannot read
        errors = "".join(line for line in errors.splitlines(True) if not line.startswith("note: "))
    assert (code, out, errors) == before
    asked = {"some are refused": {"tool-2", "tool-7"}, "all are derived": set()}
    assert program not in asked or place.asked() == asked[program]
    assert kind == "real" or " --workers 2 --meta --max-memory-size 2048 " in place.runs[0]


def test_what_it_derives_is_built(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.put(monkeypatch)
    report = place.farm.realise()
    assert [one["state"] for one in report["variants"]] == ["built"] * 9
    assert not place.asked() and len(place.runs) == 1
    # Its roots are in the folder that is gone by then.
    (folder,) = [word for word in place.runs[0].split() if word.endswith("/roots")]
    assert not Path(folder).parent.exists()


ENDS = {
    "dies": "by signal 9",
    "cuts a line": "worker error: unexpected end-of-file",
    "says nothing": "without a word of 9 of the variants",
    "knows no option": "unrecognised flag '--meta'",
    "another age": "it is of Nix 9.9.1, and `nix-instantiate` of ",
    "another search path": "it has another search path",
    "cannot be run": "No such file or directory",
}


ON_THE_WAY = ("dies", "cuts a line", "says nothing")
"""Ends that come after some of the variants; what these came to is put beside the rest."""


@pytest.mark.once
@pytest.mark.parametrize(
    ("program", "ends"),
    [
        ("some are refused", tuple(ENDS)),
        ("all are derived", ON_THE_WAY),
        ("some are not read", ON_THE_WAY),
    ],
)
def test_that_it_ends_is_told_once_and_the_rest_is_asked_for(
    program: str, ends: Sequence[str], place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.farm.write(PROGRAMS[program])
    monkeypatch.setenv("NIX_PATH", f"nothing={place.farm.root}")
    code, out, errors = told()

    def check(does: str) -> None:
        place.put(monkeypatch)
        place.log.unlink(missing_ok=True)
        place.asked()
        monkeypatch.setenv("EVAL_JOBS_DOES", does)
        if does == "cannot be run":
            (place.farm.root / "bin" / PROGRAM).write_text("#!/nowhere/sh\n", encoding="utf-8")
        found = told()
        assert found[:2] == (code, out)
        first, second, rest = found[2].split("\n", 2)
        assert first.startswith("note: `nix-eval-jobs` failed: ") and ENDS[does] in first
        assert (second, rest) == ("note: `nix-instantiate` evaluates the rest", errors)
        assert place.asked()
        assert len(place.runs) == (0 if does == "cannot be run" else 1)

    all_hold(check, ends)


def test_what_it_told_before_it_died_is_taken(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.put(monkeypatch)
    monkeypatch.setenv("EVAL_JOBS_DOES", "dies")
    told()
    assert len(place.asked()) == 9 - LINES_BEFORE_THE_END


def test_the_next_repair_of_the_same_age_is_taken(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.put(monkeypatch)
    monkeypatch.setenv("EVAL_JOBS_DOES", "the next repair")
    assert "note" not in told()[2]
    assert not place.asked()


def test_variants_without_a_pin_are_of_the_nixpkgs_that_is_searched_for(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TOOLS.replace('pin model { path = "./nixpkgs" }\n', "")
    place.farm.write(text.replace(SET, f"{SET}  pin = none\n"))
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={place.farm.project / 'nixpkgs'}:{place.farm.root}")
    before = told()
    assert before[0] == exits.OK, before
    place.put(monkeypatch)
    place.asked()
    assert told() == before
    assert not place.asked()


def test_few_variants_are_not_worth_its_start(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.put(monkeypatch)
    assert told("1", "2", "3")[0] == exits.OK
    monkeypatch.setattr("tvarc.commands.evaluation.evaluate.evaluators_here", lambda: 1)
    assert told()[0] == exits.OK
    assert tvarc("check", "--eval").exit_code == exits.OK
    assert place.runs == []


def test_who_interrupts_ends_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.put(monkeypatch)
    monkeypatch.setenv("EVAL_JOBS_DOES", "waits")
    code = "from tvarc.commands.evaluation import evaluate as e; e.evaluators_here = lambda: 3\n"
    code += "import runpy, sys; sys.argv = ['tvarc', 'realise', '--dry-run']\n"
    code += "runpy.run_module('tvarc', run_name='__main__')"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    while not place.runs:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert process.stderr is not None
    process.stderr.close()
    (run,) = place.runs
    with pytest.raises(ProcessLookupError):
        os.kill(int(run.split()[0]), 0)
