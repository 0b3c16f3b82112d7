"""Checks all that a program makes and writes nothing, for `check` and `tvarc.api`."""

from __future__ import annotations

import posixpath

from tvarc.build.driver import Compilation
from tvarc.decide.parts import decide_pin
from tvarc.light import Final
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Diagnostic, filled
from tvarc.text.paths import fault_of_file, folded

_FEW: Final = 8
"""The greatest number of matrices in which to look for a pin that is in the store."""
_PAGES: Final = (".md", ".markdown")


def check_program(made: Compilation) -> None:
    """Report all faults of *made* to its sink: that it builds nothing, or the findings of
    `check_all`.
    """
    if not made.program.matrices:
        from tvarc.commands.programs.nothing_built import demand_matrix

        demand_matrix(made, library=True)
    if made.variants and not made.program.all_outputs:
        from tvarc.commands.programs.nothing_built import demand_output

        demand_output(made)
    check_all(made)


def too_much(fault: RecursionError | MemoryError) -> Diagnostic:
    """The diagnostic for a program that needs more than the machine has (E109)."""
    from tvarc.commands import messages as msg

    what = "nested too deeply" if isinstance(fault, RecursionError) else "too large"
    return filled(msg.programs.TOO_MUCH, None, {"what": what})


def check_all(made: Compilation) -> None:
    """Decide each variant of *made*, and check the files of its outputs. Errors go to its sink; a
    step with errors is the last one."""
    # Files are not made until their text is needed. A variant may lack settings that the syntax
    # allows to leave out.
    faulty = made.sink.has_errors
    is_whole = made.expansion is not None and made.later is made.sink
    if not faulty or (is_whole and not made.streamed):
        for _ in made.files(posixpath.basename(made.file), collections=not faulty):
            pass
    if made.program.manifests and not made.sink.has_errors:
        from tvarc.build.manifest.wanted import asked

        asked(made, made.variants)
    if made.program.jobs and not made.sink.has_errors:
        from tvarc.farm.ci.files import files_of

        files_of(made)
    if made.program.documents and not made.sink.has_errors:
        refuse_pages(made)


def could_ask(made: Compilation) -> bool:
    """Whether Nix could evaluate variants of *made*, which has no errors, without fetching a
    nixpkgs. The first variant of a few matrices is looked at."""
    if made.expansion is None:
        return False
    for built in made.expansion.variants.built[:_FEW]:
        if not built.cells:
            continue
        deciding = made.elaboration.deciding(Variant(built, built.cells[0]))
        pin = decide_pin(deciding, made.elaboration.pins)
        if pin is not None:
            from tvarc.nix.judge.at_hand import is_at_hand

            if is_at_hand(pin):
                return True
    return False


def refuse_pages(made: Compilation) -> None:
    """Report pages that cannot be files."""
    taken: dict[str, hir.OutputDef] = {}
    for output in made.program.documents:
        first = taken.setdefault(folded(output.one_file), output)
        fault = fault_of_file(output.one_file, _PAGES)
        if first is not output:
            from tvarc.commands import messages as msg

            made.sink.report(
                msg.programs.SAME_PAGE,
                output.file.span,
                others=[first.file.span],
                first=first.name,
                output=output.name,
                file=output.one_file,
            )
        elif fault is not None:
            from tvarc.build import messages as build_msg

            made.sink.report(
                build_msg.outputs.BAD_FILE,
                output.file.span,
                output=output.name,
                path=output.one_file[:80],
                wrong=fault,
                help='write `file = "README.md"`',
            )
