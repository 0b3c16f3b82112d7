"""Derivations that are written out, in unlike styles, for unlike systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put

COMPILERS = ("gcc8", "gcc9", "gcc10")
LIBRARIES = ("mpich", "mvapich2", "openmpi")
CPUS = {"a64fx": "-mcpu=a64fx", "haswell": "-march=haswell", "zen2": "-march=znver2"}
ODD = "gcc9-mpich-zen2"


def recipe(compiler: str, library: str, cpu: str) -> str:
    """Flags are one text for most compilers, and a list for one; they are weaker in one file."""
    name = f"{compiler}-{library}-{cpu}"
    flags = f"{'-O2' if name == ODD else '-O3'} {CPUS[cpu]}"
    words = " ".join([f'"{word}"' for word in flags.split()])
    arch = "aarch64" if cpu == "a64fx" else "x86_64"
    return f"""{{ {compiler}Stdenv, {library}, lib }}:
{compiler}Stdenv.mkDerivation {{
  pname = "solver-{name}";
  version = "2.4.1";
  buildInputs = [ {library} ];
  NIX_CFLAGS_COMPILE = {f"[ {words} ]" if compiler == "gcc10" else f'"{flags}"'};
  doCheck = {"true" if cpu == "haswell" else "false"};
  meta.platforms = [ "{arch}-linux" ];
}}
"""


@pytest.fixture
def made(here: Path) -> str:
    """The program of a recipe for each compiler, library and CPU."""
    files = {
        f"pkgs/solver-{compiler}-{library}-{cpu}.nix": recipe(compiler, library, cpu)
        for compiler in COMPILERS
        for library in LIBRARIES
        for cpu in CPUS
    }
    done = tvarc("import", str(put(here, files)))
    assert done.exit_code == 3 and ": 27 imported" in done.output, done.output
    return Path("variants.tvar").read_text(encoding="utf-8")


def test_what_one_of_several_styles_has_otherwise_is_drift(made: str) -> None:
    """That some write a list and others a text is no drift, and hides none."""
    assert f"# drift: 1 of 27: attrs.NIX_CFLAGS_COMPILE, solver-{ODD}.nix:6" in made
    assert made.count("# drift") == 1 and made.count("O2") == 1, made


def test_platforms_are_those_that_all_commands_read(made: str) -> None:
    told = tvarc("list", "--columns", "name,platform")
    systems = dict(line.split() for line in told.output.splitlines()[-27:])
    assert systems["solver-gcc8-openmpi-a64fx"] == "aarch64-linux", told.output
    assert systems["solver-gcc8-openmpi-zen2"] == "x86_64-linux"


def test_what_is_true_in_some_cells_is_a_condition(made: str) -> None:
    assert "then true else false" not in made
    assert '= kind-2 == "haswell"' in made, made
