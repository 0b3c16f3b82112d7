"""What a package is changed by: arguments and attributes that it is given instead of its own."""

from __future__ import annotations

from tvarc.blocks import SETS
from tvarc.byhand.reading.reduce import NotRead, Reducer
from tvarc.byhand.reading.scopes import NOWHERE
from tvarc.byhand.reading.settings import alone, own_once, without_unsaid
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import (
    Entries,
    attrs_of,
    entries_of,
    last_step,
    names_root,
    path_of,
    placed_as,
    rewritten,
    root_of,
    selected,
)
from tvarc.light import Final, Sequence, dataclass, replace
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixLambda,
    NixSelect,
)

_BUILDERS: Final = (
    "mkDerivation", "buildPythonPackage", "buildPythonApplication", "buildGoModule",
    "buildRustPackage", "buildNpmPackage",
)  # fmt: skip
"""Functions of nixpkgs that a function of the final attributes may be given to."""
_MOST_SETTLED: Final = 8


class NotWritten(Exception):
    """What a change makes of its package is not written out as a set: it is kept as it is."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A *package*, and the *arguments* and *attributes* that it is given instead of its own; and
    the function that makes it of these, where a reader looks into its call."""

    package: NixExpr
    arguments: Entries
    attributes: Entries
    maker: NixExpr | None = None


class Changes:
    """Reads what packages are changed by. Files of functions that are given arguments, other than
    those that callPackage finds, are `filled`."""

    methods: tuple[str, ...] = ("overrideAttrs",)
    """The methods of packages that change attributes."""
    __slots__ = ("_parser", "_reducer", "filled")

    def __init__(self, parser: RecipeParser, reducer: Reducer) -> None:
        self._parser = parser
        self._reducer = reducer
        self.filled: list[str] = []

    def of(self, node: NixExpr) -> Changed:
        """What package *node* is, and what changes it."""
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
        """The package that *node* is, which none of its methods makes."""
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
        """*changed* with those attributes alone that settings say: a derivation that is written out
        has nothing but attributes, and others are part of what is built."""
        attrs = changed.attributes
        base = self._settled(changed.package, {key for key, _ in attrs})
        made = self._from_scratch(base, attrs) or without_unsaid(base, attrs)
        return Changed(made[0], changed.arguments, made[1])

    def _settled(self, base: NixExpr, changed: set[str]) -> NixExpr:
        """*base*, where a builder is given a function of the final attributes that reads no other
        than those that are written there, and none that is *changed* later: given these."""
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
                        return selected(known[key], tuple([str(step) for step in rest]))
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
        """A derivation that is written out, and *attrs* over it: both are attributes of one.
        Nothing for a package that has attributes of its own."""
        match base:
            case NixApply(builder, NixAttrs() as given) if last_step(builder) == "mkDerivation":
                pass
            case _:
                return None
        made = self._over(entries_of(given), attrs)
        if any(names_root(value, "@self") for _, value in made):
            return None
        return NixApply(builder, NixAttrs(())), [(key, alone(key, value)) for key, value in made]

    def _called(self, function: NixExpr, argument: NixExpr, called: NixExpr) -> NixExpr:
        """What callPackage makes of a *function* that stands in the recipe."""
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
        """The attributes *before* with *body* over them, which reads these."""
        if not before:
            return [(key, self._folded(value)) for key, value in body]
        known = dict(before)

        def earlier(node: NixExpr) -> NixExpr | None:
            match node:
                case NixSelect(NixIdent("@old"), (str() as key, *rest), _) if key in known:
                    return selected(known[key], tuple([str(step) for step in rest]))
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
            (key, value if key in SETS else self._parser.once(own_once, value))
            for key, value in entries_of(argument)
        ]


def _is_top_level(node: NixExpr) -> bool:
    """Whether *node* is the callPackage of nixpkgs itself."""
    return root_of(node) in (("@pkgs", ("callPackage",)), ("@caller", ("callPackage",)))
