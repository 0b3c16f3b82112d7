"""Note what lints find in many variants at once, as if they had been looked at in their order."""

from __future__ import annotations

from tvarc.light import Callable, Mapping, Sequence
from tvarc.lints.run import LISTED, Cause, Found, Lints


def note_all(
    lints: Lints, found: Mapping[int, Found], keys: Sequence[int], names: Callable[[], list[str]]
) -> None:
    """*found* has the findings of one group of lints by the key of a variant, *keys* those of
    variants that follow each other, *names* gives their names."""
    # Reversed, since the last one stays.
    first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    wanted = [key for key in first if found.get(key)]
    if not wanted:
        return
    counts = dict.fromkeys(wanted, 0)
    for key in keys:
        if key in counts:
            counts[key] += 1
    wanted.sort(key=first.__getitem__)
    known = _Names(names)
    short: dict[int, list[Cause]] = {}
    for key in wanted:
        causes: dict[int, Cause] = {}
        for lint, finding in found[key]:
            cause = lints.cause(lint.name, lint.what, finding)
            if cause is not None:
                causes[id(cause)] = cause
                if finding.case not in cause.cases:
                    cause.add_case(finding.case, known[first[key]])
        for cause in causes.values():
            cause.count += counts[key]
        few = [cause for cause in causes.values() if len(cause.variants) < LISTED]
        if few:
            short[key] = few
    if not short:
        return
    for index, key in enumerate(keys):
        for cause in short.get(key, ()):
            if len(cause.variants) < LISTED:
                cause.variants.append(known[index])
        if index % _STEP == 0 and all(
            len(cause.variants) >= LISTED for causes in short.values() for cause in causes
        ):
            break


_STEP = 64


class _Names:
    """Names of variants, made when one is asked for."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], list[str]]) -> None:
        self._make = make
        self._made: list[str] = []

    def __getitem__(self, index: int) -> str:
        if not self._made:
            self._made = self._make()
        return self._made[index]
