"""Modules are found as Python would find them, or left to Python."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from tvarc.imports import Finder

SHOW = """\
import sys
from tvarc.imports import Finder, quicken
quicken()
import tvarc.extra.one
finders = [one for one in sys.meta_path if isinstance(one, Finder)]
module = tvarc.extra.one
print(len(finders), type(module.__loader__).__name__, module.VALUE, module.__file__)
print(module.__package__, tvarc.extra.__path__, module.__spec__.has_location)
extra = tvarc.extra
print(type(extra.__loader__).__name__, extra.__package__, extra.__file__, extra.__spec__.parent)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of the name, with a module in a package in it."""
    package = tmp_path / "tvarc"
    (package / "extra").mkdir(parents=True)
    original = Path(sys.modules[Finder.__module__].__file__ or "").parent
    for name in ("__init__.py", "imports.py", "light.py"):
        (package / name).write_text((original / name).read_text())
    (package / "extra" / "__init__.py").write_text("")
    (package / "extra" / "one.py").write_text("VALUE = 1\n")
    for source in package.rglob("*.py"):
        py_compile.compile(str(source), doraise=True)
    return package


def shown(package: Path, *options: str, **env: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, *options, "-c", SHOW],
        env={
            **os.environ,
            "PYTHONPATH": str(package.parent),
            "PYTHONDONTWRITEBYTECODE": "",
            **env,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_a_compiled_module_is_found(package: Path) -> None:
    one = package / "extra" / "one.py"
    assert shown(package) == [
        "1",
        "Loader",
        "1",
        str(one),
        "tvarc.extra",
        f"['{package / 'extra'}']",
        "True",
        "Loader",
        "tvarc.extra",
        str(package / "extra" / "__init__.py"),
        "tvarc.extra",
    ]


def test_a_package_that_was_not_compiled_is_left_to_python(package: Path) -> None:
    (compiled,) = (package / "extra" / "__pycache__").glob("__init__.*")
    compiled.unlink()
    found = shown(package, "-B")
    assert found[1] == "Loader" and found[-4:-2] == ["SourceFileLoader", "tvarc.extra"]


def test_a_source_that_changed_is_left_to_python(package: Path) -> None:
    (package / "extra" / "one.py").write_text("VALUE = 22\n")
    assert shown(package)[1:3] == ["SourceFileLoader", "22"]
    assert shown(package)[1:3] == ["Loader", "22"]  # Python has compiled it since


def test_a_module_that_was_not_compiled_is_left_to_python(package: Path) -> None:
    (compiled,) = (package / "extra" / "__pycache__").glob("one.*")
    compiled.unlink()
    assert shown(package, "-B")[1:3] == ["SourceFileLoader", "1"]


@pytest.mark.parametrize("damage", [b"", b"\0" * 40])
def test_damaged_code_is_left_to_python(package: Path, damage: bytes) -> None:
    (compiled,) = (package / "extra" / "__pycache__").glob("one.*")
    compiled.write_bytes(damage)
    assert shown(package)[1:3] == ["SourceFileLoader", "1"]


def test_code_that_goes_by_its_digest_is_left_to_python(package: Path) -> None:
    py_compile.compile(
        str(package / "extra" / "one.py"),
        invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH,
    )
    assert shown(package)[1:3] == ["SourceFileLoader", "1"]


def test_no_finder_where_compiled_code_is_kept_elsewhere(package: Path, tmp_path: Path) -> None:
    assert shown(package, "-O")[0] == "0"
    assert shown(package, PYTHONPYCACHEPREFIX=str(tmp_path / "aside"))[0] == "0"


def test_other_names_are_left_to_python() -> None:
    finder = Finder(b"none", type(sys.__spec__))
    assert finder.find_spec("json", None) is None
    assert finder.find_spec("json.decoder", ["/nowhere"]) is None
    assert finder.find_spec("tvarc", ["/nowhere"]) is None
    assert finder.find_spec("tvarc.nothing", ["/nowhere"]) is None
