"""What an import tells: each file is imported, read by one that is, or listed with a reason."""

from __future__ import annotations

from tvarc.diagnostics.words import counted
from tvarc.importing.imported import Imported
from tvarc.light import Iterator


def report_text(made: Imported, folder: str) -> Iterator[str]:
    """Lines of text."""
    count = len(made.files)
    total = count + len(made.helpers) + len(made.left_out)
    lines = made.text.count("\n")
    size = f"{counted(lines, 'line')} in {counted(made.matrices, 'matrix', 'matrices')}"
    yield f"{counted(total, 'file')} in {folder}: {count} imported, as {size}"
    if made.helpers:
        yield f"read by these: {', '.join(made.helpers)}"
    if made.left_out:
        yield f"not imported: {counted(len(made.left_out), 'file')}"
    for one in made.left_out:
        yield f"  {one.path}:{one.line}: {one.reason}"
    for drift in made.drift:
        places = [f"{file}:{line}" for file, line in zip(drift.files, drift.lines, strict=True)]
        yield f"drift: {len(places)} of {drift.of}: {drift.setting}, {', '.join(places)}"
    for name, files in _by_name(made):
        told = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
        yield f"left out: `{name}`, which nothing reads, of {told}"
    if made.comments:
        yield f"left out: {counted(made.comments, 'line')} of comments outside of scripts"


def _by_name(made: Imported) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for path, names in made.unused:
        for name in names:
            found.setdefault(name, []).append(path)
    return sorted(found.items())


def report_data(made: Imported, folder: str) -> dict[str, object]:
    """The same as plain data."""
    return {
        "folder": folder,
        "imported": list(made.files),
        "helpers": list(made.helpers),
        "left": [
            {"file": one.path, "line": one.line, "reason": one.reason} for one in made.left_out
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
        "comments": made.comments,
        "unread": [{"name": name, "files": files} for name, files in _by_name(made)],
        "matrices": made.matrices,
        "lines": made.text.count("\n"),
    }
