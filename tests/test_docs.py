"""The documents tell the truth: their commands print what they show, their links lead somewhere.

In a `console` block a line that begins with `$ ` is a command; what follows it is its output. All
blocks of one section run in one folder. The folder has:

- the blocks marked `file=NAME` of the section;
- for `examples/README.md` the examples, and for the README of an example its folder;
- for `docs/howto.md` its program. The section's blocks marked `in=recipe`, `in=matrix` and `in=top`
  change the recipe, the matrix and the top level of that program;
- for every other page a copy of `variants.tvar`.

Commands of `docs/start.md` are typed as a new user would, in a home of their own with a checkout in
`~/tvarc`; its `sh` blocks have the commands that no test can run, each in NOT_RUN. `docs/tour.md`
is one session from its first line to its last, with a home of its own.
With UPDATE_DOCS=1 in the environment the outputs are rewritten.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.command import tvarc
from support.compile import ROOT
from support.effort import for_each
from support.fences import FENCE, words_of
from tvarc.text.diagnostics.registry import CODES

EXAMPLES = ROOT / "examples"
START = ROOT / "docs" / "start.md"
TOUR = ROOT / "docs" / "tour.md"
HOWTO = ROOT / "docs" / "howto.md"
DOCUMENTS = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "RELEASING.md",
    ROOT / "SECURITY.md",
    EXAMPLES / "README.md",
    *sorted(EXAMPLES.glob("*/README.md")),
    ROOT / "bench" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "language").glob("*.md")),
    ROOT / "docs" / "commands" / "README.md",
    ROOT / "docs" / "errors" / "README.md",
)
PAGES = (*DOCUMENTS, *sorted((ROOT / "docs" / "errors").glob("*.md")))
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
UPDATE = os.environ.get("UPDATE_DOCS") == "1"
NOT_RUN = {
    "git clone https://github.com/OWNER/tvarc ~/tvarc": "fetches; the tests have a checkout",
    "python3 -m venv ~/tvarc-venv": "`tests/test_wheel.py` makes such an environment",
    "~/tvarc-venv/bin/pip install ~/tvarc": "fetches; `tests/test_wheel.py` installs the wheel",
    'export PATH="$HOME/tvarc-venv/bin:$PATH"': "the tests have a PATH with this checkout's tvarc",
    'export PATH="$PWD/.venv/bin:$PATH"': "the same, for the tour",
    "nix-build .flox/pkgs/ffmpeg-web-x86-64-v3.nix": "fetches nixpkgs and compiles FFmpeg",
    "tvarc lock": "fetches nixpkgs; `tests/lock/` runs it with programs that stand in for Nix",
}
"""The commands of `docs/start.md` and `docs/tour.md` that no test runs as they are, each with the
reason."""


@dataclass(frozen=True)
class Section:
    """The part of a document from one `## ` heading to the next, or the whole tour."""

    document: Path
    title: str
    text: str


def sections(document: Path) -> list[Section]:
    text = document.read_text(encoding="utf-8")
    parts = [text] if document == TOUR else re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return [Section(document, part.partition("\n")[0].strip("# "), part) for part in parts]


def with_console() -> list[Section]:
    return [s for d in DOCUMENTS for s in sections(d) if "```console\n" in s.text]


@pytest.mark.slow
@pytest.mark.parametrize("section", with_console(), ids=lambda section: section.title)
def test_commands_print_what_is_shown(section: Section, tmp_path: Path) -> None:
    environment = prepare(section, tmp_path)
    shell = Shell(tmp_path / "copy", tmp_path / "folder", environment)

    def run(block: re.Match[str]) -> str:
        if block["language"] != "console":
            return block[0]
        shown: list[str] = []
        for line in block["text"].splitlines():
            if line.startswith("$ "):
                shown.append(line)
                shown += shell.output_of(line.removeprefix("$ "))
        comment = block[0].partition("```")[0]
        return "\n".join([f"{comment}```console", *shown, "```"])

    found = FENCE.sub(run, section.text)
    if UPDATE:
        whole = section.document.read_text(encoding="utf-8")
        section.document.write_text(whole.replace(section.text, found), encoding="utf-8")
    else:
        assert found == section.text


def prepare(section: Section, scratch: Path) -> dict[str, str]:
    """Fill the folder that the commands run in; the environment in which `tvarc` is found."""
    folder, programs = scratch / "copy", scratch / "bin"
    folder.mkdir()
    programs.mkdir()
    if section.document.parent == EXAMPLES:
        for path in EXAMPLES.glob("*/*.tvar"):
            copy = folder / path.relative_to(EXAMPLES)
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(path, copy)
    elif section.document.parent.parent == EXAMPLES:
        shutil.copytree(section.document.parent, folder, dirs_exist_ok=True)
        shutil.copytree(EXAMPLES / "shared", scratch / "shared")
    elif section.document == HOWTO:
        (folder / "variants.tvar").write_text(answered(section), encoding="utf-8")
    elif section.document == START:
        (folder / "tvarc").symlink_to(ROOT, target_is_directory=True)
    else:
        shutil.copy(ROOT / "variants.tvar", folder)
    for block in FENCE.finditer(section.text):
        name = words_of(block)[1].get("file")
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(block["text"], encoding="utf-8")
    tvarc = programs / "tvarc"
    python = f"{shlex.quote(sys.executable)} -m tvarc"
    tvarc.write_text(f'#!/bin/sh\nexec {python} "$@"\n', encoding="utf-8")
    tvarc.chmod(0o755)
    kept = {key: os.environ[key] for key in ("HOME", "PYTHONPATH", "TMPDIR") if key in os.environ}
    searched = f"{programs}:{os.environ['PATH']}"
    if section.document in (START, TOUR):
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        kept |= {"HOME": str(folder), "XDG_CACHE_HOME": cache}
    return {**kept, "PATH": searched, "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": "1770076800"}


def answered(section: Section) -> str:
    """The program of `docs/howto.md` with the lines of one answer."""
    every = FENCE.finditer(HOWTO.read_text(encoding="utf-8"))
    program = next(block["text"] for block in every if words_of(block)[0] == ["base"])
    for block in FENCE.finditer(section.text):
        place = words_of(block)[1].get("in")
        if place == "top":
            program += "\n" + block["text"]
        elif place is not None:
            start = program.index(f"\n{place} ")
            end = program.index("\n}\n", start) + 1
            own = program[start:end]
            for key in re.findall(r"^(\w+) +=", block["text"], re.MULTILINE):
                own = re.sub(rf"^  {key} +=.*\n", "", own, flags=re.MULTILINE)
            program = program[:start] + own + textwrap.indent(block["text"], "  ") + program[end:]
    return program


ALONE = re.compile(r"tvarc [^|&;<>`$*~\\]*")


@dataclass
class Shell:
    """Runs commands one after another; each begins in the `folder` that the one before ended in,
    which stands in the file `ended`."""

    folder: Path
    ended: Path
    environment: dict[str, str]

    def output_of(self, command: str) -> list[str]:
        """The lines that *command* prints, on either stream. A command of tvarc alone runs in this
        process, which saves its start."""
        if ALONE.fullmatch(command):
            unset = dict.fromkeys(os.environ.keys() - self.environment.keys())
            with chdir(self.folder):
                here = tvarc(*shlex.split(command)[1:], env=unset | self.environment)
            # A process writes what it has for stdout when it ends.
            return (here.stderr + here.stdout).splitlines()
        done = subprocess.run(
            ["/bin/sh", "-c", f"trap 'pwd >{shlex.quote(str(self.ended))}' EXIT\n{command}"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        self.folder = Path(self.ended.read_text(encoding="utf-8").rstrip("\n"))
        return done.stdout.decode("utf-8").splitlines()


def test_each_command_of_the_tutorial_is_run_or_says_why_not() -> None:
    """Those of `console` blocks are run above, the dialogue in `tests/starting`; each line of an
    `sh` block, of the tour as well, is one that cannot be run, with the reason."""
    found: dict[str, list[str]] = {}
    text = START.read_text(encoding="utf-8") + TOUR.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        found.setdefault(block["language"], []).extend(block["text"].splitlines())
    assert text.count("```") == 2 * len(FENCE.findall(text))
    assert found.keys() == {"console", "sh", "text"}
    assert sorted(found["sh"]) == sorted(NOT_RUN)
    dialogues = [line for line in found["text"] if line.startswith("$ ")]
    assert dialogues == ["$ tvarc init --tvarc github:OWNER/tvarc/REV"]


@for_each("document", DOCUMENTS)
def test_links_lead_somewhere(document: Path) -> None:
    text = FENCE.sub("", document.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        path = (document.parent / file) if file else document
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path), target


def anchors(document: Path) -> set[str]:
    """What the headings of *document* are called in links."""
    text = FENCE.sub("", document.read_text(encoding="utf-8"))
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in kept}


@for_each("document", PAGES)
def test_a_fence_names_its_language_alone(document: Path) -> None:
    """What tests are to know of a block stands in a comment before it, see `support/fences.py`."""
    text = document.read_text(encoding="utf-8")
    assert not re.findall(r"^ *```\w+ +\S.*$", text, re.MULTILINE)


@for_each("document", DOCUMENTS)
def test_codes_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    found = set(re.findall(r"\b[EW]\d{3}\b", text))
    shown = set(re.findall(r"^\+\+\+ b/docs/errors/(\w+)\.md$", text, re.MULTILINE))  # as a diff
    assert found <= CODES.keys() | shown


def test_commands_of_a_fresh_machine_stand_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/tvarc build\n" in readme
    assert ".venv/bin/pip install '.[test]' && .venv/bin/pytest -n auto\n" in readme
