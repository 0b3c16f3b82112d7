"""`tvarc explain`: one variant, one path in it, or the page about a code."""

from __future__ import annotations

import sys

from tvarc.build.driver import Compilation
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import has_colour, terminal_width
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.programs.selecting import followed, selector_and_path
from tvarc.commands.shown.lookup import Unknown, look_up
from tvarc.decide.trace import Trace
from tvarc.files.resources import error_page
from tvarc.light import dataclass, replace
from tvarc.nix import ir
from tvarc.text.diagnostics.registry import CODES
from tvarc.text.diagnostics.suggest import guess
from tvarc.values.plain import json_text


@in_session
def command(session: Session, given: Arguments) -> int:
    """Explain the thing that the words name; the exit code."""
    file, words = given.program_and_words()
    as_json = given.flag("json")
    if given.flag("nix_log"):
        from tvarc.commands.explain.recipe_line import explain_log

        if words or as_json or given.flag("facts"):
            raise Misused("it reads standard input, and only --file goes with it", "--nix-log")
        return explain_log(session, file)
    if not words:
        wanted = "name a variant, a line of a recipe, or the code of an error"
        if file is not None:
            wanted = f"name a variant of `{file}`, or the code of an error"
        raise Misused(wanted, "SELECTOR")
    place = None
    if ".nix:" in words[0]:
        from tvarc.commands.programs.find import recipe_place

        place = recipe_place(words)
        if place is None and len(words) == 1:
            raise Misused(f"`{words[0]}` is not a line of a file", "FILE.nix:LINE")
    selector, path, surplus = selector_and_path(words)
    if place is None and surplus is not None:
        raise Misused(
            f"write one SELECTOR, with `-` between its values, and one PATH; leave out `{surplus}`"
        )
    code = selector.upper() if len(words) == 1 and is_code(selector) else None
    if given.flag("facts"):
        if as_json:
            raise Misused("JSON has all facts: leave it out", "--facts")
        if place is not None or path is not None or code is not None:
            raise Misused("it needs a whole variant, without a path", "--facts")
    if place is not None:
        from tvarc.commands.explain.recipe_line import explain_line

        return explain_line(session, file, place, as_json=as_json)
    if code is not None:
        return _page(session, code, as_json=as_json)
    return _explain(session, given, file, selector, path)


def is_code(word: str) -> bool:
    """Whether *word* has the form of a code, even of one that does not exist."""
    letter, digits = word[:1], word[1:]
    return letter in tuple("EWew") and len(digits) in (3, 4) and digits.isdecimal()


def _explain(
    session: Session, given: Arguments, file: str | None, selector: str, path: str | None
) -> int:
    """Explain a variant, or the *path* in it."""
    made = session.compile(file)
    session.stop_on_errors()
    variant = session.one(selector)
    if path is not None:
        variant, path = followed(made, variant, path)
    recipe = made.checked(variant)
    if recipe is None:
        session.finish(exits.FAILED)
    why = Trace(made.elaboration, variant, recipe, made.sources)
    _answer(session, given, recipe, path, why)
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK


@dataclass(frozen=True, slots=True)
class Page:
    """The page on a code: `tvarc explain CODE --json`."""

    code: str
    title: str
    page: str


def _page(session: Session, code: str, *, as_json: bool) -> int:
    """Show the page on *code*; the exit code."""
    if code not in CODES:
        from tvarc.commands import messages as msg

        session.sink.report(msg.selection.NO_CODE, code=code, guess=guess(code, CODES))
        session.finish(exits.FAILED)
    page = Page(code, CODES[code], error_page(code) or f"# {code}: {CODES[code]}\n")
    if as_json:
        session.console.data(json_text(page, indent=None))
    else:
        session.console.out(page.page)
    return exits.OK


def _answer(
    session: Session, given: Arguments, recipe: ir.Recipe, path: str | None, why: Trace
) -> None:
    from tvarc.commands.shown.tree import recipe_tree

    assert session.compilation is not None
    tree = recipe_tree(recipe, session.compilation.inputs)
    reason = _included(session.compilation, recipe.variant)
    if reason:
        children = [
            replace(one, because=reason) if one.path == ("matrix",) else one
            for one in tree.children
        ]
        tree = replace(tree, children=tuple(children))
    node = tree if path is None else look_up(tree, path)
    if isinstance(node, Unknown):
        from tvarc.commands.explain.text import absent

        session.sink.add(absent(path or "", node, why, session.sources))
        return
    if given.flag("json"):
        from tvarc.commands.shown.result import result_of

        session.console.data(json_text(result_of(node, session.sources, why), session.sources))
        return
    from tvarc.commands.explain.text import explain_text

    out = sys.stdout
    text = explain_text(
        tree, node, session.sources, colour=has_colour(out), width=terminal_width(out), why=why,
        facts=given.flag("facts"),
    )  # fmt: skip
    session.console.out(text)


def _included(made: Compilation, name: str) -> str:
    """The reasons of the `include`s that name the variant *name* of a sparse matrix; empty if there
    are none."""
    variant = next((one for one in made.variants if one.name == name), None)
    if variant is None:
        return ""
    checks = made.excludes(variant.matrix)
    includes = [one for check in checks for one in check.includes if one.because]
    if not includes:
        return ""
    from tvarc.matrix.exclusion_eval import evaluator_at

    evaluator = evaluator_at(variant.matrix, variant.values)
    return "; ".join([one.because for one in includes if evaluator.truth(one.expr, "include")])
