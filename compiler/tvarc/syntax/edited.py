"""After an edit: the items that it touched are parsed, the others taken over from what was read
last.

An item is read from where the one before has stopped, and what it becomes depends on the text from
there to the end of the line in which it stops itself, and on nothing else. So an item that ends
lines before the first character that changed is as it was; and where, after the last one that did,
an item begins at the same character as one did before, all is as it was from there on, at other
offsets.

Of each file a record is kept, by its place: the text that was read last, where its items began, and
for each where its tree is: in the tree of an earlier text, which the cache has, or in the record
itself, if it was parsed since. When too little is left of the earlier text, all is written anew,
so a record never rests on another. Nothing is ever out of date, since a record that is not of the
text at hand only says what to compare it with.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import le, lt

from tvarc.cache import Cache
from tvarc.light import Sequence, dataclass, suppress
from tvarc.packed import Damaged, pack, unpack
from tvarc.source import Source, Span
from tvarc.syntax import ast
from tvarc.syntax.tree_reading import Moves, read_tree
from tvarc.syntax.tree_writing import write_tree


@dataclass(frozen=True, slots=True)
class _Record:
    """What was read of a file last.

    `starts` are the offsets of the items of `text`. `origins` has for each its number in the tree
    that the cache has as `base`, whose items begin at `base_starts` (and last its end); or, counted
    on from these, its number in the tree of `numbers` and `texts`.
    """

    text: str
    base: str
    starts: Sequence[int]
    origins: Sequence[int]
    base_starts: Sequence[int]
    numbers: Sequence[int]
    texts: list[str]


@dataclass(frozen=True, slots=True)
class _Change:
    """What an edit did: the first `first` items of the record stay, and those from `last` on, `by`
    characters further on; between them stand `fresh`."""

    first: int
    last: int
    by: int
    fresh: list[ast.Item]


def edited_tree(source: Source, place: str, cache: Cache) -> ast.Module | None:
    """What `parse_module` makes of *source*, with what was read at *place* before; None where that
    does not help, and for a source with faults."""
    try:
        record = _read(place, cache)
        base = cache.get(record.base) if record is not None else None
        if record is None or base is None:
            return None
        if record.text == source.text:
            return _module(source, _moved(record, base, record.starts, source))
        change = _compare(record, source, cache)
        if change is None:
            return None
        tree, origins = _after(record, base, change, source)
        _keep_changed(record, tree, origins, source, place, cache)
        return tree
    except (Damaged, LookupError, ValueError):
        return None


def keep_tree(tree: ast.Module, source: Source, place: str, cache: Cache) -> None:
    """Keep all of *tree*, and that it was read at *place*."""
    key = cache.key("tree", source.text)
    with suppress(ValueError):  # text that is no Unicode: such a source is parsed each time
        cache.put(key, pack(*write_tree(tree)))
        if place:
            starts = [item.span.start for item in tree.items]
            ends = [*starts, len(source.text)]
            _write(
                _Record(source.text, key, starts, range(len(starts)), ends, (), []), place, cache
            )


# --- what changed -------------------------------------------------------------------------------


def _compare(record: _Record, source: Source, cache: Cache) -> _Change | None:
    """What of *source* is not as in *record*, parsed; None for faults."""
    from tvarc.syntax.parser import Faulty, Items, first_offset

    old, new, starts = record.text, source.text, record.starts
    head, tail = _common(old, new)
    by = len(new) - len(old)
    # An item stops where the next begins, and has looked at the rest of that line.
    whole_lines = old.rfind("\n", 0, head) + 1
    first = max(bisect_left(starts, whole_lines) - 1, 0)
    at = starts[first] if first else first_offset(new)
    after = bisect_left(starts, len(old) - tail)
    expected = starts[after] + by if after < len(starts) else len(new)
    items: Items | None = None
    fresh: list[ast.Item] = []
    while True:
        if at >= len(new) - tail:
            last = bisect_left(starts, at - by)
            if last < len(starts) and starts[last] == at - by:
                return _Change(first, last, by, fresh)
        if items is None or at > expected:
            expected = len(new) if items is not None else expected
            items = Items(source, expected - at, cache)
        try:
            found = items.after(at)
        except Faulty:
            return None
        if found is None:
            return _Change(first, len(starts), by, fresh)
        item, at = found
        fresh.append(item)


def _common(one: str, two: str) -> tuple[int, int]:
    """How many characters both begin with, and how many of the others both end with."""
    shorter = min(len(one), len(two))
    low, high = 0, shorter
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    head, low, high = low, 0, shorter - low
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == two[len(two) - middle : len(two) - low]:
            low = middle
        else:
            high = middle - 1
    return head, low


def _after(
    record: _Record, base: bytes, change: _Change, source: Source
) -> tuple[ast.Module, list[int]]:
    """The tree of *source* after *change*, and where each item is from; for those that are not in
    *base* any number that is beyond it. Raises what `_moved` does."""
    first, last = change.first, change.last
    later = [start + change.by for start in record.starts[last:]]
    where: list[int | None] = [*record.starts[:first], *[None] * (last - first), *later]
    old = _moved(record, base, where, source)
    beyond = [len(record.base_starts)] * len(change.fresh)
    origins = [*record.origins[:first], *beyond, *record.origins[last:]]
    return _module(source, [*old[:first], *change.fresh, *old[first:]]), origins


def _keep_changed(
    record: _Record,
    tree: ast.Module,
    origins: list[int],
    source: Source,
    place: str,
    cache: Cache,
) -> None:
    """Keep *tree* beside the base of *record*, or if too little of that is left by itself."""
    known = len(record.base_starts) - 1
    own = [item for item, origin in zip(tree.items, origins, strict=True) if origin >= known]
    numbered = iter(range(known, known + len(own)))
    origins = [origin if origin < known else next(numbered) for origin in origins]
    starts = [item.span.start for item in tree.items]
    if _too_much(record, starts, origins, source.text):
        keep_tree(tree, source, place, cache)
        return
    with suppress(ValueError):  # as there
        numbers, texts = write_tree(_module(source, own))
        base, at = record.base, record.base_starts
        _write(_Record(source.text, base, starts, origins, at, numbers, texts), place, cache)


def _too_much(record: _Record, starts: list[int], origins: list[int], text: str) -> bool:
    """Whether reading this record takes half as long again as reading all from one tree."""
    known = len(record.base_starts) - 1
    ends = [*starts[1:], len(text)]
    own: int = sum(
        end - start
        for start, end, origin in zip(starts, ends, origins, strict=True)
        if origin >= known
    )
    left = {*range(known)}.difference(origins)
    gone: int = sum(record.base_starts[number + 1] - record.base_starts[number] for number in left)
    return own + gone > len(text) // 2


# --- trees --------------------------------------------------------------------------------------


def _moved(
    record: _Record, data: bytes, where: Sequence[int | None], source: Source
) -> list[ast.Item]:
    """The items of *record*, whose base is *data*, in *source*: each where *where* says; with None
    it is left out.

    Raises Damaged, LookupError and ValueError.
    """
    known = len(record.base_starts) - 1
    base = _Part(record.base_starts[:known], [None] * known)
    own = _Part([], [])
    for start, origin, to in zip(record.starts, record.origins, where, strict=True):
        if origin >= known:
            own.starts.append(start)
            own.moves.append(None if to is None else to - start)
        elif to is not None:
            base.moves[origin] = to - base.starts[origin]
    items = (*base.items(*unpack(data), source), *own.items(record.numbers, record.texts, source))
    found = [
        items[origin] for origin, to in zip(record.origins, where, strict=True) if to is not None
    ]
    if [item.span.start for item in found] != [to for to in where if to is not None]:
        raise Damaged
    return found


class _Part:
    """A tree that items are taken from."""

    __slots__ = ("moves", "starts")

    def __init__(self, starts: Sequence[int], moves: list[int | None]) -> None:
        self.starts = list(starts)
        self.moves = moves

    def items(
        self, numbers: Sequence[int], texts: list[str], source: Source
    ) -> tuple[ast.Item, ...]:
        """As many as it has. Raises Damaged."""
        if not self.starts:
            return ()
        items = read_tree(numbers, texts, source, Moves(self.starts, self.moves)).items
        if len(items) != len(self.starts):
            raise Damaged
        return items


def _module(source: Source, items: list[ast.Item]) -> ast.Module:
    return ast.Module(source.file, tuple(items), Span(source.file, 0, len(source.text)))


# --- the record ---------------------------------------------------------------------------------


def _write(record: _Record, place: str, cache: Cache) -> None:
    """Raises ValueError for text that is no Unicode."""
    numbers = [len(record.starts), *record.starts, *record.origins]
    numbers += [len(record.base_starts), *record.base_starts, *record.numbers]
    data = pack(numbers, [record.text, record.base, *record.texts])
    cache.put(cache.key("edited", place), data, more=False)


def _read(place: str, cache: Cache) -> _Record | None:
    """Raises Damaged, LookupError and ValueError."""
    data = cache.get(cache.key("edited", place))
    if data is None:
        return None
    numbers, texts = unpack(data)
    count = numbers[0]
    starts, origins = list(numbers[1 : 1 + count]), list(numbers[1 + count : 1 + 2 * count])
    at = 2 + 2 * count
    end = at + numbers[at - 1]
    base_starts = list(numbers[at:end])
    in_order = all(map(lt, starts, starts[1:])) and all(map(le, base_starts, base_starts[1:]))
    whole = len(origins) == count and base_starts and end <= len(numbers)
    if not whole or not in_order or "/" in texts[1]:  # an entry, nothing else, is a base
        raise Damaged
    return _Record(texts[0], texts[1], starts, origins, base_starts, numbers[end:], texts[2:])
