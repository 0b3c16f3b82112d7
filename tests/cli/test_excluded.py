"""`list --excluded`: each dropped cell with its reasons, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import SMALL, tvarc
from support.compile import std_sources
from tvarc.commands.line import exits

REMARK = "1 cell is dropped: `tvarc list --excluded` says why\n"
LIBRARY = """\
use std.nvidia
use std.cpu
use std.cuda

axis gpu = nvidia[sm70, sm90, sm110]
axis isa = cpu[avx2, armv9]
axis toolkit = cuda-toolkit[cuda12_8, cuda13_0]

recipe hello { package = pkgs.hello, pin = none }

matrix gpus {
  recipe = hello
  axes   = gpu * isa * toolkit
  name   = "{{toolkit}}-{{gpu}}-{{isa}}"
  exclude gpu == sm90 and isa == avx2 because "it is too slow"
}
matrix cpus { recipe = hello, axes = isa, name = "{{if isa == avx2 then "cpu" else "a/b"}}" }

exclude std.impossible because "we asked"
when matrix is cpus {
  exclude isa.arch == "aarch64"
}

output nix { file = "{{variant}}.nix" }
"""


def library_place(exclusion: str) -> str:
    """Where *exclusion* stands, as messages name it."""
    lines = std_sources()["impossible"].splitlines()
    return f"std/impossible.tvar:{lines.index(exclusion) + 1}"


HOSTS = 'exclude gpu.enforced != null and "hosts" in gpu.enforced and isa.arch not in gpu.hosts'
ON_CHIP = 'gpu.enforced = ["hosts", "first-cuda"], isa.arch = "x86_64", gpu.hosts = ["aarch64"]'
TOO_OLD = "exclude gpu.first-cuda != null and toolkit.version < gpu.first-cuda"
TOO_NEW = "exclude gpu.last-cuda != null and toolkit.version > gpu.last-cuda"


def test_text(project: Path) -> None:
    result = tvarc("list", "--excluded")
    assert result.stdout.splitlines() == [
        "all: 1 of 6 cells dropped",
        "  [1] 1 cell: never",
        "      variants.tvar:39: exclude gpu == sm90 and cuda == 13.0",
        "",
        "  hello-cuda13_0-sm90  sm90  13.0  [1]",
    ]
    assert (result.exit_code, result.stderr) == (exits.OK, "")


def test_the_list_tells_of_them(project: Path) -> None:
    assert tvarc("list").stderr == REMARK
    assert tvarc("list", "sm90").stderr == ""
    assert tvarc("list", "--json").stderr == ""
    text = SMALL.replace('exclude gpu == sm90 and cuda == 13.0 because "never"', "")
    (project / "variants.tvar").write_text(text)
    assert tvarc("list").stderr == ""
    assert tvarc("list", "--excluded").stdout == "no cell is dropped\n"
    assert json.loads(tvarc("list", "--excluded", "--json").stdout) == []


def test_several_reasons_and_those_of_a_module(project: Path) -> None:
    (project / "variants.tvar").write_text(LIBRARY)
    assert tvarc("list", "--excluded").stdout.splitlines() == [
        "gpus: 7 of 12 cells dropped",
        "  [1] 2 cells: it is too slow",
        "      variants.tvar:15: exclude gpu == sm90 and isa == avx2",
        "  [2] 2 cells: this GPU is on one chip with a CPU of another architecture (NV-CC, NV-LEG);"
        " we asked",
        f"      {library_place(HOSTS)}: {HOSTS}",
        "      brought in by variants.tvar:19: exclude std.impossible",
        "  [3] 2 cells: this toolkit is older than the first that knows the GPU (PTXAS); we asked",
        f"      {library_place(TOO_OLD)}: {TOO_OLD}",
        "      brought in by variants.tvar:19: exclude std.impossible",
        "  [4] 2 cells: this toolkit is newer than the last that knows the GPU (PTXAS); we asked",
        f"      {library_place(TOO_NEW)}: {TOO_NEW}",
        "      brought in by variants.tvar:19: exclude std.impossible",
        "",
        "  cuda13_0-sm70-avx2    sm70   avx2   cuda13_0"
        "  [4] gpu.last-cuda = 12.9, toolkit.version = 13.0",
        "  cuda13_0-sm70-armv9   sm70   armv9  cuda13_0"
        "  [4] gpu.last-cuda = 12.9, toolkit.version = 13.0",
        "  cuda12_8-sm90-avx2    sm90   avx2   cuda12_8  [1]",
        "  cuda13_0-sm90-avx2    sm90   avx2   cuda13_0  [1]",
        "  cuda12_8-sm110-avx2   sm110  avx2   cuda12_8"
        f"  [2] {ON_CHIP}"
        "  [3] gpu.first-cuda = 13.0, toolkit.version = 12.8",
        f"  cuda13_0-sm110-avx2   sm110  avx2   cuda13_0  [2] {ON_CHIP}",
        "  cuda12_8-sm110-armv9  sm110  armv9  cuda12_8"
        "  [3] gpu.first-cuda = 13.0, toolkit.version = 12.8",
        "",
        "cpus: 1 of 2 cells dropped",
        "  [1] 1 cell",
        '      variants.tvar:21: when matrix is cpus { exclude isa.arch == "aarch64" }',
        "",
        '  -  armv9  [1] matrix = cpus, isa.arch = "aarch64"',
    ]


@pytest.mark.slow
def test_json(project: Path) -> None:
    (project / "variants.tvar").write_text(LIBRARY)
    result = tvarc("list", "--excluded", "--json")
    found = json.loads(result.stdout)
    assert result.stdout == json.dumps(found, indent=2) + "\n"
    assert [cell["name"] for cell in found][-2:] == ["cuda12_8-sm110-armv9", None]
    assert found[2] == {
        "name": "cuda12_8-sm90-avx2",
        "matrix": "gpus",
        "recipe": "hello",
        "axes": {"gpu": "sm90", "isa": "avx2", "toolkit": "cuda12_8"},
        "reasons": [
            {
                "because": "it is too slow",
                "condition": "gpu == sm90 and isa == avx2",
                "when": [],
                "operands": {"gpu": "sm90", "isa": "avx2"},
                "file": "variants.tvar",
                "line": 15,
                "column": 3,
                "through": None,
            }
        ],
    }
    first, second = found[4]["reasons"]
    assert first["operands"] == {
        "gpu.enforced": ["hosts", "first-cuda"],
        "gpu.hosts": ["aarch64"],
        "isa.arch": "x86_64",
    }
    assert f"{second['file']}:{second['line']}" == library_place(TOO_OLD)
    place = {"module": "std.impossible", "file": "variants.tvar", "line": 19, "column": 1}
    assert first["through"] == second["through"] == place
    assert found[-1]["reasons"][0]["when"] == ["matrix is cpus"]
    chosen = tvarc("list", "--excluded", "--json", "sm70", "matrix is cpus")
    assert json.loads(chosen.stdout) == [found[0], found[1], found[-1]]


@pytest.mark.parametrize(
    ("selectors", "lines"),
    [
        (["cuda12_8-sm90-avx2"], ["cuda12_8-sm90-avx2"]),
        (["sm110-avx2"], ["cuda12_8-sm110-avx2", "cuda13_0-sm110-avx2"]),
        (["gpu=sm110", "toolkit=cuda13_0"], ["cuda13_0-sm110-avx2"]),
        (["isa=armv9"], ["cuda13_0-sm70-armv9", "cuda12_8-sm110-armv9", "-"]),
        (["gpu.capability >= 10.0 and isa == armv9"], ["cuda12_8-sm110-armv9"]),
    ],
)
def test_selectors(project: Path, selectors: list[str], lines: list[str]) -> None:
    (project / "variants.tvar").write_text(LIBRARY)
    shown = tvarc("list", "--excluded", *selectors).stdout.splitlines()
    blank = [line.split() for line in shown]
    names = [words[0] for words in blank if len(words) > 2 and words[1].startswith(("sm", "armv"))]
    assert names == lines
    heads = [line for line in shown if line and not line.startswith(" ")]
    assert all("dropped cell" in line and " of " not in line for line in heads)


def test_selectors_that_mean_nothing_dropped(project: Path) -> None:
    result = tvarc("list", "--excluded", "sm100", code=exits.FAILED)
    assert "error[E901]: `sm100` selects no dropped cell" in result.stderr
    names = "hello-cuda12_8-sm100, hello-cuda13_0-sm100"
    assert f"it selects variants that are built: {names}" in result.stderr
    result = tvarc("list", "--excluded", "sm9o", "gpu=sm90 cuda=12.8", "gpu.capability > 99.0")
    assert result.stderr.count("selects no dropped cell") == 3
    assert "did you mean `sm90`?" in result.stderr
    assert tvarc("list", "--excluded", "nobody.x == 1").stderr.count("error[E201]") == 1
    assert result.stdout == ""


def test_errors_come_first(project: Path) -> None:
    (project / "variants.tvar").write_text(SMALL + "\nlet x = nobody\n")
    result = tvarc("list", "--excluded")
    assert (result.exit_code, result.stdout) == (exits.FAILED, "")
    assert "error[E201]" in result.stderr
