"""Images of variants, as Nix: for containers by the tools that nixpkgs has for Docker, and as a
squashfs with the description that uenv reads.

The file takes the variants from the program's file of all variants. The tools come from the nixpkgs
of the variant's pin, without the settings of its recipe, so all variants with this pin share them.
"""

from __future__ import annotations

import posixpath
import re

from tvarc.build import messages as build_msg
from tvarc.build.assembly.places import Places
from tvarc.build.driver import Compilation
from tvarc.decide.decide import Deciding
from tvarc.decide.parts import decide_pin
from tvarc.farm import messages as msg
from tvarc.light import Callable, Final, Mapping, dataclass
from tvarc.meaning import hir
from tvarc.meaning.functions import kind_text
from tvarc.nix.language.printer import print_file
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixFile,
    NixFormal,
    NixFormals,
    NixIdent,
    NixInherit,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixPath,
    NixSelect,
    NixString,
)
from tvarc.nix.lower.context import CALLER, Formals
from tvarc.nix.lower.lower import PKGS, VARIANTS, caller, plain_nixpkgs
from tvarc.nix.lower.values import apply_nix, builtin
from tvarc.text.diagnostics.model import Sink
from tvarc.text.paths import folded
from tvarc.values.value import Record, Value, type_name

_NAME: Final = re.compile(r"(?:[a-z0-9.-]+(?::[0-9]+)?/)?[a-z0-9]+(?:(?:[._/]|__|-+)[a-z0-9]+)*")
_TAG: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_SQUASHFS: Final = """\
mkdir meta
cp $description meta/env.json
mksquashfs meta $(cat $closure/store-paths) $out -keep-as-directory -all-root -no-progress
"""
"""Store paths at the top of the image: uenv mounts it where Nix has its store."""


def images_file(made: Compilation, output: hir.OutputDef, source: str) -> str:
    """The text of the file of *output*. *source* is the path of the program from the output folder.
    Raises Failed after reporting."""
    sets = [one for one in made.program.all_outputs if one.form == "all"]
    if not sets:
        raise made.sink.refuse(msg.publishing.NO_SET_OF_IMAGES, output.span, output=output.name)
    folder = posixpath.dirname(output.one_file)
    places = Places(source, folder, made.file)
    only = dict(output.fields).get("only")
    tools: dict[str, NixExpr] = {}
    names: dict[NixExpr, str] = {}
    images: list[NixBinding] = []
    called = Formals()
    for variant in made.variants:
        deciding = made.elaboration.deciding(variant)
        if only is not None and deciding.evaluator().value(only) is not True:
            continue
        pin = decide_pin(deciding, made.elaboration.pins)
        if pin is None:
            called.add(NixFormal(CALLER))
        nixpkgs = PKGS if pin is None else plain_nixpkgs(pin, places)
        name = names.get(nixpkgs)
        if name is None:
            name = names[nixpkgs] = f"tools-{len(names) + 1}" if names else "tools"
            tools[name] = nixpkgs
        _refuse_taken(made, output, deciding)
        package = NixSelect(VARIANTS, (variant.name,))
        described = _description(deciding, output, made.sink)
        value = apply_nix(NixIdent("images"), NixIdent(name), package, described)
        images.append(NixBinding((variant.name,), value))
    beside = posixpath.relpath(sets[0].one_file, folder or ".")
    every = NixPath(beside if beside.startswith("../") else f"./{beside}")
    return print_file(NixFile((), _whole(every, tools, tuple(images), caller(called))))


def _refuse_taken(made: Compilation, output: hir.OutputDef, deciding: Deciding) -> None:
    """Report that the file of a variant has the path of the file of *output*. Raises Failed."""
    path = output.one_file
    for _, file in made.output_files.of(deciding):
        if folded(file) == folded(path):
            raise made.sink.refuse(
                build_msg.outputs.OVERWRITES_VARIANT,
                output.file.span,
                output=output.name,
                path=path,
            )


def _string(text: str) -> NixString:
    return NixString((text,))


def _matching(pattern: re.Pattern[str]) -> Callable[[Value], NixExpr | None]:
    def read(value: Value) -> NixExpr | None:
        text = kind_text(value)
        return _string(text) if text is not None and pattern.fullmatch(text) else None

    return read


def _command(value: Value) -> NixExpr | None:
    texts = [kind_text(word) for word in value] if isinstance(value, tuple) else [None]
    return NixList(tuple([_string(text) for text in texts if text])) if all(texts) else None


def _variables(value: Value) -> NixExpr | None:
    if not isinstance(value, Record):
        return None
    found: list[NixBinding] = []
    for key, one in value:
        text = kind_text(one)
        if text is None or not _VARIABLE.fullmatch(key):
            return None
        found.append(NixBinding((key,), _string(text)))
    return NixAttrs(tuple(found))


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of the output: how a value is read, which values it may have, and an example."""

    key: str
    default: NixExpr | None
    read: Callable[[Value], NixExpr | None]
    wanted: str
    example: str


_FIELDS: Final = (
    _Field("name", None, _matching(_NAME), "a name in small letters", '"ghcr.io/me/app"`'),
    _Field("tag", _string("latest"), _matching(_TAG), "a tag", '"{{variant}}"`'),
    _Field("run", NixList(()), _command, "a list of words", '["app", "--serve"]`'),
    _Field(
        "env",
        NixAttrs(()),
        _variables,
        "a record of variables with texts",
        '{ LANG = "C.UTF-8" }`',
    ),
)


def _description(deciding: Deciding, output: hir.OutputDef, sink: Sink) -> NixExpr:
    """What *output* says of the images of a variant. Raises Failed after reporting."""
    fields = dict(output.fields)
    found: list[NixBinding] = []
    for field in _FIELDS:
        expr = fields.get(field.key)
        if expr is None and field.default is not None:
            found.append(NixBinding((field.key,), field.default))
            continue
        value = deciding.variant if expr is None else deciding.evaluator().value(expr)
        read = field.read(value)
        if read is None:
            raise sink.refuse(
                msg.publishing.BAD_IMAGE,
                output.span if expr is None else expr.span,
                key=field.key,
                wanted=field.wanted,
                shown=f"`{value}`" if isinstance(value, str) else f"this is {type_name(value)}",
                variant=deciding.variant,
                example=f"{field.key} = {field.example}",
            )
        found.append(NixBinding((field.key,), read))
    return NixAttrs(tuple(found))


# --- the tree of Nix ----------------------------------------------------------------------------

_TOOLS: Final = NixIdent("tools")
_PACKAGE: Final = NixIdent("package")
_GIVEN: Final = NixIdent("given")


def _whole(
    every: NixExpr, tools: Mapping[str, NixExpr], images: tuple[NixBinding, ...], pkgs: NixExpr
) -> NixExpr:
    """A function from the caller's nixpkgs to the images. It passes on what it was called with, so
    that the variants are those of the file *every*."""
    formals = NixFormals((NixFormal(CALLER, pkgs),), ellipsis=True, whole="arguments")
    lets = [
        NixBinding((VARIANTS.name,), apply_nix(NixIdent("import"), every, NixIdent("arguments"))),
        *[NixBinding((name,), value) for name, value in tools.items()],
        NixBinding(("images",), _function()),
    ]
    return NixLambda(formals, NixLet(tuple(lets), NixAttrs(images)))


def _function() -> NixExpr:
    """The function from tools, a package and its description to the images of the package."""
    both = NixAttrs((NixBinding(("oci",), _oci()), NixBinding(("squashfs",), _squashfs())))
    return NixLambda("tools", NixLambda("package", NixLambda("given", both)))


def _oci() -> NixExpr:
    name = NixIdent("name")
    value = NixSelect(_GIVEN, ("env", name))
    variable = NixLambda("name", NixString((name, "=", value)))
    listed = NixApply(builtin("attrNames"), NixSelect(_GIVEN, ("env",)))
    variables = apply_nix(NixIdent("map"), variable, listed)
    config = (
        NixBinding(("Cmd",), NixSelect(_GIVEN, ("run",))),
        NixBinding(("Env",), NixBinary("++", NixList((_string("PATH=/bin"),)), variables)),
    )
    arguments = (
        NixInherit(("name", "tag"), _GIVEN),
        NixBinding(("contents",), NixList((_PACKAGE,))),
        NixBinding(("config",), NixAttrs(config)),
    )
    stream = NixSelect(_TOOLS, ("dockerTools", "streamLayeredImage"))
    return NixApply(stream, NixAttrs(arguments))


def _squashfs() -> NixExpr:
    """The closure of the package. Its description is a view of uenv that has its programs."""
    root = NixString((_PACKAGE,))
    path = NixAttrs(
        (
            NixBinding(("op",), _string("prepend")),
            NixBinding(("value",), NixList((NixString((_PACKAGE, "/bin")),))),
        )
    )
    values = (
        NixBinding(("list", "PATH"), NixList((path,))),
        NixBinding(("scalar",), NixSelect(_GIVEN, ("env",))),
    )
    env = (
        NixBinding(("version",), NixInt(1)),
        NixBinding(("type",), _string("augment")),
        NixBinding(("values",), NixAttrs(values)),
    )
    view = (
        NixBinding(("activate",), _string("/dev/null")),
        NixBinding(("description",), NixSelect(_GIVEN, ("name",))),
        NixBinding(("root",), root),
        NixBinding(("env",), NixAttrs(env)),
    )
    description = (
        NixInherit(("name",), _GIVEN),
        NixBinding(("mount",), NixSelect(NixIdent("builtins"), ("storeDir",))),
        NixBinding(("views", "default"), NixAttrs(view)),
    )
    json = NixApply(builtin("toJSON"), NixAttrs(description))
    closure = NixAttrs((NixBinding(("rootPaths",), NixList((_PACKAGE,))),))
    attributes = (
        NixBinding(("nativeBuildInputs",), NixList((NixSelect(_TOOLS, ("squashfsTools",)),))),
        NixBinding(("closure",), NixApply(NixSelect(_TOOLS, ("closureInfo",)), closure)),
        NixBinding(
            ("description",),
            apply_nix(NixSelect(_TOOLS, ("writeText",)), _string("env.json"), json),
        ),
    )
    last = NixApply(NixIdent("baseNameOf"), NixSelect(_GIVEN, ("name",)))
    name = NixString((last, "-", NixSelect(_GIVEN, ("tag",)), ".squashfs"))
    script = NixString((_SQUASHFS,), block=True)
    return apply_nix(NixSelect(_TOOLS, ("runCommand",)), name, NixAttrs(attributes), script)
