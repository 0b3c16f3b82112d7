"""Lints on the names of variants: names of files in `.flox/pkgs`, and names in store paths."""

from __future__ import annotations

from tvarc.advice.lints.attributes import NAMED, store_name
from tvarc.advice.lints.flox import PACKAGES, FloxNames, flox_name
from tvarc.advice.lints.run import Lints
from tvarc.build.assembly.outputs import OutputFiles
from tvarc.decide.elaborate import Elaboration
from tvarc.light import Sequence
from tvarc.matrix.present import Present
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.text.paths import are_store_names


def look_at_names(
    lints: Lints,
    elaboration: Elaboration,
    found: Sequence[Present],
    outputs: OutputFiles,
) -> None:
    """Note how Flox and Nix read the names of the variants *found*. *outputs* has their files."""
    _look_at_packages(lints, outputs)
    _look_at_store_names(lints, elaboration, found)


def _look_at_store_names(lints: Lints, elaboration: Elaboration, found: Sequence[Present]) -> None:
    """Note the variants of *found* that give a store path an invalid name."""
    for present in found:
        for batch, names in present.batches() if present.cells else ():
            if are_store_names(names):
                continue
            for cell, name in zip(batch.cells, names, strict=True):
                if are_store_names((name,)):
                    continue
                deciding = elaboration.deciding(Variant(present.built, cell, name))
                for path in NAMED:
                    for finding in store_name.look(deciding.decide(path)):
                        lints.note(store_name, finding, name)


def _look_at_packages(lints: Lints, outputs: OutputFiles) -> None:
    """Note how Flox reads the names of the files, if an output in *outputs* writes packages of
    Flox."""
    for output in outputs.outputs:
        if not _begins(output.file):
            continue
        names, files = outputs.of_output(output)
        for at, finding in flox_name.look(FloxNames(), files, output.file.span):
            lints.note(flox_name, finding, names[at])


def _begins(file: hir.Expr) -> bool:
    """Whether the files named by *file* are packages of Flox."""
    first = file.parts[0] if isinstance(file, hir.Text) and file.parts else file
    text = first.value if isinstance(first, hir.Const) else first
    return isinstance(text, str) and text.startswith(PACKAGES)
