"""Reduces recipes that have a nixpkgs of their own, or that depend on each other."""

from __future__ import annotations

import posixpath

from tvarc.byhand.importing.model import Pin
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.pins import source_of
from tvarc.byhand.reading.reduce import NotRead, Read, Reducer, entries_by_name
from tvarc.byhand.reading.scopes import NOWHERE, Scope
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import (
    GIVEN_PKGS,
    entries_of,
    file_of_input,
    input_node,
    input_of,
    last_step,
    path_of,
    root_of,
    selected,
)
from tvarc.light import Final, Mapping, dataclass
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixFloat,
    NixFormal,
    NixIdent,
    NixInherit,
    NixInt,
    NixLambda,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
)

_SIBLING: Final = "@sibling:"
_OF_INPUT: Final = "-input"
"""The end of the name of an argument that is a folder and that callPackage never fills."""
_OF_NIXPKGS: Final = {"system", "config", "overlays"}
"""The arguments with which every nixpkgs can be called. A folder that takes them is used as one."""
_FETCHES: Final = "fetch"
"""A word of a file that fetches a nixpkgs and calls it. Such a file is read."""
_TOP_LEVEL: Final = "pkgs/top-level/default.nix"
"""A file that each nixpkgs has."""
EVERYWHERE: Final = ("pkgs", "lib", "stdenv", "system", "config")  # a part of each nixpkgs


@dataclass(frozen=True, slots=True)
class Sibling:
    """A recipe on which others depend: its name, and whether it has a nixpkgs of its own."""

    name: str
    is_pinned: bool


Siblings = Mapping[str, Sibling]
"""The recipes on which others depend, by their paths from the program."""

ALONE: Final[Siblings] = {}
"""No recipe depends on another."""


class PinnedReducer(Reducer):
    """A reducer that recognizes an imported nixpkgs, and records how it was made."""

    __slots__ = (
        "_folders", "_named", "apart", "arguments", "constants", "handed", "pin", "pinned",
        "siblings", "taken",
    )  # fmt: skip

    def __init__(
        self, parser: RecipeParser, read: Read, folder: str, siblings: Siblings, itself: str = ""
    ) -> None:
        super().__init__(parser, read, folder)
        self.siblings = siblings
        self._named = {one.name for path, one in siblings.items() if path != itself}
        self._folders: set[str] = set()  # the paths of folders that are a nixpkgs
        self.pin: Pin | None = None
        self.arguments: NixExpr | None = None
        self.pinned = False  # whether the recipe is known to pin a nixpkgs
        self.constants = False  # whether a constant is the default of an argument
        self.apart = False  # whether the argument `pkgs` is another root than other arguments
        self.taken: list[str] = []  # the arguments that a caller must pass
        self.handed: list[str] = []  # those of them that are other recipes

    def all_given(self, function: NixLambda, scope: Scope) -> tuple[NixExpr, Scope]:
        """The packages with the names that callPackage reads in *function*. If one has a default,
        the caller may lack it, so the set of packages is not known. Then it is the whole set of the
        caller."""
        formals = function.formals
        if isinstance(function.parameter, str) or any(one.default is not None for one in formals):
            return NixIdent("@caller"), NOWHERE
        return NixAttrs((NixInherit(tuple([one.name for one in formals])),)), scope

    def given(self, formal: NixFormal, scope: Scope) -> tuple[NixExpr, Scope]:
        name, caller = formal.name, NixIdent("@caller")
        if formal.default is not None and name not in EVERYWHERE:
            return NixSelect(caller, (name,), formal.default), scope
        if formal.default is None:
            self.taken.append(name)
            if name in self._named:
                self.handed.append(name)
                return NixSelect(NixIdent("@needs"), (name,)), NOWHERE
        if name == "pkgs":
            return NixIdent(GIVEN_PKGS) if self.apart else caller, NOWHERE
        return selected(caller, (name,)), NOWHERE

    def is_said(self, name: str, default: NixExpr, scope: Scope) -> bool:
        """Whether the default decides the value: it is the folder of an input, a nixpkgs that the
        recipe fetches, or a constant in a recipe that pins a nixpkgs."""
        if name == "pkgs":
            return False
        match default:
            case NixPath():
                return name.endswith(_OF_INPUT)
            case NixIdent("true" | "false") | NixInt() | NixFloat() | NixString():
                self.constants = True
                return self.pinned
            case NixApply():
                made = self.reduce(default, scope)
                return made == NixIdent("@pkgs") or input_of(made) is not None
            case _:
                return False

    def knot_of(self, function: NixExpr) -> NixExpr | None:
        match function:
            case NixApply(NixIdent("import"), source) if file_of_input(source) is None:
                return NixIdent("@pkgs") if pin_of(source) is not None else None
            case _:
                return None

    def _applied(self, node: NixApply, scope: Scope) -> tuple[NixExpr, Scope] | None:
        match node:
            case NixApply(NixApply(function, source), NixAttrs() as given):
                called, at = self.head(function, scope)
                if called == NixIdent("import") and at.look("import") is None:
                    self._find_nixpkgs(source, given, scope)
            case _:
                pass
        return super()._applied(node, scope)

    def _find_nixpkgs(self, source: NixExpr, given: NixAttrs, scope: Scope) -> None:
        """Note the folder *source* as a nixpkgs if only a nixpkgs has the arguments *given*, or if
        the folder has the files of a nixpkgs."""
        named = self.file_named(source, scope)
        if named is None or named[0].text.endswith(".nix"):
            return
        path, at = named
        if entries_by_name(given)[0].keys() == _OF_NIXPKGS:
            found = self._read(at.file, path.text)
            is_nixpkgs = isinstance(found, str) or _FETCHES not in found[1]
        else:
            top_level = self._read(at.file, posixpath.join(path.text, _TOP_LEVEL))
            is_nixpkgs = not isinstance(top_level, str)
        if is_nixpkgs:
            self._folders.add(path_of(self._path(path, at)) or "")

    def _imported(self, path: NixPath, scope: Scope) -> tuple[NixExpr, Scope] | None:
        seen = path_of(self._path(path, scope)) or ""
        if seen in self._folders:
            return None
        sibling = self.siblings.get(seen)
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
        """The package that callPackage makes, without arguments, from a file next to this one.
        Without a nixpkgs of its own it differs for each nixpkgs."""
        sibling = self.siblings.get(path)
        if sibling is None or last_step(function) != "callPackage":
            return None
        top_level = (("@caller", ("callPackage",)), (GIVEN_PKGS, ("callPackage",)))
        if not sibling.is_pinned and root_of(function) not in top_level:
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
    """The folder or the tarball *node*, or a tarball with the same files; None for any other
    expression."""
    path = path_of(node)
    if path is not None:
        return Pin(path if path.startswith("../") else f"./{path}", "")
    source = source_of(node)
    return Pin(source.tarball, source.hash) if source is not None and source.tarball else None
