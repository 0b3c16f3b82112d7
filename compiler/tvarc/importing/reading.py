"""From the text of a recipe to what it says: pin, overlays, package, settings."""

from __future__ import annotations

import posixpath
import re

from tvarc.importing.comments import comments_of
from tvarc.importing.marks import PRIVATE, plain
from tvarc.importing.model import Overlay, Pin, Recipe
from tvarc.importing.original import Original
from tvarc.importing.reduce import NotImported, Read, Reducer
from tvarc.importing.scopes import NOWHERE, Bound, Scope, root_scope
from tvarc.importing.shared import RecipeParser
from tvarc.importing.trees import (
    attrs_of,
    entries_of,
    file_of_input,
    function_of,
    input_node,
    input_of,
    joined,
    names_root,
    own,
    own_text,
    path_of,
    paths_in,
    reads_own,
    rewritten,
    root_of,
    selected,
    text_of,
)
from tvarc.light import Final, Mapping, Sequence, dataclass, lru_cache, replace
from tvarc.lock.sri import as_sri
from tvarc.nix.reader import NotNix
from tvarc.nix.syntax import (
    NULL,
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
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
    elements,
)

_BUILDERS: Final = (
    "mkDerivation", "buildPythonPackage", "buildPythonApplication", "buildGoModule",
    "buildRustPackage", "buildNpmPackage",
)  # fmt: skip
"""Functions of nixpkgs that a function of the final attributes may be given to."""
_SIBLING: Final = "@sibling:"
_OF_INPUT: Final = "-input"
"""What the name of an argument ends in that is a folder, and that callPackage never fills."""
NOTHING: Final[Mapping[str, Sibling]] = {}
_MOST_SETTLED: Final = 8
_EVERYWHERE: Final = ("pkgs", "lib", "stdenv", "system", "config")  # what each nixpkgs has
_ADDED: Final = ("env", "passthru", "meta")
_NO_SYSTEM: Final = ("system",)


class NotWritten(Exception):
    """What a change makes of its package is not written out as a set: it is kept as it is."""


@dataclass(frozen=True, slots=True)
class Sibling:
    """A recipe that others build on: its name, and whether it has a nixpkgs of its own."""

    name: str
    is_pinned: bool


def read_recipe(
    parser: RecipeParser,
    text: str,
    path: str,
    read: Read,
    folder: str = "",
    siblings: Mapping[str, Sibling] = NOTHING,
    *,
    told: bool = True,
) -> Recipe:
    """What *text*, the file *path* in *folder*, says; files that it names are seen from where
    *folder* is, and those of *siblings*, by their paths from there, are packages by themselves.
    Unless it is to be *told* of, nobody looks for its comments and where its settings stand.
    Raises NotImported for what is not understood."""
    if any(mark in text for mark in PRIVATE):
        raise NotImported("it has characters for private use")
    itself = posixpath.normpath(posixpath.join(folder, path))
    try:
        root = parser.parse_shared(text)
        try:
            recipe = _Reading(parser, read, folder, siblings, itself).recipe(root, path)
        except NotImported:
            if not told:
                raise
            root = parser.parse(text)  # which knows where the fault is
            recipe = _Reading(parser, read, folder, siblings, itself).recipe(root, path)
    except NotNix as fault:
        failed = NotImported(fault.reason)
        failed.offset = fault.offset
        raise failed from None
    except RecursionError:
        raise NotImported("it is nested too deeply, or in a circle") from None
    if not told:
        return recipe
    comments = comments_of(text, parser.comments(text), root)
    return replace(recipe, original=Original(parser, text), comments=comments)


def read_nixpkgs(
    parser: RecipeParser, text: str, path: str, read: Read, folder: str
) -> tuple[Pin, tuple[Overlay, ...], dict[str, NixExpr]]:
    """The nixpkgs whose callPackage the function *text* gives: its pin, its overlays, and the
    settings of its `config`; files that it names are seen from *path* in *folder*. Raises
    NotImported for what is not understood."""
    reading = _Reading(parser, read, folder, NOTHING, "")
    try:
        called = reading.reducer.reduce(*reading.body(parser.parse_shared(text), path))
    except NotNix as fault:
        raise NotImported(fault.reason) from None
    except RecursionError:
        raise NotImported("it is nested too deeply, or in a circle") from None
    reducer = reading.reducer
    if root_of(called) != ("@pkgs", ("callPackage",)) or reducer.pin is None:
        raise NotImported("it is not the `callPackage` of an input that is locked")
    settings: dict[str, NixExpr] = {}
    overlays = reading.nixpkgs(reducer.arguments or NixAttrs(()), settings)
    return reducer.pin, overlays, settings


class _PinnedReducer(Reducer):
    """A reducer that knows an imported nixpkgs by sight, and takes down how it was made."""

    __slots__ = ("arguments", "pin", "siblings")

    def __init__(
        self, parser: RecipeParser, read: Read, folder: str, siblings: Mapping[str, Sibling]
    ) -> None:
        super().__init__(parser, read, folder)
        self.siblings = siblings
        self.pin: Pin | None = None
        self.arguments: NixExpr | None = None

    def knot_of(self, function: NixExpr) -> NixExpr | None:
        match function:
            case NixApply(NixIdent("import"), source) if file_of_input(source) is None:
                return NixIdent("@pkgs") if _pin(source) is not None else None
            case _:
                return None

    def _imported(self, path: NixPath, scope: Scope) -> tuple[NixExpr, Scope]:
        sibling = self.siblings.get(path_of(self._path(path, scope)) or "")
        if sibling is None or not sibling.is_pinned:
            return super()._imported(path, scope)
        return NixIdent(f"{_SIBLING}{sibling.name}"), NOWHERE

    def _member(
        self, node: NixSelect, base: NixExpr, path: Sequence[object], scope: Scope
    ) -> tuple[NixExpr, Scope] | None:
        if len(path) > 1 and path[0] == "legacyPackages":
            source = self.reduce(base, scope)
            if input_of(source) is not None:  # a flake's, of the one system or the other
                pkgs = self.call(NixApply(NixIdent("import"), source), NixAttrs(()))
                return NixSelect(pkgs, node.path[2:], node.default), NOWHERE
        return super()._member(node, base, path, scope)

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
        if sibling is None or not _is_call_package(function):
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
                    raise NotImported("it gives another recipe arguments of its own")
                return NixSelect(NixIdent("@needs"), (name.removeprefix(_SIBLING),))
            case NixApply(called, target) if argument == NixAttrs(()) and (
                (path := path_of(target)) is not None
                and (needed := self.called_by_name(called, path)) is not None
            ):
                return needed
            case NixApply(NixIdent("import"), NixSearchPath("nixpkgs")):
                if argument != NixAttrs(()):
                    raise NotImported("it configures a nixpkgs that only a search path finds")
                return NixIdent("@search")
            case NixIdent("fetchTarball") | NixSelect(
                NixIdent("builtins"), ("fetchTarball",), None
            ):
                tarball = _tarball(argument)
                return super().call(function, argument) if tarball is None else tarball
            case NixIdent("import") if (file := file_of_input(argument)) is not None:
                tarball, path = file
                return NixApply(function, NixBinary("+", tarball, NixString((plain(path),))))
            case NixApply(NixIdent("import"), source) if file_of_input(source) is not None:
                return NixApply(function, argument)
            case NixApply(NixIdent("import"), source):
                pin = _pin(source)
                if pin is None:
                    raise NotImported("its nixpkgs is not fetched by a written address")
                if self.pin is not None and (pin, argument) != (self.pin, self.arguments):
                    raise NotImported("it has two nixpkgs")
                self.pin, self.arguments = pin, argument
                return NixIdent("@pkgs")
            case _:
                return super().call(function, argument)


def _pin(source: NixExpr) -> Pin | None:
    tarball = input_of(source)
    if tarball is not None:
        return Pin(*tarball)
    match source:
        case NixApply(NixSelect(_, ("fetchFromGitHub",), None), NixAttrs() as given):
            return _github_pin(dict(entries_of(given)))
        case NixApply(
            NixIdent("fetchGit") | NixSelect(NixIdent("builtins"), ("fetchGit",), None),
            NixAttrs() as given,
        ):
            return _git_pin(dict(entries_of(given)))
        case _:
            return None


def _tarball(given: NixExpr) -> NixExpr | None:
    """What fetchTarball makes of *given*."""
    url = text_of(given)
    if url is not None:
        return input_node(plain(url), "")
    if not isinstance(given, NixAttrs):
        return None
    fields = {key: text_of(value) for key, value in entries_of(given)}
    if set(fields) - {"url", "sha256", "name"} or fields.get("url") is None:
        return None
    if None in fields.values():
        return None
    return input_node(plain(fields["url"] or ""), _sri(fields.get("sha256") or ""))


def _github_pin(given: dict[str, NixExpr]) -> Pin | None:
    """The same tarball, as `fetchFromGitHub` is told of it: what it unpacks is the same."""
    texts = {key: plain(text_of(value) or "") for key, value in given.items()}
    digest = texts.pop("hash", "") or texts.pop("sha256", "")
    if texts.keys() - {"sha256", "name"} != {"owner", "repo", "rev"} or not digest:
        return None
    if texts.get("name", "source") != "source" or not all(map(texts.get, ("owner", "repo", "rev"))):
        return None
    address = f"https://github.com/{texts['owner']}/{texts['repo']}/archive/{texts['rev']}.tar.gz"
    return Pin(address, _sri(digest))


def _git_pin(given: dict[str, NixExpr]) -> Pin | None:
    """The same tree as a tarball, where it is a revision at GitHub that is written out."""
    url = _REPOSITORY.match(plain(text_of(given.get("url", NULL)) or ""))
    rev = plain(text_of(given.get("rev", NULL)) or "")
    more = given.keys() - {"url", "rev", "ref", "name", "shallow", "allRefs"}
    if more or url is None or not _REVISION.match(rev):
        return None
    return Pin(f"https://github.com/{url[1]}/archive/{rev}.tar.gz", "")


def _sri(digest: str) -> str:
    """A hash in the one spelling that the language has."""
    return as_sri(plain(digest)) or plain(digest)


class _Reading:
    __slots__ = (
        "alone", "arguments", "filled", "handed", "overrides", "parser", "reducer", "siblings",
    )  # fmt: skip

    def __init__(
        self,
        parser: RecipeParser,
        read: Read,
        folder: str,
        siblings: Mapping[str, Sibling],
        itself: str,
    ) -> None:
        self.parser = parser
        self.reducer = _PinnedReducer(parser, read, folder, siblings)
        self.siblings = {one.name for path, one in siblings.items() if path != itself}
        self.arguments: list[str] = []
        self.handed: list[str] = []
        self.alone = True  # whether nobody hands it packages
        self.filled: list[str] = []  # files of functions that it gives arguments
        # The sets that overlays change, and whether what was changed before is forgotten.
        self.overrides: list[tuple[str, bool]] = []

    def recipe(self, root: NixExpr, path: str) -> Recipe:
        node, scope = self.body(root, path)
        value = self.reducer.reduce(node, scope)
        base, args, attrs = self.changes(value)
        if self.reducer.pin is None:
            base, args, attrs = (
                self.of_caller(base),
                [(key, self.of_caller(one)) for key, one in args],
                [(key, self.of_caller(one)) for key, one in attrs],
            )
        base = self.settled(base, {key for key, _ in attrs})
        base, attrs = self.from_scratch(base, attrs) or _said(base, attrs)
        settings: dict[str, NixExpr] = {}
        overlays: tuple[Overlay, ...] = ()
        if self.reducer.arguments is not None:
            overlays = self.nixpkgs(self.reducer.arguments, settings)
        said = (base, *[one for _, one in (*args, *attrs)])
        if any(self.parser.once(_is_searched, one) for one in said):
            raise NotImported("it takes packages of a nixpkgs that only a search path finds")
        if not _is_package(base):
            raise NotImported(
                "what it builds is no package that nixpkgs has, changes or makes", node
            )
        for key, one in args:
            settings[f"args.{key}"] = one
        settings |= dict(_settings(attrs))
        parts = [base, *settings.values(), *[one for each in overlays for one in parts_of(each)]]
        files = [path for one in parts for path in self.parser.once(paths_in, one)]
        unused = tuple(
            [name for name, bound in self.reducer.bindings if not bound.used and name != "_"]
        )
        return Recipe(
            self.reducer.pin,
            base,
            overlays,
            settings,
            unused=unused,
            imports=tuple(self.reducer.imports),
            files=tuple(dict.fromkeys(files)),
            filled=tuple(self.filled),
            arguments=tuple(self.arguments),
            handed=tuple(self.handed),
        )

    def of_caller(self, node: NixExpr) -> NixExpr:
        """*node*, the caller's nixpkgs being the only one: a file that nobody hands any takes that
        of the search path, as its caller does."""

        def change(one: NixExpr) -> NixExpr | None:
            if one == NixIdent("@caller") or (self.alone and one == NixIdent("@search")):
                return NixIdent("@pkgs")
            return None

        return rewritten(node, change)

    def body(self, root: NixExpr, path: str) -> tuple[NixExpr, Scope]:
        """The body of the function that a recipe is, its arguments in scope."""
        node, scope = self.entered(root, root_scope(path))
        if isinstance(node, NixLambda):
            self.alone = False
            inner = Scope(scope, {}, path)
            if node.whole:
                inner.names[node.whole] = Bound(NixIdent("@caller"), NOWHERE, used=True)
            for formal in node.formals:
                chosen: NixExpr = NixIdent("@caller")
                if formal.name != "pkgs":
                    chosen = selected(chosen, (formal.name,))
                if formal.default is None:
                    self.arguments.append(formal.name)
                    if formal.name in self.siblings:
                        self.handed.append(formal.name)
                        chosen = NixSelect(NixIdent("@needs"), (formal.name,))
                inner.names[formal.name] = Bound(chosen, NOWHERE, used=True)
                default = formal.default
                if default is not None and self.is_said(formal.name, default, inner):
                    inner.names[formal.name] = Bound(default, inner, used=True)
                elif default is not None and formal.name not in _EVERYWHERE:
                    either = NixSelect(NixIdent("@caller"), (formal.name,), default)
                    inner.names[formal.name] = Bound(either, inner, used=True)
            node, scope = self.entered(node.body, inner)
        if isinstance(node, NixLambda):
            raise NotImported("it is a function of more than nixpkgs", node)
        return node, scope

    def entered(self, node: NixExpr, scope: Scope) -> tuple[NixExpr, Scope]:
        while isinstance(node, NixLet):
            scope, node = self.reducer.let(node.entries, scope), node.body
        if isinstance(node, NixApply):
            return self.reducer.head(node, scope)  # a file that applies another one
        return node, scope

    def is_said(self, name: str, default: NixExpr, scope: Scope) -> bool:
        """Whether a recipe says what the argument *name* is by its *default*: a constant, which is
        no package of nixpkgs, the folder of an input, or a nixpkgs that it fetches itself."""
        if name == "pkgs":
            return False
        match default:
            case NixPath():
                return name.endswith(_OF_INPUT)
            case NixIdent("true" | "false") | NixInt() | NixFloat() | NixString():
                return True
            case NixApply():
                made = self.reducer.reduce(default, scope)
                return made == NixIdent("@pkgs") or input_of(made) is not None
            case _:
                return False

    # --- a package with changes ----------------------------------------------------------------

    def changes(
        self, node: NixExpr
    ) -> tuple[NixExpr, list[tuple[str, NixExpr]], list[tuple[str, NixExpr]]]:
        """What is changed, the arguments and the attributes that it is given."""
        match node:
            case NixApply(NixSelect(base, path, None), argument) if path[-1] in _METHODS:
                inner = selected(base, tuple([str(step) for step in path[:-1]]))
                start, args, attrs = self.changes(inner)
                try:
                    if path[-1] == "override":
                        return start, _merged(args, self.given(argument)), attrs
                    return start, args, self.after(attrs, argument)
                except NotWritten:
                    return node, [], []
            case NixApply(NixApply(called, function), NixAttrs() as argument) if path_of(
                function
            ) is not None and _is_top_level(called):
                if argument.entries:
                    self.filled.append(path_of(function) or "")
                return function, entries_of(argument), []
            case NixApply(NixApply(called, NixLambda() as function), argument) if _is_call_package(
                called
            ):
                return self.changes(self.called(function, argument, called))
            case _:
                return node, [], []

    def settled(self, base: NixExpr, changed: set[str]) -> NixExpr:
        """*base*, where a builder is given a function of the final attributes that reads no other
        than those that are written there, and none that is *changed* later: given these."""
        match base:
            case NixApply(builder, NixLambda(str()) as function) if _builds(builder):
                given = self.applied_to(function, ("@given",))
            case _:
                return base
        if not isinstance(given, NixAttrs):
            return base
        known = dict(entries_of(given))

        def own_value(one: NixExpr) -> NixExpr | None:
            match one:
                case NixSelect(NixIdent("@given"), (str() as key, *rest), None):
                    if key in known and key not in changed:
                        return selected(known[key], tuple([str(step) for step in rest]))
                case _:
                    pass
            return None

        made: NixExpr = given
        for _ in range(_MOST_SETTLED):
            if not names_root(made, "@given"):
                return NixApply(builder, self.folded(made))
            made = rewritten(made, own_value)
        return base

    def from_scratch(
        self, base: NixExpr, attrs: list[tuple[str, NixExpr]]
    ) -> tuple[NixExpr, list[tuple[str, NixExpr]]] | None:
        """A derivation that is written out, and *attrs* over it: both are attributes of one.
        Nothing for a package that has attributes of its own."""
        match base:
            case NixApply(builder, NixAttrs() as given) if _makes_derivation(builder):
                pass
            case _:
                return None
        made = self.over(entries_of(given), attrs)
        if any(names_root(value, "@self") for _, value in made):
            return None
        return NixApply(builder, NixAttrs(())), [(key, _alone(key, value)) for key, value in made]

    def called(self, function: NixExpr, argument: NixExpr, called: NixExpr) -> NixExpr:
        """What callPackage makes of a *function* that stands in the recipe."""
        where = root_of(called)
        if not isinstance(function, NixLambda) or not isinstance(argument, NixAttrs):
            raise NotImported("it calls a package that is not written out")
        assert where is not None
        given = dict(entries_of(argument))
        for formal in function.formals:
            if formal.name in given:
                continue
            if formal.default is not None:
                raise NotImported(f"nixpkgs may have `{formal.name}`, or leave it to its default")
            path = (*where[1][:-1], formal.name)
            given[formal.name] = selected(NixIdent(where[0]), path)
        return self.reducer.call(function, attrs_of(list(given.items())))

    def given(self, argument: NixExpr) -> list[tuple[str, NixExpr]]:
        if isinstance(argument, NixLambda):
            argument = self.reducer.call(argument, NixIdent("@given"))
            if names_root(argument, "@given"):
                raise NotWritten
        if not isinstance(argument, NixAttrs):
            raise NotWritten
        return entries_of(argument)

    def after(
        self, before: list[tuple[str, NixExpr]], argument: NixExpr
    ) -> list[tuple[str, NixExpr]]:
        """The attributes *before*, changed once more by *argument*."""
        return self.over(before, self.applied(argument))

    def over(
        self, before: list[tuple[str, NixExpr]], body: list[tuple[str, NixExpr]]
    ) -> list[tuple[str, NixExpr]]:
        """The attributes *before* with *body* over them, which reads these."""
        if not before:
            return [(key, self.folded(value)) for key, value in body]
        known = dict(before)

        def earlier(node: NixExpr) -> NixExpr | None:
            match node:
                case NixSelect(NixIdent("@old"), (str() as key, *rest), _) if key in known:
                    return selected(known[key], tuple([str(step) for step in rest]))
                case _:
                    return None

        changed = [(key, self.folded(rewritten(value, earlier))) for key, value in body]
        return list({**known, **dict(changed)}.items())

    def folded(self, node: NixExpr) -> NixExpr:
        return self.reducer.reduce(node, NOWHERE)

    def applied_to(self, function: NixExpr, roots: Sequence[str]) -> NixExpr:
        """*function* applied to all of *roots* at once."""
        for root in roots:
            function = NixApply(function, NixIdent(root))
        return self.folded(function)

    def applied(self, argument: NixExpr) -> list[tuple[str, NixExpr]]:
        """The attributes that `old: { … }` gives, or `finalAttrs: old: { … }`."""
        if isinstance(argument, NixLambda):
            roots = ("@self", "@old") if isinstance(argument.body, NixLambda) else ("@old",)
            argument = self.applied_to(argument, roots)
        match argument:
            case NixBinary("//", NixIdent("@old"), added):
                argument = added
            case _:
                pass
        if not isinstance(argument, NixAttrs):
            raise NotWritten
        return [
            (key, value if key in _ADDED else self.parser.once(_own_text, value))
            for key, value in entries_of(argument)
        ]

    # --- nixpkgs -------------------------------------------------------------------------------

    def nixpkgs(self, given: NixExpr, settings: dict[str, NixExpr]) -> tuple[Overlay, ...]:
        """The overlays of the nixpkgs that is made of the arguments *given*, and its `config`."""
        if not isinstance(given, NixAttrs):
            raise NotImported("the arguments of its nixpkgs are not written out")
        found: list[Overlay] = []
        for key, value in entries_of(given):
            match key:
                case "system":
                    if not _is_system(value):
                        raise NotImported("its nixpkgs is for a system that it names")
                case "config":
                    if not isinstance(value, NixAttrs):
                        raise NotImported("nixpkgs' `config` is not written out")
                    for name, one in entries_of(value):
                        settings[f"config.{name}"] = one
                case "overlays":
                    if not isinstance(value, NixList):
                        raise NotImported("its overlays are not written out")
                    for overlay in elements(value):
                        made, overrides = (
                            _overlays_of(overlay)
                            if not paths_in(overlay)
                            else (self.overlay(overlay, "", ""), ())
                        )
                        found += made
                        self.overrides += overrides
                case _:
                    raise NotImported(f"nixpkgs' argument `{key}`")
        names = [name for name, _ in self.overrides]
        for number, (name, forgets) in enumerate(self.overrides):
            if forgets and name in names[:number]:
                raise NotImported("two of its overlays give a set other `overrides`")
        return tuple(found)

    def overlay(self, node: NixExpr, within: str, via: str) -> list[Overlay]:
        roots = ("@set-final", "@set-prev") if within else ("@final", "@prev")
        if not isinstance(node, NixLambda) or not isinstance(node.body, NixLambda):
            raise NotImported("an overlay is no function of two arguments")
        node = self.applied_to(node, roots)
        if not isinstance(node, NixAttrs):
            raise NotImported("an overlay gives no set that is written out")
        found: list[Overlay] = []
        for key, value in entries_of(node):
            found += self.member(key, value, within, via)
        return found

    def member(self, name: str, value: NixExpr, within: str, via: str) -> list[Overlay]:
        """What one attribute of an overlay does."""
        inner = None if within else _set_changed(name, value)
        if inner is not None:
            set_name, how, overlays = inner
            self.overrides.append((set_name, how == "override" and not _keeps(value)))
            return [one for each in overlays for one in self.overlay(each, set_name, how)]
        prev = "@set-prev" if within else "@prev"
        until, value = _until(value, prev)
        base, args, attrs = self.changes(value)
        if root_of(base) == (prev, (name,)) and (args or attrs) and not _unsaid(attrs):
            changes = [(f"args.{key}", one) for key, one in args]
            changes += _settings(attrs)
            return [Overlay(within, name, via, None, tuple(changes), until)]
        return [Overlay(within, name, via, value, (), until)]


@lru_cache(maxsize=None)
def _overlays_of(node: NixExpr) -> tuple[tuple[Overlay, ...], tuple[tuple[str, bool], ...]]:
    """What the overlay *node* changes, which is reduced and names no files, and the sets that it
    changes: recipes of one folder have it from each other, letter for letter."""
    reading = _Reading(RecipeParser(), lambda *_: "it is no file", "", NOTHING, "")
    made = tuple(reading.overlay(node, "", ""))
    return made, tuple(reading.overrides)


_METHODS: Final = ("override", "overrideAttrs")
_REPOSITORY: Final = re.compile(
    r"(?:git\+)?(?:https|ssh|git)://(?:git@)?github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?\Z"
)
_REVISION: Final = re.compile(r"[0-9a-f]{40}\Z")
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+\Z")
_OVERTAKEN: Final = re.compile(r"(?:overlay|patch) `[^`]*`: not needed since ")


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


def _set_changed(name: str, value: NixExpr) -> tuple[str, str, list[NixExpr]] | None:
    """The set that an overlay changes by overlays of its own, how, and these."""
    match value:
        case NixBinary("++", NixSelect(NixIdent("@prev"), (same,), _), NixList() as added):
            if same == name == "pythonPackagesExtensions":
                return "python3Packages", "", elements(added)
        case NixApply(NixSelect(NixIdent("@prev"), (same, method), None), argument) if same == name:
            if method in ("overrideScope", "extend"):
                return name, "scope" if method == "overrideScope" else "extend", [argument]
            if method == "override":
                overrides = _overrides(argument)
                if overrides is not None:
                    return name, "override", [overrides]
        case _:
            pass
    return None


def _keeps(value: NixExpr) -> bool:
    """Whether overrides of a set are put after those that are there."""
    return isinstance(value, NixApply) and isinstance(value.argument, NixLambda)


def _overrides(argument: NixExpr) -> NixExpr | None:
    """The overlay in `{ overrides = …; }`, also of one that is put after those that are there."""
    match argument:
        case NixLambda(str() as given, body):
            pass
        case _:
            given, body = "", argument
    entries = entries_of(body) if isinstance(body, NixAttrs) else []
    if [key for key, _ in entries] != ["overrides"]:
        return None
    match entries[0][1]:
        case NixLambda() as overlay:
            return overlay
        case NixApply(
            NixApply(
                NixSelect(NixIdent("@lib"), ("composeExtensions",), None),
                NixSelect(NixIdent(name), ("overrides",)),
            ),
            NixLambda() as overlay,
        ) if name == given:
            return overlay
        case _:
            return None


def _is_package(node: NixExpr) -> bool:
    """Whether *node* is a package of nixpkgs, or what something in nixpkgs makes of others."""
    match node:
        case NixAttrs() | NixList() | NixLambda() | NixString() | NixInt() | NixFloat():
            return False
        case NixIdent():
            return False
        case _:
            return path_of(node) is not None or names_root(node, "@pkgs")


def _is_searched(node: NixExpr) -> bool:
    """Whether *node* is of a nixpkgs that only a search path finds."""
    return names_root(node, "@search")


def _builds(function: NixExpr) -> bool:
    where = root_of(function)
    return where is not None and where[1][-1:] != () and where[1][-1] in _BUILDERS


def _makes_derivation(function: NixExpr) -> bool:
    where = root_of(function)
    return where is not None and where[1][-1:] == ("mkDerivation",)


def _alone(key: str, value: NixExpr) -> NixExpr:
    """*value* of a derivation that has no *key* before it: nothing is added to."""
    match value:
        case NixAttrs() if key in _ADDED:
            return NixBinary("//", NixSelect(NixIdent("@old"), (key,)), value)
        case NixBinary("++", left, NixList() as added) if own(left) == key:
            return added
        case NixString((first, *rest)) if not isinstance(first, str) and own(first) == key:
            return joined(rest)
        case NixString((*rest, last)) if not isinstance(last, str) and own(last) == key:
            return joined(rest)
        case _:
            return value


def _is_call_package(node: NixExpr) -> bool:
    where = root_of(node)
    return where is not None and where[1][-1:] == ("callPackage",)


def _is_top_level(node: NixExpr) -> bool:
    """Whether *node* is the callPackage of nixpkgs itself."""
    return root_of(node) in (("@pkgs", ("callPackage",)), ("@caller", ("callPackage",)))


def _is_system(value: NixExpr) -> bool:
    match value:
        case NixSelect(NixIdent("@caller"), path, None):
            return path[-1] == "system"
        case NixSelect(NixIdent("builtins"), ("currentSystem",), _):
            return False
        case _:
            return False


def _merged(
    before: list[tuple[str, NixExpr]], after: list[tuple[str, NixExpr]]
) -> list[tuple[str, NixExpr]]:
    return list({**dict(before), **dict(after)}.items())


def _own_text(value: NixExpr) -> NixExpr:
    """*value* in the one spelling of what adds to the package's own."""
    inner = own_text(value)
    if inner is not None and not isinstance(value, NixSelect):
        return joined([inner])

    def change(node: NixExpr) -> NixExpr | None:
        name = own(node)
        if name is None or (isinstance(node, NixSelect) and _is_empty_set(node.default)):
            return None
        return NixSelect(NixIdent("@old"), (name,))

    return rewritten(value, change)


def _is_empty_set(node: NixExpr | None) -> bool:
    """Whether *node* is what stands for a list or a set that a package may lack."""
    return node in (NixList(()), NixAttrs(()))


def _adds(key: str, value: NixExpr) -> bool:
    """Whether *value* is the package's own *key* with more in it."""
    match value:
        case NixBinary("//", left, NixAttrs()):
            return own(left) == key
        case _:
            return own(value) == key


def _unsaid(attrs: Sequence[tuple[str, NixExpr]]) -> set[str]:
    """The names of those of *attrs* that no setting says: they replace what settings only add to,
    or read the attributes that come of all changes; and those that another one of them reads."""
    names = {
        key
        for key, value in attrs
        if (key in _ADDED and not _adds(key, value)) or names_root(value, "@self")
    }
    while True:
        more = {
            key
            for key, value in attrs
            if key not in names and any(reads_own(value, name) for name in names)
        }
        if not more:
            return names
        names |= more


def _said(
    base: NixExpr, attrs: list[tuple[str, NixExpr]]
) -> tuple[NixExpr, list[tuple[str, NixExpr]]]:
    """What is built, changed by those of *attrs* that no setting says; and the others."""
    names = _unsaid(attrs)
    if not names:
        return base, attrs
    kept: NixExpr = attrs_of([(key, value) for key, value in attrs if key in names])
    changed = function_of(kept, (("@self", "final"), ("@old", "old")))
    base = NixApply(selected(base, ("overrideAttrs",)), changed)
    return base, [(key, value) for key, value in attrs if key not in names]


def _settings(attrs: Sequence[tuple[str, NixExpr]]) -> list[tuple[str, NixExpr]]:
    """Attributes as settings by path: `meta = old.meta // { … }` is one of each key."""
    found: list[tuple[str, NixExpr]] = []
    for key, value in attrs:
        match value:
            case NixBinary("//", _, NixAttrs() as added) if key in _ADDED:
                found += [(f"{key}.{name}", _own_text(one)) for name, one in entries_of(added)]
            case _ if own(value) != key or key not in _ADDED:
                found.append((f"attrs.{key}", value))
            case _:
                pass
    return found


def parts_of(overlay: Overlay) -> list[NixExpr]:
    """All that *overlay* says."""
    value = [overlay.value] if overlay.value is not None else []
    return [*value, *[one for _, one in overlay.changes]]
