"""Names of GPUs, as `nvidia-smi`, `lspci` and people spell them. A table has the bare name of a
product, `V100` or `GTX 1080`, and the chips by their names in pci.ids. A spelled name adds maker,
brand, memory, form and other words that change no capability: `Tesla V100-SXM2-32GB`, `NVIDIA
Corporation GP104 [GeForce GTX 1080] (rev a1)`.
"""

from __future__ import annotations

import re

from tvarc.light import Final, Iterable, Sequence
from tvarc.text.diagnostics.suggest import nearest
from tvarc.values.row_facts import product_names, texts_fact
from tvarc.values.value import RowValue

_BESIDE: Final = frozenset(
    (
        # maker and brand
        "nvidia", "corporation", "amd", "ati", "advanced", "micro", "devices", "inc", "geforce",
        "tesla", "quadro", "radeon", "instinct", "ai", "device",
        # words that programs which list devices add to a name
        "vga", "compatible", "3d", "display", "processing", "accelerators", "accelerator",
        "controller", "graphics", "gpu", "nvgpu", "rev",
        # editions of one chip, for other machines and slots
        "laptop", "mobile", "max", "q", "generation", "edition", "workstation", "server",
        "founders", "oem", "sff", "embedded", "module", "developer", "kit", "super", "ti", "d",
        "mig", "pcie", "pci", "nvl", "nvl2", "nvl4", "nvl8", "nvl36", "nvl72", "hgx", "cnx", "fhhl",
        "dgxs", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "sxm6", "hbm2", "hbm2e", "hbm3", "hbm3e",
        "oam", "ac", "lc",
    )
)  # fmt: skip
_SIZE: Final = re.compile(r"\d+(gb|gib|g|gi)|gddr\d+x?", re.ASCII)
_ADDRESS: Final = re.compile(
    r"^\s*([0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\s", re.IGNORECASE
)
_REVISION: Final = re.compile(r"\(rev [0-9a-f]{2}\)", re.I)
_CHIP: Final = re.compile(r"([a-z]{2}\d{2,3}[a-z]?)(?:gl|glm|m|bm)?", re.ASCII)
_WORDS: Final = re.compile(r"[a-z0-9]+", re.ASCII)
_BRACKETS: Final = re.compile(r"\[([^\]]+)\][^\[\]]*$")


def named_products(text: str, rows: Iterable[RowValue]) -> list[RowValue]:
    """The rows of the GPU that *text* names. These are the rows of its chip, or else those with the
    longest product name after which only words are left that change no capability."""
    rows = tuple(rows)
    plain = _REVISION.sub(" ", _ADDRESS.sub(" ", text))
    by_chip = [row for row in rows if _has_chip(row, plain)]
    if by_chip:
        return by_chip
    found: list[RowValue] = []
    longest = 0
    for spelling in _spellings(plain):
        words = frozenset(_words(spelling))
        for row in rows:
            length = max(map(len, _names_in(words, product_names(row))), default=0)
            if length > longest:
                found, longest = [], length
            if length and length == longest and row not in found:
                found.append(row)
    return found


def nearest_product(text: str, rows: Iterable[RowValue]) -> str | None:
    """The product that *text* was probably meant to be."""
    known: dict[str, str] = {}
    for row in rows:
        for name in product_names(row):
            known.setdefault(" ".join(_core(name)), name)
            known[" ".join(_words(name))] = name
    close = nearest(" ".join(_core(text)), known)
    return known[close] if close is not None else None


def _spellings(text: str) -> Sequence[str]:
    """The names in *text*: brackets, as `lspci` prints them, may hold several."""
    bracketed = _BRACKETS.search(text)
    if bracketed is None:
        return (text,)
    first, *others = bracketed[1].split("/")
    # `Radeon RX 6800/6800 XT` does not repeat the brand.
    head = re.match(r"(.*?)(?=\S*\d)", first)
    return (first, *(f"{head[1] if head is not None else ''} {other}" for other in others))


def _has_chip(row: RowValue, text: str) -> bool:
    chips = texts_fact(row, "chips") or ()
    if not chips:
        return False
    # AMD's chips have names of several words: `Navi 31`.
    lower = f" {' '.join(_words(text))} "
    bare = {found[1] for word in _words(text) if (found := _CHIP.fullmatch(word)) is not None}
    return any(
        f" {chip.lower()} " in lower if " " in chip else chip.lower() in bare for chip in chips
    )


def _names_in(words: frozenset[str], names: Iterable[str]) -> list[frozenset[str]]:
    """The words of those *names* that are in *words*, which has no other significant word."""
    found = (frozenset(_core(name)) for name in names)
    return [one for one in found if one and one <= words and _is_beside(words - one)]


def _core(name: str) -> list[str]:
    """The words of *name* that distinguish products."""
    words = _words(name)
    return [word for word in words if not _is_beside((word,))] or words


def _is_beside(words: Iterable[str]) -> bool:
    return all(word in _BESIDE or _SIZE.fullmatch(word) is not None for word in words)


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.lower())
