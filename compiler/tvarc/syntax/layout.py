"""Newlines: which end an item, and which count for nothing. Also keeps the open brackets."""

from __future__ import annotations

from tvarc.light import Final, Sequence
from tvarc.syntax.cst import MAX_DEPTH, Leaf, TooDeepError
from tvarc.syntax.terminals import CLOSERS, OPENERS

TURNS: Final = frozenset((*OPENERS, *CLOSERS, "_NL"))
"""The terminals that the layout looks at; all others go to the parser."""


class Layout:
    """A filter over the tokens of one item or expression, in order, without looking ahead.

    A newline between braces ends an item; within `( )` and `[ ]`, after `{` and after `,` it is
    dropped. At no depth at all the first newline after a token ends the whole (`finished`).
    """

    __slots__ = ("_closed", "_ends", "finished", "openers")

    def __init__(self, *, newline_ends: bool) -> None:
        self.openers: list[Leaf] = []
        self.finished = False
        self._closed: Leaf | None = None  # what the last bracket that closes has closed
        self._ends = newline_ends

    def keep(self, token: Leaf, before: Sequence[Leaf]) -> bool:
        """Whether *token*, one of `TURNS`, goes to the parser as those *before* it did. Raises
        TooDeepError for brackets beyond the limit."""
        kind = token.type
        if kind == "_NL":
            return self._newline(before[-1].type if before else "")
        self._closed = None
        if kind in OPENERS:
            self.openers.append(token)
            if len(self.openers) > MAX_DEPTH:
                raise TooDeepError(token.start_pos, token.end_pos)
        elif kind in CLOSERS and self.openers and self.openers[-1].type == CLOSERS[kind]:
            self._closed = self.openers.pop()
        return True

    def around(self, kind: str, start: int) -> tuple[Leaf, ...]:
        """The brackets open around the refused token of *kind* at *start*, outermost first."""
        if kind in CLOSERS and self._closed is not None:
            return (*self.openers, self._closed)
        if self.openers and self.openers[-1].start_pos == start:
            return tuple(self.openers[:-1])
        return tuple(self.openers)

    def _newline(self, after: str) -> bool:
        if not self.openers:
            self.finished = self._ends and after != ""
            return False
        return self.openers[-1].type == "LBRACE" and after not in ("LBRACE", "COMMA", "_NL")
