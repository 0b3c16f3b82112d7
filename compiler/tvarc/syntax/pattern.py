"""The pattern that finds the next token, ready to match.

It is the result of `re.compile`, but made without `re`. Importing `re` and compiling takes 10 ms,
an eighth of `tvarc list` (compare `python -c "import re"` with `python -c pass`). `re` compiles a
pattern to numbers, which its engine checks and runs. The cache keeps these numbers for one version
of the engine, and a wheel includes them.
"""

from __future__ import annotations

import sys

from tvarc.files.cache import Cache
from tvarc.light import Any, Callable, Final, Protocol

_FIXED: Final = (3, 11, 5)
"""Before this version, Python finds a wrong end for a possessive group that contains a repetition
(gh-106052). Debian 12 has 3.11.2."""


class Found(Protocol):
    """A token that was found: a match of `re`, whose last group is the terminal."""

    @property
    def lastgroup(self) -> str | None: ...

    def end(self) -> int: ...

    def __getitem__(self, group: int, /) -> str: ...


Match = Callable[[str, int, int], Found | None]


def matcher(pattern: str, cache: Cache | None) -> Match:
    """`re.compile(pattern).match`, from the numbers in *cache*."""
    if sys.version_info < _FIXED:
        pattern = without_possessives(pattern)
    try:
        import _sre  # type: ignore[import-not-found]

        key = ""
        if cache is not None:
            key = cache.key("pattern", f"{_sre.MAGIC} {_sre.CODESIZE}\0{pattern}")
        data = cache.load(key) if cache is not None else None
        if data is None:
            data = _compiled(pattern)
            if cache is not None:
                cache.store(key, data)
        return _sre.compile(pattern, *data).match  # type: ignore[no-any-return]
    except (ImportError, AttributeError):  # a Python with another engine
        import re

        return re.compile(pattern).match


def _compiled(pattern: str) -> tuple[object, ...]:
    """The data that the engine needs besides *pattern*: flags, code, the number of groups, the
    groups by name, and the names of the groups."""
    import re._compiler as compiler  # type: ignore[import-not-found]
    import re._parser as parser  # type: ignore[import-not-found]

    tree: Any = parser.parse(pattern)
    groups: dict[str, int] = tree.state.groupdict
    names: list[str | None] = [None] * tree.state.groups
    for name, number in groups.items():
        names[number] = name
    code = [int(word) for word in compiler._code(tree, 0)]
    return int(tree.state.flags), code, tree.state.groups - 1, {**groups}, tuple(names)


def without_possessives(pattern: str) -> str:
    """*pattern* with groups that may backtrack. It finds the same text with more memory, see
    `generate.py`."""
    return pattern.replace(")*+", ")*").replace(")++", ")+")
