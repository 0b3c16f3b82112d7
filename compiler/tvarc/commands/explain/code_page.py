"""The page on the code of an error or a warning."""

from __future__ import annotations

from tvarc.files.resources import error_page
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.registry import CODES
from tvarc.text.diagnostics.suggest import did_you_mean
from tvarc.values.plain import Data


def is_code(word: str) -> bool:
    """Whether *word* looks like a code, whether or not there is one."""
    letter, digits = word[:1], word[1:]
    return letter in tuple("EWew") and len(digits) in (3, 4) and digits.isdecimal()


def code_page(code: str, sink: Sink) -> Data | None:
    """The code, its title and its page; None, which is reported, where there is no such code."""
    if code not in CODES:
        sink.error("E904", f"there is no code `{code}`", help=did_you_mean(code, CODES))
        return None
    page = error_page(code) or f"# {code}: {CODES[code]}\n"
    return {"code": code, "title": CODES[code], "page": page}
