"""The lint on the driver that a build needs, which its description has to state."""

from __future__ import annotations

import re
from functools import cmp_to_key

from tvarc import ir
from tvarc.hosts import toolkit
from tvarc.hosts.driver import Floor, floor
from tvarc.hosts.rows import version_fact
from tvarc.light import Iterator
from tvarc.lints.cuda import Cuda, Target
from tvarc.lints.facts import Facts
from tvarc.lints.model import Finding
from tvarc.lints.subjects import Subjects
from tvarc.values import NixText, Value, Version, is_nix

_BRANCH = r"(?<![\w.])R?(\d{3}(?:\.\d+){0,2})(?!\d)"
_STATED = (
    re.compile(rf"driver[^.\n]{{0,60}}?{_BRANCH}", re.IGNORECASE),
    re.compile(rf"{_BRANCH}[^.\n]{{0,30}}?driver", re.IGNORECASE),
)
_version_key = cmp_to_key(Version.compare)


def driver_not_stated(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """A CUDA build of which nobody can tell which driver it needs, or that states too old a one.

    Only branches count: 580 states 580.65.06 as well.
    """
    cuda = subjects.cuda
    if not cuda.on or not cuda.with_torch or cuda.toolkit is None:
        return
    needed = _floor(cuda, facts)
    if needed is None or not needed.driver.parts[0].isdigit():
        return
    stated = [(one, setting) for setting in subjects.words.settings for one in _stated(setting)]
    branch = int(needed.driver.parts[0])
    if any(int(one.parts[0]) >= branch for one, _ in stated):
        return
    if not stated and any(_unknown(setting.value) for setting in subjects.words.settings):
        return
    wanted = f"{needed.asked_by} needs driver {needed.driver.text} or newer (std.cuda: RN131, RN132"
    wanted += "; std.nvidia: NV-RN131)"
    if stated:
        version, setting = stated[0]
        yield Finding(
            setting.origin.span,
            f"states {version.text}",
            wanted,
            f"state {branch} or newer",
        )
        return
    words = subjects.words
    yield Finding(
        words.settings[-1].origin.span if words.settings else words.package,
        "names no driver",
        wanted,
        f'state it in `meta`: `longDescription = "Driver: {branch} or newer."`',
    )


def _floor(cuda: Cuda, facts: Facts) -> Floor | None:
    """The oldest driver on which one of the build's GPUs runs it."""
    assert cuda.toolkit is not None
    used = toolkit.Toolkit(cuda.toolkit.first, cuda.toolkit.min_driver)
    floors = [floor(used, _first_driver(one, facts), one.name) for one in cuda.targets]
    known = [one for one in floors or [floor(used, None, "")] if one is not None]
    if len(known) < len(floors):
        return None
    return min(known, key=lambda one: _version_key(one.driver)) if known else None


def _first_driver(target: Target, facts: Facts) -> Version | None:
    row = target.row
    if row is None or "first-driver" not in row.facts:
        row = facts.gpu(target.capability)
    return version_fact(row, "first-driver")


def _stated(setting: ir.Setting) -> list[Version]:
    text = _text(setting.value)
    return [Version(found) for pattern in _STATED for found in pattern.findall(text)]


def _text(value: Value) -> str:
    if isinstance(value, NixText):
        return "".join(part if isinstance(part, str) else " " for part in value.parts)
    return value if isinstance(value, str) else ""


def _unknown(value: Value) -> bool:
    return is_nix(value) or not isinstance(value, str)
