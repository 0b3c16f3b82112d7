"""YAML as data, and its only printer: no other module quotes or lays out YAML. The text has the
same meaning in YAML 1.1, in which `on` and `no` are booleans, and in 1.2. Every string that a
reader might read as something else is quoted.
"""

from __future__ import annotations

import re

from tvarc.light import Final, Iterator, Mapping, Sequence, assert_never

Yaml = str | int | bool | None | Mapping[str, "Yaml"] | Sequence["Yaml"]

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./@-]*(?: [A-Za-z0-9_./@-]+)*")
"""Texts that begin with a letter and contain nothing with a special meaning."""
_WORDS: Final = frozenset(
    ("true", "false", "yes", "no", "on", "off", "y", "n", "null", "none", "nan", "inf")
)
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def print_yaml(value: Yaml) -> str:
    """The text of a document, ended by a newline."""
    return "".join(f"{line}\n" for line in _lines(value))


def _lines(value: Yaml) -> Iterator[str]:
    """The lines of *value* as a block."""
    match value:
        case Mapping() if value:
            for key, inner in value.items():
                yield from _entry(f"{_string(key)}:", inner)
        case str() | int() | None | Mapping():
            yield _flow(value)
        case Sequence() if value:
            for inner in value:
                yield from _item(inner)
        case Sequence():
            yield "[]"
        case _:
            assert_never(value)


def _entry(key: str, value: Yaml) -> Iterator[str]:
    """*key*, with its value on the same line or below."""
    if isinstance(value, str) and _is_text(value):
        yield f"{key} |"
        yield from (f"  {line}" if line else "" for line in value.removesuffix("\n").split("\n"))
    elif _is_block(value):
        yield key
        yield from (f"  {line}" if line else "" for line in _lines(value))
    else:
        yield f"{key} {_flow(value)}"


def _item(value: Yaml) -> Iterator[str]:
    if not _is_block(value):
        yield f"- {_flow(value)}"
        return
    for number, line in enumerate(_lines(value)):
        lead = "  " if number else "- "
        yield f"{lead}{line}" if line else ""


def _is_block(value: Yaml) -> bool:
    """Whether *value* takes lines of its own."""
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str) and bool(value)


def _flow(value: Yaml) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case int():
            return str(value)
        case None:
            return "null"
        case Mapping():
            return "{}"
        case _:
            return "[]"


def _is_text(value: str) -> bool:
    """Whether *value* can be a block of unchanged lines: it ends with a line end, its first line
    shows the indentation, and no line has invisible characters at its end."""
    lines = value.removesuffix("\n").split("\n")
    return (
        value.endswith("\n")
        and len(lines) > 1
        and bool(lines[-1])
        and lines[0][:1] not in ("", " ")
        and all(line.isprintable() and line == line.rstrip() for line in lines)
    )


def _string(text: str) -> str:
    """*text* without quotes if every reader reads it as a string, otherwise in quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    known = _ESCAPES.get(char)
    if known is not None:
        return known
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 1 << 8 else f"\\u{code:04x}" if code < 1 << 16 else (
        f"\\U{code:08x}"
    )  # fmt: skip
