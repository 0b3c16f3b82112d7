"""Comments of recipes: which stand before what they explain."""

from __future__ import annotations

import re

from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.nix.syntax import Extent, NixAttrs, NixBinding, NixExpr, children, extent_of

_MARKS: Final = re.compile(r"\A/\*+|\*/\Z")


@dataclass(frozen=True, slots=True)
class Comments:
    """How many lines of comments a recipe has; those at its head, and by the name of an attribute
    those right before it."""

    count: int
    header: tuple[str, ...]
    before: Mapping[str, tuple[str, ...]]


NONE: Final = Comments(0, (), {})


def comments_of(text: str, found: Sequence[Extent], root: NixExpr) -> Comments:
    """The comments of *text*, which stand at the places *found*."""
    starts = _bindings(root)
    header: tuple[str, ...] = ()
    before: dict[str, tuple[str, ...]] = {}
    run: list[str] = []
    end, at_head = 0, True
    for place in found:
        between = text[end : place.start]
        at_head = at_head and not between.strip()
        alone = not text[text.rfind("\n", 0, place.start) + 1 : place.start].strip()
        if not alone or between.strip() or between.count("\n") > 1:
            run = []
        end = place.end
        if not alone:  # it stands behind something
            continue
        run += _lines(text[place.start : place.end])
        if at_head:
            header = tuple(run) if not header or len(run) > len(header) else header
            continue
        rest = text[end:]
        blank = rest[: len(rest) - len(rest.lstrip())]
        name = starts.get(end + len(blank))
        if name is not None and blank.count("\n") == 1:
            before[name] = tuple(run)
    count = sum(len(_lines(text[place.start : place.end])) for place in found)
    return Comments(count, header, before)


def _lines(comment: str) -> list[str]:
    plain = _MARKS.sub("", comment).strip()
    return [line.strip().lstrip("#*").strip() for line in plain.split("\n")]


def _bindings(root: NixExpr) -> dict[int, str]:
    """The names of attributes by the places where they begin."""
    found: dict[int, str] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, NixAttrs):
            for entry in node.entries:
                if isinstance(entry, NixBinding) and isinstance(entry.path[-1], str):
                    found[extent_of(entry).start] = entry.path[-1]
        waiting += children(node)
    return found
