"""Applies the edits of diagnostics to the sources of a program, in memory."""

from __future__ import annotations

from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.programs.checking import check_program
from tvarc.files.cache import Cache
from tvarc.files.edited import EditedLoader
from tvarc.light import Collection, Final, Iterator, Mapping, Sequence, dataclass
from tvarc.text.diagnostics.model import Diagnostic
from tvarc.text.edits import Edit, edited
from tvarc.text.source import SourceLoader, Span

_ROUNDS: Final = 20
"""One round makes no two edits that overlap, and corrects no fault that another one hides."""
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
    """The program *file* with the edits of all its diagnostics, applied again until there are no
    more. Nothing is written.

    A round after which the files that were read before it have more faults of syntax is not kept. A
    file that is read only since has faults of its own, which the next round may correct.
    """
    old: dict[str, str] = {}
    new: dict[str, str] = {}
    fixes: list[Fix] = []
    made = _checked(file, EditedLoader(loader, new), cache, inputs)
    for _ in range(_ROUNDS):
        chosen = list(_chosen(made))
        if not chosen:
            break
        texts = {one.file: one.text for one in made.sources}
        changed = edited(texts, [edit for one in chosen for edit in one.edits])
        after = new | changed
        then = _checked(file, EditedLoader(loader, after), cache, inputs)
        if _faults(then, texts) > _faults(made, texts):
            break
        fixes += [_fix(one, made) for one in chosen]
        for name in changed:
            old.setdefault(name, texts[name])
        new, made = after, then
    differing = {name: (old[name], text) for name, text in new.items() if text != old[name]}
    return Fixed(tuple(fixes), differing)


def _checked(
    file: str, loader: SourceLoader, cache: Cache | None, inputs: Sequence[str]
) -> Compilation:
    made = compile_file(file, loader, cache=cache, inputs=tuple(inputs))
    if made.expansion is not None:
        check_program(made)
    return made


def _faults(made: Compilation, files: Collection[str]) -> int:
    """The number of syntax errors in *files* of the program."""
    return sum(
        one.code.startswith(_SYNTAX) and (one.primary is None or one.primary.file in files)
        for one in made.sink
    )


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
    return f"{_shown(before)} is now {_shown(after)}"


def _shown(text: str) -> str:
    """*text* on one line, cut if it is long."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= _WIDEST else line[:_WIDEST] + '…'}`"
