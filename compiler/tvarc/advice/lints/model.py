"""The definition of a lint: its reads and its findings.

A lint is a function with the decorator `lint`. Its parameters name its reads: subjects, such as
`cuda`, the lines of descriptions (`line`), and the `facts` of the library. A subject is a function
with the decorator `subject`. It is computed from settings of a variant, or from other subjects.

A lint depends on its arguments only. So it runs once for each tuple of them, however many variants
have it in common.
"""

from __future__ import annotations

from tvarc.light import Any, Callable, Final, Generic, Iterator, TypeVar, cast, dataclass
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.value import Value

LINE: Final = "line"
"""The parameter of lints that run for each line of the descriptions of a variant."""

FACTS: Final = "facts"
"""The parameter for the facts of the library."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a description that may name a GPU, a CPU or a CUDA, and the place of the
    description. A line that is `aside` may be about other builds. A name, or a line that a script
    prints, is checked for its CUDA only (`only_cuda`)."""

    text: str
    span: Span
    aside: bool = False
    only_cuda: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one variant. All findings of a lint at one place are one message, for all
    variants.

    `case` is a sentence with the fact and its source. `help` is the advice, as the beginning of a
    sentence. `what` is the fault in a few words, if it differs from the lint's. `by_hand` is the
    help for a recipe written by hand in Nix, if it differs from `help`. `line` is the line that the
    label quotes.
    """

    span: Span
    label: str
    case: str
    help: str
    others: tuple[tuple[Span, str], ...] = ()
    what: str = ""
    by_hand: str = ""
    line: Line | None = None


class Lint(Generic[T]):
    """A lint: its code, the name that switches it off, its title in lists of codes, and the fault
    in a few words, as its messages begin. `reads` are the parameters of `look`."""

    __slots__ = ("code", "look", "name", "reads", "title", "what")

    def __init__(self, code: str, name: str, title: str, what: str, look: T) -> None:
        self.code = code
        self.name = name
        self.title = title
        self.what = what
        self.look = look
        self.reads = _parameters(look)


def lint(code: str, name: str, title: str, what: str = "") -> Callable[[T], Lint[T]]:
    """The decorator that makes a function a lint; *what* is the title if it is left out. The
    function may also be one that a caller runs on something else than a variant, such as a source.
    """

    def made(look: T) -> Lint[T]:
        return Lint(code, name, title, what or title, look)

    return made


def _parameters(function: Any) -> tuple[str, ...]:
    code = function.__code__
    return cast("tuple[str, ...]", code.co_varnames[: code.co_argcount])


VariantLint = Lint[Callable[..., Iterator[Finding]]]
"""A lint whose parameters are subjects, `line` and `facts`."""


@dataclass(frozen=True, slots=True)
class Read:
    """The settings of *block* that a subject reads: those with a key that `keys` accepts, or all.
    `package`, `scope`, `pin`, `config`, `overlays` and `needs` are blocks as well. `sees` returns
    what the subject sees of one setting (of `overlays`: of all of them): if that is equal, the
    subject is the same. Without `sees` the subject sees all of it. If `place` is set, it sees only
    whether a setting is written, and where, but not its value."""

    block: str
    keys: Callable[[str], bool] | None = None
    sees: Callable[[Any], object] | None = None
    place: bool = False

    def accepts(self, block: str, key: str) -> bool:
        return block == self.block and (self.keys is None or self.keys(key))


@dataclass(frozen=True, slots=True)
class Subject:
    """A property of a variant that lints read, by the name of its function `make`.

    If it `reads` settings, `make` takes a recipe with these settings, and the values of those axes
    that `axes` accepts. Else it is computed from the `subjects` that the parameters of `make` name.
    If it is `compared`, equal values are one.
    """

    name: str
    make: Callable[..., object]
    reads: tuple[Read, ...]
    axes: Callable[[str, Value], bool] | None
    subjects: tuple[str, ...]
    compared: bool


def subject(
    *reads: Read, axes: Callable[[str, Value], bool] | None = None, compared: bool = True
) -> Callable[[Callable[..., T]], Subject]:
    """The decorator that makes a function a subject. Without *reads* its parameters name the
    subjects that it is computed from."""

    def made(make: Callable[..., T]) -> Subject:
        names = () if reads else _parameters(make)
        return Subject(cast("Any", make).__name__, make, reads, axes, names, compared)

    return made


def things_read(recipe: ir.Recipe, one: Read) -> list[object]:
    """The settings and the like of *recipe* that *one* is about."""
    match one.block:
        case "package":
            return [recipe.package]
        case "scope":
            return [recipe.scope]
        case "pin":
            return [recipe.pin]
        case "config":
            return [*recipe.config]
        case "overlays":
            return [*recipe.overlays]
        case "needs":
            return [*recipe.needs]
        case _:
            settings = recipe.changes.of(one.block)
            return [each for each in settings if one.keys is None or one.keys(each.key)]


# --- results that are computed once -----------------------------------------------------------


KEPT: Final = 2048
"""The number of values that are kept at once: a program can have more variants than fit into
memory."""

Objects = tuple[object, ...]


class Remembered(Generic[T]):
    """Values by the objects from which they were computed. It keeps these objects alive, because
    Python may give the identity of a freed object to another one."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[Objects, tuple[Objects, T]] = {}

    def get(self, key: Objects) -> T | None:
        """The value of *key*; None if it is not known."""
        found = self.known.get(key)
        return found[1] if found is not None else None

    def put(self, key: Objects, objects: Objects, value: T) -> T:
        """Store *value* under *key*, and keep *objects* alive."""
        if len(self.known) >= KEPT:
            self.known.clear()
        self.known[key] = (objects, value)
        return value


class Equal:
    """Equal values as one object, so that what is computed from one of them is shared."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    def one(self, made: T) -> T:
        """The stored object that is equal to *made*, or *made* itself. An unhashable value is never
        shared.
        """
        try:
            known = self._known.get(made)
        except TypeError:
            return made
        if known is not None:
            return cast("T", known)
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[made] = made
        return made
