"""What lints look at, taken out of a decided variant and kept for all variants that share it.

Settings are shared between variants by identity, so a subject is worked out once for each
combination of the objects that it is made of. Only so many are kept: a program has more variants
than fit into memory at once.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.hosts.rows import has_fact, text_fact
from tvarc.light import Any, Callable, Final, Generic, Iterable, Mapping, TypeVar, cast, dataclass
from tvarc.lints.cuda import Cuda, Item, changes_of, cuda_of, items, package_name
from tvarc.lints.flags import Flags, flags_of, may_export
from tvarc.source import Span
from tvarc.values import RowValue, Value, Version

KEPT: Final = 2048
CUDA: Final = "cuda"
CPU: Final = "cpu"
SUBJECTS: Final = (CUDA, CPU, "flags", "attrs", "words")

T = TypeVar("T")
Objects = tuple[object, ...]
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Cpu:
    """The instruction set of a variant: axis values with the facts of one, and the platforms
    that the package is said to be for."""

    rows: tuple[RowValue, ...]
    platforms: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Attrs:
    """Attributes of the package that lints ask for, those that describe it apart."""

    attrs: dict[str, ir.Setting]
    broken: ir.Setting | None


@dataclass(frozen=True, slots=True)
class Words:
    """What describes the package to people, and the place of the package itself."""

    settings: tuple[ir.Setting, ...]
    package: Span


@dataclass(frozen=True, slots=True)
class Subjects:
    """All that lints may look at in one variant. Who runs lints that read some of them may leave
    the others out."""

    cuda: Cuda
    cpu: Cpu
    flags: Flags
    attrs: Attrs
    words: Words


def some(known: Mapping[str, object]) -> Subjects:
    """Those subjects that are known."""
    return Subjects(*[cast("Any", known.get(name)) for name in SUBJECTS])


def is_read(subject: str, block: str, key: str) -> bool:
    """Whether *subject* is made of what recipes say of *key* in *block*; `script` is a block of
    scripts, and `pin`, `config` and `overlays` are each one thing. Besides those it is made of axis
    values, see `SubjectsOf.role`, and of nothing else."""
    match subject:
        case "cuda":
            return block in ("package", "pin", "config", "overlays", "args")
        case "cpu":
            return (block, key) == ("meta", _PLATFORMS)
        case "flags":
            named = block in ("attrs", "env") and may_export(key)
            return named or block in ("package", "overlays", "script")
        case "attrs":
            return (block == "attrs" and key in _ATTRS) or (block, key) == ("meta", _BROKEN)
        case _:
            return block == "package" or (block == "meta" and key in _WORDS)


class Remembered(Generic[T]):
    """Values by the objects that they were made of, which are kept alive as long as they are
    known: an identity stands for one object only while it lives."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[Key, tuple[Objects, T]] = {}

    def get(self, key: Key) -> T | None:
        found = self.known.get(key)
        return found[1] if found is not None else None

    def put(self, key: Key, objects: Objects, value: T) -> T:
        if len(self.known) >= KEPT:
            self.known.clear()
        self.known[key] = (objects, value)
        return value


class SubjectsOf:
    """Takes variants apart."""

    __slots__ = ("attrs", "cpu", "cuda", "equal", "exports", "flags", "roles", "words")

    def __init__(self) -> None:
        self.cuda: Remembered[Cuda] = Remembered()
        self.cpu: Remembered[Cpu] = Remembered()
        self.flags: Remembered[Flags] = Remembered()
        self.equal: Remembered[Flags] = Remembered()
        self.attrs: Remembered[Attrs] = Remembered()
        self.words: Remembered[Words] = Remembered()
        self.exports: dict[str, bool] = {}
        self.roles: dict[tuple[str, int], tuple[Value, str]] = {}  # axes have few values

    def __call__(self, recipe: ir.Recipe) -> Subjects:
        return Subjects(
            self.of_cuda(recipe),
            self.of_cpu(recipe),
            self.of_flags(recipe),
            self.of_attrs(recipe),
            self.of_words(recipe),
        )

    def of(self, subject: str, recipe: ir.Recipe) -> object:
        """*subject* of a recipe that needs no more than what it is made of."""
        made: dict[str, Callable[[ir.Recipe], object]] = {
            "cuda": self.of_cuda,
            "cpu": self.of_cpu,
            "flags": self.of_flags,
            "attrs": self.of_attrs,
            "words": self.of_words,
        }
        return made[subject](recipe)

    def of_cuda(self, recipe: ir.Recipe) -> Cuda:
        objects: list[object] = [recipe.package, recipe.matrix_span, *recipe.config]
        objects += recipe.changes.args
        for overlay in recipe.overlays:
            objects.append(overlay.declared)
            changes = overlay.changes
            objects += changes.args
            objects += changes.attrs
            objects += changes.meta
            objects += changes.passthru
        objects += [one.value for one in recipe.axes if self.role(one.axis, one.value) is CUDA]
        pin = recipe.pin
        # A pin is made anew for each variant: its texts tell it.
        told = (pin.name, pin.url, pin.hash) if pin is not None else ()
        key = (*map(id, objects), *told)
        return self.cuda.get(key) or self.cuda.put(key, tuple(objects), cuda_of(recipe))

    def of_cpu(self, recipe: ir.Recipe) -> Cpu:
        platforms = None
        for one in recipe.changes.meta:
            if one.key == _PLATFORMS:
                platforms = one
        rows = [one.value for one in recipe.axes if self.role(one.axis, one.value) is CPU]
        objects = (platforms, *rows)
        key = tuple(map(id, objects))
        found = self.cpu.get(key)
        if found is not None:
            return found
        known = tuple(row for row in rows if isinstance(row, RowValue))
        return self.cpu.put(key, objects, Cpu(known, items(platforms)))

    def of_flags(self, recipe: ir.Recipe) -> Flags:
        package = package_name(recipe)
        changes = changes_of(recipe, package) if package else (recipe.changes,)
        objects = tuple(self.exporting(changes))
        key = tuple(map(id, objects))
        found = self.flags.get(key)
        if found is None:
            made = flags_of(objects)
            # Scripts that differ in what they print export the same.
            found = self.equal.get((made,)) or self.equal.put((made,), (), made)
            self.flags.put(key, objects, found)
        return found

    def exporting(self, changes: Iterable[ir.Changes]) -> list[ir.Script | ir.Setting]:
        """What of *changes* may export something: its scripts and variables, in order."""
        found: list[ir.Script | ir.Setting] = []
        exports = self.exports
        for one in changes:
            found += one.scripts
            for setting in (*one.env, *one.attrs):
                key = setting.path[-1]
                known = exports.get(key)
                if known is None:
                    known = exports[key] = may_export(key)
                if known:
                    found.append(setting)
        return found

    def role(self, axis: str, value: Value) -> str:
        """The subject that *value* of *axis* belongs to: `cuda`, `cpu`, or none."""
        known = self.roles.get((axis, id(value)))
        if known is None:
            known = self.roles[axis, id(value)] = (value, _role(axis, value))
        return known[1]

    def of_attrs(self, recipe: ir.Recipe) -> Attrs:
        attrs = [one for one in recipe.changes.attrs if one.key in _ATTRS]
        broken = None
        for one in recipe.changes.meta:
            if one.key == _BROKEN:
                broken = one
        objects = (broken, *attrs)
        key = tuple(map(id, objects))
        return self.attrs.get(key) or self.attrs.put(
            key, objects, Attrs({one.key: one for one in attrs}, broken)
        )

    def of_words(self, recipe: ir.Recipe) -> Words:
        meta = tuple([one for one in recipe.changes.meta if one.key in _WORDS])
        objects = (recipe.package, *meta)
        key = tuple(map(id, objects))
        return self.words.get(key) or self.words.put(
            key, objects, Words(meta, recipe.package.origin.span)
        )


_PLATFORMS: Final = "platforms"
_BROKEN: Final = "broken"
_ATTRS: Final = ("cmakeFlags", "dontUseCmakeConfigure", "version")
_WORDS: Final = ("description", "longDescription")


def _role(axis: str, value: Value) -> str:
    if isinstance(value, Version):
        return CUDA if axis == CUDA else ""
    if has_fact(value, "capability") or has_fact(value, "min-driver"):
        return CUDA
    known = text_fact(value, "arch") is not None or text_fact(value, "platform") is not None
    return CPU if known else ""
