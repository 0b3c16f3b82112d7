"""The states of variants in a build, from its report on disk."""

from __future__ import annotations

import json

from tvarc.commands import messages as msg
from tvarc.commands.programs.find import file_name
from tvarc.files.disk import DiskLoader, report_unreadable
from tvarc.files.resources import stdlib_dir
from tvarc.light import Final
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource
from tvarc.values.plain import Json

_TOLD: Final = ("state", "machine", "seconds", "through", "log")


def build_states(file: str, sink: Sink) -> dict[str, Json]:
    """The state of each variant in the report *file*, by its name, with its other fields. Errors of
    the file are reported."""
    name = file_name(file)
    try:
        data = json.loads(DiskLoader(stdlib_dir()).read(name).text)
    except UnreadableSource as fault:
        report_unreadable(fault, sink)
        return {}
    except (ValueError, RecursionError) as fault:
        _no_report(name, f"it is not JSON: {fault}", sink)
        return {}
    found: dict[str, Json] = {}
    variants = data.get("variants") if isinstance(data, dict) else None
    is_report = isinstance(variants, list)
    for one in variants if isinstance(variants, list) else ():
        match one:
            case {"name": str(variant), "state": str()}:
                found[variant] = {
                    key: value
                    for key in _TOLD
                    if isinstance(value := one.get(key), str | int) and value != ""
                }
            case _:
                is_report = False
    if not is_report:
        _no_report(name, "it has no list `variants` with a name and a state for each variant", sink)
    return found


def _no_report(name: str, why: str, sink: Sink) -> None:
    sink.report(msg.builds.NO_REPORT, name=name, reason=why)
