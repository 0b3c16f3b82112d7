"""Which other recipes a recipe needs, held against those that the matrix has it need."""

from __future__ import annotations

from tvarc.byhand.audit.compare import Difference, Expected
from tvarc.byhand.audit.model import (
    Added,
    Fetched,
    Found,
    Linked,
    RecipeFacts,
    Seen,
    Table,
    beside,
    canonical,
    holds_unread,
    show,
    show_exactly,
)
from tvarc.byhand.audit.siblings import Siblings
from tvarc.light import Final, Iterator, Mapping, Sequence, replace

_CODE: Final = "W218"
_ANY: Final = Linked("")  # in place of a recipe: one for all


def other_needs(
    expected: Expected, found: RecipeFacts, siblings: Siblings
) -> tuple[tuple[Difference, ...], Expected, RecipeFacts]:
    """Where *found* needs other recipes than expected, and both less what that tells."""
    told: list[Difference] = []
    facts = expected.facts
    for wanted, have in ((facts.effects, found.effects), (facts.settings, found.settings)):
        for path in dict.fromkeys((*wanted, *have)):
            if path not in expected.varying:
                told += _at(path, wanted, have, siblings)
    if "needs" not in expected.varying:
        told += _elsewhere(facts, found, siblings)
    if not told:
        return (), expected, found
    done = {path for one in told for path in (one.path, *one.also)}
    less = replace(expected, facts=_less(facts, done), varying=expected.varying | done)
    return tuple(told), less, _less(found, done)


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
        case one, other if _alike(one, other):
            for their, my in zip(_links(one), _links(other), strict=True):
                if their != my:
                    text = f"uses {_file(my)} for `{path}`; the matrix uses {_file(their)}: "
                    text += siblings.apart(my.path, their.path)
                    yield Difference(_CODE, path, text, mine.place)
        case _:
            return  # they differ in more, and other findings report that


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


def _less(facts: RecipeFacts, paths: set[str]) -> RecipeFacts:
    """*facts* without what stands at *paths*."""
    return replace(
        facts,
        settings={path: seen for path, seen in facts.settings.items() if path not in paths},
        effects={path: seen for path, seen in facts.effects.items() if path not in paths},
    )


def _alike(one: Found, other: Found) -> bool:
    """Whether two values are one but for the recipes that are in them."""
    return canonical(_less_links(one)) == canonical(_less_links(other))


def _links(value: Found) -> Iterator[Linked]:
    """The recipes in *value*, in order."""
    match value:
        case Linked():
            yield value
        case tuple():
            for item in value:
                yield from _links(item)
        case Added(_, inner):
            yield from _links(inner)
        case Fetched(_, entries) | Table(entries):
            for _, item in sorted(entries, key=lambda entry: entry[0]):
                yield from _links(item)
        case _:
            pass


def _less_links(value: Found) -> Found:
    """*value* with one and the same recipe wherever there is any."""
    match value:
        case Linked():
            return _ANY
        case tuple():
            return tuple([_less_links(item) for item in value])
        case Added(base, inner, before):
            return Added(base, _less_links(inner), before)
        case Fetched(function, entries):
            return Fetched(function, _less_linked(entries))
        case Table(entries):
            return Table(_less_linked(entries))
        case _:
            return value


def _less_linked(entries: tuple[tuple[str, Found], ...]) -> tuple[tuple[str, Found], ...]:
    return tuple([(key, _less_links(item)) for key, item in entries])
