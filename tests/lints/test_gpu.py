"""Lints on GPUs: hosts, spelling, capabilities; each on what is wrong, right, and unknown."""

from __future__ import annotations

from support.effort import for_each
from support.lints import about, build, cuda_set, names, pin, told

PAIRS = """use std.nvidia
use std.cpu
axis gpu = nvidia[{gpu}]
axis isa = cpu[{isa}]
recipe r {{ package = pkgs.hello, pin = none, env {{ GPU = gpu, ISA = isa }} {more} }}
matrix m {{ recipe = r, axes = gpu * isa, name = "{{{{gpu}}}}-{{{{isa}}}}" }}
"""


def pair(gpu: str, isa: str, more: str = "") -> str:
    return PAIRS.format(gpu=gpu, isa=isa, more=more)


@for_each(
    "gpu, isa, wrong",
    [
        ("sm110", "avx2", True),
        ("sm121", "x86-64-v4", True),
        ("sm61", "armv8_2", True),
        ("sm110", "armv9", False),
        ("sm90", "armv9", False),
        ("sm90", "avx2", False),
        ("sm61", "avx2", False),
        ("sm88", "avx2", False),  # no product is known
        ("sm107", "avx2", False),  # DGX Rubin NVL8
        ("sm107", "armv9", False),
    ],
)
def test_hosts(gpu: str, isa: str, wrong: bool) -> None:
    assert names(pair(gpu, isa)) == (["impossible-host"] if wrong else [])


def test_what_a_list_alone_says_is_told_as_that() -> None:
    (chip,) = about(pair("sm110", "avx2"), "impossible-host")
    (card,) = about(pair("sm61", "armv8_2"), "impossible-host")
    assert "no machine has this GPU with this CPU architecture" in chip.title
    assert "sm_110 exists only in aarch64 machines" in chip.notes[1]
    assert "`exclude std.impossible`" in (chip.help or "")
    assert "no known machine has this GPU with this CPU architecture" in card.title
    assert "sm_61 is listed only in x86_64 machines" in card.notes[1]
    assert "unless you have such a host" in (card.help or "")


def test_a_suffix_counts_as_its_base() -> None:
    text = pair("sm90", "avx2, armv9").replace("nvidia[sm90]", "nvidia-target[sm90a, sm121f]")
    assert "for 1 variant: sm121f-avx2" in told(text, "impossible-host")


def test_a_build_that_is_said_to_be_without_cuda_has_no_gpu() -> None:
    text = pair("sm110", "avx2").replace("pkgs.hello, pin = none", "pkgs.python3Packages.torch")
    assert names(pin() + text) == ["impossible-host"]
    off = text.replace("env {", "args { cudaSupport = false }, env {")
    assert names(pin() + off) == []


def test_platforms_tell_the_cpu_where_no_axis_does() -> None:
    body = 'config {{ cudaCapabilities = ["{}"] }}, meta {{ platforms = [{}] }}'
    both = '"x86_64-linux", "aarch64-linux"'
    for capability, platforms, wrong in (
        ("11.0", '"x86_64-linux"', True),
        ("11.0", both, False),
        ("11.0", '"aarch64-darwin"', True),
        ("9.0", '"x86_64-darwin", "aarch64-darwin"', True),
        ("9.0", '"x86_64-linux", "aarch64-darwin"', False),
        ("9.0", '"x86_64-linux"', False),
        ("11.0", "pkgs.lib.platforms.linux", False),
        ("99.0", '"x86_64-linux"', False),
    ):
        text = pin() + build(body.format(capability, platforms), "pkgs.magma")
        if "pkgs.lib" in platforms:
            text = text.replace(f"[{platforms}]", platforms)
        assert names(text) == (["impossible-host"] if wrong else []), (capability, platforms)


def test_a_table_of_ones_own_says_what_it_says() -> None:
    text = """
    facts board (capability: version, hosts: [string]) {{
      own {{ capability = 9.0, hosts = [{}] }}
    }}
    facts chip (arch: string) {{ big {{ arch = "x86_64" }} }}
    axis gpu = board
    axis isa = chip
    recipe r {{ package = pkgs.hello, pin = none, env {{ GPU = gpu, ISA = isa }} }}
    matrix m {{ recipe = r, axes = gpu * isa, name = "v" }}
    """
    assert "(facts board)" in told(text.format('"aarch64"'), "impossible-host")
    assert names(text.format('"x86_64"')) == []
    assert names(text.format('"node1", "node2"')) == []  # names of machines


@for_each(
    "written, right",
    [
        ('"sm_90"', "9.0"),
        ('"sm90"', "9.0"),
        ('"90"', "9.0"),
        ("90", "9.0"),
        ('"90a"', "9.0a"),
        ('"compute_100f"', "10.0f"),
        ('"sm_120+PTX"', "12.0+PTX"),
        ('"103"', "10.3"),
        ('"9.0"', ""),
        ("9.0", ""),
        ('"9.0a"', ""),
        ('"12.0+PTX"', ""),
        ('"Hopper"', ""),
        ('"gfx90a"', ""),
        ('"8.0 9.0"', ""),
        ("pkgs.target", ""),
        ('"{{pkgs.target}}0"', ""),
    ],
)
def test_spelling(written: str, right: str) -> None:
    body = f'args {{ gpuTargets = [{written}] }}, config {{ cudaCapabilities = ["9.0"] }}'
    found = about(pin() + build(body), "target-not-dotted")
    assert [f'write "{right}"' in item.help for item in found] == ([True] if right else [])
    if "pkgs" in written:
        return  # `config` makes `pkgs`
    body = f"config {{ cudaCapabilities = [{written}] }}"
    assert len(about(pin() + build(body, "pkgs.magma"), "target-not-dotted")) == bool(right)


@for_each(
    "written, wrong",
    [
        ('"banana"', '"banana"'),
        ('"9.0", "h100"', '"h100"'),
        ('"9,0"', '"9,0"'),
        ('"8.0 H100"', '"8.0 H100"'),
        ('"9.0.1"', '"9.0.1"'),
        ('""', '""'),
        ('"Ada"', ""),
        ('"Blackwell+Tegra"', ""),
        ('"All"', ""),
        ('"8.0;9.0+PTX"', ""),
        ('"gfx942", "9.0"', ""),
    ],
)
def test_what_is_no_target(written: str, wrong: str) -> None:
    body = f'args {{ gpuTargets = [{written}] }}, config {{ cudaCapabilities = ["9.0"] }}'
    found = about(pin() + build(body), "target-not-dotted")
    assert [f"{wrong} is neither a compute capability" in item.notes[1] for item in found] == (
        [True] if wrong else []
    )
    assert all("this is not a GPU target" in item.title for item in found)


@for_each(
    "set, target, platform, others",
    [
        # An Arm GPU beside flags and a platform of x86.
        ("13_0", "sm_110", "x86_64-linux", ["impossible-host"]),
        ("12_8", "sm_103", "x86_64-linux", ["gpu-unknown-to-toolkit"]),
        ("13_0", "sm_70", "x86_64-linux", ["gpu-unknown-to-toolkit"]),
        ("13_0", "compute_90", "x86_64-linux", []),
        ("12_9", "91", "x86_64-linux", ["nvidia-target-unknown"]),
        ("13_0", "8.0;sm_70", "x86_64-linux", ["gpu-unknown-to-toolkit"]),
    ],
)
def test_a_misspelt_target_is_decoded_and_the_other_lints_go_on(
    set: str, target: str, platform: str, others: list[str]
) -> None:
    body = f"""overlays = [kit], config {{ cudaCapabilities = ["{target}"] }}
        meta {{ platforms = ["{platform}"], longDescription = "Driver: 580 or newer." }}"""
    found = names(pin() + cuda_set(f"cudaPackages_{set}") + build(body, "pkgs.magma"))
    assert sorted(found) == sorted(["target-not-dotted", *others])


@for_each(
    "set, target, told_of",
    [
        ("12_9", "8.5", "no GPU has the compute capability 8.5"),
        ("12_9", "9.1", "no GPU has the compute capability 9.1"),
        ("12_9", "9.1+PTX", "no GPU has the compute capability 9.1"),
        ("12_9", "8.0;8.5", "no GPU has the compute capability 8.5"),
        ("12_9", "3.5", "CUDA 12.9 compiles for 5.0 and later, not for 3.5 (std.cuda: "),
        ("13", "3.5", "CUDA 13 compiles for 7.5 and later, not for 3.5"),  # any minor of it
        ("11_8", "3.5", ""),  # nothing is known of it
        ("12_9", "8.6a", "compilers know 8.6, but not 8.6a"),
        ("12_9", "9.0a", ""),
        ("12_9", "8.8", ""),  # no product has it, and compilers know it
        ("12_9", "9.0", ""),
        ("12_9", "99.0", ""),  # of a generation to come
        ("12_9", "gfx90a", ""),
    ],
)
def test_targets_of_nvidia_that_there_are_not(set: str, target: str, told_of: str) -> None:
    body = f'overlays = [kit], config {{ cudaCapabilities = ["{target}"] }}'
    text = pin() + cuda_set(f"cudaPackages_{set}") + build(body, "pkgs.magma")
    found = about(text, "nvidia-target-unknown")
    assert [told_of in item.notes[1] for item in found] == [True] * bool(told_of)


@for_each(
    "target, found",
    [
        ("9.1", ["nvidia-target-unknown"]),
        ("sm_90", ["target-not-dotted"]),
        ("h100", ["target-not-dotted"]),
        ("7.0", ["gpu-unknown-to-toolkit"]),
        ("9.0", []),
        ("9.0+PTX", []),
    ],
)
def test_targets_of_older_releases(target: str, found: list[str]) -> None:
    """`cudaArchList` is what PyTorch took before `gpuTargets`."""
    body = f'overlays = [kit], args {{ cudaSupport = true, cudaArchList = ["{target}"] }}'
    text = pin() + cuda_set("cudaPackages_13_0") + build(body, "pkgs.python3Packages.pytorch")
    lints = {"nvidia-target-unknown", "target-not-dotted", "gpu-unknown-to-toolkit"}
    assert [name for name in names(text) if name in lints] == found


def test_a_gpu_that_a_program_adds_is_known() -> None:
    body = 'config { cudaCapabilities = ["9.1"] }'
    row = (
        'use std.nvidia\nfacts nvidia += { sm91 { capability = 9.1, architecture = "Hopper", '
        'label = "ours", products = ["ours"], hosts = [], first-cuda = 12.0, datacenter = [], '
        "workstation = [], consumer = [], embedded = [], machines = [], sources = [], "
        'mark = "single" } }\n'
    )
    for added, expected in (("", 1), (row, 0)):
        text = added + pin() + build(body, "pkgs.magma")
        assert len(about(text, "nvidia-target-unknown")) == expected


def test_an_axis_value_prints_as_its_name() -> None:
    text = """use std.nvidia
    axis gpu = nvidia[sm90]
    recipe r { package = pkgs.python3Packages.torch, args { gpuTargets = [gpu] }
               config { cudaCapabilities = [gpu.capability] } }
    matrix m { recipe = r, axes = gpu, name = "v" }
    """
    assert '"sm90" means 9.0' in told(pin() + text, "target-not-dotted")


@for_each(
    "line, right",
    [
        ('export TORCH_CUDA_ARCH_LIST="sm_90"', ["9.0"]),
        ("export TORCH_CUDA_ARCH_LIST=sm_90", ["9.0"]),
        ('export TORCH_CUDA_ARCH_LIST="80;9.0 sm_120"', ["8.0"]),  # one message a place
        ('export TORCH_CUDA_ARCH_LIST="9.0"', []),
        ('export TORCH_CUDA_ARCH_LIST="$LIST"', []),
        ('export TORCH_CUDA_ARCH_LIST="{{pkgs.hello}}"', []),
        ('export TORCH_CUDA_ARCH_LIST="Hopper"', []),
        ('export CMAKE_CUDA_ARCHITECTURES="90"', []),  # CMake spells it so
        ("if true; then\n  export TORCH_CUDA_ARCH_LIST=sm_90\nfi", []),
    ],
)
def test_spelling_of_what_a_script_exports(line: str, right: list[str]) -> None:
    body = f'script preConfigure {{ part x """\n{line}\n""" }}'
    for package in ("torch", "torchvision"):
        text = pin() + build(body, f"pkgs.python3Packages.{package}")
        found = about(text, "target-not-dotted")
        assert [item.help.partition('"')[2].partition('"')[0] for item in found] == right
    assert about(pin() + build(body, "pkgs.magma"), "target-not-dotted") == []


def test_spelling_of_what_the_environment_has() -> None:
    body = 'env { TORCH_CUDA_ARCH_LIST = "sm_90" }'
    assert '"sm_90" means 9.0' in told(pin() + build(body), "target-not-dotted")


def test_targets_of_other_packages_are_their_own() -> None:
    assert names(pin() + build('args { gpuTargets = ["sm_90"] }', "pkgs.magma")) == []


@for_each(
    "body, wrong",
    [
        ('args { gpuTargets = ["9.0"] }', True),
        ('args { gpuTargets = ["9.0"] }, config { cudaCapabilities = ["9.0"] }', False),
        ("args { gpuTargets = [] }", False),
        ('args { gpuTargets = ["9.0"], cudaSupport = false }', False),
        ('args { gpuTargets = ["9.0"], cudaSupport = pkgs.yes }', False),  # nobody knows
        ('args { gpuTargets = ["9.0"] }, config { force cudaSupport = false }', False),
    ],
)
def test_capabilities_go_with_targets(body: str, wrong: bool) -> None:
    expected = ["targets-without-capabilities"] if wrong else []
    assert names(pin() + build(body)) == expected


def test_whoever_calls_a_recipe_without_a_pin_configures_it() -> None:
    body = 'pin = none, args { cudaSupport = true, gpuTargets = ["9.0"] }'
    assert names(build(body)) == []


def test_a_torch_below_is_built_for_its_own_targets() -> None:
    text = (
        pin()
        + 'overlay t for python3Packages.torch { args { gpuTargets = ["9.0"] } }\n'
        + build("overlays = [t]", "pkgs.python3Packages.torchvision")
    )
    assert names(text) == ["targets-without-capabilities"]


def test_capabilities_of_the_pin_count() -> None:
    text = pin(config='cudaSupport = true, cudaCapabilities = ["9.0"]')
    assert names(text + build('args { gpuTargets = ["9.0"] }')) == []


def test_what_is_off_unless_asked_for_is_off() -> None:
    text = pin(config="allowUnfree = true") + cuda_set("cudaPackages_13_0")
    assert names(text + build('overlays = [kit], args { gpuTargets = ["7.0"] }')) == []
