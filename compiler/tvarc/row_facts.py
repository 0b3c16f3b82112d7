"""Facts of axis values, found by the name of their field on whatever table has it."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.values import RowValue, Value, Version

# Examples of products, all that are known by their class, and other names of them.
_PRODUCTS: Final = ("products", "datacenter", "workstation", "consumer", "embedded", "also")


def version_fact(value: Value, name: str) -> Version | None:
    """The version in field *name*; None where *value* is no row, has no such field, or it holds no
    version."""
    found = _fact(value, name)
    return found if isinstance(found, Version) else None


def text_fact(value: Value, name: str) -> str | None:
    """The string in field *name*; None when there is none."""
    found = _fact(value, name)
    return found if isinstance(found, str) else None


def texts_fact(value: Value, name: str) -> tuple[str, ...] | None:
    """The list of strings in field *name*; None when there is none. Rows count by their name."""
    found = _fact(value, name)
    if not isinstance(found, tuple):
        return None
    texts = [item.name if isinstance(item, RowValue) else item for item in found]
    return tuple([item for item in texts if isinstance(item, str)])


def versions_fact(value: Value, name: str) -> tuple[Version, ...]:
    """The list of versions in field *name*; empty when there is none."""
    found = _fact(value, name)
    items = found if isinstance(found, tuple) else ()
    return tuple(item for item in items if isinstance(item, Version))


def product_names(row: RowValue) -> list[str]:
    """What products of the GPU *row* are called, one name once."""
    return list(dict.fromkeys(one for name in _PRODUCTS for one in texts_fact(row, name) or ()))


def has_fact(value: Value, name: str) -> bool:
    return isinstance(value, RowValue) and name in value.facts


def _fact(value: Value, name: str) -> Value:
    if isinstance(value, RowValue) and name in value.facts:
        return value.facts[name].value
    return None
