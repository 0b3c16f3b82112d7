"""Jinja2, JSON and nested loops: the usual generator.   WORK FOLDER"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

AXES = ("torch", "python", "cuda", "gpu", "isa")


def main() -> None:
    work, folder = map(Path, sys.argv[1:])
    spec = json.loads((work / "spec.json").read_text(encoding="utf-8"))
    environment = Environment(loader=FileSystemLoader(work), keep_trailing_newline=True)
    template = environment.get_template("recipe.nix.j2")
    folder.mkdir(parents=True, exist_ok=True)
    for values in itertools.product(*(spec[axis] for axis in AXES)):
        cell = dict(zip(AXES, values, strict=True))
        if any(all(cell[a]["id"] in ids for a, ids in rule.items()) for rule in spec["exclude"]):
            continue
        torch, python, cuda, gpu, isa = values
        name = (
            f"pytorch{torch['short']}-python{python['id']}"
            f"-cuda{cuda['id']}-sm{gpu['id']}-{isa['id']}"
        )
        text = template.render(
            cell,
            name=name,
            flag_lines="\n".join(f'    "{flag}"' for flag in isa["flags"]),
            flag_words=" ".join(isa["flags"]),
        )
        (folder / f"{name}.nix").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
