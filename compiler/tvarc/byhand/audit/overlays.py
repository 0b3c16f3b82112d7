"""What overlays change: by target and attribute, whatever form they do it in."""

from __future__ import annotations

import re

from tvarc.byhand.audit.changes import TolerantChanges
from tvarc.byhand.audit.model import Found, Gap, Linked, Ref, Seen, Unread
from tvarc.byhand.audit.reducer import TolerantReducer
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.overlays import EXTENSIONS, Extended, extended
from tvarc.byhand.reading.trees import call_of, entries_of, last_name
from tvarc.light import Final, Iterator, dataclass, field
from tvarc.nix import ir
from tvarc.nix.language.syntax import (
    NixAttrs,
    NixBinary,
    NixExpr,
    NixList,
    NixString,
    elements,
    extent_of,
    walk,
)

_PYTHON = re.compile(r"(python|pypy)(\d*)(?:Packages|\.pkgs)?")
# What changes the packages of every Python, or at least of the one that is built for.
PYTHON_SET: Final = "pythonPackages"
DEFAULT_SET: Final = "python3Packages"
_SOME_PYTHON: Final = (DEFAULT_SET, PYTHON_SET)
_MOST_NESTED: Final = 10


@dataclass(slots=True)
class Effects:
    """What overlays change, how, and what of them is not understood."""

    seen: dict[str, Seen] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)


def set_name(name: str) -> str:
    """One name for one set of packages: `python313.pkgs` is `python313Packages`."""
    found = _PYTHON.fullmatch(name)
    return f"{found[1]}{found[2]}Packages" if found is not None else name


def any_python(path: str) -> str:
    """*path*, of a package or of what is changed of one, with one name for all Pythons."""
    head, dot, rest = path.partition(".")
    return PYTHON_SET + dot + rest if dot and _is_python(head) else path


def _is_python(name: str) -> bool:
    found = _PYTHON.fullmatch(name)
    return found is not None and name.endswith("Packages")


def reaching(effects: Effects, package: str | None, python: str) -> Effects:
    """*effects* with one name for all that changes the Python of *package*, None for one that is
    not known: a change to the packages of another Python does not reach it. *python* is what
    `python3Packages` is at the pin, empty where that is not known."""
    mine = package.partition(".")[0] if package is not None else ""
    alias = mine == DEFAULT_SET and bool(python)
    if not alias and (not _is_python(mine) or mine in _SOME_PYTHON):
        return _renamed(effects, frozenset())
    others = {path.partition(".")[0] for path in effects.seen}
    return _renamed(effects, frozenset(others - {mine, python if alias else mine, PYTHON_SET}))


def _renamed(effects: Effects, apart: frozenset[str]) -> Effects:
    def name(path: str) -> str:
        return path if path.partition(".")[0] in apart else any_python(path)

    return Effects(
        {name(path): seen for path, seen in effects.seen.items()},
        {name(path): form for path, form in effects.forms.items()},
        [Gap(name(gap.what), gap.text, gap.why, gap.place) for gap in effects.gaps],
    )


def read_overlays(changes: TolerantChanges, node: NixExpr) -> Effects:
    """The effects of a list of overlays."""
    effects = Effects()
    reader = _Reader(changes, effects)
    for one in reader.items(node):
        reader.overlay(one, "", 0)
    return effects


def read_overlay(changes: TolerantChanges, node: NixExpr) -> Effects:
    """The effects of one overlay."""
    effects = Effects()
    _Reader(changes, effects).overlay(node, "", 0)
    return effects


@dataclass(slots=True, eq=False)
class _Reader:
    changes: TolerantChanges
    effects: Effects

    def items(self, node: NixExpr) -> Iterator[NixExpr]:
        """The elements of a list, of `a ++ b` those of both."""
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
        self.effects.seen[path] = Seen(value, extent_of(node))
        self.effects.forms[path] = form

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
                # What a set was overridden with before, and these.
                function, _ = call_of(left)
                if (self.reference(function) or "").startswith("old."):
                    node = right
            case _:
                pass
        self.members(node, package_set, depth)

    def members(self, node: NixExpr, package_set: str, depth: int) -> None:
        """The changes of the set *node* that an overlay makes, and of those that it joins."""
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
        """What an overlay sets *name* to: a set changed, a package changed, or anything else."""
        if name == EXTENSIONS:
            for one in self.items(node):
                self.overlay(one, PYTHON_SET, depth + 1)
            return
        target = f"{package_set}.{name}" if package_set else name
        found = self.extension(node, target)
        if found is not None:
            before = len(self.effects.seen)
            self.overlay(found.overlay, set_name(target), depth + 1)
            for path in list(self.effects.seen)[before:]:
                self.effects.forms[path] = found.via
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
            self.effects.seen[shown], self.effects.forms[shown] = seen, "package"
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
    """Every text that is written out in *node*."""
    parts = [part for one in walk([node]) if isinstance(one, NixString) for part in one.parts]
    return frozenset([plain(part) for part in parts if isinstance(part, str)])


def overlay_names(recipe: ir.Recipe) -> dict[str, str]:
    """The names of the overlays of *recipe*, by the targets that `read_overlays` gives them."""
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
