"""`tvarc who`: which variants and which emitted lines a line of source reaches."""

from __future__ import annotations

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.console import json_text
from tvarc.cli.emitted import runs
from tvarc.cli.looked import look, sample, traces
from tvarc.cli.program import source_name
from tvarc.cli.session import Session
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.driver import Compilation
from tvarc.elaborate.reach import Effect, Place
from tvarc.elaborate.trace import Trace
from tvarc.light import Callable, Collection, Final, Iterator, Sequence
from tvarc.matrix.boxes import MATRIX, Universe, axis_text
from tvarc.matrix.exclusion_eval import count_dropped
from tvarc.matrix.reads import ReadsOf
from tvarc.matrix.variants import Variant
from tvarc.report.data import span_text
from tvarc.report.tree import Node, recipe_tree
from tvarc.report.who import Done, Dropped, Reached, WhoAnswer, Withheld, who_data, who_text
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.source import Span
from tvarc.syntax import ast

_DIGITS: Final = 18
_BEYOND: Final = 10**_DIGITS  # no file has as many lines
_SAMPLED: Final = 500
"""So many variants are asked why a line reaches none."""


def split_place(word: str) -> tuple[str, int] | None:
    """`FILE:LINE`, the line from 1; None for any other word."""
    file, _, line = word.rpartition(":")
    if not file or not line.isdecimal():
        return None
    number = int(line) if len(line) <= _DIGITS else _BEYOND
    return (file, number) if number else None


def who(
    session: Session,
    file: str | None,
    place: tuple[str, int],
    only: Sequence[str],
    *,
    whole: bool,
    as_json: bool,
) -> int:
    """Print what *place* reaches, with *whole* each variant by its name; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    target = _target(session, made, place)
    variants = session.select(only)
    with session.guarded():
        answer = answer_of(made, variants, target)
    session.stop_on_errors()
    if as_json:
        session.console.data(json_text(who_data(answer)))
    else:
        universe = Universe([_cell(one) for one in variants])
        session.console.out(who_text(answer, universe, whole=whole))
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
        which = f"line {line}" if line < _BEYOND else "such line"
        session.sink.error("E904", f"`{name}` has no {which}", notes=(f"it has {count}",))
        session.finish(exits.FAILED)
    return (asked, line)


def _cell(variant: Variant) -> dict[str, str]:
    """The axis values of a variant as they are typed, and its matrix."""
    cell = {axis: axis_text(value) for axis, value in variant.values.items()}
    cell.setdefault(MATRIX, variant.matrix.name)
    return cell


def answer_of(made: Compilation, variants: Sequence[Variant], target: Place) -> WhoAnswer:
    """What *target* reaches of *variants*. What keeps one from being decided is reported."""
    source = made.sources.get(target[0])
    line = source.line(target[1]) if source is not None else ""
    groups: dict[tuple[int, ...], list[int]] = {}
    items = list(_items(made, target))
    heads = heads_at(made, target)
    withheld: dict[Span, list[int]] = {}
    effects: dict[Effect, list[int]] = {}
    blank = _blank(line)
    names: list[str] = []
    files: list[tuple[str, ...]] = []
    for number, one in enumerate(look(made, variants, target, heads) if not blank else ()):
        names.append(one.variant.name)
        files.append(one.files)
        for span in one.withheld:
            withheld.setdefault(span, []).append(number)
        for out in one.effects:
            effects.setdefault(out, []).append(number)
        for lines in one.lines:
            groups.setdefault(lines, []).append(number)
    reached = tuple(
        Reached(tuple(runs(lines)), tuple(numbers))
        for lines, numbers in sorted(groups.items(), key=lambda one: (-len(one[1]), one[1]))
    )
    if blank:
        names = [variant.name for variant in variants]
    decides = _decides(items, variants, made, target) if not blank else None
    if decides is not None and not decides[1]:
        decides = None
    dropped = tuple(_dropped(made, target)) if not blank else ()
    held = tuple(
        Withheld(span_text(span, made.sources), made.sources.locate(span), tuple(numbers))
        for span, numbers in withheld.items()
    )
    outs = tuple(
        Done(out.what, made.sources.locate(out.span), tuple(numbers), out.only_place)
        for out, numbers in effects.items()
    )
    told = bool(reached or decides or dropped or held) or any(not out.only_place for out in outs)
    return WhoAnswer(
        f"{target[0]}:{target[1]}",
        line,
        tuple(names),
        tuple(files),
        reached,
        decides,
        dropped,
        held,
        () if told else blank or _why(made, variants, target, items),
        outs,
    )


# --- what stands on a line ---------------------------------------------------------------------


def heads_at(made: Compilation, target: Place) -> list[Span]:
    """The blocks and scripts that begin on the line."""
    return [
        item.span
        for item in _items(made, target)
        if isinstance(item, ast.Block | ast.Script | ast.When)
        and target[1] == _first(made, item.span)
    ]


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
    items: Sequence[ast.Item], variants: Sequence[Variant], made: Compilation, target: Place
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
            return text, _those(variants, lambda matrix: any(
                pick.axis.name == outer.name.text for pick in matrix.axes
            ))  # fmt: skip
        case ast.Matrix() | ast.Variant() if head or field in ("recipe", "axes", "name", "limit"):
            kind = "matrix" if isinstance(outer, ast.Matrix) else "variant"
            text = f"{kind} {outer.name.text} decides which variants there are"
            return text, _those(variants, lambda matrix: any(
                layer.span == outer.span for layer in matrix.layers
            ))  # fmt: skip
        case ast.Recipe() if head:
            text = f"recipe {outer.name.text} is what variants are made of"
            return text, _those(variants, lambda matrix: any(
                recipe.name == outer.name.text for recipe in matrix.recipe.chain()
            ))  # fmt: skip
        case ast.Output():
            return f"output {outer.name.text} names the file of each", tuple(range(len(variants)))
        case _:
            return None


def _those(variants: Sequence[Variant], fits: Callable[[hir.MatrixDef], bool]) -> tuple[int, ...]:
    """The variants of the matrices that fit."""
    known: dict[str, bool] = {}
    found: list[int] = []
    for number, one in enumerate(variants):
        matrix = one.matrix
        if matrix.id not in known:
            known[matrix.id] = fits(matrix)
        if known[matrix.id]:
            found.append(number)
    return tuple(found)


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
        count = count_dropped(matrix, checks, reads)
        if count:
            yield Dropped(matrix.name, count)


# --- why a line reaches nothing ----------------------------------------------------------------


def _blank(line: str) -> tuple[str, ...]:
    """Why a line can reach nothing, whatever stands around it."""
    text = line.strip()
    if not text:
        return ("the line is empty",)
    if text.startswith("#"):
        return ("it is a comment",)
    if not any(letter.isalnum() for letter in text):
        return ("it only opens or closes what stands around it",)
    return ()


def _why(
    made: Compilation, variants: Sequence[Variant], target: Place, items: Sequence[ast.Item]
) -> tuple[str, ...]:
    inner = items[-1] if items else None
    match inner:
        case ast.Language():
            return ("it says for which meaning of the language the file is written",)
        case ast.Use():
            return ("it brings in names, and what is declared by them tells what it reaches",)
        case ast.Exclude():
            return ("the exclusion drops no cell",)
        case ast.Require() | ast.Warn():
            return ("it is a check: it emits nothing",)
        case ast.Let():
            return (f"nothing that is emitted reads `{inner.name.text}`",)
        case ast.Facts() | ast.Axis():
            if any(_covers(made, row.span, target) for row in inner.rows or ()):
                return ("nothing that is emitted reads this fact",)
            return ("it opens a table, and each row tells what it reaches",)
        case ast.When() if _only_checks(inner.body):
            return ("it is about checks: they emit nothing",)
        case _:
            asked = sample(variants, _SAMPLED)
            return _unused(made, asked, target, sampled=len(asked) < len(variants))


def _only_checks(items: Sequence[ast.Item]) -> bool:
    return all(
        _only_checks(item.body) if isinstance(item, ast.When)
        else isinstance(item, ast.Require | ast.Warn | ast.Exclude)
        for item in items
    )  # fmt: skip


def _unused(
    made: Compilation, variants: Sequence[Variant], target: Place, *, sampled: bool
) -> tuple[str, ...]:
    """Why a setting is in no file: it is used nowhere, never let in, shadowed, or read by none.
    With *sampled* there are more variants, of which nothing is said."""
    used = held = unread = 0
    over: dict[str, int] = {}
    for _, recipe, trace in traces(made, variants):
        spans = {span for span in trace.written if _covers(made, span, target)}
        used += bool(spans)
        if not any(_holds(trace, span) for span in spans):
            continue
        held += 1
        places = dict.fromkeys(
            f"{made.sources.locate(place)} ({why})"
            for node in recipe_tree(recipe).walk()
            for place, why in _covering(node, spans)
        )
        for text in places:
            over[text] = over.get(text, 0) + 1
        unread += not places
    these = "variants that were looked at" if sampled else "variants"
    if not used:
        who = f"none of the {len(variants)} {these}" if sampled else "no variant"
        return (f"{who} uses the declaration that it stands in",)
    if not held:
        when = f"holds in none of the {len(variants)} {these}" if sampled else "never holds"
        return (f"its condition {when}",)
    reasons = [
        f"it is shadowed in {count} of {held} {these} by {text}" for text, count in over.items()
    ]
    if unread:
        where = f" in {unread} of {held} {these}" if sampled or reasons or unread < held else ""
        reasons.append(f"nothing that is emitted reads it{where}")
    return tuple(reasons)


def _covering(node: Node, spans: Collection[Span]) -> Iterator[tuple[Span, str]]:
    """What stands over the values of *node* that were written at *spans*: its place, and why."""
    for number, lost in enumerate(node.shadowed):
        if node.origin is None or lost.origin.span not in spans:
            continue
        # An element that was taken out is told before what takes it out.
        taker = next((one for one in node.shadowed[number:] if one.reason == ir.TAKEN_OUT), None)
        if lost.op == "+=" and taker is not None:
            yield taker.origin.span, lost.reason
        else:
            yield node.origin.span, lost.reason


def _holds(trace: Trace, span: Span) -> bool:
    written = trace.written[span]
    try:
        return written.deciding.holds(written.write.conditions)
    except Failed:
        return False
