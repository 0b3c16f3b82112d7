"""One input to be tried, and where those come from that once broke something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


class Kind(Enum):
    """What a file is to the compiler; the value is the ending of its name."""

    PROGRAM = "tvar"
    LOCK = "lock"
    RECIPE = "nix"


@dataclass(frozen=True, slots=True)
class Case:
    """The bytes of one file, with which the compiler is to come to an end."""

    kind: Kind
    data: bytes
    name: str = ""

    @property
    def text(self) -> str | None:
        """The bytes as text; None where they are no UTF-8."""
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None


def program(text: str) -> Case:
    # Half a surrogate cannot stand in a file.
    return Case(Kind.PROGRAM, text.encode("utf-8", "replace"))


def corpus(folder: Path = CORPUS) -> Iterator[Case]:
    """All cases that are kept, by their names."""
    for path in sorted(folder.iterdir()):
        kinds = [kind for kind in Kind if path.suffix == f".{kind.value}"]
        if kinds:
            yield Case(kinds[0], path.read_bytes(), path.name)


def keep(case: Case, name: str, folder: Path = CORPUS) -> Path:
    """Put *case* into the corpus; its file, which is never one that was there before."""
    ending = case.kind.value
    path = folder / f"{name}.{ending}"
    number = 2
    while path.exists():
        path = folder / f"{name}-{number}.{ending}"
        number += 1
    path.write_bytes(case.data)
    return path
