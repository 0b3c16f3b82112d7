"""Pages about the variants of a program: a person's page has parts that are ours, each between a
line that names the part and one that ends it. All else on the page stays as it is, byte for byte.

The line that ends a part has a digest of it, which shows whether somebody has changed the part.
"""

from __future__ import annotations

import posixpath
import re

from tvarc.build import messages as of_build
from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.documents.text import PARTS, Documents, Unknown, heading, title
from tvarc.commands.listing.columns import default_columns, listing_of
from tvarc.commands.listing.text import Listing
from tvarc.commands.programs.checking import refuse_pages
from tvarc.commands.programs.selecting import are_few, dropped_meant
from tvarc.commands.shown.markdown import print_markdown
from tvarc.digest import sha256
from tvarc.files.output.model import BuildOptions, Shared
from tvarc.files.persons import SharedFile
from tvarc.light import (
    Callable,
    Collection,
    Final,
    Iterator,
    Literal,
    Sequence,
    assert_never,
    dataclass,
)
from tvarc.matrix.exclusion_eval import Dropped
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Source, Span

_MARK: Final = re.compile(r"[ \t]*<!--[ \t]*tvarc:[ \t]*(?P<words>.*?)[ \t]*-->[ \t]*")
# Within a list fences are indented. What follows backticks has none, or it is code within a line.
_FENCE: Final = re.compile(r"[ \t]*(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_END_WORD: Final = "end"
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page: its words, the offsets of the line that begins it, and of what stands
    between that and the line that ends it, with the digest that this has; empty for none."""

    words: tuple[str, ...]
    start: int
    stop: int
    inner: int
    end: int
    after: int
    digest: str

    def is_edited(self, page: str) -> bool:
        """Whether what stands there is something that we have not written."""
        inner = page[self.inner : self.end]
        return bool(inner.strip()) and _digest(inner) != self.digest


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A mark that begins or ends nothing, by the offsets of its line."""

    what: Literal["no end", "no beginning", "no words"]
    start: int
    stop: int


def parts_of(page: str) -> Iterator[Part | Misplaced]:
    """The parts of *page*, and the marks that make none, in order. In fenced code no line is a
    mark: there somebody shows one."""
    begun: tuple[tuple[str, ...], int, int, int] | None = None
    fence = ""
    at = 0
    for line in page.splitlines(keepends=True):
        start, at = at, at + len(line)
        bare = line.rstrip("\r\n")
        found = _FENCE.match(bare)
        if fence:
            closes = found is not None and found["fence"].startswith(fence)
            fence = "" if closes and not bare.strip().strip(fence[0]) else fence
            continue
        if found is not None:
            fence = found["fence"]
            continue
        mark = _MARK.fullmatch(bare)
        if mark is None:
            continue
        words = tuple(mark["words"].split())
        stop = start + len(bare)
        if not words:
            yield Misplaced("no words", start, stop)
        elif words[0] != _END_WORD:
            if begun is not None:
                yield Misplaced("no end", begun[1], begun[2])
            begun = (words, start, stop, at)
        elif begun is None:
            yield Misplaced("no beginning", start, stop)
        else:
            digest = words[1] if len(words) > 1 else ""
            yield Part(*begun, start, at, digest)
            begun = None
    if begun is not None:
        yield Misplaced("no end", begun[1], begun[2])


def filled(page: str, parts: Sequence[Part], text: Callable[[Part], str]) -> str:
    """*page* with the *text* of each of its *parts* between its marks."""
    made: list[str] = []
    at = 0
    for part in parts:
        newline = "\r\n" if page[part.start : part.inner].endswith("\r\n") else "\n"
        inner = "\n" + text(part).rstrip("\n") + "\n\n"
        inner = inner.replace("\n", newline)
        ended = page[part.end : part.after]
        indent = ended[: len(ended) - len(ended.lstrip(" \t"))]
        tail = ended[len(ended.rstrip("\r\n")) :]
        made += [page[at : part.inner], inner, f"{indent}{_end(inner)}{tail}"]
        at = part.after
    return "".join([*made, page[at:]])


def begin_mark(words: Sequence[str]) -> str:
    """The line that begins a part."""
    return f"<!-- tvarc: {' '.join(words)} -->"


def empty_part(words: Sequence[str]) -> str:
    """A part in which nothing stands yet, as two lines."""
    return f"{begin_mark(words)}\n<!-- tvarc: {_END_WORD} -->\n"


def _end(inner: str) -> str:
    return f"<!-- tvarc: {_END_WORD} {_digest(inner)} -->"


def _digest(inner: str) -> str:
    """What tells *inner* from all else; ends of lines do not count, which git may change."""
    return sha256(inner.replace("\r\n", "\n").encode()).hexdigest()[:_DIGITS]


_BEGIN: Final = begin_mark(("variants",))
_END: Final = begin_mark(("end",))


def pages_of(
    made: Compilation,
    root: str,
    read: Collection[str],
    options: BuildOptions,
    sink: Sink,
) -> list[tuple[Shared, SharedFile]]:
    """The planned content of each page below *root*; *read* are the files that the program reads.
    Errors are reported."""
    assert made.resolution is not None
    found: list[tuple[Shared, SharedFile]] = []
    refuse_pages(made)
    if sink.has_errors or not _may_follow_needs(made):
        return []
    writer = _writer(made)
    for output in made.resolution.program.documents:
        file = SharedFile(root, output.one_file, read, sink)
        if file.refused:
            continue
        if file.garbled:
            message = msg.outputs.PAGE_NOT_UTF8
            sink.report(message, output.file.span, file=output.one_file, line=file.garbled)
            continue
        page = _new_page(made, writer) if file.text is None else file.text
        filled_in = _page(made, output, page, writer, options, sink)
        if filled_in is not None:
            filled_in.created = file.text is None
            found.append((filled_in, file))
    return found


def _may_follow_needs(made: Compilation) -> bool:
    """Whether there is time to follow the needs of all variants, which a page shows. If not, it is
    reported."""
    assert made.resolution is not None
    if not made.is_stacked or not made.resolution.program.documents:
        return True
    return are_few(made, made.variants, of_build.questions.TOO_MANY_FOR_DOCUMENTS)


def _writer(made: Compilation) -> Documents:
    known: list[Sequence[Dropped]] = []

    def dropped() -> Sequence[Dropped]:
        if not known:
            known.append(dropped_meant(made, (), made.sink))
        return known[0]

    def listing(variants: Sequence[Variant]) -> Listing:
        return listing_of(default_columns(made, variants, "markdown"), variants)

    return Documents(made.variants, dropped, listing, made.sources)


def parts_wanted(made: Compilation, page: str | None) -> list[tuple[str, ...]]:
    """The parts of *page* by their words, each once; of a page that is not there all that a new
    one would have."""
    text = _new_page(made, _writer(made)) if page is None else page
    return list(dict.fromkeys(one.words for one in parts_of(text) if isinstance(one, Part)))


def lines_of_parts(made: Compilation, wanted: Sequence[tuple[str, ...]]) -> list[str]:
    """The lines of the *wanted* parts of a page, each part below its mark. Parts that the program
    does not know are left out."""
    writer = _writer(made)
    found: list[str] = []
    for words in wanted:
        try:
            text = print_markdown(writer.blocks(words))
        except Unknown:
            continue
        found += [begin_mark(words), *text.splitlines()]
    return found


def _new_page(made: Compilation, writer: Documents) -> str:
    """A page on which nothing is filled in yet."""
    found = [print_markdown([title(posixpath.basename(made.file))])]
    for words in (*[(part,) for part in PARTS], *writer.references()):
        found += [print_markdown([heading(words)]), empty_part(words)]
    return "\n".join(found)


def _page(
    made: Compilation,
    output: hir.OutputDef,
    page: str,
    writer: Documents,
    options: BuildOptions,
    sink: Sink,
) -> Shared | None:
    """The planned *page* of *output*; None after reporting its errors."""
    path = output.one_file
    all_of = list(parts_of(page))
    parts = [one for one in all_of if isinstance(one, Part)]
    wrong = [one for one in all_of if isinstance(one, Misplaced)]
    texts: dict[int, str] = {}
    made.sources.add(Source(path, page))
    before = len(sink)
    for mark in wrong:
        _refuse_mark(path, mark, sink)
    for part in parts:
        try:
            texts[part.start] = print_markdown(writer.blocks(part.words))
        except Unknown as fault:
            _refuse_unknown(path, part, fault, sink)
    if not all_of:
        sink.report(
            msg.outputs.PAGE_WITHOUT_MARK,
            output.file.span,
            file=path,
            output=output.name,
            begin=_BEGIN,
            end=_END,
        )
    takes = options.force or options.adopt
    edited = [part for part in parts if part.is_edited(page)]
    for part in edited if not takes else ():
        _refuse_edited(path, part, sink)
    if len(sink) > before:
        return None
    text = filled(page, parts, lambda part: texts[part.start])
    after = [one for one in parts_of(text) if isinstance(one, Part)]
    changed = [
        " ".join(old.words)
        for old, new in zip(parts, after, strict=True)
        if page[old.inner : old.after] != text[new.inner : new.after]
    ]
    unchanged = len(parts) - len(changed)
    return Shared(
        path, text, True, changed=tuple(changed), unchanged=unchanged, takes_over=bool(edited)
    )


def _refuse_mark(path: str, mark: Misplaced, sink: Sink) -> None:
    span = Span(path, mark.start, mark.stop)
    match mark.what:
        case "no end":
            sink.report(msg.outputs.PART_WITHOUT_END, span, file=path, end=_END)
        case "no beginning":
            sink.report(msg.outputs.PART_WITHOUT_BEGINNING, span, file=path, begin=_BEGIN)
        case "no words":
            known = ", ".join(PARTS)
            sink.report(msg.outputs.MARK_WITHOUT_NAME, span, file=path, known=known)
        case _:
            assert_never(mark.what)


def _refuse_unknown(path: str, part: Part, fault: Unknown, sink: Sink) -> None:
    sink.report(
        msg.outputs.UNKNOWN_PART if fault.word else msg.outputs.PART_WITHOUT_NAME,
        Span(path, part.start, part.stop),
        file=path,
        what=fault.what,
        word=fault.word,
        known=", ".join(fault.known),
        guess=guess(fault.word, fault.known),
    )


def _refuse_edited(path: str, part: Part, sink: Sink) -> None:
    span = Span(path, part.start, part.stop)
    sink.report(msg.outputs.EDITED_PART, span, file=path, part=" ".join(part.words))
