"""Records that expressions look entries up in, and what these expressions are written as."""

from __future__ import annotations

from collections import Counter

from tvarc.byhand.importing.explain import Choice, Code, Constant, Fact, Lookup
from tvarc.byhand.importing.names import entry_key, free_name, fuller, name_from
from tvarc.light import Callable, Final, Iterator, Mapping, dataclass, field, replace
from tvarc.syntax.format.break_points import WIDTH
from tvarc.values.value import quote

_INITIAL: Final = 2  # so short a name says little
_AROUND: Final = len("   = {  }")
"""What a row has besides its name and its columns, with the indent."""


@dataclass(slots=True, eq=False)
class Lookups:
    """Records that lookups are made in: of each set of axes as few columns as do, in one record as
    long as each row fits on a line. `homes` has the record of each column. Those columns are
    `plain` whose values are written as they are: numbers and the like. *prefix* begins the names of
    records, and of values beside them. The rows of the axes *rowed* are the record, and the
    records *alone* would have one column. *read_as* are the names by which the files read a text:
    what is looked up is named after them."""

    taken: set[str]
    prefix: str = ""
    rowed: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    read_as: Mapping[str, Mapping[str, None]] = field(default_factory=dict)
    columns: dict[tuple[str, ...], dict[str, dict[str, str]]] = field(default_factory=dict)
    homes: dict[tuple[tuple[str, ...], str], str] = field(default_factory=dict)
    plain: set[tuple[tuple[str, ...], str]] = field(default_factory=set)
    _hint: str = "value"
    _more: str = ""
    _is_plain: bool = False

    def hint(self, name: str, more: str = "", *, plain: bool = False) -> Lookups:
        """Name the next column for *name*; if another is called so, for *more* as well."""
        self._hint, self._more, self._is_plain = name, more, plain
        return self

    def empty(self) -> Lookups:
        """The same before anything was looked up."""
        return Lookups(self.taken, self.prefix, self.rowed, self.alone, self.read_as)

    def copy(self) -> Lookups:
        """The same, to be changed by itself."""
        columns = {
            axes: {name: dict(column) for name, column in columns.items()}
            for axes, columns in self.columns.items()
        }
        return replace(self, columns=columns, homes=dict(self.homes), plain=set(self.plain))

    def restore(self, kept: Lookups) -> None:
        """Have what *kept*, a copy of this, has."""
        self.columns, self.homes, self.plain = kept.columns, kept.homes, kept.plain

    def name_of(self, code: Code, hint: str) -> str:
        """The name by which the files read each text of *code*, if it is the same for several; else
        *hint*."""
        texts = {text for text in _texts(code) if text}
        first, *others = [self.read_as.get(text, {}) for text in sorted(texts)] or [{}]
        names = [name for name in first if all(name in one for one in others)]
        made = [name_from(name) for name in names if len(name) > _INITIAL and others]
        return hint if hint in made or not made else made[0]

    def of(self, code: Lookup) -> str:
        columns = self.columns.setdefault(code.axes, {})
        wanted = dict(code.entries)
        name = next(
            (
                one
                for one, column in columns.items()
                if _agree(column, wanted) and ((code.axes, one) in self.plain) == self._is_plain
            ),
            "",
        )
        if not name:
            name = self._new(code, columns, wanted)
        columns.setdefault(name, {}).update(wanted)
        if self._is_plain:
            self.plain.add((code.axes, name))
        return self.entry(code.axes, name)

    def _new(
        self, code: Lookup, columns: Mapping[str, object], wanted: Mapping[str, str]
    ) -> str:
        """The name of a new column for *code*. It has the label of *code*, unless a row of the
        record that the columns of its axes share is then too long."""
        axes, hint = code.axes, self._hint
        full = f"{hint}-{code.label}" if code.label else hint
        short = code.label if code.label and hint in axes else full
        for one in (short, hint, full):
            name = free_name(fuller(one, self._more, columns), columns)
            home = self._home(axes, name, wanted)
            if home == self.shared(axes):
                break
        self.homes[axes, name] = home
        return name

    def entry(self, axes: tuple[str, ...], column: str) -> str:
        """What reads a *column* of a record."""
        if len(axes) == 1 and axes[0] in self.rowed:
            return f"{axes[0]}.{column}"
        home = self.homes[axes, column]
        row = f"{home}[{self.key(axes)}]"
        return f"{row}.{column}" if home == self.shared(axes) else row

    def is_text(self, code: str) -> bool:
        """Whether *code* is an entry of a record, or reads a row of an axis: these have texts
        alone."""
        is_entry = code.partition("[")[0] in self.homes.values()
        return is_entry or (code.partition(".")[0] in self.rowed and "." in code)

    def records(self) -> dict[str, dict[str, dict[str, str]]]:
        """The columns of each record by its name; those of axes that have rows are none."""
        found: dict[str, dict[str, dict[str, str]]] = {}
        for (axes, column), record in self.homes.items():
            if not (len(axes) == 1 and axes[0] in self.rowed):
                found.setdefault(record, {})[column] = self.columns[axes][column]
        return found

    def lone(self) -> frozenset[str]:
        """The records for several columns that have one."""
        homes = [home for (of, _), home in self.homes.items() if home == self.shared(of)]
        return frozenset([home for home, count in Counter(homes).items() if count == 1])

    def _home(self, axes: tuple[str, ...], column: str, wanted: Mapping[str, str]) -> str:
        """The name of the record for a new *column*. The columns of *axes* share one, as long as
        each row fits on a line. Otherwise, or if there is no other column, the record has only this
        column, its rows are texts, and it is named after the column."""
        shared = self.shared(axes)
        own = f"{self.prefix}{column}-by-{'-'.join(axes)}"
        if shared in self.alone and own not in self.taken:
            return free_name(own, self.homes.values())
        beside = [name for (_, name), home in self.homes.items() if home == shared]
        around = _AROUND + max(len(entry_key(row)) for row in wanted)
        for row, text in wanted.items():
            cells = [_entry(name, self.columns[axes][name].get(row, "")) for name in beside]
            if beside and around + len(", ".join([*cells, _entry(column, text)])) > WIDTH:
                return free_name(own, self.homes.values())
        return shared

    def shared(self, axes: tuple[str, ...]) -> str:
        """The record that the columns of *axes* share."""
        return f"{self.prefix}by-{'-'.join(axes)}"

    def key(self, axes: tuple[str, ...]) -> str:
        if len(axes) == 1:
            return axes[0]
        return '"' + "-".join(["{{" + axis + "}}" for axis in axes]) + '"'


def code_of(code: Code, lookups: Lookups, constant: Callable[[str], str] = quote) -> str:
    """*code* as an expression of the language, constants in it as *constant* writes them."""
    match code:
        case Constant(text):
            return constant(text)
        case Fact(written, _):
            return written
        case Choice(condition, yes, no):
            then, otherwise = (code_of(one, lookups, constant) for one in (yes, no))
            if (then, otherwise) == ("true", "false"):
                return condition
            return f"if {condition} then {then} else {otherwise}"
        case Lookup():
            return lookups.of(code)


def _texts(code: Code) -> Iterator[str]:
    """Each text that *code* has in it."""
    match code:
        case Constant(text):
            yield text
        case Choice(_, yes, no):
            yield from _texts(yes)
            yield from _texts(no)
        case Lookup(_, entries):
            yield from [text for _, text in entries]
        case Fact():
            pass


def _entry(column: str, text: str) -> str:
    """An entry of a row."""
    return f"{entry_key(column)} = {quote(text)}"


def _agree(column: dict[str, str], wanted: dict[str, str]) -> bool:
    """Whether *column* has rows of *wanted*, and no other text in one of these."""
    return not column.keys().isdisjoint(wanted) and all(
        column.get(key, text) == text for key, text in wanted.items()
    )
