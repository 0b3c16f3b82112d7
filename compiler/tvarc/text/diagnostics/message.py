"""Messages as data: a template has the texts of one diagnostic, with named fields.

Each room has its templates in a package `messages`, with a file for each topic. A file is loaded
when its first message is reported.
"""

from __future__ import annotations

from importlib import import_module
from string import Formatter

from tvarc.light import TYPE_CHECKING, Final, Mapping, dataclass
from tvarc.text.diagnostics.suggest import Guess

if TYPE_CHECKING:
    from types import ModuleType

Text = str | int | Guess | None
"""The value of a field. An empty text and None mean that there is no value."""

DID_YOU_MEAN: Final = "did you mean {guess:or}?"


@dataclass(frozen=True, slots=True)
class Message:
    """The template of a diagnostic. Its texts have fields, `{name}`, as `str.format` reads them.

    - `title`: the title. If the field `count` is not 1, `many` is the title instead.
    - `label`: the text at the primary place. `other`: the text at every other place.
    - `notes`: a note with a field without a value is left out.
    - `help`: of several helps, the first one with all its values is used.
    - `edit`: the text that replaces the marked place, if the help says nothing else. There is no
      edit if a field of it has no value, or has a guess that is not sure.
    - `name`: the name of a warning that a program can switch off.

    Messages on one fault share its texts: `replace` makes the others from one of them.
    """

    code: str
    title: str
    label: str = ""
    other: str = ""
    notes: tuple[str, ...] = ()
    help: str | tuple[str, ...] = ""
    edit: str | None = None
    name: str = ""
    many: str = ""

    @property
    def helps(self) -> tuple[str, ...]:
        """The helps, the preferred one first."""
        return (self.help,) if isinstance(self.help, str) else self.help

    @property
    def fields(self) -> frozenset[str]:
        """The names of all fields."""
        texts = (self.title, self.label, self.other, *self.notes, *self.helps, self.edit, self.name)
        names = {name for text in texts for name in _fields(text or "")}
        return frozenset({*names, "count", *_fields(self.many)} if self.many else names)

    def title_with(self, fields: Mapping[str, Text]) -> str:
        """The title with its values. Raises KeyError for a field without a value."""
        several = self.many and fields["count"] != 1
        return (self.many if several else self.title).format_map(fields)

    def notes_with(self, fields: Mapping[str, Text]) -> tuple[str, ...]:
        """The notes that have all values."""
        return tuple(filter(None, [_filled(text, fields) for text in self.notes]))

    def help_with(self, fields: Mapping[str, Text]) -> str:
        """The first help that has all values; empty if there is none."""
        return next(filter(None, [_filled(text, fields) for text in self.helps]), "")

    def edit_with(self, fields: Mapping[str, Text]) -> str | None:
        """The text that replaces the marked place; None if there is no edit."""
        if self.edit is None:
            return None
        values = [fields[name] for name in _fields(self.edit)]
        unsure = any(isinstance(value, Guess) and not value.sure for value in values)
        if unsure or any(map(_is_empty, values)):
            return None
        return self.edit.format_map(fields)


def topic_of(package: str, topic: str) -> ModuleType:
    """The module *topic* of *package*, which has messages. If there is none, raises AttributeError,
    as `__getattr__` of a module must."""
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
