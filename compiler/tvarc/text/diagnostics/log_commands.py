"""Text that is printed into the log of a build, and is no command to the service that runs it."""

from __future__ import annotations

from tvarc.light import Final

_RUNNERS: Final = r"##(?=\[|vso\[|teamcity\[)"


def without_commands(text: str) -> str:
    """*text* with nothing in it that the log of a build may be searched for: lines that begin with
    `::` (GitHub), and `##[…]`, `##vso[…]`, `##teamcity[…]` anywhere in a line."""
    if "##" in text:
        import re  # hardly a text has the sign

        text = re.sub(_RUNNERS, "<U+0023>#", text, flags=re.IGNORECASE)
    if "::" not in text:
        return text
    # A lone CR ends a line for some runners.
    lines = text.replace("\r", "\n").split("\n") if "\r" in text else text.split("\n")
    at = 0
    for number, line in enumerate(lines):
        end = at + len(line)
        rest = line.lstrip()
        if rest.startswith("::"):
            lines[number] = f"{line[: len(line) - len(rest)]}<U+003A>{rest[1:]}"
        lines[number] += text[end : end + 1]  # as it was
        at = end + 1
    return "".join(lines)
