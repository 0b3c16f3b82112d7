"""The schemas of `docs/schema/` are those of the dataclasses whose fields commands print as JSON.
UPDATE_DOCS=1 writes them anew."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

import pytest

from support.compile import ROOT
from support.schemas import schema
from tvarc.advice.hosts import result as pick
from tvarc.advice.hosts.model import Host
from tvarc.advice.library import result as facts
from tvarc.byhand.audit import answer as audit
from tvarc.commands import bump, lock, stale, who, whynot
from tvarc.commands import diff as diff
from tvarc.commands import importing as importing
from tvarc.commands.build import result as build
from tvarc.commands.check import result as check
from tvarc.commands.explain import command as explain
from tvarc.commands.explain import recipe_line
from tvarc.commands.realise import result as realise
from tvarc.commands.shown import result as shown
from tvarc.commands.start import abilities
from tvarc.farm.ci import github, lines

RESULTS: Mapping[str, tuple[str, object]] = {
    "audit": ("tvarc audit --json", audit.Result | list[audit.Result]),
    "build": ("tvarc build --json", build.Result),
    "bump": ("tvarc bump --json", bump.Result),
    "check": ("tvarc check --eval --json", check.Result),
    "diff": ("tvarc diff --json", diff.Pair | diff.States),
    "explain": (
        "tvarc explain --json",
        shown.Variant | list[shown.Item] | shown.Item | explain.Page | recipe_line.MadeLine,
    ),
    "facts": ("tvarc facts --json", list[facts.Table | facts.Row]),
    "import": ("tvarc import --json", importing.Result),
    "jobs": ("a line of tvarc jobs", lines.Line),
    "jobs-github": ("tvarc jobs --as github", github.Matrix),
    "lock": ("tvarc lock --json", lock.Result),
    "pick": ("tvarc pick --json, tvarc pick --describe", pick.Result | Host),
    "realise": ("tvarc realise --json", realise.Result),
    "stale": ("tvarc stale --json", stale.Result),
    "version": ("tvarc --version --json", abilities.Result),
    "who": ("tvarc who --json", who.Result),
    "why-not": ("tvarc why-not --json", list[whynot.Result]),
}
"""The title and the type of each result, by the name of its schema."""


@pytest.mark.parametrize("name", RESULTS)
def test_a_schema_is_made_from_the_result(name: str) -> None:
    path = ROOT / "docs" / "schema" / f"{name}.json"
    text = json.dumps(schema(*RESULTS[name]), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_DOCS") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
