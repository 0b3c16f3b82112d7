"""Jobs as lines of JSON, as `nix-eval-jobs` prints them: what only Nix knows is left out, or comes
from its answers."""

from __future__ import annotations

from tvarc.farm.ci.model import Built, Job, Jobs
from tvarc.files.output.header import json_seal, sealed_json
from tvarc.light import Iterator, Mapping
from tvarc.nix.judge.derivation import name_of
from tvarc.values.plain import Data, json_text, value_data


def job_lines(
    jobs: Jobs, derivations: Mapping[tuple[str, str], str] | None = None
) -> Iterator[str]:
    """A line for each job. Of those with *derivations*, by variant and system, it tells these and
    their names."""
    for job in jobs.jobs:
        yield json_text(_data(jobs.built, job, derivations or {}), indent=None)


def sealed_lines(jobs: Jobs, made: str) -> bytes:
    """The lines of a file that is known as ours: the first of them says what *made* it."""
    found: list[str] = []
    for job in jobs.jobs:
        data = _data(jobs.built, job, {})
        if not found:
            data["extraValue"] = {"made": json_seal(made), **_extra(job)}
        found.append(json_text(data, indent=None))
    text = "".join(found).encode()
    return sealed_json(text) if found else text


def attr_path(built: Built, job: Job) -> list[str]:
    """Where the job stands: in `hydraJobs` of a flake, or in a set of all variants, which a caller
    of single recipes has as well."""
    return [job.variant, job.system] if built.form == "flake" else [job.variant]


def _data(built: Built, job: Job, derivations: Mapping[tuple[str, str], str]) -> Data:
    path = attr_path(built, job)
    attr = ".".join([f'"{step}"' if "." in step else step for step in path])  # as that writes it
    data: Data = {"attr": attr, "attrPath": [*path], "extraValue": _extra(job)}
    derivation = derivations.get((job.variant, job.system))
    if derivation is not None:
        data |= {"drvPath": derivation, "name": name_of(derivation).removesuffix(".drv")}
    if job.features:
        data["requiredSystemFeatures"] = [*job.features]
    if job.system:
        data["system"] = job.system
    return data


def _extra(job: Job) -> Data:
    """What `nix-eval-jobs` has for values of its callers."""
    return {"file": job.file, "axes": {axis: value_data(one) for axis, one in job.axes.items()}}
