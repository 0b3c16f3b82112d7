"""Every name that a file can have is a variant's: through all commands, each of which quotes what
its medium has to have quoted."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.command import tvarc
from support.effort import sampled
from support.recipes import nix_value

ROOT = Path(__file__).parents[2]
NAMES = (
    "armv8.2", "1.13", "58", "2.7", "with", "a b", " a", "ü", ".x", "-q", "don't", 'x"y', "$HOME",
    "${q}", "{{r}}", "a=b", "a,b", "a%41#b", "~", "*", "!x", "a;b", "a&b", "a'\"b", "(", "<x>",
    "[ab]", "a|b", "`id`", "x:1", "@a", "a+b", "...", "if", "0",
)  # fmt: skip
PROGRAM = """
axis stem = [%s]

recipe hello { package = pkgs.hello, pin = none, attrs { pname = "hello", x = variant } }

matrix builds { recipe = hello, axes = stem, name = "{{stem}}" }

output nix { file = "out/{{variant}}.nix" }
output all: all { file = "default.nix" }
output jobs: jobs { file = "jobs.jsonl" }
output manifest: flox-manifest { file = "manifest.toml", flake = "github:o/r" }
"""


def quoted(name: str) -> str:
    text = name.replace("\\", "\\\\").replace('"', '\\"').replace("{{", "\\{{")
    return f'"{text}"'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    program = PROGRAM % ", ".join(map(quoted, NAMES))
    (tmp_path / "variants.tvar").write_text(program, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_each_has_its_file_and_its_line(here: Path) -> None:
    tvarc("build", code=0)
    assert {path.name for path in (here / "out").iterdir()} == {f"{name}.nix" for name in NAMES}
    assert tvarc("build", "--check").exit_code == 0
    listed = json.loads(tvarc("list", "--json").stdout)
    assert tuple(one["name"] for one in listed) == NAMES
    lines = [json.loads(one) for one in (here / "jobs.jsonl").read_text("utf-8").splitlines()]
    assert tuple(one["attrPath"][0] for one in lines) == NAMES
    assert [one["attr"] for one in lines][:3] == ['"armv8.2"', '"1.13"', "58"]
    installed = tomllib.loads((here / "manifest.toml").read_text("utf-8"))["install"]
    assert set(installed) == set(NAMES)
    assert installed["armv8.2"]["flake"] == 'github:o/r#"armv8.2"'


@pytest.mark.parametrize("name", sampled(NAMES, 4))
def test_each_is_a_selector(here: Path, name: str) -> None:
    """By its name alone, of the variants that there are, and in each command that takes one."""
    for words in (("list", "--json"), ("jobs",)):
        done = tvarc(*words, "--", name, code=0)
        assert len(re.findall(r'"(?:name|attr)": ?', done.stdout)) == 1, done.stdout
    done = tvarc("explain", "--json", "--", name)
    assert done.exit_code == 0 and json.loads(done.stdout)["variant"] == name
    assert tvarc("explain", "--", name, "attrs.x").stdout.startswith(f"{name}\n")
    assert tvarc("build", "--only", name).exit_code == 0
    assert [path.name for path in (here / "out").iterdir()] == [f"{name}.nix"]


@pytest.mark.slow
def test_what_a_line_reaches(here: Path) -> None:
    done = tvarc("who", "variants.tvar:4")
    assert done.exit_code == 0 and f"{len(NAMES)} variants" in done.stdout, done.output
    assert tvarc("build").exit_code == 0
    for name in ("armv8.2", "a b", "$HOME"):
        assert tvarc("explain", f"out/{name}.nix:9").exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["armv8.2", "1.13", "a b", "$HOME", "don't", "*", "`id`", "~"])
def test_bash_puts_in_a_word_that_is_the_name(here: Path, name: str) -> None:
    """What completion offers, bash reads as the one word that is meant."""
    (here / "abc").touch()
    typed = shlex.quote(name)[:1] if name[0] not in "'\"" else ""
    command = here / "tvarc"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m tvarc "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    script = f"""
      source '{ROOT}/completions/tvarc.bash'
      COMP_WORDS=(tvarc list {typed and chr(92) + name[0]}) COMP_CWORD=2
      _tvarc_completion {shlex.quote(str(command))}
      printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    read = []
    for line in done.stdout.splitlines():
        words = ["bash", "-c", f"printf '%s\\0' {line}"]
        asked = subprocess.run(words, capture_output=True, text=True, check=True, cwd=here)
        read.append(asked.stdout.rstrip("\0"))
    assert name in read, done


@pytest.mark.parametrize("name", ["W103", "E9999", "x.tvar", "variants.tvar"])
def test_words_that_mean_something_else_are_named_by_expressions(here: Path, name: str) -> None:
    program = (here / "variants.tvar").read_text(encoding="utf-8")
    (here / "variants.tvar").write_text(program.replace('"58"', f'"{name}"'), encoding="utf-8")
    done = tvarc("explain", f'stem == "{name}"', "attrs.x")
    assert done.exit_code == 0 and done.stdout.startswith(f"{name}\n"), done.output


def test_a_value_that_is_no_part_of_a_pair(here: Path) -> None:
    done = tvarc("list", 'stem == "a b"')
    assert done.exit_code == 0 and done.stdout.split("  ")[0] == "a b"


@pytest.mark.nix
def test_nix_reads_each_of_them_unchanged(here: Path) -> None:
    assert tvarc("build").exit_code == 0
    calls = "pkgs = { callPackage = f: a: f { hello = {"
    calls += " overrideAttrs = g: g { }; }; }; }"
    made = f"builtins.mapAttrs (_: one: one.x) (import {here}/default.nix {{ {calls}; }})"
    assert nix_value(made) == {name: name for name in NAMES}
