"""`tvarc list`: the variants, those that selectors mean."""

from __future__ import annotations

from math import prod

from tvarc.cli import exits
from tvarc.cli.session import Session, counted
from tvarc.driver import Compilation
from tvarc.light import Sequence
from tvarc.matrix.select import join_pairs
from tvarc.matrix.variants import Variant, axis_text
from tvarc.plain import json_text


def list_variants(
    session: Session, file: str | None, selectors: Sequence[str], *, as_json: bool
) -> int:
    made = session.compile(file)
    session.stop_on_errors()
    variants = session.select(join_pairs(selectors))
    if as_json:
        rows = [_data(made, variant) for variant in variants]
        session.stop_on_errors()
        session.show()
        session.console.data(json_text(rows))
    else:
        session.show()
        _print(session, made, variants)
        if not selectors:
            _remark(session, made)
    return exits.OK


def _remark(session: Session, made: Compilation) -> None:
    """Nothing is dropped in silence; on stderr, since the list may be read by a program."""
    matrices = made.resolution.program.matrices if made.resolution is not None else ()
    if not matrices:
        from tvarc.programs.nothing_built import without_matrix

        session.console.error(f"`{made.file}` {without_matrix(made)}\n")
    cells = sum(prod(len(pick.values) for pick in matrix.axes) for matrix in matrices)
    dropped = cells - len(made.variants)
    if dropped:
        are = "is" if dropped == 1 else "are"
        session.console.error(
            f"{counted(dropped, 'cell')} {are} dropped: `tvarc list --excluded` says why\n"
        )


def _print(session: Session, made: Compilation, variants: Sequence[Variant]) -> None:
    from tvarc.report.listing import list_text

    rows = [(v.name, [(axis, axis_text(x)) for axis, x in v.values.items()]) for v in variants]
    needs = [_needs(made, variant) for variant in variants] if made.is_stacked else []
    for line in list_text(rows, needs):
        session.console.out(line)


def _needs(made: Compilation, variant: Variant) -> dict[str, str]:
    """The variants that *variant* needs, by the names of its needs."""
    return {name: needed.name for name, needed in made.stack.direct(variant)}


def _data(made: Compilation, variant: Variant) -> dict[str, object]:
    from tvarc.plain import value_data

    recipe = made.recipe(variant)
    return {
        "name": variant.name,
        "matrix": variant.matrix.name,
        "recipe": variant.matrix.recipe.name,
        "axes": {axis: value_data(value) for axis, value in variant.values.items()},
        "needs": _needs(made, variant) if recipe is not None and made.is_stacked else {},
        "files": dict(recipe.files) if recipe is not None else {},
    }
