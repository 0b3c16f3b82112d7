"""The axis values in the names of files, and the recipes of a folder that others may name."""

from __future__ import annotations

import posixpath

from tvarc.light import Iterable, Sequence, dataclass
from tvarc.values.value import Value


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A variant and its file. `package` is the name of the file as a package. `values` are the axis
    values as names print them, `rows` the values themselves."""

    variant: str
    matrix: str
    path: str
    package: str
    values: dict[str, str]
    rows: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a name without a cell: axis values, the nearest cells, and words that no cell
    has."""

    values: dict[str, str]
    cells: tuple[Cell, ...]
    words: tuple[str, ...]


class Names:
    """Reads names by the axis values of all cells."""

    __slots__ = ("_by_value", "_cells", "_known", "_words")

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = cells
        self._by_value: dict[str, dict[str, set[int]]] = {}  # numbers of cells
        self._words: set[str] = set()
        self._known: dict[tuple[tuple[str, str], ...], list[int]] = {}
        for number, cell in enumerate(cells):
            self._words.update(segments(cell.package))
            for axis, text in cell.values.items():
                self._by_value.setdefault(axis, {}).setdefault(text, set()).add(number)

    def read(self, name: str) -> Reading:
        values: dict[str, str] = {}
        for axis, texts in self._by_value.items():
            here = [text for text in texts if holds_run(name, text)]
            if here:
                values[axis] = max(here, key=lambda text: (len(text), text))
        unknown = tuple(word for word in segments(name) if word not in self._words)
        return Reading(values, tuple(self._fitting(name, values)), unknown)

    def rows(self, name: str) -> dict[str, Value]:
        """The declared axis values that *name* contains."""
        found = self.read(name).values
        return {
            axis: self._cells[next(iter(self._by_value[axis][text]))].rows[axis]
            for axis, text in found.items()
        }

    def _fitting(self, name: str, values: dict[str, str]) -> list[Cell]:
        """The cells with the most of *values*, and of these the cells with the most similar
        names."""
        key = tuple(values.items())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._having([self._by_value[a][t] for a, t in key])
        words = set(segments(name))
        alike = [len(words.intersection(segments(self._cells[n].package))) for n in found]
        most = max(alike, default=0)
        return [self._cells[n] for n, shared in zip(found, alike, strict=True) if shared == most]

    def _having(self, groups: Sequence[set[int]]) -> list[int]:
        """The cells that are in the most *groups*, in order."""
        together = set.intersection(*groups) if groups else set()
        if together or not groups:  # most often one cell has all values of a name
            return sorted(together)
        counts: dict[int, int] = {}
        for group in groups:
            for number in group:
                counts[number] = counts.get(number, 0) + 1
        most = max(counts.values())
        return sorted([number for number, count in counts.items() if count == most])


def segments(name: str) -> list[str]:
    return [word for word in name.replace(".", "-").split("-") if word]


def holds_run(name: str, value: str) -> bool:
    """Whether *value* is in *name* as a whole word, or as adjacent whole words."""
    return f"-{value}-" in f"-{name}-"


def naming(pname: str, name: str) -> tuple[str, str]:
    """The difference between the name of a package and that of its file: the part of each before
    their common end. Files that follow the same rule have the same result."""
    mine, theirs = pname.split("-"), name.split("-")
    while mine and theirs and mine[-1] == theirs[-1]:
        mine.pop()
        theirs.pop()
    return "-".join(mine), "-".join(theirs)


class Siblings:
    """The recipes of *cells*, whether or not their files exist."""

    __slots__ = ("_by_argument", "_by_package", "_by_path")

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._by_path: dict[str, Cell] = {}
        self._by_package: dict[str, str] = {}
        self._by_argument: dict[str, str] = {}
        for cell in cells:
            path = cell.path
            self._by_path[path] = cell
            self._by_package[cell.package] = path
            name = package_of(posixpath.basename(path.removesuffix("/default.nix")))
            # A name that two files have is ambiguous.
            self._by_argument[name] = "" if name in self._by_argument else path

    def file(self, importer: str, named: str) -> str:
        """The path of the recipe that the file *importer* names as *named*; empty if it is not a
        recipe."""
        if not named.startswith("."):
            return ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), named))
        return self._by_package.get(package_of(path), "")

    def argument(self, name: str) -> str:
        """The path of the recipe to which an argument *name* refers; empty if there is none."""
        return self._by_argument.get(name, "")

    def apart(self, one: str, other: str) -> str:
        """The axis values in which the recipes at the paths *one* and *other* differ."""
        mine, theirs = self._by_path[one], self._by_path[other]
        told: list[str] = []
        for axis in dict.fromkeys((*theirs.values, *mine.values)):
            here, there = mine.values.get(axis), theirs.values.get(axis)
            if here == there:
                continue
            if here is None:
                told.append(f"without {axis}")
            elif there is None:
                told.append(f"with {axis} {here}")
            else:
                told.append(f"{axis} {here}, not {there}")
        return "; ".join(told) or f"of matrix {mine.matrix}, not {theirs.matrix}"


def package_of(path: str) -> str:
    """The name of the package in the file at *path*."""
    return path.removesuffix(".nix").removesuffix("/default").replace("/", ".")
