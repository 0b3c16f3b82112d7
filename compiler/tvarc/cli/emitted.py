"""Which lines of the emitted files a line of source reaches: those that print otherwise when all
that it reaches is another value of the same width."""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.assembly.plain import recipe_text
from tvarc.driver import Compilation
from tvarc.elaborate.reach import Place, Reach
from tvarc.elaborate.trace import Trace
from tvarc.light import replace
from tvarc.output.header import DIGEST_PREFIX


def emitted_lines(
    made: Compilation, recipe: ir.Recipe, trace: Trace, target: Place
) -> dict[str, tuple[int, ...]]:
    """By file the numbers of the lines, from 1, that *target* reaches; the digest in the head is
    not counted, as it tells of all lines. Files that it does not reach are left out."""
    reach = Reach(trace, target)
    changed = reach.recipe(recipe)
    if not reach.found:
        return {}
    found: dict[str, tuple[int, ...]] = {}
    source = posixpath.basename(made.file)
    for _, file in recipe.files:

        def printed(one: ir.Recipe, file: str = file) -> list[str]:
            return recipe_text(one, source, file, made.file).split("\n")

        before = printed(recipe)
        lines = set(differing(before, printed(changed)))
        for number in reach.overlays:
            rest = (*recipe.overlays[:number], *recipe.overlays[number + 1 :])
            lines |= set(removed(before, printed(replace(recipe, overlays=rest))))
        if lines:
            found[file] = tuple(sorted(lines))
    return found


def differing(before: list[str], after: list[str]) -> list[int]:
    """The numbers, from 1, of the lines of *before* that are others in *after*."""
    if len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True), start=1)
        return [n for n, (one, other) in pairs if one != other and not _digest(one)]
    # A value was laid out in another way: what is new is found as by any comparison of texts.
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        line + 1
        for kind, first, last, _, _ in matcher.get_opcodes()
        if kind in ("replace", "delete")
        for line in range(first, last)
        if not _digest(before[line])
    ]


def removed(before: list[str], after: list[str]) -> list[int]:
    """The numbers of the lines of *before* that are no longer in *after*, which is *before* with
    one block left out."""
    before, after = ([("" if _digest(line) else line) for line in text] for text in (before, after))
    return differing(before, after) if len(before) > len(after) else []


def _digest(line: str) -> bool:
    return line.startswith(DIGEST_PREFIX)


def runs(lines: tuple[int, ...]) -> list[tuple[int, int]]:
    """Lines as runs, first and last."""
    found: list[tuple[int, int]] = []
    for line in lines:
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return found
