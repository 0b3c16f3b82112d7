"""The tables of the library that provide axes and facts for a program."""

from __future__ import annotations

from tvarc.advice.library.tables import Library
from tvarc.light import Final, Mapping, dataclass
from tvarc.meaning.functions import lettered
from tvarc.values.value import RowValue, Value, Version

AXES: Final = {
    "nvidia": "gpu",
    "cpu": "isa",
    "cuda-toolkit": "toolkit",
    "amd": "gfx",
    "torch-release": "release",
}
"""The tables for axes, and the names of these axes in the library."""
_LIKELY: Final = frozenset(
    ["capability", "version", "arch", "platform", "flags", "label", "set", "architecture", "target"]
)
_NO_FACTS: Final = frozenset(["note", "mark", "sources", "cpuinfo", "satisfies", "unsure-hosts"])
_UNLIKELY: Final = 30


@dataclass(frozen=True, slots=True)
class Column:
    """An expression about one axis, such as `flat(gpu.capability)`: its value for each value of the
    axis, its reading cost, and whether recipes are likely to use it."""

    code: str
    values: dict[str, str]
    cost: int
    likely: bool
    whole_list: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its module, the name of its axis, its rows by name, and those of its fields that
    conditions may compare."""

    name: str
    module: str
    axis: str
    rows: dict[str, RowValue]


def tables_of(library: Library) -> dict[str, Table]:
    """The tables for axes, by name."""
    found: dict[str, Table] = {}
    for name, axis in AXES.items():
        table = library.tables.get(name)
        if table is not None:
            module = table.span.file.removeprefix("std/").removesuffix(".tvar")
            found[name] = Table(name, module, axis, dict(table.rows))
    return found


def columns(axis: str, table: Table | None, values: tuple[str, ...]) -> list[Column]:
    """The expressions about the value of *axis*, which has *values*."""
    found = [
        Column(axis, {value: value for value in values}, 0, True),
        Column(f"upper({axis})", {value: lettered(value, str.upper) for value in values}, 2, True),
    ]
    if table is None:
        return found
    fields = [name for row in values[:1] for name in table.rows[row].facts]
    for field in dict.fromkeys([*fields, *[f for v in values for f in table.rows[v].facts]]):
        if field not in _NO_FACTS:
            facts = {value: _fact(table.rows[value], field) for value in values}
            known = {value: fact for value, fact in facts.items() if fact is not None}
            found += _forms(f"{axis}.{field}", known, likely=field in _LIKELY)
    return found


def _fact(row: RowValue, field: str) -> Value:
    fact = row.facts.get(field)
    return fact.value if fact is not None else None


def _forms(code: str, facts: Mapping[str, Value], *, likely: bool) -> list[Column]:
    cost = 0 if likely else _UNLIKELY
    texts: dict[str, str] = {}
    lists: dict[str, tuple[str, ...]] = {}
    for value, fact in facts.items():
        match fact:
            case Version():
                texts[value] = fact.text
            case str():
                texts[value] = fact
            case bool():
                return []
            case int():
                texts[value] = str(fact)
            case tuple() if all(isinstance(one, str) for one in fact):
                lists[value] = tuple([one for one in fact if isinstance(one, str)])
            case _:
                return []
    if texts and not lists:
        made = [Column(code, texts, cost, likely)]
        if any("." in text for text in texts.values()):
            flat = {value: text.replace(".", "") for value, text in texts.items()}
            under = {value: text.replace(".", "_") for value, text in texts.items()}
            made += [
                Column(f"flat({code})", flat, cost + 2, likely),
                Column(f"under({code})", under, cost + 2, likely),
            ]
        if all(isinstance(fact, Version) for fact in facts.values()):
            major = {value: text.partition(".")[0] for value, text in texts.items()}
            made.append(Column(f"major({code})", major, cost + 5, likely))
        lower = {value: lettered(text, str.lower) for value, text in texts.items()}
        if lower != texts:
            made.append(Column(f"lower({code})", lower, cost + 3, likely))
        return made
    if lists and not texts:

        def joined(separator: str) -> dict[str, str]:
            return {value: separator.join(words) for value, words in lists.items()}

        first = {value: words[0] for value, words in lists.items() if words}
        return [
            Column(code, joined(" "), cost, likely, whole_list=True),
            Column(f'join({code}, ", ")', joined(", "), cost + 3, False),
            Column(f'join({code}, "/")', joined("/"), cost + 3, False),
            Column(f"{code}[0]", first, cost + 3, False),
        ]
    return []
