"""The report of `audit --nix`, `import --nix` and `build --adopt --if-equal` on recipes by hand."""

from __future__ import annotations

from collections import Counter

from tvarc.commands.evaluation.differences import difference_lines
from tvarc.commands.evaluation.text import file_fault, report_nix_faults
from tvarc.light import Iterator, Sequence, dataclass
from tvarc.nix.judge.difference import Difference
from tvarc.nix.judge.equivalence import Equivalence
from tvarc.nix.judge.model import Evaluation, Fault
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.values.plain import Count


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
    """For how many files the program is proven, and how many are compared from each caller."""
    for one in found:
        yield from () if one.equal else differing_lines(one)
    equal = sum(one.equal for one in found)
    proven = f"proven for {equal} of {counted(len(found), 'recipe')}"
    yield f"{proven}: Nix makes the same derivation of the file and of the variant"
    for caller, alike, number in _by_caller(found):
        yield f"  called {caller}: {alike} of {number}"


def _by_caller(found: Sequence[Equivalence]) -> Iterator[tuple[str, int, int]]:
    """Each caller, and how many of the files that are compared from it are equal, and how many
    these are."""
    compared = Counter(caller for one in found for caller in one.callers)
    differing = Counter(one.callers[-1] for one in found if one.callers and not one.equal)
    for caller, number in compared.items():
        yield caller, number - differing[caller], number


def _elsewhere(one: Equivalence) -> str:
    """The caller with the difference, unless it is the first."""
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
