"""`tvarc explain`: one variant or one path of it, or the page on a code."""

# ruff: noqa: PTH119
from __future__ import annotations

import os
import sys

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.console import has_colour, terminal_width
from tvarc.cli.session import Session, counted
from tvarc.diagnostics.registry import CODES
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.driver import Compilation
from tvarc.elaborate.trace import Trace, Written
from tvarc.light import NoReturn, Sequence
from tvarc.matrix.select import is_pairs
from tvarc.matrix.variants import Variant
from tvarc.plain import json_text
from tvarc.provenance.reads import Held
from tvarc.report.data import named, span_text
from tvarc.report.lookup import Unknown, look_up, path_text, steps_of
from tvarc.resources import error_page
from tvarc.values import show

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
    variant = _one(session, selector, session.select([selector]))
    recipe = made.checked(variant)
    if recipe is None:
        session.finish(exits.FAILED)
    why = Trace(made.elaboration, variant, recipe, made.sources) if made.elaboration else None
    if as_html and why is not None:
        session.console.file(_html(made, variant, recipe, why))
    else:
        _answer(session, recipe, path, why, as_json=as_json)
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK


def _html(made: Compilation, variant: Variant, recipe: ir.Recipe, why: Trace) -> str:
    """The page on *variant*, which *recipe* is."""
    from tvarc.assembly.source_map import SourceMaps
    from tvarc.report.explain_html import explain_html
    from tvarc.report.side_by_side import sides_html
    from tvarc.report.tree import recipe_tree

    maps = SourceMaps(made.traced(), os.path.basename(made.file), made.file)
    mapped = maps.of(variant)
    sides = sides_html(mapped, maps, made.file) if mapped is not None else ()
    return explain_html(recipe_tree(recipe), made.sources, why, sides)


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


def _one(session: Session, selector: str, found: Sequence[Variant]) -> Variant:
    """The variant of *found*; ends the command when there are several."""
    if len(found) > 1:
        _several(session, selector, found)
    return found[0]


def _several(session: Session, selector: str, found: Sequence[Variant]) -> NoReturn:
    shown = [f"  {variant.name}" for variant in found[:_LISTED]]
    if len(found) > _LISTED:
        shown.append(f"  and {len(found) - _LISTED} more")
    session.sink.error(
        "E902",
        f"`{selector}` selects {counted(len(found), 'variant')}",
        notes=("\n".join(["they are:", *shown]),),
        help="name one of them, or say more: values are joined by `-`",
    )
    session.finish(exits.FAILED)


def _answer(
    session: Session, recipe: ir.Recipe, path: str | None, why: Trace | None, *, as_json: bool
) -> None:
    from tvarc.report.tree import recipe_tree

    tree = recipe_tree(recipe)
    node = tree if path is None else look_up(tree, path)
    if isinstance(node, Unknown):
        kept = list(why.kept_out(tuple(steps_of(path or "")))) if why is not None else []
        if kept:
            _kept_out(session, path or "", kept)
        elif taken := list(why.taken_out(tuple(steps_of(path or "")))) if why is not None else []:
            _taken_out(session, path or "", taken)
        else:
            _unknown(session, path or "", node)
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


def _kept_out(session: Session, path: str, kept: Sequence[tuple[Written, Held]]) -> None:
    """Tell by which conditions a setting is not there."""
    notes: list[str] = []
    for written, held in kept:
        sources = session.sources
        asked = ", ".join(f"{text} = {show(value)}" for text, value in held.operands)
        notes.append(
            f"{written.whose} sets it ({sources.locate(written.write.span)}) "
            f"when {span_text(held.span, sources)}; here {asked}"
        )
        read = [f"{named(one)} ({sources.locate(one.span)})" for one in held.reads.names]
        read += [f"it reads {setting}" for setting in held.reads.settings]
        notes += read
    session.sink.error(
        "E904", f"a condition keeps `{path}` out of this variant", notes=tuple(notes)
    )


def _taken_out(session: Session, path: str, taken: Sequence[Written]) -> None:
    """Tell by which lines nothing is left of a script."""
    notes: list[str] = []
    for written in taken:
        where = session.sources.locate(written.write.span)
        conditions = [span_text(one.span, session.sources) for one in written.write.conditions]
        under = f" when {' and '.join(conditions)}" if conditions else ""
        notes.append(f"{written.whose} takes it out ({where}){under}")
    session.sink.error("E904", f"nothing is left of `{path}` in this variant", notes=tuple(notes))


def _unknown(session: Session, path: str, unknown: Unknown) -> None:
    known = [f"`{one}`" for one in unknown.known()]
    found = path_text(unknown.found.path)
    if len(known) > _LISTED:
        known[_LISTED:] = [f"and {len(known) - _LISTED} more"]
    note = f"there is {', '.join(known)}" if known else f"`{found}` has no parts"
    suggestion = unknown.suggestion()
    session.sink.error(
        "E904",
        f"this variant has no `{path if len(path) <= _LONGEST else path[:_LONGEST] + '…'}`",
        notes=(note,),
        help=f"did you mean `{suggestion}`?" if suggestion else "",
    )
