"""`tvarc realise` on this machine: what real Nix builds, and what is told of what it does not."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path

import pytest

from nix.farm import Farm, builds, checked, in_state, put_farm, states
from support.command import ROOT, git, tvarc
from support.terminal import on_terminal
from tvarc.commands.line import exits
from tvarc.commands.realise import realising
from tvarc.farm.realise import logs
from tvarc.farm.realise.store import StoreRefused, unbuilt_here

pytestmark = [*builds, pytest.mark.slow]

PROGRAM = """\
pin model { path = "./nixpkgs" }
axis jobs = ["8", "16"]
recipe tool {
  package = pkgs.hello
  env { MAX_JOBS = jobs }
  script preBuild {
    part greet \"\"\"
      echo with {{jobs}} jobs
    \"\"\"
    part last \"\"\"
      echo the last of it
      true
    \"\"\"
  }
}
matrix all { recipe = tool, axes = jobs, name = "tool-{{jobs}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
BREAKS = ("true\n", '[ "$MAX_JOBS" != 16 ] || { echo no more; false; }\n')
SOURCE = "https://example.org/data.tar.gz"


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    found = put_farm(tmp_path, monkeypatch)
    found.write(PROGRAM)
    return found


def changed(farm: Farm, old: str, new: str, text: str = PROGRAM) -> str:
    assert old in text
    farm.write(text.replace(old, new))
    return text.replace(old, new)


def test_variants_are_built_and_logged_and_there_the_next_time(farm: Farm) -> None:
    before = sorted(farm.project.iterdir())
    found = farm.realise()
    assert states(found) == {"tool-8": "built", "tool-16": "built"}
    assert found["machines"] == [{"address": None, "built": 3, "away": None}]  # and their stdenv
    for one in found["variants"]:
        name = one["name"]
        assert Path(one["log"]) == farm.logs / f"{name}.log"
        jobs = name.removeprefix("tool-")
        assert Path(one["log"]).read_text() == f"with {jobs} jobs\nthe last of it\n"
        assert one["machine"] is None and one["through"] is None and one["seconds"] >= 0
        # It is the derivation of the recipe as it is built, and its output is there.
        (output,) = farm.nix("nix-store", "--query", "--outputs", one["derivation"]).split()
        farm.nix("nix-store", "--check-validity", output)
    assert json.loads((farm.logs / "report.json").read_text()) == found
    assert sorted(farm.project.iterdir()) == before
    again = farm.realise()
    assert states(again) == {"tool-8": "there", "tool-16": "there"}
    assert again["rounds"] == 0 and again["machines"] == []


def test_they_are_the_derivations_of_the_recipes(farm: Farm) -> None:
    found = farm.realise("tool-8")
    assert [one["name"] for one in found["variants"]] == ["tool-8"]
    assert tvarc("build").exit_code == exits.OK
    system = '{ pkgs.stdenv.hostPlatform.system = "x86_64-linux"; }'
    path = farm.nix("nix-instantiate", "-E", f"import ./pkgs/tool-8.nix {system}").strip()
    assert found["variants"][0]["derivation"] == path


def test_each_state_is_told_in_a_line(farm: Farm) -> None:
    result = tvarc("realise", "8", "--logs", str(farm.logs), code=exits.OK)
    lines = [line.partition(",")[0] for line in result.stdout.splitlines()]
    assert lines[:4] == [
        "stdenv-linux: building", "stdenv-linux: built", "tool-8: building", "tool-8: built",
    ]  # fmt: skip
    assert lines[4].startswith("1 variant: 1 built; ")
    assert lines[5:] == ["builds: 2 on this machine", f"logs and report.json: {farm.logs}"]


def test_a_broken_recipe_is_told_at_its_line(farm: Farm) -> None:
    changed(farm, *BREAKS)
    result = tvarc("realise", "--keep-going", "--json", "--logs", str(farm.logs), code=exits.FAILED)
    found = checked(result.stdout)
    assert states(found) == {"tool-8": "built", "tool-16": "failed"}
    (broken,) = found["broken"]
    assert (broken["file"], broken["line"]) == ("variants.tvar", 12)
    assert (broken["kind"], broken["phase"]) == ("build", "buildPhase")
    assert broken["variants"] == ["tool-16"] and "failed with exit code 1" in broken["nix"]
    assert "no more\n" in Path(broken["log"]).read_text()
    told = result.stderr
    assert "error[E992]: `tool-16` cannot be built\n  --> variants.tvar:12:" in told
    assert "the last lines of the builder in buildPhase:" in told
    assert broken["log"] in "".join(told.split())
    # Of the next run only what is missing is built, and the log of the first is kept.
    farm.write(PROGRAM)
    again = farm.realise()
    assert states(again) == {"tool-8": "built", "tool-16": "built"}  # the text of both changed
    assert "no more\n" in (farm.logs / "tool-16.1.log").read_text()


def test_the_first_broken_recipe_ends_the_run(farm: Farm) -> None:
    text = changed(farm, '["8", "16"]', '["8", "16", "24", "32"]')
    changed(farm, "true\n", "/bin/busybox sleep 0.5; false\n", text)
    found = farm.realise("--max-jobs", "1", code=exits.FAILED)
    assert len(in_state(found, "failed")) == 1 and len(in_state(found, "stopped")) == 3
    assert "failed with exit code 1" in found["broken"][0]["nix"]


def test_a_store_that_does_not_answer_while_it_builds_ends_nothing(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def now_and_then(paths: Collection[str]) -> set[str]:
        asked.append(len(paths))
        if len(asked) == 2:
            raise StoreRefused("it is busy")
        return unbuilt_here(paths)

    monkeypatch.setattr("tvarc.commands.realise.realising.unbuilt_here", now_and_then)
    assert states(farm.realise()) == {"tool-8": "built", "tool-16": "built"}
    assert len(asked) > 2


def test_only_what_is_missing_is_built_again(farm: Farm) -> None:
    text = changed(farm, "true\n", '[ -e /nowhere ] || [ "$MAX_JOBS" != 16 ]\n')
    farm.realise("--keep-going", code=exits.FAILED)
    again = farm.realise("--keep-going", code=exits.FAILED)
    assert states(again) == {"tool-8": "there", "tool-16": "failed"}
    assert again["machines"] == []
    # What differs for one of them leaves the other as it is.
    assert '"16"' in text
    changed(farm, '"16"]', '"24"]', text)
    assert states(farm.realise()) == {"tool-8": "there", "tool-24": "built"}


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("fix\n", 3),
        ("env { MAX_JOBS = jobs }\n  attrs { patches = [path('./fix.patch')] }\n", 6),
    ],
)
def test_a_patch_that_does_not_apply(farm: Farm, part: str, line: int) -> None:
    (farm.project / "fix.patch").write_text("no patch\n")
    text = PROGRAM
    if part == "fix\n":
        fix = 'patch fix for zlib { file = path("./fix.patch") }\n'
        uses = 'overlays = [fix]\n  attrs { buildInputs = [nix"""pkgs.zlib"""] }\n  env {'
        text = text.replace("recipe tool", f"{fix}recipe tool").replace("env {", uses)
    else:
        text = text.replace("env { MAX_JOBS = jobs }\n", part.replace("'", '"'))
    farm.write(text)
    found = farm.realise("--keep-going", code=exits.FAILED)
    faults = {(one["line"], one["phase"]) for one in found["broken"]}
    assert faults == {(line, "patchPhase")}
    assert set(states(found).values()) == {"failed"}
    through = {one["through"] for one in found["variants"]}
    assert through == ({found["broken"][0]["derivation"]} if part == "fix\n" else {None})


def test_another_hash_is_told_at_its_place_and_can_be_locked(farm: Farm) -> None:
    changed(farm, "env {", f'attrs {{ src = url("{SOURCE}", hash = unlocked) }}\n  env {{')
    result = tvarc("realise", "--json", "--logs", str(farm.logs), code=exits.FAILED)
    found = checked(result.stdout)
    (broken,) = found["broken"]
    assert (broken["kind"], broken["line"]) == ("hash", 5)
    assert broken["variants"] == ["tool-8", "tool-16"]
    assert f"error[E992]: file {SOURCE} does not have the hash" in result.stderr
    (offered,) = [
        word.partition("`")[2].partition("`")[0]
        for word in [" ".join(result.stderr.split()).partition("help: ")[2]]
    ]
    assert offered.startswith("tvarc lock --from-log ")
    log = offered.removeprefix("tvarc lock --from-log ")
    tvarc("lock", "--from-log", *shlex.split(log), code=exits.OK)
    assert states(farm.realise()) == {"tool-8": "built", "tool-16": "built"}


def test_what_nix_refuses_keeps_the_others_from_being_built_unless_asked(farm: Farm) -> None:
    refused = 'attrs { more = nix"""if {{jobs}} == "8" then pkgs.nope else pkgs.zlib""" }\n  env {'
    changed(farm, "env {", refused)
    result = tvarc("realise", "--logs", str(farm.logs), code=exits.FAILED)
    assert "error[E991]: Nix refuses `tool-8`\n --> variants.tvar:5:" in result.stderr
    assert not farm.logs.exists() and result.stdout == ""
    found = farm.realise("--keep-going", code=exits.FAILED)
    assert states(found) == {"tool-8": "refused", "tool-16": "built"}
    assert found["refused"][0]["line"] == 5 and found["variants"][0]["derivation"] is None


STACK = """\
pin model { path = "./nixpkgs" }
axis jobs = ["8", "16"]
axis kind = ["a", "b", "c"]
recipe base {
  package = pkgs.zlib
  env { JOBS = jobs }
  script preBuild { part p "true" }
}
recipe tool {
  package = pkgs.hello
  needs zlib = bases
  env { KIND = kind, JOBS = jobs }
  attrs { buildInputs += [needs.zlib] }
}
matrix bases { recipe = base, axes = jobs, name = "zlib-{{jobs}}" }
matrix tools { recipe = tool, axes = jobs * kind, name = "tool-{{jobs}}-{{kind}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""


def test_what_several_need_is_built_once(farm: Farm) -> None:
    farm.write(STACK)
    found = farm.realise("tool-8-a", "tool-8-b", "tool-8-c")
    assert set(states(found).values()) == {"built"} and len(states(found)) == 3
    # Theirs, that of zlib-8, which all of them need, and the standard environment.
    assert found["machines"] == [{"address": None, "built": 5, "away": None}]
    again = farm.realise("jobs=8")
    assert states(again)["zlib-8"] == "there"


def test_what_a_broken_one_keeps_from_being_built(farm: Farm) -> None:
    changed(farm, 'part p "true"', 'part p "[ $JOBS = 8 ]"', STACK)
    found = farm.realise("--keep-going", code=exits.FAILED)
    (broken,) = found["broken"]
    assert broken["line"] == 7
    assert broken["variants"] == ["zlib-16", "tool-16-a", "tool-16-b", "tool-16-c"]
    assert in_state(found, "failed") == broken["variants"] and len(in_state(found, "built")) == 4
    through = {one["name"]: one["through"] for one in found["variants"]}
    assert through["zlib-16"] is None and through["tool-16-a"] == broken["derivation"]


def test_what_no_machine_builds_is_told_before_anything_is_built(farm: Farm) -> None:
    asks = 'attrs { requiredSystemFeatures = if jobs == "8" then ["gpu-sm90"] else [] }\n  env {'
    changed(farm, "env {", asks)
    result = tvarc("realise", "--logs", str(farm.logs), code=exits.UNJUDGED)
    assert "error[E994]: no machine builds `tool-8`\n --> variants.tvar:5:11" in result.stderr
    assert "the build is for x86_64-linux, and requires `gpu-sm90`" in result.stderr
    assert not farm.logs.exists() and result.stdout == ""
    machines = farm.machines(b1="x86_64-linux - 2 1 big-parallel,gpu-sm100 -")
    result = tvarc("realise", "--builders", machines, "--logs", str(farm.logs))
    assert "ssh-ng://b1: x86_64-linux; big-parallel, gpu-sm100" in result.stderr
    found = farm.realise("--keep-going", code=exits.UNJUDGED)
    assert states(found) == {"tool-8": "unplaced", "tool-16": "built"}
    # A machine that could, but only builds what asks for something else.
    machines = farm.machines(b1="x86_64-linux - 2 1 gpu-sm90,kvm kvm")
    assert tvarc("realise", "8", "--builders", machines).exit_code == exits.UNJUDGED


OVERLAY = """\
overlay more for zlib {
  requiredSystemFeatures = ["gpu-sm90"]
}
recipe tool {
  overlays = [more]"""


def test_a_machine_without_jobs_takes_nothing(farm: Farm) -> None:
    """Nix would wait for it without end."""
    machines = farm.machines(b1="x86_64-linux - 0 1 big-parallel -")
    result = tvarc("realise", "8", "--builders", machines, "-j", "0")
    assert result.exit_code == exits.UNJUDGED and "error[E994]" in result.stderr
    assert "ssh-ng://b1: x86_64-linux; big-parallel; no jobs at a time" in result.stderr
    farm.machines(b1="x86_64-linux - 0 1 big-parallel -", b2="x86_64-linux - 1 1 big-parallel -")
    found = farm.realise("8", "--builders", machines, "-j", "0")
    assert [one["address"] for one in found["machines"]] == ["ssh-ng://b2"]


def test_what_no_machine_builds_of_what_variants_are_made_of(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = changed(farm, "recipe tool {", OVERLAY)
    needs = 'attrs { buildInputs = if jobs == "8" then [nix"""pkgs.zlib"""] else [] }\n  env {'
    changed(farm, "env {", needs, text)
    result = tvarc("realise", "--logs", str(farm.logs))
    assert result.exit_code == exits.UNJUDGED and not farm.logs.exists()
    told = result.stderr
    assert "error[E994]: no machine builds `zlib-1.3.1`, which `tool-8` needs\n" in told
    assert " --> variants.tvar:4:" in told
    assert "its build is for x86_64-linux, and requires `gpu-sm90`" in told
    found = farm.realise("--keep-going", code=exits.UNJUDGED)
    assert states(found) == {"tool-8": "unplaced", "tool-16": "built"}
    # Where it is there already nobody has to build it.
    before = os.environ.get("NIX_CONFIG", "")
    monkeypatch.setenv("NIX_CONFIG", f"{before}\nsystem-features = gpu-sm90")
    farm.realise("--keep-going")
    monkeypatch.setenv("NIX_CONFIG", before)
    changed(farm, "echo the last", "echo the very last", (farm.project / "variants.tvar")
            .read_text())  # fmt: skip
    assert set(states(farm.realise()).values()) == {"built"}


def test_structured_attributes_are_read_as_well(farm: Farm) -> None:
    overlay = OVERLAY.replace("}\nrecipe", "  __structuredAttrs = true\n}\nrecipe")
    text = changed(farm, "recipe tool {", overlay)
    changed(farm, "env {", 'attrs { buildInputs = [nix"""pkgs.zlib"""] }\n  env {', text)
    result = tvarc("realise", "--logs", str(farm.logs))
    assert "error[E994]: no machine builds `zlib-1.3.1`, which 2 variants need" in (
        result.stderr
    )


def test_a_variant_that_needs_one_that_no_machine_builds(farm: Farm) -> None:
    asks = 'attrs { requiredSystemFeatures = if jobs == "8" then ["gpu-sm90"] else [] }\n'
    farm.write(STACK.replace("  env { JOBS = jobs }\n", f"  {asks}  env {{ JOBS = jobs }}\n"))
    found = farm.realise("--keep-going", code=exits.UNJUDGED)
    assert in_state(found, "unplaced") == ["zlib-8", "tool-8-a", "tool-8-b", "tool-8-c"]
    assert len(in_state(found, "built")) == 4


def test_what_nix_ends_a_run_by_is_told(farm: Farm) -> None:
    words = '@nix {"action": "msg", "level": 0, "msg": "error: the disk is full"}'
    wrapper = farm.root / "bin" / "nix-store"
    ends = f"case \"$*\" in *internal-json*) echo '{words}' >&2; exit 1;; esac\n"
    wrapper.write_text(wrapper.read_text().replace("exec", f"{ends}exec", 1))
    result = tvarc("realise", "--logs", str(farm.logs), code=exits.UNJUDGED)
    assert "error[E996]: Nix stopped before it built 2 variants" in result.stderr
    assert "the disk is full" in result.stderr and "the variants are `tool-8` and `tool-16`" in (
        result.stderr
    )


def test_the_command_alone(farm: Farm) -> None:
    machines = farm.machines(b1="x86_64-linux - 2 1 - -")
    farm.realise("8")
    result = tvarc("realise", "--dry-run", "--builders", machines, "--max-jobs", "3", code=exits.OK)
    there, what, words = result.stdout.splitlines()
    assert (there, what) == ("# 1 variant already in the store", "# `tool-16`")
    *options, path = shlex.split(words)
    assert options == [
        "nix-store", "--realise", "--no-gc-warning", "--log-format", "internal-json",
        "--keep-going", "--max-jobs", "3", "--builders", f"@{machines}",
    ]  # fmt: skip
    assert path.endswith(".drv")
    assert states(farm.realise("8", "16")) == {"tool-8": "there", "tool-16": "built"}
    nothing = tvarc("realise", "--dry-run")
    assert nothing.stdout == "# 2 variants already in the store\n"
    more = changed(farm, "env {", 'attrs { requiredSystemFeatures = ["gpu-sm90"] }\n  env {')
    result = tvarc("realise", "--dry-run", "--keep-going")
    assert result.exit_code == exits.UNJUDGED and "error[E994]" in result.stderr
    farm.write(more.replace("output nix", "# output nix"))
    assert tvarc("realise", "--dry-run").exit_code == exits.FAILED


@pytest.mark.once
def test_lists_of_machines_that_are_none(farm: Farm) -> None:
    result = tvarc("realise", "--builders", "nowhere", code=exits.FAILED)
    assert "error[E995]: cannot read machines from `nowhere`" in result.stderr
    Path("machines").write_text("# all\n\nssh-ng://b1 x86_64-linux - two 1 - -\nb2 - - - fast\n")
    result = tvarc("realise", "--builders", "machines", code=exits.FAILED)
    assert "error[E995]: cannot read machines from `machines:3`" in result.stderr
    assert "field 4 (jobs at a time) is `two`, which is not a number" in result.stderr
    assert "error[E995]: cannot read machines from `machines:4`" in result.stderr


@pytest.mark.once
def test_a_list_that_is_no_text(farm: Farm) -> None:
    Path("machines").write_bytes(b"\x7fELF\xff b1\n")
    result = tvarc("realise", "--builders", "machines", code=exits.FAILED)
    assert "error[E995]: cannot read machines from `machines:1`" in result.stderr
    assert "its first field, the address, is not text" in result.stderr
    Path("machines").write_bytes(b"\x7fELF\xff\x00 b1\n")
    result = tvarc("realise", "--builders", "machines", code=exits.FAILED)
    assert "error[E995]: cannot read machines from `machines`" in result.stderr
    assert "it contains a NUL character" in result.stderr


@pytest.mark.once
def test_without_all_of_nix(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    """The evaluator alone, and then all but what tells the settings."""
    some = farm.root / "some"
    some.mkdir()
    monkeypatch.setenv("PATH", str(some))
    for name, missing in (("nix-instantiate", "nix-store"), ("nix-store", "nix")):
        (some / name).write_text((farm.root / "bin" / name).read_text())
        (some / name).chmod(0o755)
        result = tvarc("realise", "--logs", str(farm.logs), code=exits.UNJUDGED)
        words = f"error[E912]: `{missing}`, a program of Nix, is not installed here"
        assert words in result.stderr and not farm.logs.exists()


@pytest.mark.once
def test_without_nix(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(farm.root))
    result = tvarc("realise", "--logs", str(farm.logs), code=exits.UNJUDGED)
    assert "error[E912]: Nix is not installed here" in result.stderr
    assert not farm.logs.exists()


def test_a_store_that_refuses(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    real = farm.root / "bin" / "nix-store"
    real.write_text("#!/bin/sh\necho 'error: the database is locked' >&2\nexit 1\n")
    result = tvarc("realise", "--logs", str(farm.logs), code=exits.UNJUDGED)
    assert "error[E996]: the Nix store reports an error" in result.stderr
    assert "the database is locked" in result.stderr


def test_nix_is_killed(farm: Farm) -> None:
    real = farm.root / "bin" / "nix-store"
    dies = 'case "$*" in *internal-json*) kill -9 $$;; esac\n'
    real.write_text(real.read_text().replace("exec", f"{dies}exec", 1))
    result = tvarc("realise", "--logs", str(farm.logs), code=exits.UNJUDGED)
    assert "error[E996]: Nix stopped before it built 2 variants" in result.stderr
    assert "`nix-store` was ended by signal 9" in result.stderr


@pytest.mark.once
def test_logs_that_cannot_be_kept(farm: Farm) -> None:
    farm.logs.write_text("a file\n")
    result = tvarc("realise", "--logs", str(farm.logs), code=exits.FAILED)
    assert "error[E802]: the logs cannot be written" in result.stderr
    assert farm.logs.read_text() == "a file\n"


def test_of_a_line_without_an_end_the_beginning_is_shown_and_the_log_has_all(farm: Farm) -> None:
    changed(
        farm,
        "true\n",
        "/bin/busybox yes | /bin/busybox head -9999 | /bin/busybox tr -d '\\n'\nfalse\n",
    )
    result = tvarc("realise", "8", "--logs", str(farm.logs), code=exits.FAILED)
    assert result.stderr.count("y") < 1000 and f"{'y' * 50}…" in result.stderr.replace("\n", "")
    assert "y" * 9999 in (farm.logs / "tool-8.log").read_text()


@pytest.mark.once
def test_a_log_or_a_report_that_is_not_whole_is_told(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put_aside(path: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(logs, "put_aside", put_aside)
    result = tvarc("realise", "8", "--logs", str(farm.logs), code=exits.FAILED)
    told = f"error[E802]: some logs cannot be written to `{farm.logs}`\n  = note: no space left"
    assert told in result.stderr
    assert (farm.logs / "report.json").exists() and "1 variant: 1 built" in result.stdout
    monkeypatch.setattr(realising, "put_aside", put_aside)
    result = tvarc("realise", "8", "--logs", str(farm.logs), code=exits.FAILED)
    assert "error[E802]: `report.json` cannot be written" in result.stderr


@pytest.mark.once
@pytest.mark.parametrize(
    "words",
    [
        ("--max-jobs", "two"), ("--max-jobs", "-1"), ("--jobs", "2"), ("a.tvar", "b.tvar"),
        ("--logs", ""), ("--out-link", ""), ("--to", ""), ("--builders", ""),
    ],
)  # fmt: skip
def test_wrong_usage(farm: Farm, words: tuple[str, ...]) -> None:
    assert tvarc("realise", *words).exit_code == exits.USAGE


@pytest.mark.once
def test_a_selector_that_means_nothing(farm: Farm) -> None:
    result = tvarc("realise", "64")
    assert result.exit_code == exits.FAILED and "error[E901]" in result.stderr


@pytest.mark.once
def test_where_logs_are_kept_if_nobody_says(farm: Farm) -> None:
    result = tvarc("realise", "8")
    (folder,) = (farm.root / "state" / "tvarc").iterdir()
    assert result.stdout.endswith(f"logs and report.json: {folder}\n")
    assert {"tool-8.log", "report.json", "nix.log"} <= {path.name for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_what_there_is(farm: Farm, asked: signal.Signals) -> None:
    changed(farm, "true\n", '[ "$MAX_JOBS" = 8 ] || /bin/busybox sleep 60\n')
    words = [sys.executable, "-m", "tvarc", "realise", "--logs", str(farm.logs), "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    process = subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 30
    while time.monotonic() < end:
        begun = farm.logs / "tool-16.log"
        if begun.exists() and begun.read_text():
            break
        time.sleep(0.1)
    time.sleep(0.5)
    process.send_signal(asked)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 128 + asked
    found = checked(out)
    assert found["interrupted"] and states(found)["tool-16"] == "stopped"
    assert json.loads((farm.logs / "report.json").read_text()) == found


# --- on a terminal --------------------------------------------------------------------------------


@pytest.mark.once
@pytest.mark.parametrize("width", [80, 120, 200])
def test_on_a_terminal(farm: Farm, width: int) -> None:
    """Lines of what has ended stay; the table of what runs, and what else was shown, is erased."""
    changed(farm, "true\n", "/bin/busybox sleep 2\n")
    program = (
        "from tvarc.commands.line import progress; progress.PATIENCE = 0.0; "
        "from tvarc.commands.start.main import process; process()"
    )
    words = ["realise", "--logs", str(farm.logs)]
    seen = on_terminal(*words, cwd=farm.project, width=width, program=program)
    assert seen.code == exits.OK, seen.plain
    assert re.search(r"evaluating [012] of 2 variants", seen.plain)
    assert re.search(r"variant +state +machine +time", seen.plain)
    assert not [row for row in seen.screen if "evaluating" in row or "machine  " in row]
    ended = [re.sub(r"\d+ s$", "N s", row) for row in seen.screen[:4]]
    assert (ended[0], ended[3]) == ("stdenv-linux: built, N s", "2 variants: 2 built; N s")
    assert sorted(ended[1:3]) == ["tool-16: built, N s", "tool-8: built, N s"]  # in Nix's order


@pytest.mark.once
def test_an_evaluation_on_a_terminal(farm: Farm) -> None:
    program = (
        "from tvarc.commands.line import progress; progress.PATIENCE = 0.0; "
        "progress._BETWEEN = 0.001; "
        "from tvarc.commands.start.main import process; process()"
    )
    seen = on_terminal("check", "--eval", cwd=farm.project, program=program)
    assert re.search(r"evaluating [012] of 2 variants", seen.plain)
    assert not [row for row in seen.screen if "evaluating" in row or "testing" in row]


# --- only what changed ----------------------------------------------------------------------------


def committed(farm: Farm, text: str) -> None:
    """Make *text* the program of a commit."""
    farm.write(text)
    git("init", "-q")
    git("add", "variants.tvar")
    git("commit", "-q", "-m", "one")


@pytest.mark.once
@pytest.mark.slow
def test_only_what_changed_and_what_needs_it(farm: Farm) -> None:
    committed(farm, STACK)
    farm.write(STACK.replace("part p ", "part q "))  # another recipe, and the same derivation
    found = farm.realise("--only-changed", "HEAD")
    assert found["variants"] == [] and found["rounds"] == 0
    result = tvarc("realise", "--only-changed", "HEAD", "--dry-run")
    assert result.stdout == "# nothing to build\n"
    more = '"true" }\n  when jobs == "8" { env { MORE = "1" } }\n'
    farm.write(STACK.replace('"true" }\n', more).replace('"c"]', '"c", "d"]'))
    found = farm.realise("--only-changed", "HEAD")
    assert set(states(found)) == {
        "zlib-8", "tool-8-a", "tool-8-b", "tool-8-c", "tool-8-d", "tool-16-d",
    }  # fmt: skip
    assert set(states(found).values()) == {"built"}
    assert list(states(farm.realise("tool-16", "--only-changed", "HEAD"))) == ["tool-16-d"]


@pytest.mark.once
@pytest.mark.slow
def test_a_file_that_nix_text_reads_decides_what_changed(farm: Farm) -> None:
    """Also one that is imported by what is named; and nothing else does."""
    read = 'when jobs == "8" { env { MORE = nix""" import ./part.nix """ } }\n'
    Path("part.nix").write_text("builtins.readFile ./data.txt\n", encoding="utf-8")
    Path("data.txt").write_text("one", encoding="utf-8")
    Path("other.txt").write_text("one", encoding="utf-8")
    git("init", "-q")
    git("add", "part.nix", "data.txt", "other.txt")
    text = STACK.replace('"true" }\n', f'"true" }}\n  {read}').replace("pkgs/{{", "{{")
    assert "import ./part.nix" in text
    committed(farm, text)
    Path("other.txt").write_text("two", encoding="utf-8")
    assert farm.realise("--only-changed", "HEAD")["variants"] == []
    Path("data.txt").write_text("two", encoding="utf-8")
    found = set(states(farm.realise("--only-changed", "HEAD")))
    assert found == {"zlib-8", "tool-8-a", "tool-8-b", "tool-8-c"}


@pytest.mark.once
def test_a_state_that_is_none(farm: Farm) -> None:
    committed(farm, "matrix {")
    farm.write(PROGRAM)
    result = tvarc("realise", "--only-changed", "HEAD~7")
    assert result.exit_code == exits.FAILED and "error[E911]" in result.stderr
    result = tvarc("realise", "--only-changed", "HEAD")
    assert result.exit_code == exits.FAILED and "--> HEAD:variants.tvar:1" in result.stderr


# --- to another store -----------------------------------------------------------------------------


def test_what_is_built_goes_to_a_store_that_signs(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = farm.root / "secret"
    farm.nix("nix-store", "--generate-binary-cache-key", "farm-1", str(secret), f"{secret}.pub")
    before = os.environ.get("NIX_CONFIG", "")
    monkeypatch.setenv("NIX_CONFIG", f"{before}\nsecret-key-files = {secret}")
    cache = f"file://{farm.root / 'cache-of-all'}"
    found = farm.realise("8", "--to", cache)
    assert (found["to"], found["copied"]) == (cache, ["tool-8"])
    (info,) = (farm.root / "cache-of-all").glob("*.narinfo")
    assert "\nSig: farm-1:" in info.read_text()
    # A store that knows nothing of it builds the other one only.
    monkeypatch.setenv("NIX_REMOTE", str(farm.root / "another"))
    result = tvarc("realise", "--to", cache, "--logs", str(farm.logs), code=exits.OK)
    assert "2 variants: 1 already in the cache, 1 built" in result.stdout
    assert f"1 variant copied to {cache}\n" in result.stdout
    again = farm.realise("--to", cache)
    assert set(states(again).values()) == {"cached"} and again["copied"] == []


def test_a_store_that_variants_cannot_go_to(farm: Farm) -> None:
    result = tvarc("realise", "--to", "nowhere://x", "--logs", str(farm.logs), code=exits.UNJUDGED)
    assert "error[E996]: the store `nowhere://x` reports an error" in result.stderr
    assert "don't know how to open Nix store" in result.stderr
    assert not farm.logs.exists() and result.stdout == ""


def test_what_a_store_refuses_in_the_end_is_built_all_the_same(farm: Farm) -> None:
    real = farm.root / "bin" / "nix"
    refuses = 'case "$*" in *copy*) echo "error: no right to write" >&2; exit 1;; esac\n'
    real.write_text(real.read_text().replace("exec", f"{refuses}exec", 1))
    result = tvarc("realise", "8", "--to", f"file://{farm.root / 'cache-of-all'}", "--json",
                   "--logs", str(farm.logs))  # fmt: skip
    assert result.exit_code == exits.UNJUDGED
    found = checked(result.stdout)
    assert states(found) == {"tool-8": "built"} and found["copied"] == []
    assert "refuses" in result.stderr and "no right to write" in result.stderr


def test_builds_that_end_alike_are_told_once(farm: Farm) -> None:
    changed(farm, "true\n", "measure --jobs {{jobs}}\n")
    result = tvarc("realise", "--keep-going", "--logs", str(farm.logs))
    assert result.stderr.count("error[E992]") == 1
    assert "error[E992]: 2 variants cannot be built\n  --> variants.tvar:12:" in result.stderr
    assert "measure: not found" in result.stderr


def test_what_nix_warns_of_is_told(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.environ.get("NIX_CONFIG", "")
    monkeypatch.setenv("NIX_CONFIG", f"{before}\nno-such-setting = 1")
    result = tvarc("realise", "8", "--json", "--logs", str(farm.logs), code=exits.OK)
    assert "warning[W305]: Nix warns" in result.stderr
    assert checked(result.stdout)["warnings"] == ["unknown setting 'no-such-setting'"]


def test_what_a_cache_has_is_fetched(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = f"file://{farm.root / 'cache-of-all'}"
    farm.realise("8", "--to", cache)
    before = os.environ.get("NIX_CONFIG", "")
    more = f"substituters = {cache}\nrequire-sigs = false"
    monkeypatch.setenv("NIX_CONFIG", f"{before}\n{more}")
    monkeypatch.setenv("NIX_REMOTE", str(farm.root / "another"))
    found = farm.realise()
    assert states(found) == {"tool-8": "fetched", "tool-16": "built"}
    assert found["machines"] == [{"address": None, "built": 2, "away": None}]


def test_what_another_run_has_built_is_there(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was missing when this run was planned. No cache had it."""
    farm.realise()
    monkeypatch.setattr("tvarc.commands.realise.plan.unbuilt_here", set)
    found = farm.realise()
    assert states(found) == {"tool-8": "there", "tool-16": "there"} and found["rounds"] == 1


@pytest.mark.once
def test_the_page_of_the_matrix_takes_the_report(farm: Farm) -> None:
    changed(farm, *BREAKS)
    farm.realise("--keep-going", code=exits.FAILED)
    report = farm.logs / "report.json"
    tvarc("report", "--html", "page.html", "--builds", str(report), code=exits.OK)
    page = (farm.project / "page.html").read_text(encoding="utf-8")
    assert str(farm.logs / "tool-16.log") in page
