"""The functions of the language: their signatures, and their results for known values.

A function of a value that only Nix knows becomes a `NixCall`, which the backend lowers. The
functions that describe a source (`github`, `url`, `pname`) always become one.
"""

from __future__ import annotations

from tvarc.light import Callable, Final, dataclass
from tvarc.meaning.budget import LIMIT_TEXT, Budget, too_long
from tvarc.values.value import (
    DeclValue,
    NixCall,
    PathValue,
    Record,
    RowValue,
    Value,
    Version,
    float_text,
    is_version,
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function. `kinds` are the accepted kinds of values, as `value_kind` names
    them."""

    name: str
    kinds: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters and the result of a function. `nix` says whether only Nix may know the
    arguments. `result` is the kind of the result. With `more`, any number of further arguments of
    any kind follow."""

    name: str
    parameters: tuple[Parameter, ...]
    result: str
    nix: bool
    positional: int = 99
    more: bool = False

    def show(self) -> str:
        inner = [p.name if p.required else f"{p.name}?" for p in self.parameters]
        return f"{self.name}({', '.join([*inner, '…'] if self.more else inner)})"

    def kinds(self, name: str) -> tuple[str, ...]:
        """The kinds of values that the argument *name* takes."""
        return next((p.kinds for p in self.parameters if p.name == name), ("any",))


_TEXT = ("string", "version", "row")
_OF_FLOATS: Final = frozenset("0123456789.eE+-")
_INFINITE: Final = float("inf")
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
        Signature("float", (Parameter("number", ("version", "int", "string")),), "float", False),
        Signature("len", (Parameter("value", ("list", "string", "record")),), "int", False),
        Signature(
            "starts-with", (Parameter("text", _TEXT), Parameter("prefix", _TEXT)), "bool", False
        ),
        Signature(
            "ends-with", (Parameter("text", _TEXT), Parameter("suffix", _TEXT)), "bool", False
        ),
        Signature(
            "matches", (Parameter("text", _TEXT), Parameter("pattern", ("string",))), "bool", False
        ),
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
        Signature("call", (Parameter("function", ("any",)),), "nix", True, more=True),
        Signature(
            "file",
            (Parameter("input", ("any",)), Parameter("file", ("string",))),
            "nix",
            True,
        ),
    )
    return {signature.name: signature for signature in listed}


def _declared() -> Signature:
    """The signature that checks a declaration of an `input`, as if it were a call."""
    text = ("string",)
    return Signature(
        "input",
        (
            Parameter("name", text),
            Parameter("github", text, required=False),
            Parameter("rev", text, required=False),
            Parameter("url", text, required=False),
            Parameter("path", ("path",), required=False),
            Parameter("hash", ("string", "unlocked"), required=False),
        ),
        "nix",
        False,
    )


FUNCTIONS = _signatures()
"""The functions that expressions can call, by name."""
SIGNATURES = {**FUNCTIONS, "input": _declared()}
"""The functions that `hir.Apply` applies, by name."""


class BadArgument(ValueError):
    """An argument of the right kind that has no meaning. The text is a clause for the user."""


def _plain(value: Value) -> str:
    if isinstance(value, Version):
        return value.text
    if isinstance(value, RowValue):
        return value.name
    assert isinstance(value, str)
    return value


def _join(arguments: tuple[tuple[str, Value], ...], budget: Budget) -> Value:
    items, separator = arguments[0][1], _plain(arguments[1][1])
    assert isinstance(items, tuple)
    budget.step(len(items) >> 3)
    length = len(separator) * max(len(items) - 1, 0)
    texts: list[str] = []
    for item in items:
        text = kind_text(item)
        if text is None:
            raise BadArgument("an element cannot be written in a string")
        length += len(text)
        if length > LIMIT_TEXT:
            raise too_long()
        texts.append(text)
    budget.text(length)
    return separator.join(texts)


def kind_text(value: Value) -> str | None:
    """The text of *value* inside a string; None if it has none."""
    match value:
        case str():
            return value
        case bool() | None:
            return None
        case int():
            return str(value)
        case float():
            return float_text(value)
        case Version():
            return value.text
        case RowValue() | DeclValue():
            return value.name
        case tuple():
            texts = [kind_text(item) for item in value]
            return None if None in texts else " ".join(text for text in texts if text is not None)
        case _:
            return None


def _split(arguments: tuple[tuple[str, Value], ...], budget: Budget) -> Value:
    text, separator = _plain(arguments[0][1]), _plain(arguments[1][1])
    if not separator:
        raise BadArgument("the separator is empty")
    budget.elements(text.count(separator) + 1)
    budget.text(len(text))
    return tuple(text.split(separator))


def _replace(arguments: tuple[tuple[str, Value], ...], budget: Budget) -> Value:
    text, old, new = (_plain(value) for _, value in arguments)
    if not old:
        raise BadArgument("the string to replace is empty")
    return _replaced(text, old, new, budget)


def _replaced(text: str, old: str, new: str, budget: Budget) -> str:
    length = len(text)
    if len(new) > len(old):
        length += text.count(old) * (len(new) - len(old))
    budget.text(length)
    return text.replace(old, new)


def _lettered(text: str, change: Callable[[str], str], budget: Budget) -> str:
    budget.text(len(text))
    return lettered(text, change)


def lettered(text: str, change: Callable[[str], str]) -> str:
    """*text* with each ASCII letter changed by *change*, as `upper` and `lower` of the language do.
    Letters beyond ASCII stay."""
    if text.isascii():
        return change(text)
    return "".join([change(char) if char.isascii() else char for char in text])


def _matches(text: str, pattern: str, budget: Budget) -> bool:
    """Whether all of *text* fits *pattern*, in which `*` is any text and `?` one character."""
    budget.step(len(text) * len(pattern) >> 3)
    at = place = 0
    star, after = -1, 0  # the last `*`, and the end of the text that it matches
    while at < len(text):
        if place < len(pattern) and pattern[place] == "*":
            star, after = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", text[at]):
            place += 1
            at += 1
        elif star >= 0:
            after += 1
            place, at = star + 1, after
        else:
            return False
    return not pattern[place:].strip("*")


def _part(index: int) -> Callable[[tuple[tuple[str, Value], ...]], Value]:
    def take(arguments: tuple[tuple[str, Value], ...]) -> Value:
        value = arguments[0][1]
        assert isinstance(value, Version)
        if index >= len(value.parts):
            raise BadArgument(f"`{value.text}` does not have this part")
        return value.parts[index]

    return take


def _version(arguments: tuple[tuple[str, Value], ...]) -> Value:
    text = _plain(arguments[0][1])
    if not is_version(text):
        raise BadArgument(f'"{text}" is not a version: letters and digits, separated by dots')
    return Version(text)


def _float(value: Value) -> Value:
    assert isinstance(value, str | int | Version)
    text = str(value) if isinstance(value, int) else _plain(value)
    # Python also reads `1_5`, `inf` and blanks around a number.
    if not text.isascii() or not text[-1:].isdigit() or not set(text) <= _OF_FLOATS:
        raise BadArgument(f'"{text}" is not a number')
    try:
        number = float(text)
    except ValueError:
        raise BadArgument(f'"{text}" is not a number') from None
    if number in (_INFINITE, -_INFINITE):
        raise BadArgument(f'"{text}" is too large for a float')
    return number + 0.0  # `-0.0` becomes `0.0`


def apply_known(name: str, arguments: tuple[tuple[str, Value], ...], budget: Budget) -> Value:
    """The result of the function *name* for arguments that the compiler knows.

    Raises BadArgument, and OverBudget if *budget* is exceeded.
    """
    match name:
        case "join":
            return _join(arguments, budget)
        case "split":
            return _split(arguments, budget)
        case "replace":
            return _replace(arguments, budget)
        case "upper":
            return _lettered(_plain(arguments[0][1]), str.upper, budget)
        case "lower":
            return _lettered(_plain(arguments[0][1]), str.lower, budget)
        case "flat":
            return _replaced(_plain(arguments[0][1]), ".", "", budget)
        case "under":
            return _replaced(_plain(arguments[0][1]), ".", "_", budget)
        case "major":
            return _part(0)(arguments)
        case "minor":
            return _part(1)(arguments)
        case "version":
            return _version(arguments)
        case "float":
            return _float(arguments[0][1])
        case "len":
            value = arguments[0][1]
            assert isinstance(value, str | tuple | Record)
            return len(value.entries if isinstance(value, Record) else value)
        case "starts-with":
            return _plain(arguments[0][1]).startswith(_plain(arguments[1][1]))
        case "ends-with":
            return _plain(arguments[0][1]).endswith(_plain(arguments[1][1]))
        case "matches":
            return _matches(_plain(arguments[0][1]), _plain(arguments[1][1]), budget)
        case "path":
            return PathValue(_plain(arguments[0][1]))
        case _:
            return NixCall(name, arguments)
