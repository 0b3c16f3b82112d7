"""The characters that stand for something while texts are compared; no recipe has them."""

from __future__ import annotations

import re

from tvarc.light import Final

FOLD_OPEN: Final = "\ue000"
FOLD_CLOSE: Final = "\ue001"
"""Around what the interpolation of a constant has given."""
NIX_OPEN: Final = "\ue002"
NIX_CLOSE: Final = "\ue003"
"""Around the number of an expression that only Nix knows."""
CODE_OPEN: Final = "\ue004"
CODE_CLOSE: Final = "\ue005"
"""Around an expression of the language, which every variant has for itself."""

PRIVATE: Final = (FOLD_OPEN, FOLD_CLOSE, NIX_OPEN, NIX_CLOSE, CODE_OPEN, CODE_CLOSE)

FOLDED: Final = re.compile(f"{FOLD_OPEN}([^{FOLD_CLOSE}]*){FOLD_CLOSE}")
"""Finds what was folded, with its marks."""
_FOLDS: Final = re.compile(f"[{FOLD_OPEN}{FOLD_CLOSE}]")


def plain(text: str) -> str:
    """*text* as it is, without the marks of what was folded."""
    return _FOLDS.sub("", text) if FOLD_OPEN in text or FOLD_CLOSE in text else text
