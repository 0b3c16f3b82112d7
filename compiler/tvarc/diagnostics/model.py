"""Diagnostics as data: what is wrong, where, why, and what to do next. Rendering is apart."""

from __future__ import annotations

from tvarc.light import Enum, Iterable, Iterator, dataclass
from tvarc.source import SourceMap, Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A span with a short text beside it; the primary one says where the fault is."""

    span: Span
    text: str = ""
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message to a person. `code` is registered in `tvarc.diagnostics.registry`.

    `labels` may lie in several files, the primary one first; it is empty for faults without
    a place in a source (a missing file). `notes` say why, `help` says what to do next. `name` is
    that of a warning that can be switched off.
    """

    code: str
    title: str
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    severity: Severity = Severity.ERROR
    name: str = ""

    @property
    def primary(self) -> Span | None:
        return self.labels[0].span if self.labels else None


class Sink:
    """Collects diagnostics of all stages; equal ones at one place are kept once."""

    __slots__ = ("_items", "_seen")

    def __init__(self) -> None:
        self._items: list[Diagnostic] = []
        self._seen: set[tuple[str, Span | None, str]] = set()

    def add(self, diagnostic: Diagnostic) -> None:
        key = (diagnostic.code, diagnostic.primary, diagnostic.title)
        if key not in self._seen:
            self._seen.add(key)
            self._items.append(diagnostic)

    def error(
        self,
        code: str,
        title: str,
        span: Span | None = None,
        label: str = "",
        *,
        others: Iterable[tuple[Span, str]] = (),
        notes: Iterable[str] = (),
        help: str = "",
    ) -> None:
        """Add an error, from its usual parts: a primary span and, perhaps, spans elsewhere."""
        first = (Label(span, label, primary=True),) if span is not None else ()
        rest = tuple(Label(place, text) for place, text in others)
        self.add(Diagnostic(code, title, first + rest, tuple(notes), help))

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def has_errors(self) -> bool:
        return any(item.severity is Severity.ERROR for item in self._items)

    def sorted(self, sources: SourceMap) -> list[Diagnostic]:
        """All diagnostics in source order: by file as loaded, then by place, then by code."""

        def key(item: Diagnostic) -> tuple[int, int, str]:
            span = item.primary
            if span is None:
                return (-1, 0, item.code)
            return (sources.rank(span.file), span.start, item.code)

        return sorted(self._items, key=key)


class CompilerBug(Exception):
    """A state that no input may reach: a fault of the compiler, never of the user."""
