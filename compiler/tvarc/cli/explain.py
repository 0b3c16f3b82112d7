"""`tvarc explain`: one variant or one path of it, or the page on a code."""

from __future__ import annotations

import sys

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.console import has_colour, terminal_width
from tvarc.cli.session import Session
from tvarc.diagnostics.registry import CODES
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.driver import Compilation
from tvarc.elaborate.trace import Trace
from tvarc.light import Sequence
from tvarc.matrix.select import is_pairs
from tvarc.matrix.variants import Variant
from tvarc.plain import json_text
from tvarc.report.lookup import Unknown, look_up, path_text, steps_of
from tvarc.resources import error_page

_LISTED = 20
_LONGEST = 200  # of a path that is told again


def explain(
    session: Session,
    file: str | None,
    words: Sequence[str],
    *,
    as_json: bool,
    as_html: bool = False,
) -> int:
    """*words* are a selector and perhaps a path, or the code of a diagnostic."""
    if len(words) == 1 and _is_code(words[0]):
        return _page(session, words[0].upper(), as_json=as_json)
    selector, path = split_words(words)
    made = session.compile(file)
    session.stop_on_errors()
    variant = session.one(selector)
    if path is not None:
        variant, path = _followed(made, variant, path)
    recipe = made.checked(variant)
    if recipe is None:
        session.finish(exits.FAILED)
    why = Trace(made.elaboration, variant, recipe, made.sources) if made.elaboration else None
    if as_html and why is not None:
        from tvarc.report.explain_html import variant_page

        session.console.file(variant_page(made, variant, recipe, why))
    else:
        _answer(session, recipe, path, why, as_json=as_json)
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK


def _followed(made: Compilation, variant: Variant, path: str) -> tuple[Variant, str]:
    """What *path* leads to within a variant that is needed: `needs.torch.attrs.pname` is
    `attrs.pname` of that one."""
    while made.is_stacked and path.startswith("needs."):
        _, name, *rest = steps_of(path)
        needed = dict(made.stack.direct(variant)).get(name)
        if needed is None or not rest:
            break
        variant, path = needed, path[len("needs.") :].partition(".")[2]
        if name != path_text((name,)):
            break  # a name in quotes is no word to cut at
    return variant, path


def _is_code(word: str) -> bool:
    letter, digits = word[:1], word[1:]
    return letter in tuple("EWew") and len(digits) in (3, 4) and digits.isdecimal()


def recipe_place(words: Sequence[str]) -> tuple[str, int] | None:
    """The line of a recipe that *words* name, `FILE.nix:LINE`, a column after it as Nix prints it;
    None for anything else."""
    if len(words) != 1 or ".nix:" not in words[0]:
        return None
    from tvarc.cli.who import split_place

    place = split_place(words[0].rstrip(":"))
    if place is not None and not place[0].endswith(".nix"):
        place = split_place(place[0])
    return place if place is not None and place[0].endswith(".nix") else None


def split_words(words: Sequence[str]) -> tuple[str, str | None]:
    """Selector and path. Pairs in words of their own are one selector; more is no path."""
    count = 1
    if is_pairs(words[0]):
        while count < len(words) and is_pairs(words[count]):
            count += 1
    rest = words[count:]
    return " ".join(words[:count]), rest[0] if rest else None


def is_whole(words: Sequence[str]) -> bool:
    """Whether *words* name a variant, and nothing within it."""
    return split_words(words)[1] is None and not (len(words) == 1 and _is_code(words[0]))


def surplus(words: Sequence[str]) -> str | None:
    """The first word that is neither selector nor path."""
    selector, path = split_words(words)
    used = len(selector.split(" ")) if is_pairs(words[0]) and is_pairs(selector) else 1
    used += path is not None
    return words[used] if len(words) > used else None


def _page(session: Session, code: str, *, as_json: bool) -> int:
    if code not in CODES:
        session.sink.error("E904", f"there is no code `{code}`", help=did_you_mean(code, CODES))
        session.finish(exits.FAILED)
    page = error_page(code) or f"# {code}: {CODES[code]}\n"
    if as_json:
        page = json_text({"code": code, "title": CODES[code], "page": page}, indent=None)
        session.console.data(page)
    else:
        session.console.out(page)
    return exits.OK


def _answer(
    session: Session, recipe: ir.Recipe, path: str | None, why: Trace | None, *, as_json: bool
) -> None:
    from tvarc.report.tree import recipe_tree

    assert session.compilation is not None
    tree = recipe_tree(recipe, session.compilation.inputs)
    node = tree if path is None else look_up(tree, path)
    if isinstance(node, Unknown):
        from tvarc.programs.absent import absent

        session.sink.add(absent(path or "", node, why, session.sources))
        return
    if as_json:
        from tvarc.report.data import node_data

        session.console.data(json_text(node_data(node, session.sources, why)))
        return
    from tvarc.report.text import explain_text

    out = sys.stdout
    text = explain_text(
        tree, node, session.sources, colour=has_colour(out), width=terminal_width(out), why=why
    )
    session.console.out(text)
