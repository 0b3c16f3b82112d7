"""Several recipes as one file for Nix to evaluate: a set in which each has its name, as in an
output of the form `all`. The caller chooses the recipes, not an output of the program."""

from __future__ import annotations

from tvarc.build.assembly.gathered import Gathered, Part, systems_of
from tvarc.build.assembly.mapped_text import summed
from tvarc.build.assembly.places import Places
from tvarc.light import TYPE_CHECKING, Final, Iterable, Sequence, dataclass, replace
from tvarc.nix import ir
from tvarc.nix.lower.context import Traced

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

_USUAL_SYSTEM: Final = "x86_64-linux"


@dataclass(frozen=True, slots=True)
class Together:
    """A file of several recipes.

    - `called`: whether it takes packages from the nixpkgs that it is called with.
    - `groups`: the names of the variants, in a group for each nixpkgs.
    - `made`, `around`, `variants`: for traced recipes, for each line: the source lines of its
      values, those of the text around them, and its variant, "" for none.
    """

    text: str
    called: bool
    groups: tuple[tuple[str, ...], ...]
    made: tuple[Lines, ...] = ()
    around: tuple[Lines, ...] = ()
    variants: tuple[str, ...] = ()


def together(
    recipes: Sequence[ir.Recipe], source: str, entry: str, traced: Traced | None = None
) -> Together:
    """The file of *recipes*. `source` is the path of the program from its own folder. With
    *traced*, it has its map; the recipes must then be traced."""
    found = _gathered(recipes, source, entry, traced)
    parts = found.parts((), "")
    texts = [part.text for part in parts]
    whole = Together(b"".join(texts).decode(), found.called, found.groups())
    if traced is None:
        return whole
    lines = summed(texts)
    made, around = tuple([one for one, _ in lines]), tuple([one for _, one in lines])
    return replace(whole, made=made, around=around, variants=owners(parts, 1))


def owners(parts: Iterable[Part], before: int) -> tuple[str, ...]:
    """The variant of each line of *parts*, "" for none, after *before* lines that have none. A part
    begins at a line end."""
    found = [""] * before
    for part in parts:
        found += [part.variant] * part.text.count(b"\n")
    return tuple(found)


def _gathered(
    recipes: Sequence[ir.Recipe], source: str, entry: str, traced: Traced | None
) -> Gathered:
    relative = Places(source, "", entry)
    found = Gathered("all", relative, traced)
    for recipe in recipes:
        found.add(recipe)
    parted = found.parted()
    if parted:
        found = Gathered("all", relative, traced, parted)
        for recipe in recipes:
            found.add(recipe)
    return found


def system_of(recipe: ir.Recipe) -> str:
    """The system for which *recipe* is evaluated: the usual one, or else the first of its systems.
    """
    systems = systems_of(recipe)
    return _USUAL_SYSTEM if _USUAL_SYSTEM in systems else systems[0]
