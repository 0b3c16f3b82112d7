"""`tvarc diff` of a program that writes more than recipes: files for other systems, and pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.test_record_beside import PROGRAM
from cli.test_schemas import validator
from support.command import git, put_small, tvarc
from tvarc.commands.line import exits

LARGER = PROGRAM.replace('sm121 { label = "GB10" } }', 'sm121 { label = "GB10" }, sm100 {\n'
                         '  label = "B200" } }')  # fmt: skip


@pytest.fixture(autouse=True)
def project(here: Path) -> Path:
    put_small(here, PROGRAM)
    (here / "old.tvar").write_text(PROGRAM)
    (here / "README.md").write_text("# Ours\n<!-- tvarc: counts -->\n<!-- tvarc: end -->\n")
    return here


def put(text: str) -> None:
    assert text != PROGRAM
    Path("variants.tvar").write_text(text)


def compared(*words: str) -> str:
    done = tvarc("diff", "--against", "old.tvar", *words, code=exits.DIFFERENT)
    return done.stdout


def data() -> list[dict[str, Any]]:
    found = json.loads(compared("--json"))
    validator("diff").validate(found)
    return list(found["files"])


def test_nothing_differs_where_nothing_was_changed() -> None:
    done = tvarc("diff", "--against", "old.tvar")
    assert (done.exit_code, done.stdout) == (exits.OK, "no change in 3 variants\n"), done.stderr


@pytest.mark.slow
def test_a_new_variant_is_a_line_of_each_file() -> None:
    put(LARGER)
    told = compared()
    assert "\njobs.jsonl: 1 line added\n  + {" in told
    assert "\n.github/matrix.json: " in told and "\nREADME.md: " in told
    assert "\ndocs/more.md: " in told
    # A workflow says nothing of single variants.
    assert "build.yml" not in told
    found = {one["file"]: one for one in data()}
    assert list(found) == ["jobs.jsonl", ".github/matrix.json", "README.md", "docs/more.md"]
    assert {one["state"] for one in found.values()} == {"changed"}
    (line,) = found["jobs.jsonl"]["added"]
    assert json.loads(line)["attr"] == "app-sm100.x86_64-linux"
    # The page has the part that somebody wants on it, and no other.
    words = {line for line in found["README.md"]["added"] if "tvarc:" in line}
    assert words == set() and any("4 variants" in one for one in found["README.md"]["added"])


@pytest.mark.slow
def test_of_many_lines_some_are_shown() -> None:
    rows = "".join(f', x{number} {{ label = "X{number}" }}' for number in range(20))
    put(PROGRAM.replace(" }\npin", f"{rows} }}\npin"))
    assert "\njobs.jsonl: 20 lines added\n" in compared()
    assert "  … 12 lines more: --all shows them\n" in compared()
    assert compared("--all").count('\n  + {"attr"') == 20


def test_each_kind_of_difference_is_counted() -> None:
    fewer = PROGRAM.replace(', sm90 { label = "H100" }', "").replace("gpu == sm90", "false")
    put(fewer.replace("sm80 {", "sm75 {"))
    assert "\njobs.jsonl: 1 line removed, 1 changed\n" in compared()


def test_what_only_tells_others_differs_as_well() -> None:
    """No recipe differs, and a file does."""
    put(PROGRAM.replace('"jobs.jsonl" }', '"jobs.jsonl", only = gpu != sm121 }'))
    told = compared()
    assert told.startswith("no change in 3 variants\n\njobs.jsonl: 1 line removed\n  - {")
    assert told.count("\n") == 4 and "app-sm121" in told
    # Of some of the variants nothing is asked about files of all.
    assert tvarc("diff", "--against", "old.tvar", "sm90").exit_code == exits.OK


@pytest.mark.slow
def test_files_come_and_go() -> None:
    put(PROGRAM.replace('"jobs.jsonl"', '"all.jsonl"'))
    told = compared()
    assert "\nall.jsonl: new, 3 lines\n\njobs.jsonl: no output writes it any more\n" in told
    assert [(one["file"], one["state"]) for one in data()] == [
        ("all.jsonl", "new"), ("jobs.jsonl", "gone"),
    ]  # fmt: skip
    assert compared("--all").count("\n  + {") == compared("--all").count("\n  - {") == 3


def test_a_commit_is_a_state_as_well() -> None:
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        git(*words)
    put(LARGER)
    done = tvarc("diff", "--against", "HEAD")
    assert done.exit_code == exits.DIFFERENT and "\njobs.jsonl: 1 line added\n" in done.stdout


def test_what_cannot_be_a_file_is_told_of_either_state() -> None:
    put(PROGRAM.replace('"jobs.jsonl"', '"jobs.txt"'))
    done = tvarc("diff", "--against", "old.tvar")
    assert done.exit_code == exits.TROUBLE and "error[E403]" in done.stderr
    assert "--> variants.tvar:" in done.stderr
    done = tvarc("diff", "old.tvar", "--against", "variants.tvar")
    assert done.exit_code == exits.TROUBLE and "error[E403]" in done.stderr
