"""Programs for tvarc that can be edited: the matrix of a size, and programs that people build."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench import inputs
from bench.workload import Spec

ROOT = Path(__file__).resolve().parent.parent
Changes = Literal["some", "all", "any"]
_JOBS = re.compile(r'"-j\d+"')
_FLAG = re.compile(r'"-D')
_USED = re.compile(r'^use "([^"]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Edit:
    """A build after an edit: which files change; with `afresh`, none is there before."""

    key: str
    changes: Changes = "all"
    afresh: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A program. `write(folder, edit, number)` puts its version *number* there and says where.

    *edit* is the key of an edit, or empty for the program as it is.
    """

    title: str
    write: Callable[[Path, str, int], Path]
    edits: tuple[Edit, ...]


def matrix(chosen: Spec, template: Path | None = None) -> Source:
    """The program of one size, of *template* or our own; an edit changes a number in a line."""
    given = {} if template is None else {"template": template}

    def write(folder: Path, edit: str, number: int) -> Path:
        few = edit == "tvarc-edit-few"
        jobs = inputs.JOBS + (0 if few else number)
        hopper_jobs = inputs.HOPPER_JOBS + (number if few else 0)
        folder.mkdir(exist_ok=True)
        entry = folder / "matrix.tvar"
        entry.write_text(inputs.tvar(chosen, jobs, hopper_jobs, **given), encoding="utf-8")
        return entry

    edits = (
        Edit("tvarc-edit-few", changes="some"),
        Edit("tvarc-edit-all"),
        Edit("tvarc-edit-new", afresh=True),
    )
    return Source(str(chosen.size), write, edits)


def programs() -> list[Source]:
    """`variants.tvar`, and the family examples that this checkout has."""
    examples = ROOT / "examples"
    files = [path for path in sorted(examples.rglob("*")) if path.is_file() and _is_source(path)]
    entries = [path for path in files if path in {*examples.glob("*/variants.tvar")}]
    alone = ROOT / "variants.tvar"
    return [_program(alone, ROOT, [alone]), *(_program(path, examples, files) for path in entries)]


def _is_source(path: Path) -> bool:
    """Whether a program may read it: what was built is in folders that are hidden."""
    return not any(part.startswith(".") for part in path.relative_to(ROOT).parts)


def _program(original: Path, base: Path, files: Sequence[Path]) -> Source:
    """A program, with the *files* below *base* that it may read.

    An edit changes the first number of parallel jobs in it. Without one, it adds a flag before the
    first flag for CMake, in the program or in a module that it uses.
    """
    edited, pattern = _place_of_edit(original)
    text = edited.read_text(encoding="utf-8")

    def write(folder: Path, edit: str, number: int) -> Path:
        if not folder.exists():
            for path in files:
                copy = folder / path.relative_to(base)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
        word = '"-j{}"' if pattern is _JOBS else '"-DN={}", "-D'
        changed = pattern.sub(word.format(32 + number), text, count=1)
        module = folder / edited.relative_to(base)
        module.write_text(changed if edit else text, encoding="utf-8")
        return folder / original.relative_to(base)

    edits = (Edit("tvarc-edit", changes="any"),) if pattern.search(text) else ()
    return Source(original.relative_to(ROOT).as_posix(), write, edits)


def _place_of_edit(program: Path) -> tuple[Path, re.Pattern[str]]:
    """The file of *program* that an edit changes, and what it changes there."""
    files = [program]
    for file in files:
        used = _USED.findall(file.read_text(encoding="utf-8"))
        files += {(file.parent / one).resolve(): None for one in used}.keys() - set(files)
    for pattern in (_JOBS, _FLAG):
        for file in files:
            if pattern.search(file.read_text(encoding="utf-8")):
                return file, pattern
    return program, _JOBS
