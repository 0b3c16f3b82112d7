"""Reads the answer of `nvidia-smi` to a query for the GPUs of a host."""

from __future__ import annotations

import re

from tvarc.advice.hosts.capability import is_capability
from tvarc.advice.hosts.model import Gpu
from tvarc.light import Callable, Final, Iterator, Sequence
from tvarc.values.value import Version

FIELD: Final = "compute_cap"
QUERY: Final = f"nvidia-smi --query-gpu=name,{FIELD},driver_version --format=csv"
COMMAND: Final = tuple(f"{QUERY},noheader".split())
UNKNOWN: Final = f'"{FIELD}" is not a valid field'
# Older drivers, such as 470, have no field for the capability.
NAMES: Final = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
VERSIONS: Final = ("nvidia-smi", "--version")
_FIELDS: Final = ("name", FIELD, "driver_version")
_DRIVER: Final = re.compile(r"[1-9]\d{0,5}(\.\d{1,6}){0,3}(?![0-9.])", re.ASCII)
_TABLE: Final = re.compile(r"\| NVIDIA-SMI \S+ +(?:Driver Version|KMD Version): ")
_CUDA: Final = re.compile(r"CUDA (?:UMD )?Version *: *([1-9]\d?\.\d{1,2})(?![0-9.])", re.ASCII)
_NONE: Final = "No devices were found"
_SHOWN: Final = 120
_MOST: Final = 8  # unknown lines that are printed; the others are only counted

CapabilityOf = Callable[[str], str | None]
"""The compute capability of the GPU with a name; None if it is not known."""


def nothing_known(name: str) -> str | None:
    """Return None for every GPU."""
    return None


Smi = tuple[tuple[Gpu, ...], tuple[str, ...]]
"""The GPUs in the output, and messages about lines that describe none."""


def parse_nvidia_smi(text: str, capability_of: CapabilityOf = nothing_known) -> Smi:
    """The GPUs in *text*, the answer to a query, with a header or without. *capability_of* finds
    the capability of a GPU by its name, if the answer does not have it."""
    gpus: list[Gpu] = []
    strange: list[str] = []
    for line, told in _lines(text):
        gpu = _gpu(told, capability_of) if told is not None else None
        if gpu is None:
            strange.append(line[:_SHOWN])
        else:
            gpus.append(gpu)
    return tuple(gpus), _passed_over(strange)


def is_table(text: str) -> bool:
    """Whether *text* is the table that nvidia-smi prints without a query. It shortens names, and
    has no compute capability."""
    return _TABLE.search(text) is not None


def is_answer(text: str) -> bool:
    """Whether *text* is a result of nvidia-smi, and not its error message or another file.
    """
    if _NONE.lower() in text.lower():
        return True
    lines = list(_lines(text))
    return not lines or any(told is not None for _, told in lines)


def _lines(text: str) -> Iterator[tuple[str, dict[str, str] | None]]:
    """The lines of the result of a query, each with its fields by the names in the header; None for
    a line with too few fields."""
    names: Sequence[str] = _FIELDS
    for written in text.removeprefix("\ufeff").splitlines():
        line = written.strip()
        cells = [cell.strip() for cell in line.split(",")]
        if "name" in cells:
            names = cells
        elif line:
            told = dict(zip(names, cells, strict=False))
            yield line, told if len(told) >= min(len(names), len(_FIELDS)) else None


def cuda_version(text: str) -> Version | None:
    """The newest CUDA that programs can use, as `--version` prints it: that of the driver, or of a
    forward-compatibility package. None if *text* does not state it.
    """
    found = _CUDA.search(text)
    return Version(found[1]) if found is not None else None


def _gpu(told: dict[str, str], capability_of: CapabilityOf) -> Gpu | None:
    capability = told.get(FIELD, "N/A")
    if not (is_capability(capability) and capability[-1].isdigit()):
        known = capability_of(told["name"]) if capability.strip("[]").upper() == "N/A" else None
        if known is None:
            return None
        capability = known
    return Gpu(told["name"], Version(capability), driver_version(told.get("driver_version", "")))


def _passed_over(strange: list[str]) -> tuple[str, ...]:
    notes = [
        f"a GPU is skipped, because its compute capability is missing: {line}"
        for line in strange[:_MOST]
    ]
    if len(strange) > _MOST:
        notes.append(f"nvidia-smi has {len(strange) - _MOST} more lines of that kind")
    return tuple(notes)


def is_driver(text: str) -> bool:
    """Whether *text* is the version of a driver and nothing else."""
    found = _DRIVER.match(text)
    return found is not None and found[0] == text


def driver_version(text: str) -> Version | None:
    """The version of a driver, without a suffix (`580.65.06-open`); None if *text* is no
    version.
    """
    found = _DRIVER.match(text)
    return Version(found[0]) if found is not None else None
