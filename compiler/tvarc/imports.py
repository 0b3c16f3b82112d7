"""Loads the compiled modules of this package from where they are.

A command loads some ninety modules, and Python's own loader takes 5 ms longer for them: 6 % of
`tvarc list`, which `quicken()` taken out of `cli/main.py` shows. The fewer modules there are, the
less this is worth. The rules are Python's: the magic number, and time and size of the source. All
else, such as modules that were never compiled, is left to Python.
"""

# pathlib costs too much at start.
# ruff: noqa: PTH116, PTH123
from __future__ import annotations

import marshal
import os
import sys

from tvarc.light import TYPE_CHECKING, Final, Sequence

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

_BY_TIME: Final = bytes(4)  # the flags of code that goes by the source's time
_WORD: Final = 0xFFFFFFFF


class Loader:
    """Runs the code of one module, once, and lets go of it: what only makes the module is a tenth
    of the memory that the code of a build takes."""

    __slots__ = ("_code",)

    def __init__(self, code: CodeType) -> None:
        self._code = code

    def create_module(self, spec: ModuleSpec) -> None:
        """The module is made as modules are."""

    def exec_module(self, module: ModuleType) -> None:
        code = self._code
        del self._code
        exec(code, module.__dict__)


class Finder:
    """Finds compiled modules below the package's folder. *magic* begins what this Python has
    compiled, and *spec* is the class of module specs."""

    __slots__ = ("_ending", "_magic", "_spec")

    def __init__(self, magic: bytes, spec: type[ModuleSpec]) -> None:
        self._magic = magic
        self._spec = spec
        self._ending = f".{sys.implementation.cache_tag}.pyc"

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not path or target is not None or not name.startswith("tvarc."):
            return None
        stem = name.rpartition(".")[2]
        found = self._found(name, path[0], stem)
        if found is None:
            inside = f"{path[0]}/{stem}"
            found = self._found(name, inside, "__init__")
            if found is not None:
                found.submodule_search_locations = [inside]
        return found

    def _found(self, name: str, folder: str, stem: str) -> ModuleSpec | None:
        """The module *name*, if it is what *stem* in *folder* has been compiled to."""
        source = f"{folder}/{stem}.py"
        compiled = f"{folder}/__pycache__/{stem}{self._ending}"
        try:
            state = os.stat(source)
            with open(compiled, "rb", buffering=0) as stream:
                data = stream.read()
        except (OSError, ValueError):
            return None
        known = (int(state.st_mtime) & _WORD, state.st_size & _WORD)
        head = b"".join([self._magic, _BY_TIME, *[one.to_bytes(4, "little") for one in known]])
        if not data.startswith(head):
            return None
        try:
            loader = Loader(marshal.loads(memoryview(data)[len(head) :]))
        except (EOFError, ValueError, TypeError):
            return None
        spec = self._spec(name, loader, origin=source)  # type: ignore[arg-type]
        spec.has_location = True
        spec.cached = compiled
        return spec


def quicken() -> None:
    """Let the modules of this package that are loaded from now on be found by the finder here,
    where Python keeps what it compiles beside the sources, as it mostly does."""
    own = sys.modules[__name__].__spec__
    if own is None or sys.pycache_prefix is not None or sys.flags.optimize:
        return
    # Loaded by Python's start; `importlib.util`, which shows the number, takes a millisecond.
    magic = getattr(sys.modules.get("_frozen_importlib_external"), "MAGIC_NUMBER", b"")
    if isinstance(magic, bytes) and len(magic) == 4:
        sys.meta_path.insert(0, Finder(magic, type(own)))
