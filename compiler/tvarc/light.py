"""Light stand-ins for parts of the standard library that cost too much to import.

`import dataclasses` takes longer than Python's own start, `import typing` nearly as long, and each
frozen, slotted dataclass half a millisecond more, for code that is compiled while the class is
made. A command that takes a few hundredths of a second loads two hundred of them. So at run time
the names below come from this module, while a type checker sees the originals. It checks that
frozen classes are not changed, and that objects have only their fields as attributes. At run time
nothing checks this, because slots would need each class to be made twice, which is 2 % of a build.
With TVARC_TESTS_FROZEN=1 tests run with the original dataclasses. To measure the gain, run a build
after the lines of `_freeze` in `tests/conftest.py`: a build of 44 recipes then takes more than
twice the CPU. Constructors are copies of prepared ones, of up to nineteen fields, with other names.
Compiling them would take 5 % of that build.

`dataclass` has only the features that nodes need: equality, hash, order and `repr` by fields,
defaults, factories, `__post_init__`, `__match_args__`. There is no inheritance of fields. Members
of an `Enum` are texts or numbers.
"""

# ruff: noqa: N801, N802, N807
from __future__ import annotations

import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from contextlib import suppress
    from dataclasses import dataclass, field, fields, is_dataclass, replace
    from enum import Enum
    from functools import lru_cache
    from operator import add, floordiv, getitem, is_not, itemgetter, mod
    from typing import (
        Any,
        Final,
        Generic,
        Literal,
        NoReturn,
        Protocol,
        TextIO,
        TypeGuard,
        TypeVar,
        assert_never,
        cast,
    )
else:
    # Loaded by Python's start; `collections.abc` is this module, behind an import of more.
    from _collections_abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from _operator import add, attrgetter, floordiv, getitem, is_not, itemgetter, mod

    try:
        from _functools import _lru_cache_wrapper
    except ImportError:
        from functools import lru_cache
    else:

        def lru_cache(*, maxsize):
            """A decorator that keeps the last results of a function, by its arguments."""
            return lambda function: _lru_cache_wrapper(function, maxsize, False, tuple)

    _MISSING = object()

    class Field:
        """One field of a dataclass, as `fields` returns it."""

        __slots__ = ("compare", "default", "default_factory", "init", "name", "repr")

        def __init__(self, default, default_factory, compare, repr, init):
            self.name = ""
            self.default = default
            self.default_factory = default_factory
            self.compare = compare
            self.repr = repr
            self.init = init

        @property
        def _field_type(self):
            # The standard library's own `fields` and `replace` read this, so it is already loaded.
            return sys.modules["dataclasses"]._FIELD

    def field(*, default=_MISSING, default_factory=_MISSING, compare=True, repr=True, init=True):
        """A field with a default, or one that equality, `repr` or the constructor leaves out."""
        return Field(default, default_factory, compare, repr, init)

    def dataclass(*, frozen=False, slots=False, eq=True, order=False):
        """The decorator that makes a dataclass of a class with annotations."""

        def made(cls):
            names = tuple(cls.__annotations__)
            own = cls.__dict__
            given = {name: own[name] for name in names if name in own}
            later = cls.__dataclass_fields__ = _Fields(names, given)
            matched = compared = names
            if Field in map(type, given.values()):
                known = later.known()
                matched = tuple([name for name, one in known.items() if one.init])
                compared = tuple([name for name, one in known.items() if one.compare])
                for name in given:
                    delattr(cls, name)  # otherwise an unset field would exist
            cls.__match_args__ = matched
            if "__init__" not in own:
                if matched is not names or "__post_init__" in own:
                    cls.__init__ = _init(cls, later.known())
                else:
                    cls.__init__ = _copied_init(cls, names, tuple(given.values()))
            if "__repr__" not in own:
                cls.__repr__ = _repr
            if eq:
                _compare(cls, own, compared, frozen)
            if order:
                _order(cls, compared)
            return cls

        return made

    class _Fields:
        """The fields of a class by name, made on the first access, because few are ever read."""

        __slots__ = ("_given", "_known", "_names")

        def __init__(self, names, given):
            self._names = names
            self._given = given
            self._known = None

        def known(self):
            if self._known is None:
                self._known = {}
                for name in self._names:
                    given = self._given.get(name, _MISSING)
                    one = given if isinstance(given, Field) else field(default=given)
                    one.name = name
                    self._known[name] = one
            return self._known

        def __get__(self, node, cls=None):
            return self.known()

    def fields(node):
        """The fields of a dataclass or of an instance, in order."""
        return tuple(node.__dataclass_fields__.values())

    def is_dataclass(node):
        """Whether *node* is a dataclass, or an instance of one."""
        return hasattr(node if isinstance(node, type) else type(node), "__dataclass_fields__")

    def replace(node, /, **changes):
        """A copy of *node* with other values for some fields."""
        values, names = vars(node), node.__match_args__
        if len(values) > len(names):  # some fields are not in the constructor
            values = {name: values[name] for name in names}
        return type(node)(**{**values, **changes})

    # --- methods that a class gets ---------------------------------------------------------------

    def _init(cls, known):
        names = tuple([name for name, one in known.items() if one.init])
        later = [
            (name, one.default_factory, one.default)
            for name, one in known.items()
            if not one.init or one.default_factory is not _MISSING
        ]
        # `_MISSING` shows `_completed` that the value of a factory is not given.
        defaults = [
            known[name].default
            for name in names
            if known[name].default is not _MISSING or known[name].default_factory is not _MISSING
        ]
        copied = _copied_init(cls, names, tuple(defaults))
        has_post = "__post_init__" in cls.__dict__
        return _completed(copied, later, has_post) if later or has_post else copied

    def _completed(copied, later, has_post):
        """The constructor *copied*, followed by the values of factories and `__post_init__`."""

        def __init__(self, *values, **named):
            copied(self, *values, **named)
            for name, make, default in later:
                if make is _MISSING:
                    setattr(self, name, default)
                elif getattr(self, name) is _MISSING:
                    setattr(self, name, make())
            if has_post:
                self.__post_init__()

        __init__.__wrapped__ = copied
        return __init__

    def _copied_init(cls, names, defaults):
        template = _TEMPLATES[len(names)] if len(names) < len(_TEMPLATES) else None
        if template is None:
            return _written_init(names, defaults)
        code = template.__code__
        # The constructors of two classes with the same number of fields differ only in names.
        # Parameters and attributes are in the same order.
        code = code.replace(
            co_varnames=("self", *names),
            co_names=names,
            co_name="__init__",
            co_qualname=f"{cls.__qualname__}.__init__",
        )
        return type(_init)(code, globals(), None, defaults)

    def _written_init(names, defaults):
        body = "".join([f" self.{name} = {name}\n" for name in names])
        space = {}
        exec(f"def __init__(self, {', '.join(names)}):\n{body}", space)
        space["__init__"].__defaults__ = defaults
        return space["__init__"]

    def _key(names):
        return attrgetter(*(names or ("__class__",)))

    def _compare(cls, own, names, frozen):
        """Equality by the fields *names*, unless *cls* defines it itself."""
        cls.__compared__ = _key(names)
        if "__eq__" not in own:
            cls.__eq__ = _eq
        if "__hash__" not in own:
            cls.__hash__ = _hash if frozen else None

    def _eq(self, other):
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        compared = self.__compared__
        return compared(self) == compared(other)

    def _hash(self):
        return hash(self.__compared__(self))

    def _order(cls, names):
        key = _key(names)

        def __lt__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return key(self) < key(other)

        def __le__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return key(self) <= key(other)

        def __gt__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return key(self) > key(other)

        def __ge__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return key(self) >= key(other)

        cls.__lt__, cls.__le__, cls.__gt__, cls.__ge__ = __lt__, __le__, __gt__, __ge__

    def _repr(self):
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _0(self):
        pass

    def _1(self, a):
        self.a = a

    def _2(self, a, b):
        self.a = a
        self.b = b

    def _3(self, a, b, c):
        self.a = a
        self.b = b
        self.c = c

    def _4(self, a, b, c, d):
        self.a = a
        self.b = b
        self.c = c
        self.d = d

    def _5(self, a, b, c, d, e):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e

    def _6(self, a, b, c, d, e, f):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f

    def _7(self, a, b, c, d, e, f, g):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g

    def _8(self, a, b, c, d, e, f, g, h):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h

    def _9(self, a, b, c, d, e, f, g, h, i):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i

    def _10(self, a, b, c, d, e, f, g, h, i, j):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j

    def _11(self, a, b, c, d, e, f, g, h, i, j, k):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j
        self.k = k

    def _12(self, a, b, c, d, e, f, g, h, i, j, k, m):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j
        self.k = k
        self.m = m

    def _13(self, a, b, c, d, e, f, g, h, i, j, k, m, n):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j
        self.k = k
        self.m = m
        self.n = n

    def _14(self, a, b, c, d, e, f, g, h, i, j, k, m, n, o):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j
        self.k = k
        self.m = m
        self.n = n
        self.o = o

    def _15(self, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j
        self.k = k
        self.m = m
        self.n = n
        self.o = o
        self.p = p

    def _17(self, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j
        self.k = k
        self.m = m
        self.n = n
        self.o = o
        self.p = p
        self.q = q
        self.r = r

    def _19(self, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f
        self.g = g
        self.h = h
        self.i = i
        self.j = j
        self.k = k
        self.m = m
        self.n = n
        self.o = o
        self.p = p
        self.q = q
        self.r = r
        self.s = s
        self.t = t

    # By the number of fields. Few classes have 16, and none has 18.
    # fmt: off
    _TEMPLATES = (
        _0, _1, _2, _3, _4, _5, _6, _7, _8, _9,
        _10, _11, _12, _13, _14, _15, None, _17, None, _19,
    )
    # fmt: on

    # --- enumerations and contexts -----------------------------------------------------------

    class _EnumType(type):
        def __new__(cls, name, bases, space):
            made = super().__new__(cls, name, bases, space)
            made._members = []
            for key, value in space.items():
                if not key.startswith("_") and isinstance(value, str | int):
                    member = object.__new__(made)
                    member.name, member.value = key, value
                    made._members.append(member)
                    setattr(made, key, member)
            return made

        def __call__(cls, value):
            for member in cls._members:
                if member.value == value:
                    return member
            raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")

        def __iter__(cls):
            return iter(cls._members)

        def __len__(cls):
            return len(cls._members)

    class Enum(metaclass=_EnumType):
        """Named texts or numbers, each there once."""

        def __repr__(self):
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

    class suppress:
        """A context in which these exceptions only end the block."""

        def __init__(self, *kinds):
            self._kinds = kinds

        def __enter__(self):
            return None

        def __exit__(self, kind, fault, trace):
            return kind is not None and issubclass(kind, self._kinds)

    # --- names for type checkers only ------------------------------------

    class _Silent:
        """The replacement of a name of `typing` in a statement outside of annotations."""

        def __class_getitem__(cls, item):
            return object

    Any = Final = Literal = NoReturn = TextIO = TypeGuard = _Silent

    class _ProtocolType(type):
        def __new__(cls, name, bases, space):
            # No instance has a protocol as its class, so only the base is made.
            return object if bases else super().__new__(cls, name, bases, space)

    class Protocol(metaclass=_ProtocolType):
        """Bases of protocols."""

    class Generic:
        """Bases of classes with parameters."""

        __slots__ = ()

        def __class_getitem__(cls, item):
            return cls

    def TypeVar(name, *bounds, bound=None):
        return object

    def cast(kind, value):
        """*value*, which is a *kind* although the type checker cannot prove it."""
        return value

    def assert_never(value):
        """Raises AssertionError: a case was forgotten."""
        raise AssertionError(f"Expected code to be unreachable, but got: {value!r}")


def own_user() -> int:
    """The number of the user that this process acts for; 0 on a system that has no users."""
    for name in ("geteuid", "getuid"):  # a browser has only the second, and WASI neither
        ask: Callable[[], int] | None = getattr(os, name, None)
        if ask is not None:
            return ask()
    return 0


__all__ = [
    "TYPE_CHECKING",
    "Any",
    "Callable",
    "Collection",
    "Enum",
    "Final",
    "Generic",
    "Iterable",
    "Iterator",
    "Literal",
    "Mapping",
    "NoReturn",
    "Protocol",
    "Sequence",
    "TextIO",
    "TypeGuard",
    "TypeVar",
    "add",
    "assert_never",
    "cast",
    "dataclass",
    "field",
    "fields",
    "floordiv",
    "getitem",
    "is_dataclass",
    "is_not",
    "itemgetter",
    "lru_cache",
    "mod",
    "own_user",
    "replace",
    "suppress",
]
