"""How a package is changed: its arguments and attributes, as settings by path."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, SETS
from tvarc.byhand.audit.model import (
    UNREAD_PART,
    Added,
    Found,
    Gap,
    Inner,
    Ref,
    Seen,
    Table,
    Unread,
    holds_unread,
)
from tvarc.byhand.audit.reducer import LEFT_OUT, TolerantReducer
from tvarc.byhand.audit.values import Values
from tvarc.byhand.reading.changes import Changed, Changes
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import (
    Entries,
    call_of,
    entries_of,
    last_name,
    own,
    why_unread,
)
from tvarc.light import Final, Iterator, dataclass, field
from tvarc.nix.language.quoting import interpolation
from tvarc.nix.language.syntax import (
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    extent_of,
)

METHODS: Final = ("override", "overrideAttrs", "overridePythonAttrs", "overrideDerivation")
_CALLERS: Final = ("callPackage", "callPackageWith", "newScope")
BUILDERS: Final = (
    "mkDerivation",
    "buildPythonPackage",
    "buildPythonApplication",
    "buildGoModule",
    "buildRustPackage",
    "runCommand",
    "symlinkJoin",
)


@dataclass(slots=True)
class Settings:
    """Settings by path, of which the last override wins, and the parts that the audit does not
    understand."""

    seen: dict[str, Seen] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    inner: dict[str, Inner] = field(default_factory=dict)


class TolerantChanges(Changes):
    """Reads the changes of packages that are written out. Any other change is kept in `gaps`, with
    its block."""

    methods = METHODS[1:]
    __slots__ = ("gaps", "values")

    def __init__(self, parser: RecipeParser, reducer: TolerantReducer, values: Values) -> None:
        super().__init__(parser, reducer)
        self.values = values
        self.gaps: list[tuple[str, NixExpr]] = []

    def start(self, node: NixExpr) -> Changed:
        function, arguments = call_of(node)
        name = last_name(function)
        if name in _CALLERS and len(arguments) == 2:
            return Changed(arguments[0], self._written("args", arguments[1]), [], function)
        if name in BUILDERS and arguments:
            return Changed(node, [], self._applied(arguments[-1]), function)
        return Changed(node, [], [])

    def _given(self, argument: NixExpr) -> Entries:
        return self._written("args", self.values.reducer.applied(argument, "@old"))

    def _applied(self, argument: NixExpr) -> Entries:
        reducer = self.values.reducer
        roots = ("@own", "@old") if reducer.takes_two(argument) else ("@old",)
        return self._written(ATTRIBUTES, reducer.applied(argument, *roots))

    def _over(self, before: Entries, body: Entries) -> Entries:
        return super()._over(before, body) if before else body

    def _written(self, block: str, node: NixExpr) -> Entries:
        """The entries of the sets that `//` joins in *node*."""
        match node:
            case NixAttrs():
                return entries_of(node)
            case NixBinary("//", left, right):
                first = self._written(block, left)
                return list({**dict(first), **dict(self._written(block, right))}.items())
            case NixIdent("@old"):
                return []
            case _:
                self.gaps.append((block, node))
                return []

    def read(self, node: NixExpr) -> tuple[Changed, Settings]:
        """The package that *node* changes, and `args.x` and `attrs.x`, `env.x`, `passthru.x`,
        `meta.x` of it."""
        self.gaps = []
        changed = self.of(node)
        return changed, self.settings(changed.arguments, changed.attributes)

    def block(self, name: str, node: NixExpr) -> Settings:
        """The keys of one set as settings `name.key`."""
        self.gaps = []
        made = Settings()
        self._keep(name, self._written(name, node), made)
        return made

    def settings(self, arguments: Entries, attributes: Entries) -> Settings:
        """The settings of a package with these changes, and the parts that the audit does not
        understand."""
        made = Settings()
        self._keep("args", arguments, made)
        self._keep(ATTRIBUTES, attributes, made)
        return made

    def _keep(self, block: str, entries: Entries, into: Settings) -> None:
        into.gaps += [self.gap(where, node) for where, node in self.gaps if where == block]
        for key, value in entries:
            if why_unread(value) == LEFT_OUT:
                continue
            if block == ATTRIBUTES and key in SETS:
                self._spread(key, value, into)
            else:
                self._store(f"{block}.{key}", value, into)
                if block == "args":
                    self._inner(f"{block}.{key}", value, into)

    def gap(self, what: str, node: NixExpr) -> Gap:
        """The gap in *what* for *node*, which the audit does not understand."""
        unread = self.values.unread(node)
        return Gap(what, unread.text, unread.why, extent_of(node))

    def _spread(self, key: str, value: NixExpr, into: Settings) -> None:
        """Keep the keys of a set among a package's attributes. The set replaces the package's own,
        or adds to it: `meta = old.meta // { … }`. `meta = old.meta` changes nothing."""
        match value:
            case NixBinary("//", left, NixAttrs() as added) if own(left) == key:
                value = added
            case _:
                pass
        if isinstance(value, NixAttrs):
            for name, one in entries_of(value):
                self._store(f"{key}.{name}", one, into)
        elif not isinstance(self.values.of(value), Ref):
            self._store(key, value, into)

    def _store(self, path: str, node: NixExpr, into: Settings) -> None:
        found = self.values.of(node)
        into.seen[path] = Seen(_own_part(path, found), extent_of(node))
        for unread in _unread_in(found):
            into.gaps.append(Gap(path, unread.text, unread.why, extent_of(node)))

    def _inner(self, path: str, node: NixExpr, into: Settings) -> None:
        """Keep the changes of a package that is itself an argument: `torch.override { … }`."""
        if not isinstance(into.seen[path].value, Unread):
            return
        gaps, self.gaps = self.gaps, []
        changed = self.of(node)
        name = self.values.reference(changed.package)
        if name is not None and (changed.arguments or changed.attributes):
            said = self.settings(changed.arguments, changed.attributes)
            into.inner[path] = Inner(name, said.seen)
        self.gaps = gaps


def _own_part(path: str, value: Found) -> Found:
    """*value* as an addition to the package's own value at *path*, if a text contains that value
    (`"${old.x} …"`). The own value alone is an addition of nothing, as `old.x ++ [ ]` is."""
    own_value = f"old.{path.removeprefix('attrs.').removeprefix('args.')}"
    if isinstance(value, Ref) and value.path == own_value:
        return Added(Ref(own_value), ())
    if isinstance(value, str):
        first, found, last = value.partition(interpolation(own_value))
        if found and own_value not in last:
            return Added(Ref(own_value), first + last, len(first))
    return value


def _unread_in(value: Found) -> Iterator[Unread]:
    match value:
        case Unread():
            yield value
        case str() if UNREAD_PART in value:
            part = value[value.index(UNREAD_PART) :].partition("\n")[0]
            yield Unread(part, why="Nix computes this part of the string")
        case tuple():
            for item in value:
                yield from _unread_in(item)
        case Added(_, inner):
            yield from _unread_in(inner)
        case Table(entries):
            for _, item in entries:
                yield from _unread_in(item)
        case _:
            if holds_unread(value):
                yield Unread("a fetcher's arguments", why="they are computed by Nix")
