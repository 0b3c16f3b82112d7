"""Recipes that a person wrote or edited where those of variants go: whether they build the same."""

# ruff: noqa: PTH100, PTH113, PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc.assembly.together import system_of
from tvarc.backend.nix.lower import stem_of
from tvarc.diagnostics.model import Sink
from tvarc.disk import read_plain
from tvarc.driver import Compilation
from tvarc.judge.equivalence import Equivalence, equivalence
from tvarc.judge.evaluate import Evaluators, Job, Outcome, chunks
from tvarc.judge.nix import as_text
from tvarc.light import Final, Iterable, Iterator, Sequence, dataclass
from tvarc.matrix.variants import Variant
from tvarc.output.header import Ownership, inspect_bytes
from tvarc.programs.audit import Output
from tvarc.programs.evaluation_files import Prepared, judged, needs
from tvarc.source import UnreadableSource

_LARGEST: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class ByHand:
    """A file where the recipe of a variant goes: its path as told, and where it is."""

    path: str
    file: str
    variant: Variant


def in_outputs(outputs: Iterable[Output]) -> Iterator[ByHand]:
    """What is by hand in the folders of *outputs*."""
    for output in outputs:
        for cell, variant in output.cells:
            yield from _looked_at(os.path.join(output.folder, cell.path), cell.path, variant)


def in_build(made: Compilation, variants: Sequence[Variant], root: str) -> Iterator[ByHand]:
    """What is by hand where a build below *root* would write the recipes of *variants*."""
    for variant in variants:
        recipe = made.recipe(variant)
        for _, path in recipe.files if recipe is not None else ():
            yield from _looked_at(os.path.join(root, path), path, variant)


def _looked_at(file: str, path: str, variant: Variant) -> Iterator[ByHand]:
    if os.path.isfile(file):
        try:
            data = read_plain(file, file, _LARGEST)
        except (OSError, UnreadableSource):
            return
        if data.strip(b"\0") and inspect_bytes(data) is not Ownership.OURS:
            yield ByHand(path, os.path.abspath(file), variant)


def compared_by_nix(
    made: Compilation, files: Sequence[ByHand], sink: Sink
) -> list[Equivalence] | None:
    """What becomes of each of *files* beside its variant; None after reporting that Nix cannot
    judge here. The derivations are written to the store, so that it can be told in what they
    differ."""
    variants = list({one.variant.name: one.variant for one in files}.values())

    def ask(prepared: Prepared) -> dict[str, Outcome]:
        recipes = prepared.recipes
        jobs = [
            Job(_name(one), one.file, system_of(recipes[one.variant.name]), None, "foreign",
                tuple(_beside(one, prepared)))
            for one in files
        ]  # fmt: skip
        groups = [*prepared.groups, jobs]
        return Evaluators(prepared.folder, 1, writes=True).run(chunks(groups, 1))

    # What is written is compared: both fetch their inputs.
    wants, help_ = "the derivations of recipes", "recipes are compared by it alone"
    outcomes = judged(made, variants, ask, sink, wants, help_)
    if outcomes is None:
        return None
    return [
        equivalence(
            one.path, one.variant.name, outcomes.get(_name(one)), outcomes.get(one.variant.name)
        )
        for one in files
    ]


def _beside(one: ByHand, prepared: Prepared) -> Iterator[tuple[str, str]]:
    """The files of what the variant of *one* needs, by the names that they have as packages: so an
    argument of it is filled that is called like one of them."""
    recipe = prepared.recipes[one.variant.name]
    for output, path in recipe.files:
        if one.file.endswith(f"/{path}"):
            root = one.file.removesuffix(path)
            for other in needs(recipe, prepared.needed).values():
                file = dict(other.files)[output]
                if os.path.isfile(os.path.join(root, file)):
                    yield stem_of(file), os.path.join(root, file)
            return


def _name(one: ByHand) -> str:
    """The name of its job, which no variant has."""
    return f"file {as_text(one.file)}"
