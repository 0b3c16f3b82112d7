"""A release: what is refused, what is locked, and a rehearsal of the whole."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from support.command import git
from support.compile import ROOT
from tvarc import __version__

LOCKED = ROOT / ".ci" / "locked"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """`.ci/release` as a module; nothing runs when it is read."""
    loader = SourceFileLoader("release", str(ROOT / ".ci" / "release"))
    spec = spec_from_loader("release", loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules["release"] = module
    loader.exec_module(module)
    return module


def test_the_version_is_that_of_the_package(script: ModuleType) -> None:
    text = (ROOT / "compiler" / "tvarc" / "__init__.py").read_text(encoding="utf-8")
    assert script.written_version(text) == __version__
    with pytest.raises(script.Refused, match="states no version"):
        script.written_version('__version__ = "next"\n')


@pytest.mark.parametrize(
    ("heading", "dated"),
    [
        ("## [1.2.0] - 2027-01-31", True),
        ("## [1.2.0] - unreleased", False),
        ("## [1.2.0]", False),
        ("## [1.2.01] - 2027-01-31", False),
        ("## [11.2.0] - 2027-01-31", False),
        ("### [1.2.0] - 2027-01-31", False),
    ],
)
def test_a_changelog_names_version_and_day(script: ModuleType, heading: str, dated: bool) -> None:
    assert script.is_dated(f"# Changelog\n\n{heading}\n\n### Added\n", "1.2.0") is dated


@pytest.mark.parametrize("file", ["build.txt", "runtime.txt"])
def test_all_that_is_installed_has_hashes(file: str) -> None:
    text = (LOCKED / file).read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        assert re.fullmatch(r"[\w.-]+==[\w.+]+(?: +--hash=sha256:[0-9a-f]{64})+ *", line), line


def test_what_runs_is_what_the_package_asks_for() -> None:
    """Each dependency of the package is locked, in both files in the same version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {re.split(r"[<>=]", each)[0] for each in project["dependencies"]}
    runtime, build = (versions(LOCKED / file) for file in ("runtime.txt", "build.txt"))
    assert asked <= runtime.keys()
    assert runtime.items() <= build.items()


def versions(file: Path) -> dict[str, str]:
    found = re.findall(r"^([\w.-]+)==([\w.+]+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(found)


def test_a_release_asks_for_a_clean_tagged_commit(tmp_path: Path) -> None:
    """What may not be published is refused before anything is installed."""
    repository = tmp_path / "repository"
    for name in (".ci/release", "CHANGELOG.md", "compiler/tvarc/__init__.py"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, repository / name)
    changelog = repository / "CHANGELOG.md"
    text = re.sub(r"\] - \S+", "] - unreleased", changelog.read_text(encoding="utf-8"))
    changelog.write_text(text, encoding="utf-8")
    git("init", "--quiet", cwd=repository)
    commit(repository)
    assert "CHANGELOG.md has no line" in refusal(repository)
    changelog.write_text(text.replace("] - unreleased", "] - 2027-01-31"), encoding="utf-8")
    assert "no commit" in refusal(repository)
    commit(repository)
    assert f"no tag `v{__version__}`" in refusal(repository)


def commit(repository: Path) -> None:
    git("add", ".", cwd=repository)
    git("commit", "--quiet", "--message", "all", cwd=repository)


def refusal(clone: Path) -> str:
    done = subprocess.run(
        (sys.executable, str(clone / ".ci" / "release"), "--out", str(clone.parent / "out")),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    return done.stderr


@pytest.mark.slow(seconds=24)
def test_a_rehearsal_leaves_four_files(tmp_path: Path) -> None:
    """`.ci/run` rehearses beside its other steps, and names the folder here."""
    out = Path(os.environ.get("TVARC_RELEASE") or tmp_path / "out")
    if not out.exists():
        command = (sys.executable, str(ROOT / ".ci" / "release"), "--rehearse", "--out", str(out))
        subprocess.run(command, check=True)
    wheel, source = f"tvarc-{__version__}-py3-none-any.whl", f"tvarc-{__version__}.tar.gz"
    assert {path.name for path in out.iterdir()} == {wheel, source, "sbom.json", "SHA256SUMS"}
    for line in (out / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    content = json.loads((out / "sbom.json").read_text(encoding="utf-8"))
    assert content["metadata"]["component"]["version"] == __version__
    assert {part["name"] for part in content["components"]} >= {"lark", "typer"}
    assert str(out.parent) not in (out / "sbom.json").read_text(encoding="utf-8")


def test_what_reads_nix_is_an_ordinary_dependency() -> None:
    """`import`, `audit` and `init` work with what `pip install tvarc` brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {re.split(r"[<>=]", each)[0] for each in project["dependencies"]}
    assert {"tree-sitter", "tree-sitter-nix"} <= asked
    assert project["optional-dependencies"]["audit"] == []  # kept for who still names it
