"""The data files that travel with the compiler: the grammar, the standard library, the pages.

An installed wheel carries them within the package; a checkout has them beside `compiler/`.
"""
# pathlib costs too much at start, hence:
# ruff: noqa: PTH100, PTH112, PTH113, PTH118, PTH120, PTH123

from __future__ import annotations

import os

from tvarc.diagnostics.model import CompilerBug


def grammar_text() -> str:
    """The text of grammar/tvar.lark."""
    return _read(os.path.join(_folder("grammar"), "tvar.lark"))


def stdlib_dir() -> str:
    """The folder of the standard library's modules."""
    return _folder("stdlib")


def error_page(code: str) -> str | None:
    """The page on the error *code* in Markdown, or None when there is none."""
    if not (code.isascii() and code.isalnum()):
        return None
    path = os.path.join(_folder("docs", "errors"), f"{code.upper()}.md")
    return _read(path) if os.path.isfile(path) else None


def _folder(*names: str) -> str:
    package = os.path.dirname(os.path.abspath(__file__))
    checkout = os.path.dirname(os.path.dirname(package))
    for root in (package, checkout):
        folder = os.path.join(root, *names)
        if os.path.isdir(folder):
            return folder
    raise CompilerBug(f"the data folder {'/'.join(names)} is missing from the installation")


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
