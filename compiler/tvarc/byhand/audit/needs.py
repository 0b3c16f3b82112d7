"""Which other recipes a recipe needs, held against those that the matrix has it need."""

from __future__ import annotations

from tvarc.byhand.audit.contrast import apart
from tvarc.byhand.audit.expected import Difference, Expected
from tvarc.byhand.audit.model import (
    Linked,
    RecipeFacts,
    Seen,
    beside,
    holds_unread,
    show,
    show_exactly,
)
from tvarc.byhand.audit.siblings import Siblings
from tvarc.light import Final, Iterator, Mapping, Sequence

_CODE: Final = "W218"


def other_needs(expected: Expected, found: RecipeFacts, siblings: Siblings) -> Iterator[Difference]:
    """Where *found* needs other recipes than expected."""
    facts = expected.facts
    for wanted, have in ((facts.effects, found.effects), (facts.settings, found.settings)):
        for path in dict.fromkeys((*wanted, *have)):
            if path not in expected.varying:
                yield from _at(path, wanted, have, siblings)
    if "needs" not in expected.varying:
        yield from _elsewhere(facts, found, siblings)


def _at(
    path: str, wanted: Mapping[str, Seen], have: Mapping[str, Seen], siblings: Siblings
) -> Iterator[Difference]:
    """The findings at *path*, if at least one side needs a recipe there."""
    theirs, mine = wanted.get(path), have.get(path)
    if theirs is not None and isinstance(theirs.value, Linked):
        changed = [other for other in have if other.startswith(f"{path}: ") and other not in wanted]
        if changed and not (mine is not None and isinstance(mine.value, Linked)):
            text = f"changes `{path}` itself; {_matrix(theirs.value)}"
            yield Difference(_CODE, path, text, have[changed[0]].place, tuple(changed))
            return
    if mine is None or holds_unread(mine.value):
        return
    match theirs.value if theirs is not None else None, mine.value:
        case None, Linked() as other if theirs is None:
            text = f"uses {_file(other)} for `{path}`; the matrix does not"
            yield Difference(_CODE, path, text, mine.place)
        case Linked() as one, other if not isinstance(other, Linked):
            yield Difference(
                _CODE, path, f"has `{path}` = {show(other)}; {_matrix(one)}", mine.place
            )
        case one, Linked() as other if not isinstance(one, Linked):
            text = f"uses {_file(other)} for `{path}`; the matrix has {show(one)}"
            yield Difference(_CODE, path, text, mine.place)
        case one, other:
            parts = [(part.theirs, part.mine) for part in apart(other, one)]
            links = [
                (their, my)
                for their, my in parts
                if isinstance(their, Linked) and isinstance(my, Linked)
            ]
            if len(links) < len(parts):
                return  # they differ in more, and other findings report that
            for their, my in links:
                text = f"uses {_file(my)} for `{path}`; the matrix uses {_file(their)}: "
                text += siblings.apart(my.path, their.path)
                yield Difference(_CODE, path, text, mine.place)


def _elsewhere(wanted: RecipeFacts, have: RecipeFacts, siblings: Siblings) -> Iterator[Difference]:
    """The recipes that one side alone names, and where no value is that is compared."""
    more = sorted(have.needs - wanted.needs - _compared(have))
    lacking = sorted(wanted.needs - have.needs - _compared(wanted))
    if len(more) == len(lacking) == 1:
        text = f"uses {_files(more)}; the matrix uses {_files(lacking)}: "
        yield Difference(_CODE, "needs", text + siblings.apart(more[0], lacking[0]))
        return
    if more:
        yield Difference(_CODE, "needs", f"uses {_files(more)}; the matrix does not")
    if lacking:
        yield Difference(_CODE, "needs", f"does not use {_files(lacking)}; the matrix does")


def _compared(facts: RecipeFacts) -> set[str]:
    """The recipes that are in values."""
    values = [seen.value for seen in (*facts.settings.values(), *facts.effects.values())]
    shown = [show_exactly(value) for value in values]
    return {path for path in facts.needs if any(beside(path) in text for text in shown)}


def _files(paths: Sequence[str]) -> str:
    return ", ".join([f"`{beside(path)}`" for path in paths])


def _file(need: Linked) -> str:
    return f"`{beside(need.path)}`"


def _matrix(need: Linked) -> str:
    return f"the matrix uses {_file(need)}"
