"""The subjects of lints: the CUDA of a variant, its CPU, its exports, and the like.

Each function with the decorator `subject` is one of them. It states the settings that it reads, and
is computed once for each combination of these.
"""

from __future__ import annotations

from tvarc.advice.lints.branches import branches_of
from tvarc.advice.lints.cuda import (
    Cuda,
    Item,
    changes_of,
    cuda_of,
    is_of_cuda,
    items,
    package_name,
    seen_of,
)
from tvarc.advice.lints.flags import ASKED_FOR, TARGETS, Flags, exported_by, may_export, together
from tvarc.advice.lints.mentioned_attributes import keeps_own, mentioned_by, reads_own
from tvarc.advice.lints.model import Line, Read, subject
from tvarc.advice.lints.names import may_name
from tvarc.advice.lints.packages import one_set
from tvarc.blocks import IN_PARTS
from tvarc.light import Final, Iterable, Iterator, Mapping, dataclass
from tvarc.nix import ir
from tvarc.nix.nixpkgs import (
    REPOSITORY,
    form_at,
    instance_depth,
    is_compiler_variable,
    is_named_early,
    is_of_top_level,
)
from tvarc.text.source import Span
from tvarc.values.row_facts import text_fact
from tvarc.values.value import (
    MISSING,
    NONE,
    NixCall,
    NixRef,
    NixSource,
    NixText,
    Record,
    RowValue,
    Value,
    Version,
    called_attributes,
    values_in,
)


@dataclass(frozen=True, slots=True)
class Cpu:
    """The instruction set of a variant: axis values with the facts of one, and the platforms
    that the package is said to be for."""

    rows: tuple[RowValue, ...]
    platforms: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Hosts:
    """The CPU architectures that a variant is for: those of its axes (`crossed`), else those of its
    platforms, written at `place`. A Mac does not count, because CUDA is for Linux only.
    """

    arches: frozenset[str]
    place: Span | None
    crossed: bool


@dataclass(frozen=True, slots=True)
class Words:
    """The texts that describe the package to people, the branches of the driver that it states, and
    the place of the package itself.
    """

    settings: tuple[ir.Setting, ...]
    stated: tuple[tuple[Version, ir.Setting], ...]
    package: Span


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
    """A list that replaces the list `name` of `package`, or an attribute `name` that the call of
    the package, at `call`, sets as well. That attribute is a list, whose elements are in `held`, or
    a version, which the source reads.
    """

    name: str
    package: str
    span: Span
    call: Span | None = None
    held: str = ""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A source that a program writes, and the `sourceRoot` that it writes beside it. `folder` is
    the folder that the source unpacks to, empty if only the archive decides it.
    """

    folder: str
    root: str
    source: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Stored:
    """The parts of a store path's name for a package of a set: the path of the set, the release
    that its nixpkgs states, and the settings that would be in the name, the first of them at
    `span`. No setting gives the whole name.
    """

    set: ir.Path
    release: str
    keys: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Outside:
    """A variable of a compiler that is set as an attribute of a package of nixpkgs. `dated` if the
    pin says that its nixpkgs knows `env`."""

    name: str
    span: Span
    dated: bool


@dataclass(frozen=True, slots=True)
class Changed:
    """A package set that an overlay changes, and the members that it changes there. `form` is the
    form of the change, and `via` the requested form, or empty. `usual` says that `form` is the one
    without `via`. `taken` are the paths of nixpkgs that the recipe and the other overlays pass
    on."""

    path: ir.Path
    members: tuple[str, ...]
    form: str
    via: str
    usual: bool
    taken: frozenset[ir.Path]
    span: Span


@dataclass(frozen=True, slots=True)
class Sets:
    """The package set of the package, if the package is named as a member of one, and its name
    there; the place of the package; the sets that overlays change; the paths of nixpkgs that
    overlays replace.
    """

    built: ir.Path
    name: str
    place: Span
    changed: tuple[Changed, ...]
    written: frozenset[ir.Path]


@dataclass(frozen=True, slots=True)
class Beside:
    """An input of a package of another instance of nixpkgs that is not from that instance: the
    path of the instance, those of the package in it and of the input, and the places of the two."""

    instance: ir.Path
    package: ir.Path
    input: ir.Path
    place: Span
    span: Span


# --- the subjects -----------------------------------------------------------------------------


def _is_of_cpu(axis: str, value: Value) -> bool:
    known = text_fact(value, "arch") is not None or text_fact(value, "platform") is not None
    return known and not is_of_cuda(axis, value)


_PLATFORMS: Final = "platforms"
_BROKEN: Final = "broken"
VERSION: Final = "version"
"""The attribute with the version of a package."""
_SOURCE: Final = "src"
_CMAKE: Final = ("cmakeFlags", "dontUseCmakeConfigure")
PRINTING: Final = ("echo ", "printf ")
"""The beginning of a line of a script that prints."""
_WORDS: Final = ("description", "longDescription")
# The attributes that decide where a source is unpacked, and in which of its folders the build
# begins.
_UNPACKING: Final = (_SOURCE, "sourceRoot", "setSourceRoot", "unpackPhase", "unpackCmd")
# The name of a store path is made of these.
_NAMING: Final = ("name", "pname", VERSION)
# The lists of packages that are linked into the build, or run on its host.
_LINKED: Final = frozenset(("buildInputs", "propagatedBuildInputs", "checkInputs"))
# The lists that packages of nixpkgs set themselves.
OWN_LISTS: Final = frozenset(
    (
        "buildFlags", "buildInputs", "checkInputs", "cmakeFlags", "configureFlags", "installFlags",
        "installCheckInputs", "makeFlags", "mesonFlags", "nativeBuildInputs", "nativeCheckInputs",
        "nativeInstallCheckInputs", "patches", "propagatedBuildInputs",
        "propagatedNativeBuildInputs",
    )
)  # fmt: skip


@subject(
    Read("package", sees=seen_of),
    Read("pin"),
    Read("config"),
    Read("overlays"),
    Read("args"),
    Read("needs"),
    axes=is_of_cuda,
    compared=False,
)
def cuda(recipe: ir.Recipe) -> Cuda:
    """The CUDA of a variant."""
    return cuda_of(recipe)


@subject()
def pin(cuda: Cuda) -> ir.Pin | None:
    """The pin of a variant."""
    return cuda.pin


@subject(Read("meta", lambda key: key == _PLATFORMS), axes=_is_of_cpu)
def cpu(recipe: ir.Recipe) -> Cpu:
    """The instruction set of a variant."""
    values = [one.value for one in recipe.axes if _is_of_cpu(one.axis, one.value)]
    rows = tuple([value for value in values if isinstance(value, RowValue)])
    platforms = items(_last(recipe.changes.meta, _PLATFORMS))
    return Cpu(rows, tuple(_named_platforms(platforms)))


@subject()
def hosts(cpu: Cpu) -> Hosts:
    """The CPU architectures that a variant is for."""
    return _hosts(cpu)


def _exported_by_overlays(overlays: tuple[ir.Overlay, ...]) -> object:
    return tuple(
        [
            (one.target[-1:], *map(exported_by, exporting((one.changes,))))
            for one in overlays
            if one.relation == "for"
        ]
    )


@subject(
    Read("package", sees=seen_of),
    Read("overlays", sees=_exported_by_overlays),
    Read("script", sees=exported_by),
    Read("attrs", may_export, exported_by),
    Read("env", may_export, exported_by),
)
def exports(recipe: ir.Recipe) -> Flags:
    """The exports of a variant that lints need."""
    package = package_name(recipe)
    changes = changes_of(recipe, package) if package else (recipe.changes,)
    return together(map(exported_by, exporting(changes)))


@subject()
def flags(exports: Flags) -> Flags:
    """The exports without the GPUs to build for."""
    return _some_of(exports, [one for one in _names_of(exports) if one != TARGETS])


@subject()
def switches(exports: Flags) -> Flags:
    """The exports that lints know by name."""
    return _some_of(exports, [one for one in ASKED_FOR if one != TARGETS])


@subject()
def targets(exports: Flags) -> Flags:
    """The exports with the GPUs to build for."""
    return _some_of(exports, [TARGETS])


@subject(Read("attrs", lambda key: key in (VERSION, _SOURCE)), compared=False)
def version(recipe: ir.Recipe) -> ir.Setting | None:
    """The setting with the version, or else the source."""
    return stated_version(recipe.changes.attrs)


@subject(Read("attrs", lambda key: key in _CMAKE), compared=False)
def cmake(recipe: ir.Recipe) -> tuple[ir.Setting, ...]:
    """The settings of CMake."""
    return tuple([one for one in recipe.changes.attrs if one.key in _CMAKE])


@subject(Read("meta", lambda key: key == _BROKEN), compared=False)
def broken(recipe: ir.Recipe) -> ir.Setting | None:
    """The setting that marks the package as broken."""
    return _last(recipe.changes.meta, _BROKEN)


def is_description(key: str) -> bool:
    """Whether the key *key* of `meta` is a text for people."""
    return key in _WORDS


def _stating(setting: ir.Setting) -> object:
    """The part of a description that `words` reads: the branches of the driver, and the place."""
    known = isinstance(setting.value, str)
    return (setting.origin.span, known, *[one.text for one in branches_of(setting)])


@subject(Read("package", sees=seen_of), Read("meta", is_description, _stating), compared=False)
def words(recipe: ir.Recipe) -> Words:
    """The descriptions of the package, and the drivers that they state."""
    meta = tuple([one for one in recipe.changes.meta if is_description(one.key)])
    stated = tuple([(one, setting) for setting in meta for one in branches_of(setting)])
    return Words(meta, stated, recipe.package.origin.span)


def lines(recipe: ir.Recipe) -> Iterator[Line]:
    """The lines of the descriptions of *recipe* that may name a GPU, a CPU or a CUDA."""
    for one in recipe.changes.meta:
        for text in text_lines(one) if is_description(one.key) else ():
            if may_name(text):
                yield Line(text.strip(), one.origin.span)


def _is_input(key: str) -> bool:
    return key.endswith("nputs")


def _mentioned(setting: ir.Setting) -> object:
    return frozenset(mentioned_by(setting))


@subject(
    Read("package"),
    Read("overlays"),
    Read("pin", sees=lambda pin: pin.age),
    Read("args", sees=_mentioned),
    Read("attrs", _is_input, _mentioned),
)
def sets(recipe: ir.Recipe) -> Sets:
    """The package set of the package, and the sets that overlays change."""
    age = recipe.pin.age if recipe.pin is not None else ir.UNKNOWN
    return _sets(recipe, age)


def _keys_of_overlays(overlays: tuple[ir.Overlay, ...]) -> object:
    changed = [one.changes for one in overlays if one.relation == "for"]
    attrs = [
        (one.key, one.origin.span) for some in changed for one in (*some.attrs, *_meta_slips(some))
    ]
    return (*attrs, *[_script_key(one) for some in changed for one in some.scripts])


@subject(
    Read("overlays", sees=_keys_of_overlays),
    Read("attrs", lambda key: may_be_misspelt(key), place=True),
    Read("script", lambda key: may_be_misspelt(key), place=True),
    Read("meta", lambda key: may_be_misspelt_meta(key), place=True),
)
def keys(recipe: ir.Recipe) -> tuple[Key, ...]:
    """The attributes, scripts and entries of `meta` whose names may be misspelt."""
    changed = [recipe.changes]
    changed += [one.changes for one in recipe.overlays if one.relation == "for"]
    found = [one for some in changed for one in _keys(_may_be_misspelt(some))]
    found += [
        Key(one.key, one.origin.span, meta=True) for some in changed for one in _meta_slips(some)
    ]
    return tuple(found)


@subject(
    Read("package"),
    Read("scope", sees=lambda scope: scope is not None and scope.value != NONE),
    Read("args", sees=lambda one: _packages_in(one)),
    Read("attrs", lambda key: key in _LINKED, lambda one: _packages_in(one)),
)
def beside(recipe: ir.Recipe) -> tuple[Beside, ...]:
    """The inputs of the package that another instance of nixpkgs provides."""
    return tuple(_beside(recipe))


@subject(Read("package", sees=lambda package: python_of(package)))
def python(recipe: ir.Recipe) -> Python:
    """The Python that the package is taken from."""
    return python_of(recipe.package)


def _path_of_package(package: ir.Setting) -> object:
    return ".".join(_of_nixpkgs(package))


def _own_of_package(package: ir.Setting) -> object:
    given = _given(package)
    return (package.origin.span, *given.items()) if given else _path_of_package(package)


@subject(
    Read("package", sees=_own_of_package),
    Read("overlays", sees=lambda all: tuple([w for one in all for w in _whole_of_overlay(one)])),
    Read(
        "attrs",
        lambda key: key in OWN_LISTS or key in (VERSION, _SOURCE),
        lambda one: (one.origin.span, one.key, _is_whole(one), _stated(one)),
    ),
)
def written(recipe: ir.Recipe) -> tuple[Whole, ...]:
    """The attributes that are written in the place of those that the package has itself."""
    return tuple(_written_whole(recipe))


@subject(
    Read("overlays", sees=lambda all: tuple([u for one in all for u in _unpacked_by(one.changes)])),
    Read("attrs", lambda key: key in _UNPACKING),
)
def unpacked(recipe: ir.Recipe) -> tuple[Unpacked, ...]:
    """The sources that are written with a `sourceRoot` next to them."""
    return tuple(_unpacked(recipe))


@subject(
    Read("package", sees=_path_of_package),
    Read("pin", sees=lambda pin: pin.release),
    Read("attrs", lambda key: key in _NAMING, place=True),
)
def stored(recipe: ir.Recipe) -> Stored | None:
    """The parts of the store path's name, if nixpkgs computes it early."""
    return _stored(recipe)


def _variables_of_overlays(overlays: tuple[ir.Overlay, ...]) -> object:
    changed = [one.changes for one in overlays if one.relation == "for"]
    return tuple([(key.key, key.origin.span) for one in changed for key in _variables(one)])


@subject(
    Read("package", sees=_path_of_package),
    Read("pin", sees=lambda pin: pin.age),
    Read("overlays", sees=_variables_of_overlays),
    Read("attrs", is_compiler_variable, place=True),
)
def outside(recipe: ir.Recipe) -> tuple[Outside, ...]:
    """The variables of compilers that are attributes, if nixpkgs may have them in `env`."""
    knows = recipe.pin.age.knows("env") if recipe.pin is not None else None
    if knows is False:
        return ()
    changed = [recipe.changes] if _of_nixpkgs(recipe.package) else []
    changed += [one.changes for one in recipe.overlays if one.relation == "for"]
    return tuple(
        [
            Outside(setting.key, setting.origin.span, bool(knows))
            for one in changed
            for setting in _variables(one)
        ]
    )


def exporting(changes: Iterable[ir.Changes]) -> list[ir.Setting]:
    """The scripts and variables of *changes* that may export something, in order."""
    found: list[ir.Setting] = []
    for one in changes:
        found += one.scripts
        found += [setting for setting in (*one.env, *one.attrs) if may_export(setting.path[-1])]
    return found


def _variables(changes: ir.Changes) -> list[ir.Setting]:
    return [one for one in changes.attrs if is_compiler_variable(one.key)]


def _names_of(exports: Flags) -> list[str]:
    return [*{one.name: None for one in exports.exports}, *exports.mentions]


def _some_of(exports: Flags, names: Iterable[str]) -> Flags:
    """Those of *exports* that have one of *names*."""
    wanted = frozenset(names)
    some = tuple([one for one in exports.exports if one.name in wanted])
    return Flags(some, exports.mentions & wanted, exports.known)


# --- what they are computed with --------------------------------------------------------------


def _sets(recipe: ir.Recipe, age: ir.Age) -> Sets:
    value, place = recipe.package.value, recipe.package.origin.span
    path = value.attributes if isinstance(value, NixRef) and value.root == "pkgs" else ()
    if not path or not recipe.overlays:
        return Sets(path[:-1], path[-1] if path else "", place, (), frozenset())
    written: set[ir.Path] = set()
    own = [*recipe.changes.args]
    own += [one for one in recipe.changes.attrs if _is_input(one.key)]
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


def _beside(recipe: ir.Recipe) -> Iterator[Beside]:
    """The inputs of *recipe* that are from the top level, though its package is not. With a scope,
    `pkgs.NAME` is from that set."""
    path = _of_nixpkgs(recipe.package)
    depth = instance_depth(path)
    if not depth or recipe.scope is not None:
        return
    changes = recipe.changes
    place = recipe.package.origin.span
    for one in (*changes.args, *[each for each in changes.attrs if each.key in _LINKED]):
        for found, span in _packages_in(one):
            if found[:depth] != path[:depth] and is_of_top_level(found):
                yield Beside(path[:depth], path[depth:], found, place, span)


def _packages_in(setting: ir.Setting) -> tuple[tuple[ir.Path, Span], ...]:
    """The attributes of nixpkgs that *setting* is or has as elements, without those with a reason.
    """
    written = [(setting.value, setting.origin.span, setting.because)]
    written += [(one.value, one.origin.span, one.because) for one in setting.elements or ()]
    return tuple(
        [
            (value.attributes, span)
            for value, span, because in written
            if isinstance(value, NixRef) and value.root == "pkgs" and not because
        ]
    )


def may_be_misspelt(key: str) -> bool:
    """Whether the attribute *key* may be misspelt: neither a short one, nor one that most recipes
    set, nor a variable in capitals."""
    return len(key) >= _SHORTEST and key not in _EVERYDAY and key.isalpha() and not key.isupper()


def _may_be_misspelt(changes: ir.Changes) -> list[ir.Setting]:
    """The attributes and the scripts of *changes* whose names may be misspelt."""
    found: list[ir.Setting] = []
    found += [one for one in changes.attrs if may_be_misspelt(one.key)]
    found += [one for one in changes.scripts if may_be_misspelt(one.key)]
    return found


def may_be_misspelt_meta(key: str) -> bool:
    """Whether the entry *key* of `meta` may be misspelt: neither a short one, nor one that most
    recipes set."""
    return len(key) >= _SHORTEST and key not in _EVERYDAY_META and key.isalpha()


def _meta_slips(changes: ir.Changes) -> list[ir.Setting]:
    """The entries of `meta` in *changes* whose names may be misspelt."""
    return [one for one in changes.meta if may_be_misspelt_meta(one.key)]


def _keys(written: Iterable[ir.Setting]) -> Iterator[Key]:
    """The names of the changes *written* for one package, each once: a script may come as several
    scripts, one for each of its parts.
    """
    scripts: set[str] = set()
    for one in written:
        if one.path[0] not in IN_PARTS:
            yield Key(one.key, one.origin.span)
        elif (key := _script_key(one)) is not None and key.name not in scripts:
            scripts.add(key.name)
            yield key


def _script_key(script: ir.Setting) -> Key | None:
    """The name of *script*, at the first part that a program writes; None if it has none."""
    for part in script.parts:
        if part.origin is not None and part.text is not None:
            return Key(script.key, part.origin.span, script=True)
    return None


def python_of(package: ir.Setting) -> Python:
    """The Python that *package* is taken from."""
    value = package.value
    path = one_set(value.attributes[:-1]) if isinstance(value, NixRef) else ()
    return Python(path[0] if len(path) == 1 else "", package.origin.span)


def text_lines(setting: ir.Setting) -> list[str]:
    """The lines of a text for people; none if it is no text."""
    value = setting.value
    if isinstance(value, NixText):  # what only Nix knows ends a word
        value = "".join([one if isinstance(one, str) else "\0" for one in value.parts])
    return value.split("\n") if isinstance(value, str) else []


def _written_whole(recipe: ir.Recipe) -> Iterator[Whole]:
    """The lists that *recipe* writes whole of packages that nixpkgs has already, and the attributes
    in the place of those that the call of the package gives."""
    package = ".".join(_of_nixpkgs(recipe.package))
    given, attrs = _given(recipe.package), recipe.changes.attrs
    for one in attrs if package or given else ():
        if package and _is_whole(one):
            yield Whole(one.key, package, one.origin.span)
        elif (held := given.get(one.key)) is None:
            continue
        elif _is_whole(one) or (_stated(one) not in ("", held) and _last(attrs, _SOURCE) is None):
            yield Whole(one.key, "", one.origin.span, recipe.package.origin.span, held)
    for overlay in recipe.overlays:
        yield from _whole_of_overlay(overlay)


def _whole_of_overlay(overlay: ir.Overlay) -> Iterator[Whole]:
    if overlay.relation == "for" and not overlay.patch:
        for one in overlay.changes.attrs:
            if _is_whole(one):
                yield Whole(one.key, ".".join(overlay.target), one.origin.span)


def _unpacked(recipe: ir.Recipe) -> Iterator[Unpacked]:
    """The sources that *recipe* and its overlays write together with a `sourceRoot`."""
    yield from _unpacked_by(recipe.changes)
    for overlay in recipe.overlays:
        if overlay.relation == "for":
            yield from _unpacked_by(overlay.changes)


def _unpacked_by(changes: ir.Changes) -> Iterator[Unpacked]:
    written = {one.key: one for one in changes.attrs if one.key in _UNPACKING}
    source, root = written.get(_SOURCE), written.get("sourceRoot")
    if source is None or root is None or len(written) > 2 or not isinstance(root.value, str):
        return  # an author who sets the root in another way knows the folders of the source
    call = source.value
    if isinstance(call, NixCall) and call.function in ("url", "github"):
        # A source that is fetched unpacked is in a folder of that name.
        name = call.argument("name") if call.function == "github" else ""
        folder = REPOSITORY if name is MISSING else name
        if isinstance(folder, str):
            yield Unpacked(folder, root.value, source.origin.span, root.origin.span)


def _stored(recipe: ir.Recipe) -> Stored | None:
    """The parts of the name of *recipe*; None if a setting gives the whole name, or none of it."""
    written = {one.key: one for one in recipe.changes.attrs if one.key in _NAMING}
    first = next(iter(written.values()), None)
    path, pin = _of_nixpkgs(recipe.package), recipe.pin
    if first is None or "name" in written or len(path) < 2:
        return None
    if pin is None or not is_named_early(pin.release):
        return None
    return Stored(path[:-1], pin.release, tuple(written), first.origin.span)


def _of_nixpkgs(package: ir.Setting) -> ir.Path:
    """The attribute of nixpkgs for *package*; empty if it is built from something else."""
    value = package.value
    return value.attributes if isinstance(value, NixRef) and value.root == "pkgs" else ()


def _given(package: ir.Setting) -> dict[str, str]:
    """The lists that *package* gives a builder of nixpkgs, in words, by their names, and the
    version, if its source has that in its own arguments; empty for all other packages."""
    entries = called_attributes(package.value)
    if not entries:
        return {}
    from tvarc.text.diagnostics.words import counted

    found: dict[str, str] = {}
    for key, value in entries.items():
        if key not in OWN_LISTS:
            continue
        if isinstance(value, tuple) and value:
            found[key] = counted(len(value), "element")
        elif isinstance(value, NixSource | NixRef | NixCall):
            found[key] = "elements"
    version = entries.get(VERSION)
    texts = _fetched_by(entries.get(_SOURCE))
    if isinstance(version, str) and version and any(version in one for one in texts):
        found[VERSION] = version
    return found


def _fetched_by(source: Value) -> Iterator[str]:
    """The texts that say what *source* fetches."""
    for one in values_in(source):
        if isinstance(one, NixCall | Record):
            arguments = one.arguments if isinstance(one, NixCall) else one.entries
            for key, value in arguments:
                if key in _FETCHED_BY and isinstance(value, str):
                    yield value


def _stated(setting: ir.Setting) -> str:
    """The version that *setting* states, without a reason; empty for anything else."""
    known = setting.key == VERSION and not setting.because
    return setting.value if known and isinstance(setting.value, str) else ""


def _is_whole(setting: ir.Setting) -> bool:
    """Whether *setting* is a list with elements that replaces the package's own, and nothing shows
    that this is intended: neither a reason, nor a read of the package's own list."""
    if setting.key not in OWN_LISTS or setting.extends or setting.because:
        return False
    elements = setting.elements
    if elements is None or any(one.because for one in elements):
        return False
    if all(one.origin.span != setting.origin.span for one in elements):
        return False  # it begins with an empty list, which is hardly a mistake
    return setting.head is None and not any(reads_own(one.value) for one in elements)


def _set_of(overlay: ir.Overlay) -> ir.Path:
    """The package set that *overlay* changes; empty if it changes none."""
    if overlay.relation == "in":
        return overlay.target
    return overlay.target[:-1] if overlay.relation == "for" else ()


_FETCHED_BY: Final = ("rev", "tag", "url", "name")
# nixpkgs' own lists for one kind of CPU, and the Linux platform in each.
_LISTS: Final = ("lib", "platforms")
_OF_ONE_CPU: Final[Mapping[str, str]] = {
    "aarch64": "aarch64-linux",
    "x86_64": "x86_64-linux",
    "x86": "x86_64-linux",
}
_SHORTEST: Final = 6  # letters; a shorter word is similar to too many others
# An attribute that thousands of recipes set from many axes. It is certainly spelled right.
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
    """The setting that states the version: `version`, or else a source, whose version is
    unknown."""
    return _last(attrs, VERSION) or _last(attrs, _SOURCE)


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
