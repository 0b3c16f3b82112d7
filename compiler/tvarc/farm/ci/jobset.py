"""The jobset of Hydra that an output asks for."""

from __future__ import annotations

import posixpath
import re

from tvarc.build.driver import Compilation
from tvarc.farm.ci.hydra import Jobset
from tvarc.light import Final, Literal, Mapping
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import Value, type_name

_JOBSET: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_FLAKE: Final = re.compile(r"[^\s\"\\]+")
_MOST_SECONDS: Final = 10_000_000


def jobset_of(made: Compilation, output: hir.OutputDef) -> Jobset:
    """The jobset of *output*; raises Failed."""
    fields = dict(output.fields)
    before = len(made.sink)
    if not any(one.form == "flake" for one in made.all_outputs):
        made.sink.error(
            "E208",
            f"output `{output.name}` has no flake to build",
            output.span,
            "Hydra builds `hydraJobs` of a flake, but the program writes no flake",
            help='add `output flake { file = "flake.nix" }`',
        )
    stem = posixpath.basename(made.file).removesuffix(".tvar")
    name = _text(made, fields, "jobset", _JOBSET, stem if _JOBSET.fullmatch(stem) else "variants")
    flake = _text(made, fields, "flake", _FLAKE, "")
    interval = _number(made, fields, "interval", 300)
    keep = _number(made, fields, "keep", 3)
    if len(made.sink) > before:
        raise Failed
    return Jobset(name, flake, interval, keep)


_HELP: Final = {
    "jobset": "write a name of letters, digits, `_`, `-` and `.`",
    "flake": 'write a reference, such as "github:OWNER/REPOSITORY"',
}


def _constant(expr: hir.Expr) -> Value:
    assert isinstance(expr, hir.Const)
    return expr.value


def _text(
    made: Compilation,
    fields: Mapping[str, hir.Expr],
    key: Literal["jobset", "flake"],
    rule: re.Pattern[str],
    default: str,
) -> str:
    if key not in fields:
        return default
    value = _constant(fields[key])
    if isinstance(value, str) and len(value) <= 200 and rule.fullmatch(value):
        return value
    shown = f"`{value[:80]}`" if isinstance(value, str) else f"this is {type_name(value)}"
    made.sink.error(
        "E403",
        f"`{key}` of a jobset cannot have this value",
        fields[key].span,
        shown,
        help=_HELP[key],
    )
    return default


def _number(
    made: Compilation,
    fields: Mapping[str, hir.Expr],
    key: Literal["interval", "keep"],
    default: int,
) -> int:
    if key not in fields:
        return default
    value = _constant(fields[key])
    if isinstance(value, int) and not isinstance(value, bool) and value <= _MOST_SECONDS:
        return value
    made.sink.error(
        "E403",
        f"`{key}` of a jobset cannot have this value",
        fields[key].span,
        f"this is {type_name(value)}",
        help=f"write a number, such as `{key} = {default}`",
    )
    return default
