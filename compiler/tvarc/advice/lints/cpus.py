"""The lint on the CPUs in descriptions."""

from __future__ import annotations

from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, Line, lint
from tvarc.advice.lints.names import quoted
from tvarc.advice.lints.subjects import Cpu
from tvarc.light import Iterator
from tvarc.values.row_facts import cite, text_fact, texts_fact
from tvarc.values.value import RowValue


@lint(
    "W130",
    "cpu-misnamed",
    "wrong CPU in a string",
    "a string names a CPU that the build does not run on",
)
def cpu_misnamed(cpu: Cpu, line: Line, facts: Facts) -> Iterator[Finding]:
    """A description that names a CPU without the instruction set of the build."""
    chips = facts.said(line.text).chips
    if not chips or not cpu.rows or line.aside:
        return
    sets = facts.instruction_sets_by_name()
    built = [row for row in cpu.rows if row.name in sets]
    if not built:
        return
    for chip in chips:
        best = sets.get(text_fact(chip, "best") or "")
        if best is None or any(_has(best, row) for row in built):
            continue
        label = text_fact(chip, "label") or chip.name
        wanted = " and ".join(text_fact(row, "label") or row.name for row in built)
        yield Finding(
            line.span,
            quoted(line.text),
            f"{label} supports {text_fact(best, 'label') or best.name} at most, so a "
            f"build for {wanted} does not run on it {cite(chip)}",
            f"name CPUs that have {wanted}, or build for `{best.name}`",
            line=line,
        )


def _has(best: RowValue, wanted: RowValue) -> bool:
    """Whether a CPU with *best* as its best instruction set runs builds for *wanted*."""
    return wanted.name == best.name or wanted.name in (texts_fact(best, "satisfies") or ())
