"""The playground, as `.ci/site` has built it: the folder `html` of a site in TVARC_SITE.

Its Python is newer than the one that made the wheel, so this shows too that what a wheel brings is
used by another version of Python.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.chromium import PROGRAM, Chromium
from support.compile import ROOT, VARIANTS
from support.services import require
from tvarc import api

FOLDER = ROOT / "site" / "playground"
TEXT = VARIANTS.read_text(encoding="utf-8")
# Seconds on a machine with nothing else to do; tests leave room for one that is busy.
FIRST, EDIT, ROOM = 5.0, 0.2, 10.0

pytestmark = pytest.mark.slow(seconds=20)


@pytest.fixture(scope="module")
def site() -> Path:
    place = Path(os.environ.get("TVARC_SITE", "build/site/html"))
    require((place / "playground").is_dir(), "the site is not built: `.ci/site`, and TVARC_SITE")
    return place


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where a server of this process has the site."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_its_python_knows_the_public_interface_alone() -> None:
    tree = ast.parse((FOLDER / "face.py").read_text(encoding="utf-8"))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    plain = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    names = [one.name for node in plain for one in node.names]
    assert [(node.module, [one.name for one in node.names]) for node in froms] == [
        ("tvarc", ["api"])
    ]
    assert names == ["gc", "json"]


def test_in_node(site: Path) -> None:
    require(shutil.which("node") is not None, "Node is not installed")
    examples = json.loads((site / "playground" / "examples.json").read_text(encoding="utf-8"))
    deep = "let x = " + "(" * 3000 + "1" + ")" * 3000 + "\n"
    programs: list[Any] = [[TEXT, {}], [deep, {}], [f"{TEXT}# more\n", {}]]
    programs += [[one["text"], one["files"]] for one in examples]
    done = subprocess.run(
        ["node", FOLDER / "try.mjs", site / "playground"],
        input=json.dumps(programs), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-1000:]
    found = json.loads(done.stdout)
    # The tables of the wheel are used: else lark, which is not there, would have to make them.
    assert found["version"].startswith("3.14") and "lark" not in found["modules"]
    for (text, files), answer in zip(programs, found["answers"], strict=True):
        result, known = answer["result"], api.compile(text, files)
        assert result["ok"] == known.ok
        assert [one["name"] for one in result["variants"]] == [one.name for one in known.variants]
        assert [one["name"] for one in result["dropped"]] == [one.name for one in known.dropped]
        assert [one["title"] for one in result["diagnostics"]] == [
            one.title for one in known.diagnostics
        ]
        if known.ok:
            recipe, explained, nothing = answer["shown"]
            assert recipe == "\n".join(f"# {one.path}\n{one.text}" for one in known.recipe(0))
            assert explained == known.explain(0, width=84, facts=True).text
            assert "attrs.nope" in nothing
    assert [one["result"]["ok"] for one in found["answers"][:3]] == [True, False, True]
    assert len(examples) == 5 and all(one["result"]["ok"] for one in found["answers"][3:])
    assert found["answers"][2]["took"] < EDIT * 1000 * ROOM


def begun(page: Chromium, address: str) -> float:
    """Open an address; the seconds to its first result."""
    before = time.monotonic()
    page.ask("Page.navigate", url="about:blank")
    page.ask("Page.navigate", url=address)
    page.wait("window.playground !== undefined")
    return time.monotonic() - before


def test_in_chromium(site: Path, address: str) -> None:
    require(PROGRAM is not None, "Chromium is not installed: `.ci/install-chromium`")
    with Chromium() as page:
        assert begun(page, f"{address}/playground/") < FIRST * ROOM
        state = page.value("document.querySelector('#state').textContent")
        assert state.startswith("44 variants, 16 dropped, 0 messages")
        assert page.value("document.querySelectorAll('td button:not(.dropped)').length") == 44
        assert page.value("document.querySelectorAll('td button.dropped').length") == 16
        view = "document.querySelector('#view').textContent"
        assert "pytorch-python313-cuda13_0-sm80-avx2.nix" in page.value(view)

        page.click("td button.dropped")
        assert "the plan builds ARM only" in page.value(view)
        page.value("document.querySelectorAll('td button:not(.dropped)')[5].click()")
        page.wait(f"{view}.includes('sm86-avx512')")
        page.value("document.querySelectorAll('[role=tab]')[1].click()")
        page.wait(f"{view}.includes('variants.tvar:39')")
        page.value(
            "{const i = document.querySelector('#path input'); i.value = 'attrs.pname';"
            " i.dispatchEvent(new Event('input'));}"
        )
        page.wait(f"{view}.includes('reads variant')")

        edit = (
            "playground.editor.dispatch({changes: {from: playground.editor.state.doc.length,"
            " insert: 'exclude gpu == sm68 because \"a slip\"\\n'}})"
        )
        page.value(edit)
        page.wait("playground.runs === 2")
        assert page.value("playground.took") < EDIT * 1000 * ROOM
        assert "E201" in page.value(view) and "did you mean `sm86`" in page.value(view)
        page.wait("document.querySelector('.cm-lintRange-error') !== null")
        assert page.complaints == []


# Of each colour of the program, how it stands out from the background; 4.5 is what can be read.
CONTRASTS = """
(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/\\d+/g).slice(0, 3).map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const back = light(getComputedStyle(document.body).backgroundColor);
  const found = [...document.querySelectorAll(".cm-line span, .cm-gutterElement, td button, pre")];
  return found.map((one) => {
    const [low, high] = [back, light(getComputedStyle(one).color)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  });
})()
"""


def test_it_can_be_read(site: Path, address: str) -> None:
    require(PROGRAM is not None, "Chromium is not installed: `.ci/install-chromium`")
    with Chromium() as page:
        begun(page, f"{address}/playground/")
        for width, dark in ((1400, False), (1400, True), (390, False)):
            page.shape(width, 844, dark=dark)
            paper = page.value("getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(255, 255, 255)") != dark
            found = page.value(CONTRASTS)
            assert len(found) > 100 and min(found) >= 4.5
            assert page.value("document.documentElement.scrollWidth") <= width


def test_a_program_of_an_error_page_opens_in_it(site: Path, address: str) -> None:
    require(PROGRAM is not None, "Chromium is not installed: `.ci/install-chromium`")
    with Chromium(dark=True) as page:
        page.ask("Page.navigate", url=f"{address}/docs/errors/E201/")
        page.wait("[...document.links].some((link) => link.textContent === 'Try it')")
        target = page.value("[...document.links].find((one) => one.textContent === 'Try it').href")
        begun(page, target)
        assert page.value("playground.result.diagnostics.map((one) => one.code)") == ["E201"]
        assert page.complaints == []
