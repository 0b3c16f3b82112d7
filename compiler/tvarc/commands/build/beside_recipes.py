"""What a build made beside recipes, as its record has it: files for other systems, and the parts of
persons' files that are ours.

Of a person's file all of it has to be as it was: whoever changed it may have written into a part
that is ours. Where the workflow of a repository lands depends on folders that may become one.
"""

from __future__ import annotations

from tvarc.build.manifest.model import Asked, Edited, Manifest
from tvarc.commands.documents.parts import Page
from tvarc.digest import blake2b
from tvarc.files.git.repository import top_of
from tvarc.files.persons import SharedFile
from tvarc.light import Any, Sequence, dataclass
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span

_NO_SPAN = Span("", 0, 0)


@dataclass(frozen=True, slots=True)
class Beside:
    """Files that are reported `apart`, by their paths; manifests and pages that need no change; and
    the digests of these, by their paths. `tops` has the top folder of a repository for each real
    folder from which it was searched."""

    apart: tuple[str, ...]
    manifests: tuple[Manifest, ...]
    pages: tuple[Page, ...]
    digests: dict[str, str]
    tops: dict[str, str]

    def still_so(self, root: str) -> bool:
        """Whether all of it is as it was below *root*."""
        return all(top_of(folder) == top for folder, top in self.tops.items()) and all(
            _digest(SharedFile(root, path, (), Sink()).text) == digest
            for path, digest in self.digests.items()
        )


def beside(
    apart: Sequence[str],
    manifests: Sequence[Manifest],
    pages: Sequence[Page],
    tops: dict[str, str],
    *,
    writes: bool,
) -> Beside | None:
    """What a build made beside recipes, or where it *writes* nothing found; None where the next one
    would have something to do, or to tell that depends on how it is asked."""
    if any(one.edited.stale or one.edited.kept for one in manifests):
        return None
    differ = any(one.differs for one in manifests) or any(one.differs for one in pages)
    if differ and not writes:
        return None
    digests = {
        **{one.asked.path: _digest(one.edited.text) for one in manifests},
        **{one.path: _digest(one.text) for one in pages},
    }
    return Beside(
        tuple(apart),
        tuple([_done(one.asked.path, len(one.asked.entries)) for one in manifests]),
        tuple([_filled(one.path, one.parts) for one in pages]),
        digests,
        tops,
    )


def _done(path: str, entries: int) -> Manifest:
    """A manifest that has all of its *entries*."""
    return Manifest(Asked("", path, _NO_SPAN, {}), Edited("", unchanged=entries), created=False)


def _filled(path: str, parts: int) -> Page:
    """A page on which all *parts* are as they should be."""
    return Page(path, "", created=False, changed=(), parts=parts, takes_over=False)


def _digest(text: str | None) -> str:
    return "" if text is None else blake2b(text.encode(), digest_size=32).hexdigest()


# --- as plain data ---------------------------------------------------------------------------


def written(found: Beside) -> Any:
    """*found* as `read` takes it."""
    return (
        found.apart,
        [(one.asked.path, one.edited.unchanged) for one in found.manifests],
        [(one.path, one.parts) for one in found.pages],
        found.digests,
        found.tops,
    )


def read(data: Any) -> Beside:
    apart, manifests, pages, digests, tops = data
    return Beside(
        apart,
        tuple([_done(*one) for one in manifests]),
        tuple([_filled(*one) for one in pages]),
        digests,
        tops,
    )
