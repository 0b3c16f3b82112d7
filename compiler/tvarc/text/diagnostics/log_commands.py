"""Text for the log of a build, without commands to the service that runs the build."""

from __future__ import annotations

from tvarc.light import Final

_RUNNERS: Final = r"##(?=\[|vso\[|teamcity\[)"


def without_commands(text: str) -> str:
    """*text* without commands that a service may search for in the log of a build: lines that begin
    with `::` (GitHub), and `##[…]`, `##vso[…]` and `##teamcity[…]` anywhere in a line."""
    if "##" in text:
        import re  # few texts have the sign

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
