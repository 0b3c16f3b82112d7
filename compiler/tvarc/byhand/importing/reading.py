"""Reads the content of a recipe from its text: pin, overlays, package, settings."""

from __future__ import annotations

import posixpath
import re

from tvarc.byhand.importing.comments import comments_of
from tvarc.byhand.importing.model import Original, Overlay, Pin, Recipe
from tvarc.byhand.importing.pinned import (
    ALONE,
    EVERYWHERE,
    PinnedReducer,
    Siblings,
)
from tvarc.byhand.reading.changes import Changed, Changes, unsaid
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.overlays import EXTENSIONS, extended
from tvarc.byhand.reading.reduce import NESTED, NotRead, Read, no_deeper
from tvarc.byhand.reading.scopes import Scope, root_scope
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import (
    GIVEN_PKGS,
    entries_of,
    names_root,
    path_of,
    paths_in,
    rewritten,
    root_of,
    selected,
)
from tvarc.light import Final, Iterator, Sequence, dataclass, lru_cache, replace
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixFloat,
    NixIdent,
    NixIf,
    NixInt,
    NixLambda,
    NixLet,
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
    """The arguments of a nixpkgs: its `overlays`, and the settings of its `config` by path."""

    overlays: tuple[Overlay, ...]
    config: dict[str, NixExpr]


class OverlayReading:
    """Reads overlays. *changes* reads the changes of packages in them. `overrides` are the sets
    that they change by overlays of their own, each with whether earlier changes of it are lost."""

    __slots__ = ("_changes", "overrides")

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self.overrides: list[tuple[str, bool]] = []

    def nixpkgs(self, given: NixExpr) -> Nixpkgs:
        """The nixpkgs with the arguments *given*."""
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
        """The changes of the overlay *node*."""
        if paths_in(node):
            return self.overlay(node)
        made, overrides = _overlays_of(node)
        self.overrides += overrides
        return made

    def _refuse_forgotten(self) -> None:
        """Refuse overlays of which one undoes the changes of another."""
        names = [name for name, _ in self.overrides]
        for number, (name, forgets) in enumerate(self.overrides):
            if forgets and name in names[:number]:
                raise NotRead("two of its overlays give the same set different `overrides`")

    def overlay(self, node: NixExpr, within: str = "", via: str = "") -> list[Overlay]:
        """The changes of the overlay *node*. If *within* is not empty, they are changes of this
        set, which is changed *via* one of its functions."""
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
        """The change by one attribute of an overlay."""
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
        is_changed = bool(changed.arguments or changed.attributes)
        is_said = is_changed and not unsaid(changed.attributes)
        if is_said and root_of(changed.package) == (prev, (name,)):
            attributes = self._changes.own_once(changed.attributes)
            said = replace(changed, attributes=attributes).settings
            return [Overlay(within, name, via, None, tuple(said), until)]
        return [Overlay(within, name, via, value, (), until)]

    def _of_old(self, argument: NixExpr) -> NixExpr:
        """*argument* as a function of the previous arguments of a set."""
        if isinstance(argument, NixLambda) and isinstance(argument.parameter, str):
            return self._changes.applied_to(argument, ("@old",))
        return argument


@lru_cache(maxsize=None)
def _overlays_of(node: NixExpr) -> tuple[tuple[Overlay, ...], tuple[tuple[str, bool], ...]]:
    """The changes of the overlay *node*, which is reduced and names no files, and the sets that it
    changes. The result is cached, because recipes of one folder contain copies of an overlay."""
    parser = RecipeParser()
    reducer = PinnedReducer(parser, lambda *_: "it is no file", "", ALONE)
    reading = OverlayReading(Changes(parser, reducer))
    made = tuple(reading.overlay(node))
    return made, tuple(reading.overrides)


def _until(value: NixExpr, prev: str) -> tuple[tuple[str, str] | None, NixExpr]:
    """The package and the version, in the words of the language, from which on Nix warns that an
    overlay is not needed; and the result of the overlay. The package belongs to *prev*."""
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
    """The overlays that are added to those of every Python; None for any other expression."""
    match value:
        case NixBinary("++", NixSelect(NixIdent("@prev"), (same,), _), NixList() as added):
            return elements(added) if same == EXTENSIONS else None
        case _:
            return None


def _is_of_caller(system: NixExpr) -> bool:
    """Whether *system* is the caller's."""
    match system:
        case NixSelect(NixIdent(root), path, None) if root in ("@caller", GIVEN_PKGS):
            return path[-1] == "system"
        case _:
            return False


NO_PACKAGE: Final = (
    "callPackage cannot call it: its function does not name its arguments, as in `{ pkgs }: …`"
)


def read_recipe(
    parser: RecipeParser,
    text: str,
    path: str,
    read: Read,
    folder: str = "",
    siblings: Siblings = ALONE,
    *,
    places: bool = True,
) -> Recipe:
    """The content of *text*, the file *path* in *folder*. Paths of files that it names are relative
    to the place of *folder*, and *siblings*, by these paths, are packages. With *places* the recipe
    has its comments and the places of its settings. Raises NotNix for code that is not
    understood."""
    with no_deeper(NESTED):
        root = parser.parse_shared(text)
        try:
            recipe = _recipe(parser, read, folder, siblings, root, path)
        except NotRead:
            if not places:
                raise
            root = parser.parse(text)  # which has the place of the fault
            recipe = _recipe(parser, read, folder, siblings, root, path)
    if not places:
        return recipe
    comments = comments_of(text, parser.comments(text), root)
    return replace(recipe, original=Original(parser, text, root), comments=comments)


def _recipe(
    parser: RecipeParser, read: Read, folder: str, siblings: Siblings, root: NixExpr, path: str
) -> Recipe:
    """The recipe *root*; for the other parameters see `read_recipe`. A recipe that pins a nixpkgs
    takes no constants from its caller: an argument with a constant default has that value."""
    itself = posixpath.normpath(posixpath.join(folder, path))
    reading = _Reading(parser, read, folder, siblings, itself)
    recipe = reading.recipe(root, path)
    if recipe.pin is None or not (reading.reducer.constants or reading.reducer.apart):
        return recipe
    reading = _Reading(parser, read, folder, siblings, itself)
    reading.reducer.pinned = True
    return reading.recipe(root, path)


def read_nixpkgs(
    parser: RecipeParser, text: str, path: str, read: Read, folder: str
) -> tuple[Pin, Nixpkgs]:
    """The nixpkgs whose callPackage the function *text* returns: its pin and its arguments. Paths
    of files in it are relative to *path* in *folder*. Raises NotNix for code that is not
    understood."""
    reading = _Reading(parser, read, folder, ALONE, "")
    with no_deeper(NESTED):
        called = reading.reducer.reduce(*reading.body(parser.parse_shared(text), path))
    reducer = reading.reducer
    if root_of(called) != ("@pkgs", ("callPackage",)) or reducer.pin is None:
        raise NotRead("it is not the `callPackage` of an input that is locked")
    made = reading.overlays.nixpkgs(reducer.arguments or NixAttrs(()))
    return reducer.pin, made


class _Reading:
    """Reads one recipe. Its own path among *siblings* is *itself*. Its own name does not refer to a
    sibling."""

    __slots__ = ("alone", "changes", "given", "overlays", "parser", "reducer")

    def __init__(
        self, parser: RecipeParser, read: Read, folder: str, siblings: Siblings, itself: str
    ) -> None:
        self.parser = parser
        self.reducer = PinnedReducer(parser, read, folder, siblings, itself)
        self.changes = Changes(parser, self.reducer)
        self.overlays = OverlayReading(self.changes)
        self.alone = True  # whether no caller passes packages to it
        self.given = frozenset[str]()  # the arguments besides `pkgs` that a scope may replace

    def recipe(self, root: NixExpr, path: str) -> Recipe:
        """The recipe *root*, the file *path*."""
        function, _ = self.entered(root, root_scope(path))
        if isinstance(function, NixLambda) and isinstance(function.parameter, str):
            raise NotRead(NO_PACKAGE, function)
        node, scope = self.body(root, path)
        value = self.reducer.reduce(node, scope)
        changed = self.changes.of(value)
        if self.reducer.pin is None:
            changed = self.of_caller(changed)
        changed = self.changes.said(changed)
        nixpkgs = self.overlays.nixpkgs(self.reducer.arguments or NixAttrs(()))
        said = [changed.package, *[one for _, one in changed.arguments + changed.attributes]]
        if any(self.parser.once(_is_searched, one) for one in said):
            raise NotRead("it uses packages of a nixpkgs from a search path")
        if not _is_package(changed.package):
            raise NotRead(
                "it does not build a package of nixpkgs, a changed one, or one of its builders",
                node,
            )
        settings = {**nixpkgs.config, **dict(changed.settings)}
        of_overlays = [part for one in nixpkgs.overlays for part in one.parts()]
        parts = [changed.package, *settings.values(), *of_overlays]
        files = [path for one in parts for path in self.parser.once(paths_in, one)]
        unused = [name for name, bound in self.reducer.bindings if not bound.used and name != "_"]
        return Recipe(
            self.reducer.pin,
            changed.package,
            nixpkgs.overlays,
            settings,
            unused=tuple(unused),
            imports=tuple(self.reducer.imports),
            files=tuple(dict.fromkeys(files)),
            filled=tuple(self.changes.filled),
            arguments=tuple(self.reducer.taken),
            handed=tuple(self.reducer.handed),
            beneath=tuple(self.beneath(changed, nixpkgs)),
        )

    def beneath(self, changed: Changed, nixpkgs: Nixpkgs) -> Iterator[tuple[str, Recipe]]:
        """The arguments of *changed* that are changed packages, each as a recipe of the same
        *nixpkgs*."""
        for name, value in changed.arguments:
            if not _is_changed_package(value):
                continue
            try:
                inner = self.changes.said(self.changes.of(value))
            except NotRead:
                continue
            if inner.settings and _is_package(inner.package):
                settings = {**nixpkgs.config, **dict(inner.settings)}
                made = Recipe(self.reducer.pin, inner.package, nixpkgs.overlays, settings)
                yield f"args.{name}", made

    def of_caller(self, changed: Changed) -> Changed:
        """*changed*, in which all packages come from the caller's nixpkgs. A file to which no
        caller passes packages takes the nixpkgs of the search path, like its caller. A package of
        its argument `pkgs` is `pkgs.x`, or `pkgs.pkgs.x` if the file has an argument `x`, too."""

        def change(one: NixExpr) -> NixExpr | None:
            match one:
                case NixSelect(NixIdent(root), path, default) if root == GIVEN_PKGS:
                    steps = tuple(map(str, path))
                    inner = ("pkgs", *steps) if steps[0] in self.given else steps
                    other = rewritten(default, change) if default is not None else None
                    return selected(NixIdent("@pkgs"), inner, other)
                case NixIdent(root) if root == GIVEN_PKGS:
                    return NixIdent("@pkgs")
                case _:
                    pass
            if one == NixIdent("@caller") or (self.alone and one == NixIdent("@search")):
                return NixIdent("@pkgs")
            return None

        return Changed(
            rewritten(changed.package, change),
            [(key, rewritten(one, change)) for key, one in changed.arguments],
            [(key, rewritten(one, change)) for key, one in changed.attributes],
        )

    def body(self, root: NixExpr, path: str) -> tuple[NixExpr, Scope]:
        """The body of the function of a recipe, with its arguments in scope."""
        node, scope = self.entered(root, root_scope(path))
        if isinstance(node, NixLambda):
            self.alone = False
            names = frozenset([one.name for one in node.formals])
            self.given = names - {*EVERYWHERE}
            apart = "pkgs" in names and self.given and not self.reducer.pinned
            self.reducer.apart = bool(apart)
            node, scope = self.entered(*self.reducer.opened(node, scope))
        if isinstance(node, NixLambda):
            raise NotRead("its function has arguments other than nixpkgs", node)
        return node, scope

    def entered(self, node: NixExpr, scope: Scope) -> tuple[NixExpr, Scope]:
        """*node* within the names that are bound before it."""
        while isinstance(node, NixLet):
            scope, node = self.reducer.let(node.entries, scope), node.body
        if isinstance(node, NixApply):
            return self.reducer.head(node, scope)  # a file that applies another one
        return node, scope


def _is_package(node: NixExpr) -> bool:
    """Whether *node* is a package of nixpkgs, or the result of a function of nixpkgs."""
    match node:
        case NixAttrs() | NixList() | NixLambda() | NixString() | NixInt() | NixFloat():
            return False
        case NixIdent():
            return False
        case _:
            return path_of(node) is not None or names_root(node, "@pkgs")


def _is_changed_package(node: NixExpr) -> bool:
    """Whether *node* is a package of nixpkgs with changes."""
    is_changed = False
    while True:
        match node:
            case NixApply(NixSelect(base, (*path, "override" | "overrideAttrs"), None), _):
                node, is_changed = selected(base, tuple(map(str, path))), True
            case _:
                root = root_of(node)
                return is_changed and root is not None and root[0] == "@pkgs"


def _is_searched(node: NixExpr) -> bool:
    """Whether *node* belongs to a nixpkgs of a search path."""
    return names_root(node, "@search")
