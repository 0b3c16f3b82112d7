"""The current work of a command, for the user who waits for it.

Code that may take longer than a second reports its work:

    with Doing("evaluating", len(variants), "variants") as step:
        step(12)

This module prints nothing. `line/progress.py` shows the innermost work on a terminal. Beginning a
work, and counting in it, only sets a few attributes, so a loop may do it for every variant.
"""

from __future__ import annotations

from time import monotonic

from tvarc.light import Iterable, Iterator, TypeVar

T = TypeVar("T")


class Doing:
    """A work that takes a while: a verb, and perhaps a number of things and their noun. `noun` ends
    in `s`. `done` is the number of finished ones. `began` is the time of `monotonic` at its
    beginning.
    """

    __slots__ = ("_outer", "began", "done", "noun", "total", "what")

    def __init__(self, what: str, total: int = 0, noun: str = "") -> None:
        self.what = what
        self.total = total
        self.noun = noun
        self.done = 0
        self.began = 0.0
        self._outer: Doing | None = None

    def __call__(self, done: int) -> None:
        """*done* of the things are finished."""
        self.done = done

    def one(self, _: object = None) -> None:
        """One more of the things is finished."""
        self.done += 1

    def __str__(self) -> str:
        """`evaluating 12 of 44 variants`."""
        if not self.noun:
            return self.what
        noun = self.noun if self.total != 1 else self.noun.removesuffix("s")
        return f"{self.what} {min(self.done, self.total):,} of {self.total:,} {noun}"

    def __enter__(self) -> Doing:
        self._outer = _Now.work
        _Now.work = self
        self.began = monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if _Now.work is self:
            _Now.work = self._outer
            return
        inner = _Now.work  # a generator that was left may end after the work around it
        while inner is not None and inner._outer is not self:
            inner = inner._outer
        if inner is not None:
            inner._outer = self._outer


class _Now:
    """The innermost work of this process."""

    work: Doing | None = None


def each(what: str, items: Iterable[T], total: int, noun: str) -> Iterator[T]:
    """*items*, *total* in number: one is finished when the next is requested."""
    with Doing(what, total, noun) as step:
        for item in items:
            yield item
            step.done += 1


def innermost() -> Doing | None:
    """The current work; None if no long work is reported."""
    return _Now.work
