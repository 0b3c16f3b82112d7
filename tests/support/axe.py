"""axe, which finds what keeps people out of a page, in Chromium."""

from __future__ import annotations

import os
from pathlib import Path

from support.chromium import Chromium
from support.services import require

_FOUND = """axe.run().then((told) => { window.found = told.violations.map((one) =>
    `${one.id}: ${one.nodes.length} times, such as ${one.nodes[0].html.slice(0, 200)}`) })"""


def axe(browser: Chromium) -> list[str]:
    """What axe finds wrong in the page that *browser* shows; its script is in `NODE_PATH`."""
    folders = filter(None, os.environ.get("NODE_PATH", "").split(os.pathsep))
    scripts = [Path(one) / "axe-core" / "axe.min.js" for one in folders]
    script = next((one for one in scripts if one.is_file()), None)
    require(script is not None, "axe is not installed: `.ci/install-axe`")
    assert script is not None
    # The policy of the page keeps out scripts of others, but not what its developer tools run.
    browser.ask("Runtime.evaluate", expression=script.read_text(encoding="utf-8"))
    browser.value("delete window.found")
    browser.value(_FOUND)
    browser.wait("window.found !== undefined")
    found = browser.value("window.found")
    assert isinstance(found, list)
    return found
