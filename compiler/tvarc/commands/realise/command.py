"""`tvarc realise`: variants built by Nix, on the machines that it has."""

from __future__ import annotations

from tvarc.build.diff.states import open_state
from tvarc.build.driver import Compilation
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.realise.building import built, compiled, decided, options_of
from tvarc.commands.realise.plan import only_changed
from tvarc.light import Sequence, replace
from tvarc.matrix.variants import Variant


@in_session
def command(session: Session, given: Arguments) -> int:
    """Build the selected variants; the exit code."""
    made, selectors = compiled(session, given)
    variants = _chosen(session, given, made, selectors)
    decided(session, made, variants)
    options = replace(
        options_of(session, given, made),
        to=given.text("to"),
        links=given.text("out_link"),
        bills=given.text("sbom"),
    )
    return built(session, given, made, variants, options)


def _chosen(
    session: Session, given: Arguments, made: Compilation, selectors: Sequence[str]
) -> Sequence[Variant]:
    """The variants to build: with `--only-changed` those whose derivation differs from that of the
    other state."""
    variants = session.select(selectors)
    against = given.text("only_changed")
    if against is None:
        return variants
    state = open_state(made, against, session.sink)
    if state is None:
        session.finish(exits.FAILED)
    found = None
    if not state.made.sink.has_errors:
        found = only_changed(state, made, selectors, variants, session.sink)
    if found is None:
        session.end_on_errors()
        session.finish_with(*state.diagnostics())
    return found
