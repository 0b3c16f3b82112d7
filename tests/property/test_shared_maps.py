"""The map of a file is the same alone and together with the maps of others."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from test_assembled_files import FILES, programs
from test_source_map import example_files

from support.compile import VARIANTS, std_sources
from support.effort import examples, sampled
from support.library_cache import library_cache
from tvarc.build.assembly.entries import Entry
from tvarc.build.assembly.source_map import MappedVariant, SourceMaps
from tvarc.build.driver import Compilation, compile_file
from tvarc.build.impact.line_impact import find
from tvarc.files.disk import MemoryLoader
from tvarc.meaning.budget import LIMIT_ALL_EVALUATIONS
from tvarc.values.provenance import Lines, Numbering, Place

FILE = "input.tvar"


def compiled(file: str, sources: dict[str, str]) -> Compilation | None:
    """None where it has an error."""
    made = compile_file(file, MemoryLoader(dict(sources), std_sources()), cache=library_cache())
    return None if made.sink.has_errors or made.elaboration is None else made


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

    def rows(self, one: MappedVariant) -> list[tuple[object, ...]]:
        """Line by line what each file is, and what that was made of."""
        return [
            (file.path, text, self.lines(made), self.lines(around))
            for file in one.files
            for text, made, around in zip(
                file.text.split("\n"), file.made, file.around, strict=True
            )
        ]

    def entries(self, one: MappedVariant) -> set[tuple[object, ...]]:
        return {self.entry(entry) for entry in one.entries}


def compare(made: Compilation, every: int = 1) -> int:
    """Hold the maps of all variants against the map of each by itself, of one variant in so many;
    how many variants there are."""
    maps = SourceMaps(made.traced(), made.file, made.file)
    told = Told(maps.numbering)
    named = {variant.name: variant for variant in made.variants}
    count = 0
    for mapped in filter(None, map(maps.of, made.variants)):  # those without an error
        variant = named[mapped.recipe.variant]
        count += 1
        if count % every:
            continue
        alone = SourceMaps(made.traced(), made.file, made.file)
        other = alone.of(variant)
        assert other is not None
        told_alone = Told(alone.numbering)
        pairs = zip(told.rows(mapped), told_alone.rows(other), strict=True)
        assert not [pair for pair in pairs if pair[0] != pair[1]]
        assert told.entries(mapped) == told_alone.entries(other)
    return count


def asked(made: Compilation, file: str, step: int = 1) -> int:
    """Hold what `who` finds of each line, or each *step*-th, against the maps of whole files."""
    maps = SourceMaps(made.traced(), made.file, made.file)
    variants = list(filter(None, map(maps.of, made.variants)))
    source = made.sources.get(file)
    assert source is not None
    hits = 0
    asking = made
    for line in range(1, len(source.line_starts()) + 1, step):
        bit = maps.numbering.line(file, line)
        assert asking.elaboration is not None
        if asking.elaboration.shared.total.evaluations_left < LIMIT_ALL_EVALUATIONS // 2:
            asking = compile_file(made.file, made.loader, cache=library_cache())
        found = find(asking, maps, made.variants, bit)
        assert found.names == [one.recipe.variant for one in variants]
        assert found.files == [tuple([file.path for file in one.files]) for one in variants]
        lines: dict[tuple[int, ...], list[int]] = {}
        entries: dict[Entry, list[int]] = {}
        for number, mapped in enumerate(variants):
            reached = [n for n, made in enumerate(mapped.files[0].made, start=1) if made & bit]
            if reached:
                lines.setdefault(tuple(reached), []).append(number)
            for entry in dict.fromkeys(mapped.entries):
                if entry.lines & bit and entry.kind != "shadowed":
                    entries.setdefault(entry, []).append(number)
        assert {key: sorted(some) for key, some in found.lines.items()} == lines
        assert {key: sorted(some) for key, some in found.entries.items()} == entries
        hits += len(lines)
    return hits


@pytest.mark.slow
@given(programs())
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_maps_are_the_same_alone_and_together(program: str) -> None:
    made = compiled(FILE, {**FILES, FILE: program})
    if made is not None and compare(made, 3):
        asked(made, FILE, 7)


@pytest.mark.slow
def test_the_44() -> None:
    file = "variants.tvar"
    made = compiled(file, {file: VARIANTS.read_text("utf-8")})
    assert made is not None
    assert compare(made, 5) == 44
    assert asked(made, file) > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    sampled([one for one in sorted(example_files()) if one.endswith("variants.tvar")], 4, ci=4),
)
def test_the_examples(file: str) -> None:
    made = compiled(file, example_files())
    assert made is not None
    # No axis has seven values.
    every = 1 if len(made.variants) < 20 else 7 if len(made.variants) < 100 else 37
    assert compare(made, every) == len(made.variants)
    # A large matrix would use up what a question may cost.
    assert asked(made, file, 3 if len(made.variants) < 100 else 7) > 0
