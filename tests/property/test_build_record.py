"""A build that finds by its record that nothing has changed does and tells what it would without
one: whatever was done to the sources, the recipes and the cache since, and whatever it is asked."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.command import SMALL, put_small, tvarc
from support.effort import examples
from support.library_cache import read_library_once
from tvarc.files.output.header import seal

PROGRAM = (
    SMALL.replace("let newest", 'use "./parts/shared.tvar"\n\nlet newest')
    .replace("echo fast", "echo {{greeting}}")
    .replace("variant}}.nix", "gpu}}/{{variant}}.nix")
)
SHARED = 'let greeting = "good day"\n'
FIRST = "pkgs/sm100/hello-cuda12_8-sm100.nix"
SECOND = "pkgs/sm103/hello-cuda13_0-sm103.nix"

Change = Callable[[Path], object]


def edit(path: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        file = folder / path
        if file.is_file():
            file.write_text(file.read_text().replace(old, new))

    return change


def free(file: Path) -> bool:
    """Whether text can be written to *file*."""
    return file.is_file() or (file.parent.is_dir() and not file.is_symlink() and not file.exists())


def whole(path: str, text: str) -> Change:
    def change(folder: Path) -> None:
        if free(folder / path):
            (folder / path).write_text(text)

    return change


def gone(path: str) -> Change:
    def change(folder: Path) -> None:
        file = folder / path
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)

    return change


def linked(path: str) -> Change:
    """The same is there, but as a link to it."""

    def change(folder: Path) -> None:
        file = folder / path
        aside = folder / f"aside-{path.replace('/', '-')}"
        if file.exists() and not file.is_symlink() and not aside.exists():
            file.rename(aside)
            file.symlink_to(aside)

    return change


def copied(old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        if (folder / old).is_file() and free(folder / new):
            (folder / new).write_bytes((folder / old).read_bytes())

    return change


def swapped(folder: Path) -> None:
    one, other = folder / FIRST, folder / SECOND
    if one.is_file() and other.is_file():
        before = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(before)


def digest_moved(place: int) -> Change:
    """The digest line stands elsewhere, where it is no less the digest of all the rest."""

    def change(folder: Path) -> None:
        if (folder / FIRST).is_file():
            lines = (folder / FIRST).read_text().splitlines(keepends=True)
            found = [line for line in lines if line.startswith("# tvarc digest: ")]
            rest = [line for line in lines if line not in found]
            (folder / FIRST).write_text("".join([*rest[:place], *found, *rest[place:]]))

    return change


def replaced_by_folder(folder: Path) -> None:
    if (folder / FIRST).is_file():
        (folder / FIRST).unlink()
        (folder / FIRST).mkdir()


def fifo(folder: Path) -> None:
    if (folder / FIRST).is_file():
        (folder / FIRST).unlink()
        os.mkfifo(folder / FIRST)


def mode(bits: int) -> Change:
    def change(folder: Path) -> None:
        if (folder / FIRST).is_file():
            (folder / FIRST).chmod(bits)

    return change


def rewritten(folder: Path) -> None:
    """Every file is another one with the same content."""
    for file in folder.glob("**/*.nix"):
        if file.is_file():
            data = file.read_bytes()
            file.unlink()
            file.write_bytes(data)


def hard_link(folder: Path) -> None:
    if (folder / FIRST).is_file() and not (folder / "more.nix").exists():
        os.link(folder / FIRST, folder / "more.nix")


def folder_for_lock(folder: Path) -> None:
    if not (folder / "tvar.lock").exists():
        (folder / "tvar.lock").mkdir()


def taken_by(program: str) -> Change:
    """A recipe is as another program would have written it."""

    def change(folder: Path) -> None:
        if (folder / FIRST).is_file():
            lines = (folder / FIRST).read_text().splitlines(keepends=True)
            head = [line.rstrip("\n") for line in lines if line.startswith("#")]
            said = [line for line in head if not line.startswith("# tvarc digest: ")]
            named = [line.replace("variants.tvar", program) for line in said]
            body = "".join([line for line in lines if not line.startswith("#")])
            (folder / FIRST).write_text(seal(named, body))

    return change


def stale_folder(folder: Path) -> None:
    if (folder / "pkgs/sm103").is_dir():
        shutil.copytree(folder / "pkgs/sm103", folder / "pkgs/sm104", dirs_exist_ok=True)


CHANGES: dict[str, Change] = {
    "nothing": lambda folder: None,
    "a value": edit("variants.tvar", '"-a"', '"-b"'),
    "the value back": edit("variants.tvar", '"-b"', '"-a"'),
    "a comment": edit("variants.tvar", "axis cuda", "# seen\naxis cuda"),
    "a patch gone": gone("fix me.patch"),
    "the patch back": whole("fix me.patch", "--- a\n"),
    "an error": edit("variants.tvar", "recipe = base", "recipe = bass"),
    "the error mended": edit("variants.tvar", "recipe = bass", "recipe = base"),
    "a warning": edit("variants.tvar", "warn pin", "# warn pin"),
    "the warning silenced": edit("variants.tvar", "# warn pin", "warn pin"),
    "a variant less": edit("variants.tvar", "[12.8, 13.0]", "[12.8]"),
    "an output": whole("variants.tvar", PROGRAM.replace("pkgs/", "more/")),
    "the first program": whole("variants.tvar", PROGRAM),
    "a module": edit("parts/shared.tvar", "good", "bad"),
    "the module back": whole("parts/shared.tvar", SHARED),
    "no module": gone("parts/shared.tvar"),
    "a linked module": linked("parts/shared.tvar"),
    "a linked folder of modules": linked("parts"),
    "a linked program": linked("variants.tvar"),
    "a lock": whole("tvar.lock", "version = 1\n"),
    "a broken lock": whole("tvar.lock", "{{{"),
    "a lock that is a folder": folder_for_lock,
    "no lock": gone("tvar.lock"),
    "an edited recipe": edit(FIRST, "echo", "echo -n"),
    "a longer recipe": edit(FIRST, "}\n", "}\n\n"),
    "an empty recipe": whole(FIRST, ""),
    "an edited header": edit(FIRST, "sm100", "sm101"),
    "an edited digest": edit(FIRST, "sha256-", "sha256-A"),
    "a digest line moved up": digest_moved(0),
    "a digest line moved down": digest_moved(3),
    "recipes of each other": swapped,
    "a recipe as another": copied(SECOND, FIRST),
    "a recipe less": gone(FIRST),
    "a folder less": gone("pkgs/sm100"),
    "no recipes": gone("pkgs"),
    "a linked recipe": linked(FIRST),
    "a linked folder": linked("pkgs/sm100"),
    "a linked root": linked("pkgs"),
    "a folder for a recipe": replaced_by_folder,
    "a fifo for a recipe": fifo,
    "a recipe that is run": mode(0o755),
    "a recipe that is not written": mode(0o444),
    "a recipe linked twice": hard_link,
    "recipes written again": rewritten,
    "a stale recipe": copied(FIRST, "pkgs/sm100/old.nix"),
    "a stale recipe edited": edit("pkgs/sm100/old.nix", "echo", "echo -n"),
    "a stale folder": stale_folder,
    "a foreign recipe": whole("pkgs/sm100/mine.nix", "{ hello }: hello\n"),
    "another program": whole("other.tvar", PROGRAM.replace('"-a"', '"-other"')),
    "no other program": gone("other.tvar"),
    "a recipe of another program": taken_by("other.tvar"),
    "a linked folder for --out": linked("out"),
    "a recipe of zeros": whole(FIRST, "\0" * 512),
    "what a killed run left": whole("pkgs/sm100/.tvarc-0.tmp", "half"),
}  # fmt: skip

COMMANDS: tuple[tuple[str, ...], ...] = (
    (),
    ("--check",),
    ("--dry-run",),
    ("--json",),
    ("--json", "--check"),
    ("--json", "--dry-run"),
    ("--prune",),
    ("--prune", "--check"),
    ("--prune", "--dry-run", "--json"),
    ("--prune", "--force"),
    ("--force",),
    ("--adopt",),
    ("--locked",),
    ("--no-git",),
    ("--only", "gpu=sm103"),
    ("--only", "gpu=sm103", "--only", "gpu=sm100"),
    ("--flag", "fast=false"),
    ("--set", "attrs.pname=other"),
    ("--out", "out"),
    ("--out", "pkgs"),
    ("--format", "json"),
    ("--format", "github"),
    ("--format", "json", "--json"),
    ("./variants.tvar",),
    ("other.tvar",),
    ("other.tvar", "--force"),
    ("nothing.tvar",),
)

# What somebody, or another version, makes of the entries of the cache.
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "left": lambda data: data,
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "longer": lambda data: data + b"\0",
    "changed": lambda data: data[:-9] + bytes([one ^ 1 for one in data[-9:-8]]) + data[-8:],
}


def tree(folder: Path) -> dict[str, object]:
    """All that is in *folder*."""
    found: dict[str, object] = {}
    for base, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(base, name)
            mode = path.lstat().st_mode
            content: object = None
            if stat.S_ISLNK(mode):
                content = str(path.readlink()).replace(str(folder), "")
            elif stat.S_ISREG(mode):
                content = path.read_bytes()
            found[str(path.relative_to(folder))] = (mode, content)
    return found


def run(folder: Path, words: tuple[str, ...], cache: str) -> tuple[int, str, str]:
    env = {"XDG_CACHE_HOME": cache} if cache else {"TVARC_NO_CACHE": "1"}
    os.chdir(folder)
    done = tvarc("build", *words, env=env)
    stdout, stderr = (text.replace(str(folder), "") for text in (done.stdout, done.stderr))
    return done.exit_code, stdout, stderr


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # and back at the end
    read_library_once(monkeypatch)


@pytest.mark.slow
@given(
    steps=st.lists(
        st.tuples(
            st.lists(st.sampled_from(sorted(CHANGES)), max_size=2),
            st.sampled_from(COMMANDS) | st.just(()),
            st.sampled_from(("left",) * 6 + tuple(DAMAGE)),
        ),
        min_size=1,
        max_size=5,
    )
)
@settings(
    max_examples=examples(20),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_record_changes_nothing(
    steps: list[tuple[list[str], tuple[str, ...], str]], tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as base:
        cache = Path(base, "cache")
        twins = [Path(base, name) for name in ("first", "other")]
        for twin in twins:
            (twin / "parts").mkdir(parents=True)
            put_small(twin, PROGRAM)
            (twin / "parts/shared.tvar").write_text(SHARED)
        for changes, words, damage in [([], (), "left"), *steps]:
            for twin in twins:
                for change in changes:
                    with suppress(OSError):  # there is no such file by now
                        CHANGES[change](twin)
            for entry in cache.glob("tvarc/build-*"):
                entry.write_bytes(DAMAGE[damage](entry.read_bytes()))
            told = run(twins[0], words, str(cache))
            assert told == run(twins[1], words, "")
            assert tree(twins[0]) == tree(twins[1])
            os.chdir(base)
        assert any(cache.glob("tvarc/build-*"))  # the first build is one without any message
