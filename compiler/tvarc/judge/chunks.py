"""What evaluators are given at once: jobs in chunks."""

from __future__ import annotations

from tvarc.judge.evaluate import Job
from tvarc.light import Final, Sequence

_MOST: Final = 48
"""Variants that one evaluator is given: what Nix keeps of each is not freed before it ends."""
_MOST_ALONE: Final = 8
"""Of those that import a nixpkgs each."""
_FEWEST: Final = 4
"""Fewer are not worth another import of nixpkgs."""


def chunks(groups: Sequence[Sequence[Job]], side_by_side: int) -> list[Sequence[Job]]:
    """*groups* in parts for evaluators: no evaluator has two groups, which would be two nixpkgs,
    and all have something to do."""
    total = sum(map(len, groups))
    size = min(_MOST, max(_FEWEST, -(-total // max(side_by_side, 1))))
    found: list[Sequence[Job]] = []
    for group in groups:
        most = min(size, _MOST_ALONE) if any(job.attribute is None for job in group) else size
        found += [group[at : at + most] for at in range(0, len(group), most)]
    return sorted(found, key=len, reverse=True)
