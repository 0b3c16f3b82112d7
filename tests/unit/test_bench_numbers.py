"""The benchmark's numbers: how they are taken, judged and shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench import commands, documents, markdown, tables, targets, trees
from bench.results import Machine, Ratio, Results, Row, Table, from_json, growth, rows, to_json
from bench.timing import Failed, Job, Outcome, Run, rounds, timed
from support.compile import ROOT

UPDATE = os.environ.get("UPDATE_DOCS") == "1"
LIMIT = 60.0
MACHINE = Machine("2000-01-01", "a processor", 1, "Linux", {"tvarc": "0"})


def runs(*cpu: float) -> Outcome:
    return Outcome(tuple(Run(2 * seconds, seconds, 10.0) for seconds in cpu))


def sized(files: int, cpu_ratio: float) -> Table:
    made = Row(1.0, 2.0, 30.0, Ratio(1.5, cpu_ratio))
    return Table(str(files), files, 4500, 3, {"tvarc-first": made}, {})


@pytest.mark.slow
def test_a_command_is_timed_with_its_children() -> None:
    loop = "sum(range(3_000_000))"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{loop}'])"
    alone = timed([sys.executable, "-c", loop], LIMIT)
    run = timed([sys.executable, "-c", child], LIMIT)
    assert run.cpu > alone.cpu / 2
    assert run.wall >= alone.wall / 2
    assert run.peak > 5


def test_peak_memory_is_that_of_the_command() -> None:
    run = timed([sys.executable, "-c", "b = bytes(1) * 80_000_000"], LIMIT)
    assert 76 < run.peak < 120


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys; sys.exit('no')", "exit code 1: no"),
        ("import time; time.sleep(60)", "over 1 s"),
    ],
)
def test_a_command_that_fails_says_why(code: str, why: str) -> None:
    with pytest.raises(Failed, match=why):
        timed([sys.executable, "-c", code], 1.0)


def test_a_command_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="nobody"):
        timed([tmp_path / "nobody"], LIMIT)


@pytest.mark.slow
def test_rounds_turn_and_leave_out_what_fails() -> None:
    order: list[str] = []

    def job(key: str, code: str = "") -> Job:
        return Job(key, [sys.executable, "-S", "-c", code], prepare=lambda n: order.append(key))

    found = rounds([job("a"), job("b"), job("c", "raise SystemExit(3)")], 2, LIMIT)
    assert order == ["a", "b", "c", "b", "a", "a", "b"]
    assert [len(outcome.runs) for outcome in found.values()] == [2, 2, 0]
    assert found["c"].failure.startswith("exit code 3")


def test_wrong_work_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"2")
    assert trees.changed({"a": b"1", "b": b"3"}.items(), tmp_path) == 1
    for wanted in ({"a": b"1", "b": b"3"}, {"a": b"1"}, {"a": b"1", "b": b"2", "c": b""}):
        with pytest.raises(Failed):
            trees.demand_equal(wanted.items(), tmp_path)


def test_a_ratio_is_the_median_of_the_ratios_within_rounds() -> None:
    outcomes = {"tvarc-first": runs(2.0, 40.0, 6.0), "floor-write": runs(1.0, 10.0, 2.0)}
    found, failures = rows(outcomes, commands.FLOOR_OF, ["tvarc-first"])
    assert not failures
    assert found["tvarc-first"].floor == Ratio(3.0, 3.0)
    assert found["tvarc-first"].cpu == 6000.0
    assert found["tvarc-first"].wall == 12000.0
    assert found["floor-write"].beside == {"tvarc-first": Ratio(3.0, 3.0)}


def test_another_tvarc_is_set_beside_ours_row_by_row() -> None:
    outcomes = {
        "tvarc-first": runs(2.0, 40.0, 6.0),
        "other-tvarc-first": runs(1.0, 10.0, 2.0),
        "floor-write": runs(1.0, 1.0, 1.0),
    }
    found, failures = rows(outcomes, commands.FLOOR_OF, ["tvarc-edit-new"])
    assert not failures
    assert found["other-tvarc-first"].beside == {"tvarc-first": Ratio(3.0, 3.0)}
    results = Results(MACHINE, [Table("44", 44, 4500, 3, found, {})], [], [])
    shown = tables.parts(from_json(to_json(results)))
    assert "| tvarc: first build, empty cache | 3.00 (3.00), 1.00 |" in shown["other"]
    assert "other" not in tables.parts(Results(MACHINE, [sized(44, 1.0)], [], []))


def test_without_a_floor_nothing_is_said() -> None:
    outcomes = {"tvarc-first": runs(2.0), "floor-write": Outcome((), "no room")}
    with pytest.raises(Failed, match="no room"):
        rows(outcomes, commands.FLOOR_OF, [])


def test_growth_of_a_line() -> None:
    fit = growth([(n, 20 + 0.03 * n) for n in (44, 948, 99_540)])
    assert fit is not None
    assert fit.fixed == pytest.approx(20)
    assert fit.each == pytest.approx(30)
    assert growth([(44, 20.0)]) is None
    square = growth([(10, 1.0), (100, 100.0)])
    assert square is not None
    assert square.exponent == pytest.approx(2)


def test_a_missed_target_is_marked() -> None:
    results = Results(MACHINE, [sized(44, 13.9), sized(99_540, 2.3)], [], [])
    shown = tables.parts(results)
    assert "| 13.9 ≤ 14 | **2.30 > 2.2** |" in shown["targets"]
    assert "| 30.0 ≤ 60 | 30.0 ≤ 80 |" in shown["memory"]


def test_each_build_has_a_target_at_each_size() -> None:
    sizes = {44, 237, 948, 9_954, 99_540}
    assert targets.CPU.keys() == commands.BUILDS.keys()
    assert all(sizes <= found.keys() for found in targets.CPU.values())
    assert set(targets.START) == set(commands.STARTS) - {"tvarc-version"}


def test_what_is_left_out_is_said() -> None:
    table = replace(sized(44, 1.0), left_out={"pkl": "not installed"})
    shown = tables.parts(Results(MACHINE, [table], [], []))
    assert shown["left-out"] == "- Pkl (native), 44: not installed"


def test_results_come_back_from_json() -> None:
    results = Results(MACHINE, [sized(44, 1.25)], [sized(237, 2.0)], [])
    assert from_json(to_json(results)) == results


def test_a_part_of_a_document_is_replaced() -> None:
    text = "a\n<!-- measured: x -->\nold\nold\n<!-- end -->\nb\n"
    new = markdown.replaced(text, {"x": "new"})
    assert new == "a\n<!-- measured: x -->\nnew\n<!-- end -->\nb\n"
    assert markdown.names(new) == {"x"}


@pytest.mark.parametrize("document", documents.DOCUMENTS, ids=str)
def test_documents_show_the_results_that_are_kept(document: Path) -> None:
    results = from_json(documents.RESULTS.read_text(encoding="utf-8"))
    shown = documents.rendered(document, results)
    if UPDATE:
        document.write_text(shown, encoding="utf-8")
    assert document.read_text(encoding="utf-8") == shown
    assert markdown.names(shown)


def test_the_readme_has_figures_of_the_table() -> None:
    """Those of tvarc and its peers for the smallest and a large number of recipes."""
    table = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in table.splitlines() if line.count(" | ") == 5]
    names = ["Nix makes the text", "Jinja2", "Pkl", "tvarc: first build"]
    measured = [next(row for row in rows if row[0].startswith(f"| {name}")) for name in names]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for size, column in (("44", 1), ("9,954", 4)):
        nix, jinja, pkl, ours = [f"{float(row[column]):.1f}" for row in measured]
        figures = f"| {nix} | {jinja} | | {pkl} | {ours} |"
        assert f"| CPU time for {size} recipes ¹ {figures}\n" in readme


def test_documents_show_every_part() -> None:
    results = from_json(documents.RESULTS.read_text(encoding="utf-8"))
    shown = [markdown.names(path.read_text(encoding="utf-8")) for path in documents.DOCUMENTS]
    assert set.union(*shown) == set(tables.parts(results))


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow(seconds=12)
def test_one_command_measures_and_writes_json(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    only = ("--sizes", "44", "--rounds", "1", "--only", "tvarc,floor")
    done = bench(*only, "--json", str(file), "--tvarc", f"{sys.executable} -m tvarc")
    assert done.returncode == 0, done.stderr
    (table,) = from_json(file.read_text(encoding="utf-8")).matrix
    assert table.left_out == {}
    assert (table.files, table.rounds) == (44, 1)
    builds = set(commands.BUILDS) - {"tvarc-edit", "watch-edit"}
    assert set(table.rows) == builds | {commands.WRITE, commands.COMPARE, commands.REPLACE}
    assert all(row.cpu > 0 and row.wall > 0 and row.peak > 5 for row in table.rows.values())
    assert "| tvarc: nothing changed | " in done.stdout
    shown = bench("--render", str(file))
    assert shown.stdout == done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("--sizes", "45"), ("--only", "x"), ("--rounds", "0")])
def test_wrong_usage_is_refused(arguments: tuple[str, ...]) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_tvarc_that_fails_is_an_error() -> None:
    done = bench("--sizes", "44", "--only", "tvarc", "--tvarc", f"{sys.executable} -m nobody")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_results_are_plain_numbers() -> None:
    data = json.loads(documents.RESULTS.read_text(encoding="utf-8"))
    assert [table["files"] for table in data["matrix"]] == sorted(
        table["files"] for table in data["matrix"]
    )
