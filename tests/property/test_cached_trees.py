"""A syntax tree comes back from numbers and texts as it was, and nothing else ever does."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.corpus import edited, programs
from tvarc import light
from tvarc.diagnostics.model import Sink
from tvarc.dump import dump_node
from tvarc.packed import Damaged, pack, unpack
from tvarc.source import Source, Span
from tvarc.syntax import ast, shapes
from tvarc.syntax.parser import parse_module
from tvarc.syntax.tree_reading import read_tree
from tvarc.syntax.tree_writing import write_tree


def parsed(text: str) -> tuple[ast.Module, Source]:
    source = Source("a.tvar", text)
    return parse_module(source, Sink()), source


def same(text: str) -> None:
    tree, source = parsed(text)
    for apart in (False, True):
        again = read_tree(*unpack(pack(*write_tree(tree, rows_apart=apart))), source)
        assert again == tree and tree == again
        assert repr(again) == repr(tree)  # spans are in it
        assert dump_node(again, source) == dump_node(tree, source)


@pytest.mark.parametrize("text", programs(), ids=lambda text: f"{len(text)}")
def test_programs_come_back(text: str) -> None:
    same(text)


@given(edited())
@settings(max_examples=150, deadline=None)
def test_edited_programs_come_back(text: str) -> None:
    same(text)


def test_equal_trees_are_equal_bytes() -> None:
    for text in programs()[-4:]:
        first, second = (write_tree(parsed(text)[0]) for _ in range(2))
        assert pack(*first) == pack(*second)


TEXT = """\
use std.nvidia as n
let a = if n.b == 1 then [1, ...x, "t{{y}}"] else { k.l = none }
recipe r extends s {
  default attrs.x += f(1, k = 2.0) because "so"
  when a in [b] { script p { part q after z \"\"\"
    text {{a}}
  \"\"\" } }
}
facts t (c: one_of("x", "y")?) { r { c = "x" } }
"""
WRITTEN = [write_tree(parsed(TEXT)[0], rows_apart=apart) for apart in (False, True)]


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_whatever_the_numbers_say_it_is_a_tree_or_damaged(data: st.DataObject) -> None:
    written = data.draw(st.sampled_from(WRITTEN))
    numbers, texts = list(written[0]), list(written[1])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(numbers) - 1))
        near = st.integers(max(0, numbers[place] - 3), numbers[place] + 3)
        numbers[place] = data.draw(near | st.integers(0, 200) | st.just(2**32 - 1))
    if data.draw(st.booleans()):
        numbers = numbers[: data.draw(st.integers(0, len(numbers)))]
    source = Source("a.tvar", TEXT)
    try:
        tree = read_tree(numbers, texts, source)
    except Damaged:
        return
    check(tree.items, tuple[ast.Item, ...], len(TEXT))
    dump_node(tree, source)
    for apart in (False, True):
        again = read_tree(*write_tree(tree, rows_apart=apart), source)
        assert repr(again) == repr(tree)


@given(st.lists(st.integers(0, 60), max_size=80), st.lists(st.text(max_size=3), max_size=4))
@example([], [])
@example([0, 0, 0, 0], [])
@settings(max_examples=300, deadline=None)
def test_any_numbers(numbers: list[int], texts: list[str]) -> None:
    source = Source("a.tvar", TEXT)
    try:
        tree = read_tree(numbers, texts, source)
    except Damaged:
        return
    check(tree.items, tuple[ast.Item, ...], len(TEXT))


def test_a_node_in_two_places_is_no_tree() -> None:
    tree, source = parsed("let a = [b]\n")
    item = tree.items[0]
    assert isinstance(item, ast.Let) and isinstance(item.value, ast.ListLit)
    numbers, texts = write_tree(tree)
    _, texts_again = write_tree(light.replace(tree, items=(item, item)))
    assert texts == texts_again
    read_tree(numbers, texts, source)
    place = numbers[-1]
    doubled = [*numbers[:-1], place + 1]
    count = group_count_at(numbers)
    doubled[count] += 1
    # One group more: a list of items that has the first one twice.
    more = [shapes.ITEMS, 1, 2, place - 1, place - 1]
    with pytest.raises(Damaged):
        read_tree([*doubled[:-1], *more, place + 1], texts, source)


def group_count_at(numbers: list[int]) -> int:
    """Where the number of groups stands: after rows, texts, integers, spans and rows again."""
    at = 1 + numbers[0]
    for width in (1, 1, 2, 1):
        at += 1 + width * numbers[at]
    return at


# --- the shapes agree with the annotations ------------------------------------------------------


def aliases() -> dict[str, object]:
    """The names for sets of words in `ast`, as a type checker sees them."""
    lines = Path(ast.__file__).read_text(encoding="utf-8").splitlines()
    found: dict[str, object] = {"Literal": typing.Literal}
    for line in lines:
        name, equals, words = line.partition(" = Literal[")
        if equals:
            found[name] = eval("Literal[" + words, dict(found))
    return found


ALIASES = aliases()


def hints(kind: type) -> dict[str, object]:
    return typing.get_type_hints(kind, {**vars(ast), **ALIASES})


def check(value: object, kind: object, length: int) -> None:
    """Raise AssertionError unless *value* is what the annotation *kind* says, all the way down."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        assert isinstance(value, tuple)
        assert inner[1:] == (Ellipsis,)
        for one in value:
            check(one, inner[0], length)
    elif origin is typing.Literal:
        assert value in inner
    elif inner:  # a union
        assert any(fits(value, one) for one in inner), (value, kind)
        for one in inner:
            if fits(value, one):
                check(value, one, length)
    elif isinstance(value, Span):
        assert kind is Span and 0 <= value.start <= value.end <= length
    elif light.is_dataclass(value):
        assert isinstance(kind, type) and isinstance(value, kind)
        for name, annotation in hints(kind).items():
            check(getattr(value, name), annotation, length)
    else:
        assert type(value) is kind


def fits(value: object, kind: object) -> bool:
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        return value in typing.get_args(kind)
    return type(value) is (origin or kind) or (kind is ast.Row and isinstance(value, ast.Row))


def test_every_class_of_the_tree_has_a_shape() -> None:
    meant = {
        kind
        for kind in vars(ast).values()
        if isinstance(kind, type) and light.is_dataclass(kind) and kind.__module__ == ast.__name__
    }
    assert meant - {ast.Module} == set(shapes.NUMBER_OF)


@pytest.mark.parametrize("kind", shapes.NUMBER_OF, ids=lambda kind: kind.__name__)
def test_a_shape_allows_what_the_annotation_does(kind: type) -> None:
    columns = dict(shapes.COLUMNS[shapes.NUMBER_OF[kind]])
    annotations = hints(kind)
    assert list(columns) == list(annotations)
    for name, annotation in annotations.items():
        allowed = columns[name]
        expected, elements = allowed_by(annotation)
        if kind is ast.Row:
            allowed -= {shapes.LATER}  # a row may stand apart
        assert allowed == expected, name
        kinds = [one for one in allowed if isinstance(one, int) and one in shapes.ELEMENTS]
        assert [shapes.ELEMENTS[one] for one in kinds] == elements, name


def allowed_by(annotation: object) -> tuple[frozenset[object], list[frozenset[object]]]:
    """What a field of that annotation may hold, and of tuples their elements."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return frozenset(inner), []
    if origin is tuple:
        elements, _ = allowed_by(inner[0])
        kinds = [kind for kind, found in shapes.ELEMENTS.items() if found == elements]
        return frozenset(kinds[:1]), [elements]
    if inner:
        found = [allowed_by(one) for one in inner]
        words = any(typing.get_origin(one) is typing.Literal for one in inner)
        if words:  # None is a word among them
            return frozenset[object]().union(*[a for a, _ in found]) - {shapes.CONSTANT} | {
                None
            }, []
        return frozenset[object]().union(*[a for a, _ in found]), [e for _, es in found for e in es]
    plain = {
        type(None): shapes.CONSTANT, bool: shapes.TRUTH, str: shapes.TEXT, int: shapes.INTEGER,
        Span: shapes.SPAN,
    }  # fmt: skip
    assert isinstance(annotation, type)
    return frozenset([plain.get(annotation, shapes.NUMBER_OF.get(annotation, -1))]), []
