"""Characters that are marks while texts are compared. No recipe contains them."""

from __future__ import annotations

import re

from tvarc.light import Final

FOLD_OPEN: Final = "\ue000"
FOLD_CLOSE: Final = "\ue001"
"""The marks around the value of an interpolated constant."""
NIX_OPEN: Final = "\ue002"
NIX_CLOSE: Final = "\ue003"
"""The marks around the number of an expression that only Nix can evaluate."""
CODE_OPEN: Final = "\ue004"
CODE_CLOSE: Final = "\ue005"
"""The marks around an expression of the language, whose value differs between variants."""

PRIVATE: Final = (FOLD_OPEN, FOLD_CLOSE, NIX_OPEN, NIX_CLOSE, CODE_OPEN, CODE_CLOSE)

FOLDED: Final = re.compile(f"{FOLD_OPEN}([^{FOLD_CLOSE}]*){FOLD_CLOSE}")
"""Finds folded text with its marks."""
_FOLDS: Final = re.compile(f"[{FOLD_OPEN}{FOLD_CLOSE}]")


def plain(text: str) -> str:
    """*text* without the marks of folded text."""
    return _FOLDS.sub("", text) if FOLD_OPEN in text or FOLD_CLOSE in text else text
