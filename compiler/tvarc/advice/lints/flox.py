"""The lint on names of packages that Flox reads in another way, or accepts only in quotes.

The facts come from the sources of Flox 1.14: `package-builder/nef/lib` makes the names of the files
below `.flox/pkgs`, and `package-builder/flox-build.mk` hands them to make and to a shell.
"""

from __future__ import annotations

from tvarc.advice.lints.model import Finding, lint
from tvarc.light import Final, Iterator, Sequence
from tvarc.nix.language.quoting import KEYWORDS, attribute_path, is_identifier
from tvarc.text.source import Span

PACKAGES: Final = ".flox/pkgs/"
_FILE: Final = ".nix"
_FOLDER: Final = "/default"
_NOT_READ: Final = "flake"
_ALL: Final = "default"
_HANDED_ON: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-._@")
_LABEL: Final = "makes this file"
_HELP: Final = 'change the name: `replace(…, ".", "_")` and `under(…)` write it without a dot'


class FloxNames:
    """Checks the files below `.flox/pkgs`. Each file is a package of its own. It keeps a number for
    each name.
    """

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def look(self, files: Sequence[str], place: Span) -> Iterator[tuple[int, Finding]]:
        """The findings on *files*, which are written at *place*, each with the index of its
        file.
        """
        names = [file[len(PACKAGES) : -len(_FILE)] for file in files]
        if any(name.endswith(_FOLDER) for name in names if "/" in name):
            names = [name.removesuffix(_FOLDER) for name in names]
        if not _are_plain(names):
            for at, name in enumerate(names):
                yield from [(at, one) for one in _of_name(name, files[at], place)]
        # For make, in which the name of a variable has no `-`.
        numbers = list(map(hash, "\n".join(names).replace("-", "_").split("\n")))
        before, self._seen = self._seen, self._seen.union(numbers)
        if len(self._seen) == len(before) + len(numbers):
            return
        for at, number in enumerate(numbers):
            if number in before:
                yield at, _alike(names[at], place)
            before.add(number)


@lint(
    "W148",
    "flox-name",
    "name that Flox reads differently",
    "Flox reads this name in another way",
)
def flox_name(
    looking: FloxNames, files: Sequence[str], place: Span
) -> Iterator[tuple[int, Finding]]:
    """A file in `.flox/pkgs` whose name Flox knows only in quotes, or reads as something else.

    *looking* has seen the files before *files*, which are written at *place*. A finding comes with
    the index of its file.
    """
    return looking.look(files, place)


def _are_plain(names: Sequence[str]) -> bool:
    """Whether Flox accepts all of *names* without quotes. One search checks all names together."""
    together = "".join(names)
    plain = together.replace("-", "").replace("_", "")
    return (
        plain.isascii()
        and plain.isalnum()
        and "".join([name[0] for name in names]).replace("_", "a").isalpha()
        and _NOT_READ not in together
        and _ALL not in names
        and KEYWORDS.isdisjoint(names)
    )


def _of_name(name: str, file: str, place: Span) -> Iterator[Finding]:
    steps = tuple(name.split("/"))
    if name == _ALL:
        case = f"Flox reads a folder with `{file}` as one package, and skips its other files"
        yield Finding(place, _LABEL, case, _HELP, what="Flox finds one package instead of all")
    elif steps[-1].endswith(_NOT_READ) and file.endswith(f"{_NOT_READ}{_FILE}"):
        case = f"Flox does not read `{file}`: its name ends with `flake.nix`"
        yield Finding(place, _LABEL, case, _HELP, what="Flox does not find this package")
    elif not all(one in _HANDED_ON or not one.isascii() for step in steps for one in step):
        case = f"`{file}`: `flox build` passes the name to make, which treats part of it as syntax"
        what = "Flox cannot build a folder with this package"
        yield Finding(place, _LABEL, case, _HELP, what=what)
    elif not all(map(is_identifier, steps)):
        called = attribute_path(steps)
        case = f"`{file}` is the package `{called}`, quotes included: `flox build '{called}'`"
        what = "Flox knows this package only by a name in quotes"
        yield Finding(place, _LABEL, case, _HELP, what=what)


def _alike(name: str, place: Span) -> Finding:
    case = (
        f"`{name}` and another package differ only in `-` and `_`: `flox build` uses the same "
        "variables for both"
    )
    what = "Flox mixes up two packages"
    return Finding(place, _LABEL, case, "make their names differ in another character", what=what)
