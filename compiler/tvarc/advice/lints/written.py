"""The lints on the sources of a program, which do not depend on variants."""

from __future__ import annotations

from tvarc.advice.lints.model import Lint, lint
from tvarc.light import Any, Final, Iterable, Iterator
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.source import Source, Span


def silence(name: str) -> str:
    """The end of a help text: how a program silences the lint *name*."""
    return f'or `warn {name} = off because "…"`'


def reported(one: Lint[Any], title: str, label: Label, note: str, help: str) -> Diagnostic:
    """The warning of the lint *one* about the source at *label*."""
    ending = f"{help}; {silence(one.name)}"
    return Diagnostic(
        one.code,
        f"{one.name}: {title}",
        (label,),
        (note,),
        ending,
        Severity.WARNING,
        one.name,
    )


_PLAIN = "in a string, only `{{…}}` inserts a value; the rest reaches the build unchanged"


@lint("W116", "nix-mark-in-text", "Nix interpolation in a string")
def nix_mark(span: Span, what: str, help: str) -> Diagnostic:
    """`${pkgs.zlib}` or `${gpu}` in a string, which stays as it is written."""
    return reported(nix_mark, what, Label(span, "plain text here", True), _PLAIN, help)


@lint("W132", "other-mark-in-text", "interpolation of another language in a string")
def other_mark(span: Span, what: str, help: str) -> Diagnostic:
    """`{gpu.label}`, `$gpu` or `${{ gpu }}` in a string, the way in which other languages write a
    value."""
    return reported(other_mark, what, Label(span, "plain text here", True), _PLAIN, help)


@lint("W133", "value-not-in-axis", "value that is not in the axis")
def foreign_value(span: Span, axis: str, value: str, note: str) -> Diagnostic:
    """An `exclude` that compares an axis with a value which the axis does not have."""
    title = f"`{axis}` is never `{value}`"
    label = Label(span, "not a value of the axis", True)
    return reported(
        foreign_value, title, label, note, "name a value of the axis, or remove this one"
    )


@lint("W153", "exclusion-without-reason", "exclusion without a reason")
def bare_exclusion(span: Span) -> Diagnostic:
    """An `exclude` without a `because`."""
    title = "this exclusion gives no reason"
    label = Label(span, "no `because`", True)
    note = "`list --excluded` and `why-not` show the reason"
    return reported(bare_exclusion, title, label, note, 'write the reason after it, `because "…"`')


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
