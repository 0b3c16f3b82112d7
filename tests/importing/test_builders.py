"""Packages that a builder makes of arguments: rules, and not a copy for each cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put

GPUS = ("sm80", "sm90", "sm100")
ISAS = ("avx2", "avx512", "armv9")


def recipe(builder: str, gpu: str, isa: str, more: str = "") -> str:
    """A package of *builder*, of whose arguments lists and texts are longer in some cells."""
    arm = isa == "armv9"
    return f"""{{ {builder.partition(".")[0]}, openssl, zlib }}:
{builder} {{
  pname = "tool-{gpu}-{isa}";
  version = "1.2.3";{more}
  buildInputs = [ openssl {"zlib " if gpu == "sm90" else ""}];
  flags = [ "--gpu" "{gpu}" {'"--arm" ' if arm else ""}];
  preBuild = ''
    export GPU={gpu}
{"    export ARM=1" if arm else ""}
    echo {isa}
  '';
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "builder",
    ["rustPlatform.buildRustPackage", "buildGoModule", "python3Packages.buildPythonPackage"],
)
def test_arguments_of_a_builder_are_rules(builder: str, here: Path) -> None:
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": recipe(builder, gpu, isa) for gpu in GPUS for isa in ISAS
    }
    tvarc("import", str(put(here, files)), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert made.count("package = ") == 1 and made.count('"1.2.3"') == 1, made
    assert "if gpu == sm90 then [pkgs.openssl, pkgs.zlib] else [pkgs.openssl]" in made
    assert 'if isa == armv9 then ["--gpu", gpu, "--arm"]' in made.replace('"{{gpu}}"', "gpu")
    assert "9 variants, 0 errors" in tvarc("check").output


def test_an_argument_of_some_cells_is_one_call_more(here: Path) -> None:
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": recipe(
            "buildGoModule", gpu, isa, "\n  doCheck = false;" if gpu == "sm90" else ""
        )
        for gpu in GPUS
        for isa in ISAS
    }
    tvarc("import", str(put(here, files)), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert made.count("package = ") == 2 and made.count("doCheck") == 1, made
