"""`tvarc stale`: overlays that the pinned nixpkgs makes unnecessary by their own `until`, as lines
and as data."""

from __future__ import annotations

from tvarc.build.overtaken import Answer, answers, waiting_in, without_pin
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session, run
from tvarc.light import Iterator, Sequence
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap
from tvarc.values.plain import Data, json_text, place_data


def command(given: Arguments) -> int:
    """Hold each `until` of the program against the nixpkgs that is pinned, or that `--pin` names;
    the exit code."""
    file = given.program()
    return run(given, lambda session: _stale(session, given, file))


def _stale(session: Session, given: Arguments, file: str | None) -> int:
    session.compile(file)
    recipes = session.recipes(late=True)
    found = answers(waiting_in(recipes), given.words("pin"), session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    unpinned = without_pin(recipes)
    if given.flag("json"):
        session.console.data(json_text(stale_data(found, unpinned, session.sources)))
    else:
        lines = stale_lines(found, unpinned, session.sources)
        session.console.prose("".join(f"{safe(line)}\n" for line in lines))
    session.show()
    return exits.STALE if any(answer.overtaken for answer in found) else exits.OK


def stale_lines(found: Sequence[Answer], unpinned: int, sources: SourceMap) -> Iterator[str]:
    """For people: a line for each overlay and pin, and a summary. *unpinned* variants have none."""
    for answer in found:
        one, until = answer.waiting, answer.waiting.until
        package = ".".join(until.package)
        has = f"has {answer.version}" if answer.version is not None else "has no version of it"
        verdict = "not needed" if answer.overtaken else "needed"
        if answer.version is None:
            verdict = "unknown"
        yield (
            f"{one.kind} {one.overlay} until {package} >= {until.version}: {verdict}, "
            f"pin {one.pin.name} {has} ({sources.locate(until.span)})"
        )
    if unpinned:
        has, its = (
            ("1 variant has", "its") if unpinned == 1 else (f"{unpinned} variants have", "their")
        )
        yield f"{has} no pin, so {its} nixpkgs is unknown"
    overtaken = {_declared(answer) for answer in found if answer.overtaken}
    total = len({_declared(answer) for answer in found})
    if total:
        overlays = counted(total, "overlay")
        yield f"{len(overtaken)} of {overlays} with an `until`: not needed any more"
    else:
        yield "no overlay has an `until`"


def _declared(answer: Answer) -> object:
    return answer.waiting.until.span


def stale_data(found: Sequence[Answer], unpinned: int, sources: SourceMap) -> Data:
    """The output of `--json`."""
    return {
        "overlays": [
            {
                "kind": answer.waiting.kind,
                "overlay": answer.waiting.overlay,
                "package": list(answer.waiting.until.package),
                "until": answer.waiting.until.version,
                "pin": answer.waiting.pin.name,
                "nixpkgs": answer.place,
                "version": answer.version,
                "overtaken": answer.overtaken,
                **place_data(answer.waiting.until.span, sources),
            }
            for answer in found
        ],
        "without_pin": unpinned,
    }
