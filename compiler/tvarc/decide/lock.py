"""The lock as data: which hash each source has, and how it was got."""

from __future__ import annotations

from tvarc.light import Final, dataclass, field
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.text.source import Span

LOCK_NAME: Final = "tvar.lock"
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One source: `hash` in SRI form, `date` (YYYY-MM-DD, in UTC) and `by`, a program or `log`, say
    when and how it was got. `span` is the hash in the lock's text, None for a new entry."""

    source: Fetched
    hash: str
    date: str
    by: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Lock:
    """The entries by their source. `broken` says that the text has faults, so a missing entry may
    be in a faulty part; `merged` says that the entries are those of both sides of a merge with
    conflicts in the text.
    """

    entries: dict[Fetched, Entry]
    broken: bool = False
    merged: bool = False


EMPTY: Final = Lock({})
