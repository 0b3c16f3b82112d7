"""The entries that a program requests: for each variant, the name under which Flox finds its
package."""

from __future__ import annotations

import re

from tvarc.build import messages as msg
from tvarc.build.assembly.gathered import written_systems
from tvarc.build.driver import Compilation
from tvarc.build.manifest.model import Asked, Fields
from tvarc.decide.decide import Deciding
from tvarc.decide.parts import decide_pin
from tvarc.light import Final, Sequence
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.nix.language.quoting import attribute, attribute_path
from tvarc.text.diagnostics.model import Failed
from tvarc.text.paths import fault_of_file, folded
from tvarc.text.source import Span
from tvarc.values.value import Value, type_name

_PACKAGES: Final = ".flox/pkgs/"
_CATALOG: Final = re.compile(r"[A-Za-z0-9_-]+")
_GROUP: Final = re.compile(r"[A-Za-z0-9_.+-]+")
_FLAKE: Final = re.compile(r"[^\s#\"\\]+")
_RULES: Final = {
    "catalog": (
        _CATALOG,
        "write the name of an organisation or a person: letters, digits, `-` and `_`",
    ),
    "flake": (_FLAKE, 'write a reference without an attribute, such as "github:OWNER/REPOSITORY"'),
    "group": (_GROUP, "write a name: letters, digits, `-`, `_`, `.` and `+`"),
}


def asked(made: Compilation, variants: Sequence[Variant]) -> list[Asked]:
    """The requests of the program's manifest outputs for *variants*. Faults are reported."""
    found: list[Asked] = []
    taken: dict[str, hir.OutputDef] = {}
    for output in made.program.manifests:
        _refuse_file(made, output, taken)
        entries: dict[str, Fields] = {}
        for variant in variants:
            try:
                fields = _entry(made, output, variant)
            except Failed:
                break  # most variants have the same fault
            if fields is not None:
                entries[variant.name] = fields
        found.append(Asked(output.one_file, output.span, entries))
    return found


def _refuse_file(made: Compilation, output: hir.OutputDef, taken: dict[str, hir.OutputDef]) -> None:
    path = output.one_file
    first = taken.setdefault(folded(path), output)
    if first is not output:
        made.sink.report(
            msg.outputs.SAME_MANIFEST,
            output.file.span,
            others=[first.file.span],
            first=first.name,
            output=output.name,
            path=path,
        )
        return
    wrong = fault_of_file(path, (".toml",))
    if wrong is not None:
        made.sink.report(
            msg.outputs.BAD_MANIFEST,
            output.file.span,
            output=output.name,
            path=path[:80],
            wrong=wrong,
        )


def _entry(made: Compilation, output: hir.OutputDef, variant: Variant) -> Fields | None:
    """The entry of *variant*; None if none is wanted. Raises Failed."""
    elaboration = made.elaboration
    deciding = elaboration.deciding(variant)
    fields = dict(output.fields)
    if "only" in fields and deciding.evaluator().value(fields["only"]) is not True:
        return None
    entry: list[tuple[str, str | tuple[str, ...]]] = []
    if "catalog" in fields:
        catalog = _text(made, "catalog", fields["catalog"], deciding)
        entry.append(("pkg-path", f"{catalog}/{package_of(made, deciding)}"))
    else:
        flake = _text(made, "flake", fields["flake"], deciding)
        entry.append(("flake", f"{flake}#{attribute(variant.name)}"))
    if "group" in fields:
        entry.append(("pkg-group", _text(made, "group", fields["group"], deciding)))
    systems = written_systems(
        decide_pin(deciding, elaboration.pins), deciding.decide(("meta", "platforms"))
    )
    if systems:
        entry.append(("systems", systems))
    return tuple(entry)


def _text(made: Compilation, key: str, expr: hir.Expr, deciding: Deciding) -> str:
    value: Value = deciding.evaluator().value(expr)
    rule, help_ = _RULES[key]
    if isinstance(value, str) and rule.fullmatch(value) and len(value) <= 200:
        return value
    shown = f"`{value[:80]}`" if isinstance(value, str) else f"this is {type_name(value)}"
    _refused(made, key, expr.span, f"{shown}, for {deciding.variant}", help_)
    raise Failed


def _refused(made: Compilation, key: str, span: Span, label: str, help_: str) -> None:
    made.sink.report(msg.outputs.BAD_ENTRY, span, key=key, label=label, help=help_)


def package_of(made: Compilation, deciding: Deciding) -> str:
    """Flox's name of the package: the path of its file in `.flox/pkgs`."""
    for output in made.outputs:
        file = deciding.evaluator().value(output.file)
        if isinstance(file, str) and file.startswith(_PACKAGES):
            name = file.removeprefix(_PACKAGES).removesuffix(".nix").removesuffix("/default")
            return attribute_path(tuple(name.split("/")))
    return attribute(deciding.variant)
