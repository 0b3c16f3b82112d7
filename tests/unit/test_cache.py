"""The cache on disk: private, never in the way, never out of date."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.command import calls, put_small, spawn
from support.effort import sampled
from tvarc.files import cache as module
from tvarc.files import resources
from tvarc.files.cache import Cache, Damaged, dumped, loaded, open_cache, user_folder
from tvarc.files.resources import MADE_COMPILER, compiler_texts
from tvarc.syntax.prebuilt import library_tree
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

TEXT = "let a = 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "tvarc"


@pytest.fixture
def cache(folder: Path) -> Cache:
    return Cache(str(folder), None)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is parsed from now on."""
    return calls(monkeypatch, "tvarc.syntax.parser.parse_module", lambda source, *_: source.file)


def tree(cache: Cache | None, text: str = TEXT, file: str = "a.tvar") -> str:
    sink = Sink()
    found = library_tree(Source(file, text), sink, cache)
    return repr((found, list(sink)))


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("library-*"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --- what is kept -------------------------------------------------------------------------------


def test_a_source_is_parsed_once(cache: Cache, parsed: list[str]) -> None:
    first = tree(cache)
    assert tree(cache) == first == tree(None)
    assert parsed == ["a.tvar", "a.tvar"]  # with the cache once, without it once


def test_the_name_of_a_file_is_no_part_of_it(cache: Cache, parsed: list[str]) -> None:
    tree(cache)
    assert tree(cache, file="b.tvar") == tree(None, file="b.tvar")
    assert parsed == ["a.tvar", "b.tvar"]


def test_each_text_has_its_own(cache: Cache, folder: Path) -> None:
    tree(cache)
    assert tree(cache, "let a = 2\n") == tree(None, "let a = 2\n")
    assert len(entries(folder)) == 2


def test_faults_are_told_each_time(cache: Cache, folder: Path) -> None:
    wrong = "let = 1\nlet b = \n"
    told = tree(cache, wrong)
    assert "E101" in told and tree(cache, wrong) == told == tree(None, wrong)
    assert entries(folder) == []


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Which compiler this is, is found out in the test, and again after it."""
    module.this_compiler.cache_clear()
    yield
    module.this_compiler.cache_clear()


def test_another_compiler_has_other_entries(
    cache: Cache, parsed: list[str], monkeypatch: pytest.MonkeyPatch, forgotten: None
) -> None:
    tree(cache)
    texts = list(compiler_texts())
    module.this_compiler.cache_clear()
    monkeypatch.setattr(module, "made_compiler", lambda: b"")  # a wheel has made it beforehand
    monkeypatch.setattr(module, "compiler_texts", lambda: [*texts[:-1], texts[-1] + b"#"])
    tree(cache)
    assert len(parsed) == 2


def test_the_grammar_and_the_code_are_the_compiler() -> None:
    texts = list(compiler_texts())
    names = texts[::2]
    assert names[0] == b"tvar.lark" and b"?line" in texts[1]
    assert {b"ast.py", b"build.py", b"prebuilt.py", b"tables.py", b"terminals.py"} <= {*names}
    assert {b"cache.py", b"value.py", b"facts.py"} <= {*names}


def test_without_its_own_text_the_compiler_keeps_nothing(
    cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch, forgotten: None
) -> None:
    def gone() -> Iterator[bytes]:
        raise FileNotFoundError

    monkeypatch.setattr(module, "made_compiler", lambda: b"")
    monkeypatch.setattr(module, "compiler_texts", gone)
    assert cache.key("library", TEXT) == ""
    assert tree(cache) == tree(None)
    assert not folder.exists()


# --- who may read and write it ----------------------------------------------------------------


def test_it_is_private(cache: Cache, folder: Path) -> None:
    old = os.umask(0)
    try:
        tree(cache)
    finally:
        os.umask(old)
    assert mode(folder) == 0o700
    assert {mode(path) for path in folder.iterdir()} == {0o600}


def test_a_folder_that_others_can_read_is_closed(cache: Cache, folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    tree(cache)
    assert mode(folder) == 0o700


def test_the_folder_of_another_is_not_used(
    cache: Cache, folder: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(cache)
    before = entries(folder)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert tree(cache) == tree(cache)
    tree(cache, "let b = 1\n")
    assert len(parsed) == 4 and entries(folder) == before


@pytest.mark.parametrize("of_anothers", [stat.S_ISREG, stat.S_ISDIR], ids=["entry", "folder"])
def test_the_entry_of_another_is_not_read(
    cache: Cache,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    of_anothers: Callable[[int], bool],
) -> None:
    """Be it the entry that is another's, in a folder of ours, or the folder."""
    cache.put("one", b"data")
    assert cache.get("one") == memoryview(b"data")
    real = os.fstat
    place, uid = 4, 1 + os.geteuid()

    def of_another(file: int) -> os.stat_result:
        state = real(file)
        if not of_anothers(state.st_mode):
            return state
        fields = [*state]
        fields[place] = uid
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", of_another)
    assert cache.get("one") is None
    # What came with the compiler is whoever's it was installed by.
    assert Cache(None, str(folder)).get("one") == memoryview(b"data")


def test_the_folder_that_came_with_the_compiler_may_be_anothers(
    cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put("one", b"data")
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    assert cache.get("one") is None
    assert Cache(None, str(folder)).get("one") == memoryview(b"data")


def test_what_came_with_the_compiler_is_held_against_its_digest_too(
    cache: Cache, folder: Path
) -> None:
    cache.store("one", "data")
    entry = folder / "one"
    whole = entry.read_bytes()
    assert Cache(None, str(folder)).load("one") == "data"
    entry.write_bytes(whole.replace(b"data", b"else"))
    assert Cache(None, str(folder)).load("one") is None
    entry.write_bytes(whole[:-1])
    assert Cache(None, str(folder)).load("one") is None
    entry.write_bytes(whole)
    entry.rename(folder / "two")
    assert Cache(None, str(folder)).load("two") is None


def test_a_wheel_says_which_compiler_made_its_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten: None
) -> None:
    """So a command need not read all that decides it."""
    before = Cache(None, None).key("kind", "text")
    (tmp_path / MADE_COMPILER).write_bytes(module.compiler_digest())
    monkeypatch.setattr(resources, "made_dir", lambda: str(tmp_path))
    monkeypatch.setattr(module, "compiler_texts", None)
    module.this_compiler.cache_clear()
    assert Cache(None, None).key("kind", "text") == before


def test_a_link_is_not_followed(cache: Cache, folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.parent.mkdir()
    folder.symlink_to(elsewhere)
    assert tree(cache) == tree(None)
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_an_entry_that_is_no_file_is_none(
    cache: Cache, folder: Path, tmp_path: Path, kind: str
) -> None:
    right = tree(cache)
    (name,) = entries(folder)
    entry = folder / name
    data = entry.read_bytes()
    entry.unlink()
    if kind == "link":
        (tmp_path / "data").write_bytes(data)
        entry.symlink_to(tmp_path / "data")
    elif kind == "pipe":
        os.mkfifo(entry)
    else:
        entry.mkdir()
    assert cache.get(name) is None
    assert tree(cache) == right
    assert kind == "folder" or entry.read_bytes() == data


# --- what may happen to it ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data + b"x",
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        lambda data: b"#!/bin/sh\n" + data,
        lambda data: dumped([]),
    ],
)
def test_what_is_damaged_is_made_again(cache: Cache, folder: Path, damage: object) -> None:
    right = tree(cache)
    (name,) = entries(folder)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(damage(data))  # type: ignore[operator]
    assert tree(cache) == right
    assert (folder / name).read_bytes() == data


def test_it_may_be_deleted_at_any_moment(cache: Cache, folder: Path) -> None:
    right = tree(cache)
    for path in folder.iterdir():
        path.unlink()
    assert tree(cache) == right
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert tree(cache) == right and len(entries(folder)) == 1


@pytest.mark.parametrize("call", ["makedirs", "open", "write", "rename", "scandir"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_takes_nothing_is_no_error(
    cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        found = tree(cache)
    assert found == tree(None)
    left = list(folder.iterdir()) if folder.exists() else []
    assert all(path.name.startswith(("library-", "pattern-", "tables-")) for path in left), (
        "half a file"
    )


def test_a_file_in_the_place_of_the_folder(cache: Cache, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("mine")
    assert tree(cache) == tree(None)
    assert folder.read_text() == "mine"


def test_many_at_once(cache: Cache, folder: Path) -> None:
    texts = [f"let a = {number % 3}\n" for number in range(24)]
    right = {text: tree(None, text) for text in texts}
    wrong: list[str] = []

    def work(text: str) -> None:
        if tree(cache, text) != right[text]:
            wrong.append(text)

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(entries(folder)) == 3


def test_what_a_killed_process_left_is_in_nobodys_way(cache: Cache, folder: Path) -> None:
    key = cache.key("library", TEXT)
    folder.mkdir(parents=True)
    (folder / f".{key[-16:]}-{os.getpid()}.tmp").write_bytes(b"half")
    tree(cache)
    assert entries(folder) == [key]
    assert not list(folder.glob(".*"))


# --- how large it gets --------------------------------------------------------------------------


def test_the_oldest_go_when_it_is_full(
    cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 10)
    keys = [cache.key("library", str(number)) for number in range(11)]
    for age, key in enumerate(keys[:10]):
        cache.put(key, b"x")
        os.utime(folder / key, (age, age))
    assert len(entries(folder)) == 10
    cache.put(keys[10], b"x")
    assert set(entries(folder)) == {*keys[6:]}


def test_bytes_are_counted(cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    for number in range(20):
        cache.put(cache.key("library", str(number)), b"x" * 100)
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 1000


def test_what_is_not_ours_stays(
    cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 1)
    folder.mkdir(parents=True)
    (folder / "notes").write_text("mine")
    for number in range(5):
        cache.put(cache.key("library", str(number)), b"x")
    assert (folder / "notes").read_text() == "mine"


def test_what_is_too_large_is_not_kept(
    cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 10)
    cache.put(cache.key("library", ""), b"x" * 11)
    assert not folder.exists()


# --- where it is --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/tvarc"),
        ({"XDG_CACHE_HOME": "", "HOME": "/usr"}, "/usr/.cache/tvarc"),
        ({"XDG_CACHE_HOME": "x", "HOME": "/usr"}, "/usr/.cache/tvarc"),
        ({"XDG_CACHE_HOME": "x", "HOME": "h"}, None),
        ({"XDG_CACHE_HOME": "", "HOME": ""}, None),
        ({"XDG_CACHE_HOME": "", "HOME": "."}, None),
        ({"XDG_CACHE_HOME": "", "HOME": "~"}, None),
        ({"XDG_CACHE_HOME": "", "HOME": "/homeless-shelter"}, None),
        ({"XDG_CACHE_HOME": "/x", "TVARC_NO_CACHE": "1"}, None),
        ({"XDG_CACHE_HOME": "/x", "TVARC_NO_CACHE": "0"}, "/x/tvarc"),
    ],
)
def test_where_it_is(
    env: dict[str, str], folder: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert user_folder() == folder


def test_without_a_home_in_the_environment_it_is_that_of_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert user_folder() == (f"{home}/.cache/tvarc" if Path(home).is_dir() else None)


def test_a_cache_that_is_not_wanted_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for cache in (open_cache(wanted=False), open_cache()):
        cache.put(cache.key("library", TEXT), b"x")
    assert len(list(tmp_path.rglob("library-*"))) == 1


COMMANDS = (
    ["build"], ["check"], ["list"], ["explain", "sm103"],
    ["facts", "sm103"],
)  # fmt: skip


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the parser's tables are: to make them takes longer than a command."""
    folder = tmp_path_factory.mktemp("warm")
    put_small(folder)
    home = folder / "cache"
    assert spawn("list", cwd=folder, env={"XDG_CACHE_HOME": str(home)}).returncode == 0
    assert list(home.rglob("t*"))
    return home


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    sampled(COMMANDS, 4, ci=2),
    ids=" ".join,
)
def test_commands_say_the_same_with_and_without(
    tmp_path: Path, warm: Path, args: list[str]
) -> None:
    put_small(tmp_path)
    home = tmp_path / "cache"
    more, env = (([], {"TVARC_NO_CACHE": "1"}), (["--no-cache"], {}))[len(args) % 2]
    unwanted = {"XDG_CACHE_HOME": str(home), **env}
    spoken = [spawn(*args, *more, cwd=tmp_path, env=unwanted)]
    assert not home.exists()
    shutil.copytree(warm, home)
    for _ in range(2):
        (tmp_path / "pkgs").mkdir(exist_ok=True)
        spoken.append(spawn(*args, cwd=tmp_path, env={"XDG_CACHE_HOME": str(home)}))
    results = [(done.returncode, done.stdout, done.stderr) for done in spoken]
    if args == ["build"]:  # what is written is not written again
        results = [(code, b"", errors) for code, _, errors in results]
    assert len(set(results)) == 1, results


@pytest.mark.slow
def test_two_processes_share_it(tmp_path: Path) -> None:
    put_small(tmp_path)
    command = [sys.executable, "-m", "tvarc", "list"]
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env["PYTHONPATH"] = str(Path(module.__file__).parents[1])
    running = [
        subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE) for _ in range(4)
    ]
    said = {process.communicate(timeout=60)[0] for process in running}
    assert len(said) == 1 and b"sm103" in said.pop()
    assert not list((tmp_path / "cache").rglob("*.tmp"))


# --- plain data ---------------------------------------------------------------------------------

DATA = [None, True, 2**70, -1, "é€😀\ud800", b"x", (1, ["a", {"b": ()}])]


def test_plain_data_comes_back(cache: Cache) -> None:
    key = cache.key("library", TEXT)
    cache.store(key, DATA)
    assert cache.load(key) == DATA
    assert cache.load(cache.key("library", "another")) is None


def test_what_is_not_plain_is_told(cache: Cache, folder: Path) -> None:
    with pytest.raises(ValueError, match="unmarshallable"):
        cache.store(cache.key("library", TEXT), object())
    assert not folder.exists()


@pytest.mark.parametrize("data", [b"", b"[", dumped(DATA)[:-1], b"\xff" * 9])
def test_what_is_no_plain_data(cache: Cache, data: bytes) -> None:
    with pytest.raises(Damaged):
        loaded(data)
    cache.put(cache.key("library", TEXT), data)
    assert cache.load(cache.key("library", TEXT)) is None


def test_no_byte_may_differ(cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads an entry believes it, so whatever is changed in it, it is not read."""
    key = cache.key("library", TEXT)
    cache.store(key, DATA)
    right = (folder / key).read_bytes()
    monkeypatch.setattr(module, "loaded", lambda data: pytest.fail("it was read"))
    for place in range(len(right)):
        wrong = bytearray(right)
        wrong[place] ^= 1
        (folder / key).write_bytes(wrong)
        assert cache.load(key) is None
        (folder / key).write_bytes(right[:place])
        assert cache.load(key) is None


@pytest.mark.parametrize("what", ["tvarc", "python", "marshal"])
def test_another_version_reads_nothing_of_it(cache: Cache, tmp_path: Path, what: str) -> None:
    """Entries are this tvarc's, of this version and for this kind of Python. They are for each
    version of Python, as a wheel is, whatever format its `marshal` writes by default."""
    change = {
        "tvarc": "import tvarc; tvarc.__version__ += '.1'",
        "python": "import sys; sys.implementation.name = 'other'",
        "marshal": "import marshal; marshal.version += 1",
    }[what]
    program = "from tvarc.files.cache import Cache; print(Cache(None, None).key('library', 'x'))"
    env = {**os.environ, "PYTHONPATH": str(Path(module.__file__).parents[1])}
    keys = [
        subprocess.run(
            [sys.executable, "-c", f"{first}\n{program}"], env=env, capture_output=True, text=True
        ).stdout.strip()
        for first in ("", "pass", change)
    ]
    assert keys[0] == keys[1] == cache.key("library", "x")
    assert keys[2].startswith("library-") and (keys[2] == keys[0]) == (what == "marshal")


@pytest.mark.parametrize("gone", [("geteuid",), ("geteuid", "getuid")])
def test_a_system_without_users(
    cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch, gone: tuple[str, ...]
) -> None:
    """Where all files are of user 0, as in a browser, the cache works."""
    real = os.fstat
    for name in gone:
        monkeypatch.delattr(os, name)
    if "getuid" in gone:

        def fstat(handle: int) -> os.stat_result:
            found = list(real(handle))
            found[stat.ST_UID] = 0
            return os.stat_result(found)

        monkeypatch.setattr(os, "fstat", fstat)
    cache.store(cache.key("library", "x"), "kept")
    assert cache.load(cache.key("library", "x")) == "kept"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_entry_of_another_key_is_not_taken(cache: Cache, folder: Path) -> None:
    one, other = cache.key("library", "a"), cache.key("library", "b")
    cache.store(one, "of a")
    (folder / other).write_bytes((folder / one).read_bytes())
    (folder / other).chmod(0o600)
    assert cache.load(one) == "of a"
    assert cache.load(other) is None
