"""`list --format markdown`: the variants as a table for a README."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from tvarc.commands.line import exits

PROGRAM = """\
axis gpu {
  sm80 { label = "Ampere | A100", capability = 8.0 }
  sm90 { label = "Hopper *and* Grace", capability = 9.0 }
}
axis lto = [true, false]
axis set_of = ["a_b", "c"]
recipe r { pin = none, package = pkgs.hello, attrs { x = variant } }
matrix m { recipe = r, axes = gpu * lto, name = "{{gpu}}{{if lto then "-lto" else ""}}" }
matrix c { recipe = r, axes = set_of, name = "cpu-{{set_of}}" }
output o { file = "{{variant}}.nix" }
"""
NEEDING = """
matrix on { recipe = r, axes = gpu, name = "on-{{gpu}}", needs base = m[lto = true] }
"""


@pytest.fixture(autouse=True)
def project(here: Path) -> None:
    Path("variants.tvar").write_text(PROGRAM, encoding="utf-8")


def table(*words: str) -> list[str]:
    done = tvarc("list", "--format", "markdown", *words, code=exits.OK)
    return done.stdout.splitlines()


def test_each_variant_is_a_row_with_what_its_values_call_themselves() -> None:
    assert table() == [
        "| name | gpu | lto | set\\_of |",
        "|---|---|---|---|",
        "| `sm80-lto` | `sm80` Ampere \\| A100 | `true` |  |",
        "| `sm80` | `sm80` Ampere \\| A100 | `false` |  |",
        "| `sm90-lto` | `sm90` Hopper \\*and\\* Grace | `true` |  |",
        "| `sm90` | `sm90` Hopper \\*and\\* Grace | `false` |  |",
        "| `cpu-a_b` |  |  | `a_b` |",
        "| `cpu-c` |  |  | `c` |",
    ]


def test_selectors_choose_rows_and_axes() -> None:
    assert table("cpu-c") == ["| name | set\\_of |", "|---|---|", "| `cpu-c` | `c` |"]


def test_what_a_variant_needs_is_a_column() -> None:
    Path("variants.tvar").write_text(PROGRAM + NEEDING, encoding="utf-8")
    assert table("on-sm80") == [
        "| name | gpu | needs.base |",
        "|---|---|---|",
        "| `on-sm80` | `sm80` Ampere \\| A100 | `sm80-lto` |",
    ]


def test_it_is_of_variants_alone() -> None:
    for other in (["--excluded"], ["--by", "gpu"], ["--count"]):
        done = tvarc("list", "--format", "markdown", *other, code=exits.USAGE)
        assert "it lists only variants" in " ".join(done.stderr.replace("│", " ").split())
