"""Finds the modules of this package where they are.

Python's own search takes a fifth of the time that it takes to load a hundred small modules: it asks
each of its finders, lists folders, and puts together for each module what is the same for all. This
one knows that a module of the package is in the package's folder, and takes the code that Python
has compiled before, checked by the same rules: magic number, and time and size of the source. For
all else, a module that was never compiled among it, Python's own search goes on.
"""

# pathlib costs too much at start.
# ruff: noqa: PTH116, PTH123
from __future__ import annotations

import marshal
import os
import sys

from tvarc.light import TYPE_CHECKING, Any, Final, Sequence, cast

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

_PACKAGE: Final = "tvarc"
_HEAD: Final = 16  # bytes before the code: magic number, flags, time and size of the source
_MAGIC: Final = 4
_BY_TIME: Final = bytes(4)  # the flags of code that goes by the source's time
_WORD: Final = 0xFFFFFFFF


class Loader:
    """Runs the code of one module."""

    __slots__ = ("_code",)

    def __init__(self, code: CodeType) -> None:
        self._code = code

    def create_module(self, spec: ModuleSpec) -> None:
        """The module is made as modules are."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)


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
        if not path or target is not None or not name.startswith(f"{_PACKAGE}."):
            return None
        folder, last = path[0], name.rpartition(".")[2]
        return self._found(name, folder, last) or self._found(
            name, f"{folder}/{last}", "__init__", package=True
        )

    def _found(
        self, name: str, folder: str, stem: str, *, package: bool = False
    ) -> ModuleSpec | None:
        source = f"{folder}/{stem}.py"
        compiled = f"{folder}/__pycache__/{stem}{self._ending}"
        try:
            state = os.stat(source)
            with open(compiled, "rb", buffering=0) as stream:
                data = stream.read()
        except (OSError, ValueError):
            return None
        known = (int(state.st_mtime) & _WORD, state.st_size & _WORD)
        marks = b"".join([number.to_bytes(4, "little") for number in known])
        if data[:_HEAD] != self._magic + _BY_TIME + marks:
            return None
        try:
            code = marshal.loads(memoryview(data)[_HEAD:])
        except (EOFError, ValueError, TypeError):
            return None
        loader = cast("Any", Loader(code))
        spec = self._spec(name, loader, origin=source, is_package=package)
        spec.has_location = True
        spec.cached = compiled
        if package:
            spec.submodule_search_locations = [folder]
        return spec


def quicken() -> None:
    """Let the modules of this package that are loaded from now on be found by the finder here,
    where Python keeps what it compiles beside the sources, as it mostly does."""
    own = sys.modules[__name__].__spec__
    if own is None or sys.pycache_prefix is not None or sys.flags.optimize:
        return
    # Loaded by Python's start; `importlib.util`, which shows the number, takes a millisecond.
    magic = getattr(sys.modules.get("_frozen_importlib_external"), "MAGIC_NUMBER", b"")
    if isinstance(magic, bytes) and len(magic) == _MAGIC:
        sys.meta_path.insert(0, Finder(magic, type(own)))
