"""Decide scripts: which parts are there, their text, and what they shadow."""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.elaborate.merge import Candidate, strength_of, why_lost, winner
from tvarc.elaborate.plan import OLD, PlacedPart
from tvarc.light import Protocol
from tvarc.sema import hir
from tvarc.sema.evaluate import Evaluator
from tvarc.sema.failed import Failed
from tvarc.values import NONE, NixText, Value, show, type_name


class Holder(Protocol):
    """What a script asks of the variant it is decided for."""

    @property
    def sink(self) -> Sink: ...

    def holds(self, conditions: tuple[hir.Condition, ...]) -> bool: ...

    def evaluator(self) -> Evaluator: ...


def decide_script(
    name: str, parts: list[PlacedPart], order: tuple[object, ...], deciding: Holder
) -> ir.Script | None:
    """The script's parts in their order, the package's own script among them.

    None when no part of it holds. Raises Failed after reporting.
    """
    by_name: dict[object, list[PlacedPart]] = {}
    for placed in parts:
        key: object = placed.write.name if placed.write.name is not None else placed.write
        by_name.setdefault(key, []).append(placed)
    decided: list[ir.Part] = []
    removed: list[ir.Part] = []
    written = False
    for key in order:
        found = _part(name, key, by_name.get(key, []), deciding)
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


def _part(script: str, key: object, parts: list[PlacedPart], deciding: Holder) -> ir.Part | None:
    """One part: the winner among its writes, without a text where it removes the part; None when
    it is absent."""
    path = ("script", script, key if isinstance(key, str) else "+=")
    candidates: list[Candidate] = []
    removable = False
    for placed in parts:
        write = placed.write
        removable = removable or write.text is not None or key == OLD
        if not deciding.holds(write.conditions):
            continue
        candidates.append(_candidate(script, placed, deciding))
    if not removable and parts:
        write = parts[0].write
        deciding.sink.error(
            "E502",
            f"script `{script}` has no part `{write.name}`",
            write.span,
            "nothing to remove",
            help="correct the name, or remove this line",
        )
        raise Failed
    if not candidates:
        return ir.Part(OLD, None, None) if key == OLD and parts else None
    best = winner(path, candidates, deciding.sink)
    shadowed = tuple(
        ir.Shadowed(
            "=", c.value, c.origin, "the same text" if c.rank == best.rank else why_lost(c, best)
        )
        for c in candidates
        if c is not best
    )
    name = key if isinstance(key, str) else None
    if best.value is NONE:
        return ir.Part(name, None, best.origin, shadowed)
    assert isinstance(best.value, str | NixText)
    return ir.Part(name, best.value, best.origin, shadowed)


def _candidate(script: str, placed: PlacedPart, deciding: Holder) -> Candidate:
    write = placed.write
    value: Value = NONE
    if write.text is not None:
        value = deciding.evaluator().value(write.text)
        if not isinstance(value, str | NixText):
            deciding.sink.error(
                "E301",
                f"a part of script `{script}` is text",
                write.span,
                f"this is {type_name(value)}: {show(value)[:60]}",
            )
            raise Failed
    origin = ir.Origin(write.span, write.layer, tuple(c.span for c in write.conditions))
    return Candidate(
        "=", value, strength_of(write.strength), placed.depth, bool(write.conditions), origin
    )


def script_text(script: ir.Script) -> str | NixText | None:
    """The whole text, or None when the package's own script is part of it."""
    pieces: list[Value] = []
    for part in script.parts:
        if part.text is None:
            return None
        pieces.append(part.text)
    merged: list[object] = []
    for piece in pieces:
        merged.extend(piece.parts if isinstance(piece, NixText) else (piece,))
    if all(isinstance(piece, str) for piece in merged):
        return "".join(piece for piece in merged if isinstance(piece, str))
    return NixText(tuple(merged))  # type: ignore[arg-type]
