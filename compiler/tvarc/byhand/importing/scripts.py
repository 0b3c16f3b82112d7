"""Scripts and other texts of several lines, as parts that have names."""

from __future__ import annotations

import re

from tvarc.byhand.importing.lines import Segment
from tvarc.byhand.importing.names import free_name, is_name
from tvarc.byhand.importing.statements import Conditions, Statement, under_conditions
from tvarc.byhand.importing.written import CannotSay, block, part_text
from tvarc.byhand.reading.trees import own
from tvarc.light import Final, Sequence
from tvarc.nix.language.syntax import NixExpr, NixString

_SCRIPT: Final = re.compile(r"(?:pre|post)[A-Z]\w*\Z|\w*(?:Phase|Hook)\Z")
_LABELS: Final = (
    re.compile(r"#+ *([A-Za-z].*)"),
    re.compile(r"export (\w+)"),
    re.compile(r'echo "([A-Za-z][\w ]*)'),
    re.compile(r"(\w+)"),
)


def is_script(name: str, value: NixExpr | None) -> bool:
    """Whether *value* is a script: one by its name, or a text of lines that is added to the
    package's own."""
    if not isinstance(value, NixString):
        return False
    if _SCRIPT.match(name):
        return True
    ends = [part for part in (value.parts[0], value.parts[-1]) if not isinstance(part, str)]
    return any(own(part) == name for part in ends) and has_lines([value])


def has_lines(values: Sequence[NixExpr]) -> bool:
    return any(
        isinstance(part, str) and "\n" in part
        for value in values
        if isinstance(value, NixString)
        for part in value.parts
    )


def script_text(name: str, value: NixExpr) -> tuple[str, NixString]:
    """Where a script has the package's own, `before` or `after` its text, or nowhere; and that
    text."""
    assert isinstance(value, NixString)
    first, last = value.parts[0], value.parts[-1]
    if not isinstance(first, str) and own(first) == name:
        return "before", NixString(value.parts[1:] or ("",))
    if not isinstance(last, str) and own(last) == name:
        return "after", NixString(value.parts[:-1] or ("",))
    return "", value


def script_statements(
    name: str,
    first: NixExpr,
    segments: Sequence[Segment],
    conditions: Conditions,
    *,
    is_whole: bool = True,
) -> list[Statement]:
    """What adds *segments* to a script, which *first* is in one cell. If the script *is_whole*, no
    other statement changes a part of it, so that a single part needs no name."""
    where = script_text(name, first)[0]
    parts = parts_of(segments, conditions, before=where == "after")
    if is_whole and where == "before" and len(segments) == 1:
        parts = [f"+= {block(segments[0].lines)}"]
    if not where:
        parts.insert(0, "part old = none")
    return [Statement(f"script {name}", one) for one in parts]


def parts_of(
    segments: Sequence[Segment], conditions: Conditions, *, before: bool = False
) -> list[str]:
    """The parts of a text, one of each segment."""
    names = part_names(segments)
    head = "part {} before old" if before else "part {}"
    parts: list[tuple[tuple[int, ...], str]] = []
    for number, (name, segment) in enumerate(zip(names, segments, strict=True)):
        last = number == len(segments) - 1
        has_every = len(segment.cells) == len(conditions.every)
        if last and not has_every and segment.lines[-1:] != ("",):
            raise CannotSay("only some recipes have the last line of a string")
        lines = segment.lines if last else (*segment.lines, "")
        if lines == ("",) and last and number:
            continue
        parts.append((segment.cells, f"{head.format(name)} {part_text(lines)}"))
    return under_conditions(parts, conditions)


def part_names(segments: Sequence[Segment]) -> list[str]:
    found: list[str] = []
    for segment in segments:
        found.append(free_name(_part_name(segment.lines), found))
    return found


def _part_name(lines: Sequence[str]) -> str:
    """A name for the part that *lines* are, of its first line that has words."""
    for line in lines:
        for pattern in _LABELS:
            found = pattern.match(line.strip())
            if found is not None:
                words = re.sub(r"[^a-z0-9]+", "-", found[1].lower()).strip("-").split("-")[:3]
                name = "-".join(words)
                return (
                    name if is_name(name) and name not in ("old", "text", "blank") else f"p-{name}"
                )
    return "text" if any(line.strip() for line in lines) else "blank"
