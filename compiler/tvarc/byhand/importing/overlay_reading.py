"""What a nixpkgs is made of: its `config`, and what its overlays change."""

from __future__ import annotations

import re

from tvarc.byhand.importing.model import Overlay
from tvarc.byhand.importing.pinned import ALONE, PinnedReducer
from tvarc.byhand.reading.changes import Changes
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.overlays import EXTENSIONS, extended
from tvarc.byhand.reading.reduce import NotRead
from tvarc.byhand.reading.settings import settings_of, unsaid
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import entries_of, paths_in, root_of
from tvarc.light import Final, Sequence, dataclass, lru_cache
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixIf,
    NixLambda,
    NixList,
    NixSelect,
    NixString,
    elements,
)

_VERSION: Final = re.compile(r"\d+(?:\.\d+)+\Z")
_PYTHON: Final = "python3Packages"
_OVERTAKEN: Final = re.compile(r"(?:overlay|patch) `[^`]*`: not needed since ")


@dataclass(frozen=True, slots=True)
class Nixpkgs:
    """What a nixpkgs is made of: its *overlays*, and the settings of its *config* by path."""

    overlays: tuple[Overlay, ...]
    config: dict[str, NixExpr]


class OverlayReading:
    """Reads overlays, whose changes of packages *changes* tell. The sets that they change by
    overlays of their own are `overrides`, each with whether what changed it before is forgotten."""

    __slots__ = ("_changes", "overrides")

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self.overrides: list[tuple[str, bool]] = []

    def nixpkgs(self, given: NixExpr) -> Nixpkgs:
        """The nixpkgs that is made of the arguments *given*."""
        if not isinstance(given, NixAttrs):
            raise NotRead("the arguments of its nixpkgs are computed")
        config: dict[str, NixExpr] = {}
        overlays: list[Overlay] = []
        for key, value in entries_of(given):
            match key:
                case "system":
                    if not _is_of_caller(value):
                        raise NotRead("its nixpkgs is for a fixed system")
                case "config":
                    if not isinstance(value, NixAttrs):
                        raise NotRead("nixpkgs' `config` is computed")
                    config = {f"config.{name}": one for name, one in entries_of(value)}
                case "overlays":
                    if not isinstance(value, NixList):
                        raise NotRead("its overlays are computed")
                    overlays = [each for one in elements(value) for each in self._made(one)]
                case _:
                    raise NotRead(f"it gives nixpkgs the argument `{key}`")
        self._refuse_forgotten()
        return Nixpkgs(tuple(overlays), config)

    def _made(self, node: NixExpr) -> Sequence[Overlay]:
        """What the overlay *node* changes."""
        if paths_in(node):
            return self.overlay(node)
        made, overrides = _overlays_of(node)
        self.overrides += overrides
        return made

    def _refuse_forgotten(self) -> None:
        """Refuse overlays of which one makes nixpkgs forget what another has changed."""
        names = [name for name, _ in self.overrides]
        for number, (name, forgets) in enumerate(self.overrides):
            if forgets and name in names[:number]:
                raise NotRead("two of its overlays give the same set different `overrides`")

    def overlay(self, node: NixExpr, within: str = "", via: str = "") -> list[Overlay]:
        """What the overlay *node* changes, of the set *within* if that has a name, which is changed
        *via* one of its functions."""
        roots = ("@set-final", "@set-prev") if within else ("@final", "@prev")
        if not isinstance(node, NixLambda) or not isinstance(node.body, NixLambda):
            raise NotRead("an overlay is not a function of two arguments")
        node = self._changes.applied_to(node, roots)
        if not isinstance(node, NixAttrs):
            raise NotRead("an overlay does not return a plain attribute set")
        found: list[Overlay] = []
        for key, value in entries_of(node):
            found += self._member(key, value, within, via)
        return found

    def _member(self, name: str, value: NixExpr, within: str, via: str) -> list[Overlay]:
        """What one attribute of an overlay does."""
        added = _extensions(value) if name == EXTENSIONS and not within else None
        if added is not None:
            self.overrides.append((_PYTHON, False))
            return [one for each in added for one in self.overlay(each, _PYTHON)]
        inner = extended(value, self._of_old) if not within else None
        if inner is not None and inner.is_all and root_of(inner.base) == ("@prev", (name,)):
            self.overrides.append((name, inner.replaces))
            return self.overlay(inner.overlay, name, inner.via)
        prev = "@set-prev" if within else "@prev"
        until, value = _until(value, prev)
        changed = self._changes.of(value)
        args, attrs = changed.arguments, changed.attributes
        if root_of(changed.package) == (prev, (name,)) and (args or attrs) and not unsaid(attrs):
            changes = [*[(f"args.{key}", one) for key, one in args], *settings_of(attrs)]
            return [Overlay(within, name, via, None, tuple(changes), until)]
        return [Overlay(within, name, via, value, (), until)]

    def _of_old(self, argument: NixExpr) -> NixExpr:
        """What *argument* is, as a function of the arguments that a set was given before."""
        if isinstance(argument, NixLambda) and isinstance(argument.parameter, str):
            return self._changes.applied_to(argument, ("@old",))
        return argument


@lru_cache(maxsize=None)
def _overlays_of(node: NixExpr) -> tuple[tuple[Overlay, ...], tuple[tuple[str, bool], ...]]:
    """What the overlay *node* changes, which is reduced and names no files, and the sets that it
    changes: recipes of one folder have it from each other, letter for letter."""
    parser = RecipeParser()
    reducer = PinnedReducer(parser, lambda *_: "it is no file", "", ALONE)
    reading = OverlayReading(Changes(parser, reducer))
    made = tuple(reading.overlay(node))
    return made, tuple(reading.overrides)


def _until(value: NixExpr, prev: str) -> tuple[tuple[str, str] | None, NixExpr]:
    """The package and the version from which on Nix warns, in the words of the language, that what
    an overlay makes is not needed; and what it makes. The package is one of *prev*."""
    match value:
        case NixApply(
            NixIf(
                NixApply(
                    NixApply(
                        NixSelect(NixIdent("@lib"), ("versionAtLeast",), None),
                        NixSelect(NixIdent(root), (str() as name, "version"), NixString(("0",))),
                    ),
                    NixString((str() as version,)),
                ),
                NixApply(
                    NixSelect(NixIdent("@lib"), ("warn",), None), NixString((str() as told, *_))
                ),
                NixSelect(NixIdent("@lib"), ("id",), None),
            ),
            made,
        ) if root == prev and _VERSION.match(plain(version)) and _OVERTAKEN.match(plain(told)):
            return (name, plain(version)), made
        case _:
            return None, value


def _extensions(value: NixExpr) -> list[NixExpr] | None:
    """The overlays that are added to those of every Python; None if it is anything else."""
    match value:
        case NixBinary("++", NixSelect(NixIdent("@prev"), (same,), _), NixList() as added):
            return elements(added) if same == EXTENSIONS else None
        case _:
            return None


def _is_of_caller(system: NixExpr) -> bool:
    """Whether *system* is the one that the caller is on."""
    match system:
        case NixSelect(NixIdent("@caller"), path, None):
            return path[-1] == "system"
        case _:
            return False
