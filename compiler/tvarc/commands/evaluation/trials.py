"""Finds the effect of settings by leaving them out: trials that Nix evaluates beside the variants.

A trial is a variant without some of its parts. If its derivation is that of the variant, these
parts do nothing. The trials of one round are in one file, so that those that share a nixpkgs import
it once.
"""

# ruff: noqa: PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc.build.assembly.together import system_of, together
from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.files import Prepared, needs
from tvarc.doing import Doing
from tvarc.light import Callable, Final, Iterator, Sequence, dataclass, field, replace
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import Derived, Evaluators, Fetched, Job, Outcome, chunks
from tvarc.nix.judge.hashes import StatedHash, hashes_of, is_read, with_another
from tvarc.nix.judge.leaving_out import (
    Part,
    culprits_of,
    overlays_of,
    readable_of,
    removals_of,
    with_marks,
    without,
)
from tvarc.nix.judge.nix import put_file
from tvarc.nix.judge.sources import READ, of_package

_MOST_PARTS: Final = 6
"""The greatest number of parts that are blamed for one result."""
_MOST_CULPRITS: Final = 16
"""The greatest number of searches for causes. Each takes a few evaluations."""
_MOST: Final = 64
"""The greatest number of trials of single parts in the last round, if only several parts together
have an effect."""


@dataclass(slots=True)
class Asked:
    """A part, the variants that have it, and those of them in which it is known to do nothing."""

    part: Part
    variants: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Effects:
    """The overlays and removals that do nothing in some of their variants, and the settings that
    nothing reads in any."""

    overlays: tuple[Asked, ...] = ()
    removals: tuple[Asked, ...] = ()
    unread: tuple[Asked, ...] = ()


class Trials:
    """Trials of the variants in *prepared*, with *many* evaluators."""

    def __init__(self, made: Compilation, prepared: Prepared, many: int) -> None:
        self._made = made
        self._prepared = prepared
        self._many = many
        self._rounds = 0
        self._culprits = 0

    def effects(
        self, derived: dict[str, Derived], *, overlays: bool, removals: bool, reads: bool
    ) -> Effects:
        """The parts without effect in the variants that are *derived*, of the wanted kinds.

        First, one variant with each part is tried. If its derivation differs without the part, the
        part is assumed to have an effect in all of its variants. If it is the same, the other
        variants are tried as well, each without all of its parts that had no effect so far. If such
        a derivation differs, the variant is tried part by part.
        """
        of = {name: self._prepared.recipes[name] for name in derived}
        tried: dict[object, Asked] = {}
        read: dict[object, Asked] = {}
        for name, recipe in of.items():
            for part in overlays_of(recipe) if overlays else ():
                _ask(tried, part, name)
            for part in removals_of(recipe) if removals else ():
                _ask(tried, part, name)
            for part in readable_of(recipe) if reads else ():
                _ask(read, part, name)
        if not tried and not read:
            return Effects()
        numbers = {key: number for number, key in enumerate(read)}
        done: set[int] = set()  # the numbers of the settings that something reads

        def marks(name: str, recipe: ir.Recipe) -> ir.Recipe:
            return with_marks(
                recipe,
                lambda part: None if numbers[part.key] in done else numbers[part.key],
            ) if reads else recipe  # fmt: skip

        def numbered(name: str) -> set[int]:
            return {numbers[p.key] for p in readable_of(of[name])} if reads else set()

        # First, one variant for each part alone, and a few variants for all settings.
        single = [(one.variants[0], without(of[one.variants[0]], [one.part]))
                  for one in tried.values()]  # fmt: skip
        covers = list(dict.fromkeys(one.variants[0] for one in read.values()))
        outcomes, seen = self.run([*single, *((name, marks(name, of[name])) for name in covers)])
        done |= seen
        for one, outcome in zip(tried.values(), outcomes, strict=False):
            if _same(outcome, derived[one.variants[0]]):
                one.idle.append(one.variants[0])
        for name, outcome in zip(covers, outcomes[len(single) :], strict=True):
            if not _same(outcome, derived[name]):
                done |= numbered(name)  # not known
        waiting = [one for one in tried.values() if one.idle]

        # Then all other variants that have parts without a known effect, each without all of these
        # parts.
        left: dict[str, list[Asked]] = {}
        for one in waiting:
            for name in one.variants[1:]:
                left.setdefault(name, []).append(one)
        for one in read.values():
            if numbers[one.part.key] not in done:
                for name in one.variants:
                    if name not in covers:
                        left.setdefault(name, [])
        names = [name for name in of if name in left]
        outcomes, seen = self.run(
            [
                (name, marks(name, without(of[name], [one.part for one in left[name]])))
                for name in names
            ]
        )
        done |= seen
        again: list[tuple[str, Asked | None]] = []
        for name, outcome in zip(names, outcomes, strict=True):
            if _same(outcome, derived[name]):
                for one in left[name]:
                    one.idle.append(name)
            else:
                again += [(name, one) for one in left[name] if len(left[name]) > 1]
                if numbered(name) - done:
                    again.append((name, None))

        # Last, if several parts together have an effect, each of them alone.
        for name, only in again[_MOST:]:
            if only is None:
                done |= numbered(name)
        again = again[:_MOST]
        outcomes, seen = self.run(
            [
                (name, marks(name, of[name]) if one is None else without(of[name], [one.part]))
                for name, one in again
            ]
        )
        done |= seen
        for (name, only), outcome in zip(again, outcomes, strict=True):
            same = _same(outcome, derived[name])
            if only is None:
                done |= set() if same else numbered(name)
            elif same:
                only.idle.append(name)
        found = [one for one in tried.values() if one.idle]
        return Effects(
            tuple([one for one in found if one.part.kind == "overlay"]),
            tuple([
                one for one in found
                if one.part.kind == "removal" and len(one.idle) == len(one.variants)
            ]),
            tuple([one for key, one in read.items() if numbers[key] not in done]),
        )  # fmt: skip

    def blamed(
        self, names: Sequence[str], is_so: Callable[[str, ir.Recipe], bool]
    ) -> Iterator[tuple[tuple[str, ...], Part | None]]:
        """The causes for the variants *names*, grouped by the part that is the cause; see
        `culprit`. After a number of parts, the others are not tried."""
        rest = list(names)
        for number in range(_MOST_PARTS + 1):
            if not rest:
                return
            part = self.culprit(rest[0], is_so) if number < _MOST_PARTS else None
            if part is None:
                yield tuple(rest), None
                return
            mine = [
                name
                for name in rest
                if any(one.key == part.key for one in culprits_of(self._prepared.recipes[name]))
            ]
            yield tuple(mine), part
            rest = [name for name in rest if name not in mine]

    def culprit(self, name: str, is_so: Callable[[str, ir.Recipe], bool]) -> Part | None:
        """The part of variant *name* that causes a result: *is_so* says whether a recipe, under the
        name used in messages, still has that result. None if the variant has it without any of its
        parts, and after many trials."""
        self._culprits += 1
        recipe = self._prepared.recipes[name]
        if self._culprits > _MOST_CULPRITS:
            return None
        parts = list({part.key: part for part in culprits_of(recipe)}.values())
        if not parts or is_so(name, without(recipe, parts)):
            return None
        beside: list[Part] = []  # parts that are left out in addition
        while len(parts) > 1:
            half, rest = parts[: len(parts) // 2], parts[len(parts) // 2 :]
            if not is_so(name, without(recipe, [*half, *beside])):
                parts = half
            else:
                beside += half
                parts = rest
        return parts[0]

    def run(
        self, trials: Sequence[tuple[str, ir.Recipe]], *, tries: bool = True
    ) -> tuple[list[Outcome | None], set[int]]:
        """The results of *trials*, each of the variants that it names, and the numbers of the marks
        that were read. With *tries*, the result of one that throws an error is only that it
        throws."""
        outcomes, evaluators = self._run(trials, tries=tries)
        return outcomes, evaluators.read if evaluators is not None else set()

    def fakes(self, name: str, recipe: ir.Recipe) -> tuple[Fetched, ...]:
        """The sources with a hash that no content has, which the trial *recipe* of variant *name*
        fetches."""
        _, evaluators = self._run([(name, recipe)], fakes=True)
        return next(iter(evaluators.fakes.values()), ()) if evaluators is not None else ()

    def packages(
        self, asked: Sequence[tuple[str, ir.Recipe]], attributes: Sequence[str] | None = READ
    ) -> list[Outcome | None]:
        """The outcomes of packages of variants, with these *attributes*: by default those about
        their sources, with None all.
        """
        return self._run(asked, attributes=attributes)[0]

    def unread_hashes(self, derived: dict[str, Derived]) -> Iterator[Asked]:
        """The hashes of dependencies that no fetch of the *derived* variants uses: a different hash
        changes nothing. For each, one variant is evaluated first, and the others if nothing reads
        it there."""
        stated: dict[object, tuple[StatedHash, Asked]] = {}
        for name in derived:
            for one in hashes_of(self._prepared.recipes[name]):
                _, asked = stated.setdefault(one.part.key, (one, Asked(one.part)))
                asked.variants.append(name)
        first = [(one, asked.variants[0]) for one, asked in stated.values()]
        waiting = [
            stated[one.part.key]
            for (one, _), read in zip(first, self._reads(first, derived), strict=True)
            if not read
        ]
        rest = [(one, name) for one, asked in waiting for name in asked.variants[1:]]
        read = {
            one.part.key
            for (one, _), read in zip(rest, self._reads(rest, derived), strict=True)
            if read
        }
        return (asked for one, asked in waiting if one.part.key not in read)

    def _reads(
        self, asked: Sequence[tuple[StatedHash, str]], derived: dict[str, Derived]
    ) -> Iterator[bool]:
        """Whether each hash is used by a fetch in its variant; None if that is not known."""
        trials: list[tuple[str, ir.Recipe]] = []
        for one, name in asked:
            recipe = self._prepared.recipes[name]
            changed = with_another(recipe, one)
            if one.path:
                trials.append((name, of_package(recipe, one.path)))
                changed = of_package(changed, one.path)
            trials.append((name, changed))
        outcomes = iter(self._run(trials, attributes=None)[0])
        for one, name in asked:
            before = next(outcomes) if one.path else derived[name]
            after = next(outcomes)
            if isinstance(before, Derived) and isinstance(after, Derived):
                yield is_read(one, before, after)
            else:
                yield True

    def _run(
        self,
        trials: Sequence[tuple[str, ir.Recipe]],
        *,
        tries: bool = True,
        fakes: bool = False,
        attributes: Sequence[str] | None = (),
    ) -> tuple[list[Outcome | None], Evaluators | None]:
        if not trials:
            return [], None
        self._rounds += 1
        prepared, recipes = self._prepared, list[ir.Recipe]()
        beside: dict[str, ir.Recipe] = {}  # their needs in other variants
        names = [f"without {number}" for number in range(len(trials))]  # not the name of a variant
        for alone, (_, recipe) in zip(names, trials, strict=True):
            recipes.append(replace(recipe, variant=alone))
            beside |= needs(recipe, prepared.needed)
        whole = together([*recipes, *beside.values()], prepared.source, self._made.file)
        path = os.path.join(prepared.folder, f"without-{self._rounds}.nix")
        put_file(path, whole.text.encode())
        kind: Final = "called" if whole.called else "alone"
        systems = dict(zip(names, [system_of(recipe) for _, recipe in trials], strict=True))
        groups = [
            [Job(name, path, systems[name], name, kind) for name in group if name in systems]
            for group in whole.groups
        ]
        evaluators = Evaluators(
            prepared.folder, self._many, attributes=attributes, tries=tries, inputs=fakes
        )
        what = "testing which settings have an effect:"
        with Doing(what, len(trials), "trials") as step:
            wanted = chunks([group for group in groups if group], self._many)
            outcomes = evaluators.run(wanted, step.one)
        return [outcomes.get(name) for name in names], evaluators


def _ask(asked: dict[object, Asked], part: Part, name: str) -> None:
    one = asked.setdefault(part.key, Asked(part))
    if not one.variants or one.variants[-1] != name:
        one.variants.append(name)


def _same(outcome: Outcome | None, known: Derived) -> bool:
    return isinstance(outcome, Derived) and outcome.path == known.path
