"""Bills of materials: the closure of a built variant as CycloneDX 1.5, and the licences.

The store knows the paths of a closure and how they refer to each other. Licences come from the
`meta` of packages, as Nix evaluates it. The licence of a path without a package is not known.
"""

from __future__ import annotations

import json

from tvarc import __version__
from tvarc.farm.realise.store import path_info
from tvarc.light import Collection, Mapping, Sequence, dataclass
from tvarc.nix.judge.derivation import parsed_name
from tvarc.values.plain import Json

Licences = Mapping[str, Sequence[Mapping[str, str]]]
"""The licences of packages, by the paths of their outputs, each with an id of SPDX or a name."""


@dataclass(frozen=True, slots=True)
class Component:
    """A path of a closure."""

    path: str
    references: tuple[str, ...]
    hash: str
    licences: tuple[Mapping[str, str], ...]

    @property
    def ref(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def name(self) -> str:
        return parsed_name(self.path)[0]

    @property
    def version(self) -> str:
        """Empty if the name of the path has none."""
        return parsed_name(self.path)[1]

    @property
    def licence(self) -> str:
        """The licences in words; empty if none is known."""
        return ", ".join(one.get("id", one.get("name", "")) for one in self.licences)


def components_of(paths: Collection[str], licences: Licences) -> dict[str, Component]:
    """All paths in the closures of *paths*. Raises NotInstalled and StoreRefused."""
    return {
        path: Component(path, references, hash_, tuple(licences.get(path, ())))
        for path, (references, hash_) in path_info(paths).items()
    }


def closure(outputs: Sequence[str], components: Mapping[str, Component]) -> list[Component]:
    """The components that *outputs* need when they run, by their paths, with *outputs*."""
    found: dict[str, Component] = {}
    waiting = [*outputs]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = components[path]
            waiting += components[path].references
    return [found[path] for path in sorted(found)]


def bill(name: str, outputs: Sequence[str], parts: Sequence[Component]) -> str:
    """The bill of the variant *name* as JSON. It names no time and no machine."""
    own = [one for one in parts if one.path in outputs]
    others = [one for one in parts if one.path not in outputs]
    version = own[0].version if own else ""
    variant: dict[str, Json] = {"type": "application", "bom-ref": name, "name": name}
    if version:
        variant["version"] = version
    found: dict[str, Json] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "tools": {
                "components": [{"type": "application", "name": "tvarc", "version": __version__}]
            },
            "component": variant,
        },
        "components": [_component(one) for one in (*own, *others)],
        "dependencies": [
            {"ref": name, "dependsOn": [one.ref for one in own]},
            *[_dependency(one) for one in parts],
        ],
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _component(one: Component) -> Json:
    found: dict[str, Json] = {"type": "library", "bom-ref": one.ref, "name": one.name}
    if one.version:
        found["version"] = one.version
    if one.licences:
        found["licenses"] = [{"license": dict(each)} for each in one.licences]
    properties = {"nix:store-path": one.path, "nix:nar-hash": one.hash}
    found["properties"] = [{"name": key, "value": value} for key, value in properties.items()]
    return found


def _dependency(one: Component) -> Json:
    needed = [path.rpartition("/")[2] for path in one.references if path != one.path]
    return {"ref": one.ref, "dependsOn": [*sorted(needed)]}


def licences_in(texts: Collection[str]) -> Licences:
    """The licences in the reports of evaluators. Each text is about the packages of a variant."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for text in texts:
        for one in json.loads(text or "[]"):
            licences = [_licence(each) for each in one["licences"]]
            for path in one["outputs"]:
                found[str(path)] = licences
    return found


def _licence(given: Mapping[str, object]) -> Mapping[str, str]:
    return {"id" if given.get("spdx") else "name": str(given["name"])}
