"""Stacks: the variants of a program that need each other."""

from __future__ import annotations

from tvarc.decide.elaborate import Elaboration
from tvarc.light import Iterable, Iterator, Sequence
from tvarc.matrix.expand import Expansion
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import Value, same

Key = tuple[str, int]
"""A variant: the id of its matrix, and its cell."""


def key_of(variant: Variant) -> Key:
    return (variant.matrix.id, variant.cell)


class Stack:
    """The links between the variants of one program. Each is found when it is first read. Faults of
    needs are reported to the sink of the elaboration. A variant with a fault has no links."""

    __slots__ = ("_direct", "_elaboration", "_matrices")

    def __init__(self, elaboration: Elaboration, expansion: Expansion) -> None:
        self._elaboration = elaboration
        self._matrices = {built.matrix.id: built for built in expansion.variants.built}
        self._direct: dict[Key, tuple[tuple[str, Variant], ...]] = {}

    def direct(self, variant: Variant) -> tuple[tuple[str, Variant], ...]:
        """The variants that *variant* needs directly, by the names of its needs. The needs of
        recipes that are put into its file are included."""
        key = key_of(variant)
        if key not in self._direct:
            self._direct[key] = tuple(self._find(variant))
        return self._direct[key]

    def _find(self, variant: Variant) -> Iterator[tuple[str, Variant]]:
        try:
            for name, cell in self._elaboration.needs.cells(self._elaboration.deciding(variant)):
                number, built = cell.number(), self._matrices[cell.matrix.id]
                assert number is not None
                yield name, Variant(built, number)
        except Failed:
            return

    def closure(self, variants: Sequence[Variant]) -> Sequence[Variant]:
        """*variants* and all variants that they need, in the order of the program."""
        found: dict[Key, Variant] = {}
        waiting = list(variants)
        while waiting:
            one = waiting.pop()
            if key_of(one) not in found:
                found[key_of(one)] = one
                waiting += [needed for _, needed in self.direct(one)]
        order = {id_: place for place, id_ in enumerate(self._matrices)}
        return sorted(found.values(), key=lambda one: (order[one.matrix.id], one.cell))

    def values(self, variant: Variant) -> dict[str, Value]:
        """The axis values of *variant*. For axes that it lacks, the values of the variants that it
        needs."""
        found = variant.values
        for needed in self.closure([variant]):
            found = {**needed.values, **found}
        return found

    def unlike(self, variant: Variant) -> Sequence[Variant]:
        """The variants that *variant* needs, directly or through others, and that differ from
        `values` on an axis. They are built for something else."""
        values = self.values(variant)
        return [
            needed
            for needed in self.closure([variant])
            if any(not same(values[axis], value) for axis, value in needed.values.items())
        ]

    def needing(self, names: Iterable[str], variants: Sequence[Variant]) -> dict[str, str]:
        """The *variants* that need a variant with one of these *names*, directly or through others,
        each with the name of the need that leads there. Variants with these names are not included.
        """
        reached = set(names)
        if not reached:
            return {}
        known: dict[Key, bool] = {}

        def leads(one: Variant) -> bool:
            waiting = [one]
            while waiting:
                needed = [v for _, v in self.direct(waiting[-1])]
                open_ = [v for v in needed if v.name not in reached and key_of(v) not in known]
                if open_ and key_of(waiting[-1]) not in known:
                    waiting += open_  # circles are already refused
                    continue
                last = waiting.pop()
                known[key_of(last)] = any(v.name in reached or known[key_of(v)] for v in needed)
            return known[key_of(one)]

        found: dict[str, str] = {}
        for one in variants:
            if one.name not in reached and leads(one):
                through = (name for name, v in self.direct(one) if v.name in reached or leads(v))
                found[one.name] = next(through)
        return found
