"""What a build made beside recipes, as its record has it: files for other systems, and the parts of
persons' files that are ours.

Of a person's file all of it has to be as it was: whoever changed it may have written into a part
that is ours. Where the workflow of a repository lands depends on folders that may become one.
"""

from __future__ import annotations

from tvarc.digest import blake2b
from tvarc.files.git.repository import top_of
from tvarc.files.output.plan import Shared
from tvarc.files.persons import SharedFile
from tvarc.light import Any, Sequence, dataclass
from tvarc.text.diagnostics.model import Sink


@dataclass(frozen=True, slots=True)
class Beside:
    """Files that are reported `apart`, by their paths; `shared` ones that need no change; and the
    digests of these, by their paths. `tops` has the top folder of a repository for each real folder
    from which it was searched."""

    apart: tuple[str, ...]
    shared: tuple[Shared, ...]
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
    shared: Sequence[Shared],
    tops: dict[str, str],
    *,
    writes: bool,
) -> Beside | None:
    """What a build made beside recipes, or where it *writes* nothing found; None where the next one
    would have something to do, or to tell that depends on how it is asked."""
    if any(one.stale or one.kept or (one.differs and not writes) for one in shared):
        return None
    digests = {one.path: _digest(one.text) for one in shared}
    done = [_done(one.path, one.is_page, one.total) for one in shared]
    return Beside(tuple(apart), tuple(done), digests, tops)


def _done(path: str, is_page: bool, total: int) -> Shared:
    """A file in which all entries or parts are as they should be."""
    return Shared(path, "", is_page, unchanged=total)


def _digest(text: str | None) -> str:
    return "" if text is None else blake2b(text.encode(), digest_size=32).hexdigest()


# --- as plain data ---------------------------------------------------------------------------


def written(found: Beside) -> Any:
    """*found* as `read` takes it."""
    shared = [(one.path, one.is_page, one.unchanged) for one in found.shared]
    return found.apart, shared, found.digests, found.tops


def read(data: Any) -> Beside:
    apart, shared, digests, tops = data
    return Beside(apart, tuple([_done(*one) for one in shared]), digests, tops)
