"""Refuse values that make no sense where they are written."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, BY_NAME, OF_RECIPE, OF_SYSTEMS, SETS
from tvarc.decide.merge import COMMAND_LINE, Candidate, rank_of
from tvarc.decide.plan import Plan, is_none
from tvarc.light import Final, Iterator, assert_never
from tvarc.meaning import hir
from tvarc.meaning.evaluation.fetched import SourceHashes
from tvarc.meaning.evaluation.formless import (
    NAME_DECLARATIONS,
    declaration_in,
    named_value,
    nothing_in,
    nothing_written,
    refuse,
)
from tvarc.nix.nixpkgs import KINDS, OF_PACKAGES, OVERWRITTEN, AttributeKind
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.source import Span
from tvarc.values.value import (
    NONE,
    NixCall,
    NixRef,
    NixSource,
    NixText,
    NoneValue,
    Record,
    RowValue,
    Value,
    Version,
    show,
    type_name,
)

_VARIABLES: Final = frozenset([name for name, one in BY_NAME.items() if one.holds == "variables"])


def refuse_value(write: hir.Write, value: Value, sink: Sink) -> None:
    """Refuse a *value* that the setting of *write* cannot have: a value that Nix has no form for, a
    `pname(…)` outside of a removal, a list in a variable. Raises Failed after reporting."""
    declared = declaration_in(value) if write.path[0] not in NAME_DECLARATIONS else None
    if declared is not None:
        refuse(write.path, named_value(declared), write.value.span, sink)
        raise Failed
    if write.op != "-=" and _selects(value):
        sink.error(
            "E305",
            "`pname(…)` is allowed only after `-=`",
            write.value.span,
            "not a value",
            help="write it after `-=`, to remove an element",
        )
        raise Failed
    variable = write.path[0] in _VARIABLES
    if variable and write.op != "=":
        name = ".".join(write.path[1:])
        sink.error(
            "E301",
            "`+=` and `-=` do not work on an environment variable",
            write.span,
            f"`{write.op}` works on lists",
            help=f'write the whole value, `{name} = "…"`; for the old value, write '
            f"`{{{{old.{'.'.join(write.path)}}}}}`",
        )
        raise Failed
    is_key = variable and len(write.path) > 2
    if variable and (is_key or isinstance(value, tuple | Record)):
        sink.error(
            "E301",
            "an environment variable must be text",
            write.span if is_key else write.value.span,
            "this is a key of a variable" if is_key else f"this is {type_name(value)}",
            help='join a list: `join(list, " ")`'
            if isinstance(value, tuple)
            else "write each key as a separate variable",
        )
        raise Failed
    of_machine = write.path[0] in OF_SYSTEMS  # nothing is weaker than what a pin says
    emitted = write.path[0] in OF_RECIPE or write.path == ("package",) or of_machine
    nothing = nothing_in(value) if emitted else None
    unsets = value is NONE and write.op == "=" and not of_machine
    if nothing is not None and not unsets:
        sink.error(
            "E301",
            f"`{show(nothing)}` cannot be a value for Nix",
            nothing_written(write.value, nothing),
            "not a value",
            help=_no_form_help(write, nothing, of_machine),
        )
        raise Failed


def _no_form_help(write: hir.Write, nothing: Value, of_machine: bool) -> str:
    """What to write in the place of a value that Nix has no form for."""
    if not isinstance(nothing, NoneValue):
        return "write it only in the place of a hash"
    if write.path == ("package",):
        return "for null in Nix, write `null`; to pass no argument, remove it"
    if of_machine:
        return "for null in Nix, write `null`; to use the default of nixpkgs, remove it"
    return (
        f"for null in Nix, write `null`; to unset the whole setting, write "
        f"`{'.'.join(write.path[1:])} = none`"
    )


def _selects(value: Value) -> bool:
    if isinstance(value, tuple):
        return any(map(_selects, value))
    return isinstance(value, NixCall) and value.function == "pname"


_KIND_NAMES: Final = {"list": "a list", "truth": "true or false", "text": "a text"}


def _right_value(kind: AttributeKind, value: Value) -> str:
    """What to write where a value of *kind* is needed and *value* was given."""
    match kind:
        case "list" if isinstance(value, str):
            return f"write `[{show(value)}]`"
        case "list":
            return "write a list: `[…]`"
        case "truth":
            return "write `true` or `false`"
        case "text":
            return 'write a text in quotes: `"…"`'
        case _:
            assert_never(kind)


def refuse_attribute(write: hir.Write, value: Value, hashes: SourceHashes, sink: Sink) -> None:
    """Refuse an attribute of a package that nixpkgs would ignore, or would use as a value of
    another kind. *hashes* knows which files there are. Raises Failed after reporting."""
    block, key = write.path[0], write.path[1] if len(write.path) > 1 else ""
    holds = BY_NAME[block].holds if block in BY_NAME else "values"
    if holds in ("values", "known values") or value is NONE:
        return
    if holds != "notes":
        _refuse_overwritten(key, write.span, sink)
    if holds == "shell":
        _refuse_script(write, sink)
        return
    _refuse_patch(write, value, hashes, sink)
    kind = KINDS.get((ATTRIBUTES if holds == "variables" else block, key))
    if holds == "variables" and (kind is not None or key in SETS):
        sink.error(
            "E301",
            f"`{key}` is not an environment variable",
            write.span,
            "nixpkgs itself reads this setting",
            help=f"write it in `{key} {{ … }}`" if kind is None else "write it in `attrs { … }`",
        )
        raise Failed
    if kind is None or holds == "variables":
        return
    keys = len(write.path) > 2 or isinstance(value, Record)
    if keys or not _is_of(kind, value):
        sink.error(
            "E301",
            f"`{key}` of a package must be {_KIND_NAMES[kind]}",
            write.span if keys else write.value.span,
            "this sets a key of it" if keys else f"this is {type_name(value)}",
            notes=("nixpkgs itself reads this setting",),
            help=f'write `{key} = "{{{{old.{".".join(write.path[block == ATTRIBUTES :])}}}}}…"`'
            if kind == "text" and write.op == "+="
            else _right_value(kind, value),
        )
        raise Failed
    if key in OF_PACKAGES and write.op != "-=":
        _refuse_texts(write, value, sink)


def _refuse_patch(write: hir.Write, value: Value, hashes: SourceHashes, sink: Sink) -> None:
    """Refuse a patch that is a text, if it names a file of the program: a builder would look for
    the file in the package's source. Raises Failed after reporting."""
    if write.path != (ATTRIBUTES, "patches") or write.op == "-=":
        return
    for one, place in _elements(write.value, value):
        if not isinstance(one, str):
            continue
        is_from_here = one.startswith(("./", "../"))
        if is_from_here or hashes.has_beside(write.span.file, one):
            path = one if is_from_here else f"./{one}"
            sink.error(
                "E301",
                "a patch must be a file, not a text",
                place.span,
                "this is text"
                if is_from_here
                else f"this is text; the file `{one}` is in this folder",
                notes=("the builder would look for a file of this name in the unpacked source",),
                help=f'write `path("{path}")`; for a file in that source, write its name without '
                f"`./`"
                if is_from_here
                else f'write `path("{path}")`',
            )
            raise Failed


def _refuse_texts(write: hir.Write, value: Value, sink: Sink) -> None:
    key = write.path[1]
    for one, place in _elements(write.value, value):
        if isinstance(one, bool | int | str | Version | RowValue):
            if isinstance(one, str) and one.startswith("/"):
                continue  # a place in the store, perhaps
            words = one.replace("-", "_").split(".") if isinstance(one, str) else [""]
            named = all(word.isidentifier() for word in words)
            sink.error(
                "E301",
                f"`{key}` of a package must contain packages",
                place.span,
                f"this is {type_name(one)}",
                notes=("the builder uses each element as a path",),
                help=f"write `[pkgs.{one}]`" if named else "",
            )
            raise Failed


def _elements(expr: hir.Expr, value: Value) -> Iterator[tuple[Value, hir.Expr]]:
    """What *value*, which *expr* makes, holds, be it a list or one thing, and where each is
    written."""
    if not isinstance(value, tuple):
        yield value, expr
        return
    items = expr.items if isinstance(expr, hir.ListOf) else ()
    alike = len(items) == len(value) and not any(isinstance(one, hir.Spread) for one in items)
    for number, one in enumerate(value):
        item = items[number] if alike else expr
        assert not isinstance(item, hir.Spread)
        yield from _elements(item, one)


def _refuse_script(write: hir.Write, sink: Sink) -> None:
    """Refuse a script with the name of an attribute that is no text. Raises Failed after
    reporting."""
    name = write.path[1]
    kind = KINDS.get((ATTRIBUTES, name), "text")
    if kind != "text":
        sink.error(
            "E301",
            f"`{name}` of a package must be {_KIND_NAMES[kind]}",
            write.span,
            "a script is a text",
            notes=("nixpkgs itself reads this setting",),
        )
        raise Failed


def _refuse_overwritten(key: str, span: Span, sink: Sink) -> None:
    if key in OVERWRITTEN:
        sink.error(
            "E210",
            f"`{key}` has no effect in `attrs`",
            span,
            "nixpkgs replaces it with its own",
            help=OVERWRITTEN[key],
        )
        raise Failed


def _is_of(kind: AttributeKind, value: Value) -> bool:
    """Whether *value* may be of this kind. A value that only Nix knows may be of any kind."""
    match value:
        case NixRef() | NixSource() | NixCall():
            return True
        case bool():
            return kind == "truth"
        case tuple():
            return kind == "list"
        case str() | Version() | RowValue() | NixText():
            return kind == "text"
        case _:
            return False


def refuse_idle_none(write: hir.Write, none: Candidate, plan: Plan, sink: Sink) -> None:
    """Refuse *none*, the `none` of *write*, if it can never unset a weaker write of *plan*. Raises
    Failed after reporting."""
    for other, depth in plan.related(write.path):
        if other is write or is_none(other.value):
            continue
        if other.op != "=":
            if none.strength > 0 and depth < none.depth:
                return
        # What an ancestor forces is there as well: then it is the `none` that is shadowed.
        elif depth < none.depth or rank_of(other, depth) <= none.rank:
            return
    name = ".".join(write.path)
    given = none.strength == COMMAND_LINE
    instead = "remove the option" if given else "remove this line"
    null = f"--set {name}=null" if given else "null"
    sink.error(
        "E502",
        f"`{name}` has no value to unset",
        write.span,
        "no weaker line of the program sets it",
        notes=("`none` cannot remove the package's own value",),
        help=f"{instead}; or write `{null}` for null in Nix"
        if is_none(write.value)
        else "write `when … { … }` instead: if the condition is false, the package keeps its own "
        "value",
    )
    raise Failed
