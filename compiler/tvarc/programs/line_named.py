"""The line of source that a person names."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.driver import Compilation
from tvarc.light import Final
from tvarc.programs.find import source_name
from tvarc.provenance.model import Place

DIGITS: Final = 18
BEYOND: Final = 10**DIGITS
"""The number of a line that no file has."""


def line_named(made: Compilation, name: str, line: int, sink: Sink) -> Place | None:
    """Line number *line* of the file *name*, as spans name that; None, after reporting it, when the
    program has no such line."""
    assert made.graph is not None
    known = list(made.graph.modules)
    asked = name if name in known else source_name(name)
    if asked not in known:
        same = [one for one in known if made.loader.identity(one) == made.loader.identity(asked)]
        if not same:
            sink.error(
                "E904", f"the program does not read `{name}`",
                notes=(f"it reads {', '.join(f'`{one}`' for one in known)}",),
                help=did_you_mean(name, known),
            )  # fmt: skip
            return None
        asked = same[0]
    source = made.sources.get(asked)
    count = len(source.line_starts()) if source is not None else 0
    if line > count:
        which = f"line {line}" if line < BEYOND else "such line"
        sink.error("E904", f"`{name}` has no {which}", notes=(f"it has {count}",))
        return None
    return (asked, line)
