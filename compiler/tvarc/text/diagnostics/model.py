"""Diagnostics as data: the fault, its place, its cause, and what to do next. Other modules print
them."""

from __future__ import annotations

from tvarc.light import (
    TYPE_CHECKING,
    Enum,
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    dataclass,
    replace,
)
from tvarc.text.source import SourceMap, Span

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message, Text
    from tvarc.text.edits import Edit


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A span with a short text. The primary label is at the fault."""

    span: Span
    text: str = ""
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message to the user. `code` is registered in `tvarc.text.diagnostics.registry`.

    `labels` may be in several files, and the primary one is first. They are empty if the fault has
    no place in a source, such as a missing file. `notes` say why, and `help` says what to do next.
    `name` is the name of a warning that can be switched off. Diagnostics with the same `cause` are
    printed as one, with all their places. The one with `leads` is printed; by default, the first
    one in the source.

    `edits` are the help as changes of the sources. All of them together remove the fault, without a
    choice for the user; otherwise there are none. No two of them overlap. `lacking` are rows that
    a record or a table lacks, each with its place, and with `…` for what the user has to write.
    """

    code: str
    title: str
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    severity: Severity = Severity.ERROR
    name: str = ""
    cause: str = ""
    leads: bool = False
    edits: tuple[Edit, ...] = ()
    lacking: tuple[Edit, ...] = ()

    @property
    def fix(self) -> str:
        """The effect of `edits` in a few words. Empty if there are no edits."""
        texts = dict.fromkeys(edit.text.strip() for edit in self.edits)
        if len(texts) > 1:
            return self.help
        return "".join(f"write `{text}`" if text else "remove this" for text in texts)

    @property
    def primary(self) -> Span | None:
        return self.labels[0].span if self.labels else None


def filled(
    message: Message,
    span: Span | None,
    fields: Mapping[str, Text],
    others: Iterable[Span | tuple[Span, str]] = (),
    at: Span | None = None,
    notes: Iterable[str] = (),
) -> Diagnostic:
    """The diagnostic of *message* at *span*. Its edit is at *at*, by default at *span*. *notes*
    follow the notes of the message. Raises KeyError for a field that is not in *fields*."""
    from tvarc.text.edits import Edit

    labels: list[Label] = []
    if span is not None:
        labels.append(Label(span, message.label.format_map(fields), primary=True))
    for place in others:
        if isinstance(place, Span):
            labels.append(Label(place, message.other.format_map(fields)))
        else:
            labels.append(Label(*place))
    edit, place_of_edit = message.edit_with(fields), at or span
    return Diagnostic(
        message.code,
        message.title_with(fields),
        tuple(labels),
        (*message.notes_with(fields), *notes),
        message.help_with(fields),
        Severity.WARNING if message.code.startswith("W") else Severity.ERROR,
        message.name.format_map(fields),
        edits=(Edit(place_of_edit, edit),) if place_of_edit and edit is not None else (),
    )


class Format(Enum):
    """How diagnostics are written."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


class Sink:
    """Collects diagnostics of all stages. Equal ones at one place are kept once. Those with the
    same cause count as one."""

    __slots__ = ("_causes", "_items", "_seen", "_unread", "columns")

    def __init__(self) -> None:
        # The columns that are read of missing rows, by the cause and the key of the row.
        self.columns: dict[tuple[str, str], dict[str, None]] = {}
        self._items: list[Diagnostic] = []
        self._seen: set[tuple[str, Span | None, str]] = set()
        self._causes: dict[str, list[Diagnostic]] = {}
        self._unread: list[Span] = []

    def leave_out(self, span: Span) -> None:
        """Keep no diagnostic in *span* from now on. A declaration there was read only in part, so a
        diagnostic about the rest may be about a part that was left out."""
        self._unread.append(span)

    def add(self, diagnostic: Diagnostic, *, another: bool = False) -> None:
        """Keep *diagnostic*. With *another*, it is kept even if only its notes differ from those of
        an earlier one."""
        if self._unread and any(
            one.has(label.span) for label in diagnostic.labels for one in self._unread
        ):
            return
        key = (diagnostic.code, diagnostic.primary, diagnostic.title)
        if key in self._seen and not another:
            return
        self._seen.add(key)
        if diagnostic.cause:
            alike = self._causes.setdefault(diagnostic.cause, [])
            alike.append(diagnostic)
            if len(alike) > 1:
                return
        self._items.append(diagnostic)

    def replace(self, old: Diagnostic, new: Diagnostic) -> None:
        """Replace *old*, which is in this sink, by *new*."""
        self._items[self._items.index(old)] = new

    def report(
        self,
        message: Message,
        span: Span | None = None,
        *,
        others: Iterable[Span | tuple[Span, str]] = (),
        notes: Iterable[str] = (),
        edits: Iterable[Edit] = (),
        at: Span | None = None,
        lacking: Iterable[Edit] = (),
        cause: str = "",
        leads: bool = False,
        another: bool = False,
        **fields: Text,
    ) -> None:
        """Add *message* with a value for each of its fields.

        *span* is the primary place. *others* are places elsewhere, perhaps with labels of their
        own. *notes* follow the notes of the message. The edit of the message replaces what is at
        *at*, by default the primary place; *edits* are used instead of it. *lacking* are those
        of the diagnostic. *another* is as in `add`.
        """
        made = filled(message, span, fields, others, at, notes)
        self.add(
            replace(
                made,
                edits=tuple(edits) or made.edits,
                lacking=tuple(lacking),
                cause=cause,
                leads=leads,
            ),
            another=another,
        )

    def refuse(
        self,
        message: Message,
        span: Span | None = None,
        *,
        others: Iterable[Span | tuple[Span, str]] = (),
        notes: Iterable[str] = (),
        edits: Iterable[Edit] = (),
        at: Span | None = None,
        lacking: Iterable[Edit] = (),
        cause: str = "",
        leads: bool = False,
        another: bool = False,
        **fields: Text,
    ) -> Failed:
        """Report *message*. Returns the exception to raise, since there is no value."""
        self.report(
            message,
            span,
            others=others,
            notes=notes,
            edits=edits,
            at=at,
            lacking=lacking,
            cause=cause,
            leads=leads,
            another=another,
            **fields,
        )
        return Failed()

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def without(self, code: str) -> Sink:
        """This sink without the diagnostics of *code*."""
        rest = Sink()
        for one in self._items:
            if one.code != code:
                rest.add(one)
        return rest

    @property
    def has_errors(self) -> bool:
        return any(item.severity is Severity.ERROR for item in self._items)

    def places_of_errors(self) -> list[Span]:
        """The places that errors name."""
        errors = [one for one in self._items if one.severity is Severity.ERROR]
        return [label.span for one in errors for label in one.labels]

    def sorted(self, sources: SourceMap) -> list[Diagnostic]:
        """All diagnostics in source order: by file in the order of loading, then by position, then
        by code."""

        def key(item: Diagnostic) -> tuple[int, int, str]:
            span = item.primary
            if span is None:
                return (-1, 0, item.code)
            return (sources.rank(span.file), span.start, item.code)

        def first(item: Diagnostic) -> tuple[bool, tuple[int, int, str]]:
            return not item.leads, key(item)

        told = [
            _joined(sorted(self._causes[item.cause], key=first), self._causes[item.cause])
            if item.cause
            else item
            for item in self._items
        ]
        return sorted(told, key=key)


MOST_ERRORS: Final = 100
"""The most errors that are printed at once. More would hide the first one."""


def first_errors(items: Sequence[Diagnostic]) -> tuple[Sequence[Diagnostic], int]:
    """The first of *items*, as many as are printed at once, and the number of the others."""
    if len(items) <= MOST_ERRORS:
        return items, 0
    errors = 0
    shown: list[Diagnostic] = []
    for item in items:
        errors += item.severity is Severity.ERROR
        if item.severity is not Severity.ERROR or errors <= MOST_ERRORS:
            shown.append(item)
    return shown, len(items) - len(shown)


_PLACES = 12  # places that a message shows for one cause


_LIKEWISE = 3  # titles of others at one place that a message shows


def _joined(alike: Sequence[Diagnostic], reported: Sequence[Diagnostic]) -> Diagnostic:
    """One message for diagnostics with the same cause, *alike* in order of their places, and
    *reported* in that of their reports: the first one, with the places of the others. Its help and
    notes are the latest of those with its title, which may know more."""
    first = alike[0]
    if len(alike) == 1:
        return first
    latest = next(one for one in reversed(reported) if one.title == first.title)
    shown = {label.span for label in first.labels}
    spans = [one.primary for one in alike[1:] if one.primary is not None]
    more = [span for span in dict.fromkeys(spans) if span not in shown]
    labels = (*first.labels, *(Label(span, "and here") for span in more[:_PLACES]))
    notes = latest.notes
    titles = {one.title for one in alike if one.primary == first.primary} - {first.title}
    likewise = [t for t in dict.fromkeys(one.title for one in alike) if t in titles]
    notes = (*notes, *(f"likewise: {title}" for title in likewise[:_LIKEWISE]))
    if len(likewise) > _LIKEWISE:
        notes = (*notes, f"and {len(likewise) - _LIKEWISE} more like this")
    if len(more) > _PLACES:
        notes = (*notes, f"and at {len(more) - _PLACES} more places")
    edits = _all_edits(alike)
    rows = [row for one in {one.title: one for one in reported}.values() for row in one.lacking]
    lacking = tuple(dict.fromkeys(rows))
    return replace(
        first, labels=labels, notes=notes, help=latest.help, edits=edits, lacking=lacking
    )


def _all_edits(alike: Sequence[Diagnostic]) -> tuple[Edit, ...]:
    """The edits of all diagnostics with the same cause. Empty if one of them has no edit."""
    if not all(one.edits for one in alike):
        return ()
    return tuple(dict.fromkeys(edit for one in alike for edit in one.edits))


class Failed(Exception):
    """An expression has no value. The reason is already reported."""


class CompilerBug(Exception):
    """A state that no input may reach. It is a fault of the compiler, never of the user."""
