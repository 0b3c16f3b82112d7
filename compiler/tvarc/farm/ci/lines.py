"""Jobs for other systems, as data and as lines of JSON: the variant, its system and its
attribute."""

from __future__ import annotations

from tvarc.build.assembly.gathered import USUAL_SYSTEMS, written_systems
from tvarc.build.driver import Compilation
from tvarc.decide.decide import Deciding
from tvarc.decide.parts import decide_pin, decide_scope
from tvarc.files.output.header import json_seal, sealed_json
from tvarc.light import Final, Iterator, Literal, Mapping, Sequence, dataclass, replace
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.nix import ir
from tvarc.nix.judge.derivation import name_of
from tvarc.values.plain import ABSENT, Absent, json_text
from tvarc.values.value import Value

Form = Literal["flake", "all", "recipes"]
"""The source of a job: a flake of all variants, a set of them, or the file of one."""


@dataclass(frozen=True, slots=True)
class Built:
    """The source of all jobs: its `form`, and the `file` of one that holds all variants. `pinned`
    says that no variant takes the nixpkgs of its builder, `scoped` that a package set of that
    nixpkgs calls one.
    """

    form: Form
    file: str
    pinned: bool
    scoped: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A variant built for one system, by its name; empty if the program does not state the system.
    `file` is the file of the variant. `features` are the features that its builder needs, according
    to the program. `scope` is the package set whose callPackage calls the file, empty for the top
    level of nixpkgs.
    """

    variant: str
    system: str
    file: str
    features: tuple[str, ...]
    axes: dict[str, Value]
    scope: ir.Path = ()


@dataclass(frozen=True, slots=True)
class Jobs:
    """The jobs of some variants, and their source."""

    built: Built
    jobs: tuple[Job, ...]


_FEATURES: Final = ("attrs", "requiredSystemFeatures")


def jobs_of(
    made: Compilation, variants: Sequence[Variant], output: hir.OutputDef | None = None
) -> Jobs:
    """The jobs of those *variants* that *output* selects. Raises Failed after reporting a variant
    that cannot be decided.
    """
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
    by_form = {one.form: one for one in reversed(made.program.all_outputs)}
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


@dataclass(frozen=True, slots=True)
class Extra:
    """The fields that tvarc adds to a job."""

    made: str | Absent
    """What made the file of jobs: its first line says so."""
    file: str
    """The file of the variant."""
    axes: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Line:
    """A job. Its keys are those of `nix-eval-jobs`."""

    KEYS = (
        ("attr_path", "attrPath"),
        ("extra_value", "extraValue"),
        ("drv_path", "drvPath"),
        ("features", "requiredSystemFeatures"),
    )

    attr: str
    attr_path: tuple[str, ...]
    """The attribute in `hydraJobs` of a flake, or in a set of all variants."""
    extra_value: Extra
    drv_path: str | Absent
    """The derivation, with `--eval`."""
    name: str | Absent
    """The name of the derivation, with `--eval`."""
    features: tuple[str, ...] | Absent
    """The features that the builder has to have, as far as the program says."""
    system: str | Absent
    """The system, if the program says which."""


def job_lines(
    jobs: Jobs, derivations: Mapping[tuple[str, str], str] | None = None
) -> Iterator[str]:
    """A line for each job. *derivations* are those of the jobs that have one, by variant and
    system."""
    for job in jobs.jobs:
        derivation = (derivations or {}).get((job.variant, job.system))
        yield json_text(_line_of(jobs.built, job, derivation), indent=None)


def sealed_lines(jobs: Jobs, made: str) -> bytes:
    """The lines of a file that tvarc recognizes as its own: the first line names the program that
    *made* it."""
    lines = [_line_of(jobs.built, job) for job in jobs.jobs]
    if not lines:
        return b""
    lines[0] = replace(lines[0], extra_value=replace(lines[0].extra_value, made=json_seal(made)))
    return sealed_json("".join([json_text(line, indent=None) for line in lines]).encode())


def _line_of(built: Built, job: Job, derivation: str | None = None) -> Line:
    path = (job.variant, job.system) if built.form == "flake" else (job.variant,)
    return Line(
        ".".join([f'"{step}"' if "." in step else step for step in path]),  # as nix-eval-jobs does
        path,
        Extra(ABSENT, job.file, job.axes),
        derivation if derivation is not None else ABSENT,
        name_of(derivation).removesuffix(".drv") if derivation is not None else ABSENT,
        job.features or ABSENT,
        job.system or ABSENT,
    )
