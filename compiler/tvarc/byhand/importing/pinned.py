"""Reduction of recipes that have a nixpkgs of their own, and of those that build on each other."""

from __future__ import annotations

from tvarc.byhand.importing.model import Pin
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.pins import source_of
from tvarc.byhand.reading.reduce import NotRead, Read, Reducer
from tvarc.byhand.reading.scopes import NOWHERE, Scope
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import (
    entries_of,
    file_of_input,
    input_node,
    input_of,
    last_step,
    path_of,
    root_of,
)
from tvarc.light import Final, Mapping, dataclass
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
)

_SIBLING: Final = "@sibling:"


@dataclass(frozen=True, slots=True)
class Sibling:
    """A recipe that others build on: its name, and whether it has a nixpkgs of its own."""

    name: str
    is_pinned: bool


Siblings = Mapping[str, Sibling]
"""The recipes that others build on, by their paths from the program."""

ALONE: Final[Siblings] = {}
"""No recipe builds on another."""


class PinnedReducer(Reducer):
    """A reducer that knows an imported nixpkgs by sight, and takes down how it was made."""

    __slots__ = ("arguments", "pin", "siblings")

    def __init__(self, parser: RecipeParser, read: Read, folder: str, siblings: Siblings) -> None:
        super().__init__(parser, read, folder)
        self.siblings = siblings
        self.pin: Pin | None = None
        self.arguments: NixExpr | None = None

    def knot_of(self, function: NixExpr) -> NixExpr | None:
        match function:
            case NixApply(NixIdent("import"), source) if file_of_input(source) is None:
                return NixIdent("@pkgs") if pin_of(source) is not None else None
            case _:
                return None

    def _imported(self, path: NixPath, scope: Scope) -> tuple[NixExpr, Scope] | None:
        sibling = self.siblings.get(path_of(self._path(path, scope)) or "")
        if sibling is None or not sibling.is_pinned:
            return super()._imported(path, scope)
        return NixIdent(f"{_SIBLING}{sibling.name}"), NOWHERE

    def of_flake(self, flake: NixExpr) -> NixExpr | None:
        if input_of(flake) is None:
            return None
        return self.call(NixApply(NixIdent("import"), flake), NixAttrs(()))

    def _string(self, node: NixString, scope: Scope) -> NixExpr:
        made = super()._string(node, scope)
        file = file_of_input(made)
        if file is None:
            return made
        return NixBinary("+", file[0], NixString((plain(file[1]),)))

    def called_by_name(self, function: NixExpr, path: str) -> NixExpr | None:
        """The package of a file beside this one that callPackage makes without more arguments; one
        that has no nixpkgs of its own is another in each."""
        sibling = self.siblings.get(path)
        if sibling is None or last_step(function) != "callPackage":
            return None
        if not sibling.is_pinned and root_of(function) != ("@caller", ("callPackage",)):
            return None
        return NixSelect(NixIdent("@needs"), (sibling.name,))

    def call(self, function: NixExpr, argument: NixExpr) -> NixExpr:
        match function:
            case NixIdent(name) if name.startswith(_SIBLING):
                if not isinstance(argument, NixAttrs) or {
                    key for key, _ in entries_of(argument)
                } - {"pkgs", "system"}:
                    raise NotRead("it passes its own arguments to another recipe")
                return NixSelect(NixIdent("@needs"), (name.removeprefix(_SIBLING),))
            case NixApply(called, target) if argument == NixAttrs(()) and (
                (path := path_of(target)) is not None
                and (needed := self.called_by_name(called, path)) is not None
            ):
                return needed
            case NixApply(NixIdent("import"), NixSearchPath("nixpkgs")):
                if argument != NixAttrs(()):
                    raise NotRead("it configures a nixpkgs from a search path")
                return NixIdent("@search")
            case NixIdent("fetchTarball") | NixSelect(
                NixIdent("builtins"), ("fetchTarball",), None
            ):
                source = source_of(NixApply(function, argument))
                if source is None or not source.tarball:
                    return super().call(function, argument)
                return input_node(source.tarball, source.hash)
            case NixIdent("import") if (file := file_of_input(argument)) is not None:
                tarball, path = file
                return NixApply(function, NixBinary("+", tarball, NixString((plain(path),))))
            case NixApply(NixIdent("import"), source) if file_of_input(source) is not None:
                return NixApply(function, argument)
            case NixApply(NixIdent("import"), fetched):
                pin = pin_of(fetched)
                if pin is None:
                    raise NotRead("the address of its nixpkgs is computed")
                if self.pin is not None and (pin, argument) != (self.pin, self.arguments):
                    raise NotRead("it uses two nixpkgs")
                self.pin, self.arguments = pin, argument
                return NixIdent("@pkgs")
            case _:
                return super().call(function, argument)


def pin_of(node: NixExpr) -> Pin | None:
    """The tarball that *node* is, or that it makes the same files as; None for anything else."""
    source = source_of(node)
    return Pin(source.tarball, source.hash) if source is not None and source.tarball else None
