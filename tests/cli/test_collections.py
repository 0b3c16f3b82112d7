"""Files that hold all variants, on the command line: written, compared, kept and explained as any
recipe is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import SMALL, put_small, tvarc
from tvarc.commands.line import exits

BOTH = 'output all: all { file = "default.nix" }\noutput sets: all { file = "nix/all.nix" }\n'
NAME = "hello-cuda12_8-sm90"
PROGRAM = SMALL.replace("matrix all", "matrix hellos")


@pytest.fixture
def both(project: Path) -> Path:
    put_small(project, PROGRAM + BOTH)
    return project


@pytest.fixture
def alone(project: Path) -> Path:
    """A program that has all variants in one file and no file for each."""
    text = PROGRAM.replace("output nix {", 'output all: all { file = "default.nix" }\n# {')
    put_small(project, text)
    return project


def line_of(file: Path, text: str) -> int:
    """The first line of *file* in which *text* stands."""
    lines = file.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.slow
def test_they_are_written_once_and_checked(both: Path) -> None:
    wrote = "5 recipes in pkgs: {}, {} unchanged\ndefault.nix: {}\nnix/all.nix: {}\n"
    assert tvarc("build").stdout == wrote.format("5 written", 0, "written", "written")
    # The second is that of a build of which a record says all.
    done = wrote.format("0 written", 5, "unchanged", "unchanged")
    assert tvarc("build").stdout == done
    assert tvarc("build", "--no-cache").stdout == done
    assert tvarc("build", "--check").exit_code == exits.OK
    (both / "nix" / "all.nix").unlink()
    stale = tvarc("build", "--check", code=exits.STALE)
    assert "nix/all.nix (new)" in stale.stderr
    assert tvarc("build").stdout == wrote.format("0 written", 5, "unchanged", "written")


def test_an_argument_may_have_the_name_of_its_variant(both: Path) -> None:
    """What differs in each variant is filled into the text before the settings, too."""
    text = PROGRAM.replace("  attrs {", "  args { own = variant }\n  attrs {", 1)
    put_small(both, text.partition("warn same-build")[0] + BOTH)
    tvarc("build", code=exits.OK)
    for file in ("default.nix", f"pkgs/{NAME}.nix"):
        assert f'.override {{ own = "{NAME}"; }}' in (both / file).read_text()


def test_they_need_no_other_output(alone: Path) -> None:
    assert "1 written, 0 unchanged" in tvarc("build").stdout
    assert not (alone / "pkgs").exists()
    assert tvarc("check").exit_code == exits.OK
    text = (alone / "default.nix").read_text()
    assert tvarc("dump", "--stage", "nix").stdout == text
    assert tvarc("dump", "--stage", "nix", "--only", "sm90").stdout == ""


def test_only_leaves_them(both: Path) -> None:
    tvarc("build")
    before = (both / "default.nix").read_bytes()
    change = both / "variants.tvar"
    change.write_text(change.read_text().replace("echo fast", "echo faster"))
    result = tvarc("build", "--only", "sm90")
    assert "--only does not change files that hold all variants\n" in result.stdout
    assert (both / "default.nix").read_bytes() == before


def test_what_was_edited_is_kept(both: Path) -> None:
    tvarc("build")
    file = both / "default.nix"
    ours = file.read_text()
    file.write_text(ours + "# mine\n")
    refused = tvarc("build")
    assert "error[E801]" in refused.stderr and "default.nix" in refused.stderr
    adopted = tvarc("build", "--adopt", code=exits.OK)
    assert "+# mine" in adopted.stdout or "-# mine" in adopted.stdout
    assert file.read_text() == ours
    assert (both / "default.nix.orig").read_text() == ours + "# mine\n"


def test_one_of_another_name_is_removed(both: Path) -> None:
    tvarc("build")
    program = both / "variants.tvar"
    program.write_text(program.read_text().replace('"nix/all.nix"', '"nix/every.nix"'))
    assert "1 file has no variant any more" in tvarc("build").stdout
    assert "removed nix/all.nix" in tvarc("build", "--prune").stdout
    assert sorted(path.name for path in (both / "nix").iterdir()) == ["every.nix"]
    assert (both / "default.nix").exists()


def test_out_does_not_lead_among_packages(both: Path) -> None:
    result = tvarc("build", "--out", ".flox/pkgs", code=exits.FAILED)
    assert "error[E803]: Flox would read `default.nix` as a package" in result.stderr
    assert not (both / ".flox").exists()


def test_audit_tells_of_them(both: Path) -> None:
    tvarc("build")
    good = tvarc("audit", code=exits.OK)
    assert ".: 5 variants, 2 files\n  2 up to date\n" in good.stdout
    (both / "default.nix").unlink()
    edited = both / "nix" / "all.nix"
    edited.write_text(edited.read_text() + "# mine\n")
    result = tvarc("audit", "--json", code=exits.STALE)
    recipes, collections = json.loads(result.stdout)
    assert recipes["findings"] == []
    assert [(one["code"], one["file"]) for one in collections["findings"]] == [
        ("W201", "default.nix"),
        ("W204", "nix/all.nix"),
    ]


def test_audit_takes_none_for_a_recipe(project: Path) -> None:
    """They may lie in the folder of the recipes."""
    put_small(project, PROGRAM + 'output all: all { file = "pkgs/default.nix" }\n')
    tvarc("build")
    result = tvarc("audit", code=exits.OK)
    assert "pkgs: 5 variants, 5 files" in result.stdout


def test_audit_of_them_alone(alone: Path) -> None:
    tvarc("build")
    assert tvarc("audit").exit_code == exits.OK
    (alone / "default.nix").write_text("{ }\n")
    result = tvarc("audit", code=exits.STALE)
    assert "W203 foreign-recipe" in result.stdout
    assert "W203 foreign-recipe" in tvarc("audit", ".").stdout
    (alone / "elsewhere").mkdir()
    refused = tvarc("audit", "elsewhere", code=exits.FAILED)
    assert "error[E507]" in refused.stderr


@pytest.mark.slow
def test_each_line_is_explained(both: Path) -> None:
    """Every line but that of the digest leads to lines of source."""
    tvarc("build")
    file = both / "default.nix"
    count = len(file.read_text().splitlines())
    digest = line_of(file, "# tvarc digest: ")
    for number in range(1, count + 1):
        result = tvarc("explain", "--json", f"default.nix:{number}", code=exits.OK)
        answer = json.loads(result.stdout)
        places = [*answer["made"], *answer["around"]]
        assert bool(places) == (number != digest), (number, answer["text"])


def test_a_line_is_explained_for_its_variant(both: Path) -> None:
    tvarc("build")
    own = both / "pkgs" / f"{NAME}.nix"
    text = next(line for line in own.read_text().splitlines() if NAME in line and "pname" in line)
    number = line_of(both / "default.nix", text.strip())
    shown = tvarc("explain", f"default.nix:{number}").stdout
    same = tvarc("explain", f"pkgs/{NAME}.nix:{line_of(own, text)}").stdout
    assert shown.splitlines()[1:] == same.splitlines()[1:]


def test_a_line_of_any_program_comes_from_the_output_alone(both: Path) -> None:
    tvarc("build")
    number = line_of(both / "default.nix", "pkgs ? {")
    told = json.loads(tvarc("explain", "--json", f"default.nix:{number}").stdout)
    output = line_of(both / "variants.tvar", "output all")
    assert (told["made"], [one["line"] for one in told["around"]]) == ([], [output])


def test_the_source_map_has_them(both: Path) -> None:
    tvarc("build", "--source-map")
    data = json.loads((both / "variants.tvar.map.json").read_text())
    for name in ("default.nix", "nix/all.nix"):
        (one,) = [recipe for recipe in data["recipes"] if recipe["file"] == name]
        text = (both / name).read_text()
        assert one["variant"] == ""
        assert len(one["lines"]) == len(text.splitlines())
        assert f"# tvarc digest: {one['digest']}\n" in text


def test_what_is_set_is_in_them(both: Path) -> None:
    tvarc("build", "--set", "attrs.jobs=77")
    assert (both / "default.nix").read_text().count("jobs = 77;") == 5


def test_audit_of_the_folder_of_a_file_of_all(both: Path, project: Path) -> None:
    """It is held against the file, and not taken for a folder of recipes that lacks them all."""
    assert tvarc("build").exit_code == exits.OK
    done = tvarc("audit", "nix", code=exits.OK)
    assert "1 up to date" in done.stdout
    assert "W201" not in done.stdout and "W202" not in done.stdout
    file = project / "nix" / "all.nix"
    file.write_text(file.read_text().replace("hello", "curl", 1))
    assert "W204" in tvarc("audit", "nix").stdout
    assert "W204" not in tvarc("audit", "pkgs").stdout
    file.unlink()
    assert "W201" in tvarc("audit", "nix").stdout
