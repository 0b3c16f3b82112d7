"""Make what fails small: the smallest input that still fails in the same way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import tvarc
from fuzz.cases import Case, Kind
from fuzz.oracles import Broken, check

_TOKEN = re.compile(rb'"""|[\w-]+|\s+|.', re.DOTALL)
_MOST_TRIES = 1_500
_PACKAGE = Path(tvarc.__file__).parent


def failure(case: Case) -> str:
    """In which way *case* fails, as the rule that it breaks or the place that raised; empty where
    it does not."""
    try:
        check(case)
    except Broken as fault:
        return fault.rule
    except Exception as fault:
        return f"{type(fault).__name__} in {_place(fault)}"
    return ""


def _place(fault: BaseException) -> str:
    """The innermost function of the compiler that *fault* went through."""
    found, frame = "a test", fault.__traceback__
    while frame is not None:
        code = frame.tb_frame.f_code
        path = Path(code.co_filename)
        if path.is_relative_to(_PACKAGE):  # a checkout may be called `tvarc`, too
            found = f"{path.relative_to(_PACKAGE).as_posix()}:{code.co_name}"
        frame = frame.tb_next
    return found


def reduced(case: Case, wanted: str) -> Case:
    """A small case that fails as *wanted* says, which *case* does."""
    return replace(case, data=smallest(case.data, _fails(case, wanted)))


def _fails(case: Case, wanted: str) -> Callable[[bytes], bool]:
    def fails(data: bytes) -> bool:
        return failure(replace(case, data=data)) == wanted

    return fails


def smallest(data: bytes, fails: Callable[[bytes], bool], most: int = _MOST_TRIES) -> bytes:
    """*data* without all that `fails` does without: items, then lines, tokens and bytes."""
    left = [most]

    def tried(found: bytes) -> bool:
        left[0] -= 1
        return left[0] > 0 and fails(found)

    before = None
    while before != data and left[0] > 0:
        before = data
        for parts_of in (_braced, _lines, _tokens, _bytes):
            parts = parts_of(data)
            if parts_of is _bytes and len(parts) > 400:
                continue
            data = _without(parts, tried)
    return data


def _without(parts: Sequence[bytes], fails: Callable[[bytes], bool]) -> bytes:
    """Leave out runs of *parts*, half of them at first, one at last."""
    kept = list(parts)
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if fails(b"".join(fewer)):
                kept = fewer
            else:
                at += size
        if size == 1:
            return b"".join(kept)
        size //= 2


def _braced(data: bytes) -> list[bytes]:
    """From one line that begins at the margin to the next: declarations, mostly."""
    return re.split(rb"(?<=\n)(?=[^\s}])", data)


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _tokens(data: bytes) -> list[bytes]:
    return _TOKEN.findall(data)


def _bytes(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def shown(case: Case) -> Iterator[str]:
    """*case* as a person reads it, line by line."""
    text = case.text
    if text is None or (case.kind is not Kind.PROGRAM and "\0" in text):
        yield repr(case.data)
    else:
        yield from (f"    {line}" for line in text.splitlines())
