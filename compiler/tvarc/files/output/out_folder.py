"""The folder that `--out` names: whether it leads where it says, and recipes there can be text."""

# pathlib costs too much at start.
# ruff: noqa: PTH114, PTH118, PTH120
from __future__ import annotations

import os

from tvarc.files import messages as msg
from tvarc.text.diagnostics.model import Sink
from tvarc.text.paths import is_reserved


def demand_plain(out: str, home: str, source: str, sink: Sink) -> None:
    """Report where `--out` does not lead where it says, for a program in the folder *home*, and
    where recipes cannot name *source*, the program as it is seen from there."""
    _demand_no_link(out, home, sink)
    _demand_text(os.path.dirname(source), sink)


def _demand_text(folder: str, sink: Sink) -> None:
    """Recipes name files by *folder*, from where they stand, and are text themselves."""
    try:
        folder.encode()
    except UnicodeEncodeError:
        sink.report(msg.paths.NAME_NOT_UTF8, folder=folder)


def _demand_no_link(out: str, home: str, sink: Sink) -> None:
    """`--out` leads where it says. Links that a checkout brings along, here or in the folder of the
    program, could lead anywhere; those above are the system's own."""
    if any(map(is_reserved, os.path.realpath(out).split("/"))):
        sink.report(msg.paths.OUT_IN_GIT, real=os.path.realpath(out))
        return
    inner = [os.path.realpath(folder) for folder in (os.curdir, home)]
    steps = [step for step in out.split("/") if step not in ("", ".")]
    at = "/" if out.startswith("/") else os.curdir
    for place, step in enumerate(steps, 1):
        above = os.path.realpath(at)
        at = os.path.join(at, step)
        last = place == len(steps)
        if os.path.islink(os.path.realpath(at)):  # the links form a circle, which is reported later
            return
        if os.path.islink(at) and (last or any(_is_below(above, one) for one in inner)):
            import shlex  # it loads much, and most runs refuse nothing

            sink.report(
                msg.paths.OUT_THROUGH_LINK,
                link=at.removeprefix("./"),
                real=shlex.quote(os.path.realpath(out)),
            )
            return


def _is_below(folder: str, other: str) -> bool:
    """Whether the real path *folder* is that of *other*, or of a folder in it."""
    return f"{folder}/".startswith(f"{other}/") or other == "/"
