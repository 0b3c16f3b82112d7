"""The text of a lock: what is written is read back, and what is garbled is told with its line."""

from __future__ import annotations

import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.compile import messages
from support.effort import for_each
from tvarc.build.driver import compile_file
from tvarc.build.lock.printer import lock_text
from tvarc.build.lock.reader import parse_lock
from tvarc.decide.lock import NIXPKGS_FAKE, Entry, Lock, fake_hash
from tvarc.files.disk import MemoryLoader
from tvarc.meaning.evaluation.fetched import Fetched, Field, Kind, fetched
from tvarc.meaning.evaluation.formats import as_sri, bad_hash, is_open
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source
from tvarc.values.value import Value

GOOD = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
OTHER = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
addresses = st.text("abc/?=%-_", min_size=1, max_size=12).map("https://example.org/".__add__)
hashes = st.binary(min_size=32, max_size=32).map(lambda data: as_sri(data.hex()) or "")


def fields(**given: Field | None) -> tuple[tuple[str, Field], ...]:
    return tuple((name, value) for name, value in given.items() if value)


@st.composite
def sources(draw: st.DrawFn) -> Fetched:
    kinds: list[Kind] = ["tarball", "file", "github", "patch"]
    kind = draw(st.sampled_from(kinds))
    if kind == "github":
        commit = draw(st.text("0123456789abcdef", min_size=40, max_size=40))
        which: dict[str, Field | None] = draw(
            st.sampled_from([{"rev": commit}, {"tag": draw(words) or "v"}])
        )
        rest: dict[str, Field | None] = {"submodules": draw(st.booleans())}
        return Fetched(kind, fields(repository="owner/name", **which, **rest))
    url = draw(addresses)
    if kind != "patch":
        return Fetched(kind, fields(url=url))
    return Fetched(
        kind,
        fields(
            url=url,
            stripLen=draw(st.integers(0, 9)),
            extraPrefix=draw(words),
            relative=draw(words),
            includes=tuple(draw(st.lists(words, max_size=3))),
            excludes=tuple(draw(st.lists(words, max_size=3))),
            revert=draw(st.booleans()),
        ),
    )


entries = st.builds(Entry, sources(), hashes, st.just("2026-02-03"), words)


@pytest.mark.slow
@given(st.lists(entries, max_size=5))
def test_what_is_written_is_read_back(listed: list[Entry]) -> None:
    lock = {entry.source: entry for entry in listed if not is_open(entry.hash)}
    text = lock_text(lock.values())
    tomllib.loads(text)
    sink = Sink()
    assert parse_lock(Source("tvar.lock", text), sink) == Lock(lock)
    assert not list(sink)


@pytest.mark.slow
@given(st.lists(entries, max_size=5, unique_by=lambda entry: entry.source), st.randoms())
def test_the_order_of_entries_does_not_show(listed: list[Entry], random: object) -> None:
    mixed = list(listed)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert lock_text(mixed) == lock_text(listed)


def test_patches_of_one_file_differ_by_each_of_their_fields() -> None:
    url = "https://a.org/x"
    more: list[dict[str, Value]] = [
        {"stripLen": 1}, {"extraPrefix": "e/"}, {"relative": "r"}, {"includes": ("i",)},
        {"excludes": ("x",)}, {"revert": True}, {},
    ]  # fmt: skip
    found = [fetched("patch", {"url": url, **one}) for one in more]
    listed = {one: Entry(one, GOOD, "2026-02-03", "log") for one in found if one is not None}
    assert len(listed) == 7
    assert parse_lock(Source("tvar.lock", lock_text(listed.values())), Sink()) == Lock(listed)


def test_an_entry_more_is_its_own_lines_more() -> None:
    first = Entry(Fetched("tarball", (("url", "https://a.org/x"),)), GOOD, "2026-02-03", "log")
    second = Entry(Fetched("file", (("url", "https://a.org/y"),)), OTHER, "2026-02-03", "log")
    short, long = lock_text([first]), lock_text([second, first])
    assert long.startswith(short)
    assert long.removeprefix(short) == (
        '\n[[source]]\nkind = "file"\nurl = "https://a.org/y"\n'
        f'hash = "{OTHER}"\ndate = "2026-02-03"\nby = "log"\n'
    )


@pytest.mark.slow
@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda data: data.decode("latin-1")))
def test_no_text_is_more_than_a_diagnostic(text: str) -> None:
    sink = Sink()
    lock = parse_lock(Source("tvar.lock", text), sink)
    assert lock.broken == bool(len(sink))
    assert {item.code for item in sink} <= {"E943"}


ENTRY = f"""version = 1

[[source]]
kind = "github"
repository = "a/b"
tag = "v1"
hash = "{GOOD}"
date = "2026-02-03"
by = "log"
"""


@for_each(
    "old, new, line, said",
    [
        ("version = 1", "version = 2", 1, "this tvarc cannot read the lock"),
        ("version = 1", "version = 1.0", 1, "this tvarc cannot read the lock"),
        ("version = 1", "version = true", 1, "this tvarc cannot read the lock"),
        ("version = 1\n", "", 1, "this tvarc cannot read the lock"),
        ("version = 1", "<<<<<<< ours", 1, "merge conflicts"),
        ("version = 1", "= 1", 1, "not TOML"),
        ("v1", 'v1"\nrev = "' + "a" * 40, 4, "needs `rev` or `tag`"),
        ('tag = "v1"\n', "", 4, "needs `rev` or `tag`"),
        ('repository = "a/b"\n', "", 4, "needs the field `repository`"),
        ('"a/b"', '"a"', 5, "not `owner/name`"),
        ('"v1"', "1", 6, "`tag` must be a string"),
        ("tag", "tags", 6, "`tags` is not a field"),
        (GOOD, GOOD[:-4], 7, "not an SRI hash"),
        (GOOD, NIXPKGS_FAKE, 7, "is a fake hash"),
        (f'hash = "{GOOD}"\n', "", 4, "needs the field `hash`"),
        ("2026-02-03", "today", 8, "YYYY-MM-DD"),
        ("github", "git", 4, "no known kind"),
        ("[[source]]", "[source]", 1, "`source` must be a list"),
        ("[[source]]", "[[sources]]", 3, "`sources` is not a key of a lock"),
        ("v1", "v1\x01", 6, "not TOML"),
    ],
)
def test_what_is_garbled_is_told_with_its_line(old: str, new: str, line: int, said: str) -> None:
    assert old in ENTRY
    source = Source("tvar.lock", ENTRY.replace(old, new, 1))
    sink = Sink()
    assert parse_lock(source, sink).broken
    found = [(item.code, source.position(item.labels[0].span.start).line) for item in sink]
    assert ("E943", line) in found
    assert any(said in item.title for item in sink), [item.title for item in sink]


def test_all_faults_at_once_and_one_source_twice() -> None:
    twice = ENTRY + ENTRY.partition("\n\n")[2].replace(GOOD, OTHER)
    sink = Sink()
    parse_lock(Source("tvar.lock", twice), sink)
    assert [item.title for item in sink] == ["a/b v1 has two entries"]
    bad = ENTRY.replace(GOOD, "x") + ENTRY.partition("\n\n")[2].replace("github", "y")
    sink = Sink()
    parse_lock(Source("tvar.lock", bad), sink)
    assert len(sink) == 2


def test_the_marks_of_a_merge_are_told_all_at_once() -> None:
    head, entry = ENTRY.split("\n\n")
    other = entry.replace("v1", "v2")
    for middle in ("=======", "||||||| 741292d\n======="):
        text = f"{head}\n\n<<<<<<< HEAD\n{entry}{middle}\n{other}>>>>>>> other\n"
        for written in (text, text.replace("\n", "\r\n")):
            source, sink = Source("tvar.lock", written), Sink()
            assert parse_lock(source, sink).merged
            (found,) = sink
            lines = [source.position(label.span.start).line for label in found.labels]
            marked = [n for n, line in enumerate(text.split("\n"), 1) if line[:7] in
                      ("<<<<<<<", "|||||||", "=======", ">>>>>>>")]  # fmt: skip
            assert lines == marked
    # Once the marks are gone, both sides' entries stand.
    sink = Sink()
    both = parse_lock(Source("tvar.lock", f"{head}\n\n{entry}\n{other}"), sink)
    assert len(both.entries) == 2 and not list(sink)


def test_what_looks_like_a_mark_is_none() -> None:
    sink = Sink()
    text = ENTRY.replace('by = "log"', 'by = "======="') + "# =======\n#<<<<<<< x\n"
    assert not parse_lock(Source("tvar.lock", text), sink).broken


def test_what_an_editor_of_windows_puts_first() -> None:
    sink = Sink()
    lock = parse_lock(Source("tvar.lock", "\ufeff" + ENTRY), sink)
    assert len(lock.entries) == 1 and not list(sink)


def test_a_lock_that_cannot_be_read_or_is_no_text() -> None:
    files: dict[str, str | bytes] = {"a.tvar": "", "tvar.lock": b"\xff"}
    made = compile_file("a.tvar", MemoryLoader(files))
    assert [item.code for item in made.diagnostics] == ["E943"]
    assert "0xff" in messages(made)


def test_lines_that_end_as_on_windows() -> None:
    sink = Sink()
    lock = parse_lock(Source("tvar.lock", ENTRY.replace("\n", "\r\n")), sink)
    assert not list(sink)
    assert [entry.hash for entry in lock.entries.values()] == [GOOD]


# --- hashes --------------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.lists(sources(), min_size=2, max_size=8, unique=True))
def test_fake_hashes_are_valid_and_differ(listed: list[Fetched]) -> None:
    fakes = [fake_hash(source) for source in listed]
    assert len(set(fakes)) == len(listed)
    assert all(bad_hash(fake) is None and is_open(fake) and fake != NIXPKGS_FAKE for fake in fakes)


def test_the_spellings_of_one_hash() -> None:
    """As real Nix prints one digest."""
    sri = "sha256-WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM="
    digits = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    base32 = "00xyyr3fi8l6hb839bv3f7yb86yjv7xi1cgh1xnhipym4asvb4aq"
    for text in (sri, digits, base32, f"sha256:{digits}", f"sha256:{base32}", f"sha256:{sri[7:]}"):
        assert as_sri(text) == sri
    assert as_sri("x") is as_sri("sha256:" + "e" * 52) is None


# --- locks that were damaged, or made to hold a command up ----------------------------------------


def faults(text: str) -> list[str]:
    sink = Sink()
    parse_lock(Source("tvar.lock", text), sink)
    return [item.title for item in sink]


def entry(number: int, more: str = "") -> str:
    hash = as_sri(f"{number + (1 << 255):064x}")
    return (
        f'\n[[source]]\nkind = "file"\nurl = "https://example.org/{number}"\nhash = "{hash}"\n'
        f'date = "2026-02-03"\nby = "log"\n{more}'
    )


@for_each(
    "text, label",
    [
        (f"version = {'9' * 5000}\n", "a number has too many digits"),
        (f"version = 1_{'0_' * 2500}0\n", "a number has too many digits"),
        (f"version = 1\nx = [1.{'0' * 5000}, 0x{'f' * 5000}]\n", "a number has too many digits"),
        (f"version = 1\n{'a.' * 50_000}b = 1\n", "a key has too many steps"),
        (f"version = 1\n{'a . ' * 50_000}b = 1\n", "a key has too many steps"),
        ("version = 1\n[" + '"a".' * 50_000 + "b]\n", "a key has too many steps"),
        (f"version = 1\nx = {{ {'a.' * 50_000}b = 1 }}\n", "a key has too many steps"),
        (f"version = 1\nx = {'[' * 50_000}\n", "maximum recursion depth exceeded"),
    ],
)
def test_what_would_not_end_is_refused_with_its_line(text: str, label: str) -> None:
    sink = Sink()
    started = time.monotonic()
    assert parse_lock(Source("tvar.lock", text), sink).broken
    assert time.monotonic() - started < 5
    (fault,) = sink
    assert fault.code == "E943" and fault.title == "`tvar.lock` is not TOML"
    assert fault.labels[0].text.startswith(label)


def test_strings_may_have_what_keys_and_numbers_may_not() -> None:
    url = "https://example.org/" + "1" * 5000 + "." * 5000
    entry = Entry(Fetched("file", fields(url=url)), GOOD, "2026-02-03", "log")
    sink = Sink()
    lock = parse_lock(Source("tvar.lock", lock_text([entry])), sink)
    assert not sink and list(lock.entries.values()) == [entry]


@pytest.mark.slow
def test_time_grows_with_the_entries_and_no_faster() -> None:
    """20,000 entries took more than 40 seconds where each looked for its line from the start."""
    text = "version = 1\n" + "".join(map(entry, range(20_000)))
    started = time.monotonic()
    sink = Sink()
    lock = parse_lock(Source("tvar.lock", text), sink)
    assert time.monotonic() - started < 15
    assert not sink and len(lock.entries) == 20_000
    last = list(lock.entries.values())[-1].span
    assert last is not None and text[last.start : last.end].startswith("hash = ")
    assert text.count("\n", 0, last.start) == text.count("\n") - 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "version = 1\n" + "".join(entry(number, 'bye = "x"\n') for number in range(2_000)),
        "version = 1\n" + "[[source]]\n" * 100_000,
        "version = 1\n" + "".join(f"[a{number}]\n" for number in range(50_000)),
        "version = 1\n" + entry(1) * 5_000,
    ],
    ids=["fields", "empty", "tables", "twice"],
)
def test_so_many_faults_are_told_and_no_more(text: str) -> None:
    started = time.monotonic()
    assert 1 <= len(faults(text)) <= 100
    assert time.monotonic() - started < 15


@pytest.mark.slow
def test_marks_of_a_merge_are_found_in_no_time() -> None:
    started = time.monotonic()
    assert len(faults("<<<<<<< a\n" * 100_000)) == 1
    assert time.monotonic() - started < 15
