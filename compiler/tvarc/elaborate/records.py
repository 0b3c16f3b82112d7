"""Settings with keys: a record put together from a `=`, from `+=`, and from writes of its keys.

Each key is decided by itself, by the same rules as a setting, so that each keeps its own origin.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.elaborate.merge import EMPTY, OWN, Candidate, Ground, Merged, choose, combine, why_lost
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.values import Record, Value, same, show, type_name

# Writes by the path that is left below the setting: empty for the setting itself.
Keyed = list[tuple[hir.Path, Candidate]]


def settle(path: ir.Path, found: Keyed, ground: Ground, sink: Sink) -> ir.Setting:
    """The setting at *path*: its own writes, and those of keys within it.

    Raises Failed after reporting what does not go together.
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
    path: ir.Path, merged: Merged, inner: dict[str, Keyed], ground: Ground, sink: Sink
) -> ir.Setting:
    base = merged.base
    added = _added(path, merged, sink)
    entries: dict[str, Keyed] = {}
    if base is not None:
        if not isinstance(base.value, Record):
            raise _no_keys(path, base, [c for keyed in inner.values() for _, c in keyed], sink)
        entries = {key: [((), _entry(base, value))] for key, value in base.value}
    for key, one in added.items():
        entries.setdefault(key, []).append(((), one))
    shadowed = list(merged.shadowed)
    for key, keyed in inner.items():
        for rest, candidate in keyed:
            if base is not None and _loses(candidate, base):
                why = why_lost(candidate, base)
                shadowed.append(ir.Shadowed(candidate.op, candidate.value, candidate.origin, why))
            else:
                entries.setdefault(key, []).append((rest, candidate))
    for key, one in added.items():
        for rest, other in entries[key]:
            if not rest and other.op == "=" and not same(other.value, one.value):
                raise _disagree((*path, key), other, one, sink)
    below = ground if base is None else EMPTY
    children = tuple(settle((*path, key), keyed, below, sink) for key, keyed in entries.items())
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
        extends=base is None and ground is OWN,
    )


def _loses(candidate: Candidate, base: Candidate) -> bool:
    """Whether a write of a key is shadowed by the whole record: additions have no rank, only
    those of ancestors are."""
    if candidate.op == "=":
        return candidate.rank < base.rank
    return base.strength > 0 and candidate.depth < base.depth


def _added(path: ir.Path, merged: Merged, sink: Sink) -> dict[str, Candidate]:
    """What `+=` adds, key by key: it overrides nothing, so all have to agree."""
    added: dict[str, Candidate] = {}
    for change in merged.applied:
        if change.op != "+=" or not isinstance(change.value, Record):
            sink.error(
                "E301",
                f"`{'.'.join(path)}` is a record",
                change.origin.span,
                f"`{change.op}` with {type_name(change.value)}",
                help="`+= { key = value }` adds keys",
            )
            raise Failed
        for key, value in change.value:
            candidate = _entry(change, value)
            if key in added and not same(added[key].value, value):
                raise _disagree((*path, key), added[key], candidate, sink)
            added.setdefault(key, candidate)
    return added


def _entry(whole: Candidate, value: Value) -> Candidate:
    """One key of a record, with the standing of the whole."""
    return Candidate(
        "=", value, whole.strength, whole.depth, whole.conditional, whole.origin, whole.because
    )


def _no_keys(path: ir.Path, base: Candidate, keys: list[Candidate], sink: Sink) -> Failed:
    """Reports keys of what is no record: at the first of *keys*, or where it is set."""
    where = f"sets {show(base.value)[:60]}"
    sink.error(
        "E301",
        f"`{'.'.join(path)}` is {type_name(base.value)}, which has no keys",
        keys[0].origin.span if keys else base.origin.span,
        "sets a key of it" if keys else where,
        others=((base.origin.span, where),) if keys else (),
    )
    return Failed()


def _disagree(path: ir.Path, first: Candidate, second: Candidate, sink: Sink) -> Failed:
    """Reports a key that is added to a record with another value than it has."""
    sink.error(
        "E501",
        f"`{'.'.join(path)}` has two values",
        second.origin.span,
        f"adds {show(second.value)[:60]}",
        others=((first.origin.span, f"has {show(first.value)[:60]}"),),
        notes=("what is added to a record overrides nothing",),
        help=f"set the one key: `{'.'.join(path[1:])} = …`",
    )
    return Failed()
