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
_JOBS = (re.compile(r'"-j\d+"'), '"-j{}"')
# What an edit changes in programs without parallel jobs, by program: the file below `examples`, the
# place, and the text there.
_OTHERS = {
    "examples/torch-2.10/variants.tvar": (
        "torch-2.10/variants.tvar", re.compile(r'"-DTORCH_B'), r'"-DN={}", \g<0>'
    ),
    "examples/torch-family/variants.tvar": (
        "torch-family/lines.tvar",
        re.compile(r"package = .+"),
        r'\g<0>, attrs {{ cmakeFlags += ["-DN={}"] }}',
    ),
}  # fmt: skip


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

    An edit changes the first number of parallel jobs in it, or what `_OTHERS` says.
    """
    title = original.relative_to(ROOT).as_posix()
    edited, (place, words) = original, _JOBS
    if title in _OTHERS:
        name, place, words = _OTHERS[title]
        edited = base / name
    text = edited.read_text(encoding="utf-8")

    def write(folder: Path, edit: str, number: int) -> Path:
        if not folder.exists():
            for path in files:
                copy = folder / path.relative_to(base)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
        changed = place.sub(words.format(32 + number), text, count=1)
        module = folder / edited.relative_to(base)
        module.write_text(changed if edit else text, encoding="utf-8")
        return folder / original.relative_to(base)

    edits = (Edit("tvarc-edit", changes="any"),) if place.search(text) else ()
    return Source(title, write, edits)
