"""The maps of files by the fragments that these share are the maps of each file by itself."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from test_assembled_files import FILES, programs
from test_source_map import example_files

from support.assembled import KeptMaps, small
from support.compile import VARIANTS, std_sources
from support.effort import examples
from support.library_cache import library_cache
from tvarc.assembly.entries import Entry
from tvarc.assembly.present import NotShareable, by_matrix
from tvarc.assembly.shared_maps import Found, MappedFiles, SharedMaps
from tvarc.assembly.source_map import MappedVariant
from tvarc.disk import MemoryLoader
from tvarc.driver import Compilation, compile_file
from tvarc.provenance.model import Lines, Numbering, Place

FILE = "input.tvar"


@cache
def std() -> dict[str, str]:
    return std_sources()


def compiled(file: str, sources: dict[str, str]) -> Compilation | None:
    """None where it has an error."""
    made = compile_file(file, MemoryLoader(dict(sources), std()), cache=library_cache())
    return None if made.sink.has_errors or made.elaboration is None else made


def shared_maps(made: Compilation, *, shadowed: bool = False) -> tuple[Numbering, list[SharedMaps]]:
    elaboration = made.traced()
    assert elaboration.tracing is not None
    placeholders = made.may_have_placeholders()
    found = [
        SharedMaps(
            elaboration,
            built,
            cells,
            made.file,
            made.file,
            placeholders=placeholders,
            shadowed=shadowed,
        )
        for built, cells in by_matrix(made.variants)
    ]
    return elaboration.tracing.numbering, found


class Told:
    """What a map says of a variant, in places, which are the same by all numberings."""

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering
        self.known: dict[Lines, tuple[tuple[Place, ...], tuple[tuple[str, ...], ...]]] = {}

    def lines(self, lines: Lines) -> tuple[tuple[Place, ...], tuple[tuple[str, ...], ...]]:
        if lines not in self.known:
            found = self.numbering
            self.known[lines] = (found.places(lines), found.values(lines))
        return self.known[lines]

    def entry(self, entry: Entry) -> tuple[object, ...]:
        return (entry.kind, entry.path, entry.what, entry.span, self.lines(entry.lines))

    def rows(self, one: MappedVariant | MappedFiles) -> list[tuple[object, ...]]:
        """Line by line what each file is, and what that was made of."""
        return [
            (file.path, text, self.lines(made), self.lines(around))
            for file in one.files
            for text, made, around in zip(
                file.text.split("\n"), file.made, file.around, strict=True
            )
        ]

    def entries(
        self, one: MappedVariant | MappedFiles, *, shadowed: bool
    ) -> set[tuple[object, ...]]:
        return {self.entry(entry) for entry in one.entries if shadowed or entry.kind != "shadowed"}


def compare(
    made: Compilation, *, shadowed: bool, plain: KeptMaps | None = None, every: int = 1
) -> int:
    """Hold both against each other, of each variant or of one in so many, with what is shadowed or
    without; how many variants there were. *plain* are its maps of each file, where they were made
    before. Raises NotShareable."""
    numbering, maps = shared_maps(made, shadowed=shadowed)
    told = Told(numbering)
    plain = plain or KeptMaps(made.traced(), made.file, made.file)
    told_plain = Told(plain.numbering)
    variants = iter(made.variants)
    count = 0
    for one in maps:
        for mapped in one:
            variant = next(variants)
            count += 1
            assert variant.name == mapped.variant
            if count % every:
                continue
            other = plain.of(variant)
            assert other is not None and other.recipe.variant == mapped.variant
            pairs = zip(told.rows(mapped), told_plain.rows(other), strict=True)
            assert not [pair for pair in pairs if pair[0] != pair[1]]
            mine = told.entries(mapped, shadowed=shadowed)
            assert mine == told_plain.entries(other, shadowed=shadowed)
    return count


def asked(made: Compilation, file: str, step: int = 1) -> int:
    """Hold what is found of each line, or each *step*-th, against the maps of whole files."""
    numbering, maps = shared_maps(made)
    variants = [mapped for one in maps for mapped in one]
    source = made.sources.get(file)
    assert source is not None
    hits = 0
    for line in range(1, len(source.line_starts()) + 1, step):
        bit = numbering.line(file, line)
        found = Found()
        for one in maps:
            found.add(one.find(bit))
        assert found.names == [one.variant for one in variants]
        assert found.files == [tuple([file.path for file in one.files]) for one in variants]
        lines: dict[tuple[int, ...], list[int]] = {}
        entries: dict[Entry, list[int]] = {}
        for number, mapped in enumerate(variants):
            reached = [n for n, made in enumerate(mapped.files[0].made, start=1) if made & bit]
            if reached:
                lines.setdefault(tuple(reached), []).append(number)
            for entry in mapped.entries:
                if entry.lines & bit and entry.kind != "shadowed":
                    entries.setdefault(entry, []).append(number)
        assert {key: sorted(some) for key, some in found.lines.items()} == lines
        assert {key: sorted(some) for key, some in found.entries.items()} == entries
        hits += len(lines)
    return hits


@pytest.mark.slow
@given(programs())
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_fragments_have_the_maps_of_the_plain_path(program: str) -> None:
    with pytest.MonkeyPatch.context() as patch, small(patch):
        made = compiled(FILE, {**FILES, FILE: program})
        try:
            if made is None:
                return
            plain = KeptMaps(made.traced(), made.file, made.file)
            if compare(made, shadowed=False, plain=plain):
                compare(made, shadowed=True, plain=plain)
                asked(made, FILE, 7)
        except NotShareable:
            pass


@pytest.mark.slow
@pytest.mark.parametrize("few", [False, True])
def test_the_44(monkeypatch: pytest.MonkeyPatch, *, few: bool) -> None:
    file = "variants.tvar"
    made = compiled(file, {file: VARIANTS.read_text("utf-8")})
    assert made is not None
    if few:
        with small(monkeypatch):
            assert compare(made, shadowed=few) == 44
            assert asked(made, file) > 100
    else:
        assert compare(made, shadowed=few) == 44
        assert asked(made, file) > 100


# Their names decide more than texts: files of these are made, and mapped, one by one.
ONE_BY_ONE = {
    f"{example}/variants.tvar" for example in ("llama-cpp", "megatron-environment", "spark-nightly")
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", [one for one in sorted(example_files()) if one.endswith("variants.tvar")]
)
def test_the_examples(file: str) -> None:
    made = compiled(file, example_files())
    assert made is not None
    if file in ONE_BY_ONE:
        with pytest.raises(NotShareable):
            compare(made, shadowed=True)
        return
    # What they share is of all of them. It is held against some: no axis has seven values.
    every = 1 if len(made.variants) < 100 else 7
    assert compare(made, shadowed=True, every=every) == len(made.variants)
    assert asked(made, file, 5) > 0
