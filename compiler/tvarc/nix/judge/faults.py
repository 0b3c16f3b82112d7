"""An error as Nix prints it: its message, and the places that led to it, innermost first."""

from __future__ import annotations

import re

from tvarc.light import Final, dataclass

_AT: Final = re.compile(r"^\s*(?:…\s.*)?\bat (?P<file>/.+?):(?P<line>\d+):(?P<column>\d+):?\s*$")
_ERROR: Final = "error:"
_MOST_LINES: Final = 6
_MOST_CHARACTERS: Final = 400  # of a line: an error may quote a whole file
_NO_WORDS: Final = "an error without words"


@dataclass(frozen=True, slots=True)
class NixPlace:
    """A place in a file that Nix names."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class NixFault:
    """The words of Nix, as lines, and the places that led to the error."""

    words: tuple[str, ...]
    places: tuple[NixPlace, ...]


def fault_in(text: str) -> NixFault:
    """The fault that Nix reports in *text*. Older versions print the message, then the trace. Newer
    versions print the trace from the outside in, then the message with its place."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.strip().startswith(_ERROR)]
    # Newer versions print an `error:` first, and the message last.
    head = next((one for one in reversed(heads) if lines[one].strip() != _ERROR), None)
    if head is None:
        if not (heads and any(map(_places, lines))):
            whole = _shortened(text.strip().splitlines() or ["Nix gave no reason"])
            return NixFault(("\n".join(whole),), ())
        head = heads[-1]
    words = [lines[head].strip().removeprefix(_ERROR).strip() or _NO_WORDS]
    for line in lines[head + 1 :]:
        told = line.strip()
        if not told or told.startswith(("…", "(use", "at ")) or _AT.match(line):
            break
        words.append(told)
    inside = [place for line in lines[head:] for place in _places(line)]
    outside = [place for line in lines[:head] for place in _places(line)]
    return NixFault(_shortened(words), (*inside, *reversed(outside)))


def _shortened(words: list[str]) -> tuple[str, ...]:
    """*words*, which are lines, shortened to what a reader may want."""
    found = [
        line if len(line) <= _MOST_CHARACTERS else f"{line[:_MOST_CHARACTERS]}…"
        for line in words[:_MOST_LINES]
    ]
    return (*found, "…") if len(words) > _MOST_LINES else tuple(found)


def _places(line: str) -> list[NixPlace]:
    found = _AT.match(line)
    if found is None:
        return []
    return [NixPlace(found["file"], int(found["line"][:9]), int(found["column"][:9]))]
