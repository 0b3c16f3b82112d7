"""The pages of the site: all of them in the navigation, and every link within them. Whether they
are built is a matter of `.ci/site`, which `.ci/run` calls."""

from __future__ import annotations

import base64
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from support.compile import ROOT
from support.services import demand_good_workflows, read_yaml, require
from tvarc import api
from tvarc.commands.table import COMMANDS
from tvarc.text.diagnostics.registry import CODES

WORKFLOW = ROOT / ".github" / "workflows" / "site.yml"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    require(importlib.util.find_spec("yaml") is not None, "PyYAML is not installed")
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "site" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is prepared of this checkout."""
    folder = tmp_path_factory.mktemp("site")
    maker.prepare(folder, "https://example.org/me/tvarc/")
    return folder


def nav_of(folder: Path) -> list[object]:
    found: list[object] = read_yaml((folder / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    return found


def test_the_navigation_has_four_parts(made: Path) -> None:
    parts = [title for entry in nav_of(made) if isinstance(entry, dict) for title in entry]
    assert parts == ["Start", "How-to", "Reference", "How it works"]


def test_each_page_is_in_the_navigation_once(maker: ModuleType, made: Path) -> None:
    listed = list(maker.paths(nav_of(made)))
    assert len(listed) == len({*listed})
    ours = [
        *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md"),
        *(ROOT / "bench").glob("*.md"), *(ROOT / "editors").glob("*/*.md"),
    ]  # fmt: skip
    assert {*listed} == {path.relative_to(ROOT).as_posix() for path in ours}
    assert {f"docs/commands/{name}.md" for name in COMMANDS} < {*listed}
    assert {f"docs/errors/{code}.md" for code in CODES} < {*listed}


def test_each_link_leads_somewhere(maker: ModuleType, made: Path) -> None:
    pages = made / "pages"
    count = 0
    for page in pages.rglob("*.md"):
        text = maker.FENCED.sub("", page.read_text(encoding="utf-8"))
        for target, _ in maker.LINK.findall(text):
            if "://" not in target:
                assert (page.parent / target).is_file(), (page, target)
                count += 1
    assert count > 300
    assert (pages / "flox/pkgs/tvarc.nix").is_file() and (pages / "docs/schema/list.json").is_file()


def test_what_stands_in_a_block_is_no_link(
    maker: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = "[a](.b/c.nix#d) [e](https://x/.y)\n\n```text\n[f](.g/h)\n```\n[i](#j)\n"
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(maker, "ROOT", tmp_path)
    assert maker.page_text("page.md") == text.replace(".b/", "b/")


@pytest.mark.slow
def test_programs_of_errors_open_in_the_playground(maker: ModuleType, made: Path) -> None:
    """The address holds the program, which has the error there too."""
    count = 0
    for page in (made / "pages" / "docs" / "errors").glob("[EW]*.md"):
        text = page.read_text(encoding="utf-8")
        for encoded in re.findall(r"^<p><a href=\"../../../playground/#p=([\w-]+)\">", text, re.M):
            program = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
            assert f"```tvar\n{program}```\n" in text
            codes = {one.code for one in api.compile(program).diagnostics}
            if page.stem.startswith("E"):  # lints may have findings beside an error
                codes = {code for code in codes if code.startswith("E")}
            assert codes <= {page.stem, "W003", "W105", "E507"}, page
            count += 1
    assert count > 150


def test_programs_get_the_pages_as_text(made: Path) -> None:
    text = (made / "pages" / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# tvarc\n\n> A small declarative language")
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): .", text, re.MULTILINE)
    assert "docs/language/recipes.md.txt" in listed and len(listed) > 20
    for name in listed:
        source = made / "pages" / name
        assert source.read_text(encoding="utf-8").startswith("# "), name


@pytest.mark.slow
def test_pages_are_edited_where_the_repository_is(maker: ModuleType, tmp_path: Path) -> None:
    for url in ("", "https://example.org/me/tvarc"):
        maker.prepare(tmp_path, url)
        config = read_yaml((tmp_path / "mkdocs.yml").read_text(encoding="utf-8"))
        assert config.get("repo_url", "") == url
        assert ("content.action.edit" in config["theme"]["features"]) == bool(url)
        assert config["validation"]["nav"]["omitted_files"] == "warn" and config["strict"]


@pytest.mark.slow
def test_the_command_says_how_it_is_used() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "site" / "pages.py", "--help"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--repository URL" in done.stdout


@pytest.mark.slow
def test_the_workflow_runs_the_one_command() -> None:
    demand_good_workflows([WORKFLOW])
    steps = read_yaml(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["build"]["steps"]
    assert [one["run"].split()[0] for one in steps if "run" in one] == [".ci/site"]
    assert ".ci/site" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
