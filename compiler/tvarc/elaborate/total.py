"""The size of a recipe: each setting may be small enough, and all together too large for one file
(E308). The limits are those of `sema/budget.py`."""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Failed, Sink
from tvarc.light import Iterator, Sequence
from tvarc.sema.budget import LIMIT_ELEMENTS, LIMIT_RECIPE, Budget, OverBudget, Total, Weight
from tvarc.values import Value


def check_total(
    config: Sequence[ir.Setting],
    overlays: Sequence[ir.Overlay],
    made: ir.Changes,
    total: Total,
    sink: Sink,
) -> None:
    """Refuse a recipe that is too large, at the setting with which it becomes so; and the recipe
    with which all recipes together are too large, at its largest setting. Raises Failed after
    reporting."""
    elements = characters = 0
    largest: tuple[int, ir.Origin | None, ir.Path] = (0, None, ())
    for path, value, origin in _values(config, overlays, made):
        weight = Weight()
        weight.add(value, Budget())  # each by itself was within its limits
        elements += weight.elements
        characters += weight.characters
        if weight.characters + weight.elements > largest[0]:
            largest = (weight.characters + weight.elements, origin, path)
        if elements > LIMIT_ELEMENTS or characters > LIMIT_RECIPE:
            sink.error(
                "E308",
                "the recipe is too large",
                origin.span,
                f"over {LIMIT_ELEMENTS} elements or {LIMIT_RECIPE} characters in all settings "
                "together",
                help="store long texts in a file, and write `path(…)`",
            )
            raise Failed
    _, where, total.subject = largest
    try:
        total.recipe(elements, characters)
    except OverBudget as fault:
        if where is not None and total.to_report(sink):
            sink.error("E308", fault.title, where.span, fault.label, help=fault.help)
        raise Failed from None
    finally:
        total.subject = ()


def _values(
    config: Sequence[ir.Setting], overlays: Sequence[ir.Overlay], made: ir.Changes
) -> Iterator[tuple[ir.Path, Value, ir.Origin]]:
    for setting in config:
        yield setting.path, setting.value, setting.origin
    yield from _changed(made)
    for overlay in overlays:
        for setting in overlay.patch:
            yield setting.path, setting.value, setting.origin
        yield from _changed(overlay.changes)


def _changed(made: ir.Changes) -> Iterator[tuple[ir.Path, Value, ir.Origin]]:
    for setting in made.settings:
        if setting.parts:  # the text of all of them may be longer than one value is
            yield from _texts(setting.path, setting.parts)
        else:
            yield setting.path, setting.value, setting.origin
        for element in setting.removed:
            yield setting.path, element.value, element.origin
        for spread in setting.elements or ():
            for element in spread.removed:
                yield setting.path, element.value, element.origin


def _texts(path: ir.Path, parts: Sequence[ir.Part]) -> Iterator[tuple[ir.Path, Value, ir.Origin]]:
    for part in parts:
        if part.text is not None and part.origin is not None:
            yield path, part.text, part.origin
