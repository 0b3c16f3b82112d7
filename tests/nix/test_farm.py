"""`tvarc realise` over machines: the real build hook and real `ssh-ng` stores."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nix.farm import Farm, builds, built_in, checked, in_state, put_farm, states
from support.command import ROOT, tvarc
from tvarc.commands.line import exits

pytestmark = [*builds, pytest.mark.slow]

BOTH = "x86_64-linux,aarch64-linux - 2 1 big-parallel -"
REMOTE = ("--max-jobs", "0")
PROGRAM = """\
pin model { path = "./nixpkgs" }
axis host {
  x86 { system = "x86_64-linux", feature = "gpu-sm90" }
  arm { system = "aarch64-linux", feature = "gpu-sm100" }
}
axis number = [NUMBERS]
recipe tool {
  package = pkgs.hello
  env   { NUMBER = number }
  attrs { requiredSystemFeatures = [FEATURES] }
  meta  { platforms = [host.system] }
  script preBuild {
    part work \"\"\"
      echo number {{number}}
      SCRIPT
    \"\"\"
  }
}
matrix all { recipe = tool, axes = host * number, name = "tool-{{host}}-{{number}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Farm]:
    found = put_farm(tmp_path, monkeypatch)
    yield found
    found.stop()


def write(
    farm: Farm, count: int, *, features: str = '"big-parallel"', script: str = "true"
) -> None:
    numbers = ", ".join(f'"{number}"' for number in range(count))
    text = PROGRAM.replace("NUMBERS", numbers).replace("FEATURES", features)
    farm.write(text.replace("SCRIPT", script))


def on(found: dict[str, object], host: str) -> list[str]:
    variants = found["variants"]
    assert isinstance(variants, list)
    return [one["name"] for one in variants if one["machine"] == f"ssh-ng://{host}"]


def test_forty_builds_over_two_machines(farm: Farm) -> None:
    write(farm, 20)
    machines = farm.machines(b1=BOTH, b2=BOTH)
    found = farm.realise("--builders", machines, *REMOTE)
    assert set(states(found).values()) == {"built"} and len(states(found)) == 40
    first, second = on(found, "b1"), on(found, "b2")
    # How many each builds is the choice of Nix, and depends on the load of this machine.
    assert len(first) + len(second) == 40 and first and second
    built = {one["address"]: one["built"] for one in found["machines"]}
    assert sum(built.values()) == 42  # with an environment for each system
    hellos = [name for name in built_in(farm.root / "store") if name.startswith("hello")]
    assert len(hellos) == 40
    assert {path.stem for path in farm.logs.glob("tool-*.log")} == states(found).keys()
    log = (farm.logs / "tool-arm-7.log").read_text()
    assert log == "number 7\n"


def test_builds_go_where_their_system_and_features_are(farm: Farm) -> None:
    write(farm, 3)
    found = farm.realise(
        *("--builders", farm.machines(b1="x86_64-linux - 2 1 big-parallel -",
                                      b2="aarch64-linux - 2 1 big-parallel -")), *REMOTE
    )  # fmt: skip
    assert on(found, "b1") == [f"tool-x86-{number}" for number in range(3)]
    assert on(found, "b2") == [f"tool-arm-{number}" for number in range(3)]


def test_a_list_of_machines_may_come_from_a_pipe(farm: Farm) -> None:
    """tvarc reads it, and no one can read it once more: Nix would build on this machine."""
    write(farm, 2)
    machines = Path(farm.machines(b1=BOTH)).read_bytes()
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(machines,))
    writer.start()
    found = farm.realise("--builders", "pipe", *REMOTE)
    writer.join()
    assert len(on(found, "b1")) == 4


def test_builds_go_to_machines_with_their_class_of_gpu(farm: Farm) -> None:
    write(farm, 2, features="host.feature")
    every = "x86_64-linux,aarch64-linux - 2 1"
    machines = farm.machines(b1=f"{every} gpu-sm90 -", b2=f"{every} gpu-sm100 -")
    found = farm.realise("--builders", machines, *REMOTE)
    assert on(found, "b1") == ["tool-x86-0", "tool-x86-1"]
    assert on(found, "b2") == ["tool-arm-0", "tool-arm-1"]
    # One class is gone from the list: it is told of, and nothing is begun.
    write(farm, 3, features="host.feature")
    machines = farm.machines(b1=f"{every} gpu-sm90 -")
    result = tvarc("realise", "--builders", machines, *REMOTE)
    assert result.exit_code == exits.UNJUDGED and result.stdout == ""
    assert "error[E994]: no machine builds `tool-arm-2`" in result.stderr
    assert "requires `gpu-sm100`" in result.stderr and "ssh-ng://b1:" in result.stderr
    found = farm.realise("--builders", machines, *REMOTE, "--keep-going", code=exits.UNJUDGED)
    assert in_state(found, "unplaced") == ["tool-arm-2"] and on(found, "b1") == ["tool-x86-2"]


def begin(farm: Farm, *words: str) -> subprocess.Popen[str]:
    """A run that may lose its machines, as a process of its own."""
    command = [sys.executable, "-m", "tvarc", "realise", "--json", "--logs", str(farm.logs)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    return subprocess.Popen(
        [*command, *words],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(process: subprocess.Popen[str], told: str, count: int) -> None:
    """Until *told* was said of so many variants, and a bit longer."""
    assert process.stderr is not None
    end = time.monotonic() + 60
    while count and time.monotonic() < end:
        line = process.stderr.readline()
        count -= line.startswith("tool-") and told in line
    assert not count
    time.sleep(0.5)


def test_a_machine_that_is_killed_in_mid_build(farm: Farm) -> None:
    write(farm, 2, script="/bin/busybox sleep 2")
    machines = farm.machines(b1=BOTH, b2=BOTH)
    process = begin(farm, "--builders", machines, *REMOTE)
    wait_for(process, "building on ssh-ng://b1", 2)
    farm.down("b1")
    out, errors = process.communicate(timeout=60)
    # What was lost is no fault of a recipe: the other machine does it in a second round.
    assert process.returncode == exits.OK, errors
    found = checked(out)
    assert set(states(found).values()) == {"built"} and found["rounds"] == 2
    assert found["broken"] == [] and found["lost"] == []
    away = {one["address"]: one["away"] for one in found["machines"]}
    assert away["ssh-ng://b1"] and away["ssh-ng://b2"] is None
    assert "warning[W304]: machine `ssh-ng://b1` is lost; other machines did its work" in errors
    assert errors.count(": lost on ssh-ng://b1") == 2


def test_when_the_only_machine_is_killed_the_next_run_builds_what_is_missing(farm: Farm) -> None:
    write(farm, 2, script="/bin/busybox sleep $((NUMBER * 5))")
    machines = farm.machines(b1=BOTH.replace(" 2 ", " 4 "))
    process = begin(farm, "--builders", machines, *REMOTE)
    wait_for(process, "built on ssh-ng://b1", 2)
    farm.down("b1")
    out, errors = process.communicate(timeout=60)
    assert process.returncode == exits.UNJUDGED, errors
    found = checked(out)
    assert in_state(found, "built") == ["tool-x86-0", "tool-arm-0"]
    assert in_state(found, "lost") == ["tool-x86-1", "tool-arm-1"]
    assert found["broken"] == [] and len(found["lost"]) == 2
    assert {one["machine"] for one in found["lost"]} == {"ssh-ng://b1"}
    assert "error[E993]: machine `ssh-ng://b1` is lost; not built: 2 variants" in errors
    assert "run the same command again: it builds only what is missing" in errors
    farm.up("b1")
    found = farm.realise("--builders", machines, *REMOTE)
    assert in_state(found, "there") == ["tool-x86-0", "tool-arm-0"]
    assert in_state(found, "built") == ["tool-x86-1", "tool-arm-1"]
    assert found["machines"] == [{"address": "ssh-ng://b1", "built": 2, "away": None}]


def test_a_broken_recipe_is_none_of_the_machine(farm: Farm) -> None:
    write(farm, 2, script="[ $NUMBER = 0 ]")
    machines = farm.machines(b1=BOTH)
    found = farm.realise("--builders", machines, *REMOTE, "--keep-going", code=exits.FAILED)
    assert in_state(found, "failed") == ["tool-x86-1", "tool-arm-1"]
    assert found["lost"] == [] and [one["away"] for one in found["machines"]] == [None]
    assert {one["line"] for one in found["broken"]} == {13}
    assert all("failed with exit code 1" in one["nix"] for one in found["broken"])


def test_the_first_broken_recipe_ends_the_builds_of_all_machines(farm: Farm) -> None:
    write(farm, 2, script="[ $NUMBER = 0 ] && /bin/busybox sleep 30")
    machines = farm.machines(b1=BOTH.replace(" 2 ", " 4 "))
    before = time.monotonic()
    found = farm.realise("--builders", machines, *REMOTE, code=exits.FAILED)
    assert time.monotonic() - before < 25
    assert in_state(found, "failed") and found["lost"] == []
    assert set(states(found).values()) == {"failed", "stopped"}
    assert found["ended_by"] is None


def test_another_hash_that_a_machine_finds(farm: Farm) -> None:
    write(farm, 1)
    text = (farm.project / "variants.tvar").read_text()
    source = 'src = url("https://example.org/data.tar.gz", hash = unlocked), required'
    farm.write(text.replace("required", source, 1))
    found = farm.realise("--builders", farm.machines(b1=BOTH), *REMOTE, "--keep-going",
                         code=exits.FAILED)  # fmt: skip
    assert {(one["kind"], one["line"]) for one in found["broken"]} == {("hash", 10)}
    log = found["broken"][0]["log"]
    assert tvarc("lock", "--from-log", log).exit_code == exits.OK


def test_a_machine_that_never_answers(farm: Farm) -> None:
    write(farm, 1)
    machines = farm.machines(b1=BOTH, b2=BOTH)
    (farm.root / "b1.down").touch()
    result = tvarc("realise", "--builders", machines, *REMOTE, "--logs", str(farm.logs))
    assert result.exit_code == exits.OK, result.stderr
    assert "warning[W304]: machine `ssh-ng://b1` is lost" in result.stderr
    # Nobody else could: in words, and another exit code than that of a broken recipe.
    write(farm, 2)
    machines = farm.machines(b1=BOTH)
    found = farm.realise("--builders", machines, *REMOTE, code=exits.UNJUDGED)
    assert len(in_state(found, "stopped")) == 2 and found["rounds"] == 1
    result = tvarc("realise", "--builders", machines, *REMOTE)
    assert "error[E993]: machine `ssh-ng://b1` is lost" in result.stderr


def test_a_machine_that_has_not_the_features_of_its_line(farm: Farm) -> None:
    write(farm, 1)
    machines = farm.machines(b1=BOTH)
    (farm.root / "b1.conf").write_text("system-features = kvm\n")
    result = tvarc("realise", "--builders", machines, *REMOTE, "--logs", str(farm.logs))
    assert result.exit_code == exits.UNJUDGED
    (told,) = [line for line in result.stderr.splitlines() if line.startswith("error")]
    assert told.startswith("error[E993]: machine `ssh-ng://b1` does not have the features")
    assert "is required to build" in result.stderr
