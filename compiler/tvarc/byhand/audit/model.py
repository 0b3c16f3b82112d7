"""The data of an audit: the values of a recipe, and the place of each."""

from __future__ import annotations

import re

from tvarc.byhand.reading.shared import Followed
from tvarc.light import Final, Iterable, Iterator, dataclass, field
from tvarc.nix.language.quoting import interpolation
from tvarc.nix.language.syntax import NOWHERE, Extent, NixExpr

_SHOWN: Final = 100
# A text that was read has `${…}` for a value that only Nix knows: its name, or a question mark and
# the Nix that is not understood.
UNREAD_PART: Final = "${?"
"""The beginning of a part of a text that is not understood."""


def unread_part(text: str) -> str:
    """The placeholder in a text for a part that is not understood; *text* is the Nix of that
    part."""
    return interpolation(f"? {text}")


@dataclass(frozen=True, slots=True)
class Ref:
    """A value that only Nix knows, by its name: `final.cudaPackages_13`, `./fix.patch`."""

    path: str


@dataclass(frozen=True, slots=True)
class Added:
    """An addition to a value that only Nix knows (`old.cmakeFlags`).

    `value` is the whole addition. Its first `before` items, or characters, are before the value
    that it is added to.
    """

    base: Ref
    value: Found
    before: int = 0

    @property
    def sides(self) -> tuple[Found, Found]:
        """The parts of the addition before that value and after it."""
        if isinstance(self.value, tuple | str):
            return self.value[: self.before], self.value[self.before :]
        return None, self.value


@dataclass(frozen=True, slots=True)
class Fetched:
    """The arguments of a fetcher; `rev` and `tag` are both `ref`."""

    function: str
    fields: tuple[tuple[str, Found], ...]


@dataclass(frozen=True, slots=True)
class Linked:
    """Another recipe of the folder, by its file or as an argument: its path in the folder."""

    path: str


def beside(path: str) -> str:
    """The file at *path* as Nix names it."""
    return f"./{path}"


@dataclass(frozen=True, slots=True)
class Table:
    """An attribute set, its keys in the order written."""

    entries: tuple[tuple[str, Found], ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """A value that is not understood: its text, the reduced expression, and a clause that says why.
    Two of them are equal only if their reduced expressions are."""

    text: str = field(compare=False)
    node: NixExpr | None = field(repr=False, default=None)
    why: str = field(compare=False, default="")


Found = (
    str | int | bool | None | tuple["Found", ...] | Ref | Added | Fetched | Linked | Table | Unread
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A value and its place, and the form of the change if an overlay sets it."""

    value: Found
    place: Extent = field(compare=False, default=NOWHERE)
    form: str = field(compare=False, default="")


@dataclass(frozen=True, slots=True)
class Pin:
    """The nixpkgs of a recipe. `url` is empty if the caller chooses it, `rev` is empty if the url
    has no commit, and `hash` is None if there is none."""

    SHOWN = ("url", "rev", "hash")
    NULLS = ("url", "rev")

    url: str
    rev: str
    hash: str | None
    place: Extent = field(compare=False, default=NOWHERE)

    @property
    def shown(self) -> str:
        return self.rev or self.url or "the caller's nixpkgs"

    @property
    def brief(self) -> str:
        """The same for a sentence, with a shortened commit."""
        whole = len(self.rev) == 40 and self.rev.isalnum()
        return self.rev[:12] if whole else self.shown


@dataclass(frozen=True, slots=True)
class Switch:
    """A part of nixpkgs' own build that is switched off: its name, the way, and the place."""

    SHOWN = ("part", "how")

    part: str
    how: str
    place: Extent = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a recipe that is not understood: which part, its text, and a clause that says
    why."""

    what: str
    text: str
    why: str
    place: Extent = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Inner:
    """A package that is changed in an argument, such as `torch = torch.override { … }`: its name,
    and its changes by path."""

    package: str
    settings: dict[str, Seen]


@dataclass(frozen=True, slots=True)
class RecipeFacts:
    """The content of one recipe that the audit understands.

    `package` is the package that it changes (`python3Packages.torch`). It is None if the recipe
    builds from scratch (`scratch` names the builder), or if the package is not understood.
    `settings` are by path: `config.allowUnfree`, `args.gpuTargets`, `attrs.pname`,
    `meta.platforms`. `effects` are the changes of overlays, by `target: attribute`. `elsewhere` is
    the file or function that makes the package, if the audit does not follow it; that may have
    settings of its own. `python` is the set that `python3Packages` is at the pin, empty if that is
    not known. `inner` are the changed packages among the arguments, by the path of the argument.
    `followed` are the imported files that were read. `perhaps` is set if the file may be a package
    or not. `needs` are the other recipes of the folder that the file names.
    """

    package: Seen | None
    pin: Pin | None
    settings: dict[str, Seen]
    effects: dict[str, Seen]
    gaps: tuple[Gap, ...]
    scratch: str = ""
    switches: tuple[Switch, ...] = ()
    isa_flags: tuple[str, ...] = ()
    elsewhere: str = ""
    python: str = ""
    inner: dict[str, Inner] = field(default_factory=dict)
    followed: tuple[Followed, ...] = ()
    perhaps: bool = False
    needs: frozenset[str] = frozenset()

    @property
    def all(self) -> dict[str, Seen]:
        """The settings, and the changes of overlays."""
        return {**self.settings, **self.effects}

    @property
    def off(self) -> frozenset[str]:
        """The parts of the build that are switched off."""
        return frozenset([switch.part for switch in self.switches])

    def texts(self, path: str) -> tuple[str, ...] | None:
        """The texts of a list if all are known; None for any other value."""
        seen = self.settings.get(path)
        value = seen.value if seen is not None else None
        if not isinstance(value, tuple) or holds_unread(value):
            return None
        texts = tuple([item for item in value if isinstance(item, str)])
        return texts if len(texts) == len(value) else None

    @property
    def pname(self) -> str | None:
        """The name that the recipe gives the package; None if it gives none."""
        for path in ("attrs.pname", "attrs.name"):
            seen = self.settings.get(path)
            if seen is not None and isinstance(seen.value, str) and "${" not in seen.value:
                return seen.value
        return None

    def place(self, path: str) -> Extent:
        seen = self.all.get(path)
        return seen.place if seen is not None else NOWHERE


def show(value: Found) -> str:
    """A value for the user, in Nix's spelling, cut if it is long."""
    text = show_whole(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]} …"


def show_whole(value: Found, *, exactly: bool = False) -> str:
    """The same without a limit of length; *exactly* with every blank."""

    def shown(inner: Found) -> str:
        return show_whole(inner, exactly=exactly)

    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int():
            return str(value)
        case str():
            text = value.replace("\n", "\\n").replace("\t", "\\t")
            return f'"{text if exactly else " ".join(value.split())}"'
        case tuple():
            return " ".join(("[", *map(shown, value), "]"))
        case Ref(path):
            return path
        case Added(base, inner, 0):
            return f"{base.path} + {shown(inner)}"
        case Added(base, inner, before):
            first, last = value.sides
            alone = isinstance(inner, tuple | str) and before == len(inner)
            text = f"{shown(first)} + {base.path}"
            return text if alone else f"{text} + {shown(last)}"
        case Fetched(function, fields):
            wanted = dict(fields)
            known = [wanted[key] for key in _TELLING if key in wanted]
            return f"{function} {' '.join(map(shown, known))}"
        case Linked(path):
            return beside(path)
        case Table(entries):
            return " ".join(("{", *(f"{key} = {shown(item)};" for key, item in entries), "}"))
        case Unread(text, _):
            return f"`{text}`"


_TELLING: Final = ("name", "owner", "repo", "ref", "url")


def canonical(value: Found, python: str = "") -> Found:
    """*value* without differences of spelling. These are the package set in scope from which a name
    comes (except the caller's), the name of the package's own value, and the order of keys.
    `python3Packages` is another name of the set *python*."""
    match value:
        case tuple():
            return tuple([canonical(item, python) for item in value])
        case Ref(path):
            root, _, rest = path.partition(".")
            same = root in _SETS or (root == "pkgs" and rest.partition(".")[0] == "lib")
            return Ref(_one_python(rest if rest and same else path, python))
        case str() if "${" in value and _PYTHON_WORD in value:
            return _PART.sub(lambda part: _one_python(part[0], python), value)
        case Added(_, tuple() | str()):
            first, last = (canonical(side, python) for side in value.sides)
            return _added(first, last)
        case Added(_, inner):
            return Added(Ref("old"), canonical(inner, python))
        case Fetched(function, fields):
            return Fetched(function, _sorted(fields, python))
        case Table(entries):
            return Table(_sorted(entries, python))
        case _:
            return value


def _added(first: Found, last: Found) -> Added:
    """The additions before and after the own value: both are lists, or both texts."""
    match first, last:
        case str(), str():
            return Added(Ref("old"), first + last, len(first))
        case tuple(), tuple():
            return Added(Ref("old"), first + last, len(first))
        case _:
            raise AssertionError(first, last)


def same_but_for_python(left: Found, right: Found) -> bool:
    """Whether two canonical values differ only in `python3` and a `python313`. If the Python of a
    pin is not known, these two may be the same."""
    mine, theirs = list(_pythons(left)), list(_pythons(right))
    if not mine or len(mine) != len(theirs):
        return False
    for one, other in zip(mine, theirs, strict=True):
        if one != other and _DEFAULT not in (one, other):
            return False
    return canonical(left, _ANY) == canonical(right, _ANY)


_PYTHON_WORD: Final = "python3"
_DEFAULT: Final = ""  # the digits of `python3` after the 3
_ANY: Final = "python?"  # a name that replaces each set
_PART: Final = re.compile(r"\$\{[^}]*\}")
_INTERPRETER: Final = re.compile(r"\bpython3(\d*)(\.pkgs\b|Packages\b|(?=[.}]|$))")


def _one_python(path: str, python: str) -> str:
    """*path* with one name for each Python."""
    if _PYTHON_WORD not in path:
        return path
    minor = python.removeprefix(_PYTHON_WORD).removesuffix("Packages")

    def named(found: re.Match[str]) -> str:
        if python == _ANY:
            return _ANY
        return f"{_PYTHON_WORD}{found[1] or minor}{'Packages' if found[2] else ''}"

    return _INTERPRETER.sub(named, path)


def _pythons(value: Found) -> Iterator[str]:
    """The digits of each Python that *value* names to Nix."""
    for one in leaves(value):
        match one:
            case Ref(path):
                named = [path]
            case str():
                named = _PART.findall(one)
            case _:
                continue
        for part in named:
            yield from [found[1] for found in _INTERPRETER.finditer(part)]


_SETS: Final = frozenset(("final", "prev", "nixpkgs", "pyFinal", "pyPrev"))


def _sorted(entries: tuple[tuple[str, Found], ...], python: str) -> tuple[tuple[str, Found], ...]:
    ordered = sorted(entries, key=lambda entry: entry[0])
    return tuple((key, canonical(item, python)) for key, item in ordered)


def leaves(value: Found) -> Iterator[Found]:
    """The values within the lists, sets, fetchers and additions in *value*, in order; *value*
    itself if it is none of these."""
    parts: Iterable[Found]
    match value:
        case tuple():
            parts = value
        case Added(_, inner):
            parts = (inner,)
        case Fetched(_, entries) | Table(entries):
            parts = [item for _, item in entries]
        case _:
            yield value
            return
    for part in parts:
        yield from leaves(part)


def holds_unread(value: Found) -> bool:
    """Whether anything in *value* is not understood."""
    if isinstance(value, str):  # most values
        return UNREAD_PART in value
    return any(
        isinstance(one, Unread) or (isinstance(one, str) and UNREAD_PART in one)
        for one in leaves(value)
    )
