"""The lint on what descriptions say of the CPU."""

from __future__ import annotations

from tvarc.light import Iterator
from tvarc.lints.facts import Facts
from tvarc.lints.model import Finding
from tvarc.lints.names import shown_of
from tvarc.lints.subjects import Subjects
from tvarc.row_facts import cite, text_fact, texts_fact
from tvarc.values import RowValue


def cpu_misnamed(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """A text that names a CPU which does not have the instruction set of the build."""
    if not subjects.cpu.rows or not subjects.named:
        return
    sets = facts.instruction_sets_by_name()
    built = [row for row in subjects.cpu.rows if row.name in sets]
    if not built:
        return
    for line in subjects.named:
        for chip in facts.said(line.text).chips if not line.aside else ():
            best = sets.get(text_fact(chip, "best") or "")
            if best is None or any(_has(best, row) for row in built):
                continue
            label = text_fact(chip, "label") or chip.name
            wanted = " and ".join(text_fact(row, "label") or row.name for row in built)
            yield Finding(
                line.span,
                f"says `{shown_of(line.text)}`",
                f"{label} supports {text_fact(best, 'label') or best.name} at most, so a "
                f"build for {wanted} does not run on it {cite(chip)}",
                f"name CPUs that have {wanted}, or build for `{best.name}`",
            )


def names_cpus(subjects: Subjects, facts: Facts) -> bool:
    """Whether a text names CPUs."""
    return any(facts.said(line.text).chips for line in subjects.named)


def _has(best: RowValue, wanted: RowValue) -> bool:
    """Whether a CPU whose best instruction set is *best* runs what is built for *wanted*."""
    return wanted.name == best.name or wanted.name in (texts_fact(best, "satisfies") or ())
