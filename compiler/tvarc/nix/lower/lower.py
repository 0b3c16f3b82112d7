"""Lower: turn a decided recipe into one self-contained Nix file."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Iterator, dataclass, replace
from tvarc.nix import ir
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixCommented,
    NixExpr,
    NixFile,
    NixFormal,
    NixFormals,
    NixHas,
    NixIdent,
    NixInherit,
    NixLambda,
    NixLet,
    NixList,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixSlot,
    NixString,
    placed,
)
from tvarc.nix.lower.context import (
    CALLER,
    AsNamed,
    Context,
    Files,
    Formals,
    Relative,
    Slots,
    Traced,
)
from tvarc.nix.lower.guards import guarded, lines_of, since
from tvarc.nix.lower.overlays import lower_overlay
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import (
    EMPTY_ATTRS,
    bindings,
    changed_package,
    head_of,
    heads_in,
    mentions,
    words_of,
)
from tvarc.nix.lower.values import (
    OLD,
    apply_nix,
    asking,
    builtin,
    is_file,
    lower_value,
    taken_input,
)
from tvarc.nix.nixpkgs import FEATURES, GCC_ARCH, NAMES_PLATFORM, TUNING
from tvarc.values.value import NixRef

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

CHANGE_THE_PROGRAM = "Change that file and run `tvarc build`; do not edit this one."
PKGS, PINNED, EXTENDED = NixIdent("pkgs"), NixIdent("pinned"), NixIdent("extended")
NEEDS, VARIANTS = NixIdent("needs"), NixIdent("variants")
_NO_SYSTEM = "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does"


def lower(
    recipe: ir.Recipe, source: str, relative: Relative, traced: Traced | None = None
) -> NixFile:
    """The Nix file of *recipe*. `source` is the file that declares it, as the header names it.
    `relative` returns a file's path relative to the emitted one. With *traced*, nodes have their
    provenance; the recipe must then be decided with tracing."""
    body = lower_around(recipe, relative, None, Formals(), None, traced)
    return NixFile(header(recipe, source), body)


def lower_around(
    recipe: ir.Recipe,
    relative: Relative,
    slots: Slots | None,
    formals: Formals,
    scope: Scope | None = None,
    traced: Traced | None = None,
) -> NixExpr:
    """The file of *recipe* without its header, with *slots* for some of its blocks. *formals* and
    *scope* already have the arguments and the names that the blocks in the slots need."""
    if recipe.pin is None:
        return called(recipe, relative, formals, slots, traced, scope)
    return _pinned(recipe, recipe.pin, relative, formals, slots, traced, scope)


def settings_context(
    recipe: ir.Recipe,
    relative: Relative,
    formals: Formals,
    slots: Slots | None = None,
    traced: Traced | None = None,
    scope: Scope | None = None,
) -> Context:
    """The context of the settings of *recipe* in its file. Other parts of the file need the names
    in *scope*."""
    pin = recipe.pin
    if pin is None:
        context = context_of(None, bool(recipe.overlays), relative, formals, recipe.scope_path)
        looked_for = recipe.looked_for
    else:
        if traced is not None and pin.prov is not None:
            traced = replace(traced, age=pin.prov.of("release", "date"))
        cross = bool(pin.cross_system)
        context = context_of(pin.age, False, relative, formals, recipe.scope_path, cross=cross)
        looked_for = context.looked_for
        if context.scope is not None and recipe.scope is not None and recipe.scope.prov is not None:
            context.scope.call = placed(context.scope.call, recipe.scope.prov.all)
    if context.scope is not None and scope is not None:
        context.scope.ask(scope, 0)
    return replace(context, slots=slots, traced=traced, looked_for=looked_for)


def needs_context(
    recipe: ir.Recipe, relative: Relative, formals: Formals, traced: Traced | None = None
) -> Context:
    """The context of the needs of *recipe*. It has no overlays, because overlays may refer to
    needs."""
    if recipe.pin is not None:
        return settings_context(recipe, relative, formals, traced=traced)
    made = context_of(None, False, relative, formals, recipe.scope_path)
    return replace(made, traced=traced, looked_for=recipe.looked_for)


def context_of(
    age: ir.Age | None,
    extended: bool,
    relative: Relative,
    formals: Formals,
    scope: ir.Path = (),
    *,
    cross: bool = False,
) -> Context:
    """The context of a recipe's settings in its file. *age* is given for a recipe with a pin, which
    imports nixpkgs in a `let`. A recipe with overlays and no pin extends a nixpkgs there. *scope*
    is the package set that the recipe states. *cross* says that its pin builds for another machine.
    """
    if age is not None:
        handing = _scope_of(PINNED, scope) if scope or cross else None
        library = NixSelect(PINNED, ("lib",))
        made = Context(PINNED, library, relative, formals, age=age, scope=handing)
        return replace(made, spliced=cross, set_path=scope)
    if extended:
        return replace(_of_caller(EXTENDED, scope, relative, formals), pinned=False)
    made = Context(None, None, relative, formals, pinned=False)
    return replace(made, spliced=True, set_path=scope)


def _of_caller(pkgs: NixIdent, scope: ir.Path, relative: Relative, formals: Formals) -> Context:
    """The context of settings that take packages from *pkgs*, a nixpkgs of the caller. It may build
    for another machine."""
    library = NixSelect(pkgs, ("lib",))
    handing = _scope_of(pkgs, scope)
    made = Context(pkgs, library, relative, formals, scope=handing)
    return replace(made, spliced=True, set_path=scope)


def _scope_of(pkgs: NixIdent, scope: ir.Path) -> Scope:
    return Scope(NixSelect(pkgs, (*scope, "callPackage")))


def lower_overlays(overlays: tuple[ir.Overlay, ...], context: Context) -> Iterator[NixCommented]:
    """The elements of the list of overlays."""
    for overlay in overlays:
        text = f"{overlay.name}: {overlay.because}" if overlay.because else overlay.name
        if context.traced is None or overlay.prov is None:
            yield NixCommented(text, lower_overlay(overlay, context))
            continue
        from tvarc.values.provenance import like, marked

        lines = overlay.prov.all
        within = replace(context.traced, base=("overlays", overlay.name), whole=lines)
        made = lower_overlay(overlay, replace(context, traced=within))
        comment = marked(like(text, overlay.because), lines, overlay.prov.head)
        around = overlay.prov.head | context.traced.age
        name = context.traced.bit(("overlays", overlay.name))
        yield placed(NixCommented(comment, made), lines | name, around)


def looked_at(overlays: tuple[ir.Overlay, ...]) -> tuple[tuple[ir.Path, str], ...]:
    """The sets, and the members of sets, that *overlays* change. Each has the sentence for the case
    that it is missing.

    An overlay checks this itself, but inside a set only when the member is evaluated.
    """
    found: dict[ir.Path, str] = {}
    for overlay in overlays:
        if overlay.relation == "in" or len(overlay.target) > 1:
            kind = "patch" if overlay.patch else "overlay"
            what = "set" if overlay.relation == "in" else "package"
            name = ".".join(overlay.target)
            words = f"{kind} `{overlay.name}`: `{name}` of this nixpkgs is no {what}"
            found.setdefault(overlay.target, words)
    return tuple(found.items())


def header(recipe: ir.Recipe, source: str) -> tuple[str, ...]:
    """The header's lines on the variant, its hardware and its program, in the words of the facts.
    """
    return (first_line(recipe), *made_by(source, recipe.matrix, recipe.recipes[-1]))


def first_line(recipe: ir.Recipe) -> str:
    """The line of a header that names the variant, and the values of its axes."""
    cell = ", ".join([axis.label for axis in recipe.axes])
    return f"{recipe.variant}: {cell}" if cell else recipe.variant


def made_by(source: str, matrix: str, recipe: str) -> tuple[str, ...]:
    """The lines of a header that all files of a matrix share."""
    made = f"Made by tvarc from {source}: matrix {matrix}, recipe {recipe}."
    return (made, CHANGE_THE_PROGRAM)


def _pinned(
    recipe: ir.Recipe,
    pin: ir.Pin,
    relative: Relative,
    formals: Formals,
    slots: Slots | None,
    traced: Traced | None,
    scope: Scope | None,
) -> NixExpr:
    context = settings_context(recipe, relative, formals, slots, traced, scope)
    changed = of_pinned(recipe, pin, context)
    needed = needs_of(recipe, context)
    whole = imported(recipe, pin, context)
    bindings = (pin_source(pin, relative), *needed, whole, *scope_in(context))
    others = [formal for formal in formals.listed() if formal.name != CALLER]
    if traced is not None:
        others = [_asked_for(formal, 0, formals) for formal in others]
    head = NixFormals((NixFormal(CALLER, caller(formals)), *others))
    return NixLambda(head, NixLet(bindings, changed))


def scope_in(context: Context) -> tuple[NixBinding, ...]:
    """`scope = …`, if the Nix that was lowered in *context* names packages of a scope."""
    return context.scope.bindings() if context.scope is not None else ()


def of_pinned(recipe: ir.Recipe, pin: ir.Pin, context: Context) -> NixExpr:
    """The package of *recipe*, which has *pin*, from the imported nixpkgs."""
    changed = _as_listed(recipe, context, _changed(recipe, context))
    return _as_stated(pin, _as_tuned(pin, context, changed))


def lacked_scope(path: ir.Path) -> str:
    """The message of a recipe whose nixpkgs has no package set *path*."""
    return f"`scope`: this nixpkgs has no package set `{'.'.join(path)}` with `.callPackage`"


def as_scoped(recipe: ir.Recipe, pkgs: NixExpr, body: NixExpr) -> NixExpr:
    """*body*, guarded by a check that *pkgs* has the package set that *recipe* states as its scope.
    """
    path = recipe.scope_path
    if not path:
        return body
    words = lacked_scope(path)
    prov = recipe.scope.prov if recipe.scope is not None else None
    asked, sentence, lines = NixHas(pkgs, (*path, "callPackage")), NixString((words,)), 0
    if prov is not None:
        asked, sentence = placed(asked, prov.all), placed(sentence, prov.all)
        lines = prov.all | prov.head
    return guarded(asked, sentence, body, lines)


def imported(recipe: ir.Recipe, pin: ir.Pin, context: Context) -> NixBinding:
    """The nixpkgs of *pin*, imported for the system of the caller."""
    arguments = list(_platforms(pin, context))
    if recipe.config:
        config = NixAttrs(bindings(recipe.config, context, OLD))
        arguments.append(_around(NixBinding(("config",), config), "config", recipe.config, context))
    else:
        # An empty set keeps the user's own configuration out of the build.
        arguments.append(NixBinding(("config",), EMPTY_ATTRS))
    overlays = NixBinding(("overlays",), _overlays(recipe, context))
    listed = (recipe.overlay_list,) if recipe.overlay_list is not None else ()
    arguments.append(_around(overlays, "overlays", listed, context))
    made = apply_nix(NixIdent("import"), NixIdent("nixpkgs"), NixAttrs(tuple(arguments)))
    return NixBinding(("pinned",), made)


def plain_nixpkgs(pin: ir.Pin, relative: Relative) -> NixExpr:
    """The nixpkgs of *pin* for the system of the caller, without the settings of any recipe."""
    context = context_of(pin.age, False, relative, Formals(), cross=bool(pin.cross_system))
    empty = (NixBinding(("config",), EMPTY_ATTRS), NixBinding(("overlays",), NixList(())))
    arguments = NixAttrs((*_platforms(pin, context), *empty))
    return NixLet(
        (pin_source(pin, relative),), apply_nix(NixIdent("import"), NixIdent("nixpkgs"), arguments)
    )


def pin_source(pin: ir.Pin, relative: Relative) -> NixBinding:
    """The binding for the source of the imported nixpkgs."""
    source = NixBinding(("nixpkgs",), _source(pin, relative))
    if pin.prov is None:
        return source
    chosen = pin.prov.chosen
    return placed(replace(source, value=placed(source.value, 0, chosen)), 0, chosen)


# --- what is needed ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Nixpkgs:
    """The nixpkgs of a recipe. Another recipe that is put into this one may share it."""

    pin: ir.Pin | None
    config: tuple[ir.Setting, ...]
    overlays: tuple[ir.Overlay, ...]

    @classmethod
    def of(cls, recipe: ir.Recipe) -> Nixpkgs:
        return cls(recipe.pin, recipe.config, recipe.overlays)


def needs_of(recipe: ir.Recipe, context: Context) -> tuple[NixBinding, ...]:
    """`needs = { … }`, the set through which the recipe refers to its needs."""
    if context.in_slot("needs"):
        slot = NixBinding(("needs",), NixAttrs((NixSlot("needs"),)))
        return (_around(slot, "needs", (), context),)
    if not recipe.needs:
        return ()
    around = Nixpkgs.of(recipe)
    made = tuple([lower_need(need, around, context) for need in recipe.needs])
    settings = tuple([need.setting for need in recipe.needs])
    return (_around(NixBinding(("needs",), NixAttrs(made)), "needs", settings, context),)


def lower_need(need: ir.Need, around: Nixpkgs, context: Context) -> NixBinding:
    """The binding of *need* in the set of needs, such as `torch = …`. *around* is the nixpkgs of
    the recipe."""
    setting = need.setting
    if setting.prov is None or context.traced is None:
        return NixBinding((need.name,), _needed(need, around, context), setting.because)
    lines = setting.prov.all | setting.prov.head
    value = asking(context, lines, lambda inner: _needed(need, around, inner))
    if need.linked is not None or need.recipe is not None:
        value = placed(value, lines, setting.prov.head)
    value = placed(value, context.traced.bit(setting.path), setting.prov.head)
    from tvarc.values.provenance import marked

    because = marked(setting.because, 0, setting.prov.head) if setting.because else ""
    return placed(NixBinding((need.name,), value, because), 0, setting.prov.head)


def _needed(need: ir.Need, around: Nixpkgs, context: Context) -> NixExpr:
    if need.linked is not None:
        return _linked(need.linked, context)
    if need.recipe is not None:
        return _inline(need.name, need.recipe, around, context)
    value = lower_value(need.setting.value, context, need.setting.prov)
    if is_file(need.setting.value):
        return apply_nix(context.call_package(), value, EMPTY_ATTRS)
    return value


def _linked(linked: ir.Linked, context: Context) -> NixExpr:
    """A variant of a matrix. If it has a file of its own, it gets the same arguments as in a build
    by itself."""
    path = context.relative.sibling(linked.files)
    if path is None:
        return NixSelect(VARIANTS, (linked.variant,))
    if linked.argument:
        return NixIdent(_argument(linked.files, context))
    file = NixPath(path)
    handed = {_argument(files, context) for files in linked.handed}
    given = tuple(sorted({*handed, *[taken_input(one, context) for one in linked.inputs]}))
    if linked.called:
        arguments = NixAttrs((NixInherit(given),)) if given else EMPTY_ATTRS
        return apply_nix(_calling(linked.scope, context), file, arguments)
    if linked.of_caller or not context.pinned:
        context.formals.names.add(CALLER)
    return apply_nix(NixIdent("import"), file, NixAttrs((NixInherit((CALLER, *given)),)))


def _calling(scope: ir.Path, context: Context) -> NixExpr:
    """The callPackage of the package set *scope* of the caller's nixpkgs."""
    if not context.pinned and scope == context.set_path:
        return context.caller_set(("callPackage",))
    context.formals.names.add(CALLER)
    return NixSelect(PKGS, (*scope, "callPackage"))


def _argument(files: Files, context: Context) -> str:
    """The name of the argument for another variant. *files* are its files."""
    path = context.relative.sibling(files)
    assert path is not None
    name = stem_of(path)
    context.formals.add(NixFormal(name))
    return name


def stem_of(file: str) -> str:
    """The name of *file* as a package: its name without the folder and `.nix`. A `default.nix` has
    the name of its folder."""
    return file.removesuffix("/default.nix").rpartition("/")[2].removesuffix(".nix")


def taken_names(recipe: ir.Recipe) -> tuple[frozenset[str], frozenset[str]]:
    """The names that the file of *recipe* uses: its arguments, and the words of its Nix text. Names
    of other variants are not included."""
    formals = Formals()
    alone = _without_arguments(recipe)
    body = lower_around(alone, AsNamed(), None, formals)
    return frozenset(formals.names | formals.optional), frozenset(words_of([body]))


def _without_arguments(recipe: ir.Recipe) -> ir.Recipe:
    needs = []
    for need in recipe.needs:
        if need.linked is not None and not need.linked.argument:
            needs.append(replace(need, linked=replace(need.linked, handed=())))
        elif need.recipe is not None:
            needs.append(replace(need, recipe=_without_arguments(need.recipe)))
        elif need.linked is None:
            needs.append(need)
    return replace(recipe, needs=tuple(needs))


def _inline(name: str, recipe: ir.Recipe, around: Nixpkgs, context: Context) -> NixExpr:
    """A recipe that is put into the recipe that needs it, and decided for the same cell. Both share
    one nixpkgs if theirs are equal."""
    traced = context.traced
    if traced is not None:
        traced = replace(traced, base=(*traced.base, "needs", name))
    inner = replace(context, slots=None, traced=traced)
    pin, relative, formals = recipe.pin, context.relative, context.formals
    if pin is None:
        return _inline_called(recipe, inner)
    fresh = settings_context(recipe, relative, formals, traced=traced)
    mine = Nixpkgs.of(recipe)
    same_source = around.pin is not None and _is_same(pin, around.pin)
    body = _as_listed(recipe, fresh, _changed(recipe, fresh))
    if same_source and not recipe.needs and _agree(mine, around, relative):
        scoped = scope_in(fresh)
        return NixLet(scoped, body) if scoped else body
    if not context.pinned:
        formals.names.add(CALLER)
    made = (*needs_of(recipe, fresh), imported(recipe, pin, fresh), *scope_in(fresh))
    body = _as_tuned(pin, fresh, body)
    if same_source:
        return NixLet(made, body)
    return NixLet((pin_source(pin, relative), *made), _as_stated(pin, body))


def _inline_called(recipe: ir.Recipe, context: Context) -> NixExpr:
    """A recipe without a pin that is put into another one. It takes its packages from the nixpkgs
    that the file is called with."""
    formals = context.formals
    scope, relative = recipe.scope_path, context.relative
    if context.pinned or scope != context.set_path:
        formals.names.add(CALLER)
        inner = _of_caller(PKGS, scope, relative, formals)
    else:
        inner = context_of(None, False, relative, formals, scope)
    inner = replace(
        inner, pinned=context.pinned, traced=context.traced, looked_for=recipe.looked_for
    )
    made = list(needs_of(recipe, inner))
    body_context = inner
    if recipe.overlays:
        formals.names.add(CALLER)
        body_context = _of_caller(EXTENDED, scope, relative, formals)
        body_context = replace(body_context, pinned=context.pinned, traced=context.traced)
        applied = apply_nix(NixSelect(PKGS, ("appendOverlays",)), _overlays(recipe, inner))
        made.append(NixBinding(("extended",), applied))
    body = _as_listed(recipe, body_context, _changed(recipe, body_context))
    made += scope_in(body_context)
    return NixLet(tuple(made), body) if made else body


def _is_same(pin: ir.Pin, other: ir.Pin) -> bool:
    """Whether both pins are the same nixpkgs. Their names and configurations do not count."""
    one = (pin.url, pin.hash, pin.path, pin.release, pin.date)
    return one == (other.url, other.hash, other.path, other.release, other.date)


def _agree(one: Nixpkgs, other: Nixpkgs, relative: Relative) -> bool:
    """Whether both nixpkgs are configured in the same way, so that their code would be equal."""
    shown = []
    for around in (one, other):
        if around.pin is None:
            return False
        context = context_of(around.pin.age, False, relative, Formals())
        config = [replace(b, comment="") for b in bindings(around.config, context, OLD)]
        overlays = [each.value for each in lower_overlays(around.overlays, context)]
        if mentions(overlays, NEEDS):
            return False  # each may need something else
        platforms = list(_platforms(around.pin, context))
        shown.append((config, overlays, platforms))
    return shown[0] == shown[1]


def _changed(recipe: ir.Recipe, context: Context) -> NixExpr:
    """The package with all of its changes. If the package is a file, it is a function, which takes
    the arguments directly and not through `override`."""
    value = recipe.package.value
    package = lower_value(value, context, recipe.package.prov)
    of_file = is_file(value)
    if of_file:
        package = NixApply(context.call_package(), package)
    if context.traced is not None:
        package = placed(package, context.traced.bit(("package",)))
    return changed_package(package, recipe.changes, context, of_file=of_file)


def _around(
    binding: NixBinding, block: str, settings: tuple[ir.Setting, ...], context: Context
) -> NixBinding:
    """*binding*, which contains *settings* of a block, with the source lines of these."""
    if context.traced is None:
        return binding
    lines = heads_in(block, settings, context)
    return placed(replace(binding, value=placed(binding.value, 0, lines)), 0, lines)


def _source(pin: ir.Pin, relative: Relative) -> NixExpr:
    """The source of the nixpkgs to import: a folder, or a tarball."""
    if pin.path:
        folder = NixPath(relative(pin.path))
        return folder if pin.prov is None else placed(folder, pin.prov.of("path"))
    fetch: list[NixBinding] = [NixBinding(("url",), NixString((pin.url,)))]
    if pin.hash is not None:
        fetch.append(NixBinding(("sha256",), NixString((pin.hash,))))
    if pin.prov is not None:
        at = pin.prov.of("url", "github", "rev")
        made = (at, at | pin.prov.of("hash"))
        fetch = [
            placed(replace(one, value=placed(one.value, lines)), 0, lines)
            for one, lines in zip(fetch, made, strict=False)
        ]
    return NixApply(builtin("fetchTarball"), NixAttrs(tuple(fetch)))


def _platforms(pin: ir.Pin, context: Context) -> Iterator[NixBinding | NixInherit]:
    """The arguments that select the platform. nixpkgs refuses `system` together with `localSystem`.
    """
    caller = NixInherit(("system",), NixSelect(PKGS, ("stdenv", "hostPlatform")))
    if pin.local_system:
        local = NixBinding(("localSystem",), _platform(pin.local_system, (caller,), context))
        yield _around(local, "localSystem", pin.local_system, context)
    else:
        yield caller
    if pin.cross_system:
        cross = NixBinding(("crossSystem",), _platform(pin.cross_system, (), context))
        yield _around(cross, "crossSystem", pin.cross_system, context)


def _platform(
    settings: tuple[ir.Setting, ...], otherwise: tuple[NixInherit, ...], context: Context
) -> NixExpr:
    """A platform. *otherwise* names it if *settings* do not. In older releases of nixpkgs, the
    compiler's settings are below `platform`, with everything else that nixpkgs knows of the
    machine."""
    named = tuple(one for one in settings if one.key in NAMES_PLATFORM)
    names = bindings(named, context, OLD) or otherwise
    if context.age.knows(GCC_ARCH) is not False or not _tunes(settings):
        rest = tuple(one for one in settings if one not in named)
        return NixAttrs((*names, *bindings(rest, context, OLD)))
    tuned = tuple(one for one in settings if one.key == TUNING)
    rest = tuple(one for one in settings if one not in (*named, *tuned))
    library = NixBinary("+", NixIdent("nixpkgs"), NixString(("/lib",)))
    elaborate = NixSelect(apply_nix(NixIdent("import"), library), ("systems", "elaborate"))
    known = NixSelect(NixApply(elaborate, NixAttrs(names)), ("platform",))
    platform = NixBinary("//", known, NixAttrs(bindings(tuned, context, OLD)))
    return NixAttrs((*names, NixBinding(("platform",), platform), *bindings(rest, context, OLD)))


def _tunes(settings: tuple[ir.Setting, ...]) -> bool:
    return any(setting.key == TUNING for setting in settings)


def _as_tuned(pin: ir.Pin, context: Context, body: NixExpr) -> NixExpr:
    """*body*, guarded by a check that nixpkgs uses the compiler that the pin states."""
    if context.age.knows(GCC_ARCH) is not None or not _tunes(pin.systems):
        return body
    release = NixSelect(PINNED, ("lib", "trivial", "release"))
    first = NixString((FEATURES[GCC_ARCH].first,))
    reached = apply_nix(context.library(("versionAtLeast",)), release, first)
    words = since(GCC_ARCH, "`gcc` of a platform", context)
    lines = head_of(*[one for one in pin.systems if one.key == TUNING])
    return guarded(reached, (words,), body, lines_of(context, lines))


def caller(formals: Formals) -> NixExpr:
    """The default of `pkgs` for a call without it. It is nixpkgs if the recipe uses that. Otherwise
    it is only the system, so that no search path is needed."""
    if CALLER in formals.names:
        found = apply_nix(NixIdent("import"), NixSearchPath("nixpkgs"), EMPTY_ATTRS)
        asked = formals.asked.get(CALLER, 0)
        return placed(found, 0, asked) if asked else found
    missing = NixApply(NixIdent("throw"), NixString((_NO_SYSTEM,)))
    system = NixSelect(NixIdent("builtins"), ("currentSystem",), missing)
    return NixAttrs((NixBinding(("stdenv", "hostPlatform", "system"), system),))


def _as_stated(pin: ir.Pin, body: NixExpr) -> NixExpr:
    """*body*, guarded by a check that *pin*'s nixpkgs has the stated release. A later release also
    passes if all later releases have the same forms."""
    if not pin.release:
        return body
    release = NixSelect(PINNED, ("lib", "trivial", "release"))
    stated = NixString((pin.release,))
    sentence = NixString((stated_release(pin), release))
    lines = 0
    if pin.prov is not None:
        lines = pin.prov.of("release", "date")
        made = pin.prov.of("release")
        stated, sentence = placed(stated, made), placed(sentence, made)
    later = NixSelect(PINNED, ("lib", "versionAtLeast"))
    asked = NixBinary("==", release, stated) if pin.age.lacks else apply_nix(later, release, stated)
    return guarded(asked, sentence, body, lines)


def stated_release(pin: ir.Pin) -> str:
    """The beginning of a recipe's message that the nixpkgs of *pin* is of another release. That
    release follows it."""
    return f"pin `{pin.name}` states release {pin.release}, its nixpkgs is of "


def _as_listed(recipe: ir.Recipe, context: Context, body: NixExpr) -> NixExpr:
    """*body*, guarded by checks that the scope exists, and that everything exists that overlays
    change. The package itself, and the sets that contain it, need no check, because Nix reads them
    anyway."""
    if context.pkgs is not None:
        body = as_scoped(recipe, context.pkgs, body)
    package = recipe.package.value
    taken = package.attributes if isinstance(package, NixRef) and package.root == "pkgs" else ()
    for path, words in reversed(looked_at(recipe.overlays)):
        if taken[: len(path)] != path:
            is_one = apply_nix(builtin("isAttrs"), context.package_set(path))
            body = guarded(is_one, (words,), body, _asking(path, recipe.overlays, context))
    return body


def _asking(path: ir.Path, overlays: tuple[ir.Overlay, ...], context: Context) -> Lines:
    """With tracing, the source lines of the overlays that change *path*."""
    if context.traced is None:
        return 0
    lines = 0
    for overlay in overlays:
        if overlay.target == path and overlay.prov is not None:
            lines |= overlay.prov.all
    return lines


def called(
    recipe: ir.Recipe,
    relative: Relative,
    formals: Formals,
    slots: Slots | None,
    traced: Traced | None,
    scope: Scope | None,
) -> NixExpr:
    """A function for callPackage, whose arguments are the names that it uses. The settings in
    *slots* need the names in *scope*."""
    context = settings_context(recipe, relative, formals, slots, traced, scope)
    body = _as_listed(recipe, context, _changed(recipe, context))
    outer = context_of(None, False, relative, formals, recipe.scope_path)
    outer = replace(outer, slots=slots, traced=traced, looked_for=recipe.looked_for)
    made = list(needs_of(recipe, outer))
    if recipe.overlays:
        formals.names.add("pkgs")
        extended = apply_nix(NixSelect(PKGS, ("appendOverlays",)), _overlays(recipe, outer))
        listed = (recipe.overlay_list,) if recipe.overlay_list is not None else ()
        made.append(_around(NixBinding(("extended",), extended), "overlays", listed, context))
        made += scope_in(context)
    if made:
        body = NixLet(tuple(made), body)
    arguments = formals.listed()
    if traced is not None:
        chosen = head_of(recipe.pin_choice) if recipe.pin_choice is not None else 0
        arguments = tuple([_asked_for(formal, chosen, formals) for formal in arguments])
    return NixLambda(NixFormals(arguments, whole=formals.whole), body)


def _asked_for(formal: NixFormal, chosen: Lines, formals: Formals) -> NixFormal:
    """*formal*, with the source lines that need it. *chosen* are the lines that decide that the
    file has arguments."""
    from tvarc.values.provenance import marked

    return replace(formal, name=marked(formal.name, chosen, formals.asked.get(formal.name, 0)))


def _overlays(recipe: ir.Recipe, context: Context) -> NixList:
    made = NixList(tuple(lower_overlays(recipe.overlays, context)))
    if context.traced is None or recipe.overlay_list is None:
        return made
    return placed(made, 0, head_of(recipe.overlay_list))
