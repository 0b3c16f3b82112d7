"""The exclusions that drop cells, for a person and as data."""

from __future__ import annotations

from tvarc.commands.shown.data import span_text
from tvarc.light import dataclass
from tvarc.matrix.exclusion_eval import Exclusion, Reason
from tvarc.text.source import SourceMap
from tvarc.values.plain import Data, place_data, value_data


@dataclass(frozen=True, slots=True)
class Cause:
    """An exclusion as it is written, its `file:line`, and its reason, perhaps empty. `brought_in`
    is the line that brought in an exclusion of a module, with its place."""

    text: str
    place: str
    because: str
    brought_in: str = ""


def cause_of(check: Exclusion, sources: SourceMap) -> Cause:
    """An exclusion for a person."""
    text = f"exclude {span_text(check.expr.span, sources)}"
    if check.need:
        text = f"needs {check.need} = {span_text(check.expr.span, sources)} or exclude"
    for condition in reversed(check.conditions):
        text = f"when {span_text(condition.span, sources)} {{ {text} }}"
    through = ""
    if check.through is not None:
        place = sources.locate(check.through.span)
        through = f"{place}: exclude {check.through.module}"
    return Cause(text, sources.locate(check.span), check.because, through)


def reason_data(reason: Reason, sources: SourceMap) -> Data:
    """A reason as data, with the place of its exclusion."""
    check, line = reason.check, reason.check.through
    return {
        "because": check.because,
        "condition": span_text(check.expr.span, sources),
        "when": [span_text(condition.span, sources) for condition in check.conditions],
        "operands": {one.text: value_data(one.value) for one in reason.operands},
        **place_data(check.span, sources),
        "through": {"module": line.module, **place_data(line.span, sources)} if line else None,
    }
