"""A hand-written recipe in the form of a decided recipe, so that lints can read it."""

from __future__ import annotations

import re

from tvarc.advice.lints.facts import Facts, Rows
from tvarc.advice.lints.flags import TARGETS
from tvarc.advice.lints.packages import BESIDE_TORCH, Known, known
from tvarc.blocks import ATTRIBUTES, IN_PARTS, OF_OVERLAY, PLACES, SCRIPT
from tvarc.byhand.audit.changes import DEFAULT_SET, PYTHON_SET
from tvarc.byhand.audit.model import Added, Found, Pin, RecipeFacts, Ref, Seen, holds_unread
from tvarc.byhand.audit.read import NIXPKGS, exports, is_script
from tvarc.light import Final, Iterable, Iterator, Mapping, dataclass
from tvarc.nix import ir
from tvarc.nix.language.syntax import Extent
from tvarc.text.source import Span
from tvarc.values.row_facts import version_fact
from tvarc.values.value import NixRef, NixSource, NixText, Value

_INTERPOLATION: Final = re.compile(r"\$\{([^}]*)\}")
_RELEASE: Final = re.compile(
    r"(?:^|[/-])(\d\d\.(?:03|05|09|11))(?:-small|-aarch64|-darwin)?(?:$|\.tar\.)"
)
_ROOTS: Final = ("pkgs", "final", "prev", "old")
_PYTHON_ROOTS: Final = ("pyFinal", "pyPrev")
_CUDA_SET: Final = re.compile(r"cudaPackages(?:_\d+){0,3}")
_CAPABILITIES: Final = "cudaCapabilities"
_SUPPORT: Final = "cudaSupport"
_SETS: Final = "cudaPackages"
_GPUS: Final = "gpuTargets"
_BY_HAND: Final = "by hand"
_OPAQUE: Final = NixSource(("unknown",))


Kept = dict[object, ir.Setting]
"""Equal settings of recipes as one object, so that the subjects of lints are computed once for each
setting."""

_NOWHERE: Final = Span("", 0, 0)


def decided(facts: RecipeFacts, name: str, kept: Kept) -> ir.Recipe:
    """The understood parts of the recipe *name*. Other parts become values that only Nix knows, so
    that no lint reports them. Spans have no file: their offsets are those of the places in *facts*.
    *kept* are the settings of all previous recipes."""
    return _Deciding(facts, kept).recipe(name)


class _Deciding:
    __slots__ = ("facts", "kept", "package", "targets")

    def __init__(self, facts: RecipeFacts, kept: Kept) -> None:
        self.facts = facts
        self.kept = kept
        self.package = self.built()
        self.targets = self.own_targets()

    def recipe(self, name: str) -> ir.Recipe:
        return ir.Recipe(
            name,
            _BY_HAND,
            _NOWHERE,
            (),
            (),
            ir.Frame(
                self.package,
                config=tuple(self.config()),
                pin=self.pin(),
                overlays=tuple(self.overlays()),
            ),
            self.changes(),
            (),
            (),
        )

    def span(self, place: Extent) -> Span:
        return Span("", place.start, place.end) if place.end else _NOWHERE

    def setting(
        self, path: ir.Path, value: Value, place: Extent, *, extends: bool = False
    ) -> ir.Setting:
        """The setting of *path*: one object for all recipes that have the same setting at the same
        place."""
        kind = tuple(map(type, value)) if isinstance(value, tuple) else type(value)  # 1 is not true
        key = path, value, kind, place, extends
        known = self.kept.get(key)
        if known is None:
            origin = ir.Origin(self.span(place), _BY_HAND)
            script = value if path[0] == SCRIPT and isinstance(value, str | NixText) else None
            parts = (ir.Part(_BY_HAND, script, origin),) if script is not None else ()
            known = ir.Setting(path, value, origin, extends=extends, parts=parts)
            self.kept[key] = known
        return known

    def seen(self, path: ir.Path, seen: Seen) -> ir.Setting:
        extends = isinstance(seen.value, Added)
        if isinstance(seen.value, Added) and path[-1] == _SETS:
            # The toolkit of `cudaPackages_13 // { … }` is that of the set.
            return self.setting(path, value_of(seen.value.base), seen.place)
        return self.setting(path, value_of(seen.value), seen.place, extends=extends)

    # --- the package and its origin ------------------------------------------------------

    def built(self) -> ir.Setting:
        """The package that the recipe builds."""
        seen = self.facts.package
        value: Value = _OPAQUE
        place = seen.place if seen is not None else Extent(0, 0)
        if seen is not None and isinstance(seen.value, str):
            value = NixRef("pkgs", tuple(seen.value.split(".")))
        elif self.is_own():
            value = NixRef("pkgs", (DEFAULT_SET, self.kind()))
        return self.setting(("package",), value, place)

    def kind(self) -> str:
        """The name in nixpkgs for a package that is not from nixpkgs: by its own name, or by
        targets that only Torch accepts. Empty for any other package."""
        given = f"args.{_GPUS}" in self.facts.settings
        return _kind_of(self.facts.pname or "") or ("torch" if given else "")

    def is_own(self) -> bool:
        """Whether it is Torch, or a package that depends on it, but not from nixpkgs: it is built
        from scratch, or by a file that is not understood."""
        seen = self.facts.package
        return not (seen is not None and isinstance(seen.value, str)) and bool(self.kind())

    def pin(self) -> ir.Pin | None:
        pin = self.facts.pin
        return _pin(pin, self.span(pin.place)) if pin is not None and _is_fetched(pin) else None

    def unknown(self, *parts: str) -> bool:
        """Whether something in one of *parts* of nixpkgs' arguments is not understood."""
        return any(gap.what in parts or gap.what.startswith(parts) for gap in self.facts.gaps)

    def config(self) -> Iterator[ir.Setting]:
        own = self.targets
        if own is not None and own.known and self.takes_targets():
            own = None  # an argument states it
        for path, seen in self.facts.settings.items():
            block, _, key = path.partition(".")
            if block == "config" and (own is None or key != _CAPABILITIES):
                yield self.seen(("config", key), seen)
        if own is not None:  # the build is for these, whatever the configuration of nixpkgs is
            targets: Value = own.targets if own.known else _OPAQUE
            yield self.setting(("config", _CAPABILITIES), targets, own.seen.place)
        if self.unknown(NIXPKGS, "config", "pin") or self.facts.elsewhere:
            keys = (_CAPABILITIES, _SUPPORT, "allowBroken")
            for key in keys:
                told = key == _CAPABILITIES and own is not None
                if f"config.{key}" not in self.facts.settings and not told:
                    yield self.setting(("config", key), _OPAQUE, Extent(0, 0))

    # --- overlays -------------------------------------------------------------------------------

    def overlays(self) -> Iterator[ir.Overlay]:
        attributes: list[ir.Setting] = []
        members: dict[ir.Path, list[ir.Setting]] = {}
        packages: dict[ir.Path, list[tuple[str, Seen]]] = {}
        for path, seen in self.facts.effects.items():
            target, colon, key = path.partition(": ")
            steps = _steps(target)
            if colon:
                packages.setdefault(steps, []).append((key, seen))
            elif len(steps) == 1:
                attributes.append(self.seen((ATTRIBUTES, target), seen))
            else:
                members.setdefault(steps[:-1], []).append(self.seen((ATTRIBUTES, steps[-1]), seen))
        if self.unknown(NIXPKGS, "overlay", "pin") and not any(
            one.key == _SETS for one in attributes
        ):
            attributes.append(self.setting((ATTRIBUTES, _SETS), _OPAQUE, Extent(0, 0)))
        if self.is_own():  # facts about the package of nixpkgs do not apply
            own = self.setting((ATTRIBUTES, self.kind()), _OPAQUE, Extent(0, 0))
            members.setdefault((DEFAULT_SET,), []).append(own)
        if attributes:
            yield self.overlay(None, (), ir.Changes.to(attributes))
        for where, listed in members.items():
            yield self.overlay("in", where, ir.Changes.to(listed))
        for where, changed in packages.items():
            yield self.overlay("for", where, self.blocks(_attributed(changed)))
        for inner in self.facts.inner.values():
            last = inner.package.rpartition(".")[2]
            if known(last) is not None:
                where = (*self.python_set(), last)
                yield self.overlay("for", where, self.blocks(inner.settings.items()))

    def python_set(self) -> ir.Path:
        """The set from which the package is taken."""
        value = self.package.value
        return value.attributes[:-1] if isinstance(value, NixRef) else ()

    def overlay(self, relation: str | None, target: ir.Path, changes: ir.Changes) -> ir.Overlay:
        nowhere = self.span(Extent(0, 0))
        origin = ir.Origin(nowhere, _BY_HAND)
        return ir.Overlay("", relation, target, "", "", changes, (), origin, nowhere)

    # --- changes ------------------------------------------------------------------------

    def changes(self) -> ir.Changes:
        facts = self.facts
        settings = {
            path: seen
            for path, seen in facts.settings.items()
            if not path.startswith("config.") and not self.is_inner(path)
        }
        made = self.blocks(settings.items())
        args = {one.key: one for one in made.args}
        own = self.targets if not self.is_torch() else None
        if self.is_own() or (facts.scratch and own is not None):
            self.of_scratch(args, made)
        if own is not None and _SUPPORT not in args and facts.scratch:
            args[_SUPPORT] = self.setting(("args", _SUPPORT), True, own.seen.place)
        if _GPUS not in args and _GPUS not in self.unread_args():
            self.of_flags(args)
        if _is_cuda(args) and _SUPPORT not in args and f"config.{_SUPPORT}" not in facts.settings:
            args[_SUPPORT] = self.setting(("args", _SUPPORT), True, Extent(0, 0))
        kept = [one for one in made.attrs if not (facts.scratch and one.key == "cmakeFlags")]
        others = [one for one in made.settings if one.path[0] not in ("args", ATTRIBUTES)]
        return ir.Changes.to((*args.values(), *kept, *others))

    def is_inner(self, path: str) -> bool:
        inner = self.facts.inner.get(path)
        return inner is not None and known(inner.package.rpartition(".")[2]) is not None

    def unread_args(self) -> str:
        """The texts of arguments that are not understood."""
        return " ".join(gap.text for gap in self.facts.gaps if gap.what.startswith("args"))

    def of_scratch(self, args: dict[str, ir.Setting], made: ir.Changes) -> None:
        """The CUDA set of a package that is built from scratch: the set of its inputs."""
        found: dict[str, ir.Setting] = {}
        for one in (*made.attrs, *made.env):
            for name in _sets_in(one.value):
                found.setdefault(name, one)
        if len(found) == 1 and _SETS not in args:
            ((name, one),) = found.items()
            span = one.origin.span
            value = NixRef("pkgs", (name,))
            args[_SETS] = self.setting(("args", _SETS), value, Extent(span.start, span.end))

    def own_targets(self) -> Architectures | None:
        """The GPUs that the build itself passes to its compilers, if these decide its targets. The
        Torch of nixpkgs passes a list of its own, which only PyTorch's list replaces."""
        found = architectures(self.facts.settings)
        if found is None or self.is_own() or not self.is_torch():
            return found
        return found if found.of_torch and found.known else None

    def takes_targets(self) -> bool:
        """Whether an argument of the package states the GPUs of the build. Packages that depend on
        Torch have no such argument."""
        found = self.known_package()
        return found is not None and found.kind not in BESIDE_TORCH

    def is_torch(self) -> bool:
        """Whether it is Torch or a package that depends on it, from nixpkgs or from scratch."""
        return self.known_package() is not None

    def known_package(self) -> Known | None:
        """The package, if it is Torch or depends on it."""
        value = self.package.value
        if not isinstance(value, NixRef) or not value.attributes:
            return None
        return known(value.attributes[-1])

    def of_flags(self, args: dict[str, ir.Setting]) -> None:
        """The GPUs of Torch according to a variable of its build, or to flags."""
        found = self.targets
        if found is None or not self.takes_targets():
            return
        targets: Value = found.targets if found.known else _OPAQUE
        args[_GPUS] = self.setting(("args", _GPUS), targets, found.seen.place)

    def blocks(self, settings: Iterable[tuple[str, Seen]]) -> ir.Changes:
        """Settings by path, `args.x` and the like, in their blocks."""
        found: list[ir.Setting] = []
        for path, seen in settings:
            block, _, key = path.partition(".")
            setting = self.seen((block, key), seen)
            if block == ATTRIBUTES and is_script(key) and isinstance(setting.value, str | NixText):
                setting = self.setting((SCRIPT, key), setting.value, seen.place)
            found.append(setting)
        return ir.Changes.to([one for one in found if one.path[0] in PLACES])


def _attributed(changed: Iterable[tuple[str, Seen]]) -> Iterator[tuple[str, Seen]]:
    """The changes of a package by overlays, each with its block."""
    for key, seen in changed:
        block = key.partition(".")[0]
        named = block in OF_OVERLAY and block not in IN_PARTS and "." in key
        yield key if named else f"attrs.{key}", seen


def _steps(target: str) -> ir.Path:
    steps = target.split(".")
    if steps[0] == PYTHON_SET:
        steps[0] = DEFAULT_SET
    return tuple(steps)


def _pin(pin: Pin, declared: Span) -> ir.Pin:
    """*pin* with the release that its address or its ref names."""
    named = [found[1] for text in (pin.rev, pin.url) if (found := _RELEASE.search(text))]
    release = named[0] if named else ""
    return ir.Pin("nixpkgs", pin.url, pin.rev, pin.hash, declared, release=release)


class Pythons:
    """The version of `python3` at a pin, for the meaning of `python3Packages`. It follows from the
    commit of the pin, or from the release that the pin names. For any other pin it is not known."""

    __slots__ = ("_facts", "_known")

    def __init__(self, rows: Rows) -> None:
        self._facts = Facts(rows)
        self._known: dict[Pin, str] = {}

    def __call__(self, pin: Pin) -> str:
        """The version, such as `3.13`; empty if it is not known."""
        if pin not in self._known:
            self._known[pin] = self._found(pin) if pin.url else ""  # that of the caller may be any
        return self._known[pin]

    def _found(self, pin: Pin) -> str:
        made = _pin(pin, _NOWHERE)
        told = self._facts.python3(made)
        if told is not None:
            return told[0].text
        if not made.release:
            return ""
        row = self._facts.first("nixpkgs-release", "release", made.release)
        version = version_fact(row, "python3") if row is not None else None
        return version.text if version is not None else ""


def _is_fetched(pin: Pin) -> bool:
    """Whether the recipe fetches nixpkgs: it is neither the caller's nor a folder."""
    return bool(pin.url) and not pin.url.startswith(("<", "/", ".", "~"))


def _kind_of(pname: str) -> str:
    """The package of nixpkgs to which a package with this name, built from scratch, corresponds."""
    for kind in ("torchvision", "torchaudio"):
        if pname.startswith(kind):
            return kind
    return "torch" if pname.startswith(("torch", "pytorch")) else ""


def _is_cuda(args: Mapping[str, ir.Setting]) -> bool:
    """Whether some argument occurs only in CUDA builds."""
    if _SETS in args:
        return True
    value = args[_GPUS].value if _GPUS in args else None
    listed = value if isinstance(value, tuple) else ()
    return any(isinstance(one, str) and not one.startswith("gfx") for one in listed)


def _sets_in(value: Value) -> Iterator[str]:
    match value:
        case NixRef(_, attributes) if attributes and _CUDA_SET.fullmatch(attributes[0]):
            yield attributes[0]
        case NixText(parts):
            for part in parts:
                yield from _sets_in(part)
        case tuple():
            for one in value:
                yield from _sets_in(one)
        case _:
            pass


def value_of(found: Found) -> Value:
    """*found* as a value of the compiler. Parts that are not understood become values that only Nix
    knows."""
    match found:
        case str():
            return _text(found)
        case bool() | int() | None:
            return found
        case tuple():
            return tuple([value_of(one) for one in found])
        case Ref(path):
            return _reference(path)
        case Added(_, inner):
            return value_of(inner)
        case _:
            return _OPAQUE


def _text(text: str) -> Value:
    if "${" not in text:
        return text
    parts: list[str | NixRef | NixSource] = []
    last = 0
    for found in _INTERPOLATION.finditer(text):
        if found.start() > last:
            parts.append(text[last : found.start()])
        path = found[1]
        known_path = _reference(path) if not path.startswith("?") else _OPAQUE
        parts.append(known_path if isinstance(known_path, NixRef) else _OPAQUE)
        last = found.end()
    if last < len(text):
        parts.append(text[last:])
    return NixText(tuple(parts))


def _reference(path: str) -> NixRef | NixSource:
    if path.startswith((".", "/", "<", "~", "-")) or path[0].isdigit():  # a path or a float
        return _OPAQUE
    root, _, rest = path.partition(".")
    if root in _PYTHON_ROOTS:
        return NixRef("pkgs", (DEFAULT_SET, *rest.split(".")))
    if root == "nixpkgs":
        root = "pkgs"
    if root in _ROOTS:
        return NixRef(root, tuple(rest.split(".")) if rest else ())
    return NixRef("pkgs", tuple(path.split(".")))


# `CUDAARCHS` is the variable from which CMake takes its list.
_CMAKE_LISTS: Final = ("CMAKE_CUDA_ARCHITECTURES", "CUDAARCHS")
_GIVEN: Final = re.compile(
    rf"""-D({TARGETS}|{_CMAKE_LISTS[0]})(?::\w+)?=("[^"]*"|'[^']*'|[^\s"']+)"""
)
_GENCODE: Final = re.compile(r"(?:-gencode|--generate-code)[=\s]+[\"']?arch=compute_(\d+[af]?)\b")
_ARCH: Final = re.compile(r"(?:-arch|--gpu-architecture)[=\s]+[\"']?(?:sm|compute)_(\d+[af]?)\b")
_CMAKE: Final = re.compile(r"(\d{1,2}\d[af]?)(?:-real|-virtual)?")
_COMPUTED: Final = "${"


@dataclass(frozen=True, slots=True)
class Architectures:
    """GPU targets in PyTorch's spelling, and the place that names them. `known` is false if some of
    them are not known. `of_torch` says that it is PyTorch's own list, which keeps its spelling."""

    targets: tuple[str, ...]
    seen: Seen
    known: bool
    of_torch: bool


def architectures(settings: Mapping[str, Seen]) -> Architectures | None:
    """The targets of the last of *settings* that names any. PyTorch's list has precedence over all
    others. None if no setting names any."""
    found: Architectures | None = None
    for path, seen in settings.items():
        if not path.startswith(("attrs.", "env.")):
            continue
        key = path.rpartition(".")[2]
        for one in _named(key, seen, holds_unread(seen.value)):
            if found is None or one.of_torch or not found.of_torch:
                found = one
    return found


def _named(key: str, seen: Seen, unread: bool) -> Iterator[Architectures]:
    text = _words_of(seen.value)
    lists = [(key, text)] if key in (TARGETS, *_CMAKE_LISTS) else []
    lists += [(name, value.strip("\"'")) for name, value in _GIVEN.findall(text)]
    lists += [one for one in exports(text) if one[0] in (TARGETS, *_CMAKE_LISTS)]
    for name, value in lists:
        words = value.replace(";", " ").replace(",", " ").split()
        of_torch = name == TARGETS
        targets = words if of_torch else [one for word in words for one in _of_cmake(word)]
        known = bool(targets) and len(targets) == len(words) and _COMPUTED not in value
        if words or unread:
            yield Architectures(tuple(targets), seen, known, of_torch)
    codes = [*_GENCODE.findall(text), *_ARCH.findall(text)]
    if codes:
        targets = list(dict.fromkeys(map(_dotted, codes)))
        yield Architectures(tuple(targets), seen, not unread, of_torch=False)


def _words_of(value: Found) -> str:
    """The known parts of a text, or of the texts of a list, as one text."""
    match value:
        case Added(_, inner):
            return _words_of(inner)
        case str():
            return value
        case tuple():
            return " ".join(_quoted(item) for item in value if isinstance(item, str))
        case _:
            return ""


def _quoted(flag: str) -> str:
    """*flag* as one word."""
    name, equals, value = flag.partition("=")
    return f'{name}="{value}"' if equals and flag.startswith("-D") else flag


def _of_cmake(word: str) -> Iterator[str]:
    """The target that a *word* of CMake's list names: `9.0a` for `90a-real`."""
    found = _CMAKE.fullmatch(word)
    if found is not None:
        yield _dotted(found[1])


def _dotted(code: str) -> str:
    number = code.rstrip("af")
    return f"{number[:-1]}.{number[-1]}{code[len(number) :]}"
