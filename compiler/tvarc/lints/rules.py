"""All lints that look at one variant, in the order of their codes."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.lints.cpus import cpu_misnamed, names_cpus
from tvarc.lints.descriptions import cuda_misnamed, gpu_misnamed, names_gpus, states_cuda
from tvarc.lints.driver import driver_not_stated, ptx_needs_driver
from tvarc.lints.early_names import name_unreached
from tvarc.lints.gpu import (
    amd_target_unknown,
    impossible_host,
    nvidia_target_unknown,
    target_not_dotted,
    targets_without_capabilities,
)
from tvarc.lints.isa import (
    flag_dropped_by_gcc,
    flag_unknown_to_gcc,
    has_dropped_flags,
    has_newer_flags,
    lacks_avx2,
    platform_against_isa,
)
from tvarc.lints.lists import own_list_dropped
from tvarc.lints.misspelt import attribute_misspelt, setting_misspelt
from tvarc.lints.model import Lint, Only
from tvarc.lints.overlays import overlay_unreached
from tvarc.lints.pins import pin_hash_differs, pin_without_hash, set_not_in_pin
from tvarc.lints.sources import source_root_misfits
from tvarc.lints.toolkit import gpu_unknown_to_toolkit, moving_alias
from tvarc.lints.torch import (
    cmake_flags_unreached,
    cuda_marked_broken,
    cudnn_below_floor,
    fbgemm_left_on,
    python_not_built,
    release_not_paired,
    torch_too_old,
)

RULES: Final = (
    Lint(
        "impossible-host",
        "no machine has this GPU with this CPU architecture",
        ("cuda", "hosts"),
        impossible_host,
    ),
    Lint(
        "gpu-unknown-to-toolkit",
        "this CUDA toolkit does not support the GPU",
        ("cuda",),
        gpu_unknown_to_toolkit,
    ),
    Lint(
        "target-not-dotted",
        "a GPU target is spelled without its dot",
        ("cuda", "targets"),
        target_not_dotted,
    ),
    Lint("moving-alias", "this CUDA set changes with the pin", ("cuda",), moving_alias),
    Lint("pin-without-hash", "nothing checks what the pin fetches", ("cuda",), pin_without_hash),
    Lint(
        "platform-against-isa",
        "a platform contradicts the instruction set",
        ("cpu", "flags"),
        platform_against_isa,
    ),
    Lint(
        "cudnn-below-floor",
        "this cuDNN no longer runs on the GPU",
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
        "MAGMA and NCCL ignore gpuTargets",
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
        "the description does not state the driver that the build needs",
        ("cuda", "words"),
        driver_not_stated,
    ),
    Lint(
        "flag-unknown-to-gcc",
        "no compiler that this toolkit accepts knows the flag",
        ("cuda", "cpu", "flags"),
        flag_unknown_to_gcc,
        Only(("cpu", "flags"), has_newer_flags),
    ),
    Lint(
        "overlay-unreached",
        "this overlay does not reach the package",
        ("sets",),
        overlay_unreached,
    ),
    Lint(
        "gpu-misnamed",
        "a text names the wrong GPU",
        ("cuda", "named"),
        gpu_misnamed,
        Only(("named",), names_gpus),
    ),
    Lint(
        "cuda-misnamed",
        "a text states a CUDA version that the build does not use",
        ("cuda", "named"),
        cuda_misnamed,
        Only(("named",), states_cuda),
    ),
    Lint(
        "python-not-built",
        "this Torch does not support this Python",
        ("cuda", "version", "python"),
        python_not_built,
    ),
    Lint(
        "set-not-in-pin",
        "the pin has no such CUDA set",
        ("cuda",),
        set_not_in_pin,
    ),
    Lint(
        "torch-too-old",
        "this Torch is too old for the GPU",
        ("cuda", "version"),
        torch_too_old,
    ),
    Lint(
        "fbgemm-left-on",
        "FBGEMM does not run on these CPUs",
        ("cuda", "cpu", "flags", "switches", "cmake"),
        fbgemm_left_on,
        Only(("cpu", "flags"), lacks_avx2),
    ),
    Lint(
        "setting-misspelt",
        "nixpkgs does not read this setting",
        ("cuda",),
        setting_misspelt,
    ),
    Lint(
        "attribute-misspelt",
        "no builder reads this attribute",
        ("keys",),
        attribute_misspelt,
    ),
    Lint(
        "amd-target-unknown",
        "no compiler knows this GPU",
        ("cuda",),
        amd_target_unknown,
    ),
    Lint(
        "ptx-needs-driver",
        "the stated driver is too old to compile the PTX",
        ("cuda", "words"),
        ptx_needs_driver,
    ),
    Lint(
        "flag-dropped-by-gcc",
        "newer compilers no longer know the flag",
        ("cuda", "cpu", "flags"),
        flag_dropped_by_gcc,
        Only(("flags",), has_dropped_flags),
    ),
    Lint(
        "cpu-misnamed",
        "a text names a CPU that the build does not run on",
        ("cpu", "named"),
        cpu_misnamed,
        Only(("named",), names_cpus),
    ),
    Lint(
        "own-list-dropped",
        "a list replaces the package's own list",
        ("written",),
        own_list_dropped,
    ),
    Lint(
        "name-unreached",
        "the name of the store path does not change",
        ("stored",),
        name_unreached,
    ),
    Lint(
        "source-root-misfits",
        "the source has no such folder",
        ("unpacked",),
        source_root_misfits,
    ),
    Lint(
        "nvidia-target-unknown",
        "no compiler knows this GPU",
        ("cuda", "targets"),
        nvidia_target_unknown,
    ),
    Lint(
        "pin-hash-differs",
        "the pin has the hash of another commit",
        ("cuda",),
        pin_hash_differs,
    ),
)
