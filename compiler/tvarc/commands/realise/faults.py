"""The place in the program where a failed build went wrong, as far as its log shows."""

# ruff: noqa: PTH119
# pathlib costs too much at start.
from __future__ import annotations

import os
import re
import shlex

from tvarc.build.driver import Compilation
from tvarc.build.lock.log import mismatches
from tvarc.build.lock.match_reports import match_reports
from tvarc.farm.realise.model import Broken, Build, BuildFault
from tvarc.light import Final, Iterator, Mapping, Sequence
from tvarc.meaning.evaluation.formats import is_open
from tvarc.nix import ir
from tvarc.nix.judge.derivation import name_of
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import PathValue, Record, Value

_PATCH: Final = re.compile(r"^applying patch (\S+)")
_HASHED: Final = re.compile(r"^[0-9a-z]{32}-(.*)$")
_NOT_FOUND: Final = re.compile(r"(\S+): (?:command )?not found$")
_PHASE: Final = "Phase"
_LAST: Final = 10  # lines of a builder's output in which to look for a place
_TELLING: Final = 3  # characters that occur in many places


def build_faults(
    made: Compilation, recipes: Mapping[str, ir.Recipe], broken: Sequence[Broken]
) -> list[BuildFault]:
    """The *broken* builds that are a fault of a recipe, for variants with these *recipes*. A fault
    without a known place is placed at the package.
    """
    return [
        _hash(made, one) or _placed(made, one, [recipes[name] for name in one.variants])
        for one in broken
        if not one.lost and one.variants
    ]


def _placed(made: Compilation, broken: Broken, recipes: Sequence[ir.Recipe]) -> BuildFault:
    for recipe in recipes:
        for span, label in _places(made, broken, recipe):
            return BuildFault(broken, span, label)
    return BuildFault(broken, recipes[0].package.origin.span)


def _hash(made: Compilation, broken: Broken) -> BuildFault | None:
    """The place of a hash, if a source has another hash than the recipe states."""
    reports = mismatches(broken.build.words)
    elaboration = made.elaboration
    if not reports or elaboration is None:
        return None
    matched = match_reports(reports, elaboration.shared.hashes)
    file = shlex.quote(os.path.relpath(broken.log))
    take = f"`tvarc lock --from-log {file}` takes the hash that Nix found"
    for asked, _ in matched.found:
        label = "its hash is not locked"
        return BuildFault(broken, asked.place, label, asked.source.describe(), take)
    for asked, known, _ in matched.changed:
        span = asked.stated.get(known) or asked.place
        label = "this hash is stated" if known in asked.stated else "the lock has another hash"
        help_ = "find out why the hash changed before you trust the new one"
        return BuildFault(broken, span, label, asked.source.describe(), help_)
    for asked, report in matched.stated:
        help_ = "write `hash = unlocked` here, and run `tvarc lock`, or `lock --from-log FILE`"
        label = "no content has this hash" if is_open(report.wanted) else ""
        span = asked.stated[report.wanted]
        return BuildFault(broken, span, label, asked.source.describe(), help_)
    return None


def _places(made: Compilation, broken: Broken, recipe: ir.Recipe) -> Iterator[tuple[Span, str]]:
    """The parts of *recipe* that may have made it fail, the most likely first."""
    overlays = _overlays(recipe, broken.build.derivation)
    changes = [recipe.changes] if broken.own else [one.changes for one in overlays]
    patches = [setting for one in recipe.overlays for setting in one.patch]
    if broken.own or not overlays:
        patches += [s for one in changes for s in one.attrs if s.key == "patches"]
    patch = _last_patch(broken.build.tail)
    if patch:
        for setting in patches:
            span = _names(setting, patch)
            if span is not None:
                yield span, "this patch"
    for one in changes:
        yield from _script(made, one, broken.build)
    if not broken.own:
        for overlay in overlays:
            yield overlay.listed.span, f"this changes `{overlay.target[-1]}`"


def asking(recipe: ir.Recipe, through: str = "") -> Span:
    """The place in *recipe* of its features, or else of its package. With *through*, a derivation
    that it depends on, the place of the overlay for that, if there is one.
    """
    if not through:
        return _features(recipe.changes) or recipe.package.origin.span
    for one in _overlays(recipe, through):
        return _features(one.changes) or one.listed.span
    return recipe.package.origin.span


def _features(changes: ir.Changes) -> Span | None:
    asked = (one for one in changes.attrs if one.key == "requiredSystemFeatures")
    return next((one.origin.span for one in asked), None)


def _overlays(recipe: ir.Recipe, derivation: str) -> list[ir.Overlay]:
    """The overlays of *recipe* for the package that *derivation* may be."""
    name = name_of(derivation).removesuffix(".drv")
    return [
        one
        for one in recipe.overlays
        if one.relation == "for" and one.target and _is_of(name, one.target[-1])
    ]


def _script(made: Compilation, changes: ir.Changes, build: Build) -> Iterator[tuple[Span, str]]:
    """The script of the phase in which *build* ended: the line that printed its last words, or else
    the first part."""
    stem = build.phase.removesuffix(_PHASE)
    capital = stem[:1].upper() + stem[1:]
    around = (build.phase, f"pre{capital}", f"post{capital}")
    parts = [
        part.origin.span
        for script in changes.scripts
        if script.key in around
        for part in script.parts
        if part.origin is not None
    ]
    for line in reversed(build.tail[-_LAST:]):
        missing = _NOT_FOUND.search(line)
        words = missing[1] if missing is not None else line.strip()
        for span in parts:
            found = _line_with(made.sources, span, words)
            if found is not None:
                yield found, f"in {build.phase}"
    for span in parts:
        yield span, f"this runs in {build.phase}"


def _line_with(sources: SourceMap, span: Span, words: str) -> Span | None:
    """The line within *span* that has *words*, or of several the one that begins with them; None
    where it is not certain which."""
    source = sources.get(span.file)
    if source is None or len(words) < _TELLING:
        return None
    at = span.start
    found: list[Span] = []
    first: list[Span] = []
    for line in source.text[span.start : span.end].splitlines(keepends=True):
        indent = len(line) - len(line.lstrip())
        place = Span(span.file, at + indent, at + len(line.rstrip()))
        if words in line:
            found.append(place)
        if line.startswith(words, indent):
            first.append(place)
        at += len(line)
    return next((some[0] for some in (found, first) if len(some) == 1), None)


def _last_patch(tail: Sequence[str]) -> str:
    """The name of the patch that was applied last; empty if there was none."""
    for line in reversed(tail):
        found = _PATCH.match(line)
        if found is not None:
            base = os.path.basename(found[1])
            hashed = _HASHED.match(base)
            return hashed[1] if hashed is not None else base
    return ""


def _names(setting: ir.Setting, file: str) -> Span | None:
    """The place in *setting* that names the *file*."""
    for element in setting.elements or ():
        if _has(element.value, file):
            return element.origin.span
    return setting.origin.span if _has(setting.value, file) else None


def _has(value: Value, file: str) -> bool:
    match value:
        case PathValue():
            return os.path.basename(value.file) == file
        case tuple():
            return any(_has(one, file) for one in value)
        case Record():
            return any(_has(one, file) for _, one in value)
        case _:
            return False


def _is_of(derivation: str, attribute: str) -> bool:
    """Whether *derivation* may be the package of that *attribute*, by its name."""
    return derivation == attribute or derivation.startswith(f"{attribute}-")
