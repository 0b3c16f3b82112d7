"""Paths below a folder of outputs: which of them are plain, and which spellings a file system may
take for the same file."""

from __future__ import annotations

from tvarc.light import Enum, Final, Sequence


class Fault(Enum):
    """Why nothing is written at a path."""

    ABSOLUTE = "absolute"
    PARENT = "parent"
    EMPTY_STEP = "empty step"
    RESERVED = "reserved"


def fault_of(path: str) -> Fault | None:
    """Why nothing is written at *path*, with `/` between its steps; None for a plain one."""
    if path.startswith("/"):
        return Fault.ABSOLUTE
    steps = path.split("/")
    if ".." in steps:
        return Fault.PARENT
    if "" in steps or "." in steps:
        return Fault.EMPTY_STEP
    return Fault.RESERVED if any(map(is_reserved, steps)) else None


def fault_of_file(path: str, endings: tuple[str, ...]) -> str | None:
    """The reason why *path* is no file that a person and tvarc can share, with one of these
    *endings*: the end of a sentence. None if it is one.
    """
    if fault_of(path) is not None:
        return "is not a plain path in the output folder"
    if not path.isprintable() or "\\" in path:
        return "contains a character that file systems refuse"
    if not path.endswith(endings):
        return "does not end in " + " or ".join([f"`{ending}`" for ending in endings])
    return None


LONGEST_NAME: Final = 200
"""Bytes of a name. File systems take 255, of which `.nix` and what we add beside it are some."""


def fault_of_name(name: str) -> str | None:
    """Why no file can have the *name*, as the end of a sentence; None for one that a file can."""
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
    """Whether a file can have each of *names*: they are looked at all together."""
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
"""What the name of a path in Nix's store may have beside letters and digits."""


def are_store_names(names: Sequence[str]) -> bool:
    """Whether a path in Nix's store can have each of *names*: they are looked at all together."""
    together = "".join(names)
    for sign in STORE_SIGNS:
        together = together.replace(sign, "")
    return together.isascii() and (together.isalnum() or not together)


def folded(path: str) -> str:
    """The same text for all spellings of *path* that differ only in case or in Unicode normal form.
    Some file systems take them for one file.
    """
    if path.isascii():
        return path.lower()
    from unicodedata import normalize

    # A canonical caseless match, as Unicode defines it.
    return normalize("NFD", normalize("NFD", path).casefold())


_RESERVED = frozenset((".git", "tvar.lock"))
_SHORT = "git~"  # how the short name of `.git` begins where each file has one; a number follows
# What some file systems leave out of a name, or do not tell apart at its end.
_IGNORED = dict.fromkeys(
    (
        *range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF,
    )
)  # fmt: skip


def is_reserved(step: str) -> bool:
    """Whether a file or folder named *step* may be git's, whose hooks git runs, or a lock. Any
    spelling counts that some file system takes for such a name.
    """
    plain = step if step.isascii() else step.translate(_IGNORED)
    name = folded(plain.partition(":")[0]).rstrip(". ")
    # Which number it is depends on what else is in the folder, and on when that was made.
    number = name.removeprefix(_SHORT)
    return name in _RESERVED or (number != name and number.isascii() and number.isdigit())
