"""`tvarc who`: which variants and which emitted lines a line of source reaches."""

from __future__ import annotations

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.console import json_text
from tvarc.cli.emitted import emitted_lines, runs
from tvarc.cli.program import source_name
from tvarc.cli.session import Session
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.driver import Compilation
from tvarc.elaborate.reach import Place
from tvarc.elaborate.trace import Trace
from tvarc.light import Callable, Iterator, Sequence, dataclass
from tvarc.matrix.dropped import dropped_cells
from tvarc.matrix.reads import ReadsOf
from tvarc.report.boxes import Universe
from tvarc.report.changes import cell_of
from tvarc.report.tree import recipe_tree
from tvarc.report.who import Dropped, Reached, WhoAnswer, who_data, who_text
from tvarc.sema.failed import Failed
from tvarc.source import Span
from tvarc.syntax import ast


@dataclass(frozen=True, slots=True)
class _Seen:
    """A variant that was looked at."""

    recipe: ir.Recipe
    trace: Trace


def split_place(word: str) -> tuple[str, int] | None:
    """`FILE:LINE`, the line from 1; None for any other word."""
    file, _, line = word.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() and int(line) else None


def who(
    session: Session,
    file: str | None,
    place: tuple[str, int],
    only: Sequence[str],
    *,
    as_json: bool,
) -> int:
    """Print what *place* reaches; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    target = _target(session, made, place)
    seen: list[_Seen] = []
    assert made.elaboration is not None
    for variant in session.select(only):
        recipe = made.recipe(variant)
        if recipe is not None:
            trace = Trace(made.elaboration, variant, recipe, made.sources)
            seen.append(_Seen(recipe, trace))
    session.stop_on_errors()
    answer = _answer(made, seen, target)
    if as_json:
        session.console.out(json_text(who_data(answer)))
    else:
        session.console.out(who_text(answer, Universe([cell_of(one.recipe) for one in seen])))
    session.show()
    return exits.OK


def _target(session: Session, made: Compilation, place: tuple[str, int]) -> Place:
    """The line that is meant, as spans name its file; ends the command when there is none."""
    assert made.graph is not None
    name, line = place
    known = list(made.graph.modules)
    asked = name if name in known else source_name(name)
    if asked not in known:
        same = [one for one in known if made.loader.identity(one) == made.loader.identity(asked)]
        if not same:
            session.sink.error(
                "E904", f"the program does not read `{name}`",
                notes=(f"it reads {', '.join(f'`{one}`' for one in known)}",),
                help=did_you_mean(name, known),
            )  # fmt: skip
            session.finish(exits.FAILED)
        asked = same[0]
    source = made.sources.get(asked)
    count = len(source.line_starts()) if source is not None else 0
    if line > count:
        session.sink.error("E904", f"`{name}` has no line {line}", notes=(f"it has {count}",))
        session.finish(exits.FAILED)
    return (asked, line)


def _answer(made: Compilation, seen: Sequence[_Seen], target: Place) -> WhoAnswer:
    groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for number, one in enumerate(seen):
        found = emitted_lines(made, one.recipe, one.trace, target)
        for lines in dict.fromkeys(found.values()):
            groups.setdefault(tuple(runs(lines)), []).append(number)
    reached = tuple(
        Reached(lines, tuple(numbers))
        for lines, numbers in sorted(groups.items(), key=lambda one: (-len(one[1]), one[1]))
    )
    items = list(_items(made, target))
    decides = _decides(items, seen, made, target)
    if decides is not None and not decides[1]:
        decides = None
    dropped = tuple(_dropped(made, target))
    source = made.sources.get(target[0])
    line = source.line(target[1]) if source is not None else ""
    told = bool(reached or decides or dropped)
    return WhoAnswer(
        f"{target[0]}:{target[1]}",
        line,
        tuple(one.recipe.variant for one in seen),
        tuple(tuple(file for _, file in one.recipe.files) for one in seen),
        reached,
        decides,
        dropped,
        () if told else _why(made, seen, target, line, items),
    )


# --- what stands on a line ---------------------------------------------------------------------


def _covers(made: Compilation, span: Span, target: Place) -> bool:
    source = made.sources.get(span.file)
    if source is None or span.file != target[0]:
        return False
    return source.position(span.start).line <= target[1] <= source.position(span.end).line


def _items(made: Compilation, target: Place) -> Iterator[ast.Item]:
    """The items that the line stands in, the outermost first."""
    assert made.graph is not None
    items: Sequence[ast.Item] = made.graph.modules[target[0]].tree.items
    while items:
        inside = [item for item in items if _covers(made, item.span, target)]
        items = ()
        for item in inside:
            yield item
            items = getattr(item, "body", ()) or items


def _decides(
    items: Sequence[ast.Item], seen: Sequence[_Seen], made: Compilation, target: Place
) -> tuple[str, tuple[int, ...]] | None:
    """What a line decides that is no value: which variants there are, and their files."""
    if not items:
        return None
    outer, inner = items[0], items[-1]
    field = inner.path[0].text if isinstance(inner, ast.Assign) and inner.path else ""
    head = inner is outer and target[1] == _first(made, outer.span)
    match outer:
        case ast.Axis():
            text = f"axis {outer.name.text} decides which variants there are"
            return text, _those(seen, lambda one: any(
                pick.axis.name == outer.name.text for pick in one.trace.deciding.matrix.axes
            ))  # fmt: skip
        case ast.Matrix() | ast.Variant() if head or field in ("recipe", "axes", "name", "limit"):
            kind = "matrix" if isinstance(outer, ast.Matrix) else "variant"
            text = f"{kind} {outer.name.text} decides which variants there are"
            return text, _those(seen, lambda one: one.recipe.matrix == outer.name.text)
        case ast.Recipe() if head:
            text = f"recipe {outer.name.text} is what variants are made of"
            return text, _those(seen, lambda one: outer.name.text in one.recipe.recipes)
        case ast.Output():
            return f"output {outer.name.text} names the file of each", tuple(range(len(seen)))
        case _:
            return None


def _those(seen: Sequence[_Seen], fits: Callable[[_Seen], bool]) -> tuple[int, ...]:
    return tuple(number for number, one in enumerate(seen) if fits(one))


def _first(made: Compilation, span: Span) -> int:
    source = made.sources.get(span.file)
    return source.position(span.start).line if source is not None else 0


def _dropped(made: Compilation, target: Place) -> Iterator[Dropped]:
    """The cells that the exclusions on the line drop, by matrix."""
    assert made.resolution is not None and made.expansion is not None
    reads = ReadsOf()
    for matrix in made.resolution.program.matrices:
        checks = tuple(
            check
            for check in made.expansion.excludes.get(matrix.id, ())
            if _covers(made, check.span, target)
            or (check.through is not None and _covers(made, check.through.span, target))
        )
        count = sum(1 for _ in dropped_cells(matrix, checks, reads))
        if count:
            yield Dropped(matrix.name, count)


# --- why a line reaches nothing ----------------------------------------------------------------


def _why(
    made: Compilation, seen: Sequence[_Seen], target: Place, line: str, items: Sequence[ast.Item]
) -> tuple[str, ...]:
    text = line.strip()
    if not text:
        return ("the line is empty",)
    if text.startswith("#"):
        return ("it is a comment",)
    if not any(letter.isalnum() for letter in text):
        return ("it only opens or closes what stands around it",)
    inner = items[-1] if items else None
    match inner:
        case ast.Use():
            return ("it brings in names, and what is declared by them tells what it reaches",)
        case ast.Exclude():
            return ("the exclusion drops no cell",)
        case ast.Require() | ast.Warn():
            return ("it is a check: it emits nothing",)
        case ast.Let():
            return (f"nothing that is emitted reads `{inner.name.text}`",)
        case ast.Facts() | ast.Axis():
            return ("nothing that is emitted reads this fact",)
        case _:
            return _unused(made, seen, target)


def _unused(made: Compilation, seen: Sequence[_Seen], target: Place) -> tuple[str, ...]:
    """Why a setting is in no file: it is used nowhere, never let in, or shadowed."""
    used = held = 0
    over: dict[str, int] = {}
    for one in seen:
        spans = {span for span in one.trace.written if _covers(made, span, target)}
        used += bool(spans)
        held += any(_holds(one.trace, span) for span in spans)
        for node in recipe_tree(one.recipe).walk():
            if node.origin is None:
                continue
            for lost in node.shadowed:
                if lost.origin.span in spans:
                    text = f"{made.sources.locate(node.origin.span)} ({lost.why})"
                    over[text] = over.get(text, 0) + 1
    if not used:
        return ("no variant uses the declaration that it stands in",)
    if not held:
        return ("its condition never holds",)
    reasons = [
        f"it is shadowed in {count} of {held} variants by {text}" for text, count in over.items()
    ]
    return tuple(reasons) or ("it only opens or closes what stands around it",)


def _holds(trace: Trace, span: Span) -> bool:
    written = trace.written[span]
    try:
        return written.deciding.holds(written.write.conditions)
    except Failed:
        return False
