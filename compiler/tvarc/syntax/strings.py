"""Takes strings and scripts apart: escapes, and the start and end of interpolations."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Final, Protocol, dataclass

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message, Text


class Report(Protocol):
    """Reports a fault between two offsets of a text."""

    def __call__(self, message: Message, start: int, end: int, **fields: Text) -> None: ...


_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Interpolation:
    """The place of an interpolation: the offset of its `{{`, and the offset after its `}}`."""

    start: int
    end: int


def interpolation_end(text: str, start: int, limit: int) -> int | None:
    """The offset after the `}}` that closes the `{{` at *start*. It is on the same line and outside
    of strings."""
    at = start + 2
    while at < limit and text[at] != "\n":
        if text[at] == '"':
            at += 1
            while at < limit and text[at] not in '"\n':
                at += 2 if text[at] == "\\" else 1
            if at >= limit or text[at] == "\n":
                return None
        elif text.startswith("}}", at, limit):
            return at + 2
        at += 1
    return None


def read_string(text: str, start: int, end: int, report: Report) -> list[str | Interpolation]:
    """The pieces of the string whose text is from *start* to *end*, between the quotes."""
    pieces: list[str | Interpolation] = []
    run: list[str] = []
    at = start
    while at < end:
        char = text[at]
        if char == "\\":
            decoded, at = _escape(text, at, end, report)
            run.append(decoded)
        elif char == "{" and text.startswith("{{", at, end):
            close = interpolation_end(text, at, end)
            if close is None:  # the lexer lets none of these through
                close = end
                from tvarc.syntax import messages as msg

                report(msg.strings.NOT_CLOSED_IN_STRING, at, end)
            _flush(run, pieces)
            pieces.append(Interpolation(at, close))
            at = close
        else:
            stop = at + 1
            while stop < end and text[stop] not in "\\{":
                stop += 1
            run.append(text[at:stop])
            at = stop
    _flush(run, pieces)
    return pieces


def read_script(text: str, start: int, end: int, report: Report) -> list[str | Interpolation]:
    """The pieces of a script's text, with line ends as `\\n`. Only `{{` and `\\{{` have a meaning
    in it."""
    pieces: list[str | Interpolation] = []
    run: list[str] = []
    at = start
    while (found := text.find("{{", at, end)) >= 0:
        if found > at and text[found - 1] == "\\":
            run += (text[at : found - 1], "{{")
            at = found + 2
            continue
        run.append(text[at:found])
        close = interpolation_end(text, found, end)
        if close is None:
            at = line_end(text, found, end)
            from tvarc.syntax import messages as msg

            report(msg.strings.NOT_CLOSED, found, at)
            continue
        _flush(run, pieces)
        pieces.append(Interpolation(found, close))
        at = close
    run.append(text[at:end])
    _flush(run, pieces)
    return [unix(piece) if isinstance(piece, str) else piece for piece in pieces]


def fence_of(text: str, start: int) -> int:
    """The number of quotes that open the script at *start*: 3 to 5. Six quotes are an empty script
    with 3."""
    count = 0
    while text.startswith('"', start + count):
        count += 1
    return count if count < 6 else 3


def unix(text: str) -> str:
    """*text* with `\\n` as its line ends."""
    return text.replace("\r\n", "\n")


def _flush(run: list[str], pieces: list[str | Interpolation]) -> None:
    joined = "".join(run)
    run.clear()
    if joined:
        pieces.append(joined)


def line_end(text: str, at: int, limit: int) -> int:
    """The offset of the line end after *at*, at most *limit*."""
    found = text.find("\n", at, limit)
    end = found if found >= 0 else limit
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _escape(text: str, at: int, end: int, report: Report) -> tuple[str, int]:
    """The value of the escape at *at*, and the offset after it."""
    if text.startswith("\\{{", at, end):
        return "{{", at + 3
    letter = text[at + 1] if at + 1 < end else ""
    if letter in _SIMPLE:
        return _SIMPLE[letter], at + 2
    if text.startswith("\\u{", at, end):
        return _code_point(text, at, end, report)
    from tvarc.syntax import messages as msg

    if letter == "u":
        report(msg.strings.CODE_POINT_WITHOUT_BRACES, at, at + 2)
    elif letter == "{" and text[at - 1] != "{":
        report(msg.strings.ESCAPED_BRACE, at, at + 2)
    elif letter == "(":
        report(msg.strings.VALUE_AS_ESCAPE, at, at + 2)
    else:
        shown = f"`\\{letter}`" if letter.isprintable() else "this one"
        report(msg.strings.UNKNOWN_ESCAPE, at, min(at + 2, end), shown=shown)
    return letter, at + 2


def _code_point(text: str, at: int, end: int, report: Report) -> tuple[str, int]:
    close = text.find("}", at, min(end, at + 12))
    digits = text[at + 3 : close] if close >= 0 else ""
    stop = close + 1 if close >= 0 else at + 3
    if 0 < len(digits) <= 6 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
        value = int(digits, 16)
        if 0 < value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF:
            return chr(value), stop
    from tvarc.syntax import messages as msg

    report(msg.strings.NO_CHARACTER, at, stop)
    return "", stop
