"""The list of sources at the head of a module of facts.

There `# Sources:` begins a list of `#   ID  what it is`, each perhaps going on in further lines.
"""

from __future__ import annotations

import re

_ENTRY = re.compile(r"#   (\S+) {2,}(\S.*)")
_MORE = re.compile(r"# {6,}(\S.*)")


def listed_sources(text: str) -> dict[str, str]:
    """What each id stands for, in the order of the list; empty where there is none."""
    found: dict[str, str] = {}
    last = ""
    for line in text.partition("# Sources:\n")[2].splitlines():
        entry, more = _ENTRY.fullmatch(line), _MORE.fullmatch(line)
        if entry is not None:
            last = entry[1]
            found[last] = entry[2]
        elif more is not None and last:
            found[last] += f" {more[1]}"
        else:
            break
    return found
