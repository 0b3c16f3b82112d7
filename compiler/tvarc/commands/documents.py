"""Pages about the variants of a program. A page of the user has parts that tvarc writes, each
between a line that names the part and a line that ends it. Everything else on the page stays as it
is, byte for byte.

The line that ends a part has a digest of it, which shows whether somebody has changed the part.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from math import prod

from tvarc.build import messages as of_build
from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.listing.columns import default_columns, listing_of
from tvarc.commands.listing.text import Listing, cell_line, listing_table
from tvarc.commands.programs.checking import refuse_pages
from tvarc.commands.programs.selecting import are_few, dropped_meant
from tvarc.commands.shown.excluded import Cause, cause_of
from tvarc.commands.shown.markdown import (
    Block,
    Code,
    Heading,
    Line,
    Paragraph,
    Table,
    Text,
    print_markdown,
    prose,
)
from tvarc.commands.shown.tree import shown
from tvarc.digest import sha256
from tvarc.farm import LEDGER
from tvarc.files.output.plan import BuildOptions, Shared
from tvarc.files.persons import SharedFile
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Final,
    Iterator,
    Literal,
    Mapping,
    Sequence,
    assert_never,
    dataclass,
    lru_cache,
)
from tvarc.matrix.cells import Batch, batches
from tvarc.matrix.exclusion_eval import Dropped
from tvarc.matrix.present import by_matrix
from tvarc.matrix.variants import Built, Variant, axis_text
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.diagnostics.words import counted, size_text, time_text
from tvarc.text.source import Source, SourceMap, Span, UnreadableSource
from tvarc.values.row_facts import product_names, text_fact, texts_fact
from tvarc.values.value import RowValue, Value

if TYPE_CHECKING:
    from tvarc.farm.ledger import Known

_SHORT: Final = 40
"""The greatest length of a fact in a table, in characters."""
_FACTS: Final = 5
"""The number of facts that a reference shows if the user names none."""
_TEXTS: Final = 40
"""The greatest number of texts of a part of a name in a table."""
_UNTOLD: Final = ("label", "sources", "mark", "note")
"""Facts that have a place of their own in the text, or that describe the row and not the thing."""


class Unknown(Exception):
    """An unknown part: the kind of thing, the unknown word, and the known words."""

    def __init__(self, what: str, word: str, known: Sequence[str]) -> None:
        super().__init__(word)
        self.what = what
        self.word = word
        self.known = known


class Documents:
    """The parts of pages on the *variants* of a program."""

    def __init__(
        self,
        variants: Sequence[Variant],
        dropped: Callable[[], Sequence[Dropped]],
        rules: Callable[[], Sequence[str]],
        listing: Callable[[Sequence[Variant]], Listing],
        results: Callable[[], Known],
        sources: SourceMap,
        kept: dict[tuple[str, ...], str],
    ) -> None:
        """*dropped* returns the cells that are left out, by matrix. *rules* are the texts of all
        exclusions. *listing* makes a table of variants. *results* reads the ledger. *kept* has the
        texts of parts that were made for the same variants, and new ones are added to it."""
        self._variants = variants
        self._dropped = dropped
        self._listing = listing
        self._results = results
        self._sources = sources
        self._rules = rules
        self._kept = kept
        self._counted: dict[str, list[tuple[Value, int]]] | None = None

    def text(self, words: tuple[str, ...]) -> str:
        """The text of the part that *words* name; raises Unknown."""
        if words[0] == _RESULTS:  # it depends on the ledger as well
            return print_markdown(self._blocks(words))
        key = (*words, *self._rules()) if words[0] == _DROPPED else words
        known = self._kept.get(key)
        if known is None:
            known = self._kept[key] = print_markdown(self._blocks(words))
        return known

    def _blocks(self, words: Sequence[str]) -> list[Block]:
        """The part that *words* name; raises Unknown."""
        name, *more = words
        if more and name in ("counts", "choosing", "names", "dropped"):
            raise Unknown(f"word of part `{name}`", more[0], ())
        match name:
            case "counts":
                return self._counts()
            case "variants":
                chosen = self._chosen(more)
                return [listing_table(self._listing(chosen))] if chosen else []
            case "results":
                return [*self._recorded(self._chosen(more))]
            case "choosing":
                return self._choosing()
            case "axis":
                return [*self._axis(more)]
            case "names":
                return self._names()
            case "dropped":
                return self._left_out()
            case _:
                raise Unknown("part of a page", name, [*PARTS, "axis"])

    # --- how many ------------------------------------------------------------------------

    def _counts(self) -> list[Block]:
        cells = sum(prod(len(pick.values) for pick in one.matrix.axes) for one in self._dropped())
        kept = len(self._variants)
        total = f"{counted(kept, 'variant')} of {counted(cells, 'cell')}."
        rows = [
            (_code(axis), cell_line(value), (Text(str(count)),))
            for axis, values in self._axes().items()
            for value, count in values
        ]
        table = Table(((Text("axis"),), (Text("value"),), (Text("variants"),)), tuple(rows))
        return [Paragraph((Text(total),)), *([table] if rows else [])]

    def _axes(self) -> dict[str, list[tuple[Value, int]]]:
        """The values of each axis in the order of the axis, with the number of variants for
        each."""
        if self._counted is None:
            found: dict[str, dict[str, tuple[Value, int]]] = {}
            for built, cells in by_matrix(self._variants):
                for place, pick in enumerate(built.matrix.axes):
                    projection = built.projections.on([place])
                    counts: Counter[int] = Counter()
                    for batch in batches(built.grid, cells):
                        counts.update(projection.keys(batch))
                    own = found.setdefault(pick.axis.name, {})
                    for key, value in enumerate(pick.values):
                        first, before = own.get(text := axis_text(value), (value, 0))
                        own[text] = (value if counts[key] else first, before + counts[key])
            self._counted = {
                axis: [one for one in own.values() if one[1]] for axis, own in found.items()
            }
        return self._counted

    # --- which ---------------------------------------------------------------------------

    def _chosen(self, matrices: Sequence[str]) -> list[Variant]:
        """The variants of *matrices*, by default all; raises Unknown."""
        known = list(dict.fromkeys(variant.matrix.name for variant in self._variants))
        for name in matrices:
            if name not in known:
                raise Unknown("matrix with variants", name, known)
        return [one for one in self._variants if not matrices or one.matrix.name in matrices]

    def _recorded(self, variants: Sequence[Variant]) -> Iterator[Block]:
        """The number of *variants* that are known to work, and the last results of those that have
        results."""
        known = self._results()
        states: Counter[str] = Counter()
        rows: list[tuple[Line, ...]] = []
        good = 0
        for variant in variants:
            found = known.standing(variant)
            state = known.state(variant, found)
            states[state or "without a result"] += 1
            good += found.is_good
            if state:
                seconds = None if found.build is None else found.build.seconds
                size = None if found.build is None else found.build.size
                rows.append(
                    (
                        _code(variant.name),
                        (Text(state),),
                        () if seconds is None else (Text(time_text(seconds)),),
                        () if size is None else (Text(size_text(size)),),
                    )
                )
        told = ", ".join([f"{count} {state}" for state, count in sorted(states.items())])
        total = f"Good results: {good} of {counted(len(variants), 'variant')} ({told})."
        yield Paragraph((Text(total),))
        if rows:
            head = ((Text("variant"),), (Text("state"),), (Text("time"),), (Text("size"),))
            yield Table(head, tuple(rows))

    def _choosing(self) -> list[Block]:
        """A sentence that relates the reader's hardware to an axis value, and a table for each axis
        with several values.
        """
        found: list[Block] = []
        for axis, values in self._axes().items():
            if len(values) < 2:
                continue
            products = any(_products(value) for value, _ in values)
            head: list[Line] = [(Text("take"),), (Text("for"),)]
            head += [(Text("such as"),)] if products else []
            rows = [
                (
                    _code(axis_text(value)),
                    (Text(_label(value)),),
                    *([(Text(", ".join(_products(value))),)] if products else []),
                )
                for value, _ in values
            ]
            if not products and not any(_label(value) for value, _ in values):
                names = ", ".join([f"`{axis_text(value)}`" for value, _ in values])
                found.append(Paragraph(prose(f"Which `{axis}`: {names}.")))
                continue
            found.append(Paragraph(prose(f"Which `{axis}`:")))
            found.append(Table(tuple(head), tuple(rows)))
        last = "`tvarc pick` says which of them run on a machine, the best first."
        return [*found, Paragraph(prose(last))]

    def references(self) -> list[tuple[str, str]]:
        """The parts on axes with facts besides a label."""
        return [("axis", axis) for axis in self._axes() if len(self._axis([axis])[0].head) > 1]

    def _axis(self, words: Sequence[str]) -> list[Table]:
        axes = self._axes()
        name, *facts = words or [""]
        if name not in axes:
            raise Unknown("axis of a matrix", name, list(axes))
        rows = [value for value, _ in axes[name]]
        known = list(
            dict.fromkeys(
                fact for value in rows if isinstance(value, RowValue) for fact in value.facts
            )
        )
        for fact in facts:
            if fact not in known:
                raise Unknown(f"fact of axis `{name}`", fact, known)
        chosen = facts or [one for one in known if one not in _UNTOLD and _is_short(rows, one)]
        chosen = chosen if facts else chosen[:_FACTS]
        head = tuple([(Text(word),) for word in (name, *chosen)])
        return [
            Table(
                head,
                tuple([(cell_line(one), *[_fact(one, fact) for fact in chosen]) for one in rows]),
            )
        ]

    # --- names ---------------------------------------------------------------------------

    def _names(self) -> list[Block]:
        found: list[Block] = []
        for built in dict.fromkeys(variant.built for variant in self._variants):
            example = Batch(built.grid, (built.cells[0],))
            name = built.names(example)[0]
            if found:
                found.append(Paragraph(prose(f"And of matrix `{built.matrix.name}`:")))
            found.append(Paragraph((Text("Such as "), Code(name), Text(":"))))
            rows = [_name_part(built, place, example) for place in range(len(built.parts))]
            head = ((Text("part"),), (Text("says"),), (Text("is one of"),))
            found.append(Table(head, tuple([row for row in rows if row is not None])))
        return found

    # --- what is not built ---------------------------------------------------------------

    def _left_out(self) -> list[Block]:
        rows: list[tuple[Line, ...]] = []
        for dropped in self._dropped():
            for check, count in dropped.tables.counts():
                if count:
                    rows.append(_reason(count, cause_of(check, self._sources)))
        if not rows:
            return [Paragraph((Text("Every cell is built."),))]
        return [Table(((Text("cells"),), (Text("because"),), (Text("rule"),)), tuple(rows))]


_RESULTS: Final = "results"
_DROPPED: Final = "dropped"
PARTS: Final[Mapping[str, str]] = {
    "counts": "How many there are",
    "variants": "The variants",
    "choosing": "Which one to take",
    _RESULTS: "What was built",
    "names": "What the names say",
    _DROPPED: "What is not built",
}
"""The parts that a new page has, with their headings. It has results only if there is a ledger."""


def title(program: str) -> Heading:
    """The title of a new page."""
    return Heading(1, (Text("Variants of "), Code(program)))


def heading(words: Sequence[str]) -> Heading:
    """The heading of the part that *words* name, on a new page."""
    if words[0] == "axis":
        return Heading(2, (Text("Values of "), Code(words[1])))
    return Heading(2, (Text(PARTS[words[0]]),))


def _reason(count: int, cause: Cause) -> tuple[Line, ...]:
    return (Text(str(count)),), (Text(cause.because),) if cause.because else (), _code(cause.text)


def _name_part(built: Built, place: int, example: Batch) -> tuple[Line, ...] | None:
    """The meaning of part *place* of a name; None if it only separates others."""
    part = built.parts[place]
    text = part.texts(example)[0] or ""
    axes = [built.matrix.axes[number].axis.name for number in part.projection.axes]
    if not axes:
        return (_code(text), (Text("the same in all"),), ()) if text.strip("-_.") else None
    texts: dict[str, None] = {}
    for batch in built.batches():
        texts.update(dict.fromkeys([one or "" for one in part.texts(batch)]))
    more = [Text(" …")] if len(texts) > _TEXTS else []
    return _code(text), _joined(axes), (*_joined(list(texts)[:_TEXTS]), *more)


def _joined(names: Sequence[str]) -> Line:
    return tuple([line for name in names for line in (Text(", "), *_code(name))][1:])


def _label(value: Value) -> str:
    return text_fact(value, "label") or ""


def _products(value: Value) -> Sequence[str]:
    """The products of a row: those in its field `products`, or else all known ones."""
    named = texts_fact(value, "products")
    return named or (product_names(value) if isinstance(value, RowValue) else ())


def _is_short(rows: Sequence[Value], fact: str) -> bool:
    """Whether all rows have the fact, at least one is not empty, and none is long."""
    found = [
        value.facts[fact].value if isinstance(value, RowValue) and fact in value.facts else ()
        for value in rows
    ]
    told = [one for one in found if one is not None]
    return bool(told) and not any(
        isinstance(one, tuple) or len(shown(one)) > _SHORT for one in told
    )


def _fact(value: Value, fact: str) -> Line:
    if not isinstance(value, RowValue) or fact not in value.facts:
        return ()
    found = value.facts[fact].value
    if found is None or found == ():
        return ()
    several = found if isinstance(found, tuple) else (found,)
    return (Text(", ".join([one if isinstance(one, str) else shown(one) for one in several])),)


def _code(text: str) -> Line:
    return (Code(text),) if text else ()


_MARK: Final = re.compile(r"[ \t]*<!--[ \t]*tvarc:[ \t]*(?P<words>.*?)[ \t]*-->[ \t]*")
# Within a list fences are indented. No backtick follows the opening backticks, or it is code within
# a line.
_FENCE: Final = re.compile(r"[ \t]*(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_END_WORD: Final = "end"
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page: its words, the offsets of its first line and of the text between its first
    and its last line, and the digest on its last line, empty if it has none."""

    words: tuple[str, ...]
    start: int
    stop: int
    inner: int
    end: int
    after: int
    digest: str

    def is_edited(self, page: str) -> bool:
        """Whether the text of the part was not written by tvarc."""
        inner = page[self.inner : self.end]
        return bool(inner.strip()) and _digest(inner) != self.digest


@dataclass(frozen=True, slots=True)
class Misplaced:
    """The offsets of the line of a mark that begins or ends no part."""

    what: Literal["no end", "no beginning", "no words"]
    start: int
    stop: int


def parts_of(page: str) -> Iterator[Part | Misplaced]:
    """The parts of *page*, and the misplaced marks, in order. Lines in fenced code are no marks,
    because they are examples."""
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
    """An empty part, as two lines."""
    return f"{begin_mark(words)}\n<!-- tvarc: {_END_WORD} -->\n"


def _end(inner: str) -> str:
    return f"<!-- tvarc: {_END_WORD} {_digest(inner)} -->"


def _digest(inner: str) -> str:
    """The digest of *inner*. It ignores line ends, because git may change them."""
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
    found: list[tuple[Shared, SharedFile]] = []
    refuse_pages(made)
    if sink.has_errors or not _may_follow_needs(made):
        return []
    writer = _writer(made)
    for output in made.program.documents:
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
    """Whether the budget is enough to follow the needs of all variants, which a page shows. If it
    is not, that is reported."""
    if not made.is_stacked or not made.program.documents:
        return True
    return are_few(made, made.variants, of_build.questions.TOO_MANY_FOR_DOCUMENTS)


def _writer(made: Compilation) -> Documents:
    @lru_cache(maxsize=1)
    def dropped() -> Sequence[Dropped]:
        return dropped_meant(made, (), made.sink)

    def rules() -> list[str]:
        excludes = [one for matrix in made.program.matrices for one in made.excludes(matrix)]
        return [cause_of(one, made.sources).text for one in excludes]

    def listing(variants: Sequence[Variant]) -> Listing:
        return listing_of(default_columns(made, variants, "markdown"), variants)

    @lru_cache(maxsize=1)
    def results() -> Known:
        from tvarc.farm.ledger import known_to

        _has_ledger(made)  # so that a watch notices its changes
        return known_to(made)

    kept = made.kept.pages if made.kept is not None else {}
    return Documents(made.variants, dropped, rules, listing, results, made.sources, kept)


def _has_ledger(made: Compilation) -> bool:
    try:
        made.loader.read(made.loader.join(made.file, LEDGER))
    except UnreadableSource as fault:
        return not fault.missing
    return True


def parts_wanted(made: Compilation, page: str | None) -> list[tuple[str, ...]]:
    """The parts of *page* by their words, each once; if there is no page, the parts of a new
    one."""
    text = _new_page(made, _writer(made)) if page is None else page
    return list(dict.fromkeys(one.words for one in parts_of(text) if isinstance(one, Part)))


def lines_of_parts(made: Compilation, wanted: Sequence[tuple[str, ...]]) -> list[str]:
    """The lines of the *wanted* parts of a page, each part below its mark. Parts that the program
    does not know are left out."""
    writer = _writer(made)
    found: list[str] = []
    for words in wanted:
        if words[0] == _RESULTS:  # results do not belong to a state of the program
            continue
        try:
            text = writer.text(words)
        except Unknown:
            continue
        found += [begin_mark(words), *text.splitlines()]
    return found


def _new_page(made: Compilation, writer: Documents) -> str:
    """A new page with empty parts."""
    found = [print_markdown([title(posixpath.basename(made.file))])]
    parts = [(part,) for part in PARTS if part != _RESULTS or _has_ledger(made)]
    for words in (*parts, *writer.references()):
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
    reported = len(made.sink)
    for mark in wrong:
        _refuse_mark(path, mark, sink)
    for part in parts:
        try:
            texts[part.start] = writer.text(part.words)
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
    if len(sink) > before or len(made.sink) > reported:
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
        path, text, True, changed=tuple(changed), unchanged=unchanged, takes_over=bool(edited),
        unrecorded=any(part.words[0] == _RESULTS for part in parts),
    )  # fmt: skip


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
