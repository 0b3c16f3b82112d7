"""Workflows that publish what they have built: their steps, run by a shell with programs that stand
in for those of the places. `tests/nix/test_workflow_steps.py` copies to a store with real Nix."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ci.conftest import GITHUB, PROGRAM, change, put
from support.command import tvarc
from support.effort import for_each
from support.services import demand_good_scripts, demand_good_workflows, read_yaml
from tvarc.commands.line import exits

WORKFLOW = Path(".github/workflows/build.yml")
PLACES = {
    "store": '{ to = "s3://cache?region=eu-central-1", key = "SIGNING_KEY", '
    'secrets = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] }',
    "cachix": '{ cache = "mine" }',
    "attic": '{ server = "https://attic.example.org", cache = "team", token = "OUR_TOKEN" }',
    "flox": '{ organisation = "my-team" }',
}
EVERY = ", ".join(f"{place} = {given}" for place, given in PLACES.items())


def program(places: str) -> str:
    return PROGRAM + change(GITHUB, "  matrix  =", f"  publish = {{ {places} }}\n  matrix  =")


def built(places: str) -> Any:
    put(program(places))
    tvarc("build", code=exits.OK)
    return read_yaml(WORKFLOW.read_text(encoding="utf-8"))


def published(places: str) -> list[dict[str, Any]]:
    """The steps that publish, each of which follows the build."""
    steps: list[dict[str, Any]] = built(places)["jobs"]["build"]["steps"]
    names = [step.get("name", "") for step in steps]
    first = next(at for at, name in enumerate(names) if name.startswith("Publish to "))
    assert "nix-build" in steps[first - 1]["run"]
    return steps[first:]


def run_step(step: dict[str, Any], folder: Path) -> list[str]:
    """The commands that *step* gives to programs of *folder*, each of which notes its words."""
    for name in ("nix", "cachix", "attic", "flox"):
        stand_in = folder / name
        stand_in.write_text(f'#!/bin/sh\necho {name} "$@" >> "{folder}/log"\n', encoding="utf-8")
        stand_in.chmod(0o755)
    env = {key: f"({value})" if "${{" in value else value for key, value in step["env"].items()}
    env["PATH"] = f"{folder}:{os.environ['PATH']}"
    if "KEY_FILE" in env:
        env["KEY_FILE"] = str(folder / "key")
    (folder / "result").touch()
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    subprocess.run(command, cwd=folder, env=env, check=True)
    assert not (folder / "key").exists()
    return (folder / "log").read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
def test_tools_of_github_take_the_workflow(tmp_path: Path) -> None:
    made = []
    for place, given in {**PLACES, "all": EVERY}.items():
        built(given if place == "all" else f"{place} = {given}")
        made.append(tmp_path / f"{place}.yml")
        shutil.copy(WORKFLOW, made[-1])
    demand_good_workflows(made)


@pytest.mark.slow
def test_shellcheck_takes_the_scripts(tmp_path: Path) -> None:
    demand_good_scripts(built(EVERY)["jobs"], tmp_path)


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        (
            "store",
            [
                "nix store sign --key-file FOLDER/key --recursive ./result",
                "nix copy --to s3://cache?region=eu-central-1 ./result",
            ],
        ),
        ("cachix", ["cachix push mine ./result"]),
        (
            "attic",
            [
                "attic login place https://attic.example.org (${{ secrets.OUR_TOKEN }})",
                "attic push place:team ./result",
            ],
        ),
        ("flox", ["flox publish -o my-team (${{ matrix.package }})"]),
    ],
)
def test_a_step_publishes_what_was_built(place: str, commands: list[str], tmp_path: Path) -> None:
    (step,) = published(f"{place} = {PLACES[place]}")
    folder = tmp_path / "programs"
    folder.mkdir()
    found = [line.replace(str(folder), "FOLDER") for line in run_step(step, folder)]
    assert found == commands


def test_secrets_are_names_and_reach_only_their_step() -> None:
    steps = {step["name"].removeprefix("Publish to "): step for step in published(EVERY)}
    assert {place: step["env"] for place, step in steps.items()} == {
        "store": {
            "AWS_ACCESS_KEY_ID": "${{ secrets.AWS_ACCESS_KEY_ID }}",
            "AWS_SECRET_ACCESS_KEY": "${{ secrets.AWS_SECRET_ACCESS_KEY }}",
            "STORE": "s3://cache?region=eu-central-1",
            "SIGNING_KEY": "${{ secrets.SIGNING_KEY }}",
            "KEY_FILE": "${{ runner.temp }}/signing-key",
        },
        "cachix": {"CACHE": "mine", "CACHIX_AUTH_TOKEN": "${{ secrets.CACHIX_AUTH_TOKEN }}"},
        "attic": {
            "SERVER": "https://attic.example.org",
            "CACHE": "team",
            "ATTIC_TOKEN": "${{ secrets.OUR_TOKEN }}",
        },
        "flox": {
            "ORGANISATION": "my-team",
            "FLOX_FLOXHUB_TOKEN": "${{ secrets.FLOX_FLOXHUB_TOKEN }}",
            "PACKAGE": "${{ matrix.package }}",
        },
    }
    assert WORKFLOW.read_text(encoding="utf-8").count("secrets.") == 6


def test_flox_publishes_by_hand_or_by_a_tag() -> None:
    whole = built(EVERY)
    on = whole.get("on", whole.get(True))
    assert on["push"] == {"branches": ["**"], "tags": ["**"]}
    steps = {step.get("name"): step for step in whole["jobs"]["build"]["steps"]}
    by_tag = "github.event_name == 'workflow_dispatch' || startsWith(github.ref, 'refs/tags/')"
    assert steps["Publish to flox"]["if"] == by_tag
    assert steps["Publish to cachix"]["if"] == "github.event_name != 'pull_request'"
    (good,) = [one for one in whole["jobs"]["plan"]["steps"] if one.get("id") == "good"]
    assert good["if"] == f"!({by_tag})"
    matrix = json.loads(Path(".github/matrix.json").read_text(encoding="utf-8"))
    (shard,) = matrix["shards"]
    assert [one["package"] for one in shard["include"]] == ["app-sm80", "app-sm90", "app-sm121"]
    assert "tags" not in built("cachix = " + PLACES["cachix"]).get("on", {}).get("push", {})


@for_each(
    "places, told",
    [
        ('"s3://cache"', "error[E403]: `publish` of an output must be a record of places"),
        ('{ s3 = { to = "s3://cache" } }', "there is no place `s3`"),
        ('{ store = "s3://cache" }', "`store` must be a record, this is a string"),
        ('{ store = { too = "s3://cache" } }', "`store` of `publish` has no field `too`"),
        ("{ store = { } }", "error[E507]: the place `store` of `publish` lacks `to`"),
        ('{ store = { to = "cache" } }', "`to` of the place `store` must be the address"),
        (
            '{ cachix = { cache = "mine", token = "eyJhbGciOiJIUzI1NiJ9" } }',
            "`token` of the place `cachix` must be the name of a secret, in capitals",
        ),
        ('{ cachix = { cache = "mine", token = "GITHUB_TOKEN" } }', "GitHub keeps names that"),
        ('{ store = { to = "s3://x", secrets = "A" } }', "`secrets` of the place `store` must be"),
        ('{ store = { to = "s3://x", secrets = ["STORE"] } }', "the step sets a variable of this"),
        (
            '{ store = { to = "s3://x", key = "K", secrets = ["SIGNING_KEY"] } }',
            "`SIGNING_KEY` cannot be a secret of the place `store`",
        ),
        ('{ store = { to = "s3://x", secrets = ["PATH"] } }', "programs of the step read the"),
        ('{ store = { to = "s3://x", secrets = ["LD_PRELOAD"] } }', "`LD_PRELOAD` cannot be a"),
        ('{ store = { to = "s3://my cache" } }', "it has a blank"),
        ('{ cachix = { cache = "mine!" } }', "it has `!`"),
        ('{ store = { to = "s3://x", secrets = [1] } }', "must be the name of a secret"),
        ('{ attic = { server = "mine", cache = "x" } }', "`server` of the place `attic` must"),
    ],
)
def test_places_that_cannot_be_are_errors(places: str, told: str) -> None:
    put(PROGRAM + change(GITHUB, "  matrix  =", f"  publish = {places}\n  matrix  ="))
    done = tvarc("check")
    assert told in done.stderr, done.stderr


def test_the_faults_of_all_places_are_reported_at_once() -> None:
    store = 'store = { to = "x", secrets = ["PATH"] }'
    put(program(f'cachx = {{ }}, attic = {{ sever = 1, cache = "a b" }}, {store}'))
    told = tvarc("check").stderr
    assert told.count("error[E403]") == 5 and told.count("error[E507]") == 0, told
    assert "GitHub has their values" not in told
    assert "  ^^^^^ it has a blank\n" in told


def test_a_key_of_a_place_may_be_called_as_its_variable() -> None:
    (step,) = published('store = { to = "s3://x", key = "SIGNING_KEY" }')
    assert step["env"]["SIGNING_KEY"] == "${{ secrets.SIGNING_KEY }}"


def test_flox_needs_its_packages() -> None:
    put(program(f"flox = {PLACES['flox']}").replace('".flox/pkgs/', '"pkgs/'))
    assert "error[E507]: output `github` cannot publish with Flox" in tvarc("check").stderr


def test_the_faults_of_all_outputs_are_reported_at_once() -> None:
    tvarc_at = 'tvarc = "github:example/tvarc/6a030d535719c5190187c4cec156f335e95e3211"'
    places = ("cachx = { }", "attic = { sever = 1 }", 'flox = { organisation = "mine" }')
    put(
        "recipe hello { package = pkgs.hello, pin = none }\n"
        "variant app { recipe = hello }\n"
        'output nix { file = "pkgs/{{variant}}.nix" }\n'
        + "".join(
            f'output o{number}: github {{ file = ".github/workflows/{number}.yml", {tvarc_at}, '
            f"publish = {{ {place} }} }}\n"
            for number, place in enumerate(places)
        )
        + 'output images: image { file = "images.nix" }\n'
    )
    told = tvarc("check").stderr
    assert [line[:11] for line in told.splitlines() if line.startswith("error")] == [
        "error[E403]", "error[E403]", "error[E507]", "error[E507]",
    ]  # fmt: skip
