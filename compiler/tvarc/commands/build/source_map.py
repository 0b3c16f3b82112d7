"""The source map of a program, written in the folder of its recipes."""

# ruff: noqa: PTH118, PTH119
from __future__ import annotations

import os

from tvarc.build.assembly.source_map import MappedFile, SourceMaps
from tvarc.build.driver import Compilation
from tvarc.commands.programs.find import source_from
from tvarc.commands.shown.source_map import MARK, MapData
from tvarc.doing import each
from tvarc.files.persons import write_beside
from tvarc.light import Iterator
from tvarc.text.diagnostics.model import Sink
from tvarc.values.plain import json_text


def write_map(
    made: Compilation, common: str, root: str, source: str, sink: Sink, *, force: bool
) -> tuple[str, bool]:
    """Write the source map of all recipes to *common*, their folder below *root*. *source* is the
    path of the program from *root*. Returns the path of the map, and whether its content
    changed."""
    folder = os.path.join(root, common) or "."
    name = f"{os.path.basename(made.file)}.map.json"
    maps = SourceMaps(made.traced(), source, made.file)

    def seen(file: str) -> str:
        """The name of *file* relative to the folder of the map."""
        assert made.graph is not None
        elsewhere = file.startswith("std/") or made.graph.input_of(file) is not None
        return file if elsewhere else source_from(file, folder)

    gathered = MapData(maps, common, seen)
    gathered.add(each("tracing", made.variants, len(made.variants), "recipes"))
    for one in _collections(maps, made):
        gathered.add_file(one)
    data = json_text(gathered.data(seen(made.file)), indent=None).encode()

    def is_ours(known: bytes) -> bool:
        return known.startswith(f'{{"{MARK}":'.encode())

    changed = write_beside(folder, name, data, is_ours, sink, force=force)
    return os.path.join(folder, name), changed


def _collections(maps: SourceMaps, made: Compilation) -> Iterator[MappedFile]:
    """The maps of the files of all variants."""
    if not made.program.collections:
        return
    from tvarc.build.assembly.collection_map import all_mapped

    for one in all_mapped(maps, made.variants):
        yield one.file
