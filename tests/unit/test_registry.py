"""Every code is raised somewhere, has a page that is true, and a case that shows it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.compile import named_by
from support.effort import for_each
from support.library_cache import library_cache
from tvarc.build.driver import Compilation, compile_file
from tvarc.files.disk import MAX_BYTES, MemoryLoader
from tvarc.files.resources import error_page, stdlib_dir
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.registry import CODES
from tvarc.text.diagnostics.render_text import render_text
from tvarc.text.diagnostics.warning_names import FINDINGS

TESTS = Path(__file__).parent.parent
COMPILER = TESTS.parent / "compiler" / "tvarc"
REGISTRY = [
    COMPILER / "text" / "diagnostics" / name
    for name in ("registry.py", "lint_names.py", "warning_names.py")
]
PAGES = TESTS.parent / "docs" / "errors"
TEXT_BLOCK = re.compile(r"^```text\n(?:.*?\n)?```$", re.MULTILINE | re.DOTALL)
FILE = "variants.tvar"
SECTIONS = ("Wrong", "Right")

# Codes that no case of tests/snapshots can show, and the test that does.
COVERED_ELSEWHERE = {
    "E108": "unit/test_registry.py::test_a_file_that_is_too_large",
    "E407": "cli/test_build.py::test_no_output_and_no_matrix",
    "W003": "cli/test_commands.py::test_a_library_by_itself",
    "E801": "unit/test_output_write.py::test_foreign_and_edited_files_stop_the_run",
    "E802": "unit/test_output_write.py::test_file_in_place_of_a_folder",
    "E803": "unit/test_output_write.py::test_links_are_refused",
    "E812": "unit/test_questions_end.py::test_recipes_have_a_size_that_a_program_can_raise",
    "E807": "cli/test_pages.py::test_a_page_that_cannot_be_filled_in_is_told",
    "E805": "cli/test_manifest.py::test_a_manifest_that_cannot_be_edited",
    "E804": "unit/test_registry.py::test_codes_of_the_command_line",
    "E901": "unit/test_registry.py::test_codes_of_the_command_line",
    "E902": "unit/test_registry.py::test_codes_of_the_command_line",
    "E903": "unit/test_registry.py::test_codes_of_the_command_line",
    "E904": "unit/test_registry.py::test_codes_of_the_command_line",
    "E905": "hosts/test_pick_command.py::test_what_is_no_description",
    "E906": "hosts/test_pick_command.py::test_a_host_that_nothing_is_for",
    "E907": "hosts/test_facts_command.py::test_unknown_names",
    "E908": "cli/test_several.py::test_nothing_is_below",
    "E909": "cli/test_explain_line.py::test_what_has_no_lines",
    "E911": "cli/test_diff.py::test_what_cannot_be_compared",
    "E912": "nix/test_diff_nix.py::test_without_nix",
    "E808": "ci/test_repository.py::test_a_workflow_that_github_would_not_find",
    "E809": "ci/test_good_commit.py::test_nobody_makes_up_where_tvarc_is",
    "E810": "cli/test_left_out.py::test_what_is_no_pattern",
    "E919": "starting/test_command.py::test_a_reference_that_may_be_another_program_tomorrow",
    "E917": "editor/test_diagnostics.py::test_without_the_libraries_of_the_server",
    "E806": "ci/test_github.py::test_more_than_a_job_can_tell_another_one",
    "E914": "cli/test_columns.py::test_unknown_columns_are_told_all_at_once",
    "E915": "ci/test_lines.py::test_an_output_that_there_is_not",
    "E918": "unit/test_ledger.py::test_a_line_that_no_run_wrote_is_refused",
    "E916": "cli/test_report.py::test_what_is_no_report_of_a_build_is_told",
    "E951": "cli/test_fmt.py::test_check_writes_nothing",
    "E991": "nix/test_evaluation.py::test_what_nix_refuses_is_told_at_its_line",
    "E992": "nix/test_realise.py::test_a_broken_recipe_is_told_at_its_line",
    "E993": "nix/test_farm.py::test_a_machine_that_never_answers",
    "E994": "nix/test_realise.py::test_what_no_machine_builds_is_told_before_anything_is_built",
    "E995": "nix/test_realise.py::test_lists_of_machines_that_are_none",
    "E996": "nix/test_realise.py::test_a_store_that_refuses",
    "E997": "nix/test_effects.py::test_a_fake_hash_of_the_closure_is_told",
    "W312": "nix/test_tests.py::test_variants_without_a_test_are_reported",
    "E998": "nix/test_tests.py::test_a_failing_test_is_reported_at_its_line",
    "W307": "nix/test_effects.py::test_a_removal_that_removes_nothing",
    "W308": "nix/test_effects.py::test_a_setting_that_nothing_reads",
    "W310": "nix/test_effects.py::test_a_name_that_the_derivation_does_not_get",
    "W311": "nix/test_effects.py::test_a_source_that_does_not_fit_its_package",
    "W313": "nix/test_coherence.py::test_packages_of_another_toolkit",
    "W314": "nix/test_coherence.py::test_a_library_that_comes_twice",
    "W315": "nix/test_coherence.py::test_a_derivation_for_another_system",
    "W316": "nix/test_ledger.py::test_a_ledger_that_cannot_be_written_stops_no_run",
    "W309": "nix/test_effects.py::test_a_script_that_nothing_runs",
    "W301": "nix/test_evaluation.py::test_a_setting_that_does_not_show",
    "W302": "nix/test_evaluation.py::test_an_overlay_that_changes_no_derivation",
    "W303": "nix/test_evaluation.py::test_a_setting_that_does_not_show",
    "W304": "nix/test_farm.py::test_a_machine_that_is_killed_in_mid_build",
    "W305": "nix/test_realise.py::test_what_nix_warns_of_is_told",
    "E961": "importing/test_command.py::test_a_folder_without_recipes_is_an_error",
    "E971": "starting/test_command.py::test_an_unknown_template",
    "E972": "starting/test_command.py::test_a_folder_with_a_program",
    "E973": "starting/test_command.py::test_recipes_that_nobody_was_asked_about",
    "E974": "starting/test_command.py::test_without_a_terminal",
    "E941": "lock/test_command.py::test_locked_builds",
    "E944": "lock/test_command.py::test_what_fails_is_told_and_the_rest_is_kept",
    "E945": "lock/test_command.py::test_zeros_that_may_mean_several_are_not_taken",
    "E946": "lock/test_bump.py::test_two_places_are_not_guessed_between",
}
COVERED_ELSEWHERE |= dict.fromkeys(FINDINGS, "audit/broken.py")
# Pages whose example is more than one file of the language: no block of theirs is compiled.
_WITHOUT = ("E8", "E9", "W2", "W3")
NO_PROGRAM = {"E107", "E108", "E204", "E213", "E407", "E505", "W003"} | {
    c for c in CODES if c.startswith(_WITHOUT)
}


def compiled(text: str | bytes) -> Compilation:
    std = {
        path.stem: path.read_text(encoding="utf-8") for path in Path(stdlib_dir()).glob("*.tvar")
    }
    named = named_by(text) if isinstance(text, str) else {}
    made = compile_file(FILE, MemoryLoader({**named, FILE: text}, std), cache=library_cache())
    made.recipes()
    return made


def codes_in(file: Path) -> Iterator[str]:
    yield from re.findall(r'"([EW]\d{3})"', file.read_text(encoding="utf-8"))


def shown_by_cases() -> set[str]:
    pattern = re.compile(r"^(?:error|warning)\[([EW]\d{3})\]", re.MULTILINE)
    files = TESTS.glob("snapshots/*/diagnostics.txt")
    return {code for file in files for code in pattern.findall(file.read_text(encoding="utf-8"))}


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def section(page: str, title: str) -> str:
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_code_that_is_raised_is_registered_and_the_other_way_round() -> None:
    sources = [path for path in COMPILER.rglob("*.py") if path not in REGISTRY]
    raised = {code for path in sources for code in codes_in(path)}
    # The decorator of a lint has its code (lints/test_registry.py).
    assert raised == set(CODES)
    lints = [path for path in sources if path.parent == COMPILER / "advice" / "lints"]
    assert {code for path in lints for code in codes_in(path)} == set(LINTS.values())


def test_titles_differ_and_codes_are_sorted() -> None:
    assert len(set(CODES.values())) == len(CODES)
    assert list(CODES) == sorted(CODES)


def test_every_code_is_shown_by_a_case_or_by_a_named_test() -> None:
    shown = shown_by_cases()
    assert shown | COVERED_ELSEWHERE.keys() == set(CODES)
    assert shown & COVERED_ELSEWHERE.keys() == set()
    for code, place in COVERED_ELSEWHERE.items():
        file, _, name = place.partition("::")
        text = (TESTS / file).read_text(encoding="utf-8")
        assert f'"{code}"' in text or f"[{code}]" in text, code
        assert not name or f"def {name}(" in text, code


def test_there_is_a_page_for_each_code_and_no_other() -> None:
    assert {path.stem for path in PAGES.glob("*.md") if path.stem != "README"} == set(CODES)


@for_each("code", CODES)
def test_each_page_has_its_sections(code: str) -> None:
    page = error_page(code)
    assert page is not None
    assert page.startswith(f"# {code}: {CODES[code]}\n\n")
    why = "Why it is a warning" if code.startswith("W") else "Why it is an error"
    titles = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert titles == [why, *SECTIONS]
    assert all(section(page, title).strip() for title in titles)
    assert [line for line in page.splitlines() if len(line) > 100 and "(((" not in line] == []


@pytest.mark.parametrize("code", [code for code in CODES if code not in NO_PROGRAM])
def test_the_wrong_examples_give_the_messages_of_their_page(
    code: str, request: pytest.FixtureRequest
) -> None:
    """`--snapshot-update` writes the messages into the page."""
    page = error_page(code) or ""
    wrong = section(page, "Wrong")
    programs, messages = blocks(wrong, "tvar"), blocks(wrong, "text")
    assert programs
    made = [compiled(program) for program in programs]
    printed = [render_text(one.diagnostics, one.sources, colour=False, width=100) for one in made]
    if request.config.option.update_snapshots and messages != printed:
        rest = iter(printed)
        filled = TEXT_BLOCK.sub(lambda _: f"```text\n{next(rest)}```", wrong)
        (PAGES / f"{code}.md").write_text(page.replace(wrong, filled), encoding="utf-8")
        messages = blocks(filled, "text")
    assert [[item.code for item in one.diagnostics] for one in made] == [[code]] * len(made)
    assert messages == printed


@for_each("code", [code for code in CODES if code not in NO_PROGRAM])
def test_every_right_example_compiles(code: str) -> None:
    programs = blocks(section(error_page(code) or "", "Right"), "tvar")
    assert programs
    for program in programs:
        assert [item.title for item in compiled(program).diagnostics] == []


@for_each("code", sorted(NO_PROGRAM))
def test_other_pages_show_a_console(code: str) -> None:
    page = error_page(code) or ""
    assert blocks(page, "tvar") == []
    severity = "warning" if code.startswith("W") else "error"
    head = f"\n{code} {FINDINGS[code]}: " if code in FINDINGS else f"{severity}[{code}]: "
    assert head in "".join(blocks(section(page, "Wrong"), "console"))
    assert blocks(section(page, "Right"), "console")


def test_a_file_that_is_too_large() -> None:
    made = compiled(b"#" * (MAX_BYTES + 1))
    assert [item.code for item in made.diagnostics] == ["E108"]


PLAIN = """
axis isa = [avx2, avx512]
recipe hello { package = pkgs.hello, pin = none }
matrix builds { recipe = hello, axes = isa, name = "hello-{{isa}}" }
output nix { file = "{{variant}}.nix" }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("E804", ["build", "--check"]),
        ("E901", ["list", "avx3"]),
        ("E902", ["explain", "hello"]),
        ("E903", ["check"]),
        ("E904", ["explain", "E999"]),
    ],
)
def test_codes_of_the_command_line(code: str, arguments: list[str], tmp_path: Path) -> None:
    if code != "E903":
        (tmp_path / FILE).write_text(PLAIN, encoding="utf-8")
    program = "import sys; from tvarc.commands.start.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
    )
    assert f"error[{code}]" in done.stderr + done.stdout
    assert done.returncode != 0
