"""Parts of pages about a matrix: counts, tables, guides to choosing, names, and dropped cells. All
of them come from the program; nothing is typed by hand."""

from __future__ import annotations

from collections import Counter
from math import prod

from tvarc.commands.listing.table import cell_line, listing_table
from tvarc.commands.listing.text import Listing
from tvarc.commands.shown.excluded import Cause, cause_of
from tvarc.commands.shown.markdown import (
    Block,
    Code,
    Heading,
    Line,
    Paragraph,
    Table,
    Text,
    prose,
)
from tvarc.commands.shown.tree import shown
from tvarc.light import Callable, Final, Mapping, Sequence
from tvarc.matrix.cells import Batch, batches
from tvarc.matrix.exclusion_eval import Dropped
from tvarc.matrix.present import by_matrix
from tvarc.matrix.variants import Built, Variant, axis_text
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap
from tvarc.values.row_facts import product_names, text_fact, texts_fact
from tvarc.values.value import RowValue, Value

_SHORT: Final = 40
"""Characters of a fact that a table has room for."""
_FACTS: Final = 5
"""Facts that a reference shows where none are named."""
_TEXTS: Final = 40
"""Texts of a part of a name that a table has room for."""
_UNTOLD: Final = ("label", "sources", "mark", "note")
"""Facts that have a place of their own in the text, or that are about a row and not about the
thing."""


class Unknown(Exception):
    """A part that there is not: what is no such thing, the word, and those that are."""

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
        listing: Callable[[Sequence[Variant]], Listing],
        sources: SourceMap,
    ) -> None:
        """*dropped* gives the cells that are left out, a matrix each; *listing* puts
        variants into columns."""
        self._variants = variants
        self._dropped = dropped
        self._listing = listing
        self._sources = sources
        self._counted: dict[str, list[tuple[Value, int]]] | None = None

    def blocks(self, words: Sequence[str]) -> list[Block]:
        """The part that *words* name; raises Unknown."""
        name, *more = words
        if more and name in ("counts", "choosing", "names", "dropped"):
            raise Unknown(f"word of part `{name}`", more[0], ())
        match name:
            case "counts":
                return self._counts()
            case "variants":
                return self._listed(more)
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
        """The values of each axis that variants have, in the order of the axis, with how many."""
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

    def _listed(self, matrices: Sequence[str]) -> list[Block]:
        known = list(dict.fromkeys(variant.matrix.name for variant in self._variants))
        for name in matrices:
            if name not in known:
                raise Unknown("matrix with variants", name, known)
        chosen = [one for one in self._variants if not matrices or one.matrix.name in matrices]
        return [listing_table(self._listing(chosen))] if chosen else []

    def _choosing(self) -> list[Block]:
        """The sentence for the hardware of a person and its axis value: a table for each axis that
        leaves a choice.
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
            counts: dict[int, int] = {}
            for cell in dropped.cells():
                for reason in cell.reasons:
                    counts[id(reason.check)] = counts.get(id(reason.check), 0) + 1
            for check in dropped.excludes:
                if id(check) in counts:
                    cause = cause_of(check, self._sources)
                    rows.append(_reason(counts[id(check)], cause))
        if not rows:
            return [Paragraph((Text("Every cell is built."),))]
        return [Table(((Text("cells"),), (Text("because"),), (Text("rule"),)), tuple(rows))]


PARTS: Final[Mapping[str, str]] = {
    "counts": "How many there are",
    "variants": "The variants",
    "choosing": "Which one to take",
    "names": "What the names say",
    "dropped": "What is not built",
}
"""The parts that a new page has, with their headings."""


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
    """Examples of the things that a row covers: those to name, or else all that are known."""
    named = texts_fact(value, "products")
    return named or (product_names(value) if isinstance(value, RowValue) else ())


def _is_short(rows: Sequence[Value], fact: str) -> bool:
    """Whether all rows have the fact, any of them says something, and none at length."""
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
