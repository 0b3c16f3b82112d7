"""The answer for a path that a variant does not have: the conditions that keep it out, or the paths
of the variant."""

from __future__ import annotations

from tvarc.commands import messages as msg
from tvarc.commands.shown.data import named
from tvarc.commands.shown.lookup import Unknown, path_text, steps_of
from tvarc.decide.trace import Trace, Written
from tvarc.light import Sequence
from tvarc.text.diagnostics.model import Diagnostic, filled
from tvarc.text.diagnostics.suggest import Guess
from tvarc.text.source import SourceMap
from tvarc.values.reads import Held
from tvarc.values.value import show

_LISTED = 20
_LONGEST = 200  # characters of a path that the answer repeats


def absent(path: str, unknown: Unknown, why: Trace | None, sources: SourceMap) -> Diagnostic:
    """Why the variant of *why* has no *path*, which was looked for as far as *unknown* says."""
    steps = tuple(steps_of(path))
    kept = list(why.kept_out(steps)) if why is not None else []
    if kept:
        return _kept_out(path, kept, sources)
    taken = list(why.taken_out(steps)) if why is not None else []
    return _taken_out(path, taken, sources) if taken else _unknown(path, unknown)


def _kept_out(path: str, kept: Sequence[tuple[Written, Held]], sources: SourceMap) -> Diagnostic:
    """The conditions that keep a setting out."""
    notes: list[str] = []
    for written, held in kept:
        asked = ", ".join(f"{text} = {show(value)}" for text, value in held.operands)
        notes.append(
            f"{written.whose} sets it ({sources.locate(written.write.span)}) "
            f"when {sources.text_of(held.span)}; here {asked}"
        )
        notes += [f"{named(one)} ({sources.locate(one.span)})" for one in held.reads.names]
        notes += [f"it reads {setting}" for setting in held.reads.settings]
    return filled(msg.selection.EXCLUDED, None, {"path": path}, notes=notes)


def _taken_out(path: str, taken: Sequence[Written], sources: SourceMap) -> Diagnostic:
    """The lines that removed all of a script."""
    notes: list[str] = []
    for written in taken:
        where = sources.locate(written.write.span)
        conditions = [sources.text_of(one.span) for one in written.write.conditions]
        under = f" when {' and '.join(conditions)}" if conditions else ""
        notes.append(f"{written.whose} removes it ({where}){under}")
    return filled(msg.selection.REMOVED, None, {"path": path}, notes=notes)


def _unknown(path: str, unknown: Unknown) -> Diagnostic:
    known = [f"`{one}`" for one in unknown.known()]
    found = path_text(unknown.found.path)
    if len(known) > _LISTED:
        known[_LISTED:] = [f"and {len(known) - _LISTED} more"]
    return filled(
        msg.selection.NO_PATH,
        None,
        {
            "path": path if len(path) <= _LONGEST else path[:_LONGEST] + "…",
            "known": ", ".join(known),
            "without": "" if known else found,
            "guess": Guess(unknown.suggestion() or ""),
        },
    )
