"""The remaining parts of an item with a syntax error: the item is read again without its broken
statement, or with the missing bracket. All errors stay reported. The places of parts that were left
out are kept, so that later stages can distinguish a missing name from one that was left out.
"""

from __future__ import annotations

import re

from tvarc.light import Callable, Final, Iterator, dataclass
from tvarc.syntax.cst import Cst, Leaf
from tvarc.syntax.fault import Advice, Fault, item_of, line_end, open_brackets
from tvarc.syntax.machine import Patch, Run
from tvarc.syntax.terminals import CLOSERS, OPENERS

_ROUNDS: Final = 6  # statements of one item that are left out
_CUT: Final = 8  # tokens before a fault that are left out with it
_CONDITIONS: Final = ("EXCLUDE", "INCLUDE", "REQUIRE")  # half of a condition is another one
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_MARKS: Final = re.compile(r'"{3,}|[{}()\[\]]')


@dataclass(frozen=True, slots=True)
class Reading:
    """One try to read an item with patches. Either it has the tree and where the tree ends, or the
    fault at which it stopped, if that is not too deep."""

    run: Run
    patches: tuple[Patch, ...]
    tree: Cst | Leaf | None = None
    fault: Fault | None = None


Read = Callable[[int, tuple[Patch, ...]], Reading]
"""Reads the item at an offset with patches."""


def recovered(read: Read, fault: Fault, advice: Advice, start: int) -> Reading | None:
    """The item at *start* as far as it has a meaning; None if nothing is left. *advice* is the
    message on *fault*."""
    text = fault.source.text
    patches: tuple[Patch, ...] = ()
    for _ in range(_ROUNDS):
        furthest: Reading | None = None
        for patch in _candidates(fault, advice):
            tried = read(start, _with(patches, patch))
            if tried.tree is not None and _ends_well(text, start, tried.run.stop):
                return tried
            at = tried.fault.start if tried.fault is not None else -1
            if at > (furthest.fault.start if furthest and furthest.fault else fault.start):
                furthest = tried
        if furthest is None or furthest.fault is None:
            return None
        from tvarc.syntax.unclosed import advise_unclosed

        patches, fault = furthest.patches, furthest.fault
        advice = advise_unclosed(fault) or Advice("", fault.start, fault.end)
    return None


def surplus(read: Read, text: str, starts: list[int], fault: Fault) -> tuple[int, Reading] | None:
    """If *fault* is a closing bracket without an opening one, an earlier bracket may have closed
    the item too early. Returns the number of that item among those that begin at *starts*, and the
    item without that bracket."""
    if fault.kind != "RBRACE" or fault.before:
        return None
    number = len(starts) - 1
    while number > 0 and _indentation(text, starts[number]) > 0:
        number -= 1
    if number < 0:
        return None
    first = read(starts[number], ())
    for closer in _early(text, first.run.before):
        start = closer.start_pos
        if _begins_line(text, start):  # its line is left out, too
            start = len(text[:start].rstrip(" \t\r\n"))
        tried = read(starts[number], (Patch(start, closer.end_pos),))
        ends = tried.tree is not None and _ends_well(text, starts[number], tried.run.stop)
        if ends and tried.run.stop > fault.start:
            return number, tried
    return None


def _early(text: str, tokens: list[Leaf]) -> Iterator[Leaf]:
    """The closing braces that may be one too many. First those that are indented more than what
    they close, then those behind other text, and then the last one."""
    opened: list[Leaf] = []
    behind: list[Leaf] = []
    last: list[Leaf] = []
    for token in tokens:
        if token.type in OPENERS:
            opened.append(token)
        elif token.type in CLOSERS and opened:
            opener = opened.pop()
            if token.type != "RBRACE" or "\n" not in text[opener.start_pos : token.start_pos]:
                continue
            if not _begins_line(text, token.start_pos):
                behind.append(token)
            elif _indentation(text, token.start_pos) > _indentation(text, opener.start_pos):
                yield token
            last = [token]
    yield from behind
    yield from last


def _candidates(fault: Fault, advice: Advice) -> Iterator[Patch]:
    """The patches that may make the rest of the item whole, the most likely first."""
    text = fault.source.text
    at = min(fault.start, len(text) - 1)
    previous = next((leaf for leaf in reversed(fault.before) if leaf.type != "_NL"), None)
    if advice.repair is not None:
        if fault.openers and _indentation(text, at) == 0 and fault.kind not in (*CLOSERS, "$END"):
            yield from _hole(fault, at)
        yield advice.repair
    if previous is None:
        return
    words = [leaf for leaf in item_of(fault.before) if leaf.type != "_NL"]
    if words and words[0].type not in _CONDITIONS:
        if fault.kind not in ("_NL", "$END"):
            yield Patch(fault.start, fault.end)
        yield from _cuts(fault, words)
    # The error of a bracket that is never closed is at its opening.
    if advice.code == "E102" and advice.others:
        yield from _hole(fault, min(start for start, _, _ in advice.others))
    if text[previous.end_pos : at].isspace() and "\n" in text[previous.end_pos : at]:
        yield from _hole(fault, previous.end_pos - 1)
    for place in (at, previous.start_pos, *[leaf.start_pos for leaf in fault.openers[-1:]]):
        yield from _hole(fault, place)


def _cuts(fault: Fault, words: list[Leaf]) -> Iterator[Patch]:
    """The statement with the fault, which begins with *words*, ends before it, after one of them.
    What it opened is closed. If the next lines are indented more, they are its body."""
    text = fault.source.text
    if len(words) < 2 or (words[0].type in ("NAME", "STRING") and not fault.openers):
        return
    for count in range(len(words), max(1, len(words) - _CUT), -1):
        last = words[count - 1].end_pos
        end = line_end(text, max(last, fault.start if fault.kind != "$END" else last))
        opened = open_brackets(words[:count])
        closers = [OPENERS[leaf.type] for leaf in reversed(opened)]
        following = _BLANK.match(text, end)
        assert following is not None
        below = _indentation(text, following.end()) > _indentation(text, words[0].start_pos)
        if below and not opened:
            yield Patch(last, end, ("LBRACE",))
        yield Patch(last, end, tuple(closers))


def _hole(fault: Fault, at: int) -> Iterator[Patch]:
    """The statement in the line with the offset *at*. If it opens something, the lines below that
    are indented more are parts of it. Nothing if that is the first line of the item."""
    text = fault.source.text
    start = text.rfind("\n", 0, at) + 1
    earlier = [leaf for leaf in fault.before if leaf.end_pos <= start and leaf.type != "_NL"]
    if earlier:
        for end in dict.fromkeys([_end_of_statement(text, start), line_end(text, start)]):
            yield Patch(earlier[-1].end_pos, end)


def _end_of_statement(text: str, start: int) -> int:
    end = line_end(text, start)
    depth = fences = 0
    for mark in _MARKS.findall(text, start, end):
        fences += len(mark) > 2
        depth += (mark in "{[(") - (mark in "}])")
    if depth <= 0 and fences % 2 == 0:
        return end
    indentation = _indentation(text, start)
    while end < len(text):
        begin = text.find("\n", end) + 1
        if begin == 0:
            break
        stop = line_end(text, begin)
        line = text[begin:stop].strip()
        if line and _indentation(text, begin) <= indentation:
            return stop if line[0] in "}])\"" else end
        end = stop
    return len(text)


def _with(patches: tuple[Patch, ...], new: Patch) -> tuple[Patch, ...]:
    """*patches* and *new* in the order of the text. Those that *new* overlaps are parts of it."""
    apart = [one for one in patches if one.end < new.start or new.end < one.start]
    inside = [one for one in patches if one not in apart]
    start = min([new.start, *(one.start for one in inside)])
    end = max([new.end, *(one.end for one in inside)])
    earlier = [kind for one in inside if one.end <= new.start for kind in one.tokens]
    made = Patch(start, end, (*earlier, *new.tokens))
    return tuple(sorted([*apart, made], key=lambda one: one.start))


def _ends_well(text: str, start: int, stop: int) -> bool:
    """Whether what follows the item from *start* to *stop* is no part of it, by its indentation."""
    found = _BLANK.match(text, stop)
    assert found is not None
    at = found.end()
    return at == len(text) or (
        text[at] not in "}])" and _indentation(text, at) <= _indentation(text, start)
    )


def _indentation(text: str, at: int) -> int:
    """The indentation of the line with the offset *at*."""
    begins = text.rfind("\n", 0, at) + 1
    line = text[begins : line_end(text, begins)]
    return len((line[: len(line) - len(line.lstrip())]).expandtabs())


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()
