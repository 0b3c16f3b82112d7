"""A decided variant as a tree: every block, setting, element and part with its path. `explain`
shows this tree as text or data, and looks up the paths of the command line in it."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, CONFIG, IN_PARTS, OF_PACKAGE, OF_SYSTEMS
from tvarc.light import Callable, Iterable, Iterator, Literal, Mapping, Sequence, dataclass
from tvarc.nix import ir
from tvarc.nix.taken_inputs import inputs_of
from tvarc.text.source import Span
from tvarc.values.reads import ElementStep, Steps
from tvarc.values.value import (
    MISSING,
    NONE,
    Fact,
    Late,
    Missing,
    NixCall,
    NixRef,
    NixText,
    NixValue,
    PathValue,
    Record,
    RowValue,
    Value,
    identity,
    is_nix,
    show,
    show_pieces,
)


def fields_of(source: NixCall) -> tuple[tuple[str, Value], ...]:
    """The properties of the input *source* besides its name: its place, its commit, its hash."""
    return tuple(
        (name, value.file if isinstance(value, PathValue) else value)
        for name, value in source.arguments
        if name != "name"
    )


def shown(value: Value) -> str:
    """The text of *value*, with the names of inputs. Their sources are shown elsewhere."""
    return show(by_name(value))


def shown_pieces(value: Value) -> Iterator[str | Late]:
    """The text that `shown` returns, and the late parts in it."""
    return show_pieces(by_name(value))


def by_name(value: Value) -> Value:
    """*value* with the names of inputs instead of their sources."""
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
            return NixText(tuple(map(_part_by_name, value.parts)))
        case _:
            return value


def _part_by_name(part: str | NixValue) -> str | NixValue:
    made = by_name(part)
    assert isinstance(made, str) or is_nix(made)
    return made


NodeKind = Literal[
    "variant",
    "block",
    "axis",
    "fact",
    "pin",
    "input",
    "overlay",
    "setting",
    "element",
    "removed",
    "unset",
    "script",
    "part",
    "line",
    "plain",
    "need",
]


@dataclass(frozen=True, slots=True)
class Node:
    """One part of a variant, which has the `path` (`attrs`, `cmakeFlags`, `1`). `value` is MISSING
    for a node that has only children. `extends` says that the package's own value comes first. An
    `unset` node is a setting that `none` took out. `declared` is the place of what has no origin of
    its own. `line` is the number, from 0, of a script's line in its part. `steps` lead from the
    outermost list that was written at its origin to what stands in it; None where that is not
    known.
    """

    kind: NodeKind
    path: tuple[str, ...]
    value: Value | Missing = MISSING
    origin: ir.Origin | None = None
    declared: Span | None = None
    because: str = ""
    shadowed: tuple[ir.Shadowed, ...] = ()
    children: tuple[Node, ...] = ()
    extends: bool = False
    head: Value | Missing = MISSING
    of: str = ""
    line: int = -1
    steps: Steps | None = ()

    @property
    def label(self) -> str:
        return self.path[-1] if self.path else ""

    @property
    def span(self) -> Span | None:
        return self.origin.span if self.origin is not None else self.declared

    def child(self, step: str) -> Node | None:
        for node in self.children:
            if node.label == step:
                return node
        return None

    def walk(self) -> Iterator[Node]:
        """This node and all nodes below it, in order."""
        yield self
        for node in self.children:
            yield from node.walk()


NIX_LIST = "a list that only Nix knows"


class SharedNodes:
    """The nodes that many recipes share, such as a setting that is decided once. Each is made once,
    for a page of thousands of variants."""

    __slots__ = ("_ids", "_nodes")

    def __init__(self) -> None:
        # A node keeps its sources alive, so an identity belongs to one thing.
        self._nodes: dict[tuple[int, tuple[str, ...]], tuple[object, Node]] = {}
        self._ids: set[int] = set()

    def node(self, thing: object, path: tuple[str, ...], make: Callable[[], Node]) -> Node:
        """The node of *thing* at *path*. *make* makes it the first time."""
        key = (id(thing), path)
        known = self._nodes.get(key)
        if known is None:
            known = self._nodes[key] = (thing, make())
            self._ids.add(id(known[1]))
            self._ids.update([id(one) for one in known[1].children if one.kind == "part"])
        return known[1]

    def __contains__(self, node: Node) -> bool:
        """Whether recipes may share *node*."""
        return id(node) in self._ids


def recipe_tree(
    recipe: ir.Recipe,
    inputs: Mapping[str, Span] | None = None,
    shared: SharedNodes | None = None,
    paths: Sequence[str | NixText] | None = None,
) -> Node:
    """The tree of *recipe*; blocks in which nothing is written are left out. *inputs* has the
    places where the inputs of the program are declared, None if they are unknown. *shared* has the
    nodes of other recipes. *paths* are the paths of its files, if these have late parts."""
    shared = shared or SharedNodes()
    span, frame, pin = recipe.matrix_span, recipe.frame, ("pin",)
    blocks = (
        shared.node(
            span, ("matrix",), lambda: Node("plain", ("matrix",), recipe.matrix, declared=span)
        ),
        shared.node(
            recipe.recipes, ("recipe",), lambda: Node("plain", ("recipe",), recipe.recipes)
        ),
        Node("block", ("axes",), children=tuple(_axis(axis, shared) for axis in recipe.axes)),
        _settings_block(("flags",), recipe.flags, shared),
        shared.node(frame, pin, lambda: _pin(recipe.pin, recipe.pin_choice)),
        *[
            _settings_block((one,), recipe.pin.of(one) if recipe.pin else (), shared)
            for one in OF_SYSTEMS
        ],
        _settings_block((CONFIG,), recipe.config, shared, recipe.unset_config),
        shared.node(frame, ("overlays",), lambda: _overlays(frame, shared)),
        Node("block", ("inputs",), children=tuple(_inputs(recipe, inputs))),
        Node("block", ("needs",), children=tuple(_need(one, shared) for one in recipe.needs)),
        *_scope(recipe, shared),
        _shared_setting(recipe.package, ("package",), shared),
        *_changes((), recipe.changes, shared),
        Node("block", ("files",), children=tuple(_files(recipe, shared, paths))),
    )
    kept = tuple(node for node in blocks if not _is_empty(node))
    return Node("variant", (), recipe.variant, declared=span, children=kept)


def _overlays(frame: ir.Frame, shared: SharedNodes) -> Node:
    listed = frame.overlay_list
    return Node(
        "block",
        ("overlays",),
        origin=listed.origin if listed is not None else None,
        shadowed=listed.shadowed if listed is not None else (),
        children=tuple(_overlay(one, shared) for one in frame.overlays),
    )


def _is_empty(node: Node) -> bool:
    """Whether *node* is a block in which nothing is written."""
    return not node.children and node.value is MISSING and node.kind != "unset"


def _scope(
    recipe: ir.Recipe, shared: SharedNodes, base: tuple[str, ...] = ()
) -> tuple[Node, ...]:
    """The package set of the recipe's scope, if it states one."""
    path = (*base, "scope")
    if recipe.unset_scope is not None:
        return (_unset(recipe.unset_scope, path),)
    return (_shared_setting(recipe.scope, path, shared),) if recipe.scope is not None else ()


def _need(need: ir.Need, shared: SharedNodes, base: tuple[str, ...] = ()) -> Node:
    """The needs: a variant by its name, another recipe with all its settings."""
    setting, path = need.setting, (*base, "needs", need.name)
    if need.linked is not None:
        linked = need.linked
        how = "by argument, of" if linked.argument else "of"
        return Node(
            "need", path, linked.variant, setting.origin, because=setting.because,
            shadowed=setting.shadowed, of=f"{how} matrix {linked.matrix}",
        )  # fmt: skip
    if need.recipe is None:
        return _setting(setting, path)
    recipe = need.recipe
    overlays = tuple(_overlay(one, shared, path) for one in recipe.overlays)
    needs = tuple([_need(one, shared, path) for one in recipe.needs])
    inner = [
        _pin(recipe.pin, recipe.pin_choice, path),
        _settings_block((*path, CONFIG), recipe.config, shared),
        Node("block", (*path, "overlays"), children=overlays),
        Node("block", (*path, "needs"), children=needs),
        *_scope(recipe, shared, path),
        _shared_setting(recipe.package, (*path, "package"), shared),
        *_changes(path, recipe.changes, shared),
    ]
    return Node(
        "need", path, recipe.recipes[-1], setting.origin, because=setting.because,
        shadowed=setting.shadowed, of="a recipe, decided for this cell",
        children=tuple(node for node in inner if not _is_empty(node)),
    )  # fmt: skip


def _changes(
    base: tuple[str, ...], changes: ir.Changes, shared: SharedNodes
) -> Iterator[Node]:
    for block in OF_PACKAGE:
        settings = changes.of(block.name)
        yield _settings_block((*base, block.name), settings, shared, changes.unset)


def _settings_block(
    path: tuple[str, ...],
    settings: Iterable[ir.Setting],
    shared: SharedNodes,
    unset: Iterable[ir.Setting] = (),
) -> Node:
    """A block, with the settings of *unset* that belong to it."""
    own = [one for one in unset if one.path[0] == path[-1]]

    def made() -> Node:
        nodes = [_shared_setting(one, (*path, one.key), shared) for one in settings]
        nodes += [_shared_unset(one, (*path, one.key), shared) for one in own]
        return Node("block", path, children=tuple(nodes))

    return made() if own else shared.node(settings, path, made)


def _shared_setting(setting: ir.Setting, path: tuple[str, ...], shared: SharedNodes) -> Node:
    return shared.node(setting, path, lambda: _setting(setting, path))


def _shared_unset(setting: ir.Setting, path: tuple[str, ...], shared: SharedNodes) -> Node:
    return shared.node(setting, path, lambda: _unset(setting, path))


def node_of(setting: ir.Setting) -> Node:
    """The node of *setting*, which changes the package or is unset there."""
    of = _unset if setting.value is NONE else _setting
    return of(setting, setting.path)


def _unset(setting: ir.Setting, path: tuple[str, ...]) -> Node:
    """A setting, or a key of a record, that `none` removed."""
    inner = tuple(_unset(one, (*path, one.key)) for one in setting.unset)
    return Node(
        "unset", path, origin=setting.origin, because=setting.because, shadowed=setting.shadowed,
        children=inner,
    )  # fmt: skip


def _axis(axis: ir.AxisValue, shared: SharedNodes) -> Node:
    path = ("axes", axis.axis)
    return shared.node(axis.value, path, lambda: _axis_node(axis, path))


def _axis_node(axis: ir.AxisValue, path: tuple[str, ...]) -> Node:
    # Facts that a row leaves out are null, and are not shown.
    facts: tuple[Node, ...] = ()
    table = ""
    if isinstance(axis.value, RowValue):
        table = axis.value.table.rpartition("::")[2]
        facts = tuple(
            Node(
                "fact", (*path, name), fact.value, declared=fact.span, because=fact.because,
                shadowed=_corrected(fact, table),
            )
            for name, fact in axis.value.facts.items()
            if fact.value is not None or fact.shadowed is not None
        )  # fmt: skip
    return Node("axis", path, axis.value, declared=axis.declared, children=facts, of=table)


def _corrected(fact: Fact, table: str) -> tuple[ir.Shadowed, ...]:
    """The fact that *table* had before a program corrected it."""
    old = fact.shadowed
    if old is None:
        return ()
    return (ir.Shadowed("=", old.value, ir.Origin(old.span, f"facts {table}"), ir.CORRECTED),)


def _files(
    recipe: ir.Recipe, shared: SharedNodes, paths: Sequence[str | NixText] | None
) -> Iterator[Node]:
    for place, (name, file) in enumerate(recipe.files):
        span = recipe.outputs[place] if place < len(recipe.outputs) else None
        yield _shared_file(name, paths[place] if paths is not None else file, span, shared)


def _shared_file(name: str, file: str | NixText, span: Span | None, shared: SharedNodes) -> Node:
    origin = ir.Origin(span, name) if span is not None else None
    path = ("files", name)
    return shared.node(file, path, lambda: Node("plain", path, file, origin))


def _pin(pin: ir.Pin | None, choice: ir.Setting | None, base: tuple[str, ...] = ()) -> Node:
    shadowed, path = choice.shadowed if choice is not None else (), (*base, "pin")
    if pin is None:
        origin = choice.origin if choice is not None else None
        return Node("pin", path, "none: callPackage fills the arguments", origin, shadowed=shadowed)
    place: tuple[tuple[str, Value], ...] = (("url", pin.url), ("rev", pin.rev), ("hash", pin.hash))
    if pin.path:  # the contents of a folder are not known
        place = (("path", pin.path),)
    fields = (*place, ("release", pin.release), ("date", pin.date))
    # If the address is not written, it is computed from the fields that are.
    written = {"url": dict(pin.fields).get("rev"), **dict(pin.fields)}
    children = tuple(
        Node("plain", (*path, name), value, written.get(name), declared=pin.declared)
        for name, value in fields
        if value != ""
    )
    origin = choice.origin if choice is not None else None
    return Node(
        "pin", path, pin.name, origin, declared=pin.declared, shadowed=shadowed,
        children=children,
    )  # fmt: skip


def _inputs(recipe: ir.Recipe, declared: Mapping[str, Span] | None) -> Iterator[Node]:
    if declared is not None and not declared:  # searching for them takes long
        return
    for name, source in inputs_of(recipe).items():
        path = ("inputs", name)
        place = declared.get(name) if declared is not None else None
        children = tuple(
            Node("plain", (*path, field), value, declared=place)
            for field, value in fields_of(source)
        )
        yield Node("input", path, declared=place, children=children)


def _overlay(overlay: ir.Overlay, shared: SharedNodes, base: tuple[str, ...] = ()) -> Node:
    path = (*base, "overlays", overlay.name)
    fields = (
        tuple(_shared_setting(one, (*path, one.key), shared) for one in overlay.patch)
        if overlay.patch
        else tuple(_overlay_changes(path, overlay.changes, shared))
    )
    target = ".".join(overlay.target)
    of = f"{overlay.relation} {target}" if overlay.relation else ""
    if overlay.patch:
        of = f"patch {of}"
    if overlay.via:
        of = f"{of} via {overlay.via}".strip()
    if overlay.until is not None:
        package = ".".join(overlay.until.package)
        of = f"{of} until {package} >= {overlay.until.version}".strip()
    return Node(
        "overlay", path, origin=overlay.listed, declared=overlay.declared,
        because=overlay.because, children=fields, of=of,
    )  # fmt: skip


def _overlay_changes(
    path: tuple[str, ...], changes: ir.Changes, shared: SharedNodes
) -> Iterator[Node]:
    """In an overlay, attributes do not have the name of their block."""
    for one in changes.attrs:
        yield _shared_setting(one, (*path, one.key), shared)
    for one in changes.unset:
        if one.path[0] == ATTRIBUTES:
            yield _unset(one, (*path, one.key))
    for block in _changes(path, changes, shared):
        if block.children and block.label != ATTRIBUTES:
            yield block


def _setting(setting: ir.Setting, path: tuple[str, ...]) -> Node:
    if setting.path[0] in IN_PARTS:
        return Node("script", path, children=tuple(_inner(setting, path)))
    return Node(
        "setting", path, setting.value, setting.origin, because=setting.because,
        shadowed=setting.shadowed, children=tuple(_inner(setting, path)),
        extends=setting.extends,
        head=MISSING if setting.head is None else setting.head,
    )  # fmt: skip


def _inner(setting: ir.Setting, path: tuple[str, ...]) -> Iterator[Node]:
    if setting.children is not None:
        for child in setting.children:
            yield _setting(child, (*path, child.key))
        for child in setting.unset:
            yield _unset(child, (*path, child.key))
    elif setting.parts or setting.taken:
        yield from _parts(setting.parts, setting.taken, path)
    elif setting.elements is not None:
        told = _Equal()
        for index, element in enumerate(setting.elements):
            step = told.step(element.value, element.origin)
            yield _element("element", element, (*path, str(index)), (step,))
        removed = [*setting.removed]
        for element in setting.elements:
            removed += [one for one in element.removed if one not in removed]
        for index, element in enumerate(removed):
            yield _element("removed", element, (*path, f"-{index}"), None)
    else:
        yield from _of_value(setting.value, setting.origin, path, ())


def _element(
    kind: Literal["element", "removed"],
    element: ir.Element,
    path: tuple[str, ...],
    steps: Steps | None,
) -> Node:
    inner = tuple(_of_value(element.value, element.origin, path, steps))
    return Node(
        kind, path, element.value, element.origin, because=element.because, children=inner,
        of=NIX_LIST if element.spread else "", steps=steps,
    )  # fmt: skip


class _Equal:
    """Counts the equal elements of one origin."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[object, int] = {}

    def step(self, value: Value, origin: ir.Origin) -> ElementStep:
        """The step to the next one that is *value*."""
        key = (origin.span, identity(value))
        count = self._seen.get(key, 0)
        self._seen[key] = count + 1
        return ElementStep(value, count)


def _of_value(
    value: Value, origin: ir.Origin, path: tuple[str, ...], steps: Steps | None
) -> Iterator[Node]:
    """The parts of a value that one expression wrote, so that all have the same origin. *steps* are
    the steps of the value itself."""
    if isinstance(value, Record):
        for key, item in value:
            within = (*steps, key) if steps else steps
            inner = tuple(_of_value(item, origin, (*path, key), within))
            yield Node("setting", (*path, key), item, origin, children=inner, steps=within)
    elif isinstance(value, tuple):
        told = _Equal()
        for index, item in enumerate(value):
            place = (*path, str(index))
            within = (*steps, told.step(item, origin)) if steps is not None else None
            inner = tuple(_of_value(item, origin, place, within))
            yield Node("element", place, item, origin, children=inner, steps=within)


def _parts(
    parts: Iterable[ir.Part], removed: Iterable[ir.Part], path: tuple[str, ...]
) -> Iterator[Node]:
    unnamed = 0
    for part in parts:
        name = part.name
        if name is None:
            unnamed += 1
            name = f"+{unnamed}"
        yield _part(part, (*path, name))
    for part in removed:
        step = (*path, part.name or "")
        yield Node("removed", step, origin=part.origin, shadowed=part.shadowed)


def _part(part: ir.Part, path: tuple[str, ...]) -> Node:
    text: str | NixText | Missing = MISSING if part.text is None else part.text
    return Node("part", path, text, part.origin, shadowed=part.shadowed)


def element_nodes(node: Node) -> tuple[Node, ...]:
    """The elements of a list: those of a fact too, and the overlays in their order."""
    if node.kind == "fact" and isinstance(node.value, tuple):
        return tuple(
            Node("element", (*node.path, str(index)), item, declared=node.declared)
            for index, item in enumerate(node.value)
        )
    return tuple(child for child in node.children if child.kind in ("element", "overlay"))


def line_nodes(node: Node) -> tuple[Node, ...]:
    """The lines of a script or a part of it that recipes write, or of a text of several lines; none
    for other nodes."""
    in_parts = any(child.kind == "part" for child in node.children)
    parts = node.children if node.kind == "script" or in_parts else (node,)
    found: list[Node] = []
    for part in parts:
        if isinstance(part.value, Missing) or not (part.kind == "part" or _is_lines(part)):
            continue
        for number, text in enumerate(script_text(part.value).removesuffix("\n").split("\n")):
            path = (*node.path, f":{len(found) + 1}")
            found.append(
                Node(
                    "line", path, text, part.origin, shadowed=part.shadowed,
                    of=part.label if part.kind == "part" else "", line=number,
                )
            )  # fmt: skip
    return tuple(found)


def _is_lines(node: Node) -> bool:
    """Whether *node* is a setting whose value is a text of several lines."""
    text = node.value
    return node.kind == "setting" and isinstance(text, str | NixText) and "\n" in script_text(text)


def script_text(value: Value) -> str:
    """The text of a part; values that only Nix knows are in the form of the language."""
    return "".join(["…" if isinstance(one, Late) else one for one in script_pieces(value)])


def script_pieces(value: Value) -> list[str | Late]:
    """The text that `script_text` returns, and the late parts in it."""
    if isinstance(value, NixText):
        return [p if isinstance(p, str | Late) else "{{" + shown(p) + "}}" for p in value.parts]
    return [value] if isinstance(value, str) else [*shown_pieces(value)]
