"""`tvarc explain FILE.nix:LINE`, and `--nix-log`: from a line of a recipe to its sources."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT, SMALL, put_small, spawn, tvarc
from support.compile import compile_on_disk
from tvarc.build.driver import Compilation
from tvarc.commands.explain.recipe_line import NixLog
from tvarc.commands.line import exits
from tvarc.commands.programs.recipes import Recipe, Recipes

RECIPE = "pkgs/hello-cuda12_8-sm90.nix"


@pytest.fixture
def built(project: Path) -> Path:
    assert tvarc("build").exit_code == exits.OK
    return project


def line_of(text: str, file: str = RECIPE) -> int:
    found = [n for n, line in enumerate(Path(file).read_text().splitlines(), 1) if text in line]
    assert len(found) == 1, found
    return found[0]


def source_of(text: str) -> int:
    lines = Path("variants.tvar").read_text().splitlines()
    found = [n for n, line in enumerate(lines, start=1) if text in line]
    assert len(found) == 1, found
    return found[0]


def answer(text: str) -> dict[str, Any]:
    result = tvarc("explain", f"{RECIPE}:{line_of(text)}", "--json", code=exits.OK)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def made(found: dict[str, Any]) -> set[int]:
    return {one["line"] for one in found["made"]}


def test_values_conditions_and_lines(built: Path) -> None:
    found = answer("echo fast")
    assert found["variant"] == "hello-cuda12_8-sm90"
    (value,) = found["values"]
    assert value["path"] == "script.preConfigure:2"
    assert value["origin"]["conditions"][0]["text"] == "fast"
    # The flag, the script, the condition, and the line itself.
    lines = {source_of("flag fast"), source_of("script preConfigure"), source_of("when fast")}
    assert lines | {source_of("echo fast")} <= made(found)
    assert source_of("echo {{gpu}}") not in made(found)
    assert [one["text"].strip() for one in found["made"]][-2:] == ["echo fast", '"""']


def test_what_stands_around(built: Path) -> None:
    found = answer("preConfigure = ")
    around = {one["line"] for one in found["around"]}
    assert source_of("part one") in around and source_of("part two") in around
    assert {source_of("script preConfigure"), source_of("when fast")} <= made(found)
    assert not around & made(found)
    closing = answer("  '';")
    assert source_of("script preConfigure") in {one["line"] for one in closing["around"]}
    assert not made(closing)


def test_a_place_as_nix_prints_it(built: Path) -> None:
    line = line_of("echo fast")
    shown = tvarc("explain", f"{RECIPE}:{line}").stdout
    assert tvarc("explain", f"{RECIPE}:{line}:7").stdout == shown
    assert tvarc("explain", f"{RECIPE}:{line}:7:").stdout == shown


@pytest.mark.parametrize("line", ["0", "-1", "x", "1e3", "5:x", ""])
def test_what_is_no_number_of_a_line(built: Path, line: str) -> None:
    result = tvarc("explain", f"{RECIPE}:{line}", code=exits.USAGE)
    assert f"`{RECIPE}:{line}` is not a line of a file" in " ".join(result.stderr.split())


def test_a_line_that_no_file_has(built: Path) -> None:
    count = Path(RECIPE).read_text().count("\n")
    assert tvarc("explain", f"{RECIPE}:{count}").exit_code == exits.OK
    for line, which in ((count + 1, f"line {count + 1}"), (10**30, "such line")):
        result = tvarc("explain", f"{RECIPE}:{line}", code=exits.FAILED)
        assert f"error[E909]: `{RECIPE}` has no {which}\n" in result.stderr


def test_the_first_line_of_a_setting_is_the_whole_setting(project: Path) -> None:
    """Also if one element of it is written on the line that opens its block."""
    block = 'attrs { list = ["one"]\n    list += [\n      "two",\n    ]\n  }\n'
    text = SMALL.replace("  script preConfigure", f"  {block}  script preConfigure", 1)
    put_small(project, text)
    assert tvarc("build").exit_code == exits.OK
    found = answer("list = [")
    (value,) = found["values"]
    assert value["path"] == "attrs.list"
    (value,) = answer('"one"')["values"]
    assert value["path"] == "attrs.list.0"


@pytest.mark.slow
def test_a_line_of_a_text_is_told_of_by_itself(project: Path) -> None:
    parts = """meta {
    longDescription {
      part a \"""
        First.
        For {{gpu}}.
      \"""
      part b "Third.\\n"
    }
    description = \"""
      One.
      Two.
    \"""
  }"""
    text = SMALL.replace("  script preConfigure", f"  {parts}\n  script preConfigure", 1)
    assert text != SMALL
    put_small(project, text)
    assert tvarc("build").exit_code == exits.OK
    for words, path in (
        ("First.", "meta.longDescription:1"),
        ("For sm90.", "meta.longDescription:2"),
        ("Third.", "meta.longDescription:3"),
        ("Two.", "meta.description:2"),
    ):
        (value,) = answer(words)["values"]
        assert value["path"] == path
    (value,) = answer("longDescription =")["values"]
    assert value["path"] == "meta.longDescription"


def test_what_is_kept_out(built: Path) -> None:
    text = SMALL.replace("when fast", "when newest")
    put_small(built, text.replace('flag fast: bool = true because "it is"', ""))
    assert tvarc("build").exit_code == exits.OK
    found = answer("preConfigure = ")
    assert [one["line"] for one in found["withheld"]] == [source_of("when newest")]
    (value,) = found["values"]
    assert value["path"] == "script.preConfigure"
    assert not answer("echo sm90")["withheld"]
    text = tvarc("explain", f"{RECIPE}:{line_of('preConfigure = ')}").stdout
    assert "kept out by a condition\n" in text


def test_as_text(built: Path) -> None:
    line = line_of("flags = [")
    result = tvarc("explain", f"{RECIPE}:{line}", code=exits.OK)
    rows = result.stdout.splitlines()
    assert rows[0] == f'{RECIPE}:{line}: flags = [ "-a" ];'
    assert rows[1] == "hello-cuda12_8-sm90"
    assert rows[2].split() == ["attrs.flags.0", "=", '"-a"', "base", "variants.tvar:21"]
    assert rows[3] == "made of"
    assert rows[-1].split()[0] == "variants.tvar:21"


@pytest.mark.slow
def test_every_line_has_an_answer(built: Path) -> None:
    validator = _validator()
    count = Path(RECIPE).read_text().count("\n")
    for line in range(1, count + 1):
        result = tvarc("explain", f"{RECIPE}:{line}", "--json", code=exits.OK)
        validator.validate(json.loads(result.stdout))
        assert tvarc("explain", f"{RECIPE}:{line}").exit_code == exits.OK


def _validator() -> Any:
    draft = importlib.import_module("jsonschema").Draft202012Validator
    schemas = ROOT / "docs" / "schema"
    schema = json.loads((schemas / "explain.json").read_text(encoding="utf-8"))
    draft.check_schema(schema)
    return draft(schema)


def test_the_head_and_the_frame(built: Path) -> None:
    assert source_of("matrix all") in made(answer("Made by tvarc"))
    result = tvarc("explain", f"{RECIPE}:{line_of('tvarc digest')}")
    assert "the digest of the rest" in result.stdout
    result = tvarc("explain", f"{RECIPE}:{line_of('do not edit')}")
    assert "it is in each recipe" in result.stdout


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (f"{RECIPE}:1000", "", ["has no line 1000", "the last one is "]),
        ("pkgs/none.nix:1", "", ["cannot read `pkgs/none.nix`"]),
        ("other.nix:1", "other.nix", ["tvarc did not write `other.nix`"]),
        (f"{RECIPE}:9", RECIPE, [f"`{RECIPE}` was changed since tvarc wrote it"]),
        (f"{RECIPE}:9", "variants.tvar", [f"`{RECIPE}` is out of date: `variants.tvar` makes"]),
    ],
)
def test_what_has_no_lines(built: Path, name: str, change: str, words: list[str]) -> None:
    if change == "variants.tvar":
        text = Path(change).read_text()
        Path(change).write_text(text.replace('["-a"]', '["-b"]'))
    elif change:
        with Path(change).open("a") as stream:
            stream.write("# more\n")
    result = tvarc("explain", name, code=exits.FAILED)
    assert result.stdout == ""
    for word in ["error[E909]", *words]:
        assert word in result.stderr


def test_a_recipe_of_a_program_whose_files_have_no_names_now(built: Path) -> None:
    text = Path("variants.tvar").read_text()
    output = text.index("output ")
    named = text[output:].replace("{{variant}}", "{{attrs.nope}}")
    Path("variants.tvar").write_text(text[:output] + named)
    result = tvarc("explain", f"{RECIPE}:9", code=exits.FAILED)
    assert f"`{RECIPE}` is out of date: `variants.tvar` makes" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", ["default.nix", "flake.nix"])
def test_the_first_step_of_names_by_axes(project: Path, file: str) -> None:
    form = "flake" if file == "flake.nix" else "all"
    output = (
        f'output whole: {form} {{\n  file = "{file}"\n  prefix = "x-{{{{matrix}}}}"\n}}\n'
    )
    put_small(project, SMALL + output)
    assert tvarc("build").exit_code == exits.OK, tvarc("build").stderr
    line = next(n for n, row in enumerate(Path(file).read_text().splitlines(), 1) if " x-" in row)
    result = tvarc("explain", f"{file}:{line}", "--json")
    around = {one["line"] for one in json.loads(result.stdout)["around"]}
    assert source_of("prefix = ") in around


def test_errors_of_the_program_are_told(built: Path) -> None:
    Path("variants.tvar").write_text("recipe")
    result = tvarc("explain", f"{RECIPE}:9", code=exits.FAILED)
    assert "error[E1" in result.stderr


def test_no_program(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (built / "variants.tvar").rename(built / "renamed.tvar")
    result = tvarc("explain", f"{RECIPE}:9")
    assert "error[E909]: there is no `variants.tvar`" in result.stderr
    assert tvarc("explain", f"{RECIPE}:9", "renamed.tvar").exit_code == exits.FAILED  # another head
    (built / "renamed.tvar").rename(built / "variants.tvar")
    (built / "deep").mkdir()
    monkeypatch.chdir(built / "deep")
    result = tvarc("explain", f"../{RECIPE}:{line_of('flags', f'../{RECIPE}')}")
    assert result.exit_code == exits.OK and "../variants.tvar:21" in result.stdout


@pytest.mark.slow
def test_recipes_elsewhere(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of another folder, and copied as Nix copies a source."""
    other = tmp_path_factory.mktemp("out")
    assert tvarc("build", "--out", str(other)).exit_code == exits.OK
    tvarc("explain", f"{other}/{RECIPE}:9", "--file", "variants.tvar", code=exits.OK)
    assert tvarc("build").exit_code == exits.OK
    shutil.copytree(project / "pkgs", other / "copied" / "pkgs")
    tvarc("explain", f"{other}/copied/{RECIPE}:9", code=exits.OK)


@pytest.mark.parametrize(
    "args", [["--nix-log", "sm90"], ["--nix-log", "--json"], [], [f"{RECIPE}:1", "--facts"]]
)
def test_misuse(project: Path, args: list[str]) -> None:
    assert tvarc("explain", *args).exit_code == exits.USAGE


# --- what Nix prints ---------------------------------------------------------------------------


def log(folder: Path, text: bytes) -> bytes:
    (folder / "log").write_bytes(text)
    done = spawn("explain", "--nix-log", cwd=folder, shell="< log", code=exits.OK)
    assert done.stderr == b""
    return done.stdout


@pytest.mark.slow
def test_a_log_is_passed_on_and_told_about(built: Path) -> None:
    line = line_of("echo fast")
    place = f"{built}/{RECIPE}:{line}:7"
    before = b"building\n\nerror: \xff\n\n       at "
    after = b":\n\n           12|   x\r\n"
    shown = log(built, before + place.encode() + after)
    noted = [row for row in shown.split(b"\n") if row.startswith(b"       = ")]
    rest = b"\n".join(row for row in shown.split(b"\n") if row not in noted)
    assert rest == before + place.encode() + after
    assert noted[0] == f"       = variants.tvar:{source_of('echo fast')}: echo fast".encode()


@pytest.mark.parametrize(
    "text",
    [
        "at {}", "error: x, at {}:", "  … while evaluating 'f' at {}:", "'{}'", "({})",
        "\x1b[35;1mat \x1b[34m{}\x1b[0m:", "{} and {}",
    ],
)  # fmt: skip
def test_forms_of_places(built: Path, text: str) -> None:
    program = compile_on_disk("variants.tvar")

    def compiled(file: str) -> Compilation:
        assert file == "variants.tvar"
        return program

    line = line_of("echo fast")
    below = list(NixLog(Recipes(compiled, None)).below(text.replace("{}", f"{RECIPE}:{line}:1")))
    assert sum("echo fast" in one for one in below) == 1


@pytest.mark.slow
def test_blanks_in_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    monkeypatch.chdir(folder)
    put_small(folder)
    assert tvarc("build").exit_code == exits.OK
    shown = log(folder, f"       at {folder}/{RECIPE}:{line_of('echo fast')}:1:\n".encode())
    assert b"= variants.tvar:" in shown


@pytest.mark.slow
def test_what_is_not_known_is_told_once(built: Path) -> None:
    Path("mine.nix").write_text("1\n")
    with Path(RECIPE).open("a") as stream:
        stream.write("# more\n")
    text = f"at {built}/mine.nix:1:1\nat {RECIPE}:3:1\nat {RECIPE}:4:1\nat none.nix:1:1\n"
    shown = log(built, text.encode()).decode().splitlines()
    told = [row for row in shown if row.startswith("= ")]
    assert told == [f"= tvarc: `{RECIPE}` was changed since tvarc wrote it"]
    assert shown[2] == told[0]


@pytest.mark.slow
def test_programs_with_errors_end_no_log(built: Path) -> None:
    Path("variants.tvar").write_text("recipe")
    shown = log(built, f"at {RECIPE}:3:1\nmore\n".encode()).decode().splitlines()
    assert shown == [f"at {RECIPE}:3:1", "= tvarc: `variants.tvar` has errors", "more"]
    Path("variants.tvar").unlink()
    shown = log(built, f"at {RECIPE}:3:1\nmore\n".encode()).decode().splitlines()
    assert shown[1].startswith("= tvarc: there is no `variants.tvar`") and shown[2:] == ["more"]
    done = spawn("explain", "--nix-log", "none.tvar", cwd=built, shell="< log")
    assert done.returncode == exits.FAILED and b"error[E" in done.stderr


@pytest.mark.slow
def test_an_end_without_a_line_end(built: Path) -> None:
    shown = log(built, f"at {RECIPE}:{line_of('echo fast')}".encode())
    assert shown.count(b"\n") == len(shown.splitlines())
    assert log(built, b"no place") == b"no place"
    assert log(built, b"") == b""


def test_the_sharpest_line_comes_first(built: Path) -> None:
    program = compile_on_disk("variants.tvar")
    found = Recipes(lambda _: program, None).find(RECIPE)
    assert isinstance(found, Recipe)
    lines = found.sharpest(line_of("echo fast"))
    assert lines[0].line == source_of("echo fast")
    assert {one.line for one in lines[-2:]} >= {source_of("script preConfigure")}


@pytest.mark.slow
@pytest.mark.parametrize("streams", ["<&-", ">&-", "<&- >&-"])
def test_streams_that_are_closed(built: Path, streams: str) -> None:
    result = spawn("explain", "--nix-log", cwd=built, shell=streams)
    assert b"internal error" not in result.stderr
    if "<" in streams:
        assert result.returncode == exits.FAILED
        assert b"error[E106]: cannot read `<stdin>`" in result.stderr
        assert b"the input is closed" in result.stderr
    else:
        assert result.returncode == exits.OK


@pytest.mark.slow
def test_a_reader_that_went_away_ends_it(built: Path) -> None:
    """Even where the input never ends, and without a word."""
    ends = "| head -n 1; exit ${PIPESTATUS[0]}"
    command = f'yes "at {RECIPE}:9:1:" | "$@" explain --nix-log {ends}'
    done = subprocess.run(
        ["bash", "-c", command, "bash", sys.executable, "-m", "tvarc"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        cwd=built,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == f"at {RECIPE}:9:1:\n".encode()
    assert done.stderr == b""


@pytest.mark.slow
def test_sources_give_no_commands_to_the_log_of_a_build(project: Path) -> None:
    put_small(project, SMALL.replace("echo fast", "echo '##vso[task.complete]'"))
    assert tvarc("build").exit_code == exits.OK
    printed = f"at {RECIPE}:{line_of('##vso[')}:1:\n"
    shown = log(project, printed.encode()).decode()
    assert "echo '<U+0023>#vso[task.complete]'" in shown and "##vso[" not in shown
