"""The effects of lines of source, in all variants."""

from __future__ import annotations

from tvarc.build.assembly.entries import Entry
from tvarc.build.assembly.source_map import ReachedVariant
from tvarc.light import dataclass, field


@dataclass(slots=True)
class Found:
    """The effects of some source lines in all variants.

    - `names` and `files`: those of the variants.
    - `lines`: groups of variants, by their numbers, whose files have effects on the same lines.
      Lines are numbered from 1.
    - `entries`: the effects that are on no line.
    """

    names: list[str] = field(default_factory=list)
    files: list[tuple[str, ...]] = field(default_factory=list)
    lines: dict[tuple[int, ...], list[int]] = field(default_factory=dict)
    entries: dict[Entry, list[int]] = field(default_factory=dict)

    def add(self, other: Found) -> None:
        """Add the variants of *other* at the end."""
        first = len(self.names)
        self.names += other.names
        self.files += other.files
        for lines, numbers in other.lines.items():
            self.lines.setdefault(lines, []).extend([first + number for number in numbers])
        for entry, numbers in other.entries.items():
            self.entries.setdefault(entry, []).extend([first + number for number in numbers])

    def add_one(self, name: str, one: ReachedVariant) -> None:
        """Add the effects in one variant."""
        number = len(self.names)
        self.names.append(name)
        self.files.append(one.files)
        for reached in dict.fromkeys(one.lines):
            if reached:
                self.lines.setdefault(reached, []).append(number)
        for entry in dict.fromkeys(one.entries):
            self.entries.setdefault(entry, []).append(number)
