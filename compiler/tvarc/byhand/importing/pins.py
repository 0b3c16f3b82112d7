"""What is fetched, as the language declares it; of GitHub by repository and revision."""

from __future__ import annotations

import re

from tvarc.byhand.importing.model import Pin
from tvarc.byhand.importing.written import braced
from tvarc.light import Final
from tvarc.syntax.format.break_points import WIDTH
from tvarc.values.value import quote

_ARCHIVE: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/archive/([0-9a-f]{40})\.tar\.gz\Z")


def revision_of(pin: Pin) -> tuple[str, str] | None:
    """The repository at GitHub and the revision whose tarball *pin* is; None for any other."""
    found = _ARCHIVE.match(pin.url)
    return (found[1], found[2]) if found is not None else None


def fetched(word: str, pin: Pin, name: str) -> list[str]:
    """The declaration of a fetched source, or of a folder: a `pin` or an `input`."""
    found = revision_of(pin)
    rows: list[str] = []
    if pin.url.startswith("./"):
        rows.append(f"path = {quote(pin.url)}")
    elif found is not None:
        rows += [f"github = {quote(found[0])}", f"rev = {quote(found[1])}"]
    else:
        rows.append(f"url = {quote(pin.url)}")
    if pin.hash:
        rows.append(f"hash = {quote(pin.hash)}")
    return braced(f"{word} {name}", rows, WIDTH)
