"""Whether a CPU has what a build was made for, and which of two builds uses more of it."""

from __future__ import annotations

from tvarc.light import Collection, Final, Iterable, dataclass

# Names that kernels older than the feature do not print, or print by configuration only. A CPU
# with SVE that has all the rest of what is asked is taken to have these as well (unsourced).
_OFTEN_UNLISTED: Final = frozenset(
    ("fcma", "jscvt", "lrcpc", "asimdfhm", "uscat", "ilrcpc", "flagm", "dit", "paca", "pacg",
     "bti", "flagm2", "sb", "ssbs")
)  # fmt: skip
_SVE: Final = frozenset(("sve", "sve2"))

# What CPUs with a feature have besides, by every CPU target of GCC that has it. Good enough to
# order builds that fit; whether one fits is never told from this. AMX has no entry: a build for it
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


@dataclass(frozen=True, slots=True)
class Features:
    """How *needed* features meet those of a CPU: `missing` ones, and `assumed` ones, which the
    kernel does not list but the CPU is taken to have."""

    needed: tuple[str, ...]
    missing: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


def features(needed: tuple[str, ...], flags: Collection[str]) -> Features:
    """*needed* held against the *flags* of a CPU."""
    missing = tuple(flag for flag in needed if flag not in flags)
    if missing and _SVE & set(needed) & set(flags) and _OFTEN_UNLISTED.issuperset(missing):
        return Features(needed, (), missing)
    return Features(needed, missing)


def weight(
    needed: Collection[str], switched: Collection[str] | None = None
) -> tuple[int, int, int]:
    """How much of a CPU a build uses that was made for *needed*: more weighs more. It counts what
    its flags have *switched* on; a build of which that is not known is taken to use all that comes
    with what it needs. Where that is alike, the rarer need decides."""
    had = _closure(needed)
    return (had if switched is None else len(switched), had, len(needed))


def _closure(needed: Iterable[str]) -> int:
    """How many features a CPU with *needed* has at least, of those that are told of."""
    found: set[str] = set()
    waiting = list(needed)
    while waiting:
        flag = waiting.pop()
        if flag not in found:
            found.add(flag)
            waiting += _COMES_WITH.get(flag, ())
    return len(found)
