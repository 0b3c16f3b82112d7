"""Reads the content of a recipe from its text: pin, overlays, arguments, attributes, flags. Nix
never runs. A computed value is a gap, and is never guessed.
"""

from __future__ import annotations

import re

from tvarc.advice.lints.flags import OFF, assignments
from tvarc.byhand.audit.changes import (
    BUILDERS,
    Settings,
    TolerantChanges,
    reaching,
    read_overlays,
    set_name,
    texts_in,
)
from tvarc.byhand.audit.members import members
from tvarc.byhand.audit.model import Added, Gap, Pin, RecipeFacts, Ref, Seen, Switch, Table, Unread
from tvarc.byhand.audit.names import Siblings
from tvarc.byhand.audit.reducer import RECIPE, TolerantReducer, nothing_read, path_text
from tvarc.byhand.audit.values import OWN, Values
from tvarc.byhand.reading.changes import Changed
from tvarc.byhand.reading.library import function_name
from tvarc.byhand.reading.pins import revision_in, source_of
from tvarc.byhand.reading.reduce import CIRCLE, Read, no_deeper
from tvarc.byhand.reading.shared import Nixpkgs, RecipeParser
from tvarc.byhand.reading.trees import GIVEN, call_of, entries_of, last_name
from tvarc.light import Callable, Final, Iterable, Iterator, Sequence, lru_cache, replace
from tvarc.nix.language.syntax import (
    NOWHERE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixIf,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
    extent_of,
)

_INPUTS: Final = ("buildInputs", "nativeBuildInputs", "propagatedBuildInputs")
_SCRIPTS: Final = ("pre", "post")
_LIBRARIES: Final = frozenset(("lib", "builtins"))
_SEEN_THROUGH: Final = ("callPackageWith", "pipe")  # functions of the library for packages
_NO_PACKAGES: Final = ("mkShell", "write", "recurseInto", "makeScope", "newScope", "nixosSystem")
_FETCHING: Final = ("fetch", "getFlake")
_COMPUTED: Final = "its address is computed"
NIXPKGS: Final = "nixpkgs' arguments"  # as gaps name it


Pythons = Callable[[Pin], str]
"""The version of `python3` at a pin, such as `3.13`; empty if it is not known."""


def not_known(_: Pin) -> str:
    """Return empty: the Python of no pin is known."""
    return ""


def read_facts(
    parser: RecipeParser,
    text: str,
    pythons: Pythons = not_known,
    path: str = "",
    read: Read = nothing_read,
    recipes: Siblings | None = None,
) -> RecipeFacts:
    """The content of *text*, the file *path*. Files that it imports are followed if *read* returns
    them and they are not in *recipes*. Raises NotNix if the text is not Nix, or is too large."""
    root, reducer = parser.parse(text), TolerantReducer(parser, text, path, read, recipes)
    with no_deeper(CIRCLE):
        facts = _read(parser, reducer, root, pythons)
        needs = reducer.named_recipes(root)
        return replace(facts, needs=needs) if needs else facts


def _read(
    parser: RecipeParser, reducer: TolerantReducer, root: NixExpr, pythons: Pythons
) -> RecipeFacts:
    """The content of the recipe *root*. If *root* only calls another recipe of the folder, this
    is the content of the called recipe."""
    while True:
        made = reducer.reduce(*reducer.body(root))
        start, _ = call_of(made)
        named = start.name if isinstance(start, NixIdent) else ""
        if not named.startswith(RECIPE):
            return _Reading(parser, reducer).facts(made, pythons)
        reducer.inside.add(named.removeprefix(RECIPE))


def read_packages(
    parser: RecipeParser,
    text: str,
    pythons: Pythons = not_known,
    path: str = "",
    read: Read = nothing_read,
) -> dict[str, RecipeFacts]:
    """The same for a file that may have several packages (a flake, an overlay or a set): each
    package by its name there. The name is empty if the file is a single package, or if nothing is
    understood."""
    root, reducer = parser.parse(text), TolerantReducer(parser, text, path, read)
    with no_deeper(CIRCLE):
        whole = _read(parser, reducer, root, pythons)
        if is_package(whole):
            return {"": whole}
        found: dict[str, RecipeFacts] = {}
        changes = TolerantChanges(parser, reducer, Values(reducer))
        for name, member in members(changes, root).items():
            reducer.steps = 0
            if isinstance(member, RecipeFacts):
                flags = machine_flags(_scripts(member.settings))
                found[name] = replace(member, isa_flags=flags)
            else:
                made = reducer.reduce(*member)
                found[name] = _Reading(parser, reducer).facts(made, pythons)
        return found or {"": whole}


def is_package(facts: RecipeFacts) -> bool:
    """Whether *facts* describe a package, according to the parts that are understood."""
    return facts.package is not None or bool(facts.scratch)


class _Reading:
    """Reads one package, whose expression is reduced."""

    __slots__ = ("changes", "elsewhere", "gaps", "reducer", "values")

    def __init__(self, parser: RecipeParser, reducer: TolerantReducer) -> None:
        self.reducer = reducer
        self.values = Values(reducer)
        self.changes = TolerantChanges(parser, reducer, self.values)
        self.gaps: list[Gap] = []
        self.elsewhere = ""

    def facts(self, node: NixExpr, pythons: Pythons) -> RecipeFacts:
        """The content of the package *node*."""
        made = self.changes.of(node)
        unwritten = self.changes.gaps
        maker = last_name(made.maker) if made.maker is not None else ""
        builder = maker if maker in BUILDERS else ""
        steps, nixpkgs = self.steps(made.maker or made.package)
        if not self.imports(nixpkgs):
            self.values.caller = OWN
        package = self.package(made, steps) if not builder else None
        if self.elsewhere:
            nixpkgs = None  # the package may take another one
        pin, config, effects = self.nixpkgs(nixpkgs)
        if pin is not None and pin.place == NOWHERE and package is not None:
            pin = replace(pin, place=package.place)  # an argument that belongs to the caller's
        self.changes.gaps = unwritten
        settings = self.changes.settings(made.arguments, made.attributes)
        name = package.value if package is not None else None
        minor = pythons(pin).replace(".", "") if pin is not None else ""
        python = f"python{minor}Packages" if minor else ""
        effects = reaching(effects, name if isinstance(name, str) else None, python)
        perhaps = package is None and not builder and self.perhaps(made.package)
        if package is None and not builder:
            gap = self.changes.gap("package", self.other_file(made.package) or made.package)
            self.elsewhere = gap.text
            self.gaps.append(gap)
        seen = {**config.seen, **settings.seen}
        gaps = (*self.gaps, *config.gaps, *effects.gaps, *settings.gaps)
        return RecipeFacts(
            package,
            pin,
            seen,
            effects.seen,
            gaps,
            builder,
            tuple(self.switches(made, seen)),
            machine_flags(_scripts(seen)),
            self.elsewhere,
            python,
            settings.inner,
            tuple(self.reducer.followed),
            perhaps,
        )

    def perhaps(self, node: NixExpr) -> bool:
        """Whether *node*, which is not understood, may still be a package: it is not a set, not a
        function, and not the result of a function that makes no packages."""
        if not isinstance(node, NixApply):
            return isinstance(node, NixSelect | NixIf) or self.other_file(node) is not None
        function, _ = call_of(node)
        path = (self.values.reference(function) or last_name(function)).split(".")
        if path[-1] in ("import", *_SEEN_THROUGH):
            return True
        return _LIBRARIES.isdisjoint(path[:-1]) and not path[-1].startswith(_NO_PACKAGES)

    def other_file(self, node: NixExpr) -> NixExpr | None:
        """The file that makes *node*, or the call of the library that computes its path. This file
        may be nixpkgs."""
        made = self.made(node)
        source = made.source if made is not None else None
        function, arguments = call_of(source) if source is not None else (None, [])
        name = function_name(function) if function is not None and arguments else ""
        is_file = isinstance(source, NixPath) or not (name or "fetch").startswith(_FETCHING)
        return source if is_file else None

    # --- the package and its nixpkgs -----------------------------------------------

    def package(self, made: Changed, steps: Sequence[str]) -> Seen | None:
        """Read the package that is changed."""
        node = made.package
        if made.maker is not None:
            path = self.values.reference(node)
            known = Ref(path) if path is not None else self.values.unread(node)
            if isinstance(node, NixPath):
                self.elsewhere = node.text
                why = self.reducer.why_not_read(node)
                self.gaps.append(Gap("package", node.text, why, extent_of(node)))
            elif isinstance(known, Unread):
                self.gaps.append(self.changes.gap("package", node))
            return Seen(known, extent_of(node))
        if not steps:
            return None
        head = set_name(".".join(steps[:-1]))
        name = f"{head}.{steps[-1]}" if head else steps[-1]
        return Seen(name, extent_of(node))

    def steps(self, node: NixExpr) -> tuple[list[str], NixExpr | None]:
        """The path of a package in its nixpkgs, and that nixpkgs; the path is empty if it is not
        understood."""
        steps: list[str] = []
        match node:
            case NixSelect(base, path):
                node, steps = base, list(map(str, path))
            case _:
                pass
        match node:
            case NixIdent(name) if self.values.reference(node) is not None and name[0] == "@":
                if name.startswith(GIVEN) or name == "@lib":
                    steps.insert(0, name.removeprefix(GIVEN).removeprefix("@"))
                return steps, node
            case NixApply():
                return steps, node
            case _:
                return [], None

    def imports(self, nixpkgs: NixExpr | None) -> bool:
        """Whether the *nixpkgs* of a recipe differs from that of its caller."""
        return nixpkgs is not None and self.values.reference(nixpkgs) == OWN

    def nixpkgs(self, where: NixExpr | None) -> tuple[Pin | None, Settings, Settings]:
        """Read the pin, `config` and overlays of an expression for nixpkgs."""
        config = Settings()
        more: list[NixExpr] = []
        made = self.made(where)
        while made is not None and made.overlays is not None:
            more.insert(0, made.overlays)
            where = NixIdent(made.base, extent=where.extent if where is not None else None)
            made = self.made(where)
        if where is None:
            return None, config, Settings()
        if made is None or made.arguments is None:
            pin = self.not_imported(where if made is None else made.source)
        else:
            self.values.own = self.values.of(made.source)
            more = self.options(made.arguments, config) + more
            pin = self.pinned(made.source)
        return pin, config, read_overlays(self.changes, *more)

    def made(self, node: NixExpr | None) -> Nixpkgs | None:
        """The nixpkgs *node*, if the recipe makes it."""
        return self.reducer.nixpkgs(node.name) if isinstance(node, NixIdent) else None

    def not_imported(self, node: NixExpr) -> Pin | None:
        """The pin of a nixpkgs that the recipe gets: an argument, or a flake."""
        function, arguments = call_of(node)
        if last_name(function) == "getFlake" and len(arguments) == 1:
            return self.pinned(arguments[0])
        if self.values.reference(node) is not None:
            return Pin("", "", None, extent_of(node))
        if last_name(function) == "import" and arguments and isinstance(arguments[0], NixPath):
            self.elsewhere = arguments[0].text
        self.gaps += [self.changes.gap("pin", node), self.changes.gap(NIXPKGS, node)]
        return None

    def options(self, node: NixExpr, config: Settings) -> list[NixExpr]:
        """The overlays among the arguments *node* of nixpkgs. Their `config` is added to
        *config*."""
        match node:
            case NixAttrs():
                options = dict(entries_of(node))
                if "config" in options:
                    found = self.changes.block("config", options["config"])
                    config.seen |= found.seen
                    config.gaps += found.gaps
                return [options["overlays"]] if "overlays" in options else []
            case NixBinary("//", left, right):
                under, over = self.options(left, config), self.options(right, config)
                return over or under
            case _:
                self.gaps.append(self.changes.gap(NIXPKGS, node))
                return []

    def pinned(self, node: NixExpr) -> Pin | None:
        """The pin for a source of nixpkgs."""
        place = extent_of(node)
        match node:
            case NixPath() | NixSearchPath():
                return Pin(path_text(node), "", None, place)
            case NixString((NixSelect() as inner,)):
                return self.pinned(inner)
            case _:
                pass
        source = source_of(node)
        if source is not None and source.url:
            return Pin(source.url, source.rev, source.hash or None, place)
        if source is not None:
            self.gaps.append(Gap("pin", self.reducer.source(node), _COMPUTED, place))
            return None
        match self.values.of(node):
            case str() as url if "${" not in url:
                return Pin(url, revision_in(url), None, place)
            case Ref() if self.values.is_of_caller(node):
                return Pin("", "", None, place)
            case _:
                self.gaps.append(self.changes.gap("pin", node))
                return None

    # --- switched-off parts ------------------------------------------------------------------

    def switches(self, made: Changed, settings: dict[str, Seen]) -> Iterator[Switch]:
        """The parts of the build that are switched off: by variables, flags, arguments, or the
        removal of packages from its inputs."""
        for name, seen in settings.items():
            block, _, key = name.partition(".")
            value = seen.value
            if block == "args" and value is None:
                yield Switch(key, f"`{key} = null`", seen.place)
            inner = value.value if isinstance(value, Added) else value
            if isinstance(inner, str) and is_script(name):
                for part, how in off_switches(exports(inner)):
                    yield Switch(part, how, seen.place)
            if key == "cmakeFlags" and isinstance(inner, tuple):
                for item in inner:
                    off = switch_name(item) if isinstance(item, str) else None
                    if off is not None:
                        yield Switch(off, f"`{item}`", seen.place)
            if block == "env" or (block == "attrs" and key.startswith("USE_")):
                text = "0" if inner is False else str(inner)
                for part, how in off_switches([(key, text)]):
                    yield Switch(part, how, seen.place)
        yield from self.filtered(made)

    def filtered(self, made: Changed) -> Iterator[Switch]:
        """Packages that a filter takes out of the inputs, named by a text in it."""
        told: set[str] = set()
        for key, value in made.attributes:
            for part in sorted(_taken_out(self.reducer.whole(value))) if key in _INPUTS else ():
                if part.strip() and part not in told:
                    told.add(part)
                    yield Switch(part, f"filtered out of `{key}`", extent_of(value))


def _taken_out(node: NixExpr) -> frozenset[str]:
    """The texts in a filter that *node* applies."""
    function, arguments = call_of(node)
    is_filter = last_name(function) in ("filter", "remove", "subtractLists")
    return texts_in(arguments[0]) if is_filter and arguments else frozenset()


def is_script(path: str) -> bool:
    """Whether the attribute at *path* is a script of the build."""
    key = path.rpartition(".")[2]
    return key.startswith(_SCRIPTS) or key.endswith(("Phase", "Hook"))


def may_hold_flags(path: str) -> bool:
    """Whether compiler flags are read from the setting at *path*."""
    return is_script(path) or "FLAGS" in path


def _scripts(settings: dict[str, Seen]) -> Iterable[tuple[str, str]]:
    """The names and texts of scripts, and of variables with flags."""
    for path, seen in settings.items():
        value = seen.value.value if isinstance(seen.value, Added) else seen.value
        if isinstance(value, Table):
            continue
        if isinstance(value, tuple) and "FLAGS" in path:
            value = " ".join(item for item in value if isinstance(item, str))
        if isinstance(value, str) and may_hold_flags(path):
            key = path.rpartition(".")[2]
            yield key, value


_SWITCH = re.compile(r"-D(?:USE|WITH)_(\w+?)(?::\w+)?=(\w+)")
_FLAGS: Final = ("CFLAGS", "CXXFLAGS", "NIX_CFLAGS_COMPILE", "CPPFLAGS")


@lru_cache(maxsize=2048)
def exports(script: str) -> tuple[tuple[str, str], ...]:
    """The variables that *script* sets, and their values, without comments."""
    lines = [line for line in script.splitlines() if not line.lstrip().startswith("#")]
    return tuple(assignments("\n".join(lines)))


def off_switches(assigned: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each part that a variable `USE_PART` switches off, and the way."""
    for name, value in assigned:
        if name.startswith(("USE_", "WITH_")) and value.lower() in OFF:
            yield name.partition("_")[2].lower(), f"`{name}={value}`"


def switch_name(flag: str) -> str | None:
    """The part that a flag for CMake switches off: `magma` for `-DUSE_MAGMA=OFF`."""
    found = _SWITCH.fullmatch(flag)
    return found[1].lower() if found is not None and found[2].lower() in OFF else None


def machine_flags(scripts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The compiler flags that begin with `-m`, in the order given, each once."""
    found: dict[str, None] = {}
    for name, text in scripts:
        values = [text] if name in _FLAGS else []
        values += [value for key, value in exports(text) if key in _FLAGS]
        for value in values:
            for word in value.split():
                if word.startswith("-m") and "${" not in word:
                    found[word] = None
    return tuple(found)


def significant_lines(script: str) -> tuple[str, ...]:
    """The lines of *script* with an effect, without comments and lines that only print."""
    bare = [line.strip() for line in script.splitlines()]
    return tuple([line for line in bare if line and not speaks(line)])


def speaks(line: str) -> bool:
    """Whether *line*, which has no blanks around it, is a comment or only prints."""
    return line.startswith("#") or (line.startswith("echo ") and ">" not in line)
