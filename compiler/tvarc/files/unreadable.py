"""Reports a file that cannot be read."""

from __future__ import annotations

from tvarc.files import messages as msg
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span, UnreadableSource


def report_unreadable(
    fault: UnreadableSource,
    sink: Sink,
    span: Span | None = None,
    *,
    label: str = "",
    advice: str = "",
) -> None:
    """Report a file that cannot be read, by the code of *fault*. If it is named in a source, it is
    named at *span*, which gets the *label*. *advice* is the help."""
    match fault.code:
        case "E107":
            message = msg.reading.NOT_UTF8
        case "E108":
            message = msg.reading.TOO_LARGE
        case _:
            message = msg.reading.UNREADABLE
    sink.report(message, span, file=fault.file, reason=fault.reason, label=label, advice=advice)
