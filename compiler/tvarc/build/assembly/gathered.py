"""The variants of one file that has all of them, in groups that share a nixpkgs. For each variant,
the file is a `Form` (`bodies.py`)."""

from __future__ import annotations

import re

from tvarc.build.assembly.bodies import BLOCK_PLACES, Needed, body_of
from tvarc.build.assembly.mapped_text import MappedText
from tvarc.build.assembly.places import Together
from tvarc.light import (
    TYPE_CHECKING,
    Final,
    Iterable,
    Sequence,
    dataclass,
    field,
    replace,
)
from tvarc.meaning.hir import OutputForm
from tvarc.nix import ir
from tvarc.nix.language.late import Widths
from tvarc.nix.language.printer import print_around
from tvarc.nix.language.quoting import attribute
from tvarc.nix.language.syntax import NixBinding, NixExpr, NixFormal, NixPath
from tvarc.nix.lower.collection import (
    Attribute,
    Shared,
    System,
    comment_of,
    entry_around,
    flake_file,
    of_input,
    overlays_need,
    set_file,
    shared_names,
)
from tvarc.nix.lower.context import CALLER, Formals, Relative, Slots, Traced
from tvarc.nix.lower.memo import Around, Memo
from tvarc.text.source import Span
from tvarc.values.provenance import all_filled
from tvarc.values.value import Value

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

USUAL_SYSTEMS: Final = ("x86_64-linux", "aarch64-linux")
"""The systems of a variant that states none."""
_SYSTEM: Final = re.compile(r"[a-z0-9_]+-[a-z0-9]+")
_AS_SET: Final = "write all variants to a `default.nix`, with `output NAME: all`"
_ITSELF: Final = "self"  # the input that is the flake itself
_LETTER: Final = "x"  # printed as many times as a name has characters
_SHORT: Final = 7  # the digits of a commit in a name


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason why a flake cannot build a variant."""

    variant: str
    span: Span
    label: str
    help: str


@dataclass(slots=True)
class _Set:
    """Variants that share a nixpkgs: their names, and their printed entries. With tracing, the
    entries have maps."""

    comment: str
    pin: ir.Pin | None
    names: tuple[NixBinding, ...]
    inputs: tuple[NixFormal, ...]
    variants: list[str] = field(default_factory=list)
    entries: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Entry:
    """The data that variants share if they have equal text around the slots of their settings.
    `indent` is the number of blanks before the name, `of_set` their set, and `formals` the
    arguments that they need from the file."""

    indent: int
    of_set: _Set
    formals: Formals


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the text. It belongs to one variant, or to none ("")."""

    variant: str
    text: bytes


class TooLarge(Exception):
    """The variants of one file exceed its limit."""


class Gathered:
    """The variants of one file. `add` adds a variant."""

    __slots__ = (
        "_formals",
        "_indents",
        "_inputs",
        "_made_of",
        "_memo",
        "_parted",
        "_sets",
        "_systems",
        "_traced",
        "declared",
        "faults",
        "form",
        "limit",
        "named",
        "relative",
        "size",
        "traced",
    )  # fmt: skip

    def __init__(
        self,
        form: OutputForm,
        relative: Relative,
        traced: Traced | None = None,
        parted: frozenset[str] = frozenset(),
        limit: int | None = None,
    ) -> None:
        """*relative* returns paths relative to the file. With *traced*, recipes must be traced, and
        texts have their source lines. *parted* are the inputs that are not the same for all
        variants. The texts are in memory, so `add` raises TooLarge if they have more than *limit*
        bytes."""
        self.limit = limit
        self.size = 0
        self.form: OutputForm = form
        self._parted = parted
        self.relative: Relative = Together(relative)
        self.traced = traced
        self._memo = Memo()
        self._sets: dict[object, _Set] = {}
        self._formals = Formals()
        self._inputs: dict[str, set[NixExpr]] = {}
        self._indents: dict[bool, int] = {}
        self._made_of: dict[str, Lines] = {}
        self._systems: dict[str, list[str]] = {}
        # The source lines of the names of all variants, and the lines that declare the variants.
        self.named: Lines = 0
        self.declared: Lines = 0
        # The first fault with each label.
        self.faults: dict[str, Fault] = {}

    def add(self, recipe: ir.Recipe) -> None:
        """Add one variant. Raises TooLarge."""
        body = body_of(recipe, self, self._memo, None)
        entry = body.around.beside
        assert isinstance(entry, _Entry)
        begins = f"\n{' ' * entry.indent}{attribute(recipe.variant)}"
        text = "".join([begins, *body.texts()]).encode()
        self.size += len(text)
        if self.limit is not None and self.size > self.limit:
            raise TooLarge
        if self.traced is not None:
            made, around = zip(*body.lines(), strict=True)
            filled = recipe.changes.filled
            text = MappedText.of(
                text, zip(all_filled(made, filled), all_filled(around, filled), strict=True)
            )
        entry.of_set.variants.append(recipe.variant)
        entry.of_set.entries.append(text)
        if recipe.prov is not None:
            self._made_of[recipe.variant] = recipe.prov.name | recipe.prov.labels
            self.named |= recipe.prov.name
            self.declared |= recipe.prov.declared
        if self.form == "flake":
            for system in systems_of(recipe):
                self._systems.setdefault(system, []).append(recipe.variant)
            fault = fault_of(recipe, entry.formals, self.relative)
            if fault is not None:
                self.faults.setdefault(fault.label, fault)

    # --- the form of the file: see `Form` --------------------------------------------------------

    def has_needs(self, recipe: ir.Recipe) -> bool:
        """As `Form.has_needs`. Needs that overlays read are part of the nixpkgs."""
        return bool(recipe.needs) and not overlays_need(recipe)

    def key(self, recipe: ir.Recipe) -> tuple[Sequence[object], Sequence[object]]:
        """As `Form.key`."""
        width = len(attribute(recipe.variant))
        lines = recipe.prov.name if recipe.prov is not None else 0
        may_need = recipe.needs and recipe.overlays and recipe.pin is not None
        return (width, lines), (recipe.needs,) if may_need else ()

    def around(
        self, recipe: ir.Recipe, slots: Slots, needed: Needed, widths: Widths
    ) -> Around:
        """As `Form.around`. The text begins after the name of the variant."""
        name = _LETTER * len(attribute(recipe.variant))
        relative, traced = self.relative, self.traced
        made, formals = entry_around(
            recipe, name, relative, slots, needed.formals, needed.scope, traced
        )
        names = shared_names(recipe, relative, formals, traced)
        self._formals.names |= formals.names
        for input_, default in formals.defaults.items():
            self._inputs.setdefault(input_, set()).add(default)
        inner = bool(names) or not self._parted.isdisjoint(formals.defaults)
        indent = self._indent(inner=inner)
        printed = Around.of(made, BLOCK_PLACES, widths, indent, traced=traced is not None)
        beside = _Entry(indent, self._set_of(recipe, names, formals), formals)
        return printed.after(indent + len(name), beside)

    def _set_of(
        self, recipe: ir.Recipe, names: tuple[NixBinding, ...], formals: Formals
    ) -> _Set:
        """The variants that share *names*, the names of *recipe*, which needs *formals*. Inputs
        that are not the same for all variants count as names, too."""
        inputs = tuple(
            [
                NixFormal(name, default)
                for name, default in sorted(formals.defaults.items())
                if name in self._parted
            ]
        )
        key = (names, inputs)
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = _Set(comment_of(recipe), recipe.pin, names, inputs)
        return found

    def parted(self) -> frozenset[str]:
        """The inputs that are not the same for all variants."""
        return frozenset(name for name, found in self._inputs.items() if len(found) > 1)

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The names of the variants, in a group for each nixpkgs."""
        return tuple([tuple(one.variants) for one in self._sets.values()])

    @property
    def called(self) -> bool:
        """Whether the file takes packages from the nixpkgs that it is called with."""
        return CALLER in self._formals.names

    def parts(self, attributes: Sequence[Attribute], description: str) -> list[Part]:
        """The text below the header. *attributes* are the names of variants by axes."""
        if self._made_of:
            attributes = [
                replace(one, lines=one.lines | self._made_of[one.name]) for one in attributes
            ]
        named = [(f"{number}", one) for number, one in enumerate(self._sets.values())]
        inputs = self._flake_inputs() if self.form == "flake" else {}
        shared = [Shared(one.comment, self._names(one, inputs), number) for number, one in named]
        around, slots = self._around(self._body(shared, attributes, inputs, description))
        sets = dict(named)
        parts = [Part("", around[0])]
        for text, (slot, _) in zip(around[1:], slots, strict=True):
            one = sets[slot]
            parts += map(Part, one.variants, one.entries)
            parts.append(Part("", text))
        return parts

    def _around(self, body: NixExpr) -> tuple[list[bytes], list[tuple[str, int]]]:
        texts, slots = print_around(body, mapped=self.traced is not None)
        if self.traced is None:
            return [text.filled({}).encode() for text in texts], slots
        from tvarc.build.assembly.mapped_text import MappedText

        return [MappedText.of(text.filled({}).encode(), text.lines) for text in texts], slots

    def _body(
        self,
        shared: Sequence[Shared],
        attributes: Sequence[Attribute],
        inputs: dict[str, ir.Pin],
        description: str,
    ) -> NixExpr:
        formals = Formals(set(self._formals.names))
        for name, defaults in self._inputs.items():
            if len(defaults) == 1:
                formals.add(NixFormal(name, next(iter(defaults))))
        if self.form != "flake":
            return set_file(shared, attributes, formals)
        systems = [
            System(name, _of_system(attributes, names), tuple(map(self._by_name, names)))
            for name, names in self._systems.items()
        ]
        return flake_file(description, inputs, shared, systems, formals)

    def _by_name(self, variant: str) -> Attribute:
        return Attribute((variant,), variant, self._made_of.get(variant, 0))

    def _names(self, one: _Set, inputs: dict[str, ir.Pin]) -> tuple[NixBinding, ...]:
        """The names that the variants of *one* use. Inputs that differ between variants are
        included."""
        names = one.names
        for name, pin in inputs.items():
            if one.pin is not None and (pin.name, _place(pin)) == (one.pin.name, _place(one.pin)):
                names = of_input(names, name)
        own = [
            NixBinding((formal.name,), formal.default)
            for formal in one.inputs
            if formal.default is not None
        ]
        return (*own, *names)

    def _flake_inputs(self) -> dict[str, ir.Pin]:
        """The nixpkgs that are fetched, by their names as inputs. If several have one name, their
        commits are added to it."""
        places: dict[str, dict[object, ir.Pin]] = {}
        for one in self._sets.values():
            if one.pin is not None and not one.pin.path:
                places.setdefault(one.pin.name, {}).setdefault(_place(one.pin), one.pin)
        found: dict[str, ir.Pin] = {}
        for name, pins in places.items():
            alone = len(pins) == 1 and name != _ITSELF
            for number, pin in enumerate(pins.values(), 1):
                found[name if alone else f"{name}-{pin.rev[:_SHORT] or number}"] = pin
        return found

    def _indent(self, *, inner: bool) -> int:
        """The indentation of the entries of a set of variants. With *inner*, the set is below names
        that only some variants share."""
        if inner not in self._indents:
            names = (NixBinding(("nixpkgs",), NixPath("./.")),) if inner else ()
            _, slots = print_around(self._body([Shared("", names, "")], (), {}, ""))
            self._indents[inner] = slots[0][1]
        return self._indents[inner]


def _place(pin: ir.Pin) -> object:
    return (pin.url, pin.hash, pin.path)


def _of_system(attributes: Iterable[Attribute], names: Iterable[str]) -> tuple[Attribute, ...]:
    known = set(names)
    return tuple([one for one in attributes if one.name in known])


def systems_of(recipe: ir.Recipe) -> tuple[str, ...]:
    """The systems of *recipe*: those in its platforms if these are written out, else the usual
    ones."""
    for setting in recipe.changes.meta:
        if setting.path[-1] == "platforms":
            return written_systems(recipe.pin, setting) or USUAL_SYSTEMS
    return written_systems(recipe.pin, None) or USUAL_SYSTEMS


def written_systems(pin: ir.Pin | None, platforms: ir.Setting | None) -> tuple[str, ...]:
    """The systems that *pin* and `meta.platforms` write out; empty if they do not."""
    for setting in pin.local_system if pin is not None else ():
        if setting.key == "system" and isinstance(setting.value, str):
            return (setting.value,)
    if pin is not None and pin.cross_system:
        return ()  # the platforms are those for which nixpkgs builds
    if platforms is None or platforms.extends or platforms.head is not None:
        return ()
    return _named(platforms.value)


def _named(value: Value) -> tuple[str, ...]:
    """The systems that *value* lists; empty if it lists anything else."""
    if not isinstance(value, tuple):
        return ()
    found = [item for item in value if isinstance(item, str) and _SYSTEM.fullmatch(item)]
    return tuple(dict.fromkeys(found)) if len(found) == len(value) else ()


def fault_of(recipe: ir.Recipe, formals: Formals, relative: Relative) -> Fault | None:
    """The reason why a flake cannot build *recipe*, which needs *formals*; None if it can.
    *relative* returns paths relative to the flake, which sees only its own folder and its inputs.
    """
    pin, name = recipe.pin, recipe.variant
    if pin is None:
        chosen = recipe.pin_choice or recipe.package
        return Fault(
            name,
            chosen.origin.span,
            "there is no pin, and a flake passes no nixpkgs",
            f"choose a pin, or {_AS_SET}",
        )
    if CALLER in formals.names:
        return Fault(
            name,
            recipe.matrix_span,
            "this reads `caller`, but the caller of a flake passes no nixpkgs",
            f"{_AS_SET}: its caller passes nixpkgs as `pkgs`",
        )
    within = fault_within(recipe)
    if within is not None:
        return within
    from tvarc.nix.judge.named_files import all_files

    files = [*all_files(recipe), *([pin.path] if pin.path else [])]
    seen = map(relative, files)
    outside = next((file for file in seen if file.startswith(("/", "../"))), "")
    if outside:
        is_pin = bool(pin.path) and relative(pin.path) == outside
        return Fault(
            name,
            dict(pin.fields)["path"].span if is_pin else recipe.matrix_span,
            f"this reads `{outside}`, which is outside of the folder of the flake",
            "write the flake to a folder above it: change its `file`, or run `tvarc build --out "
            "FOLDER`",
        )
    if not pin.path and pin.hash is None and not pin.rev:
        return Fault(
            name,
            pin.declared,
            "`rev` and `hash` are missing, so the source could change without notice",
            "write `hash = unlocked`, then run `tvarc lock`",
        )
    return None


def fault_within(recipe: ir.Recipe) -> Fault | None:
    """The reason why a flake cannot build a recipe that is put into *recipe* and has a nixpkgs of
    its own; None if it can."""
    for need in recipe.needs:
        inner = need.recipe
        if inner is None:
            continue
        if inner.pin is not None and not inner.pin.path and inner.pin.hash is None:
            return Fault(
                recipe.variant,
                inner.pin.declared,
                f"`needs {need.name}` fetches this, and a flake can only fetch it with a hash",
                "write `hash = unlocked`, then run `tvarc lock`",
            )
        found = fault_within(inner)
        if found is not None:
            return replace(found, variant=recipe.variant)
    return None
