"""Packages of Python changed by `overridePythonAttrs`, which no setting says: one text of Nix."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Final

import pytest

from importing.test_styles import CPUS, GPUS
from support.command import tvarc
from support.families import put
from support.nix import requires_nix
from support.recipes import drv_paths

CELLS: Final = tuple(product(list(GPUS)[:8], list(CPUS)[1:]))


def recipe(gpu: str, isa: str, odd: str = "") -> str:
    """A package with other flags, inputs, lines and attributes in some cells."""
    new, arm = float(GPUS[gpu]) >= 10, isa.startswith("arm")
    line = "\n    export NEON=1" if arm else ""
    last = "\n  dontStrip = true;" if gpu == "sm90" else ""
    return f"""{{ pkgs, lib }}:
(pkgs.python3Packages.scipy.override {{
  blas = pkgs.{"openblas" if arm else "blas"};
}}).overridePythonAttrs (old: {{
  pname = "scipy-{gpu}-{isa}";
  doCheck = false;
  nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [ {"pkgs.ninja" if new else ""} ];
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DGPU={GPUS[gpu]}"
    "-DMARCH={CPUS[isa]}"{odd}
    {'"-DNEW=1"' if new else ""}
  ];
  buildInputs = [ pkgs.zlib{" pkgs.numactl" if arm else ""} ] ++ (old.buildInputs or [ ]);
  preBuild = (old.preBuild or "") + ''
    export CFLAGS="-march={CPUS[isa]}"{line}
    echo {gpu}
  '';{last}
  env = old.env or {{ }} // {{ {'NEW = "1";' if new else ""} }};
  meta = (old.meta or {{ }}) // {{ description = "SciPy for {gpu}"; }};
}})
"""


def family(odd: str = "") -> dict[str, str]:
    """Recipes of all cells, one of them with an *odd* flag more."""
    return {
        f"pkgs/scipy-{gpu}-{isa}.nix": recipe(gpu, isa, odd if at == 16 else "")
        for at, (gpu, isa) in enumerate(CELLS)
    }


@pytest.mark.slow
def test_one_text_says_what_differs(here: Path) -> None:
    done = tvarc("import", str(put(here, family())))
    assert done.exit_code == 0 and "40 imported" in done.stdout, done.output
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert made.count("overridePythonAttrs") == 1 and made.count("\n") < 60, made
    assert "(old.nativeBuildInputs or [ ]) ++ lib.optionals {{gpu.capability >= 10.0}}" in made
    assert 'blas = pkgs.{{if isa.arch == "x86_64" then "blas" else "openblas"}};' in made
    assert '++ lib.optionals {{gpu.capability >= 10.0}} [ "-DNEW=1" ];' in made
    assert "lib.optionals {{isa.arch == " in made and "[ pkgs.numactl ]" in made
    assert "// lib.optionalAttrs {{gpu == sm90}} { dontStrip = true; }" in made


@pytest.mark.slow
def test_one_that_is_odd_is_drift(here: Path) -> None:
    done = tvarc("import", str(put(here, family(' "-DODD=1"'))))
    assert done.exit_code == 3 and "40 imported" in done.stdout, done.output
    assert "drift: 1 of 40: package, scipy-sm89-avx512vnni.nix:8" in done.stdout
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "scipy-sm89-avx512vnni.nix:8 (a condition in the recipe)\n" in made
    assert made.count("-DODD=1") == 1 and made.count("overridePythonAttrs") == 1
    assert 'lib.optionals {{gpu == sm89 and isa == avx512vnni}} [ "-DODD=1" ]' in made
    assert "lib.optionals {{gpu.capability >= 10.0}}" in made


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.once
@pytest.mark.parametrize("odd", ["", ' "-DODD=1"'])
def test_what_is_built_is_the_same_derivation(odd: str, here: Path) -> None:
    folder = put(here, family(odd))
    tvarc("import", "pkgs")
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    by_hand = {path.stem: path for path in folder.glob("*.nix")}
    built = {path.stem: path for path in (here / "built").rglob("*.nix")}
    assert len(by_hand) == 40 and set(built) == set(by_hand)
    assert drv_paths(built) == drv_paths(by_hand)
