"""Hashes that did not fit, as Nix reports them in a log.

Nix 2.4 to 2.34 write, anywhere in a line that a builder or a CI may have put words before:

    hash mismatch in fixed-output derivation '/nix/store/…-name.drv':
             specified: sha256-…
                got:    sha256-…
    hash mismatch in file downloaded from 'URL':
             specified: sha256:<base 32>
             got:       sha256:<base 32>

Older ones have `wanted:` for `specified:`.
"""

from __future__ import annotations

import re

from tvarc.light import Iterator, dataclass
from tvarc.lock.sri import as_sri

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\r\b]")
_DERIVATION = re.compile(r"hash mismatch in fixed-output derivation ['`‘]([^'’]+)['’]")
_DOWNLOAD = re.compile(r"hash mismatch in file downloaded from ['`‘]([^'’]+)['’]")
_WANTED = re.compile(r"\b(?:specified|wanted):\s*(\S+)")
_GOT = re.compile(r"\bgot:\s*(\S+)")
_STORE_NAME = re.compile(r"^.*/[0-9a-z]{32}-(.*?)(?:\.drv)?$")
# How far below its first line a report may end: logs of several builds mix their lines.
_LINES = 12


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One report: `wanted` is what the recipe states, `got` what was there, both in SRI form.
    `what` is the name of the derivation, or the address; `line` counts from 1."""

    what: str
    wanted: str
    got: str
    line: int


def mismatches(log: str) -> list[Mismatch]:
    """The reports in *log*, in order; the same one is kept once."""
    found: dict[tuple[str, str, str], Mismatch] = {}
    for one in _reports(_ESCAPE.sub("", log).split("\n")):
        found.setdefault((one.what, one.wanted, one.got), one)
    return list(found.values())


def _reports(lines: list[str]) -> Iterator[Mismatch]:
    for number, line in enumerate(lines):
        named = _DERIVATION.search(line) or _DOWNLOAD.search(line)
        if named is None:
            continue
        wanted = got = None
        for below in lines[number : number + _LINES]:
            if below is not line and (_DERIVATION.search(below) or _DOWNLOAD.search(below)):
                break  # the next report begins: this one is torn
            wanted = wanted or _hash(_WANTED.search(below))
            if wanted is not None:
                got = _hash(_GOT.search(below))
                if got is not None:
                    break
        if wanted is not None and got is not None:
            yield Mismatch(_name(named[1]), wanted, got, number + 1)


def _hash(match: re.Match[str] | None) -> str | None:
    return as_sri(match[1].strip("'\",")) if match else None


def _name(text: str) -> str:
    stored = _STORE_NAME.match(text)
    return stored[1] if stored and "://" not in text else text
