"""What the page and the picture of a program are made of: variants decided and mapped, what lints
find in each, the cells that are dropped, and what changed since another state."""

from __future__ import annotations

import posixpath

from tvarc.advice.lints.model import Finding
from tvarc.advice.lints.run import Found, Lints
from tvarc.advice.lints.variants import same_build
from tvarc.build.assembly.source_map import SourceMaps
from tvarc.build.diff.changes import Changes
from tvarc.build.driver import Compilation
from tvarc.commands.programs.selecting import dropped_meant
from tvarc.commands.report.data import MatrixData
from tvarc.commands.report.picture import Against, Change, Picture, picture
from tvarc.commands.shown.lookup import path_text
from tvarc.decide.trace import Trace
from tvarc.doing import each
from tvarc.light import Mapping, Sequence
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.values.plain import Data, Json


def program_picture(
    made: Compilation, variants: Sequence[Variant], against: Against | None, *, dropped: bool
) -> Picture:
    """The picture of *variants*; with *dropped* of all cells that are dropped as well."""
    cells = dropped_meant(made, (), made.sink) if dropped else None
    return picture(made.file, made.sources, variants, cells, against)


def against_of(label: str, changes: Changes, before: Sequence[Variant]) -> Against:
    """The changes since the state *label*, for the picture; *before* are the variants of that
    state."""
    found: dict[str, Change] = dict.fromkeys(changes.changed, "changed")
    found |= dict.fromkeys([name for name, _ in changes.through], "changed")
    found |= dict.fromkeys([one.after for one in changes.renamed], "renamed")
    found |= dict.fromkeys(changes.added.variants, "new")
    removed = set(changes.removed.variants)
    blocks: list[Data] = []
    for block in changes.blocks:
        told: list[Json] = []
        for change in block.changes:
            one = change.difference
            example = change.example if change.values > 1 else ""
            told.append(
                {
                    "path": path_text(one.path),
                    "before": [*one.removed],
                    "after": [*one.added],
                    "example": example,
                }
            )
        blocks.append({"variants": [*block.variants], "changes": told})
    return Against(label, found, [one for one in before if one.name in removed], blocks)


def matrix_data(
    made: Compilation,
    variants: Sequence[Variant],
    recipes: Mapping[str, ir.Recipe],
    lints: Lints,
    findings: Mapping[str, Found],
) -> Data:
    """A page's data on *variants*, which are these *recipes*. If no output writes a variant, its
    recipe is the one that an output next to the program would write. *findings* are what *lints*
    found in each variant, by its name."""
    assert made.elaboration is not None  # there are recipes
    data = MatrixData(made.sources, made.inputs)
    found: dict[str, list[tuple[str, str, Finding]]] = {
        name: [(one.name, one.what, each) for one, each in those if one.name not in lints.off]
        for name, those in findings.items()
    }
    if same_build.name not in lints.off:
        for name, finding in same_build.look(lints.builds):
            found[name].append((same_build.name, same_build.what, finding))
    for variant in each("explaining", variants, len(variants), "variants"):
        recipe = recipes[variant.name]
        why = Trace(made.elaboration, variant, recipe, made.sources)
        data.add(recipe, found[variant.name], why)
    maps = SourceMaps(made.traced(), posixpath.basename(made.file), made.file)
    for mapped in each("tracing", maps.of_all(variants), len(variants), "recipes"):
        data.add_lines(mapped, maps.numbering)
    return data.data()
