"""`tvarc check`: decides every variant and reports all errors. It writes nothing; only `--fix`
corrects the sources."""

from __future__ import annotations

from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import Console
from tvarc.commands.line.session import Session, run
from tvarc.commands.programs.checking import check_program, could_ask
from tvarc.files.cache import Cache
from tvarc.light import (
    TYPE_CHECKING,
    Collection,
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    dataclass,
)
from tvarc.text.diagnostics.model import Diagnostic, Severity
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceLoader, Span

if TYPE_CHECKING:
    from tvarc.commands.programs.selecting import Missed


_NOT_ASKED: Final = (
    "Nix did not evaluate the variants: `tvarc check --eval` does, and finds settings without "
    "effect"
)


def command(given: Arguments) -> int:
    """Check each program; the exit code."""
    programs: Sequence[str] = given.words("words")
    selectors: Sequence[str] = ()
    if given.flag("eval"):
        programs, selectors = given.programs_and_words()
    for name in ("jobs", "dry_run", "json"):
        if given.is_given(name) and not given.flag("eval"):
            option = f"--{name.replace('_', '-')}"
            raise Misused(f"{option} works only with --eval", option)
    _jobs(given)

    def checked(console: Console, program: str | None, missed: Missed | None) -> int:
        return run(
            given, lambda session: _check(session, given, program, selectors), console, missed
        )

    return given.for_each(programs, checked)


def _jobs(given: Arguments) -> int | None:
    """The requested number of evaluators; None for the default of this machine. Raises Misused."""
    return given.number("jobs", 1, "give a number of at least 1")


def _check(session: Session, given: Arguments, file: str | None, selectors: Sequence[str]) -> int:
    session.tells_fake_hashes = True
    if given.flag("fix"):
        _fix(session, given, file)
    made = session.compile(file)
    check_program(made)
    asks = bool(made.variants) or (given.flag("json") and not given.flag("dry_run"))
    if given.flag("eval") and asks and not session.sink.has_errors:
        return _judged(session, given, made, selectors)
    session.show()
    if given.flag("json"):
        return exits.FAILED if session.sink.has_errors else exits.OK
    none = made.resolution is not None and not made.resolution.program.matrices
    looked = "no variant to check" if none else counted(len(made.variants), "variant")
    session.console.remark(f"{looked}, {session.counts()}\n")
    if session.sink.has_errors:
        return exits.FAILED
    if not given.flag("eval") and could_ask(made):
        session.console.remark(f"{_NOT_ASKED}\n")
    return exits.OK


def _fix(session: Session, given: Arguments, file: str | None) -> None:
    """Correct the sources of the program, and print each change. Raises Ended if there is no such
    program, or if a file cannot be written."""
    from tvarc.commands.programs.find import demand_program
    from tvarc.files.disk import DiskLoader
    from tvarc.files.persons import rewrite_all
    from tvarc.files.resources import stdlib_dir
    from tvarc.text.diagnostics.render_cells import safe

    name = demand_program(file, session.sink)
    if name is None:
        session.finish(exits.FAILED)
    done = fixed(name, DiskLoader(stdlib_dir()), session.cache, given.words("input"))
    if not rewrite_all(done.texts, session.sink):
        session.finish(exits.FAILED)
    text = "".join(f"{safe(line)}\n" for line in fix_lines(done))
    if given.flag("json"):
        session.console.error(text)
    else:
        session.console.remark(text, whole=True)


def _judged(session: Session, given: Arguments, made: Compilation, selectors: Sequence[str]) -> int:
    """Report the results of Nix for the variants; the exit code."""
    from tvarc.commands.evaluation.evaluate import commands, evaluated
    from tvarc.commands.evaluation.text import commands_text, evaluation_line, report_evaluation
    from tvarc.commands.programs.selecting import may_be_evaluated
    from tvarc.doing import Doing
    from tvarc.values.plain import json_text

    variants = session.select(selectors)
    may_be_evaluated(made, variants)
    session.stop_on_errors()
    if given.flag("dry_run"):
        found = commands(made, variants, _jobs(given), session.sink)
        if found is None:
            session.finish(exits.UNJUDGED)
        session.show()
        session.console.out("".join(f"{line}\n" for line in commands_text(*found)))
        return exits.OK
    with Doing("evaluating", len(variants), "variants") as progress:
        evaluation = evaluated(made, variants, _jobs(given), session.sink, progress, checks=True)
    if evaluation is None:
        session.finish(exits.UNJUDGED)
    report_evaluation(evaluation, session.sink)
    session.show()
    if given.flag("json"):
        from tvarc.commands.evaluation.result import result_of

        session.console.data(json_text(result_of(evaluation), session.sources))
    else:
        session.console.remark(f"{evaluation_line(evaluation)}; {session.counts()}\n")
    return exits.FAILED if session.sink.has_errors else exits.OK


# --- corrections of sources -------------------------------------------------------------------


MOST_TRIALS: Final = 100
"""How many times a program is compiled to find which corrections leave fewer errors."""
_DEEPEST: Final = 5  # corrections that are kept only because of those that they reveal
_SYNTAX: Final = "E1"
_CONFLICTS: Final = "E913"
_WIDEST: Final = 60


@dataclass(frozen=True, slots=True)
class Fix:
    """A diagnostic whose edits were applied. `place` is `file:line:column` in the text before
    them; `before` and `after` are the texts from the first edit to the end of the last one."""

    diagnostic: Diagnostic
    place: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """The `fixes`, in the order in which they were applied, and the old and new text of each file
    that they change."""

    fixes: tuple[Fix, ...]
    texts: Mapping[str, tuple[str, str]]


def fixed(
    file: str, loader: SourceLoader, cache: Cache | None = None, inputs: Sequence[str] = ()
) -> Fixed:
    """The program *file* with the edits of its diagnostics, applied again until there are no more.
    Nothing is written.

    A correction is kept only if fewer errors are found after it than before. Errors that it reveals
    may be corrected first. A file that is read only because of a correction does not count, and
    neither do errors of variants if the program had other errors: nobody looked for them.
    """
    trial = _Trial(file, loader, cache, inputs)
    first = trial.state({}, (), {})
    last = trial.corrected(first)
    old = {one.file: one.text for one in first.made.sources} | last.read
    differing = {name: (old[name], text) for name, text in last.new.items() if text != old[name]}
    return Fixed(last.fixes, differing)


@dataclass(frozen=True, slots=True)
class _State:
    """A program after some corrections: the new texts of files, what is found in it, and the
    corrections. `read`: the texts of files before their first correction. `early`: the errors that
    are found without its variants."""

    new: dict[str, str]
    made: Compilation
    early: tuple[Diagnostic, ...]
    fixes: tuple[Fix, ...]
    read: dict[str, str]


@dataclass(slots=True)
class _Trial:
    """Makes corrections of one program. `left`: how many more times it may be compiled."""

    file: str
    loader: SourceLoader
    cache: Cache | None
    inputs: Sequence[str]
    left: int = MOST_TRIALS

    def state(
        self, new: dict[str, str], fixes: tuple[Fix, ...], read: dict[str, str]
    ) -> _State:
        from tvarc.files.edited import EditedLoader

        self.left -= 1
        loader = EditedLoader(self.loader, new)
        made = compile_file(self.file, loader, cache=self.cache, inputs=tuple(self.inputs))
        early = tuple(filter(_is_error, made.diagnostics))
        if made.expansion is not None:
            check_program(made)
        return _State(new, made, early, fixes, read)

    def corrected(self, state: _State, depth: int = 0) -> _State:
        """*state* after all corrections that may be kept."""
        while (after := self.better(state, depth)) is not None:
            state = after
        return state

    def better(self, state: _State, depth: int) -> _State | None:
        """*state* after some corrections, with fewer errors; None if there are none."""
        chosen = list(_chosen(state.made))
        after = self.together(state, chosen)
        if after is not None or depth == _DEEPEST:
            return after
        for one in chosen:  # it may reveal errors that have a correction, too
            if self.left <= 0:
                break
            last = self.corrected(self.after(state, [one]), depth + 1)
            if _gained(state, last) > 0:
                return last
        return None

    def together(self, state: _State, chosen: Sequence[Diagnostic]) -> _State | None:
        """*state* after as many of *chosen* as mend an error each; None if no one does."""
        if not chosen or self.left <= 0:
            return None
        after = self.after(state, chosen)
        if _gained(state, after) >= len(chosen):
            return after
        if len(chosen) == 1:
            return None
        half = len(chosen) // 2
        return self.together(state, chosen[:half]) or self.together(state, chosen[half:])

    def after(self, state: _State, chosen: Sequence[Diagnostic]) -> _State:
        from tvarc.text.edits import edited

        texts = {one.file: one.text for one in state.made.sources}
        changed = edited(texts, [edit for one in chosen for edit in one.edits])
        fixes = (*state.fixes, *[_applied(one, state.made) for one in chosen])
        read = {name: texts[name] for name in changed} | state.read
        return self.state(state.new | changed, fixes, read)


def _gained(before: _State, after: _State) -> int:
    """How many errors fewer there are *after* the corrections; 0 if there are more syntax errors.
    """
    files = {one.file for one in before.made.sources}
    if _errors(after.early, files, _SYNTAX) > _errors(before.early, files, _SYNTAX):
        return 0
    if before.early:
        return _errors(before.early, files) - _errors(after.early, files)
    return _errors(before.made.diagnostics, files) - _errors(after.made.diagnostics, files)


def _errors(found: Iterable[Diagnostic], files: Collection[str], codes: str = "E") -> int:
    """The number of errors in *files* whose code begins with *codes*."""
    return sum(
        _is_error(one)
        and one.code.startswith(codes)
        and (one.primary is None or one.primary.file in files)
        for one in found
    )


def _is_error(one: Diagnostic) -> bool:
    return one.severity is Severity.ERROR


def _chosen(made: Compilation) -> Iterator[Diagnostic]:
    """The diagnostics whose edits can be applied together. They edit the program's own sources, and
    of edits that overlap only the first is taken. A file with merge conflicts is left to a person:
    only one side of it was read."""
    found = made.diagnostics
    halved = {one.primary.file for one in found if one.code == _CONFLICTS and one.primary}
    taken: list[Span] = []
    for one in found:
        spans = [edit.span for edit in one.edits]
        own = all(_is_own(span, made) and span.file not in halved for span in spans)
        if spans and own and not _overlap(spans, taken):
            taken += spans
            yield one


def _is_own(span: Span, made: Compilation) -> bool:
    """Whether a person may edit the file of *span*: it is a module of the program."""
    if made.graph is None:  # the file itself is in an unknown language
        return span.file == made.file
    return made.graph.is_own(span.file)


def _overlap(spans: Sequence[Span], taken: Sequence[Span]) -> bool:
    """Whether one of *spans* shares a character or a border with one of *taken*."""
    return any(
        one.file == other.file and one.start <= other.end and other.start <= one.end
        for one in spans
        for other in taken
    )


def _applied(one: Diagnostic, made: Compilation) -> Fix:
    from tvarc.text.edits import Edit, edited

    first = one.edits[0].span
    edits = [edit for edit in one.edits if edit.span.file == first.file]
    start, end = min(e.span.start for e in edits), max(e.span.end for e in edits)
    source = made.sources.get(first.file)
    assert source is not None
    text = source.text[start:end]
    moved = [Edit(Span("", e.span.start - start, e.span.end - start), e.text) for e in edits]
    at = source.position(start)
    place = f"{first.file}:{at.line}:{at.column}"
    return Fix(one, place, text, edited({"": text}, moved)[""])


def fix_lines(done: Fixed) -> list[str]:
    """The changes, a line for each fix."""
    return [f"{one.place}: {_change(one)} ({one.diagnostic.code})" for one in done.fixes]


def _change(one: Fix) -> str:
    before, after = one.before.strip(), one.after.strip()
    if not before:
        return f"added {_shown(after)}"
    if not after:
        return f"removed {_shown(before)}"
    return f"{_shown(before)} is now {_shown(after)}"


def _shown(text: str) -> str:
    """*text* on one line, cut if it is long."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= _WIDEST else line[:_WIDEST] + '…'}`"
