"""The shell's completions while the user types. Errors are not reported, because the line is not
finished.

The words themselves are found in `start/completion.py`; this module applies the rules of shells to
a line.
"""

from __future__ import annotations

import os

import typer

from tvarc.light import Callable, Final, Iterable, Iterator, suppress

_BROKEN_AT: Final = {"selectors": "=", "explained": "=", "cells": "=", "places": ":"}
"""The signs at which bash splits a word of such a parameter: `gpu=sm90` becomes `gpu`, `=`, `sm90`,
and bash completes only the part after the sign."""


def offering(name: str) -> Callable[[typer.Context, str], list[str]]:
    """The function that the library calls for the words of a parameter; *name* is that of the
    function of `start/completion.py` which finds them."""

    def offered(ctx: typer.Context, incomplete: str) -> list[str]:
        sign = _BROKEN_AT.get(name, "")
        before = _before(sign) if sign else ""
        whole = f"{before}{sign}{incomplete.lstrip(sign)}" if before else incomplete
        with suppress(Exception):
            from tvarc.commands.start.completion import Typed, offer

            typed = tuple(ctx.params.get("words") or ())
            found = offer(name, Typed(whole, typed, _programs(ctx)))
            words = [word[len(before) + 1 :] for word in found] if before else found
            return list(_put_in(os.environ.get("_TVARC_COMPLETE", ""), words))
        return []

    return offered


class _Quoted(str):
    """A word in the quotes of a shell. The library drops words that do not begin with the typed
    text. The unquoted word was checked for that before."""

    __slots__ = ()

    def startswith(self, *_: object) -> bool:
        return True


def _put_in(shell: str, words: Iterable[str]) -> Iterator[str]:
    """*words* in the form of *shell*. Bash puts a word into the line unchanged, so special
    characters are quoted here. Fish and zsh quote by themselves, but the library cannot pass a word
    with a quote to zsh: such a word is not offered."""
    for word in words:
        if shell.endswith("_bash"):
            yield _Quoted("".join([one if _is_plain(one) else f"\\{one}" for one in word]))
        elif not (shell.endswith("_zsh") and any(one in word for one in "'\"\\")):
            yield word


def _is_plain(char: str) -> bool:
    """Whether *char* means nothing to a shell within a word."""
    return char.isalnum() or char in "_@%+=:,./-"


def _before(sign: str) -> str:
    """The part before *sign* of the word that is being typed, which bash has split; empty if it has
    not."""
    place = os.environ.get("COMP_CWORD", "")
    words, at = os.environ.get("COMP_WORDS", "").split(), int(place) if place.isdigit() else 0
    where = at if words[at : at + 1] == [sign] else at - 1
    return words[where - 1] if where > 1 and words[where : where + 1] == [sign] else ""


def _programs(ctx: typer.Context) -> tuple[str, ...]:
    """The words of the line that may name the program, the most likely first."""
    given: list[str] = []
    for name in ("file", "program", "programs"):
        value = ctx.params.get(name)
        given += [value] if isinstance(value, str) else value or ()
    return tuple(given)
