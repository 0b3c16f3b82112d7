"""Real editors, with the files of `editors/`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support.command import put_small
from support.compile import ROOT
from support.services import demand_good_workflows, put_tvarc, read_yaml, require
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

EDITORS = ROOT / "editors"
TREE_SITTER = EDITORS / "tree-sitter-tvar"
VSCODE = EDITORS / "vscode"


def program(name: str, by: str) -> str:
    found = shutil.which(name)
    require(found is not None, f"{name} is not installed: `{by}`")
    return str(found)


def build_parser(into: Path) -> None:
    """The parser where an editor looks for it."""
    into.parent.mkdir(parents=True)
    compiler = program("gcc", ".ci/install-gcc")
    source = TREE_SITTER / "src"
    command = [compiler, "-shared", "-fPIC", f"-I{source}", str(source / "parser.c")]
    subprocess.run([*command, "-o", str(into)], check=True)


@pytest.mark.slow
def test_a_session_in_neovim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault is shown after an edit and gone after its undo, and a value says where it is from."""
    nvim = program("nvim", ".ci/install-editors")
    home, work = tmp_path / "home", tmp_path / "work"
    build_parser(home / "site" / "parser" / "tvar.so")
    work.mkdir()
    put_small(work)
    put_tvarc(tmp_path / "bin", monkeypatch)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home))
    paths = ",".join(map(str, (EDITORS / "nvim", TREE_SITTER, home / "site")))
    script = Path(__file__).with_name("session.lua")
    done = subprocess.run(
        [nvim, "--headless", "--clean", "--cmd", f"set runtimepath^={paths}", "-l", str(script)],
        cwd=work, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    assert seen["filetype"] == "tvar"
    assert seen["parsed"]
    assert "hello" in seen["hover"]["contents"]["value"]
    assert seen["broken"] == [{"line": 1, "code": "E101"}]


@pytest.mark.slow
def test_helix_finds_all_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hx = program("hx", ".ci/install-editors")
    config = tmp_path / "helix"
    build_parser(config / "runtime" / "grammars" / "tvar.so")
    shutil.copytree(TREE_SITTER / "queries", config / "runtime" / "queries")
    shutil.copy(EDITORS / "helix" / "languages.toml", config)
    put_tvarc(tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    done = subprocess.run([hx, "--health", "tvar"], capture_output=True, text=True, check=True)
    assert "tvarc" in done.stdout
    assert "✘" not in done.stdout and done.stdout.count("✓") == 5, done.stdout


@pytest.mark.slow
def test_bat_shows_a_program_in_colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bat = shutil.which("bat") or program("batcat", ".ci/install-editors")
    monkeypatch.setenv("BAT_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("BAT_CACHE_PATH", str(tmp_path / "cache"))
    (tmp_path / "syntaxes").mkdir()
    shutil.copy(EDITORS / "textmate" / "tvar.sublime-syntax", tmp_path / "syntaxes")
    subprocess.run([bat, "cache", "--build"], capture_output=True, check=True)
    command = [bat, "--color=always", "--plain", "--theme=ansi", str(ROOT / "variants.tvar")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    source = (ROOT / "variants.tvar").read_text(encoding="utf-8").splitlines()
    colours = re.compile("\x1b\\[[0-9;]*m")
    assert [colours.sub("", line) for line in lines] == source
    of_line = dict(zip(source, lines, strict=True))
    recipe = next(line for line in source if line.startswith("recipe "))
    assert re.match("\x1b\\[[0-9;]+mrecipe", of_line[recipe]), of_line[recipe]


@pytest.mark.slow
def test_the_extension_of_vs_code_is_built(tmp_path: Path) -> None:
    npm = program("npm", ".ci/install-actionlint")
    require((VSCODE / "node_modules").is_dir(), "run `npm ci` in editors/vscode")
    built = tmp_path / "tvarc.vsix"
    command = [npm, "run", "--silent", "package", "--", "--out", str(built)]
    done = subprocess.run(command, cwd=VSCODE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(built) as archive:
        names = set(archive.namelist())
        project = json.loads(archive.read("extension/package.json"))
        grammar = archive.read("extension/dist/tvar.tmLanguage.json")
    assert "extension/dist/extension.js" in names
    assert len(names) < 12
    assert grammar == (EDITORS / "textmate" / "tvar.tmLanguage.json").read_bytes()
    for kind in ("grammars", "snippets"):
        for one in project["contributes"][kind]:
            assert f"extension/{one['path'].removeprefix('./')}" in names


@pytest.mark.slow
def test_the_workflow_makes_what_the_tests_hold() -> None:
    workflow = ROOT / ".github" / "workflows" / "editors.yml"
    demand_good_workflows([workflow])
    jobs = read_yaml(workflow.read_text(encoding="utf-8"))["jobs"]
    lines = [one["run"] for job in jobs.values() for one in job["steps"] if "run" in one]
    project = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
    assert "tree-sitter generate --abi 14 --no-bindings" in lines
    assert "npm run package" in lines and "package" in project["scripts"]


def test_snippets_are_programs() -> None:
    snippets = json.loads((VSCODE / "snippets" / "tvar.json").read_text(encoding="utf-8"))
    for name, snippet in snippets.items():
        text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", "\n".join(snippet["body"]))
        sink = Sink()
        module = parse_module(Source("a.tvar", text), sink)
        assert module.items and not len(sink), (name, text)
        assert text.startswith(name)
