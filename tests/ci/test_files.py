"""Files for other systems: written, known again, and left alone where they are not ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ci.conftest import EVERY, FILES, FLAKE, GITHUB, JOBS, PROGRAM, change, put
from support.command import ROOT, tvarc
from support.fences import FENCE
from tvarc.commands.line import exits
from tvarc.files.output.header import Ownership, inspect_bytes, made_from


def build(*words: str) -> str:
    done = tvarc("build", *words, code=exits.OK)
    return done.stdout


def test_a_build_writes_them_once_and_tells_of_them_apart() -> None:
    first = build()
    assert "3 recipes in .flox/pkgs: 3 written, 0 unchanged" in first
    assert [line for line in first.splitlines() if ": written" in line] == [
        f"{file}: written" for file in ("flake.nix", *FILES)
    ]
    states = {file: Path(file).stat().st_mtime_ns for file in FILES}
    assert "jobs.jsonl: unchanged" in build()
    assert states == {file: Path(file).stat().st_mtime_ns for file in FILES}
    put(change(EVERY, '"jobs.jsonl" }', '"jobs.jsonl", only = gpu != sm80 }'))
    again = build()
    assert "jobs.jsonl: written" in again and "matrix.json: unchanged" in again
    assert "3 recipes in .flox/pkgs: 0 written, 3 unchanged" in again
    assert "flake.nix: unchanged" in again


def test_folders_of_recipes_are_named_without_them() -> None:
    put(PROGRAM + GITHUB)
    assert "3 recipes in .flox/pkgs: 3 written" in build()


@pytest.mark.slow
def test_check_and_dry_run_write_nothing() -> None:
    shown = build("--dry-run")
    assert "jobs.jsonl: would be written" in shown
    assert not any(Path(file).exists() for file in FILES)
    done = tvarc("build", "--check", code=exits.STALE)
    assert "error[E804]: 7 files are out of date" in done.stderr
    assert all(file in done.stderr for file in FILES)
    build()
    assert tvarc("build", "--check").exit_code == exits.OK
    Path("jobs.jsonl").unlink()
    done = tvarc("build", "--check", code=exits.STALE)
    assert "jobs.jsonl (new)" in done.stderr


def test_as_json() -> None:
    data = json.loads(build("--json"))
    assert set(FILES) < set(data["written"])


@pytest.mark.parametrize("file", FILES)
def test_what_they_are_known_by(file: str) -> None:
    build()
    data = Path(file).read_bytes()
    assert inspect_bytes(data) is Ownership.OURS
    assert made_from(data) == "variants.tvar"
    for place in range(0, len(data), 7):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert inspect_bytes(changed) is not Ownership.OURS, place


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_what_was_edited_or_is_anothers_stops_the_build(file: str) -> None:
    """Before anything is written; `--adopt` keeps a copy, `--force` keeps none."""
    build()
    own = Path(file).read_text(encoding="utf-8")
    for text, told in ((own.replace("app", "api"), "by hand"), ("{}\n", "")):
        Path(file).write_text(text, encoding="utf-8")
        put(change(EVERY, '"H100"', '"H200"'))
        Path(".flox/pkgs/app-sm80.nix").unlink(missing_ok=True)
        done = tvarc("build", code=exits.FAILED)
        assert "error[E801]" in done.stderr and file in done.stderr and told in done.stderr
        assert Path(file).read_text(encoding="utf-8") == text
        assert not Path(".flox/pkgs/app-sm80.nix").exists()
    assert f"adopted {file}" in build("--adopt")
    assert Path(f"{file}.orig").read_text(encoding="utf-8") == "{}\n"
    Path(file).write_text("{}\n", encoding="utf-8")
    build("--force")
    assert inspect_bytes(Path(file).read_bytes()) is Ownership.OURS


def test_only_leaves_them() -> None:
    build()
    put(change(EVERY, '"gpu"]', '"gpus"]'))
    before = {file: Path(file).read_bytes() for file in FILES}
    assert "--only does not change files that hold all variants" in build("--only", "sm90")
    assert before == {file: Path(file).read_bytes() for file in FILES}


@pytest.mark.slow
def test_prune_removes_what_is_no_output_any_more() -> None:
    """A file that was renamed, where an output still writes beside it."""
    build()
    put(EVERY.replace("build.yml", "builds.yml").replace("jobs.jsonl", "all.jsonl"))
    left = build()
    assert "2 files have no variant any more" in left
    Path("mine.yml").write_text("a: 1\n", encoding="utf-8")
    Path("package.json").write_text('{"name": "x"}\n', encoding="utf-8")
    done = build("--prune")
    assert "removed .github/workflows/build.yml" in done
    assert "removed jobs.jsonl" in done
    assert not Path("jobs.jsonl").exists() and not Path(".github/workflows/build.yml").exists()
    assert Path("mine.yml").exists() and Path("package.json").exists()
    assert all(Path(one).exists() for one in ("all.jsonl", ".github/workflows/builds.yml"))


def test_another_program_of_another_name_is_not_written_over() -> None:
    build()
    put(EVERY.replace("app", "api"), "other.tvar")
    done = tvarc("build", "other.tvar", code=exits.FAILED)
    assert "variants.tvar" in done.stderr


def test_the_specification_for_hydra_that_the_documents_show() -> None:
    """A static one is a dictionary of dictionaries, of which Hydra takes these keys."""
    page = (ROOT / "docs" / "farm.md").read_text(encoding="utf-8")
    (text,) = [one["text"] for one in FENCE.finditer(page) if one["language"] == "json"]
    found = json.loads(text)
    (jobset,) = found.values()
    taken = {
        "enabled", "hidden", "type", "flake", "description", "checkinterval", "schedulingshares",
        "enableemail", "emailoverride", "keepnr", "inputs",
    }  # fmt: skip
    assert list(found) == ["variants"]
    assert jobset.keys() == taken
    assert (jobset["type"], jobset["flake"]) == (1, "github:OWNER/REPOSITORY")


OTHER_GITHUB = """\
output x: github { file = ".github/workflows/build.yml" }
"""


@pytest.mark.parametrize(
    ("old", "new", "code", "told"),
    [
        ("jobs.jsonl", "jobs.txt", "E403", "does not end in `.jsonl` or `.json`"),
        ("jobs.jsonl", "../jobs.jsonl", "E403", "not a plain path"),
        ('"jobs.jsonl"', '"{{variant}}.jsonl"', "E403", "its name cannot be computed"),
        ("build.yml", "build.json", "E403", "does not end in `.yml` or `.yaml`"),
        ("workflows/build", "build", "E403", "where GitHub looks for workflows"),
        ("matrix.json", "matrix.yml", "E403", "does not end in `.json`"),
        ('".github/matrix.json"', '".github/{{gpu}}.json"', "E403", "cannot be computed"),
        ('"jobs.jsonl"', '".github/matrix.json"', "E402", "outputs `jobs` and `github` have the"),
        ("output jobs: jobs", "output j: hydra", "E201", "there is no form `hydra`"),
        (GITHUB, GITHUB + OTHER_GITHUB, "E402", "have the same file"),
        ('{ cuda = ["self-hosted", "gpu"] }', '"big"', "E403", "this is a string"),
        ('{ cuda = ["self-hosted", "gpu"] }', "{ cuda = [] }", "E403", "`cuda` has no label"),
        ('{ cuda = ["self-hosted", "gpu"] }', '{ cuda = ["a, b"] }', "E403", "no label"),
        ('"jobs.jsonl" }', '"jobs.jsonl", only = 3 }', "E301", ""),
        ('"jobs.jsonl" }', '"jobs.jsonl", prefix = "x" }', "E209", ""),
        ('"jobs.jsonl" }', '"jobs.jsonl", runners = { } }', "E209", "the form `github`"),
        ('output flox { file', 'output flox { only = gpu == sm80, file', "E209",
         "the forms `flox-manifest` and `jobs` and `github`"),
        ('output flox { file = ".flox/pkgs/{{variant}}.nix" }\n' + FLAKE, "", "E507", ""),
        ("jobs.jsonl", "variants.tvar.jsonl", "", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["check", "build"])
def test_what_is_wrong_with_an_output(
    command: str, old: str, new: str, code: str, told: str
) -> None:
    put(change(EVERY, old, new))
    done = tvarc(command)
    if not code:
        assert done.exit_code == exits.OK
        return
    assert done.exit_code == exits.FAILED
    assert f"error[{code}]" in done.stderr
    assert told in " ".join(done.stderr.replace("|", " ").split())
    assert done.stderr.count("error[") == 1
    assert not any(Path(file).exists() for file in (*FILES, ".flox"))


def test_an_output_of_another_name_says_its_form() -> None:
    put(PROGRAM + JOBS.replace("output jobs: jobs {", "output others: jobs { "))
    assert "jobs.jsonl: written" in build()


def test_an_output_named_after_a_removed_form_says_its_form() -> None:
    put(PROGRAM.replace("output flox {", "output hydra: recipes { "))
    assert "3 recipes in .flox/pkgs: 3 written" in build()
