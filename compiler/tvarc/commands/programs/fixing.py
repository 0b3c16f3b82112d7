"""Applies the edits of diagnostics to the sources of a program, in memory."""

from __future__ import annotations

from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.programs.checking import check_program
from tvarc.files.cache import Cache
from tvarc.files.edited import EditedLoader
from tvarc.light import Collection, Final, Iterable, Iterator, Mapping, Sequence, dataclass
from tvarc.text.diagnostics.model import Diagnostic, Severity
from tvarc.text.edits import Edit, edited
from tvarc.text.source import SourceLoader, Span

MOST_TRIALS: Final = 100
"""The greatest number of compilations of a program that test which corrections leave fewer
errors."""
_DEEPEST: Final = 5  # corrections that are kept only because they reveal other corrections
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
    may be corrected first. Errors in a file that is read only because of a correction do not count.
    Errors of variants do not count if the program had other errors, because then variants were not
    checked.
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
        self.left -= 1
        loader = EditedLoader(self.loader, new)
        made = compile_file(self.file, loader, cache=self.cache, inputs=tuple(self.inputs))
        early = tuple(filter(_is_error, made.diagnostics))
        if made.expansion is not None:
            check_program(made)
        return _State(new, made, early, fixes, read)

    def corrected(self, state: _State, depth: int = 0) -> _State:
        """*state* after all corrections that can be kept."""
        while (after := self.better(state, depth)) is not None:
            state = after
        return state

    def better(self, state: _State, depth: int) -> _State | None:
        """*state* after some corrections, with fewer errors; None if there are none."""
        chosen = list(_chosen(state.made))
        after = self.together(state, chosen)
        if after is not None or depth == _DEEPEST:
            return after
        for one in chosen:  # it may reveal errors that also have a correction
            if self.left <= 0:
                break
            last = self.corrected(self.after(state, [one]), depth + 1)
            if _gained(state, last) > 0:
                return last
        return None

    def together(self, state: _State, chosen: Sequence[Diagnostic]) -> _State | None:
        """*state* after those corrections in *chosen* that each remove an error; None if none
        does."""
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
        texts = {one.file: one.text for one in state.made.sources}
        changed = edited(texts, [edit for one in chosen for edit in one.edits])
        fixes = (*state.fixes, *[_fix(one, state.made) for one in chosen])
        read = {name: texts[name] for name in changed} | state.read
        return self.state(state.new | changed, fixes, read)


def _gained(before: _State, after: _State) -> int:
    """The number of errors that the corrections remove; 0 if there are more syntax errors *after*
    them.
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
    of edits that overlap only the first is taken. A file with merge conflicts is left to the user,
    because only one of its sides was read."""
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
    """Whether the file of *span* is a module of the program, which may be edited."""
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


def _fix(one: Diagnostic, made: Compilation) -> Fix:
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
    if before == after:
        return f"moved {_shown(after)}"
    return f"{_shown(before)} is now {_shown(after)}"


def _shown(text: str) -> str:
    """*text* on one line, cut if it is long."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= _WIDEST else line[:_WIDEST] + '…'}`"
