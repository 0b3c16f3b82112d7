"""Recipes that each call one function, which reads all values from tables. The audit reads all of a
recipe, and reports a fault in the recipe that has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.byhand import PIN
from support.command import tvarc
from support.families import parametric, put
from tvarc.commands.line import exits


@pytest.fixture
def audit(here: Path) -> Any:
    put(here / "recipes", parametric())
    done = tvarc("audit", "recipes", "--json", code=exits.STALE)
    return json.loads(done.stdout)


def test_each_is_read(audit: Any) -> None:
    assert audit["counts"]["recipe"] == 5
    assert audit["read"]["not at all"] == 0
    (said,) = [one["says"] for one in audit["files"] if one["file"] == "vision-cuda13_0-sm90.nix"]
    assert said["pin"]["rev"] == PIN
    assert said["package"] == "python3Packages.torchvision"
    assert said["isa flags"] == ["-mavx2", "-mfma"]
    assert said["settings"]["attrs.patches"] == []
    assert said["settings"]["config.cudaSupport"] is True
    assert [(one["path"], one["value"]) for one in said["overlays"]] == [
        ("cudaPackages", {"nix": "final.cudaPackages_13_0"})
    ]


def test_only_the_other_repository_is_not_understood(audit: Any) -> None:
    parts = {gap["what"] for one in audit["files"] if one["says"] for gap in
             one["says"]["not understood"]}  # fmt: skip
    assert parts == {"passthru.torch"}


def test_what_is_wrong_is_found_where_it_is(audit: Any) -> None:
    found = {(one["code"], one["file"]) for one in audit["findings"] if one["code"] < "W2"}
    assert found == {
        ("W102", "vision-cuda13_0-sm70.nix"), ("W119", "vision-cuda12_9-sm90.nix"),
        ("W119", "vision-cuda13_0-sm90.nix"),
    }  # fmt: skip
