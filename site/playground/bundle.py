"""Runs within Pyodide: makes of the wheel WHEEL the archive BUNDLE, which has all that `tvarc.api`
may import, compiled by this very Python, and the data that a wheel brings. Makes of Python's own
library, LIBRARY, the smaller archive SMALLER, since every visitor loads it."""

import ast
import os
import py_compile
import sys
import zipfile
from pathlib import Path

SOURCE = Path("/tmp/wheel")
DATA = ("grammar", "stdlib", "made")
NOT_NEEDED = (
    "_pyrepl", "bdb.py", "cmd.py", "compileall.py", "doctest.py", "ftplib.py", "imaplib.py",
    "mailbox.py", "modulefinder.py", "multiprocessing", "optparse.py", "pdb.py", "pickletools.py",
    "plistlib.py", "poplib.py", "profile.py", "pstats.py", "pydoc.py", "pydoc_data", "smtplib.py",
    "sqlite3", "statistics.py", "timeit.py", "trace.py", "unittest", "wave.py", "wsgiref", "xml",
    "xmlrpc",
)  # fmt: skip
"""What of Python's library neither Pyodide nor tvarc imports."""
_FIXED_TIME = (1980, 1, 1, 0, 0, 0)


def module_file(name):
    """The file of the module *name*; None where it is none of the wheel."""
    path = SOURCE.joinpath(*name.split("."))
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    return None


def imported(name, file):
    """The names of what a module imports at any time, wherever that stands in it."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, name
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def reached(start):
    """The modules of the wheel that *start* may import, with their files, packages included."""
    found, open_ = {}, [start]
    while open_:
        name = open_.pop()
        file = module_file(name)
        if name in found or file is None:
            continue
        found[name] = file
        open_ += [name.rpartition(".")[0], *imported(name, file)]
    return found


def write(archive, path, data):
    archive.writestr(zipfile.ZipInfo(path, _FIXED_TIME), data, zipfile.ZIP_DEFLATED, 9)


def main():
    with zipfile.ZipFile(os.environ["WHEEL"]) as wheel:
        wheel.extractall(SOURCE)
    with zipfile.ZipFile(os.environ["BUNDLE"], "w") as archive:
        for _, file in sorted(reached("tvarc.api").items()):
            compiled = py_compile.compile(
                str(file), "/tmp/one.pyc", str(file.relative_to(SOURCE)), doraise=True, optimize=2,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )  # fmt: skip
            name = file.relative_to(SOURCE).with_suffix(".pyc").as_posix()
            write(archive, name, Path(compiled).read_bytes())
        for folder in DATA:
            for file in sorted((SOURCE / "tvarc" / folder).iterdir()):
                write(archive, file.relative_to(SOURCE).as_posix(), file.read_bytes())
    whole = zipfile.ZipFile(os.environ["LIBRARY"])
    with whole, zipfile.ZipFile(os.environ["SMALLER"], "w") as archive:
        for one in whole.infolist():
            if one.filename.split("/")[0] not in NOT_NEEDED:
                write(archive, one.filename, whole.read(one))


sys.dont_write_bytecode = True
main()
