"""`tvarc build --prune` and `--dry-run`: what is removed, what never, and what is said of it."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.command import SMALL, put_small, tvarc
from tvarc.commands.line import exits
from tvarc.files.output import prune

NAMES = [
    "hello-cuda12_8-sm90",
    "hello-cuda12_8-sm100",
    "hello-cuda13_0-sm100",
    "hello-cuda12_8-sm103",
    "hello-cuda13_0-sm103",
]
GONE = [f"pkgs/{NAMES[3]}.nix", f"pkgs/{NAMES[4]}.nix"]


def change(folder: Path, old: str, new: str) -> None:
    file = folder / "variants.tvar"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def without_sm103(folder: Path) -> None:
    change(folder, "  sm103 { capability = 10.3 }\n", "")


def files(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".tvar", ".patch"):
            found[path.relative_to(folder).as_posix()] = path.read_text()
    return found


@pytest.mark.slow
def test_stale_files_are_counted_and_removed_when_asked(project: Path) -> None:
    tvarc("build")
    without_sm103(project)
    before = files(project)
    for _ in range(2):
        plain = tvarc("build", code=exits.OK)
        assert plain.stdout == (
            "3 recipes in pkgs: 0 written, 3 unchanged\n"
            "2 files have no variant any more: `tvarc build --prune` removes them\n"
        )
    assert files(project) == before
    pruned = tvarc("build", "--prune", code=exits.OK)
    assert pruned.stdout == (
        f"removed {GONE[0]}\nremoved {GONE[1]}\n"
        "3 recipes in pkgs: 0 written, 3 unchanged, 2 removed\n"
    )
    assert files(project) == {k: v for k, v in before.items() if k not in GONE}
    assert tvarc("build", "--prune").stdout == "3 recipes in pkgs: 0 written, 3 unchanged\n"


def test_dry_run_says_what_would_be(project: Path) -> None:
    tvarc("build")
    without_sm103(project)
    change(project, '["-a"]', '["-b"]')
    (project / "pkgs" / f"{NAMES[0]}.nix").unlink()
    before = files(project)
    result = tvarc("build", "--prune", "--dry-run", code=exits.OK)
    assert result.stdout == (
        f"write pkgs/{NAMES[0]}.nix (new)\nwrite pkgs/{NAMES[1]}.nix\nwrite pkgs/{NAMES[2]}.nix\n"
        f"remove {GONE[0]}\nremove {GONE[1]}\n"
        "3 recipes in pkgs: 3 would be written, 0 unchanged, 2 would be removed\n"
    )
    assert files(project) == before
    assert "2 files have no variant" in tvarc("build", "--dry-run").stdout
    assert files(project) == before


@pytest.mark.slow
def test_check_tells_of_stale_files_when_they_are_to_go(project: Path) -> None:
    tvarc("build")
    without_sm103(project)
    assert tvarc("build", "--check").exit_code == exits.OK
    result = tvarc("build", "--check", "--prune", code=exits.STALE)
    assert "error[E804]: 2 files are out of date" in result.stderr
    assert f"`tvarc build --prune` would remove:\n            {GONE[0]}" in result.stderr
    assert "help: run `tvarc build --prune`" in result.stderr
    assert GONE[0] in files(project)


@pytest.mark.slow
def test_renames_are_shown(project: Path) -> None:
    tvarc("build")
    change(project, '"hello-cuda{{under(cuda)}}-{{gpu}}"', '"hi-a-longer-{{gpu}}-{{under(cuda)}}"')
    result = tvarc("build", "--prune", code=exits.OK)
    told = result.stdout.splitlines()
    assert told[-1] == "5 recipes in pkgs: 5 written, 0 unchanged, 5 removed"
    cells = [name.removeprefix("hello-cuda").split("-") for name in NAMES]
    assert sorted(told[:-1]) == sorted(
        f"renamed pkgs/hello-cuda{cuda}-{gpu}.nix to pkgs/hi-a-longer-{gpu}-{cuda}.nix"
        for cuda, gpu in cells
    )
    assert len(files(project)) == 5


@pytest.mark.slow
def test_renames_are_shown_when_the_new_ones_stand_there_already(project: Path) -> None:
    """As `build` itself advises: first the new recipes, then `--prune`."""
    tvarc("build")
    change(project, '"hello-cuda{{under(cuda)}}-{{gpu}}"', '"hi-{{gpu}}-{{under(cuda)}}"')
    edited = project / "pkgs" / f"{NAMES[0]}.nix"
    edited.write_text(edited.read_text() + "# mine\n")
    for _ in range(2):
        told = tvarc("build").stdout
        assert "4 files have no variant any more: `tvarc build --prune` removes" in told
        assert told.endswith(
            f"`--prune` keeps pkgs/{NAMES[0]}.nix: it has no variant any more, but was changed "
            "by hand\n"
        )
    result = tvarc("build", "--prune")
    assert result.stdout.count("renamed pkgs/hello-") == 4
    assert "removed pkgs" not in result.stdout
    assert "5 recipes in pkgs: 0 written, 5 unchanged, 4 removed\n" in result.stdout


def test_a_copy_is_no_rename(project: Path) -> None:
    """It says of itself that it is the variant which is there."""
    tvarc("build")
    (project / "pkgs" / "copy.nix").write_bytes((project / "pkgs" / f"{NAMES[0]}.nix").read_bytes())
    assert tvarc("build", "--prune").stdout.startswith("removed pkgs/copy.nix\n")


def test_a_new_content_is_no_rename(project: Path) -> None:
    tvarc("build")
    change(project, '"hello-cuda{{under(cuda)}}-{{gpu}}"', '"hi-{{gpu}}-{{under(cuda)}}"')
    change(project, '["-a"]', '["-b"]')
    result = tvarc("build", "--prune")
    assert "renamed" not in result.stdout
    assert result.stdout.count("removed pkgs/") == 5


def test_edited_and_foreign_files_stay(project: Path) -> None:
    tvarc("build")
    edited = project / GONE[0]
    edited.write_text(edited.read_text() + "# mine\n")
    (project / "pkgs" / "mine.nix").write_text("{ }: 1\n")
    (project / "pkgs" / "note.txt").write_text("Made by tvarc from variants.tvar: matrix all\n")
    (project / "pkgs" / "lookalike.nix").write_text(
        "{ }:\n# Made by tvarc from variants.tvar: matrix a\n"
    )
    without_sm103(project)
    kept = {name for name in files(project) if name != GONE[1]}
    result = tvarc("build", "--prune", code=exits.OK)
    assert result.stdout == (
        f"removed {GONE[1]}\n3 recipes in pkgs: 0 written, 3 unchanged, 1 removed\n"
        f"kept {GONE[0]}: it has no variant any more, but was changed by hand\n"
    )
    assert set(files(project)) == kept
    data = json.loads(tvarc("build", "--prune", "--json").stdout)
    assert data["left"] == data["edited"] == [GONE[0]]
    forced = tvarc("build", "--prune", "--force")
    assert f"removed {GONE[0]}\n" in forced.stdout
    assert set(files(project)) == kept - {GONE[0]}


def test_files_of_another_program_stay(project: Path) -> None:
    other = project / "other.tvar"
    other.write_text(SMALL.replace('"hello-', '"other-'))
    tvarc("build")
    assert tvarc("build", "other.tvar").stdout == "5 recipes in pkgs: 5 written, 0 unchanged\n"
    assert tvarc("build", "--prune").stdout == "5 recipes in pkgs: 0 written, 5 unchanged\n"
    assert tvarc("build", "other.tvar", "--prune").stdout.endswith(" 5 unchanged\n")
    assert len(files(project)) == 10


def test_a_name_that_needs_two_lines_is_known(project: Path) -> None:
    name = f"{'long word ' * 12}.tvar"
    (project / name).write_text((project / "variants.tvar").read_text())
    tvarc("build", name)
    file = project / name
    file.write_text(file.read_text().replace("  sm103 { capability = 10.3 }\n", ""))
    assert tvarc("build", name, "--prune").stdout.endswith(", 2 removed\n")


@pytest.mark.slow
def test_one_folder_a_variant(project: Path) -> None:
    change(project, "pkgs/{{variant}}.nix", "pkgs/{{gpu}}/{{variant}}/default.nix")
    tvarc("build")
    (project / "pkgs" / "sm103" / "mine").mkdir()
    (project / "pkgs" / "sm103" / "mine" / "default.nix").write_text("{ }: 1\n")
    (project / "pkgs" / "linked").symlink_to("sm100")
    without_sm103(project)
    change(project, "exclude gpu == sm90 and cuda == 13.0", "exclude gpu == sm90 and cuda == 12.8")
    result = tvarc("build", "--prune")
    assert "4 recipes in pkgs" not in result.stdout
    assert result.stdout == (
        f"removed pkgs/sm103/{NAMES[3]}/default.nix\nremoved pkgs/sm103/{NAMES[4]}/default.nix\n"
        f"removed pkgs/sm90/{NAMES[0]}/default.nix\n"
        "3 recipes in pkgs: 1 written, 2 unchanged, 3 removed\n"
    )
    assert [one.name for one in (project / "pkgs" / "sm103").iterdir()] == ["mine"]
    assert [one.name for one in (project / "pkgs" / "sm90").iterdir()] == ["hello-cuda13_0-sm90"]
    assert len(list((project / "pkgs" / "linked").iterdir())) == 2


def test_the_folder_of_an_output_stays_when_it_is_emptied(project: Path) -> None:
    tvarc("build", "other.tvar")
    change(project, "pkgs/{{variant}}.nix", "{{gpu}}/pkgs/{{variant}}.nix")
    assert tvarc("build").exit_code == exits.OK
    without_sm103(project)
    tvarc("build", "--prune")
    assert not (project / "sm103").exists()
    assert (project / "sm90" / "pkgs").is_dir()


@pytest.mark.parametrize("option", [("--only", "sm90"), ("--set", "a=1"), ("--flag", "fast=true")])
def test_a_part_is_not_pruned(project: Path, option: tuple[str, str]) -> None:
    result = tvarc("build", "--prune", *option, code=exits.USAGE)
    assert f"leave out {option[0]}" in " ".join(result.stderr.split())
    assert not (project / "pkgs").exists()


def test_a_part_tells_of_no_stale_files(project: Path) -> None:
    tvarc("build")
    assert tvarc("build", "--only", "sm90").stdout == "1 recipe in pkgs: 0 written, 1 unchanged\n"


def test_nothing_is_removed_after_an_error(project: Path) -> None:
    tvarc("build")
    without_sm103(project)
    mine = project / "pkgs" / f"{NAMES[0]}.nix"
    mine.write_text("{ }: mine\n")
    tvarc("build", "--prune", code=exits.FAILED)
    assert set(GONE) <= set(files(project))


def test_links_are_not_followed_and_not_removed(project: Path, tmp_path: Path) -> None:
    tvarc("build")
    without_sm103(project)
    away = tmp_path / "away.nix"
    (project / GONE[0]).rename(away)
    (project / GONE[0]).symlink_to(away)
    assert tvarc("build", "--prune").stdout.count("removed pkgs") == 1
    assert away.exists()
    assert (project / GONE[0]).is_symlink()


def test_a_file_that_cannot_be_removed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tvarc("build")
    without_sm103(project)

    def refuse(path: str, *, dir_fd: int) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        result = tvarc("build", "--prune")
    assert result.exit_code == exits.FAILED
    assert f"error[E802]: `{GONE[0]}` cannot be removed: permission denied" in result.stderr
    assert "0 of 2 files had been removed" in result.stderr
    assert len(files(project)) == 5


def test_what_is_written_meanwhile_is_not_removed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tvarc("build")
    without_sm103(project)
    real = prune.remove

    def late(*given: Any) -> list[str]:
        (project / GONE[0]).write_text("{ }: mine\n")
        return real(*given)

    monkeypatch.setattr(prune, "remove", late)
    result = tvarc("build", "--prune", code=exits.FAILED)
    assert f"error[E801]: `{GONE[0]}` was changed by hand" in result.stderr
    assert (project / GONE[0]).read_text() == "{ }: mine\n"


def test_a_file_under_two_spellings_is_not_stale(project: Path) -> None:
    """Where a file system folds case, the name that it lists may not be the one that was given."""
    tvarc("build")
    spelt, listed = project / "pkgs" / f"{NAMES[0]}.nix", project / "pkgs" / f"H{NAMES[0][1:]}.nix"
    listed.hardlink_to(spelt)
    assert tvarc("build", "--prune").stdout == "5 recipes in pkgs: 0 written, 5 unchanged\n"
    assert listed.exists()
    listed.unlink()
    listed.write_text(spelt.read_text())
    assert tvarc("build", "--prune").stdout.endswith(", 1 removed\n")


@pytest.mark.slow
def test_json_lists_all(project: Path) -> None:
    tvarc("build")
    without_sm103(project)
    data = json.loads(tvarc("build", "--json").stdout)
    assert data["left"] == GONE and data["removed"] == []
    data = json.loads(tvarc("build", "--json", "--prune", "--dry-run").stdout)
    assert data["removed"] == GONE and data["dry_run"] is True
    data = json.loads(tvarc("build", "--json", "--prune").stdout)
    assert data["removed"] == GONE and data["renamed"] == [] and data["left"] == []


def test_what_has_no_digest_was_written_by_hand(project: Path) -> None:
    """Who takes the digest out of a copy has made a file of their own."""
    tvarc("build")
    text = (project / GONE[0]).read_text()
    mine = project / "pkgs" / "mine.nix"
    mine.write_text("".join(x for x in text.splitlines(True) if "tvarc digest" not in x))
    assert "no variant" not in tvarc("build").stdout
    assert "no variant" not in tvarc("build", "--prune", "--force").stdout
    assert mine.exists()


# --- two programs of one name -------------------------------------------------------------------

UNSURE = (
    "2 files have no variant in this program, but may belong to another with the same file name"
)
FORCE = (
    "`tvarc build --prune --force` removes them, too; or give the programs different file names\n"
)


@pytest.fixture
def two(project: Path) -> Path:
    """A second program, of the same name and elsewhere, of which two variants have other names."""
    other = project / "other" / "variants.tvar"
    other.parent.mkdir()
    put_small(other.parent, SMALL.replace('"hello-cuda', '"other-cuda'))
    return project


@pytest.mark.slow
def test_programs_of_one_name_do_not_remove_each_others_files(two: Path) -> None:
    assert tvarc("build", "--out", "both").exit_code == exits.OK
    assert tvarc("build", "other/variants.tvar", "--out", "both").exit_code == exits.OK
    before = files(two)
    assert len(before) == 10
    for file in ("variants.tvar", "other/variants.tvar"):
        result = tvarc("build", file, "--out", "both", "--prune", code=exits.OK)
        assert "5 files have no variant in this program, but may belong to" in result.stdout
        assert result.stdout.endswith(FORCE)
        assert "removed" not in result.stdout
    assert files(two) == before
    without_sm103(two)
    data = json.loads(tvarc("build", "--out", "both", "--prune", "--json").stdout)
    assert len(data["unsure"]) == len(data["left"]) == 7 and data["removed"] == []
    assert files(two) == before


@pytest.mark.slow
def test_files_elsewhere_go_when_that_is_insisted_on(two: Path) -> None:
    tvarc("build", "--out", "alone")
    without_sm103(two)
    plain = tvarc("build", "--out", "alone").stdout
    assert plain == f"3 recipes in alone/pkgs: 0 written, 3 unchanged\n{UNSURE}\n"
    kept = tvarc("build", "--out", "alone", "--prune").stdout
    assert kept == (
        "3 recipes in alone/pkgs: 0 written, 3 unchanged\n"
        f"{UNSURE}\n  kept {GONE[0]}\n  kept {GONE[1]}\n{FORCE}"
    )
    assert tvarc("build", "--out", "alone", "--prune", "--check").exit_code == exits.OK
    done = tvarc("build", "--out", "alone", "--prune", "--force")
    assert done.stdout.endswith(", 2 removed\n")


def test_the_own_folder_by_another_spelling_is_its_own(project: Path) -> None:
    (project / "link").symlink_to(".")
    tvarc("build")
    without_sm103(project)
    pruned = tvarc("build", "link/variants.tvar", "--out", f"../{project.name}/", "--prune")
    assert pruned.stdout.endswith(" 3 unchanged, 2 removed\n")


@pytest.mark.parametrize(
    ("file", "doubt"),
    [
        ('"{{variant}}.nix"', True),  # from `pkgs/`
        ('"{{gpu}}/{{variant}}.nix"', True),  # the value of an axis might hold a `/`
        ('"deeper/{{variant}}.nix"', False),
        ('"alone.nix"', True),
        ("gpu", True),
    ],
)
def test_a_program_between_may_have_written_it(project: Path, file: str, doubt: bool) -> None:
    """`pkgs/` holds a program of its own, which writes there as well."""
    tvarc("build")
    inner = SMALL.replace('"pkgs/{{variant}}.nix"', file).replace('"hello-', '"inner-')
    put_small(project / "pkgs", inner)
    without_sm103(project)
    result = tvarc("build", "--prune")
    assert (UNSURE in result.stdout) is doubt
    assert set(GONE).isdisjoint(files(project)) is not doubt


@pytest.mark.parametrize(("depth", "doubt"), [("", True), ("deeper/", False)])
def test_a_program_above_may_have_written_it(project: Path, depth: str, doubt: bool) -> None:
    inner = project / "pkgs" / "variants.tvar"
    inner.parent.mkdir()
    put_small(inner.parent, SMALL.replace("pkgs/", depth).replace('"hello-', '"inner-'))
    tvarc("build")
    tvarc("build", "pkgs/variants.tvar")
    assert len(files(project)) == 10
    inner.write_text(inner.read_text().replace("  sm103 { capability = 10.3 }\n", ""))
    result = tvarc("build", "pkgs/variants.tvar", "--prune")
    assert (", 2 removed" in result.stdout) is not doubt
    assert set(GONE) <= set(files(project))


def test_a_program_with_errors_may_have_written_anything(project: Path) -> None:
    tvarc("build")
    (project / "pkgs" / "variants.tvar").write_text("axis a = [\n")
    without_sm103(project)
    assert UNSURE in tvarc("build", "--prune").stdout


def test_what_the_program_reads_is_not_removed(project: Path) -> None:
    tvarc("build")
    without_sm103(project)
    change(project, './fix me.patch"', f'./{GONE[0]}"')
    tvarc("build", "--prune")
    assert GONE[0] in files(project) and GONE[1] not in files(project)
