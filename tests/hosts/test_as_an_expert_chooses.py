"""Thirty-four hosts, and the build that an expert would choose for each.

A host is `recorded` where files were read off such a machine, and `described` where it was put
together of what the sources say of its CPU, its GPU and the driver that its system comes with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import pytest

from support.effort import sampled
from support.hosts import chosen, compiled, names, reasons, recorded
from support.library_cache import whole_library
from tvarc.advice.hosts.gpu import RUNS_AS
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.build.driver import Compilation
from tvarc.values.row_facts import text_fact, texts_fact
from tvarc.values.value import Version

PROGRAM = """
use std.nvidia
use std.amd
use std.cpu
use std.cuda
axis gpu = nvidia[
  sm61, sm70, sm75, sm80, sm86, sm87, sm89, sm90, sm100, sm103, sm107, sm110, sm120, sm121,
]
axis gfx = amd[gfx90a, gfx942, gfx1030, gfx1100]
axis isa = cpu[
  x86-64-v2, avx, avx2, avxvnni, x86-64-v3, avx512, avx512bf16, x86-64-v4,
  armv8-a, armv8_2, armv8_4-sve, armv9,
]
axis toolkit = cuda-toolkit[cuda12_6, cuda12_8, cuda12_9, cuda13_0, cuda13_1, cuda13_2, cuda13_4]
recipe base { package = pkgs.hello, pin = none }
matrix nvidia-builds {
  recipe = base
  axes   = toolkit * gpu * isa
  name   = "{{toolkit}}-{{gpu}}-{{isa}}"
}
matrix amd-builds { recipe = base, axes = gfx * isa, name = "rocm-{{gfx}}-{{isa}}" }
matrix cpu-builds { recipe = base, axes = isa, name = "cpu-{{isa}}" }
output o { file = "{{variant}}.nix" }
exclude std.impossible
"""


@cache
def program() -> Compilation:
    return compiled(PROGRAM)


@dataclass(frozen=True)
class Case:
    """A host: the best row of `cpu` that it has, or the name of files that were recorded, its GPU
    and driver; and what is chosen."""

    name: str
    cpu: str
    gpu: str  # name and compute capability, or target
    driver: str | None
    chosen: str
    cuda: str | None = None
    windows: bool = False
    kind: Literal["described", "recorded"] = "described"


HOSTS = (
    Case("epyc-no-gpu", "", "", None, "cpu-x86-64-v4", kind="recorded"),
    Case("h200-sapphire-rapids", "", "H200 9.0", "580.159.04", "cuda13_4-sm90-x86-64-v4",
         kind="recorded"),
    # Tegras and what became of them
    Case("thor", "armv9", "NVIDIA Thor 11.0", "580.00", "cuda13_4-sm110-armv9"),
    Case("thor-unknown-driver", "armv9", "NVIDIA Thor 11.0", None, "cuda13_4-sm110-armv9"),
    Case("orin-jetpack-6", "armv8_2", "Orin (nvgpu) 8.7", "540.4.0", "cuda12_6-sm87-armv8_2"),
    Case("orin-jetpack-6-cuda", "armv8_2", "Orin (nvgpu) 8.7", "540.4.0", "cuda12_6-sm87-armv8_2",
         cuda="12.6"),
    Case("orin-jetpack-6-upgraded", "armv8_2", "Orin (nvgpu) 8.7", "540.4.0",
         "cuda12_8-sm87-armv8_2", cuda="12.8"),
    Case("orin-sbsa", "armv8_2", "Orin 8.7", "595.78", "cuda13_4-sm87-armv8_2"),
    Case("orin-unknown-driver", "armv8_2", "Orin 8.7", None, "cuda12_6-sm87-armv8_2"),
    # servers
    Case("h100-zen4", "x86-64-v4", "NVIDIA H100 9.0", "570.133.20", "cuda12_9-sm90-x86-64-v4"),
    Case("h100-forward-compatible", "x86-64-v4", "NVIDIA H100 9.0", "550.54.15",
         "cuda13_4-sm90-x86-64-v4", cuda="13.0"),
    Case("h100-oldest-driver", "x86-64-v4", "NVIDIA H100 9.0", "525.60.13",
         "cuda12_9-sm90-x86-64-v4"),
    Case("h100-too-old-driver", "x86-64-v4", "NVIDIA H100 9.0", "520.61.05", "cpu-x86-64-v4"),
    Case("a100-skylake-sp", "x86-64-v4", "NVIDIA A100 8.0", "535.104.05",
         "cuda12_9-sm80-x86-64-v4"),
    Case("a100-mig", "x86-64-v4", "NVIDIA A100-SXM4-40GB MIG 1g.5gb 8.0", "580.65.06",
         "cuda13_4-sm80-x86-64-v4"),
    Case("v100-broadwell", "x86-64-v3", "Tesla V100 7.0", "580.65.06", "cuda12_9-sm70-x86-64-v3"),
    Case("t4-haswell", "x86-64-v3", "Tesla T4 7.5", "580.65.06", "cuda13_4-sm75-x86-64-v3"),
    Case("l40s-cascade-lake", "x86-64-v4", "NVIDIA L40S 8.9", "570.26", "cuda12_9-sm89-x86-64-v4"),
    Case("b200", "x86-64-v4", "NVIDIA B200 10.0", "580.65.06", "cuda13_4-sm100-x86-64-v4"),
    Case("gb300", "armv9", "NVIDIA GB300 10.3", "580.126.20", "cuda13_4-sm103-armv9"),
    Case("gh200", "armv9", "NVIDIA GH200 9.0", "580.65.06", "cuda13_4-sm90-armv9"),
    Case("dgx-rubin-nvl8", "x86-64-v4", "Rubin 10.7", "615.01", "cuda13_4-sm107-x86-64-v4"),
    # Documents name a newer driver for both; nothing enforces it.
    Case("rubin-older-driver", "x86-64-v4", "Rubin 10.7", "610.43.02", "cuda13_4-sm107-x86-64-v4"),
    Case("b200-first-driver", "x86-64-v4", "NVIDIA B200 10.0", "570.124.06",
         "cuda12_9-sm100-x86-64-v4"),
    Case("gb300-first-branch", "armv9", "NVIDIA GB300 10.3", "575.51.02", "cuda12_9-sm103-armv9"),
    # desktops
    Case("rtx-5090-zen5", "x86-64-v4", "RTX 5090 12.0", "580.65.06", "cuda13_4-sm120-x86-64-v4"),
    Case("rtx-4090-alder-lake", "avxvnni", "RTX 4090 8.9", "580.65.06", "cuda13_4-sm89-x86-64-v3"),
    Case("gtx-1080-ivy-bridge", "avx", "GTX 1080 6.1", "580.65.06", "cuda12_9-sm61-avx"),
    Case("dgx-spark", "armv9", "NVIDIA GB10 12.1", "580.95.05", "cuda13_4-sm121-armv9"),
    Case("wsl-rtx-4090", "x86-64-v3", "RTX 4090 8.9", "560.76", "cuda12_9-sm89-x86-64-v3",
         windows=True),
    # 575.51.03 came first on Linux; the same branch is numbered from 575.51 on for Windows.
    Case("wsl-rtx-5090", "x86-64-v4", "RTX 5090 12.0", "572.16", "cuda12_9-sm120-x86-64-v4",
         windows=True),
    # AMD
    Case("mi250x", "x86-64-v3", "gfx90a", None, "rocm-gfx90a-x86-64-v3"),
    Case("rx-6700-xt", "x86-64-v3", "gfx1031", None, "rocm-gfx1030-x86-64-v3"),
    # no GPU
    Case("graviton3", "armv8_4-sve", "", None, "cpu-armv8_4-sve"),
)  # fmt: skip


def host(case: Case) -> Host:
    if case.kind == "recorded":
        return recorded(case.name)
    rows = whole_library().tables["cpu"].rows
    row = rows[case.cpu]
    # A CPU has what it has of its own, and what all that it satisfies asks for.
    flags = set(texts_fact(row, "cpuinfo") or ())
    # Alder Lake has the third level too, which no word of its row says.
    also = ["x86-64-v3"] if case.cpu == "avxvnni" else []
    for name in [*(texts_fact(row, "satisfies") or ()), *also]:
        flags |= set(texts_fact(rows[name], "cpuinfo") or ())
    name, _, what = case.gpu.rpartition(" ")
    gpus: tuple[Gpu, ...] = ()
    if what.startswith("gfx"):
        gpus = (Gpu("AMD GPU", gfx=what),)
    elif what:
        driver = Version(case.driver) if case.driver is not None else None
        cuda = Version(case.cuda) if case.cuda is not None else None
        gpus = (Gpu(name, Version(what), driver, cuda=cuda, windows=case.windows),)
    return Host("linux", text_fact(row, "arch") or "", flags=tuple(sorted(flags)), gpus=gpus,
                made=True)  # fmt: skip


@pytest.mark.parametrize("case", sampled(HOSTS, 4), ids=[f"{one.kind}-{one.name}" for one in HOSTS])
def test_the_build_for_a_host(case: Case) -> None:
    (kind,) = chosen(host(case), program(), {}).kinds
    assert names(kind)[:1] == [case.chosen]


def test_there_are_as_many_as_the_sources_describe() -> None:
    assert len(HOSTS) == len({one.name for one in HOSTS}) == 34
    assert {one.name for one in HOSTS if one.kind == "recorded"} == {
        "epyc-no-gpu",
        "h200-sapphire-rapids",
    }


def found(name: str) -> tuple[list[str], list[str], tuple[str, ...]]:
    """What is chosen for the host called so, why, and the remarks."""
    (case,) = [one for one in HOSTS if one.name == name]
    (kind,) = chosen(host(case), program(), {}).kinds
    return names(kind), reasons(kind, names(kind)[0]), kind.remarks


def test_a_tegra_is_told_what_needs_a_package() -> None:
    order, _, _ = found("orin-jetpack-6")
    toolkits = list(dict.fromkeys(one.partition("-")[0] for one in order if "sm87" in one))
    assert toolkits == ["cuda12_6", "cuda12_8", "cuda12_9"]
    (case,) = [one for one in HOSTS if one.name == "orin-jetpack-6"]
    (kind,) = chosen(host(case), program(), {}).kinds
    newer = next(one for one in order if one.startswith("cuda12_9"))
    assert (
        "CUDA 12.9 is newer than the 12.6 that comes with its system: it needs NVIDIA's "
        "compatibility package"
    ) in reasons(kind, newer)


def test_forward_compatibility_is_seen_and_told_of() -> None:
    _, why, remarks = found("h100-forward-compatible")
    assert (
        "driver 550.54.15 alone is too old: CUDA 13.4 needs 580.0 or newer; but nvidia-smi "
        "reports CUDA 13.0, as with NVIDIA's forward-compatibility package"
    ) in why
    assert remarks == ()
    _, _, remarks = found("h100-zen4")
    assert any("cuda-compat-13-0" in one for one in remarks)
    _, _, remarks = found("wsl-rtx-4090")
    assert remarks == ()


def test_drivers_of_windows_are_compared_by_their_branch() -> None:
    _, why, _ = found("wsl-rtx-4090")
    told = "driver 560.76 of Windows: CUDA 12.9 needs 525.0 or newer, by its branch"
    assert told in why


def test_one_target_of_amd_passes_for_another() -> None:
    _, why, _ = found("rx-6700-xt")
    assert ("made for gfx1030, whose code gfx1031 runs with HSA_OVERRIDE_GFX_VERSION=10.3.0") in why


def test_targets_that_pass_for_another_are_those_of_the_library() -> None:
    rows = whole_library().tables["amd"].rows.values()
    told = {row.name: text_fact(row, "runs-as") for row in rows if text_fact(row, "runs-as")}
    assert told == RUNS_AS
