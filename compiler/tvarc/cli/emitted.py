"""Which lines of the emitted files a line of source reaches: those that print otherwise when all
that it reaches is another value of the same width."""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.assembly.differing import differing
from tvarc.assembly.plain import recipe_text
from tvarc.driver import Compilation
from tvarc.elaborate.marks import marked_text
from tvarc.elaborate.reach import Place, Reach
from tvarc.elaborate.trace import Trace
from tvarc.light import Callable, Sequence, replace
from tvarc.output.header import DIGEST_PREFIX
from tvarc.source import Span


def emitted_lines(
    made: Compilation, recipe: ir.Recipe, trace: Trace, target: Place, heads: Sequence[Span] = ()
) -> dict[str, tuple[int, ...]]:
    """By file the numbers of the lines, from 1, that *target* reaches; the digest in the head is
    not counted, as it tells of all lines. Files that it does not reach are left out. *heads* are
    the blocks that begin on the line."""
    reach = Reach(trace, target, heads)
    changed = reach.recipe(recipe)
    if not reach.found:
        return {}
    found: dict[str, tuple[int, ...]] = {}
    source = posixpath.basename(made.file)
    for _, file in recipe.files:

        def printed(one: ir.Recipe, file: str = file) -> list[str]:
            text = recipe_text(one, source, file, made.file)
            return ["" if line.startswith(DIGEST_PREFIX) else line for line in text.split("\n")]

        before = printed(recipe)
        lines = set(differing(before, printed(changed)))
        for number in reach.overlays:
            lines |= set(_overlay_lines(before, recipe, number, printed))
        if lines:
            found[file] = tuple(sorted(lines))
    return found


def _overlay_lines(
    text: list[str], recipe: ir.Recipe, number: int, printed: Callable[[ir.Recipe], list[str]]
) -> range:
    """The lines of an overlay: from the comment above it to that of the next, or to the end of
    their list."""
    first = _overlay_start(text, recipe, number, printed)
    if number + 1 < len(recipe.overlays):
        return range(first, _overlay_start(text, recipe, number + 1, printed))
    indent = _indent(text[first - 1])
    end = next(
        n for n, line in enumerate(text[first:], first) if line.strip() and _indent(line) < indent
    )
    return range(first, end + 1)


def _overlay_start(
    text: list[str], recipe: ir.Recipe, number: int, printed: Callable[[ir.Recipe], list[str]]
) -> int:
    """The line of the comment that names an overlay: the first that another name changes. It is
    not looked for by its text, which may stand elsewhere."""
    overlays = list(recipe.overlays)
    overlays[number] = replace(overlays[number], name=marked_text(overlays[number].name))
    return differing(text, printed(replace(recipe, overlays=tuple(overlays))))[0]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def runs(lines: tuple[int, ...]) -> list[tuple[int, int]]:
    """Lines as runs, first and last."""
    found: list[tuple[int, int]] = []
    for line in lines:
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return found
