"""From the text of a recipe to what it says: pin, overlays, package, settings."""

from __future__ import annotations

import posixpath

from tvarc.byhand.importing.comments import comments_of
from tvarc.byhand.importing.model import Original, Pin, Recipe
from tvarc.byhand.importing.overlay_reading import Nixpkgs, OverlayReading
from tvarc.byhand.importing.pinned import ALONE, PinnedReducer, Siblings
from tvarc.byhand.reading.changes import Changed, Changes
from tvarc.byhand.reading.reduce import NESTED, NotRead, Read, no_deeper
from tvarc.byhand.reading.scopes import Scope, root_scope
from tvarc.byhand.reading.settings import settings_of
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import (
    names_root,
    path_of,
    paths_in,
    rewritten,
    root_of,
    selected,
)
from tvarc.light import Final, Iterator, replace
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixExpr,
    NixFloat,
    NixIdent,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixSelect,
    NixString,
)

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
    """What *text*, the file *path* in *folder*, says; files that it names are seen from where
    *folder* is, and those of *siblings*, by their paths from there, are packages by themselves.
    With *places* the recipe has its comments, and knows where its settings stand. Raises NotNix
    for what is not understood."""
    with no_deeper(NESTED):
        root = parser.parse_shared(text)
        try:
            recipe = _recipe(parser, read, folder, siblings, root, path)
        except NotRead:
            if not places:
                raise
            root = parser.parse(text)  # which knows where the fault is
            recipe = _recipe(parser, read, folder, siblings, root, path)
    if not places:
        return recipe
    comments = comments_of(text, parser.comments(text), root)
    return replace(recipe, original=Original(parser, text), comments=comments)


def _recipe(
    parser: RecipeParser, read: Read, folder: str, siblings: Siblings, root: NixExpr, path: str
) -> Recipe:
    """The recipe *root*; for the others see `read_recipe`. A recipe that pins a nixpkgs takes no
    constant from its caller's: an argument with such a default has the value of the default."""
    itself = posixpath.normpath(posixpath.join(folder, path))
    reading = _Reading(parser, read, folder, siblings, itself)
    recipe = reading.recipe(root, path)
    if recipe.pin is None or not reading.reducer.constants:
        return recipe
    reading = _Reading(parser, read, folder, siblings, itself)
    reading.reducer.pinned = True
    return reading.recipe(root, path)


def read_nixpkgs(
    parser: RecipeParser, text: str, path: str, read: Read, folder: str
) -> tuple[Pin, Nixpkgs]:
    """The nixpkgs whose callPackage the function *text* gives: its pin, and what it is made of;
    files that it names are seen from *path* in *folder*. Raises NotNix for what is not
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
    """Reads one recipe. It may be one of *siblings* by its path, *itself*: what it has of its own
    name is none of them."""

    __slots__ = ("alone", "changes", "overlays", "parser", "reducer")

    def __init__(
        self, parser: RecipeParser, read: Read, folder: str, siblings: Siblings, itself: str
    ) -> None:
        self.parser = parser
        self.reducer = PinnedReducer(parser, read, folder, siblings, itself)
        self.changes = Changes(parser, self.reducer)
        self.overlays = OverlayReading(self.changes)
        self.alone = True  # whether nobody hands it packages

    def recipe(self, root: NixExpr, path: str) -> Recipe:
        """The recipe that *root* is, the file *path*."""
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
        settings = dict(nixpkgs.config)
        settings |= {f"args.{key}": one for key, one in changed.arguments}
        settings |= dict(settings_of(changed.attributes))
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
            settings = {f"args.{key}": one for key, one in inner.arguments}
            settings |= dict(settings_of(inner.attributes))
            if settings and _is_package(inner.package):
                settings = {**nixpkgs.config, **settings}
                made = Recipe(self.reducer.pin, inner.package, nixpkgs.overlays, settings)
                yield f"args.{name}", made

    def of_caller(self, changed: Changed) -> Changed:
        """*changed*, the caller's nixpkgs being the only one: a file that nobody hands any takes
        that of the search path, as its caller does."""

        def change(one: NixExpr) -> NixExpr | None:
            if one == NixIdent("@caller") or (self.alone and one == NixIdent("@search")):
                return NixIdent("@pkgs")
            return None

        return Changed(
            rewritten(changed.package, change),
            [(key, rewritten(one, change)) for key, one in changed.arguments],
            [(key, rewritten(one, change)) for key, one in changed.attributes],
        )

    def body(self, root: NixExpr, path: str) -> tuple[NixExpr, Scope]:
        """The body of the function that a recipe is, its arguments in scope."""
        node, scope = self.entered(root, root_scope(path))
        if isinstance(node, NixLambda):
            self.alone = False
            node, scope = self.entered(*self.reducer.opened(node, scope))
        if isinstance(node, NixLambda):
            raise NotRead("its function has arguments other than nixpkgs", node)
        return node, scope

    def entered(self, node: NixExpr, scope: Scope) -> tuple[NixExpr, Scope]:
        """*node* behind the names that are bound before it."""
        while isinstance(node, NixLet):
            scope, node = self.reducer.let(node.entries, scope), node.body
        if isinstance(node, NixApply):
            return self.reducer.head(node, scope)  # a file that applies another one
        return node, scope


def _is_package(node: NixExpr) -> bool:
    """Whether *node* is a package of nixpkgs, or what something in nixpkgs makes of others."""
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
    """Whether *node* is of a nixpkgs that only a search path finds."""
    return names_root(node, "@search")
