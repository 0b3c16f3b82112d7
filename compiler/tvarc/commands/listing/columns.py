"""Columns of a list of variants, and their content."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.commands.listing.text import Cell, Listing
from tvarc.light import Callable, Final, Literal, Mapping, Sequence, dataclass, suppress
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import MISSING, Value, show_key

Form = Literal["text", "markdown", "csv", "json"]

LEDGER: Final = ("state", "time", "size")
"""Columns from the ledger: the result of the present recipe, the seconds of its build, and the
bytes of its closure. Without a result for it, the state is `changed` if there is one for an earlier
recipe, and `-` otherwise."""
WORDS: Final = ("name", "matrix", "recipe", "axes", "platform", "needs", "files", *LEDGER)
"""Columns that every program has. An axis with such a name takes precedence."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column with its name in the command, and its content for a variant. Reading it may raise
    Failed. *prose* says that a text in it is for people: a fact, or a setting."""

    name: str
    read: Callable[[Variant], Cell]
    prose: bool = False


def default_columns(made: Compilation, variants: Sequence[Variant], form: Form) -> list[Column]:
    """The default columns: whole records for programs, a column for each field for people."""
    if form == "json":
        return [of_word(made, word) for word in WORDS if word not in ("platform", *LEDGER)]
    axes = dict.fromkeys(axis for variant in variants for axis in variant.values)
    columns = [of_word(made, "name"), *map(of_axis, axes)]
    # To follow the needs of a variant takes as long as all other columns.
    needs = {one.name: needs_of(made, one) for one in variants} if made.is_stacked else {}
    names = dict.fromkeys(name for one in needs.values() for name in one)

    def read(variant: Variant) -> Mapping[str, Value]:
        return needs[variant.name]

    if form == "text":  # one column has the needs of a variant
        return [*columns, Column("needs", read)] if names else columns
    return [*columns, *[of_need(name, read) for name in names]]


def of_axis(axis: str) -> Column:
    return Column(show_key(axis), lambda variant: variant.values.get(axis, MISSING))


def of_need(name: str, needs: Callable[[Variant], Mapping[str, Value]]) -> Column:
    """The column of the need *name*; *needs* has those of a variant."""
    return Column(f"needs.{name}", lambda variant: needs(variant).get(name, MISSING))


def listing_of(columns: Sequence[Column], variants: Sequence[Variant]) -> Listing:
    """*variants* in *columns*. If a variant cannot be decided, report it and leave it out."""
    rows: list[tuple[Cell, ...]] = []
    for variant in variants:
        with suppress(Failed):
            rows.append(tuple([column.read(variant) for column in columns]))
    return Listing(
        tuple([column.name for column in columns]),
        frozenset([column.name for column in columns if column.prose]),
        tuple(rows),
    )


def of_word(made: Compilation, word: str) -> Column:
    """The column called *word*, one of `WORDS`, but for those of `LEDGER`."""
    return Column(word, _reader(made, word))


def _reader(made: Compilation, word: str) -> Callable[[Variant], Cell]:
    match word:
        case "name":
            return lambda variant: variant.name
        case "matrix":
            return lambda variant: variant.matrix.name
        case "recipe":
            return lambda variant: variant.matrix.recipe.name
        case "axes":
            return lambda variant: variant.values
        case "platform":
            return lambda variant: systems_of(made, variant)
        case "needs":
            return lambda variant: needs_of(made, variant)
        case _:
            return lambda variant: files_of(made, variant)


def needs_of(made: Compilation, variant: Variant) -> dict[str, Value]:
    """The variants that *variant* needs, by the names of its needs."""
    if not made.is_stacked:
        return {}
    return {name: needed.name for name, needed in made.stack.direct(variant)}


def files_of(made: Compilation, variant: Variant) -> dict[str, Value]:
    """The files of *variant*, by the names of the outputs. Raises Failed."""
    return dict(made.output_files.of(made.elaboration.deciding(variant)))


def systems_of(made: Compilation, variant: Variant) -> tuple[str, ...]:
    """The systems that are written out for *variant*; none if they are not. Raises Failed."""
    from tvarc.build.assembly.gathered import written_systems
    from tvarc.decide.parts import decide_pin

    deciding = made.elaboration.deciding(variant)
    pin = decide_pin(deciding, made.elaboration.pins)
    return written_systems(pin, deciding.decide(("meta", "platforms")))
