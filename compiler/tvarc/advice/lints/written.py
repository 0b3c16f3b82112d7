"""The lints on the sources of a program, which do not depend on variants."""

from __future__ import annotations

from tvarc.advice.lints.model import Lint, lint
from tvarc.light import Any
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.source import Span


def silence(name: str) -> str:
    """How a program silences the lint *name*, as the end of a help."""
    return f'or `warn {name} = off because "…"`'


def reported(one: Lint[Any], title: str, label: Label, note: str, help: str) -> Diagnostic:
    """The warning of *one* about the source at *label*."""
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
    """An `exclude` that names a row which is not a value of its axis."""
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
