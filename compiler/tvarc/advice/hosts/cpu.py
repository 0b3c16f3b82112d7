"""Whether a CPU has the features that a build needs, and which of two builds uses more of it."""

from __future__ import annotations

from tvarc.light import Collection, Final, Iterable, dataclass

# Names that kernels older than the feature do not print, or print by configuration only. A CPU with
# SVE and all other needed features is assumed to have these as well (unsourced).
_OFTEN_UNLISTED: Final = frozenset(
    ("fcma", "jscvt", "lrcpc", "asimdfhm", "uscat", "ilrcpc", "flagm", "dit", "paca", "pacg",
     "bti", "flagm2", "sb", "ssbs")
)  # fmt: skip
_SVE: Final = frozenset(("sve", "sve2"))

# The other features of CPUs with a feature, as every CPU target of GCC with it has them. They only
# order builds that fit, and never decide whether a build fits. AMX has no entry: a build for it
# alone uses no vectors at all.
_V2: Final = ("pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "cx16", "lahf_lm")
_COMES_WITH: Final[dict[str, tuple[str, ...]]] = {
    "avx": (*_V2, "xsave"),
    "avx2": ("avx",),
    "avx_vnni": ("avx2", "fma", "f16c"),
    "avx512bw": ("avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "movbe", "avx512f", "avx512dq",
                 "avx512vl", "avx512cd"),
    "avx512_vnni": ("avx512bw",),
    "avx512_bf16": ("avx512_vnni",),
    "avx512_fp16": ("avx512_bf16",),
    "sve2": ("sve",),
}  # fmt: skip
# Features with vectors wider than 128 bits, which every CPU of the kind has. GCC's feature macros
# and /proc/cpuinfo use the same names for them.
_VECTORS: Final = (("avx512f", 512), ("avx", 256), ("avx2", 256))
LEAST_BITS: Final = 128


@dataclass(frozen=True, slots=True)
class Features:
    """The needed features that a CPU lacks (`missing`), and those that the kernel does not list but
    the CPU is assumed to have (`assumed`)."""

    needed: tuple[str, ...]
    missing: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


def features(needed: tuple[str, ...], flags: Collection[str]) -> Features:
    """Compare the *needed* features with the *flags* of a CPU."""
    missing = tuple(flag for flag in needed if flag not in flags)
    if missing and _SVE & set(needed) & set(flags) and _OFTEN_UNLISTED.issuperset(missing):
        return Features(needed, (), missing)
    return Features(needed, missing)


Weight = tuple[int, int, int, int]
"""How much of a CPU a build uses; greater is better. The bits of its widest vectors come first."""
NO_WEIGHT: Final[Weight] = (0, 0, 0, 0)


def weight(needed: Collection[str], switched: Collection[str] | None = None) -> Weight:
    """The share of a CPU that a build made for *needed* uses. Wider vectors win. Of two builds with
    the same vectors, the one wins that its flags have *switched* more features on for. A build
    without known flags counts as using all features that its needs imply. If that is equal, the
    rarer need decides. A build that uses everything that another one uses, and more, weighs more.
    """
    had = _closure(needed)
    used = had if switched is None else set(switched)
    return (vector_bits(used), len(used), len(had), len(needed))


def vector_bits(used: Collection[str]) -> int:
    """The least width, in bits, of the widest vectors that code with the features *used* may use.
    The width of SVE depends on the CPU."""
    return next((bits for word, bits in _VECTORS if word in used), LEAST_BITS)


def _closure(needed: Iterable[str]) -> set[str]:
    """The features that every CPU with *needed* has, among those that verdicts name."""
    found: set[str] = set()
    waiting = list(needed)
    while waiting:
        flag = waiting.pop()
        if flag not in found:
            found.add(flag)
            waiting += _COMES_WITH.get(flag, ())
    return found
