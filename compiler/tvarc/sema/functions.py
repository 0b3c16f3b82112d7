"""The fixed functions of the language: their signatures, and what they do to known values.

Applied to a value that only Nix knows, a function becomes a `NixCall` and the backend lowers
it; the functions that describe a source (`github`, `url`, `pname`) always do.
"""

from __future__ import annotations

from tvarc.light import Callable, dataclass
from tvarc.values import DeclValue, NixCall, PathValue, RowValue, Value, Version, is_version


@dataclass(frozen=True, slots=True)
class Parameter:
    """`kinds` are the accepted value kinds, as `value_kind` names them."""

    name: str
    kinds: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """`nix` says whether arguments may be known to Nix only; `result` is the result's kind."""

    name: str
    parameters: tuple[Parameter, ...]
    result: str
    nix: bool
    positional: int = 99

    def show(self) -> str:
        inner = ", ".join(p.name if p.required else f"{p.name}?" for p in self.parameters)
        return f"{self.name}({inner})"


_TEXT = ("string", "version", "row")
_HASH = Parameter("hash", ("string", "unlocked", "null"), required=False)


def _signatures() -> dict[str, Signature]:
    listed = (
        Signature(
            "join",
            (Parameter("list", ("list",)), Parameter("separator", ("string",))),
            "string",
            True,
        ),
        Signature(
            "split", (Parameter("text", _TEXT), Parameter("separator", ("string",))), "list", True
        ),
        Signature(
            "replace",
            (
                Parameter("text", _TEXT),
                Parameter("from", ("string",)),
                Parameter("to", ("string",)),
            ),
            "string",
            True,
        ),
        Signature("upper", (Parameter("text", _TEXT),), "string", True),
        Signature("lower", (Parameter("text", _TEXT),), "string", True),
        Signature("flat", (Parameter("version", ("version", "string")),), "string", True),
        Signature("under", (Parameter("version", ("version", "string")),), "string", True),
        Signature("major", (Parameter("version", ("version",)),), "string", True),
        Signature("minor", (Parameter("version", ("version",)),), "string", True),
        Signature("version", (Parameter("text", ("string",)),), "version", False),
        Signature(
            "github",
            (
                Parameter("repository", ("string",)),
                Parameter("rev", ("string",), required=False),
                Parameter("tag", ("string",), required=False),
                _HASH,
                Parameter("submodules", ("bool",), required=False),
                Parameter("name", ("string",), required=False),
            ),
            "nix",
            True,
            positional=1,
        ),
        Signature(
            "url",
            (Parameter("url", ("string",)), _HASH, Parameter("name", ("string",), required=False)),
            "nix",
            True,
            positional=1,
        ),
        Signature("path", (Parameter("file", ("string",)),), "path", False),
        Signature("pname", (Parameter("pattern", ("string",)),), "nix", False),
        Signature(
            "call",
            (
                Parameter("input", ("any",)),
                Parameter("file", ("string",)),
                Parameter("args", ("record",), required=False),
            ),
            "nix",
            True,
            positional=2,
        ),
    )
    return {signature.name: signature for signature in listed}


SIGNATURES = _signatures()


class BadArgument(ValueError):
    """An argument of the right kind that makes no sense; the text is a clause for a person."""


def _plain(value: Value) -> str:
    if isinstance(value, Version):
        return value.text
    if isinstance(value, RowValue):
        return value.name
    assert isinstance(value, str)
    return value


def _join(arguments: tuple[tuple[str, Value], ...]) -> Value:
    items, separator = arguments[0][1], arguments[1][1]
    assert isinstance(items, tuple)
    for item in items:
        if kind_text(item) is None:
            raise BadArgument("an element is not text")
    return _plain(separator).join(str(kind_text(item)) for item in items)


def kind_text(value: Value) -> str | None:
    """The text a value prints as within a string, or None when it has none."""
    match value:
        case bool() | None:
            return None
        case str():
            return value
        case int():
            return str(value)
        case Version():
            return value.text
        case RowValue() | DeclValue():
            return value.name
        case tuple():
            texts = [kind_text(item) for item in value]
            return None if None in texts else " ".join(text for text in texts if text is not None)
        case _:
            return None


def _split(arguments: tuple[tuple[str, Value], ...]) -> Value:
    separator = _plain(arguments[1][1])
    if not separator:
        raise BadArgument("the separator is empty")
    return tuple(_plain(arguments[0][1]).split(separator))


def _replace(arguments: tuple[tuple[str, Value], ...]) -> Value:
    text, old, new = (_plain(value) for _, value in arguments)
    if not old:
        raise BadArgument("the text to replace is empty")
    return text.replace(old, new)


def _part(index: int) -> Callable[[tuple[tuple[str, Value], ...]], Value]:
    def take(arguments: tuple[tuple[str, Value], ...]) -> Value:
        value = arguments[0][1]
        assert isinstance(value, Version)
        if index >= len(value.parts):
            raise BadArgument(f"`{value.text}` has no such part")
        return value.parts[index]

    return take


def _version(arguments: tuple[tuple[str, Value], ...]) -> Value:
    text = _plain(arguments[0][1])
    if not is_version(text):
        raise BadArgument(f'"{text}" is no version: parts of letters and digits, joined by dots')
    return Version(text)


def apply_known(name: str, arguments: tuple[tuple[str, Value], ...]) -> Value:
    """The result of *name* for arguments that the compiler knows. Raises BadArgument."""
    match name:
        case "join":
            return _join(arguments)
        case "split":
            return _split(arguments)
        case "replace":
            return _replace(arguments)
        case "upper":
            return "".join(c.upper() if c.isascii() else c for c in _plain(arguments[0][1]))
        case "lower":
            return "".join(c.lower() if c.isascii() else c for c in _plain(arguments[0][1]))
        case "flat":
            return _plain(arguments[0][1]).replace(".", "")
        case "under":
            return _plain(arguments[0][1]).replace(".", "_")
        case "major":
            return _part(0)(arguments)
        case "minor":
            return _part(1)(arguments)
        case "version":
            return _version(arguments)
        case "path":
            return PathValue(_plain(arguments[0][1]))
        case _:
            return NixCall(name, arguments)
