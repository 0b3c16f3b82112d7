"""`tvarc diff`: two variants, or two states of the program."""

from __future__ import annotations

import sys

from tvarc.build.diff.compare import Comparer
from tvarc.build.diff.programs import compare_programs, entry_changes, variants_meant
from tvarc.build.diff.states import open_state
from tvarc.build.driver import Compilation
from tvarc.commands.diff.text import Places, changes_text, pair_text
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import (
    StreamFailed,
    close_streams,
    has_colour,
    terminal_width,
)
from tvarc.commands.line.session import Ended, Session, run
from tvarc.light import Callable
from tvarc.matrix.pairs import join_pairs
from tvarc.nix import ir
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Print the differences; the exit code says whether there are any, as that of `diff` does."""
    file, words = given.program_and_words()
    if given.text("against") is None and len(words) != 2:
        raise Misused("name two variants, or another state with --against")
    return run(given, lambda session: _diff(session, given, file, words))


def _diff(session: Session, given: Arguments, file: str | None, words: list[str]) -> int:
    against = given.text("against")
    try:
        with session.guarded():
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


def _variants(session: Session, given: Arguments, made: Compilation, words: list[str]) -> int:
    """Compare two variants; the exit code."""
    first, second = (session.one(word) for word in words)
    decided = (made.recipe(first), made.recipe(second))
    session.stop_on_errors()
    one, other = (recipe for recipe in decided if recipe is not None)
    found = Comparer(flags=True).compare(one, other)
    outcome = None
    if given.flag("nix"):
        from tvarc.commands.evaluation.derivations import pair_outcome

        _demand_output(session)
        outcome = pair_outcome(made, first, second, session.sink)
        if outcome is None:
            session.finish(exits.FAILED)
    session.show()
    names = (one.variant, other.variant)
    if given.flag("json"):
        from tvarc.commands.diff.result import pair_of

        session.console.data(json_text(pair_of(names, found, made.sources, outcome), made.sources))
    else:
        out = sys.stdout
        here = _places(made)
        session.console.out(
            pair_text(
                names, found, Places(here, here), colour=has_colour(out), width=terminal_width(out),
                derivations=outcome,
            )
        )  # fmt: skip
    differ = bool(found.differences) or (outcome is not None and not outcome.is_same)
    return exits.DIFFERENT if differ else exits.OK


def _states(
    session: Session, given: Arguments, made: Compilation, words: list[str], against: str
) -> int:
    """Compare the program with another state of it; the exit code."""
    state = open_state(made.file, against, session.sink)
    if state is None:
        session.finish(exits.FAILED)
    if state.made.sink.has_errors:
        session.finish_with(*state.diagnostics())
    chosen = variants_meant(join_pairs(words), state.made, made)
    if isinstance(chosen, str):
        session.select([chosen])  # which says what there is
        session.finish(exits.FAILED)
    changes = compare_programs(state.made, made, *chosen)
    entries = entry_changes(state.made, made, *chosen) if changes is not None else None
    files = None
    if changes is not None and not words and _has_others(state.made, made):
        from tvarc.commands.diff.changed_files import changed_files

        files = changed_files(state, made)
    if changes is None or session.sink.has_errors or state.made.sink.has_errors:
        session.stop_on_errors()
        session.finish_with(*state.diagnostics())
    session.show()
    outcome = None
    if given.flag("nix"):
        from tvarc.commands.evaluation.derivations import derivation_outcomes

        _demand_output(session)
        outcome = derivation_outcomes(state, made, changes, session.sink)
        if outcome is None:
            session.finish(exits.FAILED)
    if given.flag("json"):
        from tvarc.commands.diff.result import states_of

        found = states_of(against, changes, state, made.sources, outcome, entries, files)
        session.console.data(json_text(found, made.sources))
    else:
        out = sys.stdout
        session.console.out(
            changes_text(
                changes, Places(state.place, _places(made)), whole=given.flag("all"),
                colour=has_colour(out), width=terminal_width(out), derivations=outcome,
            )
        )  # fmt: skip
        if entries:
            from tvarc.commands.build.manifest_text import changed_entries

            session.console.out("".join(f"{line}\n" for line in changed_entries(entries)))
        if files:
            from tvarc.commands.diff.changed_files import changed_files_lines

            lines = changed_files_lines(files, whole=given.flag("all"))
            session.console.out("".join(f"{line}\n" for line in lines))
    differ = changes.any or entries or files or (outcome is not None and outcome.any_differs)
    return exits.DIFFERENT if differ else exits.OK


def _has_others(*states: Compilation) -> bool:
    """Whether any of *states* writes more than recipes and entries of manifests."""
    return any(one.job_outputs or one.documents for one in states)


def _places(made: Compilation) -> Callable[[ir.Origin], str]:
    """The place of a value in the program, in the form for a person."""
    return lambda written: made.sources.locate(written.span)


def _demand_output(session: Session) -> None:
    session.demand_output()
    session.stop_on_errors()
