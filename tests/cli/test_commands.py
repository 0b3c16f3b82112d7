"""`check`, `list` and `dump`, usage errors, formats, and what the shell is offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import SMALL, put_small, spawn, tvarc
from support.effort import for_each, sampled
from tvarc import __version__
from tvarc.commands.line import exits
from tvarc.commands.table import COMMANDS


def test_version_and_help() -> None:
    assert tvarc("--version").stdout == f"tvarc {__version__}\n"
    shown = " ".join(tvarc("--help").stdout.split())
    for code, meaning in exits.MEANINGS:
        assert f" {code} {meaning}" in shown
    for name, command in COMMANDS.items():
        assert f" {name} {command.summary} " in shown


@for_each("name", COMMANDS)
def test_the_help_of_a_command(name: str) -> None:
    """Each sentence of the command, of its arguments and of its options is shown, and each option
    with a choice has its default."""
    shown = "".join(tvarc(name, "--help").stdout.split())  # lines may end at a hyphen
    command = COMMANDS[name]
    assert "".join(command.help.split()) in shown
    for one in command.parameters:
        default = f"[default: {one.choices[0]}]" if one.choices else ""
        assert "".join(f"{one.help}{default}".split()) in shown, one.name


@pytest.mark.parametrize(
    "args",
    [
        ["build", "--nope"],
        ["nope"],
        ["list", "--format", "xml"],
        ["dump"],
        ["dump", "--stage", "x"],
        ["explain"],
        ["explain", "a", "b", "c"],
        ["explain", "gpu=sm90", "cuda=12.8", "attrs", "more"],
        ["pick", "a", "b"],
    ],
)
def test_usage_errors(project: Path, args: list[str]) -> None:
    result = tvarc(*args, code=exits.USAGE)
    assert result.stdout == ""


@pytest.mark.slow
def test_another_mistake_is_not_taken_for_a_removed_word(project: Path) -> None:
    assert b"No such command 'men'" in spawn("men", cwd=project).stderr
    assert b"No such option: --nope" in spawn("build", "--nope", "man", cwd=project).stderr


def test_check(project: Path) -> None:
    result = tvarc("check")
    assert (result.exit_code, result.stdout) == (exits.OK, "5 variants, 0 errors, 0 warnings\n")
    (project / "variants.tvar").write_text(SMALL + "\nlet x = nobody\nlet y = noone\n")
    result = tvarc("check", code=exits.FAILED)
    assert result.stderr.count("error[E201]") == 2
    assert result.stdout == "5 variants, 2 errors, 0 warnings\n"


def test_formats(project: Path) -> None:
    (project / "variants.tvar").write_text(SMALL + "\nlet x = nobody\n")
    result = tvarc("check", "--format", "json")
    data = json.loads(result.stdout)
    assert [item["code"] for item in data["diagnostics"]] == ["E201"]
    assert data["diagnostics"][0]["labels"][0]["file"] == "variants.tvar"
    result = tvarc("check", "--format", "github")
    assert result.stdout.startswith("::error file=variants.tvar,line=")
    assert tvarc("list", "--json").exit_code == exits.FAILED


def test_list(project: Path) -> None:
    assert tvarc("list").stdout.splitlines() == [
        "hello-cuda12_8-sm90   sm90   12.8",
        "hello-cuda12_8-sm100  sm100  12.8",
        "hello-cuda13_0-sm100  sm100  13.0",
        "hello-cuda12_8-sm103  sm103  12.8",
        "hello-cuda13_0-sm103  sm103  13.0",
    ]
    assert tvarc("list", "gpu=sm100", "cuda=13.0").stdout.split() == [
        "hello-cuda13_0-sm100",
        "sm100",
        "13.0",
    ]
    assert len(tvarc("list", "sm90", "newest").stdout.splitlines()) == 3
    found = tvarc("list", "--file", "variants.tvar", "--json", "sm90")
    assert json.loads(found.stdout) == [
        {
            "name": "hello-cuda12_8-sm90",
            "matrix": "all",
            "recipe": "base",
            "axes": {"gpu": "sm90", "cuda": "12.8"},
            "needs": {},
            "files": {"nix": "pkgs/hello-cuda12_8-sm90.nix"},
        }
    ]
    assert tvarc("list", "gpu=sm91").exit_code == exits.FAILED


@pytest.mark.slow
def test_dump(project: Path) -> None:
    tree = tvarc("dump", "--stage", "ast").stdout
    assert tree.startswith("Module 1:1")
    program = tvarc("dump", "--stage", "hir").stdout
    assert "- RecipeDef variants.tvar:15:8 name='base' " in program
    assert " expr: fast variants.tvar:27:10\n" in program
    decided = tvarc("dump", "--stage", "ir", "--only", "sm90").stdout
    assert decided.startswith("Recipe variant='hello-cuda12_8-sm90'")
    one = tvarc("dump", "--stage", "nix", "--only", "sm90").stdout
    assert one.startswith("# hello-cuda12_8-sm90")
    several = tvarc("dump", "--stage", "nix").stdout
    assert several.count("# file: pkgs/hello-") == 5
    assert not (project / "pkgs").exists()
    for stage in ("ast", "hir", "ir", "nix"):
        assert tvarc("dump", "--stage", stage).stdout == tvarc("dump", "--stage", stage).stdout


def offered(words: str, count: int) -> list[str]:
    env = {"_TVARC_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    result = tvarc(env=env)
    assert result.stderr == ""
    return result.stdout.split()


@pytest.mark.slow
def test_completion(project: Path) -> None:
    assert offered("tvarc ", 1) == [*COMMANDS]
    assert offered("tvarc list sm1", 2)[:2] == ["sm100", "sm103"]
    assert "cuda12_8-sm90" in offered("tvarc list cu", 2)
    assert "hello-cuda12_8-sm90" in offered("tvarc build --only hel", 3)
    assert offered("tvarc list cuda=", 2)[:2] == ["cuda=12.8", "cuda=12_8"]
    assert "attrs.flags" in offered("tvarc explain hello-cuda12_8-sm90 attrs.", 3)
    assert "script.preConfigure.one" in offered("tvarc explain gpu=sm90 cuda=12.8 script.", 4)
    assert offered("tvarc list --columns name,gpu", 3)[:1] == ["name,gpu"]
    assert offered("tvarc list --format ", 3) == [
        "text", "markdown", "csv", "github",
    ]  # fmt: skip
    assert offered("tvarc dump --stage ", 3) == ["ast", "hir", "ir", "nix"]
    assert offered("tvarc check --format ", 3) == ["text", "json", "github"]
    assert offered("tvarc build --flag ", 3) == ["fast="]
    assert "attrs.flags=" in offered("tvarc build --set attrs", 3)


def test_completion_of_lines_and_cells(project: Path) -> None:
    (project / "variants.tvar").write_text(f"use std.nvidia\n# a comment\n{SMALL}")
    assert offered("tvarc who ", 2) == ["variants.tvar:", "std/nvidia.tvar:"]
    assert offered("tvarc who var", 2) == ["variants.tvar:"]
    lines = offered("tvarc who variants.tvar:", 2)
    assert "variants.tvar:1" in lines and "variants.tvar:2" not in lines  # a comment
    assert offered("tvarc who variants.tvar:11", 2) == ["variants.tvar:11"]
    # As bash breaks words at `:`.
    assert offered("tvarc who variants.tvar : 11", 4) == ["11"]
    assert "4" in offered("tvarc who variants.tvar : 4", 4)
    assert offered("tvarc why-not sm10", 2) == ["sm100", "sm103"]
    assert offered("tvarc why-not cuda=1", 2) == ["cuda=12.8", "cuda=13.0"]
    assert offered("tvarc why-not cuda = 13", 4) == ["13.0"]
    assert "gpu=" in offered("tvarc why-not sm90 g", 3)
    assert "sm103" in offered("tvarc diff sm1", 2)
    assert offered("tvarc diff sm90 cuda=13", 3)[:1] == ["cuda=13.0"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    sampled(
        ["tvarc ", "tvarc", "tvarc li", "tvarc list", "tvarc list ", "tvarc explain hel",
         "tvarc build --", "tvarc nothing x", "tvarc dump --stage "],
        5,
    ),
)  # fmt: skip
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_process_completes_the_same(project: Path, words: str, shell: str) -> None:
    """It prepares the one command that is meant, where one is."""
    count = len(words.split()) - 1 + words.endswith(" ")
    env = {
        "_TVARC_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": words if shell == "bash" else "",
        "COMP_CWORD": str(count),
        "_TYPER_COMPLETE_ARGS": words,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = spawn(cwd=project, env=env)
    assert done.stderr == b""
    assert done.stdout.decode() == tvarc(env=env).stdout


def test_completion_never_complains(project: Path, here: Path) -> None:
    (project / "variants.tvar").write_text("axis gpu = [")
    assert offered("tvarc list ", 2) == []
    (project / "variants.tvar").write_bytes(b"\xff")
    assert offered("tvarc explain x ", 3) == []
    assert offered("tvarc list ", 2) == []


def test_a_library_by_itself(project: Path) -> None:
    """It is checked as far as it can be, and nobody takes that for the check of a build: [W003]."""
    file = project / "shared.tvar"
    file.write_text("recipe base { package = pkgs.hello }\n")
    result = tvarc("check", "shared.tvar", code=exits.OK)
    assert "warning[W003]: `shared.tvar` declares no matrix and no variant" in result.stderr
    assert "no variant to check, 0 errors, 1 warning" in result.output
    assert "0 variants" not in result.output
    assert "error[E407]" in tvarc("build", "shared.tvar").stderr
    assert "declares no matrix and no variant" in tvarc("list", "--file", "shared.tvar").stderr
    file.write_text(
        "facts t (v: int) { a { v = 1 } }\naxis k: t\nrecipe base { package = pkgs.hello }\n"
        'matrix m { recipe = base, axes = k, name = "{{k}}" }\n'
    )
    assert "`shared.tvar` has only patterns\n" in tvarc("list", "--file", "shared.tvar").stderr
    assert "`shared.tvar` has only patterns: it" in tvarc("check", "shared.tvar").stderr
    file.write_text("recipe base { package = nobody }\n")
    result = tvarc("check", "shared.tvar")
    assert result.exit_code == exits.FAILED and "E201" in result.stderr
    assert "0 variants" not in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "tells"),
    [
        ("check", True), ("build --dry-run", True), ("list", False), ("explain sm90 pin", False),
        ("who variants.tvar:1", False), ("why-not gpu=sm90", False),
        ("diff --against variants.tvar", False), ("lock --check", False),
    ],
)  # fmt: skip
def test_a_fake_hash_is_told_of_where_recipes_are_made(
    project: Path, command: str, tells: bool
) -> None:
    put_small(project, SMALL.replace('e95e3211"', 'e95e3211"\n  hash = unlocked'))
    done = tvarc(*command.split())
    assert ("warning[W002]" in done.stderr) == tells, done.stderr
