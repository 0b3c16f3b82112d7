"""`tvarc list`: the variants, those that selectors mean."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.console import json_text
from tvarc.cli.session import Session
from tvarc.driver import Compilation
from tvarc.light import Sequence
from tvarc.matrix.select import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.sema.functions import kind_text
from tvarc.values import show


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
        session.console.out(json_text(rows))
    else:
        session.show()
        _print(session, variants)
    return exits.OK


def _print(session: Session, variants: Sequence[Variant]) -> None:
    from tvarc.report.listing import list_text

    rows = [
        (v.name, [(axis, kind_text(x) or show(x)) for axis, x in v.values.items()])
        for v in variants
    ]
    for line in list_text(rows):
        session.console.out(line)


def _data(made: Compilation, variant: Variant) -> dict[str, object]:
    from tvarc.report.data import value_data

    recipe = made.recipe(variant)
    return {
        "name": variant.name,
        "matrix": variant.matrix.name,
        "recipe": variant.matrix.recipe.name,
        "axes": {axis: value_data(value) for axis, value in variant.values.items()},
        "files": dict(recipe.files) if recipe is not None else {},
    }
