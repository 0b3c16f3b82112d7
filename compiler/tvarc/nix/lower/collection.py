"""All variants in one file: as attributes of a set, or of a flake.

Variants with the same nixpkgs, configuration and overlays form a group, below one import of
nixpkgs. A variant in such a file has the same derivation as in a file of its own.
"""

from __future__ import annotations

import re

from tvarc.light import TYPE_CHECKING, Final, Iterable, Mapping, Sequence, dataclass, replace
from tvarc.nix import ir
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixFormal,
    NixFormals,
    NixIdent,
    NixInherit,
    NixLambda,
    NixLet,
    NixSelect,
    NixSlot,
    NixString,
    placed,
)
from tvarc.nix.lower.context import CALLER, AsNamed, Formals, Relative, Slots, Traced
from tvarc.nix.lower.lower import (
    NEEDS,
    PKGS,
    VARIANTS,
    as_scoped,
    called,
    caller,
    context_of,
    imported,
    lower_overlays,
    needs_of,
    of_pinned,
    pin_source,
    scope_in,
    settings_context,
)
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import EMPTY_ATTRS, head_of, mentions

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

_INPUTS: Final = NixIdent("inputs")
_GITHUB: Final = re.compile(r"https://github\.com/([^/]+)/([^/]+)/archive/([0-9a-f]{40})\.tar\.gz")
_BY_NAME: Final = "Each variant by its name."
_BY_AXES: Final = "And by the values of its axes."


@dataclass(frozen=True, slots=True)
class Shared:
    """Variants that share one nixpkgs. `comment` describes it to a reader, `names` are the names
    that all of them use, and `slot` is the slot for their entries. Without a pin they have no
    nixpkgs."""

    comment: str
    names: tuple[NixBinding, ...]
    slot: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """The variant *name* as an attribute path. `lines` are the source lines of its steps."""

    steps: tuple[str, ...]
    name: str
    lines: Lines = 0


def entry_around(
    recipe: ir.Recipe,
    name: str,
    relative: Relative,
    slots: Slots,
    asked: Formals,
    scope: Scope | None = None,
    traced: Traced | None = None,
) -> tuple[NixBinding, Formals]:
    """The package of *recipe*, bound to *name*, and the arguments that the file needs for it. The
    names of `shared_names` are defined around it. The settings in *slots* need the arguments
    *asked*, and the names in *scope*."""
    formals = asked
    if recipe.pin is None:
        function = called(recipe, relative, asked, slots, traced, scope)
        formals = Formals({CALLER})
        inputs = tuple([one for one in asked.listed() if one.name in asked.defaults])
        for one in inputs:
            formals.add(one)
        filled = NixApply(NixSelect(PKGS, (*recipe.scope_path, "callPackage")), function)
        given = NixAttrs((NixInherit(tuple([one.name for one in inputs])),))
        value: NixExpr = NixApply(filled, given if inputs else EMPTY_ATTRS)
        value = as_scoped(recipe, PKGS, value)
    else:
        context = settings_context(recipe, relative, formals, slots, traced, scope)
        value = of_pinned(recipe, recipe.pin, context)
        needed = () if overlays_need(recipe) else needs_of(recipe, context)
        names = (*needed, *scope_in(context))
        if names:
            value = NixLet(names, value)
    binding = NixBinding((name,), value)
    return binding if recipe.prov is None else placed(binding, 0, recipe.prov.name), formals


def shared_names(
    recipe: ir.Recipe, relative: Relative, formals: Formals, traced: Traced | None = None
) -> tuple[NixBinding, ...]:
    """The names for the imported nixpkgs of *recipe*, and for the needs that its overlays read.
    Empty without a pin."""
    if recipe.pin is None:
        return ()
    context = settings_context(recipe, relative, formals, traced=traced)
    needed = needs_of(recipe, context) if overlays_need(recipe) else ()
    whole = imported(recipe, recipe.pin, context)
    return (pin_source(recipe.pin, relative), *needed, whole, *scope_in(context))


def overlays_need(recipe: ir.Recipe) -> bool:
    """Whether overlays of *recipe* read its needs. The needs are then part of its nixpkgs."""
    if not recipe.needs or recipe.pin is None:
        return False
    context = context_of(recipe.pin.age, False, AsNamed(), Formals())
    made = [each.value for each in lower_overlays(recipe.overlays, context)]
    return mentions(made, NEEDS)


def comment_of(recipe: ir.Recipe) -> str:
    """A description of the nixpkgs of *recipe*, for a reader: its pin, configuration, overlays and
    their needs."""
    if recipe.pin is None:
        return "Without a pin: the caller's nixpkgs."
    parts = [recipe.pin.name]
    if recipe.config:
        parts.append("config " + ", ".join(setting.key for setting in recipe.config))
    if recipe.overlays:
        parts.append("overlays " + ", ".join(overlay.name for overlay in recipe.overlays))
    needed = recipe.needs if overlays_need(recipe) else ()
    if needed:
        parts.append("needs " + ", ".join(map(_needed_as, needed)))
    text = "; ".join(parts)
    if recipe.pin.prov is None:
        return text
    from tvarc.values.provenance import marked

    lines = recipe.pin.prov.chosen | head_of(*recipe.config)
    for need in needed:
        lines |= _made_of(need.setting)
    listed = recipe.overlay_list
    return marked(text, lines | head_of(listed) if listed is not None else lines)


def _needed_as(need: ir.Need) -> str:
    return need.name if need.linked is None else need.linked.variant


def _made_of(setting: ir.Setting) -> Lines:
    return 0 if setting.prov is None else setting.prov.all | setting.prov.head


def set_file(
    shared: Sequence[Shared], attributes: Iterable[Attribute], formals: Formals
) -> NixExpr:
    """A function from the caller's nixpkgs to the set of all variants."""
    inputs = [formal for formal in formals.listed() if formal.default is not None]
    arguments = NixFormals((NixFormal(CALLER, caller(formals)), *inputs))
    by_axes = nested(attributes, VARIANTS)
    body: NixExpr = VARIANTS
    if by_axes.entries:
        body = NixBinary("//", VARIANTS, by_axes)
    return NixLambda(arguments, NixLet(_by_name(shared), body))


def _by_name(shared: Sequence[Shared]) -> tuple[NixBinding, ...]:
    """The bindings for the sets of variants that share a nixpkgs, and for the set of all variants.
    """
    if len(shared) == 1:
        return (NixBinding(("variants",), _together(shared[0]), f"{shared[0].comment}"),)
    names = [f"variants-{number}" for number in range(1, len(shared) + 1)]
    found = [
        NixBinding((name,), _together(one), one.comment)
        for name, one in zip(names, shared, strict=True)
    ]
    whole: NixExpr = NixIdent(names[0])
    for name in names[1:]:
        whole = NixBinary("//", whole, NixIdent(name))
    return (*found, NixBinding(("variants",), whole, _BY_NAME))


def _together(shared: Shared) -> NixExpr:
    entries = NixAttrs((NixSlot(shared.slot),))
    return NixLet(shared.names, entries) if shared.names else entries


def nested(attributes: Iterable[Attribute], variants: NixExpr) -> NixAttrs:
    """*attributes* as nested sets. None of them may be inside another one."""
    below: dict[str, list[Attribute]] = {}
    leaves: dict[str, Attribute] = {}
    for one in attributes:
        if len(one.steps) == 1:
            leaves[one.steps[0]] = one
        else:
            below.setdefault(one.steps[0], []).append(replace(one, steps=one.steps[1:]))
    found: list[NixBinding] = []
    for step in sorted({*leaves, *below}):
        if step in leaves:
            one = leaves[step]
            binding = NixBinding((step,), NixSelect(variants, (one.name,)))
            found.append(placed(binding, 0, one.lines) if one.lines else binding)
        else:
            inner = NixBinding((step,), nested(below[step], variants))
            lines = below[step][0].lines
            for one in below[step]:
                lines &= one.lines  # the lines that all names with this step have in common
            found.append(placed(inner, 0, lines) if lines else inner)
    return NixAttrs(tuple(found))


# --- a flake --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class System:
    """The variants of one system, by their axes and by their names."""

    name: str
    attributes: tuple[Attribute, ...]
    variants: tuple[Attribute, ...]


def flake_file(
    description: str,
    pins: Mapping[str, ir.Pin],
    shared: Sequence[Shared],
    systems: Sequence[System],
    formals: Formals,
) -> NixExpr:
    """A flake of all variants. *pins* has the nixpkgs that it uses, by the names of its inputs."""
    lets = [
        NixBinding((formal.name,), formal.default)
        for formal in formals.listed()
        if formal.default is not None
    ]
    variants = NixLambda(CALLER, NixLet(_by_name(shared), VARIANTS))
    lets.append(NixBinding(("variants-of",), variants, "All variants, for the system of `pkgs`."))
    for system in systems:
        named = NixBinding(("stdenv", "hostPlatform", "system"), NixString((system.name,)))
        of_system = NixApply(NixIdent("variants-of"), NixAttrs((named,)))
        lets.append(NixBinding((system.name,), of_system))
    entries: list[NixBinding] = [
        NixBinding(("description",), NixString((description,))),
    ]
    if pins:
        inputs = [NixBinding((name,), _flake_input(pin)) for name, pin in sorted(pins.items())]
        entries.append(NixBinding(("inputs",), NixAttrs(tuple(inputs))))
    outputs = NixAttrs(
        (
            NixBinding(("packages",), NixAttrs(tuple(map(_packages, systems))), _BY_NAME),
            NixBinding(("legacyPackages",), NixAttrs(tuple(map(_by_axes, systems))), _BY_AXES),
            NixBinding(("hydraJobs",), _jobs(systems)),
        )
    )
    function = NixLambda("inputs", NixLet(tuple(lets), outputs))
    return NixAttrs((*entries, NixBinding(("outputs",), function)))


def of_input(names: tuple[NixBinding, ...], name: str) -> tuple[NixBinding, ...]:
    """*names*, the names of a nixpkgs, changed so that its source is the input *name* of a flake.
    """
    source, *rest = names
    return (replace(source, value=NixSelect(_INPUTS, (name,))), *rest)


def _flake_input(pin: ir.Pin) -> NixExpr:
    """The nixpkgs of *pin* as an input of a flake. The recipes import it as a folder, as they do
    elsewhere, and do not use it as a flake."""
    given: list[tuple[str, str]]
    github = _GITHUB.fullmatch(pin.url)
    if github is not None:
        owner, repository, rev = github.groups()
        given = [("type", "github"), ("owner", owner), ("repo", repository), ("rev", rev)]
    else:
        given = [("type", "tarball"), ("url", pin.url)]
    if pin.hash is not None:
        given.append(("narHash", pin.hash))
    fields = [NixBinding((key,), NixString((text,))) for key, text in given]
    if pin.prov is not None:
        made = (pin.prov.of("url", "github", "rev"), pin.prov.of("url", "github", "rev", "hash"))
        fields = [
            placed(replace(one, value=placed(one.value, made[key == "narHash"])), 0, made[0])
            for one, (key, _) in zip(fields, given, strict=True)
        ]
    return NixAttrs((*fields, NixBinding(("flake",), NixIdent("false"))))


def _packages(system: System) -> NixBinding:
    of_system = NixIdent(system.name)
    names = tuple([one.name for one in system.variants])
    return NixBinding((system.name,), NixAttrs((NixInherit(names, of_system),)))


def _by_axes(system: System) -> NixBinding:
    return NixBinding((system.name,), nested(system.attributes, NixIdent(system.name)))


def _jobs(systems: Sequence[System]) -> NixExpr:
    """The jobs of Hydra: one for each variant and system."""
    found: dict[str, list[NixBinding]] = {}
    for system in systems:
        for one in system.variants:
            built = NixSelect(NixIdent(system.name), (one.name,))
            job = NixBinding((one.name, system.name), built)
            job = placed(job, 0, one.lines) if one.lines else job
            found.setdefault(one.name, []).append(job)
    return NixAttrs(tuple([job for name in sorted(found) for job in found[name]]))
