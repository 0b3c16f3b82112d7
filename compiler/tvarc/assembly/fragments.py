"""Fragments: the parts of a matrix's recipes that are printed by themselves, each once for each
combination of what it depends on."""

from __future__ import annotations

from tvarc import ir
from tvarc.assembly.present import NotShareable, Present
from tvarc.assembly.templates import Template, print_with_placeholders
from tvarc.backend.nix.context import Context, Formals
from tvarc.backend.nix.lower import Around, looked_at, lower_need, lower_overlays
from tvarc.backend.nix.settings import bindings, block_bindings, mentions_old, phase_order
from tvarc.backend.nix.values import OLD
from tvarc.blocks import BY_NAME, IN_PARTS, OF_PACKAGE
from tvarc.elaborate.decide import MOST_FRAGMENTS, Deciding
from tvarc.elaborate.dependencies import declarations, overlays_dependencies
from tvarc.elaborate.elaborate import Elaboration, config_of
from tvarc.elaborate.parts import check_age, decide_pin
from tvarc.elaborate.plan import GroupKey, Plan
from tvarc.light import TYPE_CHECKING, Callable, Collection, Final, cast, dataclass
from tvarc.matrix.cells import Projection
from tvarc.matrix.variants import Variant
from tvarc.nix.printer import map_of, print_element, print_entry
from tvarc.nix.syntax import NixBinding, NixCommented, NixFormal
from tvarc.sema.budget import OverBudget
from tvarc.sema.scope import NEEDS
from tvarc.values import DeclValue

if TYPE_CHECKING:
    from tvarc.assembly.mapped_text import FragmentProvenance

BLOCKS = tuple([block.name for block in OF_PACKAGE])


def blocks_of(age: ir.Age | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The blocks that are added to the package's own, which mentions `old`, and those of which each
    setting stands by itself: before there was `env` in nixpkgs, its variables did."""
    sets = [one.name for one in OF_PACKAGE if one.form == "set"]
    plain = [one.name for one in OF_PACKAGE if one.form == "attributes"]
    for name in [*sets]:
        since = BY_NAME[name].since
        if since and age is not None and age.knows(since) is False:
            sets.remove(name)
            plain.append(name)
    return tuple(sets), tuple(plain)


_FEW = 256
_TRACED: Final = 8  # to trace a fragment takes as long as so many evaluations


Nodes = tuple[NixBinding | NixCommented, ...]
ContextOf = Callable[[Deciding, Formals], Context]
Lowering = Callable[[Deciding, Formals], Nodes]


@dataclass(slots=True, eq=False)
class Facts:
    """What the frame around a fragment has to know of it: whether there is anything of it, whether
    it mentions `old`, the arguments that it needs of callPackage, and the places of the package
    set that are looked at because of it."""

    there: bool
    old: bool
    formals: frozenset[NixFormal]
    looked_at: tuple[tuple[ir.Path, str], ...]


class Fragment:
    """One setting, one script, all of `config` or all overlays: its slot, and how it is made.

    A `name_dependent` fragment depends on the variant's name in a way that only the variant itself
    shows. `provenance` is what is told of each combination where this is traced.
    """

    __slots__ = (
        "_lower",
        "_nodes",
        "elaboration",
        "facts",
        "group",
        "name_dependent",
        "projection",
        "provenance",
        "slot",
    )  # fmt: skip

    def __init__(
        self,
        slot: str,
        group: GroupKey,
        projection: Projection,
        name_dependent: bool,
        elaboration: Elaboration,
        lower: Lowering,
    ) -> None:
        self.slot = slot
        self.group = group
        self.projection = projection
        self.name_dependent = name_dependent
        self.elaboration = elaboration
        self._lower = lower
        self._nodes: dict[int, Nodes] = {}
        self.facts: dict[int, Facts] = {}
        self.provenance: dict[int, FragmentProvenance] = {}

    def nodes(self, variant: Variant) -> tuple[Nodes, Formals]:
        """The fragment of *variant*; raises Failed."""
        formals = Formals()
        return self._lower(self.elaboration.deciding(variant), formals), formals

    def learn(self, present: Present, *, old: bool) -> None:
        """Find out `facts` for each combination; *old* asks for mentions of `old` as well. Of a
        fragment that is `name_dependent` all different facts are found out."""
        if not self.name_dependent:
            shared = self.elaboration.shared
            for key, variant in present.variants(self.projection):
                self._nodes[key], self.facts[key], provenance = self._learn(variant, old=old)
                if provenance is not None:
                    self.provenance[key] = provenance
                if shared.decided_weight > MOST_FRAGMENTS:
                    raise NotShareable  # all of them at once are too much for a machine
            return
        found: dict[object, Facts] = {}
        for batch, names in present.batches():
            keys = self.projection.keys(batch)
            for key, cell, name in zip(keys, batch.cells, names, strict=True):
                _, facts, provenance = self._learn(Variant(present.built, cell, name), old=old)
                found[facts.there, facts.old, facts.formals, facts.looked_at] = facts
                if provenance is not None:
                    self.provenance[key] = provenance
            self.forget()
        self.elaboration.shared.decided_weight = 0  # nothing of it is kept
        self.facts = dict(enumerate(found.values()))

    def _learn(
        self, variant: Variant, *, old: bool
    ) -> tuple[Nodes, Facts, FragmentProvenance | None]:
        nodes, formals = self.nodes(variant)
        mentions = old and mentions_old([node.value for node in nodes])
        facts = Facts(bool(nodes), mentions, frozenset(formals.listed()), formals.looked_at)
        if self.elaboration.tracing is None:
            return nodes, facts, None
        from tvarc.assembly.mapped_text import fragment_provenance

        try:
            self.elaboration.shared.total.evaluations(_TRACED)
        except OverBudget:
            raise NotShareable from None
        deciding = self.elaboration.deciding(variant)
        told = fragment_provenance(self.elaboration, deciding, self.slot, self.group, formals)
        return nodes, facts, told

    def is_certain(self) -> bool:
        return all(facts.there for facts in self.facts.values())

    def is_even(self, of: Callable[[Facts], object]) -> bool:
        """Whether *of* says the same of each combination."""
        return len(set(map(of, self.facts.values()))) <= 1

    def templates(self, indent: int, placeholders: Collection[str]) -> dict[int, Template]:
        """The fragment printed for each combination; raises Unsteady."""
        traced = self.elaboration.tracing is not None
        found = {
            key: printed(nodes, indent, placeholders, traced=traced)
            for key, nodes in self._nodes.items()
        }
        self._nodes.clear()
        self.forget()
        return found

    def forget(self) -> None:
        """Drop decisions that this fragment is made of; a few stay, for lints that look at them."""
        decided = self.elaboration.shared.decided.get(self.group, {})
        for plan in [plan for plan, known in decided.items() if len(known) > _FEW]:
            del decided[plan]


def printed(
    nodes: Nodes, indent: int, placeholders: Collection[str], *, traced: bool = False
) -> Template:
    """Entries of a set or elements of a list as they stand in a slot; where they are *traced*, as
    mapped texts. Raises Unsteady."""

    def print_all(change: Callable[[object], object]) -> str:
        changed = cast("Nodes", change(nodes))
        return "".join([_printed(node, indent) for node in changed])

    texts, found = print_with_placeholders(print_all, placeholders)
    if not traced:
        return texts, found
    from tvarc.assembly.mapped_text import split_at, summed_maps

    return split_at(texts, summed_maps([map_of(node, indent) for node in nodes])), found


def _printed(node: NixBinding | NixCommented, indent: int) -> str:
    match node:
        case NixBinding():
            return print_entry(node, indent)
        case _:
            return print_element(node, indent)


# --- the fragments of a plan ------------------------------------------------------------------


def fragments_of(
    plan: Plan,
    elaboration: Elaboration,
    present: Present,
    context_of: ContextOf,
    bare: ContextOf,
    always: frozenset[str] = frozenset(),
) -> list[Fragment]:
    """All fragments, those of one slot in the order in which they stand in it.

    `context_of` is where the settings stand, `bare` where the overlays do. All depend on the axes
    *always*.
    """
    reads = elaboration.shared.reads
    found: list[Fragment] = []

    def add(
        slot: str, group: GroupKey, others: tuple[frozenset[str], bool], made: Lowering
    ) -> None:
        axes, name_dependent = plan.transitive_dependencies([group], reads)
        projection = present.projection(axes | others[0] | always)
        found.append(
            Fragment(slot, group, projection, name_dependent or others[1], elaboration, made)
        )

    nothing: tuple[frozenset[str], bool] = (frozenset(), False)
    for block in BLOCKS:
        keys = plan.keys(block)
        for key in sorted(keys, key=phase_order) if block in IN_PARTS else keys:
            add(block, (block, key), nothing, _lowering((block, key), context_of))
    for name in plan.keys(NEEDS):
        group = (NEEDS, name)
        add(NEEDS, group, nothing, _lowering_need(name, elaboration, bare))
    keys = plan.config_keys()
    if keys:
        config = plan.transitive_dependencies([("config", key) for key in keys], reads)
        add("config", ("pin", ""), config, _lowering_config(context_of))
    if ("overlays", "") in plan.groups:
        named = declarations(plan)
        inner = overlays_dependencies(plan, named, elaboration.overlays, present.built.matrix)
        add("overlays", ("overlays", ""), inner, _lowering_overlays(named, elaboration, bare))
    return found


def _lowering(group: GroupKey, context_of: ContextOf) -> Lowering:
    def lower(deciding: Deciding, formals: Formals) -> Nodes:
        setting = deciding.decide(group)
        if setting is None:
            return ()
        return block_bindings(group[0], (setting,), context_of(deciding, formals))

    return lower


def _lowering_need(name: str, elaboration: Elaboration, context_of: ContextOf) -> Lowering:
    def lower(deciding: Deciding, formals: Formals) -> Nodes:
        need = elaboration.needs.need(deciding, name)
        if need is None:
            return ()
        around = Around(None, (), ())
        if need.recipe is not None:
            pin = decide_pin(deciding, elaboration.pins)
            overlays = elaboration.overlays.decide(deciding)
            around = Around(pin, config_of(deciding), overlays)
        return (lower_need(need, around, context_of(deciding, formals)),)

    return lower


def _lowering_config(context_of: ContextOf) -> Lowering:
    def lower(deciding: Deciding, formals: Formals) -> Nodes:
        return bindings(config_of(deciding), context_of(deciding, formals), OLD)

    return lower


def _lowering_overlays(
    named: set[str], elaboration: Elaboration, context_of: ContextOf
) -> Lowering:
    def lower(deciding: Deciding, formals: Formals) -> Nodes:
        listed = deciding.decide(("overlays", ""))
        for element in listed.elements or () if listed is not None else ():
            if not isinstance(element.value, DeclValue) or element.value.id not in named:
                raise NotShareable  # it is not known what it depends on
        overlays = elaboration.overlays.decide(deciding)
        formals.looked_at = looked_at(overlays)
        for overlay in overlays:
            check_age(overlay, context_of(deciding, formals).age, elaboration.sink)
        return tuple(lower_overlays(overlays, context_of(deciding, formals)))

    return lower
