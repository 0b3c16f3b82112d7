"""Facts of axis values, by the name of their field. Any table may have the field."""

from __future__ import annotations

from tvarc.light import Final, Sequence
from tvarc.text.source import Span
from tvarc.values.value import Fact, RowValue, Value, Version

ENFORCED: Final = "enforced"  # the field that names the enforced limits of its row
# Examples of products, all that are known by their class, and other names of them.
_PRODUCTS: Final = ("products", "datacenter", "workstation", "consumer", "embedded", "also")


def version_fact(value: Value, name: str) -> Version | None:
    """The version in field *name*. None if *value* is no row, or if the field is missing or holds
    no version."""
    found = _fact(value, name)
    return found if isinstance(found, Version) else None


def text_fact(value: Value, name: str) -> str | None:
    """The string in field *name*; None if there is none."""
    found = _fact(value, name)
    return found if isinstance(found, str) else None


def texts_fact(value: Value, name: str) -> tuple[str, ...] | None:
    """The list of strings in field *name*; None if there is none. A row counts as its name."""
    found = _fact(value, name)
    if not isinstance(found, tuple):
        return None
    texts = [item.name if isinstance(item, RowValue) else item for item in found]
    return tuple([item for item in texts if isinstance(item, str)])


def versions_fact(value: Value, name: str) -> tuple[Version, ...]:
    """The list of versions in field *name*; empty if there is none."""
    found = _fact(value, name)
    items = found if isinstance(found, tuple) else ()
    return tuple(item for item in items if isinstance(item, Version))


def product_names(row: RowValue) -> list[str]:
    """The names of the products of the GPU *row*, without duplicates."""
    return list(dict.fromkeys(one for name in _PRODUCTS for one in texts_fact(row, name) or ()))


def is_enforced(value: Value, name: str, *, unsaid: bool) -> bool:
    """Whether a tool, a driver or the machine itself enforces the limit in field *name* of the row
    *value*. The row's field `enforced` names such limits. Any other limit comes from documents: it
    ranks and warns, and refuses nothing. *unsaid* is the result for a row without that field."""
    said = texts_fact(value, ENFORCED)
    return name in said if said is not None else unsaid


def has_fact(value: Value, name: str) -> bool:
    return isinstance(value, RowValue) and name in value.facts


def corrected(row: RowValue | None, *names: str) -> Fact | None:
    """The first of the fields *names* of *row* that the program corrects."""
    if row is None:
        return None
    found = (row.facts[name] for name in names if name in row.facts)
    return next((fact for fact in found if fact.shadowed is not None), None)


def corrections(row: RowValue | None, *names: str) -> tuple[tuple[Span, str], ...]:
    """The line of the program that corrects one of the fields *names* of *row*, and the label for
    it; empty if it corrects none.
    """
    fact = corrected(row, *names)
    return ((fact.span, "the program says so here"),) if fact is not None else ()


def cite(*rows: RowValue, of: Sequence[str] = (), doubted: bool = True) -> str:
    """The sources of the facts of *rows*, in brackets. If the program corrects one of the fields
    *of*, it is named, too. *doubted* is false if the sources agree on the facts that the row is
    cited for."""
    found: dict[str, list[str]] = {}
    doubt = ""
    for row in rows:
        own = corrected(row, *of)
        if own is not None:
            why = f", because {own.because}" if own.because else ""
            found[f"corrected in {own.span.file}{why}"] = []
            continue
        file, _, table = row.table.partition("::")
        module = f"std.{file[4:-5]}" if file.startswith("std/") else f"facts {table}"
        ids = found.setdefault(module, [])
        ids += [id for id in texts_fact(row, "sources") or () if id not in ids]
        if doubted and text_fact(row, "mark") == "conflicting":
            doubt = "; sources disagree"
    told = "; ".join(f"{name}: {', '.join(ids)}" if ids else name for name, ids in found.items())
    return f"({told}{doubt})"


def _fact(value: Value, name: str) -> Value:
    if isinstance(value, RowValue) and name in value.facts:
        return value.facts[name].value
    return None
