"""`tvarc diff`: two variants, or two states of the program."""

from __future__ import annotations

import json
import sys

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.causes import Causes
from tvarc.cli.console import StreamFailed, close_streams, has_colour, terminal_width
from tvarc.cli.members import alike, emitted, members, others
from tvarc.cli.session import Ended, Session, counted
from tvarc.cli.sharing import SharedDifferences
from tvarc.cli.states import State, open_state, read_bytes
from tvarc.diagnostics.model import Sink
from tvarc.driver import Compilation
from tvarc.light import TYPE_CHECKING, Sequence, dataclass
from tvarc.matrix.variants import Variant
from tvarc.report.changes import Changes, Member, compare_members, comparing
from tvarc.report.changes_data import changes_data, pair_data
from tvarc.report.changes_text import Places, changes_text, pair_text
from tvarc.report.compare import Comparer
from tvarc.report.data import origin_data
from tvarc.source import SourceMap

if TYPE_CHECKING:
    from tvarc.plain import Json

_LISTED = 6


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """`words` are two variants; with `against`, selectors of variants."""

    words: tuple[str, ...]
    file: str | None
    against: str | None
    whole: bool
    nix: bool
    as_json: bool


def diff(session: Session, options: DiffOptions) -> int:
    """Print the differences; the exit code says whether there are any, as that of `diff` does."""
    try:
        made = session.compile(options.file)
        session.stop_on_errors()
        if options.against is None:
            code = _variants(session, made, options)
        else:
            code = _states(session, made, options, options.against)
        close_streams()  # an answer that nobody got is none
        return code
    except StreamFailed as fault:
        session.console.error(f"error: the output cannot be written: {fault}\n")
        raise Ended(exits.TROUBLE) from None
    except Ended as end:
        raise Ended(exits.TROUBLE if end.code == exits.FAILED else end.code) from None


# --- two variants ------------------------------------------------------------------------------


def _variants(session: Session, made: Compilation, options: DiffOptions) -> int:
    chosen = [_one(session, word) for word in options.words]
    decided = [made.recipe(variant) for variant in chosen]
    session.stop_on_errors()
    one, other = (recipe for recipe in decided if recipe is not None)
    found = Comparer(flags=True).compare(one, other)
    paths = None
    if options.nix:
        from tvarc.cli.derivations import derivations

        _demand_output(session)
        asked = derivations(session, {"a": one, "b": other}, made.file, lambda f: read_bytes(f, f))
        paths = (asked["a"], asked["b"])
    session.show()
    names = (one.variant, other.variant)
    if options.as_json:

        def origin(place: ir.Origin | None) -> Json:
            return origin_data(place, made.sources)

        _print_json(session, pair_data(names, found, origin, paths))
    else:

        def place(written: ir.Origin) -> str:
            return made.sources.locate(written.span)

        out = sys.stdout
        session.console.out(
            pair_text(
                names, found, Places(place, place), colour=has_colour(out),
                width=terminal_width(out), derivations=paths,
            )
        )  # fmt: skip
    differ = bool(found.differences) or (paths is not None and paths[0] != paths[1])
    return exits.DIFFERENT if differ else exits.OK


def _one(session: Session, selector: str) -> Variant:
    """The variant that *selector* means; ends the command when it means several."""
    found = session.select([selector])
    if len(found) > 1:
        names = ", ".join(variant.name for variant in found[:_LISTED])
        session.sink.error(
            "E902",
            f"`{selector}` selects {counted(len(found), 'variant')}",
            notes=(f"{names}{' …' if len(found) > _LISTED else ''}",),
            help="name one of them, or say more: values are joined by `-`",
        )
        session.finish(exits.FAILED)
    return found[0]


# --- two states --------------------------------------------------------------------------------


def _states(session: Session, made: Compilation, options: DiffOptions, against: str) -> int:
    state = open_state(session, made.file, against)
    chosen = made.variants, state.made.variants
    if options.words:
        chosen = _chosen(session, options.words, made, state.made)
    new = emitted(session, made, chosen[0])
    old = emitted(session, state.made, chosen[1], state)
    with session.guarded():
        after, before = members(made, chosen[0]), members(state.made, chosen[1])
        causes = Causes(state.made, made, *chosen)
        differences = SharedDifferences(old, new, others(old, new), comparing())
        changes = compare_members(before, after, alike(old, new), causes.of, differences)
    session.show()
    outcome = _derivations(session, state, made, changes, before, after) if options.nix else None
    if options.as_json:

        def origin(place: ir.Origin | None) -> Json:
            return origin_data(place, made.sources)

        data = changes_data(changes, state.origin, origin, outcome)
        _print_json(session, {"against": against, **data})
    else:

        def place(written: ir.Origin) -> str:
            return made.sources.locate(written.span)

        out = sys.stdout
        session.console.out(
            changes_text(
                changes, Places(state.place, place), whole=options.whole, colour=has_colour(out),
                width=terminal_width(out), derivations=outcome,
            )
        )  # fmt: skip
    differ = changes.any or any(what != "same" for what in (outcome or {}).values())
    return exits.DIFFERENT if differ else exits.OK


def _chosen(
    session: Session, words: Sequence[str], *states: Compilation
) -> tuple[Sequence[Variant], Sequence[Variant]]:
    """Those that *words* mean in either state; a word that means nothing in both is an error."""
    from tvarc.matrix.select import join_pairs

    selectors = join_pairs(words)
    names: set[str] = set()
    for text in selectors:
        meant = [variant.name for made in states for variant in _quietly(text, made)]
        if not meant:
            session.select([text])
        names.update(meant)
    new, old = ([one for one in made.variants if one.name in names] for made in states)
    return new, old


def _quietly(text: str, made: Compilation) -> list[Variant]:
    """The variants of *made* that *text* means, perhaps none."""
    from tvarc.matrix.select import select

    assert made.resolution is not None
    return select((text,), made.resolution, made.variants, SourceMap(), Sink(), made.loader.join)


def _derivations(
    session: Session,
    state: State,
    made: Compilation,
    changes: Changes,
    before: Sequence[Member],
    after: Sequence[Member],
) -> dict[str, str]:
    """What became of the derivation of each variant of both states: `same`, `other`, or why Nix
    refuses it. Equal recipes have equal derivations: Nix is asked of the others alone."""
    from tvarc.cli.derivations import Refused, derivations, has_files

    _demand_output(session)
    old = {member.name: member.recipe for member in before}
    new = {member.name: member.recipe for member in after}
    moved = {*changes.changed, *(one.after for one in changes.renamed)}
    asked = [
        (was, now)
        for was, now in changes.pairs
        if now in moved or has_files(old[was]()) or has_files(new[now]())
    ]
    first = derivations(session, {now: old[was]() for was, now in asked}, made.file, state.read)
    second = derivations(
        session, {now: new[now]() for _, now in asked}, made.file,
        lambda file: read_bytes(file, file),
    )  # fmt: skip
    outcome: dict[str, str] = {}
    for _, name in changes.pairs:
        one, other = first.get(name), second.get(name)
        refused = [path for path in (other, one) if isinstance(path, Refused)]
        outcome[name] = refused[0] if refused else "same" if one == other else "other"
    return outcome


def _demand_output(session: Session) -> None:
    session.demand_output()
    session.stop_on_errors()


def _print_json(session: Session, data: object) -> None:
    session.console.data(json.dumps(data, indent=2) + "\n")
