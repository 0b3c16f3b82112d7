"""The comments of recipes, by the setting or element that they precede."""

from __future__ import annotations

import re
from collections import Counter

from tvarc.byhand.reading.marks import plain
from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.nix.language.reader import Comment
from tvarc.nix.language.syntax import (
    Extent,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixIdent,
    NixLet,
    NixList,
    NixSelect,
    NixString,
    children,
    elements,
)

Line = tuple[int, str]

_LONGEST: Final = 160
_RULER: Final = re.compile(r"[=\-*_#~]{4}")
_MARKS: Final = re.compile(r"\A/\*+|\*/\Z")


@dataclass(frozen=True, slots=True)
class Comments:
    """The lines of comments of a recipe, each with its offset: all lines, and lines by name. Lines
    at the head have an empty name. Lines directly before an attribute have its name. Lines directly
    before an element of a list have the name that `of_element` returns."""

    lines: tuple[Line, ...]
    before: Mapping[str, tuple[Line, ...]]

    def texts(self, name: str) -> tuple[str, ...]:
        """The lines under *name*."""
        return tuple([text for _, text in self.before.get(name, ())])

    def of_element(self, within: str, sign: str) -> str:
        """The name of the lines before the element *sign* of the list *within*, if only one element
        has this sign; empty if there are no lines."""
        for name in (f"{within}[{sign}]", f"[{sign}]"):
            if name in self.before:
                return name
        return ""


NONE: Final = Comments((), {})


def sign_of(element: NixExpr) -> str:
    """The part of an element of a list that identifies it: of a flag the part before `=`, of a
    package its last name; empty if it has none."""
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
    """The lines of a comment as a sentence for `because`; empty for a heading or a text of several
    paragraphs."""
    reason = " ".join(lines)
    if len(reason) > _LONGEST or not all(lines) or "{{" in reason or _RULER.search(reason):
        return ""
    return reason if reason.isprintable() else ""


def comments_of(text: str, found: Sequence[Comment], root: NixExpr) -> Comments:
    """The comments of *text*, which are *found* in it. *root* is its expression."""
    before: dict[str, tuple[Line, ...]] = {}
    run: list[Line] = []
    every: list[Line] = []
    counts: Counter[str] | None = None
    end, at_head = 0, True
    for one in found:
        place = one.extent
        lines = _lines(text, place)
        every += lines
        between = text[end : place.start]
        at_head = at_head and not between.strip()
        alone = not text[text.rfind("\n", 0, place.start) + 1 : place.start].strip()
        if not alone or between.strip() or between.count("\n") > 1:
            run = []
        end = place.end
        if not alone:  # it is at the end of a line of code
            continue
        run += lines
        if at_head:
            before[""] = max(before.get("", ()), tuple(run), key=len)
            continue
        blank = text[end : one.start]
        if one.start < 0 or blank.strip() or blank.count("\n") != 1:
            continue
        names = [one.name] if one.name else []
        if one.element is not None:
            counts = _signs(root) if counts is None else counts
            names = [name for name in _names(one.element, one.within) if counts[name] == 1]
        before.update(dict.fromkeys(names, tuple(run)))
    return Comments(tuple(every), before)


def _lines(text: str, place: Extent) -> list[Line]:
    """The lines of the comment at *place*, without the marks of comments."""
    found: list[Line] = []
    offset = place.start
    for line in text[place.start : place.end].rstrip("\n").split("\n"):
        found.append((offset, _MARKS.sub("", line.strip()).strip().lstrip("#*").strip()))
        offset += len(line) + 1
    if len(found) > 1:  # marks may be on lines of their own
        found = [one for one in found if one[1] or one not in (found[0], found[-1])]
    return found


def _names(element: NixExpr, within: str) -> list[str]:
    """The possible names of lines before an *element* of the list *within*."""
    sign = sign_of(element)
    if not sign:
        return []
    return [f"{within}[{sign}]", f"[{sign}]"] if within else [f"[{sign}]"]


def _signs(root: NixExpr) -> Counter[str]:
    """For each name, the number of list elements whose lines could have it."""
    counts: Counter[str] = Counter()
    waiting = [(root, "")]
    while waiting:
        node, within = waiting.pop()
        if isinstance(node, NixList):
            for item in elements(node):
                counts.update(_names(item, within))
        waiting += _inner(node, within)
    return counts


def _inner(node: NixExpr, within: str) -> list[tuple[NixExpr, str]]:
    """The parts of *node*, each with the name of the attribute that it is in."""
    if not isinstance(node, NixAttrs | NixLet):
        return [(one, within) for one in children(node)]
    named = {
        id(entry.value): str(entry.path[-1])
        for entry in node.entries
        if isinstance(entry, NixBinding)
    }
    return [(one, named.get(id(one), within)) for one in children(node)]
