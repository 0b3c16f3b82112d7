"""The merge rules: of several writes to one setting, which decide it, and what they shadow.

Pure: candidates in, a setting out. Ranks, from the strongest: the command line, `force`, depth
in the recipe chain, a condition that holds, `default`. Additions land in the order written and
apply unless a deeper `=` than theirs shadows them.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.light import Sequence, dataclass
from tvarc.sema.failed import Failed
from tvarc.values import (
    NixCall,
    NixValue,
    Value,
    holds_nix,
    is_nix,
    same,
    show,
    type_name,
)

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

    @property
    def rank(self) -> tuple[int, int, bool]:
        return (self.strength, self.depth, self.conditional)


def strength_of(word: str) -> int:
    return _STRENGTH[word]


@dataclass(frozen=True, slots=True)
class Merged:
    """What `choose` decided of one path, before its keys are looked at."""

    base: Candidate | None
    applied: tuple[Candidate, ...]
    shadowed: tuple[ir.Shadowed, ...]


def choose(path: ir.Path, candidates: Sequence[Candidate], sink: Sink) -> Merged:
    """The `=` that wins, the additions that apply, and all that is shadowed.

    Raises Failed after reporting a conflict.
    """
    sets = [c for c in candidates if c.op == "="]
    base = winner(path, sets, sink) if sets else None
    shadowed: list[ir.Shadowed] = []
    for loser in sets:
        if loser is not base and base is not None:
            why = "the same value" if loser.rank == base.rank else why_lost(loser, base)
            shadowed.append(ir.Shadowed("=", loser.value, loser.origin, why))
    applied: list[Candidate] = []
    for change in candidates:
        if change.op == "=":
            continue
        if base is not None and base.strength > 0 and change.depth < base.depth:
            shadowed.append(ir.Shadowed(change.op, change.value, change.origin, _set_anew(base)))
        else:
            applied.append(change)
    return Merged(base, tuple(applied), tuple(shadowed))


def winner(path: ir.Path, sets: Sequence[Candidate], sink: Sink) -> Candidate:
    """The strongest of *sets*; equal ranks have to agree. Raises Failed after reporting."""
    best = max(sets, key=lambda candidate: candidate.rank)
    rivals = [c for c in sets if c.rank == best.rank]
    best = rivals[0]
    for rival in rivals[1:]:
        if not same(rival.value, best.value):
            conflict(path, best, rival, sink)
            raise Failed
    return best


def conflict(path: ir.Path, first: Candidate, second: Candidate, sink: Sink) -> None:
    """Reports two writes of equal standing that disagree."""
    name = ".".join(path)
    forced = f"force part {path[-1]}" if path[0] == "script" else f"force {path[-1]} ="
    sink.error(
        "E501",
        f"`{name}` has two values of equal standing",
        second.origin.span,
        f"sets {show(second.value)[:60]}",
        others=((first.origin.span, f"sets {show(first.value)[:60]}"),),
        notes=("neither is stronger: same recipe, same kind of condition",),
        help=f"remove one, narrow its condition, or let it win: `{forced} …`",
    )


def why_lost(loser: Candidate, best: Candidate) -> str:
    """Why *loser* ranks below *best*, in a few words."""
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


# --- putting lists and records together ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ground:
    """What stands below a setting when nobody writes `=`: the package's own value (`own`),
    an empty list or record (`empty`), or nothing that could be added to."""

    kind: str


OWN, EMPTY, NOTHING = Ground("own"), Ground("empty"), Ground("nothing")


def combine(path: ir.Path, merged: Merged, ground: Ground, sink: Sink) -> ir.Setting:
    """The setting that *merged* makes. Raises Failed after reporting."""
    base = merged.base
    first = base if base is not None else merged.applied[0]
    if not merged.applied:
        elements = _elements(base.value, base) if base and isinstance(base.value, tuple) else None
        return ir.Setting(path, first.value, first.origin, first.because, merged.shadowed, elements)
    if base is None and ground is NOTHING:
        change = merged.applied[0]
        sink.error(
            "E504",
            f"`{'.'.join(path)}` has nothing to add to",
            change.origin.span,
            "no recipe sets it",
            notes=("arguments of a package are not known before Nix runs",),
            help="write the whole value with `=`",
        )
        raise Failed
    return _lists(path, merged, ground, sink)


def _lists(path: ir.Path, merged: Merged, ground: Ground, sink: Sink) -> ir.Setting:
    base = merged.base
    head: NixValue | None = None
    elements: list[ir.Element] = []
    extends = base is None and ground is OWN
    if base is not None:
        if isinstance(base.value, tuple):
            elements.extend(_elements(base.value, base))
        elif is_nix(base.value):
            head = base.value
        else:
            raise _not_a_list(path, base, sink)
    removed: list[ir.Element] = []
    shadowed = list(merged.shadowed)
    for change in merged.applied:
        if change.op == "+=":
            elements.extend(_elements(_as_list(path, change, sink), change))
        else:
            open_ended = extends or head is not None
            shadowed += _remove(path, change, elements, removed, open_ended, sink)
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
    )


def _elements(values: tuple[Value, ...], candidate: Candidate) -> tuple[ir.Element, ...]:
    return tuple(ir.Element(value, candidate.origin, candidate.because) for value in values)


def _as_list(path: ir.Path, change: Candidate, sink: Sink) -> tuple[Value, ...]:
    if isinstance(change.value, tuple):
        return change.value
    raise _not_a_list(path, change, sink)


def _not_a_list(path: ir.Path, change: Candidate, sink: Sink) -> Failed:
    scalar = isinstance(change.value, str | int) and not isinstance(change.value, bool)
    sink.error(
        "E301",
        f"`{'.'.join(path)}` is added to like a list",
        change.origin.span,
        f"this is {type_name(change.value)}",
        help=f"write `[{show(change.value)[:40]}]`" if scalar else "lists are added to lists",
    )
    return Failed()


def _remove(
    path: ir.Path,
    change: Candidate,
    elements: list[ir.Element],
    removed: list[ir.Element],
    open_ended: bool,
    sink: Sink,
) -> list[ir.Shadowed]:
    """Take the values of *change* out of *elements*; what Nix alone knows is left to Nix.

    The answer is what was taken out, each with the line that did it.
    """
    values = change.value if isinstance(change.value, tuple) else (change.value,)
    lost: list[ir.Shadowed] = []
    for value in values:
        kept = [element for element in elements if not same(element.value, value)]
        if len(kept) < len(elements):
            why = f"{change.origin.layer} removes it"
            lost += [
                ir.Shadowed("+=", element.value, element.origin, why)
                for element in elements
                if same(element.value, value)
            ]
            lost.append(ir.Shadowed("-=", value, change.origin, ir.TAKEN_OUT))
            elements[:] = kept
        elif open_ended:
            removed.append(ir.Element(value, change.origin, change.because))
        elif isinstance(value, NixCall) or holds_nix(value):
            sink.error(
                "E502",
                f"`{'.'.join(path)}` holds nothing like this",
                change.origin.span,
                f"removes {show(value)[:60]}",
                notes=("its elements are all written in recipes, and this is none of them",),
                help="`pname(…)` finds what the package has itself; remove the others as written",
            )
            raise Failed
        else:
            shown = ", ".join(show(element.value) for element in elements[:8]) or "nothing"
            sink.error(
                "E502",
                f"`{'.'.join(path)}` does not hold {show(value)[:60]}",
                change.origin.span,
                "nothing to remove",
                notes=(f"it holds {shown}",),
                help="remove the `-=`, or correct the value",
            )
            raise Failed
    return lost
