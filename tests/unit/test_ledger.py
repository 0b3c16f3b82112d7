"""The ledger: what is an entry, and what a union of two ledgers is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import git, tvarc
from tvarc.commands.line import exits
from tvarc.farm import LEDGER
from tvarc.farm.ledger import Entry, Event, Ledger, can_record, ledger_of, record
from tvarc.light import replace
from tvarc.text.diagnostics.model import Sink

PATH = f"/nix/store/{'a' * 32}-tool.drv"
BUILT = Entry(
    "tool-8", "", "built", PATH, "0" * 32, "2026-01-02T03:04:05.678Z", "here", 12, 4096
)
FAILED = replace(BUILT, variant="tool-16", event="failed", size=None, phase="buildPhase")


def program(folder: Path) -> str:
    return str(folder / "variants.tvar")


def put(folder: Path, *found: Entry) -> Path:
    sink = Sink()
    assert record(program(folder), found, sink), list(sink)
    return folder / LEDGER


def read(folder: Path) -> tuple[Ledger, list[str]]:
    sink = Sink()
    found = ledger_of(program(folder), sink)
    return found, [one.code for one in sink]


def test_there_is_no_ledger_at_first(tmp_path: Path) -> None:
    assert read(tmp_path) == (Ledger(), [])


def test_what_is_recorded_is_read(tmp_path: Path) -> None:
    put(tmp_path, BUILT, FAILED)
    found, faults = read(tmp_path)
    assert faults == [] and found.exists
    standings = found.standings(lambda one: one.variant)
    assert standings["tool-8"].is_good and standings["tool-8"].state == "built"
    assert not standings["tool-16"].is_good and standings["tool-16"].state == "failed"


def test_a_test_that_failed_makes_a_good_build_bad(tmp_path: Path) -> None:
    put(tmp_path, BUILT, replace(BUILT, test="smoke", event="test-failed"))
    (standing,) = read(tmp_path)[0].standings(lambda one: one.variant).values()
    assert (standing.state, standing.is_good) == ("test-failed", False)
    put(tmp_path, replace(BUILT, test="smoke", event="tested", when="2026-01-02T03:04:06.000Z"))
    (standing,) = read(tmp_path)[0].standings(lambda one: one.variant).values()
    assert (standing.state, standing.is_good) == ("tested", True)


@pytest.mark.parametrize(
    "change",
    [
        {"event": "failed"},
        {"seconds": 11},
        {"variant": "tool-9"},
        {"derivation": "/tmp/tool.drv"},
        {"when": "yesterday"},
        {"size": -1},
        {"machine": ""},
        {"version": 2},
        {"test": "smoke"},
        {"more": 1},
    ],
)
def test_a_line_that_no_run_wrote_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    """The code is "E918"."""
    file = put(tmp_path, BUILT)
    before = json.dumps({**json.loads(file.read_text()), **change}) + "\n"
    file.write_text(before)
    assert read(tmp_path) == (Ledger(exists=True), ["E918"])
    # It is not lost either: nothing is written over it.
    sink = Sink()
    assert not record(program(tmp_path), [FAILED], sink)
    assert file.read_text() == before


@pytest.mark.parametrize("line", ["{", "[]", "{}", "[" * 100_000, "<<<<<<<HEAD"])
def test_another_line_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / LEDGER).write_text(f"{line}\n")
    assert read(tmp_path) == (Ledger(exists=True), ["E918"])


def test_a_conflict_of_git_is_reported_once(tmp_path: Path) -> None:
    """The results of both sides are read."""
    sides = [put(tmp_path, one).read_text() for one in (BUILT, FAILED)]
    only = sides[1].replace(sides[0], "")
    (tmp_path / LEDGER).write_text(f"<<<<<<< HEAD\n{sides[0]}=======\n{only}>>>>>>> side\n")
    found, faults = read(tmp_path)
    assert faults == ["E918"] and len(found.entries) == 2
    sink = Sink()
    ledger_of(program(tmp_path), sink)
    (one,) = sink
    assert one.title == f"`{tmp_path / LEDGER}:1` has a conflict of git"
    assert not record(program(tmp_path), [FAILED], Sink())


def test_a_link_is_no_ledger(tmp_path: Path) -> None:
    """A run would replace it by a file."""
    other = put(tmp_path, BUILT).rename(tmp_path / "other")
    (tmp_path / LEDGER).symlink_to(other)
    assert read(tmp_path) == (Ledger(exists=True), ["E918"])
    assert not record(program(tmp_path), [FAILED], Sink())
    other.unlink()
    assert read(tmp_path) == (Ledger(exists=True), ["E918"])


def test_a_ledger_that_cannot_be_written_is_known_before_a_run(tmp_path: Path) -> None:
    assert can_record(program(tmp_path), Sink()) and list(tmp_path.iterdir()) == []
    sink = Sink()
    assert not can_record(program(tmp_path / "absent"), sink)
    assert [one.code for one in sink] == ["E802"]


def test_two_results_of_one_run_that_differ_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    file = put(tmp_path, BUILT)
    other = put(tmp_path / "other", replace(BUILT, event="failed"))
    file.write_text(file.read_text() + other.read_text())
    assert read(tmp_path)[1] == ["E918"]


def test_git_merges_two_ledgers_to_their_union(tmp_path: Path) -> None:
    """With the line of `.gitattributes` that `tvarc init` writes, also where both are new."""

    def run(*words: str) -> None:
        git(*words, cwd=tmp_path)

    run("init", "--quiet")
    (tmp_path / ".gitattributes").write_text(f"{LEDGER} merge=union\n")
    run("add", ".")
    run("commit", "--quiet", "-m", "start")
    run("checkout", "--quiet", "-b", "side")
    more = [replace(BUILT, variant=f"tool-{number}") for number in range(20, 30)]
    put(tmp_path, BUILT, *more[::2])
    run("add", ".")
    run("commit", "--quiet", "-m", "side")
    run("checkout", "--quiet", "main")
    put(tmp_path, BUILT, FAILED, *more[1::2])
    run("add", ".")
    run("commit", "--quiet", "-m", "main")
    run("merge", "--quiet", "-m", "both", "side")
    found, faults = read(tmp_path)
    assert faults == []
    assert {one.variant for one in found.entries} == {
        one.variant for one in (BUILT, FAILED, *more)
    }


def test_a_union_of_lines_reads_as_one_ledger(tmp_path: Path) -> None:
    """Of a build that another machine only finds, the time and the size are known."""
    other = tmp_path / "other"
    other.mkdir()
    later = "2026-01-02T03:04:07.000Z"
    file = put(tmp_path, BUILT, FAILED)
    found = replace(BUILT, seconds=None, size=None, machine="there", when=later)
    more = put(other, found, replace(FAILED, event="built", phase="", when=later))
    file.write_text(more.read_text() + file.read_text() + more.read_text())
    ledger, faults = read(tmp_path)
    assert faults == []
    assert {(one.variant, one.event, one.seconds, one.size) for one in ledger.entries} == {
        ("tool-8", "built", 12, 4096),
        ("tool-16", "built", 12, None),
    }
    before = set(file.read_text().splitlines())
    put(tmp_path)
    assert set(file.read_text().splitlines()) < before


def test_a_result_of_a_newer_tvarc_is_reported_as_such(tmp_path: Path) -> None:
    file = put(tmp_path, BUILT)
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": 2}) + "\n")
    sink = Sink()
    ledger_of(program(tmp_path), sink)
    (fault,) = sink
    assert fault.title.endswith("tvarc-results.jsonl:1` is a result of a newer tvarc")
    assert fault.help == "use the tvarc that wrote it"


def test_processes_that_record_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from tvarc.farm.ledger import Entry, record; "
        "from tvarc.text.diagnostics.model import Sink\n"
        "for number in range(10):\n"
        f"    one = Entry(f'{{sys.argv[2]}}-{{number}}', '', 'built', {PATH!r}, '', "
        "'2026-01-02T03:04:05.678Z', 'here')\n"
        "    assert record(sys.argv[1], [one], Sink())\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, program(tmp_path), name]) for name in "abc"
    ]
    assert [one.wait() for one in running] == [0, 0, 0]
    assert len(read(tmp_path)[0].entries) == 30


def test_a_list_reports_a_damaged_ledger_once(here: Path) -> None:
    Path("variants.tvar").write_text(
        'axis a = ["1"]\nrecipe r { package = pkgs.hello }\n'
        'matrix m { recipe = r, axes = a, name = "r-{{a}}" }\n'
    )
    Path(LEDGER).write_text("{\n")
    done = tvarc("list", "--columns", "state,time,size")
    assert done.exit_code == exits.FAILED and done.stderr.count("error[E918]") == 1


@pytest.mark.parametrize(("test", "event"), [("", "built"), ("smoke", "tested")])
def test_what_is_only_found_again_keeps_its_time(tmp_path: Path, test: str, event: Event) -> None:
    first = replace(BUILT, test=test, event=event)
    file = put(tmp_path, first)
    before = file.read_text()
    again = replace(first, seconds=None, when="2026-01-02T03:04:07.000Z")
    assert put(tmp_path, again).read_text() == before
    # A comment changes the recipe and no derivation: the result is that of the new recipe as well.
    put(tmp_path, replace(again, inputs="1" * 32))
    assert {(one.inputs, one.seconds) for one in read(tmp_path)[0].entries} == {
        ("0" * 32, 12),
        ("1" * 32, 12),
    }
