"""The machines of a list, and the variants that none of them builds."""

from __future__ import annotations

from tvarc.commands import messages as msg
from tvarc.commands.evaluation.text import all_of, label, many, named, quoted
from tvarc.farm.realise.machines import Builders, Machine, machines_in, takers
from tvarc.farm.realise.store import Here, StoreRefused, settings
from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.derivation import may_be, name_of
from tvarc.nix.judge.graph import Graph, RunsWith
from tvarc.nix.judge.model import Unplaced
from tvarc.nix.judge.nix import NotInstalled, refuse_missing
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span, UnreadableSource

_MACHINES: Final = 12


@dataclass(frozen=True, slots=True)
class Farm:
    """The machines that a file lists, and this one."""

    builders: Builders
    here: Here


def unplaced(
    recipes: Mapping[str, ir.Recipe],
    derivations: Mapping[str, str],
    graph: Graph,
    farm: Farm,
) -> Iterator[Unplaced]:
    """The variants that no machine of *farm* builds: their own *derivations*, or packages of their
    overlays that they run with. All other inputs may come from a cache."""
    found: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    machines = farm.builders.machines
    for name, path in derivations.items():
        reached = (one for one in RunsWith(graph, path) if overlays_for(recipes[name], one))
        for made in (path, *reached):
            one = graph.get(made)
            if one is not None and not takers(machines, farm.here, one.system, one.features):
                through = "" if made == path else made
                found.setdefault((one.system, one.features, through), []).append(name)
                break
    for (system, features, through), names in found.items():
        span = asking(recipes[names[0]], through)
        yield Unplaced(tuple(names), system, features, span, through)


def asking(recipe: ir.Recipe, through: str = "") -> Span:
    """The place of the required features in *recipe*, or else of its package. With *through*, a
    derivation on which it depends, the place of the overlay for that derivation, if there is one.
    """
    if not through:
        return _features(recipe.changes) or recipe.package.origin.span
    for one in overlays_for(recipe, through):
        return _features(one.changes) or one.listed.span
    return recipe.package.origin.span


def _features(changes: ir.Changes) -> Span | None:
    asked = (one for one in changes.attrs if one.key == "requiredSystemFeatures")
    return next((one.origin.span for one in asked), None)


def overlays_for(recipe: ir.Recipe, derivation: str) -> list[ir.Overlay]:
    """The overlays of *recipe* for the package that *derivation* may be."""
    name = name_of(derivation).removesuffix(".drv")
    return [
        one
        for one in recipe.overlays
        if one.relation == "for" and one.target and may_be(name, one.target[-1])
    ]


def refuse_missing_nix(sink: Sink, wants: str, fault: NotInstalled) -> None:
    help_ = "install all programs of Nix: `nix-instantiate`, `nix-store` and `nix`"
    refuse_missing(sink, wants, help_, *map(str, fault.args))


def listed_machines(file: str, sink: Sink) -> Builders | None:
    """The machines that *file* lists; None after reporting that it cannot be read."""
    try:
        builders = machines_in(file)
    except UnreadableSource as fault:
        report_bad_machines(file, fault.reason, sink)
        return None
    for one in builders.bad:
        report_bad_machines(f"{one.file}:{one.line}", one.because, sink)
    return builders


def farm_of(builders: Builders, sink: Sink) -> Farm | None:
    """The *builders* and this machine; None after reporting that Nix does not say what it builds.
    """
    try:
        return Farm(builders, settings())
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink)
    except NotInstalled as fault:
        refuse_missing_nix(sink, "finding what this machine builds", fault)
    return None


def report_bad_machines(where: str, because: str, sink: Sink) -> None:
    """Report that a list of machines, or a line of one, cannot be used."""
    sink.report(msg.builds.BAD_MACHINES, where=where, reason=because)


def report_refusing_store(words: str, sink: Sink, store: str = "") -> None:
    """Report that a store refuses a request, in its own *words*."""
    which = f"store `{store}`" if store else "Nix store"
    sink.report(msg.builds.STORE_REFUSES, store=which, said=quoted(words))


def report_unplaced(
    found: Iterable[Unplaced],
    machines: Sequence[Machine],
    builders: str | None,
    sink: Sink,
) -> None:
    """Report the builds that no machine takes. The *machines* are those of the file *builders*, or
    of Nix's settings."""
    listed = [_machine_line(one) for one in machines[:_MACHINES]]
    if len(machines) > _MACHINES:
        listed.append(f"and {len(machines) - _MACHINES} more")
    whose = f"the machines of `{builders}`" if builders is not None else "the other machines"
    among = "\n".join([f"{whose} are:", *(f"  {line}" for line in listed)])
    for one in found:
        asks = f", and requires {all_of(one.features)}" if one.features else ""
        made_of = label(one.through)
        needs = "needs" if len(one.variants) == 1 else "need"
        what = f"`{made_of}`, which {many(one.variants)} {needs}" if made_of else ""
        sink.report(
            msg.builds.NO_MACHINE,
            one.span,
            what=what or many(one.variants),
            its="its" if what else "the",
            target=one.system + asks,
            notes=(
                among if listed else "this machine cannot build it, and no other is listed",
                *named(one.variants),
            ),
        )


def _machine_line(one: Machine) -> str:
    systems = ", ".join(sorted(one.systems)) or "the system of this machine"
    features = ", ".join(sorted(one.features | one.mandatory)) or "no features"
    idle = "; no jobs at a time" if one.idle else ""
    return f"{one.address}: {systems}; {features}{idle}"
