"""What the page and the picture of a program are made of: variants decided and mapped, what lints
find in each, the cells that are dropped, and what changed since another state."""

from __future__ import annotations

import posixpath

from tvarc.advice.lints.model import Finding
from tvarc.advice.lints.registry import OF_VARIANTS
from tvarc.advice.lints.run import Found, Lints
from tvarc.advice.lints.variants import same_build
from tvarc.build import messages as msg
from tvarc.build.assembly.source_map import SourceMaps
from tvarc.build.diff.changes import Changes
from tvarc.build.driver import Compilation
from tvarc.commands.programs.selecting import dropped_meant
from tvarc.commands.report.data import MatrixData
from tvarc.commands.report.picture import Against, Change, Picture, picture
from tvarc.commands.shown.lookup import path_text
from tvarc.decide.trace import Trace
from tvarc.doing import each
from tvarc.light import Mapping, Sequence, suppress
from tvarc.matrix.variants import Variant
from tvarc.meaning.budget import Total
from tvarc.text.diagnostics.model import Failed
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
    lints: Lints,
    findings: Mapping[str, Found],
) -> Data | None:
    """A page's data on *variants*, which can be decided. If no output writes a variant, its recipe
    is the one that an output next to the program would write. *findings* are what *lints* found in
    the variants, by their names. None after reporting that a page cannot hold so much."""
    assert made.elaboration is not None  # there are recipes
    # What was decided with late parts is decided without them here, which has a budget of its own.
    total = made.elaboration.shared.total = Total(made.elaboration.sink)
    order = {id(one): number for number, one in enumerate(OF_VARIANTS)}
    found: dict[str, list[tuple[str, str, Finding]]] = {}
    for name, those in findings.items():
        those = tuple(sorted(those, key=lambda one: order[id(one[0])]))
        found[name] = [(one.name, one.what, each) for one, each in those]
    if same_build.name not in lints.off:
        for name, finding in same_build.look(lints.builds):
            found.setdefault(name, []).append((same_build.name, same_build.what, finding))
    maps = SourceMaps(made.traced(), posixpath.basename(made.file), made.file)
    data = MatrixData(made.sources, made.inputs, maps)
    for variant in each("explaining", variants, len(variants), "variants"):
        cost = total.evaluations_left + 1  # where the maps have spent a budget of their own
        with suppress(Failed):
            recipe = maps.recipe(variant, late=True)
            if recipe is not None:
                why = Trace(made.elaboration, variant, recipe, made.sources)
                cost = data.add(variant, recipe, found.get(variant.name, ()), why)
        if not total.asks(cost):
            message, matrix = msg.questions.TOO_MUCH_TO_SHOW, variant.matrix
            total.report_spent(made.sink, message, matrix.span, matrix.name)
            return None
    return data.data()
