"""`tvarc diff`: two variants, or two states of the program."""

from __future__ import annotations

import json
import sys

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.console import StreamFailed, close_streams, has_colour, terminal_width
from tvarc.cli.session import Ended, Session, run
from tvarc.diff.compare import Comparer
from tvarc.diff.programs import compare_programs, needed_by, variants_meant
from tvarc.diff.states import State, open_state, tree_at
from tvarc.driver import Compilation
from tvarc.light import TYPE_CHECKING, NoReturn, Sequence
from tvarc.matrix.select import join_pairs
from tvarc.report.changes_data import changes_data, pair_data
from tvarc.report.changes_text import Places, changes_text, pair_text
from tvarc.report.data import origin_data

if TYPE_CHECKING:
    from tvarc.diff.manifests import EntryChange
    from tvarc.judge.difference import Difference as Derived
    from tvarc.plain import Json


def command(given: Arguments) -> int:
    """Print the differences; the exit code says whether there are any, as that of `diff` does."""
    file, words = given.program_and_words()
    if given.text("against") is None and len(words) != 2:
        raise Misused("two variants are wanted, or --against with another state")
    return run(given, lambda session: _diff(session, given, file, words))


def _diff(session: Session, given: Arguments, file: str | None, words: list[str]) -> int:
    against = given.text("against")
    try:
        made = session.compile(file)
        session.stop_on_errors()
        if against is None:
            code = _variants(session, given, made, words)
        else:
            code = _states(session, given, made, words, against)
        close_streams()  # an answer that nobody got is none
        return code
    except StreamFailed as fault:
        session.console.error(f"error: the output cannot be written: {fault}\n")
        raise Ended(exits.TROUBLE) from None
    except Ended as end:
        raise Ended(exits.TROUBLE if end.code == exits.FAILED else end.code) from None


# --- two variants ------------------------------------------------------------------------------


def _variants(session: Session, given: Arguments, made: Compilation, words: list[str]) -> int:
    chosen = [session.one(word) for word in words]
    decided = [made.recipe(variant) for variant in chosen]
    session.stop_on_errors()
    one, other = (recipe for recipe in decided if recipe is not None)
    found = Comparer(flags=True).compare(one, other)
    paths = None
    apart: tuple[Derived, ...] = ()
    if given.flag("nix"):
        from tvarc.diff.derivations import derivations
        from tvarc.diff.outcomes import differing

        _demand_output(session)
        both = {"a": one, "b": other}
        asked = derivations(
            both, made.file, lambda file: tree_at(file, file), session.sink, needed_by(made)
        )
        if asked is None:
            session.finish(exits.FAILED)
        paths = (asked["a"], asked["b"])
        apart = differing(*paths)
    session.show()
    names = (one.variant, other.variant)
    if given.flag("json"):

        def origin(place: ir.Origin | None) -> Json:
            return origin_data(place, made.sources)

        _print_json(session, pair_data(names, found, origin, paths, apart))
    else:

        def place(written: ir.Origin) -> str:
            return made.sources.locate(written.span)

        out = sys.stdout
        session.console.out(
            pair_text(
                names, found, Places(place, place), colour=has_colour(out),
                width=terminal_width(out), derivations=paths, differ=apart,
            )
        )  # fmt: skip
    differ = bool(found.differences) or (paths is not None and paths[0] != paths[1])
    return exits.DIFFERENT if differ else exits.OK


# --- two states --------------------------------------------------------------------------------


def _states(
    session: Session, given: Arguments, made: Compilation, words: list[str], against: str
) -> int:
    with session.guarded():
        state = open_state(made.file, against, session.sink)
        if state is None:
            session.finish(exits.FAILED)
        if state.made.sink.has_errors:
            _stop(session, state)
        chosen = variants_meant(join_pairs(words), state.made, made)
        if isinstance(chosen, str):
            session.select([chosen])  # which says what there is
            session.finish(exits.FAILED)
        changes = compare_programs(state.made, made, *chosen)
        entries: Sequence[EntryChange] = ()
        if changes is not None and (made.manifests or state.made.manifests):
            from tvarc.diff.manifests import manifest_changes

            entries = manifest_changes(state.made, made, *chosen)
    if changes is None or session.sink.has_errors or state.made.sink.has_errors:
        session.stop_on_errors()
        _stop(session, state)
    session.show()
    outcome = None
    if given.flag("nix"):
        from tvarc.diff.outcomes import derivation_outcomes

        _demand_output(session)
        outcome = derivation_outcomes(state, made, changes, session.sink)
        if outcome is None:
            session.finish(exits.FAILED)
    if given.flag("json"):

        def origin(place: ir.Origin | None) -> Json:
            return origin_data(place, made.sources)

        def old_origin(place: ir.Origin | None) -> Json:
            return origin_data(place, state.made.sources, name=state.shown)

        data = changes_data(changes, old_origin, origin, outcome)
        if made.manifests or state.made.manifests:
            from tvarc.report.manifest_report import changed_entries_data

            data["manifests"] = changed_entries_data(entries)
        _print_json(session, {"against": against, **data})
    else:

        def place(written: ir.Origin) -> str:
            return made.sources.locate(written.span)

        out = sys.stdout
        session.console.out(
            changes_text(
                changes, Places(state.place, place), whole=given.flag("all"),
                colour=has_colour(out), width=terminal_width(out), derivations=outcome,
            )
        )  # fmt: skip
        if entries:
            from tvarc.report.manifest_report import changed_entries

            session.console.out("".join(f"{line}\n" for line in changed_entries(entries)))
    differ = (
        changes.any or bool(entries) or bool(outcome and set(outcome.became.values()) - {"same"})
    )
    return exits.DIFFERENT if differ else exits.OK


def _stop(session: Session, state: State) -> NoReturn:
    """End the command with the errors of *state*."""
    session.sink, session.sources = state.diagnostics()
    session.finish(exits.FAILED)


def _demand_output(session: Session) -> None:
    session.demand_output()
    session.stop_on_errors()


def _print_json(session: Session, data: object) -> None:
    session.console.data(json.dumps(data, indent=2) + "\n")
