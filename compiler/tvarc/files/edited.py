"""Sources as they would be after edits."""

from __future__ import annotations

from tvarc.light import Mapping, dataclass
from tvarc.text.source import FileKind, Source, SourceLoader


@dataclass(frozen=True, slots=True, eq=False)
class EditedLoader:
    """Reads sources through the loader *base*, except the files whose new text it has."""

    base: SourceLoader
    texts: Mapping[str, str]

    def read(self, file: str) -> Source:
        return Source(file, self.texts[file]) if file in self.texts else self.base.read(file)

    def join(self, importer: str, relative: str) -> str:
        return self.base.join(importer, relative)

    def identity(self, file: str) -> str:
        return self.base.identity(file)

    def kind(self, file: str) -> FileKind:
        return self.base.kind(file)

    def std(self, name: str) -> str | None:
        return self.base.std(name)

    def std_names(self) -> tuple[str, ...]:
        return self.base.std_names()
