"""Decide scripts: which parts are there, their text, and what they shadow."""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Failed, Sink
from tvarc.elaborate.merge import Candidate, origin_of, rank_of, why_lost, winner
from tvarc.elaborate.plan import OLD, PlacedPart
from tvarc.light import TYPE_CHECKING, Protocol
from tvarc.sema import hir
from tvarc.sema.budget import OverBudget, Weight
from tvarc.sema.evaluate import Evaluator
from tvarc.values import NONE, NixText, Value, show_short, type_name

if TYPE_CHECKING:
    from tvarc.provenance.model import Prov


class Holder(Protocol):
    """What a script asks of the variant it is decided for."""

    @property
    def sink(self) -> Sink: ...

    def lets_in(self, write: hir.Write | hir.PartWrite) -> bool: ...

    def prov(self, write: hir.Write | hir.PartWrite) -> Prov | None: ...

    def evaluator(self) -> Evaluator: ...


def decide_script(
    name: str, parts: list[PlacedPart], order: tuple[object, ...], deciding: Holder
) -> ir.Script | None:
    """The script's parts in their order, the package's own script among them.

    None when no part of it holds. Raises Failed after reporting.
    """
    by_name = _by_name(parts)
    decided: list[ir.Part] = []
    removed: list[ir.Part] = []
    written = False
    weight, evaluator = Weight(), deciding.evaluator()
    for key in order:
        found = _part(("script", name), key, by_name.get(key, []), deciding, own=key == OLD)
        if found is not None:
            _weigh(found, weight, evaluator)
        if found is None:
            if key == OLD and OLD not in by_name:
                decided.append(ir.Part(OLD, None, None))
        elif found.text is None and found.origin is not None:
            written = written or key == OLD
            if key == OLD or any(one.value is not NONE for one in found.shadowed):
                removed.append(found)
        else:
            written = written or found.text is not None
            decided.append(found)
    return ir.Script(name, tuple(decided), tuple(removed)) if written else None


def decide_text(
    path: ir.Path,
    parts: list[PlacedPart],
    order: tuple[object, ...],
    deciding: Holder,
    weight: Weight,
) -> ir.Setting | None:
    """The setting *path* whose value is a text in parts, those that hold in their order; with the
    value NONE where all of them are taken out. None when no part of it holds. What they hold is
    added to *weight*. Raises Failed after reporting."""
    by_name = _by_name(parts)
    evaluator = deciding.evaluator()
    found: list[ir.Part] = []
    for key in order:
        part = _part(path, key, by_name.get(key, []), deciding, own=False)
        if part is not None:
            _weigh(part, weight, evaluator)
            found.append(part)
    kept = tuple(part for part in found if part.text is not None)
    taken = tuple(
        p for p in found if p.text is None and any(s.value is not NONE for s in p.shadowed)
    )
    if not kept:
        removed = taken[0] if taken else None
        if removed is None or removed.origin is None:
            return None
        return ir.Setting(path, NONE, removed.origin, shadowed=removed.shadowed, prov=removed.prov)
    text = joined_text(kept)
    assert text is not None and kept[0].origin is not None
    prov = joined_prov(kept)
    if prov is not None:  # what takes a part out stands around the others, as in a list
        prov = prov.headed(ir.part_heads(taken))
    return ir.Setting(path, text, kept[0].origin, parts=kept, taken=taken, prov=prov)


def joined_prov(parts: tuple[ir.Part, ...]) -> Prov | None:
    """What the text of *parts*, put together, was made of; None where nothing is traced."""
    traced = [(one.text, one.prov) for one in parts if one.prov is not None]
    if not traced:
        return None
    from tvarc.provenance.model import Prov, Run

    rope: list[Run] = []
    head = 0
    for text, prov in traced:
        head |= prov.head
        if text is not None:
            rope += prov.runs(text)
    return Prov(0, None, tuple(rope), head)


def _weigh(part: ir.Part, weight: Weight, evaluator: Evaluator) -> None:
    """Add the size of *part*, and of what it shadows, to *weight*. Raises Failed, after reporting,
    where the whole becomes too large."""
    if part.origin is None:
        return
    try:
        for value in (part.text or "", *(one.value for one in part.shadowed)):
            weight.add(value, evaluator.budget)
    except OverBudget as fault:
        raise evaluator.over(fault, part.origin.span) from None


def _by_name(parts: list[PlacedPart]) -> dict[object, list[PlacedPart]]:
    found: dict[object, list[PlacedPart]] = {}
    for placed in parts:
        key: object = placed.write.name if placed.write.name is not None else placed.write
        found.setdefault(key, []).append(placed)
    return found


def _part(
    of: ir.Path, key: object, parts: list[PlacedPart], deciding: Holder, *, own: bool
) -> ir.Part | None:
    """One part: the winner among its writes, without a text where it removes the part; None when
    it is absent. *own* says that it is there without being written."""
    path = (*of, key if isinstance(key, str) else "+=")
    whose = f"script `{of[1]}`" if of[0] == "script" else f"`{'.'.join(of)}`"
    candidates: list[Candidate] = []
    removable = False
    for placed in parts:
        write = placed.write
        removable = removable or write.text is not None or own
        if not deciding.lets_in(write):
            continue
        candidates.append(_candidate(whose, placed, deciding))
    if not removable and parts:
        write = parts[0].write
        deciding.sink.error(
            "E502",
            f"{whose} has no part `{write.name}`",
            write.span,
            "nothing to remove",
            help="correct the name, or remove this line",
        )
        raise Failed
    if not candidates:
        return ir.Part(OLD, None, None) if own and parts else None
    best = winner(path, candidates, deciding.sink)
    shadowed = tuple(
        ir.Shadowed(
            "=",
            c.value,
            c.origin,
            "the same text" if c.rank == best.rank else why_lost(c, best),
            c.prov,
        )
        for c in candidates
        if c is not best
    )
    name = key if isinstance(key, str) else None
    if best.value is NONE:
        return ir.Part(name, None, best.origin, shadowed, best.prov)
    assert isinstance(best.value, str | NixText)
    return ir.Part(name, best.value, best.origin, shadowed, best.prov)


def _candidate(whose: str, placed: PlacedPart, deciding: Holder) -> Candidate:
    write = placed.write
    value: Value = NONE
    if write.text is not None:
        value = deciding.evaluator().value(write.text)
        if not isinstance(value, str | NixText):
            deciding.sink.error(
                "E301",
                f"a part of {whose} must be text",
                write.span,
                f"this is {type_name(value)}: {show_short(value)}",
            )
            raise Failed
    return Candidate(
        "part", value, *rank_of(write, placed.depth), origin_of(write),
        prov=deciding.prov(write),
    )  # fmt: skip


def script_text(script: ir.Script) -> str | NixText | None:
    """The whole text, or None when the package's own script is part of it."""
    return joined_text(script.parts)


def joined_text(parts: tuple[ir.Part, ...]) -> str | NixText | None:
    """The text of *parts*, or None when the package's own script is among them."""
    pieces: list[Value] = []
    for part in parts:
        if part.text is None:
            return None
        pieces.append(part.text)
    merged: list[object] = []
    for piece in pieces:
        merged.extend(piece.parts if isinstance(piece, NixText) else (piece,))
    if all(isinstance(piece, str) for piece in merged):
        return "".join(piece for piece in merged if isinstance(piece, str))
    return NixText(tuple(merged))  # type: ignore[arg-type]
