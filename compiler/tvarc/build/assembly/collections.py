"""Files that have all variants of a program: the names of the variants in them, and their texts.

A variant is decided, lowered and printed as in a file of its own. Variants that agree on pin,
configuration and overlays share one import of nixpkgs.
"""

from __future__ import annotations

import posixpath

from tvarc.build import messages as msg
from tvarc.build.assembly.gathered import Fault, Gathered, Part, TooLarge, fault_of
from tvarc.build.assembly.outputs import why_no_recipe
from tvarc.build.assembly.places import Places, Source
from tvarc.decide.elaborate import Elaboration
from tvarc.files.output.header import sealing
from tvarc.light import TYPE_CHECKING, Final, Iterable, Iterator, Mapping, Sequence
from tvarc.matrix.cells import BATCH
from tvarc.matrix.present import Present
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.budget import COST_OF_RECIPE, FREE_RECIPE, LIMIT_ALL_RECIPES
from tvarc.meaning.functions import kind_text
from tvarc.nix import ir
from tvarc.nix.language.printer import print_comment
from tvarc.nix.language.quoting import READ_IN_SETS
from tvarc.nix.lower.collection import Attribute
from tvarc.nix.lower.context import AsNamed, Formals, Traced
from tvarc.nix.lower.lower import CHANGE_THE_PROGRAM
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.paths import fault_of_name, folded
from tvarc.text.source import Span
from tvarc.values.value import RowValue, Value, Version, show

if TYPE_CHECKING:
    from tvarc.files.output.header import File
    from tvarc.values.provenance import Lines

_FLAKE: Final = "flake.nix"
_PACKAGES: Final = ".flox/pkgs/"
_MOST_TOLD: Final = 3


class CollectionFile:
    """A file of all variants. Its text is made when it is first read, and then kept."""

    __slots__ = ("_by", "_data", "_output", "path")
    path: str

    def __init__(self, by: Collections, output: hir.OutputDef) -> None:
        self._by = by
        self._data = b""
        self._output = output
        self.path = output.one_file

    def data(self) -> bytes:
        if not self._data:
            self._data = self._by.text(self._output)
        return self._data


def report_size(output: hir.OutputDef, sink: Sink) -> None:
    """Report that the recipes of *output* are too large together."""
    sink.report(msg.outputs.TOO_LARGE_TOGETHER, output.span, output=output.name, limit=output.limit)


class Collections:
    """The files of a program that have all of its variants."""

    __slots__ = ("_elaboration", "_files", "_known", "_outputs", "_presents", "_source")

    def __init__(
        self,
        elaboration: Elaboration,
        presents: Sequence[Present],
        source: Source,
    ) -> None:
        self._elaboration = elaboration
        self._outputs = elaboration.program.collections
        self._presents = presents
        self._source = source
        self._files: list[CollectionFile] = []
        self._known: dict[str, Gathered] = {}

    def refuses_first(self) -> bool:
        """Whether a flake cannot build the first variant of a large matrix, which is then reported.
        All its variants have the same fault, so the others need not be decided."""
        flakes = [output for output in self._outputs if output.form == "flake"]
        for present in self._presents if flakes else ():
            if len(present.cells) <= BATCH:
                continue
            deciding = self._elaboration.deciding(Variant(present.built, present.cells[0]))
            try:
                recipe = self._elaboration.recipe(deciding, lambda _: ())
            except Failed:
                continue
            fault = fault_of(recipe, Formals(), AsNamed()) if not recipe.pin else None
            if fault is not None:
                self._report_impure(fault, flakes[0])
                return True
        return False

    def prepare(self, paths: Iterable[str]) -> None:
        """Report faults of the files and of the names in them. After an error there are no files.
        *paths* are the files of single variants; no file may have one of them."""
        before = len(self._elaboration.sink)
        for output in self._outputs:
            self._refuse_file(output)
        self._refuse_shared()
        self._refuse_taken(paths)
        if len(self._elaboration.sink) == before:
            for output in self._outputs:
                self._attributes(output)
                if self._refuse_number(output):
                    break
                try:
                    if output.form == "flake":
                        self._refuse_impure(output)
                    elif self._may_be_large(output):
                        self.gathered(output)
                except TooLarge:
                    report_size(output, self._elaboration.sink)
        # Without variants there is no set to write. The caller reports that (E407).
        if len(self._elaboration.sink) == before and self._presents:
            self._files = [CollectionFile(self, output) for output in self._outputs]

    @property
    def _count(self) -> int:
        """The number of variants."""
        return sum(len(present.cells) for present in self._presents)

    def _refuse_number(self, output: hir.OutputDef) -> bool:
        """Whether the file takes too long to make, which is then reported. A variant takes as long
        in it as in a file of its own."""
        total = self._elaboration.shared.total
        fits = total.asks(COST_OF_RECIPE * self._count)
        if not fits:
            message = msg.outputs.TOO_MANY_IN_ONE_FILE
            total.report_spent(self._elaboration.sink, message, output.span, output.name)
        return not fits

    def _may_be_large(self, output: hir.OutputDef) -> bool:
        """Whether the file may be larger than its limit. Few programs come near it."""
        return self._count * FREE_RECIPE + LIMIT_ALL_RECIPES > output.limit

    def files(self) -> Sequence[File]:
        return self._files

    def _refuse_taken(self, taken: Iterable[str]) -> None:
        """Report a file with the path of one of *taken*, the files of single variants."""
        mine = {folded(output.one_file): output for output in self._outputs}
        for path in taken:
            output = mine.pop(folded(path), None)
            if output is not None:
                self._elaboration.sink.report(
                    msg.outputs.OVERWRITES_VARIANT, output.file.span, output=output.name, path=path
                )

    # --- what is wrong -------------------------------------------------------------------

    def _refuse_file(self, output: hir.OutputDef) -> None:
        path = output.one_file
        wrong, help_ = (
            why_no_recipe(path),
            'write a path in the output folder, such as "default.nix"',
        )
        if wrong is None and folded(f"{path}/").startswith(_PACKAGES):
            wrong = "is in `.flox/pkgs`, where Flox expects one package in each file"
        elif wrong is None and output.form == "flake" and posixpath.basename(path) != _FLAKE:
            wrong, help_ = "is not a flake for Nix", 'write `file = "flake.nix"`'
        elif wrong is None and output.form == "all" and posixpath.basename(path) == _FLAKE:
            wrong, help_ = "would be a flake for Nix", "write `output NAME: flake`, or another name"
        if wrong is not None:
            self._elaboration.sink.report(
                msg.outputs.BAD_FILE,
                output.file.span,
                output=output.name,
                path=path[:80],
                wrong=wrong,
                help=help_,
            )

    def _refuse_shared(self) -> None:
        taken: dict[str, hir.OutputDef] = {}
        for output in self._outputs:
            first = taken.setdefault(folded(output.one_file), output)
            if first is not output:
                self._elaboration.sink.report(
                    msg.outputs.SAME_FILE,
                    output.file.span,
                    others=[first.file.span],
                    first=first.name,
                    output=output.name,
                    one_file=output.one_file,
                )

    def _refuse_impure(self, output: hir.OutputDef) -> None:
        """Report files that a flake cannot read: it sees only its own folder and its inputs."""
        for fault in self.gathered(output).faults.values():
            self._report_impure(fault, output)

    def _report_impure(self, fault: Fault, output: hir.OutputDef) -> None:
        self._elaboration.sink.report(
            msg.outputs.IMPURE,
            fault.span,
            others=[output.span],
            variant=fault.variant,
            label=fault.label,
            help=fault.help,
        )

    # --- names ---------------------------------------------------------------------------

    def _attributes(self, output: hir.OutputDef) -> list[Attribute]:
        """The names of variants by their axes. Equal names are reported."""
        found: list[Attribute] = []
        whole: dict[tuple[str, ...], str] = {(v.name,): v.name for v in self._variants()}
        parts: dict[tuple[str, ...], str] = {}
        clashes: list[str] = []
        wrong: dict[str, Span] = {}
        for variant in self._variants():
            try:
                steps = self._steps(output, variant)
            except Failed:
                return []
            if variant.name in READ_IN_SETS or not READ_IN_SETS.isdisjoint(steps):
                wrong = dict(_misread(output, variant, steps)) | wrong
            if not steps or steps == (variant.name,):
                continue
            above = [steps[:end] for end in range(1, len(steps))]
            clash = _clash(steps, variant.name, above, whole, parts)
            if clash:
                clashes.append(clash)
                continue
            whole[steps] = variant.name
            for some in above:
                parts.setdefault(some, variant.name)
            found.append(Attribute(steps, variant.name, self._prefixed(output, variant)))
        if clashes:
            self._refuse_clashes(output, clashes)
        for name, span in wrong.items():
            self._elaboration.sink.report(
                msg.outputs.HIDES_OTHERS, span, others=[output.span], name=name, output=output.name
            )
        return found

    def _prefixed(self, output: hir.OutputDef, variant: Variant) -> Lines:
        """The lines that the output's prefix for the name of *variant* comes from. None without a
        prefix or without tracing."""
        tracing, prefix = self._elaboration.tracing, output.prefix
        if tracing is None or prefix is None:
            return 0
        made = tracing.of(self._elaboration.deciding(variant), prefix)
        return made.all | tracing.numbering.lines(prefix.span)

    def _refuse_clashes(self, output: hir.OutputDef, clashes: Sequence[str]) -> None:
        first, *others = clashes
        notes = list(others[:_MOST_TOLD])
        if len(others) > _MOST_TOLD:
            notes.append(f"and {len(others) - _MOST_TOLD} more")
        self._elaboration.sink.report(
            msg.outputs.ATTRIBUTE_TWICE
            if output.prefix is None
            else msg.outputs.ATTRIBUTE_TWICE_WITH_PREFIX,
            output.span,
            notes=notes,
            output=output.name,
            first=first,
        )

    def _steps(self, output: hir.OutputDef, variant: Variant) -> tuple[str, ...]:
        """The name of *variant* by its values on axes that have several values."""
        values = [
            variant.values[pick.axis.name] for pick in variant.matrix.axes if len(pick.values) > 1
        ]
        if not values or output.prefix is None:
            return tuple(map(step_of, values))
        value = self._elaboration.deciding(variant).evaluator().value(output.prefix)
        first = step_of(value)
        wrong = fault_of_name(first)
        if wrong is not None:
            raise self._elaboration.sink.refuse(
                msg.outputs.BAD_PREFIX,
                output.prefix.span,
                first=first[:80],
                variant=variant.name,
                wrong=wrong,
            )
        return (first, *map(step_of, values))

    # --- the text ------------------------------------------------------------------------

    def text(self, output: hir.OutputDef) -> bytes:
        """The text of the file of *output*, sealed with its digest."""
        body = b"".join([part.text for part in self.parts(output)])
        head = "".join([f"{line}\n" for line, _ in self.header(output)]).encode()
        return sealing(1)(head, body)

    def parts(self, output: hir.OutputDef) -> list[Part]:
        """The parts of the file of *output* below its head."""
        return self.gathered(output).parts(self._attributes(output), self._description())

    def gathered(self, output: hir.OutputDef) -> Gathered:
        """The variants in the file of *output*."""
        known = self._known.get(output.name)
        if known is None:
            folder = posixpath.dirname(output.one_file)
            relative = Places(self._source.path, folder, self._source.entry)
            traced = self._traced()
            known = self._filled(Gathered(output.form, relative, traced, limit=output.limit))
            if known.parted():
                parted = known.parted()
                known = self._filled(
                    Gathered(output.form, relative, traced, parted, limit=output.limit)
                )
            self._known[output.name] = known
        return known

    def _filled(self, gathered: Gathered) -> Gathered:
        """*gathered*, to which all variants are added."""
        for present in self._presents:
            for variant in _variants(present):
                gathered.add(self._decided(variant))
        return gathered

    def _traced(self) -> Traced | None:
        tracing = self._elaboration.tracing
        return Traced(tracing.numbering.value) if tracing is not None else None

    def _description(self) -> str:
        count = self._count
        source = posixpath.basename(self._source.path)
        return f"{count} variant{'' if count == 1 else 's'} of {source}"

    def header(self, output: hir.OutputDef) -> list[tuple[str, Lines]]:
        """The lines of the header without the digest, each with its provenance."""
        count = self._count
        of = "1 variant" if count == 1 else f"All {count} variants"
        matrices = ", ".join(present.built.matrix.name for present in self._presents)
        source = posixpath.basename(self._source.path)
        gathered = self.gathered(output)
        lines = (
            (f"{of} in one file: by name, and by the values of the axes.", gathered.named),
            (f"Made by tvarc from {source}: matrix {matrices}.", gathered.declared),
            (CHANGE_THE_PROGRAM, 0),
        )
        return [(line, made) for text, made in lines for line in print_comment(text).split("\n")]

    def _variants(self) -> Iterator[Variant]:
        for present in self._presents:
            yield from _variants(present)

    def _decided(self, variant: Variant) -> ir.Recipe:
        """The recipe of *variant*, which was already decided without an error."""
        return self._elaboration.shared.again(self._recipe, variant)

    def _recipe(self, variant: Variant) -> ir.Recipe:
        deciding = self._elaboration.printing(variant)
        return self._elaboration.recipe(deciding, lambda _: ())


def _variants(present: Present) -> Iterator[Variant]:
    for batch, names in present.batches():
        for cell, name in zip(batch.cells, names, strict=True):
            yield Variant(present.built, cell, name)


def step_of(value: Value) -> str:
    """The value of an axis as a step of an attribute. A version has `_` in place of its dots, as
    nixpkgs names its sets."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = kind_text(value) or show(value)
    return text.replace(".", "_") if isinstance(value, Version) else text


def _misread(
    output: hir.OutputDef, variant: Variant, steps: tuple[str, ...]
) -> Iterator[tuple[str, Span]]:
    """The names of *variant* in the file of *output* that have a meaning in Nix, each with its
    place."""
    if variant.name in READ_IN_SETS:
        yield variant.name, variant.matrix.name_expr.span
    picks = [pick for pick in variant.matrix.axes if len(pick.values) > 1]
    spans = [_declared(variant.values[pick.axis.name], pick) for pick in picks]
    if steps and output.prefix is not None:
        spans.insert(0, output.prefix.span)
    for step, span in zip(steps, spans, strict=True):
        if step in READ_IN_SETS:
            yield step, span


def _declared(value: Value, pick: hir.AxisPick) -> Span:
    """The place of a value of an axis, as far as it is known."""
    return value.span if isinstance(value, RowValue) else pick.axis.span


def _clash(
    steps: tuple[str, ...],
    variant: str,
    above: Sequence[tuple[str, ...]],
    whole: Mapping[tuple[str, ...], str],
    parts: Mapping[tuple[str, ...], str],
) -> str:
    """The reason why *variant* cannot be the attribute of these *steps*; empty if it can. *whole*
    are the other attributes, and *parts* the sets around them."""
    name = ".".join(steps)
    if steps in whole:
        return f"`{name}` is both variant {whole[steps]} and variant {variant}"
    if steps in parts:
        return f"`{name}` is both variant {variant} and a set with {parts[steps]}"
    for some in above:
        if some in whole:
            return f"`{'.'.join(some)}` is both variant {whole[some]} and a set with {variant}"
    return ""
