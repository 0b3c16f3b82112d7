"""Which variants are other builds than in another state of the program."""

from __future__ import annotations

from tvarc.build.diff.programs import compare_programs, variants_meant
from tvarc.build.diff.states import State
from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.derivations import derivation_outcomes
from tvarc.light import Sequence
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Sink


def only_changed(
    before: State,
    made: Compilation,
    selectors: Sequence[str],
    variants: Sequence[Variant],
    sink: Sink,
) -> list[Variant] | None:
    """The selected *variants* whose derivation is new or differs from the state *before*, and the
    variants that need one of these. None after reporting an error to *sink* or to the sink of
    *before*."""
    names = {one.name for one in variants}
    meant = variants_meant(join_pairs(selectors), before.made, made)
    old = meant[0] if isinstance(meant, tuple) else ()
    changes = compare_programs(before.made, made, old, variants)
    if changes is None:
        return None
    found = derivation_outcomes(before, made, changes, sink, in_what=False)
    if found is None:
        return None
    changed = {name for name, became in found.became.items() if became != "same"}
    changed |= names - found.became.keys()
    if made.is_stacked:
        changed |= made.stack.needing(changed, variants).keys()
    return [one for one in variants if one.name in changed]
