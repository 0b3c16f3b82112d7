"""The jobs of a program: which variants are built for which systems, and from which file."""

from __future__ import annotations

from tvarc.build.assembly.gathered import USUAL_SYSTEMS, written_systems
from tvarc.build.driver import Compilation
from tvarc.decide.decide import Deciding
from tvarc.decide.parts import decide_pin, decide_scope
from tvarc.farm.ci.model import Built, Form, Job, Jobs
from tvarc.light import Final, Iterator, Sequence
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.nix import ir

_FEATURES: Final = ("attrs", "requiredSystemFeatures")


def jobs_of(
    made: Compilation, variants: Sequence[Variant], output: hir.OutputDef | None = None
) -> Jobs:
    """The jobs of *variants*, those that *output* wants. Raises Failed after reporting a variant
    that cannot be decided.
    """
    assert made.elaboration is not None
    pins = made.elaboration.pins
    only = dict(output.fields).get("only") if output is not None else None
    form, file = _built(made)
    pinned = True
    found: list[Job] = []
    for variant in variants:
        deciding = made.elaboration.deciding(variant)
        if only is not None and deciding.evaluator().value(only) is not True:
            continue
        pin = decide_pin(deciding, pins)
        pinned = pinned and pin is not None
        systems = written_systems(pin, deciding.decide(("meta", "platforms")))
        files = made.output_files.of(deciding) if form == "recipes" else ()
        features = tuple(_features(deciding))
        scope = ir.path_of_scope(decide_scope(deciding)) if pin is None else ()
        for system in systems or (USUAL_SYSTEMS if form == "flake" else ("",)):
            path = files[0][1] if files else file
            found.append(Job(variant.name, system, path, features, variant.values, scope))
    scoped = any(job.scope for job in found)
    return Jobs(Built(form, file, pinned, scoped), tuple(found))


def _built(made: Compilation) -> tuple[Form, str]:
    """The form of the jobs, and their file: a file with all variants evaluates a nixpkgs once for
    all.
    """
    by_form = {one.form: one for one in reversed(made.all_outputs)}
    if "flake" in by_form:
        return "flake", by_form["flake"].one_file
    if "all" in by_form:
        return "all", by_form["all"].one_file
    return "recipes", ""


def _features(deciding: Deciding) -> Iterator[str]:
    """The features that a builder needs according to the program. For a list that adds to the
    package's own, these are the additions.
    """
    setting = deciding.decide(_FEATURES)
    if setting is not None and isinstance(setting.value, tuple):
        yield from dict.fromkeys(one for one in setting.value if isinstance(one, str))
