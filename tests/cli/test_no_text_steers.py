"""What a program has in its texts steers no terminal, is no command in a log, and no markup:
through every command and every form of it."""

from __future__ import annotations

import re
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from typer import testing

from support.command import spawn, tvarc
from tvarc.commands.line import exits, progress
from tvarc.commands.table import COMMANDS

EVIL = "\x1b[31m\x9b2J\u202e\u2066\a##vso[task.x]##[error]::error::x</script><b>"
WRITTEN = (
    "\\u{1b}[31m\\u{9b}2J\\u{202e}\\u{2066}\\u{7}##vso[task.x]##[error]\\n::error::x</script><b>"
)
PROGRAM = """
pin np { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }

axis gpu { a { label = "EVIL" }, b { label = "::error::EVIL" } }
axis more = ["x EVIL-not-a-name", "y"]

recipe r {
  package = pkgs.hello
  pin     = none
  attrs { note = "EVIL {{gpu.label}}", list += ["EVIL", "::error::b"], pname = "x" }
  env { TEXT = "EVIL" }
  meta { description = "EVIL {{gpu.label}}", platforms = ["x86_64-linux"] }
  passthru { more = more }
  script preConfigure {
    part evil \"\"\"
      echo 'EVIL'
    \"\"\"
  }
}

matrix builds {
  recipe = r
  axes   = gpu * more
  name   = "{{gpu}}-{{if more == "y" then "y" else "x"}}"
  exclude gpu == b and more == "y" because "EVIL"
}

output nix { file = "out/{{variant}}.nix" }
output docs: docs { file = "README.md" }
"""
COMMANDS_AND_FORMS = (
    ("build",),
    ("build", "--json"),
    ("build", "--dry-run"),
    ("build", "--format", "json"),
    ("build", "--format", "github"),
    ("build", "--check"),
    ("build", "--source-map", "--no-git"),
    ("build", "--adopt"),
    ("build", "--prune"),
    ("build", "--set", 'attrs.x="EVIL"'),
    ("check",),
    ("check", "--eval", "--dry-run"),
    ("check", "--format", "json"),
    ("check", "--format", "github"),
    ("list",),
    ("list", "--json"),
    ("list", "--columns", "name,gpu.label,meta.description,attrs.list"),
    ("list", "--format", "markdown", "--columns", "name,gpu.label,meta.description,attrs.list"),
    ("list", "--format", "csv", "--columns", "name,gpu.label,meta.description,attrs.list"),
    ("list", "--json", "--columns", "name,gpu.label,meta.description,attrs.list"),
    ("list", "--format", "github"),
    ("list", "--excluded"),
    ("list", "--excluded", "--json"),
    ("list", "--by", "more"),
    ("list", "--by", "more", "--json"),
    ("list", "--count"),
    ("list", "EVIL"),
    ("jobs",),
    ("jobs", "--as", "github"),
    ("jobs", "--format", "json"),
    ("explain", "a-y"),
    ("explain", "a-y", "--json"),
    ("report", "a-y", "--html", "-"),
    ("explain", "a-y", "attrs.note"),
    ("explain", "a-y", "meta.description", "--json"),
    ("explain", "a-y", "EVIL"),
    ("explain", "out/a-y.nix:11"),
    ("explain", "out/a-y.nix:11", "--json"),
    ("report", "--html", "-"),
    ("who", "variants.tvar:10"),
    ("who", "variants.tvar:10", "--json"),
    ("who", "variants.tvar:10", "--all"),
    ("why-not", "gpu=b", "more=y"),
    ("why-not", "gpu=b", "more=y", "--json"),
    ("why-not", "gpu=EVIL"),
    ("diff", "a-x", "a-y"),
    ("diff", "a-x", "a-y", "--all"),
    ("diff", "a-x", "a-y", "--json"),
    ("diff", "--against", "before.tvar"),
    ("diff", "--against", "before.tvar", "--json"),
    ("audit",),
    ("audit", "--json"),
    ("audit", "--format", "github"),
    ("audit", "byhand"),
    ("audit", "byhand", "--json"),
    ("import", "byhand", "-o", "made.tvar", "--dry-run"),
    ("import", "byhand", "-o", "made.tvar", "--json", "--dry-run"),
    ("import", "byhand", "-o", "made.tvar", "--report", "-"),
    ("init", "begun", "--template", "EVIL"),
    ("pick", "--host", "host.json"),
    ("facts", "EVIL"),
    ("fmt", "--check"),
    ("fmt", "--diff"),
    ("dump", "--stage", "ast"),
    ("dump", "--stage", "hir"),
    ("dump", "--stage", "ir"),
    ("dump", "--stage", "nix"),
    ("realise", "--dry-run", "EVIL"),
    ("test", "--dry-run", "EVIL"),
    ("lock", "--check"),
    ("bump", "pin", "np", "EVIL"),
    ("bump", "x", "EVIL"),
    ("stale", "--file", "EVIL"),
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program, what is built of it, and recipes by hand."""
    tmp_path = tmp_path_factory.mktemp("built")
    text = PROGRAM.replace("EVIL", WRITTEN)
    (tmp_path / "variants.tvar").write_text(text, encoding="utf-8")
    (tmp_path / "before.tvar").write_text(text.replace("TEXT", "OTHER"), encoding="utf-8")
    parts = ("counts", "variants", "choosing", "axis gpu label", "axis more", "names", "dropped")
    marks = [f"<!-- tvarc: {part} -->\n\n<!-- tvarc: end -->\n" for part in parts]
    (tmp_path / "README.md").write_text("\n".join(["# Read\n", *marks]), encoding="utf-8")
    (tmp_path / "host.json").write_text(f'{{"cpu": "{EVIL[:0]}x"}}', encoding="utf-8")
    byhand = tmp_path / "byhand"
    byhand.mkdir()
    for name in ("x-sm80", "x-sm90"):
        (byhand / f"{name}.nix").write_text(
            f'{{ hello }}:\nhello.overrideAttrs (old: {{\n  note = "{EVIL}{name}";\n'
            f"  # {EVIL}\n}})\n",
            encoding="utf-8",
        )
    (byhand / "broken.nix").write_text(f'{{ "{EVIL}" = ;', encoding="utf-8")
    with chdir(tmp_path):
        done = tvarc("build")
    assert done.exit_code == 0, done.output
    return tmp_path


def show_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `tvarc` write to what it takes for a terminal. The streams say so themselves: modules
    that are imported meanwhile keep no function of a test."""
    monkeypatch.setattr(
        testing._NamedTextIOWrapper,
        "isatty",
        lambda stream: stream.name in ("<stdout>", "<stderr>"),
    )


@pytest.fixture
def here(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the folder, as the current one."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(progress, "PATIENCE", 1000.0)  # its line is no text of a program
    for service in ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"):
        monkeypatch.delenv(service, raising=False)
    return tmp_path


def steers(text: str) -> list[str]:
    """What of *text* a terminal or the log of a build takes for a command."""
    found = [f"U+{ord(one):04X}" for one in text if one not in "\n\t" and not one.isprintable()]
    found += re.findall(r"##(?:vso|teamcity)?\[", text, re.IGNORECASE)
    return found + re.findall(r"(?m)^\s*::.*", text)


def closing(text: str) -> int:
    return len(re.findall("</script", text)) - len(re.findall("<script", text))


# `lsp` only answers an editor, and `watch` does not end.
NAMED = {"lsp", "watch", *[words[0] for words in COMMANDS_AND_FORMS]}
WITHOUT_WORDS = tuple([(name,) for name in COMMANDS if name not in NAMED])
"""Commands that the table does not name: they run as they are."""


@pytest.mark.parametrize("words", (*COMMANDS_AND_FORMS, *WITHOUT_WORDS), ids=" ".join)
def test_nothing_that_is_shown_steers(
    here: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    show_on_a_terminal(monkeypatch)
    done = tvarc(*[word.replace("EVIL", EVIL) for word in words])
    assert done.stdout or done.stderr or words == ("lsp",)  # it answers an editor alone
    assert done.exit_code != exits.USAGE, done.stderr
    told = done.stdout
    if "github" in words and words[0] in ("build", "check", "audit", "list"):
        told = re.sub(r"(?m)^::(?:error|warning|notice) [^:\n]*::", "", told)  # our own commands
    assert steers(told) == [] and steers(done.stderr) == [], done.output
    if "--html" in words:
        assert closing(told) == 0


WRONG_LINES = (
    ("EVIL",),
    ("--EVIL",),
    ("check", "--EVIL"),
    ("check", "--EVIL=x"),
    ("check", "--format", "EVIL"),
    ("check", "-ZEVIL"),
    ("check", "--json=EVIL"),
    ("pick", "EVIL", "EVIL"),
    ("realise", "--max-jobs", "EVIL"),
    ("who", "EVIL"),
)


@pytest.mark.slow
@pytest.mark.parametrize("words", WRONG_LINES, ids=" ".join)
def test_nothing_that_a_wrong_line_quotes_steers(here: Path, words: tuple[str, ...]) -> None:
    """Also where the library for command lines says what is wrong."""
    done = spawn(*[word.replace("EVIL", EVIL) for word in words], cwd=here)
    told = done.stderr.decode()
    assert done.returncode == exits.USAGE and "Error: " in told
    assert steers(told) == [] and done.stdout == b"", told


def test_pages_that_are_written_into_a_repository(here: Path) -> None:
    page = (here / "README.md").read_text(encoding="utf-8")
    assert page.count("::error::x") > 3, page
    words = re.sub("`[^`\n]*`", "", page)  # nothing in code is markup
    assert steers(page) == [] and not re.search(r"(?<!\\)</script", words), page


def test_data_for_another_program_is_as_it_is(here: Path) -> None:
    """CSV that no terminal shows: what a spreadsheet reads is what the program says."""
    done = tvarc("list", "--format", "csv", "--columns", "gpu.label", "a-y")
    assert "##vso[task.x]##[error]\n::error::x</script>" in done.stdout
    assert "\u202e" in done.stdout
