"""What commands read in the ledger of a program: the results of its present recipes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import calls, tvarc
from support.compile import compile_on_disk
from support.hosts import DATA
from support.html import page_data
from tvarc.commands.line import exits
from tvarc.farm.ledger import Entry, Inputs, record
from tvarc.text.diagnostics.model import Sink

PROGRAM = """\
use std.cpu
axis isa = cpu[avx2, x86-64-v3, x86-64-v4]
recipe tool {
  pin = none
  package = pkgs.hello
  env { LEVEL = isa }
  attrs { data = path("./data.txt") }
}
matrix all { recipe = tool, axes = isa, name = "tool-{{isa}}" }
output nix { file = "pkgs/{{variant}}.nix" }
output ci: jobs { file = "jobs.jsonl" }
"""
PATH = f"/nix/store/{'a' * 32}-tool.drv"
AVX2, V3, V4 = "tool-avx2", "tool-x86-64-v3", "tool-x86-64-v4"


@pytest.fixture(autouse=True)
def project(here: Path) -> Path:
    Path("variants.tvar").write_text(PROGRAM, encoding="utf-8")
    Path("data.txt").write_text("data\n", encoding="utf-8")
    return here


def put(**entry: object) -> None:
    """Record a result of the present recipe of a variant."""
    made = compile_on_disk("variants.tvar")
    (variant,) = [one for one in made.variants if one.name == entry["variant"]]
    fields = {
        "test": "",
        "event": "built",
        "derivation": PATH,
        "inputs": Inputs(made).digest(variant),
        "when": "2026-01-02T03:04:05.678Z",
        "machine": "here",
        **entry,
    }
    sink = Sink()
    assert record("variants.tvar", [Entry(**fields)], sink), list(sink)  # type: ignore[arg-type]


def missing(*words: str) -> list[str]:
    done = tvarc("jobs", "--missing", *words, code=exits.OK)
    return [json.loads(line)["attr"] for line in done.stdout.splitlines()]


def test_jobs_are_those_without_a_good_result() -> None:
    assert missing() == [AVX2, V3, V4]
    put(variant=AVX2)
    put(variant=V3, event="failed")
    put(variant=V4)
    put(variant=V4, event="test-failed", test="smoke")
    assert missing() == [V3, V4]
    put(variant=V3, when="2026-01-02T03:04:06.678Z")
    put(variant=V4, event="tested", test="smoke", when="2026-01-02T03:04:06.678Z")
    assert missing() == []


def test_a_file_that_a_recipe_names_is_a_part_of_it() -> None:
    for name in (AVX2, V3, V4):
        put(variant=name)
    assert missing() == []
    Path("data.txt").write_text("other\n", encoding="utf-8")
    assert missing() == [AVX2, V3, V4]


def test_a_recipe_that_reads_elsewhere_is_never_known_to_be_good() -> None:
    text = PROGRAM.replace('path("./data.txt")', 'nix"""/etc/hosts"""')
    Path("variants.tvar").write_text(text, encoding="utf-8")
    put(variant=AVX2)
    assert missing("avx2") == [AVX2]


def test_jobs_report_a_damaged_ledger() -> None:
    Path("tvarc-results.jsonl").write_text("{}\n", encoding="utf-8")
    done = tvarc("jobs", "--missing")
    assert (done.exit_code, done.stdout) == (exits.FAILED, "") and "E918" in done.stderr


def test_the_ledger_is_read_once_for_all_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    read = calls(monkeypatch, "tvarc.farm.ledger.ledger_of", lambda program, _: program)
    assert tvarc("list", "--columns", "state,time,size").exit_code == exits.OK
    assert read == ["variants.tvar"]


def test_a_page_has_the_recorded_results() -> None:
    put(variant=AVX2, seconds=7, size=4096)
    put(variant=V3, event="failed", log="tool.log")
    tvarc("report", "--html", "page.html", code=exits.OK)
    data = page_data(Path("page.html").read_text(encoding="utf-8"), "matrix")
    states = {one["name"]: one["state"] for one in data["cells"] if "state" in one}
    assert states == {
        AVX2: {"state": "built", "machine": "here", "seconds": 7},
        V3: {"state": "failed", "machine": "here", "log": "tool.log"},
    }


PAGE = """\
# Ours

<!-- tvarc: results -->
<!-- tvarc: end -->
"""
DOCUMENTED = PROGRAM + 'output docs: docs { file = "README.md" }\n'


def page() -> str:
    tvarc("build", code=exits.OK)
    return Path("README.md").read_text(encoding="utf-8")


def test_a_page_of_ones_own_has_the_results() -> None:
    Path("variants.tvar").write_text(DOCUMENTED, encoding="utf-8")
    Path("README.md").write_text(PAGE, encoding="utf-8")
    assert "\nGood results: 0 of 3 variants (3 without a result).\n\n<!--" in page()
    put(variant=AVX2, seconds=5400, size=734003200)
    put(variant=V3, event="failed", seconds=12)
    # A build that has nothing else to do notices the results.
    assert tvarc("build", "--check").exit_code == exits.STALE
    assert (
        "\nGood results: 1 of 3 variants (1 built, 1 failed, 1 without a result).\n"
        "\n"
        "| variant | state | time | size |\n"
        "|---|---|---|---|\n"
        "| `tool-avx2` | built | 1 h 30 min | 700 MiB |\n"
        "| `tool-x86-64-v3` | failed | 12 s |  |\n"
    ) in page()
    assert tvarc("build", "--check").exit_code == exits.OK
    # What the recipes are now has no results.
    Path("data.txt").write_text("other\n", encoding="utf-8")
    assert "\nGood results: 0 of 3 variants (2 changed, 1 without a result).\n" in page()


def test_a_new_page_has_results_if_there_are_any() -> None:
    Path("variants.tvar").write_text(DOCUMENTED, encoding="utf-8")
    assert "results" not in page()
    Path("README.md").unlink()
    put(variant=AVX2, size=1536)
    assert "## What was built\n\n<!-- tvarc: results -->\n" in page()
    assert "| `tool-avx2` | built |  | 1.5 KiB |\n" in page()


def test_no_page_is_written_from_a_damaged_ledger() -> None:
    Path("variants.tvar").write_text(DOCUMENTED, encoding="utf-8")
    Path("README.md").write_text(PAGE, encoding="utf-8")
    Path("tvarc-results.jsonl").write_text("{}\n", encoding="utf-8")
    done = tvarc("build")
    assert done.exit_code == exits.FAILED and done.stderr.count("error[E918]") == 1
    assert Path("README.md").read_text(encoding="utf-8") == PAGE


def picked() -> tuple[str, str]:
    """The first variant for a host that runs all of them, and the answer for a person."""
    words = ("pick", "--host", str(DATA / "made" / "zen4-h100.json"))
    done, found = tvarc(*words), json.loads(tvarc(*words, "--json").stdout)
    assert done.exit_code == exits.OK, done.stderr
    (kind,) = found["kinds"]
    return kind["best"], " ".join(done.stdout.split())


def test_what_is_known_to_work_is_picked_first() -> None:
    assert picked()[0] == V4
    put(variant=V4, event="failed")
    best, told = picked()
    assert best == V3
    assert f"{V4} fits better, but its last build or test failed" in told
    put(variant=AVX2)
    assert picked()[0] == AVX2
    put(variant=V4, when="2026-01-02T03:04:06.678Z")
    assert picked()[0] == V4
