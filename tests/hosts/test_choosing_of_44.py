"""The choice among the 44 variants of the checkout, for every host that is described."""

from __future__ import annotations

import pytest

from support.hosts import MADE, chosen, compiled, made, names, reasons, recorded, refusals
from tvarc.build.driver import Compilation

GPU = "python313-cuda13_0-"
CPU = "python313-cpu-"

# What runs, the best first; for hosts with one kind of GPU or none.
RUNS = {
    "haswell": [CPU + "avx2"],
    "skylake-sp-a100": [GPU + "sm80-avx512", GPU + "sm80-avx2", CPU + "avx512", CPU + "avx2"],
    "zen4-h100": [
        *(f"{GPU}sm90-{isa}" for isa in ("avx512bf16", "avx512vnni", "avx512", "avx2")),
        *(f"{CPU}{isa}" for isa in ("avx512bf16", "avx512vnni", "avx512", "avx2")),
    ],
    "zen4-h100-old-driver": [
        f"{CPU}{isa}" for isa in ("avx512bf16", "avx512vnni", "avx512", "avx2")
    ],
    "cascade-lake-l40s": [
        *(
            f"{GPU}{sm}-{isa}"
            for sm in ("sm89", "sm86", "sm80")
            for isa in ("avx512vnni", "avx512", "avx2")
        ),
        *(f"{CPU}{isa}" for isa in ("avx512vnni", "avx512", "avx2")),
    ],
    "zen5-rtx-5090": [
        *(f"{GPU}sm120-{isa}" for isa in ("avx512bf16", "avx512vnni", "avx512", "avx2")),
        *(f"{CPU}{isa}" for isa in ("avx512bf16", "avx512vnni", "avx512", "avx2")),
    ],
    "dgx-spark": [GPU + "sm121-armv9", GPU + "sm121-armv8_2"],
    "dgx-spark-old-kernel": [GPU + "sm121-armv9", GPU + "sm121-armv8_2"],
    "graviton2": [],
    "graviton3": [],
    "graviton4": [],
    "gh200": [],
    "gh200-old-kernel": [],
    "ivy-bridge-gtx-1080": [],
    "apple-m2": [],
}


@pytest.fixture(scope="module")
def plan() -> Compilation:
    return compiled()


def test_every_description_is_expected() -> None:
    assert set(MADE) == {*RUNS, "two-gpus"}


@pytest.mark.parametrize("name", RUNS)
def test_what_runs(name: str, plan: Compilation) -> None:
    (kind,) = chosen(made(name), plan).kinds
    assert names(kind) == RUNS[name]
    assert len(kind.fits) + len(kind.refused) == 44


def test_the_recorded_hosts(plan: Compilation) -> None:
    isas = ("avx512bf16", "avx512vnni", "avx512", "avx2")
    (kind,) = chosen(recorded("epyc-no-gpu"), plan).kinds
    assert names(kind) == [f"{CPU}{isa}" for isa in isas]
    assert (kind.better, kind.missing, kind.remarks) == ((), (), ())
    (kind,) = chosen(recorded("h200-sapphire-rapids"), plan).kinds
    assert names(kind) == [f"{family}{isa}" for family in (GPU + "sm90-", CPU) for isa in isas]
    assert reasons(kind, GPU + "sm90-avx512bf16") == [
        "made for compute capability 9.0",
        "needs 6 features, which the CPU has: avx512f avx512dq avx512bw avx512vl fma avx512_bf16; "
        "the compiler may use 512-bit vectors and 15 features",
        "driver 580.159.04: CUDA 13.0 needs 580 or newer",
    ]
    assert reasons(kind, CPU + "avx2")[0] == "a build without GPU support"


def test_missing_features_are_named(plan: Compilation) -> None:
    (kind,) = chosen(made("cascade-lake-l40s"), plan).kinds
    assert [one.variant.name for one in kind.better] == [GPU + "sm89-avx512bf16"]
    assert refusals(kind)[GPU + "sm89-avx512bf16"] == ["the CPU lacks avx512_bf16"]
    (kind,) = chosen(made("skylake-sp-a100"), plan).kinds
    assert refusals(kind)[GPU + "sm80-avx512vnni"] == ["the CPU lacks avx512_vnni"]
    (kind,) = chosen(made("haswell"), plan).kinds
    assert [one.variant.name for one in kind.better] == [
        f"{CPU}{isa}" for isa in ("avx512bf16", "avx512vnni", "avx512")
    ]
    assert refusals(kind)[GPU + "sm90-avx2"] == [
        "made for a GPU of compute capability 9.0, there is none"
    ]


def test_a_build_for_another_gpu_of_the_same_major(plan: Compilation) -> None:
    (kind,) = chosen(made("cascade-lake-l40s"), plan).kinds
    assert reasons(kind, GPU + "sm80-avx2")[0] == (
        "made for compute capability 8.0, runs on 8.9: same major, newer"
    )
    assert refusals(kind)[GPU + "sm90-avx2"] == [
        "made for compute capability 9.0 or a later 9.x, the GPU has 8.9"
    ]


def test_a_driver_that_is_too_old(plan: Compilation) -> None:
    (kind,) = chosen(made("zen4-h100-old-driver"), plan).kinds
    assert [one.variant.name for one in kind.better] == [
        f"{GPU}sm90-{isa}" for isa in ("avx512bf16", "avx512vnni", "avx512", "avx2")
    ]
    assert refusals(kind)[GPU + "sm90-avx512bf16"] == [
        "driver 570.26 is too old: CUDA 13.0 needs 580 or newer"
    ]


def test_cells_that_the_matrices_leave_out(plan: Compilation) -> None:
    (kind,) = chosen(made("gh200"), plan).kinds
    assert [
        (cell.matrix.name, [getattr(value, "name", "") for value in cell.values.values()])
        for cell in kind.missing
    ] == [
        ("gpu-builds", ["sm90", "armv9"]),
        ("gpu-builds", ["sm90", "armv8_2"]),
        ("cpu-builds", ["armv9"]),
    ]
    assert [check.because for check in kind.missing[0].excluded_by] == [
        "the plan builds ARM only where the GPU sits on an ARM host"
    ]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("graviton2", ["armv8_2"]),
        ("graviton3", ["armv8_2"]),  # no SVE2: not ARMv9
        ("graviton4", ["armv9", "armv8_2"]),
    ],
)
def test_gravitons(name: str, cells: list[str], plan: Compilation) -> None:
    (kind,) = chosen(made(name), plan).kinds
    found = [getattr(value, "name", "") for cell in kind.missing for value in cell.values.values()]
    assert found == cells


def test_a_gpu_that_nothing_is_made_for(plan: Compilation) -> None:
    (kind,) = chosen(made("ivy-bridge-gtx-1080"), plan).kinds
    assert kind.remarks == (
        "there is no variant that runs on compute capability 6.1, only 8.0, 8.6, 8.9, 9.0, 10.0, "
        "10.3, 11.0, 12.0, 12.1",
    )
    assert refusals(kind)[CPU + "avx2"] == ["the CPU lacks avx2 fma f16c"]
    assert refusals(kind)[GPU + "sm80-avx2"] == [
        "made for compute capability 8.0 or a later 8.x, the GPU has 6.1",
        "the CPU lacks avx2 fma f16c",
    ]


def test_another_platform(plan: Compilation) -> None:
    (kind,) = chosen(made("apple-m2"), plan).kinds
    assert refusals(kind)[CPU + "avx2"] == ["for x86_64-linux, the host is aarch64-darwin"]
    assert refusals(kind)[GPU + "sm121-armv9"][-1] == (
        "for aarch64-linux, the host is aarch64-darwin"
    )
    assert (kind.better, kind.missing) == ((), ())


def test_a_kernel_that_does_not_list_all(plan: Compilation) -> None:
    (kind,) = chosen(made("dgx-spark-old-kernel"), plan).kinds
    assert reasons(kind, GPU + "sm121-armv9")[1] == (
        "needs 28 features; the CPU has 24 of them, and the others, paca pacg bti flagm2, are "
        "taken to be there, as older kernels do not list them (unsourced); the compiler may use "
        "23 features"
    )
    (kind,) = chosen(made("dgx-spark"), plan).kinds
    assert reasons(kind, GPU + "sm121-armv9")[1] == (
        "needs 28 features, which the CPU has; the compiler may use 23 features"
    )


def test_two_unlike_gpus(plan: Compilation) -> None:
    choice = chosen(made("two-gpus"), plan)
    assert [names(kind)[0] for kind in choice.kinds] == [
        GPU + "sm80-avx512vnni",
        GPU + "sm89-avx512vnni",
    ]
    assert choice.serves_all is not None
    assert choice.serves_all.name == GPU + "sm80-avx512vnni"
