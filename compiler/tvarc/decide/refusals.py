"""Refuse values that have no meaning in their place."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, BY_NAME, OF_RECIPE, OF_SYSTEMS, SETS
from tvarc.decide import messages as msg
from tvarc.decide.merge import COMMAND_LINE, Candidate, rank_of
from tvarc.decide.plan import Plan, is_none
from tvarc.light import TYPE_CHECKING, Final, Iterator, assert_never
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
from tvarc.meaning.evaluation.show import brief
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
    PathValue,
    Record,
    RowValue,
    Value,
    Version,
    float_text,
    show,
    type_name,
)

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message

_SOURCES: Final = ("src", "srcs", "setupHook", "setupHooks")
"""The attributes that hold files, besides patches."""
_VARIABLES: Final = frozenset([name for name, one in BY_NAME.items() if one.holds == "variables"])


def refuse_value(write: hir.Write, value: Value, sink: Sink) -> None:
    """Refuse a *value* that the setting of *write* cannot have, such as a value without a form in
    Nix, a `pname(…)` outside of a removal, or a list in a variable. Raises Failed after reporting.
    """
    declared = declaration_in(value) if write.path[0] not in NAME_DECLARATIONS else None
    if declared is not None:
        refuse(write.path, named_value(declared), write.value.span, sink)
        raise Failed
    if write.op != "-=" and _selects(value):
        raise sink.refuse(msg.values.REMOVES_BY_NAME, write.value.span)
    variable = write.path[0] in _VARIABLES
    if variable and write.op != "=":
        name = ".".join(write.path[1:])
        raise sink.refuse(
            msg.values.ADDS_TO_VARIABLE,
            write.span,
            op=write.op,
            name=name,
            path=".".join(write.path),
        )
    is_key = variable and len(write.path) > 2
    if is_key:
        raise sink.refuse(msg.values.KEY_OF_VARIABLE, write.span)
    if variable and (value is None or isinstance(value, tuple | Record | PathValue | float)):
        raise sink.refuse(
            msg.values.VARIABLE_IS_NO_TEXT,
            write.value.span,
            kind=type_name(value),
            joined='join(list, " ")' if isinstance(value, tuple) else None,
            text=float_text(value) if isinstance(value, float) else None,
            attribute=write.path[-1] if isinstance(value, PathValue) else None,
            empty='""' if value is None else None,
        )
    of_machine = write.path[0] in OF_SYSTEMS  # a pin's statement has nothing weaker below it
    emitted = write.path[0] in OF_RECIPE or write.path == ("package",) or of_machine
    nothing = nothing_in(value) if emitted else None
    unsets = value is NONE and write.op == "=" and not of_machine
    if nothing is not None and not unsets:
        raise sink.refuse(
            _no_form(write, nothing, of_machine),
            nothing_written(write.value, nothing),
            nothing=show(nothing),
            name=".".join(write.path[1:]),
        )


def _no_form(write: hir.Write, nothing: Value, of_machine: bool) -> Message:
    """The message on a value without a form in Nix."""
    if not isinstance(nothing, NoneValue):
        return msg.values.ONLY_A_HASH
    if write.path == ("package",):
        return msg.values.NO_ARGUMENT
    return msg.values.NO_DEFAULT if of_machine else msg.values.NO_VALUE_FOR_NIX


def _selects(value: Value) -> bool:
    if isinstance(value, tuple):
        return any(map(_selects, value))
    return isinstance(value, NixCall) and value.function == "pname"


KIND_NAMES: Final = {"list": "a list", "truth": "true or false", "text": "a string"}
"""The kinds, as messages name them."""


def _right_value(kind: AttributeKind, value: Value, written: hir.Expr) -> str:
    """The code to write if a value of *kind* is needed and *value*, as *written*, is of another
    kind."""
    match kind:
        case "list" if isinstance(value, str):
            return f"write `[{brief(written)}]`"
        case "list":
            return "write a list: `[…]`"
        case "truth":
            return "write `true` or `false`"
        case "text":
            return 'write a string in quotes: `"…"`'
        case _:
            assert_never(kind)


def refuse_attribute(write: hir.Write, value: Value, hashes: SourceHashes, sink: Sink) -> None:
    """Refuse an attribute of a package that nixpkgs would ignore, or would use as a value of
    another kind. *hashes* finds files of the program. Raises Failed after reporting."""
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
        raise sink.refuse(
            msg.values.NO_VARIABLE_BLOCK if kind is None else msg.values.NO_VARIABLE,
            write.span,
            key=key,
        )
    if kind is None or holds == "variables":
        return
    keys = len(write.path) > 2 or isinstance(value, Record)
    if keys or not is_of(kind, value):
        extends = kind == "text" and write.op == "+="
        raise sink.refuse(
            msg.values.KEY_OF_ATTRIBUTE if keys else msg.values.WRONG_ATTRIBUTE,
            write.span if keys else write.value.span,
            key=key,
            wanted=KIND_NAMES[kind],
            kind=type_name(value),
            old=".".join(write.path[block == ATTRIBUTES :]) if extends else None,
            mended=_right_value(kind, value, write.value),
        )
    if key in OF_PACKAGES and write.op != "-=":
        _refuse_texts(write, value, sink)


def _refuse_patch(write: hir.Write, value: Value, hashes: SourceHashes, sink: Sink) -> None:
    """Refuse a string as a patch or a source if it names a file of the program. A builder would
    look for the file in its own folder. Raises Failed after reporting."""
    if write.path[0] != ATTRIBUTES or len(write.path) != 2 or write.op == "-=":
        return
    key = write.path[1]
    if key != "patches" and key not in _SOURCES:
        return
    for one, place in _elements(write.value, value):
        if not isinstance(one, str):
            continue
        is_from_here = one.startswith(("./", "../"))
        if not is_from_here and not hashes.has_beside(write.span.file, one):
            continue
        path = one if is_from_here else f"./{one}"
        if key != "patches":
            raise sink.refuse(msg.patches.TEXT_AS_SOURCE, place.span, key=key, path=path)
        raise sink.refuse(
            msg.patches.TEXT_AS_PATCH if is_from_here else msg.patches.TEXT_AS_PATCH_OF_SOURCE,
            place.span,
            path=path,
            one=one,
        )


def _refuse_texts(write: hir.Write, value: Value, sink: Sink) -> None:
    key = write.path[1]
    for one, place in _elements(write.value, value):
        if isinstance(one, bool | int | str | Version | RowValue):
            if isinstance(one, str) and one.startswith("/"):
                continue  # it may be a path in the store
            raise sink.refuse(
                msg.values.NO_PACKAGES_INSIDE,
                place.span,
                key=key,
                kind=type_name(one),
                package=_package_of(one, place) if place is not write.value else None,
            )


def _package_of(value: str | int | Version | RowValue, written: hir.Expr) -> str | None:
    """The package with the name *value*, as the code for it. *written* is the expression of the
    name. None if no package can have it."""
    if not isinstance(written, hir.Const):
        return f"pkgs[{brief(written)}]" if isinstance(value, str | RowValue) else None
    if not isinstance(value, str):
        return None
    words = value.replace("-", "_").split(".")
    return f"pkgs.{value}" if all(word.isidentifier() for word in words) else None


def _elements(expr: hir.Expr, value: Value) -> Iterator[tuple[Value, hir.Expr]]:
    """The elements of a list, or *value* itself if it is no list, each with its expression. *value*
    is the value of *expr*."""
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
    """Refuse a script with the name of an attribute that holds no text. Raises Failed after
    reporting."""
    name = write.path[1]
    kind = KINDS.get((ATTRIBUTES, name), "text")
    if kind != "text":
        raise sink.refuse(
            msg.values.SCRIPT_OF_NO_TEXT, write.span, name=name, wanted=KIND_NAMES[kind]
        )


def _refuse_overwritten(key: str, span: Span, sink: Sink) -> None:
    if key in OVERWRITTEN:
        raise sink.refuse(msg.values.OVERWRITTEN, span, key=key, advice=OVERWRITTEN[key])


def is_of(kind: AttributeKind, value: Value) -> bool:
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
    """Refuse *none*, the `none` of *write*, if no write of *plan* is weaker, so that it never
    unsets one. Raises Failed after reporting."""
    for other, depth in plan.related(write.path):
        if other is write or is_none(other.value):
            continue
        if other.op != "=":
            if none.strength > 0 and depth < none.depth:
                return
        # A value that an ancestor forces counts as well: it shadows the `none`.
        elif depth < none.depth or rank_of(other, depth) <= none.rank:
            return
    name = ".".join(write.path)
    given = none.strength == COMMAND_LINE
    instead = "remove the option" if given else "remove this line"
    null = f"--set {name}=null" if given else "null"
    raise sink.refuse(
        msg.values.UNSETS_NOTHING if is_none(write.value) else msg.values.MAY_UNSET_NOTHING,
        write.span,
        name=name,
        instead=instead,
        null=null,
    )
