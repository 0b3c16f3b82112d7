"""What lints look at, taken out of a decided variant and kept for all variants that share it.

Settings are shared between variants by identity, so a subject is worked out once for each
combination of the objects that it is made of. Only so many are kept: a program has more variants
than fit into memory at once.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.blocks import IN_PARTS
from tvarc.diagnostics.model import CompilerBug
from tvarc.light import (
    Any,
    Final,
    Generic,
    Iterable,
    Iterator,
    Literal,
    Mapping,
    TypeVar,
    assert_never,
    cast,
    dataclass,
)
from tvarc.lints.branches import branches_of
from tvarc.lints.cuda import Cuda, Item, changes_of, cuda_of, items, package_name, seen_of
from tvarc.lints.flags import (
    ASKED_FOR,
    TARGETS,
    Exported,
    Flags,
    exported_by,
    may_export,
    together,
)
from tvarc.lints.mentioned_attributes import keeps_own, mentioned_by, reads_own
from tvarc.lints.names import may_name
from tvarc.lints.packages import one_set
from tvarc.nixpkgs import REPOSITORY, form_at, is_named_early
from tvarc.row_facts import has_fact, text_fact
from tvarc.source import Span
from tvarc.values import MISSING, NixCall, NixRef, NixText, RowValue, Value, Version

KEPT: Final = 2048
Subject = Literal[
    "cuda", "cpu", "hosts", "exports", "flags", "switches", "targets", "version", "cmake", "broken",
    "words", "sets", "named", "keys", "python", "written", "unpacked", "stored",
]  # fmt: skip
CUDA: Final = "cuda"
NAMED: Final = "named"
CPU: Final = "cpu"
# In the order of the fields of `Subjects`.
SUBJECTS: Final[tuple[Subject, ...]] = (
    CUDA, CPU, "hosts", "exports", "flags", "switches", "targets", "version", "cmake", "broken",
    "words", "sets", "named", "keys", "python", "written", "unpacked", "stored",
)  # fmt: skip
DERIVED: Final[Mapping[Subject, Subject]] = {
    "hosts": "cpu",
    "flags": "exports",
    "switches": "exports",
    "targets": "exports",
}
"""The subjects that are made of another one alone, by `SubjectsOf.out_of`."""

T = TypeVar("T")
Objects = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Cpu:
    """The instruction set of a variant: axis values with the facts of one, and the platforms
    that the package is said to be for."""

    rows: tuple[RowValue, ...]
    platforms: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Hosts:
    """The CPU architectures that a variant is for: those of its axes (`crossed`), else those of its
    platforms, which stand at `place`. A Mac is no such host, whatever its CPU: CUDA is for Linux.
    """

    arches: frozenset[str]
    place: Span | None
    crossed: bool


@dataclass(frozen=True, slots=True)
class Words:
    """What describes the package to people, the branches of the driver that it states, and the
    place of the package itself."""

    settings: tuple[ir.Setting, ...]
    stated: tuple[tuple[Version, ir.Setting], ...]
    package: Span


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text for people that may name a GPU or a CUDA, and where the text stands. One
    that is said `aside` may be about other builds."""

    text: str
    span: Span
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """An attribute, a script or an entry of `meta` that is set, by its name."""

    name: str
    span: Span
    script: bool = False
    meta: bool = False


@dataclass(frozen=True, slots=True)
class Python:
    """The set of Python packages that the package is taken from, by its name in nixpkgs; empty for
    anything else. `place` is that of the package."""

    set: str
    place: Span


@dataclass(frozen=True, slots=True)
class Whole:
    """A list that is written whole, in the place of the one that `package` has under `name`."""

    name: str
    package: str
    span: Span


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A source that a program writes, and the `sourceRoot` that it writes beside it. `folder` is
    what the source is unpacked to, empty where that is in the archive alone."""

    folder: str
    root: str
    source: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Stored:
    """What a package of a set is called by: the path of the set, the release that its nixpkgs is
    said to be of, and the settings that would be in its name, of which the first one is at `span`.
    Nothing names it whole."""

    set: ir.Path
    release: str
    keys: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Changed:
    """A package set that an overlay changes, and the members that it changes there. `form` is how
    it does, `via` the form that it asks for, or empty; `usual` that it is the one without `via`.
    `taken` are the paths of nixpkgs that the recipe and the other overlays hand on."""

    path: ir.Path
    members: tuple[str, ...]
    form: str
    via: str
    usual: bool
    taken: frozenset[ir.Path]
    span: Span


@dataclass(frozen=True, slots=True)
class Sets:
    """The package set that the package is taken from, where it is taken from one by name, and its
    name there; the place of the package; the sets that overlays change; the paths of nixpkgs that
    overlays write anew."""

    built: ir.Path
    name: str
    place: Span
    changed: tuple[Changed, ...]
    written: frozenset[ir.Path]


@dataclass(frozen=True, slots=True)
class Subjects:
    """All that lints may look at in one variant. Who runs lints that read some of them may leave
    the others out."""

    cuda: Cuda
    cpu: Cpu
    hosts: Hosts
    exports: Flags
    flags: Flags  # all of them but the GPUs to build for
    switches: Flags  # those that lints ask for by name
    targets: Flags  # the GPUs to build for
    version: ir.Setting | None  # or the source, where that alone is written
    cmake: tuple[ir.Setting, ...]  # what the package says of CMake
    broken: ir.Setting | None
    words: Words
    sets: Sets
    named: tuple[Line, ...]  # those of its descriptions; lints look at each of them by itself
    keys: tuple[Key, ...]  # the attributes that are set
    python: Python
    written: tuple[Whole, ...]  # the lists of packages of nixpkgs that are written whole
    unpacked: tuple[Unpacked, ...]
    stored: Stored | None


def some(known: Iterable[tuple[str, object]]) -> Subjects:
    """Those subjects that are known, by their names."""
    made = object.__new__(Subjects)
    for name, subject in known:
        object.__setattr__(made, name, subject)
    return made


def is_read(subject: Subject, block: str, key: str) -> bool:
    """Whether *subject* is made of what recipes say of *key* in *block*; `part` is a block of
    parts of scripts, and `pin`, `config` and `overlays` are each one thing. Besides those it is
    made of axis values, see `SubjectsOf.role`, and of nothing else."""
    match subject:
        case "cuda":
            return block in ("package", "pin", "config", "overlays", "args", "needs")
        case "cpu" | "hosts":
            return (block, key) == ("meta", _PLATFORMS)
        case "exports" | "flags" | "switches" | "targets":
            named = block in ("attrs", "env") and may_export(key)
            return named or block in ("package", "overlays", "part")
        case "version":
            return block == "attrs" and key in (_VERSION, _SOURCE)
        case "cmake":
            return block == "attrs" and key in _CMAKE
        case "broken":
            return (block, key) == ("meta", _BROKEN)
        case "words":
            return block == "package" or (block == "meta" and key in _WORDS)
        case "sets":
            return block in ("package", "overlays", "pin") or _hands_on(block, key)
        case "named":
            return block == "meta" and key in _WORDS
        case "keys":
            own = key.partition("/")[0]  # a part of a script is called by both
            return (
                block == "overlays"
                or (block in ("attrs", "part") and may_be_misspelt(own))
                or (block == "meta" and may_be_misspelt_meta(key))
            )
        case "python":
            return block == "package"
        case "written":
            return block in ("package", "overlays") or (block == "attrs" and key in OWN_LISTS)
        case "unpacked":
            return block == "overlays" or (block == "attrs" and key in _UNPACKING)
        case "stored":
            return block in ("package", "pin") or (block == "attrs" and key in _NAMING)
        case _:
            assert_never(subject)


class Remembered(Generic[T]):
    """Values by the objects that they were made of, which are kept alive as long as they are
    known: an identity stands for one object only while it lives."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[Objects, tuple[Objects, T]] = {}

    def get(self, key: Objects) -> T | None:
        found = self.known.get(key)
        return found[1] if found is not None else None

    def put(self, key: Objects, objects: Objects, value: T) -> T:
        if len(self.known) >= KEPT:
            self.known.clear()
        self.known[key] = (objects, value)
        return value


class SubjectsOf:
    """Takes variants apart."""

    __slots__ = (
        "all_exports", "cmake", "cpu", "cuda", "equal", "exported", "exports", "hosts", "keys",
        "lines_of", "named", "naming", "roles", "sets", "some_exports", "words",
    )  # fmt: skip

    def __init__(self) -> None:
        self.cuda: Remembered[Cuda] = Remembered()
        self.cpu: Remembered[Cpu] = Remembered()
        self.all_exports: Remembered[Flags] = Remembered()
        self.equal: Remembered[object] = Remembered()
        self.exported: Remembered[Exported] = Remembered()  # of single parts
        self.hosts: Remembered[Hosts] = Remembered()
        self.some_exports: Remembered[Flags] = Remembered()
        self.cmake: Remembered[tuple[ir.Setting, ...]] = Remembered()
        self.words: Remembered[Words] = Remembered()
        self.sets: Remembered[Sets] = Remembered()
        self.named: Remembered[tuple[Line, ...]] = Remembered()
        self.lines_of: Remembered[tuple[Line, ...]] = Remembered()  # of single settings
        self.naming: Remembered[tuple[Line, ...]] = Remembered()  # by texts and places
        self.keys: Remembered[tuple[Key, ...]] = Remembered()
        self.exports: dict[str, bool] = {}
        self.roles: dict[tuple[str, int], tuple[Value, str]] = {}  # axes have few values

    def __call__(self, recipe: ir.Recipe) -> Subjects:
        return Subjects(*[cast("Any", self.of(subject, recipe)) for subject in SUBJECTS])

    def of(self, subject: Subject, recipe: ir.Recipe) -> object:
        """*subject* of a recipe that needs no more than what it is made of."""
        match subject:
            case "cuda":
                return self.of_cuda(recipe)
            case "cpu":
                return self.of_cpu(recipe)
            case "hosts":
                return self.of_hosts(self.of_cpu(recipe))
            case "exports":
                return self.of_exports(recipe)
            case "flags" | "switches" | "targets":
                return self.of_some(subject, self.of_exports(recipe))
            case "version":
                return stated_version(recipe.changes.attrs)
            case "cmake":
                return self.of_cmake(recipe)
            case "broken":
                return _last(recipe.changes.meta, _BROKEN)
            case "words":
                return self.of_words(recipe)
            case "sets":
                return self.of_sets(recipe)
            case "named":
                return self.of_named(recipe)
            case "keys":
                return self.of_keys(recipe)
            case "python":
                return self.same(_python(recipe.package))
            case "written":
                return self.same(tuple(_written_whole(recipe)))
            case "unpacked":
                return self.same(tuple(_unpacked(recipe)))
            case "stored":
                return self.same((_stored(recipe),))[0]
            case _:
                assert_never(subject)

    def seen(self, subject: Subject, setting: object) -> object:
        """What *subject* sees of a part of a recipe; None where it is all of it. Parts of which it
        is equal make equal subjects."""
        if subject == "sets" and isinstance(setting, ir.Pin):
            return setting.age
        if subject == "stored" and isinstance(setting, ir.Pin):
            return setting.release
        if isinstance(setting, tuple):
            return self._seen_of_overlays(subject, setting)
        if not isinstance(setting, ir.Setting):
            return None
        if setting.path == ("package",):
            if subject == "python":
                return _python(setting)
            if subject in ("written", "stored"):
                return ".".join(_of_nixpkgs(setting))
            return seen_of(setting) if subject != "sets" else None
        match subject:
            case "exports":
                return self.exported_by(setting)
            case "sets":
                return frozenset(mentioned_by(setting))
            case "words":
                # Of a description the driver counts that it states, and the place.
                known = isinstance(setting.value, str)
                return (setting.origin.span, known, *[one.text for one in branches_of(setting)])
            case "keys" if setting.path[0] in IN_PARTS:
                return _script_key(setting)
            case "written":
                return (setting.origin.span, setting.key, _is_whole(setting))
            case "keys" | "stored":
                return (setting.origin.span, setting.key)
            case _:
                return None

    def _seen_of_overlays(self, subject: Subject, overlays: tuple[ir.Overlay, ...]) -> object:
        """What *subject* sees of all overlays of a recipe."""
        match subject:
            case "exports":
                return tuple(
                    [
                        (one.target[-1:], *map(self.exported_by, self.exporting((one.changes,))))
                        for one in overlays
                        if one.relation == "for"
                    ]
                )
            case "keys":
                changed = [one.changes for one in overlays if one.relation == "for"]
                attrs = [
                    (one.key, one.origin.span)
                    for some in changed
                    for one in (*some.attrs, *_meta_slips(some))
                ]
                return (*attrs, *[_script_key(one) for some in changed for one in some.scripts])
            case "written":
                return tuple([found for one in overlays for found in _whole_of_overlay(one)])
            case "unpacked":
                return tuple([found for one in overlays for found in _unpacked_by(one.changes)])
            case _:
                return None

    def exported_by(self, part: ir.Setting) -> Exported:
        """What *part* exports, worked out once."""
        key = (id(part),)
        return self.exported.get(key) or self.exported.put(key, (part,), exported_by(part))

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
        for need in recipe.needs:
            objects.append(need.setting)
            if need.built is not None:  # this itself is made anew for each variant
                objects += (need.built.package, need.built.version)
        objects += [one.value for one in recipe.axes if self.role(one.axis, one.value) is CUDA]
        pin = recipe.pin
        # A pin is made anew for each variant: its texts tell it.
        told = (pin.name, pin.url, pin.path, pin.hash) if pin is not None else ()
        targets = [overlay.target for overlay in recipe.overlays]  # they may be computed
        key = (*map(id, objects), *told, *targets)
        return self.cuda.get(key) or self.cuda.put(key, tuple(objects), cuda_of(recipe))

    def of_cpu(self, recipe: ir.Recipe) -> Cpu:
        platforms = _last(recipe.changes.meta, _PLATFORMS)
        rows = [one.value for one in recipe.axes if self.role(one.axis, one.value) is CPU]
        objects = (platforms, *rows)
        key = tuple(map(id, objects))
        found = self.cpu.get(key)
        if found is not None:
            return found
        known = tuple(row for row in rows if isinstance(row, RowValue))
        return self.cpu.put(key, objects, Cpu(known, tuple(_named_platforms(items(platforms)))))

    def out_of(self, subject: Subject, other: object) -> object:
        """A subject of `DERIVED` out of the one that it is made of."""
        match other:
            case Cpu():
                return self.of_hosts(other)
            case Flags():
                return self.of_some(subject, other)
            case _:
                raise CompilerBug(f"{subject} is not made of one other subject")

    def of_hosts(self, cpu: Cpu) -> Hosts:
        key = (id(cpu),)
        return self.hosts.get(key) or self.hosts.put(key, (cpu,), self.same(_hosts(cpu)))

    def of_some(self, subject: Subject, exports: Flags) -> Flags:
        """Of what is exported what *subject* is about."""
        key = (subject, id(exports))
        found = self.some_exports.get(key)
        if found is None:
            named = [one for one in exports.exports if _is_about(subject, one.name)]
            words = frozenset([one for one in exports.mentions if _is_about(subject, one)])
            made = self.same(Flags(tuple(named), words, exports.known))
            found = self.some_exports.put(key, (exports,), made)
        return found

    def same(self, made: T) -> T:
        """*made*, or what is equal to it and was made before: variants that differ elsewhere
        have it in common."""
        return cast("T", self.equal.get((made,)) or self.equal.put((made,), (), made))

    def of_exports(self, recipe: ir.Recipe) -> Flags:
        package = package_name(recipe)
        changes = changes_of(recipe, package) if package else (recipe.changes,)
        objects = tuple(self.exporting(changes))
        key = tuple(map(id, objects))
        found = self.all_exports.get(key)
        if found is None:
            made = self.same(together(map(self.exported_by, objects)))
            found = self.all_exports.put(key, objects, made)
        return found

    def exporting(self, changes: Iterable[ir.Changes]) -> list[ir.Setting]:
        """What of *changes* may export something: its scripts and variables, in order."""
        found: list[ir.Setting] = []
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

    def of_cmake(self, recipe: ir.Recipe) -> tuple[ir.Setting, ...]:
        found = tuple([one for one in recipe.changes.attrs if one.key in _CMAKE])
        key = tuple(map(id, found))
        return self.cmake.get(key) or self.cmake.put(key, found, found)

    def of_words(self, recipe: ir.Recipe) -> Words:
        meta = tuple([one for one in recipe.changes.meta if one.key in _WORDS])
        objects = (recipe.package, *meta)
        key = tuple(map(id, objects))
        found = self.words.get(key)
        if found is None:
            stated = tuple([(one, setting) for setting in meta for one in branches_of(setting)])
            made = Words(meta, stated, recipe.package.origin.span)
            found = self.words.put(key, objects, made)
        return found

    def of_named(self, recipe: ir.Recipe) -> tuple[Line, ...]:
        meta = tuple([one for one in recipe.changes.meta if one.key in _WORDS])
        key = tuple(map(id, meta))
        found = self.named.get(key)
        if found is None:
            made = tuple([line for one in meta for line in self.lines(one)])
            found = self.named.put(key, meta, self.same(made))
        return found

    def lines(self, setting: ir.Setting) -> tuple[Line, ...]:
        """The lines of *setting* that may name a GPU or a CUDA."""
        key = (id(setting),)
        known = self.lines_of.get(key)
        if known is None:
            known = self.lines_of.put(key, (setting,), tuple(self._lines(setting)))
        return known

    def _lines(self, setting: ir.Setting) -> Iterator[Line]:
        for text in text_lines(setting):
            yield from self.line(text, setting.origin.span)

    def line(self, text: str, span: Span) -> tuple[Line, ...]:
        """The line *text* of what stands at *span*; none if it names nothing."""
        key = (text, span.file, span.start)
        known = self.naming.get(key)
        if known is None:
            made = (Line(text.strip(), span),) if may_name(text) else ()
            known = self.naming.put(key, (), made)
        return known

    def of_keys(self, recipe: ir.Recipe) -> tuple[Key, ...]:
        changed = [recipe.changes]
        changed += [one.changes for one in recipe.overlays if one.relation == "for"]
        objects = tuple(
            [one for some in changed for one in (*_may_be_misspelt(some), *_meta_slips(some))]
        )
        key = tuple(map(id, objects))
        found = self.keys.get(key)
        if found is None:
            made = [one for some in changed for one in _keys(_may_be_misspelt(some))]
            made += [
                Key(one.key, one.origin.span, meta=True)
                for some in changed
                for one in _meta_slips(some)
            ]
            found = self.keys.put(key, objects, self.same(tuple(made)))
        return found

    def of_sets(self, recipe: ir.Recipe) -> Sets:
        age = recipe.pin.age if recipe.pin is not None else ir.UNKNOWN
        overlays = recipe.overlays
        objects: list[object] = [recipe.package]
        told: list[object] = []
        if overlays:  # else nothing else matters
            objects += [one for one in recipe.changes.args if _hands_on("args", one.key)]
            objects += [one for one in recipe.changes.attrs if _hands_on("attrs", one.key)]
            told += [age.has, age.lacks]
        for one in overlays:
            # An overlay is made anew for each variant: what it changes tells it.
            objects.append(one.declared)
            objects += one.changes.args
            objects += one.changes.attrs
            told.append((one.target, one.relation, one.via))
        key = (*map(id, objects), *told)
        found = self.sets.get(key)
        if found is None:
            made = self.same(_sets(recipe, age))
            found = self.sets.put(key, tuple(objects), made)
        return found


def _is_about(subject: Subject, name: str) -> bool:
    match subject:
        case "targets":
            return name == TARGETS
        case "switches":
            return name in ASKED_FOR and name != TARGETS
        case _:
            return name != TARGETS


def _sets(recipe: ir.Recipe, age: ir.Age) -> Sets:
    value, place = recipe.package.value, recipe.package.origin.span
    path = value.attributes if isinstance(value, NixRef) and value.root == "pkgs" else ()
    if not path or not recipe.overlays:
        return Sets(path[:-1], path[-1] if path else "", place, (), frozenset())
    written: set[ir.Path] = set()
    own = [one for one in recipe.changes.args if _hands_on("args", one.key)]
    own += [one for one in recipe.changes.attrs if _hands_on("attrs", one.key)]
    taken = [frozenset([found for one in own for found in mentioned_by(one)])]
    for overlay in recipe.overlays:
        inside = _set_of(overlay)
        settings = (*overlay.changes.args, *overlay.changes.attrs)
        taken.append(frozenset([found for one in settings for found in mentioned_by(one, inside)]))
        if overlay.relation != "for":
            anew = [one for one in overlay.changes.attrs if not keeps_own(one)]
            written |= {(*inside, setting.key) for setting in anew}
    changed: list[Changed] = []
    for index, overlay in enumerate(recipe.overlays, 1):
        target = _set_of(overlay)
        if not target:
            continue
        usual = form_at(target, age.knows)
        members = tuple([setting.key for setting in overlay.changes.attrs])
        form = overlay.via or usual
        changed.append(
            Changed(
                target,
                members if overlay.relation == "in" else overlay.target[-1:],
                form,
                overlay.via,
                form == usual,
                frozenset().union(*taken[:index], *taken[index + 1 :]),
                overlay.declared,
            )
        )
    return Sets(path[:-1], path[-1], place, tuple(changed), frozenset(written))


def may_be_misspelt(key: str) -> bool:
    """Whether the attribute *key* may be a slip of the keyboard: neither a short one, nor one that
    most recipes set, nor a variable in capitals."""
    return len(key) >= _SHORTEST and key not in _EVERYDAY and key.isalpha() and not key.isupper()


def _may_be_misspelt(changes: ir.Changes) -> list[ir.Setting]:
    """The attributes and the scripts of *changes* whose names may be slips."""
    found: list[ir.Setting] = []
    found += [one for one in changes.attrs if may_be_misspelt(one.key)]
    found += [one for one in changes.scripts if may_be_misspelt(one.key.partition("/")[0])]
    return found


def may_be_misspelt_meta(key: str) -> bool:
    """Whether the entry *key* of `meta` may be a slip of the keyboard: neither a short one, nor one
    that most recipes set."""
    return len(key) >= _SHORTEST and key not in _EVERYDAY_META and key.isalpha()


def _meta_slips(changes: ir.Changes) -> list[ir.Setting]:
    """The entries of `meta` in *changes* whose names may be slips."""
    return [one for one in changes.meta if may_be_misspelt_meta(one.key)]


def _keys(written: Iterable[ir.Setting]) -> Iterator[Key]:
    """The names of what one package is *written* with, each once: a script may come as several of
    its parts, of which the first stands for it."""
    scripts: set[str] = set()
    for one in written:
        if one.path[0] not in IN_PARTS:
            yield Key(one.key, one.origin.span)
        elif (key := _script_key(one)) is not None and key.name not in scripts:
            scripts.add(key.name)
            yield key


def _script_key(script: ir.Setting) -> Key | None:
    """The name of *script*, which may be one part of it, where the first part stands that a program
    writes; None for one without."""
    for part in script.parts:
        if part.origin is not None and part.text is not None:
            return Key(script.key.partition("/")[0], part.origin.span, script=True)
    return None


def _python(package: ir.Setting) -> Python:
    """The Python that *package* is taken from."""
    value = package.value
    path = one_set(value.attributes[:-1]) if isinstance(value, NixRef) else ()
    return Python(path[0] if len(path) == 1 else "", package.origin.span)


def text_lines(setting: ir.Setting) -> list[str]:
    """The lines of a text for people; none of what is no text."""
    value = setting.value
    if isinstance(value, NixText):  # what only Nix knows ends a word
        value = "".join([one if isinstance(one, str) else "\0" for one in value.parts])
    return value.split("\n") if isinstance(value, str) else []


def _written_whole(recipe: ir.Recipe) -> Iterator[Whole]:
    """The lists that *recipe* writes whole of packages that nixpkgs has already."""
    package = ".".join(_of_nixpkgs(recipe.package))
    if package:
        for one in recipe.changes.attrs:
            if _is_whole(one):
                yield Whole(one.key, package, one.origin.span)
    for overlay in recipe.overlays:
        yield from _whole_of_overlay(overlay)


def _whole_of_overlay(overlay: ir.Overlay) -> Iterator[Whole]:
    if overlay.relation == "for" and not overlay.patch:
        for one in overlay.changes.attrs:
            if _is_whole(one):
                yield Whole(one.key, ".".join(overlay.target), one.origin.span)


def _unpacked(recipe: ir.Recipe) -> Iterator[Unpacked]:
    """The sources that *recipe* and its overlays write with a `sourceRoot` beside them."""
    yield from _unpacked_by(recipe.changes)
    for overlay in recipe.overlays:
        if overlay.relation == "for":
            yield from _unpacked_by(overlay.changes)


def _unpacked_by(changes: ir.Changes) -> Iterator[Unpacked]:
    written = {one.key: one for one in changes.attrs if one.key in _UNPACKING}
    source, root = written.get(_SOURCE), written.get("sourceRoot")
    if source is None or root is None or len(written) > 2 or not isinstance(root.value, str):
        return  # who sets the root in another way knows what there is
    call = source.value
    if isinstance(call, NixCall) and call.function in ("url", "github"):
        # Of what is fetched unpacked the name is that of the folder.
        name = call.argument("name") if call.function == "github" else ""
        folder = REPOSITORY if name is MISSING else name
        if isinstance(folder, str):
            yield Unpacked(folder, root.value, source.origin.span, root.origin.span)


def _stored(recipe: ir.Recipe) -> Stored | None:
    """What *recipe* is called by; None where it has a whole name, or none of its own."""
    written = {one.key: one for one in recipe.changes.attrs if one.key in _NAMING}
    first = next(iter(written.values()), None)
    path, pin = _of_nixpkgs(recipe.package), recipe.pin
    if first is None or "name" in written or len(path) < 2:
        return None
    if pin is None or not is_named_early(pin.release):
        return None
    return Stored(path[:-1], pin.release, tuple(written), first.origin.span)


def _of_nixpkgs(package: ir.Setting) -> ir.Path:
    """The attribute of nixpkgs that *package* is; empty where it is built of something else."""
    value = package.value
    return value.attributes if isinstance(value, NixRef) and value.root == "pkgs" else ()


def _is_whole(setting: ir.Setting) -> bool:
    """Whether *setting* is a list in the place of the package's own, with elements, and nothing
    says that this is meant: neither a reason, nor that the package's own is looked at."""
    if setting.key not in OWN_LISTS or setting.extends or setting.because:
        return False
    elements = setting.elements
    if elements is None or any(one.because for one in elements):
        return False
    if all(one.origin.span != setting.origin.span for one in elements):
        return False  # it begins with an empty list, which is hardly a slip
    return setting.head is None and not any(reads_own(one.value) for one in elements)


def _set_of(overlay: ir.Overlay) -> ir.Path:
    """The package set that *overlay* changes; empty where it changes none."""
    if overlay.relation == "in":
        return overlay.target
    return overlay.target[:-1] if overlay.relation == "for" else ()


def _hands_on(block: str, key: str) -> bool:
    """Whether what is named there becomes part of the package: an argument, or an input."""
    return block == "args" or (block == "attrs" and key.endswith("nputs"))


_PLATFORMS: Final = "platforms"
# Lists of nixpkgs' own for one kind of CPU, and the platform for Linux in each.
_LISTS: Final = ("lib", "platforms")
_OF_ONE_CPU: Final[Mapping[str, str]] = {
    "aarch64": "aarch64-linux",
    "x86_64": "x86_64-linux",
    "x86": "x86_64-linux",
}
_BROKEN: Final = "broken"
_VERSION: Final = "version"
_SOURCE: Final = "src"
_CMAKE: Final = ("cmakeFlags", "dontUseCmakeConfigure")
_WORDS: Final = ("description", "longDescription")
_SHORTEST: Final = 6  # letters; of a shorter word many others are near
# What decides where a source is unpacked, and in which folder of it the build begins.
_UNPACKING: Final = (_SOURCE, "sourceRoot", "setSourceRoot", "unpackPhase", "unpackCmd")
# What the name of a store path is made of.
_NAMING: Final = ("name", "pname", _VERSION)
# The lists that packages of nixpkgs fill themselves.
OWN_LISTS: Final = frozenset(
    (
        "buildFlags", "buildInputs", "checkInputs", "cmakeFlags", "configureFlags", "installFlags",
        "installCheckInputs", "makeFlags", "mesonFlags", "nativeBuildInputs", "nativeCheckInputs",
        "nativeInstallCheckInputs", "patches", "propagatedBuildInputs",
        "propagatedNativeBuildInputs",
    )
)  # fmt: skip
# What recipes set by the thousand: it is made of many axes, and surely spelled right.
_EVERYDAY_META: Final = frozenset(
    ("description", "longDescription", "license", "homepage", "platforms", "broken", "mainProgram")
)
_EVERYDAY: Final = frozenset(
    (
        "version", "patches", "cmakeFlags", "ninjaFlags", "buildInputs", "nativeBuildInputs",
        "postBuild", "postCheck", "postConfigure", "postFixup", "postInstall", "postPatch",
        "postUnpack", "preBuild", "preCheck", "preConfigure", "preFixup", "preInstall", "prePatch",
        "preUnpack", "buildPhase", "checkPhase", "configurePhase", "installPhase", "unpackPhase",
    )
)  # fmt: skip


def _last(settings: tuple[ir.Setting, ...], key: str) -> ir.Setting | None:
    found = None
    for one in settings:
        if one.key == key:
            found = one
    return found


def stated_version(attrs: tuple[ir.Setting, ...]) -> ir.Setting | None:
    """The setting that tells the version: `version`, or else a source, which may be any."""
    return _last(attrs, _VERSION) or _last(attrs, _SOURCE)


def _named_platforms(written: Iterable[Item]) -> Iterator[Item]:
    """The platforms of a list; of a list of nixpkgs' own, `lib.platforms.aarch64`, the one for
    Linux, where it is the list of one kind of CPU."""
    for item in written:
        value = item.value
        path = value.attributes if isinstance(value, NixRef) else ()
        if path[-3:-1] == _LISTS and path[-1] in _OF_ONE_CPU:
            yield Item(_OF_ONE_CPU[path[-1]], item.span)
        else:
            yield item


def _hosts(cpu: Cpu) -> Hosts:
    arches: set[str] = set()
    for row in cpu.rows:
        arches.add(text_fact(row, "arch") or _host(text_fact(row, "platform") or ""))
    if arches:
        return Hosts(frozenset(arches), None, True)
    for item in cpu.platforms:
        if not isinstance(item.value, str):
            return Hosts(frozenset(), None, False)
        arches.add(_host(item.value))
    place = cpu.platforms[0].span if cpu.platforms else None
    return Hosts(frozenset(arches), place, bool(cpu.rows))


def _host(platform: str) -> str:
    arch, _, system = platform.partition("-")
    return platform if system == "darwin" else arch


def _role(axis: str, value: Value) -> str:
    if isinstance(value, Version):
        return CUDA if axis == CUDA else ""
    if has_fact(value, "capability") or has_fact(value, "min-driver"):
        return CUDA
    known = text_fact(value, "arch") is not None or text_fact(value, "platform") is not None
    return CPU if known else ""
