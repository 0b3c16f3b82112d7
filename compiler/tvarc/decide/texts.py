"""Decides texts in parts: the parts that apply, their texts, and the writes that they shadow.

A script is such a text. The package's own script is one of its parts.
"""

from __future__ import annotations

from tvarc.decide import messages as msg
from tvarc.decide.merge import Candidate, origin_of, rank_of, why_lost, winner
from tvarc.decide.plan import Placed, is_none, key_of, own_parts, text_named
from tvarc.light import TYPE_CHECKING, Protocol
from tvarc.meaning import hir
from tvarc.meaning.budget import OverBudget, Weight
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import NONE, NixText, show_short, type_name

if TYPE_CHECKING:
    from tvarc.values.provenance import Prov


class Holder(Protocol):
    """The variant for which a text is decided."""

    @property
    def sink(self) -> Sink: ...

    def lets_in(self, write: hir.Write) -> bool: ...

    def prov(self, write: hir.Write, evaluator: Evaluator) -> Prov | None: ...

    def evaluator(self) -> Evaluator: ...

    def text_evaluator(self) -> Evaluator: ...


def decide_text(
    path: ir.Path,
    parts: list[Placed],
    order: tuple[object, ...],
    deciding: Holder,
    weight: Weight,
) -> ir.Setting | None:
    """The setting *path*, a text whose *parts* are in this *order*. Its value is NONE if all parts
    are removed. The result is None if no part applies, or if only the package's own part is left.

    The size of the parts is added to *weight*. Raises Failed after reporting.
    """
    by_name: dict[object, list[Placed]] = {}
    for placed in parts:
        by_name.setdefault(key_of(placed.write), []).append(placed)
    own = own_parts(path)
    evaluator = deciding.evaluator()
    kept: list[ir.Part] = []
    taken: list[ir.Part] = []
    failed = False
    for key in order:
        written = by_name.get(key, [])
        try:
            part = _part(path, key, written, deciding, own=key in own)
        except Failed:  # the other parts are decided so that their faults are reported, too
            failed = True
            continue
        if part is None:
            continue
        _weigh(part, weight, evaluator)
        if part.text is not None or part.is_own:
            kept.append(part)
        elif key in own or any(one.value is not NONE for one in part.shadowed):
            taken.append(part)
    if failed:
        raise Failed
    written_part = next((part for part in kept if not part.is_own), None)
    if written_part is None:
        removed = next((part for part in taken if not own or part.name in own), None)
        if removed is None or removed.origin is None:
            return None
        if not own:
            return ir.Setting(
                path, NONE, removed.origin, shadowed=removed.shadowed, prov=removed.prov
            )
        written_part = removed
    assert written_part.origin is not None
    prov = joined_prov(tuple(kept))
    if prov is None and written_part.prov is not None:
        prov = written_part.prov  # no text is left
    if prov is not None:  # a line that removes a part reaches the other parts, as in a list
        prov = prov.headed(ir.part_heads(taken))
    return ir.Setting(
        path,
        joined_text(kept),
        written_part.origin,
        extends=any(part.is_own for part in kept),
        parts=tuple(kept),
        taken=tuple(taken),
        prov=prov,
    )


def joined_prov(parts: tuple[ir.Part, ...]) -> Prov | None:
    """The provenance of the text joined from *parts*; None if nothing is traced."""
    traced = [(one.text, one.prov) for one in parts if one.prov is not None]
    if not traced:
        return None
    from tvarc.values.provenance import Prov, Run

    rope: list[Run] = []
    for text, prov in traced:
        if text is not None:
            rope += prov.runs(text)
    return Prov(0, None, tuple(rope)).headed_as(*[prov for _, prov in traced])


def joined_text(parts: list[ir.Part]) -> str | NixText:
    """The texts of *parts* that recipes write, joined."""
    merged: list[object] = []
    for part in parts:
        if isinstance(part.text, NixText):
            merged += part.text.parts
        elif part.text is not None:
            merged.append(part.text)
    if all(isinstance(piece, str) for piece in merged):
        return "".join(piece for piece in merged if isinstance(piece, str))
    return NixText(tuple(merged))  # type: ignore[arg-type]


def _weigh(part: ir.Part, weight: Weight, evaluator: Evaluator) -> None:
    """Add the size of *part*, and of the writes that it shadows, to *weight*. Raises Failed after
    reporting that the text is too large."""
    if part.origin is None:
        return
    try:
        for value in (part.text or "", *(one.value for one in part.shadowed)):
            weight.add(value, evaluator.budget)
    except OverBudget as fault:
        raise evaluator.over(fault, part.origin.span) from None


def _part(
    path: ir.Path, key: object, parts: list[Placed], deciding: Holder, *, own: bool
) -> ir.Part | None:
    """One part, with the winner among its writes. It has no text if the winner removes it. None if
    the part is absent. With *own*, the part is present even without a write."""
    if not parts:
        return ir.OWN_PART if own else None
    candidates: list[Candidate] = []
    removable = own
    for placed in parts:
        removable = removable or not is_none(placed.write.value)
        if deciding.lets_in(placed.write):
            candidates.append(_candidate(path, placed, deciding))
    if not removable:
        write = parts[0].write
        raise deciding.sink.refuse(
            msg.parts.NO_SUCH_PART, write.span, path=text_named(path), key=str(key)
        )
    if not candidates:
        return ir.OWN_PART if own else None
    named = key if isinstance(key, str) else None
    best = winner((*path, named or "+="), candidates, deciding.sink)
    shadowed = tuple(
        ir.Shadowed(
            "=",
            c.value,
            c.origin,
            "the same string" if c.rank == best.rank else why_lost(c, best),
            c.prov,
        )
        for c in candidates
        if c is not best
    )
    if best.value is NONE:
        return ir.Part(named, None, best.origin, shadowed, best.prov)
    assert isinstance(best.value, str | NixText)
    return ir.Part(named, best.value, best.origin, shadowed, best.prov)


def _candidate(path: ir.Path, placed: Placed, deciding: Holder) -> Candidate:
    write = placed.write
    evaluator = deciding.text_evaluator()
    value = evaluator.value(write.value)
    if not is_none(write.value) and not isinstance(value, str | NixText):
        raise deciding.sink.refuse(
            msg.parts.PART_IS_NO_TEXT,
            write.span,
            path=text_named(path),
            kind=type_name(value),
            value=show_short(value),
        )
    return Candidate(
        "part", value, *rank_of(write, placed.depth), origin_of(write),
        prov=deciding.prov(write, evaluator),
    )  # fmt: skip
