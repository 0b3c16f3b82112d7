"""Records in which expressions look up entries, and the code of these expressions."""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations

from tvarc.byhand.importing.explain import Choice, Code, Constant, Fact, Lookup, agree
from tvarc.byhand.importing.names import entry_key, free_name, fuller, is_name, name_from
from tvarc.byhand.importing.tables import AXES
from tvarc.light import Callable, Final, Iterator, Mapping, Sequence, dataclass, field, replace
from tvarc.syntax.format.break_points import WIDTH
from tvarc.values.value import quote

Together = Mapping[tuple[str, ...], frozenset[str]]
"""The columns of the record that some axes share."""
_TABLES: Final = {axis: table for table, axis in AXES.items()}
_INITIAL: Final = 2  # a shorter name means little
_AROUND: Final = len("   = {  }")
"""The characters of a row besides its name and its columns, including the indentation."""
_AROUND_ROWS: Final = 3  # the lines of a record besides its rows
VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
"""A version of two numbers or more."""
_SHOWN: Final = 3  # rows that are enough to show that a text follows a version
_AROUND_VERSION: Final = re.compile(r"[A-Za-z/_.-]*")
_FIRST, _SECOND = "{{major(version(@))}}", "{{minor(version(@))}}"
_FORMS: Final = (
    (r"\A", "", "{{@}}"),
    (r"\.", "", "{{flat(@)}}"),
    (r"\.", "_", "{{under(@)}}"),
    (r"(\d+)\.(\d+).*", r"\1.\2", f"{_FIRST}.{_SECOND}"),
    (r"(\d+)\.(\d+).*", r"\1\2", f"{_FIRST}{_SECOND}"),
)
"""The forms that a version takes in a text. Each form has a pattern, the text that replaces it in
the version, and the expression of the language for the result, with `@` for the version."""


@dataclass(frozen=True, slots=True)
class Computed:
    """A column of `texts` that follow the versions of another column, `base`: the `name` of a `let`
    for them, and its expression `written`, with `@` for the read of the other column, whose name is
    `base_name`."""

    name: str
    texts: Mapping[str, str]
    base: Lookup
    base_name: str
    written: str


@dataclass(slots=True, eq=False)
class Lookups:
    """The records for look-ups, with as few columns as possible for each set of axes. `homes` has
    the record of each column. Columns are `plain` if their values need no quotes, such as numbers.
    *prefix* begins the names of records and other values. For the axes *rowed*, the rows of the
    axis are the record. *together* has, for some axes, the columns that share a record; each other
    column has a record of its own. *read_as* has the names by which the files read a text; look-ups
    are named after them. The columns that are *computed* are in no record: a `let` in `lets`
    replaces each of them."""

    taken: set[str]
    prefix: str = ""
    rowed: frozenset[str] = frozenset()
    together: Together = field(default_factory=dict)
    read_as: Mapping[str, Mapping[str, None]] = field(default_factory=dict)
    columns: dict[tuple[str, ...], dict[str, dict[str, str]]] = field(default_factory=dict)
    homes: dict[tuple[tuple[str, ...], str], str] = field(default_factory=dict)
    plain: set[tuple[tuple[str, ...], str]] = field(default_factory=set)
    computed: Sequence[Computed] = ()
    lets: dict[str, str] = field(default_factory=dict)
    _hint: str = "value"
    _more: tuple[str, ...] = ()
    _is_plain: bool = False

    def hint(self, name: str, *more: str, plain: bool = False) -> Lookups:
        """Name the next column after *name*. If another column has that name, also after the first
        of *more*, and so on."""
        self._hint, self._more, self._is_plain = name, more, plain
        return self

    def empty(self) -> Lookups:
        """The same without look-ups."""
        return Lookups(
            self.taken, self.prefix, self.rowed, self.together, self.read_as, computed=self.computed
        )

    def copy(self) -> Lookups:
        """An independent copy."""
        columns = {
            axes: {name: dict(column) for name, column in columns.items()}
            for axes, columns in self.columns.items()
        }
        homes, plain, lets = dict(self.homes), set(self.plain), dict(self.lets)
        return replace(self, columns=columns, homes=homes, plain=plain, lets=lets)

    def restore(self, kept: Lookups) -> None:
        """Restore the state of *kept*, a copy of this."""
        self.columns, self.homes = kept.columns, kept.homes
        self.plain, self.lets = kept.plain, kept.lets

    def name_of(self, code: Code, hint: str) -> str:
        """The name by which the files read each text of *code*, if several have the same; otherwise
        *hint*."""
        texts = {text for text in _texts(code) if text}
        first, *others = [self.read_as.get(text, {}) for text in sorted(texts)] or [{}]
        names = [name for name in first if all(name in one for one in others)]
        made = [name_from(name) for name in names if len(name) > _INITIAL and others]
        return hint if hint in made or not made else made[0]

    def has(self, code: Lookup) -> bool:
        """Whether the entry that *code* looks up is already in a record."""
        computed = [one.texts for one in self.computed if one.name in self.lets]
        known = [*self.columns.get(code.axes, {}).values(), *computed]
        return any({*code.entries} <= column.items() for column in known)

    def has_version_of(self, other: Lookups, before: Lookups) -> bool:
        """Whether *other* has a column of versions that this has, too, and that *before* does not
        have."""
        return any(
            column in other.columns.get(axes, {}).values()
            and len({*column.values()}) > 1
            and all(map(VERSION.fullmatch, column.values()))
            for axes, columns in self.columns.items()
            for name, column in columns.items()
            if name not in before.columns.get(axes, {})
        )

    def of(self, code: Lookup) -> str:
        """The expression for the texts of *code*: an entry of a record, or a `let` that computes
        them."""
        for known in self.computed:
            if known.base.axes == code.axes and {*code.entries} <= known.texts.items():
                base = self.hint(known.base_name).of(known.base)
                self.lets[known.name] = known.written.replace("@", base)
                return known.name
        columns = self.columns.setdefault(code.axes, {})
        wanted = dict(code.entries)
        hint, label = self._hint, code.label
        for axis in code.axes:  # a column does not repeat the names of the rows
            bare = hint.removeprefix(f"{axis}-").removeprefix(f"{_TABLES.get(axis, axis)}-")
            hint = bare if is_name(bare) else hint
        if all(text.lower() == row for row, text in wanted.items()):
            hint = "title"
        if label:
            hint = label if hint in code.axes else f"{hint}-{label}"
        name, is_own = "", not label and hint not in (*code.axes, *AXES)
        for one, column in columns.items():
            is_said = (is_own and one == hint) or not column.keys().isdisjoint(wanted)
            is_plain = (code.axes, one) in self.plain
            if not name and is_said and is_plain == self._is_plain and agree(wanted, column):
                name = one
        if not name:
            for more in self._more:
                hint = fuller(hint, more, columns)
            name = free_name(hint, columns)
            self.homes[code.axes, name] = self._home(code.axes, name)
        columns.setdefault(name, {}).update(wanted)
        if self._is_plain:
            self.plain.add((code.axes, name))
        return self.entry(code.axes, name)

    def entry(self, axes: tuple[str, ...], column: str) -> str:
        """The expression that reads a *column* of a record."""
        if len(axes) == 1 and axes[0] in self.rowed:
            return f"{axes[0]}.{column}"
        home = self.homes[axes, column]
        row = f"{home}[{self.key(axes)}]"
        return f"{row}.{column}" if home == self.shared(axes) else row

    def is_text(self, code: str) -> bool:
        """Whether *code* is an entry of a record, or reads a row of an axis: these have only
        texts."""
        is_entry = code in self.lets or code.partition("[")[0] in self.homes.values()
        return is_entry or (code.partition(".")[0] in self.rowed and "." in code)

    def records(self) -> dict[str, dict[str, dict[str, str]]]:
        """The columns of each record by its name, without those of axes with rows."""
        found: dict[str, dict[str, dict[str, str]]] = {}
        for (axes, column), record in self.homes.items():
            if not (len(axes) == 1 and axes[0] in self.rowed):
                found.setdefault(record, {})[column] = self.columns[axes][column]
        return found

    def following(self) -> list[Computed]:
        """The columns that follow the versions of another one."""
        found: list[Computed] = []
        for axes, every in self.columns.items():
            columns = {name: one for name, one in every.items() if (axes, name) not in self.plain}
            for (name, texts), (base, column) in permutations(columns.items(), 2):
                done = [one.texts for one in found]
                written = _following(texts, column)
                if written and texts not in done and column not in done:
                    names = (name, written.strip('"-').partition("{")[0], f"{name}-text")
                    own = next(one for one in names if is_name(one) and one not in self.taken)
                    of = Lookup(axes, tuple(column.items()))
                    found.append(Computed(own, texts, of, base, written))
        return found

    def fitting(self) -> Together:
        """The columns that should share a record, if these are not all columns of their axes. They
        save the most lines, and each row fits on a line. A single column has a record of its
        own."""
        found: dict[tuple[str, ...], frozenset[str]] = {}
        computed = [one.texts for one in self.following()]
        for axes, every in self.columns.items():
            columns = {name: one for name, one in every.items() if one not in computed}
            widths = {
                name: {row: len(f"{_entry(name, text)}, ") for row, text in column.items()}
                for name, column in columns.items()
            }
            keys = {len(entry_key(row)) for column in columns.values() for row in column}
            room = WIDTH + len(", ") - _AROUND - max(keys, default=0)
            best, most = set[str](), 0
            by_width = sorted(columns, key=lambda name: max(widths[name].values()))
            for first in by_width:
                some, used = {first}, Counter(widths[first])
                for name in by_width:
                    wider = widths[name].items()
                    if name not in some and all(used[row] + more <= room for row, more in wider):
                        some.add(name)
                        used.update(widths[name])
                saved = sum([self._lines(axes, name) for name in some]) - _AROUND_ROWS - len(used)
                if len(some) > 1 and saved > most:
                    best, most = some, saved
            if best != columns.keys():
                found[axes] = frozenset(best)
        return found

    def _lines(self, axes: tuple[str, ...], column: str) -> int:
        """The number of lines of a record that has only this *column*."""
        rows = [_entry(row, text) for row, text in self.columns[axes][column].items()]
        line = f"let {self._own(axes, column)} = {{ {', '.join(rows)} }}"
        return 1 if len(line) <= WIDTH else len(rows) + _AROUND_ROWS

    def _own(self, axes: tuple[str, ...], column: str) -> str:
        """The name of a record that has only this *column*."""
        return f"{self.prefix}{column}-by-{'-'.join(axes)}"

    def _home(self, axes: tuple[str, ...], column: str) -> str:
        """The name of the record for a new *column*: the record that the columns of *axes* share,
        or a record of texts with only this column and its name."""
        own = self._own(axes, column)
        if column in self.together.get(axes, (column,)) or own in self.taken:
            return self.shared(axes)
        return free_name(own, self.homes.values())

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


def _following(texts: Mapping[str, str], versions: Mapping[str, str]) -> str:
    """The expression by which *texts* follow *versions* of the same rows; empty if they do not."""
    if texts.keys() != versions.keys() or len({*texts.values()}) < _SHOWN:
        return ""
    if not all(map(VERSION.fullmatch, versions.values())):
        return ""
    for old, new, written in _FORMS:
        around = {
            tuple(text.split(changed, 1))
            for row, text in texts.items()
            for changed in [re.sub(old, new, versions[row])]
        }
        one = around.pop()
        if not around and len(one) == 2 and all(map(_AROUND_VERSION.fullmatch, one)):
            whole = written.count("{{") == 1 and one == ("", "")
            return written[2:-2] if whole else f'"{one[0]}{written}{one[1]}"'
    return ""


def _texts(code: Code) -> Iterator[str]:
    """Each text in *code*."""
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
