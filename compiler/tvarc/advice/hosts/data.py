"""What `pick` tells a program: every variant, what speaks for it and what against. See
docs/pick.md."""

from __future__ import annotations

from tvarc.advice.hosts.cells import MissingCell
from tvarc.advice.hosts.choose import Choice, Judged, KindChoice
from tvarc.advice.hosts.description import gpu_data, host_data
from tvarc.advice.hosts.verdict import Reason
from tvarc.light import Final
from tvarc.text.source import SourceMap
from tvarc.values.plain import place_data, value_data

SCHEMA: Final = "tvarc-pick/1"


def choice_data(choice: Choice, sources: SourceMap) -> dict[str, object]:
    """The answer of `pick` as JSON has it."""
    every = choice.serves_all
    return {
        "schema": SCHEMA,
        "host": host_data(choice.host),
        "kinds": [_kind(kind, sources) for kind in choice.kinds],
        "serves-all": every.name if every is not None else None,
    }


def _kind(kind: KindChoice, sources: SourceMap) -> dict[str, object]:
    return {
        "gpus": [gpu_data(gpu) for gpu in kind.gpus],
        "best": kind.best.variant.name if kind.best is not None else None,
        "fits": [_judged(one, sources) for one in kind.fits],
        "refused": [_judged(one, sources) for one in kind.refused],
        "better": [one.variant.name for one in kind.better],
        "missing": [_missing(cell, sources) for cell in kind.missing],
        "remarks": list(kind.remarks),
    }


def _judged(one: Judged, sources: SourceMap) -> dict[str, object]:
    judgement = one.judgement
    return {
        "variant": one.variant.name,
        "matrix": one.variant.matrix.name,
        "axes": {axis: value_data(value) for axis, value in one.variant.values.items()},
        "gpu": judgement.rank.reach.name.lower().replace("_", "-"),
        "reasons": [_reason(reason, sources) for reason in judgement.reasons],
        "refusals": [_reason(reason, sources) for reason in judgement.refusals],
    }


def _missing(cell: MissingCell, sources: SourceMap) -> dict[str, object]:
    return {
        "matrix": cell.matrix.name,
        "axes": {axis: value_data(value) for axis, value in cell.values.items()},
        "excluded-by": [
            {**place_data(check.span, sources), "because": check.because}
            for check in cell.excluded_by
        ],
    }


def _reason(reason: Reason, sources: SourceMap) -> dict[str, object]:
    place = place_data(reason.place, sources) if reason.place is not None else {}
    return {"kind": reason.kind, "value": reason.value, "text": reason.text, **place}
