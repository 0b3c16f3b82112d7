"""Exclusions of the entry file that drop no cell: each is an error."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.matrix.expand import Expansion
from tvarc.sema import hir


def idle_exclusions(program: hir.Program, expansion: Expansion, sink: Sink) -> None:
    """Report the exclusions that drop nothing; those of a module together, since a library may
    speak of more than one program has."""
    lines: dict[hir.Check | hir.ExcludeModule, list[hir.Check]] = {}
    for check in (*program.excludes, *(c for m in program.matrices for c in m.excludes)):
        lines.setdefault(check.through or check, []).append(check)
    for line, checks in lines.items():
        if line.span.file != program.file:
            continue
        if any(expansion.matched.get(id(check)) for check in checks):
            continue
        applies = any(id(check) in expansion.matched for check in checks)
        if isinstance(line, hir.ExcludeModule):
            notes: tuple[str, ...] = (_note(line.module, len(checks), applies=applies),)
            help = "remove it, or give a matrix the axes and values that the module speaks of"
        else:
            notes = () if applies else ("no matrix has all the axes that it names",)
            help = "remove it, or correct the condition"
        sink.error(
            "E601",
            "this `exclude` drops nothing",
            line.span,
            "no cell is like this",
            notes=notes,
            help=help,
        )


def _note(module: str, count: int, *, applies: bool) -> str:
    if count == 1:
        why = "does not hold for any cell" if applies else "names axes that no matrix has"
        return f"the one exclusion of `{module}` {why}"
    what = f"of the {count} exclusions of `{module}`"
    return f"none {what} holds for any cell" if applies else f"no matrix has the axes of any {what}"
