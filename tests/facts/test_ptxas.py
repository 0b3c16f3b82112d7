"""`std.nvidia` and `std.cuda`, held against NVIDIA's own compiler: the targets that `ptxas` lists,
and those for which it assembles; and the host compilers that the headers take."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from facts.wheels import program, wheel
from support.library import fact, rows, text, texts
from tvarc.values.value import Version

pytestmark = [pytest.mark.facts, pytest.mark.slow]

GPUS = rows("nvidia", "nvidia")
SUFFIXED = rows("nvidia", "nvidia-target")
TOOLKITS = rows("cuda", "cuda-toolkit")
# Of each range of toolkits between which targets changed, one; and the newest.
TOLD = ("12.6", "12.8", "12.9", "13.0", "13.4", "13.5")
STUB = ".version {isa}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n"


def package(version: str) -> tuple[str, str]:
    """The package of the compiler of that toolkit, and the version of it that its row tells."""
    (row,) = [row for row in TOOLKITS.values() if text(row, "version") == version]
    name = "nvidia-cuda-nvcc-cu12" if version.startswith("12.") else "nvidia-cuda-nvcc"
    return name, text(row, "nvcc") or ""


def expected(version: str) -> set[str]:
    """The targets that the tables say `ptxas` of that toolkit has."""
    wanted = Version(version)
    found = set()
    for row in [*GPUS.values(), *SUFFIXED.values()]:
        first, last = text(row, "first-cuda"), text(row, "last-cuda")
        if wanted.compare(Version(first or "")) < 0:
            continue
        if last is None or wanted.compare(Version(last)) <= 0:
            found.add(f"sm_{row.name.removeprefix('sm')}")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ptxas")


@pytest.mark.parametrize("version", TOLD)
def test_targets_are_those_of_the_assembler(version: str, folder: Path) -> None:
    ptxas = program(*package(version), "/bin/ptxas", folder / version)
    told = subprocess.run([str(ptxas), "--help"], capture_output=True, text=True, check=True).stdout
    start = told.index("--gpu-name")
    listed = set(re.findall(r"'(sm_\d+[af]?)'", told[start : told.index("Default value", start)]))
    assert listed == expected(version)


@pytest.mark.parametrize("version", TOLD)
def test_it_assembles_for_what_the_tables_have_and_for_no_other(version: str, folder: Path) -> None:
    ptxas = program(*package(version), "/bin/ptxas", folder / version)
    known = {f"sm_{row.name.removeprefix('sm')}" for row in [*GPUS.values(), *SUFFIXED.values()]}
    # PTX 8.5 is of CUDA 12.5, and knows no target of Blackwell's; each later toolkit raised it.
    isa = {"12.6": "8.5", "12.8": "8.7", "12.9": "8.8", "13.0": "9.0"}.get(version)
    for target in sorted(known):
        source = folder / f"{version}-{target}.ptx"
        source.write_text(
            STUB.format(isa=isa or f"9.{version.partition('.')[2]}", target=target),
            encoding="utf-8",
        )
        done = subprocess.run(
            [str(ptxas), f"-arch={target}", str(source), "-o", str(folder / "out.cubin")],
            capture_output=True,
            text=True,
            check=False,
        )
        made = done.returncode == 0
        assert made == (target in expected(version)), f"{target}: {done.stderr}"


@pytest.mark.parametrize("version", ["12.6", "12.9", "13.0", "13.5"])
def test_the_newest_host_compilers_are_those_of_the_headers(version: str) -> None:
    (row,) = [row for row in TOOLKITS.values() if text(row, "version") == version]
    name, release = package(version)
    if version.startswith("13."):
        name = "nvidia-cuda-crt"
    with wheel(name, release) as archive:
        (header,) = [one for one in archive.namelist() if one.endswith("crt/host_config.h")]
        told = archive.read(header).decode()
    gcc = re.search(r"#if __GNUC__ > (\d+)", told)
    # There is another limit for QNX, "HOS clang".
    clang = re.search(r"unsupported clang version! clang version must be less than (\d+)", told)
    assert gcc is not None and int(gcc[1]) == fact(row, "max-gcc")
    assert clang is not None and int(clang[1]) - 1 == fact(row, "max-clang")


def test_targets_of_a_toolkit_are_those_of_its_row() -> None:
    """The other way round: the lists of `cuda-toolkit` say the same as the ranges of `nvidia`."""
    for row in TOOLKITS.values():
        plain = {one for one in expected(text(row, "version") or "") if one[-1].isdigit()}
        assert {f"sm_{one.removeprefix('sm')}" for one in texts(row, "targets")} == plain, row.name
