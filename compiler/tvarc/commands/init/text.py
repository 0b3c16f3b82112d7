"""The report of `tvarc init`: the files that it wrote or left, and the next steps."""

from __future__ import annotations

from tvarc.decide.lock import LOCK_NAME
from tvarc.files.persons import Beginning, Left
from tvarc.light import Final, Iterator
from tvarc.text.diagnostics.render_cells import safe

_HERE: Final = "."
_PROGRAM: Final = "variants.tvar"


def beginning_lines(made: Beginning, *, dry_run: bool) -> Iterator[str]:
    """A line for each file, in the order in which people read them; names may hold anything."""
    verb = "would be written" if dry_run else "written"
    for file in reversed(made.new):
        yield f"{_named(made, file.path)}: {verb}"
    for left in made.left:
        yield f"{_named(made, left.path)}: {_why(left)}"
        for line in left.lacks:
            yield f"  {line}"


def next_line(made: Beginning) -> str:
    """The two commands to go on with."""
    program = "" if made.folder == _HERE else _word(f"{made.folder.rstrip('/')}/")
    if any(left.path == LOCK_NAME for left in made.left):
        return (
            f"next: `tvarc lock{program}` finds the missing hashes, `tvarc build{program}` writes "
            "the recipes"
        )
    return (
        f"next: `tvarc build{program}` writes the recipes, `tvarc list{program}` lists the variants"
    )


def next_after_import(program: str) -> str:
    """As `next_line`, where *program* was made of recipes."""
    word = "" if program in (_PROGRAM, f"../{_PROGRAM}") else _word(program)
    return (
        f"next: `tvarc audit{word}` compares the recipes with the program, `tvarc build "
        f"--adopt{word}` replaces them"
    )


def _word(text: str) -> str:
    """*text* as one more word of a shell, quoted if it needs that."""
    from shlex import quote

    return f" {quote(safe(text))}"


def _named(made: Beginning, path: str) -> str:
    return safe(path if made.folder == _HERE else f"{made.folder.rstrip('/')}/{path}")


def _why(left: Left) -> str:
    if left.reason:
        return f"not written: {left.reason}"
    return "not changed" + ("; it lacks these lines:" if left.lacks else "")
