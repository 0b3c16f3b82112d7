"""Which Python `python3` is at a pin, so that `python3Packages` is known by its version."""

from __future__ import annotations

import re

from tvarc.byhand.audit.model import Pin
from tvarc.light import Final, Protocol
from tvarc.values.value import RowValue, Version

_RELEASE = re.compile(r"(?:^|[/-])(\d\d\.(?:03|05|09|11))(?:-small|-aarch64|-darwin)?(?:$|\.tar\.)")
# Tables of `std.nixpkgs` that tell it, and the fields by which a commit and a release are found.
_PINS: Final = "nixpkgs-pin"
_OF_PINS: Final = "nixpkgs-python"
_OF_RELEASES: Final = "nixpkgs-release"


def release_named(text: str) -> str:
    """The release that an address or a ref names, as `24.05`; empty where it names none."""
    found = _RELEASE.search(text)
    return found[1] if found is not None else ""


class Rows(Protocol):
    """Rows of tables, by the tables' names: none where there is no such table."""

    def having(self, table: str, field: str, text: str) -> tuple[RowValue, ...]:
        """The rows of *table* whose *field* is the string, or the version spelled, *text*."""


class Pythons:
    """Looks up the version in the library: by the commit of a pin, or by the release that its
    address or ref names. A pin that names neither has no known version."""

    __slots__ = ("_known", "_rows")

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[tuple[str, str], str] = {}

    def __call__(self, pin: Pin) -> str:
        """The version, as `3.13`; empty where it is not known."""
        key = (pin.url, pin.rev)
        if key not in self._known:
            self._known[key] = self._found(*key)
        return self._known[key]

    def _found(self, url: str, rev: str) -> str:
        if not url:
            return ""  # the caller's nixpkgs may be any
        if rev:
            for row in self._rows.having(_PINS, "rev", rev):
                found = self._asked(_OF_PINS, "pin", row.name)
                if found:
                    return found
            found = self._asked(_OF_RELEASES, "rev", rev)
            if found:
                return found
        for text in (rev, url):
            named = release_named(text)
            if named:
                return self._asked(_OF_RELEASES, "release", named)
        return ""

    def _asked(self, table: str, field: str, text: str) -> str:
        for row in self._rows.having(table, field, text):
            fact = row.facts.get("python3")
            if fact is not None and isinstance(fact.value, Version):
                return fact.value.text
        return ""
