"""Values from the command line: `--flag F=V` and `--set PATH=V`, resolved like any expression."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, OF_RECIPE, SETS, knows_package
from tvarc.files.cache import Cache
from tvarc.light import dataclass
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.expressions import Expressions, Join
from tvarc.meaning.names.scope import IN_ATTRS, IN_RECIPE, PLAIN_SETTINGS, View
from tvarc.meaning.resolve import Resolution
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Source, SourceMap, Span


@dataclass(frozen=True, slots=True)
class Setting:
    """One option of the command line. `option` is `--flag` or `--set`, and `text` is the word after
    it."""

    option: str
    text: str


def resolve_overrides(
    settings: tuple[Setting, ...],
    resolution: Resolution,
    sources: SourceMap,
    sink: Sink,
    join: Join,
    cache: Cache | None = None,
) -> list[tuple[hir.Path, hir.Expr]]:
    """The path and the value of each valid setting. The others are reported."""
    found: list[tuple[hir.Path, hir.Expr]] = []
    seen: dict[hir.Path, Span] = {}
    for setting in settings:
        source = Source(f"{setting.option} {setting.text}", setting.text)
        sources.add(source)
        name, equals, value = setting.text.partition("=")
        whole = Span(source.file, 0, len(setting.text))
        if setting.text.encode(errors="ignore").decode() != setting.text:
            sink.report(msg.options.NOT_UTF8, whole, option=setting.option)
            continue
        if not equals or not name.strip() or not value.strip():
            sink.report(
                msg.options.NO_PAIR, whole, option=setting.option, name=name.strip() or "NAME"
            )
            continue
        path = _path(setting.option, name.strip(), whole, resolution, sink, cache)
        if path is None:
            continue
        if path in seen:
            sink.report(msg.options.GIVEN_TWICE, whole, name=name.strip())
            continue
        seen[path] = whole
        # Blanks replace the name, so that the value keeps its position.
        padded = Source(source.file, " " * (len(name) + 1) + value)
        from tvarc.syntax.parser import parse_expression

        tree = parse_expression(padded, sink, cache)
        if tree is None:
            continue
        expressions = Expressions(resolution.scope, sink, join)
        view = _view(path)
        if path[0] == "flag":
            word = _bare_word(path[1], tree, resolution)
            found.append((path, word or expressions.known(tree, view)))
        else:
            found.append((path, expressions.resolve(tree, view)))
    return found


def _path(
    option: str,
    name: str,
    span: Span,
    resolution: Resolution,
    sink: Sink,
    cache: Cache | None,
) -> hir.Path | None:
    program = resolution.program
    if option == "--flag":
        flags = [flag.name for recipe in program.recipes for flag in recipe.layer.flags]
        if name in flags:
            return ("flag", name)
        sink.report(
            msg.options.UNKNOWN_FLAG if flags else msg.options.NO_FLAGS,
            span,
            name=name,
            known=", ".join(dict.fromkeys(flags)),
            guess=guess(name, flags),
        )
        return None
    steps = _steps(name, cache)
    if steps is None:
        added = name[-1] in "+-"
        sink.report(
            msg.options.ADDED_TO_SETTING if added else msg.options.NO_PATH,
            span,
            name=name,
            sign=name[-1:],
        )
        return None
    if steps[0] in PLAIN_SETTINGS and len(steps) == 1:
        return steps
    if steps[0] in OF_RECIPE and len(steps) > 1 and all(steps):
        if steps[0] == ATTRIBUTES and steps[1] in SETS:
            sink.report(msg.options.WRONG_PLACE, span, name=name, path=".".join(steps[1:]))
            return None
        return steps
    known = (*OF_RECIPE, *PLAIN_SETTINGS)
    sink.report(
        msg.options.UNKNOWN_SETTING,
        span,
        name=name,
        known=", ".join([*(f"{block}.NAME" for block in OF_RECIPE), *PLAIN_SETTINGS]),
        guess=guess(steps[0], known),
    )
    return None


def _bare_word(flag: str, tree: ast.Expr, resolution: Resolution) -> hir.Expr | None:
    """A bare word for a flag whose values are strings. Shells remove quotes, so it needs none."""
    if not isinstance(tree, ast.Ref) or resolution.scope.find(tree.name):
        return None
    types = [
        one.type.kind
        for recipe in resolution.program.recipes
        for one in recipe.layer.flags
        if one.name == flag
    ]
    return hir.Const(tree.name, tree.span) if set(types) == {"string"} else None


def _steps(name: str, cache: Cache | None) -> hir.Path | None:
    """The steps of a path in the spelling of the language; None if *name* is no path."""
    from tvarc.syntax.parser import parse_expression

    tree = parse_expression(Source("--set", name), Sink(), cache)
    steps: list[str] = []
    while isinstance(tree, ast.Member):
        steps.insert(0, tree.name.text)
        tree = tree.base
    return (tree.name, *steps) if isinstance(tree, ast.Ref) else None


def _view(path: hir.Path) -> View:
    roots = IN_ATTRS if knows_package(path[0]) else IN_RECIPE
    return View(f"`{'.'.join(path)}`", roots=roots)
