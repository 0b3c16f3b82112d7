"""Where another machine gets tvarc from: a commit of its repository, or a release by its hash."""

from __future__ import annotations

import re

from tvarc.light import Final, dataclass

_COMMIT: Final = re.compile(r"github:([A-Za-z0-9][A-Za-z0-9-]*)/([A-Za-z0-9._-]+)/([0-9a-f]{40})")
_RELEASE: Final = re.compile(r"https://[^\s#]+/tvarc-[^\s#/]+\.(?:whl|tar\.gz)#sha256=[0-9a-f]{64}")

FORMS: Final = (
    "`github:OWNER/tvarc/REV`, with the 40 digits of a commit; or the address of a released file "
    "with its hash, `https://…/tvarc-VERSION-py3-none-any.whl#sha256=…`"
)
"""What a reference looks like, for messages."""
MOVES: Final = "a name or a branch may point to another program tomorrow"
"""Why it looks like that."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The place from which tvarc is installed: `requirement` is its form for pip."""

    requirement: str


def reference(text: str) -> Reference | None:
    """The version that *text* refers to; None if it may refer to another one later, or to
    nothing.
    """
    commit = _COMMIT.fullmatch(text)
    if commit is not None:
        owner, name, rev = commit.groups()
        return Reference(f"git+https://github.com/{owner}/{name}@{rev}")
    return Reference(text) if _RELEASE.fullmatch(text) else None
