"""What `nvidia-smi` says of the GPUs of a host."""

from __future__ import annotations

from tvarc.hosts.gpu import is_capability
from tvarc.hosts.model import Gpu
from tvarc.light import Final
from tvarc.values import Version, is_version

COMMAND: Final = (
    "nvidia-smi",
    "--query-gpu=name,compute_cap,driver_version",
    "--format=csv,noheader",
)


def parse_nvidia_smi(text: str) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
    """The GPUs of *text*, and what there is to say of lines that describe none.

    Each line has name, compute capability and driver, perhaps more; a header is passed over.
    """
    gpus: list[Gpu] = []
    notes: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if not line.strip() or cells[:2] == ["name", "compute_cap"]:
            continue
        if len(cells) < 3 or not is_capability(cells[1]):
            notes.append(f"a GPU is passed over, its compute capability is not told: {line[:120]}")
            continue
        driver = Version(cells[2]) if is_version(cells[2]) else None
        gpus.append(Gpu(cells[0], Version(cells[1]), driver))
    return tuple(gpus), tuple(notes)
