"""Values of the language: the results of expressions, in every stage after parsing.

Plain Python values represent themselves: `str`, `int`, `float`, `bool`, `None` (null) and `tuple`
(a list). The classes in this module are all other values. Values that only Nix can know are the
`Nix…` classes.
"""

from __future__ import annotations

from tvarc.light import (
    Callable,
    Final,
    Iterable,
    Iterator,
    Literal,
    Mapping,
    TypeGuard,
    dataclass,
    field,
)
from tvarc.text.source import Span

_PRE_RELEASE = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "rc": 3, "": 4, "post": 5}
_RELEASE = _PRE_RELEASE[""]


@dataclass(frozen=True, slots=True)
class Version:
    """A version such as `13.0`. It is compared part by part, and printed as written.

    Missing parts count as zero, so `2.10 == 2.10.0`. A pre-release (`2.11.0rc1`) is before its
    release.
    """

    text: str
    _key: tuple[tuple[int, int, str, int], ...] = field(
        init=False, compare=False, repr=False, default=()
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_key", tuple([_part_key(part) for part in self.text.split(".")]))

    def compare(self, other: Version) -> int:
        """Negative if this version is older than *other*, zero if it is equal, positive if it is
        newer."""
        width = max(len(self._key), len(other._key))
        zero = (0, _RELEASE, "", 0)
        mine = self._key + (zero,) * (width - len(self._key))
        theirs = other._key + (zero,) * (width - len(other._key))
        return (mine > theirs) - (mine < theirs)

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.text.split("."))


def _part_key(part: str) -> tuple[int, int, str, int]:
    if part.isdecimal() and part.isascii():  # nearly all are
        return (int(part), _RELEASE, "", 0)
    digits = len(part) - len(part.lstrip("0123456789"))
    rest = part[digits:]
    word = rest.rstrip("0123456789")
    number = int(part[:digits] or 0)
    known = _PRE_RELEASE.get(word)
    rank, other = (4, word) if known is None else (known, "")  # `alpha` means the same as `a`
    return (number, rank, other, int(rest[len(word) :] or 0))


def is_version(text: str) -> bool:
    """Whether *text* can be a version: parts of ASCII letters and digits. The first part is a
    digit."""
    parts = text.split(".")
    return (
        bool(parts[0][:1].isdigit())
        and all(part.isalnum() and part.isascii() for part in parts)
        and all(len(part) <= 18 for part in parts)
    )


@dataclass(frozen=True, slots=True)
class Fact:
    """One field of a row: its value and its place. A fact that is `wrong` is already reported, so
    nothing else is reported about it. A fact that corrects another one has it as `shadowed`, with
    the reason."""

    value: Value
    span: Span
    wrong: bool = False
    shadowed: Fact | None = None
    because: str = ""


class LaterFacts(Mapping[str, Fact]):
    """The facts of a row, which are resolved when one of them is first read."""

    __slots__ = ("_find", "_found")

    def __init__(self, find: Callable[[], dict[str, Fact]]) -> None:
        self._find = find
        self._found: dict[str, Fact] | None = None

    @property
    def is_found(self) -> bool:
        """Whether the facts are resolved."""
        return self._found is not None

    def find_by(self, other: LaterFacts) -> None:
        """Resolve these facts as *other* does, which has the same ones."""
        self._find = other._find

    def all(self) -> dict[str, Fact]:
        if self._found is None:
            self._found = self._find()
        return self._found

    def __getitem__(self, name: str) -> Fact:
        return self.all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self.all())


@dataclass(frozen=True, slots=True, eq=False)
class RowValue:
    """A value of a facts table, or of an axis with rows. It prints as its name.

    `table` is the origin of the table (`file::name`). A row keeps it in extended copies of the
    table.
    """

    table: str
    name: str
    facts: Mapping[str, Fact]
    span: Span

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowValue) and self.name == other.name and self.table == other.table

    def __hash__(self) -> int:
        return hash((self.table, self.name))


@dataclass(frozen=True, slots=True)
class DeclValue:
    """A declaration as a value. `kind` is recipe, overlay, patch, matrix, variant or pin.

    `lineage` has the ids of the declaration and of all that it extends, for `is`.
    """

    kind: str
    name: str
    id: str
    lineage: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class NoneValue:
    """`none`: no part, no pin; not `null`."""


NONE = NoneValue()


@dataclass(frozen=True, slots=True)
class UnlockedValue:
    """`unlocked`: the lock has the hash. It is allowed only in the place of a hash."""


UNLOCKED = UnlockedValue()


@dataclass(frozen=True, slots=True)
class PathValue:
    """A file that a source names. `file` is the loader's name of it, which is absolute on disk."""

    file: str


_MANY_KEYS: Final = 16  # from this number on, keys of a record are found by an index


@dataclass(frozen=True, slots=True)
class Record:
    """`{ a = 1, … }`: the keys in the order in which they are written, without duplicates."""

    entries: tuple[tuple[str, Value], ...]
    _by_key: dict[str, Value] | None = field(init=False, compare=False, repr=False, default=None)

    def get(self, key: str) -> Value | Missing:
        """The value of *key*. Each cell may read another key of one large record."""
        if len(self.entries) < _MANY_KEYS:
            for name, value in self.entries:
                if name == key:
                    return value
            return MISSING
        if self._by_key is None:
            object.__setattr__(self, "_by_key", dict(self.entries))
        assert self._by_key is not None
        return self._by_key.get(key, MISSING)

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        return iter(self.entries)


@dataclass(frozen=True, slots=True)
class Missing:
    """No value: the key does not exist."""


MISSING = Missing()


# --- values that only Nix knows ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NixRef:
    """`pkgs.a.b`: a root (pkgs, final, prev, old, needs) and the attributes after it."""

    root: str
    attributes: tuple[str, ...] = ()


NixPlace = Literal["code", "attribute", "string", "block", "line"]
"""The position of a value in Nix text: in code, in an attribute path, in a `"…"` string, in a
`''…''` string, or in one of these with only spaces before it on its line."""


@dataclass(frozen=True, slots=True)
class NixPart:
    """A value that the compiler knows, inside Nix text. Its place decides how it is quoted.

    In a string and in an attribute path it is a text. With `dollar`, its first character is a `$`,
    which would begin code if a `{` followed.
    """

    value: Value
    place: NixPlace
    dollar: bool


@dataclass(frozen=True, slots=True)
class NixSource:
    """`nix\"\"\"…\"\"\"`: an expression that a user wrote, and the values in it.

    Its relative paths begin at `folder`, as the loader names it. If this is empty, they begin at
    the folder of the emitted file.
    """

    parts: tuple[str | NixPart, ...]
    folder: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Late:
    """A part of a text that each variant fills in (`decide/late.py`).

    The values of `axes` decide it. If it is `whole`, it is a value by itself and not a part of a
    text.
    """

    axes: frozenset[str]
    whole: bool


@dataclass(frozen=True, slots=True)
class NixText:
    """A string with parts that only Nix knows, or with late parts."""

    parts: tuple[str | NixValue, ...]


@dataclass(frozen=True, slots=True)
class NixCall:
    """A function of the language that Nix must apply, or a source to fetch.

    `function` is its name in the language. The arguments have the order of its signature.
    """

    function: str
    arguments: tuple[tuple[str, Value], ...]

    def argument(self, name: str) -> Value | Missing:
        for key, value in self.arguments:
            if key == name:
                return value
        return MISSING


NixValue = NixRef | NixSource | NixText | NixCall | Late

Value = (
    str
    | int
    | float
    | bool
    | None
    | Version
    | RowValue
    | DeclValue
    | NoneValue
    | UnlockedValue
    | PathValue
    | Record
    | NixRef
    | NixSource
    | NixText
    | NixCall
    | Late
    | tuple["Value", ...]
)


def float_text(value: float) -> str:
    """*value* in the shortest spelling that Nix reads as the same float, such as `1.0e-07`."""
    mantissa, exponent, power = repr(value).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{exponent}{power}"


def is_nix(value: Value) -> TypeGuard[NixValue]:
    """Whether only Nix knows *value* itself. Its elements are not inspected."""
    return isinstance(value, NixRef | NixSource | NixText | NixCall | Late)


_LABEL: Final = 60  # characters of a value in a label
_KNOWN: Final = frozenset((str, int, float, bool, type(None), Version, RowValue, DeclValue))


def holds_nix(value: Value) -> bool:
    """Whether only Nix knows *value* or anything inside it."""
    if isinstance(value, tuple):
        if _KNOWN.issuperset(map(type, value)):
            return False
        return any(holds_nix(item) for item in value)
    if isinstance(value, Record):
        return any(holds_nix(item) for _, item in value)
    return is_nix(value)


def values_in(value: Value) -> Iterator[Value]:
    """*value*, and all values that it contains, without texts in lists and in texts."""
    yield value
    match value:
        case tuple():
            inner: Iterable[Value] = value
        case Record():
            inner = [item for _, item in value]
        case NixCall():
            inner = [item for _, item in value.arguments]
        case NixText():
            inner = value.parts
        case NixSource():
            inner = [part.value for part in value.parts if isinstance(part, NixPart)]
        case _:
            return
    texts = not isinstance(value, tuple | NixText)
    for item in inner:
        if texts or type(item) is not str:
            yield from values_in(item)


_BUILDERS: Final = ("mkDerivation", "build")
"""The beginnings of the names of nixpkgs' functions that make a package from attributes."""


def called_attributes(package: Value) -> Mapping[str, Value]:
    """The attributes that *package* gives a builder of nixpkgs, if it is such a call, and all of
    them are known; else none."""
    match package:
        case NixCall("call", ((_, NixRef() as builder), (_, Record() as given))):
            name = builder.attributes[-1] if builder.attributes else ""
            return dict(given.entries) if name.startswith(_BUILDERS) else {}
        case _:
            return {}


_ARTICLES = {
    "string": "a string",
    "version": "a version",
    "row": "an axis value",
    "list": "a list",
    "record": "a record",
    "bool": "true or false",
    "none": "none",
    "unlocked": "`unlocked`",
    "int": "an integer",
    "float": "a float",
    "path": "a path",
    "null": "null",
    "any": "anything",
    "nix": "a Nix value",
}


def article(kind: str) -> str:
    """*kind* with an article: `a string` for `string`."""
    return _ARTICLES.get(kind, kind)


def value_kind(value: Value) -> str:
    """The kind of *value*, as signatures and field types name it."""
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case int():
            return "int"
        case float():
            return "float"
        case None:
            return "null"
        case Version():
            return "version"
        case tuple():
            return "list"
        case Record():
            return "record"
        case RowValue():
            return "row"
        case DeclValue():
            return value.kind
        case NixRef() | NixSource() | NixText() | NixCall() | Late():
            return "nix"
        case PathValue():
            return "path"
        case NoneValue():
            return "none"
        case UnlockedValue():
            return "unlocked"


def type_name(value: Value) -> str:
    """The kind of *value* as messages name it, with an article: `a string`, `an integer`."""
    match value:
        case RowValue():
            return f"a value of {value.table.rpartition('::')[2]}"
        case DeclValue():
            return f"a {value.kind}" if value.kind[0] not in "aeiou" else f"an {value.kind}"
        case UnlockedValue():
            return "unlocked"
        case _:
            kind = value_kind(value)
            return "a value that only Nix knows" if kind == "nix" else article(kind)


def same(left: Value, right: Value) -> bool:
    """Whether two values are the same, including their kind and spelling (`1` is not `true`)."""
    if left is right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, Record) and isinstance(right, Record):
        mine, theirs = dict(left.entries), dict(right.entries)
        return mine.keys() == theirs.keys() and all(same(mine[k], theirs[k]) for k in mine)
    return type(left) is type(right) and left == right


def identity(value: Value) -> object:
    """A key that is equal for two values if and only if they are the `same` value."""
    if isinstance(value, tuple):
        return (tuple, tuple([identity(item) for item in value]))
    if isinstance(value, Record):
        return (Record, frozenset([(key, identity(item)) for key, item in value.entries]))
    return (type(value), value)


def show(value: Value) -> str:
    """*value* in the spelling of the language, for messages and `explain`. A late part is `…`."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quote(value)
        case int():
            return str(value)
        case float():
            text = float_text(value)
            return f"float({text})" if text.replace(".", "").isdigit() else f'float("{text}")'
        case None:
            return "null"
        case Version():
            return value.text
        case tuple() | Record() | NixText() | Late():
            return "".join(["…" if isinstance(one, Late) else one for one in show_pieces(value)])
        case RowValue() | DeclValue():
            return value.name
        case NoneValue():
            return "none"
        case UnlockedValue():
            return "unlocked"
        case PathValue():
            return f"path({quote(value.file)})"
        case NixRef():
            return ".".join((value.root, *map(show_key, value.attributes)))
        case NixSource():
            return 'nix"""' + "".join(map(_show_nix_part, value.parts)) + '"""'
        case NixCall():
            return show_call(value.function, ((key, show(item)) for key, item in value.arguments))


def show_pieces(value: Value) -> Iterator[str | Late]:
    """The text that `show` returns, and the late parts in it, in order."""
    match value:
        case tuple():
            yield "["
            for number, item in enumerate(value):
                yield ", " if number else ""
                yield from show_pieces(item)
            yield "]"
        case Record():
            for number, (key, item) in enumerate(value):
                yield f"{', ' if number else '{ '}{show_key(key)} = "
                yield from show_pieces(item)
            yield " }" if value.entries else "{}"
        case NixText():
            yield '"'
            for part in value.parts:
                if isinstance(part, Late):
                    yield part
                else:
                    yield quote(part)[1:-1] if isinstance(part, str) else "{{" + show(part) + "}}"
            yield '"'
        case Late():
            yield value
        case _:
            yield show(value)


VARIANTS: Final = ("variant", "argument")
"""Functions that represent a needed variant of a matrix: in a file of its own, and as an argument.
Their arguments are the matrix, and the value of each axis."""


def show_short(value: Value) -> str:
    """*value* as `show` prints it, for a label. A long one is cut, which a mark shows."""
    text = show(value)
    return text if len(text) <= _LABEL else f"{text[:_LABEL]}…"


def show_call(function: str, arguments: Iterable[tuple[str, str]]) -> str:
    """A call of a function of the language. Some functions have arguments without names."""
    bare = function in ("call", "file", "input")
    inner = [text if bare else f"{name} = {text}" for name, text in arguments]
    if function in VARIANTS:  # the variant of a matrix, by its axis values
        matrix = inner[0].partition(" = ")[2]
        return f"{matrix}[{', '.join(inner[1:])}]" if len(inner) > 1 else matrix
    return f"{function}({', '.join(inner)})"


def _show_nix_part(part: str | NixPart) -> str:
    if isinstance(part, str):
        return part.replace("{{", "\\{{")
    shown = "\\{{" if part.value == "{{" else _braced(show(part.value))
    return "$" + shown if part.dollar else shown


def _braced(shown: str) -> str:
    return "{{ " + shown + " }}" if shown[0] == "{" else "{{" + shown + "}}"


def show_key(key: str) -> str:
    """*key* without quotes if the language allows that, else with quotes."""
    plain = key.replace("-", "_")
    return key if plain.isidentifier() and key.isascii() and not key.endswith("-") else quote(key)


def quote(text: str) -> str:
    """A string literal of the language with the value *text*."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("{{", "\\{{")
    escaped = escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    if not escaped.isprintable():
        escaped = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in escaped)
    return f'"{escaped}"'
