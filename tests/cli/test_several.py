"""Several programs in one command, and one rule for how a program is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import ROOT, SMALL, spawn, tvarc
from support.library_cache import own_cache
from tvarc.commands.line import exits

NAMES = ("variants.tvar", "a/variants.tvar", "b/c/variants.tvar")
OTHER = SMALL.replace("sm103", "sm120").replace("10.3", "12.0")
FAULTY = SMALL.replace("recipe = base", "recipe = bass")


@pytest.fixture
def programs(project: Path) -> Path:
    """Three programs: one here, one below, one further below with other GPUs."""
    for folder, text in (("a", SMALL), ("b/c", OTHER)):
        (project / folder).mkdir(parents=True)
        (project / folder / "variants.tvar").write_text(text, encoding="utf-8")
        (project / folder / "fix me.patch").write_bytes((project / "fix me.patch").read_bytes())
    return project


def sections(printed: str) -> dict[str, str]:
    """What is printed under the name of each program."""
    found: dict[str, str] = {}
    for part in printed.split("\n\n"):
        head, _, rest = part.partition(":\n")
        assert head.endswith(".tvar"), part
        found[head] = rest.rstrip("\n")
    return found


# --- which programs --------------------------------------------------------------------------


def test_all_below(programs: Path) -> None:
    done = tvarc("check", "--all", code=0)
    assert list(sections(done.stdout)) == list(NAMES)
    assert set(sections(done.stdout).values()) == {"5 variants, 0 errors, 0 warnings"}
    assert list(sections(tvarc("check", "--all", "b", "a").stdout)) == [NAMES[2], NAMES[1]]


@pytest.mark.slow
def test_the_order_is_that_of_the_names(programs: Path) -> None:
    for name in ("z", "a-b", "a.b", "B", "a/x", "ä"):
        (programs / name).mkdir()
        (programs / name / "variants.tvar").write_text(SMALL, encoding="utf-8")
    found = list(sections(tvarc("check", "--all").stdout))
    assert found == [
        "variants.tvar", "B/variants.tvar", "a/variants.tvar", "a/x/variants.tvar",
        "a-b/variants.tvar", "a.b/variants.tvar", "b/c/variants.tvar", "z/variants.tvar",
        "ä/variants.tvar",
    ]  # fmt: skip


def test_what_is_not_looked_into(programs: Path) -> None:
    for name in (".git", ".hidden/x"):
        (programs / name).mkdir(parents=True)
        (programs / name / "variants.tvar").write_text(FAULTY, encoding="utf-8")
    (programs / "link").symlink_to("a")
    (programs / "circle").symlink_to(".")
    (programs / "d").mkdir()
    (programs / "d/variants.tvar").symlink_to("../a/variants.tvar")
    (programs / "e").mkdir()
    (programs / "e/other.tvar").write_text(FAULTY, encoding="utf-8")
    (programs / "f/variants.tvar").mkdir(parents=True)
    assert list(sections(tvarc("check", "--all").stdout)) == list(NAMES)


def test_an_ignored_program_is_one(programs: Path) -> None:
    """The same are found in a checkout and in an archive of it."""
    (programs / ".gitignore").write_text("a\n")
    subprocess.run(["git", "init", "-q"], check=True)
    assert list(sections(tvarc("check", "--all").stdout)) == list(NAMES)


@pytest.mark.slow
def test_files_and_folders_by_name(programs: Path) -> None:
    for words in (["a", "b/c"], ["a/", "./b/c/variants.tvar"], ["--file", "b/c", "a"],
                  ["a", "b/c", "a/variants.tvar"], [str(programs / "a"), "b/c"]):  # fmt: skip
        found = list(sections(tvarc("check", *words).stdout))
        assert found == [NAMES[1], NAMES[2]], words
    assert tvarc("check", "a").stdout == "5 variants, 0 errors, 0 warnings\n"


def test_nothing_is_below(project: Path) -> None:
    (project / "empty").mkdir()
    done = tvarc("build", "--all", "empty")
    assert done.exit_code == 1 and "error[E908]: there is no `variants.tvar` in" in done.stderr
    done = tvarc("build", "empty")
    assert done.exit_code == 1 and "error[E903]" in done.stderr and "`empty`" in done.stderr
    done = tvarc("build", "--all", "none.tvar")
    assert done.exit_code == 1 and "error[E106]" in done.stderr


# --- what is told of them --------------------------------------------------------------------


def test_each_is_built_and_the_code_is_the_worst(programs: Path) -> None:
    (programs / "a/variants.tvar").write_text(FAULTY, encoding="utf-8")
    done = tvarc("build", "--all", code=exits.FAILED)
    assert sections(done.stdout) == {
        NAMES[0]: "5 recipes in pkgs: 5 written, 0 unchanged",
        NAMES[2]: "5 recipes in b/c/pkgs: 5 written, 0 unchanged",
    }
    assert list(sections(done.stderr)) == [NAMES[1]] and "error[E2" in done.stderr
    assert len(list((programs / "b/c/pkgs").iterdir())) == 5


@pytest.mark.parametrize(
    ("states", "code"),
    [
        (("good", "good"), exits.OK), (("stale", "good"), exits.STALE),
        (("stale", "faulty"), exits.FAILED), (("faulty", "stale"), exits.FAILED),
        (("good", "stale"), exits.STALE),
    ],
)  # fmt: skip
def test_a_check_in_ci(programs: Path, states: tuple[str, ...], code: int) -> None:
    assert tvarc("build", "a", "b").exit_code == exits.FAILED
    assert tvarc("build", "a", "b/c").exit_code == exits.OK
    for name, state in zip(("a", "b/c"), states, strict=True):
        text = {"good": None, "stale": '["-z"]', "faulty": "bass"}[state]
        file = programs / name / "variants.tvar"
        if text is not None:
            file.write_text(file.read_text().replace('["-a"]', text))
    assert tvarc("build", "--check", "a", "b/c").exit_code == code


@pytest.mark.slow
def test_names_stand_on_each_stream_and_once_where_both_are_one(programs: Path) -> None:
    file = programs / "a/variants.tvar"
    file.write_text(SMALL.replace("warn same-build", "# warn same-build"), encoding="utf-8")
    both = spawn("check", "--all", cwd=programs, shell="2>&1").stdout.decode()
    assert [line for line in both.split("\n") if line.endswith(".tvar:")] == [
        f"{name}:" for name in NAMES
    ]
    assert both.index("a/variants.tvar:\n") < both.index("warning[W114]") < both.index("b/c/")
    apart = tvarc("check", "--all")
    assert apart.stderr.startswith("a/variants.tvar:\nwarning[W114]")
    assert "a/variants.tvar:\n5 variants, 0 errors, 1 warning\n" in apart.stdout


def test_json_of_several_programs_is_a_list(programs: Path) -> None:
    (programs / "a/variants.tvar").write_text(FAULTY, encoding="utf-8")
    done = tvarc("build", "--all", "--json")
    found = json.loads(done.stdout)
    assert [(one["program"], one["exit_code"]) for one in found] == [
        (NAMES[0], 0), (NAMES[1], 1), (NAMES[2], 0),
    ]  # fmt: skip
    assert found[1]["result"] is None
    alone = json.loads(tvarc("build", "--json", "b/c").stdout)
    again = json.loads(tvarc("build", "--all", "--json", "b").stdout)
    assert again == [{"program": NAMES[2], "exit_code": 0, "result": alone}]
    listed = json.loads(tvarc("list", "--all", "b/", "--json").stdout)
    assert listed[0]["result"] == json.loads(tvarc("list", "b/c/", "--json").stdout)
    assert len(listed[0]["result"]) == 5


@pytest.mark.slow
def test_diagnostics_for_programs_are_one_object(programs: Path) -> None:
    for name in NAMES[:2]:
        (programs / name).write_text(FAULTY, encoding="utf-8")
    done = tvarc("check", "--all", "--format", "json")
    (line,) = done.stdout.splitlines()
    found = json.loads(line)["diagnostics"]
    assert [(one["program"], one["code"]) for one in found] == [
        (name, found[0]["code"]) for name in NAMES[:2]
    ]
    alone = json.loads(tvarc("check", "--format", "json").stdout)["diagnostics"]
    assert found[0] == {"program": NAMES[0], **alone[0]}
    both = tvarc("build", "--all", "--json", "--format", "json").stdout.split("\n", 1)
    assert len(json.loads(both[0])["diagnostics"]) == 2 and len(json.loads(both[1])) == 3


@pytest.mark.slow
def test_what_has_not_changed_is_known_of_each(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_cache(programs.parent / "cache")))
    assert tvarc("build", "--all").exit_code == 0
    from tvarc.commands.line import session

    monkeypatch.setattr(session, "compile_file", None)  # nothing is compiled
    done = tvarc("build", "--all")
    assert done.exit_code == 0 and done.stdout.count("0 written, 5 unchanged") == 3
    assert tvarc("build", "b/c").exit_code == 0


# --- options ---------------------------------------------------------------------------------


def test_a_selector_that_one_program_has(programs: Path) -> None:
    done = tvarc("build", "--all", "--only", "gpu=sm120")
    assert (done.exit_code, done.stderr) == (0, "")
    found = sections(done.stdout)
    assert found[NAMES[0]] == found[NAMES[1]] == "no variant is selected"
    assert found[NAMES[2]] == "2 recipes in b/c/pkgs: 2 written, 0 unchanged"
    # What is said of some is no record of what a run of one program says.
    assert tvarc("build", "--only", "gpu=sm120").exit_code == 1
    listed = tvarc("list", "--all", "gpu=sm120", "sm90", code=0)
    assert [text.count("\n") + 1 for text in sections(listed.stdout).values()] == [1, 1, 3]
    dropped = tvarc("list", "--all", "--excluded", "cuda=13.0")
    assert dropped.exit_code == 0 and dropped.stdout.count("never") == 3


@pytest.mark.parametrize("command", [["build", "--only"], ["list"], ["list", "--excluded"]])
def test_a_selector_that_no_program_knows_is_reported_once(
    programs: Path, command: list[str]
) -> None:
    done = tvarc(*command, "gpu=sm121", "--all")
    assert done.exit_code == 1 and done.stderr.count("error[E901]") == 1
    assert tvarc("list", "--all", "--json", "gpu=sm121").exit_code == 1


def test_settings_hold_for_each_program(programs: Path) -> None:
    done = tvarc("build", "a", "b/c", "--set", 'attrs.other="x"', "--flag", "fast=false", code=0)
    for name in ("a/pkgs/hello-cuda12_8-sm90.nix", "b/c/pkgs/hello-cuda12_8-sm90.nix"):
        text = (programs / name).read_text()
        assert 'other = "x"' in text and "echo fast" not in text
    (programs / "a/variants.tvar").write_text(SMALL.replace("fast", "quick"), encoding="utf-8")
    done = tvarc("build", "a", "b/c", "--flag", "fast=true")
    assert done.exit_code == 1 and list(sections(done.stderr)) == [NAMES[1]]


def test_each_prunes_its_own(programs: Path) -> None:
    tvarc("build", "--all")
    for name in ("a", "b/c"):
        folder = programs / name / "pkgs"
        (folder / "old.nix").write_bytes((folder / "hello-cuda12_8-sm90.nix").read_bytes())
    done = tvarc("build", "--prune", "a", "b/c")
    assert done.exit_code == 0 and done.stdout.count("removed pkgs/old.nix") == 2


def test_one_folder_for_several_makes_no_sense(programs: Path) -> None:
    for words in (["--all"], ["a", "b/c"]):
        done = tvarc("build", *words, "--out", "out")
        told = " ".join(done.stderr.split())
        assert done.exit_code == exits.USAGE and "the output folder of one program" in told
    assert tvarc("build", "a", "--out", "out").exit_code == 0


# --- how a program is named ------------------------------------------------------------------

COMMANDS = {
    "build": [], "check": [], "list": ["sm100"], "explain": ["cuda12_8-sm100"],
    "who": ["other/p.tvar:29"], "why-not": ["sm90", "cuda=13.0"],
    "diff": ["cuda12_8-sm90", "cuda12_8-sm100"], "audit": [], "pick": ["--host", "host.json"],
    "dump": ["--stage", "ast"], "lock": ["--check"], "bump": ["newest", "1"], "fmt": ["--check"],
    "realise": ["--builders", "nowhere"],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_word_and_the_option_are_one_thing(project: Path, command: str) -> None:
    """Each way to name a program gives the same, in every command that has one."""
    (project / "other").mkdir()
    (project / "other/p.tvar").write_text(SMALL, encoding="utf-8")
    (project / "variants.tvar").write_text("bad", encoding="utf-8")
    (project / "host.json").write_text(tvarc("pick", "--describe").stdout, encoding="utf-8")
    more = COMMANDS[command]
    lines = [
        ["--file", "other/p.tvar", *more], [*more, "--file=other/p.tvar"],
        ["other/p.tvar", *more], [*more, "other/p.tvar"], [*more, "./other/p.tvar"],
        ["other/p.tvar", *more, "--file", "other/p.tvar"],
    ]  # fmt: skip
    ran = [tvarc(command, *words) for words in lines]
    wrong = tvarc(command, *more)
    told = {(one.exit_code, one.stdout, one.stderr) for one in ran[: 5 if command in TWICE else 6]}
    if command == "build":  # the first has written them
        told = {
            (code, out.replace("5 written, 0 un", "0 written, 5 un"), err)
            for code, out, err in told
        }
    assert len(told) == 1
    assert (wrong.exit_code, wrong.stdout, wrong.stderr) not in told


TWICE = ("build", "check", "list")  # two words are two sections, be they the same program


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in (*TWICE, "fmt")])
def test_one_program_is_wanted(project: Path, command: str) -> None:
    done = tvarc(command, *COMMANDS[command], "--file", "a.tvar", "b.tvar")
    assert done.exit_code == exits.USAGE and "name one program" in " ".join(
        done.stderr.split()
    )


def test_a_folder_stands_for_its_program(programs: Path) -> None:
    for words in (
        ["explain", "cuda12_8-sm120", "--file", "b/c"], ["explain", "b/c/", "cuda12_8-sm120"],
        ["dump", "b/c", "--stage", "ast"], ["list", "b/c/", "sm120"], ["check", "b/c"],
    ):  # fmt: skip
        done = tvarc(*words)
        assert (done.exit_code, done.stderr.count("error")) == (0, 0), words


# --- annotations -----------------------------------------------------------------------------


@pytest.mark.slow
def test_annotations_are_from_the_top_of_the_repository(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    (programs / "b/c/shared.tvar").write_text("let x = nothing\n", encoding="utf-8")
    (programs / "b/c/variants.tvar").write_text(f'use "./shared.tvar"\n{OTHER}', encoding="utf-8")
    path = "file=b/c/shared.tvar,line=1"
    assert path in tvarc("check", "--all", "--format", "github").stdout
    for folder, words in (
        ("b/c", []),
        ("b", ["c"]),
        ("a", ["../b/c/variants.tvar"]),
        ("b", ["--all"]),
    ):
        monkeypatch.chdir(programs / folder)
        done = tvarc("check", *words, "--format", "github")
        assert path in done.stdout, (folder, words)
    assert "file=shared.tvar" not in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["build"], ["check"], ["list"], ["explain", "sm90"], ["who", "variants.tvar:1"],
        ["why-not", "sm90"], ["diff", "sm90", "sm100"], ["audit"], ["pick"], ["lock"], ["fmt"],
        ["dump", "--stage", "ir"], ["bump", "newest", "1"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_annotates_so(
    programs: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs / ".git").mkdir()
    (programs / "a/variants.tvar").write_text("let x = [1\n", encoding="utf-8")
    monkeypatch.chdir(programs / "a")
    done = tvarc(*words, "--format", "github")
    assert "::error file=a/variants.tvar,line=1," in done.stdout, done.stdout


def test_outside_of_a_repository_paths_are_as_they_were(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs / "a/variants.tvar").write_text("let x = [1\n", encoding="utf-8")
    assert "file=a/variants.tvar" in tvarc("check", "a", "--format", "github").stdout
    monkeypatch.chdir(programs / "a")
    assert "::error file=variants.tvar" in tvarc("check", "--format", "github").stdout


@pytest.mark.slow
def test_several_programs_load_little(programs: Path) -> None:
    """Not the library that defines the commands, nor the compiler where nothing has changed."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    spawn("build", "--all", "--no-git", cwd=programs)
    text = (
        "import sys; from tvarc.commands.start.main import main\n"
        "try: main()\nexcept SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", text, "build", "--all", "--no-git"],
        cwd=programs, env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = set(done.stderr.split())
    assert not {"typer", "tvarc.build.driver", "tvarc.meaning.resolve"} & loaded
