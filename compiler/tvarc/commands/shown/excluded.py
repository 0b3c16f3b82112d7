"""The exclusions that drop cells, for a person and for a program."""

from __future__ import annotations

from tvarc.light import Mapping, dataclass
from tvarc.matrix.exclusion_eval import Exclusion, Reason, Through
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import Value


@dataclass(frozen=True, slots=True)
class Cause:
    """An exclusion as it is written, its `file:line`, and its reason, perhaps empty. `brought_in`
    is the line that brought in an exclusion of a module, with its place."""

    KEYS = (("brought_in", "through"),)

    text: str
    place: str
    because: str
    brought_in: str = ""


def cause_of(check: Exclusion, sources: SourceMap) -> Cause:
    """An exclusion for a person."""
    text = f"exclude {sources.text_of(check.expr.span)}"
    if check.need:
        text = f"needs {check.need} = {sources.text_of(check.expr.span)} or exclude"
    if check.includes:
        more = len(check.includes) - 1
        text = sources.text_of(check.span) + (f" and {more} more" if more else "")
    for condition in reversed(check.conditions):
        text = f"when {sources.text_of(condition.span)} {{ {text} }}"
    through = ""
    if check.through is not None:
        place = sources.locate(check.through.span)
        through = f"{place}: exclude {check.through.module}"
    return Cause(text, sources.locate(check.span), check.because, through)


@dataclass(frozen=True, slots=True)
class DropReason:
    """An exclusion that drops a cell, and the values that it has there."""

    KEYS = (("place", ""),)

    because: str
    condition: str
    when: tuple[str, ...]
    operands: Mapping[str, Value]
    place: Span
    through: Through | None


def reason_of(reason: Reason, sources: SourceMap) -> DropReason:
    """A reason for a program, with the place of its exclusion."""
    check = reason.check
    return DropReason(
        because=check.because,
        condition=sources.text_of(check.expr.span),
        when=tuple(sources.text_of(condition.span) for condition in check.conditions),
        operands={one.text: one.value for one in reason.operands},
        place=check.span,
        through=check.through,
    )
