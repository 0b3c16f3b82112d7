"""Tests of variants: real Nix builds them, and they never change the derivation of a package."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from nix.farm import Farm, build_without_sandbox, builds, put_farm, states
from support.command import tvarc
from support.examples import copied
from tvarc.commands.line import exits
from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.model import Build
from tvarc.farm.realise.on_host import run
from tvarc.farm.realise.store import outputs

pytestmark = [*builds, pytest.mark.slow]

PROGRAM = """\
pin model { path = "./nixpkgs" }
axis jobs = ["8", "16"]
recipe tool {
  package = pkgs.hello
  env { MAX_JOBS = jobs }
  test greets {
    script = \"\"\"
      found name "$(cat "$package")"
      found jobs {{jobs}} "no more"
    \"\"\"
    expect = { name = "hello-2.12.1-out", jobs = [jobs, "no more"] }
  }
  test here { script = "echo here with {{jobs}}", on = "host" }
}
matrix all { recipe = tool, axes = jobs, name = "tool-{{jobs}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
TESTS = PROGRAM[PROGRAM.index("  test greets") : PROGRAM.index("}\nmatrix")]
PIN = 'pin nixpkgs {\n  path = "../nixpkgs"'
SYSTEM = '{ pkgs.stdenv.hostPlatform.system = "x86_64-linux"; }'


SANDBOXES = {"sandbox": "/build", "no sandbox": "*/nix-build-*"}
"""Where a builder works, by how Nix builds."""

in_and_out_of_the_sandbox = pytest.mark.parametrize("farm", SANDBOXES, indirect=True)


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Farm:
    found = put_farm(tmp_path, monkeypatch)
    if getattr(request, "param", "sandbox") != "sandbox":
        build_without_sandbox(found, monkeypatch)
    found.write(PROGRAM)
    return found


def changed(farm: Farm, old: str, new: str) -> None:
    assert old in PROGRAM
    farm.write(PROGRAM.replace(old, new))


def recorded(farm: Farm) -> dict[tuple[str, str | None], dict[str, Any]]:
    """The lines of the ledger, by variant and test."""
    lines = (farm.project / "tvarc-results.jsonl").read_text(encoding="utf-8").splitlines()
    found = {(one["variant"], one["test"]): one for one in map(json.loads, lines)}
    assert len(found) == len(lines)
    return found


def test_a_run_of_tests_records_the_builds_that_it_saw(farm: Farm) -> None:
    assert tvarc("test", "8", "--record").exit_code == exits.OK
    found = recorded(farm)
    assert {test: one["event"] for (_, test), one in found.items()} == {
        None: "built", "greets": "tested",
    }  # fmt: skip
    build = found["tool-8", None]
    assert build["derivation"] == derivation(farm) and build["size"] > 0
    assert build["seconds"] is not None and build["log"].startswith("hello-2.12.1-")
    assert tvarc("realise", "8", "--record").exit_code == exits.OK  # it finds what is known
    assert recorded(farm) == found
    assert tvarc("realise", "16").exit_code == exits.OK
    found = recorded(farm)
    assert tvarc("test").exit_code == exits.OK
    assert recorded(farm)["tool-16", None] == found["tool-16", None]


def test_a_dependency_that_is_broken_is_recorded_for_the_tested_variant(farm: Farm) -> None:
    (farm.project / "fix.patch").write_text("no patch\n")
    fix = 'patch fix for zlib { file = path("./fix.patch") }\n'
    uses = '  overlays = [fix]\n  attrs { buildInputs = [nix"""pkgs.zlib"""] }\n  env {'
    text = PROGRAM.replace("recipe tool", f"{fix}recipe tool").replace("  env {", uses)
    farm.write(text)
    assert tvarc("test", "8", "--record").exit_code == exits.FAILED
    (entry,) = recorded(farm).values()
    assert (entry["test"], entry["event"]) == (None, "failed"), entry
    assert "zlib" in entry["through"] and entry["log"] is None


def derivation(farm: Farm, of: str = "") -> str:
    assert tvarc("build", "--no-git").exit_code == exits.OK
    code = f"(import ./pkgs/tool-8.nix {SYSTEM}){of}"
    return farm.nix("nix-instantiate", "-E", code).strip()


@in_and_out_of_the_sandbox
def test_tests_pass_and_are_there_the_next_time(farm: Farm) -> None:
    done = tvarc("test", code=exits.OK)
    assert "\n2 tests: 2 passed; " in done.stdout
    assert (farm.logs.parent / "state").exists()
    again = tvarc("test", "--json")
    assert states(json.loads(again.stdout)) == {
        "tool-8.tests.greets": "there", "tool-16.tests.greets": "there",
    }  # fmt: skip


def test_a_test_changes_no_derivation_of_a_package(farm: Farm) -> None:
    tested = derivation(farm)
    assert derivation(farm, ".tests.greets").endswith("-hello-2.12.1-test-greets.drv")
    assert derivation(farm, ".passthru.tests.here").endswith("-hello-2.12.1-test-here.drv")
    changed(farm, TESTS, "")
    assert derivation(farm) == tested


@pytest.mark.parametrize(("farm", "folder"), SANDBOXES.items(), indirect=["farm"])
def test_where_a_test_runs(farm: Farm, folder: str) -> None:
    where = f"case $PWD in {folder}) ;; *) pwd; exit 1; esac"
    changed(farm, '"no more"\n    "', f'"no more"\n      {where}\n    "')
    tvarc("test", code=exits.OK)


@in_and_out_of_the_sandbox
def test_a_failing_test_is_reported_at_its_line(farm: Farm) -> None:
    changed(farm, '"no more"\n    \"', '"no more"\n      cat /nowhere || [ {{jobs}} = 8 ]\n    \"')
    done = tvarc("test", "--keep-going", "--logs", str(farm.logs), code=exits.FAILED)
    assert "2 tests: 1 passed, 1 failed; " in done.stdout
    assert "error[E998]: test `greets` fails for `tool-16`\n  --> variants.tvar:7:" in done.stderr
    assert "cat: can't open '/nowhere'" in done.stderr
    assert (farm.logs / "tool-16.tests.greets.log").exists()


@pytest.mark.once
def test_what_is_found_differs_from_what_is_expected(farm: Farm) -> None:
    changed(farm, "[jobs, ", '["8", ')
    done = tvarc("test", "--keep-going", code=exits.FAILED)
    words = " ".join(done.stderr.split())
    assert "test `greets` fails for `tool-16`\n  --> variants.tvar:11:50" in done.stderr
    assert "[\"8\", \"no more\"] } | ^^^^^^^^^^^^^^^^ expected `8`, found `16`" in words
    assert "jobs: expected 8\n" in done.stderr and "jobs: found 16\n" in done.stderr


@pytest.mark.once
def test_an_invisible_difference_is_shown(farm: Farm) -> None:
    changed(farm, "found jobs {{jobs}}", "found jobs \"$(printf '{{jobs}}\\033[31m')\"")
    done = tvarc("test", "8")
    assert "expected `8`, found `8\u241b[31m`" in done.stderr, done.stderr
    assert "jobs: found 8\n" in done.stderr and "\x1b" not in done.stderr


@in_and_out_of_the_sandbox
@pytest.mark.once
def test_an_unmet_expectation_names_its_fact(farm: Farm) -> None:
    """So does one for which the script finds nothing, and a name without an expectation has the
    place of all."""
    facts = 'facts machine (jobs: int) { small { jobs = 8 }, large { jobs = 16 } }\n'
    text = PROGRAM.replace("axis jobs = [\"8\", \"16\"]", facts + "axis jobs = machine")
    text = text.replace("[jobs, \"no more\"]", "jobs.jobs, more = [1, 2]")
    text = text.replace("{{jobs}} \"no more\"", "8; found other 3; found more 1")
    farm.write(text)
    done = tvarc("test", "--keep-going", "large")
    words = " ".join(done.stderr.split())
    assert done.exit_code == exits.FAILED
    for expected in (
        "expected `16`, found `8`", "expected `2`, which the test did not find",
        "found `3` for `other`, which is not expected", "machine.large.jobs = 16",
    ):  # fmt: skip
        assert expected in words, done.stderr
    assert "machine.small" not in words


@pytest.mark.once
@pytest.mark.parametrize("ends", ["exit 0", "exec true"])
@pytest.mark.parametrize("limit", ["", ", timeout = 60"])
def test_a_script_that_ends_early_does_not_pass(farm: Farm, ends: str, limit: str) -> None:
    tests = [
        f'  test early {{ script = "{ends}", expect = {{ a = 5 }}{limit} }}\n',
        f'  test empty {{ script = "{ends}", expect = {{ a = [] }}{limit} }}\n',
        f'  test plain {{ script = "{ends}"{limit} }}\n',
    ]
    changed(farm, "  test here", f"{''.join(tests)}  test here")
    done = tvarc("test", "8", "--keep-going", code=exits.FAILED)
    assert "test `early` fails for `tool-8`" in done.stderr
    assert "expected `5`, which the test did not find" in done.stderr, done.stderr
    assert "\n4 tests: 3 passed, 1 failed; " in done.stdout, done.stdout


@pytest.mark.once
def test_a_script_keeps_its_variables(farm: Farm) -> None:
    own = """
      name=mine value=1 found=2 expected=3 tvarc=4
      found own "$name" '\\t' "$value$found$expected$tvarc"
    """
    expected = '{ own = ["mine", "\\\\t", "1234"] }'
    test = f'  test own {{ script = """{own}""", expect = {expected} }}\n'
    changed(farm, "  test here", f"{test}  test here")
    tvarc("test", "8", code=exits.OK)


def test_the_size_of_a_closure(farm: Farm) -> None:
    """It is the size that the ledger has."""
    changed(farm, "  test here", '  test slim { max-closure-size = "0.1 KiB" }\n  test here')
    assert tvarc("realise", "8", "--record").exit_code == exits.OK
    entry = json.loads((farm.project / "tvarc-results.jsonl").read_text().splitlines()[-1])
    done = tvarc("test", "8", "--keep-going", code=exits.FAILED)
    assert "test `slim` fails for `tool-8`\n  --> variants.tvar:13:15" in done.stderr
    assert f"expected at most 102 B, found {entry['size']} B" in done.stderr
    changed(farm, "  test here", '  test slim { max-closure-size = "1.5KiB" }\n  test here')
    assert tvarc("test", "8").exit_code == exits.OK


@in_and_out_of_the_sandbox
def test_a_package_that_the_result_must_not_depend_on(farm: Farm) -> None:
    lean = "  test lean { without = [pkgs.hello] }\n  test here"
    changed(farm, "  test here", lean)
    done = tvarc("test", "8")
    assert (done.exit_code, done.stdout.count("2 tests: 2 passed")) == (exits.OK, 1), done.stderr
    # Without changes the variant is that package.
    text = PROGRAM.replace("  env { MAX_JOBS = jobs }\n", "").replace("  test here", lean)
    farm.write(text)
    done = tvarc("test", "8", "--keep-going", code=exits.FAILED)
    assert "test `lean` fails for `tool-8`" in done.stderr
    assert "^^^^^^^^^^^^^^^^^^^^^^ the package depends on `hello-2.12.1`" in done.stderr
    assert "without: found /" in " ".join(done.stderr.split())


def test_a_package_that_does_not_build_is_no_failing_test(farm: Farm) -> None:
    broken = 'script preBuild { part broken "false\\n" }'
    changed(farm, "  env { MAX_JOBS = jobs }", f"  {broken}\n  env {{ MAX_JOBS = jobs }}")
    done = tvarc("test", "8", "--record", code=exits.FAILED)
    assert "error[E992]: `tool-8.tests.greets` cannot be built" in done.stderr
    (entry,) = recorded(farm).values()  # the test did not run
    assert (entry["test"], entry["event"]) == (None, "failed") and entry["through"] is None
    assert entry["phase"] == "buildPhase" and entry["log"].startswith("hello-")


@pytest.fixture
def programs(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs of tests on the host that ran last. The store of these tests is in a folder,
    where the programs are on this machine. They find the tools of this machine, since the folder of
    those of the build is in the sandbox alone."""
    found: list[str] = []

    def at_home(program: str, derivation: str, logs: Logs) -> Build:
        copy = farm.root / "program"
        text = Path(program).read_text(encoding="utf-8")
        copy.write_text(text.replace("/build/bin", os.environ["PATH"]), encoding="utf-8")
        copy.chmod(0o755)
        return run(str(copy), derivation, logs)


    def here(counts: dict[str, int]) -> dict[str, tuple[str, ...]]:
        store = farm.root / "store"
        paths = {path: f"{store}{one[0]}" for path, one in outputs(counts).items()}
        found[:] = paths.values()
        return {path: (one,) for path, one in paths.items()}

    monkeypatch.setattr("tvarc.commands.test.outputs", here)
    monkeypatch.setattr("tvarc.commands.test.run", at_home)
    return found


def test_tests_of_a_host_run_on_it(farm: Farm, programs: list[str]) -> None:
    done = tvarc("test", "--on-host", "--logs", str(farm.logs), "--json", code=exits.OK)
    (name,) = states(json.loads(done.stdout))  # of the one variant that `pick` chooses
    log = (farm.logs / f"{name}.log").read_text(encoding="utf-8")
    assert log == f"here with {name.removeprefix('tool-').removesuffix('.tests.here')}\n"

    quoted = """"found word", expect = { word = "it's $HOME" }"""
    changed(farm, '"echo here with {{jobs}}"', quoted)
    tvarc("test", "--on-host")
    (program,) = programs
    assert "export expected='word=it'\\''s $HOME'\n" in Path(program).read_text("utf-8")

    changed(farm, '"echo here with {{jobs}}"', '"found word yes", expect = { word = "no" }')
    done = tvarc("test", "--on-host")
    assert "expected `no`, found `yes`" in done.stderr, done.stderr

    changed(farm, '"echo here with {{jobs}}"', '"echo no GPU; exit 3"')
    done = tvarc("test", "--on-host", code=exits.FAILED)
    assert "error[E998]: test `here` fails for `tool-" in done.stderr
    assert "the test ended with exit code 3" in done.stderr and "no GPU" in done.stderr
    assert re.search(r"(tool-\d+\.tests\.here): testing\n\1: failed, 0 s\n", done.stdout)

    changed(farm, '"echo here with {{jobs}}"', '"/bin/busybox sleep 2"')
    done = tvarc("test", "--on-host")
    assert re.search(r"\n1 test: 1 passed; [2-9] s\n", done.stdout), done.stdout


@pytest.mark.once
def test_a_test_of_a_host_that_cannot_start_has_no_result(farm: Farm) -> None:
    """The store of these tests is in a folder, so there is no such program on this machine."""
    done = tvarc("test", "--on-host", "--record", code=exits.UNJUDGED)
    assert ".tests.here` cannot be started\n" in done.stderr
    assert "`: No such file or directory = note" in " ".join(done.stderr.split()), done.stderr
    assert "1 without a machine" in done.stdout, done.stdout
    (entry,) = recorded(farm).values()
    assert (entry["test"], entry["event"]) == (None, "built")


@pytest.mark.once
def test_a_test_of_a_host_that_failed_is_repeated(farm: Farm, programs: list[str]) -> None:
    """The ledger has no part in the choice: another variant might pass by chance."""
    changed(farm, '"echo here with {{jobs}}"', '"exit 3"')
    first = tvarc("test", "--on-host", "--record", "--json")
    again = tvarc("test", "--on-host", "--record", "--json")
    assert first.exit_code == again.exit_code == exits.FAILED
    assert states(json.loads(first.stdout)) == states(json.loads(again.stdout))


def test_an_interrupt_keeps_the_results_of_tests_that_ran(
    farm: Farm, programs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(farm, "  test here {", '  test first { script = "exit 3", on = "host" }\n  test here {')

    def stops(program: str, derivation: str, logs: Logs) -> Build:
        if derivation.endswith("-test-here.drv"):
            raise KeyboardInterrupt
        return run(program, derivation, logs)

    monkeypatch.setattr("tvarc.commands.test.run", stops)
    done = tvarc("test", "--on-host", "--record", "--logs", str(farm.logs), code=exits.INTERRUPTED)
    assert "error[E998]: test `first` fails" in done.stderr
    assert "2 tests: 1 failed, 1 not run" in done.stdout
    found = states(json.loads((farm.logs / "report.json").read_text()))
    assert sorted(found.values()) == ["failed", "stopped"]
    events = {test: one["event"] for (_, test), one in recorded(farm).items()}
    assert events == {None: "built", "first": "test-failed"}


@pytest.mark.parametrize("script", ["/bin/busybox sleep 60", "/bin/busybox sleep 60 & wait"])
def test_a_test_that_takes_longer_than_its_timeout(farm: Farm, script: str) -> None:
    slow = f'  test slow {{ script = "echo begins; {script}", timeout = 2 }}\n'
    quick = '  test quick { script = "echo begins", timeout = 60 }\n'
    changed(farm, TESTS, slow + quick)
    begun = time.monotonic()
    done = tvarc("test", "8", "--keep-going")
    assert time.monotonic() - begun < 50
    assert done.exit_code == exits.FAILED
    assert "2 tests: 1 passed, 1 failed" in done.stdout, done.stderr
    place = f"variants.tvar:6:{slow.index('timeout') + 1}\n"
    assert f"error[E998]: test `slow` fails for `tool-8`\n --> {place}" in done.stderr
    assert "timeout: the test took longer than 2 s" in done.stderr


@pytest.mark.once
def test_a_test_of_a_host_that_takes_longer_than_its_timeout(
    farm: Farm, programs: list[str]
) -> None:
    slow = '"echo begins; /bin/busybox sleep 60", timeout = 2'
    changed(farm, '"echo here with {{jobs}}"', slow)
    done = tvarc("test", "--on-host", code=exits.FAILED)
    assert "took longer than 2 s" in done.stderr, done.stderr
    changed(farm, '"echo here with {{jobs}}"', '"exit 3", timeout = 60')
    done = tvarc("test", "--on-host")
    assert "the test ended with exit code 3" in done.stderr, done.stderr


def test_a_test_that_no_machine_runs_is_reported_at_its_features(farm: Farm) -> None:
    changed(farm, "  test greets {", '  test greets {\n    features = ["moon"]')
    done = tvarc("test", "8", code=exits.UNJUDGED)
    told = "error[E994]: no machine builds `tool-8.tests.greets`\n --> variants.tvar:7:"
    assert told in done.stderr


def test_a_program_on_a_host_that_no_machine_makes_is_reported_at_its_features(
    farm: Farm, programs: list[str]
) -> None:
    wanted = '"echo here with {{jobs}}", features = ["moon"]'
    changed(farm, '"echo here with {{jobs}}"', wanted)
    done = tvarc("test", "--on-host", code=exits.UNJUDGED)
    assert ".tests.here`\n  --> variants.tvar:13:51\n" in done.stderr, done.stderr


@pytest.mark.once
def test_what_a_test_lacks_is_reported_at_its_field(farm: Farm) -> None:
    changed(farm, TESTS, '  test lacks { script = "true", tools = [pkgs.nosuch] }\n')
    done = tvarc("test", "8", code=exits.FAILED)
    assert "error[E991]: Nix refuses `tool-8" in done.stderr
    assert "\n --> variants.tvar:6:33\n" in done.stderr, done.stderr


@pytest.mark.once
def test_variants_without_a_test_are_reported(farm: Farm) -> None:
    changed(farm, TESTS, f"when jobs == \"8\" {{\n{TESTS}}}\n")
    done = tvarc("test", code=exits.OK)
    assert "warning[W312]: no test for `tool-16`\n --> variants.tvar:4:3" in done.stderr


@pytest.mark.once
def test_a_program_without_tests(farm: Farm) -> None:
    changed(farm, TESTS, "")
    done = tvarc("test")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (exits.OK, "0 tests")


def test_tests_for_another_machine(farm: Farm) -> None:
    changed(farm, '"./nixpkgs" }', '"./nixpkgs", crossSystem { system = "aarch64-linux" } }')
    tested = derivation(farm)
    assert derivation(farm, ".tests.greets") != tested


@pytest.mark.once
def test_tests_in_an_old_nixpkgs(farm: Farm) -> None:
    """It has no `finalAttrs`."""
    model = farm.project / "nixpkgs" / "default.nix"
    old = 'modelArgs.age = "20.09"; modelArgs.builds'
    model.write_text(model.read_text().replace("modelArgs.builds", old), encoding="utf-8")
    text = PROGRAM.replace('"./nixpkgs" }', '"./nixpkgs", release = 20.09 }')
    slim = 'test slim { without = [pkgs.jq], max-closure-size = "1 GiB" }'
    farm.write(text.replace("  test here", f"  {slim}\n  test here"))
    tested = derivation(farm)
    assert derivation(farm, ".tests.greets") != tested
    done = tvarc("test", "8")
    assert (done.exit_code, done.stdout.count("2 tests: 2 passed")) == (exits.OK, 1), done.stderr


@pytest.mark.once
def test_tests_in_a_package_set(farm: Farm) -> None:
    text = PROGRAM.replace("pkgs.hello", "pkgs.numpy\n  scope = pkgs.python3Packages")
    farm.write(text)
    tested = derivation(farm)
    assert "-test-greets.drv" in derivation(farm, ".tests.greets")
    farm.write(text.replace(TESTS, ""))
    assert derivation(farm) == tested


PINNED = re.compile(r"^  (?:github|rev|hash) .*\n", re.MULTILINE)
ON_SM90 = "pytorch-python313-cuda12_8-sm90-avx512"
SPARK = "pytorch-python313-cuda13_0-sm121-armv9-nightly"
VISION = "torchvision-python313-cuda13_0-sm90-avx512"


@pytest.mark.once
@pytest.mark.parametrize(
    ("program", "variant", "tests"),
    [
        ("three-variants/variants.tvar", ON_SM90, ("imports", "kernels")),
        ("spark-nightly/copied.tvar", SPARK, ("imports", "gpu")),
        ("vision-audio/variants.tvar", VISION, ("imports",)),
    ],
)
def test_tests_of_examples_are_derivations(
    program: str, variant: str, tests: tuple[str, ...], farm: Farm
) -> None:
    """They do not change the derivation of the package."""
    root = copied(program.partition("/")[0], farm.project)
    for file in root.glob("*.tvar"):
        text = PINNED.sub("", file.read_text(encoding="utf-8"))
        file.write_text(text.replace("pin nixpkgs {", f"{PIN}\n"), encoding="utf-8")

    def derivations(of: tuple[str, ...], *settings: str) -> list[str]:
        words = [word for one in settings for word in ("--set", one)]
        tvarc("build", program, "--no-git", "--only", variant, *words, code=exits.OK)
        (recipe,) = root.rglob(f"{variant}.nix")
        machine = "aarch64-linux" if variant == SPARK else "x86_64-linux"
        system = SYSTEM.replace("x86_64-linux", machine)
        # Its other arguments are packages of other recipes.
        code = f"""
            let
              recipe = import {recipe};
              needed = removeAttrs (builtins.functionArgs recipe) [ "pkgs" ];
              other = name: _: import ({recipe.parent} + "/${{name}}.nix") {system};
              p = recipe (builtins.mapAttrs other needed // {system});
            in
            [ p {' '.join(of)} ]
        """
        return farm.nix("nix-instantiate", "-E", code).split()

    package, *tested = derivations(tuple([f"p.tests.{one}" for one in tests]))
    assert [path.rpartition("-test-")[2] for path in tested] == [f"{one}.drv" for one in tests]
    assert derivations((), *(f"test.{one}=none" for one in tests)) == [package]
