"""What is asked to judge a cell, and what its reasons are of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.effort import for_each
from support.hosts import chosen, compiled, host_with, made, names, program, refusals
from tvarc.advice.hosts.choose import KindChoice, choose
from tvarc.advice.hosts.judge import Stated
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.advice.hosts.verdict import Reason
from tvarc.matrix.variants import Variant

H100 = host_with("9.0")
NO_GPU = replace(made("zen4-h100"), gpus=())
DARWIN = Stated(("aarch64-darwin",))
MAC = "for aarch64-darwin, the host is x86_64-linux"
CUDA = "let cuda = 13.0"
ANY = 'axis any = ["a"]'


def judged(host: Host, axes: str, *items: str, states: Stated | None = None) -> KindChoice:
    """The choice among variants of *axes*, each of whose recipes *states* something of hosts."""
    compilation = compiled(program(axes, *items))
    assert compilation.expansion is not None
    known = {v.name: states for v in compilation.expansion.variants} if states is not None else {}
    (kind,) = chosen(host, compilation, known).kinds
    return kind


def told(kind: KindChoice) -> list[tuple[str, str]]:
    """Kind and value of the reasons of the one variant, for it and then against it."""
    (one,) = (*kind.fits, *kind.refused)
    return [
        (reason.kind, reason.value) for reason in one.judgement.reasons + one.judgement.refusals
    ]


# --- when a recipe is asked ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axes", "asked"),
    [
        ("gpu[sm90] * isa[avx2]", False),
        ("isa[avx2] * gpu[sm90]", False),
        ("gpu[sm90]", True),
        ("isa[avx2]", True),
        ("any", True),
    ],
)
def test_a_recipe_is_asked_where_axes_tell_too_little(axes: str, asked: bool) -> None:
    compilation = compiled(program(axes, CUDA, ANY))
    assert compilation.resolution is not None and compilation.expansion is not None
    found: list[str] = []

    def stated_of(variant: Variant) -> Stated:
        found.append(variant.name)
        return Stated()

    choose(compilation.resolution.program, compilation.expansion, H100, stated_of)
    assert bool(found) == asked


@pytest.mark.slow
def test_the_platform_of_a_recipe_counts_beside_an_axis_of_gpus() -> None:
    kind = judged(H100, "gpu[sm90]", CUDA, states=DARWIN)
    assert refusals(kind) == {"v-sm90": [MAC]}
    assert ("platform", "") in told(kind)
    assert [one.judgement.foreign for one in kind.refused] == [True]


def test_the_platform_of_an_axis_comes_before_that_of_a_recipe() -> None:
    assert names(judged(NO_GPU, "isa[avx2]", states=DARWIN)) == ["v-avx2"]
    assert names(judged(H100, "isa[avx2] * gpu[sm90]", CUDA, states=DARWIN)) == ["v-avx2-sm90"]


def test_the_targets_of_a_recipe_count_beside_an_axis_of_cpus() -> None:
    states = Stated(gpus=True, targets=("9.0",), setting="gpuTargets")
    kind = judged(H100, "isa[avx2]", CUDA, states=states)
    assert told(kind) == [("cpu", "isa=avx2"), ("gpu", "gpuTargets"), ("driver", "")]
    # What the axis says against it, and how good it is, count as well.
    assert refusals(judged(H100, "isa[armv9]", CUDA, states=states)) == {
        "v-armv9": ["for aarch64-linux, the host is x86_64-linux"]
    }
    assert names(judged(H100, "isa[avx2, avx512]", CUDA, states=states)) == [
        "v-avx512",
        "v-avx2",
    ]
    foreign = replace(states, platforms=("aarch64-darwin",))
    assert names(judged(H100, "isa[avx2]", CUDA, states=foreign)) == ["v-avx2"]


def test_the_targets_of_an_axis_come_before_those_of_a_recipe() -> None:
    states = Stated(gpus=True, targets=("8.0",), setting="gpuTargets")
    kind = judged(H100, "gpu[sm90]", CUDA, states=states)
    assert (names(kind), told(kind)) == (["v-sm90"], [("gpu", "gpu=sm90"), ("driver", "")])


def test_a_recipe_that_supports_gpus_counts_beside_an_axis_of_cpus() -> None:
    kind = judged(NO_GPU, "isa[avx2]", states=Stated(gpus=True))
    assert refusals(kind) == {"v-avx2": ["made for GPUs, there is none"]}


# --- what reasons are of ------------------------------------------------------------------------


@for_each(
    "host, axes, item, states, expected",
    [
        (H100, "gpu[sm90]", CUDA, None, [("gpu", "gpu=sm90"), ("driver", "")]),
        (H100, "gpu[sm90]", "", None, [("gpu", "gpu=sm90"), ("unknown", ""), ("driver", "")]),
        (
            host_with("9.0", None),
            "gpu[sm90]",
            CUDA,
            None,
            [("gpu", "gpu=sm90"), ("unknown", "")],
        ),
        (host_with("9.0", "500.1"), "gpu[sm90]", CUDA, None, [("gpu", "gpu=sm90"), ("driver", "")]),
        (H100, "gpu[sm80]", "", None, [("gpu", "gpu=sm80")]),
        (NO_GPU, "gpu[sm80]", "", None, [("gpu", "gpu=sm80")]),
        (H100, "isa[avx2]", "", None, [("gpu", ""), ("cpu", "isa=avx2")]),
        (H100, "isa[avx2]", "", Stated(gpus=True), [("unknown", ""), ("cpu", "isa=avx2")]),
        (NO_GPU, "isa[avx2]", "", Stated(gpus=True), [("cpu", "isa=avx2"), ("gpu", "")]),
        (NO_GPU, "isa[avx2]", "", None, [("cpu", "isa=avx2")]),
        (NO_GPU, "isa[amx]", "", None, [("cpu", "isa=amx")]),
        (NO_GPU, "isa[armv9]", "", None, [("platform", "isa=armv9")]),
        (NO_GPU, "soc", "axis soc = cpu-soc[graviton4]", None, [("platform", "soc=graviton4")]),
        (NO_GPU, "any", ANY, DARWIN, [("platform", "")]),
        (
            H100,
            "card",
            "axis card { x { capability = 90.123 } }",
            None,
            [("unknown", "card=x")],
        ),
        (
            NO_GPU,
            "gfx",
            "use std.amd\naxis gfx = amd[gfx90a]",
            None,
            [("gpu", "gfx=gfx90a")],
        ),
        (
            host_with("8.7", "540.4.0"),
            "gpu[sm87]",
            "let cuda = 13.1",
            None,
            [("gpu", "gpu=sm87"), ("documented", "gpu=sm87"), ("driver", "")],
        ),
    ],
)
def test_each_reason_has_its_kind_and_its_value(
    host: Host, axes: str, item: str, states: Stated | None, expected: list[tuple[str, str]]
) -> None:
    items = [item] if item else []
    assert told(judged(host, axes, *items, states=states)) == expected


def test_what_supports_gpus_is_foreign_to_a_host_without() -> None:
    kind = judged(NO_GPU, "any", ANY, states=Stated(gpus=True))
    (one,) = kind.refused
    assert one.judgement.refusals == (Reason("gpu", "", "made for GPUs, there is none"),)
    assert one.judgement.foreign and kind.better == ()


# --- the order of what would be better ----------------------------------------------------------


def test_of_better_ones_the_best_is_first() -> None:
    axis = "axis cuda = [12.8, 13.1, 12.9, 13.0]"
    text = program("gpu[sm90] * cuda", axis, name="v-{{under(cuda)}}")
    (kind,) = chosen(host_with("9.0", "500.1"), compiled(text)).kinds
    assert [one.variant.name for one in kind.better] == ["v-13_1", "v-13_0", "v-12_9", "v-12_8"]


def test_exclusions_that_drop_a_missing_cell_are_those_of_its_matrix() -> None:
    text = program("isa[avx2, avx512]", 'exclude isa == avx2 because "slow"')
    text = text.replace('exclude isa == avx2 because "slow"', "").rstrip().removesuffix("}")
    text += '\nexclude isa == avx512 because "first" }\n'
    text += 'matrix other { recipe = base, axes = isa, name = "w-{{isa}}"\n'
    text += 'exclude isa == avx512 because "second" }\n'
    text = text.replace("axis isa = cpu[x86-64-v2..armv9]", "axis isa = cpu[avx2, avx512]")
    text = text.replace("axes = isa[avx2, avx512]", "axes = isa")
    (kind,) = chosen(NO_GPU, compiled(text)).kinds
    found = {cell.matrix.name: [one.because for one in cell.excluded_by] for cell in kind.missing}
    assert found == {"all": ["first"], "other": ["second"]}


@pytest.mark.parametrize("target", ["", "none", "9.0", "gfx", "XXXX"])
def test_a_field_target_that_is_none_of_amd_says_nothing(target: str) -> None:
    axis = f'axis card {{ one {{ target = "{target}" }} }}'
    assert told(judged(NO_GPU, "card", axis)) == []


def test_a_gpu_of_amd_is_not_asked_for_a_driver() -> None:
    host = replace(NO_GPU, gpus=(Gpu("AMD GPU", gfx="gfx90a"),))
    kind = judged(host, "gfx", "use std.amd\naxis gfx = amd[gfx90a]", CUDA)
    assert told(kind) == [("gpu", "gfx=gfx90a")]


def test_what_is_needed_has_to_run_there_too() -> None:
    """An application without an axis of its own runs where the Torch runs that it needs."""
    compilation = compiled(
        """
use std.nvidia
use std.cpu

axis gpu = nvidia[sm80, sm90]
axis isa = cpu[avx2]
axis who { small { wants = "sm80" }, large { wants = "sm90" } }

pin p { url = "https://example.org/p.tar.gz", hash = null }
recipe torch { package = pkgs.python3Packages.torch }
recipe app {
  package = pkgs.hello
  needs torch = torches[gpu = who.wants, isa = avx2]
}
matrix torches { recipe = torch, axes = gpu * isa, name = "torch-{{gpu}}" }
matrix apps { recipe = app, axes = who, name = "app-{{who}}" }
output o { file = "{{variant}}.nix" }
"""
    )
    resolution, expansion = compilation.resolution, compilation.expansion
    assert resolution is not None and expansion is not None
    stack = compilation.stack
    chosen = choose(
        resolution.program, expansion, host_with("8.0"), lambda _: Stated(), values_of=stack.values
    )
    fits = [one.variant.name for one in chosen.kinds[0].fits]
    assert "app-small" in fits
    assert "app-large" not in fits
    refused = {one.variant.name for one in chosen.kinds[0].refused}
    assert refused == {"torch-sm90", "app-large"}


def test_what_is_needed_for_another_gpu_or_cpu_decides_as_well() -> None:
    """The variant is named for one GPU and CPU, and a part of it is built for others."""
    compilation = compiled(
        """
use std.nvidia
use std.cpu

axis gpu = nvidia[sm80, sm90]
axis isa = cpu[avx2, avx512]
axis part = ["same", "gpu", "isa"]

pin p { url = "https://example.org/p.tar.gz", hash = null }
recipe torch { package = pkgs.python3Packages.torch }
recipe app {
  package = pkgs.hello
  needs torch = if part == "gpu" then torches[gpu = sm90]
    else if part == "isa" then torches[isa = avx512]
    else torches
}
matrix torches { recipe = torch, axes = gpu * isa, name = "torch-{{gpu}}-{{isa}}" }
matrix apps { recipe = app, axes = gpu * isa * part, name = "app-{{part}}-{{gpu}}-{{isa}}" }
output o { file = "{{variant}}.nix" }
"""
    )
    resolution, expansion = compilation.resolution, compilation.expansion
    assert resolution is not None and expansion is not None
    stack = compilation.stack
    host = host_with("8.0")
    host = replace(host, flags=tuple([flag for flag in host.flags if "avx512" not in flag]))
    (kind,) = choose(
        resolution.program,
        expansion,
        host,
        lambda _: Stated(),
        values_of=stack.values,
        parts_of=stack.unlike,
    ).kinds
    fits = {one.variant.name for one in kind.fits if one.variant.name.startswith("app")}
    assert fits == {"app-same-sm80-avx2"}
    refused = {one.variant.name: one.judgement for one in kind.refused}
    assert "app-gpu-sm80-avx2" in refused and "app-isa-sm80-avx2" in refused
