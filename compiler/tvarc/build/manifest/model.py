"""Entries of a manifest as data, and the changes to them."""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.text.source import Span

Fields = tuple[tuple[str, str | tuple[str, ...]], ...]
"""The content of an entry, by the names that Flox has for its fields."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The request of an output: the entries of the manifest *path*, by the names under which
    packages are installed. The path is relative to the folder of the build."""

    path: str
    span: Span
    entries: dict[str, Fields]


@dataclass(frozen=True, slots=True)
class InTheWay:
    """A wanted entry that someone else wrote: it was changed by hand, belongs to another *program*,
    or is a user's own."""

    kind: Literal["edited", "foreign", "program"]
    name: str
    program: str = ""


@dataclass(frozen=True, slots=True)
class Edited:
    """A manifest in its new form, by the names of its entries. `stale` are entries that stay
    although their variants are gone. `kept` are those of them that were changed by hand."""

    text: str
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    stale: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    in_the_way: tuple[InTheWay, ...] = ()


class Unreadable(Exception):
    """A manifest that cannot be edited. It has the reason as a clause, the place in offsets of
    characters, and the advice."""

    def __init__(self, reason: str, start: int = 0, end: int = 0, help: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.start = start
        self.end = end
        self.help = help
