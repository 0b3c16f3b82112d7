"""The examples with a folder and a README of their own, for tests that judge them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from support.compile import ROOT, compile_on_disk, write_recipes
from support.fences import FENCE, words_of
from tvarc.build.driver import Compilation
from tvarc.meaning.overrides import Setting

EXAMPLES: Final = ROOT / "examples"


def copied(example: str, folder: Path, *edits: tuple[str, str]) -> Path:
    """A copy of *example* in *folder*. Each edit is a text in its program, which has to be there,
    and another."""
    root = folder / example
    shutil.copytree(EXAMPLES / example, root)
    program = root / "variants.tvar"
    text = program.read_text(encoding="utf-8")
    for before, after in edits:
        assert before in text, before
        text = text.replace(before, after)
    program.write_text(text, encoding="utf-8")
    return root


def compiled(root: Path, *settings: str, program: str = "variants.tvar") -> Compilation:
    """The program in *root*; *settings* are those of `--set` where they have a dot in their path,
    and of `--flag` where not."""
    chosen = tuple(
        Setting("--set" if "." in text.partition("=")[0] else "--flag", text) for text in settings
    )
    return compile_on_disk(root / program, *chosen)


def recipes(root: Path, *settings: str, program: str = "variants.tvar") -> dict[str, Path]:
    """The recipes of the program in *root*, written beside it, by stem."""
    return write_recipes(compiled(root, *settings, program=program), root)


def block(example: str, name: str) -> str:
    """The block marked `file=NAME` in the README of *example*."""
    readme = (EXAMPLES / example / "README.md").read_text(encoding="utf-8")
    (found,) = [one for one in FENCE.finditer(readme) if words_of(one)[1].get("file") == name]
    return found["text"]
