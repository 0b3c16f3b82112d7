"""Columns that the user names: axes, facts of their rows, and decided settings."""

from __future__ import annotations

from tvarc.blocks import IN_PARTS, OF_RECIPE
from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.listing.columns import (
    LEDGER,
    WORDS,
    Column,
    files_of,
    needs_of,
    of_axis,
    of_need,
    of_word,
)
from tvarc.commands.listing.text import Added, Cell
from tvarc.commands.shown.lookup import steps_of
from tvarc.decide.decide import Deciding
from tvarc.decide.plan import Plan, group_of
from tvarc.light import TYPE_CHECKING, Callable, Final, Iterator, Sequence, lru_cache
from tvarc.matrix.variants import Variant
from tvarc.meaning.names.scope import PLAIN_SETTINGS
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.diagnostics.words import some_of
from tvarc.values.value import MISSING, Missing, Record, RowValue, Value, show_key

if TYPE_CHECKING:
    from tvarc.farm.ledger import Known

_SHOWN: Final = 24  # settings


def columns_named(made: Compilation, text: str) -> list[Column]:
    """The columns that *text* names, separated by commas, each once. A column that no variant can
    have is reported."""
    names = dict.fromkeys(name.strip() for name in _between_commas(text))

    @lru_cache(maxsize=1)
    def results() -> Known:
        from tvarc.farm.ledger import known_to

        return known_to(made)

    found: list[Column] = []
    for name in names:
        column = _column(made, name, results)
        if column is None:
            _refuse(made, name)
        else:
            found.append(column)
    return found


def _between_commas(text: str) -> list[str]:
    """Names that are separated by commas. A comma in quotes is part of a name."""
    parts = text.split('"')
    parts[::2] = [part.replace(",", "\0") for part in parts[::2]]
    return '"'.join(parts).split("\0")


def _refuse(made: Compilation, name: str) -> None:
    known = list(dict.fromkeys(column_names(made)))
    settings = [one for one in known if "." in one and one.partition(".")[0] in OF_RECIPE]
    made.sink.report(
        msg.selection.NO_COLUMN,
        name=name,
        columns=", ".join([one for one in known if "." not in one]),
        settings=some_of(settings, _SHOWN),
        guess=guess(name, known),
    )


def column_names(made: Compilation) -> Iterator[str]:
    """The names that columns of this program can have, without keys within records."""
    axes = _axes(made)
    yield "name"
    yield from map(show_key, axes)
    yield from WORDS
    for axis, values in axes.items():
        facts = dict.fromkeys(
            fact for value in values if isinstance(value, RowValue) for fact in value.facts
        )
        yield from (f"{show_key(axis)}.{show_key(fact)}" for fact in facts)
    for output in made.outputs:
        yield f"files.{show_key(output.name)}"
    for plan in _plans(made):
        for need in plan.keys("needs"):
            yield f"needs.{show_key(need)}"
        for block, key in plan.groups:
            if block in OF_RECIPE:
                yield f"{block}.{show_key(key)}"
            elif block in PLAIN_SETTINGS:
                yield block
        yield from (f"config.{show_key(key)}" for key in plan.config_keys())
        yield from (f"{one}.{show_key(name)}" for one in IN_PARTS for name in plan.keys(one))
        yield from (f"flags.{show_key(name)}" for name in plan.flags)


# --- one column -------------------------------------------------------------------------------


def _column(made: Compilation, name: str, results: Callable[[], Known]) -> Column | None:
    """The column *name*; None if no variant can have it. *results* returns the results of the
    ledger."""
    steps = tuple(steps_of(name))
    first, rest = steps[0], steps[1:]
    axes, within = _axes(made), ".".join(rest)
    if first in axes and not rest:
        return of_axis(first)
    if first in axes:
        return _of_fact(name, first, rest) if _has_fact(axes[first], rest[0]) else None
    if not rest and first in LEDGER:
        return _of_ledger(first, results())
    if not rest and first in WORDS:
        return of_word(made, first)
    if first == "needs" and _has_need(made, rest[0]):
        return of_need(within, lambda variant: needs_of(made, variant))
    if first == "files" and within in [output.name for output in made.outputs]:
        return Column(name, lambda variant: files_of(made, variant).get(within, MISSING))
    if any(_writes(plan, steps) for plan in _plans(made)):
        return _of_setting(made, name, steps)
    return None


def _of_ledger(word: str, results: Known) -> Column:
    """The column *word* of `LEDGER`."""

    def read(variant: Variant) -> Cell:
        found = results.standing(variant)
        build = found.build
        if word == "state":
            return results.state(variant, found) or MISSING
        number = None if build is None else build.seconds if word == "time" else build.size
        return MISSING if number is None else number

    return Column(word, read)


def _of_fact(name: str, axis: str, steps: tuple[str, ...]) -> Column:
    return Column(
        name, lambda variant: _within(variant.values.get(axis, MISSING), steps), prose=True
    )


def _of_setting(made: Compilation, name: str, steps: tuple[str, ...]) -> Column:
    deciding = made.elaboration.deciding
    return Column(name, lambda variant: _setting(deciding(variant), steps), prose=len(steps) > 1)


def _axes(made: Compilation) -> dict[str, list[Value]]:
    """The values of each axis of a matrix, by its name."""
    found: dict[str, list[Value]] = {}
    for matrix in made.program.matrices:
        for pick in matrix.axes:
            found.setdefault(pick.axis.name, []).extend(pick.values)
    return found


def _has_fact(values: Sequence[Value], name: str) -> bool:
    return any(isinstance(value, RowValue) and name in value.facts for value in values)


def _within(value: Value | Missing, steps: Sequence[str]) -> Value | Missing:
    """The value at *steps* in a value: facts of rows, and keys of records."""
    for step in steps:
        match value:
            case RowValue() if step in value.facts:
                value = value.facts[step].value
            case Record():
                value = value.get(step)
            case _:
                return MISSING
    return value


def _has_need(made: Compilation, name: str) -> bool:
    """Whether a recipe has the need *name*, perhaps through another need."""
    return any(name in plan.keys("needs") for plan in _plans(made))


# --- settings ---------------------------------------------------------------------------------


def _plans(made: Compilation) -> list[Plan]:
    return [made.elaboration.plan(matrix) for matrix in made.program.matrices]


def _writes(plan: Plan, steps: tuple[str, ...]) -> bool:
    match steps:
        case ("pin",):
            return True
        case ("flags", name):
            return name in plan.flags
        case (first, *rest):
            known = first in PLAIN_SETTINGS if not rest else first in OF_RECIPE
            known = known or (first in IN_PARTS and len(rest) == 1)
            return known and any(True for _ in plan.related(steps))
        case _:
            return False


def _setting(deciding: Deciding, steps: tuple[str, ...]) -> Cell:
    """The decided setting at *steps*. Raises Failed."""
    rest: tuple[str, ...] = ()
    match steps:
        case ("pin",):
            pin = deciding.pin_id()
            return pin.rpartition("::")[2] if pin is not None else MISSING
        case ("flags", name):
            setting = deciding.decide(("flag", name))
        case _:
            setting, rest = deciding.decide(group_of(steps)), steps[2:]
    while rest and setting is not None and setting.children is not None:
        setting = next((one for one in setting.children if one.key == rest[0]), None)
        rest = rest[1:]
    if setting is None:
        return MISSING
    found = _within(setting.value, rest)
    if found is not MISSING and not rest and (setting.extends or setting.head is not None):
        return Added(setting.value)
    return found
