"""Lower overlays on nixpkgs, on a package set, or on one package. Patches are among them.

An overlay changes a set in the form that this nixpkgs has. If that is not known, it has today's
form, with a guard. The set or the package that it changes is guarded, too, since it may be missing.
"""

from __future__ import annotations

from tvarc.light import replace
from tvarc.nix import ir
from tvarc.nix.language.syntax import (
    NULL,
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixHas,
    NixIdent,
    NixIf,
    NixInherit,
    NixLambda,
    NixLet,
    NixList,
    NixNot,
    NixSelect,
    NixString,
    placed,
)
from tvarc.nix.lower.context import Context
from tvarc.nix.lower.guards import guarded, lines_of, ordered, since, with_argument
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import (
    bindings,
    changeable,
    changed_package,
    head_of,
    mentions,
    own_list,
)
from tvarc.nix.lower.values import OLD, apply_nix, builtin, lower_value
from tvarc.nix.nixpkgs import FEATURES, kind_of, usual_form
from tvarc.values.value import PathValue

FINAL, PREV = NixIdent("final"), NixIdent("prev")
EXTENSIONS = "pythonPackagesExtensions"
# The interpreters by version. `python3` and `python3Packages` are aliases of one of them.
_INTERPRETERS = "(python|pypy)[0-9][0-9]+"


def lower_overlay(overlay: ir.Overlay, context: Context) -> NixExpr:
    """`(final: prev: { … })`."""
    lib = NixSelect(PREV, ("lib",))
    kind = "patch" if overlay.patch else "overlay"
    outer = replace(
        context,
        pkgs=FINAL,
        lib=lib,
        final=FINAL,
        prev=PREV,
        slots=None,
        ground=PREV,
        where=f"{kind} `{overlay.name}`: ",
        # An overlay changes nixpkgs, independent of the scope of the recipes that list it.
        scope=Scope(NixSelect(FINAL, ("callPackage",))) if context.spliced else None,
        set_path=(),
    )
    set_path = overlay.target if overlay.relation == "in" else overlay.target[:-1]
    body: NixExpr
    if overlay.relation is None:
        body = _members(overlay, outer, PREV)
    elif not set_path:
        name = overlay.target[0]
        package = _while_needed(overlay, _package(overlay, NixSelect(PREV, (name,)), outer), outer)
        body = _if_there((name,), NixAttrs((NixBinding((name,), package),)), outer)
    else:
        body = _if_there(set_path[:1], _Set(overlay, set_path, outer).changed(), outer)
    return _overlay("final", "prev", outer.scope.around(body) if outer.scope else body)


def _members(overlay: ir.Overlay, context: Context, previous: NixExpr) -> NixAttrs:
    """The attributes that an overlay sets in a set, whose previous value is *previous*."""
    made = bindings(overlay.changes.attrs, context, previous)
    return NixAttrs(
        tuple([replace(one, value=_while_needed(overlay, one.value, context)) for one in made])
    )


def _while_needed(overlay: ir.Overlay, made: NixExpr, context: Context) -> NixExpr:
    """*made* by an overlay, with a warning if nixpkgs has overtaken the overlay. The names in the
    result are the same in both cases. Only members of a set may read the set's content, because the
    names of the set must not depend on it."""
    until = overlay.until
    if until is None:
        return made
    named = until.package[len(until.package) - until.own :]
    assert context.prev is not None
    root, path = (context.prev, named) if until.own else (PREV, until.package)
    present = NixSelect(root, (*path, "version"), NixString(("0",)))
    library = context.library
    newer = apply_nix(library(("versionAtLeast",)), present, NixString((until.version,)))
    name = until.package[-1]
    words = NixString(
        (
            f"{context.where}not needed since {name} {until.version}; this nixpkgs has ",
            present,
        )
    )
    warned = NixApply(library(("warn",)), words)
    asked = NixIf(newer, warned, library(("id",)))
    lines = lines_of(context)
    return NixApply(placed(asked, 0, lines) if lines else asked, made)


def _if_there(path: ir.Path, body: NixExpr, context: Context) -> NixExpr:
    words = f"{context.where}this nixpkgs has no `{'.'.join(path)}`"
    return guarded(NixHas(PREV, path), (words,), body, lines_of(context))


def _overlay(final: str, prev: str, body: NixExpr) -> NixExpr:
    return NixLambda(final, NixLambda(prev, body))


def _package(overlay: ir.Overlay, package: NixExpr, context: Context) -> NixExpr:
    if not overlay.patch:
        return changed_package(package, overlay.changes, context)
    patches = NixBinary(
        "++", own_list(("attrs", "patches"), context, OLD), NixList((_patch(overlay, context),))
    )
    body = NixAttrs((NixBinding(("patches",), patches),))
    changed = apply_nix(NixSelect(package, ("overrideAttrs",)), NixLambda("old", body))
    return changeable(package, ("overrideAttrs",), changed, context)


def _patch(overlay: ir.Overlay, context: Context) -> NixExpr:
    fields = {setting.key: setting for setting in overlay.patch}
    file = fields.get("file")
    if file is not None and isinstance(file.value, PathValue):
        return lower_value(file.value, context, file.prov)
    ordered_keys = (
        "name",
        "url",
        "hash",
        "stripLen",
        "extraPrefix",
        "relative",
        "includes",
        "excludes",
        "revert",
    )
    # In each release, `sha256` accepts an SRI hash, too.
    named = {"hash": "sha256"} if context.age.knows("fetchpatch-hash") is False else {}
    entries = tuple(
        _field(fields[key], named.get(key, key), context) for key in ordered_keys if key in fields
    )
    made: NixExpr = NixApply(context.package_set(("fetchpatch",)), NixAttrs(entries))
    # Both came in one release. A guard can test only for `relative`, which is an argument.
    return with_argument(
        "fetchpatch-hash", "fetchpatch", "relative", "a patch by `hash`", made, context
    )


def _field(setting: ir.Setting, name: str, context: Context) -> NixBinding:
    value = lower_value(setting.value, context, setting.prov)
    if context.traced is None:
        return NixBinding((name,), value)
    lines = head_of(setting) | (context.traced.age if setting.key == "hash" else 0)
    return placed(NixBinding((name,), placed(value, context.traced.bit(setting.path))), 0, lines)


# --- package sets ------------------------------------------------------------------------------


class _Set:
    """One overlay on a package set."""

    __slots__ = ("_context", "_kind", "_outer", "_overlay", "_path")

    def __init__(self, overlay: ir.Overlay, path: ir.Path, outer: Context) -> None:
        self._overlay = overlay
        self._path = path
        self._outer = outer
        self._kind = kind_of(path)
        self._context = outer.within(*self._names())

    def changed(self) -> NixExpr:
        knows = self._outer.age.knows
        via = self._overlay.via or usual_form(self._path)
        match via:
            case "extensions":
                lacking = knows("python-extensions") is False
                return self._interpreters() if lacking else self._extensions()
            case "scope" if not self._overlay.via and self._lacks_scope():
                return self._override() if self._kind == "perl" else self._update()
            case "scope" if not self._overlay.via and self._kind == "llvm":
                return self._scope_or_update()
            case "scope":
                return self._scope()
            case "extend":
                return self._method("extend")
            case "update":
                return self._update()
            case _:
                return self._override()

    def _lacks_scope(self) -> bool:
        """Whether it is known that this set is no scope in this nixpkgs."""
        knows = self._outer.age.knows
        return (self._kind == "perl" and knows("perl-scope") is False) or (
            self._kind == "cuda" and knows("cuda-scope") is False
        )

    def _members(self) -> NixAttrs:
        context = self._context
        assert context.prev is not None
        if self._overlay.relation == "in":
            return _members(self._overlay, context, context.prev)
        name = self._overlay.target[-1]
        # An overlay on one Python set changes the sets of all versions.
        owner = self._path if self._kind != "python" else ()
        previous = NixSelect(context.prev, (name,))
        package = _package(self._overlay, previous, replace(context, owner=owner))
        package = _while_needed(self._overlay, package, context)
        return NixAttrs((NixBinding((name,), package),))

    def _extension(self) -> NixExpr:
        """`(setFinal: setPrev: { … })`."""
        return _overlay(*self._names(), self._members())

    def _names(self) -> tuple[str, str]:
        return ("pyFinal", "pyPrev") if self._kind == "python" else ("setFinal", "setPrev")

    # --- of all Pythons ------------------------------------------------------------------

    def _extensions(self) -> NixExpr:
        added = NixBinary("++", NixSelect(PREV, (EXTENSIONS,)), NixList((self._extension(),)))
        body = NixAttrs((NixBinding((EXTENSIONS,), added),))
        if self._outer.age.knows("python-extensions") is True:
            return body
        what = f"`{EXTENSIONS}`, by which all Python sets are changed,"
        return guarded(
            NixHas(PREV, (EXTENSIONS,)),
            (since("python-extensions", what, self._outer),),
            body,
            lines_of(self._outer),
        )

    def _interpreters(self) -> NixExpr:
        """All interpreters of this nixpkgs, with the extension added to their packages."""
        library = self._outer.library
        empty = _overlay("_", "_", NixAttrs(()))
        both = apply_nix(
            library(("composeExtensions",)),
            NixSelect(OLD, ("packageOverrides",), empty),
            self._extension(),
        )
        own = apply_nix(builtin("getAttr"), NixIdent("name"), FINAL)
        arguments = NixAttrs((NixBinding(("packageOverrides",), both), NixBinding(("self",), own)))
        override = NixSelect(NixIdent("interpreter"), ("override",))
        one = NixApply(override, NixLambda("old", arguments))
        fits = apply_nix(builtin("match"), NixString((_INTERPRETERS,)), NixIdent("name"))
        named = NixLambda("name", NixLambda("_", NixBinary("!=", fits, NULL)))
        return apply_nix(
            library(("mapAttrs",)),
            NixLambda("name", NixLambda("interpreter", one)),
            apply_nix(library(("filterAttrs",)), named, PREV),
        )

    # --- of the one set ------------------------------------------------------------------

    def _there(self, method: str) -> NixExpr:
        return NixHas(PREV, (*self._path, method))

    def _lacking(self, method: str) -> str:
        name = ".".join(self._path)
        return f"{self._outer.where}`{name}` of this nixpkgs has no `.{method}`"

    def _guarded(self, condition: NixExpr, words: str, changed: NixExpr) -> NixExpr:
        return self._placed(guarded(condition, (words,), changed, lines_of(self._outer)))

    def _placed(self, changed: NixExpr) -> NixExpr:
        """The set *changed*, in its place in nixpkgs. The first step of its path is not checked
        here: the head of the overlay checks it."""
        if len(self._path) > 1:
            changed = _if_there(self._path, changed, self._outer)
        return _nested(self._path, changed)

    def _method(self, method: str) -> NixExpr:
        """`prev.SET.method (setFinal: setPrev: { … })`."""
        changed = apply_nix(NixSelect(PREV, (*self._path, method)), self._extension())
        words = f"{self._lacking(method)}; there may be another way, such as `via = update`"
        feature = f"{self._kind}-scope"
        unknown = feature in FEATURES and self._outer.age.knows(feature) is None
        if method == "overrideScope" and unknown:
            what = f"`.{method}` of `{'.'.join(self._path)}`"
            words = since(feature, what, self._outer)
        there = self._there(method)
        if method == "extend" and self._kind == "llvm":
            # Before it was a scope, this was a method of one of the two sets that formed it.
            there = NixBinary("&&", there, NixNot(NixHas(PREV, (*self._path, "tools"))))
            words = f"{self._lacking(method)} of its own; write `via = update`"
        return self._guarded(there, words, changed)

    def _scope(self) -> NixExpr:
        if self._kind == "either" and not self._overlay.via:
            return self._scope_or_extend()
        knows = self._outer.age.knows("scope-order")
        if self._kind in ("python", "perl") or knows is True:
            return self._method("overrideScope")  # it always takes `final: prev:`
        if knows is False:
            # With two methods, the one with `'` takes `final: prev:`. A single one does so, too.
            newer = NixSelect(PREV, (*self._path, "overrideScope"))
            method = NixSelect(PREV, (*self._path, "overrideScope'"), newer)
            changed = apply_nix(method, self._extension())
            words = f"{self._lacking('overrideScope')}; write `via = update`"
            return self._guarded(self._there("overrideScope"), words, changed)
        changed = apply_nix(NixSelect(PREV, (*self._path, "overrideScope")), self._extension())
        what = f"`{'.'.join(self._path)}.overrideScope` that takes `final: prev:`"
        first = since("scope-order", what, self._outer)
        both = NixBinary("&&", ordered(self._outer), self._there("overrideScope"))
        words = f"{first}; where the set has no such method, write `via = update`"
        return self._guarded(both, words, changed)

    def _scope_or_extend(self) -> NixExpr:
        """The form for a set that was extensible in older releases and is a scope in newer ones.
        The set itself shows which one it is."""
        extend = NixSelect(PREV, (*self._path, "extend"))
        method = NixSelect(PREV, (*self._path, "overrideScope"), extend)
        changed = apply_nix(method, self._extension())
        either = NixBinary("||", self._there("overrideScope"), self._there("extend"))
        words = f"{self._lacking('overrideScope')} or `.extend`; write `via = update`"
        return self._guarded(either, words, changed)

    def _scope_or_update(self) -> NixExpr:
        """The form for a set that was joined from two others in older releases and is a scope in
        newer ones. The old form uses `//`."""
        previous = NixSelect(PREV, self._path)
        members = apply_nix(NixIdent("extension"), NixSelect(FINAL, self._path), previous)
        added = NixLambda("extension", NixBinary("//", previous, members))
        method = NixSelect(PREV, (*self._path, "overrideScope"), added)
        return self._placed(apply_nix(method, self._extension()))

    def _update(self) -> NixExpr:
        """`prev.SET // { … }`, for a set whose members do not see changes."""
        previous = NixSelect(PREV, self._path)
        changed = NixBinary("//", previous, self._members())
        return self._placed(self._bound(changed))

    def _bound(self, body: NixExpr) -> NixExpr:
        """*body*, with bindings for `setFinal` and `setPrev` (for Python `pyFinal` and `pyPrev`) if
        it mentions them."""
        context = self._context
        names: list[NixBinding | NixInherit] = []
        for ident, root in ((context.final, FINAL), (context.prev, PREV)):
            if isinstance(ident, NixIdent) and mentions([body], ident):
                names.append(NixBinding((ident.name,), NixSelect(root, self._path)))
        return NixLet(tuple(names), body) if names else body

    def _override(self) -> NixExpr:
        """`prev.SET.override { overrides = …; }`."""
        previous = NixSelect(PREV, self._path)
        argument: NixExpr
        if self._kind == "r":
            # R's `overrides` are a set.
            none = NixSelect(OLD, ("overrides",), NixAttrs(()))
            members = NixBinary("//", none, self._members())
            argument = NixLambda("old", _overrides(self._bound(members)))
        elif self._kind == "perl":
            # Perl's `overrides` are a function of nixpkgs, not of the set.
            nothing = NixLambda("_", NixAttrs(()))
            theirs = apply_nix(NixSelect(OLD, ("overrides",), nothing), NixIdent("packages"))
            members = NixBinary("//", theirs, self._members())
            own = NixLambda("packages", self._bound(members))
            argument = NixLambda("old", _overrides(own))
        else:
            # Keep the overrides of others, such as the caller's, or an interpreter's
            # `packageOverrides`.
            empty = _overlay("_", "_", NixAttrs(()))
            earlier = NixSelect(OLD, ("overrides",), empty)
            library = self._outer.library(("composeExtensions",))
            argument = NixLambda("old", _overrides(apply_nix(library, earlier, self._extension())))
        changed = apply_nix(NixSelect(previous, ("override",)), argument)
        taken = NixApply(self._outer.library(("functionArgs",)), NixSelect(previous, ("override",)))
        condition = NixBinary("&&", self._there("override"), NixHas(taken, ("overrides",)))
        words = f"{self._lacking('override')} that takes `overrides`; write another `via`"
        return self._guarded(condition, words, changed)


def _overrides(value: NixExpr) -> NixAttrs:
    return NixAttrs((NixBinding(("overrides",), value),))


def _nested(path: ir.Path, value: NixExpr) -> NixAttrs:
    """`{ a = prev.a // { b = value; }; }` for a set within a set."""
    for depth in range(len(path) - 1, 0, -1):
        inner = NixAttrs((NixBinding((path[depth],), value),))
        value = NixBinary("//", NixSelect(PREV, path[:depth]), inner)
    return NixAttrs((NixBinding((path[0],), value),))
