"""Messages as data: a template has the texts of one diagnostic, with named fields.

Each room has its templates in a package `messages`, a file for each topic. Such a file is loaded
when its first message is reported.
"""

from __future__ import annotations

from importlib import import_module
from string import Formatter

from tvarc.light import TYPE_CHECKING, Final, Iterable, Mapping, dataclass
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.diagnostics.suggest import Guess
from tvarc.text.edits import Edit
from tvarc.text.source import Span

if TYPE_CHECKING:
    from types import ModuleType

Text = str | int | Guess | None
"""The value of a field. An empty text and None say that there is no value."""

DID_YOU_MEAN: Final = "did you mean `{guess}`?"


@dataclass(frozen=True, slots=True)
class Message:
    """The template of a diagnostic. Its texts have fields, `{name}`, as `str.format` reads them.

    `label` is the text at the primary place, `other` that at each place elsewhere. A note or a help
    with a field that has no value is left out. Of several helps the first one that has
    all values is used. `edit` is the text that replaces the marked place, if the help says no more
    than that. There is no edit if a field of it has no value, or a guess that is not sure. `name`
    is that of a warning that a program can switch off.
    """

    code: str
    title: str
    label: str = ""
    other: str = ""
    notes: tuple[str, ...] = ()
    help: str | tuple[str, ...] = ""
    edit: str | None = None
    name: str = ""

    @property
    def helps(self) -> tuple[str, ...]:
        """The helps, the preferred one first."""
        return (self.help,) if isinstance(self.help, str) else self.help

    @property
    def fields(self) -> frozenset[str]:
        """The names of all fields."""
        texts = (self.title, self.label, self.other, *self.notes, *self.helps, self.edit, self.name)
        return frozenset(name for text in texts for name in _fields(text or ""))


def filled(
    message: Message,
    span: Span | None,
    fields: Mapping[str, Text],
    others: Iterable[Span | tuple[Span, str]] = (),
    at: Span | None = None,
) -> Diagnostic:
    """The diagnostic that *message* makes at *span*; the edit of *message* is one at *at*, by
    default at *span*. Raises KeyError for a field without a value in *fields*."""
    labels = [Label(span, message.label.format_map(fields), primary=True)] if span else []
    for place in others:
        if isinstance(place, Span):
            labels.append(Label(place, message.other.format_map(fields)))
        else:
            labels.append(Label(*place))
    helps = [_filled(text, fields) for text in message.helps]
    return Diagnostic(
        message.code,
        message.title.format_map(fields),
        tuple(labels),
        tuple(filter(None, [_filled(text, fields) for text in message.notes])),
        next(filter(None, helps), ""),
        Severity.WARNING if message.code.startswith("W") else Severity.ERROR,
        _filled(message.name, fields),
        edits=_edits(message, at or span, fields),
    )


def topic_of(package: str, topic: str) -> ModuleType:
    """The module *topic* of *package*, which has messages. Raises AttributeError if there is none,
    as `__getattr__` of a module should."""
    name = f"{package}.{topic}"
    try:
        return import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name != name:
            raise
        raise AttributeError(f"module {package!r} has no attribute {topic!r}") from None


def _fields(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]


def _filled(text: str, fields: Mapping[str, Text]) -> str:
    """*text* with its fields; empty if one of them has no value."""
    if any(_is_empty(fields[name]) for name in _fields(text)):
        return ""
    return text.format_map(fields)


def _is_empty(value: Text) -> bool:
    return value is None or str(value) == ""


def _edits(message: Message, at: Span | None, fields: Mapping[str, Text]) -> tuple[Edit, ...]:
    if message.edit is None or at is None:
        return ()
    values = [fields[name] for name in _fields(message.edit)]
    if any(_is_empty(value) or (isinstance(value, Guess) and not value.sure) for value in values):
        return ()
    return (Edit(at, message.edit.format_map(fields)),)
