"""The output of `diff --json`."""

from __future__ import annotations

from tvarc.build.diff.changes import Changes, Group
from tvarc.build.diff.compare import Comparison
from tvarc.build.diff.differences import Difference
from tvarc.commands.evaluation.differences import difference_data as derived_data
from tvarc.commands.shown.data import origin_data
from tvarc.commands.shown.lookup import path_text
from tvarc.light import TYPE_CHECKING, Callable
from tvarc.matrix.boxes import Box
from tvarc.nix import ir
from tvarc.values.plain import Data, Json

if TYPE_CHECKING:
    from tvarc.build.diff.outcomes import Outcomes, PairOutcome
    from tvarc.build.diff.states import State
    from tvarc.text.source import SourceMap

OriginData = Callable[[ir.Origin | None], Json]


def changes_data(
    changes: Changes, state: State, sources: SourceMap, derivations: Outcomes | None = None
) -> Data:
    """All of *changes*: nothing is left out, as it is of the text. *sources* are those of the
    newer state."""

    def before(place: ir.Origin | None) -> Json:
        return origin_data(place, state.made.sources, name=state.shown)

    def after(place: ir.Origin | None) -> Json:
        return origin_data(place, sources)

    data: Data = {
        "variants": {"before": changes.before, "after": changes.after},
        "added": _group(changes.added),
        "removed": _group(changes.removed),
        "renamed": [
            {"before": one.before, "after": one.after, "by": one.by} for one in changes.renamed
        ],
        "changed": list(changes.changed),
        "through": [{"variant": name, "need": need} for name, need in changes.through],
        "blocks": [
            {
                "variants": list(block.variants),
                "where": _boxes(block.boxes),
                "changes": [
                    {
                        **difference_data(one.difference, before, after),
                        "values": one.values,
                        "example": one.example if one.values > 1 else None,
                        "causes": [
                            (before if cause.before else after)(ir.Origin(cause.span, ""))
                            for cause in one.causes
                        ],
                    }
                    for one in block.changes
                ],
            }
            for block in changes.blocks
        ],
    }
    if derivations is not None:
        data["derivations"] = dict(derivations.became)
        data["differing"] = {
            name: list(map(derived_data, differ)) for name, differ in derivations.differ.items()
        }
    return data


def pair_data(
    names: tuple[str, str],
    found: Comparison,
    sources: SourceMap,
    derivations: PairOutcome | None = None,
) -> Data:
    """Two variants: their differences, and how much is equal."""

    def origin(place: ir.Origin | None) -> Json:
        return origin_data(place, sources)

    data: Data = {
        "before": names[0],
        "after": names[1],
        "differences": [difference_data(one, origin, origin) for one in found.differences],
        "equal": dict(found.equal),
    }
    if derivations is not None:
        data["derivations"] = list(derivations.paths)
        data["differing"] = list(map(derived_data, derivations.differ))
    return data


def difference_data(one: Difference, before: OriginData, after: OriginData) -> Data:
    return {
        "path": path_text(one.path),
        "kind": one.kind,
        "removed": list(one.removed),
        "added": list(one.added),
        "before": before(one.before),
        "after": after(one.after),
    }


def _group(group: Group) -> Data:
    return {"variants": list(group.variants), "where": _boxes(group.boxes)}


def _boxes(boxes: tuple[Box, ...] | None) -> Json:
    """Each box by axis; null where the variants have no short name."""
    if boxes is None:
        return None
    return [{axis: list(some) for axis, some, _ in box.values} for box in boxes]
