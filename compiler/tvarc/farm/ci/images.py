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
from tvarc.matrix.names import describe_cell
from tvarc.matrix.variants import Variant
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
from tvarc.text.diagnostics.words import counted
from tvarc.text.paths import folded
from tvarc.values.value import Record, Value, type_name

_HOST: Final = r"[a-z0-9]+(?:-+[a-z0-9]+)*"
_NAME: Final = re.compile(
    rf"(?:{_HOST}(?:\.{_HOST})*(?::(?P<port>[0-9]+))?/)?"
    r"[a-z0-9]+(?:(?:[._/]|__|-+)[a-z0-9]+)*"
)
_LONGEST: Final = 255  # of a name in a registry
_HIGHEST_PORT: Final = 65535
_ID: Final = re.compile(r"[a-f0-9]{64}")
_TAG: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_SQUASHFS: Final = """\
mkdir meta
cp $description meta/env.json
mksquashfs meta $(cat $closure/store-paths) $out -keep-as-directory -all-root -no-progress
"""
"""Store paths are at the top of the image, because uenv mounts it at the place of Nix's store."""


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
    described: dict[Variant, NixAttrs] = {}
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
        about = described[variant] = _description(deciding, output, made.sink)
        value = apply_nix(NixIdent("images"), NixIdent(name), package, about)
        images.append(NixBinding((variant.name,), value))
    _refuse_shared(described, output, made.sink)
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


class _Unfit(Exception):
    """A value does not fit a field: the reason, and a replacement if one is known."""

    def __init__(self, reason: str, instead: str = "") -> None:
        super().__init__(reason)
        self.instead = instead


def _text(value: Value) -> str:
    """*value* as a text. Raises _Unfit."""
    text = kind_text(value)
    if text is None:
        raise _Unfit(f"this is {type_name(value)}")
    return text


def _name(value: Value) -> NixExpr:
    text = _text(value)
    found = _NAME.fullmatch(text)
    if found is None:
        name, _, tag = text.rpartition(":")
        if _NAME.fullmatch(name) and _TAG.fullmatch(tag):
            raise _Unfit(f"`{text}` has a tag", f'`name = "{name}"` and `tag = "{tag}"`')
        raise _Unfit(f"`{text}`")
    if len(text) > _LONGEST:
        raise _Unfit(f"this has {len(text)} characters")
    if _ID.fullmatch(text):
        raise _Unfit("this is the ID of an image")
    if found["port"] and not 0 < int(found["port"][:9]) <= _HIGHEST_PORT:
        raise _Unfit(f"{found['port']} is no port")
    return _string(text)


def _tag(value: Value) -> NixExpr:
    text = _text(value)
    if not _TAG.fullmatch(text):
        raise _Unfit(f"`{text}`")
    return _string(text)


def _command(value: Value) -> NixExpr:
    if not isinstance(value, tuple):
        raise _Unfit(f"this is {type_name(value)}")
    words = [_text(word) for word in value]
    if not all(words):
        raise _Unfit("a word is empty")
    return NixList(tuple([_string(word) for word in words]))


def _variables(value: Value) -> NixExpr:
    if not isinstance(value, Record):
        raise _Unfit(f"this is {type_name(value)}")
    found: list[NixBinding] = []
    for key, one in value:
        if not _VARIABLE.fullmatch(key):
            raise _Unfit(f"`{key}` is not the name of a variable")
        if key == "PATH":
            raise _Unfit("the image sets `PATH`")
        text = kind_text(one)
        if text is None:
            raise _Unfit(f"`{key}` is {type_name(one)}")
        found.append(NixBinding((key,), _string(text)))
    return NixAttrs(tuple(found))


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of the output: the reader of its values, which raises _Unfit; the allowed values,
    more about these, and an example."""

    key: str
    default: NixExpr | None
    read: Callable[[Value], NixExpr]
    wanted: str
    more: str
    example: str


_FIELDS: Final = (
    _Field(
        "name",
        None,
        _name,
        "a name in small letters",
        "each part of it has small letters and digits, with `.`, `_` or `-` between them; "
        "`/` separates parts; a name has at most 255 characters, and is not 64 hexadecimal digits",
        '"ghcr.io/me/app"',
    ),
    _Field(
        "tag",
        _string("latest"),
        _tag,
        "a tag",
        "a tag has at most 128 characters: letters of ASCII, digits, `_`, and after the first "
        "character also `.` and `-`",
        '"v1.0"',
    ),
    _Field("run", NixList(()), _command, "a list of words", "", '["app", "--serve"]'),
    _Field(
        "env",
        NixAttrs(()),
        _variables,
        "a record of variables with texts",
        "",
        '{ LANG = "C.UTF-8" }',
    ),
)


def _description(deciding: Deciding, output: hir.OutputDef, sink: Sink) -> NixAttrs:
    """The fields of *output* for the images of a variant. Raises Failed after reporting."""
    fields = dict(output.fields)
    found: list[NixBinding] = []
    for field in _FIELDS:
        expr = fields.get(field.key)
        if expr is None and field.default is not None:
            found.append(NixBinding((field.key,), field.default))
            continue
        value = deciding.variant if expr is None else deciding.evaluator().value(expr)
        try:
            found.append(NixBinding((field.key,), field.read(value)))
        except _Unfit as fault:
            raise sink.refuse(
                msg.publishing.BAD_IMAGE,
                output.span if expr is None else expr.span,
                key=field.key,
                wanted=field.wanted,
                shown=str(fault),
                variant=deciding.variant,
                more=field.more,
                example=fault.instead or f"`{field.key} = {field.example}`",
            ) from None
    return NixAttrs(tuple(found))


def _refuse_shared(
    described: Mapping[Variant, NixAttrs], output: hir.OutputDef, sink: Sink
) -> None:
    """Report variants whose images have the same name and tag: a registry, or Docker, would keep
    the last of them. Raises Failed."""
    first: dict[object, Variant] = {}
    clashes: list[tuple[Variant, Variant]] = []
    for variant, about in described.items():
        name, tag, *_ = about.entries
        other = first.setdefault((name, tag), variant)
        if other is not variant:
            clashes.append((other, variant))
    if not clashes:
        return
    fields = dict(output.fields)
    at = fields.get("tag", fields.get("name"))
    (one, another), *more = clashes
    raise sink.refuse(
        msg.publishing.SAME_IMAGE,
        output.span if at is None else at.span,
        output=output.name,
        cell=describe_cell(one),
        other_cell=describe_cell(another),
        more=counted(len(more), "more pair") if more else None,
    )


# --- the tree of Nix ----------------------------------------------------------------------------

_TOOLS: Final = NixIdent("tools")
_PACKAGE: Final = NixIdent("package")
_GIVEN: Final = NixIdent("given")


def _whole(
    every: NixExpr, tools: Mapping[str, NixExpr], images: tuple[NixBinding, ...], pkgs: NixExpr
) -> NixExpr:
    """A function from the caller's nixpkgs to the images. It passes its arguments on, so that the
    variants are those of the file *every*."""
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
