"""`tvarc audit`: compare a folder of recipes, also hand-written ones, with the matrix."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.byhand.audit import answer
from tvarc.byhand.audit.answer import diagnostics_of
from tvarc.byhand.audit.result import Audit
from tvarc.byhand.audit.text import audit_text, unjudged
from tvarc.commands.audit.files import (
    Audits,
    demand_folder,
    examined_alone,
    without_program,
)
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, collect_seldom, run
from tvarc.commands.programs.find import program_name
from tvarc.light import Iterable
from tvarc.text.diagnostics.model import Diagnostic, Format
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Print the findings in a folder, by default the folder of the outputs; the exit code."""
    file, folders = given.program_and_words(folders=False)
    if len(folders) > 1:
        raise Misused(f"name one folder of recipes; leave out `{folders[1]}`", "DIR")
    folder = folders[0] if folders else None
    collect_seldom()
    return run(given, lambda session: _audit(session, given, file, folder))


def _audit(session: Session, given: Arguments, file: str | None, folder: str | None) -> int:
    alone = "" if given.flag("nix") else without_program(file, folder)
    if alone:
        return _tell(session, given, [(examined_alone(alone, session.cache), alone)])
    if folder is not None and program_name(file) is None:
        _demand_folder(session, folder)
    made = session.compile(file)
    session.demand_output()
    session.stop_on_errors()
    audits = Audits(made, file, folder, session.sink)
    session.stop_on_errors()
    if folder is not None:
        _demand_folder(session, folder)
    if given.flag("nix"):
        return _by_nix(session, given, made, audits)
    return _tell(session, given, audits.each())


def _by_nix(session: Session, given: Arguments, made: Compilation, audits: Audits) -> int:
    """Report which hand-written recipes have the derivation of their variant; the exit code."""
    from tvarc.commands.audit.by_hand import compared_by_nix, in_outputs
    from tvarc.commands.evaluation.equivalence import (
        equivalence_lines,
        report_refusals,
        result_of,
    )

    found = compared_by_nix(made, list(in_outputs(audits.outputs())), session.sink)
    if found is None:
        session.finish(exits.UNJUDGED)
    for source, _ in found.refused:
        session.sources.add(source)
    report_refusals(found.variants, [fault for _, fault in found.refused], session.sink)
    session.show()
    if given.flag("json"):
        session.console.data(json_text(list(map(result_of, found.files))))
    else:
        session.console.out("".join(f"{line}\n" for line in equivalence_lines(found.files)))
    return exits.OK if all(one.equal for one in found.files) else exits.STALE


def _demand_folder(session: Session, folder: str) -> None:
    """End the command if *folder* is not a folder."""
    demand_folder(folder, session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)


def _tell(session: Session, given: Arguments, audits: Iterable[tuple[Audit, str]]) -> int:
    """Print each audit with its folder when it is done, and the diagnostics at the end; the exit
    code."""
    as_json = given.flag("json")
    as_text = session.console.format is Format.TEXT and not as_json
    data: list[answer.Result] = []
    shown: list[Diagnostic] = []
    found, judged = False, True
    for number, (result, folder) in enumerate(audits):
        where = folder or "."
        found = found or bool(result.departures)
        judged = judged and result.judged
        if number and as_text:
            session.console.out("\n")
        if as_json:
            data.append(answer.result_of(result, where))
        elif as_text:
            for line in audit_text(result, where, whole=given.flag("all")):
                session.console.prose(f"{line}\n")
        else:
            shown += diagnostics_of(result, folder, session.sources)
        if not as_text and not result.judged:
            session.console.error(f"{where}: {unjudged(result)}\n")
    if as_json:
        session.console.data(json_text(data[0] if len(data) == 1 else data))
    for one in shown:
        session.sink.add(one)
    session.show()
    if session.sink.has_errors:
        return exits.FAILED
    if found:
        return exits.STALE
    return exits.OK if judged else exits.UNREAD
