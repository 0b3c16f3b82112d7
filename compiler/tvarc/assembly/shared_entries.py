"""The entries of a matrix in a file that holds all variants, made of fragments that they share.

They are the fragments of `assembly.matrix`, printed for where an entry stands. What is said of a
nixpkgs is lowered once for each combination of what the pin, the configuration and the overlays
depend on.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.assembly.gathered import Gathered, decided_again, fault_of, systems_of
from tvarc.assembly.matrix import Matrix
from tvarc.assembly.plain import Together
from tvarc.assembly.present import NotShareable, Present
from tvarc.backend.nix.collection import entry, overlays_need, shared_names
from tvarc.backend.nix.context import CALLER, Formals, Frame, Relative
from tvarc.elaborate.dependencies import (
    declarations,
    overlays_dependencies,
    pin_dependencies,
)
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.plan import GroupKey
from tvarc.light import Final, Iterable, Sequence, dataclass, replace
from tvarc.matrix.cells import Projection
from tvarc.nix.printer import print_entry_around
from tvarc.nix.quoting import attribute
from tvarc.nix.syntax import NixBinding, NixFormal
from tvarc.paths import LONGEST_NAME
from tvarc.sema.scope import NEEDS

_NARROW: Final = "a"
_WIDE: Final = "a" * (2 * LONGEST_NAME + 2)  # with quotes and what is escaped in them


@dataclass(frozen=True, slots=True)
class _Shared:
    """A nixpkgs as some variants import it, and the systems that they are for."""

    recipe: ir.Recipe
    names: tuple[NixBinding, ...]
    formals: Formals
    systems: tuple[str, ...]


def add_shared(
    gathered: Gathered, elaboration: Elaboration, present: Present, *, placeholders: bool
) -> None:
    """Add all variants of *present* to *gathered*. Raises NotShareable, with nothing added, where
    they have to be made one by one."""
    entries = _Entries(gathered)
    matrix = Matrix(
        elaboration,
        present,
        Together(entries.relative),
        placeholders=placeholders,
        around=entries.around,
    )
    projection, firsts = _firsts(elaboration, present, systems=gathered.form == "flake")
    shared: dict[int, _Shared] = {}
    for key, recipe in firsts.items():
        formals = Formals()
        names = shared_names(recipe, Together(entries.relative), formals)
        entries.formals.append(formals)
        if gathered.form == "flake" and fault_of(
            recipe, entries.all_formals(), entries.files, gathered.relative
        ):
            raise NotShareable  # which variant has it is told of each by itself
        shared[key] = _Shared(recipe, names, formals, systems_of(recipe))
    formals = entries.all_formals()
    gathered.note(formals)
    for batch, variants in present.batches():
        bodies = matrix.bodies(batch, variants)
        for key, name, body in zip(projection.keys(batch), variants, bodies, strict=True):
            one = shared[key]
            inner = gathered.is_inner(formals, pinned=bool(one.names))
            before = entries.before(inner=inner) + attribute(name).encode()
            text = b"".join((before, *body))
            gathered.put(one.recipe, one.names, formals, name, text)
            if gathered.form == "flake":
                gathered.put_in_systems(name, one.systems)


def _firsts(
    elaboration: Elaboration, present: Present, *, systems: bool
) -> tuple[Projection, dict[int, ir.Recipe]]:
    """The combinations of what decides which nixpkgs is imported, and with *systems* for which
    systems a variant is; of each the first recipe."""
    plan = elaboration.plan(present.built.matrix)
    needs = [(NEEDS, name) for name in plan.keys(NEEDS)]
    for more in ([], needs):
        projection = _shares(elaboration, present, more, systems=systems)
        found = {
            key: decided_again(elaboration, variant)
            for key, variant in present.firsts(projection).items()
        }
        reading = {overlays_need(recipe) for recipe in found.values()} if needs else {False}
        if len(reading) > 1:
            raise NotShareable  # what is needed stands here or there
        if more or reading == {False}:
            break
    return projection, found


def _shares(
    elaboration: Elaboration, present: Present, more: Sequence[GroupKey], *, systems: bool
) -> Projection:
    """The combinations of what decides which nixpkgs is imported, and what is said of *more*; with
    *systems* for which systems a variant is."""
    reads = elaboration.shared.reads
    plan = elaboration.plan(present.built.matrix)
    groups = [*[("config", key) for key in plan.config_keys()], *more]
    groups += [("overlays", "")] * (("overlays", "") in plan.groups)
    groups += [("meta", "platforms")] * (systems and ("meta", "platforms") in plan.groups)
    axes, name_dependent = plan.transitive_dependencies(groups, reads)
    if ("overlays", "") in plan.groups:
        named = declarations(plan)
        inner = overlays_dependencies(plan, named, elaboration.overlays, present.built.matrix)
        axes, name_dependent = axes | inner[0], name_dependent or inner[1]
    of_pin, pin_name_dependent = pin_dependencies(plan, elaboration.program.pins, reads)
    if name_dependent or pin_name_dependent:
        raise NotShareable
    return present.projection(axes | of_pin)


class _Entries:
    """Prints what stands around the settings of an entry, without its name; what it needs is
    gathered."""

    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered
        self.files: list[str] = []
        self.formals: list[Formals] = []

    def relative(self, file: str) -> str:
        """A file's path as seen from the file of all variants."""
        found = self._gathered.relative(file)
        self.files.append(found)
        return found

    def all_formals(self) -> Formals:
        """What all that was printed needs."""
        found = Formals()
        for one in self.formals:
            found.names |= one.names
            for name, default in one.defaults.items():
                if found.defaults.setdefault(name, default) != default:
                    raise NotShareable
        return found

    def before(self, *, inner: bool) -> bytes:
        """What stands before the name of an entry."""
        return b"\n" + b" " * self._gathered.indent(inner=inner)

    def around(
        self, recipe: ir.Recipe, relative: Relative, frame: Frame, formals: Iterable[NixFormal]
    ) -> tuple[list[bytes], list[tuple[str, int]]]:
        """What stands around the slots of *frame*. Raises NotShareable where that depends on how
        long the name is."""
        known = tuple(formals)
        narrow, slots = self._named(_NARROW, recipe, relative, frame, known)
        wide, others = self._named(_WIDE, recipe, relative, frame, known)
        if narrow != wide or slots != others:
            raise NotShareable
        return [text.encode() for text in narrow], slots

    def _named(
        self,
        name: str,
        recipe: ir.Recipe,
        relative: Relative,
        frame: Frame,
        formals: tuple[NixFormal, ...],
    ) -> tuple[list[str], list[tuple[str, int]]]:
        known = Formals.of(formals)
        made = entry(replace(recipe, variant=name), relative, known, frame=frame)
        if recipe.pin is None:  # what else it needs callPackage fills
            known = Formals.of([one for one in known.listed() if one.default is not None])
            known.names.add(CALLER)
        self.formals.append(known)
        inner = self._gathered.is_inner(known, pinned=recipe.pin is not None)
        texts, slots = print_entry_around(made, self._gathered.indent(inner=inner))
        length = len(self.before(inner=inner)) + len(name)
        return [texts[0][length:], *texts[1:]], slots
