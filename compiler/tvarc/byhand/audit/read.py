"""From the text of a recipe to what it says: pin, overlays, arguments, attributes, flags.

Nix is never run. Where a recipe computes what it says, that is a gap, never a guess.
"""

from __future__ import annotations

from contextlib import contextmanager

from tvarc.byhand.audit.arguments import body
from tvarc.byhand.audit.chain import Chain, Settings, chain, read_changes, read_settings
from tvarc.byhand.audit.constants import (
    COMMIT,
    EXTENDING,
    OWN,
    Constants,
    Located,
    Recipes,
    is_argument,
    is_root,
    last_step,
    nothing_read,
    path_text,
    receiver,
)
from tvarc.byhand.audit.members import Overlaid, members
from tvarc.byhand.audit.model import (
    Added,
    Fetched,
    Found,
    Gap,
    Pin,
    RecipeFacts,
    Ref,
    Seen,
    Switch,
    Table,
    Unread,
)
from tvarc.byhand.audit.overlays import Effects, reaching, read_overlays, set_name
from tvarc.byhand.audit.shell import exports, machine_flags, off_switches, switch_name
from tvarc.byhand.reading.reduce import CIRCLE, NotRead, Read
from tvarc.byhand.reading.scopes import Scope
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.light import Callable, Final, Iterable, Iterator, replace
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixExpr,
    NixIdent,
    NixIf,
    NixLambda,
    NixPath,
    NixSearchPath,
    NixSelect,
    extent_of,
)

_INPUTS: Final = ("buildInputs", "nativeBuildInputs", "propagatedBuildInputs")
_SCRIPTS: Final = ("pre", "post")
_LIBRARIES: Final = frozenset(("lib", "builtins"))
_SEEN_THROUGH: Final = ("callPackageWith", "pipe")  # functions of the library for packages
_NO_PACKAGES: Final = ("mkShell", "write", "recurseInto", "makeScope", "newScope", "nixosSystem")
_COMPUTED: Final = "its address is computed"
NIXPKGS: Final = "nixpkgs' arguments"  # as gaps name them


Pythons = Callable[[Pin], str]
"""The Python that `python3` is at a pin, as `3.13`; empty where that is not known."""


def not_known(_: Pin) -> str:
    """What is known of no pin."""
    return ""


def read_facts(
    parser: RecipeParser,
    text: str,
    pythons: Pythons = not_known,
    path: str = "",
    read: Read = nothing_read,
    recipes: Recipes | None = None,
) -> RecipeFacts:
    """What *text* says, the file *path*; what it imports is followed as far as *read* has it, and
    is none of *recipes*. Raises NotNix for what is no Nix, or too much of it."""
    root, constants = parser.parse(text), Constants(parser, text, path, read, recipes)
    with _refusals():
        facts = _Reading(constants).facts(body(constants, root), pythons)
        needs = constants.named_recipes(root)
        return replace(facts, needs=needs) if needs else facts


def read_packages(
    parser: RecipeParser,
    text: str,
    pythons: Pythons = not_known,
    path: str = "",
    read: Read = nothing_read,
) -> dict[str, RecipeFacts]:
    """The same of a file that may hold several packages, a flake, an overlay or a set of them: each
    by its name there. The name is empty where the file is one package, or nothing is understood."""
    root, constants = parser.parse(text), Constants(parser, text, path, read)
    with _refusals():
        whole = _Reading(constants).facts(body(constants, root), pythons)
        if is_package(whole):
            return {"": whole}
        found: dict[str, RecipeFacts] = {}
        for name, member in members(constants, root):
            constants.begin()
            facts = (
                _of_overlay(member)
                if isinstance(member, Overlaid)
                else _Reading(constants).facts(member, pythons)
            )
            found[name] = facts
        return found or {"": whole}


def is_package(facts: RecipeFacts) -> bool:
    """Whether *facts* are those of a package, as far as it is understood."""
    return facts.package is not None or bool(facts.scratch)


@contextmanager
def _refusals() -> Iterator[None]:
    """Raises NotNix where the reader refuses a text."""
    try:
        yield
    except NotRead as fault:
        raise NotNix(fault.reason, fault.offset) from None
    except RecursionError:
        raise NotNix(CIRCLE) from None


class _Reading:
    __slots__ = ("constants", "elsewhere", "gaps")

    def __init__(self, constants: Constants) -> None:
        self.constants = constants
        self.gaps: list[Gap] = []
        self.elsewhere = ""

    def facts(self, where: Located, pythons: Pythons) -> RecipeFacts:
        """What the package at *where* is and says."""
        self.constants.whole = True
        made = chain(self.constants, *where)
        self.constants.whole = False
        package, nixpkgs = self.package(made)
        if not self.imports(nixpkgs):
            self.constants.caller = OWN
        pin, config, effects = self.nixpkgs(nixpkgs)
        settings = read_changes(self.constants, made)
        name = package.value if package is not None else None
        minor = pythons(pin).replace(".", "") if pin is not None else ""
        python = f"python{minor}Packages" if minor else ""
        effects = reaching(effects, name if isinstance(name, str) else None, python)
        perhaps = package is None and not made.builder and self.perhaps(*made.start)
        if package is None and not made.builder:
            start = made.start[0]
            self.elsewhere = self.constants.source(start)
            why = self.constants.why(*made.start)
            self.gaps.append(Gap("package", self.elsewhere, why, extent_of(start)))
        seen = {**config.seen, **settings.seen}
        gaps = (*self.gaps, *config.gaps, *effects.gaps, *settings.gaps)
        return RecipeFacts(
            package,
            made.builder,
            pin,
            seen,
            effects.seen,
            effects.forms,
            tuple(self.switches(made, seen)),
            machine_flags(_scripts(seen)),
            gaps,
            self.elsewhere,
            python,
            settings.inner,
            tuple(self.constants.followed),
            perhaps,
        )

    def perhaps(self, node: NixExpr, scope: Scope) -> bool:
        """Whether *node*, which is not understood, may be a package all the same: neither a set nor
        a function, nor what a function makes that makes no packages."""
        if not isinstance(node, NixApply):
            return isinstance(node, NixSelect | NixIf)
        (function, at), _ = self.constants.called(node, scope)
        path = (self.constants.reference(function, at) or last_step(function)).split(".")
        if path[-1] in ("import", *_SEEN_THROUGH):
            return True
        return _LIBRARIES.isdisjoint(path[:-1]) and not path[-1].startswith(_NO_PACKAGES)

    # --- what is built, and from which nixpkgs -----------------------------------------------

    def package(self, made: Chain) -> tuple[Seen | None, Located | None]:
        """What is changed, and the expression of the nixpkgs that it comes from."""
        if made.builder:
            return None, self.source_of(*made.start)
        if made.called is not None:
            node, scope = made.called
            path = self.constants.reference(node, scope)
            known = Ref(path) if path is not None else self.constants.unread(node, scope)
            if isinstance(known, Unread):
                self.gaps.append(Gap("package", known.text, known.why, extent_of(node)))
            target, _ = self.constants.resolve(node, scope)
            if isinstance(target, NixPath):
                self.elsewhere = target.text
                why = self.constants.why_not_read(target)
                self.gaps.append(Gap("package", target.text, why, extent_of(node)))
                return Seen(known, extent_of(node)), None  # it may take another nixpkgs
            return Seen(known, extent_of(node)), self.source_of(*made.start)
        node, scope = made.start
        steps, source = self.steps(node, scope)
        if not steps:
            return None, None
        head = set_name(".".join(steps[:-1]))
        name = f"{head}.{steps[-1]}" if head else steps[-1]
        return Seen(name, extent_of(node)), source

    def steps(self, node: NixExpr, scope: Scope) -> tuple[list[str], Located | None]:
        """The path of a package below its nixpkgs, and the latter; no path where none is read."""
        steps: list[str] = []
        for _ in range(50):
            node, scope = self.constants.resolve(node, scope)
            match node:
                case NixSelect(base, path):
                    keys = self.constants.keys(path, scope)
                    if keys is None:
                        # `legacyPackages.${system}`: the set of one system is nixpkgs.
                        if path[0] == "legacyPackages" and len(path) == 2:
                            return steps, (base, scope)
                        return [], None
                    steps[:0] = keys
                    node = base
                case NixIdent() if is_root(node):
                    name = self.constants.reference(node, scope) or ""
                    if name not in ("pkgs", "nixpkgs", "final", "prev"):
                        steps[:0] = [name]
                    return steps, (node, scope)
                case NixApply():
                    return steps, (node, scope)
                case _:
                    return [], None
        return [], None

    def source_of(self, node: NixExpr, scope: Scope) -> Located | None:
        """The nixpkgs that the function of a call comes from."""
        (function, at), _ = self.constants.called(node, scope)
        return self.steps(function, at)[1]

    def imports(self, where: Located | None) -> bool:
        """Whether *where*, the nixpkgs of a recipe, is another than that of its caller."""
        return where is not None and self.constants.reference(*where) == OWN

    def nixpkgs(self, where: Located | None) -> tuple[Pin | None, Settings, Effects]:
        """The pin, `config` and overlays of an expression that is nixpkgs."""
        effects, config = Effects(), Settings()
        more: list[Located] = []
        for _ in range(50):
            if where is None:
                return None, config, effects
            node, scope = self.constants.resolve(*where)
            if not isinstance(node, NixApply):
                pin = self.not_imported(node, scope)
                break
            extended = self.extended(node, scope)
            if extended is not None:
                where, overlays = extended
                more.append(overlays)
                continue
            pin = self.imported(node, scope, config, effects)
            break
        else:
            return None, config, effects
        for overlays in reversed(more):
            found = read_overlays(self.constants, *overlays)
            effects.seen |= found.seen
            effects.forms |= found.forms
            effects.gaps += found.gaps
        return pin, config, effects

    def extended(self, node: NixApply, scope: Scope) -> tuple[Located, Located] | None:
        """The nixpkgs and the overlays of `pkgs.appendOverlays [ … ]`."""
        function, at = self.constants.resolve(node.function, scope)
        if not isinstance(function, NixSelect) or function.path[-1] not in EXTENDING:
            return None
        return (receiver(function), at), (node.argument, scope)

    def not_imported(self, node: NixExpr, scope: Scope) -> Pin | None:
        """The pin of nixpkgs that is given: an argument of the recipe, or a flake."""
        if self.constants.reference(node, scope) is not None:
            return Pin("", "", None, extent_of(node))
        self.gap("pin", node, scope)
        self.gap(NIXPKGS, node, scope)
        return None

    def imported(
        self, node: NixApply, scope: Scope, config: Settings, effects: Effects
    ) -> Pin | None:
        """The pin of `import SOURCE { config = …; overlays = …; }`."""
        (function, at), arguments = self.constants.called(node, scope)
        name = self.constants.reference(function, at) or ""
        if name.rpartition(".")[2] == "getFlake" and len(arguments) == 1:
            return self.flake(*arguments[0])
        if name not in ("import", "builtins.import") or not arguments:
            self.gap("pin", node, scope)
            self.gap(NIXPKGS, node, scope)
            return None
        file, _ = self.constants.resolve(*arguments[0])
        if isinstance(file, NixPath) and file.text.endswith(".nix"):
            self.elsewhere = file.text
            self.gap("pin", node, scope)
            self.gap(NIXPKGS, node, scope)
            return None
        self.constants.own = self.constants.value(*arguments[0])
        if len(arguments) > 1:
            self.options(*arguments[1], config, effects)
        return self.pinned(*arguments[0])

    def options(self, node: NixExpr, scope: Scope, config: Settings, effects: Effects) -> None:
        options: dict[tuple[str, ...] | None, Located] = {}
        for one, at in self.constants.sets(node, scope):
            if isinstance(one, NixAttrs):
                options.update(self.constants.entries(one, at))
            else:
                self.gap(NIXPKGS, one, at)
        for path, where in options.items():
            match path:
                case ("config",):
                    found = read_settings(self.constants, where, "config")
                    config.seen |= found.seen
                    config.gaps += found.gaps
                case ("config", *keys):
                    value = self.constants.value(*where)
                    config.seen[".".join(("config", *keys))] = Seen(value, extent_of(where[0]))
                case ("overlays",):
                    found_effects = read_overlays(self.constants, *where)
                    effects.seen |= found_effects.seen
                    effects.forms |= found_effects.forms
                    effects.gaps += found_effects.gaps
                case _:
                    pass

    def pinned(self, node: NixExpr, scope: Scope) -> Pin | None:
        """The pin that a source of nixpkgs is."""
        where, at = self.constants.resolve(node, scope)
        if isinstance(where, NixPath | NixSearchPath):
            return Pin(path_text(where), "", None, extent_of(where))
        match self.constants.value(where, at):
            case Fetched(_, fields):
                return self.fetched(dict(fields), where)
            case str() as url:
                return Pin(url, _revision(url), None, extent_of(where))
            case Ref() if self.is_given(where, at):
                return Pin("", "", None, extent_of(where))
            case _:
                self.gap("pin", where, at)
                return None

    def is_given(self, node: NixExpr, scope: Scope) -> bool:
        """Whether *node* is an argument of the recipe, or a part of one, as inputs of a flake."""
        while isinstance(node, NixSelect):
            node, scope = self.constants.resolve(node.base, scope)
        node, _ = self.constants.resolve(node, scope)
        return is_argument(node)

    def fetched(self, fields: dict[str, Found], node: NixExpr) -> Pin | None:
        url, ref, owner, repo = (fields.get(key) for key in ("url", "ref", "owner", "repo"))
        given = fields.get("hash")
        checked = given if isinstance(given, str) and given else None
        if isinstance(owner, str) and isinstance(repo, str):
            url = f"https://github.com/{owner}/{repo}"
        if not isinstance(url, str) or "${" in url:
            self.gaps.append(Gap("pin", self.constants.source(node), _COMPUTED, extent_of(node)))
            return None
        rev = ref if isinstance(ref, str) else _revision(url)
        return Pin(url, rev, checked, extent_of(node))

    def flake(self, node: NixExpr, scope: Scope) -> Pin | None:
        match self.constants.value(node, scope):
            case str() as url if "${" not in url:
                return Pin(url, _revision(url), None, extent_of(node))
            case _:
                self.gap("pin", node, scope)
                return None

    def gap(self, what: str, node: NixExpr, scope: Scope) -> None:
        unread = self.constants.unread(node, scope)
        self.gaps.append(Gap(what, unread.text, unread.why, extent_of(node)))

    # --- what is switched off ------------------------------------------------------------------

    def switches(self, made: Chain, settings: dict[str, Seen]) -> Iterator[Switch]:
        """Parts of the build that are switched off: by variables, flags, arguments, and by
        taking packages out of its inputs."""
        for name, seen in settings.items():
            block, _, key = name.partition(".")
            value = seen.value
            if block == "args" and value is None:
                yield Switch(key, f"`{key} = null`", seen.place)
            inner = value.value if isinstance(value, Added) else value
            if isinstance(inner, str) and _is_script(name):
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

    def filtered(self, made: Chain) -> Iterator[Switch]:
        """Packages that a filter takes out of the inputs, named by a text in it."""
        told: set[str] = set()
        for where in made.attrs:
            node, scope = self.constants.resolve(*where)
            while isinstance(node, NixLambda):
                node, scope = self.constants.resolve(*self.constants.opened(node, scope, "old"))
            if not isinstance(node, NixAttrs):
                continue
            for path, (value, at) in self.constants.entries(node, scope):
                if path is None or len(path) != 1 or path[0] not in _INPUTS:
                    continue
                for part in self.taken_out(value, at):
                    if part not in told:
                        told.add(part)
                        yield Switch(part, f"filtered out of `{path[0]}`", extent_of(value))

    def taken_out(self, node: NixExpr, scope: Scope) -> Iterator[str]:
        """The texts in a filter that *node* applies, directly or by a function of the recipe."""
        node, scope = self.constants.resolve(node, scope)
        if not isinstance(node, NixApply):
            return
        (function, at), arguments = self.constants.called(node, scope)
        if isinstance(function, NixLambda):
            body = function.body
            if isinstance(body, NixApply):
                yield from self.taken_out(body, at)
            return
        name = (self.constants.reference(function, at) or "").rpartition(".")[2]
        if name in ("filter", "remove", "subtractLists") and arguments:
            for text in sorted(self.constants.strings(*arguments[0])):
                if text.strip():
                    yield text


def _of_overlay(changed: Overlaid) -> RecipeFacts:
    """What an overlay says of one package, which is of the nixpkgs of whoever takes the overlay."""
    return RecipeFacts(
        changed.package,
        "",
        Pin("", "", None, changed.package.place),
        changed.settings,
        changed.beside,
        dict.fromkeys(changed.beside, "set"),
        (),
        machine_flags(_scripts(changed.settings)),
        tuple(changed.gaps),
    )


def _revision(url: str) -> str:
    found = COMMIT.search(url)
    return found[0] if found is not None else ""


def _is_script(path: str) -> bool:
    key = path.rpartition(".")[2]
    return key.startswith(_SCRIPTS) or key.endswith(("Phase", "Hook"))


def may_hold_flags(path: str) -> bool:
    """Whether the setting at *path* is one that compiler flags are read from."""
    return _is_script(path) or "FLAGS" in path


def _scripts(settings: dict[str, Seen]) -> Iterable[tuple[str, str]]:
    """Name and text of the scripts, and of the variables that hold flags."""
    for path, seen in settings.items():
        value = seen.value.value if isinstance(seen.value, Added) else seen.value
        if isinstance(value, Table):
            continue
        if isinstance(value, tuple) and "FLAGS" in path:
            value = " ".join(item for item in value if isinstance(item, str))
        if isinstance(value, str) and may_hold_flags(path):
            key = path.rpartition(".")[2]
            yield key, value
