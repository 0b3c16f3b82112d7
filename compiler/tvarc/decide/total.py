"""The size of a whole recipe. Each setting may be small enough, and all of them together too large
for one file (E308). The limits are in `meaning/budget.py`."""

from __future__ import annotations

from tvarc.decide import messages as msg
from tvarc.decide.portions import Placed, changed_values, overlaid, values_of
from tvarc.light import Iterator
from tvarc.meaning.budget import (
    LIMIT_ELEMENTS,
    LIMIT_RECIPE,
    Budget,
    OverBudget,
    Total,
    Weight,
    is_small,
)
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed, Sink


def check_total(
    frame: ir.Frame, made: ir.Changes, total: Total, sink: Sink
) -> None:
    """Refuse a recipe that is too large, at the setting that exceeds the limit. Also refuse a
    recipe with which all recipes together are too large, at its largest setting. A small recipe
    need not be checked (`is_small`). Raises Failed after reporting."""
    elements = characters = 0
    largest: tuple[int, ir.Origin | None, ir.Path] = (0, None, ())
    for value, (path, origin) in _values(frame, made):
        weight = Weight()
        weight.add(value, Budget())  # each value is within its limits
        elements += weight.elements
        characters += weight.characters
        if weight.elements + weight.characters > largest[0]:
            largest = (weight.elements + weight.characters, origin, path)
        if elements > LIMIT_ELEMENTS or characters > LIMIT_RECIPE:
            raise sink.refuse(
                msg.values.RECIPE_TOO_LARGE,
                origin.span,
                limit_elements=LIMIT_ELEMENTS,
                limit_recipe=LIMIT_RECIPE,
            )
    if is_small(elements, characters):
        return
    _, where, total.subject = largest
    try:
        total.recipe(elements, characters)
    except OverBudget as fault:
        if where is not None and total.to_report(sink):
            fault.report(sink, where.span)
        raise Failed from None
    finally:
        total.subject = ()


def _values(frame: ir.Frame, made: ir.Changes) -> Iterator[Placed]:
    yield from values_of(frame.config)
    yield from changed_values(made)
    yield from overlaid(frame.overlays)
