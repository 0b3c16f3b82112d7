"""Variants that are arguments of the recipes that need them: `needs … by argument`. callPackage
fills an argument by its name, which is the name of a file. So the name may have no other meaning in
the recipe."""

from __future__ import annotations

from tvarc.decide import messages as msg
from tvarc.light import Final, Iterator
from tvarc.nix import ir
from tvarc.nix.lower.context import Files, may_be_argument
from tvarc.nix.lower.lower import stem_of, taken_names
from tvarc.nix.lower.values import INPUT
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.source import Span

_UNNAMED: Final = "default"  # a file with this name, in no folder, is no package


def refuse_argument(file: str, place: Span, sink: Sink) -> None:
    """Refuse an argument with the name of *file* if this name has another meaning in all recipes.
    Raises Failed after reporting."""
    name = stem_of(file)
    if may_be_argument(name) and name != _UNNAMED and not name.endswith(INPUT):
        return
    _refuse(name, file, place, "in a recipe, this name already has another meaning", sink)
    raise Failed


def refuse_shared_names(recipe: ir.Recipe, sink: Sink) -> None:
    """Refuse arguments of *recipe* whose name has another meaning in its file. Raises Failed after
    reporting."""
    found = list(_arguments(recipe))
    if not found:
        return
    formals, words = taken_names(recipe)
    own = dict(recipe.files)
    for number in range(len(found[0][0])):
        seen: dict[str, tuple[Files, str]] = {}
        for files, need in found:
            output, file = files[number]
            name, place = stem_of(file), need.setting.origin.span
            other = seen.setdefault(name, (files, need.name))
            if other[0] != files:
                why = f"`needs.{other[1]}` is `{other[0][number][1]}`, which has the same name"
            elif output in own and stem_of(own[output]) == name:
                why = f"the file of the recipe has the same name, `{own[output]}`"
            elif name in formals:
                why = "the recipe already takes a package with this name from nixpkgs"
            elif name in words:
                why = "Nix text in the recipe uses this name"
            else:
                continue
            _refuse(name, file, place, why, sink)
            raise Failed


def _refuse(name: str, file: str, place: Span, why: str, sink: Sink) -> None:
    sink.report(
        msg.packages.BAD_ARGUMENT,
        place,
        cause=f"argument {place.file}:{place.start} {name}",
        name=name,
        file=file,
        why=why,
    )


def _arguments(recipe: ir.Recipe, within: ir.Need | None = None) -> Iterator[tuple[Files, ir.Need]]:
    """The files of each variant that is an argument of *recipe*, with a need of *recipe*. The
    argument may belong to a recipe that is put into *recipe*, or to a variant that it imports; the
    need is then the one that leads there."""
    for need in recipe.needs:
        of = within or need
        if need.linked is not None:
            if need.linked.argument:
                yield need.linked.files, of
            for files in need.linked.handed:
                yield files, of
        elif need.recipe is not None:
            yield from _arguments(need.recipe, of)
