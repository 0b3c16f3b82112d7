"""Lints on toolkits: GPUs that they know, names that move, GCC that they take, drivers."""

from __future__ import annotations

import pytest

from support.effort import for_each
from support.lints import about, build, cuda_set, names, pin, told

BROKEN = "cudaSupport = true, allowBroken = true"


def magma(set: str, *capabilities: str) -> str:
    listed = ", ".join(f'"{one}"' for one in capabilities)
    body = f"overlays = [kit], config {{ cudaCapabilities = [{listed}] }}"
    return pin() + cuda_set(set) + build(body, "pkgs.magma")


@for_each(
    "set, capability, wrong",
    [
        ("cudaPackages_13_0", "7.0", "the last CUDA that does is 12.9"),
        ("cudaPackages_13_9", "7.0", "the last CUDA that does is 12.9"),  # a toolkit to come
        ("cudaPackages_12_9", "7.0", ""),
        ("cudaPackages_12_9_1", "7.0", ""),
        ("cudaPackages_12_8", "10.3", "the first CUDA that does is 12.9"),
        ("cudaPackages_12_9", "10.3", ""),
        ("cudaPackages_12_8", "10.0", ""),
        ("cudaPackages_12_8", "10.0a", ""),
        ("cudaPackages_12_8", "10.0f", "the first CUDA that does is 12.9"),
        ("cudaPackages_12_8", "12.0+PTX", ""),
        ("cudaPackages_13_0", "10.1", "the last CUDA that does is 12.9"),
        ("cudaPackages_13_3", "10.7", "the first CUDA that does is 13.4"),
        # An Orin is a Tegra up to 12.9, and an sbsa host from 13.2 on.
        ("cudaPackages_12_9", "8.7", ""),
        ("cudaPackages_12_9_1", "8.7", ""),
        (
            "cudaPackages_13_0",
            "8.7",
            "no host with sm_87 is known to have CUDA 13.0: they have CUDA up to 12.9, or from "
            "13.2 on",
        ),
        ("cudaPackages_13_1_1", "8.7", "no host with sm_87"),
        ("cudaPackages_13_2", "8.7", ""),
        ("cudaPackages_13", "8.7", ""),  # 13.2 is one
        ("cudaPackages_13_0", "8.6", ""),
        ("cudaPackages_13_0", "19.0", ""),  # a GPU to come
        ("cudaPackages_13_0", "9.0f", ""),  # no such target is known
        ("cudaPackages_13_0", "Hopper", ""),
        ("cudaPackages", "7.0", ""),  # whichever the pin has
    ],
)
def test_gpus_of_a_toolkit(set: str, capability: str, wrong: str) -> None:
    found = about(magma(set, capability), "gpu-unknown-to-toolkit")
    assert [wrong in item.notes[1] for item in found] == ([True] if wrong else [])


@pytest.mark.parametrize(
    ("set", "capability", "wrong"),
    [
        ("cudaPackages_13", "7.0", True),
        ("cudaPackages_13", "10.7", False),  # 13.4 knows it
        ("cudaPackages_12", "11.0", True),
        ("cudaPackages_12", "7.0", False),
        ("cudaPackages_12", "10.3", False),
    ],
)
def test_a_name_that_moves_stands_for_all_that_it_may_be(
    set: str, capability: str, wrong: bool
) -> None:
    assert bool(about(magma(set, capability), "gpu-unknown-to-toolkit")) == wrong


def test_a_toolkit_is_found_where_it_is_chosen() -> None:
    text = 'config { cudaCapabilities = ["7.0"] }'
    for kind, program in {
        "arguments": build(f"args {{ cudaPackages = pkgs.cudaPackages_13_0 }}, {text}", "pkgs.x"),
        "another name": "overlay o { mine = prev.cudaPackages_13_0, cudaPackages = final.mine }\n"
        + build(f"overlays = [o], {text}", "pkgs.x"),
        "the last overlay": cuda_set("cudaPackages_12_8")
        + "overlay o { cudaPackages = prev.cudaPackages_13_0 }\n"
        + build(f"overlays = [kit, o], {text}", "pkgs.x"),
        "an overlay of the package": "overlay o for x { args { cudaPackages = "
        "final.cudaPackages_13_0 } }\n" + build(f"overlays = [o], {text}", "pkgs.x"),
        "an axis of versions": "axis cuda = [13.0]\n"
        + f"recipe r {{ package = pkgs.x, {text} }}\n"
        + 'matrix m { recipe = r, axes = cuda, name = "v" }\n',
        "an axis of toolkits": "use std.cuda\naxis kit = cuda-toolkit[cuda13_0]\n"
        + f"recipe r {{ package = pkgs.x, {text} }}\n"
        + 'matrix m { recipe = r, axes = kit, name = "v" }\n',
    }.items():
        assert names(pin() + program) == ["gpu-unknown-to-toolkit"], kind
    opaque = 'overlay o { cudaPackages = nix"""prev.cudaPackages_13_0.override { }""" }\n'
    assert names(pin() + opaque + build(f"overlays = [o], {text}", "pkgs.x")) == []


def test_versions_of_ones_own_are_passed_over() -> None:
    text = """
    facts own (capability: version, first-driver: version, first-cuda: version) {
      a { capability = 9.0, first-driver = version("5x0"), first-cuda = version("1a.2") }
    }
    axis gpu = own
    axis cuda = [version("14rc1"), version("1x.5")]
    recipe r { package = pkgs.python3Packages.torch, env { A = "{{cuda}}" } }
    matrix m { recipe = r, axes = gpu * cuda, name = "v{{flat(cuda)}}" }
    """
    assert names(pin(config=BROKEN) + text) == []


def test_a_gpu_of_an_axis_counts_where_nothing_else_names_one() -> None:
    text = (
        "use std.nvidia\naxis gpu = nvidia[sm70, sm90]\n"
        + pin(config=BROKEN)
        + cuda_set("cudaPackages_13_0")
        + "recipe r { package = pkgs.x, overlays = [kit], env { GPU = gpu } }\n"
        + 'matrix m { recipe = r, axes = gpu, name = "{{gpu}}" }\n'
    )
    assert "for 1 variant: sm70" in told(text, "gpu-unknown-to-toolkit")


@for_each(
    "overlay, body, moves",
    [
        ("cudaPackages = final.cudaPackages_13", "", True),
        ("cudaPackages = prev.cudaPackages_12", "", True),
        ("mine = final.cudaPackages_13", "", True),
        ("mine = prev.cudaPackages_13.nccl", "", True),
        ("cudaPackages = final.cudaPackages_13_0", "", False),
        ("cudaPackages = final.mine, mine = prev.cudaPackages_12_9", "", False),
        ("cudaPackages_13 = prev.cudaPackages_13_0, mine = final.cudaPackages_13", "", False),
        ("cudaPackages = prev.cudaPackages_11", "", False),  # of no table
        ("a = 1", "args { cudaPackages = pkgs.cudaPackages_12 }", True),
        ("a = 1", "args { cudaPackages = pkgs.cudaPackages }", True),
        ("cudaPackages = prev.mine", "args { cudaPackages = pkgs.cudaPackages }", False),
        ("a = 1", 'script s { part p "{{pkgs.cudaPackages.cuda_cccl}}" }', False),
    ],
)  # fmt: skip
def test_names_that_move(overlay: str, body: str, moves: bool) -> None:
    text = f"overlay o {{ {overlay} }}\n" + build(f"overlays = [o]\n{body}", "pkgs.hello")
    assert names(pin() + text) == (["moving-alias"] if moves else [])


@pytest.mark.parametrize(
    ("package", "moves"),
    [
        ("pkgs.cudaPackages_13.nccl", True),
        ("pkgs.cudaPackages.nccl", True),
        ("pkgs.cudaPackages_13_0.nccl", False),
        ("pkgs.mine.cudaPackages_13.nccl", False),
    ],
)
def test_a_member_of_a_set_whose_name_moves(package: str, moves: bool) -> None:
    assert names(pin() + build("", package)) == (["moving-alias"] if moves else [])
    # An overlay says which set it is.
    sets = "cudaPackages = prev.cudaPackages_12_9, cudaPackages_13 = prev.cudaPackages_13_0"
    assert names(pin() + f"overlay o {{ {sets} }}\n" + build("overlays = [o]", package)) == []


def test_the_sets_of_the_pin_are_offered_first() -> None:
    text = pin(config="allowUnfree = true") + cuda_set("cudaPackages_12")
    (item,) = about(text + build("overlays = [kit]", "pkgs.hello"), "moving-alias")
    assert item.help.startswith("name the exact set, such as `final.cudaPackages_12_8`; ")


@for_each(
    "set, flag, wrong",
    [
        ("cudaPackages_12_8", "-mcpu=gb10", "GCC 15; CUDA 12.8 accepts GCC 14"),
        ("cudaPackages_13_0", "-mcpu=gb10", ""),
        ("cudaPackages_12_8", "-mavx10.2", "GCC 15; CUDA 12.8 accepts GCC 14"),
        ("cudaPackages_12_8", "-march=znver5", ""),  # 14 knows it
        ("cudaPackages_12_6", "-march=diamondrapids", "GCC 15; CUDA 12.6 accepts GCC 13"),
        ("cudaPackages_12_8", "-mavx2 -mfma -mf16c", ""),
        ("cudaPackages_12_8", "-march=unheard-of", ""),
        ("cudaPackages_12_8", "-mtune=gb10", ""),
        ("cudaPackages_12_1", "-mcpu=gb10", ""),  # a toolkit that is not listed in full
        ("cudaPackages_12", "-mcpu=gb10", ""),  # several
    ],
)
def test_flags_that_no_gcc_of_the_toolkit_knows(set: str, flag: str, wrong: str) -> None:
    body = f'overlays = [kit], env {{ CFLAGS = "{flag}" }}'
    found = about(pin() + cuda_set(set) + build(body, "pkgs.magma"), "flag-unknown-to-gcc")
    assert [wrong in item.notes[1] for item in found] == ([True] if wrong else [])


def test_without_cuda_the_compiler_is_not_known() -> None:
    text = pin(config="allowUnfree = true") + cuda_set("cudaPackages_12_8")
    body = 'overlays = [kit], env { CFLAGS = "-mcpu=gb10" }'
    assert names(text + build(body, "pkgs.hello")) == []


def driver(meta: str, set: str = "cudaPackages_12_9", capability: str = "9.0") -> str:
    body = f'overlays = [kit], config {{ cudaCapabilities = ["{capability}"] }}, meta {{ {meta} }}'
    return pin(config=BROKEN) + cuda_set(set) + build(body)


@for_each(
    "meta, needed",
    [
        ("", "CUDA 12.9 needs driver 525 "),
        ('description = "PyTorch"', "CUDA 12.9 needs driver 525 "),
        ('description = "for the H200, with CUDA 12.9"', "CUDA 12.9 needs driver 525 "),
        ('description = "driver 470.42 or newer"', "CUDA 12.9 needs driver 525 "),
        ('description = "driver 525 or newer"', ""),
        ('description = "NVIDIA driver >= 525.60.13"', ""),
        ('description = "runs with R550 drivers"', ""),
        ('description = "for H200 with driver 560"', ""),
        ('longDescription = "GPU: any.\\nDriver: 525 or newer."', ""),
        ('description = "with driver {{pkgs.driver.version}}"', ""),  # nobody knows
        ("description = pkgs.words", ""),
    ],
)
def test_drivers(meta: str, needed: str) -> None:
    found = about(driver(meta), "driver-not-stated")
    assert [needed in item.notes[1] for item in found] == ([True] if needed else [])


@for_each(
    "set, capability, stated, wrong",
    [
        ("cudaPackages_12_9", "10.3", "570", True),
        ("cudaPackages_12_9", "10.3", "575", False),
        ("cudaPackages_13_0", "9.0", "575", True),
        ("cudaPackages_13_0", "9.0", "580", False),
        ("cudaPackages_13_4", "10.7", "610", True),  # Rubin: a GPU may be newer than all of 13
        ("cudaPackages_13_4", "10.7", "615", False),
        ("cudaPackages_13_0", "11.0", "580", False),
        ("cudaPackages_13", "9.0", "575", True),
        ("cudaPackages_13_1", "9.0", "580", False),  # though 590 came with it
        ("cudaPackages", "9.0", "470", False),  # which toolkit is unknown
        ("cudaPackages_14_0", "9.0", "530", False),  # what a toolkit to come needs is, too
        ("cudaPackages_14_0", "9.0", "470", True),  # but a GPU has its own first driver
    ],
)
def test_the_newer_of_two_floors_is_needed(
    set: str, capability: str, stated: str, wrong: bool
) -> None:
    text = driver(f'description = "driver {stated} or newer"', set, capability)
    assert bool(about(text, "driver-not-stated")) == wrong


def test_a_name_that_moves_is_no_toolkit_of_its_own() -> None:
    assert "CUDA 13 needs driver 580 " in told(driver("", "cudaPackages_13"), "driver-not-stated")


def test_the_source_of_a_floor_is_that_of_who_asks() -> None:
    for set, capability, source in (
        ("cudaPackages_12_9", "9.0", "(std.cuda: RN131, RN132, COMPAT)"),
        ("cudaPackages_12_9", "10.3", "(std.nvidia: NV-RN131)"),
        ("cudaPackages_13_4", "10.7", "CUTLASS)"),
    ):
        assert source in told(driver("", set, capability), "driver-not-stated"), capability


def test_with_several_gpus_the_oldest_floor_will_do() -> None:
    text = driver('description = "driver 525"').replace('["9.0"]', '["9.0", "10.3"]')
    assert about(text, "driver-not-stated") == []


def test_other_packages_need_not_state_a_driver() -> None:
    body = 'overlays = [kit], config { cudaCapabilities = ["9.0"] }'
    assert names(pin() + cuda_set("cudaPackages_12_9") + build(body, "pkgs.magma")) == []
