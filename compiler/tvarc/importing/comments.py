"""Comments of recipes: which stand before what they explain."""

from __future__ import annotations

import re

from tvarc.importing.marks import plain
from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.nix.syntax import (
    Extent,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixIdent,
    NixList,
    NixSelect,
    NixString,
    children,
    elements,
    extent_of,
)

_LONGEST: Final = 160
_RULER: Final = re.compile(r"[=\-*_#~]{4}")
_MARKS: Final = re.compile(r"\A/\*+|\*/\Z")


@dataclass(frozen=True, slots=True)
class Comments:
    """How many lines of comments a recipe has; those at its head, by the name of an attribute those
    right before it, and by the sign of an element of a list those right before that."""

    count: int
    header: tuple[str, ...]
    before: Mapping[str, tuple[str, ...]]
    elements: Mapping[str, tuple[str, ...]]


NONE: Final = Comments(0, (), {}, {})


def sign_of(element: NixExpr) -> str:
    """What an element of a list is known by, whatever its value: a flag by what is before its `=`,
    a package by its last name; empty for what has no sign."""
    match element:
        case NixString((str() as text, *_)):
            return plain(text).split("=")[0]
        case NixIdent(name):
            return name
        case NixSelect(_, path):
            return path[-1] if isinstance(path[-1], str) else ""
        case _:
            return ""


def reason_of(lines: Sequence[str]) -> str:
    """The lines of a comment as the one sentence of a `because`; empty where they are more than
    that: a heading, or a text of several paragraphs."""
    reason = " ".join(lines)
    if len(reason) > _LONGEST or not all(lines) or "{{" in reason or _RULER.search(reason):
        return ""
    return reason if reason.isprintable() else ""


def comments_of(text: str, found: Sequence[Extent], root: NixExpr) -> Comments:
    """The comments of *text*, which stand at the places *found*."""
    starts = _places(root)
    header: tuple[str, ...] = ()
    before: dict[str, tuple[str, ...]] = {}
    of_elements: dict[str, tuple[str, ...]] = {}
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
        name, sign = starts.get(end + len(blank), ("", ""))
        if blank.count("\n") == 1:
            if name:
                before[name] = tuple(run)
            if sign:
                of_elements[sign] = tuple(run)
    count = sum(len(_lines(text[place.start : place.end])) for place in found)
    return Comments(count, header, before, of_elements)


def _lines(comment: str) -> list[str]:
    plain = _MARKS.sub("", comment).strip()
    return [line.strip().lstrip("#*").strip() for line in plain.split("\n")]


def _places(root: NixExpr) -> dict[int, tuple[str, str]]:
    """The places where attributes and elements of lists begin: the name of the one, the sign of
    the other."""
    found: dict[int, tuple[str, str]] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, NixAttrs):
            for entry in node.entries:
                if isinstance(entry, NixBinding) and isinstance(entry.path[-1], str):
                    found[extent_of(entry).start] = entry.path[-1], ""
        elif isinstance(node, NixList):
            for item in elements(node):
                found[extent_of(item).start] = "", sign_of(item)
        waiting += children(node)
    return found
