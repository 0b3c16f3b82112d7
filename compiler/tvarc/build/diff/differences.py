"""The differences of two settings: by key, by element, by line."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from tvarc.light import Iterator, Literal, Sequence, dataclass
from tvarc.nix import ir
from tvarc.values.value import NixCall, NixText, Record, Value, show, type_name

_MOST_PAIRS = 1_000_000  # pairs of lines or elements that are compared at most

Kind = Literal["value", "element", "text", "reason", "order"]


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """One difference, with its path as `explain` names it. If only one side has a value, the other
    side has no lines. `before` and `after` are the places on the two sides."""

    path: ir.Path
    kind: Kind
    removed: tuple[str, ...]
    added: tuple[str, ...]
    before: ir.Origin | None = None
    after: ir.Origin | None = None


def order_differences(base: ir.Path, mine: list[str], theirs: list[str]) -> list[Difference]:
    """The difference in the order of the elements that both sides have; empty if it is the same."""
    both = set(mine) & set(theirs)
    one, other = [k for k in mine if k in both], [k for k in theirs if k in both]
    if one == other:
        return []
    return [Difference(base, "order", (", ".join(one),), (", ".join(other),))]


def reason_difference(
    path: ir.Path, one: str, other: str, before: ir.Origin | None, after: ir.Origin | None
) -> Difference:
    lines = ((one,) if one else ()), ((other,) if other else ())
    return Difference(path, "reason", *lines, before, after)


def of_text(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


# --- two settings -----------------------------------------------------------------------------


def alone(
    path: ir.Path,
    one: ir.Setting | None,
    other: ir.Setting | None,
    unset: ir.Setting | None = None,
) -> list[Difference]:
    """The difference for a setting that only one side has. A list is shown as its elements. *unset*
    is the write that removed the setting from the other side."""
    setting = one or other
    assert setting is not None
    items = [text for text, _, _ in _items(setting) or ()] if setting.head is None else []
    texts = tuple(items) if items and setting.children is None else _setting_lines(setting)
    kind: Kind = "element" if items else "value"
    if one is not None:
        return [Difference(path, kind, texts, (), one.origin, unset.origin if unset else None)]
    return [Difference(path, kind, (), texts, unset.origin if unset else None, setting.origin)]


def setting_differences(path: ir.Path, one: ir.Setting, other: ir.Setting) -> Iterator[Difference]:
    """The differences of two settings at one path."""
    if one.because != other.because and path != ("package",):
        yield reason_difference(path, one.because, other.because, one.origin, other.origin)
    if one.children is not None and other.children is not None:
        mine = {child.key: child for child in one.children}
        theirs = {child.key: child for child in other.children}
        for key in dict.fromkeys((*mine, *theirs)):
            inner, outer = mine.get(key), theirs.get(key)
            if inner is None or outer is None:
                gone = [child for child in (*one.unset, *other.unset) if child.key == key]
                yield from alone((*path, key), inner, outer, gone[0] if gone else None)
            elif inner is not outer:
                yield from setting_differences((*path, key), inner, outer)
        yield from order_differences(path, list(mine), list(theirs))
        if one.extends != other.extends:
            yield _whole(path, one, other)
        return
    if one.parts and other.parts:
        if not identical(one.value, other.value):
            yield from part_differences(path, one, other, Counter())
        return
    mine_items, theirs_items = _items(one), _items(other)
    if mine_items is None or theirs_items is None:
        if not identical(one.value, other.value) or one.extends != other.extends:
            yield _whole(path, one, other)
        return
    if one.extends != other.extends or not identical(one.head, other.head):
        yield _whole(path, one, other)
        return
    yield from _elements(path, mine_items, theirs_items, (one.origin, other.origin))


def _whole(path: ir.Path, one: ir.Setting, other: ir.Setting) -> Difference:
    """The difference of two values of one setting. Texts are compared line by line."""
    before, after = _setting_lines(one), _setting_lines(other)
    kind: Kind = "value"
    if one.extends != other.extends:
        before = _signed(one, before)
        after = _signed(other, after)
    elif len(before) > 1 and len(after) > 1:
        before, after = changed_lines(before, after)
        kind = "text"
    if before == after:  # such as a row, and a declaration with its name
        before = (f"{before[0]} ({type_name(one.value)})",)
        after = (f"{after[0]} ({type_name(other.value)})",)
    return Difference(path, kind, before, after, one.origin, other.origin)


def _signed(setting: ir.Setting, lines: tuple[str, ...]) -> tuple[str, ...]:
    sign = "the package's own, and " if setting.extends else "only "
    return (sign + lines[0], *lines[1:])


def _setting_lines(setting: ir.Setting) -> tuple[str, ...]:
    """The whole value of *setting*. If it adds to a list that only Nix knows, that list is first,
    and the values that Nix removes are last."""
    if setting.head is None:
        return _lines(setting.value)
    joined = [show(setting.head)]
    run: list[Value] = []
    for element in setting.elements or ():
        if not element.spread:
            run.append(element.value)
            continue
        if run:
            joined.append(show(tuple(run)))
            run = []
        joined.append(show(element.value))
    if run:
        joined.append(show(tuple(run)))
    lost = tuple(one.value for one in _lost(setting))
    return (" ++ ".join(joined) + (f" -= {show(lost)}" if lost else ""),)


def _lost(setting: ir.Setting) -> list[ir.Element]:
    """The values that Nix removes from lists that only Nix knows."""
    lost = [*setting.removed]
    for element in setting.elements or ():
        lost += [one for one in element.removed if one not in lost]
    return lost


Item = tuple[str, str, ir.Origin]
"""The text of an element, the reason that is emitted with it, and its place."""


def _items(setting: ir.Setting) -> list[Item] | None:
    """The elements of a list, and the values that are removed from it; None if it is no list."""
    if setting.elements is None and not isinstance(setting.value, tuple):
        return None
    if setting.elements is None:
        assert isinstance(setting.value, tuple)
        return [(show(item), "", setting.origin) for item in setting.value]
    found = [(f"-= {show(one.value)}", "", one.origin) for one in _lost(setting)]
    said = setting.because
    for element in setting.elements:
        # Neighbours with the same reason have one comment.
        new = element.because not in ("", said, setting.because)
        text = f"...{show(element.value)}" if element.spread else show(element.value)
        found.append((text, element.because if new else "", element.origin))
        said = element.because
    return found


def _elements(
    path: ir.Path,
    mine: list[Item],
    theirs: list[Item],
    origins: tuple[ir.Origin, ir.Origin],
) -> Iterator[Difference]:
    texts = [text for text, _, _ in mine], [text for text, _, _ in theirs]
    for tag, i1, i2, j1, j2 in opcodes(*texts):
        gone, come = mine[i1:i2], theirs[j1:j2]
        if tag == "equal":
            for one, other in zip(gone, come, strict=True):
                if one[1] != other[1]:
                    yield reason_difference((*path, one[0]), one[1], other[1], one[2], other[2])
            continue
        pairs = min(len(gone), len(come))
        for one, other in zip(gone, come, strict=False):
            yield Difference(path, "element", (one[0],), (other[0],), one[2], other[2])
        for one in gone[pairs:]:
            yield Difference(path, "element", (one[0],), (), one[2], origins[1])
        for other in come[pairs:]:
            yield Difference(path, "element", (), (other[0],), origins[0], other[2])


def identical(one: Value, other: Value) -> bool:
    """Whether two values are the same, including their kinds and the order of keys."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    if isinstance(one, Record) and isinstance(other, Record):
        return _same_entries(one.entries, other.entries)
    if isinstance(one, NixCall) and isinstance(other, NixCall):
        return one.function == other.function and _same_entries(one.arguments, other.arguments)
    return one == other


def _same_entries(one: tuple[tuple[str, Value], ...], other: tuple[tuple[str, Value], ...]) -> bool:
    return [key for key, _ in one] == [key for key, _ in other] and all(
        identical(mine, theirs) for (_, mine), (_, theirs) in zip(one, other, strict=True)
    )


def opcodes(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[str, int, int, int, int]]:
    """The steps from *before* to *after*, in the form of `SequenceMatcher`. The common beginning
    and end are never compared twice. A large middle is one replacement."""
    start, end = 0, min(len(before), len(after))
    while start < end and before[start] == after[start]:
        start += 1
    left = end - start
    tail = 0
    while tail < left and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    here, there = before[start : len(before) - tail], after[start : len(after) - tail]
    if start:
        yield "equal", 0, start, 0, start
    if len(here) * len(there) > _MOST_PAIRS:
        yield "replace", start, start + len(here), start, start + len(there)
    else:
        matcher = SequenceMatcher(None, list(here), list(there), autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            yield tag, i1 + start, i2 + start, j1 + start, j2 + start
    if tail:
        yield "equal", len(before) - tail, len(before), len(after) - tail, len(after)


# --- texts ------------------------------------------------------------------------------------


def shown_text(value: str | NixText) -> str:
    """A text, in which the parts that only Nix knows are written as in the language."""
    if isinstance(value, str):
        return value
    return "".join(p if isinstance(p, str) else "{{" + show(p) + "}}" for p in value.parts)


def _lines(value: Value) -> tuple[str, ...]:
    """A value as lines: a text of several lines has one for each."""
    if isinstance(value, str | NixText) and "\n" in shown_text(value):
        return tuple(shown_text(value).removesuffix("\n").split("\n"))
    return (show(value),)


def changed_lines(
    before: Sequence[str], after: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that only one side has."""
    gone: list[str] = []
    come: list[str] = []
    for tag, i1, i2, j1, j2 in opcodes(before, after):
        if tag != "equal":
            gone += before[i1:i2]
            come += after[j1:j2]
    return tuple(gone), tuple(come)


def part_differences(
    path: ir.Path, one: ir.Setting | None, other: ir.Setting | None, equal: Counter[str]
) -> list[Difference]:
    """The differences of two texts, part by part. Parts are emitted without their names."""
    if one is other:
        equal["script part"] += len(one.parts) if one is not None else 0
        return []
    mine, theirs = named_parts(one), named_parts(other)
    if one is not None and other is not None and _joined(one) == _joined(other):
        equal["script part"] += len(theirs)
        return []
    differences: list[Difference] = []
    for name in dict.fromkeys((*mine, *theirs)):
        part, changed = mine.get(name), theirs.get(name)
        if (one is None or other is None) and (part or changed).text is None:  # type: ignore[union-attr]
            continue  # without a script in the program, the package's own script applies, too
        if part is not None and changed is not None and identical(part.text, changed.text):
            equal["script part"] += 1
            continue
        before, after = _part_lines(part), _part_lines(changed)
        if part is not None and changed is not None:
            before, after = changed_lines(before, after)
        origins = (
            None if part is None else part.origin,
            None if changed is None else changed.origin,
        )
        differences.append(Difference((*path, name), "text", before, after, *origins))
    return differences + order_differences(path, list(mine), list(theirs))


def _part_lines(part: ir.Part | None) -> tuple[str, ...]:
    if part is None:
        return ()
    if part.text is None:
        return ("(the package's own script)",)
    return tuple(shown_text(part.text).removesuffix("\n").split("\n"))


def _joined(text: ir.Setting) -> list[object]:
    """The parts of *text*, joined."""
    found: list[object] = []
    for part in text.parts:
        pieces = part.text.parts if isinstance(part.text, NixText) else (part.text,)
        for piece in pieces:
            if isinstance(piece, str) and found and isinstance(found[-1], str):
                found[-1] += piece
            elif piece != "":
                found.append(piece)
    return found


def named_parts(text: ir.Setting | None) -> dict[str, ir.Part]:
    """The parts of *text* by name. A part without a name has its number, such as `+1`."""
    found: dict[str, ir.Part] = {}
    unnamed = 0
    for part in text.parts if text is not None else ():
        name = part.name
        if name is None:
            unnamed += 1
            name = f"+{unnamed}"
        found[name] = part
    return found
