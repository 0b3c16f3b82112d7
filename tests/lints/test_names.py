"""What descriptions name: the lints on GPUs and CUDA in texts, and what they pass over."""

from __future__ import annotations

import pytest

from support.alone import one_by_one
from support.compile import compile_text
from support.effort import for_each
from support.library import rows, texts
from support.lints import about, build, cuda_set, names, pin
from tvarc.advice.lints.names import (
    chips_of,
    cuda_versions,
    is_likely,
    targets,
    tokens,
)


def described(words: str, target: str = "9.0", set: str = "cudaPackages_12_9") -> str:
    body = (
        f'overlays = [kit], args {{ gpuTargets = ["{target}"] }}\n'
        f'config {{ cudaCapabilities = ["{target}"] }}\n'
        f'meta {{ description = "{words}", longDescription = "Driver: 580 or newer" }}'
    )
    return pin() + cuda_set(set) + build(body)


@for_each(
    "words, target, told",
    [
        # Beside a capability.
        ("PyTorch for SM90 (H100, L40S)", "9.0", "L40S has compute capability 8.9, not 9.0"),
        ("PyTorch for sm_90: L40S", "9.0", "L40S has compute capability 8.9, not 9.0"),
        ("SM120, Vera Rubin", "12.0", "Rubin has compute capability 10.7, not 12.0"),
        ("SM120: R100, RTX 5090", "12.0", "R100 has compute capability 10.7, not 12.0"),
        ("SM89, Ampere", "8.9", "Ampere has compute capability 8.0 or 8.6 or 8.7 or 8.8, not 8.9"),
        ("SM80 for Hopper", "8.0", "Hopper has compute capability 9.0, not 8.0"),
        ("SM89 on RTX 3090", "8.9", "RTX 3090 has compute capability 8.6, not 8.9"),
        (
            "SM90: H100, Tesla M4",
            "9.0",
            "Tesla M4 has compute capability 5.2, not 9.0",
        ),  # a name beside the usual
        # Alone.
        (
            "PyTorch for DRIVE Thor",
            "7.5",
            "DRIVE Thor has compute capability 10.1 or 11.0, and a build for 7.5",
        ),
        (
            "PyTorch for the RTX 5090",
            "9.0",
            "RTX 5090 has compute capability 12.0, and a build for 9.0",
        ),
        ("PyTorch for Blackwell", "9.0", "Blackwell has compute capability 10.0"),
        ("PyTorch for SM86", "9.0", "the string names 8.6, but the build is for 9.0"),
        # Right.
        ("PyTorch for NVIDIA Hopper (SM90: H100, H200, GH200)", "9.0", ""),
        ("PyTorch for SM80: A100, RTX 3090", "8.0", ""),  # that runs code for 8.0
        ("PyTorch for RTX 3090 and L40S", "8.0", ""),
        ("PyTorch for SM89 (L40S), Ada", "8.9", ""),
        ("SM103: B300, Blackwell Ultra", "10.3", ""),
        ("SM103, Blackwell", "10.3", ""),
        ("SM121: GB10, DGX Spark", "12.1", ""),
        ("PyTorch for Jetson Thor, SM110", "11.0", ""),
        ("PyTorch for Jetson Orin (SM87)", "8.7", ""),
        # A clause with the bound of a driver or of CUDA is passed over, and no more than that.
        (
            "Hopper (SM90: H100, L40S), driver 575+",
            "9.0",
            "L40S has compute capability 8.9, not 9.0",
        ),
        (
            "Hopper (SM90: H100, L40S; driver 570.26 or newer)",
            "9.0",
            "L40S has compute capability 8.9, not 9.0",
        ),
        ("Driver 575, or newer. SM90: L40S", "9.0", "L40S has compute capability 8.9, not 9.0"),
        ("SM90: L40S (needs 575+)", "9.0", "L40S has compute capability 8.9, not 9.0"),
        (
            "CUDA 12.8 or newer, for the RTX 5090",
            "9.0",
            "RTX 5090 has compute capability 12.0, and a build",
        ),
        ("driver 575+, not for L40S", "9.0", ""),
        ("driver 575+; newer GPUs: L40S", "9.0", ""),
        ("driver 575+ for L40S, SM90", "9.0", ""),  # of one clause
        ("SM80+ (RTX 4090, L40S), driver 575+", "8.0", ""),
        # Of others than the build.
        ("PyTorch for H100, not for L40S", "9.0", ""),
        ("SM90: H100; L40S runs the sm89 build instead", "9.0", ""),
        ("SM80 and newer: RTX 4090, H100", "8.0", ""),
        ("SM80+ such as H100", "8.0", ""),
        ("runs on the RTX 5090, too", "9.0+PTX", ""),
        # No GPUs.
        ("PyTorch, CPU: ARMv9 (Grace, GB10)", "9.0", ""),
        ("PyTorch for Ampere Altra hosts", "9.0", ""),
        ("PyTorch on Armv9 with GB10", "9.0", ""),
        ("the volta of pascal", "9.0", ""),
        ("PyTorch 2.10 for Python 3.13 and AVX512", "9.0", ""),
        ("PyTorch for the X9000 and Z100", "9.0", ""),  # of no table
        ("PyTorch with ATX 2080 cases", "9.0", ""),
    ],
)
def test_gpus_in_texts(words: str, target: str, told: str) -> None:
    found = about(described(words, target), "gpu-misnamed")
    assert [told in item.notes[1] for item in found] == ([True] if told else []), found


@for_each(
    "words, set, wrong",
    [
        ("with CUDA 12.8", "12_9", "12.8"),
        ("with CUDA 12.8.1", "12_9", "12.8.1"),
        ("with CUDA Toolkit 13.0", "12_9", "13.0"),
        ("cuda12_8 build", "12_9", "12.8"),
        ("CUDA-12.8", "12_9", "12.8"),
        ("with CUDA 13", "12_9", "13"),
        ("with CUDA 12.4", "13", "12.4"),  # a name that moves within 13
        ("with CUDA 12.9", "12_9", ""),
        ("with CUDA 12.9.1", "12_9", ""),
        ("with CUDA 12", "12_9", ""),
        ("CUDA 12.9, made after CUDA 12.8", "12_9", ""),
        ("with CUDA 13.4", "13", ""),
        ("needs CUDA 12.4", "12_9", ""),
        ("CUDA 12.4 or newer", "12_9", ""),
        ("CUDA 12.4+", "12_9", ""),
        ("driver for CUDA 12.4", "12_9", ""),
        ("at least CUDA 12.4", "12_9", ""),
        ("CUDA 12.4-12.8", "12_9", ""),  # a range, of which others are told as well
        ("CUDA 12.4–12.9", "12_9", ""),
        ("CUDA 12.8, 13.0", "12_9", ""),
        ("CUDA 12.4-release 2.9", "12_9", "12.4"),
        ("CUDA 12.x", "13_0", "12"),
        ("CUDA 12.x", "12_9", ""),
        ("CUDA Graphs 2.1", "12_9", ""),
        ("PyTorch 2.8 with CUDA", "12_9", ""),
    ],
)
def test_cuda_in_texts(words: str, set: str, wrong: str) -> None:
    found = about(described(words, "9.0", f"cudaPackages_{set}"), "cuda-misnamed")
    assert [f"CUDA {wrong}," in item.notes[1] for item in found] == ([True] if wrong else [])


PRINTED = (
    'overlays = [kit], args { gpuTargets = ["9.0"] }, config { cudaCapabilities = ["9.0"] }\n'
    'meta { longDescription = "Driver: 580 or newer" }\n'
)


@for_each(
    "name, pname, script, wrong",
    [
        ("torch-cuda12_8-{{isa}}", "{{variant}}", "make", ["torch-cuda12_8"]),
        ("torch-cu128-{{isa}}", "{{variant}}", "make", ["torch-cu128"]),
        ("{{isa}}-cuda-12.8", "{{variant}}", "make", ["cuda-12.8"]),
        ("torch-{{isa}}", "torch-cuda128", "make", ["torch-cuda128"]),
        ("torch-{{isa}}", "torch", 'echo "for {{isa}}, CUDA: 12.8"', ["CUDA: 12.8"]),
        ("torch-{{isa}}", "torch", "printf 'CUDA 12.8\\n'", ["CUDA 12.8\\n"]),
        ("torch-cuda12_9-{{isa}}", "torch-cu129", 'echo "CUDA: 12.9"', []),
        ("torch-cuda12-{{isa}}", "{{variant}}", 'echo "CUDA 12"', []),
        ("torch-cuda-9.0-{{isa}}", "torch-cuda90", 'echo "CUDA 12.4 or newer"', []),
        ("torch-{{isa}}", "torch", "cd cuda12_8  # CUDA 12.8", []),  # it prints nothing
        ("torch-cuda{{isa}}", "torch-cu12", "make", []),
    ],
)
def test_cuda_in_names_and_in_lines_that_scripts_print(
    name: str, pname: str, script: str, wrong: list[str]
) -> None:
    """They are read as they are written: each fault is one message, at its place."""
    text = (
        f'''{pin()}{cuda_set("cudaPackages_12_9")}axis isa = ["a", "b"]
recipe r {{ package = pkgs.python3Packages.torch
{PRINTED}attrs {{ pname = "{pname}" }}
script preBuild {{ when isa == "b" {{ part a """
  {script}
""" }} }} }}
matrix m {{ recipe = r, axes = isa, name = "{name}" }}
output nix {{ file = "{{{{variant}}}}.nix" }}
'''
    )
    made = compile_text(text)
    list(made.files("input.tvar"))
    found = [one for one in made.diagnostics if one.name == "cuda-misnamed"]
    assert [one.labels[0].text for one in found] == [f"says `{one}`" for one in wrong]
    of = "for 1 variant: torch-b" if script != "make" else "for 2 variants: "
    assert all(one.notes[0].startswith(of) for one in found)


def test_what_only_nix_knows_of_a_text_is_shown_as_dots() -> None:
    (item,) = about(described("PyTorch {{old.version}} with CUDA 12.8", "9.0"), "cuda-misnamed")
    assert item.labels[0].text == "says `PyTorch … with CUDA 12.8`"


def test_builds_of_which_nothing_is_known_are_passed_over() -> None:
    meta = 'meta { description = "for DRIVE Thor with CUDA 12.8" }'
    assert names(pin(config="allowUnfree = true") + build(meta)) == []
    plain = 'pin = none\nargs { gpuTargets = ["9.0"] }\n' + meta
    assert names(build(plain)) == []  # whether it has CUDA its caller decides


def test_one_line_of_a_text_decides_by_itself() -> None:
    text = described("a", "9.0").replace(
        'description = "a"', 'description = """\n  SM90\n  L40S\n  not for\n"""'
    )
    (item,) = about(text, "gpu-misnamed")
    assert (
        "L40S has compute capability 8.9, and a build for 9.0 does not run on it" in item.notes[1]
    )


MANY = """
use std.nvidia
use std.cpu
axis gpu = nvidia[sm75, sm80, sm86, sm89, sm90, sm100, sm103, sm110, sm120, sm121]
axis isa = cpu[avx2, avx512, avx512vnni, armv8_2, armv9]
axis n = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
overlay kit { cudaPackages = final.cudaPackages_12_9 }
recipe r { package = pkgs.python3Packages.torch, overlays = [kit]
  args { gpuTargets = [gpu.capability] }
  config { cudaCapabilities = [gpu.capability] }
  env { N = "{{n}}" }
  meta { description = "WORDS", longDescription = "Driver: 580 or newer" } }
matrix m { recipe = r, axes = gpu * isa * n, name = "{{gpu}}-{{isa}}-{{n}}" }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "{{gpu.label}}, {{isa.label}}, run {{n}}",
        "{{isa.label}} on {{gpu.products[0]}} {{n}}",
        "run {{n}}, {{isa.label}}, for the L40S",
        "SM{{n}}0 of {{gpu.label}}",
        "RTX {{n}} {{isa.label}}",
        "{{isa}} {{gpu}}: RTX 4090, CUDA 12.{{n}}",
        "CUDA 1{{n}}.8 / {{gpu.label}}",
        "{{n}} CUDA 12.8 {{isa.label}}",
        "{{variant}}, for the L40S",
    ],
)
def test_all_variants_together_say_what_each_of_them_says(words: str) -> None:
    """Where files are made, no text of a variant is: what is found is the same as if it were."""
    text = pin() + MANY.replace("WORDS", words) + 'output nix { file = "{{variant}}.nix" }\n'

    def found(*, files: bool) -> list[tuple[object, ...]]:
        made = compile_text(text)
        for _ in made.files("input.tvar") if files else one_by_one(made):
            pass
        return [(item.name, item.notes, item.labels) for item in made.diagnostics]

    assert found(files=True) == found(files=False)


def test_cpus_are_judged_by_the_text_of_each_variant() -> None:
    """Of a text that differs with the instruction set each variant has its own."""
    text = """
use std.cpu
axis isa = cpu[armv8_2, armv9]
axis n = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
recipe r { package = pkgs.hello, pin = none
  meta { description = "{{n}}: for {{if isa == armv9 then "Grace" else "Graviton2"}}" } }
matrix m { recipe = r, axes = isa * n, name = "{{isa}}-{{n}}" }
output nix { file = "{{variant}}.nix" }
"""
    assert about(text, "cpu-misnamed") == []
    swapped = text.replace('"Grace" else "Graviton2"', '"Graviton2" else "Grace"')
    made = compile_text(swapped)
    list(made.files("input.tvar"))
    (told,) = [item for item in made.diagnostics if item.name == "cpu-misnamed"]
    assert told.notes[0].startswith("for 10 variants: armv9-1, armv9-2")
    assert told.labels[0].text == "says `1: for Graviton2`"


def test_the_names_of_all_products_are_looked_for() -> None:
    """A text is searched where one of its words is likely: the first word of each name is."""
    for row in rows("nvidia", "nvidia").values():
        for field in ("products", "datacenter", "workstation", "consumer", "embedded"):
            for name in texts(row, field):
                assert is_likely(tokens(name)[0]), name
    for word in chips_of(rows("cpu", "cpu-soc").values()):
        assert is_likely(word), word


@for_each(
    "text, found",
    [
        ("SM90", ["9.0"]),
        ("sm_90a", ["9.0a"]),
        ("SM 12.0", ["12.0"]),
        ("compute_89", ["8.9"]),
        ("compute capability 10.3", ["10.3"]),
        ("cc 8.6", ["8.6"]),
        ("small 90", []),
        ("SM", []),
        ("SM9", []),
        ("SM9000", []),
    ],
)
def test_capabilities_in_texts(text: str, found: list[str]) -> None:
    assert [one.text for one in targets(tokens(text.lower()))] == found


@for_each(
    "text, found",
    [
        ("cuda12_8-sm90", ["12.8"]),
        ("CUDA v12.8", ["12.8"]),
        ("CUDA version 12.8", ["12.8"]),
        ("CUDA: 12.8", ["12.8"]),
        ("- **CUDA**: 12.8 (cuBLAS)", ["12.8"]),
        ("CUDA version: 12.8", ["12.8"]),
        ("needs CUDA: 12.8", []),
        ("CUDA, 12.8", []),
        ("CUDA 2080", []),
        ("CUDA12.8.1", ["12.8.1"]),
    ],
)
def test_versions_in_texts(text: str, found: list[str]) -> None:
    assert list(cuda_versions(tokens(text.lower()), labelled=":" in text)) == found
