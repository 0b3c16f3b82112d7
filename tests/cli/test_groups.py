"""`list --by` and `--count`: the variants in groups, and how many there are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import tvarc
from tvarc.commands.line import exits

PROGRAM = """\
axis gpu = ["sm80", "sm90"]
axis isa = ["avx2", "avx512"]
axis lto = [true, false]
recipe r { pin = none, package = pkgs.hello, attrs { x = variant } }
matrix m {
  recipe = r, axes = gpu * isa * lto, name = "{{gpu}}-{{isa}}{{if lto then "-lto" else ""}}"
}
matrix c { recipe = r, axes = isa, name = "cpu-{{isa}}" }
exclude gpu == "sm80" and lto and isa == "avx512" because "so"
output o { file = "{{variant}}.nix" }
"""


@pytest.fixture(autouse=True)
def project(here: Path) -> None:
    Path("variants.tvar").write_text(PROGRAM, encoding="utf-8")


def listed(*words: str) -> list[str]:
    done = tvarc("list", *words, code=exits.OK)
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_how_many_there_are() -> None:
    assert listed("--count") == ["9"]
    assert listed("--count", "gpu=sm80") == ["3"]


def test_how_many_of_each_group() -> None:
    assert listed("--by", "gpu", "--count") == ["sm80 3", "sm90 4", "- 2", "total 9"]
    assert listed("--by", "gpu,lto", "--count") == [
        "sm80 true 1", "sm80 false 2", "sm90 true 2", "sm90 false 2", "- - 2", "total 9",
    ]  # fmt: skip
    assert listed("--by", "isa, gpu", "--count", "avx512") == [
        "avx512 sm80 1", "avx512 sm90 2", "avx512 - 1", "total 4",
    ]  # fmt: skip


def test_the_sums_are_those_of_the_list() -> None:
    for axes in ("gpu", "isa", "lto", "lto,isa", "gpu,isa,lto"):
        *groups, total = listed("--by", axes, "--count")
        assert total == f"total {len(listed())}"
        assert sum(int(line.rpartition(" ")[2]) for line in groups) == len(listed())


def test_the_variants_of_each_group() -> None:
    assert listed("--by", "lto", "sm80") == [
        "lto = true: 1 variant", "sm80-avx2-lto",
        "lto = false: 2 variants", "sm80-avx2", "sm80-avx512",
    ]  # fmt: skip


def test_as_data() -> None:
    assert json.loads("".join(listed("--count", "--json"))) == {"count": 9}
    assert json.loads("".join(listed("--by", "gpu", "--count", "--json"))) == [
        {"axes": {"gpu": "sm80"}, "count": 3},
        {"axes": {"gpu": "sm90"}, "count": 4},
        {"axes": {}, "count": 2},
    ]
    found = json.loads("".join(listed("--by", "lto", "sm80", "--json")))
    assert found[0] == {"axes": {"lto": True}, "count": 1, "variants": ["sm80-avx2-lto"]}


@pytest.mark.parametrize("by", ["gpus", "gpu,lot", ""])
def test_what_is_no_axis(by: str) -> None:
    done = tvarc("list", "--by", by)
    assert (done.exit_code, done.stdout) == (exits.FAILED, "")
    assert "error[E901]" in done.stderr
    assert "axes: gpu, isa, lto" in done.stderr


def test_dropped_cells_are_not_grouped() -> None:
    for words in (("--by", "gpu"), ("--count",)):
        done = tvarc("list", "--excluded", *words, code=exits.USAGE)
        assert "leave out --by and --count" in " ".join(done.stderr.split())
