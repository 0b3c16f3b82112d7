"""The wheel alone: installed into a new virtual environment, it compiles a program elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.alone import emit
from support.compile import ROOT, compile_variants
from support.wheel import PIP, wheel_of_checkout
from tvarc import __version__
from tvarc.advice.library.prebuilt import keep_rows
from tvarc.advice.library.rows import LibraryRows
from tvarc.advice.library.tables import load_library
from tvarc.advice.lints.facts import Facts
from tvarc.files.cache import Cache, compiler_digest
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import MADE_COMPILER, grammar_text, stdlib_dir
from tvarc.syntax.generate import generate
from tvarc.syntax.machine import machine
from tvarc.syntax.pattern import matcher
from tvarc.syntax.prebuilt import library_tree
from tvarc.syntax.tables import plain
from tvarc.text.diagnostics.model import Sink


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    """What the command says; it never sees the checkout's own package."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=300, check=False,
        env={**kept, **env},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of_checkout(tmp_path_factory)


@pytest.mark.slow
def test_the_wheel_holds_its_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, suffix in (
        ("grammar", "*.lark"), ("stdlib", "*.tvar"), ("templates", "*/*"), ("docs/errors", "*.md"),
        ("docs/schema", "*.json"),
    ):  # fmt: skip
        for path in (ROOT / folder).glob(suffix):
            assert f"tvarc/{path.relative_to(ROOT).as_posix()}" in names
    assert {"tvarc/py.typed", "tvarc/commands/report/page/matrix.js"} <= names
    shared = f"tvarc-{__version__}.data/data/share"
    for place in (
        "bash-completion/completions/tvarc", "zsh/site-functions/_tvarc",
        "fish/vendor_completions.d/tvarc.fish",
    ):  # fmt: skip
        assert f"{shared}/{place}" in names
    assert f"tvarc-{__version__}.data/scripts/tvarc" in names
    assert not [name for name in names if name.startswith(("tests", "compiler"))]


@pytest.mark.slow
def test_the_wheel_holds_what_was_made_beforehand(wheel: Path, tmp_path: Path) -> None:
    """The entries are those that this checkout makes itself: same names, same bytes."""
    made = Cache(str(tmp_path / "made"), None)
    loader = DiskLoader(stdlib_dir())
    library = load_library(loader)
    for name in loader.std_names():
        source = loader.read(f"std/{name}.tvar")
        library_tree(source, Sink(), made)
        keep_rows(source, library.tables, Sink(), made)
    Facts(LibraryRows(loader, made)).gpu_names()
    made.store(made.key("tables", grammar_text()), plain(generate(grammar_text())))
    matcher(machine().tables.pattern, made)
    with zipfile.ZipFile(wheel) as archive:
        shipped = {
            name.rpartition("/")[2]: archive.read(name)
            for name in archive.namelist()
            if name.startswith("tvarc/made/")
        }
    # Each module that has tables has rows.
    modules = {table.span.file for table in library.tables.values()}
    assert sum(name.startswith("rows-") for name in shipped) == len(modules) == 7
    assert shipped.pop(MADE_COMPILER) == compiler_digest()
    assert shipped == {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}


LOADED = """\
import sys
from tvarc.commands.start.main import main
try:
    main()
except SystemExit as end:
    assert end.code in (0, None)
print(*sys.modules)
"""


STATE = "from tvarc.files.resources import compiler_state; print(compiler_state())"


@pytest.mark.slow(seconds=7)
def test_the_wheel_alone_builds_a_program_elsewhere(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=tmp_path)
    pip = (*PIP, "--python", venv / "bin" / "python")
    # What is loaded is compiled then: to compile all modules takes longer.
    run(*pip, "install", "--no-compile", wheel, cwd=tmp_path)
    project = tmp_path / "a project"
    project.mkdir()
    shutil.copy(ROOT / "variants.tvar", project)
    printed = run(venv / "bin" / "tvarc", "build", cwd=project)
    assert "44 written" in printed
    assert "E501" in run(venv / "bin" / "tvarc", "explain", "E501", cwd=project)
    assert "a/tvar.lock: written" in run(venv / "bin" / "tvarc", "init", "a", "--yes", cwd=project)
    assert "4 written" in run(venv / "bin" / "tvarc", "build", "--locked", "a/", cwd=project)
    # With an empty cache too, and without: neither the library of the parser nor that of the
    # command line is needed, nor regular expressions.
    for more, home in (((), "cache"), (("--no-cache",), "none")):
        loaded = run(
            venv / "bin" / "python", "-c", LOADED, "build", *more,
            cwd=project, XDG_CACHE_HOME=str(tmp_path / home),
        ).split()  # fmt: skip
        assert "tvarc.syntax.parser" in loaded
        assert not {"lark", "typer", "click", "re"} & {*loaded}
        # Lints had their rows without the modules that have them.
        assert "tvarc.advice.library.rows" in loaded and "tvarc.advice.library.tables" not in loaded
    # All that a first run would make came with it; what is left is the record of the build.
    kinds = {path.name.partition("-")[0] for path in (tmp_path / "cache").glob("tvarc/*")}
    assert kinds == {"build"}
    assert not (tmp_path / "none").exists()
    # A record is of one installation.
    states = [run(venv / "bin" / "python", "-c", STATE, cwd=project) for _ in range(2)]
    run(*pip, "install", "--no-compile", "--force-reinstall", "--no-deps", wheel, cwd=tmp_path)
    states.append(run(venv / "bin" / "python", "-c", STATE, cwd=project))
    assert states[0] == states[1] != states[2] and "RECORD" in states[0]
    compilation = compile_variants()
    for output in emit(compilation.recipes(), "variants.tvar"):
        assert (project / output.path).read_text(encoding="utf-8") == output.text
