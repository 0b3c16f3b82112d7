"""What is read from a recipe: values, and where each was written."""

from __future__ import annotations

from tvarc.audit.nix_tree import NOWHERE, Place
from tvarc.light import Final, dataclass, field

_SHOWN: Final = 100
# Begins a part of a text that is not understood; `${` alone begins one that is a name.
HOLE: Final = "${?"


@dataclass(frozen=True, slots=True)
class Ref:
    """What only Nix knows, by its name: `final.cudaPackages_13`, `./fix.patch`."""

    path: str


@dataclass(frozen=True, slots=True)
class Added:
    """What is added to a value that only Nix knows (`old.cmakeFlags`)."""

    base: Ref
    value: Found


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a fetcher is asked for; `rev` and `tag` are both `ref`."""

    function: str
    fields: tuple[tuple[str, Found], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """An attribute set, its keys in the order written."""

    entries: tuple[tuple[str, Found], ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """What is not understood: the text, and that of what it refers to, so that two of them are
    equal only when they mean the same."""

    text: str
    refers: str = ""


Found = str | int | bool | None | tuple["Found", ...] | Ref | Added | Fetched | Table | Unread


@dataclass(frozen=True, slots=True)
class Seen:
    """A value and its place."""

    value: Found
    place: Place = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Pin:
    """The nixpkgs of a recipe. `url` is empty for one that the caller chooses; `rev` is empty
    where the url names none; `hash` is None where there is none."""

    url: str
    rev: str
    hash: str | None
    place: Place = field(compare=False, default=NOWHERE)

    @property
    def shown(self) -> str:
        return self.rev or self.url or "the caller's nixpkgs"

    @property
    def brief(self) -> str:
        """The same for a sentence: a commit by its first characters."""
        whole = len(self.rev) == 40 and self.rev.isalnum()
        return self.rev[:12] if whole else self.shown


@dataclass(frozen=True, slots=True)
class Switch:
    """A part of the build that is switched off: which, how that is done, and where."""

    part: str
    how: str
    place: Place = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Gap:
    """What of a recipe is not understood: which part of it, and its text."""

    what: str
    text: str
    place: Place = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class RecipeFacts:
    """What one recipe says, as far as it is understood.

    `package` is what it changes (`python3Packages.torch`); None for one that is built from
    scratch (`scratch` names the builder) or that is not understood. `settings` are by path:
    `config.allowUnfree`, `args.gpuTargets`, `attrs.pname`, `meta.platforms`. `effects` are what
    the overlays change, by `target: attribute`; `forms` are how they change it. `elsewhere` is
    what makes the package, where that is not followed: what is not said here may be said there.
    """

    package: Seen | None
    scratch: str
    pin: Pin | None
    settings: dict[str, Seen]
    effects: dict[str, Seen]
    forms: dict[str, str]
    switches: tuple[Switch, ...]
    isa_flags: tuple[str, ...]
    gaps: tuple[Gap, ...]
    elsewhere: str = ""

    def texts(self, path: str) -> tuple[str, ...] | None:
        """The texts of a list that is wholly known, None for any other value."""
        seen = self.settings.get(path)
        value = seen.value if seen is not None else None
        if not isinstance(value, tuple) or holds_unread(value):
            return None
        texts = tuple([item for item in value if isinstance(item, str)])
        return texts if len(texts) == len(value) else None

    @property
    def pname(self) -> str | None:
        """The name that the recipe gives the package, None where it gives none."""
        for path in ("attrs.pname", "attrs.name"):
            seen = self.settings.get(path)
            if seen is not None and isinstance(seen.value, str) and "${" not in seen.value:
                return seen.value
        return None

    def place(self, path: str) -> Place:
        seen = self.settings.get(path) or self.effects.get(path)
        return seen.place if seen is not None else NOWHERE


def show(value: Found) -> str:
    """A value as a person reads it, in Nix's spelling, not too long."""
    text = show_whole(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]} …"


def show_whole(value: Found) -> str:
    """The same, however long it is."""
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int():
            return str(value)
        case str():
            return f'"{" ".join(value.split())}"'
        case tuple():
            return " ".join(("[", *map(show_whole, value), "]"))
        case Ref(path):
            return path
        case Added(base, inner):
            return f"{base.path} + {show_whole(inner)}"
        case Fetched(function, fields):
            wanted = dict(fields)
            known = [wanted[key] for key in _TELLING if key in wanted]
            return f"{function} {' '.join(map(show_whole, known))}"
        case Table(entries):
            return " ".join(("{", *(f"{key} = {show_whole(item)};" for key, item in entries), "}"))
        case Unread(text, _):
            return f"`{text}`"


_TELLING: Final = ("name", "owner", "repo", "ref", "url")


def canonical(value: Found) -> Found:
    """*value* less what is a matter of spelling: which of the package sets in scope is asked, the
    caller's apart, how the own value is named that is added to, the order of keys."""
    match value:
        case tuple():
            return tuple(map(canonical, value))
        case Ref(path):
            root, _, rest = path.partition(".")
            same = root in _SETS or (root == "pkgs" and rest.partition(".")[0] == "lib")
            return Ref(rest) if rest and same else value
        case Added(_, inner):
            return Added(Ref("old"), canonical(inner))
        case Fetched(function, fields):
            return Fetched(function, _sorted(fields))
        case Table(entries):
            return Table(_sorted(entries))
        case _:
            return value


_SETS: Final = frozenset(("final", "prev", "nixpkgs", "pyFinal", "pyPrev"))


def _sorted(entries: tuple[tuple[str, Found], ...]) -> tuple[tuple[str, Found], ...]:
    ordered = sorted(entries, key=lambda entry: entry[0])
    return tuple((key, canonical(item)) for key, item in ordered)


def holds_unread(value: Found) -> bool:
    """Whether anything in *value* is not understood."""
    match value:
        case Unread():
            return True
        case str():
            return HOLE in value
        case tuple():
            return any(map(holds_unread, value))
        case Added(_, inner):
            return holds_unread(inner)
        case Fetched(_, entries) | Table(entries):
            return any(holds_unread(item) for _, item in entries)
        case _:
            return False
