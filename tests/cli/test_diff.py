"""`diff`: two variants, or the program against a commit, a folder or a file."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from support.command import SMALL, calls, git, put_small, spawn, tvarc
from support.compile import ROOT, VARIANTS
from support.effort import for_each
from tvarc.commands.line import exits

# The toolkit is in the script as well, so that cells differ by more than their names.
TOLD = SMALL.replace("echo {{gpu}}", "echo {{gpu}} {{cuda}}")
PAIR = ("hello-cuda12_8-sm90", "hello-cuda13_0-sm103")


def write(folder: Path, text: str, name: str = "variants.tvar") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    put_small(folder, text, name)


def rows(text: str) -> list[str]:
    """The lines of *text*, each run of blanks one."""
    return [" ".join(line.split()) for line in text.splitlines()]


# --- two variants ------------------------------------------------------------------------------


def test_two_variants_side_by_side(project: Path) -> None:
    result = tvarc("diff", *PAIR)
    assert (result.exit_code, result.stderr) == (exits.DIFFERENT, "")
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert rows(result.stdout) == [
        "hello-cuda12_8-sm90 │ hello-cuda13_0-sm103",
        "",
        "axes.gpu",
        "sm90 │ sm103",
        "",
        "axes.cuda",
        "12.8 │ 13.0",
        "",
        "attrs.pname variants.tvar:19",
        '"hello-hello-cuda12_8-sm90" │ "hello-hello-cuda13_0-sm103"',
        "",
        "script.preConfigure.one variants.tvar:24",
        "echo sm90 │ echo sm103",
        "",
        "files.nix",
        "pkgs/hello-cuda12_8-sm90.nix │ pkgs/hello-cuda13_0-sm103.nix",
        "",
        "5 differences; equal: 6 settings, 2 script parts",
    ]


NIX_HEADS = '''
axis i = ["a", "b"]
recipe h { package = pkgs.hello, pin = none
  attrs {
    w = nix"""[ {{i}} ]""", w += ["x"], w -= ["x"]
    u = nix"""[ {{i}} ]""", u += []
    y = nix"""[ {{i}} ]""", y += ["x"]
    k = nix"""[ {{i}} ]""", k += nix"""[ 1 ]""", k += [2], k -= [1]
    alike = nix"""[ 3 ]""", alike += ["x"]
    when i == "b" { only = nix"""[ 4 ]""", only += ["x"] }
    turned = if i == "a" then ["c"] else nix"""[ 1 ]""", turned += [2]
} }
matrix m { recipe = h, axes = i, name = "{{i}}" }
output o { file = "out/{{variant}}.nix" }
'''


def test_lists_that_begin_with_one_only_nix_knows(here: Path) -> None:
    """They are shown with it, also where nothing that is added is left."""
    (here / "variants.tvar").write_text(NIX_HEADS)
    one, other = (f'nix"""[ {{{{"{name}"}}}} ]"""' for name in "ab")
    end = ' ++ nix"""[ 1 ]""" ++ [2] -= [1]'
    told = json.loads(tvarc("diff", "a", "b", "--json").stdout)["differences"]
    shown = {row["path"]: (*row["removed"], *row["added"]) for row in told}
    assert {path: sides for path, sides in shown.items() if path.startswith("attrs.")} == {
        "attrs.w": (one, other),
        "attrs.u": (one, other),
        "attrs.y": (f'{one} ++ ["x"]', f'{other} ++ ["x"]'),
        "attrs.k": (one + end, other + end),
        "attrs.only": ('nix"""[ 4 ]""" ++ ["x"]',),
        "attrs.turned": ('["c", 2]', 'nix"""[ 1 ]""" ++ [2]'),
    }


def test_a_variant_and_itself(project: Path) -> None:
    result = tvarc("diff", "gpu=sm90", "hello-cuda12_8-sm90", code=exits.OK)
    assert result.stdout.splitlines()[-1] == (
        "0 differences; equal: 2 axis values, 7 settings, 3 script parts"
    )


def test_overlays_that_are_equal_are_counted(project: Path) -> None:
    write(project, CAUSES)
    assert tvarc("diff", "one-a", "one-b").stdout.splitlines()[-1] == (
        "2 differences; equal: 7 settings, 1 overlay, 2 script parts"
    )


def test_two_variants_as_json(project: Path) -> None:
    result = tvarc("diff", *PAIR, "--json")
    data = json.loads(result.stdout)
    assert (data["before"], data["after"]) == PAIR
    assert [one["path"] for one in data["differences"]] == [
        "axes.gpu",
        "axes.cuda",
        "attrs.pname",
        "script.preConfigure.one",
        "files.nix",
    ]
    script = data["differences"][3]
    assert (script["kind"], script["removed"], script["added"]) == (
        "text",
        ["echo sm90"],
        ["echo sm103"],
    )
    assert script["before"]["line"] == 24 and script["after"]["file"] == "variants.tvar"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["hello-cuda12_8-sm90", "sm91"], "E901"),
        (["sm103", "hello-cuda12_8-sm90"], "E902"),
        (["--against", "nowhere"], "E911"),
        (["--against", "-p"], "E911"),
        (["--against", "empty"], "E106"),
        (["--against", "wrong"], "E201"),
        (["--against", "variants.tvar", "sm91"], "E901"),
        (["--against", "variants.tvar", "--file", "none.tvar"], "E106"),
    ],
)
def test_what_cannot_be_compared(project: Path, args: list[str], code: str) -> None:
    (project / "empty").mkdir()
    write(project / "wrong", SMALL.replace("recipe = base", "recipe = bass"))
    result = tvarc("diff", *args)
    assert (result.exit_code, result.stdout) == (exits.TROUBLE, "")
    assert f"error[{code}]" in result.stderr


@pytest.mark.slow
def test_errors_of_the_other_state_name_its_files(project: Path) -> None:
    write(project / "wrong", SMALL.replace("recipe = base", "recipe = bass"))
    assert "--> wrong/variants.tvar:" in tvarc("diff", "--against", "wrong").stderr
    shown = tvarc("diff", "--against", "empty.tvar").stderr
    assert "error[E911]: cannot compare with `empty.tvar`" in shown


@pytest.mark.parametrize("args", [[], ["a"], ["a", "b", "c"]])
def test_words_that_do_not_go_together_are_an_error_of_usage(
    project: Path, args: list[str]
) -> None:
    assert tvarc("diff", *args).exit_code == exits.USAGE


def test_errors_of_this_state_come_first(project: Path) -> None:
    write(project / "old", SMALL)
    write(project, SMALL + "\nlet x = nobody\n")
    result = tvarc("diff", "--against", "old")
    assert (result.exit_code, result.stdout) == (exits.TROUBLE, "")
    assert "error[E201]" in result.stderr


# --- two states --------------------------------------------------------------------------------


def test_no_change(project: Path) -> None:
    for against in ("variants.tvar", "."):
        result = tvarc("diff", "--against", against)
        assert (result.exit_code, result.stdout) == (exits.OK, "no change in 5 variants\n")
    write(project / "old", "# another comment\n\n" + SMALL)
    assert tvarc("diff", "--against", "old").exit_code == exits.OK


def test_added_removed_renamed_changed(project: Path) -> None:
    new = SMALL.replace("echo {{gpu}}", "echo {{gpu}} {{cuda}}")
    old = new.replace("  sm103 { capability = 10.3 }\n", "").replace("-{{gpu}}", "-old-{{gpu}}")
    old = old.replace("[12.8, 13.0]", "[12.7, 12.8]").replace("echo fast", "echo slow")
    old = old.replace("gpu == sm90 and cuda == 13.0", "cuda == 12.7 and gpu == sm90")
    old = old.replace("let newest = gpu.capability >= 10.3\n", "")
    write(project, new)
    write(project / "old", old)
    result = tvarc("diff", "--against", "old")
    assert (result.exit_code, result.stderr) == (exits.DIFFERENT, "")
    assert rows(result.stdout) == [
        "3 → 5 variants: 3 added, 1 removed, 2 renamed, 2 changed",
        "",
        "added: gpu sm103 or cuda 13.0: 3 variants",
        "+ hello-cuda13_0-sm100",
        "+ hello-cuda12_8-sm103",
        "+ hello-cuda13_0-sm103",
        "",
        "removed: cuda 12.7: 1 variant",
        "- hello-cuda12_7-old-sm100",
        "",
        "excluded: cuda 13.0; matrix all: 1 of 3 cells",
        "the reasons: tvarc list --excluded cuda=13.0",
        "",
        "renamed: 2 variants",
        "hello-cuda12_8-old-sm90 → hello-cuda12_8-sm90",
        "hello-cuda12_8-old-sm100 → hello-cuda12_8-sm100",
        "",
        "changed: all 2 variants",
        "script.preConfigure.two echo slow → echo fast variants.tvar:29",
    ]


def test_markdown_has_the_lines_of_the_text_in_a_fence_that_no_value_ends(project: Path) -> None:
    """The same lines as in the text. No value ends the fence, or begins another block."""
    new = SMALL.replace("echo fast", "echo '```` ## <b>'").replace("13.0]", "13.2]")
    write(project / "new", new)
    words = ("diff", "--file", "new/variants.tvar", "--against", "variants.tvar")
    shown = tvarc(*words, "--format", "markdown")
    assert (shown.exit_code, shown.stderr) == (exits.DIFFERENT, "")
    head, blank, fence, *lines, end = shown.stdout.splitlines()
    summary, *text = tvarc(*words).stdout.splitlines()
    assert (head, blank) == (f"### {summary}", "")
    assert (fence, end) == ("`````diff", "`````")
    assert [" ".join(one.split()) for one in lines] == [" ".join(one.split()) for one in text[1:]]
    assert any(line.startswith("- hello-") for line in lines)
    same = tvarc("diff", "--against", "variants.tvar", "--format", "markdown")
    assert (same.exit_code, same.stdout) == (exits.OK, "### no change in 5 variants\n")
    for more in (["--against", "variants.tvar", "--json"], [*PAIR]):
        assert tvarc("diff", *more, "--format", "markdown").exit_code == exits.USAGE


def test_another_cell_of_equal_content_is_renamed(project: Path) -> None:
    plain = SMALL.replace("echo {{gpu}}", "echo")
    write(project, plain)
    write(project / "old", plain.replace("sm90", "sm91"))
    result = tvarc("diff", "--against", "old", "--json")
    data = json.loads(result.stdout)
    assert data["renamed"] == [
        {"before": "hello-cuda12_8-sm91", "after": "hello-cuda12_8-sm90", "by": "content"}
    ]
    assert data["added"]["variants"] == data["removed"]["variants"] == data["changed"] == []
    assert "sm90 (another cell with the same content)" in tvarc("diff", "--against", "old").stdout


def test_grouped_by_axis_values(project: Path) -> None:
    when = "  when cuda >= 13.0 { attrs { jobs = 4 } }\n  script preConfigure {"
    write(project / "old", SMALL.replace("  script preConfigure {", when))
    assert rows(tvarc("diff", "--against", "old").stdout) == [
        "5 variants: 2 changed",
        "",
        "changed: cuda 13.0: 2 variants",
        "attrs.jobs - 4 old/variants.tvar:23",
    ]


def test_json_of_two_states(project: Path) -> None:
    write(project / "old", SMALL.replace('flags   = ["-a"]', 'flags   = ["-b", "-a"]'))
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    assert data["variants"] == {"before": 5, "after": 5}
    (block,) = data["blocks"]
    assert block["where"] == [{}] and len(block["variants"]) == 5
    (change,) = block["changes"]
    assert (change["path"], change["removed"], change["added"]) == ("attrs.flags", ['"-b"'], [])
    assert change["before"]["file"] == "old/variants.tvar"
    assert change["after"]["file"] == "variants.tvar"


def test_other_states_of_imported_files(project: Path) -> None:
    """`path(…)` and rows of tables are the same thing in both states, wherever they stand."""
    text = TOLD.replace("axis cuda = [12.8, 13.0]", 'use "../shared/cuda.tvar"')
    for root, version in (("new", "12.8"), ("old", "12.9")):
        write(project / root / "a", text)
        write(project / root / "shared", f"axis cuda = [{version}, 13.0]\n", "cuda.tvar")
    shown = tvarc("diff", "--file", "new/a/variants.tvar", "--against", "old/a").stdout
    assert shown.splitlines()[0] == "5 variants: 3 added, 3 removed"
    same = tvarc("diff", "--file", "new/a/variants.tvar", "--against", "new/a/variants.tvar")
    assert same.exit_code == exits.OK


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_commit(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    text = TOLD.replace("axis cuda = [12.8, 13.0]", 'use "./mine/cuda [1].tvar"')
    write(project, text)
    write(project / "mine", "axis cuda = [12.8, 13.0]\n", "cuda [1].tvar")
    (project / "link.tvar").symlink_to("variants.tvar")
    git("init", "-q", cwd=project)
    git("add", "-A", cwd=project)
    git("commit", "-q", "-m", "first", cwd=project)
    git("tag", "good", cwd=project)
    write(project / "mine", "axis cuda = [12.9, 13.0]\n", "cuda [1].tvar")
    git("commit", "-q", "-a", "-m", "second", cwd=project)
    write(project, text.replace("echo fast", "echo faster"))

    head = tvarc("diff", "--against", "HEAD")
    assert (head.exit_code, head.stdout.splitlines()[0]) == (1, "5 variants: 5 changed")
    first = tvarc("diff", "--against", "good")
    assert first.stdout.splitlines()[0] == "5 variants: 3 added, 3 removed, 2 changed"
    data = json.loads(tvarc("diff", "--against", "HEAD", "--json").stdout)
    assert data["blocks"][0]["changes"][0]["before"]["file"] == "HEAD:variants.tvar"
    assert (project / "variants.tvar").read_text() != text  # the working tree is as it was

    monkeypatch.setenv("GIT_DIR", "nowhere")  # as in a hook of another repository
    assert tvarc("diff", "--against", "HEAD").stdout == head.stdout
    monkeypatch.chdir(project / "mine")  # from a folder below
    assert tvarc("diff", "--against", "HEAD").stdout == head.stdout.replace(
        "   variants.tvar", "../variants.tvar"
    )
    monkeypatch.chdir(project)
    linked = tvarc("diff", "--file", "link.tvar", "--against", "good", "sm90")
    assert linked.stdout.splitlines()[0] == "1 variant: 1 added, 1 removed"

    (project / "new.tvar").write_text(SMALL)
    missing = tvarc("diff", "--file", "new.tvar", "--against", "HEAD", code=exits.TROUBLE)
    assert "cannot read `HEAD:new.tvar`" in missing.stderr
    monkeypatch.setenv("PATH", str(project))
    absent = tvarc("diff", "--against", "HEAD", code=exits.TROUBLE)
    assert "the program `git` is not installed" in absent.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_commit_as_git_names_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "-q", cwd=project)
    git("add", "-A", cwd=project)
    git("commit", "-q", "-m", "the first of all", cwd=project)
    write(project, SMALL.replace("echo fast", "echo faster"))
    git("commit", "-q", "-a", "-m", "second", cwd=project)
    for name in ("HEAD~1", ":/first of", "HEAD^{/first}"):
        assert tvarc("diff", "--against", name).stdout.startswith("5 variants: 5 changed\n"), name
    assert "git has no commit `HEAD:variants.tvar`" in " ".join(
        tvarc("diff", "--against", "HEAD:variants.tvar").stderr.split()
    )
    for setting in ("GIT_LITERAL_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_GLOB_PATHSPECS"):
        monkeypatch.setenv(setting, "1")
        assert tvarc("diff", "--against", "HEAD~1").exit_code == exits.DIFFERENT


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_repository_runs_no_program_of_its_own(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partial clone fetches what it lacks by a program that its configuration names."""
    git("init", "-q", cwd=project)
    git("add", "-A", cwd=project)
    git("commit", "-q", "-m", "first", cwd=project)
    write(project, TOLD)
    git("commit", "-q", "-a", "-m", "second", cwd=project)
    blob = subprocess.run(
        ["git", "rev-parse", "HEAD~1:variants.tvar"], capture_output=True, check=True, cwd=project
    ).stdout.decode()
    ran = tmp_path / "ran"
    (project / "hostile").write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
    (project / "hostile").chmod(0o755)
    program = f"'{project / 'hostile'}' git-upload-pack"
    shutil.copytree(project, tmp_path / "whole")
    (project / ".git/objects" / blob[:2] / blob[2:].strip()).unlink()
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": str(tmp_path / "whole"),
        "remote.origin.uploadpack": program,
        "core.fsmonitor": program,
        "core.hooksPath": str(project),
        "core.sshCommand": program,
        "core.gitProxy": program,
        "credential.helper": f"!{program}",
        "core.pager": program,
        "diff.external": program,
        "alias.ls-tree": f"!{program}",
    }.items():
        git("config", name, value, cwd=project)
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file:ext:ssh:git")
    for url in (str(tmp_path / "whole"), f"ext::{project / 'hostile'}", "ssh://a/b", "git://a/b"):
        git("config", "remote.origin.url", url, cwd=project)
        result = tvarc("diff", "--against", "HEAD~1", code=exits.TROUBLE)
        assert "cannot read `HEAD~1:variants.tvar`" in result.stderr
        assert "git says: " in result.stderr and "warning" not in result.stderr
        assert not ran.exists(), url
    assert tvarc("diff", "--against", "HEAD").exit_code == exits.OK
    assert not ran.exists()


# --- causes ------------------------------------------------------------------------------------

CAUSES = """\
pin new { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
pin old { github = "NixOS/nixpkgs", rev = "2017d6d515f8a7b289fe06d3a880a7ec588c3900" }
axis gpu = ["a", "b", "c"]
let common = [
  "-one",
  "-two",
]
let size = 4
let wide = size > 2
overlay extra { hello = final.hello_2 }
recipe base {
  pin     = new
  package = pkgs.hello
  flag full: bool = true
  attrs {
    flags = common
    sizes = [1, size]
  }
  when full {
    overlays = [extra]
  }
  when wide { attrs { jobs = 8 } }
  script buildPhase {
    part one \"\"\"
      echo 1
      echo {{size}}
    \"\"\"
  }
}
recipe other extends base {
  attrs { flags = [...common, "-more"] }
}
matrix one { recipe = base, axes = gpu, name = "one-{{gpu}}" }
matrix two {
  recipe = other
  axes   = gpu
  name   = "two-{{gpu}}"
  pin    = new
}
output nix { file = "pkgs/{{variant}}.nix" }
"""
REMARKED = CAUSES[CAUSES.index("let size") : CAUSES.index("  when full")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        # What an edited line makes far from it: each change with that line.
        (("size = 4", "size = 1"), {
            ("attrs.sizes", "variants.tvar:8"),
            ("attrs.jobs", "variants.tvar:8"),
            ("script.buildPhase.one", "variants.tvar:8"),
        }),
        (("bool = true", "bool = false"), {("overlays.extra", "variants.tvar:14")}),
        (('  "-two",\n', ""), {("attrs.flags", "old/variants.tvar:6")}),
        (('"-two"', '"-2"'), {("attrs.flags", "variants.tvar:6")}),
        (("  flag full: bool = true\n", "  flag full: bool = false  # not now\n"), {
            ("overlays.extra", "variants.tvar:14"),
        }),
        (("  pin     = new", "  pin     = old"), {("pin.rev", "variants.tvar:12")}),
        (('  pin    = new', '  pin    = old'), {("pin.rev", "variants.tvar:38")}),
        (("      echo 1", "      echo one"), {("script.buildPhase.one", "variants.tvar:25")}),
        (("hello_2", "hello_3"), {("overlays.extra.hello", "variants.tvar:10")}),
        (("pkgs/{{", "all/{{"), {("files.nix", "variants.tvar:40")}),
        (("  when full {\n    overlays = [extra]\n  }\n", ""), {
            ("overlays.extra", "old/variants.tvar:20"),
        }),
        # What only takes something out stands on no line of a recipe, nor does a block's head.
        (("[1, size]\n", "[2, size]\n    sizes -= [4]\n"), {
            ("attrs.sizes", "variants.tvar:17"),
            ("attrs.sizes", "variants.tvar:18"),
        }),
        (("  script buildPhase {", "  script installPhase {"), {
            ("script.buildPhase.one", "old/variants.tvar:23"),
            ("script.installPhase.one", "variants.tvar:23"),
        }),
        # Several at once, and remarks besides: each has its own.
        (("let size = 4\n", "# a remark\nlet size = 5 # four\n"), {
            ("attrs.sizes", "variants.tvar:9"),
            ("script.buildPhase.one", "variants.tvar:9"),
        }),
        # A remark at the end of a line is no edit of it, although the value is made of that line.
        ((REMARKED, REMARKED.replace("= 4", "= 5").replace("size]", "size] # of both")), {
            ("attrs.sizes", "variants.tvar:8"),
            ("script.buildPhase.one", "variants.tvar:8"),
        }),
        # A `#` in a string begins no remark.
        (('"-two"', '"-#2"'), {("attrs.flags", "variants.tvar:6")}),
    ],
)  # fmt: skip
def test_a_change_names_the_line_that_was_edited(
    project: Path, edit: tuple[str, str], told: set[tuple[str, str]]
) -> None:
    assert edit[0] in CAUSES
    write(project / "old", CAUSES)
    write(project, CAUSES.replace(*edit))
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    found: set[tuple[str, str]] = set()
    for block in data["blocks"]:
        for change in block["changes"]:
            causes = [f"{one['file']}:{one['line']}" for one in change["causes"]]
            newer = [one for one in causes if not one.startswith("old/")]
            found.add((change["path"], ", ".join(newer or causes)))
    assert found == told
    text = tvarc("diff", "--against", "old").stdout
    for path, place in told:
        assert any(path in row and row.endswith(place) for row in text.splitlines()), text


def test_two_edits_have_a_cause_each(project: Path) -> None:
    write(project / "old", CAUSES)
    edited = CAUSES.replace("[1, size]", "[2, size]").replace('"-one"', '"-first"')
    write(project, edited.replace('"-two"', '"-second"'))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    assert shown == [
        "6 variants: 6 changed",
        "",
        "changed: all 6 variants",
        'attrs.flags "-one" → "-first" variants.tvar:5',
        "written by variants.tvar:16",
        'attrs.flags "-two" → "-second" variants.tvar:6',
        "written by variants.tvar:16",
        "attrs.sizes 1 → 2 variants.tvar:17",
    ]


@pytest.mark.slow
def test_one_edit_is_told_once(project: Path) -> None:
    """However many recipes write what it comes to, and whatever they wrote before."""
    text = CAUSES.replace('  "-two",\n', "").replace('[...common, "-more"]', "common")
    write(project / "old", text.replace("flags = common", "flags = common", 1))
    write(project, text.replace('  "-one",', '  "-one", "-new",'))
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    (block,) = data["blocks"]
    assert len(block["variants"]) == 6 and len(block["changes"]) == 1


def test_what_was_written_elsewhere_before_is_no_other_change(project: Path) -> None:
    text = SMALL.replace('flags   = ["-a"]', 'flags = ["-a"]\n    when fast { flags += ["-f"] }')
    text = text.replace('flags = ["-a"]', 'flags = ["-a"]\n    flags += ["-b"]')
    write(project / "old", text)
    write(project, text.replace('["-b"]', '["-b", "-n"]'))
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    (block,) = data["blocks"]
    assert len(block["variants"]) == 5
    assert [one["added"] for one in block["changes"]] == [['"-n"']]


def test_a_name_in_a_text_with_another_beginning_is_no_change(project: Path) -> None:
    old = SMALL.replace('"hello-{{variant}}"', '"h2-{{replace(variant, "hello-", "")}}"')
    assert old != SMALL
    write(project / "old", old)
    write(project, old.replace('name   = "hello-', 'name   = "hello-new-'))
    result = tvarc("diff", "--against", "old", "--json")
    data = json.loads(result.stdout)
    assert len(data["renamed"]) == 5 and data["changed"] == [], result.stdout


def test_selectors_of_either_state(project: Path) -> None:
    write(project, TOLD)
    write(project / "old", TOLD.replace("12.8, 13.0", "12.7, 13.0"))
    shown = tvarc("diff", "--against", "old", "gpu=sm100").stdout
    assert shown.splitlines()[0] == "2 variants: 1 added, 1 removed"
    shown = tvarc("diff", "--against", "old", "cuda=12.7").stdout
    assert shown.splitlines()[0] == "3 → 0 variants: 3 removed"


# --- what an edit does not do ------------------------------------------------------------------

OVERRIDDEN = TOLD.replace(
    'because "never"',
    '''because "never"
  when gpu == sm100 {
    attrs { flags = ["-own"] }
    script preConfigure { part two = none }
  }
  when cuda == 13.0 and gpu == sm103 { script preConfigure { part two "own\\n" } }''',
)


def test_variants_that_an_edit_does_not_reach(project: Path) -> None:
    """They have a value of their own, or none. What is edited as well is no longer their own."""
    write(project / "old", OVERRIDDEN)
    write(project, OVERRIDDEN.replace("echo fast", "echo faster").replace('["-a"]', '["-b"]'))
    shown = rows(tvarc("diff", "--against", "old", "--all").stdout)
    told = [line for line in shown if "own value" in line]
    names = "hello-cuda12_8-sm100, hello-cuda13_0-sm100"
    assert told == [
        f"2 variants keep their own value (variants.tvar:41): {names}",
        f"2 variants keep their own value (variants.tvar:42): {names}",
        "1 variant keeps its own value (variants.tvar:44): hello-cuda13_0-sm103",
    ]
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    changes = [one for block in data["blocks"] for one in block["changes"]]
    kept = {one["path"]: one["kept"] for one in changes}
    assert kept["attrs.flags"][0]["written"]["line"] == 41
    assert [len(one["variants"]) for one in kept["script.preConfigure.two"]] == [2, 1]
    write(project, OVERRIDDEN.replace('["-a"]', '["-b"]').replace('["-own"]', '["-new"]'))
    assert "own value" not in tvarc("diff", "--against", "old").stdout


FLAGGED = """\
axis n = [1, 2, 3, 4]
recipe r {
  package = pkgs.hello, pin = none
  flag word: string = "common"
  flag other: string = "alike"
  attrs { x = "is {{word}}", y = "is {{other}}" }
}
matrix m {
  recipe = r, axes = n, name = "v{{n}}"
  when n == 2 { flag word = "own" }
  when n == 3 { flag word = "third", attrs { x = "another" } }
  when n == 4 { flag other = "fourth" }
}
output nix { file = "{{variant}}.nix" }
"""


def test_variants_that_keep_their_own_value_of_a_flag(project: Path) -> None:
    """The setting that reads the flag is the same in them. A variant with a setting of its own
    does not read the flag."""
    write(project / "old", FLAGGED)
    write(project, FLAGGED.replace('"common"', '"new"'))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    assert [line for line in shown if "own value" in line] == [
        "1 variant keeps its own value (variants.tvar:10): v2"
    ]
    write(project, FLAGGED.replace('"common"', '"new"').replace('"own"', '"new"'))
    assert "own value" not in tvarc("diff", "--against", "old").stdout


def test_variants_that_keep_their_own_overlays(project: Path) -> None:
    """They write the list again, so an overlay that the recipe adds does not reach them."""
    text = OVERRIDDEN.replace("recipe ", "overlay zlib for zlib { patches = [] }\nrecipe ", 1)
    text = text.replace("  attrs {", "  overlays = []\n  attrs {", 1)
    text = text.replace("    attrs { flags", "    overlays = []\n    attrs { flags")
    write(project / "old", text)
    write(project, text.replace("  overlays = []\n  attrs", "  overlays = [zlib]\n  attrs", 1))
    shown = " ".join(rows(tvarc("diff", "--against", "old").stdout))
    line = text.splitlines().index("    overlays = []") + 1
    names = "hello-cuda12_8-sm100, hello-cuda13_0-sm100"
    assert f"2 variants keep their own overlays (variants.tvar:{line}): {names}" in shown
    write(project, text.replace("    overlays = []", "    overlays = [zlib]"))
    assert "keep" not in tvarc("diff", "--against", "old").stdout


def test_what_an_attribute_replaces_in_the_call(project: Path) -> None:
    call = 'call(pkgs.stdenv.mkDerivation, { makeFlags = ["A=1", "B=1"] })'
    text = f"recipe r {{ package = {call}, pin = none }}\nvariant v {{ recipe = r }}\n"
    write(project / "old", text)
    write(project, text.replace("pin = none", 'pin = none, attrs { makeFlags = ["C=1"] }'))
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    changes = [one for block in data["blocks"] for one in block["changes"]]
    assert [(one["removed"], one["added"]) for one in changes] == [
        (['"A=1"'], ['"C=1"']),
        (['"B=1"'], []),
    ]
    write(project, text.replace("pin = none", 'pin = none, attrs { makeFlags += ["C=1"] }'))
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    ((change,),) = [block["changes"] for block in data["blocks"]]
    assert (change["removed"], change["added"]) == ([], ['"C=1"'])


def test_what_an_attribute_replaces_in_the_calls_of_a_matrix(project: Path) -> None:
    words = [f"w{number}" for number in range(80)]
    call = 'call(pkgs.stdenv.mkDerivation, { makeFlags = ["A={{a}}"], postInstall = "a\\nb\\n" })'
    text = f"""
axis a = [{", ".join(words)}]
recipe r {{ package = {call}, pin = none, attrs {{ x = "y\\nz\\n" }} }}
matrix m {{ recipe = r, axes = a, name = "v-{{{{a}}}}" }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""
    write(project / "old", text)
    write(project, text.replace("attrs { ", 'attrs { makeFlags = ["C=1"], '))
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    (change,) = [one for block in data["blocks"] for one in block["changes"]]
    assert change["values"] == len(words)


def test_a_variant_that_reads_another_row_keeps_nothing(project: Path) -> None:
    """In it, the value that lost is the same in both states."""
    table = 'let flag = { sm90 = "-a", sm100 = "-c", sm103 = "-d" }\n'
    text = table + OVERRIDDEN.replace('["-a"]', "[flag[gpu]]")
    write(project / "old", text)
    write(project, text.replace('"-a"', '"-b"'))
    shown = tvarc("diff", "--against", "old").stdout
    assert "-b" in shown and "own value" not in shown
    write(project, text.replace('"-c"', '"-x"').replace('"-a"', '"-b"'))
    assert "2 variants keep their own value" in tvarc("diff", "--against", "old").stdout


def test_cells_of_a_new_value_that_are_excluded(project: Path) -> None:
    write(project / "old", TOLD.replace("12.8, 13.0", "12.8"))
    write(project, TOLD.replace("12.8, 13.0", "12.8, 13.0, 13.1"))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    at = shown.index("excluded: cuda 13.0; matrix all: 1 of 3 cells")
    assert shown[at + 1] == "the reasons: tvarc list --excluded cuda=13.0"
    (one,) = json.loads(tvarc("diff", "--against", "old", "--json").stdout)["unbuilt"]
    assert one == {"matrix": "all", "axis": "cuda", "values": ["13.0"], "dropped": 1, "cells": 3}
    assert "excluded" not in tvarc("diff", "--against", "old", "sm100").stdout


def test_lists_without_a_new_value(project: Path) -> None:
    """Of those that have most other values."""
    text = TOLD.replace(
        'because "never"',
        '''because "never"
  when gpu in [sm90, sm100] { attrs { some = "1" } }
  when gpu in [sm90] { attrs { few = "1" } }
  when gpu in [sm90, sm100, sm103] { attrs { listed = "1" } }
  when gpu not in [sm100, sm90] { attrs { others = "1" } }''',
    )
    assert text != TOLD
    old = text.replace("  sm103 { capability = 10.3 }\n", "").replace("sm100, sm103]", "sm100]")
    write(project / "old", old)
    write(project, text)
    shown = rows(tvarc("diff", "--against", "old").stdout)
    at = shown.index("sm103 is in none of these lists with most other values of gpu:")
    first = text.partition("when gpu in")[0].count("\n") + 1
    assert shown[at + 1] == f"variants.tvar:{first}, {first + 3}"
    (one,) = json.loads(tvarc("diff", "--against", "old", "--json").stdout)["unlisted"]
    assert (one["axis"], one["value"], len(one["lists"])) == ("gpu", "sm103", 2)


def test_of_a_long_value_the_part_that_differs_is_shown(project: Path) -> None:
    long = ", ".join([f'"-DNUMBER_{number}=ON"' for number in range(80)])
    told = TOLD.replace("pkgs.hello", f"call(pkgs.make, {{ flags = [{long}] }})")
    write(project / "old", told)
    write(project, told.replace("NUMBER_30=ON", "NUMBER_30=OFF"))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    (gone,) = [at for at, line in enumerate(shown) if line.startswith("- …")]
    said = " ".join(shown[gone:])
    assert "NUMBER_30=ON" in said and "NUMBER_30=OFF" in said and said.count("…") == 4
    assert "NUMBER_20=" not in said and "NUMBER_39=" not in said
    assert "NUMBER_20=" in tvarc("diff", "--against", "old", "--all").stdout


def test_all_places_of_a_long_value_that_differ_are_shown(project: Path) -> None:
    flags = [f'"-DNUMBER_{number}=ON"' for number in range(80)]
    told = TOLD.replace("pkgs.hello", f"call(pkgs.make, {{ flags = [{', '.join(flags)}] }})")
    write(project / "old", told)
    edited = told.replace("_10=ON", "_10=OFF").replace("_12=ON", "_12=")
    write(project, edited.replace("_70=ON", "_70="))
    said = " ".join(rows(tvarc("diff", "--against", "old").stdout))
    assert '"-DNUMBER_10=OFF", "-DNUMBER_11=ON", "-DNUMBER_12=",' in said
    assert '"-DNUMBER_70=",' in said and "NUMBER_40" not in said
    each = TOLD.replace("pkgs.hello", f"call(pkgs.make, {{ flags = [{', '.join(flags)}] }})")
    for number in range(0, 80, 10):
        each = each.replace(f"_{number}=ON", f"_{number}=OFF")
    write(project, each)
    assert "… and 2 places more" in " ".join(rows(tvarc("diff", "--against", "old").stdout))


def test_a_variant_is_named_by_its_name(project: Path) -> None:
    text = """
    recipe r { package = pkgs.hello, pin = none, attrs { a = "1", b = "2" } }
    recipe q extends r { attrs { c = "1" } }
    variant one { recipe = q, name = "first" }
    variant two { recipe = q }
    matrix all { recipe = r, axes = n, name = "n-{{n}}" }
    axis n = [1, 2]
    output nix { file = "{{variant}}.nix" }
    """
    write(project / "old", text)
    write(project, text.replace("recipe = q, name", 'recipe = q, attrs { d = "1" }, name'))
    assert "changed: variant first" in rows(tvarc("diff", "--against", "old").stdout)
    write(project, text.replace('a = "1", b = "2"', 'b = "2", a = "1"'))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    assert any(line.startswith("attrs, only the order in the file a, b → b, a") for line in shown)
    write(project, text.replace('c = "1"', 'c = "2"'))
    assert "changed: variants first, two" in rows(tvarc("diff", "--against", "old").stdout)


SOURCE = '''
pin now {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
  hash   = "HASH"
}
axis n = [1, 2]
recipe r {
  package = call(pkgs.stdenv.mkDerivation, {
    pname = "x", version = "1.0"
    src   = url("https://example.org/x-1.0.tar.gz", hash = "HASH")
  })
  attrs { data = github("a/b", tag = "v1", hash = "HASH") }
  pin = now
}
matrix m { recipe = r, axes = n, name = "x-{{n}}" }
output nix { file = "{{variant}}.nix" }
'''.replace("HASH", "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=")


@for_each(
    "old, new, said",
    [
        ("1.0", "1.1", "package.src version 1.0 → 1.1 in 2 variants"),
        (
            'version = "1.0"', 'version = "1.1"',
            "package.src version is 1.1, but `url` still names 1.0 in 2 variants",
        ),
        ("x-1.0.tar", "x-1.1.tar", "package.src url x-1.0.tar.gz → x-1.1.tar.gz in 2 variants"),
        ('"v1"', '"v{{n}}"', "attrs.data tag v1 → v2 in 1 variant"),
        ("6a03", "6b03", "pin rev"),
        ("https://example.org", "https://example.net", ""),
    ],
)
def test_a_new_version_with_an_old_hash_is_named(
    old: str, new: str, said: str, project: Path
) -> None:
    """Two addresses may have one file."""
    write(project / "old", SOURCE)
    write(project, SOURCE.replace(old, new))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    assert any(said in line for line in shown) if said else "old sources" not in "".join(shown)
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)
    assert bool(data["outdated"]) == bool(said)


DEPENDENCIES = '''
recipe r {
  package = call(pkgs.buildGoModule, {
    pname = "x", version = "1.0"
    src = call(pkgs.fetchurl, {
      urls = ["https://a.org/ADDRESS", "https://b.org/ADDRESS"]
      sha256 = "1rnvgcdixjzbrmcr1nv9b6ccrjfrhryaj7jwz28yxxv6lam3xlcg"
    })
    vendorSha256 = "0jjr33k27k6h27sa01ipz0aydch3i9klknqb3yq8f048zkb54gv8"
    gitHash = "0y34a3mpghdmcb2rx4z62q0s351bfmy1287d75mm07ryfgglgsd7"
    patches = [call(pkgs.fetchpatch, {
      url = "https://a.org/fix-1.patch"
      sha256 = "0cdv9g87c1y8zwhqkd9ba2zjw4slcvg7yzcqv43idvnwb5fl29n7"
    })]
  })
  attrs { version = "1.0", cargoHash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=" }
  pin = none
}
variant v { recipe = r }
output nix { file = "{{variant}}.nix" }
'''.replace("ADDRESS", "x-1.0.tar.gz")


@for_each(
    "edits, found",
    [
        ([("x-1.0.tar", "x-1.1.tar")], {"package.src": "sha256"}),
        (
            [('version = "1.0"', 'version = "1.1"'), ("x-1.0.tar", "x-1.1.tar")],
            {
                "package.src": "sha256",
                "package.vendorSha256": "vendorSha256",
                "attrs.cargoHash": "cargoHash",
            },
        ),
        (
            [('version = "1.0"', 'version = "1.1"'), ("x-1.0.tar", "x-1.1.tar"),
             ("1rnv", "1rnw"), ("0jjr", "0jjs"), ("0NBl", "0NBm")],
            {},
        ),
        ([("fix-1", "fix-2")], {"package.patches.0": "sha256"}),
    ],
)  # fmt: skip
def test_each_hash_that_a_new_version_leaves_is_named(
    edits: list[tuple[str, str]], found: dict[str, str], project: Path
) -> None:
    """The source has a list of addresses. The hashes of the dependencies are settings of the
    package. A patch with the same address is no old source."""
    write(project / "old", DEPENDENCIES)
    text = DEPENDENCIES
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    write(project, text)
    data = json.loads(tvarc("diff", "--against", "old", "--json").stdout)["outdated"]
    assert {one["path"]: one["attribute"] for one in data} == found
    lines = text.splitlines()
    assert all(f"{one['attribute']} = " in lines[one["written"]["line"] - 1] for one in data)
    if len(found) > 1:
        said = " ".join(rows(tvarc("diff", "--against", "old").stdout))
        assert (
            "write `sha256 = unlocked`, `vendorSha256 = unlocked` or `cargoHash = unlocked` there"
        ) in said


def test_the_hash_to_unlock_is_named_where_it_is_written(project: Path) -> None:
    text = SOURCE.replace("data = github", 'more = call(pkgs.fetchurl, {\n  url = "https://a/x-1.0"\n'
                          '  sha256 = "1rnvgcdixjzbrmcr1nv9b6ccrjfrhryaj7jwz28yxxv6lam3xlcg" })\n'
                          "  data = github")  # fmt: skip
    write(project / "old", text)
    write(project, text.replace("a/x-1.0", "a/x-1.1"))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    at = shown.index("write `sha256 = unlocked` there, and run `tvarc lock`")
    number = text.partition("sha256 =")[0].count("\n") + 1
    assert shown[at - 1].endswith(f"variants.tvar:{number}")


def test_a_new_version_of_which_the_source_has_the_old_name(project: Path) -> None:
    """Whatever the hash is: the version is another one than what is fetched."""
    text = SOURCE.replace("x-1.0", "x-{{major}}.0").replace('"1.0"', '"{{major}}.0"')
    text = f'let major = "1"\n{text}'
    stated = 'gz", hash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="'
    assert stated in text
    write(project / "old", text)
    edited = text.replace('"{{major}}.0"', '"{{major}}.1"')
    write(project, edited.replace(stated, 'gz", hash = unlocked'))
    (said,) = [one for one in rows(tvarc("diff", "--against", "old").stdout) if "still" in one]
    assert said.startswith("package.src version is 1.1, but `url` still names 1.0 in 2 variants")
    (one,) = json.loads(tvarc("diff", "--against", "old", "--json").stdout)["outdated"]
    assert (one["still"], one["before"], one["after"]) == ("url", "1.0", "1.1")


UNDOTTED = """\
pin now { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
let tool-version = "5760"
recipe tool {
  package = call(pkgs.stdenv.mkDerivation, {
    pname = "tool"
    version = "5760"
    src = github("a/b", tag = "b5760", hash = unlocked)
    flags = ["-DCUDA=sm5760", "-DB=15760", "-DC=5760.1"]
  })
  meta { description = "b5760" }
}
recipe dated {
  package = call(pkgs.stdenv.mkDerivation, {
    name = "zip-20091108"
    src = url("https://example.org/zip-20091108.tar.gz", hash = unlocked)
  })
}
recipe commit {
  package = call(pkgs.stdenv.mkDerivation, {
    name = "c-{{tool-version}}"
    src = github("a/c", rev = "ae808463c2950edfdedb8fb49f95006db0a18667", hash = unlocked)
  })
}
variant one { recipe = tool }
variant two { recipe = dated }
variant three { recipe = commit }
output nix { file = "{{variant}}.nix" }
"""


@for_each(
    "old, new, outdated, still",
    [
        (
            'version = "5760"\n    src', 'version = "5761"\n    src',
            "package.src version is 5761, but `tag` still names 5760 in 1 variant",
            "still 5760: 5761 is new at variants.tvar:6\nvariants.tvar:7, 10\n",
        ),
        (
            '"zip-20091108"', '"zip-20200115"',
            "package.src version is 20200115, but `url` still names 20091108 in 1 variant",
            "still 20091108: 20200115 is new at variants.tvar:14\nvariants.tvar:15\n",
        ),
        (
            'tool-version = "5760"', 'tool-version = "5761"',
            "package.src version is 5761, but `rev` ae80846 stays in 1 variant", "",
        ),
    ],
)  # fmt: skip
def test_a_version_without_a_dot_and_one_that_no_source_has(
    old: str, new: str, outdated: str, still: str, project: Path
) -> None:
    """A number is a version if it is called so, or ends a name."""
    write(project / "old", UNDOTTED)
    assert UNDOTTED.count(old) == 1
    write(project, UNDOTTED.replace(old, new))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    assert any(line.startswith(outdated) for line in shown)
    lines = "\n".join([*shown, ""])
    assert still in lines
    assert still or "\nstill " not in lines


REPEATED = """\
let one = "2.10.0"
let other = "2.10.0"
recipe a {
  package = pkgs.hello, pin = none
  attrs {
    version = one
    src = github("a/b", tag = "v{{one}}", hash = unlocked)
    flags = ["-DV=2.10.0"]
  }
  meta { description = "b 2.10.0" }   # for 2.9
}
recipe b { package = pkgs.hello, pin = none, attrs { version = other } }
variant first { recipe = a }
variant second { recipe = b }
output nix { file = "{{variant}}.nix" }
"""


def test_lines_that_still_have_the_old_version_are_named(project: Path) -> None:
    """They are those of `bump`. Another recipe with the same version is nobody's business."""
    write(project / "old", REPEATED)
    write(project, REPEATED.replace('one = "2.10.0"', 'one = "2.11.0"'))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    at = shown.index("still 2.10.0: 2.11.0 is new at variants.tvar:1")
    assert shown[at + 1] == "variants.tvar:8, 10"
    (one,) = json.loads(tvarc("diff", "--against", "old", "--json").stdout)["still_there"]
    assert (one["before"], one["after"]) == ("2.10.0", "2.11.0")
    write(project, REPEATED)
    bumped = json.loads(tvarc("bump", "one", "2.11.0", "--dry-run", "--json").stdout)
    assert [line["line"] for line in bumped["still_there"]] == [8, 10]
    assert bumped["still_there"] == one["lines"]
    # An edit that is no version of a source leaves nothing behind.
    write(project, REPEATED.replace("-DV=2.10.0", "-DV=2.11.0"))
    assert "still" not in tvarc("diff", "--against", "old").stdout


TABLE = """\
axis torch {
  old { pt-version = "2.11.0", cuda = "12.8", tool = "1.0", note = "old" }
  new {
    pt-version = "2.12.1"
    cuda = "12.9"
    tool = "1.2.3"
    note = "for 2.12.1, 1.2.3, 12.9"
  }
}
recipe r {
  package = pkgs.hello, pin = none
  attrs { a = "{{major(version(torch.pt-version))}}{{minor(version(torch.pt-version))}}" }
  meta { description = "{{torch.note}}: {{torch.cuda}}, {{torch.tool}}" }
}
matrix m { recipe = r, axes = torch, name = "x-{{torch}}", exclude torch == old because "no" }
output nix { file = "{{variant}}.nix" }
"""


@for_each(
    "old, new, still",
    [
        ('"2.12.1"', '"2.13.0"', "still 2.12.1: 2.13.0 is new at variants.tvar:4"),
        ('tool = "1.2.3"', 'tool = "1.2.4"', "still 1.2.3: 1.2.4 is new at variants.tvar:6"),
        ('cuda = "12.9"', 'cuda = "13.0"', ""),
        ('"for 2.12.1, 1.2.3,', '"for 2.12.1, 1.2.4,', ""),
    ],
)
def test_a_version_that_no_source_has(old: str, new: str, still: str, project: Path) -> None:
    """Its name ends in this word, or it has two dots and is the whole value of a name."""
    write(project / "old", TABLE)
    assert TABLE.count(old) == 1
    write(project, TABLE.replace(old, new))
    shown = rows(tvarc("diff", "--against", "old").stdout)
    assert [line for line in shown if line.startswith("still ")] == ([still] if still else [])
    if still:
        assert shown[shown.index(still) + 1] == "variants.tvar:7"


def test_a_new_version_with_a_new_hash_is_not_named(project: Path) -> None:
    write(project / "old", SOURCE)
    write(project, SOURCE.replace("1.0", "1.1").replace("0NBl", "0NBm"))
    assert "old sources" not in tvarc("diff", "--against", "old").stdout


# --- much --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_shown_is_bounded(project: Path) -> None:
    text = VARIANTS.read_text(encoding="utf-8")
    old = text.replace("2.10.0", "2.9.0").replace("MAX_JOBS=32", "MAX_JOBS=1")
    for gpu in ("sm80", "sm86", "sm89", "sm90", "sm100", "sm103", "sm110", "sm120", "sm121"):
        for isa in ("avx2", "avx512"):
            old = old.replace(
                "recipe torch-cpu extends",
                f"when gpu == {gpu} and isa == {isa} {{ require torch == 2.9.0 }}\n"
                "recipe torch-cpu extends",
            )
    parts = "".join(
        f"  when gpu == {gpu} and isa == {isa} {{ attrs {{ x{number} = 1 }} }}\n"
        for gpu in ("sm80", "sm86", "sm89", "sm90", "sm100")
        for isa in ("avx2", "avx512", "avx512bf16", "avx512vnni")
        for number in range(20)
    )
    old = old.replace("  script postPatch {", parts + "  script postPatch {")
    write(project, text)
    write(project / "old", old)
    shown = tvarc("diff", "--against", "old", code=exits.DIFFERENT)
    assert len(shown.stdout.splitlines()) < 250
    assert "more: --all shows them" in shown.stdout
    whole = tvarc("diff", "--against", "old", "--all").stdout
    assert len(whole.splitlines()) > 400
    assert "--all" not in whole


@pytest.mark.slow
def test_a_thousand_variants_in_seconds(project: Path) -> None:
    versions = ", ".join(f"12.{minor}" for minor in range(340))
    text = TOLD.replace("[12.8, 13.0]", f"[{versions}]").replace("cuda == 13.0", "cuda == 12.1")
    write(project, text)
    write(project / "old", text.replace("echo fast", "echo slow").replace("12.339", "12.400"))
    start = time.perf_counter()
    result = tvarc("diff", "--against", "old")
    assert time.perf_counter() - start < 10  # about one, where nothing else runs
    assert result.stdout.splitlines()[0] == "1,019 variants: 3 added, 3 removed, 1,016 changed"


@pytest.mark.slow
def test_alike_variants_are_not_decided(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = ", ".join(f"12.{minor}" for minor in range(340))
    text = TOLD.replace("[12.8, 13.0]", f"[{versions}]").replace("cuda == 13.0", "cuda == 12.1")
    write(project, text)
    other = "  when cuda == 12.7 { attrs { jobs = 4 } }\n  script preConfigure {"
    write(project / "old", text.replace("  script preConfigure {", other))
    recipe = "tvarc.build.driver.Compilation.recipe"
    decided = calls(monkeypatch, recipe, lambda _, variant: variant.name)
    result = tvarc("diff", "--against", "old")
    assert result.stdout.splitlines()[0] == "1,019 variants: 3 changed"
    assert set(decided) == {f"hello-cuda12_7-{gpu}" for gpu in ("sm90", "sm100", "sm103")}
    decided.clear()
    write(project / "old", text.replace("echo fast", "echo slow").replace('["-a"]', '["-b"]'))
    result = tvarc("diff", "--against", "old")
    assert result.stdout.splitlines()[0] == "1,019 variants: 1,019 changed"
    assert len(set(decided)) < 10


@pytest.mark.slow
def test_examples_of_237(project: Path) -> None:
    shutil.copytree(ROOT / "examples", project / "old")
    shared = project / "old/shared/torch.tvar"
    text = shared.read_text(encoding="utf-8")
    changed = text.replace('attrs { pname = "{{variant}}" }', 'attrs { pname = "x-{{variant}}" }')
    assert changed != text
    shared.write_text(changed, encoding="utf-8")
    file = str(ROOT / "examples/torch-2.10/variants.tvar")
    result = tvarc("diff", "--file", file, "--against", "old/torch-2.10", "--json")
    data = json.loads(result.stdout)
    assert data["variants"] == {"before": 237, "after": 237}
    assert data["changed"] and {c["path"] for b in data["blocks"] for c in b["changes"]} == {
        "attrs.pname"
    }


@pytest.mark.slow
def test_the_process_ends_as_diff_does(project: Path) -> None:
    write(project / "old", SMALL.replace("echo fast", "echo slow"))
    assert spawn("diff", "--against", "old", cwd=project).returncode == 1
    assert spawn("diff", "--against", "variants.tvar", cwd=project).returncode == 0
    assert spawn("diff", "--against", "none", cwd=project).returncode == 2


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")
def test_an_answer_that_cannot_be_written_is_none(project: Path) -> None:
    for words in ("--against .", "hello-cuda12_8-sm90 hello-cuda12_8-sm90"):
        done = spawn("diff", *words.split(), cwd=project, shell="> /dev/full", code=exits.TROUBLE)
        assert b"cannot be written" in done.stderr


def test_a_renamed_matrix_has_its_line(here: Path) -> None:
    text = (
        "axis n = [1, 2]\n"
        "recipe r { package = pkgs.hello, pin = none, attrs { x = n } }\n"
        'matrix one { recipe = r, axes = n, name = "v{{n}}" }\n'
        'output o { file = "{{variant}}.nix" }\n'
    )
    Path("a.tvar").write_text(text)
    Path("b.tvar").write_text(text.replace("matrix one", "matrix two"))
    shown = tvarc("diff", "--against", "a.tvar", "--file", "b.tvar").stdout
    (line,) = [line for line in shown.splitlines() if "one → two" in line]
    assert line.endswith("b.tvar:3")
