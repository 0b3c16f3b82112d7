"""The light stand-ins do what the parts of the standard library do that they stand for."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import os
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tvarc
from support.effort import for_each
from tvarc import light
from tvarc.text.source import Span

FROZEN = os.environ.get("TVARC_TESTS_FROZEN") == "1"
LIGHT: Any = light  # at run time another module than a type checker sees


def classes(dataclass: Any, field: Any) -> list[type[Any]]:
    """The same classes by either decorator."""

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(frozen=True, slots=True)
    class Node:
        name: str
        span: int = field(compare=False)

    @dataclass(frozen=True, slots=True, order=True)
    class Span:
        file: str
        start: int
        end: int = 7

    @dataclass(frozen=True, slots=True, eq=False)
    class Symbol:
        name: str
        known: dict[str, int] = field(default_factory=dict, repr=False)

    @dataclass(slots=True)
    class State:
        rows: list[int] = field(default_factory=list)
        done: bool = False

    @dataclass(frozen=True, slots=True)
    class Derived:
        text: str
        key: int = field(init=False, compare=False, repr=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "key", len(self.text))

    @dataclass(frozen=True, slots=True)
    class Wide:
        a: int
        b: int
        c: int
        d: int
        e: int
        f: int
        g: int
        h: int
        i: int
        j: int = 10

    @dataclass(slots=True)
    class Mixed:
        text: str
        made: list[str] = field(default_factory=list)
        given: int = 3
        later: int = field(init=False, compare=False, default=0)

        def __post_init__(self) -> None:
            self.later = self.given + len(self.made)

    names = [f"field_{number}" for number in range(24)]
    space = {"__annotations__": dict.fromkeys(names, "int"), "field_23": 5}
    widest = dataclass(frozen=True, slots=True)(type("Widest", (), space))

    return [Empty, Node, Span, Symbol, State, Derived, Wide, Mixed, widest]


MADE = classes(LIGHT.dataclass, LIGHT.field)
MEANT = classes(dataclasses.dataclass, dataclasses.field)
PAIRS = list(zip(MADE, MEANT, strict=True))


def values(kind: type[Any]) -> list[tuple[Any, ...]]:
    """Arguments that make some of the class, two of them equal."""
    count = len([p for p in inspect.signature(kind).parameters.values() if p.default is p.empty])
    texts = ("a", "b", "a")
    return [tuple([text] * count) for text in texts]


@for_each("made, meant", PAIRS)
def test_a_class_is_as_the_standard_one(made: type[Any], meant: type[Any]) -> None:
    assert inspect.signature(made).replace(return_annotation=None).parameters.keys() == (
        inspect.signature(meant).parameters.keys()
    )
    assert made.__match_args__ == meant.__match_args__
    assert made.__qualname__ == meant.__qualname__
    assert (made.__hash__ is None) == (meant.__hash__ is None)
    for name in ("compare", "init", "repr", "name"):
        assert [getattr(f, name) for f in LIGHT.fields(made)] == [
            getattr(f, name) for f in dataclasses.fields(meant)
        ]


@for_each("made, meant", PAIRS)
def test_its_objects_are_as_the_standard_ones(made: type[Any], meant: type[Any]) -> None:
    ours = [made(*given) for given in values(made)]
    theirs = [meant(*given) for given in values(made)]
    assert list(map(repr, ours)) == list(map(repr, theirs))
    for index, one in enumerate(ours):
        assert [one == other for other in ours] == [theirs[index] == other for other in theirs]
        assert one != theirs[index]
        if made.__hash__ is not None:
            assert len({*ours}) == len({*theirs})


@for_each("made, meant", PAIRS)
def test_wrong_arguments_are_refused_alike(made: type[Any], meant: type[Any]) -> None:
    for given, named in (((1,) * 30, {}), ((), {"nothing": 1})):
        for kind in (made, meant):
            with pytest.raises(TypeError, match=r"__init__\(\)"):
                kind(*given, **named)


def test_order() -> None:
    made, meant = (found[2] for found in (MADE, MEANT))
    for kind in (made, meant):
        low, high = kind("a", 1, 2), kind("a", 2)
        assert low < high and low <= high and high > low and high >= low and not low < low
        with pytest.raises(TypeError):
            low < 3  # noqa: B015


@pytest.mark.parametrize("replace", [LIGHT.replace, dataclasses.replace])
def test_replace(replace: Callable[..., Any]) -> None:
    span, derived = MADE[2], MADE[5]
    assert replace(span("a", 1), end=3) == span("a", 1, 3)
    assert replace(derived("abc"), text="abcd").key == 4


def test_defaults_are_made_for_each() -> None:
    state = MADE[4]
    first, second = state(), state()
    first.rows.append(1)
    assert second.rows == [] and state([3]).rows == [3]


def test_what_is_a_dataclass() -> None:
    for ask in (LIGHT.is_dataclass, dataclasses.is_dataclass):
        assert ask(MADE[0]) and ask(MADE[0]()) and not ask(3)
    assert LIGHT.is_dataclass(MEANT[0])
    assert [f.name for f in dataclasses.fields(MADE[1])] == ["name", "span"]


def everything() -> Iterator[type[Any]]:
    for found in pkgutil.walk_packages(tvarc.__path__, "tvarc."):
        if found.name != "tvarc.__main__":
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                if isinstance(value, type) and value.__module__ == module.__name__:
                    yield value


@pytest.mark.skipif(not FROZEN, reason="nothing holds it")
def test_frozen_is_held_where_the_suite_is_asked_to() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Span("a", 0, 1).start = 2  # type: ignore[misc]


@pytest.mark.skipif(FROZEN, reason="they are of the standard library's making")
def test_the_classes_of_the_compiler_are_within_what_is_done() -> None:
    count = 0
    for kind in everything():
        # Those of the standard library's making have parameters.
        if "__dataclass_fields__" in vars(kind) and "__dataclass_params__" not in vars(kind):
            count += 1
            bases = [one for one in kind.__mro__[1:] if "__dataclass_fields__" in vars(one)]
            assert not bases, f"{kind}: fields are not inherited"
    assert count > 150


def test_enumerations() -> None:
    class Made(LIGHT.Enum):  # type: ignore[misc]
        ONE = "one"
        TWO = "two"

        @property
        def loud(self) -> str:
            return str(self.value).upper()

    class Meant(enum.Enum):
        ONE = "one"
        TWO = "two"

    kinds: list[Any] = [Made, Meant]
    for kind in kinds:
        assert kind("two") is kind.TWO
        assert [(one.name, one.value) for one in kind] == [("ONE", "one"), ("TWO", "two")]
        assert kind.ONE != kind.TWO and len({*kind}) == 2 and isinstance(kind.ONE, kind)
        with pytest.raises(ValueError, match="'three' is not a valid"):
            kind("three")
    made: Any = Made
    assert repr(made.ONE).endswith("Made.ONE: 'one'>") and made.TWO.loud == "TWO"


def test_suppress() -> None:
    with LIGHT.suppress(ValueError, KeyError):
        raise KeyError
    with pytest.raises(TypeError), LIGHT.suppress(ValueError):
        raise TypeError
    with LIGHT.suppress(OSError):
        pass


def test_lru_cache() -> None:
    asked: list[int] = []

    @LIGHT.lru_cache(maxsize=2)  # type: ignore[untyped-decorator]
    def double(number: int) -> int:
        asked.append(number)
        return number * 2

    assert [double(number) for number in (1, 1, 2, 3, 1)] == [2, 2, 4, 6, 2]
    assert asked == [1, 2, 3, 1]


def test_never() -> None:
    with pytest.raises(AssertionError, match="unreachable"):
        LIGHT.assert_never(3)
