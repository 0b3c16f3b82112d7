"""Settings with keys: a record that is decided from a `=`, from `+=`, and from writes to its keys.

Each key is decided by itself, by the same rules as a setting. So each key keeps its own origin.
"""

from __future__ import annotations

from tvarc.blocks import GroundKind
from tvarc.decide import messages as msg
from tvarc.decide.merge import (
    EMPTY,
    NOTHING,
    OWN,
    Candidate,
    Merged,
    choose,
    combine,
    nothing_to_add_to,
    why_lost,
    winner,
)
from tvarc.light import TYPE_CHECKING
from tvarc.meaning import hir
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import NONE, Record, Value, same, show_short, type_name

if TYPE_CHECKING:
    from tvarc.values.provenance import Prov

# Writes, each with the rest of its path below the setting. It is empty for the setting itself.
Keyed = list[tuple[hir.Path, Candidate]]


def settle(path: ir.Path, found: Keyed, ground: GroundKind, sink: Sink) -> ir.Setting:
    """The setting at *path*, from its own writes and those of its keys. Its value is NONE if it is
    unset, or if all of its keys are unset.

    Raises Failed after reporting writes that contradict each other.
    """
    own = [candidate for rest, candidate in found if not rest]
    inner: dict[str, Keyed] = {}
    for rest, candidate in found:
        if rest:
            inner.setdefault(rest[0], []).append((rest[1:], candidate))
    merged = choose(path, own, sink) if own else Merged(None, (), ())
    changed = (merged.base, *merged.applied)
    if inner or (merged.applied and any(c and isinstance(c.value, Record) for c in changed)):
        return _record(path, merged, inner, ground, sink)
    return combine(path, merged, ground, sink)


def _record(
    path: ir.Path, merged: Merged, inner: dict[str, Keyed], ground: GroundKind, sink: Sink
) -> ir.Setting:
    base = merged.base
    if ground == NOTHING and merged.applied and not inner and (base is None or merged.unset):
        raise nothing_to_add_to(path, merged.applied[0], sink)
    added = _added(path, merged, sink)
    entries: dict[str, Keyed] = {}
    whole = base if not merged.unset else None
    if base is not None and whole is not None:
        if not isinstance(base.value, Record):
            raise _no_keys(path, base, [c for keyed in inner.values() for _, c in keyed], sink)
        entries = {
            key: [((), _entry(base, value, place))] for place, (key, value) in enumerate(base.value)
        }
    for key, one in added.items():
        entries.setdefault(key, []).append(((), one))
    shadowed = list(merged.shadowed)
    for key, one in added.items():
        inner[key], lost = _begun_anew((*path, key), one, inner.get(key, []), sink)
        shadowed += lost
    for key, keyed in inner.items():
        for rest, candidate in keyed:
            if base is not None and _loses(candidate, base):
                why = why_lost(candidate, base)
                shadowed.append(
                    ir.Shadowed(
                        candidate.op, candidate.value, candidate.origin, why, candidate.prov
                    )
                )
            else:
                entries.setdefault(key, []).append((rest, candidate))
    for key, one in added.items():
        for rest, other in entries[key]:
            known = rest or other.op != "=" or other.value is NONE
            if not known and not same(other.value, one.value):
                raise _disagree((*path, key), other, one, sink)
    below = ground if whole is None else EMPTY
    settled = [settle((*path, key), keyed, below, sink) for key, keyed in entries.items()]
    children = tuple(child for child in settled if child.value is not NONE)
    unset = tuple(child for child in settled if child.value is NONE)
    if whole is None and not children and (unset or not merged.applied):
        first = base if base is not None else unset[0]
        because = first.because
        return ir.Setting(
            path, NONE, first.origin, because, tuple(shadowed), unset=unset, prov=first.prov
        )
    if merged.unset and base is not None:
        shadowed.append(ir.Shadowed("=", base.value, base.origin, ir.BEGUN_ANEW, base.prov))
        base = None
    if base is not None:
        origin = base.origin
    else:
        origin = children[0].origin if children else merged.applied[0].origin
    return ir.Setting(
        path,
        Record(tuple((child.key, child.value) for child in children)),
        origin,
        base.because if base is not None else "",
        tuple(shadowed),
        None,
        children,
        extends=base is None and ground == OWN,
        unset=unset,
        prov=_together(merged, children),
    )


def _together(merged: Merged, children: tuple[ir.Setting, ...]) -> Prov | None:
    """The provenance of a record whose keys are decided separately."""
    provs = [child.prov for child in children if child.prov is not None]
    whole = [one.prov for one in (merged.base, *merged.applied) if one and one.prov is not None]
    if not provs and not whole:
        return None
    from tvarc.values.provenance import joined

    return joined(provs).headed_as(*whole)


def _begun_anew(
    path: ir.Path, added: Candidate, keyed: Keyed, sink: Sink
) -> tuple[Keyed, list[ir.Shadowed]]:
    """The writes of a key that a `+=` adds to its record, and the shadowed writes. If the key is
    unset, the addition replaces the `none`, unless this is deeper than the `+=`."""
    sets = [candidate for rest, candidate in keyed if not rest and candidate.op == "="]
    if not sets or (best := winner(path, sets, sink)).value is not NONE:
        return keyed, []
    if best.strength > 0 and added.depth < best.depth:
        return keyed, []
    lost = [
        ir.Shadowed(
            "=", c.value, c.origin, ir.BEGUN_ANEW if c is best else why_lost(c, best), c.prov
        )
        for c in sets
    ]
    return [(rest, c) for rest, c in keyed if rest or c.op != "="], lost


def _loses(candidate: Candidate, base: Candidate) -> bool:
    """Whether the whole record shadows a write of a key. Additions have no rank: only those of
    ancestors are shadowed."""
    if candidate.op == "=":
        return candidate.rank < base.rank
    return base.strength > 0 and candidate.depth < base.depth


def _added(path: ir.Path, merged: Merged, sink: Sink) -> dict[str, Candidate]:
    """The values that `+=` adds, by key. They override nothing, so all values of a key must agree.
    """
    added: dict[str, Candidate] = {}
    for change in merged.applied:
        if change.op != "+=" or not isinstance(change.value, Record):
            raise sink.refuse(
                msg.merging.OPERATOR_ON_RECORD,
                change.origin.span,
                op=change.op,
                name=".".join(path),
                kind=type_name(change.value),
            )
        for place, (key, value) in enumerate(change.value):
            candidate = _entry(change, value, place)
            if key in added and not same(added[key].value, value):
                raise _disagree((*path, key), added[key], candidate, sink)
            added.setdefault(key, candidate)
    return added


def _entry(whole: Candidate, value: Value, place: int) -> Candidate:
    """The key at *place* of the record *whole*, as a write with the rank of *whole*."""
    prov = whole.prov
    return Candidate(
        "=", value, whole.strength, whole.depth, whole.conditional, whole.origin, whole.because,
        prov.item(place).headed_as(prov) if prov is not None else None,
    )  # fmt: skip


def _no_keys(path: ir.Path, base: Candidate, keys: list[Candidate], sink: Sink) -> Failed:
    """Report keys of a value that is no record, at the first of *keys*, or at the value if there
    are none."""
    where = f"sets {show_short(base.value)}"
    sink.report(
        msg.merging.KEY_OF_NO_RECORD if keys else msg.merging.VALUE_OF_NO_RECORD,
        keys[0].origin.span if keys else base.origin.span,
        others=[base.origin.span] if keys else [],
        name=".".join(path),
        kind=type_name(base.value),
        where=where,
    )
    return Failed()


def _disagree(path: ir.Path, first: Candidate, second: Candidate, sink: Sink) -> Failed:
    """Report a key that is added to a record and has another value there."""
    sink.report(
        msg.merging.TWO_VALUES_OF_KEY,
        second.origin.span,
        others=[first.origin.span],
        name=".".join(path),
        second=show_short(second.value),
        first=show_short(first.value),
        key=".".join(path[1:]),
    )
    return Failed()
