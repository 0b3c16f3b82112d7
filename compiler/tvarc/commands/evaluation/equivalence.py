"""The report of `audit --nix`, `import --nix` and `build --adopt --if-equal` on recipes by hand,
and the differences of derivations as lines."""

from __future__ import annotations

from collections import Counter

from tvarc.commands.evaluation.text import file_fault, report_nix_faults
from tvarc.light import Final, Iterator, Sequence, dataclass
from tvarc.nix.judge.difference import Difference
from tvarc.nix.judge.equivalence import Equivalence
from tvarc.nix.judge.model import Evaluation, Fault
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.values.plain import Count

_MOST: Final = 3
_LONGEST: Final = 60


def difference_lines(found: Sequence[Difference]) -> Iterator[str]:
    """The first of *found*, a line each, and how many more there are."""
    for one in found[:_MOST]:
        yield _line(one)
    if len(found) > _MOST:
        yield f"and {len(found) - _MOST} more"


def _line(one: Difference) -> str:
    of = f" of {safe(one.through[-1])}" if one.through else ""
    by = f" (through {safe(', '.join(one.through[:-1]))})" if len(one.through) > 1 else ""
    return f"{one.kind} {safe(one.name)}{of}: {_change(one.before, one.after)}{by}"


def _change(before: str | None, after: str | None) -> str:
    if before is None or after is None:
        return f"+ {_cut(after or '')}" if before is None else f"- {_cut(before)}"
    if "\n" in before or "\n" in after:
        gone, new = before.split("\n"), after.split("\n")
    elif " " in before or " " in after:
        gone, new = before.split(), after.split()
    else:
        return f"{_cut(before)} → {_cut(after)}"
    removed = [item for item in gone if item not in new]
    added = [item for item in new if item not in gone]
    if not removed and not added:
        return "the same elements, in another order or number"
    between = "  " if "\n" in before or "\n" in after else " "
    told = [("-", removed), ("+", added)]
    return between.join(f"{sign} {_cut(' '.join(items))}" for sign, items in told if items)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return safe(text) or '""'


def equivalence_lines(found: Sequence[Equivalence]) -> Iterator[str]:
    """A line for each file, its differences below it, and a summary. `report_refusals` reports the
    errors of Nix."""
    for one in found:
        if one.equal:
            yield f"{safe(one.path)}: the same derivation as {safe(one.variant)}"
        elif one.without and len(one.callers) == 1:
            yield f"{_not_known(one)}: Nix refuses the {one.without}"
        else:
            yield from differing_lines(one)
    equal = sum(one.equal for one in found)
    if found:
        yield f"{equal} of {len(found)} hand-written recipes have the derivation of their variant"
    else:
        yield "no hand-written recipe has the path of a variant"


def differing_lines(one: Equivalence) -> Iterator[str]:
    """The differences between the file and its variant."""
    if one.unknown:
        yield f"{_not_known(one)}{_elsewhere(one)}"
        yield f"  {safe(one.unknown)}"
        return
    yield f"{safe(one.path)}: not the same derivation as {safe(one.variant)}{_elsewhere(one)}"
    yield from (f"  {line}" for line in difference_lines(one.differ))
    if not one.differ:
        yield "  they differ only in hashes"


def _not_known(one: Equivalence) -> str:
    return f"{safe(one.path)}: not compared with {safe(one.variant)}"


def proof_lines(found: Sequence[Equivalence]) -> Iterator[str]:
    """The number of files for which the program is proven, and the number that was compared from
    each caller."""
    for one in found:
        yield from () if one.equal else differing_lines(one)
    equal = sum(one.equal for one in found)
    proven = f"proven for {equal} of {counted(len(found), 'recipe')}"
    yield f"{proven}: Nix makes the same derivation of the file and of the variant"
    for caller, alike, number in _by_caller(found):
        yield f"  called {caller}: {alike} of {number}"


def _by_caller(found: Sequence[Equivalence]) -> Iterator[tuple[str, int, int]]:
    """Each caller, with the number of equal files and the number of files that were compared from
    it."""
    compared = Counter(caller for one in found for caller in one.callers)
    differing = Counter(one.callers[-1] for one in found if one.callers and not one.equal)
    for caller, number in compared.items():
        yield caller, number - differing[caller], number


def _elsewhere(one: Equivalence) -> str:
    """A note on the caller with the difference, unless it is the first caller."""
    return f", called {safe(one.callers[-1])}" if len(one.callers) > 1 else ""


def report_refusals(variants: Evaluation, files: Sequence[Fault], sink: Sink) -> None:
    """Report the errors of Nix on *variants*, and on *files*, at the places of their recipes."""
    report_nix_faults(variants, sink)
    for fault in files:
        sink.add(file_fault(fault), another=True)


@dataclass(frozen=True, slots=True)
class Called:
    """How many of the recipes that were compared from a caller have the derivation of their
    variant."""

    caller: str
    equal: Count
    compared: Count


@dataclass(frozen=True, slots=True)
class NotProven:
    """A recipe that is not known to have the derivation of its variant. `caller` is the last one
    from which it was compared."""

    file: str
    variant: str
    caller: str
    differing: tuple[Difference, ...]
    unknown: str | None


@dataclass(frozen=True, slots=True)
class Proof:
    """For how many recipes an imported program is proven."""

    proven: Count
    recipes: Count
    callers: tuple[Called, ...]
    not_proven: tuple[NotProven, ...]


def proof_of(found: Sequence[Equivalence]) -> Proof:
    """The proof in the output of `--json`."""
    failing = [one for one in found if not one.equal]
    return Proof(
        len(found) - len(failing),
        len(found),
        tuple([Called(*one) for one in _by_caller(found)]),
        tuple([_not_proven(one) for one in failing]),
    )


def _not_proven(one: Equivalence) -> NotProven:
    caller = one.callers[-1] if one.callers else ""
    return NotProven(one.path, one.variant, caller, one.differ, one.unknown or None)
