"""A loader of sources in their state after edits."""

from __future__ import annotations

from tvarc.files.disk import joined, place_of, placed
from tvarc.light import Mapping, dataclass, field
from tvarc.text.source import FileKind, Source, SourceLoader


class Through:
    """The base of loaders that read some files themselves, and the standard library through
    *base*."""

    __slots__ = ()

    base: SourceLoader
    inputs: dict[str, str]

    def join(self, importer: str, relative: str) -> str:
        return joined(importer, relative, self.inputs)

    def std(self, name: str) -> str | None:
        return self.base.std(name)

    def std_names(self) -> tuple[str, ...]:
        return self.base.std_names()


@dataclass(frozen=True, slots=True, eq=False)
class EditedLoader(Through):
    """Reads sources through the loader *base*, except the files whose new text it has."""

    base: SourceLoader
    texts: Mapping[str, str]
    inputs: dict[str, str] = field(default_factory=dict)

    def read(self, file: str) -> Source:
        if file in self.texts:
            return Source(file, self.texts[file])
        return Source(file, self.base.read(place_of(self, file)).text)

    def identity(self, file: str) -> str:
        return self.base.identity(placed(file, self.inputs))

    def kind(self, file: str) -> FileKind:
        return self.base.kind(place_of(self, file))
