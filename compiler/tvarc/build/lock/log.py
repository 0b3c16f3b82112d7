"""Hashes that did not fit, as Nix reports them in a log.

Nix 2.4 to 2.34 write, anywhere in a line that a builder or a CI may have put words before:

    hash mismatch in fixed-output derivation '/nix/store/…-name.drv':
             specified: sha256-…
                got:    sha256-…
    hash mismatch in file downloaded from 'URL':
             specified: sha256:<base 32>
             got:       sha256:<base 32>
    NAR hash mismatch in input 'URL', expected 'sha256-…' but got 'sha256-…'

Older ones have `wanted:` for `specified:`, Lix has a line `likely URL:` more. With
`--log-format internal-json` a report is one line of JSON.
"""

from __future__ import annotations

import re

from tvarc.light import Final, Iterator, Sequence, dataclass, field
from tvarc.meaning.evaluation.formats import as_sri

_ESCAPE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\r\b]")
_HEAD: Final = re.compile(
    r"hash mismatch in (?:fixed-output derivation|file downloaded from) ['`‘]([^'’\s]+)['’]"
)
# Reports of a damaged store or cache. No source has changed.
_DAMAGED: Final = re.compile(r"hash mismatch importing path")
_INPUT: Final = re.compile(
    r"NAR hash mismatch in input ['`‘]([^'’]+)['’](?: \([^)]*\))?, "
    r"expected ['`‘]([^'’]+)['’],? (?:but )?got ['`‘]([^'’]+)['’]"
)
_URL: Final = re.compile(r"\blikely URL:\s*(\S+)")
_HASH: Final = r"\s*([A-Za-z0-9+/=:-]*)"
_WANTED: Final = re.compile(rf"\b(?:specified|wanted):{_HASH}")
_GOT: Final = re.compile(rf"\bgot:{_HASH}")
_NAR_HASH: Final = re.compile(r"[?&]narHash=([^&]+)")
_STORE_NAME: Final = re.compile(r"^.*/[0-9a-z]{32}-(.*?)(?:\.drv)?$")
_JSON: Final = "@nix {"
# The text before the lines of one report differs only in times and numbers of processes.
_CHANGING: Final = re.compile(
    r"\d+(?:[-:.,/T ]\d+)+Z?|\d{6,}|\[\s*\d+(?:\.\d+)?\]|\b\d+(?:\.\d+)?m?s\b|\s+"
)
# The most lines from the first to the last one of a report. Logs of several builds mix their lines.
_LINES: Final = 12
# The most lines into which a terminal may have broken one line of Nix.
_WRAPPED: Final = 3


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One report. `wanted` is the hash that the recipe states, and `got` the hash of the content,
    both in SRI form.

    `what` is the name of the derivation, or the address; empty if the log has neither. `url` is the
    address, if Nix prints it. `line` counts from 1. Without `ordered`, the two hashes may be
    exchanged, as in the report of Nix 2.31 on an input.
    """

    what: str
    wanted: str
    got: str
    line: int
    url: str = ""
    ordered: bool = True

    def turned(self) -> Mismatch:
        """The same report with the two hashes exchanged."""
        return Mismatch(self.what, self.got, self.wanted, self.line, self.url, self.ordered)


@dataclass(frozen=True, slots=True)
class Reports:
    """The reports of a log in order, without duplicates. Also the first lines of reports that
    cannot be used: they are cut off, or mixed with another one so that it is not certain which hash
    belongs to which."""

    found: tuple[Mismatch, ...]
    torn: tuple[int, ...]


def mismatches(log: str) -> list[Mismatch]:
    """The reports in *log*, in order, without duplicates."""
    return list(read_reports(log).found)


def read_reports(log: str) -> Reports:
    """All that *log* reports."""
    reading = _Reading(list(_lines(log)))
    reading.all()
    found: dict[tuple[str, str, str], Mismatch] = {}
    for one in reading.found:
        found.setdefault((one.what, one.wanted, one.got), one)
    return Reports(tuple(found.values()), tuple(sorted(set(reading.torn))))


def _lines(log: str) -> Iterator[tuple[int, str]]:
    """The lines of *log* with their numbers. Text inside JSON has the number of its line."""
    for number, line in enumerate(log.split("\n"), 1):
        if _JSON not in line:
            yield number, line if line.isprintable() else _ESCAPE.sub("", line)
            continue
        for inner in _message(line).split("\n"):
            yield number, _ESCAPE.sub("", inner)


def _message(line: str) -> str:
    """The message of a line of Nix's own JSON."""
    import json  # few logs have this form

    try:
        data, _ = json.JSONDecoder().raw_decode(line, line.index(_JSON) + len(_JSON) - 1)
    except (ValueError, RecursionError):
        return line
    said = data.get("msg")
    return said if isinstance(said, str) else ""


@dataclass(slots=True)
class _Head:
    """The first line of a report, and the lines that belong to it so far."""

    what: str
    line: int
    at: int
    url: str = ""
    damage: bool = False


@dataclass(slots=True)
class _Wanted:
    hash: str
    before: str
    line: int
    at: int


@dataclass(slots=True)
class _Reading:
    """Reads a log once, line by line."""

    lines: Sequence[tuple[int, str]]
    found: list[Mismatch] = field(default_factory=list)
    torn: list[int] = field(default_factory=list)
    heads: list[_Head] = field(default_factory=list)
    wanted: _Wanted | None = None
    mixed: bool = False  # two reports are mixed, so that no hash belongs to one for certain
    paired: int = -_LINES  # the line where the last report ended

    def all(self) -> None:
        for at, (number, line) in enumerate(self.lines):
            if "mismatch" in line and self.begins(at, number, line):
                continue
            if "URL:" in line and self.heads and (url := _URL.search(line)):
                self.heads[-1].url = url[1] if "://" in url[1] else ""
            if ("specified:" in line or "wanted:" in line) and (wanted := _WANTED.search(line)):
                self.specifies(at, number, line, wanted)
            elif "got:" in line and (got := _GOT.search(line)):
                self.finds(at, line, got)
        self.forget(len(self.lines) + _LINES)

    def begins(self, at: int, number: int, line: str) -> bool:
        """Whether a report begins on this line."""
        whole = _searched(_INPUT, self.lines, at)
        if whole is not None:
            self.input(whole, number)
            return True
        head = _searched(_HEAD, self.lines, at)
        damage = head is None and _DAMAGED.search(line) is not None
        if head is None and not damage:
            return False
        self.forget(at)
        if self.wanted is not None:  # the earlier report is cut off
            self.tear()
        what = _name(head[1]) if head is not None else ""
        self.heads.append(_Head(what, number, at, what if "://" in what else "", damage))
        return True

    def input(self, whole: re.Match[str], number: int) -> None:
        """Read a report on the input of a flake or of `fetchTree`, which is one sentence."""
        expected, got = as_sri(whole[2]), as_sri(whole[3])
        address, _, _ = whole[1].partition("?")
        if expected is None or got is None:
            self.torn.append(number)
            return
        report = Mismatch(address, expected, got, number, address, ordered=False)
        stated = _NAR_HASH.search(whole[1])
        if stated is not None:
            from urllib.parse import unquote

            known = as_sri(unquote(stated[1]))
            if known in (expected, got):
                report = report if known == expected else report.turned()
                report = Mismatch(address, report.wanted, report.got, number, address)
        self.found.append(report)

    def specifies(self, at: int, number: int, line: str, found: re.Match[str]) -> None:
        hash = _hash(found, self.lines, at)
        if hash is None:
            return
        if self.wanted is not None and at - self.wanted.at < _LINES:
            self.torn.append(self.wanted.line)
            self.mixed = True
        self.wanted = _Wanted(hash, _before(line, found), number, at)

    def finds(self, at: int, line: str, found: re.Match[str]) -> None:
        hash = _hash(found, self.lines, at)
        if hash is None:
            return
        self.forget(at)
        wanted = self.wanted
        if wanted is None:
            if at - self.paired < _LINES and self.found and not self.heads:
                # There are two hashes for the report above, and it is unknown which one is right.
                self.torn.append(self.found.pop().line)
            return
        if self.mixed or wanted.before != _before(line, found):
            self.tear()
            return
        if len(self.heads) > 1:  # only the hash can show which report this belongs to
            for one in self.heads:
                one.what = one.url = ""
        head = self.heads.pop(0) if self.heads else _Head("", wanted.line, at)
        if not head.damage:
            self.found.append(Mismatch(head.what, wanted.hash, hash, head.line, head.url))
            self.paired = at
        self.wanted = None

    def tear(self) -> None:
        """Drop the reports that have begun."""
        self.torn += [head.line for head in self.heads if not head.damage]
        if self.wanted is not None and not self.heads:
            self.torn.append(self.wanted.line)
        self.heads.clear()
        self.wanted, self.mixed = None, False

    def forget(self, at: int) -> None:
        """Drop reports that began too many lines before the line *at*."""
        if self.wanted is not None and at - self.wanted.at >= _LINES:
            self.tear()
        late = [head for head in self.heads if at - head.at >= _LINES]
        self.torn += [head.line for head in late if not head.damage]
        self.heads = [head for head in self.heads if at - head.at < _LINES]


def _searched(
    pattern: re.Pattern[str], lines: Sequence[tuple[int, str]], at: int
) -> re.Match[str] | None:
    """The match of *pattern* in a line, or in this line and the next ones, into which a terminal
    broke it."""
    text = lines[at][1]
    found = pattern.search(text)
    for _, more in lines[at + 1 : at + 1 + _WRAPPED]:
        begun = "hash mismatch in " in f"{text.strip()} " and "mismatch" not in more
        if found is not None or not begun:
            break
        spaced = pattern.search(f"{text.rstrip()} {more.strip()}")
        text = text.rstrip() + more.strip()
        found = pattern.search(text) or spaced
    return found


def _hash(found: re.Match[str], lines: Sequence[tuple[int, str]], at: int) -> str | None:
    """The hash that *found* has. If it has only the beginning, the rest may be on the next line."""
    hash = as_sri(found[1])
    if hash is None and not found.string[found.end() :].strip() and at + 1 < len(lines):
        rest = lines[at + 1][1].split()
        hash = as_sri(found[1] + rest[0]) if rest else None
    return hash


def _before(line: str, found: re.Match[str]) -> str:
    """The text before Nix's own words, such as the name of a builder or a time."""
    return _CHANGING.sub("", line[: found.start()])


def _name(text: str) -> str:
    stored = _STORE_NAME.match(text)
    return stored[1] if stored and "://" not in text else text
