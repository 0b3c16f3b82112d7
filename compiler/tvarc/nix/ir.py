"""One variant, fully decided. All later code about variants reads only this form.

Variants that agree on the axes that a setting depends on share the setting. Code compares settings
by identity to find that they are the same.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, BUILT, OF_PACKAGE, PLACES, SCRIPT
from tvarc.light import (
    TYPE_CHECKING,
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    dataclass,
    field,
)
from tvarc.text.source import Span
from tvarc.values.value import (
    NONE,
    Late,
    NixCall,
    NixRef,
    NixText,
    NixValue,
    Record,
    RowValue,
    Value,
    show,
)

if TYPE_CHECKING:
    from tvarc.values.provenance import Filled, Lines, Prov

Path = tuple[str, ...]


def _prov() -> Prov | None:
    """The default of fields with source lines, which are None without tracing. They are not part of
    the decided value."""
    return field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Origin:
    """The place where a value was written, the declaration that contains it, and the spans of the
    conditions that had to hold."""

    span: Span
    layer: str
    conditions: tuple[Span, ...] = ()


TAKEN_OUT = "done: it is no longer there"
"""The reason for a `-=` among shadowed values: it removed an element of an earlier line."""

CORRECTED = "corrected for the whole program"
"""The reason for a fact of a table among shadowed values: `facts T override` has another value."""

BEGUN_ANEW = "what stands before it is unset"
"""The reason for an `= none` among shadowed values: later additions make the value."""


@dataclass(frozen=True, slots=True)
class Shadowed:
    """A value that lost: the value, the operator of its write, and the reason why another value
    won."""

    op: str
    value: Value
    origin: Origin
    reason: str
    prov: Prov | None = _prov()


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list and its origin.

    `spread` says that the element is a whole list that only Nix knows. `removed` are the elements
    that Nix removes from that list.
    """

    value: Value
    origin: Origin
    because: str = ""
    spread: bool = False
    removed: tuple[Element, ...] = ()
    prov: Prov | None = _prov()


@dataclass(frozen=True, slots=True)
class Setting:
    """A decided value.

    - `elements`: the elements of a list that several writes make.
    - `children`: the keys of a record that were written one by one.
    - `extends`: whether the value adds to the package's own value.
    - `head`: a Nix list that the elements are added to.
    - `removed`: elements that Nix removes from the part that only Nix knows (`extends` or `head`).
    - `unset`: the keys of the record that are not emitted.
    - `parts`: the parts of a text. `taken`: the parts that `none` removed from it. If the package's
      own script is one of the parts, the text `extends` it, and `value` has only the other parts.
    - `structured`: whether the recipe itself states if its attributes are structured.

    A setting that is unset has the value `none`. It is not emitted, and is kept apart from emitted
    settings. Its origin is that of the `none`, and `shadowed` are the values that the `none`
    removed.
    """

    path: Path
    value: Value
    origin: Origin
    because: str = ""
    shadowed: tuple[Shadowed, ...] = ()
    elements: tuple[Element, ...] | None = None
    children: tuple[Setting, ...] | None = None
    extends: bool = False
    head: NixValue | None = None
    removed: tuple[Element, ...] = ()
    unset: tuple[Setting, ...] = ()
    parts: tuple[Part, ...] = ()
    taken: tuple[Part, ...] = ()
    structured: bool = False
    prov: Prov | None = _prov()

    @property
    def key(self) -> str:
        return self.path[-1]

    def entries(self) -> tuple[Setting, ...]:
        """The keys of a record as settings, whether they were written one by one or together."""
        if self.children is not None:
            return self.children
        assert isinstance(self.value, Record)
        found = []
        for number, (key, value) in enumerate(self.value):
            prov = self.prov.item(number) if self.prov is not None else None
            found.append(Setting((*self.path, key), value, self.origin, prov=prov))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text. `text` is None for a part that `none` removes, and for the package's own
    script, which has no origin either."""

    name: str | None
    text: str | NixText | None
    origin: Origin | None
    shadowed: tuple[Shadowed, ...] = ()
    prov: Prov | None = _prov()

    @property
    def is_own(self) -> bool:
        """Whether it is the package's own script."""
        return self.text is None and self.origin is None


OLD = "old"
OWN_PART = Part(OLD, None, None)
"""The package's own script, as a part of a script."""


def part_heads(parts: Iterable[Part]) -> Lines:
    """The first source line of each of *parts*, with the lines of its conditions. Empty without
    tracing."""
    found = 0
    for part in parts:
        if part.prov is not None:
            found |= part.prov.head
    return found


class Fills(Mapping[Late, str]):
    """The texts that a variant fills into late parts of its texts, by these parts.

    `places` has the place of each part in `texts`. All variants of a plan have the same places, so
    texts are joined by place. A lookup of each part would take 1 % of a build of 948 recipes. Two
    of these objects are equal only if they are identical.
    """

    __slots__ = ("places", "texts")

    def __init__(self, places: Mapping[Late, int], texts: Sequence[str]) -> None:
        self.places = places
        self.texts = texts

    def __getitem__(self, late: Late) -> str:
        return self.texts[self.places[late]]

    def __iter__(self) -> Iterator[Late]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


NO_FILLS: Final = Fills({}, ())


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes to one package. `blocks` has the emitted settings of each block of
    `tvarc.blocks.OF_PACKAGE`. `unset` has the settings that are not emitted."""

    blocks: tuple[tuple[Setting, ...], ...] = ((),) * len(OF_PACKAGE)
    unset: tuple[Setting, ...] = ()
    # The texts that the variant fills into late parts.
    fills: Fills = field(default=NO_FILLS, compare=False, repr=False)
    # With tracing, the source lines of each of these texts.
    filled: Filled = field(default=(), compare=False, repr=False)

    @staticmethod
    def to(settings: Iterable[Setting], unset: Iterable[Setting] = ()) -> Changes:
        """The changes with *settings*, which may be of any blocks."""
        found: list[list[Setting]] = [[] for _ in OF_PACKAGE]
        for one in settings:
            found[PLACES[one.path[0]]].append(one)
        return Changes(tuple(map(tuple, found)), tuple(unset))

    def of(self, block: str) -> tuple[Setting, ...]:
        """The settings of *block*."""
        return self.blocks[PLACES[block]]

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings of all blocks."""
        return tuple([one for several in self.blocks for one in several])

    def built(self) -> list[Setting]:
        """The settings that change the build, without scripts."""
        return [one for one in self.settings if one.path[0] in BUILT]

    @property
    def args(self) -> tuple[Setting, ...]:
        return self.of("args")

    @property
    def attrs(self) -> tuple[Setting, ...]:
        return self.of(ATTRIBUTES)

    @property
    def env(self) -> tuple[Setting, ...]:
        return self.of("env")

    @property
    def scripts(self) -> tuple[Setting, ...]:
        return self.of(SCRIPT)

    @property
    def passthru(self) -> tuple[Setting, ...]:
        return self.of("passthru")

    @property
    def meta(self) -> tuple[Setting, ...]:
        return self.of("meta")


@dataclass(frozen=True, slots=True)
class Until:
    """The condition under which an overlay is no longer needed: the package of nixpkgs at
    `package`, from `version` on. The last `own` steps of that path are the name of the package in
    the set that the overlay changes."""

    package: Path
    own: int
    version: str
    span: Span


@dataclass(frozen=True, slots=True)
class Overlay:
    """An overlay in effect. Without a `relation`, `changes.attrs` are attributes of nixpkgs. With
    `in`, they are members of the set `target`; with `for`, they change the package `target`.
    `patch` has the fields of a patch, which is added to the package's patches. `via` is the form in
    which a set is changed: extensions, override or scope; empty for the set's usual form."""

    name: str
    relation: str | None
    target: Path
    because: str
    via: str
    changes: Changes
    patch: tuple[Setting, ...]
    listed: Origin
    declared: Span
    prov: Prov | None = _prov()
    until: Until | None = None


@dataclass(frozen=True, slots=True)
class Age:
    """The features of `nix/nixpkgs.py` that a nixpkgs is known to have, and those that it is known
    to lack. All other features are unknown."""

    has: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()

    def knows(self, feature: str) -> bool | None:
        """Whether the nixpkgs has *feature*; None if that is not known."""
        if feature in self.has:
            return True
        return False if feature in self.lacks else None


UNKNOWN = Age()


@dataclass(frozen=True, slots=True)
class Pin:
    """A nixpkgs: a tarball at `url`, or the folder `path`, which the loader of sources names so.
    The other one is empty.

    - `hash`: an SRI hash, or None. `rev`: empty for a plain url.
    - `fields`: the origins of its written fields, by name.
    - `release` (`YY.MM`) and `date`: as stated, or empty. `age` follows from them.
    - `systems`: the settings of the blocks that state machines.
    """

    name: str
    url: str
    rev: str
    hash: str | None
    declared: Span
    fields: tuple[tuple[str, Origin], ...] = ()
    release: str = ""
    date: str = ""
    age: Age = UNKNOWN
    path: str = ""
    systems: tuple[Setting, ...] = ()
    prov: PinProv | None = field(default=None, compare=False, repr=False)

    def of(self, block: str) -> tuple[Setting, ...]:
        """The settings of *block*, which states a machine."""
        return tuple([one for one in self.systems if one.path[0] == block])

    @property
    def local_system(self) -> tuple[Setting, ...]:
        return self.of("localSystem")

    @property
    def cross_system(self) -> tuple[Setting, ...]:
        return self.of("crossSystem")


@dataclass(frozen=True, slots=True)
class PinProv:
    """The source lines of a pin: those of its choice, its first line, and the lines of each of its
    fields."""

    chosen: Lines
    fields: tuple[tuple[str, Lines], ...]

    def of(self, *names: str) -> Lines:
        """The source lines of all of these fields. A field that is not written has none."""
        found = self.chosen
        for name, lines in self.fields:
            if name in names:
                found |= lines
        return found


@dataclass(frozen=True, slots=True)
class HeadProv:
    """The source lines of a file's header: those of the variant's name, of the labels of its axes,
    and of the declaration."""

    name: Lines
    labels: Lines
    declared: Lines


@dataclass(frozen=True, slots=True)
class Taken:
    """An input whose files are used, by its name. `lines` are the source lines that use it."""

    name: str
    source: NixCall
    lines: Lines = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Linked:
    """A variant of a matrix, in files of its own: one for each output, by the output's name.

    - `called`: whether callPackage fills its arguments.
    - `of_caller`: whether it takes packages from the nixpkgs that it is called with.
    - `argument`: whether it is an argument of the recipe that needs it.
    - `handed`: the files of other variants that are its own arguments. `inputs`: its inputs. The
      recipe that needs it passes both on.
    - `scope`: the package set whose callPackage fills its arguments.
    """

    variant: str
    matrix: str
    files: tuple[tuple[str, str], ...]
    called: bool
    of_caller: bool
    argument: bool
    handed: tuple[tuple[tuple[str, str], ...], ...] = ()
    inputs: tuple[Taken, ...] = ()
    scope: Path = ()


@dataclass(frozen=True, slots=True)
class Built:
    """The statements of the program about the build of a need: its package, its version if it is
    written, and the pin."""

    package: Setting
    version: Setting | None
    pin: Pin | None


@dataclass(frozen=True, slots=True)
class Need:
    """A need of a recipe: a variant, another recipe that is decided for the same cell, or else the
    value of `setting`. `built` describes the first two."""

    name: str
    setting: Setting
    linked: Linked | None = None
    recipe: Recipe | None = None
    built: Built | None = None


@dataclass(frozen=True, slots=True)
class AxisValue:
    """The value of one axis. The facts of the value are in its row. `label` is the value in the
    words of its facts, as in the header of a file."""

    axis: str
    value: Value
    declared: Span
    label: str

    @classmethod
    def of(cls, axis: str, value: Value, declared: Span) -> AxisValue:
        """The *value* of *axis*. A value that is no row has the span *declared*, that of the axis.
        """
        if isinstance(value, RowValue):
            label = value.facts.get("label")
            text = label.value if label is not None else None
            return cls(axis, value, value.span, text if isinstance(text, str) else value.name)
        if isinstance(value, bool):  # the value alone says nothing
            return cls(axis, value, declared, f"{axis} = {show(value)}")
        return cls(axis, value, declared, value if isinstance(value, str) else show(value))


@dataclass(frozen=True, slots=True)
class Frame:
    """The surroundings of a recipe's changes. Recipes that agree on them share one object.

    `pin` is None for a function that callPackage fills (`pin = none`). `scope` is the package set
    whose callPackage passes packages to the recipe; None or `none` for the top level of nixpkgs.
    `pin_choice` and `overlay_list` are the settings that chose the pin and the overlays, or None.
    `unset_config` are the settings of `config` that are not emitted.
    """

    package: Setting
    scope: Setting | None = None
    config: tuple[Setting, ...] = ()
    unset_config: tuple[Setting, ...] = ()
    pin_choice: Setting | None = None
    overlay_list: Setting | None = None
    pin: Pin | None = None
    overlays: tuple[Overlay, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """One variant.

    `outputs` are the spans of the names of `files`. `looked_for` are the names in Nix text that a
    `with` provides. No argument of the file has such a name, because it would hide the name of the
    `with`.
    """

    variant: str
    matrix: str
    matrix_span: Span
    recipes: tuple[str, ...]
    axes: tuple[AxisValue, ...]
    frame: Frame
    changes: Changes
    flags: tuple[Setting, ...]
    files: tuple[tuple[str, str], ...]
    outputs: tuple[Span, ...] = ()
    prov: HeadProv | None = field(default=None, compare=False, repr=False)
    needs: tuple[Need, ...] = ()
    looked_for: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @property
    def package(self) -> Setting:
        return self.frame.package

    @property
    def scope(self) -> Setting | None:
        """The package set that the recipe takes packages from; None for the top level."""
        return self.frame.scope if self.unset_scope is None else None

    @property
    def unset_scope(self) -> Setting | None:
        """The `scope = none` that chooses the top level, if there is one."""
        found = self.frame.scope
        return found if found is not None and found.value == NONE else None

    @property
    def config(self) -> tuple[Setting, ...]:
        return self.frame.config

    @property
    def unset_config(self) -> tuple[Setting, ...]:
        return self.frame.unset_config

    @property
    def pin_choice(self) -> Setting | None:
        return self.frame.pin_choice

    @property
    def overlay_list(self) -> Setting | None:
        return self.frame.overlay_list

    @property
    def pin(self) -> Pin | None:
        return self.frame.pin

    @property
    def overlays(self) -> tuple[Overlay, ...]:
        return self.frame.overlays

    @property
    def scope_path(self) -> Path:
        """The attribute of nixpkgs that the scope is; empty for the top level."""
        return path_of_scope(self.scope)


def path_of_scope(scope: Setting | None) -> Path:
    """The attribute of nixpkgs that *scope* names; empty for the top level."""
    if scope is None or not isinstance(scope.value, NixRef):
        return ()
    path = scope.value.attributes
    while path[:1] == ("pkgs",):
        path = path[1:]
    return path
