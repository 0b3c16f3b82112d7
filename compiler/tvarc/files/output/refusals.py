"""Why files were not written, gathered over a run so that each reason is reported once."""

from __future__ import annotations

import os

from tvarc.light import TYPE_CHECKING, Enum, assert_never
from tvarc.text.diagnostics.model import Sink

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message

_NAMED = 50


class Reason(Enum):
    EDITED = 1
    FOREIGN = 2
    ABSOLUTE = 3
    PARENT = 4
    NOT_PLAIN = 5
    SYMLINK = 6
    NO_FILE = 7
    SOURCE = 8
    TWICE = 9
    FOLDER_TOO = 10
    SYSTEM = 11
    KEPT = 12
    OTHER_PROGRAM = 13
    MEANWHILE = 14
    MERGED = 15
    LARGE = 16
    CHECKOUT = 17
    RESERVED = 18


class Refusals:
    """Collects paths by reason; `report` makes one diagnostic of each reason."""

    __slots__ = ("_paths",)

    def __init__(self) -> None:
        self._paths: dict[tuple[Reason, str], dict[str, None]] = {}

    def add(self, reason: Reason, path: str, detail: str = "") -> None:
        """*detail* is the system's reason, for `Reason.SYSTEM` and `Reason.KEPT`, or the name of
        the program for `Reason.OTHER_PROGRAM`."""
        self._paths.setdefault((reason, detail), {})[path] = None

    def __bool__(self) -> bool:
        return bool(self._paths)

    def report(self, sink: Sink, note: str = "") -> None:
        """Add the diagnostics to *sink*, each with *note* at its end."""
        for (reason, detail), given in self._paths.items():
            paths = list(given)
            sink.report(
                _message(reason),
                count=len(paths),
                path=paths[0],
                listed=_listed(paths) if len(paths) > 1 else "",
                detail=detail,
                mend=_mend(detail),
                notes=(note,) if note else (),
            )


def _listed(paths: list[str]) -> str:
    from tvarc.text.diagnostics.render_cells import safe

    shown = [f"  {safe(path)}" for path in paths[:_NAMED]]
    if len(paths) > _NAMED:
        shown.append(f"  and {len(paths) - _NAMED} more")
    return "\n".join(["they are:", *shown])


def _message(reason: Reason) -> Message:
    from tvarc.files import messages as msg  # most runs refuse nothing

    match reason:
        case Reason.EDITED:
            return msg.refusals.EDITED
        case Reason.FOREIGN:
            return msg.refusals.FOREIGN
        case Reason.ABSOLUTE:
            return msg.refusals.ABSOLUTE
        case Reason.PARENT:
            return msg.refusals.PARENT
        case Reason.NOT_PLAIN:
            return msg.refusals.NOT_PLAIN
        case Reason.SYMLINK:
            return msg.refusals.SYMLINK
        case Reason.NO_FILE:
            return msg.refusals.NO_FILE
        case Reason.SOURCE:
            return msg.refusals.SOURCE
        case Reason.TWICE:
            return msg.refusals.TWICE
        case Reason.FOLDER_TOO:
            return msg.refusals.FOLDER_TOO
        case Reason.SYSTEM:
            return msg.refusals.SYSTEM
        case Reason.KEPT:
            return msg.refusals.KEPT
        case Reason.OTHER_PROGRAM:
            return msg.refusals.OTHER_PROGRAM
        case Reason.MEANWHILE:
            return msg.refusals.MEANWHILE
        case Reason.MERGED:
            return msg.refusals.MERGED
        case Reason.LARGE:
            return msg.refusals.LARGE
        case Reason.CHECKOUT:
            return msg.refusals.CHECKOUT
        case Reason.RESERVED:
            return msg.refusals.RESERVED
        case _:
            assert_never(reason)


def _mend(detail: str) -> str:
    """What a person can do about an error *detail* of the system."""
    from tvarc.files.messages.refusals import MEND, MENDING

    for numbers, advice in MENDING:
        if detail in map(os.strerror, numbers):
            return advice
    return MEND
