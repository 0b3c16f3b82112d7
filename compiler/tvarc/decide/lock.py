"""The lock as data: the hash of each source, and how it was found. Also fake hashes, and whether
two hashes can be of one content."""

from __future__ import annotations

from tvarc.light import Final, dataclass, field
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.meaning.evaluation.formats import sri
from tvarc.text.source import Span

LOCK_NAME: Final = "tvar.lock"
FORMAT: Final = 1

NIXPKGS_FAKE: Final = f"sha256-{'A' * 43}="
"""The value of `lib.fakeHash` in nixpkgs."""

_BYTES: Final = 32
# The zero bytes of a fake hash. No real hash begins so, and the other bytes identify the source.
_ZERO: Final = 24


@dataclass(frozen=True, slots=True)
class Entry:
    """One source. `hash` is in SRI form. `date` (YYYY-MM-DD, in UTC) and `by` (a program or `log`)
    state when and how it was found. `span` is the hash in the text of the lock; None for a new
    entry."""

    source: Fetched
    hash: str
    date: str
    by: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Lock:
    """The entries by their source. `broken` says that the text has faults, so a missing entry may
    be in a faulty part. `merged` says that the text has merge conflicts, and that the entries are
    those of both sides."""

    entries: dict[Fetched, Entry]
    broken: bool = False
    merged: bool = False


EMPTY: Final = Lock({})


def fake_hash(source: Fetched) -> str:
    """A hash that *source* cannot have and that no other source gets, in SRI form: 24 zero bytes,
    and 8 bytes that identify the source. Nix prints it next to the hash that it found."""
    import hashlib

    digest = hashlib.sha256(repr((source.kind, source.fields)).encode("utf-8", "surrogatepass"))
    return sri(bytes(_ZERO) + digest.digest()[: _BYTES - _ZERO])


def differ(one: str, other: str) -> bool:
    """Whether two SRI hashes cannot be of one content: they have one algorithm and are not equal.
    """
    return one.partition("-")[0] == other.partition("-")[0] and one != other
