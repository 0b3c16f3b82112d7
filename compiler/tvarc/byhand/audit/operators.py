"""What Nix's operators and functions make of values that are known: comparing, joining, asking, and
what nixpkgs fetches by. None stands for what is not understood."""

from __future__ import annotations

import re

from tvarc.byhand.audit.model import (
    UNREAD_PART,
    Added,
    Fetched,
    Found,
    Ref,
    Table,
    Unread,
    unread_part,
)
from tvarc.light import Final

MAX_TEXT: Final = 1 << 18
COMPARING: Final = ("==", "!=", "<", "<=", ">", ">=")
ASKING: Final = (
    "elem", "hasPrefix", "hasSuffix", "hasInfix", "versionAtLeast", "versionOlder",
)  # fmt: skip
"""The functions that `answer_to` knows."""
_REFS: Final = ("rev", "tag")
_HASHES: Final = ("sha256", "outputHash")
_VERSION: Final = re.compile(r"[0-9]+|[^0-9.-]+")


def is_constant(value: Found) -> bool:
    """Whether *value* is known wholly: nothing in it is Nix's to say."""
    match value:
        case bool() | int() | None:
            return True
        case str():
            return "${" not in value
        case tuple():
            return all(map(is_constant, value))
        case Table(entries):
            return all(is_constant(item) for _, item in entries)
        case _:
            return False


def _same(left: Found, right: Found) -> bool:
    return repr(left) == repr(right)  # to Python 1 is True


def compared(operator: str, left: Found, right: Found) -> bool | None:
    """What one of `COMPARING` says of two values; None where Nix alone knows."""
    if not (is_constant(left) and is_constant(right)):
        return None
    match operator, left, right:
        case "==", _, _:
            return _same(left, right)
        case "!=", _, _:
            return not _same(left, right)
        case _, bool(), _:
            return None
        case _, int(), int():
            order = (left > right) - (left < right)
        case _, str(), str():
            mine, theirs = left.encode(errors="surrogatepass"), right.encode(errors="surrogatepass")
            order = (mine > theirs) - (mine < theirs)
        case _:
            return None
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator]


def answer_to(name: str, first: Found, second: Found) -> bool | None:
    """What the function *name* says that asks about two constants; None where Nix alone knows."""
    if not (is_constant(first) and is_constant(second)):
        return None
    match name, first, second:
        case "elem", _, tuple():
            return any(_same(first, item) for item in second)
        case "hasPrefix", str(), str():
            return second.startswith(first)
        case "hasSuffix", str(), str():
            return second.endswith(first)
        case "hasInfix", str(), str():
            return first in second
        case "versionAtLeast", str(), str():
            return compare_versions(first, second) >= 0
        case "versionOlder", str(), str():
            return compare_versions(first, second) < 0
        case _:
            return None


def combined(operator: str, first: Found, second: Found) -> Found | None:
    """What `++`, `+` and `//` make of two values; None where that is not understood."""
    if operator == "+":
        # A text of which a part is not understood still says the rest.
        first = _partly(first, beside=second)
        second = _partly(second, beside=first)
    if isinstance(first, Ref):
        return Added(first, second)
    if isinstance(first, Added):
        joined = _joined(operator, first.value, second)
        return Added(first.base, joined, first.before) if joined is not None else None
    if isinstance(second, Added) and isinstance(first, tuple | str):
        joined = _joined(operator, first, second.value)
        before = len(first) + second.before
        return Added(second.base, joined, before) if joined is not None else None
    if isinstance(second, Ref) and isinstance(first, tuple | str):
        return Added(second, first, len(first))
    return _joined(operator, first, second)


def made_by(name: str, values: list[Found]) -> Found | None:
    """What the function *name*, of nixpkgs or of Nix, makes of *values*; None for one that is not
    known, or does not take such values."""
    match name, values:
        case "concatStringsSep", [str() as between, tuple() as items]:
            return _between(between, items)
        case "concatStrings", [tuple() as items]:
            return _between("", items)
        case "toString", [Ref(path) as own] if path.startswith("old."):
            return own  # it is a text anyway
        case "toList", [Ref(path) as own] if path.startswith("old."):
            return own  # `+=` adds to a list of it
        case "remove", [None, Ref(path) as own] if path.startswith("old."):
            return own
        case "toString", [str() as text]:
            return text
        case "toString", [tuple() as items]:
            return _between(" ", items)
        case "cmakeFeature" | "cmakeOptionType", [*_, str() as name, str() as text]:
            kind = values[0] if len(values) == 3 else "STRING"
            return f"-D{name}:{kind}={text}"
        case "cmakeBool", [str() as name, bool() as holds]:
            return f"-D{name}:BOOL={'TRUE' if holds else 'FALSE'}"
        case "substring", [int() as start, int() as length, str() as text]:
            return _cut(text, start, length)
        case _, [Table() as table] if name.startswith("fetch"):
            return Fetched(name, tuple(_fetched_field(*entry) for entry in table.entries))
        case _, [str() as url] if name.startswith("fetch"):
            return Fetched(name, (("url", url),))
        case _:
            return None


def _between(separator: str, items: tuple[Found, ...]) -> str | None:
    """*items* as one text; None where one of them is no text that is known."""
    texts = [item for item in items if isinstance(item, str)]
    return separator.join(texts) if len(texts) == len(items) else None


def compare_versions(left: str, right: str) -> int:
    """As `builtins.compareVersions`: -1, 0 or 1."""
    mine, theirs = _VERSION.findall(left), _VERSION.findall(right)
    while mine or theirs:
        one, other = (part.pop(0) if part else "" for part in (mine, theirs))
        if _older(one, other):
            return -1
        if _older(other, one):
            return 1
    return 0


def _older(one: str, other: str) -> bool:
    if one.isdecimal() and other.isdecimal():
        return int(one) < int(other)
    if (not one and other.isdecimal()) or (one == "pre" and other != "pre"):
        return True
    if other == "pre":
        return False
    if other.isdecimal():
        return not one.isdecimal()
    return not one.isdecimal() and one < other


def _partly(value: Found, beside: Found) -> Found:
    known = beside.value if isinstance(beside, Added) else beside
    if isinstance(value, Unread) and isinstance(known, str):
        return unread_part(value.text)
    return value


def _joined(operator: str, left: Found, right: Found) -> Found | None:
    match operator, left, right:
        case "++", tuple(), tuple():
            return left + right
        case "+", str(), str():
            return left + right if len(left) + len(right) <= MAX_TEXT else None
        case "//", Table(mine), Table(theirs):
            return Table(tuple((dict(mine) | dict(theirs)).items()))
        case _:
            return None


def _cut(text: str, start: int, length: int) -> str | None:
    """`builtins.substring`, which counts bytes."""
    if not text.isascii() or UNREAD_PART in text or "${" in text:
        return None
    return text[start : start + length]


def _fetched_field(key: str, value: Found) -> tuple[str, Found]:
    if key in _REFS:
        return "ref", value.removeprefix("refs/tags/") if isinstance(value, str) else value
    return ("hash" if key in _HASHES else key), value
