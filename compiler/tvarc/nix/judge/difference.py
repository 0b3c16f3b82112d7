"""The reason why two derivations differ: the first cause, not its effects.

The hash of a derivation depends on all of its inputs, so one patch deep down changes everything
above it. This module compares store paths without their hashes. If nothing else differs, it
compares the inputs.
"""

from __future__ import annotations

import re

from tvarc.light import Callable, Final, Iterator, Literal, dataclass
from tvarc.nix.judge.derivation import Derivation, name_of, read_derivation

_HASHED: Final = re.compile(r"(/[^\s\"':]*/)?\b[0-9a-df-np-sv-z]{32}-")
_PHASE: Final = re.compile(r"(?:pre|post)[A-Z]\w*|\w+Phase|phases|buildCommand")
_LATE: Final = ("name", "pname", "version")
"""The names of a variant. They differ whenever anything differs, so they are listed last."""

Kind = Literal["variable", "phase", "source", "input", "builder", "system", "output"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference in the derivation at the end of *through*, a path of input names. `name` is
    the part that differs, with its value on each side; null if a side lacks it."""

    kind: Kind
    name: str
    before: str | None
    after: str | None
    through: tuple[str, ...] = ()


def differences(
    before: str, after: str, read: Callable[[str], Derivation] = read_derivation
) -> tuple[Difference, ...]:
    """The nearest differences between the derivations at the paths *before* and *after* that are
    causes, the most informative first. Empty if both are one derivation, or if only hashes differ.
    Raises Unreadable."""
    if before == after:
        return ()
    seen = {(before, after)}
    waiting: list[tuple[str, str, tuple[str, ...]]] = [(before, after, ())]
    for was, now, through in waiting:  # the list grows in the loop
        one, other = read(was), read(now)
        own = tuple(_own(one, other, through))
        if own:
            return own
        for pair in _paired(one, other):
            if pair not in seen:
                seen.add(pair)
                waiting.append((*pair, (*through, name_of(pair[1]).removesuffix(".drv"))))
    return ()


def _own(one: Derivation, other: Derivation, through: tuple[str, ...]) -> Iterator[Difference]:
    """The differences of the derivation itself, without those of its inputs."""

    def difference(kind: Kind, name: str, was: str | None, now: str | None) -> Difference:
        return Difference(kind, name, was, now, through)

    if one.hash != other.hash:
        address = one.environment.get("urls") or one.environment.get("url") or ""
        moved = other.environment.get("urls") or other.environment.get("url") or ""
        name = other.name
        yield difference(
            "source", name, f"{one.hash} {address}".strip(), f"{other.hash} {moved}".strip()
        )
        return
    if one.hash:
        return  # the way of fetching does not matter
    if one.system != other.system:
        yield difference("system", "system", one.system, other.system)
    yield from _variables(one, other, difference)
    if _plain(one.builder) != _plain(other.builder):
        yield difference("builder", "builder", one.builder, other.builder)
    if list(map(_plain, one.arguments)) != list(map(_plain, other.arguments)):
        yield difference("builder", "args", " ".join(one.arguments), " ".join(other.arguments))
    yield from _sources(one, other, difference)
    mine, theirs = (_names(drv) for drv in (one, other))
    for name in sorted({*mine, *theirs}):
        if mine.get(name) != theirs.get(name):
            was, now = mine.get(name), theirs.get(name)
            yield difference("input", name, _outputs(was), _outputs(now))


def _variables(
    one: Derivation, other: Derivation, difference: Callable[..., Difference]
) -> Iterator[Difference]:
    names = {*one.environment, *other.environment} - {*one.outputs, *other.outputs}
    for name in sorted(names, key=lambda name: (name in _LATE, name)):
        was, now = one.environment.get(name), other.environment.get(name)
        if (was is None) != (now is None) or _plain(was or "") != _plain(now or ""):
            yield difference("phase" if _PHASE.fullmatch(name) else "variable", name, was, now)


def _sources(
    one: Derivation, other: Derivation, difference: Callable[..., Difference]
) -> Iterator[Difference]:
    """Files in the store that differ: by name, or by content with the same name."""
    mine, theirs = set(one.sources), set(other.sources)
    was = {name_of(path): path for path in mine - theirs}
    now = {name_of(path): path for path in theirs - mine}
    for name in sorted({*was, *now}):
        yield difference("source", name, was.get(name), now.get(name))


def _names(drv: Derivation) -> dict[str, list[tuple[str, ...]]]:
    """The inputs by name, each with the outputs of all inputs of this name."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for path, outputs in drv.inputs.items():
        found.setdefault(name_of(path).removesuffix(".drv"), []).append(tuple(sorted(outputs)))
    return {name: sorted(outputs) for name, outputs in found.items()}


def _outputs(found: list[tuple[str, ...]] | None) -> str | None:
    return None if found is None else "; ".join(" ".join(one) for one in found)


def _paired(one: Derivation, other: Derivation) -> Iterator[tuple[str, str]]:
    """Inputs with the same name that differ. The package itself is first."""
    mine, theirs = set(one.inputs), set(other.inputs)
    was = sorted(mine - theirs, key=name_of)
    now = sorted(theirs - mine, key=name_of)
    for before in was:
        for after in now:
            if name_of(before) == name_of(after):
                yield before, after


def _plain(text: str) -> str:
    """*text* without the hashes of paths in it."""
    return _HASHED.sub(r"\1-", text)
