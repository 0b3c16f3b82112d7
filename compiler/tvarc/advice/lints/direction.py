"""Characters of a source that change the order in which its text is shown: a person then reads
something else than the compiler.
"""

from __future__ import annotations

from tvarc.advice.lints.model import lint
from tvarc.advice.lints.written import silence
from tvarc.light import Final, Iterable, Iterator
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.source import Source, Span

_CONTROLS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""The characters with the property Bidi_Control of Unicode."""
_SHOWN: Final = 10  # places of one file


@lint(
    "W118",
    "hidden-direction",
    "hidden text direction",
    "invisible characters change the direction of the text",
)
def hidden_direction(sources: Iterable[Source]) -> Iterator[Diagnostic]:
    """Characters that change the direction in which the source is shown.

    Each of *sources* with such characters gets one warning, with their places.
    """
    for source in sources:
        text = source.text
        if text.isascii() or _CONTROLS.isdisjoint(text):
            continue
        places = [at for at, char in enumerate(text) if char in _CONTROLS]
        labels = [
            Label(Span(source.file, at, at + 1), f"U+{ord(text[at]):04X}", primary=number == 0)
            for number, at in enumerate(places[:_SHOWN])
        ]
        more = len(places) - len(labels)
        notes = ["an editor or a review may not show the program that tvarc compiles"]
        if more:
            notes.append(f"and {more} more in this file")
        yield Diagnostic(
            hidden_direction.code,
            f"{hidden_direction.name}: {hidden_direction.what}",
            tuple(labels),
            tuple(notes),
            "remove them; if a value must contain one, write it as an escape, such as "
            f"`\\u{{202e}}`; {silence(hidden_direction.name)}",
            Severity.WARNING,
            hidden_direction.name,
        )
