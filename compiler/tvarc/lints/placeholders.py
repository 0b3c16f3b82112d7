"""Which placeholders of a text decide what lints find.

A placeholder stands for a part that varies; it is one character that no program writes, and what
fills it is on one line and has no quotes. Of most placeholders nobody asks: a GPU's label in a
banner. What is said here may name a placeholder too many, never one too few.
"""

from __future__ import annotations

from itertools import pairwise

from tvarc import ir
from tvarc.blocks import IN_PARTS
from tvarc.light import Callable, Collection, Final, Mapping
from tvarc.lints.branches import DRIVER
from tvarc.lints.flags import EXPORTED, is_exported
from tvarc.lints.names import is_break, reduced, tokens, waits_for_number
from tvarc.lints.shell import assignments, openings
from tvarc.values import NixText, Value

_QUOTES: Final = "\"'"


def may_say(letters: Collection[str]) -> bool:
    """Whether texts of these letters may hold a word that lints look for."""
    return any(all(one in letters for one in word) for word in EXPORTED) or all(
        one in letters or one.upper() in letters for one in DRIVER
    )


Reading = Callable[[str], str]
"""What is put into a placeholder, for what fills it: texts that a lint reads alike may become
equal."""


def as_it_is(text: str) -> str:
    return text


def that_matter(part: ir.Setting, fillings: Mapping[str, str]) -> dict[str, Reading]:
    """The placeholders of a script or a description that matter, which are read as they are.
    `fillings` holds by each placeholder all texts that may fill it, a line each."""
    return dict.fromkeys(_that_matter(part, fillings), as_it_is)


def _that_matter(part: ir.Setting, fillings: Mapping[str, str]) -> set[str]:
    if part.path[0] in IN_PARTS:
        found: set[str] = set()
        for one in part.parts:
            found |= _of_script(_text(one.text), fillings)
        return found
    small = {placeholder: text.lower() for placeholder, text in fillings.items()}
    lines = _text(part.value).lower().split("\n")
    return {
        placeholder
        for line in lines
        if _may_say(line, small, (DRIVER,))
        for placeholder in _in(line, small)
    }


def that_name(
    part: ir.Setting, fillings: Mapping[str, str], words: Collection[str]
) -> dict[str, Reading]:
    """How the placeholders of a description are read, to find out which GPUs and which CUDA it
    names; *words* are those that decide it."""

    def alone(text: str) -> str:
        return reduced(text, words, enclosed=False)

    def enclosed(text: str) -> str:
        return reduced(text, words, enclosed=True)

    careful = (enclosed, alone, as_it_is)  # the more careful way is right where the other is
    found: dict[str, int] = {}
    for line in _text(part.value).split("\n") if isinstance(part, ir.Setting) else ():
        for place, placeholder in enumerate(line):
            if placeholder in fillings:
                way = careful.index(_way(line, place, fillings, alone, enclosed))
                found[placeholder] = max(way, found.get(placeholder, 0))
    return {placeholder: careful[way] for placeholder, way in found.items()}


def _way(
    line: str, place: int, fillings: Collection[str], alone: Reading, enclosed: Reading
) -> Reading:
    """How the placeholder at *place* is read: as it is unless its words stand *alone*, or else
    *enclosed*."""
    before, after = line[:place], line[place + 1 :]
    if _goes_on(before[::-1], fillings) or _goes_on(after, fillings):
        return as_it_is
    other = max([before.rfind(one) for one in fillings])
    between = before[other + 1 :]
    if (other >= 0 and not tokens(between)) or waits_for_number(between):
        return as_it_is
    beyond = min([at for one in fillings if (at := after.find(one)) >= 0], default=len(after))
    return enclosed if is_break(between[::-1]) and is_break(after[:beyond]) else alone


def _goes_on(text: str, fillings: Collection[str]) -> bool:
    """Whether *text*, read away from a placeholder, goes on with the word there."""
    near = text[:1]
    if near == "." or near == "_":
        return text[1:2].isdecimal() or text[1:2] in fillings
    return near.isalnum() or near in fillings


def _text(value: Value) -> str:
    """*value* with a blank for what only Nix knows: it ends a word, and no placeholder is one."""
    if isinstance(value, NixText):
        return "".join([one if isinstance(one, str) else _NIX for one in value.parts])
    return value if isinstance(value, str) else ""


_NIX: Final = "\0"


def _in(line: str, fillings: Collection[str]) -> list[str]:
    return [char for char in line if char in fillings]


def _of_script(text: str, fillings: Mapping[str, str]) -> set[str]:
    used = set(text).intersection(fillings)
    if not used:
        return used
    lines = [line for line in text.splitlines() if not used.isdisjoint(line)]
    saying = [line for line in lines if _may_say(line, fillings, EXPORTED)]
    if not saying and not any(word in text for word in EXPORTED):
        return set()
    if any(line.count(quote) % 2 for line in saying for quote in _QUOTES):
        return used  # what it begins goes on in other lines
    saying += [line for line in lines if _may_guard(line, fillings)]
    found = {placeholder for line in saying for placeholder in _in(line, fillings)}
    for name, value in assignments(text):
        if is_exported(name):
            found.update(_in(value, fillings))
    return found


def _may_say(line: str, fillings: Mapping[str, str], words: Collection[str]) -> bool:
    """Whether one of *words* may stand in *line* when its placeholders are filled."""
    between, placeholders = _split(line, fillings)
    texts = "\n".join([*between, *[fillings[placeholder] for placeholder in placeholders]])
    for word in words:
        if word in texts:
            return True
        for before, after in pairwise(between):
            cuts = range(1, len(word))
            if any(before.endswith(word[:cut]) or after.startswith(word[cut:]) for cut in cuts):
                return True
        if any(text in word for text in between[1:-1]):
            return True
    return False


def _split(line: str, fillings: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """What stands between the placeholders of *line*, and the placeholders."""
    between, placeholders = [""], []
    for char in line:
        if char in fillings:
            placeholders.append(char)
            between.append("")
        else:
            between[-1] += char
    return between, placeholders


def _may_guard(line: str, fillings: Mapping[str, str]) -> bool:
    """Whether *line*, filled, may begin or end an `if`, a `case` or a loop in a way that its
    placeholders decide."""
    between, placeholders = _split(line, fillings)
    if openings(between[0]) or any(";" in fillings[placeholder] for placeholder in placeholders):
        return True
    for part in line.split(";"):
        heads, inside = _split(part, fillings)
        head = heads[0].lstrip()
        if inside and head.split(maxsplit=1)[:1] in ([], [head]):
            return True  # its first word is not complete
    return False
