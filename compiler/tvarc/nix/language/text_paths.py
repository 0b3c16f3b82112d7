"""The relative paths in Nix text. They mean other files if the text moves to another folder."""

from __future__ import annotations

from tvarc.light import Callable, Final, Iterator, Sequence, dataclass
from tvarc.nix.language.syntax import NixPath, NixQuoted
from tvarc.nix.language.tokens import tokens

_ABSOLUTE: Final = ("/", "~")
"""The beginnings of paths that mean the same in every folder."""
_VALUE: Final = "\ufffc"
"""A character for a value in Nix text. It is no word of Nix."""


@dataclass(frozen=True, slots=True)
class TextPath:
    """A path from `start` to `end` of a text. `goes_on` says that a `${…}` follows, which is part
    of it."""

    start: int
    end: int
    goes_on: bool


def relative_paths(text: str) -> Iterator[TextPath]:
    """The relative paths in the code of *text*, in order. If *text* has an open bracket or string,
    the paths in the part that can be read."""
    return (path for path in _paths(text) if text[path.start] not in _ABSOLUTE)


def has_absolute_paths(parts: Sequence[object]) -> bool:
    """Whether *parts* of Nix text have absolute paths, or paths in a home."""
    whole = _joined(parts)
    return any(whole[path.start] in _ABSOLUTE for path in _paths(whole))


def _paths(text: str) -> Iterator[TextPath]:
    for token in tokens(text):
        if token.kind == "path":
            yield TextPath(token.start, token.end, text.startswith("${", token.end))


def files_named(parts: Sequence[object]) -> Iterator[str]:
    """The files that relative paths in *parts* of Nix text name. For a path with `${…}`, the folder
    before that."""
    whole = _joined(parts)
    for path in relative_paths(whole):
        written = whole[path.start : path.end]
        yield written.rpartition("/")[0] if path.goes_on else written


def _joined(parts: Sequence[object]) -> str:
    return "".join([part if isinstance(part, str) else _VALUE for part in parts])


def moved_paths(
    parts: Sequence[str | NixQuoted], seen: Callable[[str], str]
) -> list[str | NixQuoted]:
    """*parts* of Nix text, with each relative path replaced by the result of *seen*."""
    whole = _joined(parts)
    found = {path.start: path for path in relative_paths(whole)}
    made: list[str | NixQuoted] = []
    at = 0
    for part in parts:
        to = at + (len(part) if isinstance(part, str) else len(_VALUE))
        for start in [number for number in found if at <= number < to]:
            path = found[start]
            made.append(whole[at:start])
            if path.goes_on:  # the text after it continues the path
                made += ("/${toString ", NixQuoted(NixPath(seen("."))), "}/")
                at = start
            else:
                made.append(NixQuoted(NixPath(seen(whole[start : path.end]))))
                at = path.end
        made.append(whole[at:to] if isinstance(part, str) else part)
        at = to
    return [part for part in made if part != ""]
