"""What a page of a matrix is made of: all variants decided and mapped, what lints find in each, and
the cells that are dropped."""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.assembly.shared_maps import all_maps
from tvarc.assembly.source_map import SourceMaps
from tvarc.driver import Compilation
from tvarc.light import Mapping, Sequence
from tvarc.lints.model import Finding
from tvarc.lints.run import SAME_BUILD
from tvarc.matrix.variants import Variant
from tvarc.plain import Data, Json
from tvarc.programs.selecting import dropped_meant
from tvarc.report.matrix_data import MatrixData


def matrix_data(
    made: Compilation,
    variants: Sequence[Variant],
    recipes: Mapping[str, ir.Recipe],
    states: Mapping[str, Json],
    *,
    dropped: bool,
) -> Data:
    """The page's data on *variants*, which are these *recipes*; with *dropped* all cells that are
    left out as well. *states* says what became of variants in a build."""
    data = MatrixData(made.file, made.sources, made.inputs)
    lints = made.lints()
    found: dict[str, list[tuple[str, str, Finding]]] = {}
    for variant in variants:
        recipe = recipes[variant.name]
        findings = lints.kept(lints.findings(lints.subjects(recipe)))
        found[variant.name] = [(one.name, one.what, finding) for one, finding in findings]
        lints.compare(recipe)
    if SAME_BUILD not in lints.off:
        for name, finding in lints.doubles():
            found[name].append((SAME_BUILD, "", finding))
    for variant in variants:
        data.add(variant, recipes[variant.name], found[variant.name])
    maps = SourceMaps(made.traced(), posixpath.basename(made.file), made.file)
    for mapped in all_maps(maps, variants, placeholders=made.may_have_placeholders()):
        data.add_lines(mapped, maps.numbering)
    if dropped:
        for one in dropped_meant(made, (), made.sink):
            data.add_dropped(one)
    return data.data(states)
