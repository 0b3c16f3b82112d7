"""An output of the form `jobs` and `tvarc jobs`: lines of JSON in the shape of nix-eval-jobs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ci.conftest import EVERY, FLAKE, JOBS, PROGRAM, change, put
from support.command import git, tvarc
from tvarc.commands.line import exits

KEYS = {"attr", "attrPath", "drvPath", "name", "system", "requiredSystemFeatures", "extraValue"}
"""Those of nix-eval-jobs that there may be: its `outputs` and inputs only Nix knows."""


def lines(text: str) -> list[dict[str, Any]]:
    assert not text or text.endswith("\n")
    found = [json.loads(line) for line in text.splitlines()]
    assert all(one.keys() <= KEYS for one in found)
    return found


def asked(*words: str) -> list[dict[str, Any]]:
    done = tvarc("jobs", *words, code=exits.OK)
    return lines(done.stdout)


def built() -> list[dict[str, Any]]:
    tvarc("build", code=exits.OK)
    return lines(Path("jobs.jsonl").read_text(encoding="utf-8"))


def test_jobs_of_a_flake() -> None:
    """As it prints `hydraJobs`; the first line of a file says who made it."""
    found = built()
    made = found[0]["extraValue"].pop("made")
    assert made.endswith("; Made by tvarc from variants.tvar: matrix apps.")
    assert found == asked()
    assert found[1] == {
        "attr": "app-sm90.x86_64-linux",
        "attrPath": ["app-sm90", "x86_64-linux"],
        "extraValue": {"file": "flake.nix", "axes": {"gpu": "sm90"}},
        "requiredSystemFeatures": ["cuda", "big-parallel"],
        "system": "x86_64-linux",
    }
    assert [one["attr"] for one in found] == [
        "app-sm80.x86_64-linux", "app-sm90.x86_64-linux", "app-sm121.aarch64-linux",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("output", "file"),
    [('output o: all { file = "default.nix" }\n', "default.nix"), ("", ".flox/pkgs/app-sm80.nix")],
)
def test_jobs_without_a_flake(output: str, file: str) -> None:
    put(PROGRAM + output + JOBS)
    first = built()[0]
    assert (first["attr"], first["attrPath"]) == ("app-sm80", ["app-sm80"])
    assert first["extraValue"]["file"] == file


def test_several_systems_are_several_jobs() -> None:
    text = change(EVERY, '[if gpu == sm121 then "aarch64-linux" else "x86_64-linux"]',
                  '["x86_64-linux", "aarch64-darwin"]')  # fmt: skip
    put(text)
    found = asked("sm80")
    assert [one["system"] for one in found] == ["x86_64-linux", "aarch64-darwin"]


def test_systems_that_nobody_wrote() -> None:
    """A flake has both that are usual; of others only Nix knows."""
    text = change(EVERY, '  meta  { platforms = [if gpu == sm121 then "aarch64-linux" else '
                  '"x86_64-linux"] }\n', "")  # fmt: skip
    put(text)
    assert [one["system"] for one in asked("sm80")] == ["x86_64-linux", "aarch64-linux"]
    put(text.replace(FLAKE, ""))
    assert [one.get("system") for one in asked("sm80")] == [None]


def test_only_some() -> None:
    put(EVERY.replace('"jobs.jsonl" }', '"jobs.jsonl", only = gpu != sm80 }'))
    assert [one["attrPath"][0] for one in built()] == ["app-sm90", "app-sm121"]
    assert [one["attrPath"][0] for one in asked("sm80", "sm90")] == ["app-sm90"]
    assert [one["attrPath"][0] for one in asked("sm121")] == ["app-sm121"]


# --- what changed ---------------------------------------------------------------------------------


def names(*words: str) -> list[str]:
    return list(dict.fromkeys(one["attrPath"][0] for one in asked(*words)))


@pytest.fixture
def committed(started: Path) -> None:
    git("init", "-q")
    put(change(EVERY, "env   {", 'attrs { patches = [path("./a.patch")] }\n  env   {'))
    put("one\n", "a.patch")
    git("add", ".")
    git("commit", "-qm", "one")


@pytest.mark.slow
@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ('"H100"', '"H200"', ["app-sm90"]),
        ("sm121 {", 'sm100 { label = "B200" }, sm121 {', ["app-sm100"]),
        ("axes = gpu,", "axes = gpu[sm80, sm90],", []),
        ("axis gpu {", "# A comment.\naxis gpu {", []),
        ("GPU = gpu.label", "GPU = gpu.label, MORE = \"x\"", ["app-sm80", "app-sm90", "app-sm121"]),
        ('"app-{{gpu}}"', '"apps-{{gpu}}"', ["apps-sm80", "apps-sm90", "apps-sm121"]),
    ],
)  # fmt: skip
def test_what_changed_since_a_commit(old: str, new: str, changed: list[str]) -> None:
    put(change(Path("variants.tvar").read_text(encoding="utf-8"), old, new))
    assert names("--changed-since", "HEAD") == changed
    assert (
        names("--changed-since", "HEAD", "--as", "lines", *changed[:1]) == changed[:1]
        or not changed
    )


@pytest.mark.usefixtures("committed")
def test_a_file_that_recipes_read_changed() -> None:
    """The recipes are the same; what they build is not."""
    assert names("--changed-since", "HEAD") == []
    put("two\n", "a.patch")
    assert len(names("--changed-since", "HEAD")) == 3
    git("checkout", "-q", "a.patch")
    text = Path("variants.tvar").read_text(encoding="utf-8")
    put(change(text, '[path("./a.patch")]', 'if gpu == sm90 then [path("./a.patch")] else []'))
    git("commit", "-qam", "two")
    put("two\n", "a.patch")
    assert names("--changed-since", "HEAD") == ["app-sm90"]


@pytest.mark.usefixtures("committed")
def test_a_selector_narrows_what_changed_since_a_commit() -> None:
    text = Path("variants.tvar").read_text(encoding="utf-8")
    put(text.replace('"H100"', '"H200"').replace('"GB10"', '"GB11"'))
    assert names("--changed-since", "HEAD", "sm90", "sm80") == ["app-sm90"]


@pytest.mark.usefixtures("committed")
def test_what_cannot_be_compared() -> None:
    """A state that is not there is an error; of one with errors all counts as changed."""
    done = tvarc("jobs", "--changed-since", "nothing", code=exits.FAILED)
    assert "error[E911]" in done.stderr
    put("axis gpu = [")
    git("commit", "-qam", "two")
    put(EVERY)
    done = tvarc("jobs", "--changed-since", "HEAD", code=exits.OK)
    assert "the program does not exist or has errors in `HEAD`" in done.stderr
    assert "all variants count as changed" in done.stderr
    assert len(lines(done.stdout)) == 3
    git("rm", "-q", "--cached", "variants.tvar")
    git("commit", "-qm", "three")
    assert len(lines(tvarc("jobs", "--changed-since", "HEAD").stdout)) == 3


def test_a_variant_has_changed_if_one_that_it_needs_has() -> None:
    """A variant counts as changed where one does that it needs."""
    more = "recipe b { package = pkgs.hello, needs base = apps, args { base = needs.base } }\n"
    more += 'matrix more { recipe = b, axes = gpu[sm80, sm90], name = "more-{{gpu}}" }\n'
    put(EVERY + more, "old.tvar")
    put(EVERY.replace('"H100"', '"H200"') + more)
    assert names("--changed-since", "old.tvar") == ["app-sm90", "more-sm90"]


def test_an_output_that_there_is_not() -> None:
    done = tvarc("jobs", "--output", "jobz", code=exits.FAILED)
    assert "error[E915]: there is no output `jobz` of the form `jobs`" in done.stderr
    assert "did you mean `jobs`?" in done.stderr
    assert (
        "outputs of that form: github" in tvarc("jobs", "--as", "github", "--output", "jobs").stderr
    )
    assert tvarc("jobs", "--as", "github", "--eval").exit_code == exits.USAGE
