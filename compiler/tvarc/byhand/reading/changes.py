"""Reads the changes of a package: arguments and attributes that replace its own, as settings by
path."""

from __future__ import annotations

from operator import is_

from tvarc.blocks import SETS
from tvarc.byhand.reading.reduce import NotRead, Reducer
from tvarc.byhand.reading.scopes import NOWHERE
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import (
    GIVEN_PKGS,
    Entries,
    attrs_of,
    entries_of,
    function_of,
    joined,
    last_step,
    names_root,
    own,
    path_of,
    placed_as,
    reads_own,
    rewritten,
    root_of,
    selected,
)
from tvarc.light import Final, Sequence, TypeGuard, dataclass, replace
from tvarc.nix.language.syntax import (
    TRUE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixHas,
    NixIdent,
    NixIf,
    NixLambda,
    NixList,
    NixNot,
    NixSelect,
    NixString,
    elements,
    walk,
)


def alone(key: str, value: NixExpr) -> NixExpr:
    """*value* of a derivation without a previous *key*: an addition becomes the whole value."""
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
    """*value*, with one spelling for the package's own values that its texts read."""
    match value:
        case NixString(parts) if any(map(_is_own, parts)):
            return joined([_guarded(one) if _is_own(one) else one for one in parts])
        case NixApply(NixIdent("toString")) if _is_own(value):
            return joined([_guarded(value)])
        case NixBinary("++", left, right):
            return NixBinary("++", left if _is_own(left) else own_once(left), own_once(right))
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


def _bare(node: NixExpr) -> NixSelect:
    """The name of the package's own attribute *node*."""
    return NixSelect(NixIdent("@old"), (own(node) or "",))


def _guarded(node: NixExpr) -> NixExpr:
    """The same within a text, in the spelling of the language if the package may lack it."""
    if isinstance(node, NixSelect) and node.default is None:
        return node
    return NixApply(NixIdent("toString"), replace(_bare(node), default=NixString(("",))))


def _adds(key: str, value: NixExpr) -> bool:
    """Whether *value* is the package's own *key* with more in it."""
    match value:
        case NixBinary("//", left, NixAttrs()):
            return own(left) == key
        case _:
            return own(value) == key


def unsaid(attrs: Entries) -> set[str]:
    """The names of the *attrs* that settings cannot express. These replace values to which settings
    can only add, or read the final attributes, or another of them reads them."""
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
    """The package, changed by the *attrs* that settings cannot express; and the other
    attributes."""
    names = unsaid(attrs)
    if not names:
        return base, attrs
    kept: NixExpr = attrs_of([(key, value) for key, value in attrs if key in names])
    changed = function_of(kept, (("@self", "final"), ("@old", "old")))
    base = NixApply(selected(base, ("overrideAttrs",)), changed)
    return base, [(key, value) for key, value in attrs if key not in names]


def settings_of(attrs: Entries) -> Entries:
    """Attributes as settings by path. `meta = old.meta // { … }` becomes a setting for each key."""
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


def joint(node: NixExpr) -> tuple[Entries, NixExpr]:
    """The attributes that the set *node* has whatever its conditions are, each with these
    conditions in its value; and the set of the others, under their conditions. Raises NotWritten
    for a set that is not written out."""
    match node:
        case NixAttrs():
            return entries_of(node), NixAttrs(())
        case NixIf(condition, NixAttrs() as then, NixAttrs() as otherwise):
            return _under(condition, [], then, otherwise)
        case NixApply(NixApply(NixSelect(NixIdent("@lib"), ("optionalAttrs",)), condition), added):
            if isinstance(added, NixAttrs):
                return _under(condition, [], added, NixAttrs(()))
        case NixBinary("//", left, NixAttrs() as right):
            known, rest = joint(left)
            if rest == NixAttrs(()):
                return list({**dict(known), **dict(entries_of(right))}.items()), rest
        case NixBinary("//", NixAttrs() as left, right):
            known = entries_of(left)
            match right:
                case NixIf(condition, NixAttrs() as then, NixAttrs() as otherwise):
                    return _under(condition, known, then, otherwise)
                case NixApply(
                    NixApply(NixSelect(NixIdent("@lib"), ("optionalAttrs",)), condition),
                    NixAttrs() as added,
                ):
                    return _under(condition, known, added, NixAttrs(()))
                case _:
                    pass
        case _:
            pass
    raise NotWritten


def _under(
    condition: NixExpr, known: Entries, then: NixAttrs, otherwise: NixAttrs
) -> tuple[Entries, NixExpr]:
    """The attributes *known* with those of *then* over them if the *condition* holds, and those of
    *otherwise* if not: what `joint` returns."""
    before = dict(known)
    inner, outer = before | dict(entries_of(then)), before | dict(entries_of(otherwise))
    both = [
        (key, _either(condition, inner[key], outer[key])) for key in outer if key in inner
    ]
    first = attrs_of([one for one in inner.items() if one[0] not in outer])
    second = attrs_of([one for one in outer.items() if one[0] not in inner])
    rest: NixExpr = first
    if second.entries:
        rest = NixIf(condition, first, second)
    elif first.entries:
        optional = NixSelect(NixIdent("@lib"), ("optionalAttrs",))
        rest = NixApply(NixApply(optional, condition), first)
    return both, rest


def _either(condition: NixExpr, one: NixExpr, other: NixExpr) -> NixExpr:
    """*one* if the *condition* holds, else *other*. If one of them goes on where the other ends,
    only what it has more is under the condition."""
    if one == other:
        return one
    more, rest = _behind(one, other), _behind(other, one)
    if more is not None:
        return _with_more(other, condition, more)
    if rest is not None:
        return _with_more(one, NixNot(condition), rest)
    return NixIf(condition, one, other)


def _behind(longer: NixExpr, shorter: NixExpr) -> NixExpr | None:
    """The end of the text or the list *longer*, which begins as *shorter*; None if it does not."""
    match longer, shorter:
        case NixString((*parts,)), NixString((*before, last)) if parts[: len(before)] == before:
            first, *more = [*parts[len(before) :], ""]
            if isinstance(last, str) and isinstance(first, str) and first.startswith(last):
                return joined([first[len(last) :], *more])
            return joined(more) if first == last else None
        case NixList(items), NixList(before) if before and items[: len(before)] == before:
            return NixList(items[len(before) :])
        case NixBinary("+", begin, NixString() as more), _ if begin == shorter:
            return more
        case NixBinary("++", begin, more), _ if begin == shorter:
            return more
        case _:
            return None


def _with_more(node: NixExpr, condition: NixExpr, more: NixExpr) -> NixExpr:
    is_list = isinstance(more, NixList) or (isinstance(node, NixBinary) and node.op == "++")
    optional = NixSelect(NixIdent("@lib"), ("optionals" if is_list else "optionalString",))
    added = NixApply(NixApply(optional, condition), more)
    is_empty = node == NixString(("",))
    return added if is_empty else NixBinary("++" if is_list else "+", node, added)


_BUILDERS: Final = (
    "mkDerivation", "buildPythonPackage", "buildPythonApplication", "buildGoModule",
    "buildRustPackage", "buildNpmPackage",
)  # fmt: skip
"""Functions of nixpkgs that accept a function of the final attributes."""
_TOP_LEVEL: Final = ("@pkgs", "@caller", GIVEN_PKGS)
_MOST_SETTLED: Final = 8


class NotWritten(Exception):
    """A change does not return a literal set. It is kept unchanged."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A `package`, and the `arguments` and `attributes` that replace its own; and the function that
    makes it, if the reader evaluates its call."""

    package: NixExpr
    arguments: Entries
    attributes: Entries
    maker: NixExpr | None = None

    @property
    def settings(self) -> Entries:
        """The arguments and the attributes as settings by path."""
        given = [(f"args.{key}", one) for key, one in self.arguments]
        return given + settings_of(self.attributes)


class Changes:
    """Reads the changes of packages. `filled` has the files of functions with explicit arguments,
    besides those that callPackage passes."""

    methods: tuple[str, ...] = ("overrideAttrs",)
    """The methods of packages that change attributes."""
    __slots__ = ("_parser", "_reducer", "filled")

    def __init__(self, parser: RecipeParser, reducer: Reducer) -> None:
        self._parser = parser
        self._reducer = reducer
        self.filled: list[str] = []

    def of(self, node: NixExpr) -> Changed:
        """The package of *node*, and its changes."""
        match node:
            case NixApply(NixSelect(base, path, None) as method, argument) if self._is_method(
                path[-1]
            ):
                inner = selected(base, tuple([str(step) for step in path[:-1]]))
                before = self.of(placed_as(inner, method))
                try:
                    if path[-1] == "override":
                        given = {**dict(before.arguments), **dict(self._given(argument))}
                        return replace(before, arguments=list(given.items()))
                    after = self._over(before.attributes, self._applied(argument))
                    return replace(before, attributes=after)
                except NotWritten:
                    return Changed(node, [], [])
            case _:
                return self.start(node)

    def _is_method(self, name: str | NixExpr) -> bool:
        return name == "override" or name in self.methods

    def start(self, node: NixExpr) -> Changed:
        """The package *node*, which is not the result of one of its methods."""
        match node:
            case NixApply(NixApply(called, function), NixAttrs() as argument) if path_of(
                function
            ) is not None and _is_top_level(called):
                if argument.entries:
                    self.filled.append(path_of(function) or "")
                return Changed(function, entries_of(argument), [])
            case NixApply(NixApply(called, NixLambda() as function), argument) if (
                last_step(called) == "callPackage"
            ):
                return self.of(self._called(function, argument, called))
            case _:
                return Changed(node, [], [])

    def said(self, changed: Changed) -> Changed:
        """*changed* with only the attributes that settings can express. A literal derivation has
        only attributes. The other attributes become part of its package."""
        attrs = changed.attributes
        base = self._settled(changed.package, {key for key, _ in attrs})
        made, settings = self._from_scratch(base, attrs) or without_unsaid(base, attrs)
        return Changed(made, changed.arguments, self.own_once(settings))

    def own_once(self, attrs: Entries) -> Entries:
        """The settings *attrs*, with one spelling for additions to the package's own value, see the
        function `own_once`."""
        return [
            (key, value if key in SETS else self._parser.once(own_once, value))
            for key, value in attrs
        ]

    def _settled(self, base: NixExpr, changed: set[str]) -> NixExpr:
        """*base*. If its builder gets a function of the final attributes that reads only attributes
        which it defines and which are not *changed* later, the function is applied to them."""
        match base:
            case NixApply(builder, NixLambda(str()) as function) if last_step(builder) in _BUILDERS:
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
                        value = selected(known[key], tuple([str(step) for step in rest]))
                        return self._reducer.with_link(one, value)
                case _:
                    pass
            return None

        made: NixExpr = given
        for _ in range(_MOST_SETTLED):
            if not names_root(made, "@given"):
                return NixApply(builder, self._folded(made))
            made = rewritten(made, own_value)
        return base

    def _from_scratch(self, base: NixExpr, attrs: Entries) -> tuple[NixExpr, Entries] | None:
        """The attributes of a literal derivation, with *attrs* over them. None for a package with
        attributes of its own."""
        match base:
            case NixApply(builder, given) if last_step(builder) == "mkDerivation":
                pass
            case _:
                return None
        try:
            entries, rest = joint(given)
            made = self._over(entries, attrs)
        except NotWritten:
            return None
        if any(names_root(value, "@self") for _, value in made):
            return None
        # What a condition may give the derivation is its own, which later changes add to.
        sets = [one for one in walk([rest]) if isinstance(one, NixAttrs)]
        given_there = {key for one in sets for key, _ in entries_of(one)}
        if any(key in SETS and key in given_there for key, _ in made):
            return None
        return NixApply(builder, rest), [
            (key, value if key in given_there else alone(key, value)) for key, value in made
        ]

    def _called(self, function: NixExpr, argument: NixExpr, called: NixExpr) -> NixExpr:
        """The package that callPackage makes from a *function* in the recipe."""
        where = root_of(called)
        if not isinstance(function, NixLambda) or not isinstance(argument, NixAttrs):
            raise NotRead("it calls a package whose function or arguments are computed")
        assert where is not None
        given = dict(entries_of(argument))
        for formal in function.formals:
            if formal.name in given:
                continue
            if formal.default is not None:
                raise NotRead(f"nixpkgs may have `{formal.name}`, or not: then its default is used")
            path = (*where[1][:-1], formal.name)
            given[formal.name] = selected(NixIdent(where[0]), path)
        return self._reducer.call(function, attrs_of(list(given.items())))

    def _given(self, argument: NixExpr) -> Entries:
        if isinstance(argument, NixLambda):
            argument = self._reducer.call(argument, NixIdent("@given"))
            if names_root(argument, "@given"):
                raise NotWritten
        if not isinstance(argument, NixAttrs):
            raise NotWritten
        return entries_of(argument)

    def _over(self, before: Entries, body: Entries) -> Entries:
        """The attributes *before*, with *body* over them, which may read them. Raises NotWritten if
        *body* reads a set of all of them."""
        if not before:
            return [(key, self._folded(value)) for key, value in body]
        known = dict(before)

        def earlier(node: NixExpr) -> NixExpr | None:
            match node:
                case NixSelect(NixIdent("@old"), (str() as key, *rest), default):
                    default = rewritten(default, earlier) if default is not None else None
                    if key not in known:
                        return replace(node, default=default)
                    value = selected(known[key], tuple([str(step) for step in rest]), default)
                    return self._reducer.with_link(node, value)
                case NixHas(NixIdent("@old"), (str() as key, *rest)):
                    if key not in known:
                        return node
                    return NixHas(known[key], tuple(rest)) if rest else TRUE
                case NixIdent("@old"):
                    raise NotWritten
                case _:
                    return None

        changed = [(key, self._folded(rewritten(value, earlier))) for key, value in body]
        return list({**known, **dict(changed)}.items())

    def _folded(self, node: NixExpr) -> NixExpr:
        return self._reducer.reduce(node, NOWHERE)

    def applied_to(self, function: NixExpr, roots: Sequence[str]) -> NixExpr:
        """*function* applied to all of *roots* at once."""
        for root in roots:
            function = NixApply(function, NixIdent(root))
        return self._folded(function)

    def _applied(self, argument: NixExpr) -> Entries:
        """The attributes that `old: { … }` or `finalAttrs: old: { … }` returns."""
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
        return entries_of(argument)


def _is_top_level(node: NixExpr) -> bool:
    """Whether *node* is the callPackage of the top level of nixpkgs."""
    root = root_of(node)
    return root is not None and root[1] == ("callPackage",) and root[0] in _TOP_LEVEL
