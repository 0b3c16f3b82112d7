"""Changes of sources, as data."""

from __future__ import annotations

from tvarc.light import Iterable, Mapping, dataclass
from tvarc.text.source import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """*text* replaces the text at *span*. With an empty span it is an insertion, and an empty text
    is a removal."""

    SHOWN = ("span", "start", "end", "text")
    KEYS = (("span", ""),)

    span: Span
    text: str

    @property
    def start(self) -> int:
        """The start in characters of the file, from 0."""
        return self.span.start

    @property
    def end(self) -> int:
        return self.span.end


def edited(texts: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str]:
    """The contents of the files that *edits* change, after all edits. No two edits may overlap."""
    found: dict[str, str] = {}
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        file, start, end = edit.span.file, edit.span.start, edit.span.end
        text = found.get(file, texts[file])
        found[file] = text[:start] + edit.text + text[end:]
    return found
