"""The variants and the dropped cells that selectors mean, in one program or one of several."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.light import TYPE_CHECKING, Final, Sequence
from tvarc.matrix.pairs import is_pairs
from tvarc.matrix.select import DROPPED, select
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Diagnostic, Sink, filled
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import SourceMap

if TYPE_CHECKING:
    from tvarc.commands.programs.missed import Missed
    from tvarc.matrix.exclusion_eval import Dropped, DroppedCell
    from tvarc.text.diagnostics.message import Message

_LISTED = 20  # variants
_NAMED = 6
_SETTINGS: Final = 8  # settings or overlays of a variant that count as one evaluation
_WRITES: Final = 4  # writes to a setting that count as much as the setting
_EVALUATED: Final = 12  # evaluations that a setting of a single variant counts as, for Nix
MOST_EVALUATED: Final = 1 << 26
"""Bytes of recipes that Nix evaluates together, which are one file."""


def are_few(
    made: Compilation, variants: Sequence[Variant], message: Message, times: int = 1
) -> bool:
    """Whether *variants* are few enough to process each alone, which takes *times* as long as the
    map of its lines. If not, *message* is reported to the sink of *made*."""
    from tvarc.matrix.present import by_matrix
    from tvarc.meaning.budget import COST_OF_FRAME, LIMIT_ALL_EVALUATIONS, Total

    elaboration = made.elaboration
    total, most = Total(made.sink), LIMIT_ALL_EVALUATIONS
    for built, cells in by_matrix(variants):
        matrix = built.matrix
        settings = len(elaboration.plan(matrix).groups) + len(elaboration.program.overlays)
        if not total.asks(times * len(cells) * (COST_OF_FRAME + settings // _SETTINGS)):
            made.streamed = True  # to decide them all takes too long as well
            made.sink.report(message, matrix.span, name=matrix.name, most=most)
            return False
    return True


def share_enough(
    made: Compilation, variants: Sequence[Variant], message: Message, effort: int
) -> bool:
    """Whether few settings are decided for a single one of *variants*. Each takes *effort*, in
    evaluations. If not, *message* is reported to the sink of *made* before any variant is
    decided."""
    from math import prod

    from tvarc.matrix.present import by_matrix
    from tvarc.meaning.budget import LIMIT_ALL_EVALUATIONS, Total

    elaboration = made.elaboration
    total, most = Total(made.sink), LIMIT_ALL_EVALUATIONS
    for built, cells in by_matrix(variants):
        matrix = built.matrix
        deciding = elaboration.printing(next(one for one in variants if one.matrix is matrix))
        sizes = {pick.axis.name: len(pick.values) for pick in matrix.axes}
        for group, written in deciding.plan.groups.items():
            if deciding.lates is not None and deciding.lates.shares(group):
                continue
            axes = deciding.plan.dependencies(group, elaboration.shared.reads)
            times = min(prod([sizes[one] for one in axes]), len(cells))
            if not total.asks(effort * times * (1 + len(written) // _WRITES)):
                made.streamed = True  # to decide them all takes too long as well
                made.sink.report(message, matrix.span, name=matrix.name, most=most)
                return False
    return True


def may_be_evaluated(made: Compilation, variants: Sequence[Variant]) -> None:
    """Report if *variants* are too many, or too large, for Nix to evaluate them together."""
    from tvarc.build import messages as of_build
    from tvarc.build.assembly.bodies import Bodies
    from tvarc.meaning.budget import FREE_RECIPE, LIMIT_ALL_EVALUATIONS

    message = of_build.questions.TOO_MANY_TO_EVALUATE
    if not are_few(made, variants, message):
        return
    if not share_enough(made, variants, message, _EVALUATED):
        return
    if len(variants) * FREE_RECIPE <= MOST_EVALUATED:
        return
    bodies, size = Bodies(made.file), 0
    for variant in variants:
        recipe = made.recipe(variant, late=True)
        if recipe is None:
            return
        size += bodies.size(recipe, f"{variant.name}.nix")
        if size > MOST_EVALUATED:
            matrix = variant.matrix
            most = LIMIT_ALL_EVALUATIONS
            made.sink.report(message, matrix.span, name=matrix.name, most=most)
            return


def selected(
    made: Compilation,
    selectors: Sequence[str],
    sources: SourceMap,
    sink: Sink,
    missed: Missed | None = None,
) -> Sequence[Variant]:
    """The selected variants; a selector that selects none is reported. If this is one of several
    programs, *missed* collects such selectors instead."""
    assert made.resolution is not None
    if missed is not None:
        missed.asked += 1
        selectors = [text for text in selectors if _means_any(made, text, missed)]
        if not selectors:
            return ()
    return select(
        selectors, made.resolution, made.variants, sources, sink, made.loader.join, cache=made.cache
    )


def selector_and_path(words: Sequence[str]) -> tuple[str, str | None, str | None]:
    """The parts of *words* about one variant: the selector, the path within it, and the first word
    that is neither. Pairs in separate words are one selector; the word after it is a path."""
    count = 1
    if is_pairs(words[0]):
        while count < len(words) and is_pairs(words[count]):
            count += 1
    path, surplus, *_ = *words[count:], None, None
    return " ".join(words[:count]), path, surplus


def followed(made: Compilation, variant: Variant, path: str) -> tuple[Variant, str]:
    """The part of *path* within a needed variant: of `needs.torch.attrs.pname` it is
    `attrs.pname`."""
    from tvarc.commands.shown.lookup import path_text

    def prefix(need: str) -> str:
        """The beginning of a path into *need*, which may belong to a recipe within another one."""
        return "".join([f"needs.{path_text((name,))}." for name in need.split(".")])

    while made.is_stacked and path.startswith("needs."):
        direct = dict(made.stack.direct(variant))
        # A quoted name is not split. The needs of a recipe within the recipe follow.
        found = next((one for one in direct if path.startswith(prefix(one))), None)
        if found is None:
            break
        variant, path = direct[found], path.removeprefix(prefix(found))
    return variant, path


def _means_any(made: Compilation, text: str, missed: Missed) -> bool:
    """Whether *text* means something in this program of several."""
    assert made.resolution is not None
    sink, sources = Sink(), SourceMap()
    select((text,), made.resolution, made.variants, sources, sink, made.loader.join)
    return missed.note(text, sink, sources)


def several(selector: str, found: Sequence[Variant]) -> Diagnostic:
    """The error if one variant is requested and *selector* selects several, which were *found*."""
    shown = [f"  {variant.name}" for variant in found[:_LISTED]]
    if len(found) > _LISTED:
        shown.append(f"  and {len(found) - _LISTED} more")
    from tvarc.commands import messages as msg

    listed = "\n".join(["they are:", *shown])
    return filled(
        msg.selection.SEVERAL,
        None,
        {"selector": selector, "count": len(found), "listed": listed},
    )


def axes_named(made: Compilation, names: str | None, sink: Sink) -> list[str]:
    """The axes that *names* has between commas, each once; a name that is not an axis is
    reported."""
    matrices = made.program.matrices
    known = list(dict.fromkeys(pick.axis.name for one in matrices for pick in one.axes))
    axes = [axis.strip() for axis in names.split(",")] if names is not None else []
    for axis in dict.fromkeys(axes):
        if axis not in known:
            from tvarc.commands import messages as msg

            told = f"axes: {', '.join(known)}" if known else "there is no matrix"
            sink.report(msg.selection.NO_AXIS, name=axis, known=told, guess=guess(axis, known))
    return list(dict.fromkeys(axes))


def dropped_meant(
    made: Compilation, selectors: Sequence[str], sink: Sink, missed: Missed | None = None
) -> list[Dropped]:
    """The dropped cells of each matrix, or those that *selectors* select; see `selected`. None
    after reporting that they have too many reasons.
    """
    from tvarc.matrix.exclusion_eval import Dropped

    matrices = [Dropped(matrix, made.excludes(matrix)) for matrix in made.program.matrices]
    total = made.elaboration.shared.total
    if not all(one.may_be_listed(total, sink) for one in matrices):
        return []
    if selectors:
        cells = [cell for one in matrices for cell in one.cells()]
        chosen = _selected_dropped(made, cells, selectors, sink, missed)
        for one in matrices:
            one.chosen = [cell for cell in chosen if cell.variant.matrix is one.matrix]
    return matrices


def _selected_dropped(
    made: Compilation,
    cells: Sequence[DroppedCell],
    selectors: Sequence[str],
    sink: Sink,
    missed: Missed | None,
) -> list[DroppedCell]:
    """The selected ones of *cells*, like `selected`; a selector of built variants selects none."""
    resolution = made.resolution
    assert resolution is not None
    variants = [cell.variant for cell in cells]

    def among(texts: Sequence[str], some: Sequence[Variant], own: Sink) -> list[Variant]:
        sources = made.sources if own is sink else SourceMap()
        return select(texts, resolution, some, sources, own, made.loader.join, DROPPED)

    texts: list[str] = []
    if missed is not None:
        missed.asked += 1
    for text in selectors:
        own = Sink() if missed is not None else sink
        if not among((text,), variants, Sink()):
            built = among((text,), made.variants, Sink())
            if built:
                _not_dropped(text, built, own)
            else:
                among((text,), variants, own)
        if missed is None or missed.note(text, own, SourceMap()):
            texts.append(text)
    found = among(texts, variants, sink) if texts and not sink.has_errors else ()
    chosen = set(map(id, found))
    return [cell for cell in cells if id(cell.variant) in chosen]


def _not_dropped(text: str, built: Sequence[Variant], sink: Sink) -> None:
    from tvarc.commands import messages as msg

    names = ", ".join(variant.name for variant in built[:_NAMED])
    more = " …" if len(built) > _NAMED else ""
    sink.report(msg.selection.NO_DROPPED_CELL, selector=text, names=names + more)
