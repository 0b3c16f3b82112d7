"""Selects variants by the words of a command line.

A selector is the name of a variant, a run of axis values as names contain them, `axis=value` pairs,
a boolean `let`, a matrix, or an expression over axes. Values match only as a whole: `sm10` does not
match `sm103`.
"""

from __future__ import annotations

from tvarc.files.cache import Cache
from tvarc.light import TYPE_CHECKING, Final, Iterator, Sequence, dataclass
from tvarc.matrix import messages as msg
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.expand import CellEnvironment
from tvarc.matrix.pairs import is_pairs, is_word
from tvarc.matrix.variants import Variant, axis_text
from tvarc.meaning import hir
from tvarc.meaning.declarations.expressions import Expressions, Join
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.functions import kind_text
from tvarc.meaning.names.scope import View
from tvarc.meaning.resolve import Resolution
from tvarc.text.diagnostics.model import Failed, Sink, filled
from tvarc.text.diagnostics.suggest import Guess, guess, nearest
from tvarc.text.source import Source, SourceMap, Span
from tvarc.values.value import Value

if TYPE_CHECKING:
    from tvarc.matrix.query import Wish
    from tvarc.text.diagnostics.message import Message, Text

_LISTED: Final = 6
_MOST_CANDIDATES: Final = 5_000  # for suggestions, because comparing words is slow


@dataclass(frozen=True, slots=True)
class Sought:
    """What a selector selects, for messages, and the command that lists all of it."""

    noun: str
    listed_by: str


VARIANTS: Final = Sought("variant", "`tvarc list` shows every variant")
DROPPED: Final = Sought("dropped cell", "`tvarc list --excluded` shows every dropped cell")


def select(
    texts: Sequence[str],
    resolution: Resolution,
    variants: Sequence[Variant],
    sources: SourceMap,
    sink: Sink,
    join: Join,
    sought: Sought = VARIANTS,
    cache: Cache | None = None,
) -> list[Variant]:
    """The variants that any of *texts* selects, in their order. Without *texts*, all of them.

    A text that selects none is reported (E901), and so are errors in an expression. *sought*
    describes what *variants* are, such as dropped cells.
    """
    if not texts:
        return list(variants)
    selecting = _Selecting(resolution, variants, sources, sink, join, sought, cache)
    chosen: set[int] = set()
    for text in texts:
        chosen.update(selecting.hits(text))
    return [variant for index, variant in enumerate(variants) if index in chosen]


def value_texts(variant: Variant, axis: str, reads: Dependencies) -> list[str]:
    """The forms in which a user types the value of *axis*: its name, and its form in the variant's
    name."""
    value = variant.values[axis]
    found = [axis_text(value)]
    if variant.pieces:  # a dropped cell may have none
        parts = variant.matrix.name_parts
        for part, (text, is_value) in zip(parts, variant.pieces, strict=True):
            if (
                is_value
                and not isinstance(part, str)
                and reads.expr(part).axes == {axis}
                and text not in found
            ):
                found.append(text)
    return found


def runs(variant: Variant) -> Iterator[str]:
    """The ends of the variant's name that begin with a value, the longest first."""
    starts, _ = _bounds(variant)
    for start in sorted(starts):
        if start and start < len(variant.name):
            yield variant.name[start:]


def _bounds(variant: Variant) -> tuple[set[int], set[int]]:
    """The offsets in the name at which a run of whole values may begin, and those at which it may
    end."""
    offset, starts, ends = 0, {0}, {len(variant.name)}
    for text, is_value in variant.pieces:
        if is_value:
            starts.add(offset)
            ends.add(offset + len(text))
        else:
            for index, letter in enumerate(text, offset):
                if letter == "-":
                    ends.add(index)
                    starts.add(index + 1)
        offset += len(text)
    return starts, ends


def _holds_run(variant: Variant, run: str) -> bool:
    start = variant.name.find(run)
    if start < 0:
        return False
    starts, ends = _bounds(variant)
    while start >= 0:
        if start in starts and start + len(run) in ends:
            return True
        start = variant.name.find(run, start + 1)
    return False


class _Selecting:
    def __init__(
        self,
        resolution: Resolution,
        variants: Sequence[Variant],
        sources: SourceMap,
        sink: Sink,
        join: Join,
        sought: Sought,
        cache: Cache | None,
    ) -> None:
        self.cache = cache
        self.scope = resolution.scope
        self.sought = sought
        self.variants = variants
        self.sources = sources
        self.sink = sink
        self.expressions = Expressions(resolution.scope, sink, join)
        self.reads = Dependencies()
        self.matrices = resolution.program.matrices
        # The words for each value of an axis, by matrix, axis and index, and by whether the variant
        # has a name: a dropped cell may have none.
        self._texts: dict[tuple[str, str, int, bool], list[str]] = {}

    def hits(self, text: str) -> list[int]:
        """The indices of the variants that *text* selects. Empty after reporting why there are
        none."""
        texts = (text, text.strip())  # a name may begin or end with a blank
        exact = [i for i, variant in enumerate(self.variants) if variant.name in texts]
        if exact:
            return exact
        text = text.strip()
        if is_pairs(text):
            return self.pairs(text)
        if is_word(text):
            return self.word(text)
        if not text:
            self.nothing(msg.selectors.IS_EMPTY, text)
            return []
        found = [i for i, variant in enumerate(self.variants) if _holds_run(variant, text)]
        if found:
            return found
        plain = not any(char.isspace() or char in '"<>=' for char in text)
        if "/" in text and plain:
            self.nothing(msg.selectors.LOOKS_LIKE_A_PATH, text)
            return []
        if ("*" in text or "?" in text) and plain:
            value = text.strip("*?-")
            known = any(_holds_run(variant, value) for variant in self.variants)
            self.nothing(
                msg.selectors.LOOKS_LIKE_A_PATTERN,
                text,
                value=value if known else None,
                listed_by=self.sought.listed_by,
            )
            return []
        return self.expression(text)

    def nothing(self, message: Message, text: str, **fields: Text) -> None:
        """Report that *text* selects nothing. *message* gets these fields and two of its own."""
        own: dict[str, Text] = {"text": text, "noun": self.sought.noun}
        self.sink.add(filled(message, None, own | fields))

    # --- names and runs ------------------------------------------------------------------

    def is_switch(self, name: str) -> bool:
        """Whether an axis with this name has the values `true` and `false`. Its name is then a
        condition."""
        return any(isinstance(variant.values.get(name), bool) for variant in self.variants)

    def is_field(self, text: str) -> bool:
        """Whether *text* is a field of an axis or of a `let`, such as `gpu.is-new`."""
        head, dot, _ = text.partition(".")
        known = head in self.scope.lets or any(head in one.values for one in self.variants)
        return bool(dot) and known

    def word(self, text: str) -> list[int]:
        found = [i for i, variant in enumerate(self.variants) if _holds_run(variant, text)]
        if found:
            return found
        # A value counts even if names do not contain it.
        found = [
            i
            for i, variant in enumerate(self.variants)
            if any(kind_text(value) == text for value in variant.values.values())
        ]
        if found:
            return found
        if text in self.scope.lets:
            return self.expression(text)
        found = [i for i, variant in enumerate(self.variants) if variant.matrix.name == text]
        if found:
            return found
        if text in ("true", "false") or self.is_switch(text) or self.is_field(text):
            return self.expression(text)
        self.unknown_word(text)
        return []

    def unknown_word(self, text: str) -> None:
        known = self.segments()
        steps = text.split("-")
        if len(steps) > 1 and all(step in known for step in steps):
            apart = [v for v in self.variants if all(_holds_run(v, step) for step in steps)]
            if apart:
                self.nothing(
                    msg.selectors.NOT_SIDE_BY_SIDE,
                    text,
                    pairs=self.as_pairs(text),
                    names=", ".join(v.name for v in apart[:_LISTED]),
                )
                return
            self.not_together(text, ", ".join(self.near(steps)))
            return
        if self.is_dropped(text):
            self.not_together(text, "")
            return
        mended = [step if step in known else nearest(step, known) for step in steps]
        words = [word for word in mended if word is not None]
        if len(words) == len(mended):
            whole_run = "-".join(words)
            if any(_holds_run(variant, whole_run) for variant in self.variants):
                self.nothing(msg.selectors.MISSPELT, text, guess=Guess(whole_run))
                return
        whole = [v.name for v in self.variants[:_MOST_CANDIDATES] if v.name]
        matrices = dict.fromkeys(v.matrix.name for v in self.variants)
        near = guess(text, [*self.boolean_lets(), *matrices, *known, *whole])
        strange = [step for step in steps if step not in known]
        self.nothing(
            msg.selectors.MEANS_NOTHING,
            text,
            part=f"`{strange[0]}`" if len(strange) < len(steps) else "it",
            axes=", ".join(dict.fromkeys(a for v in self.variants for a in v.values)),
            guess=near,
            listed_by=self.sought.listed_by,
        )

    def not_together(self, text: str, near: str) -> None:
        """Report values that no variant has together. If the program drops their cell, the message
        names the command that explains it."""
        if self.is_dropped(text):
            self.nothing(msg.selectors.DROPPED, text, nearest=near)
            return
        self.nothing(
            msg.selectors.NOT_TOGETHER, text, nearest=near, listed_by=self.sought.listed_by
        )

    def is_dropped(self, text: str) -> bool:
        """Whether each word of *text* is a value that a matrix uses, so that the program drops the
        cell. *text* must select nothing. False unless variants are selected."""
        return self.sought is VARIANTS and bool(self.wishes(text))

    def as_pairs(self, text: str) -> str:
        """*text* as `axis=value` pairs that select variants; empty if there are none."""
        for wish in self.wishes(text):
            chosen = [choices[0] for choices in wish.choices.values()]
            pairs = ",".join(f"{one.axis}={axis_text(one.value)}" for one in chosen)
            wanted = {one.axis: [axis_text(one.value)] for one in chosen}
            if is_pairs(pairs) and any(self.agrees(one, wanted) for one in self.variants):
                return pairs
        return ""

    def wishes(self, text: str) -> list[Wish]:
        """The meaning of *text* in each matrix that has all its values, one for each named axis."""
        from tvarc.matrix.query import Vocabulary, pairs_and_runs

        pairs, runs = pairs_and_runs((text,))
        asked = (
            Vocabulary(matrix, self.scope.lets, self.reads).read(pairs, runs)
            for matrix in self.matrices
        )
        return [wish for wish in asked if wish.is_listed]

    def segments(self) -> dict[str, None]:
        """The whole values in names, and the words between two dashes."""
        found: dict[str, None] = {}
        for variant in self.variants:
            for text, is_value in variant.pieces:
                if is_value:
                    found.setdefault(text)
            for step in variant.name.split("-"):
                if step and step not in found and _holds_run(variant, step):
                    found[step] = None
        return found

    def near(self, steps: list[str]) -> list[str]:
        """A few names of variants that contain all but one of *steps*."""
        found: dict[str, None] = {}
        for left_out in reversed(range(len(steps))):
            others = [step for index, step in enumerate(steps) if index != left_out]
            for variant in self.variants:
                if all(_holds_run(variant, step) for step in others):
                    found.setdefault(variant.name)
                if len(found) == _LISTED:
                    return list(found)
        return list(found)

    def boolean_lets(self) -> list[str]:
        return [name for name, let in self.scope.lets.items() if let.span.file == self.scope.file]

    # --- pairs ---------------------------------------------------------------------------

    def pairs(self, text: str) -> list[int]:
        """The variants that agree on all named axes. An axis that is named twice may have either
        value."""
        wanted: dict[str, list[str]] = {}
        for word in text.replace(",", " ").split():
            axis, _, value = word.partition("=")
            if not self.known_pair(text, axis, value):
                return []
            wanted.setdefault(axis, []).append(value)
        found = [i for i, variant in enumerate(self.variants) if self.agrees(variant, wanted)]
        if not found:
            self.not_together(text, "")
        return found

    def agrees(self, variant: Variant, wanted: dict[str, list[str]]) -> bool:
        return all(
            any(text in texts for text in self.texts(variant, axis))
            for axis, texts in wanted.items()
        )

    def texts(self, variant: Variant, axis: str) -> Sequence[str]:
        """The words for the value of *axis*; empty if the variant has no such axis."""
        matrix = variant.matrix
        for pick, index in zip(matrix.axes, variant.indices, strict=True):
            if pick.axis.name == axis:
                key = (matrix.id, axis, index, bool(variant.name))
                known = self._texts.get(key)
                if known is None:
                    known = self._texts[key] = value_texts(variant, axis, self.reads)
                return known
        return ()

    def known_pair(self, text: str, axis: str, value: str) -> bool:
        matrices = {variant.matrix.id: variant.matrix for variant in self.variants}
        axes = dict.fromkeys(pick.axis.name for one in matrices.values() for pick in one.axes)
        if axis not in axes:
            self.nothing(
                msg.selectors.NO_SUCH_AXIS,
                text,
                axis=axis,
                axes=", ".join(axes),
                guess=guess(axis, axes),
            )
            return False
        known = dict.fromkeys(
            found for variant in self.variants for found in self.texts(variant, axis)
        )
        if value not in known and self.is_dropped(text):
            self.not_together(text, "")
            return False
        if value not in known:
            self.nothing(
                msg.selectors.NO_SUCH_VALUE,
                text,
                axis=axis,
                value=value,
                values=", ".join(known),
                guess=guess(value, known),
            )
            return False
        return True

    # --- expressions ---------------------------------------------------------------------

    def expression(self, text: str) -> list[int]:
        source = Source(f"selector {text}", text)
        self.sources.add(source)
        before = len(self.sink)
        from tvarc.syntax.parser import parse_expression

        tree = parse_expression(source, self.sink, self.cache)
        if tree is None:
            return []
        expr = self.expressions.condition(tree, View("a selector"), "selector")
        if len(self.sink) > before:
            return []
        test = _Truth(expr, self.reads, self.sink)
        found: list[int] = []
        asked = False
        for index, variant in enumerate(self.variants):
            if not test.axes <= variant.values.keys():
                continue
            asked = True
            try:
                if test.holds(variant):
                    found.append(index)
            except Failed:
                return []
        if not found:
            self.no_truth(text, test, asked, Span(source.file, 0, len(text)))
        return found

    def no_truth(self, text: str, test: _Truth, asked: bool, span: Span) -> None:
        self.sink.report(
            msg.selectors.TRUE_FOR_NONE if asked else msg.selectors.READS_OTHER_AXES,
            span,
            text=text,
            noun=self.sought.noun,
            axes=", ".join(f"`{axis}`" for axis in sorted(test.axes)),
        )


class _Truth:
    """A condition over axes. It is evaluated once for each combination of the axes that it reads.
    """

    __slots__ = ("axes", "expr", "known", "sink")

    def __init__(self, expr: hir.Expr, reads: Dependencies, sink: Sink) -> None:
        self.expr = expr
        self.axes = reads.expr(expr).axes
        self.sink = sink
        self.known: dict[tuple[object, ...], bool] = {}

    def holds(self, variant: Variant) -> bool:
        """Whether the condition holds for *variant*, which has the axes. Raises Failed after
        reporting."""
        values: dict[str, Value] = variant.values
        # By the places of the values, since equal versions may have different texts.
        axes = zip(variant.matrix.axes, variant.indices, strict=True)
        key = (variant.matrix.id, *(i for pick, i in axes if pick.axis.name in self.axes))
        answer = self.known.get(key)
        if answer is None:
            environment = CellEnvironment(variant.matrix, values, self.sink)
            answer = Evaluator(environment, self.sink).truth(self.expr, "selector")
            self.known[key] = answer
        return answer
