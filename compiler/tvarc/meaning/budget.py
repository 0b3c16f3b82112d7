"""Limits on the size and the time of an evaluation. They are checked before memory is allocated.

A `let` may name another one twice, and a hundred such lines double a text a hundred times. A `for`
may go through a list for each element of another list. So each evaluation (of a setting's value, a
condition, a name, a fact, or a `let`) has a `Budget` of its own. A cached value that it reads costs
nothing, since the evaluation that made the value was charged. So whether an evaluation fits never
depends on earlier ones.

A small evaluation may be made for a hundred thousand cells. So all evaluations together have a
budget, too: `Total`. It counts only what an evaluation or a decision takes beyond a free share (the
`FREE_…` below). So no number of ordinary evaluations exceeds it.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Final
from tvarc.meaning import messages as msg
from tvarc.text.diagnostics.model import Failed, Sink, filled
from tvarc.values.value import (
    DeclValue,
    NixCall,
    NixRef,
    NixSource,
    NixText,
    PathValue,
    Record,
    RowValue,
    Value,
    Version,
)

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message, Text
    from tvarc.text.source import Span

# No build needs values of this size. They come from texts or lists that double each other.
LIMIT_TEXT: Final = 1 << 20
"""The most characters of one text."""
LIMIT_WHOLE: Final = 1 << 23
"""The most characters of one list, record or script, all levels together."""
LIMIT_LIST: Final = 100_000
"""The most elements of one list or record, all levels together."""
LIMIT_MADE: Final = 1 << 25
"""The most characters of all texts that one evaluation makes, including those that it drops."""
LIMIT_STEPS: Final = 1 << 18
"""The most steps of one evaluation. A step is a part of an expression, eight elements of a list, or
one element that is compared by the rules of its kind, such as a version."""
LIMIT_RECIPE: Final = 1 << 25
"""The most characters of all values of one recipe."""
LIMIT_ELEMENTS: Final = 1 << 16
"""The most elements of all values of one recipe."""

LIMIT_ALL_MADE: Final = 1 << 27
"""The most characters of all texts that all evaluations make, and of all decided values, each
beyond its free share."""
LIMIT_ALL_STEPS: Final = 1 << 23
"""The most steps of all evaluations, beyond their free shares."""
LIMIT_ALL_EVALUATIONS: Final = 1 << 18
"""The most evaluations, however small. The largest real programs make some thousands, for a hundred
variants as for a hundred thousand."""
LIMIT_ALL_CELLS: Final = 1 << 17
"""The most cells of all matrices, before exclusions."""
LIMIT_ALL_ELEMENTS: Final = 1 << 18
"""The most elements of all decided values, beyond their free shares. Each element is also laid out.
"""
LIMIT_ALL_RECIPES: Final = 1 << 28
"""The most characters of all recipes, beyond their free shares."""
LIMIT_ALL_RECIPES_ELEMENTS: Final = 1 << 20
"""The most elements of all recipes, beyond their free shares."""
FREE_STEPS: Final = 64
"""The steps of each evaluation that do not count in `Total`."""
FREE_MADE: Final = 1024
"""The characters of each evaluation, or of each decided value, that do not count in `Total`."""
FREE_ELEMENTS: Final = 64
"""The elements of each decided value that do not count in `Total`."""
FREE_RECIPE: Final = 1 << 16
"""The characters of each recipe that do not count in `Total`."""
FREE_RECIPE_ELEMENTS: Final = 1 << 12
"""The elements of each recipe that do not count in `Total`."""
COST_OF_RECIPE: Final = 8
"""A recipe that is made or compared separately takes as long as this many evaluations."""
COST_OF_FRAME: Final = 16
"""The surroundings of the settings of a recipe take as long as this many evaluations: deciding,
printing and checking a package, pin, `config` and overlays that no earlier variant has in this
combination."""
COST_OF_OVERLAY: Final = 24
"""An overlay that no earlier variant has takes as long as this many evaluations."""
COST_OF_NIX: Final = 10
"""A Nix text with values in it takes as long as this many evaluations. It is read, laid out and
printed separately."""
COST_OF_CHECK: Final = 1
"""A `require` or `warn` that a variant evaluates takes as long as this many further evaluations."""
COST_OF_NEED: Final = 16
"""A need that leads to a variant takes as long as this many evaluations: finding the variant, its
files and its own needs."""
COST_OF_LINE: Final = 2
"""A line of a recipe that is imported takes as long as this many evaluations: it is read, becomes a
part of the program, and is compared with what the program builds."""
FREE_FILES: Final = 2
"""The files of each variant that do not count in `Total`."""
COST_OF_FILE: Final = 2
"""A file of a variant takes as long as this many evaluations."""
_LEASE: Final = 256  # steps that an evaluation takes from the total at a time, beyond the first


def is_small(elements: int, characters: int) -> bool:
    """Whether a recipe of this size does not count in `Total`."""
    return elements <= FREE_RECIPE_ELEMENTS and characters <= FREE_RECIPE


class OverBudget(Exception):
    """An evaluation exceeds its budget. It has a message, and the values of the message's fields.

    `total` is the budget of all evaluations, if that one is spent.
    """

    def __init__(self, message: Message, total: Total | None = None, **fields: Text) -> None:
        super().__init__(message.title)
        self.message = message
        self.fields = fields
        self.total = total

    def report(self, sink: Sink, span: Span) -> Failed:
        """Report it at *span*. Returns the exception to raise."""
        sink.add(filled(self.message, span, self.fields))
        return Failed()


def too_long() -> OverBudget:
    """A text is too long."""
    return OverBudget(msg.limits.TEXT_TOO_LONG, most=LIMIT_TEXT)


def _too_long() -> OverBudget:
    """An evaluation takes too many steps."""
    return OverBudget(msg.limits.TAKES_TOO_LONG, most=LIMIT_STEPS)


def too_large() -> OverBudget:
    """A list or record is too large."""
    return OverBudget(msg.limits.VALUE_TOO_LARGE, most=LIMIT_LIST, characters=LIMIT_WHOLE)


class Total:
    """The budget that all evaluations of a compilation share. Its methods raise OverBudget before
    anything is made. An exhausted budget is reported once to *sink*; then `reported` is true.

    `subject` is what is evaluated: the path of a setting, `exclude` or `name`.
    """

    __slots__ = (
        "_cells",
        "_characters",
        "_elements",
        "_evaluations",
        "_made",
        "_recipes",
        "_recipes_elements",
        "_steps",
        "reported",
        "sink",
        "subject",
    )

    def __init__(self, sink: Sink, share: int = 1) -> None:
        """With a *share* of 4, the total has a quarter of all evaluations."""
        self.sink = sink
        self._made = LIMIT_ALL_MADE
        self._steps = LIMIT_ALL_STEPS
        self._evaluations = LIMIT_ALL_EVALUATIONS // share
        self._cells = LIMIT_ALL_CELLS
        self._characters = LIMIT_ALL_MADE
        self._elements = LIMIT_ALL_ELEMENTS
        self._recipes = LIMIT_ALL_RECIPES
        self._recipes_elements = LIMIT_ALL_RECIPES_ELEMENTS
        self.subject: tuple[str, ...] = ()
        self.reported = False

    def steps(self, count: int) -> None:
        """Charge this many steps."""
        self._steps -= count
        if self._steps < 0:
            raise self._over(msg.limits.ALL_STEPS, LIMIT_ALL_STEPS)

    def cells(self, count: int) -> bool:
        """Charge a matrix of this many cells. Returns whether the budget has them."""
        self._cells -= count
        return self._cells >= 0

    def evaluations(self, count: int) -> None:
        """Charge this many evaluations."""
        self._evaluations -= count
        if self._evaluations < 0:
            raise self._over(msg.limits.ALL_EVALUATIONS, LIMIT_ALL_EVALUATIONS)

    def made(self, length: int) -> None:
        """Charge texts of this many characters."""
        self._made -= length
        if self._made < 0:
            raise self._over(msg.limits.ALL_TEXT, LIMIT_ALL_MADE)

    def decided(self, weight: Weight) -> None:
        """Charge a decided value of this weight."""
        if weight.characters > FREE_MADE:
            self._characters -= weight.characters - FREE_MADE
        if weight.elements > FREE_ELEMENTS:
            self._elements -= weight.elements - FREE_ELEMENTS
        if self._characters < 0 or self._elements < 0:
            raise self._over(msg.limits.ALL_VALUES, LIMIT_ALL_ELEMENTS, LIMIT_ALL_MADE)

    def recipe(self, elements: int, characters: int) -> None:
        """Charge the size of a recipe."""
        if characters > FREE_RECIPE:
            self._recipes -= characters - FREE_RECIPE
        if elements > FREE_RECIPE_ELEMENTS:
            self._recipes_elements -= elements - FREE_RECIPE_ELEMENTS
        if self._recipes < 0 or self._recipes_elements < 0:
            raise self._over(msg.limits.ALL_VALUES, LIMIT_ALL_RECIPES_ELEMENTS, LIMIT_ALL_RECIPES)
        self.evaluations(COST_OF_RECIPE + (elements >> 4))

    def asks(self, count: int) -> bool:
        """Charge *count* evaluations for a command about many cells. Returns whether the budget has
        them. If not, the caller reports it with `report_spent`."""
        self._evaluations -= count
        return self._evaluations >= 0

    def report_spent(self, sink: Sink, message: Message, span: Span, name: str = "") -> None:
        """Report with *message* that this budget is spent, unless it is already reported."""
        if self.to_report(sink):
            sink.report(message, span, name=name, most=LIMIT_ALL_EVALUATIONS)

    @property
    def evaluations_left(self) -> int:
        """The number of evaluations that are left."""
        return self._evaluations

    @property
    def is_spent(self) -> bool:
        """Whether more was charged than the budget has."""
        return min(self._left()) < 0

    @property
    def is_half_spent(self) -> bool:
        """Whether more than half of the budget is spent."""
        whole = Total(self.sink)._left()
        return any(2 * left < of for left, of in zip(self._left(), whole, strict=True))

    def _left(self) -> tuple[int, ...]:
        return (
            self._made,
            self._steps,
            self._evaluations,
            self._characters,
            self._elements,
            self._recipes,
            self._recipes_elements,
        )

    def to_report(self, sink: Sink) -> bool:
        """Whether to report to *sink* that this budget is spent. False if the sink of this total
        already has that error. Reports to other sinks, which are thrown away, do not count."""
        first = not self.reported
        if sink is self.sink:
            self.reported = True
        return first

    def _over(self, message: Message, most: int, characters: int | None = None) -> OverBudget:
        path = ".".join([step for step in self.subject if step])
        what = f"`{path}`" if path else "the evaluation"
        return OverBudget(message, self, what=what, most=most, characters=characters)


class Budget:
    """The budget of one evaluation. Its methods raise OverBudget before anything is made.

    Charges beyond a free share also count in *total*, if there is one.
    """

    __slots__ = ("_begun", "_free_made", "_leased", "_made", "_steps", "_total")

    def __init__(self, total: Total | None = None) -> None:
        self._made = LIMIT_MADE
        self._steps = LIMIT_STEPS - FREE_STEPS
        self._total = total
        # The first step of an evaluation counts as one evaluation in the total.
        self._leased = LIMIT_STEPS if total is None else 0
        self._free_made = FREE_MADE
        self._begun = False

    def step(self, count: int = 1) -> None:
        """Charge this many steps."""
        self._leased -= count
        if self._leased < 0:
            self._lease()

    def _lease(self) -> None:
        """Charge the total for the steps beyond the last lease, and for some steps that may follow.
        """
        if self._total is None:
            raise _too_long()
        if not self._begun:
            self._begun = True
            self._total.evaluations(1)
            self._leased += FREE_STEPS
            if self._leased >= 0:
                return
        more = _LEASE - self._leased
        self._steps -= more
        if self._steps < 0:
            raise _too_long()
        self._total.steps(more)
        self._leased += more

    def text(self, length: int) -> None:
        """Charge a text of *length* characters."""
        if length > LIMIT_TEXT:
            raise too_long()
        self._made -= length
        if self._made < 0:
            raise OverBudget(msg.limits.TOO_MUCH_TEXT, most=LIMIT_MADE)
        if self._total is not None:
            self._free_made -= length
            if self._free_made < 0:
                self._total.made(-self._free_made)
                self._free_made = 0

    def nix(self) -> None:
        """Charge a Nix text with values in it."""
        if self._total is not None:
            self._total.evaluations(COST_OF_NIX)

    def elements(self, count: int) -> None:
        """Charge a list of *count* elements."""
        if count > LIMIT_LIST:
            raise too_large()
        self.step(count >> 3)


_TEXTS: Final = frozenset((str,))


class Weight:
    """The size of a value, all levels together. Shared parts count each time, because they are
    written out each time."""

    __slots__ = ("characters", "elements")

    def __init__(self) -> None:
        self.elements = 0
        self.characters = 0

    def add(self, value: Value, budget: Budget) -> None:
        """Add the size of *value*. Raises OverBudget as soon as the sum is too large; the rest is
        not walked."""
        if type(value) is str:  # most are
            self.elements += 1
            self.characters += len(value)
        else:
            before = self.elements
            self._walk(value)
            budget.step(self.elements - before >> 3)
        if self.elements > LIMIT_LIST or self.characters > LIMIT_WHOLE:
            raise too_large()

    def _walk(self, value: Value) -> None:
        waiting: list[Value] = [value]
        elements, characters = self.elements, self.characters
        while waiting:
            item = waiting.pop()
            elements += 1
            match item:
                case RowValue() | DeclValue():
                    characters += len(item.name)
                case str():
                    characters += len(item)
                case tuple():
                    if _TEXTS.issuperset(map(type, item)):
                        elements += len(item)
                        characters += sum(map(len, item))  # type: ignore[arg-type]
                    else:
                        waiting.extend(item)
                case Version():
                    characters += len(item.text)
                case Record():
                    for key, inner in item.entries:
                        characters += len(key)
                        waiting.append(inner)
                case NixCall():
                    waiting.extend([inner for _, inner in item.arguments])
                case NixText():
                    waiting.extend(item.parts)
                case NixSource():
                    waiting.extend([p if isinstance(p, str) else p.value for p in item.parts])
                case PathValue():
                    characters += len(item.file)
                case NixRef():
                    characters += sum(map(len, item.attributes))
                case _:
                    pass
            if elements + len(waiting) > LIMIT_LIST or characters > LIMIT_WHOLE:
                elements += len(waiting)
                break
        self.elements, self.characters = elements, characters
