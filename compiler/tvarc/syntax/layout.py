"""Newlines: which end an item, and which count for nothing. Also keeps the open brackets."""

from __future__ import annotations

from tvarc.syntax.cst import MAX_DEPTH, Leaf, TooDeepError
from tvarc.syntax.terminals import CLOSERS, OPENERS


class Layout:
    """A filter over the tokens of one item or expression, in order, without looking ahead.

    A newline between braces ends an item; within `( )` and `[ ]`, after `{` and after `,` it is
    dropped. At no depth at all the first newline after a token ends the whole (`finished`).
    """

    __slots__ = ("_after", "_closed", "_ends", "finished", "openers")

    def __init__(self, *, newline_ends: bool) -> None:
        self.openers: list[Leaf] = []
        self.finished = False
        self._closed: Leaf | None = None  # what the last token kept has closed
        self._ends = newline_ends
        self._after = ""  # terminal of the last token kept

    def keep(self, token: Leaf) -> bool:
        """Whether *token* goes to the parser. Raises TooDeepError for brackets beyond the limit."""
        kind = token.type
        self._closed = None
        if kind == "_NL":
            return self._newline()
        if kind in OPENERS:
            self.openers.append(token)
            if len(self.openers) > MAX_DEPTH:
                raise TooDeepError(token.start_pos, token.end_pos)
        elif kind in CLOSERS and self.openers and self.openers[-1].type == CLOSERS[kind]:
            self._closed = self.openers.pop()
        self._after = kind
        return True

    def around(self, kind: str, start: int) -> tuple[Leaf, ...]:
        """The brackets open around the refused token of *kind* at *start*, outermost first."""
        if kind in CLOSERS and self._closed is not None:
            return (*self.openers, self._closed)
        if self.openers and self.openers[-1].start_pos == start:
            return tuple(self.openers[:-1])
        return tuple(self.openers)

    def _newline(self) -> bool:
        if not self.openers:
            self.finished = self._ends and self._after != ""
            return False
        if self.openers[-1].type != "LBRACE" or self._after in ("LBRACE", "COMMA", "_NL"):
            return False
        self._after = "_NL"
        return True
