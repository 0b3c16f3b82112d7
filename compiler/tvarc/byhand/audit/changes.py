"""The changes of packages by recipes and by overlays, as settings by path."""

from __future__ import annotations

import re

from tvarc.blocks import ATTRIBUTES, SETS
from tvarc.byhand.audit.model import (
    UNREAD_PART,
    Added,
    Found,
    Gap,
    Inner,
    Linked,
    Ref,
    Seen,
    Table,
    Unread,
    holds_unread,
)
from tvarc.byhand.audit.reducer import LEFT_OUT, TolerantReducer
from tvarc.byhand.audit.values import Values
from tvarc.byhand.reading.changes import Changed, Changes
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.overlays import EXTENSIONS, Extended, extended
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import Entries, call_of, entries_of, last_name, own, why_unread
from tvarc.light import Final, Iterator, dataclass, field, replace
from tvarc.nix import ir
from tvarc.nix.language.quoting import interpolation
from tvarc.nix.language.syntax import (
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixList,
    NixString,
    elements,
    extent_of,
    walk,
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
    """Settings by path, of which the last override wins, or the changes of overlays; and the parts
    that the audit does not understand."""

    seen: dict[str, Seen] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    inner: dict[str, Inner] = field(default_factory=dict)


class TolerantChanges(Changes):
    """Reads the literal changes of packages. Any other change is kept in `gaps`, with its block."""

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


_PYTHON = re.compile(r"(python|pypy)(\d*)(?:Packages|\.pkgs)?")
# Targets that change the packages of every Python, or at least of the one for which the recipe
# builds.
PYTHON_SET: Final = "pythonPackages"
DEFAULT_SET: Final = "python3Packages"
_SOME_PYTHON: Final = (DEFAULT_SET, PYTHON_SET)
_MOST_NESTED: Final = 10


def set_name(name: str) -> str:
    """The normal form of the path of a package set: `python313Packages` for `python313.pkgs`."""
    found = _PYTHON.fullmatch(name)
    return f"{found[1]}{found[2]}Packages" if found is not None else name


def any_python(path: str) -> str:
    """*path*, of a package or of a change of one, with one name for all Pythons."""
    head, dot, rest = path.partition(".")
    return PYTHON_SET + dot + rest if dot and _is_python(head) else path


def _is_python(name: str) -> bool:
    found = _PYTHON.fullmatch(name)
    return found is not None and name.endswith("Packages")


def reaching(effects: Settings, package: str | None, python: str) -> Settings:
    """*effects* with one name for all changes of the Python of *package*, which is None if it is
    not known. A change to the packages of another Python does not reach it. *python* is the set
    that `python3Packages` is at the pin, empty if that is not known."""
    mine = package.partition(".")[0] if package is not None else ""
    alias = mine == DEFAULT_SET and bool(python)
    if not alias and (not _is_python(mine) or mine in _SOME_PYTHON):
        return _renamed(effects, frozenset())
    others = {path.partition(".")[0] for path in effects.seen}
    return _renamed(effects, frozenset(others - {mine, python if alias else mine, PYTHON_SET}))


def _renamed(effects: Settings, apart: frozenset[str]) -> Settings:
    def name(path: str) -> str:
        return path if path.partition(".")[0] in apart else any_python(path)

    return Settings(
        {name(path): seen for path, seen in effects.seen.items()},
        [Gap(name(gap.what), gap.text, gap.why, gap.place) for gap in effects.gaps],
    )


def read_overlays(changes: TolerantChanges, *lists: NixExpr) -> Settings:
    """The changes of the overlays in *lists*."""
    reader = _Reader(changes, Settings())
    for one in [each for node in lists for each in reader.items(node)]:
        reader.overlay(one, "", 0)
    return reader.effects


@dataclass(slots=True, eq=False)
class _Reader:
    changes: TolerantChanges
    effects: Settings

    def items(self, node: NixExpr) -> Iterator[NixExpr]:
        """The elements of a list; for `a ++ b`, those of both."""
        match node:
            case NixList():
                yield from elements(node)
            case NixBinary("++", left, right):
                yield from self.items(left)
                yield from self.items(right)
            case _ if self.reference(node) is None:
                self.gap("overlays", node)
            case _:
                pass

    def reference(self, node: NixExpr) -> str | None:
        return self.changes.values.reference(node)

    def gap(self, what: str, node: NixExpr) -> None:
        self.effects.gaps.append(self.changes.gap(what, node))

    def keep(self, path: str, value: Found, node: NixExpr, form: str) -> None:
        self.effects.seen[path] = Seen(value, extent_of(node), form)

    @property
    def reducer(self) -> TolerantReducer:
        return self.changes.values.reducer

    def overlay(self, node: NixExpr, package_set: str, depth: int) -> None:
        """One overlay of nixpkgs, or of *package_set*."""
        node = self.reducer.applied(node, "@final", "@prev")
        if self.interpreters(node, depth):
            return
        match node:
            case NixBinary("//", left, right) if package_set:
                # The previous overrides of a set, and new ones.
                function, _ = call_of(left)
                if (self.reference(function) or "").startswith("old."):
                    node = right
            case _:
                pass
        self.members(node, package_set, depth)

    def members(self, node: NixExpr, package_set: str, depth: int) -> None:
        """The changes in the set *node* of an overlay, and in the sets that it joins."""
        match node:
            case NixAttrs() if depth <= _MOST_NESTED:
                for name, member in entries_of(node):
                    self.change(name, member, package_set, depth)
            case NixBinary("//", left, right):
                self.members(left, package_set, depth)
                self.members(right, package_set, depth)
            case _:
                self.gap("overlays", node)

    def change(self, name: str, node: NixExpr, package_set: str, depth: int) -> None:
        """Read the value to which an overlay sets *name*: a changed set, a changed package, or
        anything else."""
        if name == EXTENSIONS:
            for one in self.items(node):
                self.overlay(one, PYTHON_SET, depth + 1)
            return
        target = f"{package_set}.{name}" if package_set else name
        found = self.extension(node, target)
        if found is not None:
            inner = _Reader(self.changes, Settings())
            inner.overlay(found.overlay, set_name(target), depth + 1)
            self.effects.gaps += inner.effects.gaps
            for path, seen in inner.effects.seen.items():
                self.effects.seen[path] = replace(seen, form=found.via)
            return
        changed, settings = self.changes.read(node)
        values = self.changes.values
        if not changed.arguments and not changed.attributes and not settings.gaps:
            value = values.of(node)
            self.keep(target, value, node, "set")
            if isinstance(value, Unread):
                self.effects.gaps.append(Gap(target, value.text, value.why, extent_of(node)))
            return
        start = values.of(changed.package)
        own = [f"{root}.{path}" for root in ("prev", "final") for path in (name, target)]
        if isinstance(start, Linked) or (isinstance(start, Ref) and start.path not in own):
            self.keep(target, start, node, "set")
        for path, seen in settings.seen.items():
            shown = f"{target}: {path.removeprefix('attrs.')}"
            self.effects.seen[shown] = replace(seen, form="package")
        self.effects.gaps += [
            Gap(f"{target}: {gap.what.removeprefix('attrs.')}", gap.text, gap.why, gap.place)
            for gap in settings.gaps
        ]

    def interpreters(self, node: NixExpr, depth: int) -> bool:
        """Read an overlay that gives each Python of nixpkgs the same extension of its packages:
        `mapAttrs (name: python: python.override …) (filterAttrs … prev)`. False for any other."""
        function, arguments = call_of(node)
        if last_name(function) != "mapAttrs" or len(arguments) != 2 or depth > _MOST_NESTED:
            return False
        made, over = arguments
        texts = texts_in(self.reducer.whole(over))
        if self.reducer.function(made) is None or not any("python" in text for text in texts):
            return False
        found = self.extension(self.reducer.applied(made, "@prev", "@prev"))
        if found is None:
            return False
        self.overlay(found.overlay, PYTHON_SET, depth + 1)
        return True

    def extension(self, node: NixExpr, target: str = "") -> Extended | None:
        """The overlay that changes the package set *target*."""
        found = extended(node, lambda argument: self.reducer.applied(argument, "@old"))
        if found is None or found.via != "update":
            return found
        return found if target and self.reference(found.base) == f"prev.{target}" else None


def texts_in(node: NixExpr) -> frozenset[str]:
    """Every literal text in *node*."""
    parts = [part for one in walk([node]) if isinstance(one, NixString) for part in one.parts]
    return frozenset([plain(part) for part in parts if isinstance(part, str)])


def overlay_names(recipe: ir.Recipe) -> dict[str, str]:
    """The names of the overlays of *recipe*, by the targets that `read_overlays` returns."""
    names: dict[str, str] = {}
    for overlay in recipe.overlays:
        if overlay.relation == "for":
            where = set_name(".".join(overlay.target[:-1]))
            target = f"{where}.{overlay.target[-1]}" if where else overlay.target[-1]
            names[any_python(target)] = overlay.name
            continue
        where = set_name(".".join(overlay.target)) if overlay.relation == "in" else ""
        for setting in overlay.changes.attrs:
            names[any_python(f"{where}.{setting.key}" if where else setting.key)] = overlay.name
    return names
