"""The form `docs` of an output: parts of a person's page are filled in; all else on it stays
as it is."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from support.command import ROOT, put_small, tvarc
from tvarc.commands.line import exits

PROGRAM = """\
axis gpu {
  sm80  { label = "A100", cores = 6912 }
  sm90  { label = "H100", cores = 16896 }
  sm121 { label = "DGX Spark", cores = 6144 }
}
axis jobs = [4, 8]
recipe app { package = pkgs.hello, pin = none, env { GPU = gpu.label, JOBS = jobs } }
matrix apps {
  recipe = app
  axes   = gpu * jobs
  name   = "app-{{gpu}}-j{{jobs}}"
  exclude gpu == sm121 and jobs == 8 because "it has | little memory"
}
output nix { file = "pkgs/{{variant}}.nix" }
output docs: docs { file = "README.md" }
"""
BY_HAND = """\
# Ours

There are *some* variants.

<!-- tvarc: counts -->
<!-- tvarc: end -->

```html
<!-- tvarc: variants -->
<!-- tvarc: end -->
```

<!-- tvarc: axis gpu cores -->
<!-- tvarc: end -->
The end, without a line end."""


@pytest.fixture(autouse=True)
def page(here: Path) -> Path:
    """A program in the current folder, and the page that somebody wrote."""
    put_small(here, PROGRAM)
    file = here / "README.md"
    file.write_text(BY_HAND, encoding="utf-8", newline="")
    return file


def test_parts_are_filled_in_and_the_rest_stays(page: Path) -> None:
    done = tvarc("build", code=exits.OK)
    assert "README.md: 2 parts: 2 written, 0 unchanged\n" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert "5 variants of 6 cells." in text and "| `jobs` | `4` | 3 |" in text
    assert "| gpu | cores |\n|---|---|\n| `sm80` A100 | 6912 |" in text
    lines = iter(text.split("\n"))
    kept = [line for line in BY_HAND.split("\n") if "tvarc: end" not in line]
    assert all(line in lines for line in kept)  # each of them, in this order
    assert text.startswith("# Ours\n\nThere are *some* variants.\n\n<!-- tvarc: counts -->\n")
    assert "```html\n<!-- tvarc: variants -->\n<!-- tvarc: end -->\n```\n" in text
    assert text.endswith(" -->\nThe end, without a line end.")
    again = tvarc("build")
    assert "README.md: 2 parts: 0 written, 2 unchanged\n" in again.stdout
    assert page.read_text(encoding="utf-8") == text


def test_a_page_is_made_where_there_is_none(page: Path) -> None:
    page.unlink()
    done = tvarc("build")
    assert "README.md: 6 parts: 6 written, 0 unchanged\n" in done.stdout, done.stderr
    text = page.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Variants of `variants.tvar`",
        "## How many there are",
        "## The variants",
        "## Which one to take",
        "## What the names say",
        "## What is not built",
        "## Values of `gpu`",
    ]
    assert "| `app-sm80-j4` | `sm80` A100 | `4` |" in text
    assert "| 1 | it has \\| little memory |" in text
    assert "| `sm121` | DGX Spark |" in text
    assert "| `sm80` | `gpu` | `sm80`, `sm90`, `sm121` |" in text
    assert str(page.parent) not in text
    assert tvarc("build", "--check").exit_code == exits.OK


def test_a_change_of_the_program_is_seen_by_check(page: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    before = page.read_text(encoding="utf-8")
    put_small(page.parent, PROGRAM.replace("[4, 8]", "[4, 8, 16]"))
    checked = tvarc("build", "--check", code=exits.STALE)
    assert "error[E804]: `README.md` is out of date" in checked.stderr
    assert "  counts\n" in checked.stderr and "axis gpu" not in checked.stderr
    assert page.read_text(encoding="utf-8") == before
    tried = tvarc("build", "--dry-run")
    assert "fill in `counts` in README.md\n" in tried.stdout
    assert page.read_text(encoding="utf-8") == before
    data = json.loads(tvarc("build", "--json").stdout)
    assert data["pages"] == [
        {"file": "README.md", "created": False, "changed": ["counts"], "unchanged": 1}
    ]


def test_what_somebody_wrote_into_a_part_is_not_lost(page: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    edited = page.read_text(encoding="utf-8").replace("5 variants", "FIVE variants")
    page.write_text(edited, encoding="utf-8", newline="")
    refused = tvarc("build", code=exits.FAILED)
    assert "error[E801]: part `counts` of `README.md` was changed by hand" in refused.stderr
    assert page.read_text(encoding="utf-8") == edited
    adopted = tvarc("build", "--adopt", code=exits.OK)
    assert "FIVE" in adopted.stdout and "FIVE" not in page.read_text(encoding="utf-8")
    assert (page.parent / "README.md.orig").read_text(encoding="utf-8") == edited
    page.write_text(edited, encoding="utf-8", newline="")
    assert tvarc("build", "--force").exit_code == exits.OK
    assert "FIVE" not in page.read_text(encoding="utf-8")


def test_what_stands_between_new_marks_is_not_lost(page: Path) -> None:
    text = BY_HAND.replace("<!-- tvarc: end -->", "mine\n<!-- tvarc: end -->", 1)
    page.write_text(text, encoding="utf-8", newline="")
    assert "E801" in tvarc("build").stderr
    assert page.read_text(encoding="utf-8") == text


def test_ends_of_lines_stay(page: Path) -> None:
    page.write_bytes(BY_HAND.replace("\n", "\r\n").encode())
    assert tvarc("build").exit_code == exits.OK
    data = page.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 20
    assert "0 written, 2 unchanged" in tvarc("build").stdout
    # git may turn them all: that is nobody's edit.
    page.write_bytes(data.replace(b"\r\n", b"\n"))
    assert tvarc("build").exit_code == exits.OK


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# No mark\n", "has no mark where output `docs` can write"),
        ("<!-- tvarc: counts -->\n", "has no end"),
        ("<!-- tvarc: end -->\n", "has no beginning"),
        ("<!-- tvarc: -->\n<!-- tvarc: end -->\n", "does not name a part"),
        ("<!-- tvarc: count -->\n<!-- tvarc: end -->\n", "there is no part of a page `count`"),
        ("<!-- tvarc: axis -->\n<!-- tvarc: end -->\n", "the mark names no axis of a matrix"),
        ("<!-- tvarc: axis gpus -->\n<!-- tvarc: end -->\n", "no axis of a matrix `gpus`"),
        ("<!-- tvarc: axis gpu core -->\n<!-- tvarc: end -->\n", "no fact of axis `gpu` `core`"),
        ("<!-- tvarc: counts gpu -->\n<!-- tvarc: end -->\n", "no word of part `counts` `gpu`"),
        ("<!-- tvarc: variants x -->\n<!-- tvarc: end -->\n", "no matrix with variants `x`"),
    ],
)
def test_a_page_that_cannot_be_filled_in_is_told(page: Path, text: str, says: str) -> None:
    page.write_text(text, encoding="utf-8", newline="")
    refused = tvarc("build", code=exits.FAILED)
    assert "error[E807]" in refused.stderr and says in refused.stderr
    assert page.read_text(encoding="utf-8") == text
    assert not (page.parent / "pkgs").exists()  # nothing is half-written


def test_all_faults_of_a_page_are_told_at_once(page: Path) -> None:
    page.write_text(
        "<!-- tvarc: count -->\n<!-- tvarc: end -->\n<!-- tvarc: nams -->\n<!-- tvarc: end -->\n"
        "<!-- tvarc: counts -->\n",
        encoding="utf-8",
    )
    told = tvarc("build").stderr
    assert told.count("error[E807]") == 3
    assert "did you mean `counts`" in told and "did you mean `names`" in told


def test_of_some_variants_no_page_is_written(page: Path) -> None:
    done = tvarc("build", "--only", "sm80", code=exits.OK)
    assert "--only does not change pages\n" in done.stdout
    assert page.read_text(encoding="utf-8") == BY_HAND


@pytest.mark.parametrize("kind", ["folder", "link", "bytes", "program"])
def test_what_is_no_page_is_left_alone(page: Path, kind: str) -> None:
    page.unlink()
    if kind == "folder":
        page.mkdir()
    elif kind == "link":
        (page.parent / "other").write_text("mine", encoding="utf-8")
        page.symlink_to("other")
    elif kind == "bytes":
        page.write_bytes(b"\xff\xfe<!-- tvarc: counts -->")
    else:
        put_small(page.parent, PROGRAM.replace("README.md", "variants.tvar"))
    refused = tvarc("build")
    assert refused.exit_code == exits.FAILED and "Traceback" not in refused.stderr
    assert not (page.parent / "pkgs").exists()  # nothing is half-written
    if kind == "bytes":
        assert "line 1 of it is not UTF-8" in refused.stderr
    if kind == "link":
        assert (page.parent / "other").read_text(encoding="utf-8") == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(page: Path) -> None:
    page.parent.chmod(0o555)
    try:
        assert "E802" in tvarc("build").stderr
    finally:
        page.parent.chmod(0o755)


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ('output docs: docs { file = "{{variant}}.md" }', "E403"),
        ("output docs: docs { }", "E208"),
        ('output docs: docs { file = "a.md", prefix = "x" }', "E209"),
        ('output docs: docs { file = "a.md", only = true }', "E209"),
        ('output docs: docs { file = "../a.md" }', "E403"),
        ('output docs: docs { file = "a.nix" }', "E403"),
        ('output docs: docs { file = "README.md" }\noutput more: docs { file = "README.md" }',
         "E402"),
    ],
)  # fmt: skip
def test_outputs_that_cannot_be(page: Path, output: str, code: str) -> None:
    put_small(page.parent, PROGRAM.replace('output docs: docs { file = "README.md" }', output))
    for command in ("check", "build"):
        told = tvarc(command)
        assert told.exit_code == exits.FAILED and f"error[{code}]" in told.stderr, told.stderr
    assert page.read_text(encoding="utf-8") == BY_HAND


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    sorted(
        one.parent.name
        for one in (ROOT / "examples").glob("*/README.md")
        if (one.parent / "variants.tvar").exists()
    ),
)
def test_the_page_of_each_example_is_made_so(tmp_path: Path, name: str) -> None:
    """No table of it is typed by hand: a build makes the page that is there."""
    examples = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", examples, ignore=shutil.ignore_patterns(".flox", "*.orig"))
    os.chdir(examples / name)
    before = Path("README.md").read_text(encoding="utf-8")
    assert "<!-- tvarc: end " in before
    tvarc("build", "--no-git", code=exits.OK)
    assert Path("README.md").read_text(encoding="utf-8") == before
