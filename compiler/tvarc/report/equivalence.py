"""What `audit --nix` and `build --adopt --if-equal` tell of hand-made recipes."""

from __future__ import annotations

from tvarc.diagnostics.render_cells import safe
from tvarc.judge.equivalence import Equivalence
from tvarc.light import Iterator, Sequence
from tvarc.plain import Data
from tvarc.report.derivations import difference_data, difference_lines


def equivalence_lines(found: Sequence[Equivalence]) -> Iterator[str]:
    """A line for each file, what differs below it, and a summary."""
    for one in found:
        if one.equal:
            yield f"{safe(one.path)}: the derivation of {safe(one.variant)}"
        else:
            yield from differing_lines(one)
    equal = sum(one.equal for one in found)
    if found:
        yield f"{equal} of {len(found)} recipes by hand are the derivations of their variants"
    else:
        yield "no recipe by hand stands where that of a variant goes"


def differing_lines(one: Equivalence) -> Iterator[str]:
    """What keeps the file from being its variant."""
    if one.unknown:
        yield f"{safe(one.path)}: not known beside {safe(one.variant)}"
        yield f"  {safe(one.unknown)}"
        return
    yield f"{safe(one.path)}: another derivation than {safe(one.variant)}"
    yield from (f"  {line}" for line in difference_lines(one.differ))
    if not one.differ:
        yield "  only hashes tell them apart"


def equivalence_data(one: Equivalence) -> Data:
    return {
        "file": one.path,
        "variant": one.variant,
        "equal": one.equal,
        "differing": [difference_data(differ) for differ in one.differ],
        "unknown": one.unknown or None,
    }
