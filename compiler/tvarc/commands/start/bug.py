"""The report of an internal error of tvarc."""

from __future__ import annotations

import traceback

from tvarc.text.diagnostics.render_cells import safe


def bug_text(bug: Exception, *, whole: bool) -> str:
    """The report of *bug*, with *whole* all of its traceback."""
    if whole:
        return "".join(traceback.format_exception(bug)).rstrip("\n")
    kind = type(bug).__name__
    what = f"{kind}: {bug}" if str(bug) else kind
    frames = traceback.extract_tb(bug.__traceback__)
    where = ""
    if frames:
        place = "/".join(frames[-1].filename.rsplit("/", 2)[-2:])
        where = f" ({place}, line {frames[-1].lineno})"
    return (
        f"internal error: {safe(what)[:500]}{where}\n"
        "This is a fault of tvarc, not of your program: please report it, with the program and the "
        "command.\nTVARC_TRACEBACK=1 in the environment shows where it happened."
    )
