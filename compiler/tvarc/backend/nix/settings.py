"""Lower decided settings to bindings: lists that add to the package's own, scripts, records."""

from __future__ import annotations

from tvarc import ir
from tvarc.backend.nix.context import Context
from tvarc.backend.nix.syntax import (
    NixAttrs,
    NixBinary,
    NixBinding,
    NixCommented,
    NixExpr,
    NixIdent,
    NixLambda,
    NixList,
    NixNot,
    NixSelect,
    NixSlot,
    NixString,
)
from tvarc.backend.nix.values import (
    OLD,
    apply_nix,
    builtin,
    lower_text,
    lower_text_parts,
    lower_value,
    name_filter,
)
from tvarc.light import Iterable
from tvarc.values import NixCall, NixText, Record

EMPTY_LIST = NixList(())
EMPTY_ATTRS = NixAttrs(())


def own_path(path: ir.Path) -> ir.Path:
    """Where the package itself keeps a setting: attributes bare, the other blocks by name."""
    return path[1:] if path[0] == "attrs" else path


def bindings(
    settings: Iterable[ir.Setting], context: Context, own: NixExpr
) -> tuple[NixBinding, ...]:
    """One binding a setting; *own* is what `+=` adds to (`old`, `prev`)."""
    return tuple(NixBinding((s.key,), lower_setting(s, context, own), s.because) for s in settings)


def lower_setting(setting: ir.Setting, context: Context, own: NixExpr) -> NixExpr:
    if setting.children is not None:
        attrs = NixAttrs(bindings(setting.children, context, own))
        return _merged(attrs, setting, own)
    if isinstance(setting.value, Record):
        value = lower_value(setting.value, context)
        return _merged(value, setting, own) if setting.extends else value
    if setting.elements is None:
        return lower_value(setting.value, context)
    items = NixList(_elements(setting.elements, setting, context))
    if setting.extends:
        start: NixExpr = NixSelect(own, own_path(setting.path), EMPTY_LIST)
    elif setting.head is not None:
        start = lower_value(setting.head, context)
    else:
        return items
    start = _without(start, setting.removed, context)
    return NixBinary("++", start, items) if items.items else start


def _merged(value: NixExpr, setting: ir.Setting, own: NixExpr) -> NixExpr:
    if not setting.extends:
        return value
    return NixBinary("//", NixSelect(own, own_path(setting.path), EMPTY_ATTRS), value)


def _elements(
    elements: tuple[ir.Element, ...], setting: ir.Setting, context: Context
) -> tuple[NixExpr | NixCommented, ...]:
    """The elements of a list. Neighbours of one reason have one comment, above the first."""
    lowered: list[NixExpr | NixCommented] = []
    said = setting.because
    for element in elements:
        value = lower_value(element.value, context)
        new = element.because and element.because not in (said, setting.because)
        lowered.append(NixCommented(element.because, value) if new else value)
        said = element.because
    return tuple(lowered)


def _without(start: NixExpr, removed: tuple[ir.Element, ...], context: Context) -> NixExpr:
    plain: list[NixExpr] = []
    for element in removed:
        value = element.value
        if isinstance(value, NixCall) and value.function == "pname":
            pattern = value.arguments[0][1]
            assert isinstance(pattern, str)
            start = name_filter(pattern, start)
        else:
            plain.append(lower_value(value, context))
    if plain:
        found = apply_nix(builtin("elem"), NixIdent("x"), NixList(tuple(plain)))
        start = apply_nix(builtin("filter"), NixLambda("x", NixNot(found)), start)
    return start


def lower_script(script: ir.Script, context: Context) -> NixExpr:
    """The script's parts put together; the package's own one stays where it stands."""
    pieces: list[NixExpr] = []
    run: list[str | NixExpr] = []
    for part in script.parts:
        if part.text is None:
            if run:
                pieces.append(_text(run))
                run = []
            pieces.append(NixSelect(OLD, (script.name,), NixString(())))
        elif isinstance(part.text, NixText):
            run.extend(lower_text_parts(part.text, context).parts)
        else:
            run.extend(lower_text(part.text).parts)
    if run or not pieces:
        pieces.append(_text(run))
    whole = pieces[0]
    for piece in pieces[1:]:
        whole = NixBinary("+", whole, piece)
    return whole


def _text(run: list[str | NixExpr]) -> NixString:
    merged: list[str | NixExpr] = []
    for piece in run:
        if merged and isinstance(piece, str) and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return NixString(tuple(merged), block=any(isinstance(p, str) and "\n" in p for p in merged))


def changed_package(package: NixExpr, changes: ir.Changes, context: Context) -> NixExpr:
    """`(package.override { … }).overrideAttrs (old: { … })`, each only where it is needed."""
    if changes.args:
        args = NixAttrs(_slot_or(changes.args, "args", context))
        package = apply_nix(NixSelect(package, ("override",)), args)
    entries = attribute_bindings(changes, context)
    if not entries:
        return package
    body = NixAttrs(entries)
    old = context.frame.old if context.frame is not None else mentions_old(body)
    parameter = "old" if old else "_"
    return apply_nix(NixSelect(package, ("overrideAttrs",)), NixLambda(parameter, body))


def attribute_bindings(changes: ir.Changes, context: Context) -> tuple[NixBinding | NixSlot, ...]:
    entries = list(_slot_or(changes.attrs, "attrs", context))
    if changes.env:
        entries.append(_block("env", changes.env, context))
    if context.in_slot("script"):
        entries.append(NixSlot("script"))
    else:
        entries += [script_binding(s, context) for s in in_phase_order(changes.scripts)]
    if changes.passthru:
        entries.append(_block("passthru", changes.passthru, context))
    if changes.meta:
        entries.append(_block("meta", changes.meta, context))
    return tuple(entries)


def _slot_or(
    settings: tuple[ir.Setting, ...], block: str, context: Context
) -> tuple[NixBinding | NixSlot, ...]:
    """The bindings of a block, or the slot that stands for them."""
    return (NixSlot(block),) if context.in_slot(block) else bindings(settings, context, OLD)


def script_binding(script: ir.Script, context: Context) -> NixBinding:
    return NixBinding((script.name,), lower_script(script, context))


def in_phase_order(scripts: Iterable[ir.Script]) -> list[ir.Script]:
    """The scripts as stdenv runs them: a reader expects them so."""
    return sorted(scripts, key=lambda script: phase_order(script.name))


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


def phase_order(name: str) -> tuple[int, int]:
    """Where a script stands among its like; those that are no phase keep their place, last."""
    for place, (before, during, after) in enumerate(
        (f"pre{p[0].upper()}{p[1:]}", f"{p}Phase", f"post{p[0].upper()}{p[1:]}") for p in _PHASES
    ):
        if name in (before, during, after):
            return place, (before, during, after).index(name)
    return len(_PHASES), 0


def _block(name: str, settings: tuple[ir.Setting, ...], context: Context) -> NixBinding:
    attrs = NixAttrs(_slot_or(settings, name, context))
    return NixBinding((name,), NixBinary("//", NixSelect(OLD, (name,), EMPTY_ATTRS), attrs))


def mentions_old(node: object) -> bool:
    """Whether emitted Nix refers to `old`, in text that a user wrote as well."""
    from tvarc.backend.nix.syntax import NixRaw
    from tvarc.light import fields, is_dataclass

    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node == OLD or (isinstance(node, NixRaw) and "old" in node.text):
            return True
        if isinstance(node, tuple):
            waiting.extend(node)
        elif is_dataclass(node):
            waiting.extend(getattr(node, field.name) for field in fields(node))
    return False
