"""Taking strings and scripts apart: escapes, and where interpolations begin and end."""

from __future__ import annotations

from tvarc.light import Callable, Final, dataclass

# Reports a fault: start, end, title, label, help.
Report = Callable[[int, int, str, str, str], None]

_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_ESCAPES = 'escapes are `\\n`, `\\t`, `\\r`, `\\"`, `\\\\`, `\\u{…}` and `\\{{`'


@dataclass(frozen=True, slots=True)
class Interpolation:
    """An interpolation's place: offsets of `{{` and after `}}`."""

    start: int
    end: int


def interpolation_end(text: str, start: int, limit: int) -> int | None:
    """Offset after the `}}` that closes the `{{` at *start*, on its line and outside of strings."""
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
    """The pieces of the string between the quotes, which stand before *start* and at *end*."""
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
                report(at, end, "an interpolation is not closed", "no `}}` follows", "add `}}`")
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
    """The pieces of a script's text, line ends made `\\n`; only `{{` and `\\{{` mean something."""
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
            report(
                found,
                at,
                "an interpolation is not closed",
                "no `}}` follows on this line",
                "close it with `}}`, or write `\\{{` for the characters `{{`",
            )
            continue
        _flush(run, pieces)
        pieces.append(Interpolation(found, close))
        at = close
    run.append(text[at:end])
    _flush(run, pieces)
    return [unix(piece) if isinstance(piece, str) else piece for piece in pieces]


def fence_of(text: str, start: int) -> int:
    """How many quotes open the script at *start*: 3 to 5; six are an empty one of fence 3."""
    count = 0
    while text.startswith('"', start + count):
        count += 1
    return count if count < 6 else 3


def unix(text: str) -> str:
    """*text* with its line ends made `\\n`."""
    return text.replace("\r\n", "\n")


def _flush(run: list[str], pieces: list[str | Interpolation]) -> None:
    joined = "".join(run)
    run.clear()
    if joined:
        pieces.append(joined)


def line_end(text: str, at: int, limit: int) -> int:
    """Where the line of *at* ends, before its line end; at *limit* at the latest."""
    found = text.find("\n", at, limit)
    end = found if found >= 0 else limit
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _escape(text: str, at: int, end: int, report: Report) -> tuple[str, int]:
    """What the backslash at *at* stands for, and the offset after it."""
    if text.startswith("\\{{", at, end):
        return "{{", at + 3
    letter = text[at + 1] if at + 1 < end else ""
    if letter in _SIMPLE:
        return _SIMPLE[letter], at + 2
    if text.startswith("\\u{", at, end):
        return _code_point(text, at, end, report)
    advice = _ESCAPES + "; write `\\\\` for a backslash"
    if letter == "u":
        advice = "write the code point in braces: `\\u{2013}`"
    elif letter == "{":
        advice = "a single `{` needs no backslash"
    shown = f"`\\{letter}`" if letter.isprintable() else "this one"
    report(at, min(at + 2, end), "unknown escape in a string", f"{shown} has no meaning", advice)
    return letter, at + 2


def _code_point(text: str, at: int, end: int, report: Report) -> tuple[str, int]:
    close = text.find("}", at, min(end, at + 12))
    digits = text[at + 3 : close] if close >= 0 else ""
    stop = close + 1 if close >= 0 else at + 3
    if 0 < len(digits) <= 6 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
        value = int(digits, 16)
        if 0 < value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF:
            return chr(value), stop
    report(
        at,
        stop,
        "this is not a character",
        "a string cannot contain this code point",
        "write `\\u{…}` with one to six hexadecimal digits, from 1 to 10FFFF, without D800 to DFFF",
    )
    return "", stop
