"""TOML as data, with the place of its first fault."""

from __future__ import annotations

import re

from tvarc.light import Any, Callable, Final, dataclass
from tvarc.text.source import Source, Span

# tomllib accepts numbers of any length, which Python then refuses. Its time grows with the square
# of the steps of a key. No lock and no table exceeds these limits.
_DIGITS: Final = 1000
_NUMBER: Final = re.compile(rf"[0-9a-fA-F_]{{{_DIGITS}}}")
_STEPS: Final = 100
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|\'[^\']*(?:\'|$)')


@dataclass(frozen=True, slots=True)
class TomlFault:
    """The fault of a text, as the end of a sentence, and its line."""

    said: str
    span: Span


def toml_of(
    source: Source, number: Callable[[str], object] = float
) -> dict[str, Any] | TomlFault:
    """The data of *source*, or the reason why it is no TOML. *number* converts numbers with a
    fraction."""
    import tomllib

    fault = _too_much(source)
    if fault is not None:
        return fault
    text = source.text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        return tomllib.loads(text, parse_float=number)
    except (tomllib.TOMLDecodeError, RecursionError) as found:
        return _place_of(str(found), source)


def line_span(source: Source, number: int) -> Span:
    """The span of line *number* of *source*, from 1, without the blanks around it."""
    starts = source.line_starts()
    number = min(max(number, 1), len(starts))
    start, text = starts[number - 1], source.line(number)
    indent = len(text) - len(text.lstrip())
    return Span(source.file, start + indent, start + max(len(text.rstrip()), indent))


def _too_much(source: Source) -> TomlFault | None:
    """A part of the text that takes the reader of TOML too long, with its place; None if there is
    none."""
    for number, line in enumerate(source.text.split("\n"), 1):
        if len(line) > _DIGITS and _NUMBER.search(_STRING.sub("", line)):
            return TomlFault("a number has too many digits", line_span(source, number))
        if line.count(".") > _STEPS and _STRING.sub("", line).count(".") > _STEPS:
            return TomlFault("a key has too many steps", line_span(source, number))
    return None


def _place_of(message: str, source: Source) -> TomlFault:
    """tomllib's message without the position in it, and the position as a span."""
    at = re.search(r" \(at line (\d+), column \d+\)$", message)
    said = message[: at.start()] if at else message.removesuffix(" (at end of document)")
    number = int(at[1]) if at else source.text.count("\n") + 1
    if said.startswith("Cannot overwrite"):
        said = "this is written twice"
    elif said == r"Illegal character '\n'":
        said = "the text has no end"
    return TomlFault(said[:1].lower() + said[1:], line_span(source, number))
