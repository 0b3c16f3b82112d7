"""Characters of a source that change the order in which its text is shown: what a person reads is
not what is compiled then."""

from __future__ import annotations

from tvarc.diagnostics.model import Diagnostic, Label, Severity
from tvarc.diagnostics.warning_names import LINTS
from tvarc.light import Final, Iterable, Iterator
from tvarc.source import Source, Span

HIDDEN_DIRECTION: Final = "hidden-direction"

_CONTROLS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""The characters with the property Bidi_Control of Unicode."""
_SHOWN: Final = 10  # places of one file


def hidden_directions(sources: Iterable[Source]) -> Iterator[Diagnostic]:
    """For each of *sources* that holds such characters a warning with their places."""
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
            LINTS[HIDDEN_DIRECTION],
            f"{HIDDEN_DIRECTION}: invisible characters change the direction of the text",
            tuple(labels),
            tuple(notes),
            "remove them; if a value must contain one, write it as an escape, such as "
            f'`\\u{{202e}}`; or `warn {HIDDEN_DIRECTION} = off because "…"`',
            Severity.WARNING,
            HIDDEN_DIRECTION,
        )
