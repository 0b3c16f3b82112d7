"""What scripts of a build export: compiler flags, and switches that are off."""

from __future__ import annotations

import re

from tvarc.light import Final, Iterable, Iterator

_ASSIGNMENT = re.compile(
    r"""(?:^|[\s;])(?:export\s+)?([A-Za-z_]\w*)\+?=("[^"]*"|'[^']*'|[^\s;"']*)""", re.MULTILINE
)
_SWITCH = re.compile(r"-D(?:USE|WITH)_(\w+?)(?::\w+)?=(\w+)")
_OFF: Final = frozenset(("0", "off", "no", "n", "false"))
_FLAGS: Final = ("CFLAGS", "CXXFLAGS", "NIX_CFLAGS_COMPILE", "CPPFLAGS")


def exports(script: str) -> list[tuple[str, str]]:
    """Variables that *script* sets and their values, comments left out."""
    lines = [line for line in script.splitlines() if not line.lstrip().startswith("#")]
    text = "\n".join(lines)
    return [(one[1], one[2].strip("\"'")) for one in _ASSIGNMENT.finditer(text)]


def off_switches(assigned: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each part that a variable `USE_PART` switches off, and how."""
    for name, value in assigned:
        if name.startswith(("USE_", "WITH_")) and value.lower() in _OFF:
            yield name.partition("_")[2].lower(), f"`{name}={value}`"


def switch_name(flag: str) -> str | None:
    """The part that a flag for CMake switches off: of `-DUSE_MAGMA=OFF`, `magma`."""
    found = _SWITCH.fullmatch(flag)
    return found[1].lower() if found is not None and found[2].lower() in _OFF else None


def machine_flags(scripts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The compiler flags that begin with `-m`, in the order given, each once."""
    found: dict[str, None] = {}
    for name, text in scripts:
        values = [text] if name in _FLAGS else []
        values += [value for key, value in exports(text) if key in _FLAGS]
        for value in values:
            for word in value.split():
                if word.startswith("-m") and "${" not in word:
                    found[word] = None
    return tuple(found)


def significant_lines(script: str) -> tuple[str, ...]:
    """The lines of *script* that do something: no comments, nothing that is only printed."""
    bare = [line.strip() for line in script.splitlines()]
    return tuple([line for line in bare if line and not speaks(line)])


def speaks(line: str) -> bool:
    """Whether *line*, which has no blanks around it, is a comment or only prints."""
    return line.startswith("#") or (line.startswith("echo ") and ">" not in line)
