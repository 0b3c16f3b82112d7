"""What the matrix says of a recipe, and what a recipe says otherwise."""

from __future__ import annotations

from tvarc.byhand.audit.model import RecipeFacts, Seen, canonical
from tvarc.light import Collection, Final, Mapping, Sequence, dataclass, field, replace
from tvarc.nix.language.syntax import NOWHERE, Extent

# What names and describes a build, and is no part of it.
NAMES: Final = ("attrs.pname", "attrs.name")
_WORDS: Final = ("meta.", "passthru.")
_KEPT: Final = "meta.platforms"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a recipe says otherwise: `code` is that of the finding it belongs to, `path`
    what it is about, `text` a clause for a person. `also` are more paths that it speaks of."""

    code: str
    path: str
    text: str
    place: Extent = NOWHERE
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """The facts that the matrix states of one cell, or those that several cells share. The cells
    differ at the paths in `varying`. `overlays` has the name of each overlay, by the paths that it
    changes."""

    facts: RecipeFacts
    varying: frozenset[str] = frozenset()
    named: bool = True
    overlays: Mapping[str, str] = field(default_factory=dict)

    def without(self, paths: Collection[str]) -> Expected:
        """The same, nothing being expected at *paths*."""
        return replace(self, facts=without(self.facts, paths), varying=self.varying.union(paths))


def builds(path: str) -> bool:
    """Whether a setting is part of the build, and not its name or a word on it."""
    return path == _KEPT or not (path in NAMES or path.startswith(_WORDS))


def agreed(cells: Sequence[RecipeFacts]) -> Expected:
    """What all of *cells*, at least one, say alike."""
    first = cells[0]
    varying: set[str] = set()
    for other in cells[1:]:
        for mine, theirs in ((first.settings, other.settings), (first.effects, other.effects)):
            varying |= {
                path
                for path in mine.keys() | theirs.keys()
                if _value(mine.get(path)) != _value(theirs.get(path))
            }
        if other.isa_flags != first.isa_flags:
            varying.add("flags")
        if (other.pin, other.package) != (first.pin, first.package):
            varying.add("pin" if other.pin != first.pin else "package")
        if other.needs != first.needs:
            varying.add("needs")
    return Expected(without(first, varying), frozenset(varying), named=False)


def without(facts: RecipeFacts, paths: Collection[str]) -> RecipeFacts:
    """*facts* without what stands at *paths*."""
    return replace(
        facts,
        settings={path: seen for path, seen in facts.settings.items() if path not in paths},
        effects={path: seen for path, seen in facts.effects.items() if path not in paths},
    )


def _value(seen: Seen | None) -> object:
    return canonical(seen.value) if seen is not None else Ellipsis
