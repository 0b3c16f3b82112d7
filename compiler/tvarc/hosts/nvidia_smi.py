"""What `nvidia-smi` says of the GPUs of a host."""

from __future__ import annotations

import re

from tvarc.hosts.capability import is_capability
from tvarc.hosts.model import Gpu
from tvarc.light import Final
from tvarc.values import Version

FIELD: Final = "compute_cap"
COMMAND: Final = (
    "nvidia-smi",
    f"--query-gpu=name,{FIELD},driver_version",
    "--format=csv,noheader",
)
UNKNOWN: Final = f'"{FIELD}" is not a valid field'
# Those of older drivers, 470 among them, know no field for the capability.
NAMES: Final = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
_DRIVER: Final = re.compile(r"[1-9]\d{0,5}(\.\d{1,6}){0,3}(?![0-9.])", re.ASCII)
_SHOWN: Final = 120
_MOST: Final = 8  # lines that are said to be strange; of more the count is told


def parse_nvidia_smi(text: str) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
    """The GPUs of *text*, and what there is to say of lines that describe none.

    Each line has name, compute capability and driver, perhaps more; a header is passed over.
    """
    gpus: list[Gpu] = []
    strange: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if not line.strip() or cells[:2] == ["name", FIELD]:
            continue
        if len(cells) < 3 or not is_capability(cells[1]) or not cells[1][-1].isdigit():
            strange.append(line.strip()[:_SHOWN])
            continue
        gpus.append(Gpu(cells[0], Version(cells[1]), driver_version(cells[2])))
    notes = [
        f"a GPU is passed over, its compute capability is not told: {line}"
        for line in strange[:_MOST]
    ]
    if len(strange) > _MOST:
        notes.append(f"nvidia-smi has {len(strange) - _MOST} more lines of that kind")
    return tuple(gpus), tuple(notes)


def is_driver(text: str) -> bool:
    """Whether *text* is the version of a driver and nothing else."""
    found = _DRIVER.match(text)
    return found is not None and found[0] == text


def driver_version(text: str) -> Version | None:
    """The version of a driver, without what is put behind it (`580.65.06-open`); None when *text*
    is none."""
    found = _DRIVER.match(text)
    return Version(found[0]) if found is not None else None
