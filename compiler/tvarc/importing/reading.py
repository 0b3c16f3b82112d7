"""From the text of a recipe to what it says: pin, overlays, package, settings."""

from __future__ import annotations

from tvarc.importing.comments import comments_of
from tvarc.importing.marks import PRIVATE, plain
from tvarc.importing.model import Overlay, Pin, Recipe
from tvarc.importing.reduce import NOWHERE, Bound, NotImported, Read, Reducer, Scope, root_scope
from tvarc.importing.trees import (
    attrs_of,
    entries_of,
    joined,
    names_root,
    own,
    own_text,
    rewritten,
    root_of,
    selected,
    text_of,
    unmarked,
)
from tvarc.light import Final, Sequence
from tvarc.nix.reader import NixParser, NotNix
from tvarc.nix.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixFloat,
    NixIdent,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixSelect,
    NixString,
    elements,
    extent_of,
)

_ADDED: Final = ("env", "passthru", "meta")
_NO_SYSTEM: Final = ("system",)


def read_recipe(parser: NixParser, text: str, path: str, read: Read) -> Recipe:
    """What *text*, the file *path*, says; raises NotImported for what is not understood."""
    if any(mark in text for mark in PRIVATE):
        raise NotImported("it has characters for private use")
    try:
        root = parser.parse(text)
    except NotNix as fault:
        failed = NotImported(fault.reason)
        failed.offset = fault.offset
        raise failed from None
    try:
        return _Reading(parser, read).recipe(root, path, text)
    except RecursionError:
        raise NotImported("it is nested too deeply, or in a circle") from None


class _PinnedReducer(Reducer):
    """A reducer that knows an imported nixpkgs by sight, and takes down how it was made."""

    __slots__ = ("arguments", "pin")

    def __init__(self, parser: NixParser, read: Read) -> None:
        super().__init__(parser, read)
        self.pin: Pin | None = None
        self.arguments: NixExpr | None = None

    def call(self, function: NixExpr, argument: NixExpr) -> NixExpr:
        match function:
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
    match source:
        case NixApply(NixIdent("fetchTarball"), given):
            pass
        case NixApply(NixSelect(NixIdent("builtins"), ("fetchTarball",)), given):
            pass
        case _:
            return None
    url = text_of(given)
    if url is not None:
        return Pin(plain(url), "")
    if not isinstance(given, NixAttrs):
        return None
    fields = {key: text_of(value) for key, value in entries_of(given)}
    if set(fields) - {"url", "sha256", "name"} or fields.get("url") is None:
        return None
    if None in fields.values():
        return None
    return Pin(plain(fields["url"] or ""), plain(fields.get("sha256") or ""))


class _Reading:
    __slots__ = ("overridden", "parser", "reducer", "twice")

    def __init__(self, parser: NixParser, read: Read) -> None:
        self.parser = parser
        self.reducer = _PinnedReducer(parser, read)
        self.overridden: set[str] = set()
        self.twice = False  # whether two overlays give one set `overrides`

    def recipe(self, root: NixExpr, path: str, text: str) -> Recipe:
        node, scope = self.body(root, path)
        offsets = _offsets(root)
        value = self.reducer.reduce(node, scope)
        base, args, attrs = self.changes(value)
        if self.reducer.pin is None:
            base, args, attrs = (
                _of_caller(base),
                [(key, _of_caller(one)) for key, one in args],
                [(key, _of_caller(one)) for key, one in attrs],
            )
        settings: dict[str, NixExpr] = {}
        overlays: tuple[Overlay, ...] = ()
        if self.reducer.arguments is not None:
            overlays = self.nixpkgs(self.reducer.arguments, settings)
        if not _is_package(base):
            raise NotImported(
                "what it builds is no package of nixpkgs with changes, and no call of a builder",
                node,
            )
        for key, one in args:
            settings[f"args.{key}"] = one
        settings |= dict(_settings(attrs))
        for name, one in settings.items():
            if names_root(one, "@self"):
                raise NotImported(f"`{name}` reads the attributes that it is part of")
        unused = tuple(
            [name for name, bound in self.reducer.bindings if not bound.used and name != "_"]
        )
        return Recipe(
            self.reducer.pin,
            base,
            overlays,
            settings,
            offsets,
            unused,
            comments_of(text, self.parser.comments(text), root),
            tuple(self.reducer.imports),
        )

    def body(self, root: NixExpr, path: str) -> tuple[NixExpr, Scope]:
        """The body of the function that a recipe is, its arguments in scope."""
        node, scope = self.entered(root, root_scope(path))
        if isinstance(node, NixLambda):
            inner = Scope(scope, {}, path)
            if node.whole:
                inner.names[node.whole] = Bound(NixIdent("@caller"), NOWHERE, used=True)
            for formal in node.formals:
                chosen: NixExpr = NixIdent("@caller")
                if formal.name != "pkgs":
                    chosen = selected(chosen, (formal.name,))
                inner.names[formal.name] = Bound(chosen, NOWHERE, used=True)
                default = formal.default
                if default is not None and formal.name != "pkgs" and self.is_said(default, inner):
                    inner.names[formal.name] = Bound(default, inner, used=True)
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

    def is_said(self, default: NixExpr, scope: Scope) -> bool:
        """Whether a recipe says what an argument is by its *default*: a constant, which is no
        package of nixpkgs, or a nixpkgs that it fetches itself."""
        match default:
            case NixIdent("true" | "false") | NixInt() | NixFloat() | NixString():
                return True
            case NixApply():
                return self.reducer.reduce(default, scope) == NixIdent("@pkgs")
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
                if path[-1] == "override":
                    return start, _merged(args, self.given(argument)), attrs
                if path[-1] != "overrideAttrs":
                    raise NotImported(f"it is changed by `.{path[-1]}`")
                return start, args, self.after(attrs, argument)
            case NixApply(NixApply(called, function), argument) if _is_call_package(called):
                return self.changes(self.called(function, argument, called))
            case _:
                return node, [], []

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
                raise NotImported("its `.override` reads the arguments that it changes")
        if not isinstance(argument, NixAttrs):
            raise NotImported("the arguments of `.override` are not written out")
        return entries_of(argument)

    def after(
        self, before: list[tuple[str, NixExpr]], argument: NixExpr
    ) -> list[tuple[str, NixExpr]]:
        """The attributes *before*, changed once more by *argument*."""
        body = self.applied(argument)
        known = dict(before)

        def earlier(node: NixExpr) -> NixExpr | None:
            match node:
                case NixSelect(NixIdent("@old"), (str() as key, *rest), _) if key in known:
                    return selected(known[key], tuple([str(step) for step in rest]))
                case _:
                    return None

        changed = [(key, self.folded(rewritten(value, earlier))) for key, value in body]
        return list({**known, **dict(changed)}.items()) if before else changed

    def folded(self, node: NixExpr) -> NixExpr:
        return self.reducer.reduce(node, NOWHERE)

    def applied(self, argument: NixExpr) -> list[tuple[str, NixExpr]]:
        """The attributes that `old: { … }` gives, or `finalAttrs: old: { … }`."""
        if isinstance(argument, NixLambda):
            roots = ["@old"] if not isinstance(argument.body, NixLambda) else ["@self", "@old"]
            for root in roots:
                argument = self.reducer.call(argument, NixIdent(root))
        match argument:
            case NixBinary("//", NixIdent("@old"), added):
                argument = added
            case _:
                pass
        if not isinstance(argument, NixAttrs):
            raise NotImported("the attributes of `.overrideAttrs` are not written out")
        return [(key, _own_text(key, value)) for key, value in entries_of(argument)]

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
                        found += self.overlay(overlay, "", "")
                case _:
                    raise NotImported(f"nixpkgs' argument `{key}`")
        if self.twice:
            raise NotImported("two of its overlays give a set other `overrides`")
        return tuple(found)

    def overlay(self, node: NixExpr, within: str, via: str) -> list[Overlay]:
        roots = ("@set-final", "@set-prev") if within else ("@final", "@prev")
        for root in roots:
            if not isinstance(node, NixLambda):
                raise NotImported("an overlay is no function of two arguments")
            node = self.reducer.call(node, NixIdent(root))
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
            forgets = how == "override" and not _keeps(value)
            self.twice = self.twice or (forgets and set_name in self.overridden)
            self.overridden.add(set_name)
            return [one for each in overlays for one in self.overlay(each, set_name, how)]
        base, args, attrs = self.changes(value)
        prev = "@set-prev" if within else "@prev"
        if root_of(base) == (prev, (name,)) and (args or attrs):
            changes = [(f"args.{key}", one) for key, one in args]
            changes += _settings(attrs)
            return [Overlay(within, name, via, None, tuple(changes))]
        return [Overlay(within, name, via, value, ())]


_METHODS: Final = ("override", "overrideAttrs", "overridePythonAttrs", "overrideDerivation")


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
    """Whether *node* is a package of nixpkgs, or what a function of nixpkgs makes of a set."""
    match node:
        case NixApply(function, NixAttrs()):
            return _is_package(function)
        case _:
            where = root_of(node)
            return where is not None and where[0] == "@pkgs" and bool(where[1])


def _is_call_package(node: NixExpr) -> bool:
    where = root_of(node)
    return where is not None and where[1][-1:] == ("callPackage",)


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


def _of_caller(node: NixExpr) -> NixExpr:
    """*node*, the caller's nixpkgs being the only one."""
    return rewritten(node, lambda one: NixIdent("@pkgs") if one == NixIdent("@caller") else None)


def _own_text(key: str, value: NixExpr) -> NixExpr:
    """*value* in the one spelling of what adds to the package's own."""
    if key in _ADDED:
        return value
    inner = own_text(value)
    if inner is not None and not isinstance(value, NixSelect):
        return joined([inner])

    def change(node: NixExpr) -> NixExpr | None:
        name = own(node)
        return NixSelect(NixIdent("@old"), (name,)) if name is not None else None

    return rewritten(value, change)


def _settings(attrs: Sequence[tuple[str, NixExpr]]) -> list[tuple[str, NixExpr]]:
    """Attributes as settings by path: `meta = old.meta // { … }` is one of each key."""
    found: list[tuple[str, NixExpr]] = []
    for key, value in attrs:
        if key not in _ADDED:
            found.append((f"attrs.{key}", value))
            continue
        if own(value) == key:
            continue
        match value:
            case NixBinary("//", left, NixAttrs() as added) if own(left) == key:
                found += [(f"{key}.{name}", _own_text("", one)) for name, one in entries_of(added)]
            case _:
                raise NotImported(f"`{key}` does not add to the package's own", value)
    return found


def _offsets(root: NixExpr) -> dict[str, int]:
    """Where attributes are written, by their names: the last place of each."""
    from tvarc.nix.syntax import NixBinding, children

    found: dict[str, int] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, NixAttrs | NixLet):
            for entry in node.entries:
                if isinstance(entry, NixBinding) and isinstance(entry.path[-1], str):
                    found.setdefault(entry.path[-1], extent_of(entry).start)
        waiting += children(node)
    return found


# --- one model for two spellings ----------------------------------------------------------------


def canonical(recipe: Recipe) -> tuple[dict[str, object], list[object]]:
    """*recipe* as it is compared: its settings by path, and its overlays in order. Of `final` and
    `prev` there is one where no overlay changes what is asked for."""
    changed = {overlay.set or overlay.name for overlay in recipe.overlays}
    changed |= {overlay.name for overlay in recipe.overlays}

    def same(node: NixExpr) -> NixExpr | None:
        match node:
            case NixSelect(NixIdent("@prev" | "@pkgs"), path, default) if path[0] not in changed:
                return selected(NixIdent("@final"), tuple([str(one) for one in path]), default)
            case NixSelect(NixIdent("@set-prev"), path, default) if path[0] not in changed:
                return selected(NixIdent("@set-final"), tuple([str(one) for one in path]), default)
            case _:
                return None

    def outside(node: NixExpr) -> NixExpr:
        return _sorted(unmarked(node))

    def inside(node: NixExpr) -> NixExpr:
        return _sorted(rewritten(unmarked(node), same))

    overlays: list[object] = []
    for one in recipe.overlays:
        value = inside(one.value) if one.value is not None else None
        changes = sorted([(path, inside(node)) for path, node in one.changes], key=lambda x: x[0])
        overlays.append((one.set, one.name, one.via, value, changes))
    settings: dict[str, object] = {key: outside(node) for key, node in recipe.settings.items()}
    settings["package"] = outside(recipe.package)
    settings["pin"] = recipe.pin
    return settings, overlays


def _sorted(node: NixExpr) -> NixExpr:
    def change(one: NixExpr) -> NixExpr | None:
        if isinstance(one, NixAttrs):
            entries = sorted(entries_of(one), key=lambda pair: pair[0])
            return attrs_of([(key, _sorted(value)) for key, value in entries])
        return None

    return rewritten(node, change)
