"""A text of the language in pieces: characters, and expressions between them."""

from __future__ import annotations

from tvarc.light import Callable, Sequence, dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: characters, or an expression."""

    text: str
    is_code: bool


def shown(pieces: Sequence[Piece], written: Callable[[str], str]) -> str:
    """*pieces* side by side, characters of texts *written* so."""
    made: list[str] = []
    text = ""
    for piece in pieces:
        if not piece.is_code:
            text += piece.text
            continue
        braces = len(text) - len(text.rstrip("{"))
        if braces % 2:  # it would be taken for a brace of the expression
            made += [written(text[:-1]), '{{"{"}}']
        else:
            made.append(written(text))
        made.append("{{" + piece.text + "}}")
        text = ""
    return "".join([*made, written(text)])
