"""Finds contradictions in the graph of derivations: systems, toolkits, and libraries that a variant
gets twice. Each finding is about one variant and has a key. Findings with equal keys are reported
together."""

from __future__ import annotations

import re

from tvarc.advice.lints.cuda import cuda_of
from tvarc.build.assembly.together import system_of
from tvarc.commands.evaluation.files import Prepared, needs
from tvarc.commands.evaluation.nix_lines import values_of
from tvarc.light import Final, Iterator, Mapping
from tvarc.nix import ir
from tvarc.nix.judge.derivation import may_be, parsed_name
from tvarc.nix.judge.evaluate import Derived
from tvarc.nix.judge.graph import Copy, Graph, RunsWith, copies
from tvarc.nix.judge.model import Elsewhere, Mixed, Twice
from tvarc.nix.judge.named_files import names_in
from tvarc.text.source import Span

_ALSO_BUILDS: Final = {
    "aarch64-darwin": ("x86_64-darwin",),
    "aarch64-linux": ("armv6l-linux", "armv7l-linux"),
    "x86_64-linux": ("i686-linux",),
}
"""For a system, the other systems for which its machines build."""

_OF_TOOLKIT: Final = re.compile(
    r"(?:cuda[\d.]+-)?(?:cuda_(?:cccl|crt|cudart|cupti|nvcc|nvrtc|nvtx)|cuda-merged|cudatoolkit|"
    r"libcublas|libnvjitlink)"
)
"""The packages that have the major version of their toolkit. Others, such as libcufft, count by
themselves: developer.download.nvidia.com/compute/cuda/redist/redistrib_13.0.0.json."""


def toolkit_part(derivation: str) -> str:
    """The major version of the toolkit that *derivation* is part of; empty if it is part of
    none."""
    name, version = parsed_name(derivation)
    return version.partition(".")[0] if _OF_TOOLKIT.fullmatch(name) is not None else ""


def elsewhere(
    prepared: Prepared, derived: Mapping[str, Derived]
) -> Iterator[tuple[object, Elsewhere]]:
    """The variants with a derivation for another system than the one they are evaluated for."""
    for name, one in derived.items():
        recipe = prepared.recipes[name]
        wanted, system = system_of(recipe), one.attributes.get("system", "builtin")
        if system in (wanted, "builtin", *_ALSO_BUILDS.get(wanted, ())):
            continue
        span = recipe.package.origin.span
        yield (span, wanted, system), Elsewhere((name,), span, wanted, system)


def mixed(
    prepared: Prepared, derived: Mapping[str, Derived], graph: Graph
) -> Iterator[tuple[object, Mixed]]:
    """The variants for one CUDA that run with packages of another one. Only another major version
    counts: within one, newer libraries run what was built for older ones."""
    for name, one in derived.items():
        recipe = prepared.recipes[name]
        cuda = cuda_of(recipe)
        if cuda.toolkit is None or cuda.refused:
            continue
        reached = RunsWith(graph, one.path)
        wrong = [
            path for path in reached if toolkit_part(path) not in ("", cuda.toolkit.major)
        ]
        if not wrong:
            continue
        linked = _linked(recipe, derived)
        places = ((copy, _place(recipe, copy, linked)) for copy in map(reached.copy, wrong))
        none = reached.copy(wrong[0]), recipe.package.origin.span
        copy, span = next(((copy, span) for copy, span in places if span is not None), none)
        key = (span, cuda.toolkit.name, parsed_name(copy.derivation))
        yield key, Mixed((name,), span, cuda.toolkit.name, copy, len(wrong) - 1)


def twice(
    prepared: Prepared, derived: Mapping[str, Derived], graph: Graph
) -> Iterator[tuple[object, Twice]]:
    """The libraries of which variants get several builds, each variant once."""
    for name, one in derived.items():
        recipe = prepared.recipes[name]
        others = needs(recipe, prepared.needed).keys() & derived.keys()
        needed = {derived[other].path: other for other in others}
        libraries = copies(graph, one.path, needed)
        if not libraries:
            continue
        library, *more = libraries
        several = libraries[library]
        span = _place_of_one(recipe, several, derived)
        yield (span, library, *more), Twice((name,), span, library, several, tuple(more))


def _place_of_one(
    recipe: ir.Recipe, several: tuple[Copy, ...], derived: Mapping[str, Derived]
) -> Span:
    """The place of the setting that brings one of *several* copies. The function prefers a copy
    that is no variant, because the program does not ask for it."""
    for copy in sorted(several, key=lambda one: bool(one.variant)):
        span = _place(recipe, copy, _linked(recipe, derived))
        if span is not None:
            return span
    return recipe.package.origin.span


def _linked(recipe: ir.Recipe, derived: Mapping[str, Derived]) -> dict[str, ir.Need]:
    """The needs of *recipe*, by the paths of their derivations."""
    return {
        derived[need.linked.variant].path: need
        for need in recipe.needs
        if need.linked is not None and need.linked.variant in derived
    }


def _place(recipe: ir.Recipe, copy: Copy, linked: Mapping[str, ir.Need]) -> Span | None:
    """The setting of *recipe* that brings *copy*: it names a need, or a package on the way to it.
    None if the package of the recipe brings it by itself."""
    way = (*copy.through, copy.derivation)
    for path in way:
        if path in linked:
            return linked[path].setting.origin.span
        name, _ = parsed_name(path)
        for value, span in values_of(recipe):
            if value is not recipe.package.value and any(
                may_be(name, one) or name.endswith(f"-{one}") for one in names_in(value)
            ):
                return span
    return None
