"""Entries of a manifest as data, and the changes to them."""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.text.source import Span

Fields = tuple[tuple[str, str | tuple[str, ...]], ...]
"""What an entry says, by the names that Flox has for it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The wish of one output: the entries of the manifest *path* below the folder of the build, by
    the names that packages are installed by.
    """

    output: str
    path: str
    span: Span
    entries: dict[str, Fields]


@dataclass(frozen=True, slots=True)
class InTheWay:
    """A wanted entry that somebody else has written: changed by hand, of another *program*, or a
    person's from the start.
    """

    kind: Literal["edited", "foreign", "program"]
    name: str
    program: str = ""


@dataclass(frozen=True, slots=True)
class Edited:
    """A manifest as it should be, by the names of its entries. `stale` are entries that stay though
    their variants are gone, `kept` those of them that were changed by hand.
    """

    text: str
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    stale: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    in_the_way: tuple[InTheWay, ...] = ()


class Unreadable(Exception):
    """A manifest that cannot be edited: the reason, in a clause, and its place, in offsets of
    characters; and the advice.
    """

    def __init__(self, reason: str, start: int = 0, end: int = 0, help: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.start = start
        self.end = end
        self.help = help
