"""Nix's report on a running build, in the format `--log-format internal-json`: which derivation
begins on which machine, the output of its builder, the number of finished builds.

A line is `@nix ` and JSON. Nix 2.8 to 2.34 number the kinds of activities and results alike.
"""

from __future__ import annotations

import json
import re

from tvarc.light import Any, Final, dataclass

_MARK: Final = "@nix "
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_BUILD: Final = 105  # an activity: its fields are the derivation and the machine, "" for this one
_LOG_LINE: Final = 101  # a result of an activity
_PHASE: Final = 104
_PROGRESS: Final = 105  # of all builds: how many are done, expected, running and failed
_LEVEL_OF_OTHERS: Final = 1
"""What is no JSON comes from other programs, such as ssh, and is as a warning."""


@dataclass(frozen=True, slots=True)
class Begun:
    """The build of a derivation has begun, on *machine*, which is empty for this one. A remote
    machine's reports of its own builds arrive as well, and have no machine.
    """

    activity: int
    derivation: str
    machine: str


@dataclass(frozen=True, slots=True)
class Printed:
    """A line that a builder has printed."""

    activity: int
    text: str


@dataclass(frozen=True, slots=True)
class Entered:
    """A builder is in this phase now."""

    activity: int
    phase: str


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers of finished and failed builds, from the activity that represents all builds of
    one Nix, this one or a remote one.
    """

    activity: int
    done: int
    failed: int


@dataclass(frozen=True, slots=True)
class Said:
    """A message, without colours; `level` is 0 for an error, 1 for a warning, more for the rest."""

    level: int
    text: str


Event = Begun | Printed | Entered | Counted | Said


def read_event(line: str) -> Event | None:
    """The event of *line*; None if it has nothing to follow a build by."""
    if not line.startswith(_MARK):
        text = _COLOUR.sub("", line.rstrip())
        return Said(_LEVEL_OF_OTHERS, text) if text else None
    try:
        data = json.loads(line[len(_MARK) :])
    except (ValueError, RecursionError):
        return None
    match data:
        case {
            "action": "start",
            "type": int(kind),
            "id": int(id_),
            "fields": [str(path), str(machine), *_],
        } if kind == _BUILD:
            return Begun(id_, path, machine)
        case {"action": "result", "type": int(kind), "id": int(id_), "fields": list(fields)}:
            return _result(kind, id_, fields)
        case {"action": "msg", "level": int(level), "msg": str(text)}:
            return Said(level, _COLOUR.sub("", text).rstrip())
        case _:
            return None


def _result(kind: int, activity: int, fields: list[Any]) -> Event | None:
    match fields:
        case [str(text)] if kind == _LOG_LINE:
            return Printed(activity, text)
        case [str(phase)] if kind == _PHASE:
            return Entered(activity, phase)
        case [int(done), int(), int(), int(failed)] if kind == _PROGRESS:
            return Counted(activity, done, failed)
        case _:
            return None
