"""Recipes without one of their settings. A derivation without a setting shows what the setting
does."""

from __future__ import annotations

from tvarc.blocks import BUILT, IN_PARTS
from tvarc.light import Callable, Final, Iterator, Literal, Sequence, dataclass, replace
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import marked
from tvarc.text.source import Span
from tvarc.values.value import NixPart, NixSource, Value, show, values_in

Kind = Literal[
    "overlay", "removal", "element", "setting", "config", "argument", "script", "hash"
]
_GUARDS: Final = frozenset(
    [
        "allowBroken", "allowInsecurePredicate", "allowNonSource", "allowNonSourcePredicate",
        "allowUnfree", "allowUnfreePackages", "allowUnfreePredicate", "allowUnsupportedSystem",
        "allowlistedLicenses", "blacklistedLicenses", "blocklistedLicenses", "checkMeta",
        "checkMetaRecursively", "handleEvalIssue", "handleEvalWarning", "inHydra",
        "permittedInsecurePackages", "showDerivationWarnings", "warnUndeclaredOptions",
        "whitelistedLicenses",
    ]
)  # fmt: skip
"""Keys of `config` that allow or forbid packages and change none. nixpkgs reads some of them only
for a package that it might forbid. Sources: `pkgs/stdenv/generic/check-meta.nix` and
`pkgs/top-level/config.nix` of nixpkgs."""
CONDITIONAL: Final = frozenset(
    ["checkInputs", "installCheckInputs", "nativeCheckInputs", "nativeInstallCheckInputs"]
)
"""Attributes that nixpkgs passes to a builder only if the build runs its checks."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a recipe that can be left out: its place, its name, and its setting. For an overlay
    it also has the declaration. A part inside an overlay has the place of that overlay in `within`.
    """

    SHOWN = ("span", "kind", "name")
    KEYS = (("span", ""),)

    kind: Kind
    name: str
    span: Span
    path: ir.Path
    value: str = ""
    declared: Span | None = None
    within: Span | None = None

    @property
    def key(self) -> object:
        """A key that is equal in all variants that have the part from the same line. For an overlay
        it does not depend on where the overlay is listed."""
        if self.declared is not None:
            return (self.kind, self.declared)
        return (self.kind, self.path, self.span, self.value, self.within)


def overlays_of(recipe: ir.Recipe) -> Iterator[Part]:
    """The overlays and patches that *recipe* lists."""
    for one in recipe.overlays:
        yield Part("overlay", one.name, one.listed.span, ("overlays",), declared=one.declared)


def removals_of(recipe: ir.Recipe) -> Iterator[Part]:
    """The `-=` in *recipe* that remove elements of lists that only Nix knows."""
    for changes, _, within in changes_of(recipe):
        for setting in changes.built():
            for element in _removed(setting):
                yield _removal(setting, element, within)


def culprits_of(recipe: ir.Recipe) -> Iterator[Part]:
    """Everything except the name that *recipe* adds to its package, with each element of a list on
    its own. Before it what its overlays add to other packages, and these overlays as a whole: an
    overlay that breaks a package is the cause, and not the setting that uses the package."""
    (own, _, within), *others = changes_of(recipe)
    for changes, _, of_overlay in others:
        yield from _culprits(changes, of_overlay)
    for one in overlays_of(recipe):
        yield one if one.declared is None else replace(one, span=one.declared)
    yield from _culprits(own, within)


def _culprits(changes: ir.Changes, within: Span | None) -> Iterator[Part]:
    for setting in changes.built():
        if setting.elements is None and setting.key not in ("name", "pname", "version"):
            yield _whole(setting, within)
        for element in setting.elements or ():
            yield _element(setting, element, within)
    for script in changes.scripts:
        for part in script.parts:
            if part.origin is not None:
                yield _script(script, part.origin.span, within)


def without(recipe: ir.Recipe, parts: Sequence[Part]) -> ir.Recipe:
    """*recipe* without *parts*. The settings around them stay as they are."""
    keys = {part.key for part in parts}
    overlays = [
        replace(overlay, changes=_kept(overlay.changes, keys, overlay.declared))
        for overlay, part in zip(recipe.overlays, overlays_of(recipe), strict=True)
        if part.key not in keys
    ]
    frame = replace(recipe.frame, overlays=tuple(overlays))
    return replace(recipe, frame=frame, changes=_kept(recipe.changes, keys, None))


def _kept(changes: ir.Changes, keys: set[object], within: Span | None) -> ir.Changes:
    """*changes* without the parts with these *keys*; the same object if it has none of them."""

    def left(setting: ir.Setting) -> tuple[ir.Setting, ...]:
        found = _without(setting, keys, within)
        return (found,) if found is not None else ()

    def is_left(script: ir.Setting) -> bool:
        return not any(
            _script(script, part.origin.span, within).key in keys
            for part in script.parts
            if part.origin is not None
        )

    kept: list[ir.Setting] = []
    for setting in changes.settings:
        if setting.path[0] in BUILT:
            kept += left(setting)
        elif setting.path[0] not in IN_PARTS or is_left(setting):
            kept.append(setting)
    return ir.Changes.to(kept, changes.unset)


def readable_of(recipe: ir.Recipe) -> Iterator[Part]:
    """The settings of *recipe* that nixpkgs may or may not read: keys of `config`, arguments, and
    lists for checks. Arguments and lists are those of the package and of packages that overlays
    change. A list that adds to an argument of the package itself is left out, since it does not
    show who reads it."""
    for setting in recipe.config:
        if setting.key not in _GUARDS and _can_mark(setting):
            yield Part("config", setting.key, setting.origin.span, setting.path)
    for changes, _, within in changes_of(recipe):
        for setting in changes.args:
            if _is_whole(setting) and _can_mark(setting):
                yield _readable("argument", setting, within)
        for setting in changes.attrs:
            if setting.key in CONDITIONAL and len(setting.path) == 2:
                yield _readable("setting", setting, within)


def with_marks(recipe: ir.Recipe, number_of: Callable[[Part], int | None]) -> ir.Recipe:
    """*recipe* with a mark in each setting of `readable_of` that has a number; see `_marked`."""
    numbers = {(part.path, part.within): number_of(part) for part in readable_of(recipe)}

    def marks(settings: tuple[ir.Setting, ...], within: Span | None) -> tuple[ir.Setting, ...]:
        return tuple([_marked(one, numbers.get((one.path, within))) for one in settings])

    def changed(changes: ir.Changes, within: Span | None) -> ir.Changes:
        return ir.Changes.to(marks(changes.settings, within), changes.unset)

    overlays = [
        replace(one, changes=changed(one.changes, one.declared)) for one in recipe.overlays
    ]
    frame = replace(recipe.frame, config=marks(recipe.config, None), overlays=tuple(overlays))
    return replace(recipe, frame=frame, changes=changed(recipe.changes, None))


def _can_mark(setting: ir.Setting) -> bool:
    """Whether a mark can be put before the value. It cannot if the value contains Nix text, which
    may end in a comment and has lines of its own."""
    if setting.elements is not None:
        return True
    if setting.children is not None:
        return all(map(_can_mark, setting.children))
    return isinstance(setting.value, NixSource) or not any(
        isinstance(one, NixSource) for one in values_in(setting.value)
    )


def _is_whole(setting: ir.Setting) -> bool:
    added = setting.extends or setting.head is not None
    return not added and setting.children is None


def _marked(setting: ir.Setting, number: int | None) -> ir.Setting:
    """*setting* with a value that prints *number* when Nix reads it."""
    if number is None:
        return setting
    if setting.elements is not None:
        # Nix reads the elements when it reads the list.
        first = ir.Element(NixSource((f"{marked(number)}[ ]",)), setting.origin, spread=True)
        return replace(setting, elements=(first, *setting.elements))
    if setting.children is not None:
        return replace(setting, children=tuple([_marked(one, number) for one in setting.children]))
    value = setting.value
    if isinstance(value, NixSource):
        text = (f"{marked(number)}(", *value.parts, "\n)")
        return replace(setting, value=replace(value, parts=text))
    return replace(setting, value=NixSource((marked(number), NixPart(value, "code", False))))


def _removed(setting: ir.Setting) -> Iterator[ir.Element]:
    yield from setting.removed
    for element in setting.elements or ():
        yield from element.removed


def changes_of(recipe: ir.Recipe) -> Iterator[tuple[ir.Changes, ir.Path, Span | None]]:
    """The changes that *recipe* makes to its own package, and those that its overlays make to
    others. Each comes with the path of the other package, and the place of the overlay's
    declaration."""
    yield recipe.changes, (), None
    for overlay in recipe.overlays:
        if overlay.relation == "for":
            yield overlay.changes, overlay.target, overlay.declared


def _readable(kind: Kind, setting: ir.Setting, within: Span | None) -> Part:
    return Part(kind, setting.key, setting.origin.span, setting.path, within=within)


def _whole(setting: ir.Setting, within: Span | None) -> Part:
    return _readable("setting", setting, within)


def _removal(setting: ir.Setting, element: ir.Element, within: Span | None) -> Part:
    shown, span = show(element.value), element.origin.span
    return Part("removal", setting.key, span, setting.path, shown, within=within)


def _element(setting: ir.Setting, element: ir.Element, within: Span | None) -> Part:
    shown, span = show(element.value), element.origin.span
    return Part("element", setting.key, span, setting.path, shown, within=within)


def _script(script: ir.Setting, span: Span, within: Span | None) -> Part:
    return Part("script", script.key, span, script.path, within=within)


def _without(
    setting: ir.Setting, keys: set[object], within: Span | None
) -> ir.Setting | None:
    if _whole(setting, within).key in keys:
        return None
    if setting.elements is None:
        return setting

    def left(removed: tuple[ir.Element, ...]) -> tuple[ir.Element, ...]:
        return tuple([one for one in removed if _removal(setting, one, within).key not in keys])

    elements = [one for one in setting.elements if _element(setting, one, within).key not in keys]
    values: tuple[Value, ...] = tuple([one.value for one in elements])
    return replace(
        setting,
        value=values if isinstance(setting.value, tuple) else setting.value,
        elements=tuple([replace(one, removed=left(one.removed)) for one in elements]),
        removed=left(setting.removed),
    )
