"""`check --eval` tells what does nothing, and where errors and fake hashes come from: it leaves
settings out, looks who reads them, and reads in the derivation what a build runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT, tvarc
from support.nix import evaluated, put_project, requires_nix, told_in
from support.recipes import MODEL
from tvarc.build.assembly.together import Together, together
from tvarc.commands.evaluation import trials
from tvarc.commands.line import exits
from tvarc.nix import ir
from tvarc.nix.judge.at_hand import store_path
from tvarc.nix.judge.evaluate import Job, chunks

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.slow]

PROGRAM = """\
pin model { path = "./nixpkgs", config { allowUnfree = true CONFIG } }
axis n = ["1", "2"]
recipe one {
  package = pkgs.careless
  SETTINGS
  env { N = n }
}
matrix all { recipe = one, axes = n, name = "one-{{n}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
EVERY = ["one-1", "one-2"]
SOME_HASH = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="

ARCHIVE = 'url("https://example.org/rooted-2.tar.gz", hash = "HASH")'.replace("HASH", SOME_HASH)
COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = f'github("o/rooted", rev = "{COMMIT}", hash = "{SOME_HASH}")'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the model as its nixpkgs, and the Nix that is to judge."""
    return put_project(tmp_path, monkeypatch)


def write(settings: str = "", config: str = "", more: str = "") -> None:
    text = PROGRAM.replace("SETTINGS", settings).replace("CONFIG", config) + more
    Path("variants.tvar").write_text(text, encoding="utf-8")


def told(*args: str) -> list[tuple[str, int]]:
    """As `told_in`, of a run that prints no data."""
    return told_in(tvarc("check", "--eval", *args).stderr)


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ('attrs { configureFlags -= ["--nope"] }', "configureFlags"),
        ('attrs { buildInputs -= pname("nope*") }', "buildInputs"),
        ("attrs { buildInputs -= [pkgs.hello] }", "buildInputs"),
        ('when n == "2" { attrs { configureFlags -= ["--nope"] } }', "configureFlags"),
    ],
)
def test_a_removal_that_removes_nothing(settings: str, name: str) -> None:
    write(settings)
    found = evaluated()
    (one,) = found["without_effect"]
    variants = EVERY[1:] if "when" in settings else EVERY
    assert (one["kind"], one["name"], one["line"]) == ("removal", name, 5)
    assert one["variants"] == variants
    assert found["told"] == [("W307", 5)]


@pytest.mark.once
@pytest.mark.parametrize(
    "settings",
    [
        'attrs { configureFlags -= ["--with-zlib"] }',
        'attrs { buildInputs -= pname("zli*") }',
        "attrs { buildInputs -= [pkgs.zlib] }",
        # What removes something in one variant is no mistake.
        'attrs { configureFlags = nix"""[ "--a" ({{n}}) ]""" }\n'
        '  attrs { configureFlags -= ["2"] }',
    ],
)  # fmt: skip
def test_a_removal_that_removes_something(settings: str) -> None:
    write(settings)
    assert evaluated()["without_effect"] == []


TOOL = """\
{ stdenv, cargoHash ? "HASH" }:
stdenv.mkDerivation {
  name = "tool";
  inherit cargoHash;
  cargoDeps = derivation {
    name = "deps";
    system = "x86_64-linux";
    builder = "/bin/sh";
    outputHashAlgo = "sha256";
    outputHash = cargoHash;
  };
}
""".replace("HASH", SOME_HASH)


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (f'attrs {{ cargoHash = "{SOME_HASH}" }}', 5),
        ("attrs { src = github(\"me/tool\", tag = \"v2\", hash = unlocked), cargoHash = unlocked }",
         5),
        (f'attrs {{ cargoHash = "{SOME_HASH}", cargoDeps = nix"""old.cargoDeps // '
         '{ outputHash = {{attrs.cargoHash}}; }""" }', None),
        (f'args {{ cargoHash = "{SOME_HASH}" }}', None),
    ],
)  # fmt: skip
def test_a_hash_that_nothing_is_fetched_by(settings: str, line: int | None) -> None:
    """The function that built the package had its hash before: `.overrideAttrs` comes too late."""
    Path("tool.nix").write_text(TOOL, encoding="utf-8")
    write(settings)
    text = Path("variants.tvar").read_text(encoding="utf-8")
    Path("variants.tvar").write_text(
        text.replace("pkgs.careless", 'path("./tool.nix")'), encoding="utf-8"
    )
    # A source whose hash is not known cannot be fetched, which is an error of its own.
    code = exits.FAILED if "unlocked" in settings else exits.OK
    found = evaluated(code=code)["without_effect"]
    assert [(one["kind"], one["name"], one["line"]) for one in found] == (
        [] if line is None else [("hash", "cargoHash", line)]
    )


@pytest.mark.once
def test_a_hash_of_an_overlay_that_nothing_is_fetched_by() -> None:
    more = f'overlay own for careless {{ cargoHash = "{SOME_HASH}", env {{ A = n }} }}\n'
    write("overlays = [own]", more=more)
    assert told() == [("W308", 10)]
    silence = 'warn setting-unread = off because "it is known"\n'
    write("overlays = [own]", more=more + silence)
    assert told() == []


@pytest.mark.once
def test_a_removal_in_an_overlay() -> None:
    overlay = "overlay own for careless { configureFlags -= [ITEM], env { A = n } }\n"
    write("overlays = [own]", more=overlay.replace("ITEM", '"--nope"'))
    (one,) = evaluated()["without_effect"]
    assert (one["kind"], one["line"], one["variants"]) == ("removal", 10, EVERY)
    # Of an overlay that does nothing at all no more is told.
    alone = overlay.replace("ITEM", '"--nope"').replace(", env { A = n }", "")
    write("overlays = [own]", more=alone)
    assert told() == [("W302", 5)]
    write("overlays = [own]", more=overlay.replace("ITEM", '"--with-zlib"'))
    assert evaluated()["without_effect"] == evaluated()["idle"] == []


@pytest.mark.once
def test_removals_are_asked_by_themselves() -> None:
    """Two that remove one thing do nothing each, and one of them something without the other."""
    write('attrs { configureFlags -= ["--nope"] }\n  attrs { configureFlags -= ["--with-zlib"] }')
    assert told() == [("W307", 5)]


@pytest.mark.parametrize(
    ("settings", "config", "kind", "line"),
    [
        ("", ", frobnicate = true", "config", 1),
        ("", ", nested = { a = 1, b = 2 }", "config", 1),
        ("args { colour = n }", "", "argument", 5),
        ("attrs { checkInputs += [pkgs.hello] }", "", "setting", 5),
        ("attrs { checkInputs += [pkgs.hello], doCheck = false }", "", "setting", 5),
    ],
)
def test_a_setting_that_nothing_reads(settings: str, config: str, kind: str, line: int) -> None:
    write(settings, config)
    found = evaluated()
    (one,) = found["without_effect"]
    assert (one["kind"], one["line"], one["variants"]) == (kind, line, EVERY)
    assert found["told"] == [("W308", line)]


@pytest.mark.parametrize(
    ("settings", "config"),
    [
        ("args { size = 1 }", ""),  # the package says the same: it is read
        ("args { size = n }", ""),
        ('when n == "2" { args { size = 3 } }', ""),
        ("attrs { checkInputs = [pkgs.hello], doCheck = true }", ""),
        ('attrs { checkInputs += [pkgs.hello] }\n  when n == "2" { attrs { doCheck = true } }', ""),
        ("", ", allowBroken = true"),  # it lets packages in, and changes none
    ],
)
def test_a_setting_that_something_reads(settings: str, config: str) -> None:
    write(settings, config)
    assert evaluated()["without_effect"] == []


@pytest.mark.once
@pytest.mark.parametrize(
    "value",
    [
        'nix"""1 + 1 # one\n"""',
        'nix"""1 + 1 # one"""',
        'nix"""x: x"""',
        'nix"""let a = 1; in a"""',
        'nix"""if true then 1 else 2"""',
        'nix"""assert true; [ {{n}} ]"""',
        "pkgs.hello",
        '"{{pkgs.hello}}/{{n}}"',
        '"a ${b} \\n"',
        '[1, 2, "x", pkgs.hello]',
        '{ a = 1, "b c" = [{ d = n }] }',
        '{ a = nix"""1 # one""", b = 2 }',
        "null",
        "1.2",
        'path("./variants.tvar")',
        REPOSITORY,
        'call(nix"""x: x""", 1)',
        "pkgs.lib.version",
        "needs.l",
    ],
)
def test_any_value_can_be_watched(value: str) -> None:
    """It is no other value for that, and Nix reads it; so it is of arguments and of `config`."""
    needs = 'needs l = nix"""pkgs.zlib"""\n  ' if "needs" in value else ""
    config = "" if re.search(r"pkgs|needs|github|call", value) else f", own = {value}"
    write(f"{needs}args {{ size = {value}, colour = {value} }}", config)
    result = tvarc("check", "--eval")
    if result.exit_code != exits.OK:  # as the builder does not take it, or the language
        assert "E991" in result.stderr and "size" in result.stderr, result.stderr
        write(f"{needs}args {{ colour = {value} }}", config)
    found = {(one["kind"], one["name"]) for one in evaluated()["without_effect"]}
    if "{ a = nix" in value or "call" in value:  # it cannot be watched, and nothing is said of it
        assert found == set()
        return
    assert found == {("argument", "colour")} | ({("config", "own")} if config else set())


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "because"),
    [
        ('script preCheck { part a """true""" }', "`doCheck` is not set"),
        ('attrs { dontBuild = true }\n  script preBuild { part a """true""" }', "`dontBuild`"),
        ('attrs { phases = "installPhase" }\n  script postPatch { part a """true""" }', "`phases`"),
        ('attrs { buildPhase = "make; make more" }\n  script preBuild { part a """true""" }',
         "does not run hooks"),
        ('attrs { buildCommand = "touch $out" }\n  script preBuild { part a """true""" }',
         "runs no phases"),
        # A script may be an attribute.
        ('attrs { preCheck = "true" }', "`doCheck` is not set"),
        ('attrs { postCheck = nix"""lib.optionalString true "true" """ }', "`doCheck` is not set"),
        ('attrs { preInstallCheck = "true" }', "`doInstallCheck` is not set"),
    ],
)  # fmt: skip
def test_a_script_that_nothing_runs(settings: str, because: str) -> None:
    write(settings)
    found = evaluated()
    (one,) = found["not_run"]
    line = 4 + len(settings.split("\n"))
    assert (one["kind"], one["line"], one["variants"]) == ("script", line, EVERY)
    assert because in one["because"]
    assert found["told"] == [("W309", line)]


@pytest.mark.once
@pytest.mark.parametrize("name", ["preConfgure", "postInstal"])
def test_a_misspelt_script_is_told_once(name: str) -> None:
    """The lint on names knows it without Nix."""
    write(f'script {name} {{ part a """true""" }}')
    found = evaluated()
    assert found["not_run"] == []
    assert found["told"] == [("W126", 5)]


@pytest.mark.once
@pytest.mark.parametrize(
    "settings",
    [
        'script preConfigure { part a """true""" }',
        'script postHook { part a """true""" }',
        'script buildPhase { part a """make""" }',
        'script myHook { part a """true""" }\n  script preBuild { part a """runHook myHook""" }',
        'attrs { doCheck = true }\n  script preCheck { part a """true""" }',
        # What builds Python packages checks them once they are installed.
        'attrs { doInstallCheck = true }\n  script preCheck { part a """true""" }',
        'attrs { buildPhase = "ownBuildPhase; true" }\n  script preBuild { part a """true""" }',
        'attrs { buildPhase = "runHook preBuild; make" }\n  script preBuild { part a """true""" }',
        'script preBuild { part a """true""" }\n  when n == "2" { attrs { dontBuild = true } }',
        'attrs { preBuild = "true" }',
        'attrs { preCheck = "" }',
        'attrs { doCheck = true, preCheck = "true" }',
        # Setup hooks of nixpkgs run these, if an input brings them.
        'script preAutoreconf { part a """true""" }',
        'script frobPhase { part a """true""" }\n  attrs { preBuildPhases = ["frobPhase"] }',
        # Any input may bring a setup hook that runs these, and a program may read any variable.
        'script postFrob { part a """true""" }',
        'attrs { preCompile = "true" }',
        'script notes { part a """true""" }',
    ],
)
def test_a_script_that_something_runs(settings: str) -> None:
    write(settings)
    assert evaluated()["not_run"] == []


def use(package: str) -> None:
    """Build another package than the usual one."""
    text = Path("variants.tvar").read_text(encoding="utf-8")
    Path("variants.tvar").write_text(text.replace("pkgs.careless", package), encoding="utf-8")


@pytest.mark.once
def test_a_name_that_the_derivation_does_not_get() -> None:
    write('attrs { pname = "mine-{{n}}" }')
    assert evaluated()["not_in_name"] == []
    use("pkgs.rooted")
    (one,) = evaluated()["not_in_name"]
    assert (one["name"], one["line"], one["variants"]) == ("pname", 5, EVERY)
    assert one["derivation"] == "rooted-1" and told() == [("W310", 5)]
    write('attrs { pname = "ed" }')  # which is the end of another word there
    use("pkgs.rooted")
    assert told() == [("W310", 5)]
    write('attrs { pname = "mine" }', more='warn name-not-derived = off because "x"\n')
    use("pkgs.rooted")
    assert evaluated()["not_in_name"] == []
    for settings in ('attrs { pname = "mine", name = "mine-1" }', 'attrs { pname = "rooted" }'):
        write(settings)
        use("pkgs.rooted")
        assert evaluated()["not_in_name"] == []


@pytest.mark.once
def test_a_source_that_does_not_fit_its_package() -> None:
    """Of the package of the recipe, and of one that an overlay changes."""
    write(f"attrs {{ src = {ARCHIVE} }}")
    assert evaluated()["unfit_sources"] == []
    use("pkgs.rooted")
    (one,) = evaluated()["unfit_sources"]
    assert (one["source"], one["attribute"]) == ("rooted-2.tar.gz", "sourceRoot")
    assert (one["line"], one["variants"]) == (5, EVERY)
    overlay = f"overlay newer for rooted {{ src = {ARCHIVE} }}\n"
    write("overlays = [newer]\n  attrs { buildInputs += [pkgs.rooted] }", more=overlay)
    (one,) = evaluated()["unfit_sources"]
    assert (one["line"], one["variants"]) == (11, EVERY)
    assert told() == [("W311", 11)]
    off = 'warn source-unfit = off because "x"\n'
    write("overlays = [newer]\n  attrs { buildInputs += [pkgs.rooted] }", more=overlay + off)
    assert told() == []
    write(more=off)
    assert "warning `source-unfit` does not occur" in tvarc("check", "--eval").stderr


@pytest.mark.once
@pytest.mark.parametrize(
    ("archive", "fits"),
    [
        ("rooted-2.0.tar.gz", False),
        ("other-2.0.zip", False),
        ("rooted-1.0.tar.gz", True),
        ("v1.0.tar.gz", True),
        ("rooted-1.0.2.tar.gz", True),
        ("main.tar.gz", True),
    ],
)
def test_an_archive_of_another_version_has_another_folder(archive: str, *, fits: bool) -> None:
    Path("rooted.nix").write_text(
        '{ stdenv }: stdenv.mkDerivation { name = "rooted"; sourceRoot = "rooted-1.0/python"; }',
        encoding="utf-8",
    )
    write(f"attrs {{ src = {ARCHIVE.replace('rooted-2.tar.gz', archive)} }}")
    use('path("./rooted.nix")')
    assert (evaluated()["unfit_sources"] == []) is fits


@pytest.mark.once
@pytest.mark.parametrize(
    "settings",
    [
        f"attrs {{ src = {REPOSITORY} }}",
        f'attrs {{ src = {ARCHIVE}, sourceRoot = "rooted-2/bindings/python" }}',
        'attrs { sourceRoot = "source" }',
    ],
)
def test_a_source_that_fits_its_package(settings: str) -> None:
    write(settings)
    use("pkgs.rooted")
    assert evaluated()["unfit_sources"] == []


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "because"),
    [
        ('attrs { checkFlags += ["a"] }', "`doCheck` is not set"),
        ('attrs { checkTarget = "a", doCheck = false }', "`doCheck` is not set"),
        ('attrs { installCheckFlags = ["a"] because "x" }', "`doInstallCheck` is not set"),
        ('attrs { buildFlags += ["a"], dontBuild = true }', "`dontBuild` is set"),
        ('attrs { installTargets = "a", phases = "buildPhase" }', "leaves out `installPhase`"),
        ('attrs { distFlags += ["a"] }', "`doDist` is not set"),
        ('attrs { configureFlags += ["a"], configurePhase = "./a b" }', "does not read it"),
        ('attrs { buildFlags += ["a"], buildPhase = "make b" }', "does not read it"),
        (
            'attrs { makeFlags += ["a"], buildPhase = "make b", dontInstall = true }',
            "`buildPhase` of the package does not read it",
        ),
    ],
)
def test_flags_of_a_phase_that_does_not_run(settings: str, because: str) -> None:
    write(settings)
    found = evaluated()
    (one,) = found["not_run"]
    assert (one["kind"], one["line"], one["variants"]) == ("flags", 5, EVERY)
    assert because in one["because"]
    assert found["told"] == [("W308", 5)]


@pytest.mark.once
@pytest.mark.parametrize(
    "settings",
    [
        'attrs { checkFlags += ["a"], doCheck = true }',
        'attrs { doInstallCheck = true, checkFlags += ["a"] }',
        'attrs { buildFlags += ["a"] }',
        'attrs { checkFlags += ["a"], buildPhase = "make $checkFlags" }',
        'attrs { configureFlags += ["a"], configurePhase = "cmakeConfigurePhase" }',
        'attrs { configureFlags += ["a"], configurePhase = "eval $b" }',
        'attrs { makeFlags += ["a"], buildPhase = "make b" }',  # the default installPhase does
    ],
)
def test_flags_of_a_phase_that_may_run(settings: str) -> None:
    write(settings)
    assert evaluated()["not_run"] == []


OVERLAY = "overlay own for careless { env { A = n }, SETTINGS }\n"


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ('preCheck = "true"', "W309"),
        ('dontBuild = true, postBuild = "true"', "W309"),
        ('cmakeFlags += ["-DX=1"]', "W308"),
        ('checkFlags += ["a"]', "W308"),
        ('when n == "2" { cmakeFlags += ["-DX=1"] }', "W308"),
    ],
)
def test_what_the_package_of_an_overlay_does_not_run(settings: str, code: str) -> None:
    """The package is any that the variant depends on; here it is its own."""
    write("overlays = [own]", more=OVERLAY.replace("SETTINGS", settings))
    found = evaluated()
    (one,) = found["not_run"]
    assert (one["line"], one["variants"]) == (10, EVERY[1:] if "when" in settings else EVERY)
    assert found["told"] == [(code, 10)]
    silence = f'warn {"script-not-run" if code == "W309" else "setting-unread"} = off because "x"\n'
    write("overlays = [own]", more=OVERLAY.replace("SETTINGS", settings) + silence)
    assert told() == []


@pytest.mark.once
@pytest.mark.parametrize(
    "settings",
    [
        'preBuild = "true"',
        'doCheck = true, preCheck = "true"',
        'preCheck = "true", when n == "2" { doCheck = true }',
        'nativeBuildInputs += [pkgs.cmake], cmakeFlags += ["-DX=1"]',
    ],
)
def test_what_the_package_of_an_overlay_runs(settings: str) -> None:
    write("overlays = [own]", more=OVERLAY.replace("SETTINGS", settings))
    assert evaluated()["not_run"] == []


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ("checkInputs += [pkgs.hello]", 10),
        ("nativeCheckInputs = [pkgs.hello] because \"x\", doCheck = false", 10),
        ("args { colour = n }", 10),
        ("checkInputs += [pkgs.hello], doCheck = true", None),
        ('checkInputs += [pkgs.hello], when n == "2" { doCheck = true }', None),
        ("args { size = 2 }", None),
    ],
)
def test_what_the_package_of_an_overlay_does_not_read(settings: str, line: int | None) -> None:
    """Its arguments and its lists for checks."""
    write("overlays = [own]", more=OVERLAY.replace("SETTINGS", settings))
    found = evaluated()
    unread = [(one["line"], one["variants"]) for one in found["without_effect"]]
    assert unread == ([(line, EVERY)] if line else [])
    assert found["told"] == ([("W308", line)] if line else [])


@pytest.mark.once
def test_a_list_for_checks_that_an_older_nixpkgs_does_not_know() -> None:
    """There it is a variable of the build, so the derivation shows it."""
    setting = 'attrs { nativeCheckInputs = [pkgs.hello] because "x", doCheck = true }'
    write(setting)
    assert told() == []
    older = f'arguments: import {MODEL} (arguments // {{ age = "22.11"; }})'
    Path("older").mkdir()
    Path("older/default.nix").write_text(older, encoding="utf-8")
    other = 'attrs { nativeInstallCheckInputs = [pkgs.hello] because "x" }'
    write(f"{setting}\n  {other}")
    program = Path("variants.tvar").read_text(encoding="utf-8").replace(
        '"./nixpkgs"', '"./older", release = 22.11'
    )
    Path("variants.tvar").write_text(program, encoding="utf-8")
    assert told() == [("W308", 5), ("W308", 6)]
    said = tvarc("check", "--eval").stderr
    assert "the list `checkInputs`" in said and "the list `installCheckInputs`" in said


@pytest.mark.once
def test_a_check_of_what_is_built_for_another_machine() -> None:
    """nixpkgs sets `doCheck` to false there."""
    write("attrs { doCheck = true }")
    assert told() == []
    program = Path("variants.tvar").read_text(encoding="utf-8")
    cross = program.replace(
        '"./nixpkgs"', '"./nixpkgs", crossSystem { config = "aarch64-unknown-linux-gnu" }'
    )
    Path("variants.tvar").write_text(cross, encoding="utf-8")
    assert told() == [("W301", 5)]


@pytest.mark.once
def test_flags_of_a_tool_that_is_not_there() -> None:
    write('attrs { cmakeFlags += ["-DA=1"] }')
    (one,) = evaluated()["not_run"]
    assert (one["kind"], one["name"], one["line"]) == ("flags", "cmakeFlags", 5)
    assert told() == [("W308", 5)]
    write('attrs { cmakeBuildType = "Debug", disabledTests = ["a"] }')
    assert told() == [("W308", 5), ("W308", 5)]
    for settings in (
        'attrs { cmakeFlags += ["-DA=1"], nativeBuildInputs += [pkgs.cmake] }',
        'attrs { cmakeFlags += ["-DA=1"] }\n  script preBuild { part a """x $cmakeFlags""" }',
        'attrs { configureFlags = ["-DA=1"] }',
    ):
        write(settings)
        assert evaluated()["not_run"] == []


OFF = {
    "removal-without-effect": 'attrs { configureFlags -= ["--nope"] }',
    "setting-unread": "args { colour = n }",
    "script-not-run": 'script preCheck { part a """true""" }',
}


@pytest.mark.once
@pytest.mark.parametrize("name", OFF)
def test_each_can_be_switched_off(name: str) -> None:
    line = f'warn {name} = off because "it is known"\n'
    write(OFF[name])
    assert len(told()) == 1
    write(OFF[name], more=line)
    found = evaluated()
    assert found["without_effect"] == found["not_run"] == told() == []
    write(more=line)
    result = tvarc("check", "--eval")
    assert f"error[E606]: warning `{name}` does not occur" in result.stderr


def evaluated_from_now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of trials that are evaluated together from now on."""
    asked: list[int] = []

    def counted(recipes: Sequence[ir.Recipe], *rest: Any) -> Together:
        asked.append(sum(one.variant.startswith("without ") for one in recipes))
        return together(recipes, *rest)

    monkeypatch.setattr(trials, "together", counted)
    return asked


@pytest.mark.once
def test_what_is_switched_off_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials cost what variants cost."""
    asked = evaluated_from_now(monkeypatch)
    settings = 'overlays = [idle]\n  attrs { configureFlags -= ["--nope"] }\n  args { colour = n }'
    overlay = "overlay idle { other = final.hello }\n"
    write(settings, more=overlay)
    assert [code for code, _ in told()] == ["W302", "W307", "W308"] and sum(asked) > 0
    asked.clear()
    names = ("overlay-without-effect", "removal-without-effect", "setting-unread")
    write(settings, more=overlay + "".join(f'warn {name} = off because "x"\n' for name in names))
    assert told() == [] and sum(asked) == 0


@pytest.mark.once
def test_trials_are_as_many_as_variants_and_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each overlay one variant is asked; of what does nothing all others, once."""
    asked = evaluated_from_now(monkeypatch)
    values = ", ".join(f'"{number}"' for number in range(12))
    write(
        'overlays = [a, b, c]\n  attrs { configureFlags -= ["--no", "--nay"] }',
        more="overlay a for zlib { env { A = n } }\noverlay b { other = n }\noverlay c { d = n }\n",
    )
    text = Path("variants.tvar").read_text(encoding="utf-8")
    Path("variants.tvar").write_text(text.replace('["1", "2"]', f"[{values}]"), encoding="utf-8")
    found = evaluated()
    assert [one["overlay"] for one in found["idle"]] == ["b", "c"]
    assert [len(one["variants"]) for one in found["idle"]] == [12, 12]
    assert asked == [5, 11]


@pytest.mark.parametrize(
    ("settings", "line", "says"),
    [
        ('when n == "2" { attrs { buildInputs += [pkgs.hello, pkgs.mkl] } }', 5, "unfree"),
        ('attrs { doCheck = true }\n  when n == "2" { attrs { nativeBuildInputs += [pkgs.mkl] } }',
         6, "unfree"),
        ("attrs { buildInputs += [pkgs.hello] }\n  attrs { buildInputs += [pkgs.incomplete] }",
         6, "no-such-file.nix"),
        ("args { size = pkgs.mkl }", 5, "unfree"),
        ("overlays = [bad]", 10, "unfree"),
        ('overlays = [bad]\n  attrs { meta.license = nix"""lib.licenses.issl""" }', 4, "unfree"),
    ],
)  # fmt: skip
def test_an_error_is_told_at_the_line_that_brings_it_about(
    settings: str, line: int, says: str
) -> None:
    if settings.startswith("overlays = [bad]\n"):  # the package itself is unfree
        settings = ""
        package = "pkgs.mkl"
    else:
        package = "pkgs.careless"
    write(settings, more="overlay bad for zlib { buildInputs = [final.mkl] }\n")
    text = Path("variants.tvar").read_text(encoding="utf-8").replace("allowUnfree = true ", "")
    if "[bad]" not in settings:
        text = text.replace("overlay bad", "# overlay bad")
    Path("variants.tvar").write_text(text.replace("pkgs.careless", package), encoding="utf-8")
    found = evaluated(code=exits.FAILED)
    (refused,) = found["refused"]
    assert says in refused["nix"] and refused["line"] == line, refused


@pytest.mark.once
@pytest.mark.parametrize(
    ("overlay", "line"),
    [
        # The overlay breaks the package, which the setting uses.
        ("overlay o for magma { buildInputs += [pkgs.mkl] }", 12),
        ("overlay o { magma = pkgs.mkl }", 12),
        # What the setting uses is unfree, whatever the overlay does.
        ('overlay o for mkl { env { A = "1" } }', 7),
        # Without the overlay there is no such package.
        ("overlay o { mkl2 = pkgs.mkl }", 7),
    ],
)
def test_an_overlay_that_breaks_a_package_is_the_cause(overlay: str, line: int) -> None:
    used = next(name for name in ("magma", "mkl2", "mkl") if name in overlay)
    settings = f"overlays = [o]\n  attrs {{ patches = [] }}\n  attrs {{ x = pkgs.{used} }}"
    write(settings, more=f"{overlay}\n")
    text = Path("variants.tvar").read_text(encoding="utf-8").replace("allowUnfree = true ", "")
    Path("variants.tvar").write_text(text, encoding="utf-8")
    (refused,) = evaluated(code=exits.FAILED)["refused"]
    assert "unfree" in refused["nix"] and refused["line"] == line, refused


@pytest.mark.parametrize(
    ("overlay", "help_"),
    [
        ("overlay o for python3Packages.numpy { buildInputs += [final.mkl] }", "`pkgs.mkl`"),
        ('overlay o for python3Packages.numpy { x = nix"""prev.mkl""" }', "`pkgs.mkl`"),
        ("overlay o in python3Packages { numpy = final.mkl }", "`pkgs.mkl`"),
        ("overlay o in python3Packages { numpy = pkgs.nosuch }", "correct this line"),
        ("overlay o { python3Packages = final.nosuch }", "correct this line"),
    ],
)
def test_what_a_package_set_lacks_is_taken_from_nixpkgs(overlay: str, help_: str) -> None:
    """In an overlay of a set `final` is the set: the help names where the package is."""
    write("overlays = [o]", more=f"{overlay}\n")
    use("pkgs.python3Packages.numpy")
    result = tvarc("check", "--eval")
    assert result.exit_code == exits.FAILED
    assert help_ in result.stderr.partition("= help:")[2], result.stderr


def test_errors_of_two_lines_are_told_at_each() -> None:
    write(
        'when n == "1" { attrs { buildInputs += [pkgs.mkl] } }\n'
        '  when n == "2" { attrs { nativeBuildInputs += [pkgs.mkl] } }'
    )
    text = Path("variants.tvar").read_text(encoding="utf-8").replace("allowUnfree = true ", "")
    Path("variants.tvar").write_text(text, encoding="utf-8")
    found = evaluated(code=exits.FAILED)
    assert {(one["line"], *one["variants"]) for one in found["refused"]} == {
        (5, "one-1"),
        (6, "one-2"),
    }


def test_a_wrong_release_is_told_at_that_word() -> None:
    write()
    text = Path("variants.tvar").read_text(encoding="utf-8")
    Path("variants.tvar").write_text(
        text.replace('path = "./nixpkgs",', 'path = "./nixpkgs",\n  release = 20.09,'),
        encoding="utf-8",
    )
    (refused,) = evaluated(code=exits.FAILED)["refused"]
    assert "states release 20.09" in refused["nix"]
    assert (refused["line"], refused["column"]) == (2, 3)


def test_a_scope_that_nixpkgs_lacks_is_told_at_that_word() -> None:
    """Also a name with a dot, from a line of its own."""
    write("scope = pkgs[set]", more='let set = "x.{{n}}"\n')
    refused = evaluated(code=exits.FAILED)["refused"]
    assert [(one["line"], one["nix"].split("`")[3]) for one in refused] == [(5, "x.1"), (5, "x.2")]


FAKE = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="


def fetching(name: str, hash_: str) -> str:
    """The value of what a file of Nix fetches under this hash."""
    fetched = f'pkgs: pkgs.fetchurl {{ url = "https://example.org/{name}"; hash = {hash_}; }}'
    Path("fetched.nix").write_text(fetched, encoding="utf-8")
    return 'call(path("./fetched.nix"), pkgs)'


@pytest.mark.parametrize(
    "hash_",
    ["pkgs.lib.fakeHash", f'"sha256-{FAKE}"', f'"{"0" * 64}"', f'"{"0" * 52}"', '""'],
)
def test_a_fake_hash_of_the_closure_is_told(hash_: str) -> None:
    """Also of what is an input of an input. Of a file of Nix the program knows nothing."""
    fetched = fetching("x", hash_)
    deep = f"overlay deep for zlib {{ extra = {fetched} }}\n"
    write('when n == "2" { attrs { more = ' + fetched + " } }")
    (one,) = evaluated(code=exits.FAILED)["fake_hashes"]
    assert (one["line"], one["variants"], one["name"]) == (5, ["one-2"], "x")
    write("attrs { doCheck = true }\n  overlays = [deep]", more=deep)
    (one,) = evaluated(code=exits.FAILED)["fake_hashes"]
    assert (one["line"], one["variants"]) == (11, EVERY)
    assert told() == [("E997", 11)]


def test_a_fake_hash_is_told_beside_what_is_refused() -> None:
    write(
        f'when n == "1" {{ attrs {{ more = {fetching("x", "pkgs.lib.fakeHash")} }} }}\n'
        '  when n == "2" { attrs { more = pkgs.nope } }'
    )
    assert told() == [("E997", 5), ("E991", 6)]


@pytest.mark.once
def test_a_fake_hash_of_the_program_is_told_once() -> None:
    write(f'attrs {{ src = url("https://example.org/x", hash = "sha256-{FAKE}") }}')
    assert told() == [("E997", 5)]
    (one,) = evaluated(code=exits.FAILED)["fake_hashes"]
    assert (one["line"], one["variants"]) == (5, EVERY)
    result = tvarc("check", "--eval")
    assert result.exit_code == exits.FAILED
    assert "1 error, 0 warnings" in result.stdout


@pytest.mark.once
def test_a_hash_that_the_lock_lacks_fails_an_evaluation() -> None:
    """The place and the help are those of the warning that `check` prints without Nix."""
    sources = " ".join(
        f'{name} = url("https://example.org/{name}", hash = unlocked)' for name in ("src", "more")
    )
    write(f"attrs {{ {sources.replace(') ', '), ')} }}")
    assert tvarc("check").exit_code == exits.OK
    result = tvarc("check", "--eval")
    assert result.exit_code == exits.FAILED
    assert told() == [("E997", 5), ("E997", 5)]
    assert "tvar.lock has no hash for it" in result.stderr and "run `tvarc lock`" in result.stderr
    assert {one["name"] for one in evaluated(code=exits.FAILED)["fake_hashes"]} == {"src", "more"}


@pytest.mark.once
def test_a_fake_hash_that_no_variant_depends_on_stays_a_warning() -> None:
    unused = f'passthru {{ later = url("https://example.org/x", hash = "sha256-{FAKE}") }}'
    write(unused)
    assert told() == [("W002", 5)]
    assert tvarc("check", "--eval").exit_code == exits.OK


@pytest.mark.once
def test_what_needs_no_nix_to_be_one_build_is_told_once() -> None:
    write()
    text = Path("variants.tvar").read_text(encoding="utf-8").replace("env { N = n }", "")
    Path("variants.tvar").write_text(text, encoding="utf-8")
    assert [code for code, _ in told()] == ["W114"]
    # What Nix alone knows is told besides: of three the third.
    hidden = 'nix"""pkgs.hello // { overrideAttrs = _: pkgs.hello; }"""'
    Path("variants.tvar").write_text(
        text.replace('["1", "2"]', '["1", "2", "3"]')
        .replace("pkgs.careless", hidden)
        .replace("matrix", 'warn not-in-derivation = off because "x"\nmatrix')
        .replace("  \n", '  when n == "3" { attrs { colour = "red" } }\n'),
        encoding="utf-8",
    )
    result = tvarc("check", "--eval").stderr
    assert "W114" in result
    assert "warning[W303]: `one-1` and `one-3` have the same derivation" in result


@pytest.mark.once
def test_check_says_what_it_did_not_ask() -> None:
    write()
    line = "Nix did not evaluate"
    assert line in tvarc("check").stdout and line not in tvarc("check", "--eval").stdout
    fetched = f'url = "file:///no/such.tar.gz", hash = "{SOME_HASH}"'
    text = Path("variants.tvar").read_text(encoding="utf-8")
    Path("variants.tvar").write_text(text.replace('path = "./nixpkgs"', fetched), encoding="utf-8")
    assert line not in tvarc("check").stdout
    write("env { A = b }")
    result = tvarc("check")
    assert result.exit_code == exits.FAILED and line not in result.stdout


@pytest.mark.once
def test_a_pin_in_the_store_is_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known by its hash where `fetchTarball` would put it."""
    monkeypatch.setenv("NIX_STORE_DIR", str(tmp_path / "store"))
    place = Path(store_path(SOME_HASH))
    assert re.fullmatch(r"[0-9a-z]{32}-source", place.name) and place.parent == tmp_path / "store"
    write()
    text = Path("variants.tvar").read_text(encoding="utf-8")
    fetched = f'url = "file:///no/such.tar.gz", hash = "{SOME_HASH}"'
    Path("variants.tvar").write_text(text.replace('path = "./nixpkgs"', fetched), encoding="utf-8")
    assert "Nix did not evaluate" not in tvarc("check").stdout
    place.mkdir(parents=True)
    assert "Nix did not evaluate" in tvarc("check").stdout


@pytest.mark.once
def test_a_few_nixpkgs_share_an_evaluator() -> None:
    """Which reads the files of nixpkgs once for them."""
    groups = [[Job(f"{n}", "/f.nix", "x86_64-linux", f"{n}")] for n in range(18)]
    assert list(map(len, chunks(groups, 2))) == [8, 8, 2]
    alone = [[Job(f"{n}", f"/{n}.nix", "x86_64-linux") for n in range(18)]]
    assert list(map(len, chunks(alone, 2))) == [8, 8, 2]
    apart = [[Job("a", "/a.nix", "x86_64-linux", "a")], [Job("b", "/b.nix", "x86_64-linux", "b")]]
    assert list(map(len, chunks(apart, 2))) == [1, 1]


@pytest.mark.once
def test_of_other_builders_nothing_is_said() -> None:
    """The rules are those of nixpkgs' own builder."""
    write(
        'attrs { args = ["-c", "true"], dontConfigure = true }\n'
        '  script preConfigure { part a """true""" }'
    )
    assert evaluated()["not_run"] == []


OWN = """\
overlay own-model for zlib { extra = call(path("./fetched.nix"), pkgs) }
"""
PAGES = {
    "W307": ('attrs { configureFlags -= ["--with-zlb"] }', ""),
    "W308": ("attrs { checkInputs += [pkgs.hello], doCheck = false }", ""),
    "W309": ('attrs { dontBuild = true }\n  script postBuild { part mine """make extra""" }', ""),
    "W310": ('attrs { pname = "mine-{{n}}" }', ""),
    "W311": (f"attrs {{ src = {ARCHIVE} }}", ""),
    "E997": ("overlays = [own-model]", OWN),
}


@pytest.mark.once
@pytest.mark.parametrize("code", PAGES)
def test_a_page_shows_what_is_printed(code: str) -> None:
    settings, more = PAGES[code]
    write(settings, more=more)
    fetching("model.tar.gz", "pkgs.lib.fakeHash")
    page = (ROOT / "docs" / "errors" / f"{code}.md").read_text(encoding="utf-8")
    if code in ("W310", "W311"):
        use("pkgs.rooted")
    shown = page.partition("## Wrong")[2].partition("$ tvarc check --eval\n")[2].partition("```")[0]
    assert tvarc("check", "--eval").stderr.strip() == shown.strip()
