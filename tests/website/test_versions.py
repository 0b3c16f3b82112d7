"""A site of several versions: a folder for each, and the list that the theme's selector reads."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest

from support.chromium import PROGRAM, Chromium
from support.compile import ROOT
from support.services import read_yaml, require

_LINKS = "[...document.querySelectorAll('.md-version__link')].map(one => one.getAttribute('href'))"


def load(name: str) -> ModuleType:
    require(importlib.util.find_spec("yaml") is not None, "PyYAML is not installed")
    spec = importlib.util.spec_from_file_location(f"site_{name}", ROOT / "site" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages(folder: Path, words: str = "page") -> Path:
    folder.mkdir()
    (folder / "index.html").write_text(words, encoding="utf-8")
    return folder


def test_the_newest_release_comes_first(tmp_path: Path) -> None:
    versions, site = load("versions"), tmp_path / "html"
    for name in ("0.9", "main", "0.10"):
        versions.add(site, name, pages(tmp_path / "made", name))
        assert (site / name / "index.html").read_text(encoding="utf-8") == name
    listed = json.loads((site / "versions.json").read_text(encoding="utf-8"))
    assert listed == [
        {"version": "0.10", "title": "0.10", "aliases": ["latest"]},
        {"version": "0.9", "title": "0.9", "aliases": []},
        {"version": "main", "title": "main", "aliases": []},
    ]
    assert "url=0.10/" in (site / "index.html").read_text(encoding="utf-8")


def test_a_version_replaces_itself_and_no_other(tmp_path: Path) -> None:
    versions, site = load("versions"), tmp_path / "html"
    for name, words in (("1", "first"), ("2", "other"), ("1", "second")):
        versions.add(site, name, pages(tmp_path / "made", words))
    found = {path.parent.name: path.read_text(encoding="utf-8") for path in site.glob("*/*.html")}
    assert found == {"1": "second", "2": "other"}


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "<b>"])
def test_a_name_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    made = pages(tmp_path / "made")
    with pytest.raises(ValueError, match="cannot be the name of a version"):
        load("versions").add(tmp_path / "html", name, made)
    assert made.is_dir() and not (tmp_path / "html").exists()


def small_site(folder: Path, version: str) -> None:
    """Prepare a site of two pages in *folder*: the theme has its selector on each page, and
    `.ci/site` builds all of them. What else they link to is not there."""
    pages = load("pages")
    pages.__dict__["expanded"] = lambda _: ["README.md", "docs/start.md"]
    pages.prepare(folder, "", version)
    config = folder / "mkdocs.yml"
    settings = read_yaml(config.read_text(encoding="utf-8")) | {"strict": False}
    config.write_text(json.dumps(settings), encoding="utf-8")  # which is YAML too


def test_only_a_site_of_several_versions_has_a_selector(tmp_path: Path) -> None:
    for version, extra in (("", None), ("1.0", {"version": {"provider": "mike"}})):
        small_site(tmp_path, version)
        text = (tmp_path / "mkdocs.yml").read_text(encoding="utf-8")
        assert read_yaml(text).get("extra") == extra
        assert "site_url" not in text


def test_the_workflow_publishes_all_versions() -> None:
    text = (ROOT / ".github" / "workflows" / "site.yml").read_text(encoding="utf-8")
    steps = read_yaml(text)["jobs"]["build"]["steps"]
    checkout = next(one for one in steps if "checkout" in one.get("uses", ""))
    command = next(one["run"] for one in steps if "run" in one)
    assert "--versions" in command.split()
    assert checkout["with"]["fetch-depth"] == 0, "the tags of releases are fetched"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server of this process has two versions, below a folder, as addresses often are."""
    place = Path(os.environ.get("TVARC_SITE", "build/site/html")).absolute()
    zensical = place.parent / "venv" / "bin" / "zensical"
    require(zensical.is_file(), "the site is not built: `.ci/site`, and TVARC_SITE")
    above = tmp_path_factory.mktemp("versions")
    # Pages do not know which version they are of, so one build serves for both.
    small_site(above / "made", "main")
    command = [str(zensical), "build", "--clean"]
    subprocess.run(command, cwd=above / "made", check=True, capture_output=True, timeout=120)
    for name in ("1.0", "main"):
        folder = shutil.copytree(above / "made" / "html", above / name)
        load("versions").add(above / "site" / "tvarc", name, folder)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    served = partial(Quiet, directory=str(above / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), served) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/tvarc"
        server.shutdown()


@pytest.mark.slow(seconds=5)
def test_the_selector_leads_from_one_version_to_the_other(address: str) -> None:
    require(PROGRAM is not None, "Chromium is not installed")
    with Chromium() as browser:
        browser.ask("Page.navigate", url=f"{address}/main/docs/start/")
        browser.wait(f"{_LINKS}.length == 2")
        current = "document.querySelector('.md-version__current').innerText"
        assert browser.value(current) == "main"
        found = browser.value(_LINKS)
        assert found == [f"{address}/1.0/", f"{address}/main/"]
        browser.value("document.querySelector('.md-version__link').click()")
        browser.wait("location.pathname.startsWith('/tvarc/1.0/')")
        browser.wait("document.querySelector('h1') !== null")
        assert browser.complaints == []
