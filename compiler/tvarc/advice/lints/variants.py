"""The lint on variants that are one build: a number for everything that goes into a derivation."""

from __future__ import annotations

from itertools import pairwise

from tvarc.advice.lints.model import KEPT, Finding, lint
from tvarc.blocks import IN_PARTS
from tvarc.light import Final, Iterator, dataclass
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.value import NixText, Value, show

# Attributes in which builds differ only by name.
_NAMES: Final = ("pname", "name")
# The only entry of `meta` that affects a build: it decides where the package is built.
_META: Final = ("platforms", "badPlatforms", "hydraPlatforms")


@dataclass(frozen=True, slots=True)
class Same:
    """A variant that is the same build as an earlier one, each with the place of its matrix."""

    name: str
    first: str
    span: Span
    first_span: Span


class Builds:
    """The known builds: two numbers and a name for each.

    Two variants are one build when these are equal: the package, the pin, the scope, `config`, the
    effects of the overlays, and the arguments, attributes, environment and scripts. The names of
    the derivation (`pname`, `name`) do not count. `passthru` and `meta` are no part of a derivation
    and do not count either, except `meta.platforms`, which decides where it is built.
    """

    __slots__ = ("matrices", "names", "numbers", "places", "spans")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.places: list[int] = []
        self.names: list[str] = []
        self.matrices: dict[int, int] = {}
        self.spans: list[Span] = []

    def add(self, recipe: ir.Recipe, number: int) -> None:
        place = self.matrices.get(id(recipe.matrix_span))
        if place is None:
            place = self.matrices[id(recipe.matrix_span)] = len(self.spans)
            self.spans.append(recipe.matrix_span)
        self.numbers.append(number)
        self.places.append(place)
        self.names.append(recipe.variant)

    def doubles(self) -> Iterator[Same]:
        """Every variant that is the same build as an earlier one, in order."""
        ordered = sorted(self.numbers)
        twice = {one for one, next in pairwise(ordered) if one == next}
        first: dict[int, int] = {}
        for this, number in enumerate(self.numbers if twice else ()):
            if number not in twice:
                continue
            that = first.setdefault(number, this)
            if that != this:
                yield Same(self.names[this], self.names[that], self._span(this), self._span(that))

    def _span(self, index: int) -> Span:
        return self.spans[self.places[index]]


@lint(
    "W114",
    "same-build",
    "two variants are the same build",
    "two variants are the same build under two names",
)
def same_build(builds: Builds) -> Iterator[tuple[str, Finding]]:
    """Two variants that differ only in name.

    Each finding comes with the name of its variant.
    """
    for same in builds.doubles():
        other = (same.first_span, f"makes {same.first}")
        yield (
            same.name,
            Finding(
                same.span,
                f"makes {same.name}",
                f"it differs from {same.first} only in its name",
                "change the settings of one of them, or remove one",
                (other,) if same.first_span != same.span else (),
            ),
        )


def is_built(block: str, key: str) -> bool:
    """Whether settings of *key* in *block* change the build."""
    match block:
        case "attrs":
            return key not in _NAMES
        case "meta":
            return key in _META
        case _:
            return block != "passthru"


class NumberOf:
    """A number of 64 bits for the build of a variant. Equal builds have equal numbers. Two
    different builds have equal numbers with a chance of less than one in 10^12. Recipes share
    settings, so each setting is read once.
    """

    __slots__ = ("kept", "known")

    def __init__(self) -> None:
        self.known: dict[int, int] = {}
        self.kept: list[object] = []  # an identity belongs to one object while the object is alive

    def __call__(self, recipe: ir.Recipe) -> int:
        changes = recipe.changes
        parts: list[ir.Setting] = [recipe.package, *recipe.config]
        parts += [recipe.scope] if recipe.scope is not None else []
        parts += [one for one in changes.settings if is_built(one.path[0], one.key)]
        known = self.known
        found: list[object] = [known.get(id(one)) or self.number(one) for one in parts]
        for overlay in recipe.overlays:
            found += self._overlay(overlay)
        found += self._pin(recipe.pin)
        found += [self._need(need) for need in recipe.needs]
        return hash(tuple(found))

    def of(self, part: object) -> int:
        """The number of one or more parts of a recipe. Builds differ if one of these numbers
        differs. No parts have the number 0."""
        match part:
            case None:
                return 0
            case ir.Setting():
                return self.known.get(id(part)) or self.number(part)
            case ir.Overlay():
                return hash(tuple(self._overlay(part)))
            case ir.Pin():
                return hash(self._pin(part))
            case ir.Need():
                return self._need(part)
            case tuple():
                return hash(tuple([self.of(one) for one in part])) if part else 0
            case _:
                raise TypeError(part)

    def _pin(self, pin: ir.Pin | None) -> tuple[object, ...]:
        if pin is None:
            return ()
        platforms = [self.of(pin.local_system), self.of(pin.cross_system)]
        return (pin.url, pin.path, pin.hash, *platforms)

    def _need(self, need: ir.Need) -> int:
        """For a variant, its identity. For another recipe, everything that it builds."""
        inner = self(need.recipe) if need.recipe is not None else 0
        return hash((need.name, self.of(need.setting), inner))

    def _overlay(self, overlay: ir.Overlay) -> list[object]:
        changes, known = overlay.changes, self.known
        found: list[object] = [overlay.relation, overlay.target, overlay.via]
        parts: list[ir.Setting] = [*changes.settings, *overlay.patch]
        found += [known.get(id(one)) or self.number(one) for one in parts]
        return found

    def number(self, part: ir.Setting) -> int:
        """Compute the number of a part; never 0."""
        text = _setting(part)
        if len(self.kept) >= KEPT:
            self.known.clear()
            self.kept.clear()
        made = hash(text) or 1
        self.known[id(part)] = made
        self.kept.append(part)
        return made


def _setting(setting: ir.Setting) -> str:
    """The text of *setting*. The texts of two settings differ if Nix would get different values."""
    words = [".".join(setting.path), "+" if setting.extends else "="]
    if setting.path[0] in IN_PARTS:
        words.append(_script(setting))
    elif setting.children is not None:
        words += ["{", *(_setting(child) for child in setting.children), "}"]
    else:
        words.append(show(setting.value))
    if setting.head is not None:
        words += ["head", show(setting.head)]
    words += (f"- {show(one.value)}" for one in setting.removed)
    for number, element in enumerate(setting.elements or ()):
        if element.spread:
            words += [f"list {number}", *(f"- {show(one.value)}" for one in element.removed)]
    return "\0".join(words)


def _script(script: ir.Setting) -> str:
    return "".join([_part(part.text) for part in script.parts])


def _part(text: Value) -> str:
    """The text of a part; a mark for the package's own script."""
    if text is None:
        return "\0old\0"
    return show(text) if isinstance(text, NixText) else str(text)
