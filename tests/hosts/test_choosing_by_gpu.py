"""Rules of the choice by GPU: of AMD, of Tegras, several at once, told by a recipe."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.effort import for_each
from support.hosts import chosen, compiled, host_with, made, names, program, reasons, refusals
from tvarc.advice.hosts.gpu import Reach
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.values.value import Version

AMD = program("gfx", "use std.amd", "axis gfx = amd[gfx90a, gfx942]")


def test_amd_gpus() -> None:
    host = replace(made("haswell"), gpus=(Gpu("AMD GPU", gfx="gfx90a"),))
    (kind,) = chosen(host, compiled(AMD)).kinds
    assert names(kind) == ["v-gfx90a"]
    assert reasons(kind, "v-gfx90a") == ["made for gfx90a"]
    assert refusals(kind) == {"v-gfx942": ["made for gfx942 of AMD, the GPU is gfx90a"]}
    assert kind.remarks == ()
    (kind,) = chosen(replace(host, gpus=(Gpu("AMD GPU", gfx="gfx1100"),)), compiled(AMD)).kinds
    assert kind.remarks == ("there is no variant that runs on gfx1100, only gfx90a, gfx942",)


def test_amd_and_nvidia_are_not_confused() -> None:
    (kind,) = chosen(made("haswell"), compiled(AMD)).kinds
    assert refusals(kind)["v-gfx90a"] == ["made for gfx90a of AMD, there is no GPU"]
    (kind,) = chosen(made("zen4-h100"), compiled(AMD)).kinds
    assert refusals(kind)["v-gfx90a"] == ["made for gfx90a of AMD, the GPU has 9.0"]
    assert kind.remarks == ("no variant is made for an NVIDIA GPU",)
    host = replace(made("haswell"), gpus=(Gpu("AMD GPU", gfx="gfx90a"),))
    (kind,) = chosen(host, compiled(program("gpu[sm90]"))).kinds
    assert refusals(kind)["v-sm90"] == [
        "made for an NVIDIA GPU of compute capability 9.0, there is none"
    ]
    assert kind.remarks == ("no variant is made for an AMD GPU",)
    both = replace(host, gpus=(*host.gpus, *made("zen4-h100").gpus))
    choice = chosen(both, compiled(program("gpu[sm90]", "let cuda = 13.0")))
    assert [names(kind) for kind in choice.kinds] == [[], ["v-sm90"]]


@pytest.mark.parametrize("field", ["gfx", "target"])
def test_tables_of_ones_own_with_amd_targets(field: str) -> None:
    axis = f'axis card {{ mi210 {{ {field} = "gfx90a:xnack-" }} }}'.replace(
        ":xnack-" if field == "gfx" else "", ""
    )
    host = replace(made("haswell"), gpus=(Gpu("AMD GPU", gfx="gfx90a"),))
    (kind,) = chosen(host, compiled(program("card", axis))).kinds
    assert names(kind) == ["v-mi210"]


BOARDS = """axis board {
  a { capability = 9.0, cpuinfo = ["avx2"], platform = "x86_64-linux" }
  b { capability = 9.0, cpuinfo = ["avx999"], platform = "x86_64-linux" }
  c { capability = 9.0, cpuinfo = ["avx2"], platform = "aarch64-linux" }
  d { capability = 7.0, cpuinfo = ["avx2"], platform = "x86_64-linux" }
}"""


def test_one_row_may_tell_of_a_gpu_and_its_host() -> None:
    (kind,) = chosen(host_with("9.0"), compiled(program("board", BOARDS, "let cuda = 13.0"))).kinds
    assert names(kind) == ["v-a"]
    assert reasons(kind, "v-a")[:2] == [
        "made for compute capability 9.0",
        "needs avx2, which the CPU has; the compiler may use 256-bit vectors",
    ]
    assert refusals(kind) == {
        "v-b": ["the CPU lacks avx999"],
        "v-c": ["for aarch64-linux, the host is x86_64-linux"],
        "v-d": ["made for compute capability 7.0 or a later 7.x, the GPU has 9.0"],
    }


def test_the_nearest_minor_before_a_family() -> None:
    axis = """axis t {
      family { capability = 10.0, suffix = "f" }
      near   { capability = 10.3, suffix = null }
    }"""
    (kind,) = chosen(host_with("10.7", "615.01"), compiled(program("t", axis))).kinds
    assert names(kind) == ["v-near", "v-family"]


@pytest.mark.slow
def test_a_newer_gpu_gets_the_variants_of_its_generation() -> None:
    text = program("gpu[sm120, sm121]", "let cuda = 13.0")
    (kind,) = chosen(host_with("12.2"), compiled(text)).kinds
    assert names(kind) == ["v-sm121", "v-sm120"]
    assert kind.remarks == (
        "there is no variant made for compute capability 12.2, only 12.0, 12.1",
    )
    (kind,) = chosen(host_with("13.0"), compiled(text)).kinds
    assert names(kind) == []


def test_tegras_and_other_gpus_do_not_run_each_others_code() -> None:
    text = program("gpu[sm80, sm87, sm89]", "let cuda = 12.9")
    (kind,) = chosen(host_with("8.9"), compiled(text)).kinds
    assert names(kind) == ["v-sm89", "v-sm80"]
    assert refusals(kind)["v-sm87"] == ["made for compute capability 8.7 alone, the GPU has 8.9"]
    (kind,) = chosen(host_with("8.7"), compiled(text)).kinds
    assert names(kind) == ["v-sm87"]
    assert refusals(kind)["v-sm80"] == [
        "made for compute capability 8.0 or a later 8.x, no Tegra, the GPU has 8.7"
    ]


PINNED = """
pin n { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
axis gpu = ["sm80", "sm90"]
let cuda = 13.0
recipe base {
  package = pkgs.hello
  %s
}
matrix all { recipe = base, axes = gpu, name = "{{gpu}}" }
output nix { file = "{{variant}}.nix" }
"""
TARGETS = """config { cudaSupport = true }
  args { gpuTargets = [if gpu == "sm80" then "8.0" else "9.0"] }"""
CAPABILITIES = """args { cudaSupport = true }
  config { cudaCapabilities = [if gpu == "sm80" then 8.0 else 9.0] }"""


@pytest.mark.parametrize(
    ("item", "setting"), [(TARGETS, "gpuTargets"), (CAPABILITIES, "cudaCapabilities")]
)
def test_targets_of_the_recipe_count_where_no_axis_tells(item: str, setting: str) -> None:
    compilation = compiled(PINNED % item)
    (kind,) = chosen(host_with("9.0"), compilation).kinds
    assert names(kind) == ["sm90"]
    assert reasons(kind, "sm90") == [
        "made for compute capability 9.0",
        "driver 580.65.06: CUDA 13.0 needs 580 or newer",
    ]
    assert kind.fits[0].judgement.reasons[0].value == setting
    (kind,) = chosen(made("haswell"), compilation).kinds
    assert names(kind) == []
    assert refusals(kind)["sm80"] == ["made for a GPU of compute capability 8.0, there is none"]


def test_several_targets_of_a_recipe() -> None:
    text = PINNED % 'config { cudaSupport = true }, args { gpuTargets = ["7.5", "8.0", "8.6"] }'
    (kind,) = chosen(host_with("8.9"), compiled(text)).kinds
    assert reasons(kind, "sm80")[0] == (
        "made for compute capability 8.6, runs on 8.9: same major, newer"
    )
    (kind,) = chosen(host_with("9.0"), compiled(text)).kinds
    assert refusals(kind)["sm80"] == ["made for 7.5, 8.0, 8.6, the GPU has 9.0"]
    (kind,) = chosen(host_with("9.0"), compiled(text.replace("8.6", "8.6+PTX"))).kinds
    assert reasons(kind, "sm80")[0] == (
        "made for compute capability 8.6+PTX, which the driver compiles for 9.0 if it is no older "
        "than the build's CUDA (std.cuda: COMPAT)"
    )
    (kind,) = chosen(host_with("7.0"), compiled(text.replace("8.6", "8.6+PTX"))).kinds
    assert names(kind) == []
    best = text.replace('"7.5", "8.0", "8.6"', '"8.0", "9.0"')
    (kind,) = chosen(host_with("8.0"), compiled(best)).kinds
    assert reasons(kind, "sm80")[0] == "made for compute capability 8.0"
    nearer = text.replace('"7.5", "8.0", "8.6"', '"8.0+PTX", "7.5+PTX"')
    (kind,) = chosen(host_with("9.0"), compiled(nearer)).kinds
    assert "8.0+PTX" in reasons(kind, "sm80")[0]


@for_each(
    "item, on_gpu, without",
    [
        (
            "config { cudaSupport = true }",
            ["a build with GPU support; which GPUs it is made for is unknown"],
            ["made for GPUs, there is none"],
        ),
        ("config { cudaSupport = false }", ["a build without GPU support"], []),
        (
            'args { gpuTargets = ["7.0"] }',
            [],
            ["made for a GPU of compute capability 7.0, there is none"],
        ),
        ('args { gpuTargets = ["gfx90a"] }', [], ["made for gfx90a of AMD, there is no GPU"]),
        ('args { gpuTargets = ["sm_90"] }', [], ["`sm_90` is not a compute capability"]),
        ("attrs { x = 1 }", ["a build without GPU support"], []),
        ('config { cudaCapabilities = ["7.0"] }', ["a build without GPU support"], []),
        (
            'config { cudaSupport = true }, args { cudaSupport = false, gpuTargets = ["9.0"] }',
            ["a build without GPU support"],
            [],
        ),
    ],
)
def test_gpu_support_of_the_recipe(item: str, on_gpu: list[str], without: list[str]) -> None:
    (kind,) = chosen(host_with("9.0"), compiled(PINNED % item)).kinds
    assert ("sm80" in names(kind)) == bool(on_gpu)
    assert not on_gpu or reasons(kind, "sm80") == on_gpu
    (kind,) = chosen(made("haswell"), compiled(PINNED % item)).kinds
    assert refusals(kind).get("sm80", []) == without


def test_support_that_the_pin_configures() -> None:
    text = (PINNED % "attrs { x = 1 }").replace(
        '95e3211" }', '95e3211", config { cudaSupport = true } }'
    )
    (kind,) = chosen(made("haswell"), compiled(text)).kinds
    assert refusals(kind)["sm80"] == ["made for GPUs, there is none"]


def test_nothing_is_said_of_cells_whose_recipe_alone_would_tell() -> None:
    drop = 'name = "{{gpu}}", exclude gpu == "sm90" because "later" }'
    text = (PINNED % TARGETS).replace('name = "{{gpu}}" }', drop)
    (kind,) = chosen(host_with("9.0"), compiled(text)).kinds
    assert (names(kind), kind.missing) == ([], ())
    mac = (PINNED % 'meta { platforms = ["aarch64-darwin"] }').replace('name = "{{gpu}}" }', drop)
    (kind,) = chosen(made("haswell"), compiled(mac)).kinds
    assert (names(kind), kind.missing) == ([], ())
    (kind,) = chosen(made("apple-m2"), compiled(mac)).kinds
    assert names(kind) == ["sm80"]


def two(one: str, other: str) -> Host:
    gpus = (Gpu("A", Version(one), Version("580")), Gpu("B", Version(other), Version("580")))
    return replace(made("zen4-h100"), gpus=gpus)


def test_a_build_without_gpu_support_serves_no_gpu() -> None:
    choice = chosen(two("8.0", "9.0"), compiled(program("isa[avx2]")))
    assert [names(kind) for kind in choice.kinds] == [["v-avx2"], ["v-avx2"]]
    assert choice.serves_all is None


def test_what_serves_all_is_best_for_the_least_served() -> None:
    text = program("gpu[sm80, sm86] * isa[avx2, avx512]", "let cuda = 13.0",
                   'exclude gpu == sm86 and isa == avx512 because "so"')  # fmt: skip
    choice = chosen(two("8.6", "8.9"), compiled(text))
    assert choice.serves_all is not None and choice.serves_all.name == "v-sm86-avx2"
    by_recipe = (PINNED % TARGETS).replace(
        '[if gpu == "sm80" then "8.0" else "9.0"]',
        'if gpu == "sm80" then ["8.0"] else ["8.6", "7.5+PTX"]',
    )
    choice = chosen(two("8.6", "8.9"), compiled(by_recipe))
    assert choice.serves_all is not None and choice.serves_all.name == "sm90"
    # Exact for one, but a matter of the driver for the other: worse than decent for both.
    choice = chosen(two("8.6", "8.9"), compiled(by_recipe.replace('"8.6"', '"8.6a"')))
    assert choice.serves_all is not None and choice.serves_all.name == "sm80"


def test_the_oldest_of_several_drivers_counts() -> None:
    host = made("zen4-h100")
    mixed = replace(host, gpus=(*host.gpus, Gpu("B", Version("9.0"), Version("570.26"))))
    text = program("gpu[sm90]", "let cuda = 13.0")
    (kind,) = chosen(mixed, compiled(text)).kinds
    assert refusals(kind)["v-sm90"] == ["driver 570.26 is too old: CUDA 13.0 needs 580 or newer"]
    (kind,) = chosen(host_with("9.0", "580"), compiled(text)).kinds
    assert names(kind) == ["v-sm90"]


@pytest.mark.slow
def test_where_several_axes_tell_of_gpus_all_have_to_fit() -> None:
    text = program("gpu[sm89, sm90] * second", "axis second = [sm80, sm89]", "let cuda = 13.0")
    (kind,) = chosen(host_with("8.9"), compiled(text)).kinds
    assert names(kind) == ["v-sm89-sm89", "v-sm89-sm80"]
    assert [one.judgement.rank.reach for one in kind.fits] == [Reach.EXACT, Reach.SAME_MAJOR]


def test_cells_that_would_be_no_better_are_not_missed() -> None:
    text = program("isa[avx2, avx512]", 'exclude isa == avx2 because "slow"')
    (kind,) = chosen(made("zen4-h100"), compiled(text)).kinds
    assert (names(kind), kind.missing) == (["v-avx512"], ())


@pytest.mark.parametrize(
    ("axes", "item", "foreign"),
    [
        ("gpu[sm80]", "", True),
        ("isa[armv9]", "", True),
        ("card", "axis card { x { capability = 90.123 } }", True),
        ("isa[avx10_1]", "", False),
        ("isa[amx]", "", False),
    ],
)
def test_what_nothing_on_the_host_changes(axes: str, item: str, foreign: bool) -> None:
    (kind,) = chosen(made("zen4-h100"), compiled(program(axes, item))).kinds
    assert [one.judgement.foreign for one in kind.refused] == [foreign]
    assert [one.judgement.foreign for one in kind.better] == [False] * (not foreign)
