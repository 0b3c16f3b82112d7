"""The work by hand, with all that is constant taken out of the loop.   WORK FOLDER

Nothing is compiled: axes come as JSON, the recipe as a format. One format call and one open, write
and close a file: what a compiler in Python can aim at.
"""

# ruff: noqa: PTH103, PTH123 - care begins with imports
from __future__ import annotations

import os
import sys
from json import loads
from typing import Any

CREATE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
Fields = dict[bytes, bytes]


def main() -> None:
    work, folder = sys.argv[1:]
    with open(f"{work}/spec.json", "rb") as file:
        spec = loads(file.read())
    with open(f"{work}/recipe.percent", "rb") as file:
        template = file.read()
    inner = inner_cells(spec)
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    for torch in spec["torch"]:
        for python in spec["python"]:
            outer = f"pytorch{torch['short']}-python{python['id']}".encode()
            both = {**fields("torch", torch), **fields("python", python)}
            for tail, cell in inner:
                name = outer + tail
                written = os.open(name + b".nix", CREATE, 0o666)
                os.write(written, template % {**cell, **both, b"name": name})
                os.close(written)


def inner_cells(spec: dict[str, Any]) -> list[tuple[bytes, Fields]]:
    """End of the name, and fields, for the three axes that exclusions speak of."""
    found = []
    for cuda in spec["cuda"]:
        for gpu in spec["gpu"]:
            for isa in spec["isa"]:
                ids = {"cuda": cuda["id"], "gpu": gpu["id"], "isa": isa["id"]}
                if not any(all(ids[a] in rule[a] for a in rule) for rule in spec["exclude"]):
                    tail = f"-cuda{ids['cuda']}-sm{ids['gpu']}-{ids['isa']}".encode()
                    chosen = {**fields("cuda", cuda), **fields("gpu", gpu), **fields("isa", isa)}
                    found.append((tail, chosen))
    return found


def fields(axis: str, value: dict[str, Any]) -> Fields:
    """What the placeholders of an axis are filled with."""
    found = {
        f"{axis}.{key}".encode(): field.encode() for key, field in value.items() if key != "flags"
    }
    if axis == "isa":
        found[b"flag_lines"] = "\n".join(f'    "{flag}"' for flag in value["flags"]).encode()
        found[b"flag_words"] = " ".join(value["flags"]).encode()
    return found


if __name__ == "__main__":
    main()
