"""The files of outputs: valid paths of recipes, and different paths for all variants."""

from __future__ import annotations

from tvarc.build import messages as msg
from tvarc.decide.decide import Deciding
from tvarc.decide.plan import Plan, group_of
from tvarc.decide.rows import Key
from tvarc.light import Iterator, Sequence
from tvarc.meaning import hir
from tvarc.meaning.budget import COST_OF_FILE, FREE_FILES
from tvarc.meaning.functions import kind_text
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.paths import Fault, fault_of, fault_of_name, folded
from tvarc.values.value import type_name


class _Part:
    """A part of a path that depends on some *axes*; on all of them if *axes* is None."""

    __slots__ = ("_axes", "_expr", "_is_name", "_texts")

    def __init__(self, expr: hir.Expr, axes: frozenset[str] | None) -> None:
        self._expr = expr
        self._axes = axes
        self._is_name = isinstance(expr, hir.SettingRef) and expr.path == ("variant",)
        self._texts: dict[Key, str | None] = {}

    def text(self, deciding: Deciding) -> str | None:
        """The string of the part in one variant; None if it has none."""
        if self._is_name:
            return deciding.variant
        if self._axes is None:
            return None
        key = deciding.key(self._axes)
        if key not in self._texts:
            try:
                self._texts[key] = kind_text(deciding.evaluator().value(self._expr))
            except Failed:
                self._texts[key] = None
        return self._texts[key]


def _part(part: str | hir.Expr, deciding: Deciding) -> str | _Part:
    if isinstance(part, str):
        return part
    found = deciding.shared.reads.expr(part)
    settings = map(group_of, found.settings)
    axes, name = deciding.plan.transitive_dependencies(settings, deciding.shared.reads)
    return _Part(part, None if name else axes | found.axes)


def _joined(parts: Sequence[str | _Part], deciding: Deciding) -> str | None:
    """The path that *parts* form. Each part is evaluated once for all variants that agree on its
    reads. None if a part is no string."""
    found: list[str] = []
    for part in parts:
        text = part if isinstance(part, str) else part.text(deciding)
        if text is None:
            return None
        found.append(text)
    return "".join(found) if found else None


class OutputFiles:
    """The files of variants, which are added one by one. Their faults are reported."""

    __slots__ = ("_folders", "_outputs", "_parts", "_sink", "_taken")

    def __init__(self, outputs: tuple[hir.OutputDef, ...], sink: Sink) -> None:
        self._outputs = outputs
        self._sink = sink
        # For each file, in a form that is equal for all spellings: variant, output and path.
        self._folders: set[str] = set()  # folders that recipes may be in
        # The parts of the path of each output, by the plan of the variants.
        self._parts: dict[Plan, list[list[str | _Part]]] = {}
        self._taken: dict[str, tuple[str, hir.OutputDef, str]] = {}

    def of(self, deciding: Deciding) -> tuple[tuple[str, str], ...]:
        """The path of each output's file for a variant, by the output's name. Raises Failed after
        reporting."""
        found: list[tuple[str, str]] = []
        failed = False
        if len(self._outputs) > FREE_FILES:
            count, first = len(self._outputs) - FREE_FILES, self._outputs[FREE_FILES]
            deciding.shared.charge(COST_OF_FILE * count, ("output", first.name), first.file.span)
        parts_of = self._parts.get(deciding.plan) or self._parts_in(deciding)
        for output, parts in zip(self._outputs, parts_of, strict=True):
            try:
                file = self._file(output, parts, deciding)
                if not failed:  # two variants that share one file often share the others
                    self._refuse_shared(file, output, deciding.variant)
            except Failed:
                failed = True
            else:
                found.append((output.name, file))
        if failed:
            raise Failed
        return tuple(found)

    def begin(self, sink: Sink) -> None:
        """Add the variants again, which have the same paths. Faults go to *sink*."""
        self._sink = sink

    @property
    def outputs(self) -> tuple[hir.OutputDef, ...]:
        """The outputs that have a file for each variant."""
        return self._outputs

    def of_output(self, output: hir.OutputDef) -> tuple[list[str], list[str]]:
        """The variants so far, and the path of the file that *output* writes for each."""
        of = [(variant, file) for variant, one, file in self._taken.values() if one is output]
        return [variant for variant, _ in of], [file for _, file in of]

    def taken(self) -> Iterator[str]:
        """The paths of all files so far."""
        return (path for _, _, path in self._taken.values())

    def _parts_in(self, deciding: Deciding) -> list[list[str | _Part]]:
        """The parts of the path of each output, for the variants with the plan of *deciding*. A
        path without parts is evaluated as a whole."""
        found: list[list[str | _Part]] = []
        for output in self._outputs:
            written = output.file.parts if isinstance(output.file, hir.Text) else ()
            found.append([_part(one, deciding) for one in written])
        self._parts[deciding.plan] = found
        return found

    def _file(
        self, output: hir.OutputDef, parts: Sequence[str | _Part], deciding: Deciding
    ) -> str:
        joined = _joined(parts, deciding)
        value = deciding.evaluator().value(output.file) if joined is None else joined
        if not isinstance(value, str):
            raise self._sink.refuse(
                msg.outputs.FILE_IS_NO_STRING, output.file.span, kind=type_name(value)
            )
        folder, _, name = value.rpartition("/")
        if folder in self._folders and name == f"{deciding.variant}.nix":
            return value  # the name of a variant is a valid name of a file
        wrong = why_no_recipe(value)
        if wrong is None:
            self._folders.add(folder)
        else:
            raise self._sink.refuse(
                msg.outputs.BAD_FILE_OF_VARIANT,
                output.file.span,
                output=output.name,
                value=value[:80],
                wrong=wrong,
            )
        return value

    def _refuse_shared(self, file: str, output: hir.OutputDef, variant: str) -> None:
        key = folded(file)
        first = self._taken.get(key)
        if first is not None and first[:2] != (variant, output):
            differ = folded(first[0]) != folded(variant)
            raise self._sink.refuse(
                msg.outputs.TWO_VARIANTS if differ else msg.outputs.VARIANTS_ALIKE,
                output.file.span,
                output=output.name,
                file=file,
                first=first[0],
                second=variant,
                alike=first[2] if first[2] != file else None,
            )
        self._taken[key] = (variant, output, file)


def why_no_recipe(path: str) -> str | None:
    """The reason why *path* cannot be that of a recipe in the output folder, as a clause; None if
    it can."""
    match fault_of(path):
        case Fault.ABSOLUTE | Fault.PARENT:
            return "leaves the folder"
        case Fault.EMPTY_STEP:
            return "has an empty step"
        case Fault.RESERVED:
            return "is reserved for git or for the lock"
        case None:
            steps = path.split("/")
    if any(not step.isprintable() or "\\" in step or len(step.encode()) > 255 for step in steps):
        return "has a character or length that file systems refuse"
    if not path.endswith(".nix"):
        return "does not end in `.nix`"
    name = steps[-1].removesuffix(".nix")
    wrong = fault_of_name(name)
    if wrong is not None:
        return (
            f"has a package with the name `{name[:80]}`, which {wrong}"
            if name
            else "has no package name"
        )
    return None
