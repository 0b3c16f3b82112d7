"""What an audit found, as data."""

from __future__ import annotations

from enum import Enum

from tvarc.audit.model import RecipeFacts
from tvarc.light import Final, dataclass, field
from tvarc.nix.syntax import NOWHERE, Extent

UNKNOWN: Final = "W217"  # what is not understood


class State(Enum):
    """What a file is to the matrix."""

    CURRENT = "current"  # as tvarc writes it
    STALE = "stale"  # ours, and the source says something else now
    EDITED = "edited"  # ours, and changed by hand since
    FOREIGN = "not ours"  # in the place of a recipe
    GONE = "no longer in the matrix"  # ours, of no cell
    EXTRA = "extra"  # not ours, of no cell, and akin to the recipes
    UNRELATED = "unrelated"  # not ours, and nothing to do with the recipes
    OTHER = "of another program"  # made by tvarc from another source
    UNREADABLE = "unreadable"
    HIDDEN = "hidden"  # another file is the package of its name


@dataclass(slots=True)
class AuditedFile:
    """A file of the folder. `facts` are those of files that are not as tvarc writes them."""

    path: str
    package: str
    state: State
    variant: str = ""
    facts: RecipeFacts | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is out of line: its code, the file (below the folder, empty for none), the
    place in it, a clause that says what, and notes with what speaks for it."""

    code: str
    file: str
    text: str
    place: Extent = NOWHERE
    notes: tuple[str, ...] = ()
    subject: str = ""


@dataclass(slots=True)
class Audit:
    """All that was found: files by path, findings by code and file, texts of the files that
    findings point into. `unread` counts the files for which there is no reader."""

    cells: int = 0
    files: list[AuditedFile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    unread: int = 0
    whole: bool = True

    @property
    def departures(self) -> list[Finding]:
        """The findings that say that something is out of line; all others say that it is not known
        whether it is."""
        return [one for one in self.findings if one.code != UNKNOWN]

    def count(self, state: State) -> int:
        return sum(file.state is state for file in self.files)
