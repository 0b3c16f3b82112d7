"""A declarative project of Hydra: the jobset that builds `hydraJobs` of a flake."""

from __future__ import annotations

from tvarc.files.output.header import json_seal, sealed_json
from tvarc.light import Final, dataclass
from tvarc.values.plain import Data, json_text

_FLAKE_TYPE: Final = 1


@dataclass(frozen=True, slots=True)
class Jobset:
    """A jobset *name* of the flake at *flake*, which is looked at every *interval* seconds, and of
    which the last *keep* evaluations are kept."""

    name: str
    flake: str
    interval: int
    keep: int


def specification(jobset: Jobset, made: str) -> bytes:
    """The text of `spec.json`; its description says what *made* it. Hydra takes no other keys."""
    data: Data = {
        jobset.name: {
            "description": json_seal(made),
            "enabled": 1,
            "hidden": False,
            "type": _FLAKE_TYPE,
            "flake": jobset.flake,
            "checkinterval": jobset.interval,
            "schedulingshares": 100,
            "enableemail": False,
            "emailoverride": "",
            "keepnr": jobset.keep,
            "inputs": {},
        }
    }
    return sealed_json(json_text(data).encode())
