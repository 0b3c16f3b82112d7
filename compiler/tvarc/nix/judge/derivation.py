"""Reads derivations in the store. Their files are terms of ATerm."""

# ruff: noqa: PTH123
# pathlib costs too much at start.
from __future__ import annotations

import re

from tvarc.light import Final, dataclass

_TOKEN: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|([A-Za-z]+\(|[\[\](),])', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_NAME: Final = re.compile(r"(.+?)(?:-([^a-zA-Z].*))?")
_MEANT: Final = {"n": "\n", "r": "\r", "t": "\t"}

Term = str | list["Term"]


class Unreadable(Exception):
    """A derivation that is not on this disk, or a file that is no derivation."""


@dataclass(frozen=True, slots=True)
class Output:
    """An output. `path` is empty if only the build decides it. `hash` is the hash that a fetched
    output must have."""

    path: str
    algorithm: str
    hash: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """One derivation: its inputs, its sources, its builder and its outputs."""

    path: str
    outputs: dict[str, Output]
    inputs: dict[str, tuple[str, ...]]
    sources: tuple[str, ...]
    system: str
    builder: str
    arguments: tuple[str, ...]
    environment: dict[str, str]

    @property
    def name(self) -> str:
        return name_of(self.path).removesuffix(".drv")

    @property
    def hash(self) -> str:
        """The hash of the content that the derivation fetches; empty if it builds."""
        return next((output.hash for output in self.outputs.values() if output.hash), "")


def name_of(path: str) -> str:
    """The part of a store path's name after the hash."""
    return path.rpartition("/")[2].partition("-")[2]


def may_be(name: str, attribute: str) -> bool:
    """Whether a derivation called *name* may be the package that nixpkgs has as *attribute*. Most
    packages have the name of their attribute, with a version behind it."""
    return name == attribute or name.startswith(f"{attribute}-")


def parsed_name(path: str) -> tuple[str, str]:
    """The name and the version of a store path, as Nix tells them apart. The version is empty if
    the path has none."""
    whole = name_of(path).removesuffix(".drv")
    found = _NAME.fullmatch(whole)
    return (found[1], found[2] or "") if found is not None else (whole, "")


def read_derivation(path: str) -> Derivation:
    """The derivation at *path*. Raises Unreadable."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    return parse_derivation(path, text)


def mentions(path: str, text: str) -> bool:
    """Whether the derivation at *path* contains *text*. It is not parsed. Raises Unreadable."""
    try:
        with open(path, "rb") as file:
            return text.encode() in file.read()
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None


def parse_derivation(path: str, text: str) -> Derivation:
    """The derivation with the content *text*, which is at *path*. Raises Unreadable."""
    try:
        return _derivation(path, _term(text))
    except (ValueError, TypeError, IndexError, StopIteration):
        raise Unreadable(f"{path}: no derivation as Nix writes it") from None


def _derivation(path: str, term: Term) -> Derivation:
    # In derivations of newer kinds, the first field is a version.
    outputs, inputs, sources, system, builder, arguments, environment = _list(term)[-7:]
    made = {}
    for one in _list(outputs):
        name, place, algorithm, digest = map(_text, _list(one))
        made[name] = Output(place, algorithm, digest)
    needed = {}
    for one in _list(inputs):
        needed[_text(_list(one)[0])] = tuple(map(_text, _list(_list(one)[1])))
    return Derivation(
        path,
        made,
        needed,
        tuple(map(_text, _list(sources))),
        _text(system),
        _text(builder),
        tuple(map(_text, _list(arguments))),
        {_text(_list(one)[0]): _text(_list(one)[1]) for one in _list(environment)},
    )


def _term(text: str) -> Term:
    """The one term that *text* contains. The name of the term is ignored."""
    stack: list[list[Term]] = [[]]
    at = 0
    while at < len(text.rstrip("\n")):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError
        at = found.end()
        if found[2] is None:
            stack[-1].append(_unescaped(found[1]))
        elif found[2] in "])":
            done = stack.pop()
            stack[-1].append(done)
        elif found[2] != ",":
            stack.append([])
    (only,) = stack[0]
    if len(stack) != 1:
        raise ValueError
    return only


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), text)


def _list(term: Term) -> list[Term]:
    if isinstance(term, str):
        raise TypeError
    return term


def _text(term: Term) -> str:
    if not isinstance(term, str):
        raise TypeError
    return term
