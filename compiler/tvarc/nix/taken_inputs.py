"""The inputs from which a decided variant takes files."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Final, Iterator
from tvarc.nix import ir
from tvarc.values.value import NixCall, NixText, Record

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

ASIDE: Final = frozenset(
    ["origin", "shadowed", "prov", "unset", "taken", "listed", "declared", "built"]
)
"""The fields of decided settings that are not emitted."""
DECIDED: Final = (
    ir.Changes, ir.Element, ir.Frame, ir.Linked, ir.Need, ir.Overlay, ir.Part, ir.Pin,
    ir.Recipe, ir.Setting,
)  # fmt: skip
"""The classes whose fields are emitted."""


def inputs_of(recipe: ir.Recipe) -> dict[str, NixCall]:
    """The inputs whose files *recipe* uses, itself or through its needs, sorted by name."""
    return {one.name: one.source for one in taken_by(recipe)}


def taken_by(recipe: ir.Recipe) -> tuple[ir.Taken, ...]:
    """The same inputs. With tracing, each has the source lines that take it."""
    found: dict[str, ir.Taken] = {}
    for source, lines in _inputs(recipe, 0):
        name = str(source.argument("name"))
        known = found.get(name)
        found[name] = ir.Taken(name, source, lines | (known.lines if known is not None else 0))
    return tuple([found[name] for name in sorted(found)])


def _inputs(part: object, lines: Lines) -> Iterator[tuple[NixCall, Lines]]:
    """The inputs in a part of a recipe, which was made from *lines*, or in a value."""
    if isinstance(part, tuple):
        for one in part:
            yield from _inputs(one, lines)
    elif isinstance(part, ir.Taken):
        yield part.source, lines | part.lines
    elif isinstance(part, NixCall):
        if part.function == "input":
            yield part, lines
        else:
            yield from _inputs(part.arguments, lines)
    elif isinstance(part, Record):
        yield from _inputs(part.entries, lines)
    elif isinstance(part, NixText):
        yield from _inputs(part.parts, lines)
    elif isinstance(part, ir.Setting) and part.parts:
        yield from _inputs(part.parts, lines)  # each part has its own lines
    elif isinstance(part, DECIDED):
        of = part.setting if isinstance(part, ir.Need) else part
        if isinstance(of, ir.Setting | ir.Element | ir.Part) and of.prov is not None:
            lines |= of.prov.all | of.prov.head
        for name in part.__dataclass_fields__:
            if name not in ASIDE:
                yield from _inputs(getattr(part, name), lines)
