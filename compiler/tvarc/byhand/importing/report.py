"""The text of `import`: the imported files, the files that these read, and the reasons why others
are left out."""

from __future__ import annotations

from tvarc.byhand.importing.flakes import FLAKE
from tvarc.byhand.importing.imported import Imported
from tvarc.byhand.importing.links import Unlinked
from tvarc.byhand.importing.names import FEW, printable
from tvarc.light import Final, Iterator
from tvarc.text.diagnostics.words import counted, some_of

_LINE_END: Final = "\n"
_MOST_LINES: Final = 12


def report_text(made: Imported, folder: str, *, in_full: bool = False) -> Iterator[str]:
    """Lines of text; *in_full* also each line of comments that is left out."""
    count = len(made.files)
    total = count + len(made.helpers) + len(made.left_out)
    lines = made.text.count("\n")
    size = f"{counted(lines, 'line')} in {counted(made.matrices, 'matrix', 'matrices')}"
    if made.texts:
        size += f", and {counted(made.texts.count(_LINE_END), 'line')} of descriptions"
    yield f"{counted(total, 'file')} in {folder}: {count} imported, as {size}"
    if made.helpers:
        yield f"read by the recipes: {', '.join(made.helpers)}"
    if made.left_out:
        yield f"not imported: {counted(len(made.left_out), 'file')}"
    for one in made.left_out:
        yield f"  {printable(one.path)}:{one.line}: {one.reason}"
    for reason, at in _by_reason(made):
        where = ", ".join(map(str, at))
        yield f"{FLAKE}:{where}: the recipes called here use their caller's nixpkgs: {reason}"
    for drift in made.drift:
        places = [f"{file}:{line}" for file, line in zip(drift.files, drift.lines, strict=True)]
        yield f"drift: {len(places)} of {drift.of}: {drift.setting}, {', '.join(places)}"
    if made.tools:
        takes = "differs: it takes" if len(made.tools) == 1 else "differ: they take"
        yield (
            f"if nixpkgs builds for another machine, {some_of([*made.tools], FEW)} {takes} "
            "tools from `pkgs`, and the program takes those for the machine that builds"
        )
    if made.tests:
        was = "was" if len(made.tests) == 1 else "were"
        those = "it" if len(made.tests) == 1 else "them"
        yield (
            f"{counted(len(made.tests), 'test')} {was} imported as Nix text: "
            f"`tvarc test` does not run {those}: {some_of([*made.tests], FEW)}"
        )
    for name, files in unread_names(made):
        yield f"left out: `{name}` of {some_of(files, FEW)}: nothing reads it"
    yield from map(_written_out, made.unlinked)
    for pattern in made.idle:
        yield f"--axis {pattern}: matches no word of a file name"
    if made.comments:
        yield f"left out: {counted(len(made.comments), 'line')} of comments outside of scripts"
    for comment in made.comments if in_full else ():
        yield f"  {comment.path}:{comment.line}: # {comment.reason}".rstrip()


def _written_out(one: Unlinked) -> str:
    """The lines with a version that also has a name."""
    places = [
        f"{'lines' if len(lines) > 1 else 'line'} {some_of(list(map(str, lines)), _MOST_LINES)}{of}"
        for lines, of in ((one.lines, ""), (one.text_lines, " of the descriptions"))
        if lines
    ]
    return (
        f"the files also write {one.version} out, so a change of `version` does not reach "
        f"{' and '.join(places)}"
    )


def unread_names(made: Imported) -> list[tuple[str, list[str]]]:
    """The names that recipes bind and nothing reads, with the files that bind them."""
    found: dict[str, list[str]] = {}
    for path, names in made.unused:
        for name in names:
            found.setdefault(name, []).append(path)
    return sorted(found.items())


def _by_reason(made: Imported) -> list[tuple[str, list[int]]]:
    """The reasons why the nixpkgs of a flake is not known, each with its lines."""
    found: dict[str, list[int]] = {}
    for one in made.unpinned:
        found.setdefault(one.reason, []).append(one.line)
    return list(found.items())
