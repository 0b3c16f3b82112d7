"""`tvarc audit`: folders, formats, exit codes; and what is huge, broken or hostile."""

from __future__ import annotations

import json
import os
import re
import shlex
import time
from pathlib import Path

import pytest

from audit.broken import BROKEN, HEAD, put
from support.command import calls, tvarc
from support.families import put as put_files
from support.handmade import handmade
from tvarc.byhand.audit import examine
from tvarc.byhand.audit.neighbours import Neighbour, departures
from tvarc.commands.line import exits
from tvarc.files.inventory import inventory
from tvarc.text.diagnostics.warning_names import FINDINGS


def states(*arguments: str) -> dict[str, int]:
    data = json.loads(tvarc("audit", "--json", *arguments).stdout)
    return {state: count for state, count in data["counts"].items() if count}


# --- which folder ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_folder_elsewhere(recipes: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    recipes.rename(other)
    assert states(str(other)) == {"current": 44}
    assert states() == {"missing": 44}


@pytest.mark.slow
def test_a_folder_of_a_build(recipes: Path, tmp_path: Path) -> None:
    assert tvarc("build", "--out", "made").exit_code == exits.OK
    assert states("made") == {"current": 44}
    assert states("made/.flox/pkgs") == {"current": 44}


def test_no_folder(recipes: Path) -> None:
    done = tvarc("audit", "nowhere", code=exits.FAILED)
    assert "error[E106]: cannot read `nowhere`" in done.stderr
    assert "there is no such folder" in done.stderr


def test_the_folder_of_the_outputs_may_be_missing(recipes: Path) -> None:
    recipes.rename(recipes.parent / "away")
    done = tvarc("audit", code=exits.STALE)
    assert "44 missing" in done.stdout
    assert "W206" not in done.stdout and "cannot be listed" not in done.stdout


def test_errors_of_the_program_come_first(recipes: Path) -> None:
    Path("variants.tvar").write_text("axis a = [\n")
    done = tvarc("audit")
    assert done.exit_code == exits.FAILED and "error[E10" in done.stderr and done.stdout == ""


@pytest.mark.slow
def test_other_files_are_left_alone(recipes: Path) -> None:
    (recipes / "my-tool.nix").write_text("{ stdenv }: stdenv.mkDerivation { }\n")
    (recipes / "README.md").write_text("sm90\n")
    (recipes / "flake.nix").write_text("{ }")
    text = (recipes / f"{HEAD}sm90-avx2.nix").read_text()
    sealed = text.replace("Made by tvarc from variants.tvar", "Made by tvarc from vision.tvar")
    (recipes / f"vision-{HEAD}sm90-avx2.nix").write_text(sealed)
    assert states() == {"current": 44, "unrelated": 1, "of another program": 1}
    assert tvarc("audit").exit_code == exits.OK


@pytest.mark.slow
def test_a_file_of_a_variant_that_is_gone(recipes: Path) -> None:
    (recipes / f"{HEAD}sm90-avx2.nix").rename(recipes / f"{HEAD}sm70-avx2.nix")
    assert states() == {"current": 43, "no longer in the matrix": 1, "missing": 1}


@pytest.mark.slow
def test_folders_with_a_default(recipes: Path) -> None:
    folder = recipes / f"{HEAD}sm90-avx2"
    folder.mkdir()
    (recipes / f"{HEAD}sm90-avx2.nix").rename(folder / "default.nix")
    (folder / "helper-sm90.nix").write_text("nothing")
    assert states() == {"current": 44}


@pytest.mark.slow
@pytest.mark.parametrize("name", [f"{'a longer name ' * 9}.tvar", "two  blanks\tand a tab.tvar"])
def test_a_program_whose_name_the_heads_spell_otherwise(recipes: Path, name: str) -> None:
    """The head of a recipe goes over several lines where the name is long."""
    Path("variants.tvar").rename(name)
    assert tvarc("build", name, "--force").exit_code == exits.OK
    text = (recipes / f"{HEAD}sm90-avx2.nix").read_text()
    assert f"Made by tvarc from {name}:" not in text
    (recipes / f"{HEAD}sm90-avx2.nix").rename(recipes / f"{HEAD}sm70-avx2.nix")
    done = json.loads(tvarc("audit", "--file", name, "--json").stdout)
    assert done["counts"]["no longer in the matrix"] == 1
    assert done["counts"]["of another program"] == 0
    Path("other.tvar").write_text(Path(name).read_text())
    other = json.loads(tvarc("audit", "--file", "other.tvar", "--json").stdout)
    assert other["counts"]["of another program"] == 1


@pytest.mark.slow
def test_several_outputs(recipes: Path) -> None:
    """Each is held against its own files, which are other files of the same variants."""
    program = Path("variants.tvar")
    program.write_text(
        f'{program.read_text()}output more {{ file = "more/{{{{variant}}}}.nix" }}\n'
    )
    assert tvarc("build").exit_code == exits.OK
    done = tvarc("audit", code=exits.OK)
    assert done.stdout.count("44 up to date") == 2
    edited = Path("more") / "python313-cpu-avx2.nix"
    edited.write_text(edited.read_text() + "# mine\n")
    done = tvarc("audit")
    assert done.stdout.count("44 up to date") == 1
    assert done.stdout.count("43 up to date") == 1


# --- cells that the matrix excludes ------------------------------------------------------------

WHY_NOT = re.compile(r"the matrix excludes this cell: `(.*)` shows why")


def whynot_of(*arguments: str) -> str:
    """The command of the one finding, run: what it prints."""
    (command,) = set(WHY_NOT.findall(tvarc("audit", *arguments, "--all").stdout))
    words = shlex.split(command)
    assert words[0] == "tvarc"
    done = tvarc(*words[1:], code=exits.OK)
    return done.stdout


@pytest.mark.slow
def test_a_recipe_of_an_excluded_cell(recipes: Path) -> None:
    put(recipes, "sm80-armv9", handmade(f"{HEAD}sm80-armv9", sm="8.0"))
    told = whynot_of()
    assert "gpu-builds: no such variant\n  gpu = sm80, isa = armv9\n" in told
    assert "excluded: the plan builds ARM only where the GPU sits on an ARM host" in told


@pytest.mark.slow
def test_a_recipe_of_ours_of_a_cell_that_came_to_be_excluded(recipes: Path) -> None:
    Path("variants.tvar").rename("my variants.tvar")
    program = Path("my variants.tvar")
    assert tvarc("build", str(program)).exit_code == exits.OK
    rule = '  exclude gpu == sm90 and isa == avx2 because "it is slow"\n'
    at = '  exclude isa.arch == "aarch64" and gpu not in'
    program.write_text(program.read_text().replace(at, rule + at))
    assert "excluded: it is slow" in whynot_of("--file", "my variants.tvar")


@pytest.mark.slow
def test_a_recipe_of_no_cell_has_no_such_command(recipes: Path) -> None:
    put(recipes, "sm70-avx2", handmade(f"{HEAD}sm70-avx2", sm="7.0"))
    put(recipes, "sm80-avx2-old", handmade(f"{HEAD}sm80-avx2", sm="8.0"))
    assert "excludes this cell" not in tvarc("audit", "--all").stdout


# --- formats -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_json_names_every_finding(recipes: Path) -> None:
    BROKEN["W215"](recipes)
    done = tvarc("audit", "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == exits.STALE
    assert data["variants"] == 44 and data["folder"] == ".flox/pkgs" and data["complete"]
    for one in data["findings"]:
        assert FINDINGS[one["code"]] == one["name"]
        assert one["message"] and one["help"]
    (foreign,) = [one for one in data["files"] if one["state"] == "not ours"]
    says = foreign["says"]
    assert says["pin"]["rev"].startswith("6a03")
    assert says["package"] == "python3Packages.torch"
    assert says["settings"]["args.gpuTargets"] == ["12.0"]
    assert [one["part"] for one in says["switched off"]] == ["magma"] * 4
    assert {one["form"] for one in says["overlays"]} == {"set", "package", "override"}
    assert says["not understood"][0]["what"] == "attrs.buildInputs"


@pytest.mark.slow
def test_annotations_for_github(recipes: Path) -> None:
    BROKEN["W208"](recipes)
    lines = tvarc("audit", "--format", "github").stdout.splitlines()
    path = f".flox/pkgs/{HEAD}sm110-armv9.nix"
    pin = [line for line in lines if "W208" in line]
    assert pin[0].startswith(f"::warning file={path},line=12,")
    assert "title=W208 pin-departs::" in pin[0]
    assert "43 of 44 recipes have 6a030d535719" in pin[0]
    BROKEN["W201"](recipes)
    lines = tvarc("audit", "--format", "github").stdout.splitlines()
    missing = [line for line in lines if "W201" in line]
    assert f"{HEAD}sm80-avx2.nix" in missing[0] and "line=" not in missing[0]


@pytest.mark.slow
def test_diagnostics_as_json(recipes: Path) -> None:
    BROKEN["W208"](recipes)
    done = tvarc("audit", "--format", "json")
    items = json.loads(done.stdout)["diagnostics"]
    assert {item["code"] for item in items} == {"W204", "W208"}
    assert all(item["severity"] == "warning" for item in items)


@pytest.mark.slow
def test_long_lists_are_cut(recipes: Path) -> None:
    for path in recipes.glob("*.nix"):
        path.unlink()
    short, whole = tvarc("audit").stdout, tvarc("audit", "--all").stdout
    assert "and 36 more files: --all shows them" in short
    assert len(short.splitlines()) < 40
    assert whole.count("has no file") == 44


@pytest.mark.slow
def test_nothing_in_a_file_steers_a_terminal(recipes: Path) -> None:
    text = handmade(f"{HEAD}sm120-avx512", pname="a\x1b[31mb")
    put(recipes, "sm120-avx512", text)
    put(recipes, "sm120-\x1b[31m", text)
    done = tvarc("audit", "--all")
    assert "\x1b" not in done.stdout
    assert "\x1b" not in tvarc("audit", "--format", "github").stdout


def test_what_removes_a_recipe_without_a_variant(here: Path) -> None:
    program = here / "variants.tvar"

    def written(name: str, file: str) -> None:
        program.write_text(
            "recipe hello { package = pkgs.hello, pin = none }\n"
            f"variant {name} {{ recipe = hello }}\n"
            f'output here {{ file = "{file}/{{{{variant}}}}.nix" }}\n',
            encoding="utf-8",
        )

    def help_of_old() -> str:
        found = json.loads(tvarc("audit", "--json", "out").stdout)["findings"]
        return next(str(one["help"]) for one in found if one["file"] == "old.nix")

    written("old", "out")
    assert tvarc("build").exit_code == exits.OK
    written("new", "elsewhere")
    assert "no output writes to its folder" in help_of_old()
    written("new", "out")
    assert help_of_old().endswith("run `tvarc build --prune`, which removes it")
    with (here / "out/old.nix").open("a", encoding="utf-8") as file:
        file.write("# by hand\n")
    assert help_of_old().endswith("run `tvarc build --prune --force`, which removes it")
    assert tvarc("build", "--prune", "--force").exit_code == exits.OK
    assert not (here / "out/old.nix").exists()


@pytest.mark.slow
def test_the_same_every_time(recipes: Path) -> None:
    for code in ("W202", "W205", "W206", "W208", "W213", "W214", "W216"):
        BROKEN[code](recipes)
    assert len({tvarc("audit", "--all").stdout for _ in range(3)}) == 1


# --- what is huge, broken or hostile -----------------------------------------------------------


HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "binary": bytes(range(256)) * 100,
    "nul": b"{ a = \0; }",
    "open": b"{" * 60_000,
    "nested": b"(" * 30_000 + b")" * 30_000,
    "operators": b"a++" * 20_000,
    "selects": b"a." * 30_000,
    "long": b'"' + b"x" * 3_000_000 + b'"',
    "circle": b"let a = b; b = a; in a.override { x = a; }",
    "doubling": b"let "
    + b"".join(b"a%d = [ a%d a%d ];" % (n, n + 1, n + 1) for n in range(60))
    + b" in p.override { x = a0; }",
    "itself": b"let p = p.override { }; in p",
    "with": b"with " * 200 + b"a; a",
    "chain": b"pkgs.hello" + b".overrideAttrs (o: o)" * 200,
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HOSTILE)
def test_what_no_recipe_is(what: str, recipes: Path) -> None:
    (recipes / f"{HEAD}sm120-avx512.nix").write_bytes(HOSTILE[what])
    (recipes / f"{HEAD}sm120-{what}.nix").write_bytes(HOSTILE[what])
    started = time.monotonic()
    done = tvarc("audit", "--all")
    assert time.monotonic() - started < 10
    assert done.exit_code == exits.STALE
    assert len(done.stdout) < 100_000


@pytest.mark.slow
def test_links_and_pipes_are_not_followed(recipes: Path, tmp_path: Path) -> None:
    first, second, third = (recipes / f"{HEAD}sm90-{isa}.nix" for isa in ("avx2", "avx512", "pipe"))
    kept = tmp_path / "kept.nix"
    first.rename(kept)
    first.symlink_to(kept)
    second.unlink()
    second.mkdir()
    os.mkfifo(third)
    (recipes / "loop").symlink_to(recipes)
    done = tvarc("audit", "--all", code=exits.STALE)
    assert "it is a symbolic link" in done.stdout
    assert "it is no regular file" in done.stdout
    assert "`python313-cuda13_0-sm90-avx512` has no file" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(recipes: Path) -> None:
    (recipes / f"{HEAD}sm90-avx2.nix").chmod(0)
    assert "ermission denied" in tvarc("audit").stdout


@pytest.mark.slow
def test_of_very_many_recipes_some_are_read(recipes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The neighbours of a recipe in question are among them, and what it copies."""
    BROKEN["W208"](recipes)
    BROKEN["W211"](recipes)
    whole = tvarc("audit", "--all").stdout
    monkeypatch.setattr(examine, "MOST_READ", 20)
    asked = calls(monkeypatch, "tvarc.byhand.audit.examine.read_facts")
    some = tvarc("audit", "--all").stdout
    assert 20 < len(asked) < 36
    assert "43 of 45 recipes have" in whole or "44 of 45 recipes have" in whole
    assert "recipes have 6a030d535719" in some
    group = "W211 redundant-copy: 1 finding"
    assert whole.partition(group)[2][:200] == some.partition(group)[2][:200] != ""


@pytest.mark.slow
def test_what_cells_say_is_kept_for_some(recipes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for gpu in ("sm80", "sm90", "sm120"):
        put(recipes, f"{gpu}-avx2-old", handmade(f"{HEAD}{gpu}-avx2", sm="8.0"))
    whole = tvarc("audit", "--all").stdout
    monkeypatch.setattr(examine, "MOST_KEPT", 1)
    assert tvarc("audit", "--all").stdout == whole


def test_the_rules_of_flox(tmp_path: Path) -> None:
    files = (
        "a.nix", "b/default.nix", "b/c.nix", "d/e.nix", "d/f/default.nix", "d/f/g/h.nix", ".i.nix",
        "my-flake.nix", "b.nix", "x.txt",
    )  # fmt: skip
    put_files(tmp_path, dict.fromkeys(files, ""))
    found = inventory(str(tmp_path), nested=True)
    names = {file.path: file.name for file in found.files}
    assert names == {
        "a.nix": "a", "b/default.nix": "b", "d/e.nix": "d.e", "d/f/default.nix": "d.f",
        ".i.nix": ".i",
    }  # fmt: skip
    assert found.hidden == {"b.nix": "b/default.nix"}
    flat = inventory(str(tmp_path), nested=False)
    assert {file.name for file in flat.files} == {"a", "b", ".i"}


# --- neighbours --------------------------------------------------------------------------------


def neighbours(said: dict[str, str], gpus: int = 6, isas: int = 4) -> list[Neighbour]:
    """A grid of recipes that say "usual", but for those in *said*."""
    return [
        Neighbour(
            f"g{g}-i{i}",
            "torch",
            {"gpu": f"g{g}", "isa": f"i{i}"},
            {"pin": (said.get(f"g{g}-i{i}", said.get(f"i{i}", "usual")),) * 2},
        )
        for g in range(gpus)
        for i in range(isas)
    ]


def told(recipes: list[Neighbour]) -> list[tuple[str, int, int, str]]:
    asked = frozenset(one.path for one in recipes)
    return [(d.path, d.agreeing, d.others, d.group) for d in departures(recipes, asked)]


def test_one_of_many_departs() -> None:
    assert told(neighbours({"g1-i1": "other"})) == [("g1-i1", 23, 24, "")]


def test_two_that_depart_alike_depart_both() -> None:
    found = told(neighbours({"g1-i1": "other", "g3-i2": "other"}))
    assert found == [("g1-i1", 22, 24, ""), ("g3-i2", 22, 24, "")]


def test_what_follows_an_axis_does_not_depart() -> None:
    assert told(neighbours({"i1": "other"})) == []


def test_what_departs_from_what_follows_an_axis() -> None:
    found = told(neighbours({"i1": "other", "g2-i1": "usual"}))
    assert found == [("g2-i1", 5, 6, "with isa i1")]


def test_few_recipes_say_nothing_of_each_other() -> None:
    assert told(neighbours({"g0-i0": "other"}, gpus=1, isas=3)) == []
    assert told(neighbours({"g0-i0": "a", "g0-i1": "b", "g0-i2": "c"}, gpus=1, isas=4)) == []
