"""Two branches that each change a setting: by real git, in each of its styles."""

from __future__ import annotations

import base64
import json
import shutil
from contextlib import chdir
from pathlib import Path

import pytest

from support.command import SMALL, git, put_small, tvarc
from support.effort import for_each, sampled
from tvarc.build.lock.printer import lock_text
from tvarc.decide.lock import Entry
from tvarc.files.output.header import Conflict, Versions, conflict_of, is_of_tvarc, seal
from tvarc.meaning.evaluation.fetched import fetched

NAME = "pkgs/hello-cuda12_8-sm90.nix"
OTHER = "pkgs/hello-cuda12_8-sm100.nix"
RECIPES = 5
STYLES = ("merge", "diff3", "zdiff3")


def edit(old: str, new: str, file: str = "variants.tvar") -> None:
    text = Path(file).read_text(encoding="utf-8")
    assert old in text
    Path(file).write_text(text.replace(old, new), encoding="utf-8")


def commit(message: str) -> None:
    git("add", ".")
    git("commit", "-qm", message)


@pytest.fixture(scope="module")
def branches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program and its recipes, and the branch `other` that changes a setting; so does `main`,
    far enough away that git merges the program."""
    folder = tmp_path_factory.mktemp("branches")
    put_small(folder)
    with chdir(folder):
        git("init", "-q", "-b", "main")
        assert tvarc("build").exit_code == 0
        commit("base")
        git("switch", "-qc", "other")
        edit("echo fast", "echo very fast")
        assert tvarc("build").exit_code == 0
        commit("other")
        git("switch", "-q", "main")
        edit('flags   = ["-a"]', 'flags   = ["-a", "-b"]')
        assert tvarc("build").exit_code == 0
        commit("main")
    return folder


@pytest.fixture
def repository(project: Path, branches: Path) -> Path:
    """A copy of the two branches, as the current folder."""
    shutil.copytree(branches, project, dirs_exist_ok=True)
    return project


def merge(style: str = "merge", *words: str) -> None:
    git("-c", f"merge.conflictStyle={style}", *(words or ("merge", "other")), fails=True)


def conflicts() -> list[str]:
    return [str(one) for one in sorted(Path("pkgs").iterdir()) if b"<<<<<<<" in one.read_bytes()]


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_conflicts_in_recipes_are_written_anew(repository: Path, style: str) -> None:
    merge(style)
    assert len(conflicts()) == RECIPES
    assert "<<<<<<<" not in Path("variants.tvar").read_text(encoding="utf-8")
    assert ("|||||||" in Path(NAME).read_text(encoding="utf-8")) is (style != "merge")
    checked = tvarc("build", "--check", code=3)
    assert f"{NAME} (merge conflicts)" in checked.stderr and "E801" not in checked.stderr
    would = tvarc("build", "--dry-run")
    assert "5 recipes have merge conflicts: would be written again from" in would.stdout
    assert len(conflicts()) == RECIPES
    done = tvarc("build")
    assert done.exit_code == 0 and done.stderr == ""
    assert "5 recipes had merge conflicts: written again from the source" in done.stdout
    assert not conflicts()
    text = Path(NAME).read_text(encoding="utf-8")
    assert '"-b"' in text and "echo very fast" in text
    assert tvarc("build", "--check", "--no-cache").exit_code == 0
    assert not list(Path("pkgs").glob("*.orig*"))
    git("add", "pkgs")
    git("commit", "-qm", "merged")


def test_the_summary_for_programs_names_them(repository: Path) -> None:
    merge()
    named = conflicts()
    data = json.loads(tvarc("build", "--json").stdout)
    assert sorted(data["merged"]) == sorted(data["written"]) == named
    assert json.loads(tvarc("build", "--json").stdout)["merged"] == []


@pytest.mark.parametrize(
    "words", [("rebase", "other"), ("cherry-pick", "other"), ("merge", "--squash", "other")]
)
def test_other_ways_to_merge(repository: Path, words: tuple[str, ...]) -> None:
    merge("zdiff3", *words)
    assert conflicts()
    assert tvarc("build").exit_code == 0
    assert not conflicts()


@pytest.mark.parametrize("committed", [False, True])
def test_conflicts_that_were_added(repository: Path, committed: bool) -> None:
    """git has no sides of them in its index any more; it has the commits."""
    merge()
    git("add", ".")
    if committed:
        git("commit", "-qm", "with marks")
    assert tvarc("build").exit_code == 0
    assert not conflicts()


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("side", ["main", "other"])
@pytest.mark.parametrize("change", ["added", "removed"])
def test_a_side_that_was_changed_by_hand_is_not_lost(
    repository: Path, style: str, side: str, change: str
) -> None:
    git("switch", "-q", side)
    if change == "added":
        edit("echo sm90", "echo sm90 by hand", NAME)
    else:
        lines = Path(NAME).read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if "patches" not in line and "fix me" not in line]
        assert kept != lines
        Path(NAME).write_text("".join(kept), encoding="utf-8")
    commit("by hand")
    git("switch", "-q", "main")
    merge(style)
    before = {name: Path(name).read_bytes() for name in conflicts()}
    assert NAME in before
    done = tvarc("build", code=1)
    assert f"error[E801]: `{NAME}` has merge conflicts, and perhaps changes" in done.stderr
    assert before == {name: Path(name).read_bytes() for name in conflicts()}
    done = tvarc("build", "--adopt")
    assert done.exit_code == 0 and "4 recipes had merge conflicts" in done.stdout
    assert Path(f"{NAME}.orig").read_bytes() == before[NAME]
    assert not [name for name in conflicts() if name.endswith(".nix")]


def test_what_was_written_into_a_conflict_is_not_lost(repository: Path) -> None:
    merge()
    edit("<<<<<<< HEAD\n", "<<<<<<< HEAD\n# mine\n", OTHER)
    done = tvarc("build")
    assert done.exit_code == 1 and f"`{OTHER}` has merge conflicts" in done.stderr
    assert tvarc("build", "--force").exit_code == 0
    assert not conflicts()


def written_by_hand(text: str, how: str) -> str:
    """*text*, a recipe with conflicts, with a change that a person may make in it."""
    lines = text.splitlines(keepends=True)
    outside = _outside(lines)
    match how:
        case "a line is deleted":
            del lines[outside]
        case "a line of a conflict is deleted":
            start = next(i for i, line in enumerate(lines) if line.startswith("<<<<<<<"))
            del lines[start + 1]
        case "the value of the other side":
            changed = next(i for i, line in enumerate(lines) if "echo very fast" in line)
            lines[changed] = lines[changed].replace("very ", "")
        case "a note behind a mark":
            return text.replace("<<<<<<< HEAD", "<<<<<<< HEAD ask her why", 1)
        case "a note behind the middle":
            return text.replace("\n=======\n", "\n======= mine\n", 1)
        case "a note behind the end":
            return text.replace(">>>>>>> other", ">>>>>>> other: hers", 1)
        case "doubled":
            return text + text
        case "a blank line":
            lines.insert(outside, "\n")
        case "a blank line at the end":
            lines.append("\n")
        case "a line twice":
            lines.insert(outside, lines[outside])
        case "two lines change places":
            lines[outside : outside + 2] = reversed(lines[outside : outside + 2])
    return "".join(lines)


def _outside(lines: list[str]) -> int:
    """The number of a line that is in no conflict, before another."""
    return next(i for i, line in enumerate(lines) if "patches" in line)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "how",
    sampled([
        "a line is deleted", "a line of a conflict is deleted", "the value of the other side",
        "a note behind a mark", "a note behind the middle", "a note behind the end", "doubled",
        "a blank line", "a blank line at the end", "a line twice", "two lines change places",
    ], 5),
)  # fmt: skip
def test_no_change_by_hand_in_a_conflict_is_lost(repository: Path, style: str, how: str) -> None:
    merge(style)
    before = Path(NAME).read_text(encoding="utf-8")
    mine = written_by_hand(before, how)
    assert mine != before
    Path(NAME).write_text(mine, encoding="utf-8")
    done = tvarc("build")
    assert done.exit_code == 1 and f"error[E801]: `{NAME}` has merge conflicts" in done.stderr
    assert Path(NAME).read_text(encoding="utf-8") == mine


def test_what_a_conflict_shows_of_the_base_is_not_lost(repository: Path) -> None:
    merge("diff3")
    text = Path(NAME).read_text(encoding="utf-8")
    Path(NAME).write_text(text.replace("\n=======\n", "\n# mine\n=======\n", 1), encoding="utf-8")
    done = tvarc("build")
    assert done.exit_code == 1 and f"error[E801]: `{NAME}` has merge conflicts" in done.stderr


@pytest.mark.parametrize("way", sampled(["myers", "minimal", "patience", "histogram"], 4))
@pytest.mark.parametrize("style", STYLES)
def test_each_way_to_compare_lines(repository: Path, style: str, way: str) -> None:
    merge(style, "merge", "-X", f"diff-algorithm={way}", "other")
    assert tvarc("build").exit_code == 0
    assert not conflicts()


@pytest.mark.slow
def test_without_git_the_file_itself_has_to_show_it(repository: Path) -> None:
    """Here what main changed is merged into the other side too, so its digest is not right."""
    merge()
    done = tvarc("build", "--no-git")
    assert done.exit_code == 1 and "merge conflicts" in done.stderr
    # Where all that differs is in conflict, both sides stand in the file whole.
    git("merge", "--abort")
    git("switch", "-qc", "third", "main")
    edit('["-a", "-b"]', '["-a", "-c"]')
    assert tvarc("build").exit_code == 0
    commit("third")
    git("switch", "-qc", "fourth", "main")
    edit('["-a", "-b"]', '["-a", "-d"]')
    assert tvarc("build").exit_code == 0
    commit("fourth")
    merge("diff3", "merge", "third")
    git("checkout", "-q", "--ours", "variants.tvar")
    assert tvarc("build", "--no-git").exit_code == 0
    assert not conflicts()


def test_a_program_with_conflicts_is_told_of_and_nothing_is_written(repository: Path) -> None:
    edit('["-a", "-b"]', '["-a"]')
    edit("echo fast", "echo slow")
    assert tvarc("build").exit_code == 0
    commit("the same line")
    merge()
    before = {name: Path(name).read_bytes() for name in conflicts()}
    done = tvarc("build")
    assert done.exit_code == 1 and "error[E913]" in done.stderr
    assert before == {name: Path(name).read_bytes() for name in conflicts()}


def test_an_audit_names_them(repository: Path) -> None:
    merge()
    edit("<<<<<<< HEAD\n", "<<<<<<< HEAD\n# mine\n", OTHER)
    done = tvarc("audit", "--json", code=3)
    found = {
        one["file"]: (one["code"], one["message"]) for one in json.loads(done.stdout)["findings"]
    }
    code, text = found[NAME.removeprefix("pkgs/")]
    assert code == "W205" and "it contains merge conflicts" in text
    code, text = found[OTHER.removeprefix("pkgs/")]
    assert code == "W204" and "it contains merge conflicts" in text
    assert not {"W203", "W206"} & {code for code, _ in found.values()}


# --- what git can be told beforehand ---------------------------------------------------------


@pytest.mark.slow
def test_attributes_that_avoid_the_question(repository: Path) -> None:
    """`-merge` needs no configuration: git keeps the recipe of this side, and says so."""
    for branch in ("other", "main"):
        git("switch", "-q", branch)
        Path(".gitattributes").write_text("/pkgs/*.nix -merge linguist-generated\n")
        commit("attributes")
    ours = Path(NAME).read_bytes()
    merge()
    assert not conflicts() and Path(NAME).read_bytes() == ours
    assert git("ls-files", "--unmerged", "--", "pkgs")  # so none is forgotten
    assert tvarc("build").exit_code == 0
    git("add", "pkgs")
    git("commit", "-qm", "merged")
    assert tvarc("build", "--check").exit_code == 0


@pytest.mark.slow
def test_a_driver_that_keeps_ours(repository: Path) -> None:
    """With a line of configuration there is no conflict, and a check tells who forgot to build."""
    git("config", "merge.ours.driver", "true")
    for branch in ("other", "main"):
        git("switch", "-q", branch)
        Path(".gitattributes").write_text("/pkgs/*.nix merge=ours linguist-generated\n")
        commit("attributes")
    git("merge", "-q", "-m", "merged", "other")
    assert tvarc("build", "--check").exit_code == 3
    assert tvarc("build").exit_code == 0


# --- the lock --------------------------------------------------------------------------------


def locked(*names: str, hash: str = "") -> None:
    """Write the lock of the sources *names*, each with a hash of its own; the second has *hash*."""
    entries = []
    for name in names:
        source = fetched("file", {"url": f"https://example.org/{name}.tar.gz"})
        assert source is not None
        digest = base64.b64encode(name.encode() * 32).decode()
        entries.append(
            Entry(
                source,
                hash if hash and name == names[1] else f"sha256-{digest}",
                "2026-02-03",
                "nix",
            )
        )
    Path("tvar.lock").write_text(lock_text(entries), encoding="utf-8")


def lock_branches(other: str, main: str, *, hash: str = "") -> None:
    """Two branches that lock a source each, between those that both have."""
    urls = " ".join(
        f'{name} = url("https://example.org/{name}.tar.gz", hash = unlocked)' + "\n"
        for name in "abcd"
    )
    edit("    pname ", f"    {urls}    pname ")
    hashed = base64.b64encode(b"nixpkgs!" * 4).decode()
    edit("\n}\n\naxis gpu", f'\n  hash = "sha256-{hashed}"\n}}\n\naxis gpu')
    edit("warn pin-without-hash", "# warn pin-without-hash")
    git("init", "-q", "-b", "main")
    locked("a", "d")
    commit("base")
    git("switch", "-qc", "other")
    locked("a", other, "d", hash=hash)
    commit("other")
    git("switch", "-q", "main")
    locked("a", main, "d")
    commit("main")


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_the_lock_has_the_sources_of_both_sides(project: Path, style: str) -> None:
    lock_branches("b", "c")
    merge(style)
    before = Path("tvar.lock").read_text(encoding="utf-8")
    assert "<<<<<<<" in before
    for words in (["build"], ["check"], ["lock", "--check"]):
        done = tvarc(*words)
        assert done.exit_code == 1 and done.stderr.count("error[") == 1
        assert "error[E943]" in done.stderr and "run `tvarc lock`, which keeps" in done.stderr
    assert Path("tvar.lock").read_text(encoding="utf-8") == before
    done = tvarc("lock")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "4 sources, 0 added, both sides of a merge kept" in done.stdout
    merged = Path("tvar.lock").read_text(encoding="utf-8")
    locked("a", "b", "c", "d")
    assert merged == Path("tvar.lock").read_text(encoding="utf-8")
    done = tvarc("build", "--locked")
    assert (done.exit_code, done.stderr) == (0, "")


def test_two_hashes_of_one_source_are_for_a_person(project: Path) -> None:
    lock_branches("b", "b", hash="sha256-" + base64.b64encode(b"x" * 32).decode())
    merge()
    before = Path("tvar.lock").read_text(encoding="utf-8")
    done = tvarc("lock")
    assert done.exit_code == 1 and "find out which one is right" in " ".join(done.stderr.split())
    assert Path("tvar.lock").read_text(encoding="utf-8") == before


# --- the marks -------------------------------------------------------------------------------


def recipe(line: str) -> bytes:
    return seal(["# a", "# Made by tvarc from variants.tvar: matrix all"], f"{line}\n").encode()


def marked(ours: bytes, theirs: bytes, base: bytes | None = None, size: int = 7) -> bytes:
    middle = b"" if base is None else b"|" * size + b" parent of 1a2b3c4 (x, y)\n" + base
    return b"".join(
        (b"<" * size, b" HEAD:pkgs/a-name.nix\n", ours, middle, b"=" * size, b"\n", theirs,
         b">" * size, b"\n")
    )  # fmt: skip


@pytest.mark.parametrize("size", [7, 9, 15])
@pytest.mark.parametrize("base", [None, b"", b"older\n", marked(b"1\n", b"2\n", size=20)])
def test_marks_of_any_length_and_name(size: int, base: bytes | None) -> None:
    one, other = recipe("one"), recipe("other")
    found = conflict_of(marked(one, other, base, size))
    assert found is not None and found.sides == (one, other)
    assert found.is_of_recipe
    assert is_of_tvarc(found, ()) is not bool(base)  # what it shows of the base may be a person's
    assert is_of_tvarc(found, (Versions((one, other), base or b""),))


@for_each(
    "label",
    [
        b"", b" HEAD", b" HEAD:a/b.nix", b" origin/x-1", b" 1a2b3c4", b" 1a2b3c4 (say: a thing)",
        b" 1a2b3c4... (a)", b" parent of 1a2b3c4 (a)", b" Updated upstream", b" Stashed changes",
    ],
)  # fmt: skip
def test_names_that_git_writes_behind_marks(label: bytes) -> None:
    text = marked(recipe("one"), recipe("other")).replace(b" HEAD:pkgs/a-name.nix", label)
    found = conflict_of(text)
    assert found is not None and is_of_tvarc(found, ())


@for_each(
    "label",
    [b" ", b" HEAD mine", b" 1a2b3c4 mine", b" 1a2b3c4 (a) mine", b" HEAD: mine", b" HEAD "],
)
def test_a_note_behind_a_mark(label: bytes) -> None:
    text = marked(recipe("one"), recipe("other")).replace(b" HEAD:pkgs/a-name.nix", label)
    found = conflict_of(text)
    assert found is not None and not is_of_tvarc(found, ())


@pytest.mark.parametrize("note", ["todo", "todo:later", "-v", "no..name"])
def test_a_word_behind_a_mark_that_git_knows_no_commit_by(repository: Path, note: str) -> None:
    merge()
    text = Path(NAME).read_text(encoding="utf-8")
    assert ">>>>>>> other\n" in text
    Path(NAME).write_text(text.replace(">>>>>>> other", f">>>>>>> {note}"), encoding="utf-8")
    done = tvarc("build")
    assert done.exit_code == 1 and f"`{NAME}` has merge conflicts" in done.stderr
    assert note in Path(NAME).read_text(encoding="utf-8")
    git("tag", "todo", "other")
    assert tvarc("build").exit_code == (0 if note.startswith("todo") else 1)


@for_each(
    "data",
    [
        b"", b"<<<<<<<\n", b"<<<<<<< a\n=======\n", b"<<<<<<<a\nx\n=======\ny\n>>>>>>> b\n",
        b"<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n", b"x <<<<<<< a\n=======\n>>>>>>> b\n",
        b"<<<<<<< a\n=======\n<<<<<<< b\n>>>>>>> c\n", b"=======\n>>>>>>> b\n",
    ],
)  # fmt: skip
def test_what_is_no_conflict(data: bytes) -> None:
    assert conflict_of(data) is None


def test_a_file_of_somebody_else_with_conflicts_is_foreign(project: Path) -> None:
    Path("pkgs").mkdir()
    Path(NAME).write_bytes(marked(b"{ a = 1; }\n", b"{ a = 2; }\n"))
    done = tvarc("build")
    assert done.exit_code == 1 and "tvarc did not write it" in done.stderr


def test_a_recipe_of_another_program_with_conflicts_is_its(project: Path) -> None:
    Path("other.tvar").write_text(SMALL, encoding="utf-8")
    assert tvarc("build", "other.tvar").exit_code == 0
    text = Path(NAME).read_bytes()
    for file in Path("pkgs").iterdir():
        file.unlink()
    Path(NAME).write_bytes(marked(text, text))
    done = tvarc("build", code=1)
    assert f"`{NAME}` belongs to another program, `other.tvar`" in done.stderr


def test_a_recipe_of_no_variant_with_conflicts_is_kept_and_told_of(project: Path) -> None:
    assert tvarc("build").exit_code == 0
    text = Path(NAME).read_bytes()
    Path("pkgs/gone.nix").write_bytes(marked(text, text))
    for words in ((), ("--prune",)):
        done = tvarc("build", *words)
        assert done.exit_code == 0 and "pkgs/gone.nix: it has no variant any more" in done.stdout
        assert Path("pkgs/gone.nix").exists()


def test_one_side_alone_is_not_enough() -> None:
    ours, edited = recipe("one"), recipe("other").replace(b"other\n", b"by hand\n")
    found = conflict_of(marked(ours, edited))
    assert found is not None and found.is_of_recipe and not is_of_tvarc(found, ())
    assert not is_of_tvarc(Conflict((ours, b"{ }\n"), (), as_git_marks=True), ())


def test_what_is_too_large_is_called_so(project: Path) -> None:
    Path("pkgs").mkdir()
    with Path(NAME).open("wb") as file:
        file.truncate((1 << 26) + 1)
    done = tvarc("build")
    told = " ".join(done.stderr.split())
    assert done.exit_code == 1 and f"`{NAME}` is in the way: it is larger than 64 MiB" in told
    assert "not written by tvarc" not in told
