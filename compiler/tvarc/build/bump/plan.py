"""The changes of a bump: one value in its place, and the hashes that are wrong after it."""

from __future__ import annotations

import functools
import posixpath
import re

from tvarc.build import messages as msg
from tvarc.build.bump.left_behind import OldSource, sources_not_edited
from tvarc.build.bump.places import (
    UNLOCKED,
    Written,
    axis_edits,
    commit_edits,
    literal_at,
    value_edits,
    values_gone,
)
from tvarc.build.bump.unchanged_mentions import Unchanged, unchanged
from tvarc.build.diff.changes import Changes
from tvarc.build.diff.programs import compare_programs
from tvarc.build.driver import Compilation, compile_file
from tvarc.build.lock.printer import source_order
from tvarc.decide.book import Asked, Hashes
from tvarc.files.disk import DiskLoader
from tvarc.files.edited import EditedLoader
from tvarc.files.resources import stdlib_dir
from tvarc.light import Iterable, Iterator, Mapping, Sequence, dataclass, field, suppress
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.expand import CellEnvironment
from tvarc.matrix.variants import Variant
from tvarc.meaning.declarations.expressions import Expressions
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.evaluation.fetched import commit_of
from tvarc.meaning.evaluation.hash_places import written_at
from tvarc.meaning.names.scope import View
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_expression
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.text.edits import Edit, edited
from tvarc.text.source import Source, SourceMap, Span
from tvarc.values.plain import Place, place_of

_NAMED = 4  # variants that a line lists
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')


@dataclass(frozen=True, slots=True)
class Change:
    """One edit, at its place in the old text."""

    KEYS = (("place", ""),)

    place: Place
    old: str
    """As it was written."""
    new: str
    unlocked: bool
    """Whether this hash belonged to another source."""


@dataclass(frozen=True, slots=True)
class BumpReport:
    """A bump.

    - `texts`: the old and the new text of each changed file.
    - `to_lock`: the sources whose hash is unknown now.
    - `locked`: the sources whose hash the library knows, so that the lock gets it.
    - `reached`: how many variants have the pin, or are changed by the modules of the input.
    - `outdated`: the sources with a new version of which a part is still old.
    """

    name: str
    value: str
    dry_run: bool
    changes: tuple[Change, ...] = ()
    texts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    to_lock: tuple[str, ...] = ()
    locked: tuple[tuple[Asked, str], ...] = ()
    unchanged: Unchanged = field(default_factory=Unchanged)
    reached: str = ""
    outdated: tuple[OldSource, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The reason why there is no bump: the reported errors, with their sources."""

    sink: Sink
    sources: SourceMap


@dataclass(frozen=True, slots=True)
class Planned:
    """A bump that compiles, and the warnings that the program did not have before. `after` is the
    changed program. It may have modules that must be fetched first."""

    report: BumpReport
    warnings: Sink
    sources: SourceMap
    after: Compilation


def plan_bump(
    made: Compilation, words: Sequence[str], *, dry_run: bool, chosen: Sequence[Variant] = ()
) -> Planned | Refused:
    """The changes of the bump *words*: `pin NAME REV`, `input NAME REV`, `axis NAME OLD NEW` or
    `NAME VALUE`. A value that differs by variant is changed for those that are *chosen*.
    `decide_all` must have passed for *made* without an error. Nothing is written."""
    *kind, name, value = words
    commit = kind in (["pin"], ["input"])
    assert made.graph is not None
    refused = Sink()
    if commit:
        known = functools.partial(_known_hash, made)
        edits = commit_edits(kind[0], name, value, made.graph, refused, known)
    elif kind:
        edits = axis_edits(kind[1], name, value, made.graph, refused)
    else:
        follow = functools.partial(_written, made, {one.name for one in chosen})
        edits = value_edits(name, value, made.graph, refused, follow)
    if refused.has_errors:
        return Refused(refused, made.sources)
    old = {name: source.text for name in made.graph.modules if (source := made.sources.get(name))}
    _refuse_lost_comments(edits, old, refused)
    if refused.has_errors:
        return Refused(refused, made.sources)
    new = edited(old, edits)
    between = _compiled(made, new, words)
    title = " ".join([*kind, name])
    if between.wanted:
        modules = f"what changes in the variants depends on modules of {name}"
        next_ = (
            "a bump without `--dry-run` fetches them" if dry_run
            else "run `tvarc lock`, then `tvarc diff --against HEAD`"
        )  # fmt: skip
        return Planned(
            BumpReport(
                title, value, dry_run, tuple(_changes(edits, made)),
                {file: (old[file], text) for file, text in new.items() if text != old[file]},
                tuple(one.source.describe() for one in between.wanted),
                reached=f"{modules}: {next_}",
            ),
            Sink(), made.sources, between,
        )  # fmt: skip
    if between.sink.has_errors:
        return Refused(between.sink, between.sources)
    stale = list(_stale(made, between, refused))
    if refused.has_errors:
        return Refused(refused, between.sources)
    changes = [*_changes(edits, made), *_changes(stale, between)]
    new |= edited({**old, **new}, stale)
    new = {name: text for name, text in new.items() if text != old[name]}
    if not new:
        asked = _missing(made) if kind == ["pin"] else ()
        locked = tuple(_known(asked, made, value))
        return Planned(BumpReport(title, value, dry_run, locked=locked), Sink(), made.sources, made)
    after = _compiled(made, new, words) if stale else between
    if after.sink.has_errors:
        return Refused(after.sink, after.sources)
    missing = _missing(after)
    locked = tuple(_known(missing, made, value)) if kind == ["pin"] else ()
    gone = {asked.source for asked, _ in locked}
    report = BumpReport(
        title, value, dry_run, tuple(changes),
        {name: (old[name], text) for name, text in new.items()},
        tuple(one.source.describe() for one in missing if one.source not in gone),
        locked,
        unchanged(
            made, after, " ".join([*kind[1:], name]),
            values_gone(_old_text(edits[0], old), edits[0].text), value,
            [edit.span for edit in edits], commit=commit,
        ),
        _reached(made, after, kind, name),
        () if kind else tuple(sources_not_edited(made, after, [edit.span for edit in edits])),
    )  # fmt: skip
    return Planned(report, _new_warnings(made, after), after.sources, after)


def _written(made: Compilation, chosen: set[str], text: str) -> Written:
    """The places where the value of the expression *text* is written, in the *chosen* variants and
    in the others. There are none if *text* is no expression of the program."""
    places: tuple[dict[Span, list[str]], dict[Span, list[str]]] = {}, {}
    tree, unheard = parse_expression(Source("NAME", text), Sink()), Sink()
    if tree is not None and made.resolution is not None:
        expressions = Expressions(made.resolution.scope, unheard, made.loader.join)
        expr = expressions.resolve(tree, View("a bump"))
        axes = Dependencies().expr(expr).axes
        for variant in made.variants if not unheard.has_errors else ():
            if axes <= variant.values.keys():
                environment = CellEnvironment(variant.matrix, variant.values, unheard)
                with suppress(Failed):
                    place = written_at(expr, (), Evaluator(environment, unheard).value)
                    named = places[bool(chosen) and variant.name not in chosen]
                    named.setdefault(place, []).append(variant.name)
    return Written(*places, not chosen)


def _known_hash(made: Compilation, github: str, rev: str) -> str:
    """The hash that the library has for a commit of a repository; empty if it has none."""
    return made.library().hash_of_commit(github, rev)


def _known(missing: Iterable[Asked], made: Compilation, rev: str) -> Iterator[tuple[Asked, str]]:
    """The members of *missing* that are commit *rev* of a repository and whose hash the library
    knows."""
    for asked in missing:
        commit = commit_of(asked.source)
        hash_ = made.hash_in_library(asked.source) if commit and commit[1] == rev else ""
        if hash_:
            yield asked, hash_


def _changes(edits: Sequence[Edit], made: Compilation) -> Iterator[Change]:
    for edit in edits:
        source = made.sources.get(edit.span.file)
        old = source.text[edit.span.start : edit.span.end] if source is not None else ""
        if old != edit.text:
            place = place_of(edit.span, made.sources)
            yield Change(place, old, edit.text, unlocked=edit.text == UNLOCKED)


def _old_text(edit: Edit, texts: Mapping[str, str]) -> str:
    return texts[edit.span.file][edit.span.start : edit.span.end]


def _refuse_lost_comments(edits: Sequence[Edit], texts: Mapping[str, str], sink: Sink) -> None:
    """Report lists with comments, because a bump writes a list again without them."""
    for edit in edits:
        old = _old_text(edit, texts)
        if old.startswith("[") and "#" in _STRING.sub("", old):
            sink.report(msg.bumps.LOSES_COMMENTS, edit.span)


def decide_all(made: Compilation) -> None:
    """Decide and check each variant of *made*, without making texts. Errors and warnings are
    reported to its sink."""
    if not made.sink.has_errors:
        for _ in made.files(posixpath.basename(made.file), collections=True, sizes=False):
            pass


def _reached(made: Compilation, after: Compilation, kind: Sequence[str], name: str) -> str:
    """The number of variants that have the pin *name*, or that modules of the input *name* change,
    as text. Empty for anything else."""
    assert after.graph is not None
    if kind == ["input"]:
        if all(one.item.name.text != name for one in after.graph.inputs.values()):
            return ""
        found = compare_programs(made, after, made.variants, after.variants)
        return _changed(found, name) if found is not None else ""
    return _pinned(made, name) if kind == ["pin"] else ""


def _changed(found: Changes, name: str) -> str:
    """The number and the names of the variants in *found* that modules of the input *name* change,
    as text."""
    counts = [
        (found.changed, "changed"),
        (found.added.variants, "new"),
        (found.removed.variants, "gone"),
        ([one.after for one in found.renamed], "renamed"),
    ]
    told = [
        f"{len(names)} {word} ({', '.join(names[:_NAMED])}{', …' if len(names) > _NAMED else ''})"
        for names, word in counts
        if names
    ]
    return f"{counted(found.after, 'variant')} with the modules of {name}: " + (
        ", ".join(told) or "nothing changes"
    )


def _pinned(made: Compilation, name: str) -> str:
    """The number of variants that have the pin *name*, as text."""
    recipes = [made.recipe(variant, late=True) for variant in made.variants]
    found = [recipe for recipe in recipes if recipe is not None]
    count = sum(recipe.pin is not None and recipe.pin.name == name for recipe in found)
    return f"{count} of {len(found)} variant{'' if len(found) == 1 else 's'} use pin {name}"


def _new_warnings(before: Compilation, after: Compilation) -> Sink:
    """The warnings that the program did not have before. Unlocked hashes are reported elsewhere."""
    known = {(one.code, one.title) for one in before.sink}
    found = Sink()
    for one in after.sink:
        if one.code != "W002" and (one.code, one.title) not in known:
            found.add(one)
    return found


def _compiled(made: Compilation, texts: Mapping[str, str], words: Sequence[str]) -> Compilation:
    """The program with these texts. It has errors if it does not compile."""
    loader = EditedLoader(DiskLoader(stdlib_dir()), texts)
    after = compile_file(made.file, loader, cache=made.cache, inputs=made.given)
    decide_all(after)
    if after.sink.has_errors:
        what = " ".join(words[:-1])
        after.sink.report(msg.bumps.DOES_NOT_COMPILE, what=safe(what), value=safe(words[-1]))
    return after


def _stale(before: Compilation, after: Compilation, sink: Sink) -> Iterator[Edit]:
    """The edits of stated hashes that were for another source before, so they cannot be right now.

    A hash that is not next to its source, or that other sources still have, is reported (E946).
    """
    assert after.graph is not None
    old, new = _hashes(before), _hashes(after)
    taken = {hash for asked in old.asked.values() for hash in asked.stated}
    kept = {
        span
        for source, asked in new.asked.items()
        if source in old.asked
        for span in asked.stated.values()
    }
    seen: set[Span] = set()
    for source, asked in new.asked.items():
        if source in old.asked:
            continue
        for hash, span in asked.stated.items():
            if hash not in taken or span in seen:
                continue
            seen.add(span)
            literal = literal_at(span, after.graph)
            if isinstance(literal, ast.StringLit) and span not in kept:
                yield Edit(literal.span, UNLOCKED)
                continue
            sink.report(
                msg.bumps.HASH_OF_SEVERAL if span in kept else msg.bumps.HASH_OF_OTHER,
                span,
                source=source.describe(),
            )


def _missing(made: Compilation) -> list[Asked]:
    """The sources whose hash is neither stated nor locked, in the order of the lock."""
    return sorted(_hashes(made).missing(), key=lambda one: source_order(one.source))


def _hashes(made: Compilation) -> Hashes:
    return made.elaboration.shared.hashes
