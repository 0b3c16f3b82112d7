"""`tvarc dump`: the result of a stage of the compiler for a program."""

from __future__ import annotations

import posixpath

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
    fields,
    is_dataclass,
)
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.evaluation.show import show_expr
from tvarc.text.diagnostics.model import CompilerBug
from tvarc.text.source import Source, SourceMap, Span

STAGES: Final = ("ast", "hir", "ir", "nix")
"""The stages that can be shown."""

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
    """The syntax tree of the program's own file, which was read before."""
    assert made.graph is not None
    source = made.sources.get(made.graph.entry)
    assert source is not None
    return dump_node(made.graph.modules[made.graph.entry].tree, source)


def _decided_texts(
    made: Compilation, stage: _Decided, variants: Sequence[Variant] | None
) -> Iterator[str]:
    """The recipe of each of *variants*, or its files; if *variants* is None, of all of them, and
    the files of all variants as well. None if there are too many, which is reported.
    """
    chosen = made.variants if variants is None else variants
    times = _TIMES if stage == "ir" else 1
    if not are_few(made, chosen, msg.questions.TOO_MANY_TO_DUMP, times):
        return
    match stage:
        case "ir":
            for recipe in made.recipes(variants):
                yield dump_node(recipe, made.sources)
        case "nix":
            yield from _files(made, variants)
        case _:
            assert_never(stage)


def _files(made: Compilation, variants: Sequence[Variant] | None) -> Iterator[str]:
    """The text of each file. If there are several, each is below its path."""
    count = len(made.variants if variants is None else variants)
    whole = len(made.program.collections) if variants is None else 0
    several = count * len(made.outputs) + whole > 1
    source = posixpath.basename(made.file)
    for file in made.files(source, variants, collections=variants is None, sizes=False):
        text = file.data().decode()
        yield f"# file: {file.path}\n{text}" if several else text


def dump_program(program: hir.Program, sources: SourceMap) -> str:
    """The tree under *program*. A declaration is whole at its first place, and its name alone at
    any other."""
    return dump_node(program, sources, shared=True)


def dump_node(node: object, source: Source | SourceMap, *, shared: bool = False) -> str:
    """The tree under *node*, a line for each node or field, each node with its `line:column`.

    Plain fields are on the line of their node, nodes and non-empty collections below it. With a
    Source, places in it have no file; places elsewhere, or with a SourceMap, have one. If nodes are
    *shared*, a node that was shown before has only its name.
    """
    lines: list[str] = []
    known: set[int] = set()
    waiting: list[tuple[int, str, object]] = [(0, "", node)]
    while waiting:  # not recursive: a dump must show programs that other stages cannot process
        level, label, value = waiting.pop()
        head, below = _describe(value, source)
        if shared and hasattr(value, "span") and not isinstance(value, hir.Expr):
            if id(value) in known:
                head, below = _name(value, value.span, source), []
            known.add(id(value))
        lines.append(f"{_INDENT * level}{label}{head}")
        waiting.extend((level + 1, name, part) for name, part in reversed(below))
    return "\n".join(lines) + "\n"


def _describe(value: object, source: Source | SourceMap) -> tuple[str, _Below]:
    """The line of *value*, and the labelled lines below it."""
    # An input is shown whole: as an expression it is only its name.
    is_input = isinstance(value, hir.Apply) and value.function == "input"
    if isinstance(value, hir.Expr) and not is_input:
        return f"{show_expr(value)} {_place(value.span, source)}", []
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


def _name(node: object, span: Span, source: Source | SourceMap) -> str:
    name = f" name={node.name!r}" if hasattr(node, "name") else ""
    return f"{type(node).__name__} {_place(span, source)}{name}"


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


_Decided = Literal["ir", "nix"]
"""The stages that have a part for each variant."""

_TIMES: Final = 4  # the time for a tree, as a multiple of the time for the lines of a recipe
