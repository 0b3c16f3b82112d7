"""What becomes of derivations between two states of a program."""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.diff.changes import Changes
from tvarc.diff.derivations import Refused, derivations, has_files
from tvarc.diff.programs import needed_by
from tvarc.diff.states import State, tree_here
from tvarc.driver import Compilation
from tvarc.judge.derivation import Unreadable
from tvarc.judge.difference import Difference, differences
from tvarc.light import dataclass


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of the derivation of each variant of both states, by its new name: `same`,
    `other`, or why Nix refuses it. `differ` says of what is another in what it differs."""

    became: dict[str, str]
    differ: dict[str, tuple[Difference, ...]]

    @property
    def any_differs(self) -> bool:
        """Whether there is a variant that does not stay the same."""
        return any(one != "same" for one in self.became.values())


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """The derivations of two variants, or why there is none, and in what they differ."""

    paths: tuple[str, str]
    differ: tuple[Difference, ...]

    @property
    def is_same(self) -> bool:
        return self.paths[0] == self.paths[1]


def pair_outcome(
    made: Compilation, one: ir.Recipe, other: ir.Recipe, sink: Sink
) -> PairOutcome | None:
    """The derivations of two variants of a program; None after reporting to *sink* why Nix cannot
    be asked."""
    found = derivations({"a": one, "b": other}, made.file, tree_here, sink, needed_by(made))
    if found is None:
        return None
    return PairOutcome((found["a"], found["b"]), _differing(found["a"], found["b"]))


def derivation_outcomes(
    before: State,
    after: Compilation,
    changes: Changes,
    sink: Sink,
    *,
    in_what: bool = True,
) -> Outcomes | None:
    """What became of derivations, and if *in_what* is wanted in what they differ. Equal recipes
    have equal ones: Nix is asked of the others alone. None after reporting to *sink* why it cannot
    be asked."""
    old = {variant.name: variant for variant in before.made.variants}
    new = {variant.name: variant for variant in after.variants}
    moved = {*changes.changed, *(one.after for one in changes.renamed)}
    moved |= {name for name, _ in changes.through}
    first: dict[str, ir.Recipe] = {}
    second: dict[str, ir.Recipe] = {}
    was_by, now_by = needed_by(before.made), needed_by(after)
    for was, now in changes.pairs:
        one, other = before.made.recipe(old[was]), after.recipe(new[now])
        assert one is not None and other is not None  # they were compared
        if now in moved or any(map(has_files, (one, *was_by(one), other, *now_by(other)))):
            first[now], second[now] = one, other
    found = derivations(first, after.file, before.tree, sink, was_by)
    if found is None:
        return None
    current = derivations(second, after.file, tree_here, sink, now_by)
    if current is None:
        return None
    became: dict[str, str] = {}
    differ: dict[str, tuple[Difference, ...]] = {}
    for _, name in changes.pairs:
        paths = found.get(name), current.get(name)
        refused = [path for path in reversed(paths) if isinstance(path, Refused)]
        became[name] = refused[0] if refused else "same" if paths[0] == paths[1] else "other"
        wanted = in_what and became[name] == "other"
        if wanted and paths[0] is not None and paths[1] is not None:
            differ[name] = _differing(paths[0], paths[1])
    return Outcomes(became, differ)


def _differing(before: str, after: str) -> tuple[Difference, ...]:
    """In what two derivations differ; nothing where there is none, or it is not on this disk."""
    if isinstance(before, Refused) or isinstance(after, Refused):
        return ()
    try:
        return differences(before, after)
    except Unreadable:
        return ()
