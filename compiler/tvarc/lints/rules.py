"""All lints that look at one variant, in the order of their codes."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.lints.driver import driver_not_stated
from tvarc.lints.gpu import impossible_host, target_not_dotted, targets_without_capabilities
from tvarc.lints.isa import flag_unknown_to_gcc, platform_against_isa
from tvarc.lints.model import Lint
from tvarc.lints.overlays import overlay_unreached
from tvarc.lints.pins import pin_without_hash
from tvarc.lints.toolkit import gpu_unknown_to_toolkit, moving_alias
from tvarc.lints.torch import (
    cmake_flags_unreached,
    cuda_marked_broken,
    cudnn_below_floor,
    release_not_paired,
)

RULES: Final = (
    Lint(
        "impossible-host",
        "no machine has this GPU beside such a CPU",
        ("cuda", "hosts"),
        impossible_host,
    ),
    Lint(
        "gpu-unknown-to-toolkit",
        "this CUDA toolkit does not know the GPU",
        ("cuda",),
        gpu_unknown_to_toolkit,
    ),
    Lint(
        "target-not-dotted",
        "a GPU target is spelled without its dot",
        ("cuda",),
        target_not_dotted,
    ),
    Lint("moving-alias", "this CUDA set is another one at another pin", ("cuda",), moving_alias),
    Lint("pin-without-hash", "nothing checks what the pin fetches", ("cuda",), pin_without_hash),
    Lint(
        "platform-against-isa",
        "a platform contradicts the instruction set",
        ("cpu", "flags"),
        platform_against_isa,
    ),
    Lint(
        "cudnn-below-floor",
        "cuDNN does not run on this GPU any more",
        ("cuda", "switches"),
        cudnn_below_floor,
    ),
    Lint(
        "cuda-marked-broken",
        "the pin marks Torch with this CUDA as broken",
        ("cuda", "broken"),
        cuda_marked_broken,
    ),
    Lint(
        "cmake-flags-unreached",
        "these flags do not reach CMake",
        ("cuda", "cmake", "switches"),
        cmake_flags_unreached,
    ),
    Lint(
        "targets-without-capabilities",
        "MAGMA and NCCL do not follow gpuTargets",
        ("cuda",),
        targets_without_capabilities,
    ),
    Lint(
        "release-not-paired",
        "these releases do not go together",
        ("cuda", "version"),
        release_not_paired,
    ),
    Lint(
        "driver-not-stated",
        "its description does not state the driver that it needs",
        ("cuda", "words"),
        driver_not_stated,
    ),
    Lint(
        "flag-unknown-to-gcc",
        "no compiler of this toolkit knows the flag",
        ("cuda", "cpu", "flags"),
        flag_unknown_to_gcc,
    ),
    Lint(
        "overlay-unreached",
        "this overlay does not reach the package",
        ("sets",),
        overlay_unreached,
    ),
)
