"""The reasons why a line of source has no effect."""

from __future__ import annotations

from tvarc.build.assembly.entries import Entry, PlanEntries
from tvarc.build.assembly.source_map import SourceMaps
from tvarc.build.driver import Compilation
from tvarc.build.impact.items import covers
from tvarc.decide.plan import group_of
from tvarc.decide.trace import Trace, Written
from tvarc.light import Final, Iterable, Iterator, Sequence, dataclass, suppress
from tvarc.matrix.variants import Variant
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Failed
from tvarc.values.provenance import Place

MOST_SAMPLED: Final = 500
"""The number of variants that are evaluated to find why a line has no effect."""


@dataclass(frozen=True, slots=True)
class Blank:
    """The reason why a line has no effect by itself. `certain` says that this holds if it is in no
    text."""

    reason: str
    certain: bool


def blank(line: str) -> Blank | None:
    """The reason why *line* can hardly have an effect, whatever is around it. None for any other
    line."""
    text = line.strip()
    if not text:
        return Blank("the line is empty", certain=True)
    if text.startswith("#"):
        return Blank("it is a comment", certain=True)
    if not any(letter.isalnum() for letter in text):
        return Blank("it only opens or closes a block or a bracket", certain=False)
    return None


def why_unreached(
    made: Compilation,
    maps: SourceMaps,
    variants: Sequence[Variant],
    place: Place,
    items: Sequence[ast.Item],
) -> tuple[str, ...]:
    """The reasons why the line at *place*, inside *items*, reaches none of *variants*."""
    inner = items[-1] if items else None
    assert made.graph is not None
    if place[0] not in made.graph.modules:
        return ("nothing that is emitted reads a fact of this line",)
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
            if any(covers(made, row.span, place) for row in inner.rows or ()):
                return ("nothing that is emitted reads this fact",)
            return ("it opens a table, and each row tells what it reaches",)
        case ast.When() if _only_checks(ast.items_in(inner)):
            return ("it is about checks: they emit nothing",)
        case _:
            asked = sample(variants, MOST_SAMPLED)
            return _unused(made, maps, asked, place, sampled=len(asked) < len(variants))


def sample(variants: Sequence[Variant], most: int) -> Sequence[Variant]:
    """*variants*, or at most *most* of them, from all over the sequence."""
    if len(variants) <= most:
        return variants
    step = -(-len(variants) // most)
    return [variants[number] for number in range(0, len(variants), step)]


def _only_checks(items: Sequence[ast.Item]) -> bool:
    return all(
        _only_checks(ast.items_in(item)) if isinstance(item, ast.When)
        else isinstance(item, ast.Require | ast.Warn | ast.Exclude)
        for item in items
    )  # fmt: skip


def _unused(
    made: Compilation,
    maps: SourceMaps,
    variants: Sequence[Variant],
    place: Place,
    *,
    sampled: bool,
) -> tuple[str, ...]:
    """The reasons why a setting is in no file: it is not used, its condition never holds, it is
    shadowed, or nothing reads it. With *sampled* there are more variants, to which the reasons do
    not apply."""
    used = held = unread = 0
    over: dict[str, int] = {}
    for variant in variants:
        recipe = maps.elaboration.variant(variant, maps.outputs.of)
        if recipe is None:
            continue
        trace = Trace(maps.elaboration, variant, recipe, made.sources)
        written = [one for span, one in trace.written.items() if covers(made, span, place)]
        used += bool(written)
        if not any(map(_holds, written)):
            continue
        held += 1
        texts = dict.fromkeys(
            f"{made.sources.locate(one.by)} ({one.reason})"
            for one in _shadowed(written)
            if one.by is not None
        )
        for text in texts:
            over[text] = over.get(text, 0) + 1
        unread += not texts
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


def _shadowed(written: Iterable[Written]) -> Iterator[Entry]:
    """The entries of the members of *written* that another write replaces."""
    spans = {one.write.span for one in written}
    asked: set[tuple[int, object]] = set()
    for one in written:
        write, deciding = one.write, one.deciding
        group = group_of(write.path)
        if (id(deciding), group) in asked:
            continue
        asked.add((id(deciding), group))
        tracing, base = deciding.shared.tracing, deciding.overlay
        assert tracing is not None
        entries = PlanEntries(deciding.plan, ("overlays", base) if base else (), tracing.numbering)
        with suppress(Failed):
            setting = deciding.settled(group)
            found = entries.of_setting(setting) if setting is not None else ()
            yield from [e for e in found if e.kind == "shadowed" and e.span in spans]


def _holds(written: Written) -> bool:
    try:
        return written.deciding.holds(written.write.conditions)
    except Failed:
        return False
