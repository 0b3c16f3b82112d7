"""The GPU that code is compiled for: a compute capability of NVIDIA, or a target of AMD.

The parser is written by hand: lints parse capabilities in each build, and regular expressions take
longer to load than to run.
"""

from __future__ import annotations

from tvarc.light import Final, dataclass, lru_cache
from tvarc.values.value import Version

_SUFFIXES: Final = ("", "f", "a")  # each may use more of a GPU than those before it
_GFX: Final = frozenset("0123456789abcdefghijklmnopqrstuvwxyz-")
_GFX_LENGTH: Final = 34


@dataclass(frozen=True, slots=True)
class Capability:
    """A compute capability in parts; `suffix` is `a`, `f` or empty. `ptx` says that the build
    includes code which drivers of later GPUs can compile.
    """

    major: int
    minor: int
    suffix: str = ""
    ptx: bool = False

    @property
    def text(self) -> str:
        return f"{self.major}.{self.minor}{self.suffix}"

    @property
    def use(self) -> tuple[int, ...]:
        """Of two targets that one GPU runs, the one that uses more of it is greater."""
        return (self.major, self.minor, _SUFFIXES.index(self.suffix))


def is_capability(text: str) -> bool:
    """Whether *text* is a compute capability, such as `9.0` or `10.0a`."""
    return not text.endswith("+PTX") and capability_of(text) is not None


def capability(version: Version, suffix: str = "") -> Capability | None:
    """Split *version* into parts; None if it is no compute capability. *suffix*, which the row
    states in another field, is used if the version has none."""
    return capability_of(version.text, suffix)


@lru_cache(maxsize=256)
def capability_of(text: str, suffix: str = "") -> Capability | None:
    """Parse *text*, a target in PyTorch's spelling: `9.0`, `10.0a`, `8.0+PTX`; None if it is no
    target."""
    plain = text.removesuffix("+PTX")
    own = plain[-1:] if plain.endswith(("a", "f")) else ""
    major, _, minor = plain.removesuffix(own).partition(".")
    if not (_is_whole(major, 3) and _is_whole(minor, 2)):
        return None
    return Capability(int(major), int(minor), own or suffix, plain != text)


def dotted(text: str) -> str:
    """The target `sm_90a` or `90+PTX` as PyTorch spells it; empty for any other text."""
    number = text.removesuffix("+PTX")
    ptx = text[len(number) :]
    suffix = number[-1:] if number.endswith(("a", "f")) else ""
    number = number.removesuffix(suffix)
    for prefix in ("sm", "compute"):
        if number.startswith(prefix):
            number = number.removeprefix(prefix)
            break
    number = number.removeprefix("_")
    few = 2 <= len(number) <= 3 and number.isdecimal()
    return f"{number[:-1]}.{number[-1]}{suffix}{ptx}" if few else ""


def _is_whole(text: str, longest: int) -> bool:
    """Whether *text* is an integer of at most *longest* digits, without leading zeros."""
    few = 0 < len(text) <= longest and text.isascii() and text.isdigit()
    return few and (text[0] != "0" or text == "0")


def gfx_of(text: str) -> str:
    """The AMD target *text*, without the features that may follow it (`gfx90a:xnack-`); empty if it
    is no target.
    """
    plain = text.partition(":")[0]
    rest = plain.removeprefix("gfx")
    known = rest != plain and len(plain) <= _GFX_LENGTH and _GFX.issuperset(rest)
    return plain if known and "0" <= rest[:1] <= "9" else ""


def suffix_of(row: str) -> str:
    """The suffix that the name of a row states: `a` for `sm90a`."""
    return row[-1] if row.endswith(("a", "f")) and "0" <= row[-2:-1] <= "9" else ""
