"""Compile programs in tests: from the checkout, or from text in memory."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from support.alone import emit
from support.library_cache import library_cache
from tvarc.build.diff.changes import Changes, Member, compare_members
from tvarc.build.driver import Compilation, compile_file
from tvarc.files.disk import DiskLoader, MemoryLoader
from tvarc.files.resources import library_texts, stdlib_dir
from tvarc.matrix.boxes import MATRIX
from tvarc.matrix.variants import axis_text
from tvarc.meaning.overrides import Setting
from tvarc.nix import ir
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.render_text import render_text

ROOT = Path(__file__).resolve().parents[2]
VARIANTS = ROOT / "variants.tvar"
PIECES = (ROOT / "tests" / "data" / "pieces.tvar").read_text(encoding="utf-8")
"""A program whose lists and texts come by `let`s, by other lists, and from within records."""


@cache
def std_sources() -> Mapping[str, str]:
    """The standard library by module name."""
    return dict(library_texts())


def named_by(
    text: str, file: str = "input.tvar", files: Mapping[str, object] | None = None
) -> dict[str, str]:
    """The files that *text*, which stands in *file*, names by `path("./…")`, empty: what a program
    names has to be there. What is a folder with *files* in it is there already."""
    written = re.findall(r'\bpath\("(\.[^"{]+)"\)', text)
    folder = posixpath.dirname(file)
    names = [posixpath.normpath(posixpath.join(folder, name)) for name in written]
    return {
        name: "" for name in names if not any(one.startswith(f"{name}/") for one in files or ())
    }


def compile_text(
    text: str, *settings: Setting, files: Mapping[str, str] | None = None
) -> Compilation:
    """Compile *text* as `input.tvar`, beside the other *files* and those that it names, all in
    memory."""
    sources: dict[str, str | bytes] = {
        **named_by(text, files=files),
        "input.tvar": text,
        **(files or {}),
    }
    loader = MemoryLoader(sources, std_sources())
    return compile_file("input.tvar", loader, settings, library_cache())


def compile_on_disk(file: Path | str, *settings: Setting) -> Compilation:
    """Compile *file*, which is on the disk."""
    return compile_file(str(file), DiskLoader(stdlib_dir()), settings, library_cache())


def compile_variants(text: str | None = None) -> Compilation:
    """Compile the checkout's `variants.tvar`, or *text* in its place."""
    if text is None:
        text = VARIANTS.read_text(encoding="utf-8")
    loader = MemoryLoader({"variants.tvar": text}, std_sources())
    return compile_file("variants.tvar", loader, cache=library_cache())


def messages(compilation: Compilation) -> str:
    """All diagnostics as a person sees them."""
    return render_text(compilation.diagnostics, compilation.sources, colour=False, width=100)


def codes(compilation: Compilation) -> list[str]:
    """The codes of all diagnostics in source order, but for lints: see `lints`."""
    known = LINTS.values()
    return [item.code for item in compilation.diagnostics if item.code not in known]


def lints(compilation: Compilation) -> list[str]:
    """The names of the lints that speak, in source order."""
    return [item.name for item in compilation.diagnostics if item.name in LINTS]


def write_recipes(compilation: Compilation, folder: Path) -> dict[str, Path]:
    """Write all recipes below *folder*; their paths by stem. Fails on any error."""
    recipes = compilation.recipes()
    assert not compilation.sink.has_errors, messages(compilation)
    written: dict[str, Path] = {}
    for output in emit(recipes, compilation.file):
        path = folder / output.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(output.text, encoding="utf-8")
        written[path.stem] = path
    return written


def compare_states(before: Sequence[ir.Recipe], after: Sequence[ir.Recipe]) -> Changes:
    """The changes from *before* to *after*, which are all decided."""
    return compare_members(list(map(_member_of, before)), list(map(_member_of, after)))


def _member_of(recipe: ir.Recipe) -> Member:
    cell = {axis.axis: axis_text(axis.value) for axis in recipe.axes}
    cell.setdefault(MATRIX, recipe.matrix)
    return Member(recipe.variant, cell, lambda: recipe)
