"""Reports of Nix in logs: in the words of each version, in whatever dress, and when torn."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.effort import for_each
from tvarc.build.lock.log import Mismatch, mismatches, read_reports
from tvarc.decide.sri import NIXPKGS_FAKE

LOGS = Path(__file__).parent / "logs"
A = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
B = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="
C = "sha256-2SmKENGwc1g33EvYXaxkGw887yekfl1TpU8vP1svz/o="
D = "sha256-5X/HO875gdhalGN8S6NOzSvclp2fijncC+Ln4wpU1vA="
PATCH = "sha256-YS8fpSgs8zbjwlHUDX2Tf1AuyynE5HnqTDNHFhUKsns="
STORE = "/nix/store/2nm84n6jpywc2kzcxvykl0m52r101512"
SRC = "https://example.org/src.tar.gz"


def report(name: str = "source", wanted: str = A, got: str = B) -> str:
    """As Nix 2.4 to 2.34 have it: the indentation is that of their errors."""
    return (
        f"error: hash mismatch in fixed-output derivation '{STORE}-{name}.drv':\n"
        f"         specified: {wanted}\n"
        f"            got:    {got}\n"
    )


def short(log: str) -> list[tuple[str, str, str]]:
    return [(one.what, one.wanted, one.got) for one in mismatches(log)]


# --- recorded ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["2.8", "2.26"])
@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("fixed-output", [("a.patch", PATCH)]),
        ("two-derivations", [("two", PATCH), ("one", PATCH)]),
        ("terminal", [("a.patch", PATCH)]),
        ("internal-json", [("a.patch", PATCH)]),
        ("fetchTarball", [(SRC, D)]),
        ("fetchurl", [("https://example.org/a.patch", PATCH)]),
        ("fetchTree", [(SRC, D)]),
    ],
)
def test_recorded(version: str, kind: str, wanted: list[tuple[str, str]]) -> None:
    log = (LOGS / f"nix-{version}-{kind}.log").read_bytes().decode()
    reports = read_reports(log)
    assert reports.torn == ()
    assert [(one.what, one.got) for one in reports.found] == wanted
    assert {one.wanted for one in reports.found} == {NIXPKGS_FAKE}
    assert all(one.ordered for one in reports.found)
    first = reports.found[0]
    assert "mismatch" in log.split("\n")[first.line - 1]
    assert first.url == (first.what if "://" in first.what else "")


# --- the words of other versions -----------------------------------------------------------------

WORDS = {
    "before 2.4": (
        f"hash mismatch in fixed-output derivation '{STORE}-x.tar.gz':\n"
        f"  wanted: {A}\n  got:    {B}\n",
        Mismatch("x.tar.gz", A, B, 1),
    ),
    "before 2.4, a download": (
        f"hash mismatch in file downloaded from '{SRC}':\n  wanted: {A}\n  got:    {B}\n",
        Mismatch(SRC, A, B, 1, SRC),
    ),
    "Lix, aligned": (
        f"error: hash mismatch in fixed-output derivation '{STORE}-x.patch.drv':\n"
        f"           likely URL: https://example.org/x.patch\n"
        f"            specified: {A}\n"
        f"                  got: {B}\n"
        f"        expected path: {STORE}-x.patch\n"
        f"             got path: {STORE}-x.patch\n",
        Mismatch("x.patch", A, B, 1, "https://example.org/x.patch"),
    ),
    "Lix, no URL": (
        f"error: hash mismatch in fixed-output derivation '{STORE}-x.drv':\n"
        f"           likely URL: (unknown)\n"
        f"            specified: {A}\n"
        f"                  got: {B}\n",
        Mismatch("x", A, B, 1),
    ),
    "an input, up to 2.18": (
        f"error: NAR hash mismatch in input '{SRC}' ({STORE}-source), expected '{A}', got '{B}'\n",
        Mismatch(SRC, A, B, 1, SRC, ordered=False),
    ),
    "an input, from 2.19 on": (
        f"error: NAR hash mismatch in input '{SRC}', expected '{A}' but got '{B}'\n",
        Mismatch(SRC, A, B, 1, SRC, ordered=False),
    ),
    "an input that tells its hash": (
        f"error: NAR hash mismatch in input '{SRC}?narHash={A.replace('=', '%3D')}', "
        f"expected '{A}' but got '{B}'\n",
        Mismatch(SRC, A, B, 1, SRC),
    ),
    "an input, with the hashes the wrong way round": (
        f"error: NAR hash mismatch in input '{SRC}?narHash={A.replace('+', '%2B')}', "
        f"expected '{B}' but got '{A}'\n",
        Mismatch(SRC, A, B, 1, SRC),
    ),
    "another algorithm": (
        report(wanted=f"sha512-{'A' * 86}==", got=f"sha512-{'B' * 85}A=="),
        Mismatch("source", f"sha512-{'A' * 86}==", f"sha512-{'B' * 85}A==", 1),
    ),
    "the second half alone": (report().partition("\n")[2], Mismatch("", A, B, 1)),
}


@for_each("case", WORDS)
def test_words(case: str) -> None:
    log, wanted = WORDS[case]
    assert read_reports(log).found == (wanted,)
    assert read_reports(log).torn == ()
    assert mismatches(f"building…\n{log}error: 1 dependency failed\n{log}") == [
        Mismatch(wanted.what, A if wanted.wanted == A else wanted.wanted, wanted.got,
                 2, wanted.url, wanted.ordered)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wanted",
    [
        "sha256:056pq9c4pvn50isivdxyk0kgxbnljr5lqq54chny77a2f0n9ka24",
        "sha256:44a8992c70429de32d64a4604c4b96d4aefe2698beb71d7504c5ee4b58c2d714",
        "44a8992c70429de32d64a4604c4b96d4aefe2698beb71d7504c5ee4b58c2d714",
        f"sha256:{A.removeprefix('sha256-')}",
    ],
)
def test_each_spelling_of_a_hash(wanted: str) -> None:
    assert short(report(got=wanted)) == [("source", A, A)]


def test_what_is_no_change_of_a_source() -> None:
    """A cache or a store is damaged: its path has another hash than its own table says."""
    damaged = (
        f"error: hash mismatch importing path '{STORE}-source';\n  specified: {A}\n  got: {B}\n"
    )
    assert read_reports(damaged).found == ()
    none = f"error: NAR hash mismatch in input '{SRC}', expected '{A}' but got none\n"
    assert short(none + report("x", C, D)) == [("x", C, D)]
    assert short("FAIL: expected: 3\n  wanted: 3\n  got: 4\n") == []
    assert short("got: it\nspecified: nothing\nwanted: a volunteer\n") == []


# --- dress ---------------------------------------------------------------------------------------


def stamped(log: str) -> str:
    return "".join(
        f"2026-02-03T10:11:1{number}.{1234567 + number}Z {line}\n"
        for number, line in enumerate(log.splitlines())
    )


DRESSES: dict[str, Callable[[str], str]] = {
    "nix build -L": lambda log: "".join(f"torch> {line}\n" for line in log.splitlines()),
    "GitHub Actions": stamped,
    "GitHub Actions and nix build -L": lambda log: stamped(
        "".join(f"torch> {line}\n" for line in log.splitlines())
    ),
    "gh run view": lambda log: "".join(
        f"build\tRun flox build\t{line}\n" for line in stamped(log).splitlines()
    ),
    "journald": lambda log: "".join(
        f"Nov 21 08:0{number}:17 host nix-daemon[4{number}]: {line}\n"
        for number, line in enumerate(log.splitlines())
    ),
    "dmesg": lambda log: "".join(
        f"[{number:>8}.{number}23456] {line}\n" for number, line in enumerate(log.splitlines())
    ),
    "seconds": lambda log: "".join(
        f"{number}.{number}s {line}\n" for number, line in enumerate(log.splitlines())
    ),
    "the time and a job": lambda log: "".join(
        f"09:20:3{number},{number}12 job1 | {line}\n"
        for number, line in enumerate(log.splitlines())
    ),
    "docker": lambda log: "".join(
        f'{{"log":"{line}\\n","stream":"stderr"}}\n' for line in log.splitlines()
    ),
    "Windows": lambda log: log.replace("\n", "\r\n"),
    "colours": lambda log: log.replace("error:", "\x1b[31;1merror:\x1b[0m").replace(
        A, f"\x1b[35;1m{A}\x1b[0m"
    ),
    "a progress bar before it": lambda log: f"\x1b[K[1/0/2 built] building x\r{log}",
    "a comment": lambda log: "".join(f"# {line}\n" for line in log.splitlines()),
    "a mail": lambda log: "".join(f"> > {line}\n" for line in log.splitlines()),
    "a trace above": lambda log: "error:\n       … while calling a builtin\n\n       " + log,
    "a byte order mark": lambda log: "\ufeff" + log,
    "no end of line": lambda log: log.rstrip("\n"),
    "without `error:`": lambda log: log.removeprefix("error: "),
    "curly quotes": lambda log: re.sub("'([^']*)'", r"‘\1’", log),
}


@for_each("dress", DRESSES)
def test_dressed(dress: str) -> None:
    log = DRESSES[dress](report() + report("other", C, D))
    assert short(log) == [("source", A, B), ("other", C, D)]
    assert read_reports(log).torn == ()


@for_each("width", [40, 60, 68, 72, 80, 100, 120])
def test_broken_into_lines_by_a_terminal(width: int) -> None:
    """What is copied from a narrow window has an end of line wherever the window had one."""
    lines = (report() + report("other", C, D)).split("\n")
    log = "\n".join(
        "\n".join(line[at : at + width] for at in range(0, max(len(line), 1), width))
        for line in lines
    )
    assert [one[1:] for one in short(log)] == [(A, B), (C, D)]
    if width >= 60:
        assert [one[0] for one in short(log)] == ["source", "other"]


# --- torn and mixed ------------------------------------------------------------------------------


def test_a_report_that_is_cut_off() -> None:
    for lines in (1, 2):
        cut = "".join(report().splitlines(keepends=True)[:lines])
        reports = read_reports(cut)
        assert (reports.found, reports.torn) == ((), (1,))
        after = read_reports(cut + report("other", C, D))
        assert [(one.wanted, one.got) for one in after.found] == [(C, D)]
        far = read_reports(cut + "building\n" * 20 + report("other", C, D))
        assert [(one.what, one.got) for one in far.found] == [("other", D)]
        assert far.torn == (1,)


def test_lines_of_two_builds_in_any_order_give_no_wrong_pair() -> None:
    """Each hash is only ever given to the one that it belongs to, or to none."""
    first, second = report("a", A, B).splitlines(), report("b", C, D).splitlines()

    def merged(one: list[str], other: list[str]) -> list[list[str]]:
        if not one or not other:
            return [one + other]
        return [[one[0], *rest] for rest in merged(one[1:], other)] + [
            [other[0], *rest] for rest in merged(one, other[1:])
        ]

    every = merged(first, second)
    assert len(every) == 20
    for lines in every:
        named = short("\n".join(lines))
        assert {one[1:] for one in named} <= {(A, B), (C, D)}, "\n".join(lines)
        assert {one for one in named if one[0]} <= {("a", A, B), ("b", C, D)}, "\n".join(lines)
        apart = "\n".join(f"{'job1' if line in first else 'job2'} | {line}" for line in lines)
        assert {one[1:] for one in short(apart)} <= {(A, B), (C, D)}, apart


def test_halves_of_two_jobs_are_no_pair() -> None:
    for prefixes in (("job1 | ", "job2 | "), ("a> ", "b> "), ("", "b> ")):
        log = f"{prefixes[0]}specified: {A}\n{prefixes[1]}   got: {D}\n"
        assert read_reports(log).found == ()
        assert read_reports(log).torn == (1,)


@given(st.lists(st.sampled_from([*report().split("\n"), *report("b", C, D).split("\n"), "x"])))
def test_any_order_of_lines_is_read(lines: list[str]) -> None:
    reports = read_reports("\n".join(lines))
    assert all(0 < line <= len(lines) for line in reports.torn)
    assert all(0 < one.line <= len(lines) for one in reports.found)


@given(
    st.text(
        st.sampled_from("'@nix {}\":\\\n\r\x1bmsg=hash mismatch in got: specified"), max_size=200
    )
)
def test_any_text_is_read(text: str) -> None:
    read_reports(text)
    read_reports(f'@nix {{"action": "msg", "msg": {text}')
    read_reports(f"hash mismatch in fixed-output derivation '{text}")


@pytest.mark.slow
def test_a_long_log_is_read_in_one_way_through() -> None:
    log = "building x\n" * 200_000 + report() + "@nix {" * 100_000
    assert short(log) == [("source", A, B)]
