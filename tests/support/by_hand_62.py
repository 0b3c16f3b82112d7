"""The 62 builds of PyTorch 2.8 as a team would keep them by hand, three of them with a mistake."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from support.compile import ROOT
from tvarc.disk import DiskLoader
from tvarc.driver import compile_file, emit
from tvarc.resources import stdlib_dir

HEAD: Final = "pytorch-python313-cuda12_8"
# What only a program writes: the digest, and what guards against another nixpkgs.
_MADE: Final = re.compile(r"\A(?:#.*\n)+|^assert\n(?:.*\n)*?  \|\| throw .*;\n", re.MULTILINE)
PLANTED: Final = {
    f"{HEAD}-sm86-avx2": ('[ "8.6" ]', '[ "8.0" ]'),
    f"{HEAD}-sm90-avx512": ('CXXFLAGS="-mavx512f -mavx512dq', 'CXXFLAGS="-mavx512f'),
    f"{HEAD}-sm100-armv9": ('"aarch64-linux"', '"x86_64-linux"'),
    # The example has this one on purpose, and says so.
    "pytorch-python313-cpu-avx2": ('"aarch64-linux"', ""),
}


def put_by_hand(folder: Path) -> None:
    """Write the recipes into the new *folder*."""
    folder.mkdir()
    for name, text in _recipes().items():
        (folder / f"{name}.nix").write_text(text, encoding="utf-8")


@cache
def _recipes() -> dict[str, str]:
    program = ROOT / "examples" / "torch-2.8" / "variants.tvar"
    made = compile_file(str(program), DiskLoader(stdlib_dir()))
    found: dict[str, str] = {}
    for output in emit(made.recipes(), made.file):
        name = Path(output.path).stem
        text = _MADE.sub("", output.text)
        if name in PLANTED:
            right, wrong = PLANTED[name]
            assert right in text, name
            text = text.replace(right, wrong)
        found[name] = text
    return found
