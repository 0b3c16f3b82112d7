"""`tvarc check --fix`: what is corrected, what is written, and what is printed."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from pathlib import Path

import pytest

from support.command import ROOT, tvarc
from tvarc.commands.line import exits

WRONG = """\
axis isa = [avx2, avx512]
recipe hello { pakage = pkgs.hello, pin: none }
matrix builds { recipe = hello, axes = iso, name = "hello-{{isa}}" }
output nix { file = "{{variant}}.nix" }
warn same-build = off because "both print the same"
"""
RIGHT = WRONG.replace("pakage", "package").replace("pin:", "pin =").replace("= iso", "= isa")
PRINTED = (
    "variants.tvar:3:40: `iso` is now `isa` (E201)\n"
    "variants.tvar:2:40: `:` is now `=` (E101)\n"
    "variants.tvar:2:16: `pakage` is now `package` (E210)\n"
)


def put(text: str, name: str = "variants.tvar") -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.slow
def test_what_is_corrected_is_printed_and_then_checked(project: Path) -> None:
    program = put(WRONG)
    result = tvarc("check", "--fix")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    assert result.stdout == f"{PRINTED}2 variants, 0 errors, 0 warnings\n"
    assert program.read_text() == RIGHT
    again = tvarc("check", "--fix")
    assert again.stdout == "2 variants, 0 errors, 0 warnings\n"
    assert program.read_text() == RIGHT


def test_without_the_option_nothing_is_written(project: Path) -> None:
    program = put(WRONG)
    assert tvarc("check").exit_code == exits.FAILED
    assert program.read_text() == WRONG


def test_what_is_to_be_chosen_is_left(project: Path) -> None:
    text = WRONG.replace(' because "both print the same"', "")
    program = put(text)
    result = tvarc("check", "--fix", code=exits.FAILED)
    assert "error[E208]: `warn … = off` needs a reason" in result.stderr
    assert program.read_text() == RIGHT.replace(' because "both print the same"', "")


COMPARED = """\
use std.nvidia
axis gpu = nvidia[sm80, sm90]
axis cuda = [12.8, 13.0]
let newest = gpu == "sm90" and
  cuda >= "12.9"
let other = {{ newest }} or cuda == 13
recipe hello {
  package = pkgs.hello
  pin     = none
  if newest {
    attrs { a = 1 }
  }
  when "sm80" in [gpu] and not other { attrs { b = 1 } }
}
matrix all { recipe = hello, axes = gpu * cuda, name = "{{gpu}}-{{under(cuda)}}" }
output nix { file = "{{variant}}.nix" }
warn same-build = off because "the conditions are what counts"
"""


def test_literals_of_another_kind_and_words_in_another_place(project: Path) -> None:
    program = put(COMPARED)
    result = tvarc("check", "--fix")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    assert "variants.tvar:4:27: moved `and` (E101)\n" in result.stdout
    changes = (
        ('"sm90"', "sm90"), (" and\n  ", "\n  and "), ('"12.9"', "12.9"),
        ("{{ newest }}", "newest"), ("13\n", "13.0\n"), ("if newest", "when newest"),
        ('"sm80"', "sm80"),
    )  # fmt: skip
    right = COMPARED
    for before, after in changes:
        assert before in right
        right = right.replace(before, after, 1)
    assert program.read_text() == right


@pytest.mark.parametrize(
    "condition",
    ['gpu == "sm8"', 'gpu in ["sm80"]', 'cuda == "new"', "gpu == 80", 'cuda == "{{gpu}}"'],
)
def test_a_comparison_that_could_mean_something_else_is_left(project: Path, condition: str) -> None:
    start, end = COMPARED.index("let newest"), COMPARED.index("recipe")
    text = f"{COMPARED[:start]}let newest = {condition}\n{COMPARED[end:]}"
    text = text.replace("if newest", "when newest")
    text = text.replace('"sm80" in [gpu] and not other', "newest")
    program = put(text)
    assert tvarc("check", "--fix").exit_code == exits.FAILED
    assert program.read_text() == text


def test_two_words_that_are_as_near_are_left(project: Path) -> None:
    text = "let left_a = 1\nlet left_b = 2\nlet x = left_c\n" + RIGHT
    program = put(text)
    result = tvarc("check", "--fix", code=exits.FAILED)
    assert "help: did you mean `left_a` or `left_b`?" in result.stderr
    assert program.read_text() == text


def test_imported_files_are_corrected_and_the_library_is_not(project: Path) -> None:
    put("let answer = true && false\n", "parts/shared.tvar")
    program = put('use "./parts/shared.tvar"\nlet y = anwser\n' + RIGHT)
    tvarc("check", "--fix", code=exits.OK)
    assert Path("parts/shared.tvar").read_text() == "let answer = true and false\n"
    assert "let y = answer\n" in program.read_text()


def test_an_absolute_import_is_written_from_its_file(project: Path) -> None:
    shared = put("let answer = 1\n", "parts/shared.tvar").resolve()
    program = put(f'use "{shared}"\n{RIGHT}')
    tvarc("check", "--fix", code=exits.OK)
    assert program.read_text() == f'use "./parts/shared.tvar"\n{RIGHT}'


def test_a_file_that_a_correction_brings_in_is_corrected_as_well(project: Path) -> None:
    shared = put("let answer = true && false\n", "parts/shared.tvar").resolve()
    program = put(f'use "{shared}"\n{RIGHT}')
    tvarc("check", "--fix", code=exits.OK)
    assert program.read_text() == f'use "./parts/shared.tvar"\n{RIGHT}'
    assert shared.read_text() == "let answer = true and false\n"


def test_line_ends_and_permissions_stay(project: Path) -> None:
    program = put(WRONG.replace("\n", "\r\n"))
    program.chmod(0o640)
    assert tvarc("check", "--fix").exit_code == exits.OK
    assert program.read_bytes().decode() == RIGHT.replace("\n", "\r\n")
    assert program.stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_be_written_leaves_all_as_they_are(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = put("let answer = true && false\n", "parts/shared.tvar")
    text = f'use "./parts/shared.tvar"\n{WRONG}'
    program = put(text)
    access = os.access
    refused = os.path.realpath(shared)
    monkeypatch.setattr(os, "access", lambda path, mode: path != refused and access(path, mode))
    result = tvarc("check", "--fix", code=exits.FAILED)
    assert "error[E802]: `parts/shared.tvar` cannot be written" in result.stderr
    assert program.read_text() == text
    assert "&&" in shared.read_text()


@pytest.mark.slow
def test_a_file_with_merge_conflicts_is_left(project: Path) -> None:
    text = f"<<<<<<< ours\n{WRONG}=======\n{WRONG}>>>>>>> theirs\n"
    program = put(text)
    result = tvarc("check", "--fix", code=exits.FAILED)
    assert "E913" in result.stderr
    assert program.read_text() == text


def test_there_is_no_such_program(project: Path) -> None:
    result = tvarc("check", "--fix", "gone.tvar", code=exits.FAILED)
    assert "E106" in result.stderr


@pytest.mark.slow
def test_all_programs_are_corrected(project: Path) -> None:
    first, second = put(WRONG, "a/variants.tvar"), put(WRONG, "b/variants.tvar")
    put(RIGHT)
    result = tvarc("check", "--fix", "--all", code=exits.OK)
    assert first.read_text() == second.read_text() == RIGHT
    assert "a/variants.tvar:2:40: `:` is now `=` (E101)\n" in result.stdout


def test_programs_get_one_document(project: Path) -> None:
    put(WRONG)
    result = tvarc("check", "--fix", "--format", "json")
    assert json.loads(result.stdout) == {"diagnostics": []}
    assert result.stderr.startswith(PRINTED)


SCHEMA = ROOT / "docs" / "schema" / "diagnostics.json"


@pytest.mark.skipif(
    importlib.util.find_spec("jsonschema") is None and "CI" not in os.environ,
    reason="jsonschema is not installed",
)
def test_the_edits_are_in_the_json_form_and_its_schema(project: Path) -> None:
    draft = importlib.import_module("jsonschema").Draft202012Validator
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    draft.check_schema(schema)
    put(WRONG.replace("pin: none", "pin = none"))
    printed = json.loads(tvarc("check", "--format", "json").stdout)
    draft(schema).validate(printed)
    one, other = printed["diagnostics"]
    assert one["fix"] == {
        "title": "write `package`",
        "edits": [
            {
                "file": "variants.tvar",
                "start": {"line": 2, "column": 16, "offset": 41},
                "end": {"line": 2, "column": 22, "offset": 47},
                "text": "package",
            }
        ],
    }
    assert other["fix"]["title"] == "write `isa`"
    put(RIGHT.replace("hello {", "hello { attrs.x = nothing,"))
    printed = json.loads(tvarc("check", "--format", "json").stdout)
    draft(schema).validate(printed)
    assert [item["fix"] for item in printed["diagnostics"]] == [None]
