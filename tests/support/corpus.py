"""Programs to try the front end on: every one of the project, and what becomes of them by edits."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from support.compile import ROOT

WORDS = (
    "let", "axis", "recipe", "extends", "when", "exclude", "because", "part", "before", "none",
    "in", "not", "is", "if", "then", "else", "where", "default", "{", "}", "(", ")", "[", "]",
    ",", ".", "..", "...", "=", "+=", "-=", "==", "<", ":", "?", "*", "\n", "\r\n", " ", "#", '"',
    '"""', '"a"', '"{{b}}"', '"""\n  x {{y}}\n"""', 'nix"""{ }"""', "a-b", "1", "13.0", "1x", "é",
    "$", "\\", "\ufeff",
)  # fmt: skip


FILES = sorted(
    path
    for folder in ("stdlib", "templates", "examples", "tests/snapshots", ".")
    for path in (ROOT / folder).glob("*.tvar" if folder == "." else "**/*.tvar")
)


@cache
def programs() -> tuple[str, ...]:
    """The texts of all programs here, shortest first."""
    texts = {text for path in FILES if (text := _text(path)) is not None}
    return tuple(sorted(texts, key=lambda text: (len(text), text)))


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None  # a case of its own


@st.composite
def edited(draw: st.DrawFn, longest: int = 6000) -> str:
    """A program after a few edits, most of them wrong."""
    *_, text = draw(edits(longest))
    return text


@st.composite
def edits(draw: st.DrawFn, longest: int = 6000) -> list[str]:
    """A program, and what becomes of it by a few edits, one after the other. Most of them are
    wrong."""
    text = draw(st.sampled_from([one for one in programs() if 0 < len(one) <= longest]))
    texts = [text]
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 10, 60])))
        words = draw(st.lists(st.sampled_from(WORDS), max_size=3))
        text = text[:start] + "".join(words) + text[end:]
        texts.append(text)
    return texts
