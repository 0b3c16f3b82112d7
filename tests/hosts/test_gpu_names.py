"""GPUs by the names that `nvidia-smi`, `lspci` and people give them."""

from __future__ import annotations

import json

import pytest

from support.command import tvarc
from support.effort import for_each
from support.library_cache import whole_library
from tvarc.commands.line import exits

# What a program or a person writes, and the row that it is about.
NAMES = {
    # nvidia-smi
    "Tesla V100-SXM2-32GB": "sm70",
    "NVIDIA GeForce GTX 1080": "sm61",
    "NVIDIA GeForce GTX 1080 Ti": "sm61",
    "NVIDIA TITAN X (Pascal)": "sm61",
    "NVIDIA GeForce GTX TITAN X": "sm52",
    "Tesla P100-PCIE-16GB": "sm60",
    "Tesla T4": "sm75",
    "Quadro RTX 6000": "sm75",
    "NVIDIA GeForce RTX 2080 SUPER": "sm75",
    "NVIDIA A100-SXM4-40GB": "sm80",
    "NVIDIA A100 80GB PCIe": "sm80",
    "NVIDIA A100-SXM4-40GB MIG 1g.5gb": "sm80",
    "NVIDIA A10G": "sm86",
    "NVIDIA RTX A6000": "sm86",
    "NVIDIA GeForce RTX 3080 Ti": "sm86",
    "Orin (nvgpu)": "sm87",
    "NVIDIA L20": "sm89",
    "NVIDIA L40S": "sm89",
    "NVIDIA GeForce RTX 4060 Laptop GPU": "sm89",
    "NVIDIA RTX 6000 Ada Generation": "sm89",
    "NVIDIA H20": "sm90",
    "NVIDIA H100 80GB HBM3": "sm90",
    "NVIDIA H100 NVL": "sm90",
    "NVIDIA GH200 480GB": "sm90",
    "NVIDIA B300 SXM6 AC": "sm103",
    "NVIDIA B200": "sm100",
    "NVIDIA GB300": "sm103",
    "NVIDIA Thor": "sm110",
    "NVIDIA GeForce RTX 5090": "sm120",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": "sm120",
    "NVIDIA GB10": "sm121",
    # lspci
    "01:00.0 VGA controller: NVIDIA Corporation GA102 [GeForce RTX 3090] (rev a1)": "sm86",
    "0000:3b:00.0 3D controller: NVIDIA Corporation TU104GL [Tesla T4] (rev a1)": "sm75",
    "NVIDIA Corporation GP102 [TITAN X] (rev a1)": "sm61",
    "NVIDIA Corporation Device [Tesla V100 SXM2 16GB]": "sm70",
    "Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XT] (rev c8)": "gfx1100",
    "Advanced Micro Devices, Inc. [AMD/ATI] Aldebaran/MI200 [Instinct MI250X/MI250]": "gfx90a",
    "[Radeon RX 6700 XT/6750 XT]": "gfx1031",
    # people
    "A10G": "sm86",
    "L20": "sm89",
    "H20": "sm90",
    "DGX Spark": "sm121",
    "MI250X": "gfx90a",
    "AMD Instinct MI300X": "gfx942",
    "RTX 4070 Ti Super": "sm89",
    "AI PRO R9700": "gfx1201",
}


@for_each("name", NAMES)
def test_a_gpu_by_its_name(name: str) -> None:
    assert [found.row.name for found in whole_library().named(name)] == [NAMES[name]]


@pytest.mark.parametrize(
    ("name", "near"),
    [("RTX 4095", "RTX 4090"), ("GTX 1085", "GTX 1080"), ("Tesla V10", "V100"), ("MI255X", "MI25")],
)
def test_an_unknown_one_gives_the_nearest(name: str, near: str) -> None:
    assert whole_library().named(name) == []
    assert near in (whole_library().suggestion(name) or "")


def test_a_word_more_is_another_product() -> None:
    """What is not known to mean nothing may mean everything: `Ada` behind `RTX 6000` does."""
    for name in ("NVIDIA A100 Turbo", "RTX 6000 Rubin", "Tesla", "NVIDIA", "GeForce", "", "32GB"):
        assert whole_library().named(name) == [], name


@pytest.mark.slow
def test_on_the_command_line() -> None:
    (row,) = json.loads(tvarc("facts", "Tesla V100-SXM2-32GB", "--json").stdout)
    assert row["name"] == "sm70"
    unknown = tvarc("facts", "NVIDIA GeForce RTX 4095", code=exits.FAILED)
    assert "did you mean `RTX 4090`?" in unknown.stderr
    of_two_words = tvarc("facts", "RTX", "4095").stderr
    assert "did you mean `RTX 4090`?" in of_two_words
