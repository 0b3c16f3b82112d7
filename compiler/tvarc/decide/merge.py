"""The merge rules: which of several writes to one setting decides it, and which ones it shadows.

These functions are pure: they take candidates and return a setting. Ranks, from the strongest: the
command line, `force`, depth in the recipe chain, a condition that holds, `default`. Additions apply
in the order in which they are written, unless a deeper `=` shadows them.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, GroundKind, knows_package
from tvarc.decide import messages as msg
from tvarc.light import TYPE_CHECKING, Final, Sequence, dataclass, field, replace
from tvarc.meaning.evaluation.show import brief
from tvarc.nix import ir
from tvarc.nix.nixpkgs import KINDS, LISTS, is_compiler_variable
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import (
    NONE,
    NixCall,
    NixRef,
    NixSource,
    NixValue,
    Value,
    holds_nix,
    identity,
    is_nix,
    same,
    show,
    show_short,
    type_name,
)

if TYPE_CHECKING:
    from tvarc.meaning import hir
    from tvarc.text.diagnostics.message import Message
    from tvarc.values.provenance import Prov

COMMAND_LINE = 3
_STRENGTH = {"default": 0, "normal": 1, "force": 2, "command line": COMMAND_LINE}
# Deeper than any recipe: a value from the command line shadows all additions.
DEEPEST = 1 << 30


@dataclass(frozen=True, slots=True)
class Candidate:
    """One write whose conditions hold, with its value. `depth` counts recipes from the root."""

    op: str
    value: Value
    strength: int
    depth: int
    conditional: bool
    origin: ir.Origin
    because: str = ""
    prov: Prov | None = field(default=None, compare=False, repr=False)
    written: hir.Expr | None = field(default=None, compare=False, repr=False)

    @property
    def rank(self) -> tuple[int, int, bool]:
        return (self.strength, self.depth, self.conditional)


def origin_of(write: hir.Write) -> ir.Origin:
    return ir.Origin(write.span, write.layer, tuple(c.span for c in write.conditions))


def rank_of(write: hir.Write, depth: int) -> tuple[int, int, bool]:
    """The rank of a write. Of two writes to one path, the one with the higher rank wins."""
    return (_STRENGTH[write.strength], depth, bool(write.conditions))


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of `choose` for one path. The keys of a record are not merged yet."""

    base: Candidate | None
    applied: tuple[Candidate, ...]
    shadowed: tuple[ir.Shadowed, ...]

    @property
    def unset(self) -> bool:
        """Whether the `=` that wins is `none`. The setting is then as if nothing weaker were
        written."""
        return self.base is not None and self.base.value is NONE


def choose(path: ir.Path, candidates: Sequence[Candidate], sink: Sink) -> Merged:
    """The `=` that wins, the additions that apply, and all writes that are shadowed.

    Raises Failed after reporting a conflict.
    """
    sets = [c for c in candidates if c.op == "="]
    base = winner(path, sets, sink) if sets else None
    shadowed: list[ir.Shadowed] = []
    for loser in sets:
        if loser is not base and base is not None:
            why = "the same value" if loser.rank == base.rank else why_lost(loser, base)
            shadowed.append(ir.Shadowed("=", loser.value, loser.origin, why, loser.prov))
    applied: list[Candidate] = []
    for change in candidates:
        if change.op == "=":
            continue
        if base is not None and base.strength > 0 and change.depth < base.depth:
            why = _set_anew(base)
            shadowed.append(ir.Shadowed(change.op, change.value, change.origin, why, change.prov))
        else:
            applied.append(change)
    return Merged(base, tuple(applied), tuple(shadowed))


def winner(path: ir.Path, sets: Sequence[Candidate], sink: Sink) -> Candidate:
    """The strongest of *sets*. Those of equal rank must agree. Raises Failed after reporting."""
    best = max(sets, key=lambda candidate: candidate.rank)
    rivals = [c for c in sets if c.rank == best.rank]
    best = rivals[0]
    for rival in rivals[1:]:
        if not same(rival.value, best.value):
            conflict(path, best, rival, sink)
            raise Failed
    return best


def conflict(path: ir.Path, first: Candidate, second: Candidate, sink: Sink) -> None:
    """Report two writes of equal rank that disagree."""
    name = ".".join(path)
    forced = f"force part {path[-1]}" if first.op == "part" else f"force {path[-1]} ="
    sink.report(
        msg.merging.TWO_VALUES if path[0] != "needs" else msg.merging.TWO_NEEDS,
        second.origin.span,
        others=[first.origin.span],
        name=name,
        second=show_short(second.value),
        first=show_short(first.value),
        forced=forced,
    )


def why_lost(loser: Candidate, best: Candidate) -> str:
    """The reason why *loser* ranks below *best*, in a few words."""
    if best.strength == COMMAND_LINE:
        return "the command line sets it"
    if best.strength == _STRENGTH["force"] and loser.strength < best.strength:
        return f"`force` in {best.origin.layer}"
    if loser.strength == _STRENGTH["default"] and best.strength > loser.strength:
        return "it was a default"
    if loser.depth != best.depth:
        return f"{best.origin.layer} sets it anew"
    return "a condition that holds sets it"


def _set_anew(base: Candidate) -> str:
    if base.strength == COMMAND_LINE:
        return "the command line sets it"
    return f"{base.origin.layer} sets it anew"


# --- joining lists and records ----------------------------------------------------


# The value to which a setting adds, see `tvarc.blocks.GroundKind`.
OWN: Final = "own"
EMPTY: Final = "empty"
NOTHING: Final = "nothing"


def combine(path: ir.Path, merged: Merged, ground: GroundKind, sink: Sink) -> ir.Setting:
    """The setting that *merged* makes. Its value is NONE if it is unset and nothing is added after
    that. Raises Failed after reporting."""
    if merged.unset and merged.applied:
        merged = added_after_none(merged)
    base = merged.base
    first = base if base is not None else merged.applied[0]
    if not merged.applied:
        elements = _elements(base.value, base) if base and isinstance(base.value, tuple) else None
        return ir.Setting(
            path, first.value, first.origin, first.because, merged.shadowed, elements,
            prov=first.prov,
        )  # fmt: skip
    if base is None and ground == NOTHING:
        raise nothing_to_add_to(path, merged.applied[0], sink)
    return _lists(path, merged, ground, sink)


def nothing_to_add_to(path: ir.Path, change: Candidate, sink: Sink) -> Failed:
    """Report an addition to a setting whose value only the package has."""
    sink.report(msg.merging.NOTHING_TO_ADD_TO, change.origin.span, name=".".join(path))
    return Failed()


def added_after_none(merged: Merged) -> Merged:
    """*merged* without its `none`: the additions after it, to a base that no `=` sets."""
    base = merged.base
    assert base is not None
    none = ir.Shadowed("=", base.value, base.origin, ir.BEGUN_ANEW, base.prov)
    return Merged(None, merged.applied, (*merged.shadowed, none))


def _lists(path: ir.Path, merged: Merged, ground: GroundKind, sink: Sink) -> ir.Setting:
    base = merged.base
    head: NixValue | None = None
    elements: list[ir.Element] = []
    extends = base is None and ground == OWN
    if base is not None:
        if isinstance(base.value, tuple):
            elements.extend(_elements(base.value, base))
        elif is_nix(base.value):
            head = base.value
        else:
            raise _not_a_list(path, base, sink)
    held = _Held(elements)
    removed: list[ir.Element] = []
    shadowed = list(merged.shadowed)
    for change in merged.applied:
        if change.op == "+=" and isinstance(change.value, NixSource):
            whole = ir.Element(
                change.value, change.origin, change.because, spread=True, prov=change.prov
            )
            held.add((whole,))
        elif change.op == "+=":
            held.add(_elements(_as_list(path, change, sink), change))
        else:
            open_ended = extends or head is not None
            shadowed += _remove(path, change, held, removed, open_ended, sink)
    elements = held.left()
    origin = base.origin if base is not None else merged.applied[0].origin
    because = base.because if base is not None else ""
    value = tuple(element.value for element in elements)
    return ir.Setting(
        path,
        value,
        origin,
        because,
        tuple(shadowed),
        tuple(elements),
        None,
        extends,
        head,
        tuple(removed),
        prov=_together(merged, elements),
    )


def _together(merged: Merged, elements: Sequence[ir.Element]) -> Prov | None:
    """The provenance of a list that several writes make. If only Nix knows the base, its lines are
    included as a whole."""
    made_by = [one.prov for one in (merged.base, *merged.applied) if one is not None]
    provs = [one for one in made_by if one is not None]
    if not provs:
        return None
    from tvarc.values.provenance import Prov

    base = merged.base
    own = base.prov.all if base is not None and base.prov is not None and is_nix(base.value) else 0
    items = tuple([e.prov for e in elements if e.prov is not None])
    return Prov(own, items).headed_as(*provs)


def _elements(values: tuple[Value, ...], candidate: Candidate) -> tuple[ir.Element, ...]:
    prov = candidate.prov
    if prov is None:
        return tuple(ir.Element(value, candidate.origin, candidate.because) for value in values)
    return tuple(
        ir.Element(value, candidate.origin, candidate.because, prov=prov.item(n).headed_as(prov))
        for n, value in enumerate(values)
    )


def _as_list(path: ir.Path, change: Candidate, sink: Sink) -> tuple[Value, ...]:
    if isinstance(change.value, tuple):
        return change.value
    raise _not_a_list(path, change, sink)


def _not_a_list(path: ir.Path, change: Candidate, sink: Sink) -> Failed:
    key = path[1] if len(path) == 2 and path[0] == ATTRIBUTES else ""
    if isinstance(change.value, str) and is_script(key):
        sink.report(msg.merging.SCRIPT_IS_NO_LIST, change.origin.span, name=".".join(path), key=key)
        return Failed()
    sink.report(
        _adds_no_list(path, change.value),
        change.origin.span,
        name=".".join(path),
        kind=type_name(change.value),
        value=brief(change.written) if change.written is not None else "…",
        key=path[-1],
        old=".".join(path[path[0] == ATTRIBUTES :]),
    )
    return Failed()


def _adds_no_list(path: ir.Path, value: Value) -> Message:
    """The message on *value*, which is added to the setting at *path* and is no list."""
    if not isinstance(value, str | int | NixRef) or isinstance(value, bool):
        return msg.merging.ADDS_NO_LIST
    if not isinstance(value, str) or path in LISTS or not knows_package(path[0]):
        return msg.merging.ADDS_SCALAR
    if path[0] == ATTRIBUTES and is_compiler_variable(path[-1]):
        return msg.merging.ADDS_TO_VARIABLE
    if KINDS.get(path) == "text":
        return msg.merging.ADDS_TO_TEXT
    return msg.merging.ADDS_TEXT


class _Held:
    """The elements of a list under construction. An element to remove is found by its value,
    without a search. `spreads` has the places of lists that only Nix knows, each with the values
    that Nix removes from it."""

    __slots__ = ("_elements", "_places", "spreads")

    def __init__(self, elements: list[ir.Element]) -> None:
        self._elements: list[ir.Element | None] = [*elements]
        self._places: dict[object, list[int]] | None = None  # made at the first removal
        self.spreads: dict[int, list[ir.Element]] = {}

    def add(self, elements: Sequence[ir.Element]) -> None:
        for place, element in enumerate(elements, len(self._elements)):
            if element.spread:
                self.spreads[place] = []
            elif self._places is not None:
                self._places.setdefault(identity(element.value), []).append(place)
        self._elements.extend(elements)

    def take(self, value: Value) -> list[ir.Element]:
        """Remove all elements that equal *value*. Returns the removed elements."""
        if self._places is None:
            self._places = {}
            for place, element in enumerate(self._elements):
                if element is not None and not element.spread:
                    self._places.setdefault(identity(element.value), []).append(place)
        taken: list[ir.Element] = []
        for place in self._places.pop(identity(value), ()):
            element = self._elements[place]
            if element is not None:
                taken.append(element)
                self._elements[place] = None
        return taken

    def leave(self, removed: ir.Element) -> None:
        """Leave *removed* to Nix, which removes it from the lists so far that only Nix knows."""
        for out_of in self.spreads.values():
            out_of.append(removed)

    def left(self) -> list[ir.Element]:
        return [
            replace(element, removed=tuple(self.spreads[place])) if element.spread else element
            for place, element in enumerate(self._elements)
            if element is not None
        ]


_AROUND: Final = ("pre", "post")  # before and after a phase


def is_script(name: str) -> bool:
    """Whether an attribute with this name is a script of nixpkgs' stdenv: a phase or a hook."""
    around = any(name.startswith(word) and name[len(word) :][:1].isupper() for word in _AROUND)
    return around or name.endswith(("Phase", "Hook")) or name in ("buildCommand", "testScript")


def _remove(
    path: ir.Path,
    change: Candidate,
    held: _Held,
    removed: list[ir.Element],
    open_ended: bool,
    sink: Sink,
) -> list[ir.Shadowed]:
    """Remove the values of *change* from the list *held*. Nix removes them from parts that only Nix
    knows.

    Returns the removed values, each with the line that removes it.
    """
    values = change.value if isinstance(change.value, tuple) else (change.value,)
    lost: list[ir.Shadowed] = []
    for value in values:
        taken = held.take(value)
        if taken:
            why = f"{change.origin.layer} removes it"
            lost += [ir.Shadowed("+=", one.value, one.origin, why, one.prov) for one in taken]
            lost.append(ir.Shadowed("-=", value, change.origin, ir.TAKEN_OUT, change.prov))
        elif open_ended or held.spreads:
            left = ir.Element(value, change.origin, change.because, prov=change.prov)
            if open_ended:
                removed.append(left)
            held.leave(left)
        elif isinstance(value, NixCall) or holds_nix(value):
            raise sink.refuse(
                msg.merging.CONTAINS_NO_SUCH,
                change.origin.span,
                name=".".join(path),
                value=show_short(value),
            )
        else:
            shown = ", ".join(show(element.value) for element in held.left()[:8]) or "nothing"
            raise sink.refuse(
                msg.merging.DOES_NOT_CONTAIN,
                change.origin.span,
                name=".".join(path),
                value=show_short(value),
                shown=shown,
            )
    return lost
