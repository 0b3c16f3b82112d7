"""What an import tells: each file is imported, read by one that is, or listed with a reason."""

from __future__ import annotations

from tvarc.byhand.importing.flakes import FLAKE
from tvarc.byhand.importing.imported import Imported
from tvarc.light import Final, Iterator
from tvarc.text.diagnostics.words import counted

_LINE_END: Final = "\n"


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
        yield f"  {_shown(one.path)}:{one.line}: {one.reason}"
    for reason, at in _by_reason(made):
        where = ", ".join(map(str, at))
        yield f"{FLAKE}:{where}: the recipes called here use their caller's nixpkgs: {reason}"
    for drift in made.drift:
        places = [f"{file}:{line}" for file, line in zip(drift.files, drift.lines, strict=True)]
        yield f"drift: {len(places)} of {drift.of}: {drift.setting}, {', '.join(places)}"
    for name, files in _by_name(made):
        told = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
        yield f"left out: `{name}` of {told}: nothing reads it"
    for name, alike in made.alike:
        yield f"the library may replace a recipe: {alike.sentence(name)}"
    for pattern in made.idle:
        yield f"--axis {pattern}: matches no word of a file name"
    if made.comments:
        yield f"left out: {counted(len(made.comments), 'line')} of comments outside of scripts"
    for comment in made.comments if in_full else ():
        yield f"  {comment.path}:{comment.line}: # {comment.reason}".rstrip()


def _shown(path: str) -> str:
    """*path* on one line, whatever bytes are in it."""
    return "".join(
        [one if one.isprintable() else one.encode("unicode_escape").decode() for one in path]
    )


def _by_name(made: Imported) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for path, names in made.unused:
        for name in names:
            found.setdefault(name, []).append(path)
    return sorted(found.items())


def _by_reason(made: Imported) -> list[tuple[str, list[int]]]:
    """Why the nixpkgs of a flake is not known, and the lines for which that is so."""
    found: dict[str, list[int]] = {}
    for one in made.unpinned:
        found.setdefault(one.reason, []).append(one.line)
    return list(found.items())


def report_data(made: Imported, folder: str, proof: object = None) -> dict[str, object]:
    """The same as plain data, with the *proof* that Nix has made."""
    return {
        "folder": folder,
        "imported": list(made.files),
        "helpers": list(made.helpers),
        "left": [
            {"file": one.path, "line": one.line, "reason": one.reason} for one in made.left_out
        ],
        "unpinned": [
            {"file": one.path, "line": one.line, "reason": one.reason} for one in made.unpinned
        ],
        "drift": [
            {
                "setting": one.setting,
                "of": one.of,
                "places": [
                    {"file": file, "line": line}
                    for file, line in zip(one.files, one.lines, strict=True)
                ],
            }
            for one in made.drift
        ],
        "comments": len(made.comments),
        "comments_left": [
            {"file": one.path, "line": one.line, "text": one.reason} for one in made.comments
        ],
        "axes_unused": list(made.idle),
        "alike": [
            {
                "recipe": name,
                "module": one.module,
                "library_recipe": one.recipe,
                "but": list(one.but),
            }
            for name, one in made.alike
        ],
        "unread": [{"name": name, "files": files} for name, files in _by_name(made)],
        "matrices": made.matrices,
        "lines": made.text.count("\n"),
        "text_lines": made.texts.count("\n"),
        "proof": proof,
    }
