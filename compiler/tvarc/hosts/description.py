"""A description of a host as JSON: written by one machine, read by another. See docs/pick.md."""

from __future__ import annotations

import json

from tvarc.hosts.gpu import is_capability
from tvarc.hosts.model import Gpu, Host
from tvarc.light import Final
from tvarc.values import Version, is_version

SCHEMA: Final = "tvarc-host/1"
_KEYS: Final = ("schema", "system", "arch", "cpu", "gpus", "notes", "made", "facts")


class BadDescription(Exception):
    """What is wrong with a description, as a clause for a person."""


def host_data(host: Host) -> dict[str, object]:
    """*host* as JSON has it."""
    data: dict[str, object] = {"schema": SCHEMA}
    if host.made:
        data |= {"made": True, "facts": list(host.facts)}
    data |= {
        "system": host.system,
        "arch": host.arch,
        "cpu": {"model": host.cpu, "flags": list(host.flags)},
        "gpus": [gpu_data(gpu) for gpu in host.gpus],
        "notes": list(host.notes),
    }
    return data


def gpu_data(gpu: Gpu) -> dict[str, object]:
    driver = gpu.driver.text if gpu.driver is not None else None
    return {"name": gpu.name, "capability": gpu.capability.text, "driver": driver}


def read_description(text: str) -> Host:
    """The host that *text* describes; raises BadDescription."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as fault:
        why = str(fault) if isinstance(fault, ValueError) else "it is nested too deeply"
        raise BadDescription(f"it is not JSON: {why}") from None
    top = _record(data, "it")
    if top.get("schema") != SCHEMA:
        raise BadDescription(f'`schema` has to be "{SCHEMA}"')
    for key in top:
        if key not in _KEYS:
            raise BadDescription(f"`{key[:60]}` is no key of {SCHEMA}")
    cpu = _record(top.get("cpu"), "`cpu`")
    return Host(
        system=_text(top, "system"),
        arch=_text(top, "arch"),
        cpu=_text(cpu, "model", "cpu."),
        flags=tuple(sorted(set(_texts(cpu, "flags", "cpu.")))),
        gpus=tuple(_gpu(item, f"gpus[{at}]") for at, item in enumerate(_items(top, "gpus"))),
        notes=_texts(top, "notes") if "notes" in top else (),
        made=top.get("made") is True,
        facts=_texts(top, "facts") if "facts" in top else (),
    )


def _gpu(data: object, where: str) -> Gpu:
    fields = _record(data, f"`{where}`")
    capability = _text(fields, "capability", f"{where}.")
    # What has a suffix is a target of compilers, no GPU has it.
    if not is_capability(capability) or not capability[-1].isdigit():
        raise BadDescription(f'`{where}.capability` has to be such as "9.0"')
    driver = fields.get("driver")
    if driver is not None and not (isinstance(driver, str) and is_version(driver)):
        raise BadDescription(f'`{where}.driver` has to be null or such as "580.65.06"')
    known = Version(driver) if driver is not None else None
    return Gpu(_text(fields, "name", f"{where}."), Version(capability), known)


def _record(data: object, what: str) -> dict[str, object]:
    if not isinstance(data, dict):
        raise BadDescription(f"{what} has to be an object")
    return data


def _text(data: dict[str, object], key: str, within: str = "") -> str:
    found = data.get(key)
    if not isinstance(found, str):
        raise BadDescription(f"`{within}{key}` has to be a string")
    return found


def _items(data: dict[str, object], key: str, within: str = "") -> list[object]:
    found = data.get(key)
    if not isinstance(found, list):
        raise BadDescription(f"`{within}{key}` has to be a list")
    return found


def _texts(data: dict[str, object], key: str, within: str = "") -> tuple[str, ...]:
    found = _items(data, key, within)
    if not all(isinstance(item, str) for item in found):
        raise BadDescription(f"`{within}{key}` has to be a list of strings")
    return tuple(item for item in found if isinstance(item, str))
