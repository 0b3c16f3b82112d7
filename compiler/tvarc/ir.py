"""One variant, fully decided. Everything that speaks of variants reads this, and nothing else.

Settings are shared between variants whose axes agree on what the setting reads: compare them
by identity to tell that they are the same.
"""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.source import Span
from tvarc.values import NixText, NixValue, Value

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written: the place, the declaration it stands in, and the conditions
    (their spans) that let it in."""

    span: Span
    layer: str
    conditions: tuple[Span, ...] = ()


TAKEN_OUT = "done: it is no longer there"
"""Why a `-=` is told among what is shadowed: it took out what stands before it there."""


@dataclass(frozen=True, slots=True)
class Shadowed:
    """A value that lost: what it was, how it was written, and why another won."""

    op: str
    value: Value
    origin: Origin
    why: str


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list and its origin."""

    value: Value
    origin: Origin
    because: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """A decided value.

    `elements` is given for lists that were put together, `children` for records of which keys
    were written one by one. `extends` says that the value adds to what the package has itself;
    `head` is a Nix list that the elements are added to. `removed` is taken from what is only
    known to Nix (`extends` or `head`).
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

    @property
    def key(self) -> str:
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a script. `text` is None for the package's own script (`old`)."""

    name: str | None
    text: str | NixText | None
    origin: Origin | None
    shadowed: tuple[Shadowed, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """A script in named, ordered parts. `removed` are the parts that `none` took out: the origin is
    that of the `none`, `shadowed` what it took out."""

    name: str
    parts: tuple[Part, ...]
    removed: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """What is changed about one package: arguments, attributes, scripts and the like."""

    args: tuple[Setting, ...] = ()
    attrs: tuple[Setting, ...] = ()
    env: tuple[Setting, ...] = ()
    scripts: tuple[Script, ...] = ()
    passthru: tuple[Setting, ...] = ()
    meta: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class Overlay:
    """An overlay in effect. `relation` None: `changes.attrs` are attributes of nixpkgs; `in`:
    members of the set `target`; `for`: changes of the package `target`. `patch` holds the
    fields of a patch, which is added to the package's patches. `via` is the form for a set:
    extensions, override or scope, or empty for the set's usual one."""

    name: str
    relation: str | None
    target: Path
    because: str
    via: str
    changes: Changes
    patch: tuple[Setting, ...]
    listed: Origin
    declared: Span


@dataclass(frozen=True, slots=True)
class Pin:
    """A nixpkgs tarball: `hash` is an SRI hash or None, `rev` empty for a plain url. `fields` are
    the origins of what is written of it, by name."""

    name: str
    url: str
    rev: str
    hash: str | None
    declared: Span
    fields: tuple[tuple[str, Origin], ...] = ()


@dataclass(frozen=True, slots=True)
class AxisValue:
    """The value of one axis; the facts behind it are the row's."""

    axis: str
    value: Value
    declared: Span


@dataclass(frozen=True, slots=True)
class Recipe:
    """One variant. `pin` is None for a function that callPackage fills (`pin = none`).

    `pin_choice` and `overlay_list` are the settings that chose them, None where nothing did.
    `outputs` are the places where the names of `files` are written.
    """

    variant: str
    matrix: str
    matrix_span: Span
    recipes: tuple[str, ...]
    axes: tuple[AxisValue, ...]
    pin: Pin | None
    config: tuple[Setting, ...]
    overlays: tuple[Overlay, ...]
    package: Setting
    changes: Changes
    flags: tuple[Setting, ...]
    files: tuple[tuple[str, str], ...]
    pin_choice: Setting | None = None
    overlay_list: Setting | None = None
    outputs: tuple[Span, ...] = ()
