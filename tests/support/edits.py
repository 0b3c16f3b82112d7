"""Changes of one character of a program, and what their recipes show of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from random import Random

from support.assembled import KeptMaps
from support.library_cache import library_cache
from tvarc.build.assembly.source_map import MappedFile, MappedVariant, SourceMaps
from tvarc.build.driver import Compilation, compile_file
from tvarc.files.disk import MemoryLoader
from tvarc.files.output.header import DIGEST_PREFIX
from tvarc.matrix.variants import Variant
from tvarc.values.provenance import Place
from tvarc.values.value import show

_OTHER = {"=": "!", "!": "=", "<": ">", ">": "<", "+": "-", "-": "+", ".": "-"}
_LETTERS = "abgmnxyz"


@dataclass(frozen=True)
class State:
    """A program as it is before or after a change. *std* are the sources of the library."""

    made: Compilation
    maps: SourceMaps

    @classmethod
    def of(cls, file: str, sources: Mapping[str, str], std: Mapping[str, str]) -> State | None:
        """None where it has an error."""
        made = compile_file(file, MemoryLoader(dict(sources), std), cache=library_cache())
        if made.sink.has_errors or made.elaboration is None:
            return None
        return cls(made, KeptMaps(made.traced(), file, file))


def changed(text: str, at: int, random: Random) -> str:
    """*text* with another character at *at*, of its kind."""
    old = text[at]
    if old.isdigit():
        new = random.choice([one for one in "0123456789" if one != old])
    elif old.isalpha():
        new = random.choice([one for one in _LETTERS if one != old])
    else:
        new = _OTHER.get(old, old)
    return text[:at] + new + text[at + 1 :]


def places_to_change(text: str) -> list[int]:
    """Where a character stands that may be changed; comments are left alone."""
    found: list[int] = []
    at = 0
    for line in text.splitlines(keepends=True):
        if not line.lstrip().startswith("#"):
            found += [at + n for n, c in enumerate(line) if c.isalnum() or c in _OTHER]
        at += len(line)
    return found


def unexplained(before: State, after: State, place: Place, most: int, random: Random) -> list[str]:
    """The lines of recipes that differ, and that the maps do not lead from to *place*; of *most*
    variants."""
    cells = {_cell(one): one for one in after.made.variants}
    pairs = [(one, cells[_cell(one)]) for one in before.made.variants if _cell(one) in cells]
    found: list[str] = []
    for one, other in random.sample(pairs, min(most, len(pairs))):
        was, now = before.maps.of(one), after.maps.of(other)
        if was is not None and now is not None:
            found += _of_variant(_Side(before.maps, was, place), _Side(after.maps, now, place))
    return found


def _cell(variant: Variant) -> tuple[str, ...]:
    return (variant.matrix.name, *map(show, variant.values.values()))


class _Side:
    """The maps of one variant, before or after, as seen from one line."""

    def __init__(self, maps: SourceMaps, variant: MappedVariant, place: Place) -> None:
        self.variant = variant
        self._bit = maps.numbering.line(*place)

    @property
    def has_entry(self) -> bool:
        return any(entry.lines & self._bit for entry in self.variant.entries)

    def leads(self, file: MappedFile, text: str) -> bool:
        """Whether the line, or any that is the same, leads there: which of these was added or
        removed nobody can tell."""
        lines = zip(file.text.split("\n"), file.made, file.around, strict=True)
        return any(
            (made | around) & self._bit for one, made, around in lines if one.strip() == text
        )


def _counts(lines: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in lines:
        found[line.strip()] = found.get(line.strip(), 0) + 1
    return found


def _of_variant(was: _Side, now: _Side) -> Iterator[str]:
    for old, new in zip(was.variant.files, now.variant.files, strict=True):
        mine, theirs = old.text.split("\n"), new.text.split("\n")
        # A line of which there are as many as before has only moved.
        moved = {text for text, _ in _counts(mine).items() & _counts(theirs).items()}
        matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
        for op, start, end, first, last in matcher.get_opcodes():
            if op == "equal":
                continue
            led = [was.leads(old, one.strip()) for one in mine[start:end]]
            led_now = [now.leads(new, one.strip()) for one in theirs[first:last]]
            either = was.has_entry or now.has_entry
            for text, leads, others in (
                *zip(mine[start:end], led, [any(led_now)] * len(led), strict=True),
                *zip(theirs[first:last], led_now, [any(led)] * len(led_now), strict=True),
            ):
                if text.startswith(DIGEST_PREFIX) or not text.strip():
                    continue
                if not (leads or others or either or text.strip() in moved):
                    yield f"{old.path}: {text}"
