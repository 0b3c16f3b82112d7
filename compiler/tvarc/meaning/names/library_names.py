"""Names of modules of the standard library that the program does not `use`."""

from __future__ import annotations

from tvarc.files.cache import Cache
from tvarc.light import Collection, dataclass
from tvarc.syntax import ast
from tvarc.syntax.prebuilt import library_tree
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import SourceLoader


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a name: a module such as `std.nvidia`, and the table if the name is of a row."""

    module: str
    table: str


class LibraryNames:
    """The names that the modules of the standard library declare, and the rows of their tables.

    The modules are read when the first name is looked up. A program without unknown names needs
    none of them.
    """

    __slots__ = ("_places", "cache", "loader")

    def __init__(self, loader: SourceLoader, cache: Cache | None = None) -> None:
        self.loader = loader
        self.cache = cache
        self._places: dict[str, list[Place]] | None = None

    def places(self, name: str) -> list[Place]:
        """The places where *name* is declared; if there are none, those where a row has it."""
        if self._places is None:
            self._places = self._read()
        found = self._places.get(name, [])
        return [place for place in found if not place.table] or found

    def _read(self) -> dict[str, list[Place]]:
        places: dict[str, list[Place]] = {}
        for module in self.loader.std_names():
            file = self.loader.std(module)
            if file is None:
                continue
            tree = library_tree(self.loader.read(file), Sink(), self.cache)
            for item in tree.items:
                name = getattr(item, "name", None)
                if not isinstance(name, ast.Name):
                    continue
                places.setdefault(name.text, []).append(Place(f"std.{module}", ""))
                if isinstance(item, ast.Facts):
                    for row in item.rows:
                        place = Place(f"std.{module}", item.name.text)
                        places.setdefault(row.name.text, []).append(place)
        return places


@dataclass(frozen=True, slots=True)
class Unused:
    """A module that has a name and is not used, with the `use` to write."""

    module: str
    help: str


def unused(
    name: str, library_names: LibraryNames, uses: Collection[str], *, rows: bool
) -> Unused | None:
    """The module of the standard library that has *name* and that a file does not use; None if
    there is none. *uses* are the modules that the file uses. Without *rows*, only declarations
    count.

    If several names of one module are missing, they have one cause and are reported once.
    """
    found = [
        place
        for place in library_names.places(name)
        if (rows or not place.table) and f"{place.module.replace('.', '/', 1)}.tvar" not in uses
    ]
    if not found:
        return None
    modules = list(dict.fromkeys(place.module for place in found))
    if len(modules) > 1:
        return Unused(modules[0], "write " + " or ".join(f"`use {one}`" for one in modules))
    table = found[0].table
    has = f"where table `{table}` has it" if table else "which declares it"
    return Unused(modules[0], f"write `use {modules[0]}`, {has}")
