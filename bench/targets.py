"""What tvarc is held to. A target that is missed is marked in the tables, never dropped."""

from __future__ import annotations

# CPU time against the floor, by number of variants.
_EDIT = {44: 7.0, 237: 5.5, 948: 4.0, 9_954: 2.5, 99_540: 2.0}
_WATCH = dict.fromkeys((44, 237, 948, 9_954, 99_540), 2.0)
CPU: dict[str, dict[int, float]] = {
    "tvarc-first": {44: 14.0, 237: 11.0, 948: 7.5, 9_954: 3.0, 99_540: 2.2},
    "tvarc-edit-new": _EDIT,
    "tvarc-edit-few": _EDIT,
    "tvarc-edit-all": _EDIT,
    "tvarc-edit": _EDIT,
    "watch-edit-few": _WATCH,
    "watch-edit-all": _WATCH,
    "watch-edit": _WATCH | {763: 2.0},  # so many has `examples/torch-family`
    "tvarc-same": {44: 7.0, 237: 6.0, 948: 4.5, 9_954: 2.5, 99_540: 2.5},
}
# CPU time of commands that write nothing, against Python's own start.
START = dict.fromkeys(("tvarc-list", "tvarc-explain", "tvarc-explain-path", "tvarc-complete"), 8.0)
# CPU time of evaluating all variants in one file, against doing so file after file.
EVALUATION = {"eval-one": 0.1}


def cpu(key: str, files: int) -> float | None:
    """The most that a build may take at a size; None where nothing is asked."""
    return CPU.get(key, {}).get(files)


def exponent(key: str, largest: int) -> float | None:
    """The most that time may grow by; asked only where the fixed part has lost its weight."""
    return 1.02 if key in CPU and largest >= 99_540 else None


def peak(key: str, files: int) -> float | None:
    """The most MiB that a build may hold."""
    if key not in CPU:
        return None
    return 60.0 if files <= 9_954 else 80.0
