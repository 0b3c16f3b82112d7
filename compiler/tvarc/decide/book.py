"""Decides the hash of each source, and reports faults of hashes."""

from __future__ import annotations

import posixpath

from tvarc.decide import messages as msg
from tvarc.decide.lock import EMPTY, LOCK_NAME, Entry, Lock, differ, fake_hash
from tvarc.light import TYPE_CHECKING, Callable, dataclass, field
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.meaning.evaluation.formats import as_sri, is_open
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import SourceLoader, Span, UnreadableSource
from tvarc.values.value import NixCall

if TYPE_CHECKING:
    from tvarc.meaning.declarations.from_inputs import Taken


@dataclass(slots=True)
class Asked:
    """One source of a program.

    `stated` are the hashes that the program states for it, each with its place. `open` says that
    some place leaves the hash to the lock. `place` is the first such place; if there is none, the
    first place of the source. `call` is the value that fetches the source, if that is a function of
    Nix.
    """

    source: Fetched
    place: Span
    open: bool = False
    stated: dict[str, Span] = field(default_factory=dict)
    call: NixCall | None = None


@dataclass(frozen=True, slots=True)
class StatedFake:
    """A place where the program states a hash that no content has. `name` describes the source to
    the user."""

    KEYS = (("name", "source"),)

    name: str
    place: Span


class Hashes:
    """The hash of each source: the one in the program, else the one in the lock, else a fake one.

    - `folder`: the folder of the program.
    - `strict`: a source without a lock entry is an error.
    - `asked`: all sources that were found.
    - `fakes`: the places where the program states a hash that no content has.
    - `loader`: loads the files of folders that need no hash. Without one, all are assumed to exist.
    - `elsewhere`: returns the hash of a source that neither the program nor the lock has; empty if
      it is unknown.
    - `inputs`: the names of the inputs that were used. `replaced`: the folders that replace inputs.
    """

    __slots__ = (
        "asked", "elsewhere", "fakes", "folder", "inputs", "loader", "lock", "replaced", "strict",
    )  # fmt: skip

    def __init__(self, lock: Lock = EMPTY) -> None:
        self.lock = lock
        self.folder = ""
        self.loader: SourceLoader | None = None
        self.strict = False
        self.elsewhere: Callable[[Fetched], str] = _nowhere
        self.asked: dict[Fetched, Asked] = {}
        self.fakes: dict[StatedFake, None] = {}
        self.inputs: set[str] = set()
        self.replaced: dict[str, str] = {}

    def of(
        self,
        source: Fetched,
        stated: str | None,
        span: Span,
        sink: Sink,
        *,
        optional: bool = False,
    ) -> str | None:
        """As `SourceHashes.of`. Reports two hashes for one source (E942)."""
        asked = self.asked.get(source)
        if asked is None:
            asked = self.asked[source] = Asked(source, span)
        entry = self.lock.entries.get(source)
        if stated is not None:
            if is_open(stated):
                self.fake(source.describe(), span, sink)
            asked.stated.setdefault(stated, span)
            self.compare(asked, entry, stated, span, sink)
            return stated
        if not asked.open:
            asked.open, asked.place = True, span
        if entry is not None:
            return entry.hash
        if not self.lock.broken:
            self.report_unlocked(asked, sink, optional=optional)
        return None if optional else fake_hash(source)

    def forget_program(self) -> None:
        """Forget where hashes and files were looked up, which leads to the program."""
        self.loader, self.elsewhere = None, _nowhere

    def modules_of(self, taken: Taken, sink: Sink) -> None:
        """Note that modules come from an input. Its content must have the stated or locked hash."""
        self.met(taken.item.name.text)
        if taken.source is not None:
            self.of(taken.source, taken.stated, taken.item.name.span, sink)

    def seen(self, file: str) -> str:
        """As `SourceHashes.seen`."""
        return posixpath.relpath(file, self.folder or ".")

    def fetches(self, source: Fetched, call: NixCall) -> None:
        """As `SourceHashes.fetches`."""
        self.asked[source].call = call

    def met(self, name: str) -> None:
        """As `SourceHashes.met`."""
        self.inputs.add(name)

    def checkout(self, name: str, folder: str) -> str:
        """As `SourceHashes.checkout`."""
        return self.replaced.get(name, folder)

    def has_folder(self, name: str) -> bool | None:
        """As `SourceHashes.has_folder`."""
        if self.loader is None:
            return None
        try:
            return self.loader.kind(name) == "folder"
        except UnreadableSource:
            return None

    def has_beside(self, module: str, name: str) -> bool:
        """As `SourceHashes.has_beside`."""
        if self.loader is None or not name or name.startswith(("/", "~")) or not name.isprintable():
            return False
        try:
            return self.loader.kind(self.loader.join(module, name)) == "file"
        except UnreadableSource:
            return False

    def lacks(self, folder: str, file: str) -> str:
        """As `SourceHashes.lacks`."""
        if self.loader is not None:
            try:
                self.loader.kind(f"{folder}/{file}")
            except UnreadableSource as fault:
                return fault.reason
        return ""

    def missing(self) -> list[Asked]:
        """The sources whose hash neither the program nor the lock has."""
        return [one for one in self.asked.values() if one.open and not self.known(one.source)]

    def unused(self) -> list[Entry]:
        """The lock entries of sources that were not found."""
        return [one for one in self.lock.entries.values() if one.source not in self.asked]

    def known(self, source: Fetched) -> bool:
        return source in self.lock.entries

    def compare(
        self, asked: Asked, entry: Entry | None, stated: str, span: Span, sink: Sink
    ) -> None:
        """Report another hash that the lock, or another place in the program, has for this source.
        """
        if entry is not None and differ(entry.hash, stated):
            others = ((entry.span, f"locked on {entry.date}"),) if entry.span is not None else ()
            changed(sink, asked.source, span, "stated here", others, (entry.hash, stated))
        for other, place in asked.stated.items():
            if differ(other, stated):
                # The order of the source decides which is first, not the order of evaluation.
                (first, known), (last, new) = sorted(((place, other), (span, stated)))
                others = ((first, "and here"),)
                changed(sink, asked.source, last, "stated here", others, (known, new))

    def states(self, source: Fetched, text: str, span: Span, sink: Sink) -> None:
        """As `SourceHashes.states`. A function of Nix may use a source in its own way, so the
        hashes of two places are not compared."""
        stated = as_sri(text)
        if stated is None:
            return
        asked = self.asked.setdefault(source, Asked(source, span))
        asked.stated.setdefault(stated, span)
        entry = self.lock.entries.get(source)
        if entry is not None and asked.open:
            self.compare(asked, entry, stated, span, sink)

    def fake(self, name: str, span: Span, sink: Sink, *, by_lock: bool = True) -> None:
        """As `SourceHashes.fake`. Such a hash is as good as none."""
        self.fakes[StatedFake(name, span)] = None
        sink.report(
            msg.hashes.FAKE_NOT_LOCKED if self.strict else msg.hashes.FAKE,
            span,
            name=name,
            unlocked="unlocked" if by_lock else None,
        )

    def report_unlocked(self, asked: Asked, sink: Sink, *, optional: bool) -> None:
        if optional and not self.strict:
            return
        name = asked.source.describe()
        known = self.elsewhere(asked.source)
        if self.strict:
            sink.report(
                msg.hashes.NOT_LOCKED, asked.place, name=name, known=known, lock=LOCK_NAME
            )
        else:
            sink.report(
                msg.hashes.FAKE_UNTIL_LOCKED, asked.place, name=name, known=known, lock=LOCK_NAME
            )


def known_hash(known: str) -> str:
    """The code to write if the library has the hash *known* for a source."""
    return f'hash = "{known}"'


def _nowhere(source: Fetched) -> str:
    return ""


def changed(
    sink: Sink,
    source: Fetched,
    span: Span | None,
    label: str,
    others: tuple[tuple[Span, str], ...],
    hashes: tuple[str, str],
    *,
    found: str = "",
) -> None:
    """Report that *source* has two hashes: the known one and the new one."""
    first, second = hashes
    sink.report(
        msg.hashes.TWO_HASHES,
        span,
        others=others,
        source=source.describe(),
        label=label,
        first=first,
        second=f"{second}, {found}" if found else second,
        lock=LOCK_NAME,
    )
