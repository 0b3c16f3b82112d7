"""Reads the description of a host, which another machine may have written. See docs/pick.md."""

from __future__ import annotations

import json
import re

from tvarc.advice.hosts.capability import gfx_of, is_capability
from tvarc.advice.hosts.detect import ARCHES
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.advice.hosts.nvidia_smi import is_driver
from tvarc.light import Final
from tvarc.values.value import Version

SCHEMA: Final = "tvarc-host/1"
_KEYS: Final = ("schema", "system", "arch", "cpu", "gpus", "notes", "made", "facts")
_MOST_GPUS: Final = 1024
_WORD: Final = re.compile(r"[a-z][a-z0-9_]{0,30}", re.ASCII)


class BadDescription(Exception):
    """The fault of a description, as a clause for the user."""


def read_description(text: str) -> Host:
    """The host that *text* describes; raises BadDescription."""
    top = _known_keys(_record(_json(text), "it"), _KEYS, "")
    if top.get("schema") != SCHEMA:
        raise BadDescription(f'`schema` has to be "{SCHEMA}"')
    cpu = _known_keys(_record(top.get("cpu"), "`cpu`"), ("model", "flags"), "cpu.")
    made = top.get("made", False)
    if not isinstance(made, bool):
        raise BadDescription("`made` has to be true or false")
    gpus = _items(top, "gpus")
    if len(gpus) > _MOST_GPUS:
        raise BadDescription(f"`gpus` has {len(gpus)} items, {_MOST_GPUS} is the most")
    return Host(
        system=_system(top),
        arch=_arch(top),
        cpu=_text(cpu, "model", "cpu."),
        flags=_flags(cpu),
        gpus=tuple(_gpu(item, f"gpus[{at}]") for at, item in enumerate(gpus)),
        notes=_texts(top, "notes") if "notes" in top else (),
        made=made,
        facts=_texts(top, "facts") if "facts" in top else (),
    )


def _json(text: str) -> object:
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_no_number,
                          object_pairs_hook=_once)  # fmt: skip
    except json.JSONDecodeError as fault:
        raise BadDescription(f"it is not JSON: {fault}") from None
    except RecursionError:
        raise BadDescription("it is not JSON: it is nested too deeply") from None
    except ValueError:
        raise BadDescription("it has a number of too many digits") from None


def _no_number(word: str) -> object:
    raise BadDescription(f"it is not JSON: {word} is not a number")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise BadDescription(f"`{key[:60]}` is twice in one object")
        found[key] = value
    return found


def _system(top: dict[str, object]) -> str:
    system = _text(top, "system")
    if _WORD.fullmatch(system) is None:
        raise BadDescription('`system` has to be such as "linux" or "darwin"')
    return system


def _arch(top: dict[str, object]) -> str:
    arch = _text(top, "arch")
    if arch in ARCHES:
        raise BadDescription(f'`arch` has to be "{ARCHES[arch]}", as Nix calls {arch}')
    if _WORD.fullmatch(arch) is None:
        raise BadDescription('`arch` has to be such as "x86_64" or "aarch64"')
    return arch


def _flags(cpu: dict[str, object]) -> tuple[str, ...]:
    flags = _texts(cpu, "flags", "cpu.")
    for at, flag in enumerate(flags):
        if flag.split() != [flag]:
            raise BadDescription(f"`cpu.flags[{at}]` has to be one word")
    return tuple(sorted(set(flags)))


def _gpu(data: object, where: str) -> Gpu:
    fields = _record(data, f"`{where}`")
    name = _text(fields, "name", f"{where}.")
    if "gfx" in fields:
        _known_keys(fields, ("name", "gfx"), f"{where}.")
        gfx = _text(fields, "gfx", f"{where}.")
        if gfx_of(gfx) != gfx:
            raise BadDescription(f'`{where}.gfx` has to be such as "gfx90a"')
        return Gpu(name, gfx=gfx)
    _known_keys(fields, ("name", "capability", "driver", "cuda", "windows"), f"{where}.")
    capability = _text(fields, "capability", f"{where}.")
    # Only a compiler target has a suffix. No GPU has one.
    if not is_capability(capability) or not capability[-1].isdigit():
        raise BadDescription(f'`{where}.capability` has to be such as "9.0"')
    driver = fields.get("driver", "")
    if driver is not None and (not isinstance(driver, str) or not is_driver(driver)):
        raise BadDescription(f'`{where}.driver` has to be null or such as "580.65.06"')
    cuda = fields.get("cuda")
    if cuda is not None and (not isinstance(cuda, str) or not is_driver(cuda)):
        raise BadDescription(f'`{where}.cuda` has to be null or such as "13.0"')
    windows = fields.get("windows", False)
    if not isinstance(windows, bool):
        raise BadDescription(f"`{where}.windows` has to be true or false")
    return Gpu(
        name,
        Version(capability),
        Version(driver) if driver is not None else None,
        cuda=Version(cuda) if cuda is not None else None,
        windows=windows,
    )


def _known_keys(data: dict[str, object], keys: tuple[str, ...], within: str) -> dict[str, object]:
    for key in data:
        if key not in keys:
            raise BadDescription(f"`{within}{key[:60]}` is not a key of {SCHEMA}")
    return data


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
