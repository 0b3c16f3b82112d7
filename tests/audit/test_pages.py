"""The pages on findings show what an audit prints. UPDATE_DOCS=1 writes it anew."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.broken import BROKEN
from support.command import ROOT, tvarc
from tvarc.commands.line import exits
from tvarc.text.diagnostics.warning_names import FINDINGS

BLOCK = re.compile(r"(## Wrong\n.*?```console\n\$ tvarc audit\n)(.*?)(```)", re.DOTALL)


def test_every_finding_has_a_folder_that_shows_it() -> None:
    assert list(BROKEN) == list(FINDINGS)


@pytest.mark.slow
@pytest.mark.parametrize(("code", "breaks"), BROKEN.items())
def test_the_page_shows_what_is_printed(
    code: str, breaks: Callable[[Path], None], recipes: Path
) -> None:
    breaks(recipes)
    done = tvarc("audit", code=exits.STALE)
    (group,) = [part for part in done.stdout.split("\n\n") if part.startswith(f"{code} ")]
    page = ROOT / "docs" / "errors" / f"{code}.md"
    text = page.read_text(encoding="utf-8")
    shown = "…\n" + "".join(f"{line}\n" for line in fitting(group.rstrip("\n")))
    if os.environ.get("UPDATE_DOCS") == "1":
        text = BLOCK.sub(lambda found: found[1] + shown + found[3], text)
        page.write_text(text, encoding="utf-8")
    found = BLOCK.search(text)
    assert found is not None
    assert found[2] == shown


def fitting(group: str) -> list[str]:
    """The lines of *group*, those that are too wide for a page broken as a terminal breaks them."""
    lines: list[str] = []
    for line in group.splitlines():
        while len(line) > 100:
            lines.append(line[:100])
            line = line[100:]
        lines.append(line)
    return lines
