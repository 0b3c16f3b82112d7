"""The derivations of two states of a program, compared by Nix. They are written to the store, so
that their differences can be found."""

# ruff: noqa: PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os
from itertools import chain

from tvarc.build.diff.changes import Changes, Outcomes, PairOutcome, Refused
from tvarc.build.diff.states import State
from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.evaluation.evaluate import derivations, reasons
from tvarc.commands.evaluation.files import moving, needs, prepare
from tvarc.doing import Doing
from tvarc.files.disk import report_unreadable
from tvarc.files.git.program import GitFailed
from tvarc.light import Callable, Final, Iterable, Sequence
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.judge.derivation import Unreadable
from tvarc.nix.judge.difference import Difference, differences
from tvarc.nix.judge.folder import in_folder
from tvarc.nix.judge.named_files import has_files, named_files
from tvarc.nix.judge.pins import fetched_for, unfetched
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import FileKind, UnreadableSource

_WANTS: Final = "comparing derivations (`--nix`)"
_WITHOUT: Final = "leave out `--nix` to compare only the recipes"
_STATE: Final = "state"
"""The folder of the files of a commit, in the temporary folder for Nix."""


def pair_outcome(made: Compilation, one: Variant, other: Variant, sink: Sink) -> PairOutcome | None:
    """The derivations of two variants of a program; None after reporting to *sink* why Nix cannot
    run.
    """
    chosen = list({variant.name: variant for variant in (one, other)}.values())

    def asks(folder: str) -> dict[str, str] | None:
        return _derivations(made, chosen, os.path.join(folder, "now"), made.loader.kind, None, sink)

    found = in_folder(asks, sink, _WANTS, _WITHOUT)
    if found is None:
        return None
    paths = found[one.name], found[other.name]
    return PairOutcome(paths, _differing(*paths))


def derivation_outcomes(
    before: State,
    after: Compilation,
    changes: Changes,
    sink: Sink,
    *,
    in_what: bool = True,
) -> Outcomes | None:
    """The changes of derivations, with *in_what* also their differences. Equal recipes that name no
    files have equal derivations, so Nix evaluates only the others. None after reporting to *sink*
    why Nix cannot run."""
    asked = _to_ask(before, after, changes)

    def asks(folder: str) -> tuple[dict[str, str], dict[str, str]] | None:
        was, now = ([one for one, _ in asked], [other for _, other in asked])
        there = _OnDisk(before, os.path.join(folder, _STATE))
        try:
            place = os.path.join(folder, "was")
            old = _derivations(before.made, was, place, before.kind, there, sink)
        except GitFailed as fault:
            message = msg.evaluation.NO_FILES_OF_COMMIT
            sink.report(message, commit=before.label, reason=f"{fault}", advice=_WITHOUT)
            return None
        if old is None:
            return None
        kind = after.loader.kind
        new = _derivations(after, now, os.path.join(folder, "now"), kind, None, sink)
        return None if new is None else (old, new)

    found = in_folder(asks, sink, _WANTS, _WITHOUT)
    if found is None:
        return None
    old, new = found
    became: dict[str, str] = {}
    differ: dict[str, tuple[Difference, ...]] = {}
    for was, now in changes.pairs:
        if now not in new:
            became[now] = "same"
            continue
        paths = old[was], new[now]
        refused = [path for path in reversed(paths) if isinstance(path, Refused)]
        became[now] = refused[0] if refused else "same" if paths[0] == paths[1] else "other"
        if in_what and became[now] == "other":
            differ[now] = _differing(*paths)
    return Outcomes(became, differ)


class _OnDisk:
    """The folder of the files of a state; they are written when the first is needed."""

    __slots__ = ("_folder", "_state", "_there")

    def __init__(self, state: State, folder: str) -> None:
        self._state = state
        self._folder = folder
        self._there: Callable[[str], str] | None = None

    def __call__(self, file: str) -> str:
        if self._there is None:
            self._there = self._state.on_disk(self._folder)
        return self._there(file)


def _to_ask(before: State, after: Compilation, changes: Changes) -> list[tuple[Variant, Variant]]:
    """The variants whose derivations may differ, in their old and new states."""
    old = {variant.name: variant for variant in before.made.variants}
    new = {variant.name: variant for variant in after.variants}
    moved = {*changes.changed, *(one.after for one in changes.renamed)}
    moved |= {name for name, _ in changes.through}
    found: list[tuple[Variant, Variant]] = []
    for was, now in changes.pairs:
        pair = old[was], new[now]
        if now in moved or _has_files(before.made, pair[0]) or _has_files(after, pair[1]):
            found.append(pair)
    return found


def _has_files(made: Compilation, variant: Variant) -> bool:
    """Whether *variant* or one of its needs names files."""
    beside = made.stack.closure([variant]) if made.is_stacked else [variant]
    recipes = [made.recipe(one) for one in beside]
    return any(recipe is not None and has_files(recipe) for recipe in recipes)


def _derivations(
    made: Compilation,
    variants: Sequence[Variant],
    folder: str,
    kind: Callable[[str], FileKind],
    there: Callable[[str], str] | None,
    sink: Sink,
) -> dict[str, str] | None:
    """The path of the derivation of each of *variants*, by its name; `Refused` if it has none. None
    after reporting a missing file; *kind* names its kind. *there* has the files of a state in
    another folder than the program. If a source cannot be fetched, no variant has a result. Raises
    NotInstalled and OSError."""
    beside = made.stack.closure(variants) if made.is_stacked and variants else variants
    recipes: dict[str, ir.Recipe] = {}
    for variant in beside:
        recipe = made.recipe(variant)
        assert recipe is not None  # they were compared already
        recipes[variant.name] = recipe
    if not _all_there(recipes.values(), kind, sink):
        return None
    missing = unfetched(recipes.values())
    found: dict[str, str] = {}
    for variant in variants:
        recipe = recipes[variant.name]
        wanted = set(chain(*map(fetched_for, (recipe, *needs(recipe, recipes).values()))))
        absent = next((one for address, one in missing.items() if address in wanted), None)
        if absent is not None:
            found[variant.name] = Refused(" ".join(absent.words))
    left = [one for one in variants if one.name not in found]
    moved = moving(made, checkouts=False, there=there)
    os.makedirs(folder)  # noqa: PTH103
    prepared = prepare(made, left, folder, moved=moved)
    with Doing("evaluating", len(prepared.recipes), "variants") as step:
        derived, told = derivations(made, prepared, 1, step, attributes=(), writes=True)
    found |= {name: Refused(reason) for name, reason in reasons(told).items()}
    return found | {name: one.path for name, one in derived.items()}


def _all_there(recipes: Iterable[ir.Recipe], kind: Callable[[str], FileKind], sink: Sink) -> bool:
    """Whether all files that *recipes* name by `path(…)` exist; the first missing one is reported.
    Nix itself reports the files that Nix text names."""
    known: set[str] = set()
    for recipe in recipes:
        for file in named_files(recipe):
            if file in known:
                continue
            known.add(file)
            try:
                kind(file)
            except UnreadableSource as fault:
                report_unreadable(fault, sink, advice=f"variant `{recipe.variant}` names it")
                return False
    return True


def _differing(before: str, after: str) -> tuple[Difference, ...]:
    """The differences of two derivations; empty if one does not exist, or is not on this disk."""
    if isinstance(before, Refused) or isinstance(after, Refused):
        return ()
    try:
        return differences(before, after)
    except Unreadable:
        return ()
