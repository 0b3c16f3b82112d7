"""Reports that a program builds nothing, because it has no matrix or no output, or that cells are
dropped.
"""

from __future__ import annotations

from math import prod

from tvarc.build.driver import Compilation
from tvarc.light import Iterator, Sequence
from tvarc.text.diagnostics.words import counted


def demand_matrix(made: Compilation, *, library: bool = False) -> None:
    """Report that *made*, which may have errors, has no matrix and no variant: an error (E407). It
    is a warning (W003) if the program has no output and *library* says that other programs may
    `use` it."""
    from tvarc.commands import messages as msg

    if made.resolution is None or made.sink.has_errors:
        return
    program = made.program
    patterns = tuple(
        f"matrix `{one.name}` is a pattern: " + _without_values(one.open)
        for one in program.patterns
        if one.span.file == made.file
    )
    own = [recipe.name for recipe in program.recipes if recipe.span.file == made.file]
    message = msg.programs.ONLY_PATTERNS if patterns else msg.programs.NO_MATRIX
    if library and not any(output.span.file == made.file for output in program.all_outputs):
        message = msg.programs.LIBRARY
    recipe = own[0] if own else "RECIPE"
    lacks = without_matrix(made)
    made.sink.report(message, file=made.file, lacks=lacks, recipe=recipe, notes=patterns)


def demand_output(made: Compilation) -> None:
    """Report that *made*, which may have errors, has no output (E507): its recipes have no
    place."""
    from tvarc.commands import messages as msg

    if not made.sink.has_errors:
        made.sink.report(msg.programs.NO_OUTPUT, file=made.file)


def without_matrix(made: Compilation) -> str:
    """The message about a program that has no matrix and no variant to build, as the end of a
    sentence."""
    patterns = made.program.patterns
    if any(one.span.file == made.file for one in patterns):
        return "has only patterns"
    return "declares no matrix and no variant"


def not_built(made: Compilation) -> Iterator[str]:
    """The note below a list of all variants of *made*: there is no matrix, or the number of dropped
    cells."""
    matrices = made.program.matrices
    if not matrices:
        yield f"`{made.file}` {without_matrix(made)}"
    cells = sum(prod(len(pick.values) for pick in matrix.axes) for matrix in matrices)
    dropped = cells - len(made.variants)
    if dropped:
        are = "is" if dropped == 1 else "are"
        yield f"{counted(dropped, 'cell')} {are} dropped: `tvarc list --excluded` says why"


def _without_values(axes: Sequence[str]) -> str:
    """A clause that names the axes without values."""
    named = "`, `".join(axes)
    return f"axis `{named}` has no values" if len(axes) == 1 else f"`{named}` have no values"
