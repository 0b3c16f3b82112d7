"""Which lines of the emitted files a line of source reaches: those that print otherwise when all
that it reaches is another value of the same width."""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.assembly.differing import differing
from tvarc.assembly.plain import recipe_text
from tvarc.backend.nix.quoting import comment_line
from tvarc.driver import Compilation
from tvarc.elaborate.reach import Place, Reach
from tvarc.elaborate.trace import Trace
from tvarc.light import Sequence
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
            lines |= set(_overlay_lines(before, recipe.overlays, number))
        if lines:
            found[file] = tuple(sorted(lines))
    return found


def _overlay_lines(text: list[str], overlays: Sequence[ir.Overlay], number: int) -> range:
    """The lines of an overlay: from the comment above it to that of the next, or to the end of
    their list."""
    starts: list[int] = []
    at = 0
    for overlay in overlays:
        head = f"# {comment_line(overlay.name)}"
        at = next(n for n in range(at, len(text)) if text[n].lstrip().startswith(head))
        starts.append(at)
        at += 1
    first = starts[number]
    if number + 1 < len(starts):
        return range(first + 1, starts[number + 1] + 1)
    indent = len(text[first]) - len(text[first].lstrip())
    last = next(n for n in range(first, len(text)) if _ends(text[n], indent))
    return range(first + 1, last + 1)


def _ends(line: str, indent: int) -> bool:
    """Whether *line* closes the list whose elements stand at *indent*."""
    return bool(line.strip()) and len(line) - len(line.lstrip()) < indent


def runs(lines: tuple[int, ...]) -> list[tuple[int, int]]:
    """Lines as runs, first and last."""
    found: list[tuple[int, int]] = []
    for line in lines:
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return found
