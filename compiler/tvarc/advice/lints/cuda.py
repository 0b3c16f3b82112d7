"""The CUDA of a build: whether it uses CUDA, with which toolkit, for which GPUs."""

from __future__ import annotations

from tvarc.advice.hosts.capability import Capability, capability, capability_of, dotted, suffix_of
from tvarc.advice.hosts.toolkit import toolkit_of_axes
from tvarc.advice.lints.packages import BESIDE_TORCH, TORCH, known, one_set, reaches
from tvarc.light import Final, Iterable, Iterator, Mapping, dataclass
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.row_facts import has_fact, text_fact, version_fact
from tvarc.values.value import NixRef, RowValue, Value, Version

CUDA_SETS: Final = "cudaPackages"
_SET: Final = f"{CUDA_SETS}_"
_NEWEST: Final = "9999"  # no minor of CUDA comes after it


@dataclass(frozen=True, slots=True)
class Toolkit:
    """The CUDA toolkit of a build: one, or any from `first` to `last` if the name of the set is an
    alias that changes. `row` is the axis value that has its facts, if there is one."""

    first: Version
    last: Version
    row: RowValue | None = None

    @property
    def exact(self) -> bool:
        return self.first is self.last

    @property
    def major(self) -> str:
        return self.first.parts[0]

    @property
    def name(self) -> str:
        return f"CUDA {self.first.text if self.exact else self.major}"


@dataclass(frozen=True, slots=True)
class Target:
    """A GPU that a build is made for: its capability, where that is written, and the axis value
    that has its facts, if there is one."""

    text: str
    capability: Capability
    span: Span
    row: RowValue | None

    @property
    def name(self) -> str:
        found = self.capability
        return f"sm_{found.major}{found.minor}{found.suffix}"


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a list that somebody wrote."""

    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Cuda:
    """The known CUDA of a variant. `built` is the package, and `package` its last attribute, empty
    if Nix alone knows it. `on` says whether it is a CUDA build, None if that is not known;
    `refused` says that a setting states that it is none. `place` is the matrix, `args` are the
    recipe's own arguments, `plain` holds the attributes of nixpkgs that overlays set.
    `toolkit_unread` is set if a setting chooses the CUDA set in a way that only Nix knows.
    `arguments` are those of the package under any of its names, including those of overlays.
    `own_torch` says whether a package that is built on Torch takes that of its own package set;
    `needed` is the Torch of another variant in its place.
    """

    place: Span
    pin: ir.Pin | None
    overlays: tuple[ir.Overlay, ...]
    args: tuple[ir.Setting, ...]
    built: ir.Setting
    package: str
    config: Mapping[str, ir.Setting]
    plain: Mapping[str, ir.Setting]
    on: bool | None
    refused: bool
    toolkit: Toolkit | None
    toolkit_unread: bool
    arguments: Mapping[str, ir.Setting]
    own_torch: bool
    gpu_targets: tuple[Item, ...]
    arch_list: tuple[Item, ...]  # `cudaArchList`, which Torch took before `gpuTargets`
    capabilities: tuple[Item, ...]
    targets: tuple[Target, ...]
    needed: ir.Built | None = None

    @property
    def torch(self) -> bool:
        """Whether the package is Torch, built from source."""
        found = known(self.package)
        return found is not None and found.kind == TORCH and not found.binary

    @property
    def with_torch(self) -> bool:
        """Whether the package is Torch or is built on Torch. It may have any name."""
        return known(self.package) is not None


def cuda_of(recipe: ir.Recipe) -> Cuda:
    """The CUDA of *recipe*."""
    package = package_name(recipe)
    config = {setting.key: setting for setting in recipe.config}
    plain = plain_attributes(recipe)
    arguments = _arguments(changes_of(recipe, package))
    torch_args = _torch_arguments(recipe, package, arguments)
    targets = items(torch_args.get("gpuTargets")) if torch_args is not None else ()
    older = items(torch_args.get("cudaArchList")) if torch_args is not None else ()
    toolkit, chosen = _toolkit(recipe, package, arguments, torch_args, plain)
    capabilities = items(config.get("cudaCapabilities"))
    on, refused = _support(recipe, package, arguments, torch_args, config)
    return Cuda(
        recipe.matrix_span,
        recipe.pin,
        recipe.overlays,
        recipe.changes.args,
        recipe.package,
        package,
        config,
        plain,
        on,
        refused,
        toolkit,
        chosen and toolkit is None,
        arguments,
        _is_own_torch(recipe, arguments.get("torch")),
        targets,
        older,
        capabilities,
        tuple(_targets(recipe, (*targets, *older, *capabilities))),
        _needed_torch(recipe, arguments.get("torch")),
    )


def is_of_cuda(axis: str, value: Value) -> bool:
    """Whether *value* of *axis* decides the CUDA of a build: its version, or a GPU."""
    if isinstance(value, Version):
        return axis == "cuda"
    return has_fact(value, "capability") or has_fact(value, "min-driver")


def package_name(recipe: ir.Recipe) -> str:
    """The last step of `pkgs.python3Packages.torch`; empty if *recipe* has no such path."""
    value = recipe.package.value
    return value.attributes[-1] if isinstance(value, NixRef) and value.attributes else ""


def seen_of(package: ir.Setting) -> object:
    """The part of a package that lints see; two packages with an equal one are the same to them."""
    value = package.value
    if not isinstance(value, NixRef) or not value.attributes:
        return id(package)
    first = value.attributes[0]
    root = (value.root, first) if first.startswith(CUDA_SETS) or len(value.attributes) == 1 else ()
    return (package.origin.span, value.attributes[-1], root)


def changes_of(recipe: ir.Recipe, package: str) -> tuple[ir.Changes, ...]:
    """The changes of overlays, and then of the recipe, to *package* by any of its names."""
    found = [
        overlay.changes
        for overlay in recipe.overlays
        if overlay.relation == "for" and overlay.target and reaches(overlay.target[-1], package)
    ]
    return (*found, recipe.changes) if package_name(recipe) == package else tuple(found)


def plain_attributes(recipe: ir.Recipe) -> dict[str, ir.Setting]:
    """The attributes of nixpkgs that overlays set, the last overlay's where several do."""
    return {
        setting.key: setting
        for overlay in recipe.overlays
        if overlay.relation is None
        for setting in overlay.changes.attrs
    }


def words_of(item: Item) -> Iterator[str]:
    """The targets that *item* names, as PyTorch spells them. Other spellings, such as `sm_90`, are
    translated.
    """
    for word in (text_of(item.value) or "").replace(";", " ").split():
        yield word if capability_of(word) is not None else dotted(word) or word


def items(setting: ir.Setting | None) -> tuple[Item, ...]:
    """The elements of a list as far as the compiler knows them; a lone value is a list of one."""
    if setting is None:
        return ()
    if setting.elements is not None:
        return tuple(Item(one.value, one.origin.span) for one in setting.elements)
    values = setting.value if isinstance(setting.value, tuple) else (setting.value,)
    return tuple(Item(value, setting.origin.span) for value in values)


def text_of(value: Value) -> str | None:
    """The word that Nix gets for *value*; None if it is not a plain word."""
    match value:
        case bool():
            return None
        case str():
            return value
        case int():
            return str(value)
        case Version():
            return value.text
        case RowValue():
            return value.name
        case _:
            return None


def named_set(value: Value) -> str:
    """The attribute that `pkgs.X`, `final.X` or `prev.X` names; empty for anything else."""
    if isinstance(value, NixRef) and value.root in ("pkgs", "final", "prev"):
        return value.attributes[0] if len(value.attributes) == 1 else ""
    return ""


def resolved_set(value: Value, plain: Mapping[str, ir.Setting]) -> str:
    """The CUDA set to which *value* leads through the names that overlays define; empty if it is
    not the name of a set."""
    seen: set[str] = set()
    while True:
        name = named_set(value)
        root = value.root if isinstance(value, NixRef) else ""
        if not name or name in seen:
            return ""
        # `prev` is what was there before the overlays of this program.
        if root == "prev" or name not in plain:
            return name
        seen.add(name)
        value = plain[name].value


def set_settings(cuda: Cuda) -> Iterator[ir.Setting]:
    """All settings that may name a CUDA set."""
    yield cuda.built
    yield from cuda.plain.values()
    yield from cuda.args
    for overlay in cuda.overlays:
        yield from overlay.changes.args


def chosen_sets(cuda: Cuda) -> Iterator[tuple[ir.Setting, str]]:
    """The CUDA sets that are named and that no overlay replaces, each with the setting that names
    it."""
    for setting in set_settings(cuda):
        name = resolved_set(whole_set(setting.value), cuda.plain)
        if name.startswith(_SET) and name not in cuda.plain:
            yield setting, name


def whole_set(value: Value) -> Value:
    """Return `pkgs.cudaPackages_13` for that path itself and for `pkgs.cudaPackages_13.nccl`."""
    return NixRef(value.root, value.attributes[:1]) if isinstance(value, NixRef) else value


def _torch_arguments(
    recipe: ir.Recipe, package: str, own: dict[str, ir.Setting]
) -> dict[str, ir.Setting] | None:
    """The arguments of the Torch of *recipe*; None for one that is not known."""
    found = known(package)
    if found is not None and found.kind == TORCH:
        return own
    if not _is_own_torch(recipe, own.get("torch")):
        return None
    binary = found is not None and found.binary
    return _arguments(changes_of(recipe, "torch-bin" if binary else TORCH))


def _needed_torch(recipe: ir.Recipe, given: ir.Setting | None) -> ir.Built | None:
    """The Torch of another variant, or of another recipe, that replaces the package's own: by the
    argument `torch`, or by an overlay on the set of the package.
    """
    if not recipe.needs:
        return None
    package = recipe.package.value
    own_set = package.attributes[:-1] if isinstance(package, NixRef) else ()
    put = [
        setting
        for overlay in recipe.overlays
        if overlay.relation == "in" and one_set(overlay.target) == one_set(own_set)
        for setting in overlay.changes.attrs
        if setting.key == TORCH
    ]
    chosen = given or (put[-1] if put else None)
    value = chosen.value if chosen is not None else None
    if not isinstance(value, NixRef) or value.root != "needs":
        return None
    built = next((one.built for one in recipe.needs if one.name == value.attributes[0]), None)
    name = built.package.value if built is not None else None
    found = known(name.attributes[-1]) if isinstance(name, NixRef) and name.attributes else None
    return built if found is not None and found.kind == TORCH else None


def _is_own_torch(recipe: ir.Recipe, given: ir.Setting | None) -> bool:
    """Whether the argument `torch`, *given* or not, is the Torch of the set of the package."""
    if given is None:
        return True
    value, package = given.value, recipe.package.value
    if not isinstance(value, NixRef) or not isinstance(package, NixRef) or not value.attributes:
        return False
    if value.root == "needs":
        return False
    found, mine = known(value.attributes[-1]), known(package_name(recipe))
    if found is None or found.kind != TORCH or mine is None or found.binary != mine.binary:
        return False
    return one_set(value.attributes[:-1]) == one_set(package.attributes[:-1])


def _arguments(changes: Iterable[ir.Changes]) -> dict[str, ir.Setting]:
    return {setting.key: setting for one in changes for setting in one.args}


def _support(
    recipe: ir.Recipe,
    package: str,
    arguments: Mapping[str, ir.Setting],
    torch: Mapping[str, ir.Setting] | None,
    config: Mapping[str, ir.Setting],
) -> tuple[bool | None, bool]:
    """Whether it is a CUDA build, and whether a setting states that it is none. *torch* has the
    arguments of its Torch, None if they are not known.
    """
    argument = arguments.get("cudaSupport")
    if argument is not None:
        return _switch(argument)
    found = known(package)
    if found is not None and found.cuda is not None:
        return found.cuda, not found.cuda
    if found is not None and found.kind in BESIDE_TORCH:
        if torch is None:
            return None, False
        if "cudaSupport" in torch:
            return _switch(torch["cudaSupport"])
    if "cudaSupport" in config:
        return _switch(config["cudaSupport"])
    if found is not None and found.binary:
        return None, False  # the wheel decides
    # The default of a pin is off. The setting of a caller of `pin = none` is unknown.
    return (False if recipe.pin is not None else None), False


def _switch(setting: ir.Setting) -> tuple[bool | None, bool]:
    value = setting.value
    return (value, not value) if isinstance(value, bool) else (None, False)


def _toolkit(
    recipe: ir.Recipe,
    package: str,
    arguments: Mapping[str, ir.Setting],
    torch: Mapping[str, ir.Setting] | None,
    plain: Mapping[str, ir.Setting],
) -> tuple[Toolkit | None, bool]:
    """The toolkit, and whether a setting chooses it. A package that is built on Torch takes the
    toolkit of Torch.
    """
    written = arguments.get("cudaPackages")
    if written is None:
        if torch is None:
            return None, True
        found = known(package)
        if found is not None and found.kind in BESIDE_TORCH:
            written = torch.get("cudaPackages")
        if written is None:
            written = plain.get("cudaPackages")
    if written is not None:
        return toolkit_named(resolved_set(written.value, plain)), True
    told = toolkit_of_axes({axis.axis: axis.value for axis in recipe.axes})
    if told is None or not told.version.parts[0].isdigit():
        return None, False
    return Toolkit(told.version, told.version, told.row), False


def toolkit_named(name: str) -> Toolkit | None:
    """The toolkit of the set *name*, such as `cudaPackages_13_0`; a range for the alias
    `cudaPackages_13`."""
    numbers = name.removeprefix(_SET).split("_")
    if not name.startswith(_SET) or len(numbers) > 3 or not all(map(str.isdecimal, numbers)):
        return None
    if len(numbers) == 1:
        return Toolkit(Version(f"{numbers[0]}.0"), Version(f"{numbers[0]}.{_NEWEST}"))
    version = Version(".".join(numbers))
    return Toolkit(version, version)


def _targets(recipe: ir.Recipe, written: Iterable[Item]) -> Iterator[Target]:
    """The written targets, each capability once, and then the GPUs of the axes."""
    rows = {target.text: target for target in _axis_targets(recipe)}
    seen: set[str] = set()
    for item in written:
        for word in words_of(item):
            text = word.removesuffix("+PTX")
            found = capability_of(text)
            if found is not None and text not in seen:
                seen.add(text)
                row = rows[text].row if text in rows else None
                yield Target(text, found, item.span, row)
    yield from (target for text, target in rows.items() if text not in seen)


def _axis_targets(recipe: ir.Recipe) -> Iterator[Target]:
    for axis in recipe.axes:
        version = version_fact(axis.value, "capability")
        if version is None or not isinstance(axis.value, RowValue):
            continue
        suffix = text_fact(axis.value, "suffix") or suffix_of(axis.value.name)
        found = capability(version, suffix)
        if found is not None:
            text = f"{found.major}.{found.minor}{found.suffix}"
            yield Target(text, found, recipe.matrix_span, axis.value)
