"""The machines on which Nix may build, from a file of `--builders` or from Nix's settings. A line
is a machine: its address, its systems, a key of SSH, the number of jobs at a time, its speed, its
features, the features that a build must require, and its host key. `-` means not stated; fields at
the end may be left out. `#` begins a comment, `@FILE` names another file. In Nix's settings `;`
ends a line as well.
"""

# ruff: noqa: PTH100, PTH113, PTH118, PTH120
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc.farm.realise.store import Here
from tvarc.files.disk import read_named
from tvarc.light import Collection, Final, Sequence, dataclass
from tvarc.text.source import UnreadableSource

_JOBS: Final = 3
_NUMBERS: Final = {_JOBS: "jobs at a time", 4: "speed"}
_NO_TEXT: Final = "\ufffd"  # replaces bytes that are not UTF-8
_MOST_FIELDS: Final = 8
_DEEPEST: Final = 8  # files that name files
_MOST_FILES: Final = 64
_LARGEST: Final = 1 << 20  # bytes of one file


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine: the systems for which it builds, its features, and those of them that a build must
    require. Without systems, it has those of this machine. An `idle` machine has no jobs at a time,
    so Nix would wait for it for ever."""

    address: str
    systems: frozenset[str]
    features: frozenset[str]
    mandatory: frozenset[str]
    idle: bool = False

    def takes(self, system: str, features: Collection[str], here: Here) -> bool:
        """Whether it builds derivations of *system* that require *features*."""
        asked = frozenset(features)
        return (
            not self.idle
            and system in (self.systems or here.systems)
            and asked <= self.features | self.mandatory
            and self.mandatory <= asked
        )


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that names no machine, and the reason."""

    file: str
    line: int
    because: str


def read_machines(text: str, base: str = "") -> tuple[list[Machine], list[BadLine]]:
    """The machines that *text* names, and its invalid lines. *base* is the file of the text.
    """
    machines: list[Machine] = []
    bad: list[BadLine] = []
    _read(text, base, machines, bad, [], 0)
    return machines, bad


@dataclass(frozen=True, slots=True)
class Builders:
    """The machines that `file` lists, and its invalid lines. `setting` is the list for Nix: the
    path of the file, or the text of a pipe, which Nix could not read again."""

    file: str
    setting: str
    machines: Sequence[Machine]
    bad: Sequence[BadLine]


def machines_in(file: str) -> Builders:
    """The list of machines in *file*; raises UnreadableSource."""
    text = _text_of(file)
    setting = f"@{os.path.abspath(file)}" if os.path.isfile(file) else text
    return Builders(file, setting, *read_machines(text, file))


def machines_of(builders: str) -> tuple[list[Machine], list[BadLine]]:
    """The machines of Nix's setting *builders*. Nix ignores a missing file in it."""
    return read_machines(builders)


def _text_of(file: str) -> str:
    """Raises UnreadableSource."""
    return read_named(file, _LARGEST).decode("utf-8", "replace")


def _read(
    text: str,
    base: str,
    machines: list[Machine],
    bad: list[BadLine],
    read: list[str],
    depth: int,
) -> None:
    """*read* are the files that were already read, by their `@FILE`."""
    for number, whole in enumerate(text.split("\n"), 1):
        for part in whole.partition("#")[0].split(";"):
            line = part.strip()
            if line.startswith("@") and (depth == _DEEPEST or len(read) == _MOST_FILES):
                bad.append(BadLine(base, number, "the files name each other"))
            elif line.startswith("@"):
                path = os.path.join(os.path.dirname(base), line[1:].strip())
                read.append(path)
                try:
                    text_there = _text_of(path)
                except UnreadableSource as fault:
                    bad.append(BadLine(base, number, f"`{path}`: {fault.reason}"))
                else:
                    _read(text_there, path, machines, bad, read, depth + 1)
            elif line:
                one = _machine(line.split())
                if isinstance(one, Machine):
                    machines.append(one)
                else:
                    bad.append(BadLine(base, number, one))


def _machine(fields: Sequence[str]) -> Machine | str:
    """The machine of a line, or the fault of the line."""
    if len(fields) > _MOST_FIELDS:
        return f"it has {len(fields)} fields, and a machine has {_MOST_FIELDS} at most"
    if not fields[0].isprintable() or _NO_TEXT in fields[0]:
        return "its first field, the address, is not text"
    for at, what in _NUMBERS.items():
        given = fields[at] if at < len(fields) else "-"
        if given != "-" and not _is_number(given):
            return f"field {at + 1} ({what}) is `{given}`, which is not a number"
    systems, features, mandatory = (_names(fields, at) for at in (1, 5, 6))
    idle = len(fields) > _JOBS and fields[_JOBS] != "-" and not float(fields[_JOBS])
    return Machine(fields[0], systems, features, mandatory, idle)


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdigit()


def _names(fields: Sequence[str], at: int) -> frozenset[str]:
    given = fields[at] if at < len(fields) else "-"
    return frozenset(name for name in given.split(",") if name and name != "-")


def takers(
    machines: Sequence[Machine], here: Here, system: str, features: Collection[str]
) -> list[str]:
    """The builders for a derivation of *system* that requires *features*: addresses, "" for this
    machine.
    """
    found = [one.address for one in machines if one.takes(system, features, here)]
    local = here.jobs > 0 and (system in here.systems or system == "builtin")
    return ["", *found] if local and here.features.issuperset(features) else found
