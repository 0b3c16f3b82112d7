"""What Nix's garbage collector leaves of what `tvarc realise` builds, and how much Nix is told at
once."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nix.farm import Farm, builds, put_farm, states
from support.command import ROOT, tvarc
from tvarc.commands.line import exits
from tvarc.farm.realise import follow as engine
from tvarc.farm.realise.store import Roots

pytestmark = [*builds, pytest.mark.slow]

PROGRAM = """\
pin model { path = "./nixpkgs" }
axis jobs = ["8", "16", "24", "32", "40"]
recipe tool {
  package = pkgs.hello
  env { MAX_JOBS = jobs }
  script preBuild { part wait "true" }
}
matrix tools { recipe = tool, axes = jobs, name = "tool-{{jobs}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
WAITS = PROGRAM.replace('"true"', '"[ $MAX_JOBS != 16 ] || /bin/busybox sleep 60"')


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    found = put_farm(tmp_path, monkeypatch)
    found.write(PROGRAM)
    return found


def roots_of(farm: Farm) -> str:
    """What the garbage collector goes by, of this run."""
    return farm.nix("nix-store", "--gc", "--print-roots")


def output_of(farm: Farm, word: str) -> str:
    """What the one variant that *word* means comes to; it is there."""
    (one,) = farm.realise(word)["variants"]
    return farm.nix("nix-store", "--query", "--outputs", one["derivation"]).strip()


# --- roots ----------------------------------------------------------------------------------------


def test_what_is_there_stays_while_the_run_goes_on(farm: Farm) -> None:
    farm.write(WAITS)
    farm.realise("8")
    output = output_of(farm, "8")
    words = [sys.executable, "-m", "tvarc", "realise", "8", "16", "--logs", str(farm.logs)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end and not (farm.logs / "tool-16.log").exists():
            time.sleep(0.1)
        assert f" -> {output}\n" in roots_of(farm)
        farm.nix("nix-store", "--gc")
        farm.nix("nix-store", "--check-validity", output)
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert not list(farm.logs.glob("roots-*"))
    farm.nix("nix-store", "--gc")
    assert subprocess.run(["nix-store", "--check-validity", output], check=False).returncode


def test_what_a_killed_run_has_left_is_removed(farm: Farm) -> None:
    ended = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, text=True, check=True)
    left = farm.logs / f"roots-{ended.stdout.strip()}"
    other = farm.logs / f"roots-{os.getppid()}"
    for folder in (left, other, farm.logs / "roots-of-trees"):
        folder.mkdir(parents=True)
    farm.realise("8")
    assert not left.exists() and other.exists() and (farm.logs / "roots-of-trees").exists()


def test_a_store_without_roots_is_left_alone(farm: Farm) -> None:
    wrapper = farm.root / "bin" / "nix-store"
    refuses = 'case "$*" in *--add-root*) echo "error: no roots here" >&2; exit 1;; esac\n'
    wrapper.write_text(wrapper.read_text().replace("exec", f"{refuses}exec", 1))
    assert set(states(farm.realise()).values()) == {"built"}
    result = tvarc("realise", "--out-link", "links", "--logs", str(farm.logs), code=exits.UNJUDGED)
    assert "error[E996]" in result.stderr and "no roots here" in result.stderr


# --- links ----------------------------------------------------------------------------------------


def test_links_keep_what_they_lead_to(farm: Farm) -> None:
    tvarc("realise", "8", "16", "--out-link", "links", "--logs", str(farm.logs), code=exits.OK)
    links = {one.name: str(one.readlink()) for one in (farm.project / "links").iterdir()}
    assert links == {"tool-8": output_of(farm, "8"), "tool-16": output_of(farm, "16")}
    farm.nix("nix-store", "--gc")
    assert set(states(farm.realise("8", "16")).values()) == {"there"}
    # Of one that is there as well, and in place of what it was.
    farm.write(PROGRAM.replace('"true"', '"true; true"'))
    farm.realise("8", "--out-link", "links")
    assert str((farm.project / "links" / "tool-8").readlink()) == output_of(farm, "8")
    assert output_of(farm, "8") != links["tool-8"]
    (farm.project / "links" / "tool-8").unlink()
    farm.nix("nix-store", "--gc")
    assert states(farm.realise("8"))["tool-8"] == "built"


def test_of_what_could_not_be_built_there_is_no_link(farm: Farm) -> None:
    farm.write(PROGRAM.replace('"true"', '"[ $MAX_JOBS != 16 ]"'))
    found = farm.realise("8", "16", "--keep-going", "--out-link", "links", code=exits.FAILED)
    assert states(found) == {"tool-8": "built", "tool-16": "failed"}
    assert [one.name for one in (farm.project / "links").iterdir()] == ["tool-8"]


def test_what_is_in_the_way_of_a_link_is_told_before_anything_is_built(farm: Farm) -> None:
    links = farm.project / "links"
    links.mkdir()
    (links / "tool-8").write_text("mine")
    (links / "tool-16").symlink_to("elsewhere")
    result = tvarc("realise", "--out-link", "links", "--logs", str(farm.logs), code=exits.FAILED)
    assert "error[E802]: `links/tool-8` is in the way of a link" in result.stderr
    assert "1 other as well" in result.stderr and not farm.logs.exists()
    assert (links / "tool-8").read_text() == "mine"
    for folder in ("links/tool-8", "links/tool-8/more", "/proc/none"):
        result = tvarc("realise", "24", "--out-link", folder, "--logs", str(farm.logs))
        assert result.exit_code == exits.FAILED and not farm.logs.exists()
        assert f"error[E802]: links cannot be made in `{folder}`" in result.stderr


def test_links_to_other_outputs_have_their_names_and_a_place_of_their_own(farm: Farm) -> None:
    text = PROGRAM.replace("recipe tool {", 'recipe tool {\n  attrs { outputs = ["out", "dev"] }')
    farm.write(text)
    links = farm.project / "links"
    farm.realise("8", "--out-link", "links")
    assert sorted(one.name for one in links.iterdir()) == ["tool-8", "tool-8-dev"]
    (links / "tool-16-dev").write_text("mine")
    result = tvarc("realise", "16", "--out-link", "links", "--logs", str(farm.root / "none"))
    assert result.exit_code == exits.FAILED and not (farm.root / "none").exists()
    assert "error[E802]: `links/tool-16-dev` is in the way of a link" in result.stderr
    farm.write(text.replace('"8", "16"', '"8", "8-dev"'))
    result = tvarc("realise", "--out-link", "other", "--logs", str(farm.root / "none"))
    assert result.exit_code == exits.FAILED and not (farm.root / "none").exists()
    assert "`tool-8` and `tool-8-dev` would share the link `tool-8-dev`" in result.stderr
    assert not (farm.project / "other").exists()
    farm.realise("tool-8-dev", "--out-link", "other")


# --- as much at once as a command takes -----------------------------------------------------------


@pytest.fixture
def runs(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each run of Nix that builds; a command takes two derivations."""
    monkeypatch.setattr(engine, "most_bytes", lambda: 200)
    file = farm.root / "runs"
    wrapper = farm.root / "bin" / "nix-store"
    notes = f'case "$*" in *internal-json*) echo "$*" >> {shlex.quote(str(file))};; esac\n'
    wrapper.write_text(wrapper.read_text().replace("exec", f"{notes}exec", 1))
    return file


def test_more_than_a_command_takes_is_built_by_several(farm: Farm, runs: Path) -> None:
    result = tvarc("realise", "--dry-run")
    commands = [line for line in result.stdout.splitlines() if line.startswith("nix-store ")]
    found = farm.realise()
    assert set(states(found).values()) == {"built"} and found["rounds"] == 1
    told = runs.read_text().splitlines()
    assert [line.count(".drv") for line in told] == [2, 2, 1]
    assert [shlex.split(one)[1:] for one in commands] == [line.split() for line in told]
    assert set(states(farm.realise()).values()) == {"there"}


def test_what_is_broken_is_tried_once(farm: Farm, runs: Path) -> None:
    """A package that all are made of: the first command finds out, and no other tries again."""
    overlay = 'overlay broken for zlib { script preBuild { part p "false" } }\nrecipe tool {\n'
    text = PROGRAM.replace("recipe tool {\n", f"{overlay}  overlays = [broken]\n")
    needs = 'attrs { buildInputs = if jobs == "40" then [] else [nix"""pkgs.zlib"""] }\n  env {'
    farm.write(text.replace("env {", needs))
    found = farm.realise("--keep-going", code=exits.FAILED)
    assert sorted(states(found).values()) == ["built", *["failed"] * 4]
    told = runs.read_text().splitlines()
    assert len(told) == 2 and len(found["broken"]) == 1
    assert len(list(farm.logs.glob("zlib-*.log"))) == 1


def test_the_first_broken_recipe_ends_all_commands(farm: Farm, runs: Path) -> None:
    farm.write(PROGRAM.replace('"true"', '"false"'))
    found = farm.realise("--max-jobs", "1", code=exits.FAILED)
    assert "stopped" in states(found).values() and len(runs.read_text().splitlines()) == 1


def test_a_command_has_room_for_its_environment() -> None:
    assert 1 << 13 <= engine.most_bytes() <= os.sysconf("SC_ARG_MAX") // 2
    many = [f"/nix/store/{number:032d}-hello-2.12.1.drv" for number in range(100_000)]
    several = engine.parts(many)
    assert [one for some in several for one in some] == many and len(several) < 100
    assert all(sum(len(one) + 9 for one in some) <= engine.most_bytes() for some in several)
    words = engine.command(several[0], "machines", 4, keep_going=True)
    assert not subprocess.run(["true", *words], check=False).returncode
    assert engine.parts([]) == [] and Roots("nowhere")
