"""Reads the description of a CPU in /proc/cpuinfo."""

from __future__ import annotations

from tvarc.light import dataclass


@dataclass(frozen=True, slots=True)
class Cpu:
    """A CPU: the name of its model, empty if it has none, and its features, sorted;
    `features_of_arm` tells that they are those of Arm."""

    model: str
    flags: tuple[str, ...]
    features_of_arm: bool = False


def parse_cpuinfo(text: str) -> Cpu:
    """The CPU that *text*, the content of /proc/cpuinfo, describes.

    Cores may differ (big and little ones). A program may run on any, so only features of all cores
    count.
    """
    shared: set[str] | None = None
    models: dict[str, None] = {}
    seen: dict[str, str] = {}
    of_arm = False
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        key, value = key.strip(), value.strip()
        if not colon:
            continue
        if key in ("flags", "Features"):
            of_arm = of_arm or key == "Features"
            flags = set(value.split())
            shared = flags if shared is None else shared & flags
        elif key == "model name" and value:
            models.setdefault(value)
        elif key in ("CPU implementer", "CPU part"):
            seen[key] = value
            if key == "CPU part":
                models.setdefault(f"implementer {seen.get('CPU implementer', '?')}, part {value}")
    return Cpu(" + ".join(models), tuple(sorted(shared or ())), of_arm)
