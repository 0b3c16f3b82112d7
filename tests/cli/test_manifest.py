"""Entries in a manifest of Flox, on the command line: what is a person's stays as it is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from cli.test_schemas import validator
from support.command import put_small, tvarc
from tvarc.commands.line import exits

PROGRAM = """\
axis gpu { sm80 { label = "A100" }, sm90 { label = "H100" }, sm121 { label = "GB10" } }
recipe app {
  package = pkgs.hello
  pin     = none
  env  { GPU = gpu.label }
  meta { platforms = [if gpu == sm121 then "aarch64-linux" else "x86_64-linux"] }
}
matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }
output flox { file = ".flox/pkgs/{{variant}}.nix" }
output flox-manifest: flox-manifest { file = ".flox/env/manifest.toml", catalog = "team" }
"""
BY_HAND = """\
# Ours.
version = 1

[install]
ripgrep.pkg-path = "ripgrep"   # to search
# A compiler.
gcc = { pkg-path = "gcc", priority = 4 }

# What is set.
[vars]
X = "[install]"

[hook]
on-activate = '''
[install]
app-sm80 = 1
'''
"""
MANIFEST = ".flox/env/manifest.toml"


def put(folder: Path, text: str = BY_HAND) -> Path:
    file = folder / MANIFEST
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def change(old: str, new: str, program: str = PROGRAM) -> str:
    assert program.count(old) == 1
    return program.replace(old, new)


@pytest.fixture
def started(project: Path) -> Path:
    """A program, and a manifest that somebody wrote."""
    put_small(project, PROGRAM)
    return put(project)


def test_entries_are_put_behind_those_that_are_there(started: Path) -> None:
    done = tvarc("build", code=exits.OK)
    assert f"{MANIFEST}: 3 entries: 3 added, 0 unchanged" in done.stdout
    text = started.read_text()
    before, _, after = BY_HAND.partition("\n# What is set.")
    assert text.startswith(before)
    assert text.endswith("\n# What is set." + after)
    own = text.removeprefix(before).removesuffix("\n# What is set." + after).splitlines()
    assert [line.partition(" = ")[0] for line in own] == ["app-sm80", "app-sm90", "app-sm121"]
    assert all(" # tvarc variants.tvar " in line for line in own)
    install = tomllib.loads(text)["install"]
    assert install["app-sm121"] == {"pkg-path": "team/app-sm121", "systems": ["aarch64-linux"]}
    assert "0 added, 3 unchanged" in tvarc("build").stdout
    assert started.read_text() == text


def test_a_manifest_is_made_where_there_is_none(project: Path) -> None:
    put_small(project, PROGRAM)
    assert tvarc("build").exit_code == exits.OK
    found = tomllib.loads((project / MANIFEST).read_text())
    assert found["version"] == 1
    assert list(found["install"]) == ["app-sm80", "app-sm90", "app-sm121"]


def test_the_lines_that_end_with_carriage_returns_go_on_so(project: Path) -> None:
    put_small(project, PROGRAM)
    file = put(project, BY_HAND.replace("\n", "\r\n"))
    assert tvarc("build").exit_code == exits.OK
    assert file.read_bytes().count(b"\n") == file.read_bytes().count(b"\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "", "version = 1", "[install]\n", '[install.foo]\npkg-path = "foo"\n\n[vars]\nx = 1\n',
        'install.a.pkg-path = "x"\n[vars]\na = 1\n',
        '[install]\na.pkg-path = "a"\n[install.b]\nc = 1\n',
        '[install.foo]\npkg-path = "foo"\n[vars]\nx = 1\n[install.b]\npkg-path = "b"\n',
    ],
)  # fmt: skip
def test_manifests_of_every_shape(project: Path, text: str) -> None:
    put_small(project, PROGRAM)
    file = put(project, text)
    tvarc("build", code=exits.OK)
    install = tomllib.loads(text).get("install", {})
    added = tomllib.loads(file.read_text())["install"]
    assert {k: v for k, v in added.items() if not k.startswith("app-")} == install
    assert len(added) == len(install) + 3
    assert "3 unchanged" in tvarc("build").stdout
    put_small(project, change("axes = gpu,", "axes = gpu[sm90],"))
    assert "1 unchanged, 2 removed" in tvarc("build", "--prune").stdout
    assert len(tomllib.loads(file.read_text())["install"]) == len(install) + 1


def test_a_table_that_is_added_is_below_an_empty_line(project: Path) -> None:
    put_small(project, PROGRAM)
    for text in ("", "version = 1\n", "version = 1\r\n"):
        file = put(project, text)
        assert tvarc("build").exit_code == exits.OK
        end = "\r\n" if "\r" in text else "\n"
        before = f"{text}{end}" if text else ""
        assert file.read_bytes().startswith(f"{before}[install]{end}app-sm80 = ".encode())


@pytest.mark.parametrize(
    ("fields", "entry"),
    [
        ('flake = "github:me/builds"', {"flake": "github:me/builds#app-sm90"}),
        ('catalog = "me", group = "g-{{gpu}}"', {"pkg-path": "me/app-sm90", "pkg-group": "g-sm90"}),
        ('catalog = "for-{{gpu}}"', {"pkg-path": "for-sm90/app-sm90"}),
    ],
)
def test_what_an_entry_says(project: Path, fields: str, entry: dict[str, str]) -> None:
    program = change('catalog = "team"', fields)
    put_small(project, change('meta { platforms = [if gpu == sm121 then "aarch64-linux" else '
                              '"x86_64-linux"] }', "", program))  # fmt: skip
    assert tvarc("build").exit_code == exits.OK
    assert tomllib.loads((project / MANIFEST).read_text())["install"]["app-sm90"] == entry


def test_a_package_is_called_as_flox_calls_its_file(project: Path) -> None:
    put_small(project, change("pkgs/{{variant}}.nix", "pkgs/{{gpu}}/{{variant}}.nix"))
    assert tvarc("build").exit_code == exits.OK
    install = tomllib.loads((project / MANIFEST).read_text())["install"]
    assert install["app-sm80"]["pkg-path"] == "team/sm80.app-sm80"


def test_only_some_variants(project: Path) -> None:
    put_small(project, change('"team"', '"team", only = gpu == sm121'))
    assert "1 entry: 1 added" in tvarc("build").stdout
    put_small(project, change('"team"', '"team", only = gpu != sm80'))
    assert "1 entry: 1 added" in tvarc("build", "--only", "sm90").stdout
    assert "2 entries: 0 added, 2 unchanged" in tvarc("build").stdout


def test_a_changed_entry_of_ours_is_written_anew_where_it_stands(started: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    lines = started.read_text().splitlines(keepends=True)
    moved = next(line for line in lines if line.startswith("app-sm90"))
    lines.remove(moved)
    lines.insert(4, moved)
    started.write_text("".join(lines))
    assert "3 unchanged" in tvarc("build").stdout
    put_small(started.parent.parent.parent, change('"team"', '"crew"'))
    assert "0 added, 3 changed, 0 unchanged" in tvarc("build").stdout
    assert started.read_text().splitlines()[4].startswith('app-sm90 = { pkg-path = "crew/')


EDITED = "was changed by hand since tvarc wrote it"
IN_THE_WAY = {
    "edited": ('"team/app-sm90"', '"team/other"', EDITED),
    "foreign": (
        "# A compiler.", 'app-sm90.pkg-path = "mine"\n# A compiler.', "was not written by tvarc",
    ),
    "program": ("# tvarc variants.tvar", "# tvarc other.tvar", "to another program, `other"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", IN_THE_WAY)
def test_what_somebody_else_wrote_stops_the_build(project: Path, case: str) -> None:
    old, new, told = IN_THE_WAY[case]
    put_small(project, PROGRAM)
    file = put(project)
    if case != "foreign":
        assert tvarc("build").exit_code == exits.OK
    text = file.read_text().replace(old, new)
    file.write_text(text)
    put_small(project, change('"team"', '"crew"'))
    (project / ".flox" / "pkgs").mkdir(exist_ok=True)
    (project / ".flox" / "pkgs" / "app-sm80.nix").unlink(missing_ok=True)
    done = tvarc("build", code=exits.FAILED)
    assert "error[E801]" in done.stderr
    assert told in done.stderr
    assert file.read_text() == text
    assert not (project / ".flox" / "pkgs" / "app-sm80.nix").exists()
    shown = tvarc("build", "--adopt", "--dry-run")
    assert f"adopt {MANIFEST}: the old file is {MANIFEST}.orig" in shown.stdout
    assert file.read_text() == text
    tvarc("build", "--adopt", code=exits.OK)
    assert (project / f"{MANIFEST}.orig").read_text() == text
    assert tomllib.loads(file.read_text())["install"]["app-sm90"]["pkg-path"] == "crew/app-sm90"
    assert "# What is set." in file.read_text()


def test_force_keeps_no_copy(started: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    started.write_text(started.read_text().replace('"team/app-sm90"', '"mine"'))
    assert tvarc("build", "--force").exit_code == exits.OK
    assert '"team/app-sm90"' in started.read_text()
    assert not started.with_name("manifest.toml.orig").exists()


def test_an_entry_by_hand_that_says_the_same_is_left(project: Path) -> None:
    put_small(project, change("axes = gpu,", "axes = gpu[sm90],"))
    own = '[install]\napp-sm90 = { pkg-path = "team/app-sm90", systems = ["x86_64-linux"] }\n'
    file = put(project, own)
    assert "0 added, 1 unchanged" in tvarc("build").stdout
    assert file.read_text() == own


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[install\n", "not valid TOML: expected ']'"),
        ("a = 1\na = 2\n", "not valid TOML: cannot overwrite a value"),
        ("install = 3\n", "`install` is not a table"), ("<<<<<<< ours\n", "not valid TOML"),
        ('install = { hello = { pkg-path = "hello" } }\n', "without changing others"),
        ("a = " + "[" * 5000, "cannot be"),
    ],
)  # fmt: skip
def test_a_manifest_that_cannot_be_edited(project: Path, text: str, told: str) -> None:
    put_small(project, PROGRAM)
    file = put(project, text)
    done = tvarc("build", code=exits.FAILED)
    assert "error[E805]" in done.stderr
    assert told in " ".join(done.stderr.split())
    assert f"{MANIFEST}:" in done.stderr
    assert file.read_text() == text
    assert not (project / ".flox" / "pkgs").exists()


def test_what_is_no_text_and_what_is_a_link(project: Path) -> None:
    put_small(project, PROGRAM)
    file = put(project, "")
    file.write_bytes(b"\xff\xfe")
    told = tvarc("build").stderr
    assert (
        "error[E805]: `.flox/env/manifest.toml` cannot be edited: line 1 of it is not UTF-8" in told
    )
    assert "E802" not in told and "save it as UTF-8" in told and "variants.tvar:" in told
    file.unlink()
    (project / "elsewhere.toml").write_text(BY_HAND)
    file.symlink_to(project / "elsewhere.toml")
    done = tvarc("build")
    assert "error[E803]" in done.stderr
    assert (project / "elsewhere.toml").read_text() == BY_HAND


@pytest.mark.slow
def test_check_dry_run_and_json(started: Path) -> None:
    validate = validator("diff").validate
    shown = tvarc("build", "--dry-run")
    assert f"add app-sm80 in {MANIFEST}" in shown.stdout
    assert "3 entries: 3 would be added, 0 unchanged" in shown.stdout
    stale = tvarc("build", "--check", code=exits.STALE)
    assert f"`{MANIFEST}` is out of date" in stale.stderr
    assert started.read_text() == BY_HAND
    told = json.loads(tvarc("build", "--json").stdout)["manifests"]
    assert told == [
        {
            "file": MANIFEST, "added": ["app-sm80", "app-sm90", "app-sm121"], "changed": [],
            "removed": [], "unchanged": 0, "left": [], "edited": [],
        }
    ]  # fmt: skip
    assert tvarc("build", "--check").exit_code == exits.OK
    old = Path("old.tvar")
    old.write_text(PROGRAM)
    put_small(started.parent.parent.parent, change('"team"', '"crew", only = gpu != sm90'))
    differ = tvarc("diff", "--against", "old.tvar", code=exits.DIFFERENT)
    assert f"{MANIFEST}:" in differ.stdout
    line = '  + app-sm80 = { pkg-path = "crew/app-sm80", systems = ["x86_64-linux"] }'
    assert line in differ.stdout
    data = json.loads(tvarc("diff", "--against", "old.tvar", "--json").stdout)
    validate(data)
    assert [(one["entry"], one["after"] is None) for one in data["manifests"]] == [
        ("app-sm80", False), ("app-sm121", False), ("app-sm90", True),
    ]  # fmt: skip


@pytest.mark.slow
def test_prune_removes_entries_of_no_variant(started: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    put_small(started.parent.parent.parent, change("axes = gpu,", "axes = gpu[sm90],"))
    started.write_text(started.read_text().replace('"team/app-sm121"', '"mine"'))
    left = tvarc("build").stdout
    assert "1 entry has no variant any more: `tvarc build --prune` removes it" in left
    assert "`--prune` keeps entry app-sm121" in left
    assert tvarc("build", "--check", "--prune").exit_code == exits.STALE
    done = tvarc("build", "--prune").stdout
    assert "1 entry: 0 added, 1 unchanged, 1 removed" in done
    assert "kept entry app-sm121: it has no variant any more, but was changed by hand" in done
    found = list(tomllib.loads(started.read_text())["install"])
    assert found == ["ripgrep", "gcc", "app-sm90", "app-sm121"]
    again = started.read_text()
    assert "removed" not in tvarc("build", "--prune").stdout
    assert started.read_text() == again


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (', catalog = "team"', "", "E208"),
        ('"team"', '"team", flake = "github:a/b"', "E202"),
        ('"team"', '"te am"', "E403"),
        ('catalog = "team"', 'flake = "github:a/b#c"', "E403"),
        ('"team"', '"team", group = "{{gpu.label}} x"', "E403"),
        ('"team"', "3", "E403"),
        ('"team"', '"team", only = 3', "E301"),
        ('"team"', '"team", prefix = "x"', "E209"),
        ("manifest.toml", "manifest.json", "E403"),
        (".flox/env/", "../", "E403"),
        ("env/manifest", "env/{{variant}}", "E403"),
        ("output flox {", 'output flox { catalog = "team",', "E209"),
        ("output flox-manifest", 'output a: flox-manifest { catalog = "x", '
         'file = ".flox/env/manifest.toml" }\noutput flox-manifest', "E402"),
        ('output flox { file = ".flox/pkgs/{{variant}}.nix" }', "", "E507"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["check", "build"])
def test_what_is_wrong_with_the_output(
    project: Path, command: str, old: str, new: str, code: str
) -> None:
    put_small(project, change(old, new))
    done = tvarc(command, code=exits.FAILED)
    assert f"error[{code}]" in done.stderr
    assert done.stderr.count("error[") == 1
    assert not (project / ".flox").exists()


@pytest.mark.parametrize("number", ["nan", "inf", "-0.0", "1e5"])
def test_numbers_of_others_are_in_no_way(started: Path, number: str) -> None:
    """`nan` is no equal of itself."""
    put(Path.cwd(), BY_HAND.replace("[vars]", f"[vars]\nnumber = {number}"))
    tvarc("build", code=exits.OK)
    assert f"number = {number}\n" in started.read_text()
    assert tvarc("build", "--check").exit_code == exits.OK


def test_a_number_without_end_is_told(started: Path) -> None:
    put(Path.cwd(), f"{BY_HAND}[more]\nnumber = {'9' * 5000}\n")
    before = started.read_bytes()
    done = tvarc("build", code=exits.FAILED)
    assert "error[E805]" in done.stderr
    assert started.read_bytes() == before
