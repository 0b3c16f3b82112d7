"""The inputs that a decided variant takes files of, and how a value reads that names them."""

from __future__ import annotations

from tvarc import ir
from tvarc.light import Final, Iterator
from tvarc.values import NixCall, NixRef, NixText, PathValue, Record, Value, show

# What a decided setting tells of besides its value: not what is emitted.
_ASIDE: Final = frozenset(
    ["origin", "shadowed", "prov", "unset", "taken", "listed", "declared", "built"]
)
_DECIDED: Final = (
    ir.Changes, ir.Element, ir.Need, ir.Overlay, ir.Part, ir.Pin, ir.Recipe, ir.Script,
    ir.Setting,
)  # fmt: skip


def inputs_of(recipe: ir.Recipe) -> dict[str, NixCall]:
    """The inputs that *recipe* takes files of, by their names, which are sorted."""
    found = {str(call.argument("name")): call for call in _inputs(recipe)}
    return {name: found[name] for name in sorted(found)}


def _inputs(part: object) -> Iterator[NixCall]:
    """The inputs within a part of a recipe, or within a value."""
    if isinstance(part, tuple):
        for one in part:
            yield from _inputs(one)
    elif isinstance(part, NixCall):
        if part.function == "input":
            yield part
        else:
            yield from _inputs(part.arguments)
    elif isinstance(part, Record):
        yield from _inputs(part.entries)
    elif isinstance(part, NixText):
        yield from _inputs(part.parts)
    elif isinstance(part, _DECIDED):
        for name in part.__dataclass_fields__:
            if name not in _ASIDE:
                yield from _inputs(getattr(part, name))


def fields_of(source: NixCall) -> tuple[tuple[str, Value], ...]:
    """What is said of the input *source*, but for its name: where it is, its commit, its hash."""
    return tuple(
        (name, value.file if isinstance(value, PathValue) else value)
        for name, value in source.arguments
        if name != "name"
    )


def shown(value: Value) -> str:
    """*value* as a person reads it, inputs by their names: what these are stands elsewhere."""
    return show(by_name(value))


def by_name(value: Value) -> Value:
    """*value* with the names of inputs in the place of what they are."""
    match value:
        case NixCall("input"):
            return NixRef(str(value.argument("name")), ())
        case NixCall():
            arguments = tuple([(name, by_name(one)) for name, one in value.arguments])
            return NixCall(value.function, arguments)
        case tuple():
            return tuple(map(by_name, value))
        case Record():
            return Record(tuple([(key, by_name(one)) for key, one in value.entries]))
        case NixText():
            return NixText(tuple(map(_part, value.parts)))
        case _:
            return value


def _part(part: str | object) -> str | NixCall | NixRef | NixText:
    made = by_name(part)  # type: ignore[arg-type]
    assert isinstance(made, str | NixCall | NixRef | NixText)
    return made
