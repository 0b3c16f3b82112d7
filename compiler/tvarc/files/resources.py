"""The data files of the compiler: the grammar, the standard library, the pages, and results that
were prepared from them. An installed wheel has them in the package; a checkout has them next to
`compiler/`.
"""
# pathlib costs too much at start, hence:
# ruff: noqa: PTH100, PTH112, PTH113, PTH116, PTH118, PTH119, PTH120, PTH123, PTH208

from __future__ import annotations

import os
import sys

from tvarc import __version__
from tvarc.light import Final, Iterator, lru_cache
from tvarc.text.diagnostics.model import CompilerBug

# These files, and the tree, decide the values of literal facts.
_OF_ROWS: Final = (
    "files/cache.py", "values/value.py", "meaning/declarations/facts.py",
    "meaning/resolve.py", "advice/library/prebuilt.py",
)  # fmt: skip
MADE_COMPILER: Final = "compiler"  # the file in the folder `made`
_NO_CODE: Final = ("__pycache__", "docs", "grammar", "made", "stdlib", "templates")


def grammar_text() -> str:
    """The text of grammar/tvar.lark."""
    return _read(os.path.join(_folder("grammar"), "tvar.lark"))


def stdlib_dir() -> str:
    """The folder of the standard library's modules."""
    return _folder("stdlib")


def stdlib_files() -> list[str]:
    """The paths of the files of the standard library."""
    folder = stdlib_dir()
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


@lru_cache(maxsize=1)
def library_texts() -> dict[str, str]:
    """The modules of the standard library by name. Callers must not change the dictionary."""
    folder = stdlib_dir()
    names = [name for name in os.listdir(folder) if name.endswith(".tvar")]
    return {name.removesuffix(".tvar"): _read(os.path.join(folder, name)) for name in names}


def templates_dir() -> str:
    """The folder of the templates for a new program: a folder for each, and `around` for the files
    that they share.
    """
    return _folder("templates")


def template_file(template: str, name: str) -> bytes:
    """The path of a file of *template*, or of `around`."""
    with open(os.path.join(templates_dir(), template, name), "rb") as file:
        return file.read()


def made_dir() -> str | None:
    """The folder of the results that were prepared for the wheel; None in a checkout."""
    folder = os.path.join(package_dir(), "made")
    return folder if os.path.isdir(folder) else None


def made_compiler() -> bytes:
    """The digest of `compiler_texts` when the wheel was made; empty in a checkout. Computing it
    again would take 4 % of a build that has nothing to do. Raises OSError.
    """
    folder = made_dir()
    if folder is None:
        return b""
    with open(os.path.join(folder, MADE_COMPILER), "rb", buffering=0) as file:
        return file.read()


def compiler_texts() -> Iterator[bytes]:
    """The name and the text of each file of the compiler that decides the tree and the rows of a
    source: the grammar, and the code that makes trees and rows.
    """
    package = package_dir()
    folder = os.path.join(package, "syntax")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    paths = [os.path.join(folder, name) for name in names]
    paths += [os.path.join(package, *name.split("/")) for name in _OF_ROWS]
    for path in (os.path.join(_folder("grammar"), "tvar.lark"), *paths):
        yield os.path.basename(path).encode()
        with open(path, "rb", buffering=0) as file:
            yield file.read()


def compiler_state() -> bytes:
    """A state that distinguishes this compiler and its standard library from any other, without
    reading them. For installed code it is the state of the list of its files with their digests,
    which every installer writes anew. Checking each file, as in a checkout, would take a tenth of a
    build that has nothing to do. Each file of the library is checked, because a user may correct a
    fact in place. Raises OSError.
    """
    package = package_dir()
    library = [_folder("grammar"), _folder("stdlib")]
    try:
        files = [_state(_installed_files(package)), *_file_states(library)]
    except FileNotFoundError:
        files = _file_states([package, *library])
    return "".join([f"{package}\n{sys.version}\n", *files]).encode("utf-8", "surrogateescape")


def _installed_files(package: str) -> str:
    """The places where installers write the list of the files of *package*."""
    return os.path.join(f"{package}-{__version__}.dist-info", "RECORD")


def _file_states(folders: list[str]) -> list[str]:
    """The path and state of each file in *folders* and below that decides a build. Raises
    OSError.
    """
    found: list[str] = []
    folders = [*folders]
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=_name):
                name = entry.name
                if name.endswith((".py", ".tvar", ".lark")):
                    found.append(_state(entry.path))
                elif name not in _NO_CODE and entry.is_dir():
                    folders.append(entry.path)
    return found


def _state(path: str) -> str:
    """The path of a file, its size, and the numbers that the system changes when the file is
    written. Raises OSError.
    """
    state = os.stat(path)
    return (
        f"{path}\0{state.st_dev} {state.st_ino} {state.st_size} "
        f"{state.st_mtime_ns} {state.st_ctime_ns}\n"
    )


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def error_page(code: str) -> str | None:
    """The page about the error *code* in Markdown; None if there is none."""
    path = error_page_path(code)
    return _read(path) if path is not None else None


def error_page_path(code: str) -> str | None:
    """The file of the page about the error *code*; None if there is none."""
    if not (code.isascii() and code.isalnum()):
        return None
    path = os.path.join(_folder("docs", "errors"), f"{code.upper()}.md")
    return path if os.path.isfile(path) else None


def page_text(name: str) -> str:
    """A style sheet or a script of a page."""
    return _read(os.path.join(package_dir(), "commands", "report", "page", name))


def package_dir() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _folder(*names: str) -> str:
    package = package_dir()
    checkout = os.path.dirname(os.path.dirname(package))
    for root in (package, checkout):
        folder = os.path.join(root, *names)
        if os.path.isdir(folder):
            return folder
    raise CompilerBug(f"the data folder {'/'.join(names)} is missing from the installation")


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
