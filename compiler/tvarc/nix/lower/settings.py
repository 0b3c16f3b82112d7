"""Lower decided settings to bindings: lists that add to the package's own list, scripts, records.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, BY_NAME, IN_PARTS, OF_PACKAGE, TEST, Block
from tvarc.light import TYPE_CHECKING, Final, Iterable, lru_cache, replace
from tvarc.nix import ir
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixCommented,
    NixExpr,
    NixHas,
    NixIdent,
    NixLambda,
    NixList,
    NixNot,
    NixRaw,
    NixSelect,
    NixSlot,
    NixString,
    bare,
    placed,
    walk,
    written_path,
)
from tvarc.nix.lower.context import Context, Traced
from tvarc.nix.lower.guards import guarded, lines_of, with_env
from tvarc.nix.lower.scopes import SCOPE
from tvarc.nix.lower.values import (
    OLD,
    apply_nix,
    asking,
    builtin,
    lower_value,
    name_filter,
    own_text,
    text_of,
    traced_text,
    words,
)
from tvarc.nix.nixpkgs import DEFAULTED, LISTS
from tvarc.values.value import NixCall, Record, Value

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines, Prov

EMPTY_LIST = NixList(())
EMPTY_ATTRS = NixAttrs(())


def own_path(path: ir.Path) -> ir.Path:
    """The path of the package's own value for a setting: an attribute, or in some blocks an
    attribute of the block."""
    block = BY_NAME.get(path[0])
    return path[1:] if block is not None and block.form == "attributes" else path


def bindings(
    settings: Iterable[ir.Setting], context: Context, own: NixExpr
) -> tuple[NixBinding, ...]:
    """One binding for each setting. *own* is the value that `+=` adds to, `old` or `prev`."""
    if context.traced is not None:
        return tuple(_traced_binding(s, context, own, context.traced) for s in settings)
    return tuple(NixBinding((s.key,), lower_setting(s, context, own), s.because) for s in settings)


def _traced_binding(
    setting: ir.Setting, context: Context, own: NixExpr, traced: Traced
) -> NixBinding:
    head = head_of(setting)
    # In a script, each part needs its own arguments.
    asked = 0 if setting.path[0] in IN_PARTS else head
    lowered = asking(context, asked, lambda inner: lower_setting(setting, inner, own))
    value = placed(lowered, traced.bit(setting.path), head)
    because = _reason(setting.because, head)
    opens = setting.prov.opens if setting.prov is not None else 0
    return placed(NixBinding((setting.key,), value, because), opens, head)


def _reason(because: str, lines: Lines) -> str:
    """The comment *because*, with its source lines: those of the conditions."""
    if not because:
        return because
    from tvarc.values.provenance import marked

    return marked(because, 0, lines)


def head_of(*settings: ir.Setting) -> Lines:
    """The first source lines of the writes of *settings*, with the lines of their conditions."""
    found = 0
    for setting in settings:
        if setting.prov is not None:
            found |= setting.prov.head
    return found


def lower_setting(setting: ir.Setting, context: Context, own: NixExpr) -> NixExpr:
    lowered = _lowered(setting, context, own)
    unknown = own == OLD and setting.path[0] == ATTRIBUTES and len(setting.path) == 2
    if not unknown or setting.structured or not _holds_set(setting):
        return lowered
    there = NixSelect(OLD, ("__structuredAttrs",), FALSE)
    name = f"{context.where}`{setting.key}`: the attributes of `"
    words = (name, _package_name(), "` are not structured, so its builder gets no set")
    return guarded(there, words, lowered)


def _holds_set(setting: ir.Setting) -> bool:
    """Whether *setting* is a set, or a list with one."""
    if setting.children is not None or _is_set(setting.value):
        return True
    return any(not one.spread and _is_set(one.value) for one in setting.elements or ())


def _is_set(value: Value) -> bool:
    return isinstance(value, Record) or (isinstance(value, tuple) and any(map(_is_set, value)))


def _lowered(setting: ir.Setting, context: Context, own: NixExpr) -> NixExpr:
    if setting.path[0] in IN_PARTS:
        return lower_parts(setting, context)
    if setting.children is not None:
        attrs = NixAttrs(bindings(setting.children, context, own))
        return _merged(attrs, setting, context, own)
    if isinstance(setting.value, Record):
        value = lower_value(setting.value, context, setting.prov)
        return _merged(value, setting, context, own) if setting.extends else value
    if setting.elements is None:
        return lower_value(setting.value, context, setting.prov)
    start: NixExpr | None = None
    if setting.extends:
        start = own_list(setting.path, context, own)
    elif setting.head is not None:
        start = lower_value(setting.head, context, _ground(setting))
    joined = [] if start is None else [_without(start, setting.removed, context)]
    joined += _joined(setting.elements, setting, context)
    if not joined:
        if setting.prov is None:
            return EMPTY_LIST
        # If no element is left, all lines that wrote the list made the empty list.
        return placed(EMPTY_LIST, setting.prov.all | setting.prov.head)
    whole = joined[-1]
    for one in reversed(joined[:-1]):  # `++` is right-associative in Nix
        whole = NixBinary("++", one, whole)
    of_package = own == OLD and setting.path[0] == ATTRIBUTES
    if setting.extends and of_package and setting.key in DEFAULTED:
        whole = _if_there(setting, whole, context)
    may_be_text = setting.path not in LISTS and setting.path != (ATTRIBUTES, "patches")
    if setting.extends and may_be_text and (setting.removed or own != OLD):
        return _if_list(setting, whole, context, own)
    return whole


def _ground(setting: ir.Setting) -> Prov | None:
    """The provenance of the list that only Nix knows and to which elements are added."""
    if setting.prov is None:
        return None
    from tvarc.values.provenance import Prov

    return Prov(setting.prov.own)


def _joined(
    elements: tuple[ir.Element, ...], setting: ir.Setting, context: Context
) -> list[NixExpr]:
    """The lists that are joined with `++`: runs of elements, and lists that only Nix knows."""
    found: list[NixExpr] = []
    run: list[ir.Element] = []
    said = setting.because
    for number, element in enumerate(elements):
        if not element.spread:
            run.append(element)
            continue
        if run:
            first = number - len(run)
            found.append(NixList(_elements(tuple(run), said, first, setting, context)))
            said, run = run[-1].because, []
        whole = lower_value(element.value, context, element.prov)
        if element.because and element.because not in (said, setting.because):
            because = _element_reason(element)
            commented = NixList((NixCommented(because, whole),))
            whole = apply_nix(builtin("concatLists"), commented)
        said = element.because
        found.append(_without(whole, element.removed, context))
    if run:
        first = len(elements) - len(run)
        found.append(NixList(_elements(tuple(run), said, first, setting, context)))
    return found


def own_list(path: ir.Path, context: Context, own: NixExpr) -> NixExpr:
    """The package's own list at *path*, or that of nixpkgs. The value in a package may be null,
    which counts as an empty list. It may also be a single value, which a builder treats as a list
    of one."""
    nothing = NixList((NixString(("out",)),)) if path == (ATTRIBUTES, "outputs") else EMPTY_LIST
    found = NixSelect(own, own_path(path), nothing)
    if own != OLD or path in LISTS:
        return found
    one_or_more = NixApply(context.library(("toList",)), found)
    return apply_nix(context.library(("remove",)), NULL, one_or_more)


def _if_list(setting: ir.Setting, body: NixExpr, context: Context, own: NixExpr) -> NixExpr:
    """*body*, guarded by a check of the value that *setting* adds to or removes from. Elements
    cannot be taken from a text, and an attribute of nixpkgs may have any value."""
    found = NixSelect(own, own_path(setting.path), EMPTY_LIST)
    if own == OLD:
        fits: NixExpr = NixNot(NixApply(builtin("isString"), found))
    else:
        fits = NixApply(builtin("isList"), found)
    how = "`-=` takes from a list" if setting.removed else "`+=` adds to a list"
    return guarded(fits, (*_found(setting, context, own), f"; {how}"), body)


def _if_there(setting: ir.Setting, body: NixExpr, context: Context) -> NixExpr:
    """*body*, guarded by a check that the package has a list of its own, and not only nixpkgs'
    default."""
    name = f"{context.where}`{setting.key}`: `"
    words = (
        name,
        _package_name(),
        "` has none of its own, but nixpkgs' default; write it with `=`",
    )
    return guarded(NixHas(OLD, own_path(setting.path)), words, body)


def _found(setting: ir.Setting, context: Context, own: NixExpr) -> tuple[str | NixExpr, ...]:
    """The beginning of a sentence that names the type of the value that *setting* changes."""
    path = own_path(setting.path)
    name = ".".join(path)
    kind = NixApply(builtin("typeOf"), NixSelect(own, path))
    if own != OLD:
        return f"{context.where}`{name}` of this nixpkgs is of the kind `", kind, "`"
    return f"{context.where}`{name}` of `", _package_name(), "` is of the kind `", kind, "`"


def _package_name() -> NixExpr:
    return NixSelect(OLD, ("name",), NixSelect(OLD, ("pname",)))


def _merged(value: NixExpr, setting: ir.Setting, context: Context, own: NixExpr) -> NixExpr:
    if not setting.extends:
        return value
    path = own_path(setting.path)
    found = NixSelect(own, path, EMPTY_ATTRS)
    whole = NixBinary("//", found, value)
    condition: NixExpr = NixApply(builtin("isAttrs"), found)
    what = "a set"
    if setting.path[0] == ATTRIBUTES and own == OLD:
        # If the attribute is a package, the builder gets only its path.
        condition = NixBinary("&&", condition, NixNot(NixHas(own, (*path, "outPath"))))
        what = "a set that is no package"
    return guarded(
        condition, (*_found(setting, context, own), f"; keys are added to {what}"), whole
    )


def _elements(
    elements: tuple[ir.Element, ...], said: str, first: int, setting: ir.Setting, context: Context
) -> tuple[NixExpr | NixCommented, ...]:
    """The elements of a list. *first* is the number of the first one. Neighbours with the same
    reason have one comment, above the first of them. *said* is the reason of the element before."""
    lowered: list[NixExpr | NixCommented] = []
    for number, element in enumerate(elements, first):
        value = lower_value(element.value, context, element.prov)
        if context.traced is not None:
            value = placed(value, context.traced.bit((*setting.path, str(number))))
        new = element.because and element.because not in (said, setting.because)
        lowered.append(NixCommented(_element_reason(element), value) if new else value)
        said = element.because
    return tuple(lowered)


def _element_reason(element: ir.Element) -> str:
    prov = element.prov
    return element.because if prov is None else _reason(element.because, prov.all | prov.head)


def _without(start: NixExpr, removed: tuple[ir.Element, ...], context: Context) -> NixExpr:
    plain: list[NixExpr] = []
    for element in removed:
        value = element.value
        if isinstance(value, NixCall) and value.function == "pname":
            pattern = value.arguments[0][1]
            assert isinstance(pattern, str)
            start = name_filter(pattern, start)
            if element.prov is not None:
                start = placed(start, 0, element.prov.all)
        else:
            plain.append(lower_value(value, context, element.prov))
    if plain:
        found = apply_nix(builtin("elem"), NixIdent("x"), NixList(tuple(plain)))
        start = apply_nix(builtin("filter"), NixLambda("x", NixNot(found)), start)
    return start


def lower_parts(setting: ir.Setting, context: Context) -> NixExpr:
    """The parts of a script, joined. The package's own script keeps its place among them. If the
    lines of the source are asked for, each line has its provenance and its number."""
    traced = context.traced
    pieces: list[NixExpr] = []
    run: list[str | NixExpr] = []
    lines: list[Lines] = [0]  # of the run, if the lines are asked for
    number = 1
    for part in (*setting.parts, None):
        if part is None or part.text is None:
            if run or (part is None and not pieces):
                text = text_of(run)
                pieces.append(text if traced is None else placed(text, 0, 0, tuple(lines)))
                run, lines = [], [0]
            if part is not None:
                pieces.append(own_text(own_path(setting.path), context))
            continue
        if traced is None:
            lowered = lower_value(part.text, context)
            assert isinstance(lowered, NixString)
            run.extend(lowered.parts)
            continue
        assert part.prov is not None
        text = traced_text(part.text, context, part.prov)
        run.extend(text.parts)
        first, *more = text.places.lines if text.places is not None else (0,)
        for at, made in enumerate((first, *more)):
            # Most parts end with a line end. The text after it belongs to the next part.
            ends = at == len(more) and at and not made
            named = 0 if ends else traced.bit((*setting.path, f":{number + at}"))
            if at:
                lines.append(made | named)
            else:
                lines[-1] |= made | named
        number += len(more) + (0 if more and not more[-1] else 1)
    whole = pieces[0]
    for piece in pieces[1:]:
        whole = NixBinary("+", whole, piece)
    return whole


def changed_package(
    package: NixExpr, changes: ir.Changes, context: Context, *, of_file: bool = False
) -> NixExpr:
    """`(package.override { … }).overrideAttrs (old: { … })`, with each call only if it is needed.
    It is guarded if the package may be missing, or may lack these methods. With *of_file*, the
    package is a function, which takes the arguments directly."""
    changed = package
    methods: list[str] = []
    traced = context.traced is not None
    if changes.args or of_file:
        args = NixAttrs(_slot_or(changes.args, "args", context)) if changes.args else EMPTY_ATTRS
        args = placed(args, 0, heads_in("args", changes.args, context)) if traced else args
        if of_file:
            package = changed = NixApply(changed, args)
    if changes.args and not of_file:
        changed = apply_nix(NixSelect(changed, ("override",)), args)
        methods.append("override")
    entries = attribute_bindings(changes, context)
    if entries:
        body = NixAttrs(entries)
        old = context.slots.old if context.slots is not None else mentions_old([body])
        function = NixLambda("old" if old else "_", body)
        function = placed(function, 0, heads_of(changes, context)) if traced else function
        changed = apply_nix(NixSelect(changed, ("overrideAttrs",)), function)
        methods.append("overrideAttrs")
    tests = changes.of(TEST)
    if tests:
        from tvarc.nix.lower.tests import with_tests

        lines = heads_in(TEST, tests, context) if traced else 0
        changed = with_tests(changed, _slot_or(tests, TEST, context), context, lines)
        methods = list(dict.fromkeys((*methods, "overrideAttrs")))
    lines = 0
    if traced:
        lines = heads_of(changes, context) | heads_in("args", changes.args, context)
    return changeable(package, tuple(methods), changed, context, lines)


def heads_in(block: str, settings: tuple[ir.Setting, ...], context: Context) -> Lines:
    """The first source lines of the *settings* of a block."""
    if context.slots is not None and block in context.slots.blocks:
        return context.slots.head(block)
    return head_of(*settings)


def heads_of(changes: ir.Changes, context: Context) -> Lines:
    """The first source lines of the changes of a package's attributes."""
    found = 0
    for block in _OF_ATTRIBUTES:
        found |= heads_in(block.name, changes.of(block.name), context)
    return found


def changeable(
    package: NixExpr,
    methods: tuple[str, ...],
    changed: NixExpr,
    context: Context,
    lines: Lines = 0,
) -> NixExpr:
    """*changed*, guarded by a check that *package* has these *methods*. The code from *lines* needs
    them."""
    made = 0
    if package.places is not None:
        made = package.places.made
        package = bare(package)
    path: tuple[str, ...] | None
    if isinstance(package, NixSelect) and package.default is None:
        base, path = package.base, written_path(package.path)
    elif isinstance(package, NixIdent):
        base, path = package, ()
    else:
        return changed  # it is the user's own Nix
    if not methods or path is None or not isinstance(base, NixIdent):
        return changed
    if context.scope is not None and base == SCOPE:
        # The guard reports a missing package, so callPackage need not.
        context.scope.required.discard(path[0])
        context.scope.optional.add(path[0])
    conditions: NixExpr = NixHas(base, (*path, methods[0]))
    for method in methods[1:]:
        conditions = NixBinary("&&", conditions, NixHas(base, (*path, method)))
    name = ".".join((*context.owner, *path)) or base.name
    how = " and ".join(f"`.{method}`" for method in methods)
    words = f"{context.where}this nixpkgs has no package `{name}` with {how}"
    if not made:
        return guarded(conditions, (words,), changed, lines_of(context, lines))
    thrown = placed(NixString((words,)), made)
    return guarded(placed(conditions, made), thrown, changed, lines_of(context, lines | made))


_OF_ATTRIBUTES: Final = tuple(
    [block for block in OF_PACKAGE if block.form not in ("override", "tests")]
)
"""The blocks that are emitted in `overrideAttrs`, in the order that they have there."""


def attribute_bindings(changes: ir.Changes, context: Context) -> tuple[NixBinding | NixSlot, ...]:
    """The attributes that `overrideAttrs` sets. A block with a set of its own is one attribute."""
    entries: list[NixBinding | NixSlot] = []
    for block in _OF_ATTRIBUTES:
        settings = changes.of(block.name)
        if is_flat(block, context):
            entries += _slot_or(settings, block.name, context)
        elif settings:
            entries.append(_set(block, settings, context))
    return tuple(entries)


def is_flat(block: Block, context: Context) -> bool:
    """Whether the settings of *block* are attributes, and not in a set of their own. They are also
    attributes in a nixpkgs that does not have the set yet."""
    before = bool(block.since) and context.age.knows(block.since) is False
    return block.form == "attributes" or before


def _slot_or(
    settings: tuple[ir.Setting, ...], block: str, context: Context
) -> tuple[NixBinding | NixSlot, ...]:
    """The bindings of a block, or its slot."""
    return (NixSlot(block),) if context.in_slot(block) else block_bindings(block, settings, context)


def block_bindings(
    name: str, settings: Iterable[ir.Setting], context: Context
) -> tuple[NixBinding, ...]:
    """One binding for each of the *settings* of the block *name*."""
    settings = in_order(name, settings)
    return tuple([block_binding(setting, context) for setting in settings])


def in_order(block: str, settings: Iterable[ir.Setting]) -> list[ir.Setting]:
    """The settings of a block in the order of emission. Scripts have the order in which stdenv runs
    them."""
    if BY_NAME[block].in_parts:
        return sorted(settings, key=lambda script: phase_order(script.key))
    return list(settings)


def block_binding(setting: ir.Setting, context: Context) -> NixBinding:
    """The binding of a setting in its block."""
    block = BY_NAME[setting.path[0]]
    if block.since and is_flat(block, context):
        return _flat_binding(setting, context)
    if block.form == "tests":
        from tvarc.nix.lower.tests import test_binding

        return test_binding(setting, context, bindings)
    return bindings((setting,), context, OLD)[0]


def _flat_binding(setting: ir.Setting, context: Context) -> NixBinding:
    """A setting as an attribute, because this nixpkgs does not have the set of its block."""
    plain = replace(setting, path=(ATTRIBUTES, *setting.path[1:]))
    if context.traced is None:
        return bindings((plain,), context, OLD)[0]
    head = head_of(setting) | context.traced.age
    value = placed(lower_setting(plain, context, OLD), context.traced.bit(setting.path), head)
    because = _reason(setting.because, head)
    opens = setting.prov.opens if setting.prov is not None else 0
    return placed(NixBinding((setting.key,), value, because), opens, head)


# The phases in the order in which stdenv runs them.
_PHASES = (
    "unpack",
    "patch",
    "configure",
    "build",
    "check",
    "install",
    "fixup",
    "installCheck",
    "dist",
)


@lru_cache(maxsize=256)
def phase_order(name: str) -> tuple[int, int]:
    """The group of a script, and its place in the group. Scripts that belong to no phase are last,
    and keep their order."""
    for place, (before, during, after) in enumerate(
        (f"pre{p[0].upper()}{p[1:]}", f"{p}Phase", f"post{p[0].upper()}{p[1:]}") for p in _PHASES
    ):
        if name in (before, during, after):
            return place, (before, during, after).index(name)
    return len(_PHASES), 0


def _set(block: Block, settings: tuple[ir.Setting, ...], context: Context) -> NixBinding:
    """The set of a block, with *settings* added to the package's own."""
    name, traced = block.name, context.traced
    attrs = NixAttrs(_slot_or(settings, name, context))
    value: NixExpr = NixBinary("//", NixSelect(OLD, (name,), EMPTY_ATTRS), attrs)
    head = lines = 0
    if traced is not None:
        lines = heads_in(name, settings, context)
        head = lines | (traced.age if block.since else 0)
        value = placed(value, 0, head)
    if block.since:
        value = with_env(value, context, lines)
    made = NixBinding((name,), value)
    return placed(made, 0, head) if traced is not None else made


def mentions_old(nodes: Iterable[NixExpr]) -> bool:
    """Whether emitted Nix refers to `old`, also in Nix text of the user."""
    return mentions(nodes, OLD)


def words_of(nodes: Iterable[NixExpr]) -> set[str]:
    """The identifiers in Nix text of the user, including words of its strings and comments."""
    found: set[str] = set()
    for node in walk(nodes):
        if isinstance(node, NixRaw):
            found |= words(" {} ".join([part for part in node.parts if isinstance(part, str)]))
    return found


def mentions(nodes: Iterable[NixExpr], name: NixIdent) -> bool:
    """Whether emitted Nix refers to *name*, also in Nix text of the user."""
    for node in walk(nodes):
        if isinstance(node, NixIdent) and node.name == name.name:
            return True
        if isinstance(node, NixRaw) and any(
            name.name in part for part in node.parts if isinstance(part, str)
        ):
            return True
    return False
