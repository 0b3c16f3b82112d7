"""The page on many builds shows what is printed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from nix.farm import Farm, builds, put_farm
from support.command import ROOT, tvarc
from support.fences import FENCE
from tvarc.build.driver import compile_file
from tvarc.farm.ledger import Entry, Event, Inputs, now, record
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.text.diagnostics.model import Sink

pytestmark = [*builds, pytest.mark.slow]

PAGE = ROOT / "docs" / "farm.md"
SHOWN = re.compile(
    r"^<!-- `tvarc ([^`\n]*)`([^\n]*) -->\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
LOGS = "/home/me/.local/state/tvarc/tools"


@pytest.fixture
def farm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Farm]:
    # The lines of messages are broken by the length of its name.
    with TemporaryDirectory(prefix="farm-") as folder:
        yield put_farm(Path(folder), monkeypatch)


def printed(farm: Farm, words: str) -> str:
    """What a command prints, with names of this machine and run left out."""
    result = tvarc(*words.split(), "--logs", str(farm.logs), env={"COLUMNS": "100"})
    text = re.sub(rf"\s+{re.escape(str(farm.logs))}", f" {LOGS}", result.stdout + result.stderr)
    return re.sub(r"/nix/store/[0-9a-z]{32}-", "/nix/store/…-", text)


def settled(text: str) -> list[str]:
    """The lines of *text*, of which times differ, and the order of what runs side by side."""
    return sorted(re.sub(r"\d+ s$", "T", line) for line in text.splitlines())


def put_results() -> None:
    """Record results of hours of work, as if they were those of the present recipes."""
    made = compile_file("variants.tvar", DiskLoader(stdlib_dir()))
    results: dict[str, tuple[Event, int, int | None]] = {
        "tool-8": ("built", 5400, 734003200), "tool-16": ("failed", 312, None),
    }  # fmt: skip
    entries = [
        Entry(
            variant.name,
            "",
            event,
            f"/nix/store/{'a' * 32}-tool.drv",
            Inputs(made).digest(variant),
            now(),
            "here",
            seconds,
            size,
        )
        for variant in made.variants
        for event, seconds, size in [results[variant.name]]
    ]
    assert record("variants.tvar", entries, Sink())


def test_the_page_shows_what_is_printed(farm: Farm) -> None:
    """With UPDATE_DOCS=1 in the environment its outputs are rewritten."""
    page = PAGE.read_text(encoding="utf-8")
    blocks = [*FENCE.finditer(page)]
    first, second = [one["text"] for one in blocks if one["language"] == "tvar"]
    (listed,) = [one["text"] for one in blocks if one["language"] == "machines"]
    farm.machines(**{
        line.partition(" ")[0].removeprefix("ssh-ng://"): line.partition(" ")[2]
        for line in listed.splitlines()
    })  # fmt: skip
    machines = farm.project / "machines"
    machines.write_text(listed, encoding="utf-8")
    without = "".join(line for line in first.splitlines(keepends=True) if "measure --" not in line)
    outputs = []
    *built, (in_ledger, _, _) = SHOWN.findall(page)
    for number, program in enumerate((without, first, second, second)):
        farm.write(program)
        if number == 3:
            machines.write_text(listed.splitlines(keepends=True)[0], encoding="utf-8")
            (farm.root / "store").rename(farm.root / "old")
        outputs.append(printed(farm, built[number][0]))
    farm.write(first)
    put_results()
    outputs.append(tvarc(*in_ledger.split()).stdout)
    shown = [text for _, _, text in SHOWN.findall(page)]
    if os.environ.get("UPDATE_DOCS") == "1":
        for (words, how, old), new in zip(SHOWN.findall(page), outputs, strict=True):
            head = f"<!-- `tvarc {words}`{how} -->\n```text\n"
            page = page.replace(f"{head}{old}```", f"{head}{new}```")
        PAGE.write_text(page, encoding="utf-8")
    else:
        assert list(map(settled, outputs)) == list(map(settled, shown))
