"""Converts a reduced expression to a value that an audit compares and shows."""

from __future__ import annotations

from tvarc.byhand.audit.model import (
    Added,
    Fetched,
    Found,
    Linked,
    Ref,
    Table,
    Unread,
    beside,
    unread_part,
)
from tvarc.byhand.audit.reducer import CALLER, TolerantReducer, path_text
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.pins import COMMIT
from tvarc.byhand.reading.trees import (
    GIVEN,
    call_of,
    entries_of,
    last_name,
    own,
    root_of,
)
from tvarc.light import Final
from tvarc.nix.language.quoting import interpolation
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    TRUE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixFloat,
    NixIdent,
    NixInt,
    NixList,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
    elements,
)
from tvarc.values.value import float_text

_MAX_TEXT: Final = 1 << 18
# The nixpkgs that a recipe imports, in addition to that of its caller.
OWN: Final = "nixpkgs"
_REFS: Final = ("rev", "tag")
_HASHES: Final = ("sha256", "outputHash")
_FETCHING: Final = "fetch"


class Values:
    """Reads the values of reduced expressions. `caller` is the name of the caller's nixpkgs. `own`
    is the source of the recipe's nixpkgs; None if that is not known."""

    __slots__ = ("caller", "own", "reducer")

    def __init__(self, reducer: TolerantReducer) -> None:
        self.reducer = reducer
        self.caller = "pkgs"
        self.own: Found = None

    def of(self, node: NixExpr) -> Found:
        """The value of *node*."""
        other = self.reducer.linked(node)
        if other:
            return Linked(other)
        found = self._known(node)
        return found[0] if found is not None else self.unread(node)

    def _known(self, node: NixExpr) -> tuple[Found] | None:
        """The value of *node*, in a tuple; None if the audit does not understand it."""
        found: Found | None
        match node:
            case NixString(parts):
                return (self._text(parts),)
            case NixInt(number):
                return (number,)
            case NixFloat(text):
                return (Ref(float_text(float(text))),)  # neither a text nor an integer
            case NixList():
                return (tuple(map(self.of, elements(node))),)
            case NixIdent("true" | "false"):
                return (node == TRUE,)
            case NixIdent("null"):
                return (None,)
            case NixAttrs():
                return (Table(tuple([(key, self.of(one)) for key, one in entries_of(node)])),)
            case NixBinary("++" | "+" | "//" as operator, left, right):
                found = combined(operator, self.of(left), self.of(right))
            case NixApply():
                name = own(node)
                found = Ref(f"old.{name}") if name is not None else self._call(node)
            case _:
                name = own(node)
                path = f"old.{name}" if name is not None else self.reference(node)
                found = Ref(path) if path is not None else None
        return (found,) if found is not None else None

    def _call(self, node: NixApply) -> Found | None:
        """The result of a function of nixpkgs that the reader does not evaluate itself."""
        function, arguments = call_of(node)
        name = last_name(function)
        if not name.startswith((_FETCHING, "cmake")):
            return None
        return _made_by(name, [self.of(argument) for argument in arguments])

    def _text(self, parts: tuple[str | NixExpr, ...]) -> str:
        made = "".join([plain(one) if isinstance(one, str) else self._part(one) for one in parts])
        if len(made) > _MAX_TEXT:
            raise NotNix("a string in it is larger than in any recipe")
        return made

    def _part(self, node: NixExpr) -> str:
        match self.of(node):
            case str() as value:
                return value
            case Ref(path):
                return interpolation(path)
            case Linked(path):
                return interpolation(beside(path))
            case _:
                return unread_part(self.reducer.source(node))

    def reference(self, node: NixExpr) -> str | None:
        """The dotted name or the path *node*, such as `final.cudaPackages_13`, whose value only Nix
        knows. None for any other expression."""
        match node:
            case NixPath() | NixSearchPath():
                return path_text(node)
            case NixIdent(name) if node not in (TRUE, FALSE, NULL):
                return self.root(name) if self.reducer.function(node) is None else None
            case NixSelect(base, path):
                above = self.reference(base)
                return ".".join((above, *map(str, path))) if above is not None else None
            case _:
                return None

    def root(self, name: str) -> str:
        """The name of a root in messages."""
        made = self.reducer.nixpkgs(name)
        if made is not None and made.base:
            return self.root(made.base)
        if made is None:
            is_caller = name == CALLER
            return self.caller if is_caller else name.removeprefix(GIVEN).removeprefix("@")
        if made.arguments is None and self.is_of_caller(made.source):
            return self.caller  # a flake that is an argument of the recipe
        source = self.of(made.source) if self.own is not None else None
        return _other_nixpkgs(source) if _are_apart(self.own, source) else OWN

    def is_of_caller(self, node: NixExpr) -> bool:
        """Whether *node* is an argument of the recipe or a part of one, such as an input of a
        flake."""
        where = root_of(node)
        return where is not None and (where[0] == CALLER or where[0].startswith(GIVEN))

    def unread(self, node: NixExpr) -> Unread:
        """*node* as a value that the audit does not understand."""
        return Unread(self.reducer.source(node), self.reducer.whole(node), self.reducer.why(node))


# --- values with unknown parts ------------------------------------------------------------


def combined(operator: str, first: Found, second: Found) -> Found | None:
    """The result of `++`, `+` or `//` for two values; None if the audit does not understand it."""
    if operator == "+":
        # A text with a part that is not understood still has its other parts.
        first = _partly(first, beside=second)
        second = _partly(second, beside=first)
    if isinstance(first, Ref):
        return Added(first, second)
    if isinstance(first, Added):
        joined = _joined(operator, first.value, second)
        return Added(first.base, joined, first.before) if joined is not None else None
    if isinstance(second, Added) and isinstance(first, tuple | str):
        joined = _joined(operator, first, second.value)
        before = len(first) + second.before
        return Added(second.base, joined, before) if joined is not None else None
    if isinstance(second, Ref) and isinstance(first, tuple | str):
        return Added(second, first, len(first))
    return _joined(operator, first, second)


def _partly(value: Found, beside: Found) -> Found:
    known = beside.value if isinstance(beside, Added) else beside
    if isinstance(value, Unread) and isinstance(known, str):
        return unread_part(value.text)
    return value


def _joined(operator: str, left: Found, right: Found) -> Found | None:
    match operator, left, right:
        case "++", tuple(), tuple():
            return left + right
        case "+", str(), str():
            return left + right if len(left) + len(right) <= _MAX_TEXT else None
        case "//", Table(mine), Table(theirs):
            return Table(tuple((dict(mine) | dict(theirs)).items()))
        case _:
            return None


def _made_by(name: str, values: list[Found]) -> Found | None:
    """The result of the function *name* of nixpkgs for *values*. None if the audit does not know
    the function, or if the function does not take such values."""
    match name, values:
        case "cmakeFeature" | "cmakeOptionType", [*_, str() as name, str() as text]:
            kind = values[0] if len(values) == 3 else "STRING"
            return f"-D{name}:{kind}={text}"
        case "cmakeBool", [str() as name, bool() as holds]:
            return f"-D{name}:BOOL={'TRUE' if holds else 'FALSE'}"
        case _, [Table() as table] if name.startswith(_FETCHING):
            return Fetched(name, tuple(_fetched_field(*entry) for entry in table.entries))
        case _, [str() as url] if name.startswith(_FETCHING):
            return Fetched(name, (("url", url),))
        case _:
            return None


def _fetched_field(key: str, value: Found) -> tuple[str, Found]:
    if key in _REFS:
        return "ref", value.removeprefix("refs/tags/") if isinstance(value, str) else value
    return ("hash" if key in _HASHES else key), value


def _are_apart(own: Found, source: Found) -> bool:
    """Whether *source* is certainly a different nixpkgs from that of the recipe."""
    if not (isinstance(own, Fetched) and isinstance(source, Fetched)):
        return False
    mine, theirs = dict(own.fields), dict(source.fields)
    return any(mine.get(key) != theirs.get(key) for key in ("url", "owner", "repo", "ref"))


def _other_nixpkgs(source: Found) -> str:
    """The name of another nixpkgs: by its commit, if *source* names one."""
    texts = (
        [text for _, text in source.fields if isinstance(text, str)]
        if isinstance(source, Fetched)
        else []
    )
    commit = next((found[0] for text in texts if (found := COMMIT.search(text))), "")
    return f"{OWN}@{commit[:12] or 'another'}"
