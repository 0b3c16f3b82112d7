"""The output of `explain` for a person: a variant, or one path of it, with the line that wrote
it."""

from __future__ import annotations

from tvarc.blocks import CONFIG, OF_PACKAGE, OF_SYSTEMS
from tvarc.commands.shown.data import (
    Why,
    added_nothing,
    fact_text,
    named,
    place_of,
    reads_of,
    rest_of,
)
from tvarc.commands.shown.lookup import Unknown, path_text, steps_of
from tvarc.commands.shown.tree import Node, shown
from tvarc.light import TYPE_CHECKING, Final, Iterator, Sequence, dataclass, replace
from tvarc.nix import ir
from tvarc.text.diagnostics.render_cells import TAB, cell_width, safe, wrap
from tvarc.text.diagnostics.render_style import Piece, Style, painted
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap, Span
from tvarc.values.reads import Held, Reads
from tvarc.values.value import MISSING, Missing, NixText, Value, show

if TYPE_CHECKING:
    from tvarc.decide.trace import Trace, Written
    from tvarc.text.diagnostics.model import Diagnostic

_WIDEST: Final = 100  # in wider output, a value is too far from its origin
_NARROWEST: Final = 50
_LONGEST_LABEL: Final = 28
_STEP: Final = 2
_HEAD: Final = ("matrix", "recipe")
_ORDER: Final = (
    "package", "scope", *[one.name for one in OF_PACKAGE if one.stage != "describe"],
    "flags", "needs", "overlays", "pin", *OF_SYSTEMS, CONFIG, "inputs",
    *[one.name for one in OF_PACKAGE if one.stage == "describe"], "files", "axes",
)  # fmt: skip
"""The blocks of a variant, top down. A recipe mostly changes its package and arguments, so these
come first. The packages on which it depends follow, then descriptions, then facts."""


def explain_text(
    tree: Node,
    node: Node,
    sources: SourceMap,
    *,
    colour: bool,
    width: int,
    why: Why | None = None,
    facts: bool = False,
) -> str:
    """*node* of *tree* as text for a terminal of *width* cells; the whole variant if it is the
    root.

    The whole has one line for the facts of each axis value; with *facts* it has all of them.
    Without *colour* the text holds no control character but the newline. With *why* it has the
    values that conditions read. For a single node it also has the values that the node read, and
    how ranks compare.
    """
    width = min(max(width, _NARROWEST), _WIDEST)
    page = _Page(sources, width, why, detail=node is not tree, all_facts=facts)
    rows = page.variant(tree) if node is tree else page.answer(tree, node)
    return painted(rows, colour=colour)


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    """Lays out rows; *detail* adds the declaration to each place, *all_facts* lists all facts of
    the axis values of a whole variant."""

    sources: SourceMap
    width: int
    why: Why | None
    detail: bool
    all_facts: bool = False

    # --- pages ---------------------------------------------------------------------------

    def variant(self, tree: Node) -> Iterator[list[Piece]]:
        yield [(safe(str(tree.value)), Style.TITLE)]
        blocks = {node.label: node for node in tree.children}
        for label in _HEAD:
            if label in blocks:
                yield from self.top(blocks.pop(label))
        for label in sorted(blocks, key=lambda one: _ORDER.index(one) if one in _ORDER else 0):
            node = blocks[label]
            yield []
            if node.label == "axes" and not self.all_facts:
                yield from self.folded(node)
            else:
                yield from self.top(node)

    def folded(self, axes: Node) -> Iterator[list[Piece]]:
        """A line for each axis value: its name, its label, and how many facts it has. Facts that
        the program corrected follow it, because a person wrote them."""
        heading: list[Piece] = [(safe(axes.label), Style.TITLE)]
        if any(axis.children for axis in axes.children):
            heading.append((" (--facts shows all facts)", Style.FAINT))
        yield heading
        column = max(cell_width(safe(axis.label)) for axis in axes.children)
        for axis in axes.children:
            label = axis.label + " " * (column - cell_width(safe(axis.label)))
            head: list[Piece] = [(" " * _STEP, Style.PLAIN), (safe(label), Style.SECOND)]
            head.append((" = ", Style.FAINT))
            yield from self.line(0, head, _folded_text(axis), axis)
            corrected = [fact for fact in axis.children if fact.shadowed or fact.because]
            yield from self.settings(corrected, 3 * _STEP)

    def answer(self, tree: Node, node: Node) -> Iterator[list[Piece]]:
        yield [(safe(str(tree.value)), Style.FAINT)]
        if node.kind == "removed" and isinstance(node.value, Missing):
            yield from self.part(node, 0, path_text(node.path))
        elif node.kind == "unset":
            yield from self.unset(node, 0, path_text(node.path))
        elif node.kind in ("element", "removed", "fact", "setting") or (
            len(node.path) > 1 and (node.kind == "plain")
        ):
            yield from self.value(node, 0, path_text(node.path))
        elif node.kind in ("axis", "overlay", "need", "input"):
            yield from self.thing(node, 0)
        elif node.kind == "part":
            yield from self.part(node, 0, path_text(node.path))
        elif node.kind == "line":
            yield from self.script_line(node)
        else:
            yield from self.top(node)

    def top(self, node: Node) -> Iterator[list[Piece]]:
        """One block of the variant, under its heading."""
        heading: Piece = (safe(" ".join(node.path)), Style.TITLE)
        match node.kind:
            case "pin":
                yield from self.pin(node, 0, Style.TITLE)
            case "setting":
                yield from self.value(node, 0, node.label, style=Style.TITLE)
            case "unset":
                yield from self.unset(node, 0, node.label)
            case "plain":
                text = " → ".join(node.value) if isinstance(node.value, tuple) else node.value  # type: ignore[arg-type]
                yield from self.line(0, [heading, (" ", Style.PLAIN)], str(text), node)
                yield from self.beneath(node, _STEP)
            case "script":
                yield [heading]
                yield from self.parts(node, _STEP)
            case _:
                yield [heading] if node.children else [heading, (" (nothing)", Style.FAINT)]
                yield from self.block(node, _STEP)
                yield from self.beneath(node, _STEP)

    def block(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        first = node.children[0].kind if node.children else ""
        if first not in ("axis", "overlay", "input", "script") and node.label != "needs":
            yield from self.values(node, indent)
            return
        for child in node.children:
            yield from self.thing(child, indent)

    # --- the content of blocks ------------------------------------------------------------

    def thing(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        """A thing that is shown in rows of its own kind. Any other thing is a value."""
        match node.kind:
            case "axis":
                yield from self.axis(node, indent)
            case "overlay":
                yield from self.overlay(node, indent)
            case "need":
                yield from self.need(node, indent)
            case "input":
                yield from self.input(node, indent)
            case "script":
                yield [(" " * indent + safe(node.label), Style.SECOND)]
                yield from self.parts(node, indent + _STEP)
            case _:
                yield from self.value(node, indent, node.label)

    def blocks(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        """The settings of an overlay or a need that are in no block, and its blocks."""
        apart = ("block", "pin") if node.kind == "need" else ("block",)
        yield from self.settings([one for one in node.children if one.kind not in apart], indent)
        for child in node.children:
            if child.kind == "block":
                yield [(" " * indent + safe(child.label), Style.PLAIN)]
                yield from self.block(child, indent + _STEP)

    def axis(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        yield from self.value(node, indent, node.label, with_children=False, style=Style.SECOND)
        yield from self.values(node, indent + _STEP)

    def input(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        """The address of another repository, whose fields are all in one place."""
        yield from self.line(indent, [(safe(node.label), Style.SECOND)], "", node)
        fields = [replace(child, declared=None) for child in node.children]
        yield from self.settings(fields, indent + _STEP)

    def overlay(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        head: list[Piece] = [(" " * indent, Style.PLAIN), (safe(node.label), Style.SECOND)]
        yield from self.placed(head, f" {node.of}" if node.of else "", node.declared, "declared ")
        inner = indent + _STEP
        if node.because:
            yield from self.remark(inner, f"because {node.because}")
        if node.origin is not None:
            text = f"listed in {node.origin.layer}"
            yield from self.remark(inner, text, node.origin.span)
            yield from self.conditions(node, inner)
        yield from self.blocks(node, inner)

    def need(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        label = node.label if indent else path_text(node.path)
        head: list[Piece] = [(" " * indent + safe(label), Style.SECOND), (" = ", Style.FAINT)]
        yield from self.line(0, head, f"{node.value} ({node.of})", node)
        yield from self.beneath(node, indent + 2 * _STEP)
        inner = indent + _STEP
        for child in node.children:
            if child.kind == "pin":
                yield from self.pin(child, inner, Style.PLAIN)
        yield from self.blocks(node, inner)

    def pin(self, node: Node, indent: int, style: Style) -> Iterator[list[Piece]]:
        """The name of a pin, and its fields."""
        label = node.label if indent else path_text(node.path)
        head: list[Piece] = [(" " * indent + safe(label), style), (" ", Style.PLAIN)]
        yield from self.line(0, head, str(node.value), node)
        # All of a pin is written in one place, which is printed next to its name.
        fields = [replace(child, declared=None) for child in node.children]
        yield from self.settings(fields, indent + _STEP)
        yield from self.beneath(node, indent + _STEP)

    def values(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        yield from self.settings(list(node.children), indent)

    def settings(self, nodes: list[Node], indent: int) -> Iterator[list[Piece]]:
        """Settings under one another, their signs in one column."""
        widths = [cell_width(safe(node.label)) for node in nodes]
        column = max([w for w in widths if w <= _LONGEST_LABEL], default=0)
        signs = 2 if any(node.extends for node in nodes) else 1
        for node, width in zip(nodes, widths, strict=True):
            label = node.label + " " * max(column - width, 0)
            if node.kind == "unset":
                yield from self.unset(node, indent, label)
            else:
                yield from self.value(node, indent, label, signs=signs)

    def unset(self, node: Node, indent: int, label: str) -> Iterator[list[Piece]]:
        """A setting that is not emitted, and its value without the `none`."""
        head: list[Piece] = [(" " * indent + safe(label), Style.PLAIN)]
        yield from self.line(0, head, " (unset)", node)
        yield from self.beneath(node, indent + 2 * _STEP)
        yield from self.settings(list(node.children), indent + 2 * _STEP)

    def value(
        self, node: Node, indent: int, label: str, *, with_children: bool = True,
        style: Style = Style.PLAIN, signs: int = 1,
    ) -> Iterator[list[Piece]]:  # fmt: skip
        """`label = value`, and below it the parts of the value, the reason, and the shadowed
        values."""
        sign = "+=" if node.extends else "="
        head: list[Piece] = [(" " * indent, Style.PLAIN), (safe(label), style)]
        head.append((f" {sign:>{signs}} ", Style.FAINT))
        inner = indent + 2 * _STEP
        spread = with_children and self.is_spread(node)
        text = _block_text(node.value)
        if any(child.kind == "part" for child in node.children):
            spread = True
            yield from self.line(0, head, "", replace(node, origin=None))
            yield from self.parts(node, inner)
        elif spread:
            known = "" if isinstance(node.head, Missing) else shown(node.head)
            yield from self.line(0, head, known, node)
            yield from self.made_of(node, inner)
        elif text is not None:
            yield from self.line(0, head, "", node)
            wrapped = [wrap(row, self.width - inner) for row in text.split("\n")]
            yield from self.lines("\n".join(row for rows in wrapped for row in rows), inner)
        else:
            known = f"{_shown(node)} ({node.of})" if node.kind == "element" and node.of else ""
            yield from self.line(0, head, known or _shown(node), node)
        yield from self.beneath(node, inner, reads=not spread)
        yield from self.rest(node, inner, spread=spread)

    def is_spread(self, node: Node) -> bool:
        """Whether each part of a value gets a line: the parts have different origins, or were
        requested."""
        if not isinstance(node.head, Missing):
            return True  # even if no element is left
        if not node.children:
            return False
        if any(child.kind == "removed" for child in node.children):
            return True
        places = {node.span, *(child.span for child in node.children)}
        reasons = any(child.because or child.shadowed for child in node.walk() if child != node)
        return (self.detail and len(node.children) > 1) or len(places) > 1 or reasons

    def made_of(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        named = [child for child in node.children if child.kind in ("setting", "unset")]
        yield from self.settings(named, indent)
        for child in node.children:
            if child.kind in ("setting", "unset"):
                continue
            head: list[Piece] = [(" " * indent, Style.PLAIN)]
            if child.kind == "removed":
                head.append(("-= ", Style.FAINT))
            elif self.detail:
                head.append((f"{child.label:>{len(str(len(node.children) - 1))}}  ", Style.FAINT))
            text = shown(_known(child.value))
            yield from self.line(0, head, f"{text} ({child.of})" if child.of else text, child)
            if child.origin != node.origin or child.because != node.because:
                yield from self.beneath(child, indent + 2 * _STEP)
            else:
                yield from self.read(child, indent + 2 * _STEP)

    def parts(self, script: Node, indent: int) -> Iterator[list[Piece]]:
        for node in script.children:
            yield from self.part(node, indent)

    def part(self, node: Node, indent: int, name: str = "") -> Iterator[list[Piece]]:
        name = name or ("part" if node.label.startswith("+") else f"part {node.label}")
        head: list[Piece] = [(" " * indent + safe(name), Style.PLAIN)]
        if node.kind == "removed":
            yield from self.line(0, head, " (taken out)", node)
            yield from self.beneath(node, indent + _STEP)
            return
        if isinstance(node.value, Missing):
            yield [*head, (" (the package's own script)", Style.FAINT)]
            return
        yield from self.line(0, head, "", node)
        text = _block_text(node.value, always=True)
        yield from self.lines(text or "", indent + 2 * _STEP)
        yield from self.beneath(node, indent + _STEP)

    def script_line(self, node: Node) -> Iterator[list[Piece]]:
        """A line of a script, and why it is there."""
        origin = node.origin
        span = place_of(node, self.why)
        part = "" if node.of.startswith("+") or not node.of else f", part {node.of}"
        text = f"{origin.layer if origin is not None else ''}{part}"
        yield from self.placed([(path_text(node.path) + " ", Style.PLAIN)], f"({text})", span, "")
        yield from self.lines(str(node.value), 2 * _STEP)
        yield from self.beneath(node, 2 * _STEP)

    # --- why -----------------------------------------------------------------------------

    def beneath(self, node: Node, indent: int, *, reads: bool = True) -> Iterator[list[Piece]]:
        if node.because and node.kind != "overlay":
            yield from self.remark(indent, f"because {node.because}")
        yield from self.conditions(node, indent)
        for one in node.shadowed:
            text = _block_text(one.value)
            sign = "" if one.op == "=" else f"{one.op} "
            lost = f"{sign}{shown(one.value)} " if text is None else ""
            yield from self.remark(
                indent, f"shadows {lost}({one.reason}{self.rank(node, one)})", one.origin.span,
                one.origin.layer,
            )  # fmt: skip
            if text is not None:
                yield from self.lines(text, indent + 2 * _STEP, Style.FAINT)

        if reads:
            yield from self.read(node, indent)

    def rank(self, node: Node, one: ir.Shadowed) -> str:
        if not self.detail or self.why is None or node.origin is None:
            return ""
        rank = self.why.rank(node.origin, one.origin)
        return f": {rank}" if rank else ""

    def conditions(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        """The conditions of a value, with the values that they read."""
        origin = node.origin
        if origin is None:
            return
        held = {one.span: one for one in self.why.conditions(origin)} if self.why else {}
        for span in origin.conditions:
            yield from self.remark(indent, f"when {self.sources.text_of(span)}", span)
            one = held.get(span)
            if one is None:
                continue
            for text, value in one.operands:
                yield from self.remark(indent + _STEP, f"{text} = {shown(value)}")
            if self.detail:
                yield from self.names(one.reads, indent + _STEP)
                yield from self.facts(one.reads, indent + _STEP)

    def read(self, node: Node, indent: int) -> Iterator[list[Piece]]:
        """The values that the value of *node* read, if that was requested."""
        if not self.detail or self.why is None:
            return
        yield from self.all_read(reads_of(node, self.why), indent)

    def all_read(self, reads: Reads, indent: int) -> Iterator[list[Piece]]:
        for path in reads.settings:
            yield from self.remark(indent, f"reads {path}")
        yield from self.names(reads, indent)
        yield from self.facts(reads, indent)

    def rest(self, node: Node, indent: int, *, spread: bool) -> Iterator[list[Piece]]:
        """The values that decided that a value has no more parts."""
        if not self.detail or self.why is None:
            return
        if spread:
            yield from self.all_read(rest_of(node, self.why), indent)
        for origin in added_nothing(node, self.why):
            yield from self.remark(indent, "adds nothing", origin.span, origin.layer)
            yield from self.all_read(self.why.reads(origin, path=node.path), indent + _STEP)

    def names(self, reads: Reads, indent: int) -> Iterator[list[Piece]]:
        for one in reads.names:
            yield from self.remark(indent, f"reads {named(one)}", one.span)

    def facts(self, reads: Reads, indent: int) -> Iterator[list[Piece]]:
        for fact in reads.facts:
            text = f"reads {fact.table}.{fact.row}.{fact.field} = {fact_text(fact)}"
            yield from self.remark(indent, text, fact.span)
            if fact.because:
                yield from self.remark(indent + _STEP, f"because {fact.because}")
            if fact.shadowed is not None:
                old = fact.shadowed
                shadows = f"shadows {fact_text(old, ir.CORRECTED)}"
                yield from self.remark(indent + _STEP, shadows, old.span)

    def remark(
        self, indent: int, text: str, span: Span | None = None, layer: str = ""
    ) -> Iterator[list[Piece]]:
        yield from self.placed(
            [(" " * indent, Style.PLAIN)], text, span, f"{layer} " if self.detail and layer else "",
            Style.FAINT,
        )  # fmt: skip

    # --- rows ----------------------------------------------------------------------------

    def line(self, indent: int, head: list[Piece], text: str, node: Node) -> Iterator[list[Piece]]:
        layer = f"{node.origin.layer} " if self.detail and node.origin is not None else ""
        place = place_of(node, self.why)
        yield from self.placed([(" " * indent, Style.PLAIN), *head], text, place, layer)

    def placed(
        self, head: list[Piece], text: str, span: Span | None, before: str,
        style: Style = Style.PLAIN,
    ) -> Iterator[list[Piece]]:  # fmt: skip
        """*text* after *head*, wrapped, and the place of *span* at the right of its first row."""
        place = safe(before + self.sources.locate(span)) if span is not None else ""
        used = sum(cell_width(piece) for piece, _ in head)
        room = self.width - used - (cell_width(place) + 2 if place else 0)
        first, *rest = wrap(text, max(room, self.width // 3))
        gap = self.width - used - cell_width(first) - cell_width(place)
        if place and gap >= 2:
            yield [*head, (first, style), (" " * gap, Style.PLAIN), (place, Style.FAINT)]
        else:
            yield [*head, (first, style)]
            if place:
                blank = " " * max(self.width - cell_width(place), 0)
                yield [(blank, Style.PLAIN), (place, Style.FAINT)]
        for row in rest:
            yield [(" " * used + row, style)]

    def lines(self, text: str, indent: int, style: Style = Style.PLAIN) -> Iterator[list[Piece]]:
        """*text* line by line, unchanged, so that a script can be copied."""
        for row in text.removesuffix("\n").split("\n"):
            yield [(" " * indent, Style.PLAIN), (safe(row.expandtabs(TAB)), style)]


def _known(value: Value | Missing) -> Value:
    return "" if isinstance(value, Missing) else value


def _shown(node: Node) -> str:
    if isinstance(node.value, Missing):
        return ""
    if node.path == ("pin", "hash") and node.value is None:
        return "none yet"
    if node.path[0] in ("pin", "inputs", "files") and isinstance(node.value, str):
        return node.value
    return shown(node.value)


def _folded_text(axis: Node) -> str:
    """`sm103: Blackwell Ultra (B300, GB300), 19 facts`."""
    label = axis.child("label")
    name = shown(_known(axis.value))
    if label is not None and isinstance(label.value, str):
        name = f"{name}: {label.value}"
    return f"{name}, {counted(len(axis.children), 'fact')}" if axis.children else name


def _block_text(value: Value | Missing, *, always: bool = False) -> str | None:
    """The text of a value that is printed line by line; None for any other value."""
    if value is MISSING:
        return None
    text: str | None = None
    if isinstance(value, str):
        text = value
    elif isinstance(value, NixText):
        text = "".join(p if isinstance(p, str) else "{{" + shown(p) + "}}" for p in value.parts)
    if text is None or ("\n" not in text and not always):
        return None
    return text


# --- a path that a variant does not have ------------------------------------------------------


_LISTED = 20
_LONGEST = 200  # characters of a path that the message repeats


def absent(path: str, unknown: Unknown, why: Trace, sources: SourceMap) -> Diagnostic:
    """The reasons why the variant of *why* has no *path*. *unknown* says how far the path was
    found."""
    steps = tuple(steps_of(path))
    kept = list(why.kept_out(steps))
    if kept:
        return _kept_out(path, kept, sources)
    taken = list(why.taken_out(steps))
    return _taken_out(path, taken, sources) if taken else _unknown(path, unknown)


def _kept_out(path: str, kept: Sequence[tuple[Written, Held]], sources: SourceMap) -> Diagnostic:
    """The conditions that keep a setting out."""
    from tvarc.commands import messages as msg
    from tvarc.text.diagnostics.model import filled

    notes: list[str] = []
    for written, held in kept:
        asked = ", ".join(f"{text} = {show(value)}" for text, value in held.operands)
        notes.append(
            f"{written.whose} sets it ({sources.locate(written.write.span)}) "
            f"when {sources.text_of(held.span)}; here {asked}"
        )
        notes += [f"{named(one)} ({sources.locate(one.span)})" for one in held.reads.names]
        notes += [f"it reads {setting}" for setting in held.reads.settings]
    return filled(msg.selection.EXCLUDED, None, {"path": path}, notes=notes)


def _taken_out(path: str, taken: Sequence[Written], sources: SourceMap) -> Diagnostic:
    """The lines that removed all of a script."""
    from tvarc.commands import messages as msg
    from tvarc.text.diagnostics.model import filled

    notes: list[str] = []
    for written in taken:
        where = sources.locate(written.write.span)
        conditions = [sources.text_of(one.span) for one in written.write.conditions]
        under = f" when {' and '.join(conditions)}" if conditions else ""
        notes.append(f"{written.whose} removes it ({where}){under}")
    return filled(msg.selection.REMOVED, None, {"path": path}, notes=notes)


def _unknown(path: str, unknown: Unknown) -> Diagnostic:
    from tvarc.commands import messages as msg
    from tvarc.text.diagnostics.model import filled
    from tvarc.text.diagnostics.suggest import Guess

    known = [f"`{one}`" for one in unknown.known()]
    found = path_text(unknown.found.path)
    if len(known) > _LISTED:
        known[_LISTED:] = [f"and {len(known) - _LISTED} more"]
    return filled(
        msg.selection.NO_PATH,
        None,
        {
            "path": path if len(path) <= _LONGEST else path[:_LONGEST] + "…",
            "known": ", ".join(known),
            "without": "" if known else found,
            "guess": Guess(unknown.suggestion() or ""),
        },
    )
