"""The differences of derivations, as lines."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Final, Iterator, Sequence
from tvarc.text.diagnostics.render_cells import safe

if TYPE_CHECKING:
    from tvarc.nix.judge.difference import Difference

_MOST: Final = 3
_LONGEST: Final = 60


def difference_lines(found: Sequence[Difference]) -> Iterator[str]:
    """The first of *found*, a line each, and how many more there are."""
    for one in found[:_MOST]:
        yield _line(one)
    if len(found) > _MOST:
        yield f"and {len(found) - _MOST} more"


def _line(one: Difference) -> str:
    of = f" of {safe(one.through[-1])}" if one.through else ""
    by = f" (through {safe(', '.join(one.through[:-1]))})" if len(one.through) > 1 else ""
    return f"{one.kind} {safe(one.name)}{of}: {_change(one.before, one.after)}{by}"


def _change(before: str | None, after: str | None) -> str:
    if before is None or after is None:
        return f"+ {_cut(after or '')}" if before is None else f"- {_cut(before)}"
    if "\n" in before or "\n" in after:
        gone, new = before.split("\n"), after.split("\n")
    elif " " in before or " " in after:
        gone, new = before.split(), after.split()
    else:
        return f"{_cut(before)} → {_cut(after)}"
    removed = [item for item in gone if item not in new]
    added = [item for item in new if item not in gone]
    if not removed and not added:
        return "the same elements, in another order or number"
    between = "  " if "\n" in before or "\n" in after else " "
    told = [("-", removed), ("+", added)]
    return between.join(f"{sign} {_cut(' '.join(items))}" for sign, items in told if items)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return safe(text) or '""'
