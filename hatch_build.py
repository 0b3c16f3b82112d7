"""Makes beforehand, for the wheel, what a first run would have to: the parser's tables, the pattern
of its tokens, and the syntax trees and the rows of the standard library."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MadeBeforehand(BuildHookInterface[Any]):
    """Adds the folder `tvarc/made`, entries of the cache by the names that the cache gives them."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # a checkout changes; what is made of it is in the user's cache
        sys.path.insert(0, str(Path(self.root) / "compiler"))
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name) / "made"
        make(folder)
        build_data["force_include"][str(folder)] = "tvarc/made"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()


def make(folder: Path) -> None:
    """Fill *folder*. Raises RuntimeError when a module of the standard library has faults."""
    from tvarc.advice.library.prebuilt import keep_rows
    from tvarc.advice.library.rows import LibraryRows
    from tvarc.advice.library.tables import load_library
    from tvarc.advice.lints.facts import Facts
    from tvarc.files.cache import Cache, compiler_digest
    from tvarc.files.disk import DiskLoader
    from tvarc.files.resources import MADE_COMPILER, stdlib_dir
    from tvarc.syntax.prebuilt import library_tree
    from tvarc.text.diagnostics.model import Sink

    cache, sink = Cache(str(folder), None), Sink()
    folder.mkdir()
    (folder / MADE_COMPILER).write_bytes(compiler_digest())
    loader = DiskLoader(stdlib_dir())
    sources = [loader.read(f"std/{name}.tvar") for name in loader.std_names()]
    for source in sources:
        library_tree(source, sink, cache)
    library = load_library(loader, Cache(None, str(folder)))
    for source in sources:
        keep_rows(source, library.tables, sink, cache)
    Facts(LibraryRows(loader, cache)).gpu_names()
    if len(sink):
        raise RuntimeError("the standard library has faults")
