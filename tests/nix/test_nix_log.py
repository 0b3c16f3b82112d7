"""What Nix says of a recipe leads back to the line of the program that is wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.command import spawn, tvarc
from support.nix import requires_nix
from tvarc.commands.line import exits

pytestmark = [pytest.mark.nix, requires_nix]

PROGRAM = """\
recipe base {
  package = pkgs.hello
  pin     = none
  attrs {
    pname = "hello"
    more  = [
      "-a",
      nix\"\"\"
        let
          one = 1;
        in
        one + missing
      \"\"\",
    ]
  }
}
variant hello { recipe = base }
output o { file = "pkgs/{{variant}}.nix" }
"""

CALL = "(import ./pkgs/hello.nix { hello = { overrideAttrs = f: f { }; }; }).more"


def test_the_line_that_is_wrong(here: Path) -> None:
    Path("variants.tvar").write_text(PROGRAM)
    assert tvarc("build").exit_code == exits.OK
    nix = subprocess.run(
        ["nix-instantiate", "--store", f"{here}/store", "--eval", "--strict", "-E", CALL],
        capture_output=True,
        check=False,
    )
    assert nix.returncode != 0 and b"missing" in nix.stderr
    Path("log").write_bytes(nix.stderr)
    shown = spawn("explain", "--nix-log", cwd=here, shell="< log").stdout.decode()
    told = [row.strip() for row in shown.splitlines() if row.strip().startswith("= ")]
    assert told[0] == "= variants.tvar:12: one + missing"
    rest = [row for row in shown.splitlines() if not row.strip().startswith("= ")]
    assert rest == nix.stderr.decode().splitlines()
