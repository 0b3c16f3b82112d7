"""Jobs as lines of JSON, in the format of `nix-eval-jobs`. Values that only Nix knows are left out,
or come from its answers.
"""

from __future__ import annotations

from tvarc.farm.ci.model import Built, Job, Jobs
from tvarc.files.output.header import json_seal, sealed_json
from tvarc.light import Iterator, Mapping, dataclass, replace
from tvarc.nix.judge.derivation import name_of
from tvarc.values.plain import ABSENT, Absent, json_text
from tvarc.values.value import Value


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
    """The lines of a file that is recognisable as ours: the first of them says what *made* it."""
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
