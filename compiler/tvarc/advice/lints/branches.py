"""Branches of NVIDIA's driver that a description states: `Driver: 580 or newer`. The parser is
written by hand: each build uses it, and regular expressions take longer to load than to run.
"""

from __future__ import annotations

from tvarc.light import Final, Iterator
from tvarc.nix import ir
from tvarc.values.value import NixText, Version

DRIVER: Final = "driver"
_LENGTH: Final = 3  # digits of a branch
_DIGITS: Final = frozenset("0123456789")
_MORE: Final = 2  # numbers that may follow it, as in 580.65.06
# The greatest distance of a branch from the word, after and before it, within a sentence on one
# line.
_AFTER: Final = 60
_BEFORE: Final = 30


def branches_of(setting: ir.Setting) -> list[Version]:
    """The branches that the known text of *setting* states, see `stated`."""
    value = setting.value
    if isinstance(value, NixText):
        value = "".join(part if isinstance(part, str) else " " for part in value.parts)
    return stated(value) if isinstance(value, str) else []


def stated(text: str) -> list[Version]:
    """The branches beside the word "driver", those after it first."""
    small = text.lower()
    if len(small) != len(text):
        small = "".join([char.lower() if len(char.lower()) == 1 else char for char in text])
    if DRIVER not in small:
        return []
    lines = list(zip(text.split("\n"), small.split("\n"), strict=True))
    found = [one for line in lines for one in _after(*line)]
    found += [one for line in lines if DRIVER in line[1] for one in _before(*line)]
    return [Version(one) for one in found]


def _after(text: str, small: str) -> Iterator[str]:
    at = small.find(DRIVER)
    while at >= 0:
        start = at + len(DRIVER)
        end = at + 1
        for place in range(start, start + _AFTER + 1):
            found = _branch(text, place)
            if found:
                yield found.lstrip("rR")
                end = place + len(found)
                break
            if text[place : place + 1] in ("", "."):
                break
        at = small.find(DRIVER, end)


def _before(text: str, small: str) -> Iterator[str]:
    place = 0
    last = small.rfind(DRIVER)  # text after the last of them is before none
    if text.isascii() and _DIGITS.isdisjoint(text[:last]):
        return
    while place < last:
        if not text[place].isdecimal() and text[place] not in "rR":
            place += 1
            continue
        found = _branch(text, place)
        end = place + len(found)
        at = small.find(DRIVER, end, end + _BEFORE + len(DRIVER)) if found else -1
        gap = text[end:at]
        if not found or at < 0 or "." in gap:
            place += 1
            continue
        yield found.lstrip("rR")
        place = at + len(DRIVER)


def _branch(text: str, start: int) -> str:
    """The branch that begins at *start*, perhaps with an R before it; empty if there is none."""
    digits = start + 1 if text[start : start + 1] in ("r", "R") else start
    end = digits + _LENGTH
    if not text[digits:end].isdecimal() or len(text) < end or text[end : end + 1].isdecimal():
        return ""
    before = text[start - 1] if start else " "
    if before in "._" or before.isalnum():
        return ""
    for _ in range(_MORE):
        after = end + 1
        while after < len(text) and text[after].isdecimal():
            after += 1
        if text[end : end + 1] != "." or after == end + 1:
            break
        end = after
    return text[start:end]
