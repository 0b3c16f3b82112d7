"""`tvarc dump`: the result of a stage of the compiler for a program."""

from __future__ import annotations

import posixpath

from tvarc.blocks import IN_PARTS
from tvarc.build import messages as msg
from tvarc.build.driver import Compilation
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.programs.selecting import are_few
from tvarc.light import (
    Enum,
    Final,
    Iterator,
    Literal,
    Mapping,
    Sequence,
    assert_never,
    dataclass,
    fields,
    is_dataclass,
)
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.evaluation.show import show_expr, show_target
from tvarc.text.diagnostics.model import CompilerBug
from tvarc.text.source import Source, SourceMap, Span
from tvarc.values.value import RowValue, show

STAGES: Final = ("ast", "hir", "ir", "nix")
"""The nouns of the pipeline that can be shown."""

_INDENT = "  "

_Below = list[tuple[str, object]]  # labels and values


@in_session
def command(session: Session, given: Arguments) -> int:
    """Print the result of a stage of the compiler for a program; the exit code."""
    stage = given.text("stage")
    if stage not in STAGES:
        raise Misused(f"`{stage}` is none of {', '.join(STAGES)}", "--stage")
    file = given.program()
    only = given.words("only")
    made = session.compile(file)
    match stage:
        case "ast":
            session.console.file(_syntax_text(made))
        case "hir":
            session.console.file(dump_program(made.program, made.sources))
        case "ir" | "nix":
            session.stop_on_errors()
            for text in _decided_texts(made, stage, session.select(only) if only else None):
                session.console.file(text)
        case other:
            raise CompilerBug(f"there is no stage {other}")
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK


def _syntax_text(made: Compilation) -> str:
    """The tree of the program's own file, which has been read."""
    assert made.graph is not None
    source = made.sources.get(made.graph.entry)
    assert source is not None
    return dump_node(made.graph.modules[made.graph.entry].tree, source)


def _decided_texts(
    made: Compilation, stage: _Decided, variants: Sequence[Variant] | None
) -> Iterator[str]:
    """The recipe of each of *variants*, or its files; if *variants* is None, of all of them, and
    the files of all variants as well. None, after reporting it, if there are too many.
    """
    chosen = made.variants if variants is None else variants
    times = _TIMES if stage == "ir" else 1
    if not are_few(made, chosen, msg.questions.TOO_MANY_TO_DUMP, times):
        return
    match stage:
        case "ir":
            for recipe in made.stream(variants):
                yield dump_node(recipe, made.sources)
        case "nix":
            yield from _files(made, variants)
        case _:
            assert_never(stage)


def _files(made: Compilation, variants: Sequence[Variant] | None) -> Iterator[str]:
    """The text of each file, below its path where they are several."""
    count = len(made.variants if variants is None else variants)
    whole = len(made.program.collections) if variants is None else 0
    several = count * len(made.outputs) + whole > 1
    source = posixpath.basename(made.file)
    for file in made.files(source, variants, collections=variants is None, sizes=False):
        text = file.data().decode()
        yield f"# file: {file.path}\n{text}" if several else text


def dump_node(node: object, source: Source | SourceMap) -> str:
    """The tree under *node*, a line for each node or field, each node with its `line:column`.

    Plain fields are on the line of their node, nodes and non-empty collections below it. With a
    Source, places in it have no file; places elsewhere, or with a SourceMap, have one.
    """
    lines: list[str] = []
    waiting: list[tuple[int, str, object]] = [(0, "", node)]
    while waiting:  # not recursive: a dump must show programs that other stages cannot process
        level, label, value = waiting.pop()
        head, below = _describe(value, source)
        lines.append(f"{_INDENT * level}{label}{head}")
        waiting.extend((level + 1, name, part) for name, part in reversed(below))
    return "\n".join(lines) + "\n"


def _describe(value: object, source: Source | SourceMap) -> tuple[str, _Below]:
    """The line of *value*, and the labelled lines below it."""
    if is_dataclass(value) and not isinstance(value, type | Span):
        return _describe_node(value, source)
    if isinstance(value, tuple | list) and value:
        return f"({len(value)})", [("- ", part) for part in value]
    if isinstance(value, Mapping) and value:
        below = [(f"{_plain(key, source)}: ", part) for key, part in value.items()]
        return f"({len(value)})", below
    if isinstance(value, set | frozenset) and value:
        return "{" + ", ".join(sorted(_plain(part, source) for part in value)) + "}", []
    return _plain(value, source), []


def _describe_node(node: object, source: Source | SourceMap) -> tuple[str, _Below]:
    head = type(node).__name__
    below: _Below = []
    inline: list[str] = []
    place = ""
    for field in fields(node):  # type: ignore[arg-type]  # is_dataclass was asked
        if not field.repr or field.name.startswith("_"):
            continue
        value = getattr(node, field.name)
        if field.name == "span" and isinstance(value, Span):
            place = f" {_place(value, source)}"
        elif _is_plain(value):
            inline.append(f" {field.name}={_plain(value, source)}")
        else:
            below.append((f"{field.name}: ", value))
    return head + place + "".join(inline), below


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(part is None or isinstance(part, str | int) for part in value)
    if isinstance(value, Mapping):
        return not value
    return isinstance(value, Span) or not is_dataclass(value) or isinstance(value, type)


def _plain(value: object, source: Source | SourceMap) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Enum():
            return value.name
        case Span():
            return _place(value, source)
        case set() | frozenset():
            return "{" + ", ".join(sorted(_plain(part, source) for part in value)) + "}"
        case type():
            return value.__name__
        case _:
            return repr(value)


def _place(span: Span, source: Source | SourceMap) -> str:
    found = source.get(span.file) if isinstance(source, SourceMap) else source
    if found is None or found.file != span.file:
        return f"{span.file}@{span.start}"
    position = found.position(span.start)
    bare = f"{position.line}:{position.column}"
    return bare if isinstance(source, Source) else f"{span.file}:{bare}"


def dump_program(program: hir.Program, sources: SourceMap) -> str:
    """*program* in the order of its declarations, a line each, with `file:line:column`."""
    return "".join(f"{line}\n" for line in _Dump(sources).program(program))


@dataclass(slots=True, eq=False)
class _Dump:
    sources: SourceMap

    def program(self, program: hir.Program) -> Iterator[str]:
        yield f"program {program.file}"
        for let in program.lets.values():
            yield from _below(self.let(let))
        for table in program.tables.values():
            yield from _below(self.table(table))
        for axis in program.axes.values():
            yield from _below(self.axis(axis))
        for pin in program.pins:
            yield from _below(self.pin(pin))
        for overlay in program.overlays:
            yield from _below(self.overlay(overlay))
        for recipe in program.recipes:
            yield from _below(self.recipe(recipe))
        for matrix in program.matrices:
            yield from _below(self.matrix(matrix))
        for check in (*program.excludes, *program.checks):
            yield from _below(self.check(check))
        for file, checks in program.excludes_of.items():
            yield f"{_INDENT}matrices of {file}"
            for check in checks:
                yield from _below(_below(self.check(check)))
        for off in program.warn_off:
            yield f"{_INDENT}warn {off.name} = off{_because(off.because)} {self.at(off.span)}"
        for output in (*program.written_outputs, *program.manifests, *program.documents):
            form = "" if output.form == "recipes" else f": {output.form}"
            yield f"{_INDENT}output {output.name}{form} {self.at(output.span)}"
            yield f"{_INDENT * 2}file = {show_expr(output.file)}"
            for name, value in output.fields:
                yield f"{_INDENT * 2}{name} = {show_expr(value)}"

    def at(self, span: Span) -> str:
        source = self.sources.get(span.file)
        if source is None:
            return f"{span.file}@{span.start}"
        place = source.position(span.start)
        return f"{span.file}:{place.line}:{place.column}"

    def let(self, let: hir.LetDef) -> Iterator[str]:
        if isinstance(let.expr, hir.Apply) and hir.is_input(let):
            _, *given = let.expr.arguments
            fields = ", ".join(f"{name} = {show_expr(value)}" for name, value in given)
            yield f"input {let.name} {{ {fields} }} {self.at(let.span)}"
            return
        value = show_expr(let.expr) if let.expr is not None else "…"
        yield f"let {let.name} = {value} {self.at(let.span)}"

    def table(self, table: hir.Table) -> Iterator[str]:
        fields = ", ".join(f"{name}: {kind.show()}" for name, kind in table.fields.items())
        yield f"facts {table.name} ({fields}) {self.at(table.span)}"
        for row in table.rows.values():
            yield from _below(self.row(row))

    def row(self, row: RowValue) -> Iterator[str]:
        yield f"{row.name} {self.at(row.span)}"
        for name, fact in row.facts.items():
            yield f"{_INDENT}{name} = {show(fact.value)} {self.at(fact.span)}"

    def axis(self, axis: hir.AxisDef) -> Iterator[str]:
        values = "named only" if axis.values is None else show(axis.values)
        of = f" of {axis.table.name}" if axis.table is not None else ""
        yield f"axis {axis.name}{of} = {values} {self.at(axis.span)}"

    def pin(self, pin: hir.PinDef) -> Iterator[str]:
        yield f"pin {pin.name} {self.at(pin.span)}"
        for write in (*pin.fields.values(), *pin.blocks):
            yield from _below(self.write(write))

    def overlay(self, overlay: hir.OverlayDef) -> Iterator[str]:
        kind = "patch" if overlay.patch else "overlay"
        target = f" {overlay.relation} {show_target(overlay.target)}" if overlay.relation else ""
        until = _until(overlay.until)
        because = _because(overlay.because)
        yield f"{kind} {overlay.name}{target}{until}{because} {self.at(overlay.span)}"
        if overlay.via is not None:
            yield from _below(self.write(overlay.via))
        yield from _below(self.layer(overlay.layer))

    def recipe(self, recipe: hir.RecipeDef) -> Iterator[str]:
        *above, _ = recipe.chain()
        mixins: list[str] = []
        while above and above[-1].noun == "mixin":
            mixins.insert(0, above.pop().name)
        parent = f" extends {above[-1].name}" if above else ""
        parent += f" with {', '.join(mixins)}" if mixins else ""
        yield f"{recipe.noun} {recipe.name}{parent} {self.at(recipe.span)}"
        for let in recipe.lets.values():
            yield from _below(self.let(let))
        yield from _below(self.layer(recipe.layer))

    def matrix(self, matrix: hir.MatrixDef) -> Iterator[str]:
        kind = "variant" if matrix.single else "matrix"
        yield f"{kind} {matrix.name} {self.at(matrix.span)}"
        yield f"{_INDENT}recipe = {matrix.recipe.name}"
        for pick in matrix.axes:
            yield f"{_INDENT}axis {pick.axis.name} = {show(pick.values)} {self.at(pick.span)}"
        yield f"{_INDENT}name = {show_expr(matrix.name_expr)}"
        yield f"{_INDENT}limit = {matrix.limit}"
        for check in matrix.excludes:
            yield from _below(self.check(check))
        for layer in matrix.layers:
            yield from _below(self.layer(layer))

    def layer(self, layer: hir.Layer) -> Iterator[str]:
        for flag in layer.flags:
            default = f"= {show_expr(flag.default)}{_because(flag.because)} {self.at(flag.span)}"
            yield f"flag {flag.name}: {flag.type.show()} {default}"
        for write in layer.writes:
            yield from self.write(write)
        for check in layer.checks:
            yield from self.check(check)

    def write(self, write: hir.Write) -> Iterator[str]:
        strength = "" if write.strength == "normal" else f"{write.strength} "
        value = f"{_operator(write)} {show_expr(write.value)}{_because(write.because)}"
        block, *keys = write.path
        path = f"{block} {'.'.join(keys)}" if block in IN_PARTS else ".".join(write.path)
        yield f"{strength}{path} {value} {self.at(write.span)}"
        yield from self.conditions(write.conditions)

    def check(self, check: hir.Check) -> Iterator[str]:
        name = f" {check.name} =" if check.name else ""
        text = f"{show_expr(check.expr)}{_because(check.because)}"
        yield f"{check.kind}{name} {text} {self.at(check.span)}"
        if check.through is not None:
            line = f"{check.through.module} {self.at(check.through.span)}"
            yield f"{_INDENT}through exclude {line}"
        yield from self.conditions(check.conditions)

    def conditions(self, conditions: tuple[hir.Condition, ...]) -> Iterator[str]:
        for condition in conditions:
            yield f"{_INDENT}when {show_expr(condition.expr)} {self.at(condition.span)}"


def _operator(write: hir.Write) -> str:
    """The text between the path of *write* and its value."""
    part = write.part
    if part is None:
        return write.op
    placed = f" {part.placement} {part.anchor}" if part.placement else ""
    return f"part {part.name if part.name is not None else '+='}{placed} ="


def _until(until: hir.Until | None) -> str:
    if until is None:
        return ""
    package = ".".join((*(("pkgs",) if until.nixpkgs else ()), *until.package))
    return f" until {package} >= {show_expr(until.version.value)}"


def _because(reason: str) -> str:
    return f" because {show(reason)}" if reason else ""


def _below(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield _INDENT + line


_Decided = Literal["ir", "nix"]
"""The stages that have a part for each variant."""

_TIMES: Final = 4  # a tree takes so many times as long as the lines of a recipe
