"""Rules of the choice that the 44 variants do not show, each on a small program of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.effort import for_each
from support.hosts import (
    chosen,
    compiled,
    host_with,
    made,
    names,
    program,
    reasons,
    recorded,
    refusals,
)
from tvarc.advice.hosts.judge import Stated
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.values.value import Version


def test_newer_cuda_first_and_as_far_as_the_driver_goes() -> None:
    text = program(
        "gpu[sm90] * cuda", "axis cuda = [12.8, 13.0, 12.9]", name="v-cuda{{under(cuda)}}-{{gpu}}"
    )
    (kind,) = chosen(host_with("9.0"), compiled(text)).kinds
    assert names(kind) == ["v-cuda13_0-sm90", "v-cuda12_9-sm90", "v-cuda12_8-sm90"]
    (kind,) = chosen(host_with("9.0", "570.26"), compiled(text)).kinds
    assert names(kind) == ["v-cuda12_9-sm90", "v-cuda12_8-sm90"]
    assert reasons(kind, "v-cuda12_9-sm90")[-1] == ("driver 570.26: CUDA 12.9 needs 525 or newer")
    assert [one.variant.name for one in kind.better] == ["v-cuda13_0-sm90"]


def test_a_row_of_a_toolkit_tells_version_and_driver() -> None:
    text = program("gpu[sm90] * kit", "axis kit { k { version = 14.0, min-driver = 600.0 } }")
    (kind,) = chosen(host_with("9.0"), compiled(text)).kinds
    assert refusals(kind)["v-sm90-k"] == [
        "driver 580.65.06 is too old: CUDA 14.0 needs 600.0 or newer"
    ]


@for_each(
    "capability, gpu, driver, named",
    [
        # Of a GPU the first driver that knows it counts, not the one that came with a toolkit.
        ("11.0", "sm110", "580.00", ""),  # what Jetsons with a Thor report
        ("10.7", "sm107", "610.43.02", "615.0"),
        ("10.7", "sm107", "615.01", ""),
        ("10.0", "sm100", "570.26", "570.133.20"),
        ("10.0", "sm100", "570.124.06", "570.133.20"),  # CUDA is available there
        ("10.0", "sm100", "570.133.20", ""),
        # Where that was not found, the other takes its place.
        ("10.3", "sm103", "575.51.02", "575.51.03"),
        ("12.0", "sm120", "570.25", "570.26"),
        ("12.1", "sm121", "575.51.02", "575.51.03"),
        ("12.1", "sm121", "575.51.03", ""),
    ],
)
def test_the_first_driver_of_a_gpu_warns_and_refuses_nothing(
    capability: str, gpu: str, driver: str, named: str
) -> None:
    kit = {"sm107": "13.4", "sm110": "13.0"}.get(gpu, "12.9")
    text = program(f"gpu[{gpu}] * isa[avx2]", f"let cuda = {kit}") + CPU_BUILD
    (kind,) = chosen(host_with(capability, driver), compiled(text)).kinds
    assert names(kind) == [f"v-{gpu}-avx2", "cpu-avx2"]
    told = [one for one in kind.fits[0].judgement.reasons if one.kind == "documented"]
    words = f"older than the {named} that is named for {gpu} (std.nvidia: "
    why = "nothing is known to enforce it, so it is not refused"
    assert [words in one.text and why in one.text for one in told] == [True] * bool(named)


CPU_BUILD = """
matrix of-cpus { recipe = base, axes = isa[avx2], name = "cpu-{{isa}}" }
"""


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ("min-driver = 600.0", True),
        ('min-driver = 600.0, enforced = ["hosts"]', True),
        ('min-driver = 600.0, enforced = ["min-driver"]', False),
        ('first-driver = 600.0, enforced = ["first-driver"]', False),
    ],
)
def test_a_row_of_ones_own_says_what_is_enforced(fields: str, fits: bool) -> None:
    own = f"axis card {{ mine {{ capability = 9.0, {fields} }} }}"
    (kind,) = chosen(host_with("9.0"), compiled(program("card", own, "let cuda = 13.0"))).kinds
    assert names(kind) == ["v-mine"] * fits


@pytest.mark.parametrize(
    ("kit", "driver", "kinds"),
    [
        # Documents ask for 450.80.02 of CUDA 11; the CUDA runtime for the branch.
        ("cuda-older[cuda11_0]", "450.51.05", ["documented"]),
        ("cuda-older[cuda11_0]", "450.80.02", []),
        ("cuda-older[cuda11_0]", "440.33", ["refused"]),
        ("cuda-toolkit[cuda12_9]", "525.60", []),
        ("cuda-toolkit[cuda12_9]", "524.9", ["refused"]),
    ],
)
def test_the_runtime_enforces_the_branch_of_a_major(
    kit: str, driver: str, kinds: list[str]
) -> None:
    text = program("gpu[sm75] * kit", f"axis kit = {kit}")
    (kind,) = chosen(host_with("7.5", driver), compiled(text)).kinds
    doubts = [
        one.kind for fit in kind.fits for one in fit.judgement.reasons if one.kind == "documented"
    ]
    assert doubts + ["refused"] * len(kind.refused) == kinds


@pytest.mark.parametrize(
    ("driver", "cuda", "fits"),
    [("570.26", None, True), ("570.10", None, True), ("565.57", None, False),
     ("565.57", "12.8", True), ("565.57", "12.7", False)],
)  # fmt: skip
def test_a_driver_compiles_no_ptx_newer_than_itself(
    driver: str, cuda: str | None, fits: bool
) -> None:
    args = 'recipe of-ptx extends base { args { gpuTargets = ["8.0+PTX"] } }'
    text = program("toolkit[cuda12_8]", args).replace("recipe = base,", "recipe = of-ptx,")
    host = host_with("9.0", driver)
    host = replace(host, gpus=tuple(
        replace(one, cuda=Version(cuda) if cuda else None) for one in host.gpus))  # fmt: skip
    (kind,) = chosen(host, compiled(text)).kinds
    assert names(kind) == ["v-cuda12_8"] * fits
    if not fits:
        assert refusals(kind)["v-cuda12_8"] == [
            "driver 565.57 is too old: the PTX of CUDA 12.8 needs 570 or newer"
        ]


def test_a_toolkit_that_no_host_with_the_gpu_has() -> None:
    """Orins are Tegras up to CUDA 12.9, and sbsa hosts from 13.2 on."""
    text = program(
        "gpu[sm87] * cuda", "axis cuda = [12.6, 12.9, 13.0, 13.1, 13.2]", name="v-{{under(cuda)}}"
    )
    for driver, able in (
        ("595.78", ["v-13_2", "v-12_9", "v-12_6", "v-13_1", "v-13_0"]),
        ("540.4.0", ["v-12_6", "v-12_9"]),
    ):
        (kind,) = chosen(host_with("8.7", driver), compiled(text)).kinds
        assert names(kind) == able
        if "v-13_1" in able:
            assert (
                "no host with sm87 is known to have CUDA 13.1: they have CUDA up to 12.9, or from "
                "13.2 on (std.nvidia: NV-CC, PTXAS, NIX-DB, NIX-JET, NV-THOR, ORIN-LOG; sources "
                "disagree); nothing is known to enforce it, so it is not refused"
            ) in reasons(kind, "v-13_1")


@pytest.mark.parametrize(
    ("words", "best_first"),
    [
        # An Alder Lake: VNNI without FMA and F16C would be the poorer build.
        (("avx_vnni",), ["v-x86-64-v3", "v-avxvnni", "v-avx2"]),
        # A Zen 4: the flags of AVX-512 BF16 leave out F16C, BMI and others that the level has.
        (
            ("avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd", "avx512_bf16"),
            ["v-x86-64-v4", "v-avx512bf16", "v-x86-64-v3", "v-avx2"],
        ),
    ],
)
def test_what_the_flags_switch_on_decides(words: tuple[str, ...], best_first: list[str]) -> None:
    level = set(made("haswell").flags) | {"xsave"}
    host = replace(made("haswell"), gpus=(), flags=tuple(sorted(level | set(words))))
    text = program("isa[avx2, avxvnni, x86-64-v3, avx512bf16, x86-64-v4]")
    (kind,) = chosen(host, compiled(text)).kinds
    assert names(kind) == best_first


LEVELS = "isa[avx2, x86-64-v3, avx512, avx512vnni, avx512bf16, x86-64-v4]"


@pytest.mark.parametrize(
    ("host", "best_first"),
    [
        (recorded("epyc-no-gpu"), ["x86-64-v4", "avx512bf16", "avx512vnni", "avx512"]),  # a Zen 4
        (recorded("h200-sapphire-rapids"), ["x86-64-v4", "avx512bf16", "avx512vnni", "avx512"]),
        (made("skylake-sp-a100"), ["x86-64-v4", "avx512"]),
    ],
)
def test_wider_vectors_come_before_more_features(host: Host, best_first: list[str]) -> None:
    (kind,) = chosen(replace(host, gpus=()), compiled(program(LEVELS))).kinds
    assert names(kind) == [f"v-{one}" for one in (*best_first, "x86-64-v3", "avx2")]
    for name, bits, count in (("avx512", 512, 14), ("x86-64-v3", 256, 16)):
        used = f"; the compiler may use {bits}-bit vectors and {count} features"
        assert reasons(kind, f"v-{name}")[0].endswith(used)


def test_min_driver_is_that_of_a_gpu_beside_a_capability_alone() -> None:
    kit = "axis kit { k { version = 14.0, min-driver = 600.0, first-driver = 500.0 } }"
    (kind,) = chosen(host_with("9.0"), compiled(program("gpu[sm90] * kit", kit))).kinds
    assert refusals(kind)["v-sm90-k"] == [
        "driver 580.65.06 is too old: CUDA 14.0 needs 600.0 or newer"
    ]


TWO_KITS = """
axis kit {
  k { version = 13.0, min-driver = 580.0 }
  l { version = %s, min-driver = %d }
}
"""


@pytest.mark.parametrize(
    ("driver", "fits"),
    [("579.99", False), ("580", True), ("580.0", True), ("580.0.0", True), ("580.0.1", True)],
)
def test_the_driver_that_is_asked_for_will_do(driver: str, fits: bool) -> None:
    text = program("gpu[sm90] * kit", "axis kit { k { version = 14.0, min-driver = 580.0 } }")
    (kind,) = chosen(host_with("9.0", driver), compiled(text)).kinds
    assert names(kind) == ["v-sm90-k"] * fits


def test_what_would_be_no_better_is_not_called_better() -> None:
    """It is refused, but the best of those that run there is as good."""
    text = program(
        "gpu[sm90] * kit",
        TWO_KITS.replace("%d", "900.0"),
    )
    for version, better in (("12.9", []), ("13.0", []), ("13.1", ["v-sm90-l"])):
        (kind,) = chosen(host_with("9.0"), compiled(text.replace("%s", version))).kinds
        assert names(kind) == ["v-sm90-k"]
        assert [one.variant.name for one in kind.better] == better


def test_a_cell_that_would_be_no_better_is_not_missed() -> None:
    text = program(
        "gpu[sm90] * kit",
        TWO_KITS.replace("%d", "580.0"),
        "exclude kit == l",
    )
    for version, missing in (("12.9", 0), ("13.0", 0), ("13.1", 1)):
        (kind,) = chosen(host_with("9.0"), compiled(text.replace("%s", version))).kinds
        assert names(kind) == ["v-sm90-k"]
        assert len(kind.missing) == missing


def test_toolkits_of_the_library() -> None:
    text = program("gpu[sm103] * toolkit[cuda12_9, cuda13_0]")
    (kind,) = chosen(host_with("10.3", "570.26"), compiled(text)).kinds
    assert names(kind) == ["v-sm103-cuda12_9"]
    assert refusals(kind) == {
        "v-sm103-cuda13_0": ["driver 570.26 is too old: CUDA 13.0 needs 580.0 or newer"],
    }


@pytest.mark.parametrize(
    "item", ["let cuda = 13.0", "recipe base += 1", "let cuda = if gpu == sm90 then 13.0 else 12.8"]
)
def test_the_version_of_a_let(item: str) -> None:
    if item == "recipe base += 1":
        text = program("gpu[sm90]").replace("pin = none }", "pin = none, let cuda = 13.0 }")
    else:
        text = program("gpu[sm90]", item)
    (kind,) = chosen(host_with("9.0"), compiled(text)).kinds
    assert reasons(kind, "v-sm90")[-1] == "driver 580.65.06: CUDA 13.0 needs 580 or newer"


@pytest.mark.parametrize("item", ["", 'let cuda = "13.0"', "let cuda = flat(13.0)"])
def test_an_unknown_version_is_said(item: str) -> None:
    (kind,) = chosen(host_with("9.0", "500.1"), compiled(program("gpu[sm90]", item))).kinds
    assert reasons(kind, "v-sm90")[-1].startswith(
        "driver 500.1 is older than the 520.61.05 that is named for sm90 (std.nvidia: NV-CC, "
    )
    (kind,) = chosen(host_with("9.0", "521.1"), compiled(program("gpu[sm90]", item))).kinds
    assert reasons(kind, "v-sm90")[-2:] == [
        "the CUDA version is unknown, so its driver is not checked",
        "driver 521.1: sm90 needs 520.61.05 or newer",
    ]


def test_an_unknown_driver_is_said() -> None:
    text = program("gpu[sm90]", "let cuda = 13.0")
    (kind,) = chosen(host_with("9.0", None), compiled(text)).kinds
    assert reasons(kind, "v-sm90")[-1] == "the driver is unknown; CUDA 13.0 needs 580 or newer"


def test_exact_before_same_major_before_cpu_features() -> None:
    text = program("gpu[sm120, sm121] * isa[avx2, avx512]", "let cuda = 13.0")
    (kind,) = chosen(host_with("12.1"), compiled(text)).kinds
    assert names(kind) == ["v-sm121-avx512", "v-sm121-avx2", "v-sm120-avx512", "v-sm120-avx2"]
    (kind,) = chosen(host_with("12.0"), compiled(text)).kinds
    assert names(kind) == ["v-sm120-avx512", "v-sm120-avx2"]


def test_no_variant_for_that_very_gpu_is_said() -> None:
    text = program("gpu[sm80, sm120]", "let cuda = 13.0")
    (kind,) = chosen(host_with("8.9"), compiled(text)).kinds
    assert names(kind) == ["v-sm80"]
    assert kind.remarks == ("there is no variant made for compute capability 8.9, only 8.0, 12.0",)
    (kind,) = chosen(host_with("9.0"), compiled(program("isa[avx2]"))).kinds
    assert kind.remarks == ("no variant is made for an NVIDIA GPU",)


@pytest.mark.slow
def test_targets_with_a_suffix() -> None:
    axis = "axis t = nvidia-target[sm100a, sm100f, sm120f]"
    (kind,) = chosen(host_with("10.0"), compiled(program("t", axis))).kinds
    assert names(kind) == ["v-sm100a", "v-sm100f"]  # what is made for one GPU uses more of it
    assert reasons(kind, "v-sm100a")[0] == "made for compute capability 10.0 alone"
    (kind,) = chosen(host_with("10.3"), compiled(program("t", axis))).kinds
    assert names(kind) == ["v-sm100f"]
    assert refusals(kind)["v-sm100a"] == [
        "made for compute capability 10.0 alone, the GPU has 10.3"
    ]


def test_features_that_nothing_tells() -> None:
    (kind,) = chosen(made("zen4-h100"), compiled(program("isa[avx2, avx10_1]"))).kinds
    assert names(kind) == ["v-avx2"]
    assert refusals(kind)["v-avx10_1"] == ["/proc/cpuinfo does not show whether the CPU has it"]
    (kind,) = chosen(
        made("graviton4"), compiled(program("soc", "axis soc = cpu-soc[graviton4]"))
    ).kinds
    assert reasons(kind, "v-graviton4") == ["which features of a CPU it needs is unknown"]


def test_vectors_count_for_more_than_tiles_alone() -> None:
    (kind,) = chosen(
        recorded("h200-sapphire-rapids"), compiled(program("isa[avx512bf16, avx512fp16, amx]"))
    ).kinds
    assert names(kind) == ["v-avx512fp16", "v-avx512bf16", "v-amx"]


def test_a_host_of_unknown_features_runs_nothing_that_needs_some() -> None:
    host = Host("linux", "x86_64")
    (kind,) = chosen(host, compiled(program("isa[avx2]"))).kinds
    assert refusals(kind)["v-avx2"] == ["it needs avx2 fma f16c, the CPU's features are unknown"]


def test_old_kernels_are_not_an_excuse_for_old_cpus() -> None:
    # Armv8.4 without SVE does not exist as a row: were it to, nothing would be taken for granted.
    axis = (
        'axis isa2 { v84 { arch = "aarch64", cpuinfo = ["atomics", "fcma", "jscvt"] }\n'
        '  v9 { arch = "aarch64", cpuinfo = ["sve2", "bti", "frint"] } }'
    )
    (kind,) = chosen(made("graviton2"), compiled(program("isa2", axis))).kinds
    assert refusals(kind) == {
        "v-v84": ["the CPU lacks fcma jscvt"],
        "v-v9": ["the CPU lacks sve2 bti frint"],
    }


def test_platforms_of_the_recipe_count_where_no_axis_tells() -> None:
    compilation = compiled(program("cuda", "axis cuda = [12.8]", name="v"))
    platforms = {"v": Stated(("aarch64-darwin",))}
    (kind,) = chosen(made("haswell"), compilation, platforms).kinds
    assert refusals(kind)["v"] == ["for aarch64-darwin, the host is x86_64-linux"]
    assert kind.refused[0].judgement.foreign
    (kind,) = chosen(made("apple-m2"), compilation, platforms).kinds
    assert names(kind) == ["v"]
    assert names(chosen(made("haswell"), compilation).kinds[0]) == ["v"]


def test_several_gpus_of_one_kind_are_one() -> None:
    host = made("zen4-h100")
    host = replace(host, gpus=host.gpus * 8)
    choice = chosen(host, compiled(program("gpu[sm90]", "let cuda = 13.0")))
    assert len(choice.kinds) == 1 and choice.serves_all is None


def test_no_variant_may_serve_all() -> None:
    host = made("zen4-h100")
    host = replace(host, gpus=(*host.gpus, Gpu("A100", Version("8.0"), Version("580.65.06"))))
    choice = chosen(host, compiled(program("gpu[sm80, sm90]", "let cuda = 13.0")))
    assert [names(kind) for kind in choice.kinds] == [["v-sm90"], ["v-sm80"]]
    assert choice.serves_all is None


OTHERS = """
use std.nvidia
use std.cpu
axis gpu = nvidia[sm61, sm90, sm120]
axis isa = cpu[x86-64-v2, avx, avx2, armv8-a, armv8_2, armv8_4-sve, armv9]
axis mac { apple { platform = "aarch64-darwin", cpuinfo = ["asimd", "asimddp"] } }
let cuda = 12.8
recipe base { package = pkgs.hello, pin = none }
matrix gpus { recipe = base, axes = gpu * isa, name = "{{gpu}}-{{isa}}" }
matrix cpus { recipe = base, axes = isa, name = "cpu-{{isa}}" }
matrix macs { recipe = base, axes = mac, name = "mac-{{mac}}" }
output nix { file = "{{variant}}.nix" }
"""


@for_each(
    "name, best",
    [
        ("graviton2", ["cpu-armv8_2", "cpu-armv8-a"]),
        ("graviton3", ["cpu-armv8_4-sve", "cpu-armv8_2", "cpu-armv8-a"]),
        ("graviton4", ["cpu-armv9", "cpu-armv8_4-sve", "cpu-armv8_2", "cpu-armv8-a"]),
        ("gh200", ["sm90-armv9", "sm90-armv8_4-sve", "sm90-armv8_2", "sm90-armv8-a"]),
        ("gh200-old-kernel", ["sm90-armv9", "sm90-armv8_4-sve", "sm90-armv8_2", "sm90-armv8-a"]),
        ("ivy-bridge-gtx-1080", ["sm61-avx", "sm61-x86-64-v2", "cpu-avx", "cpu-x86-64-v2"]),
        ("apple-m2", ["mac-apple"]),
        ("dgx-spark", ["sm120-armv9", "sm120-armv8_4-sve"]),
    ],
)
def test_hosts_that_the_44_have_nothing_for(name: str, best: list[str]) -> None:
    (kind,) = chosen(made(name), compiled(OTHERS)).kinds
    assert names(kind)[: len(best)] == best
    if not best[0].startswith(("sm", "mac")):
        assert names(kind) == best


def test_reasons_of_hosts_that_the_44_have_nothing_for() -> None:
    plan = compiled(OTHERS)
    (kind,) = chosen(made("graviton3"), plan).kinds
    assert refusals(kind)["cpu-armv9"] == ["the CPU lacks frint bti flagm2 sb ssbs sve2"]
    assert [one.variant.name for one in kind.better] == ["cpu-armv9"]
    (kind,) = chosen(made("ivy-bridge-gtx-1080"), plan).kinds
    assert reasons(kind, "sm61-avx") == [
        "made for compute capability 6.1",
        "needs avx, which the CPU has; the compiler may use 256-bit vectors and 8 features",
        "driver 580.65.06: CUDA 12.8 needs 525 or newer",
    ]
    (kind,) = chosen(made("dgx-spark"), plan).kinds
    assert reasons(kind, "sm120-armv9")[0] == (
        "made for compute capability 12.0, runs on 12.1: same major, newer"
    )
