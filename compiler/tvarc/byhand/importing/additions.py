"""What settings add to lists that a package has: elements side by side, and where each stands."""

from __future__ import annotations

from collections import Counter

from tvarc.blocks import ATTRIBUTES
from tvarc.byhand.importing.alignment import side_by_side
from tvarc.byhand.importing.comments import sign_of
from tvarc.byhand.importing.names import key, name_from
from tvarc.byhand.importing.reasons import Reasons
from tvarc.byhand.importing.statements import Conditions, Statement, because, under_conditions
from tvarc.byhand.importing.values import Values
from tvarc.byhand.importing.written import Roots, filled
from tvarc.byhand.reading.trees import own
from tvarc.light import Sequence, dataclass
from tvarc.nix.language.syntax import NixBinary, NixExpr, NixIdent, NixList, NixSelect, elements


@dataclass(frozen=True, slots=True, eq=False)
class Additions:
    """Says what lists of the recipes of one matrix are given besides what they have."""

    values: Values
    reasons: Reasons

    def said(
        self,
        name: str,
        values: Sequence[tuple[NixExpr, ...]],
        cells: Sequence[int],
        roots: Roots,
    ) -> list[Statement]:
        """`name += [ … ]`, elements that stand in some cells only under their condition."""
        twice = {
            sign
            for value in dict.fromkeys(values)
            for sign, count in Counter(map(sign_of, value)).items()
            if count > 1
        }
        runs: list[tuple[tuple[tuple[int, ...], str], list[str]]] = []
        for here, nodes in side_by_side(values, cells, self.values.atoms.alike):
            if self.values.declared.cells.lenient and len(here) < len(cells):
                odd = self.values.declared.cells.missing(here, cells)
                self.values.declared.odd |= odd
            code = self.values.value(nodes, here, name_from(name), roots)
            reason = (
                self.reasons.why_in(name, nodes, here)
                if not twice & {*map(sign_of, nodes)}
                else ""
            )
            sort = (here, reason)
            if runs and runs[-1][0] == sort:
                runs[-1][1].append(code)
            else:
                runs.append((sort, [code]))
        lines = [
            (here, f"{key(name)} += {filled(codes)}{because(reason)}")
            for (here, reason), codes in runs
        ]
        holds = Conditions(self.values.declared.cells, tuple(cells))
        # Conditions stand within the block: additions apply in the order in which they stand.
        return [Statement(ATTRIBUTES, text) for text in under_conditions(lines, holds)]


def elements_added(name: str, value: NixExpr) -> tuple[NixExpr, ...] | None:
    """The elements that *value* adds to the package's own."""
    match value:
        case NixBinary("++", left, NixList() as items) if own(left) == name:
            return tuple(elements(items))
        case _:
            return None


def added_to_none(name: str, values: Sequence[NixExpr | None]) -> list[NixExpr | None]:
    """Lists of a derivation that has none before as what is added to it, so that elements may stand
    in some cells only. An empty one is set, as to add nothing would not be to have it."""
    within, _, rest = name.partition(".")
    before = NixSelect(NixIdent("@old"), (rest,))
    return [
        NixBinary("++", before, one)
        if isinstance(one, NixList) and one.items and within == ATTRIBUTES
        else one
        for one in values
    ]
