"""Attributes that a package is given, as settings by path; and those that no setting says."""

from __future__ import annotations

from operator import is_

from tvarc.blocks import SETS
from tvarc.byhand.reading.trees import (
    Entries,
    attrs_of,
    entries_of,
    function_of,
    joined,
    names_root,
    own,
    reads_own,
    selected,
)
from tvarc.light import TypeGuard
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixList,
    NixSelect,
    NixString,
    elements,
)


def alone(key: str, value: NixExpr) -> NixExpr:
    """*value* of a derivation that has no *key* before it: nothing is added to."""
    match value:
        case NixAttrs() if key in SETS:
            return NixBinary("//", NixSelect(NixIdent("@old"), (key,)), value)
        case NixBinary("++", left, NixList() as added) if own(left) == key:
            return added
        case NixString((first, *rest)) if not isinstance(first, str) and own(first) == key:
            return joined(rest)
        case NixString((*rest, last)) if not isinstance(last, str) and own(last) == key:
            return joined(rest)
        case _:
            return value


def own_once(value: NixExpr) -> NixExpr:
    """*value* in the one spelling of what adds to the package's own. A default is left out only
    where the language itself writes one: in a text, and beside `++`."""
    match value:
        case NixString(parts) if any(map(_is_own, parts)):
            return joined([_bare(one) if _is_own(one) else one for one in parts])
        case NixApply(NixIdent("toString")) if _is_own(value):
            return joined([_bare(value)])
        case NixBinary("++", left, right):
            guarded = _is_own(left) and not isinstance(left, NixSelect)
            return NixBinary("++", _bare(left) if guarded else own_once(left), own_once(right))
        case NixList():
            items = elements(value)
            made = list(map(own_once, items))
            return value if all(map(is_, made, items)) else NixList(tuple(made))
        case NixAttrs():
            entries = entries_of(value)
            values = [own_once(one) for _, one in entries]
            if all(one is other for one, (_, other) in zip(values, entries, strict=True)):
                return value
            return attrs_of([(key, one) for one, (key, _) in zip(values, entries, strict=True)])
        case _:
            return value


def _is_own(part: str | NixExpr) -> TypeGuard[NixExpr]:
    return not isinstance(part, str) and own(part) is not None


def _bare(node: NixExpr) -> NixExpr:
    """The package's own attribute that *node* is, by its name."""
    return NixSelect(NixIdent("@old"), (own(node) or "",))


def _adds(key: str, value: NixExpr) -> bool:
    """Whether *value* is the package's own *key* with more in it."""
    match value:
        case NixBinary("//", left, NixAttrs()):
            return own(left) == key
        case _:
            return own(value) == key


def unsaid(attrs: Entries) -> set[str]:
    """The names of those of *attrs* that no setting says: they replace what settings only add to,
    or read the attributes that come of all changes; and those that another one of them reads."""
    names = {
        key
        for key, value in attrs
        if (key in SETS and not _adds(key, value)) or names_root(value, "@self")
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


def without_unsaid(base: NixExpr, attrs: Entries) -> tuple[NixExpr, Entries]:
    """What is built, changed by those of *attrs* that no setting says; and the others."""
    names = unsaid(attrs)
    if not names:
        return base, attrs
    kept: NixExpr = attrs_of([(key, value) for key, value in attrs if key in names])
    changed = function_of(kept, (("@self", "final"), ("@old", "old")))
    base = NixApply(selected(base, ("overrideAttrs",)), changed)
    return base, [(key, value) for key, value in attrs if key not in names]


def settings_of(attrs: Entries) -> Entries:
    """Attributes as settings by path: `meta = old.meta // { … }` is one of each key."""
    found: Entries = []
    for key, value in attrs:
        match value:
            case NixBinary("//", _, NixAttrs() as added) if key in SETS:
                found += [(f"{key}.{name}", own_once(one)) for name, one in entries_of(added)]
            case _ if own(value) != key or key not in SETS:
                found.append((f"attrs.{key}", value))
            case _:
                pass
    return found
