"""The work that everyone does: five axes, seven exclusions, one recipe file for each cell left.

A size is named by its number of variants. The text of a recipe is `inputs/recipe.nix.in`: the
peers write it byte for byte, tvarc writes a recipe of the same content in its own layout.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INPUTS = Path(__file__).resolve().parent / "inputs"
AXES = ("torch", "python", "cuda", "gpu", "isa")

Row = dict[str, Any]  # fields of an axis value: text, or a list of text
Cell = dict[str, Row]

_PLACEHOLDER = re.compile(r"@([a-z_]+(?:\.[a-z]+)?)@")
_PYTHONS = ("3.13", "3.12", "3.14", "3.11", "3.10")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a size takes of each axis: numbers of releases, ids of the others; None is all."""

    torches: int
    pythons: int = 1
    cudas: tuple[str, ...] | None = None
    gpus: tuple[str, ...] | None = None


# Each exclusion drops something at each size.
SIZES = {
    44: Choice(1, 1, ("12_8", "13_0", "13_1"), ("61", "70", "90", "103", "110")),
    237: Choice(1),
    948: Choice(4),
    9_954: Choice(14, 3),
    99_540: Choice(84, 5),
}


@dataclass(frozen=True, slots=True)
class Spec:
    """The axes of one size. `known` has the rows that were not chosen, too."""

    size: int
    axes: dict[str, list[Row]]
    known: dict[str, list[Row]]
    exclude: list[dict[str, list[str]]]

    def json(self) -> str:
        """What peers read: the chosen rows of each axis, and the exclusions."""
        return json.dumps({**self.axes, "exclude": self.exclude})


def spec(size: int) -> Spec:
    """The axes of a size; KeyError for one that is not in `SIZES`."""
    choice = SIZES[size]
    known = json.loads((INPUTS / "axes.json").read_text(encoding="utf-8"))
    exclude = known.pop("exclude")
    known["torch"] = [_torch(number) for number in range(choice.torches)]
    known["python"] = [{"id": dot.replace(".", ""), "dot": dot} for dot in _PYTHONS]
    axes = {
        "torch": known["torch"],
        "python": known["python"][: choice.pythons],
        "cuda": _chosen(known["cuda"], choice.cudas),
        "gpu": _chosen(known["gpu"], choice.gpus),
        "isa": known["isa"],
    }
    return Spec(size, axes, known, exclude)


def _torch(number: int) -> Row:
    release = f"{2 + number // 12}.{number % 12}.0"
    short = release.replace(".", "")
    return {"id": release, "short": short, "tag": f"v{release}", "hash": f"sha256-{number:043d}="}


def _chosen(rows: list[Row], ids: tuple[str, ...] | None) -> list[Row]:
    return [row for row in rows if ids is None or row["id"] in ids]


def cells(chosen: Spec) -> Iterator[Cell]:
    """The allowed cells, the last axis changing fastest."""
    for values in itertools.product(*(chosen.axes[axis] for axis in AXES)):
        cell = dict(zip(AXES, values, strict=True))
        if not any(
            all(cell[axis]["id"] in ids for axis, ids in rule.items()) for rule in chosen.exclude
        ):
            yield cell


def name(cell: Cell) -> str:
    """The variant's name, which is the file's without `.nix`."""
    return (
        f"pytorch{cell['torch']['short']}-python{cell['python']['id']}"
        f"-cuda{cell['cuda']['id']}-sm{cell['gpu']['id']}-{cell['isa']['id']}"
    )


def segments() -> list[str]:
    """The text of a recipe, cut: text at even places, what fills a placeholder at odd ones."""
    return _PLACEHOLDER.split((INPUTS / "recipe.nix.in").read_text(encoding="utf-8"))


def filling(cell: Cell, placeholder: str) -> str:
    """What stands in a placeholder for a cell: `name`, the flags, or a field such as `gpu.arch`."""
    match placeholder:
        case "name":
            return name(cell)
        case "flag_lines":
            return "\n".join(f'    "{flag}"' for flag in cell["isa"]["flags"])
        case "flag_words":
            return " ".join(cell["isa"]["flags"])
    axis, field = placeholder.split(".")
    return str(cell[axis][field])


def files(chosen: Spec) -> Iterator[tuple[str, bytes]]:
    """File name and content of every variant: what a peer's files are compared with."""
    parts = segments()
    for cell in cells(chosen):
        text = "".join(filling(cell, part) if i % 2 else part for i, part in enumerate(parts))
        yield f"{name(cell)}.nix", text.encode()
