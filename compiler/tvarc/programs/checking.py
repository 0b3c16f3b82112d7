"""All that a program makes, looked at and not written: `check` does this."""

from __future__ import annotations

import posixpath

from tvarc.driver import Compilation


def check_all(made: Compilation) -> None:
    """Decide each variant of *made*, and make what its outputs write. What is wrong is put into
    its sink; where one of these has errors, the next is not begun."""
    # Files are not made before their text is asked for; an error wants each variant looked at.
    source = posixpath.basename(made.file)
    everything = made.stream() if made.sink.has_errors else made.files(source, collections=True)
    for _ in everything:
        pass
    if made.manifests and not made.sink.has_errors:
        from tvarc.manifest.wanted import asked

        asked(made, made.variants)
    if made.job_outputs and not made.sink.has_errors:
        from tvarc.ci.files import files_of

        files_of(made)
    if made.documents and not made.sink.has_errors:
        from tvarc.programs.documents import refuse_pages

        refuse_pages(made)
