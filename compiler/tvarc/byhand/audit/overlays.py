"""What overlays change: by target and attribute, whatever form they do it in."""

from __future__ import annotations

import re

from tvarc.byhand.audit.chain import chain, read_changes
from tvarc.byhand.audit.constants import Constants, Located
from tvarc.byhand.audit.model import Gap, Linked, Ref, Seen, Unread
from tvarc.byhand.reading.scopes import Scope
from tvarc.light import Final, Iterator, dataclass, field
from tvarc.nix import ir
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIf,
    NixInherit,
    NixLambda,
    NixList,
    NixSelect,
    elements,
    extent_of,
)

_PYTHON = re.compile(r"(python|pypy)(\d*)(?:Packages|\.pkgs)?")
_EXTENSIONS: Final = "pythonPackagesExtensions"
# What changes the packages of every Python, or at least of the one that is built for.
PYTHON_SET: Final = "pythonPackages"
DEFAULT_SET: Final = "python3Packages"
_SOME_PYTHON: Final = (DEFAULT_SET, PYTHON_SET)
_METHODS: Final = {"overrideScope": "scope", "overrideScope'": "scope", "extend": "extend"}
_OVERRIDES: Final = ("overrides", "packageOverrides")
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


def read_overlays(constants: Constants, node: NixExpr, scope: Scope) -> Effects:
    """The effects of a list of overlays."""
    effects = Effects()
    reader = _Reader(constants, effects)
    for one in reader.items(node, scope):
        reader.overlay(one, "", 0)
    return effects


def read_overlay(constants: Constants, node: NixExpr, scope: Scope) -> Effects:
    """The effects of one overlay."""
    effects = Effects()
    _Reader(constants, effects).overlay((node, scope), "", 0)
    return effects


@dataclass(slots=True, eq=False)
class _Reader:
    constants: Constants
    effects: Effects

    def items(self, node: NixExpr, scope: Scope) -> Iterator[Located]:
        """The elements of a list, of `a ++ b` those of both."""
        node, scope = self.constants.resolve(node, scope)
        if isinstance(node, NixList):
            for item in elements(node):
                yield item, scope
        elif isinstance(node, NixBinary) and node.op == "++":
            yield from self.items(node.left, scope)
            yield from self.items(node.right, scope)
        elif self.constants.reference(node, scope) is None:
            self.gap("overlays", node, scope)

    def gap(self, what: str, node: NixExpr, scope: Scope) -> None:
        unread = self.constants.unread(node, scope)
        self.effects.gaps.append(Gap(what, unread.text, unread.why, extent_of(node)))

    def keep(self, path: str, seen: Seen, form: str) -> None:
        self.effects.seen[path] = seen
        self.effects.forms[path] = form

    def overlay(self, where: Located, package_set: str, depth: int) -> None:
        """One overlay of nixpkgs, or of *package_set*."""
        node, scope = self.constants.resolve(*where)
        for root in ("final", "prev"):
            if not isinstance(node, NixLambda):
                break
            node, scope = self.constants.resolve(*self.constants.opened(node, scope, root))
        if isinstance(node, NixApply) and self.interpreters(node, scope, depth):
            return
        if isinstance(node, NixBinary) and node.op == "//" and package_set:
            # What a set was overridden with before, and these.
            before = self.constants.called(node.left, scope)[0]
            if (self.constants.reference(*before) or "").startswith("old."):
                node, scope = self.constants.resolve(node.right, scope)
        if not isinstance(node, NixAttrs) or depth > _MOST_NESTED:
            self.gap("overlays", node, scope)
            return
        inherited: set[str] = set()
        for one in node.entries:
            if isinstance(one, NixInherit):
                names = ", ".join(one.names)
                why = "the audit does not follow what it inherits"
                self.effects.gaps.append(Gap("overlays", f"inherit {names}", why, extent_of(one)))
                inherited.update(one.names)
        for path, member in self.constants.entries(node, scope):
            if path is None:
                self.gap("overlays", *member)
            elif path[0] not in inherited:
                self.change(".".join(path), member, package_set, depth)

    def change(self, name: str, where: Located, package_set: str, depth: int) -> None:
        """What an overlay sets *name* to: a set changed, a package changed, or anything else."""
        if name == _EXTENSIONS:
            for one in self.items(*where):
                self.overlay(one, PYTHON_SET, depth + 1)
            return
        target = f"{package_set}.{name}" if package_set else name
        for one, form in self.extensions(where, target):
            before = len(self.effects.seen)
            inner = set_name(target)
            self.overlay(one, inner, depth + 1)
            for path in list(self.effects.seen)[before:]:
                self.effects.forms[path] = form
            return
        constants = self.constants
        node, scope = constants.resolve(*where)
        made = chain(constants, node, scope)
        if not made.args and not made.attrs:
            value = constants.value(node, scope)
            self.keep(target, Seen(value, extent_of(node)), "set")
            if isinstance(value, Unread):
                self.effects.gaps.append(Gap(target, value.text, value.why, extent_of(node)))
            return
        other = constants.linked(*made.start)
        if other:
            self.keep(target, Seen(Linked(other), extent_of(node)), "set")
        start = constants.reference(*made.start) if not other else None
        own = (f"prev.{name}", f"final.{name}", f"prev.{target}", f"final.{target}")
        if start is not None and start not in own:
            self.keep(target, Seen(Ref(start), extent_of(node)), "set")
        settings = read_changes(constants, made)
        for path, seen in settings.seen.items():
            self.keep(f"{target}: {path.removeprefix('attrs.')}", seen, "package")
        self.effects.gaps += [
            Gap(f"{target}: {gap.what.removeprefix('attrs.')}", gap.text, gap.why, gap.place)
            for gap in settings.gaps
        ]

    def interpreters(self, node: NixApply, scope: Scope, depth: int) -> bool:
        """Read an overlay that gives each Python of nixpkgs the same extension of its packages:
        `mapAttrs (name: python: python.override …) (filterAttrs … prev)`. False for any other."""
        (function, at), arguments = self.constants.called(node, scope)
        name = (self.constants.reference(function, at) or "").rpartition(".")[2]
        if name != "mapAttrs" or len(arguments) != 2 or depth > _MOST_NESTED:
            return False
        made, inside = self.constants.resolve(*arguments[0])
        if not any("python" in text for text in self.constants.strings(*arguments[1])):
            return False
        for _ in range(2):
            if not isinstance(made, NixLambda):
                return False
            made, inside = self.constants.resolve(*self.constants.opened(made, inside, "prev"))
        found = list(self.extensions((made, inside)))
        for one, _ in found:
            self.overlay(one, PYTHON_SET, depth + 1)
        return bool(found)

    def extensions(self, where: Located, target: str = "") -> Iterator[tuple[Located, str]]:
        """The overlay that changes the package set *target*, and the form it is applied in."""
        node, scope = self.constants.resolve(*where)
        if isinstance(node, NixBinary) and node.op == "//":
            members, at = self.constants.resolve(node.right, scope)
            if target and self.constants.reference(node.left, scope) == f"prev.{target}":
                yield (members, at), "update"
            return
        if not isinstance(node, NixApply):
            return
        function, at = self.constants.resolve(node.function, scope)
        while isinstance(function, NixIf):
            # Which of its forms a nixpkgs has: they do the same.
            function, at = self.constants.resolve(function.then, at)
        if not isinstance(function, NixSelect) or not isinstance(function.path[-1], str):
            return
        method = function.path[-1]
        if method in _METHODS:
            yield (node.argument, scope), _METHODS[method]
        elif method == "override":
            found = self.overrides(node.argument, scope)
            if found is not None:
                yield found, "override"

    def overrides(self, argument: NixExpr, scope: Scope) -> Located | None:
        """The overlay in `{ overrides = …; }`, also in a function of the old arguments."""
        node, at = self.constants.resolve(argument, scope)
        if isinstance(node, NixLambda):
            node, at = self.constants.resolve(*self.constants.opened(node, at, "old"))
        if not isinstance(node, NixAttrs):
            return None
        for path, where in self.constants.entries(node, at):
            if path is not None and len(path) == 1 and path[0] in _OVERRIDES:
                return self.composed(where)
        return None

    def composed(self, where: Located) -> Located:
        """The new one of `composeExtensions (old.overrides or …) new`."""
        node, scope = self.constants.resolve(*where)
        if isinstance(node, NixApply):
            function, arguments = self.constants.called(node, scope)
            name = (self.constants.reference(*function) or "").rpartition(".")[2]
            if name == "composeExtensions" and len(arguments) == 2:
                return arguments[1]
        return where


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
