"""Reads the description of a Mac's CPU by `sysctl`, in the names that Linux has for the same
features.

The pairs follow the architecture's own feature names; both systems derive theirs from these.
"""

from __future__ import annotations

from tvarc.advice.hosts.cpuinfo import Cpu
from tvarc.light import Final

COMMAND: Final = ("sysctl", "-i", "sysctl.proc_translated", "machdep.cpu", "hw.optional")

# One Linux name, or several, for each name of Darwin.
ARM: Final = {
    "hw.optional.floatingpoint": "fp",
    "hw.optional.AdvSIMD": "asimd",
    "hw.optional.armv8_crc32": "crc32",
    "hw.optional.arm.FEAT_CRC32": "crc32",
    "hw.optional.arm.FEAT_AES": "aes",
    "hw.optional.arm.FEAT_PMULL": "pmull",
    "hw.optional.arm.FEAT_SHA1": "sha1",
    "hw.optional.arm.FEAT_SHA256": "sha2",
    "hw.optional.arm.FEAT_SHA3": "sha3",
    "hw.optional.arm.FEAT_SHA512": "sha512",
    "hw.optional.arm.FEAT_LSE": "atomics",
    "hw.optional.arm.FEAT_LSE2": "uscat",
    "hw.optional.arm.FEAT_RDM": "asimdrdm",
    "hw.optional.arm.FEAT_FP16": "fphp asimdhp",
    "hw.optional.arm.FEAT_FHM": "asimdfhm",
    "hw.optional.arm.FEAT_DotProd": "asimddp",
    "hw.optional.arm.FEAT_DPB": "dcpop",
    "hw.optional.arm.FEAT_DPB2": "dcpodp",
    "hw.optional.arm.FEAT_FCMA": "fcma",
    "hw.optional.arm.FEAT_JSCVT": "jscvt",
    "hw.optional.arm.FEAT_LRCPC": "lrcpc",
    "hw.optional.arm.FEAT_LRCPC2": "ilrcpc",
    "hw.optional.arm.FEAT_FlagM": "flagm",
    "hw.optional.arm.FEAT_FlagM2": "flagm2",
    "hw.optional.arm.FEAT_DIT": "dit",
    "hw.optional.arm.FEAT_PAuth": "paca pacg",
    "hw.optional.arm.FEAT_FRINTTS": "frint",
    "hw.optional.arm.FEAT_BTI": "bti",
    "hw.optional.arm.FEAT_SB": "sb",
    "hw.optional.arm.FEAT_SSBS": "ssbs",
    "hw.optional.arm.FEAT_BF16": "bf16",
    "hw.optional.arm.FEAT_I8MM": "i8mm",
    "hw.optional.arm.FEAT_SME": "sme",
    "hw.optional.arm.FEAT_SME2": "sme2",
}
_INTEL_LISTS: Final = (
    "machdep.cpu.features",
    "machdep.cpu.leaf7_features",
    "machdep.cpu.extfeatures",
)
INTEL: Final = {
    "SSE3": "pni",
    "SSSE3": "ssse3",
    "SSE4.1": "sse4_1",
    "SSE4.2": "sse4_2",
    "POPCNT": "popcnt",
    "CX16": "cx16",
    "LAHF": "lahf_lm",
    "XSAVE": "xsave",
    "AVX1.0": "avx",
    "AVX2": "avx2",
    "FMA": "fma",
    "F16C": "f16c",
    "BMI1": "bmi1",
    "BMI2": "bmi2",
    "LZCNT": "abm",
    "MOVBE": "movbe",
    "AVX512F": "avx512f",
    "AVX512DQ": "avx512dq",
    "AVX512BW": "avx512bw",
    "AVX512VL": "avx512vl",
    "AVX512CD": "avx512cd",
    "AVX512VNNI": "avx512_vnni",
}


def parse_sysctl(text: str) -> Cpu:
    """The CPU of a Mac, from the lines `name: value` that COMMAND prints."""
    values = dict(_pairs(text))
    found: set[str] = set()
    for name, flags in ARM.items():
        if values.get(name) == "1":
            found.update(flags.split())
    for name in _INTEL_LISTS:
        found.update(INTEL[word] for word in values.get(name, "").split() if word in INTEL)
    return Cpu(values.get("machdep.cpu.brand_string", ""), tuple(sorted(found)))


def is_translated(text: str) -> bool:
    """Whether the one who asked is an Intel program on an Apple CPU."""
    return dict(_pairs(text)).get("sysctl.proc_translated") == "1"


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in text.splitlines())
    return [(name.strip(), value.strip()) for name, colon, value in lines if colon]
