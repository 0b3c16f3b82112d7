"""Faults caused by something that is never closed: a bracket, a string or a script."""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.syntax.cst import Leaf
from tvarc.syntax.fault import Advice, Fault, found, line_end, shown
from tvarc.syntax.machine import Patch
from tvarc.syntax.strings import fence_of, interpolation_end
from tvarc.syntax.terminals import BODY_WORDS, CLOSERS, OPENERS, PUNCTUATION, TOP_WORDS

_OPENED = "opened here"
_NOT_IN_BODIES = frozenset(TOP_WORDS) - frozenset(BODY_WORDS)


def advise_unclosed(fault: Fault) -> Advice | None:
    """The message for *fault* if something unclosed caused it; else None."""
    if fault.kind == "char":
        text, start = fault.source.text, fault.start
        if text.startswith('nix"""', start):
            return _fence(text, start + len("nix"))
        if text[start] == '"':
            return _quote(fault)
    return _swallowed_script(fault) or _bracket(fault)


def declaration_at(text: str, at: int) -> bool:
    """Whether a line begins at *at* whose first word begins a declaration."""
    if at > 0 and text[at - 1] != "\n":
        return False
    end = at
    while end < len(text) and end - at < 12 and text[end].isascii() and text[end].islower():
        end += 1
    return end < len(text) and text[end] in " \t" and text[at:end] in TOP_WORDS


def _quote(fault: Fault) -> Advice:
    text, start = fault.source.text, fault.start
    if text.startswith('"""', start):
        return _fence(text, start)
    at, limit = start + 1, line_end(text, start)
    while at < limit:
        if text[at] == "\\":
            at += 3 if text.startswith("\\{{", at) else 2
        elif text.startswith("{{", at):
            close = interpolation_end(text, at, limit)
            if close is None:
                return Advice(
                    "an interpolation is not closed", at, limit, "no `}}` follows on this line",
                    "close it with `}}`, or write `\\{{` for the characters `{{`", code="E103",
                    notes=("an interpolation cannot contain a string that has interpolations: "
                           "name that string with `let`",) if "{{" in text[at + 2 : limit] else (),
                    resume=limit,
                )  # fmt: skip
            at = close
        else:
            at += 1
    return Advice(
        "a string is not closed", limit, limit, 'expected `"` before the end of the line',
        'close it with `"`; write a string of several lines between `"""`', code="E102",
        others=((start, start + 1, _OPENED),), resume=limit,
    )  # fmt: skip


def _fence(text: str, start: int) -> Advice:
    count = 0
    while text.startswith('"', start + count):
        count += 1
    if count > 5:
        return Advice(
            "too many quotes",
            start,
            start + count,
            "",
            "write three, four or five quotes around a script",
        )
    end, quotes = len(text), '"' * count
    return Advice(
        "a script is not closed", end, end, f"expected `{quotes}` before the end of the file",
        f"close it with `{quotes}`", code="E102", others=((start, start + count, _OPENED),),
        resume=start + count,
    )  # fmt: skip


def _swallowed_script(fault: Fault) -> Advice | None:
    """A script that continued up to the opening quotes of the next one. Its last line shows this.
    """
    for leaf in reversed(fault.before):
        if leaf.type not in ("SCRIPT_TEXT", "NIX"):
            continue
        text = fault.source.text
        start = leaf.start_pos + (3 if leaf.type == "NIX" else 0)
        fence = fence_of(text, start)
        body = text[start + fence : leaf.end_pos - fence]
        _, newline, last_line = body.rpartition("\n")
        if not newline or not _opens_script(last_line):
            return None
        quotes = '"' * fence
        return Advice(
            "a script is not closed", leaf.end_pos - fence, leaf.end_pos,
            "this ends it, but another script seems to begin here",
            f"close the first one with `{quotes}` on a line of its own", code="E102",
            others=((start, start + fence, _OPENED),), resume=start + fence,
        )  # fmt: skip
    return None


def _opens_script(line: str) -> bool:
    words = line.split()
    if not words:
        return False
    return (
        words[0] in ("part", "script")
        or words[-1] in ("=", "+=", "because")
        or (words[0] in ("default", "force") and "part" in words)
    )


def closed_early(fault: Fault, at: int) -> Advice:
    """The message on *fault*, a closing bracket without an opening one, if the bracket at the
    offset *at* is the one too many."""
    return Advice(
        "a bracket closes too early", at, at + 1, "what follows is indented as if it were inside",
        "remove it, or add the bracket that it should close",
        others=((fault.start, fault.end, "so this has no opening bracket"),),
    )  # fmt: skip


def _bracket(fault: Fault) -> Advice | None:
    if not fault.openers or fault.kind == "char":  # such a character is wrong everywhere
        return None
    opener = fault.openers[-1]
    if fault.kind in CLOSERS:
        if CLOSERS[fault.kind] == opener.type:
            return None
        return _by_indentation(fault) or _unclosed(fault, opener, fault.start, fault.end)
    if fault.kind == "$END":
        return _by_indentation(fault) or _unclosed(fault, opener, fault.start, fault.end)
    text = fault.source.text
    for at in (fault.start, getattr(fault.last(), "start_pos", -1)):
        if at > opener.start_pos and declaration_at(text, at):
            end = at + len(text[at : at + 12].split()[0])
            return _by_indentation(fault) or _unclosed(fault, opener, at, end)
    return _by_indentation(fault) if opener.type != "LBRACE" else None


@dataclass(slots=True)
class _Open:
    """A bracket, and the indentation of its line. `indents`: whether the lines in it are indented
    more than that; None before the first of these lines. `line` is where the last token of its own
    line ends, and `below` is the first token below."""

    leaf: Leaf
    indentation: int
    indents: bool | None = None
    line: int = 0
    below: Leaf | None = None


def _by_indentation(fault: Fault) -> Advice | None:
    """The message at the first line whose indentation shows that an inner bracket should be closed
    before it. None if the lines before the fault are indented as their brackets require."""
    text = fault.source.text
    opened: list[_Open] = []
    line = -1  # the offset of the line that was looked at last
    last = 0  # the end of the last token
    for leaf in (*fault.before, Leaf(fault.kind, fault.start, fault.end)):
        if leaf.type in ("_NL", "$END"):
            continue
        begins = text.rfind("\n", 0, leaf.start_pos) + 1
        before = text[begins : leaf.start_pos]
        indentation = _width(before[: len(before) - len(before.lstrip())])
        if begins != line and not before.strip() and opened:
            inner, closes = opened[-1], leaf.type in CLOSERS
            if inner.below is None:
                inner.line, inner.below = last, leaf
            if inner.indents is None and not closes:
                inner.indents = indentation > inner.indentation
            if inner.indents is not False and indentation + closes <= inner.indentation:
                return _outdented(inner.leaf, last, leaf)
            if inner.indents is False and (
                indentation < inner.indentation or _only_declares(text, leaf.start_pos)
            ):
                return _outdented(inner.leaf, inner.line, inner.below)
        if leaf.type in OPENERS:
            opened.append(_Open(leaf, indentation))
        elif leaf.type in CLOSERS:
            opened.pop()
        line, last = begins, leaf.end_pos
    return None


def _only_declares(text: str, at: int) -> bool:
    """Whether a line begins at *at* with a word and a name, and no body has such an item."""
    if not declaration_at(text, at):
        return False
    word, *rest = text[at : line_end(text, at)].split(maxsplit=1)
    return word in _NOT_IN_BODIES and bool(rest) and rest[0][0] not in "=.+-{"


def _width(blanks: str) -> int:
    return len(blanks.expandtabs())


def _outdented(opener: Leaf, at: int, below: Leaf) -> Advice:
    opened, closer = PUNCTUATION[opener.type], PUNCTUATION[OPENERS[opener.type]]
    return Advice(
        f"`{opened}` is not closed", at, at,
        f"expected `{closer}` here", f"add `{closer}`, or indent the lines that belong to it",
        code="E102", resume=opener.end_pos,
        others=(
            (opener.start_pos, opener.end_pos, _OPENED),
            (below.start_pos, below.end_pos, "outside of it, by its indentation"),
        ),
        repair=Patch(at, at, (OPENERS[opener.type],)),
    )  # fmt: skip


def _unclosed(fault: Fault, opener: Leaf, start: int, end: int) -> Advice:
    """The message that *opener* has no end before what is between *start* and *end*."""
    opened, closer = PUNCTUATION[opener.type], PUNCTUATION[OPENERS[opener.type]]
    what = found(fault) if start == fault.start else f"`{shown(fault.source.text[start:end])}`"
    label, last = f"expected `{closer}`, found {what}", start
    if fault.kind not in CLOSERS:
        # The place is the end of the text that the bracket should have closed.
        ends = [one.end_pos for one in fault.before if one.type != "_NL"]
        last = max([end for end in ends if end <= start])
        start, end, label = last, last, f"expected `{closer}` before {what}"
    return Advice(
        f"`{opened}` is not closed", start, end, label,
        f"add `{closer}`: this `{opened}`, or one inside of it, has no end", code="E102",
        others=((opener.start_pos, opener.end_pos, _OPENED),), resume=opener.end_pos,
        repair=Patch(last, last, (OPENERS[opener.type],)),
    )  # fmt: skip
