"""What a program or a folder may bring along to hurt whoever runs a command on it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from support.command import spawn, tvarc
from tvarc.build.diff.contents import contents_at
from tvarc.commands.line import exits
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.text.diagnostics.log_commands import without_commands
from tvarc.text.diagnostics.model import MOST_ERRORS
from tvarc.text.paths import is_reserved
from tvarc.text.source import UnreadableSource

PROGRAM = """\
recipe r {{ package = pkgs.hello, pin = none
{body}
}}
variant v {{ recipe = r }}
output o {{ file = "{file}" }}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for service in ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"):
        monkeypatch.delenv(service, raising=False)
    return folder


def write(project: Path, body: str = "", file: str = "{{variant}}.nix") -> None:
    text = PROGRAM.format(body=body, file=file)
    (project / "variants.tvar").write_text(text, encoding="utf-8")


def below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# --- where nothing is written -------------------------------------------------------------------


@pytest.mark.parametrize(
    "folder",
    [
        ".git", ".git/hooks", ".GIT/hooks", ".Git", "sub/.git", ".git.", ".git ", "git~1",
        ".g\u200cit", "\ufeff.git", ".git::$INDEX_ALLOCATION", "tvar.lock", "TVAR.lock",
        "a/tvar.lock/b", "GIT~1/hooks", "git~2", "sub/Git~4/hooks", "git~10.",
    ],
)  # fmt: skip
def test_nothing_is_written_below_a_folder_of_git_or_in_place_of_the_lock(
    project: Path, folder: str
) -> None:
    write(project, file=f"{folder}/{{{{variant}}}}.nix")
    before = below(project)
    ran = tvarc("build", "--no-git", code=exits.FAILED)
    assert "error[E803]" in ran.stderr or "error[E403]" in ran.stderr, ran.stderr
    assert below(project) == before


def test_names_like_those_are_free() -> None:
    free = (
        ".github",
        "git",
        ".gitignore",
        "x.git",
        "git~",
        "git~x",
        "agit~1",
        "tvar.lock.nix",
        "a.tvar",
    )
    assert not any(map(is_reserved, free))


@pytest.mark.parametrize("out", [".git/hooks", "link/hooks", "sub/../.git", ".GIT"])
def test_out_does_not_lead_there(project: Path, out: str) -> None:
    write(project)
    for folder in (".git/hooks", ".GIT", "sub"):
        (project / folder).mkdir(parents=True, exist_ok=True)
    (project / "link").symlink_to(".git")
    before = below(project)
    ran = tvarc("build", "--no-git", "--out", out, code=exits.FAILED)
    assert "error[E803]" in ran.stderr, ran.stderr
    assert below(project) == before


# --- what is waited for -------------------------------------------------------------------------


def test_a_pipe_is_no_file(project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "folder").mkdir()

    def tree(name: str) -> object:
        return contents_at(name, name)  # a folder is what is in it

    for read in (
        tree,
        lambda name: DiskLoader(stdlib_dir()).read(name),
    ):
        for name, reason in (
            ("pipe", "it is not a plain file"),
            ("/dev/zero", "it is not a plain file"),
            ("folder", "it is a folder, not a file"),
            ("none", "no such file or directory"),
        ):
            if name == "folder" and read is tree:
                continue
            with pytest.raises(UnreadableSource) as fault:
                read(name)
            assert fault.value.reason == reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('attrs { patches = [path("./pipe")] }', ("build",)),
        ('attrs { patches = [path("./pipe")] }', ("check",)),
        ('}\nuse "./pipe" as other\nrecipe unused { package = pkgs.hello', ("check",)),
        ("", ("audit", ".")),
        ("", ("fmt", "pipe")),
        ("", ("lock", "--check")),
    ],
)
def test_no_command_waits_for_a_pipe(project: Path, body: str, words: tuple[str, ...]) -> None:
    write(project, body)
    for name in ("pipe", "pipe.nix", "tvar.lock"):
        os.mkfifo(project / name)
    ran = spawn(*words, cwd=project)  # ends, or the test does by its time limit
    assert b"internal error" not in ran.stderr


# --- dates --------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["-1", "x", "1.5", "9" * 30, "253402300800", "²", " 1"])
def test_a_date_that_is_none_is_told(project: Path, given: str) -> None:
    write(project)
    ran = tvarc("lock", env={"SOURCE_DATE_EPOCH": given}, code=exits.FAILED)
    assert "error[E802]" in ran.stderr
    assert "SOURCE_DATE_EPOCH" in ran.stderr
    assert not (project / "tvar.lock").exists()


@pytest.mark.parametrize("given", ["", "0", "1770076800", "253402300799"])
def test_a_date_is_taken(project: Path, given: str) -> None:
    write(project)
    tvarc("lock", env={"SOURCE_DATE_EPOCH": given}, code=exits.OK)


# --- how much is told ---------------------------------------------------------------------------


@pytest.mark.slow
def test_so_many_errors_are_told_and_the_rest_is_counted(project: Path) -> None:
    lines = "\n".join(f'x{i} = 1 == "a"' for i in range(1421))
    write(project, f"attrs {{ {lines} }}")
    text = tvarc("check", code=exits.FAILED)
    assert text.stderr.count("error[E303]") == MOST_ERRORS
    assert text.stderr.rstrip().endswith("and 1,321 more errors")
    assert "variants.tvar:2:" in text.stderr
    assert "1421 errors, 0 warnings" in text.stdout
    data = tvarc("check", "--format", "json")
    told = json.loads(data.stdout.splitlines()[0])
    assert len(told["diagnostics"]) == MOST_ERRORS
    assert told["more"] == 1321
    github = tvarc("check", "--format", "github")
    assert github.stdout.count("::error ") == MOST_ERRORS + 1
    assert "::error title=and more::and 1,321 more errors\n" in github.stdout


def test_all_of_a_hundred_are_told(project: Path) -> None:
    lines = "\n".join(f'x{i} = 1 == "a"' for i in range(MOST_ERRORS))
    write(project, f"attrs {{ {lines} }}")
    ran = tvarc("check")
    assert ran.stderr.count("error[E303]") == MOST_ERRORS
    assert " more error" not in ran.stderr
    data = json.loads(tvarc("check", "--format", "json").stdout.splitlines()[0])
    assert "more" not in data


# --- commands to who runs a build ---------------------------------------------------------------

MARKS = ("::set-output name=a::b", "::error::x", "##[command]x", "##vso[task.x]y", "##teamcity[z]")
SCRIPT = "\n".join(f"{indent}{mark}" for mark in MARKS for indent in ("", "  ", "# "))


def commands(text: str) -> list[str]:
    """Lines that a runner takes for a command."""
    marks = ("##[", "##vso[", "##teamcity[")
    return [
        line
        for line in text.splitlines()
        if line.lstrip().startswith("::") or any(mark in line for mark in marks)
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "v"), ("explain", "v", "script.preConfigure"), ("explain", "v", "attrs.x"),
        ("explain", "v", "--json"), ("list",), ("check",), ("who", "variants.tvar:4"),
        ("who", "variants.tvar:4", "--json"), ("why-not", "v"), ("dump", "--stage", "nix"),
        ("build", "--no-git"),
        ("build", "--adopt", "--dry-run", "--no-git"), ("fmt", "--diff"), ("check", "other.tvar"),
        ("check", "other.tvar", "--format", "github"), ("diff", "v", "w"),
        ("check", "other.tvar", "--format", "json"),
    ],
)  # fmt: skip
def test_no_output_holds_a_command(project: Path, words: tuple[str, ...]) -> None:
    part = f'part a """\n{SCRIPT}\n"""'
    values = "\n".join(f'x{i} = "{mark}"' for i, mark in enumerate(MARKS))
    write(project, f"script preConfigure {{\n{part}\n}}\nattrs {{\n{values}\n}}")
    with (project / "variants.tvar").open("a", encoding="utf-8") as file:
        file.write('recipe s extends r { script preConfigure { part b """\n::x\n""" } }\n')
        file.write("variant w { recipe = s }\n")
    (project / "v.nix").write_text(f"# old\n{SCRIPT}\n", encoding="utf-8")
    (project / "other.tvar").write_text(
        f"axis a = [{', '.join(json.dumps(mark) for mark in MARKS)}]\n"
        "recipe r { package = pkgs.hello, pin = none\nattrs { x = a == 1 } }\n"
        'matrix m { recipe = r, axes = a, name = "{{a}}" }\noutput o { file = "x.nix" }\n',
        encoding="utf-8",
    )
    ran = tvarc(*words, env={"CI": "true"})
    own = ("::error ", "::warning ") if "github" in words else ()
    told = [line for line in commands(ran.stdout + ran.stderr) if not line.startswith(own or "\0")]
    assert told == []
    if "--json" in words or "json" in words:
        json.loads(ran.stdout.splitlines()[0] if "json" in words else ran.stdout)


@pytest.mark.slow
def test_what_is_for_a_file_stays_as_it_is(project: Path) -> None:
    text = f'let a = """\n{SCRIPT}\n"""\n'
    (project / "a.tvar").write_text(text, encoding="utf-8")
    spawn("fmt", "-", cwd=project, shell="< a.tvar > b.tvar", env={"CI": "true"}, code=exits.OK)
    made = (project / "b.tvar").read_text(encoding="utf-8").splitlines()
    assert [line.lstrip() for line in made] == [line.lstrip() for line in text.splitlines()]


def test_neutralising_changes_nothing_else() -> None:
    for text in ("a::b\n", "std::move ## x\n", "#[x]", "\n", "", ": :x"):
        assert without_commands(text) == text
    assert without_commands("a\n ::x::y") == "a\n <U+003A>:x::y"
    assert without_commands("a ##[x]") == "a <U+0023>#[x]"
    assert without_commands("a ##VSO[x] ##TeamCity[y") == "a <U+0023>#VSO[x] <U+0023>#TeamCity[y"
    assert without_commands("a\r::x\r\n ::y\n") == "a\r<U+003A>:x\r\n <U+003A>:y\n"
    for text in ("###[x]", "####[x]", "#####vso[x]", "##[##vso[x]"):
        assert commands(without_commands(text)) == [], text
        assert without_commands(text).replace("<U+0023>", "#") == text


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["", "| cat", "> log 2>&1; cat log"])
def test_a_recipe_that_is_dumped_to_a_log(project: Path, shell: str) -> None:
    lines = "\n".join(f"{indent}{mark}" for mark in MARKS for indent in ("", "  "))
    write(project, f'script preConfigure {{\npart a """\n{lines}\n"""\n}}')
    ran = spawn("dump", "--stage", "nix", cwd=project, shell=shell, env={"CI": "true"})
    assert ran.returncode == exits.OK and b"<U+003A>:error" in ran.stdout
    assert commands(ran.stdout.decode()) == []
