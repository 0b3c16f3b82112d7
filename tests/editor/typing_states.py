"""States of a program while a person types: one edit each, what it reports, and what is left.

`PYTHONPATH=tests python -m editor.typing_states` prints the rates of all states of `PROGRAMS`, and
the states of each group that it is given: `… elsewhere lost`. `--each 50` takes fewer states.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from support.library_cache import library_cache
from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.programs.checking import check_program
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.text.diagnostics.model import Diagnostic, Severity
from tvarc.text.source import Source

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAMS: Final = (
    "variants.tvar",
    *(
        f"examples/{name}"
        for name in (
            "blas/variants.tvar", "ffmpeg/variants.tvar", "llama-cpp/variants.tvar",
            "megatron-environment/variants.tvar", "spark-nightly/spark.tvar",
            "three-variants/variants.tvar", "torch-2.10/variants.tvar", "torch-2.8/variants.tvar",
            "torch-2.9/variants.tvar", "torch-family/variants.tvar", "vision-audio/variants.tvar",
        )
    ),
)  # fmt: skip
EACH: Final = 600  # states of each program in the whole measurement
NEAR: Final = 1  # lines between an edit and a message that is near it
MUCH: Final = 0.1  # the part of a program that is much to lose


@dataclass(frozen=True, slots=True)
class State:
    """A program after one edit. `line` is the line of the edit, from 0 on."""

    file: str
    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one state reports. `lines` are those of the errors. `kept` is the part of the program
    that still has a meaning; None if there is no fault of syntax."""

    state: State
    errors: tuple[Diagnostic, ...]
    lines: tuple[int, ...]
    kept: float | None

    @property
    def group(self) -> str:
        near = [abs(line - self.state.line) <= NEAR for line in self.lines]
        if not near:
            return "fine"
        if len(near) == 1:
            return "near" if near[0] else "far"
        return "several" if all(near) else "elsewhere"

    @property
    def loses_much(self) -> bool:
        return self.kept is not None and self.kept < 1 - MUCH


def _tail(text: str, at: int, random: Random) -> str:
    """A line of which only the beginning is written."""
    return text[:at] + text[_line_end(text, at) :]


def _half_word(text: str, at: int, random: Random) -> str:
    """A word of which only the beginning is written."""
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "-_"):
        end += 1
    return text[:at] + text[max(end, at + 1) :] if text[at] != "\n" else text


def _pairs(marks: str) -> Callable[[str, int, Random], str]:
    def edit(text: str, at: int, random: Random) -> str:
        """One of *marks* is missing, or is there once too often."""
        end = min((e for e in (text.find(one, at) for one in marks) if e >= 0), default=-1)
        if random.random() < 0.5 and 0 <= end < _line_end(text, at):
            return text[:end] + text[end + 1 :]
        return text[:at] + random.choice(marks) + text[at:]

    return edit


def _new_line(text: str, at: int, random: Random) -> str:
    """A new line of which only the beginning is written."""
    end = _line_end(text, at)
    lines = [line for line in text.split("\n") if line.strip() and not line.strip().startswith("#")]
    line = random.choice(lines)
    indent = len(line) - len(line.lstrip())
    return text[:end] + "\n" + line[: random.randrange(indent + 1, len(line) + 1)] + text[end:]


EDITS: Final = {
    "tail": _tail,
    "half word": _half_word,
    "bracket": _pairs("{}[]()"),
    "quote": _pairs('"'),
    "new line": _new_line,
}


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return found if found >= 0 else len(text)


def states(file: str, count: int) -> Iterator[State]:
    """*count* states of the program *file*, always the same."""
    random = Random(file)
    text = (ROOT / file).read_text(encoding="utf-8")
    places = [at for at, char in enumerate(text) if not char.isspace()]
    made = 0
    while made < count:
        at = random.choice(places)
        kind = random.choice([*EDITS])
        new = EDITS[kind](text, at, random)
        if new == text or "#" in text[text.rfind("\n", 0, at) + 1 : at]:
            continue
        made += 1
        line = text.count("\n", 0, at) + (kind == "new line")
        yield State(file, kind, new, line)


class _Edited(DiskLoader):
    """Reads one file as *state* has it, and all others from disk."""

    def __init__(self, state: State) -> None:
        super().__init__(stdlib_dir())
        self.state = state

    def read(self, file: str) -> Source:
        return Source(file, self.state.text) if file == self.state.file else super().read(file)


def _read(made: Compilation, file: str) -> int:
    """The characters of *file* that the tree has."""
    module = made.graph.modules.get(file) if made.graph is not None else None
    source = made.sources.get(file)
    if module is None or source is None:
        return 0
    tree = module.tree
    kept = "".join(source.text[item.span.start : item.span.end] for item in tree.items)
    inner = [hole for hole in tree.holes if any(item.span.has(hole) for item in tree.items)]
    holes = "".join(source.text[hole.start : hole.end] for hole in inner)
    return len("".join(kept.split())) - len("".join(holes.split()))


def outcome(state: State, cache: Cache, whole: dict[str, int]) -> Outcome:
    """What `tvarc check` says about *state*. *whole* gets the characters of each whole program."""
    made = compile_file(state.file, _Edited(state), cache=cache)
    if made.expansion is not None:
        check_program(made)
    errors = [one for one in made.diagnostics if one.severity is Severity.ERROR]
    lines = [
        state.text.count("\n", 0, one.primary.start)
        if one.primary is not None and one.primary.file == state.file
        else -9
        for one in errors
    ]
    syntax = any(one.code.startswith("E10") for one in errors)
    if syntax and state.file not in whole:
        unedited = compile_file(state.file, DiskLoader(stdlib_dir()), cache=cache)
        whole[state.file] = _read(unedited, state.file)
    kept = min(1.0, _read(made, state.file) / whole[state.file]) if syntax else None
    return Outcome(state, tuple(errors), tuple(lines), kept)


def outcomes(each: int, programs: tuple[str, ...] = PROGRAMS) -> Iterator[Outcome]:
    """The outcomes of *each* states of each program. The folder must be that of the project."""
    cache, whole = library_cache(), dict[str, int]()
    for file in programs:
        for state in states(file, each):
            yield outcome(state, cache, whole)


@dataclass(frozen=True, slots=True)
class Rates:
    """Parts of the states with errors, and of those with faults of syntax, in percent."""

    near: float
    far: float
    several: float
    elsewhere: float
    lost: float


def rates(found: list[Outcome]) -> Rates:
    faulty = [one for one in found if one.errors]
    groups = Counter(one.group for one in faulty)
    unread = [one for one in found if one.kept is not None]
    near, far, several, elsewhere = (
        100 * groups[name] / len(faulty) for name in ("near", "far", "several", "elsewhere")
    )
    lost = 100 * sum(one.loses_much for one in unread) / len(unread)
    return Rates(near, far, several, elsewhere, lost)


def _show(one: Outcome) -> str:
    lines = one.state.text.split("\n")
    first = max(0, one.state.line - 2)
    around = [
        f"{'>' if first + at == one.state.line else ' '} {line}"
        for at, line in enumerate(lines[first : first + 6])
    ]
    told = [
        f"  {line - one.state.line:+} {error.code} {error.title}"
        for line, error in zip(one.lines, one.errors, strict=True)
    ]
    head = f"{one.state.file}:{one.state.line + 1} {one.state.kind} kept {one.kept}"
    return "\n".join(["", head, *around, *told[:6]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*")
    parser.add_argument("--each", type=int, default=EACH)
    given = parser.parse_args()
    found = list(outcomes(given.each))
    faulty = [one for one in found if one.errors]
    print(f"{len(found)} states, {len(faulty)} with errors")
    print(rates(found))
    for kind in EDITS:
        print(f"{kind:10}", Counter(one.group for one in faulty if one.state.kind == kind))
    codes = Counter(
        (one.group, error.code)
        for one in faulty
        for line, error in zip(one.lines, one.errors, strict=True)
        if abs(line - one.state.line) > NEAR
    )
    print("far messages:", codes.most_common(24))
    for one in found:
        if one.group in given.groups or ("lost" in given.groups and one.loses_much):
            print(_show(one))


if __name__ == "__main__":
    main()
