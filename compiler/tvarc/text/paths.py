"""Paths in a folder of outputs: which paths are plain, and which spellings may be the same file for
a file system."""

from __future__ import annotations

from tvarc.light import Enum, Final, Sequence


class Fault(Enum):
    """The reason why nothing is written at a path."""

    ABSOLUTE = "absolute"
    PARENT = "parent"
    EMPTY_STEP = "empty step"
    RESERVED = "reserved"


def fault_of(path: str) -> Fault | None:
    """The reason why nothing is written at *path*, which has `/` between its steps. None for a
    plain path."""
    if path.startswith("/"):
        return Fault.ABSOLUTE
    steps = path.split("/")
    if ".." in steps:
        return Fault.PARENT
    if "" in steps or "." in steps:
        return Fault.EMPTY_STEP
    return Fault.RESERVED if any(map(is_reserved, steps)) else None


def fault_of_file(path: str, endings: tuple[str, ...]) -> str | None:
    """The reason why *path* is not a file that a user and tvarc can share, as the end of a
    sentence. The file must have one of these *endings*. None if it is such a file."""
    if fault_of(path) is not None:
        return "is not a plain path in the output folder"
    if not path.isprintable() or "\\" in path:
        return "contains a character that file systems refuse"
    if not path.endswith(endings):
        return "does not end in " + " or ".join([f"`{ending}`" for ending in endings])
    return None


LONGEST_NAME: Final = 200
"""The most bytes of a name. File systems allow 255, and `.nix` and tvarc's own endings need some.
"""


def fault_of_name(name: str) -> str | None:
    """The reason why no file can have this *name*, as the end of a sentence. None if a file can
    have it."""
    if not name or name in (".", ".."):
        return "cannot be the name of a file"
    if "/" in name:
        return "contains a `/`, which separates folders"
    if not name.isprintable() or "\\" in name:
        return "contains a character that file systems refuse"
    if len(name.encode()) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} bytes"
    return None


def are_names(names: Sequence[str]) -> bool:
    """Whether files can have all of *names*. They are checked together, which is fast."""
    together = "".join(names)
    return (
        together.isascii()
        and together.isprintable()
        and "/" not in together
        and "\\" not in together
        and all(names)
        and max(map(len, names), default=1) <= LONGEST_NAME
        and "." not in names
        and ".." not in names
    ) or all(fault_of_name(name) is None for name in names)


STORE_SIGNS: Final = "+-._?="
"""The characters that a name in Nix's store may have, besides letters and digits."""


def are_store_names(names: Sequence[str]) -> bool:
    """Whether paths in Nix's store can have all of *names*. They are checked together, which is
    fast."""
    together = "".join(names)
    for sign in STORE_SIGNS:
        together = together.replace(sign, "")
    return together.isascii() and (together.isalnum() or not together)


def folded(path: str) -> str:
    """A text that is the same for all spellings of *path* that differ only in case or in Unicode
    normal form. Some file systems treat these as one file."""
    if path.isascii():
        return path.lower()
    from unicodedata import normalize

    # A canonical caseless match, as Unicode defines it.
    return normalize("NFD", normalize("NFD", path).casefold())


_RESERVED = frozenset((".git", "tvar.lock"))
_SHORT = "git~"  # the beginning of the short name of `.git`, if it has one; a number follows
# Characters that some file systems ignore in a name, or at its end.
_IGNORED = dict.fromkeys(
    (
        *range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF,
    )
)  # fmt: skip


def is_reserved(step: str) -> bool:
    """Whether a file or folder with the name *step* may belong to git, whose hooks git runs, or may
    be a lock. Every spelling counts that some file system treats as such a name."""
    plain = step if step.isascii() else step.translate(_IGNORED)
    name = folded(plain.partition(":")[0]).rstrip(". ")
    # The number depends on the other files in the folder, and on the order in which they were made.
    number = name.removeprefix(_SHORT)
    return name in _RESERVED or (number != name and number.isascii() and number.isdigit())
