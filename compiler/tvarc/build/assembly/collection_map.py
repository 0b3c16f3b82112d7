"""The source map of a file that has all variants: the provenance of each line."""

from __future__ import annotations

import posixpath

from tvarc.build.assembly.collections import Collections
from tvarc.build.assembly.mapped_text import summed
from tvarc.build.assembly.places import Source
from tvarc.build.assembly.source_map import MappedFile, SourceMaps
from tvarc.build.assembly.together import owners
from tvarc.files.output.header import seal
from tvarc.light import Iterator, Sequence, dataclass
from tvarc.matrix.present import Present, by_matrix
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir


@dataclass(frozen=True, slots=True)
class MappedCollection:
    """The file, and for each of its lines the variant that it belongs to; "" if it belongs to none.
    """

    file: MappedFile
    variants: tuple[str, ...]


def collections_of(maps: SourceMaps, variants: Sequence[Variant]) -> Collections:
    """The files that have all *variants*."""
    presents = [Present(built, cells) for built, cells in by_matrix(variants)]
    return Collections(maps.elaboration, presents, Source(maps.source, maps.entry))


def mapped(maps: SourceMaps, files: Collections, output: hir.OutputDef) -> MappedCollection:
    """The file of *output*, with its map. The elaboration must be traced."""
    head = files.header(output)
    parts = files.parts(output)
    text = seal([line for line, _ in head], b"".join([part.text for part in parts]).decode())
    # Text that is the same for any program comes from the output that declares the file. The digest
    # comes from all other lines.
    asked = maps.numbering.first(output.span)
    above = [(made, 0) for _, made in head]
    below = summed([part.text for part in parts])
    lines = [one if any(one) else (0, asked) for one in (*above, *below)]
    lines.insert(len(head), (0, 0))
    file = MappedFile(
        output.one_file, text, tuple([one for one, _ in lines]), tuple([one for _, one in lines])
    )
    return MappedCollection(file, owners(parts, len(head) + 2))


def all_mapped(maps: SourceMaps, variants: Sequence[Variant]) -> Iterator[MappedCollection]:
    """The maps of all files that have all *variants*."""
    files = collections_of(maps, variants)
    for output in maps.elaboration.program.collections:
        yield mapped(maps, files, output)


def name_of(output: hir.OutputDef) -> str:
    """The name of the file of *output*, without its folder."""
    return posixpath.basename(output.one_file)
