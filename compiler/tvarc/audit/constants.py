"""Follows names of a Nix text to what they are bound to, and reads what is written out there.

Texts and lists are put together where all parts are written out. No function is applied but
those that join texts, no condition is decided, no file is read: what is not understood is Unread.
"""

from __future__ import annotations

from tvarc.audit.model import HOLE, Added, Fetched, Found, Ref, Table, Unread
from tvarc.audit.nix_parse import inner, names_in
from tvarc.audit.nix_tree import (
    Assert,
    Attrs,
    Binary,
    Binding,
    Bindings,
    Call,
    Lambda,
    Let,
    ListOf,
    Name,
    Node,
    NotNix,
    Number,
    PathName,
    Select,
    Text,
    With,
)
from tvarc.light import Final, Iterable, dataclass

_MAX_STEPS: Final = 50_000
_MAX_DEPTH: Final = 120
_MAX_TEXT: Final = 1 << 18
_LITERALS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_REFS: Final = ("rev", "tag")
_HASHES: Final = ("sha256", "outputHash")
# The nixpkgs that a recipe imports, beside the one that its caller hands it.
OWN: Final = "nixpkgs"
_CALLERS: Final = ("pkgs", OWN)


@dataclass(frozen=True, slots=True)
class Bound:
    """What a name stands for: an expression in the scope that it was written in, or a root."""

    node: Node | None
    scope: Scope
    root: str = ""


class Scope:
    """The names that an expression sees, those of inner constructs first."""

    __slots__ = ("above", "names", "within")

    def __init__(self, above: Scope | None = None) -> None:
        self.above = above
        self.names: dict[str, Bound] = {}
        self.within: tuple[Node, Scope] | None = None  # the set of a `with`

    def bind(self, bindings: Bindings, outer: Scope | None = None) -> Scope:
        """Add the names of a `let` or of a recursive set; *outer* is where `inherit` looks."""
        for one in bindings:
            if isinstance(one, Binding):
                if len(one.path) == 1 and isinstance(one.path[0], str):
                    self.names[one.path[0]] = Bound(one.value, self)
                continue
            for name in one.names:
                if one.source is None:
                    self.names[name] = Bound(Name(name, place=one.place), outer or Scope())
                else:
                    node = Select(one.source, (name,), place=one.place)
                    self.names[name] = Bound(node, self)
        return self

    def look(self, name: str) -> Bound | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.above
        return None

    def surrounding(self) -> Iterable[tuple[Node, Scope]]:
        """The sets of the `with`s around, the innermost first."""
        scope: Scope | None = self
        while scope is not None:
            if scope.within is not None:
                yield scope.within
            scope = scope.above


Located = tuple[Node, Scope]


class Constants:
    """Reads the constants of one text."""

    __slots__ = ("caller", "steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0
        self.caller = "pkgs"  # what the nixpkgs of the caller is called

    def step(self) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise NotNix("there is more to follow in it than in any recipe")

    def resolve(self, node: Node, scope: Scope) -> Located:
        """What *node* is in the end, as far as names lead: through `let`, `with`, `assert` and
        written sets. A name that leads nowhere is itself."""
        while True:
            self.step()
            match node:
                case Let(bindings, body):
                    scope = Scope(scope).bind(bindings, scope)
                    node = body
                case With(environment, body):
                    opened = Scope(scope)
                    opened.within = (environment, scope)
                    node, scope = body, opened
                case Assert(body):
                    node = body
                case Name(name):
                    bound = scope.look(name)
                    if bound is None or bound.node is None:
                        return node, scope
                    node, scope = bound.node, bound.scope
                case Select(base, path):
                    inner = self._selected(base, path, scope)
                    if inner is None:
                        return node, scope
                    node, scope = inner
                case _:
                    return node, scope

    def _selected(self, base: Node, path: tuple[str | Node, ...], scope: Scope) -> Located | None:
        """The expression at *path* of a set that is written out."""
        if not path:
            return base, scope
        node, inside = self.resolve(base, scope)
        key = path[0]
        if not isinstance(node, Attrs) or not isinstance(key, str):
            return None
        entries = Scope(inside).bind(node.bindings, inside)
        found = entries.names.get(key)
        if found is None or found.node is None:
            return None
        # Only a recursive set sees its own names.
        at = found.scope if node.recursive or found.scope is not entries else inside
        if len(path) == 1:
            return found.node, at
        return Select(found.node, path[1:], place=found.node.place), at

    def reference(self, node: Node, scope: Scope) -> str | None:
        """The name of what only Nix knows: `final.cudaPackages_13`; None for anything else."""
        node, scope = self.resolve(node, scope)
        match node:
            case Name(name):
                bound = scope.look(name)
                if bound is not None:
                    return self.caller if bound.root in _CALLERS else bound.root or None
                if name in _LITERALS:
                    return None
                for environment, outer in scope.surrounding():
                    above = self.reference(environment, outer)
                    return f"{above}.{name}" if above is not None else None
                return name
            case Select(base, path):
                above = self.reference(base, scope)
                keys = [key for key in path if isinstance(key, str)]
                if above is None or len(keys) != len(path):
                    return None
                return ".".join((above, *keys))
            case PathName(text, search):
                return f"<{text}>" if search else text
            case Call():
                return self._instantiated(node, scope)
            case _:
                return None

    def _instantiated(self, node: Call, scope: Scope) -> str | None:
        """OWN for `import SOURCE { … }`, with or without more overlays."""
        (function, at), arguments = self.applied(node, scope)
        if isinstance(function, Select) and function.path[-1] in ("appendOverlays", "extend"):
            return self.reference(function.base, at) if len(function.path) == 1 else None
        if not isinstance(function, Name) or function.name != "import" or at.look("import"):
            return None
        return OWN if len(arguments) == 2 else None

    def applied(self, node: Node, scope: Scope) -> tuple[Located, list[Located]]:
        """The function of a call and its arguments, in order."""
        arguments: list[Located] = []
        function, at = self.resolve(node, scope)
        while isinstance(function, Call):
            arguments.append((function.argument, at))
            function, at = self.resolve(function.function, at)
        arguments.reverse()
        return (function, at), arguments

    def value(self, node: Node, scope: Scope, depth: int = 0) -> Found:
        """What *node* says."""
        written, where = node, scope
        node, scope = self.resolve(node, scope)
        if depth > _MAX_DEPTH:
            return self.unread(written, where)
        match node:
            case Text(parts):
                return self._text(parts, scope, depth)
            case Number(text):
                return int(text) if text.isdigit() and len(text) < 19 else text
            case ListOf(items):
                return tuple([self.value(item, scope, depth + 1) for item in items])
            case Attrs():
                entries = self.table(node, scope, depth)
                return entries if entries is not None else self.unread(written, where)
            case Binary(operator, left, right):
                found = self._binary(operator, left, right, scope, depth)
            case Call():
                found = self._call(node, scope, depth)
            case Name(name) if name in _LITERALS and scope.look(name) is None:
                return _LITERALS[name]
            case _:
                path = self.reference(node, scope)
                found = Ref(path) if path is not None else None
        return found if found is not None else self.unread(written, where)

    def table(self, node: Attrs, scope: Scope, depth: int = 0) -> Table | None:
        """A set that is written out; None when a key is not."""
        entries: list[tuple[str, Found]] = []
        for path, (value, at) in self.entries(node, scope):
            if path is None:
                return None
            entries.append((".".join(path), self.value(value, at, depth + 1)))
        return Table(tuple(entries))

    def entries(
        self, node: Attrs, scope: Scope
    ) -> Iterable[tuple[tuple[str, ...] | None, Located]]:
        """The paths of a set and what stands there; None for a path that is not written out."""
        inside = Scope(scope).bind(node.bindings, scope) if node.recursive else scope
        for one in node.bindings:
            self.step()
            if isinstance(one, Binding):
                keys = tuple(key for key in one.path if isinstance(key, str))
                yield keys if len(keys) == len(one.path) else None, (one.value, inside)
                continue
            for name in one.names:
                if one.source is None:
                    yield (name,), (Name(name, place=one.place), scope)
                else:
                    yield (name,), (Select(one.source, (name,), place=one.place), inside)

    def _text(self, parts: tuple[str | Node, ...], scope: Scope, depth: int) -> str:
        pieces: list[str] = []
        size = 0
        for part in parts:
            piece = part if isinstance(part, str) else self._hole(part, scope, depth)
            size += len(piece)
            if size > _MAX_TEXT:
                raise NotNix("a text in it is larger than in any recipe")
            pieces.append(piece)
        return "".join(pieces)

    def _hole(self, node: Node, scope: Scope, depth: int) -> str:
        value = self.value(node, scope, depth + 1)
        match value:
            case str():
                return value
            case Ref(path):
                return f"${{{path}}}"
            case _:
                return f"{HOLE} {self.source(node)}}}"

    def _binary(
        self, operator: str, left: Node, right: Node, scope: Scope, depth: int
    ) -> Found | None:
        if operator not in ("++", "+", "//"):
            return None
        first = self.value(left, scope, depth + 1)
        second = self.value(right, scope, depth + 1)
        if operator == "+":
            # A text of which a part is not understood still says the rest.
            first = _partly(first, beside=second)
            second = _partly(second, beside=first)
        if isinstance(first, Ref):
            return Added(first, second)
        if isinstance(first, Added):
            joined = _joined(operator, first.value, second)
            return Added(first.base, joined) if joined is not None else None
        if isinstance(second, Added) and operator == "++":
            # `mine ++ old`: the order is of no matter to what is added.
            joined = _joined(operator, first, second.value)
            return Added(second.base, joined) if joined is not None else None
        if isinstance(second, Ref) and isinstance(first, tuple | str):
            return Added(second, first)
        return _joined(operator, first, second)

    def _call(self, node: Call, scope: Scope, depth: int) -> Found | None:
        (function, at), arguments = self.applied(node, scope)
        path = self.reference(function, at)
        name = (path or "").rpartition(".")[2]
        values = [self.value(*argument, depth + 1) for argument in arguments]
        match name, values:
            case "concatStringsSep", [str() as between, tuple() as items]:
                texts = [item for item in items if isinstance(item, str)]
                return between.join(texts) if len(texts) == len(items) else None
            case "concatStrings", [tuple() as items]:
                texts = [item for item in items if isinstance(item, str)]
                return "".join(texts) if len(texts) == len(items) else None
            case "toString", [str() as text]:
                return text
            case "toString", [tuple() as items]:
                texts = [item for item in items if isinstance(item, str)]
                return " ".join(texts) if len(texts) == len(items) else None
            case "substring", [int() as start, int() as length, str() as text]:
                return _cut(text, start, length)
            case _, [Table() as table] if name.startswith("fetch"):
                return Fetched(name, tuple(_fetched_field(*entry) for entry in table.entries))
            case _, [str() as url] if name.startswith("fetch"):
                return Fetched(name, (("url", url),))
            case _:
                return None

    def unread(self, node: Node, scope: Scope) -> Unread:
        """*node* as it is written, with what it refers to: equal texts mean equal things."""
        texts = [self.source(node)]
        seen: set[str] = set()
        waiting: list[Located] = [(node, scope)]
        while waiting and len(seen) < 50:
            self.step()
            one, at = waiting.pop()
            for name in sorted(names_in([one])):
                bound = at.look(name)
                if bound is None or bound.node is None or name in seen:
                    continue
                seen.add(name)
                texts.append(f"{name} = {self.source(bound.node)}")
                waiting.append((bound.node, bound.scope))
        return Unread(texts[0], "; ".join(sorted(texts[1:])))

    def source(self, node: Node) -> str:
        """The text of *node*, on one line."""
        return " ".join(self.text[node.place.start : node.place.end].split())

    def strings(self, node: Node, scope: Scope) -> frozenset[str]:
        """Every text that is written out in *node*, or in a constant that it names."""
        found: set[str] = set()
        waiting = [node]
        while waiting:
            self.step()
            one = waiting.pop()
            if isinstance(one, Text):
                found |= {part for part in one.parts if isinstance(part, str)}
            if isinstance(one, Name):
                bound = scope.look(one.name)
                if bound is not None and isinstance(bound.node, Text | ListOf):
                    waiting.append(bound.node)
            waiting += inner(one)
        return frozenset(found)


def _partly(value: Found, beside: Found) -> Found:
    known = beside.value if isinstance(beside, Added) else beside
    if isinstance(value, Unread) and isinstance(known, str):
        return f"{HOLE} {value.text}}}"
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


def _cut(text: str, start: int, length: int) -> str | None:
    """`builtins.substring`, which counts bytes."""
    if not text.isascii() or HOLE in text or "${" in text:
        return None
    return text[start : start + length]


def _fetched_field(key: str, value: Found) -> tuple[str, Found]:
    if key in _REFS:
        return "ref", value.removeprefix("refs/tags/") if isinstance(value, str) else value
    return ("hash" if key in _HASHES else key), value


def parameters(function: Lambda) -> list[str]:
    """The names of the arguments of a curried function, empty for one that is a pattern."""
    names = [function.whole or ""]
    body = function.body
    while isinstance(body, Lambda):
        names.append(body.whole or "")
        body = body.body
    return names
