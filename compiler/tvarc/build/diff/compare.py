"""Finds the differences between two decided variants that are visible in their files.

Variants share settings. So a pair of settings is compared once, however many pairs of variants have
it.
"""

from __future__ import annotations

from collections import Counter

from tvarc.blocks import ATTRIBUTES, CONFIG, OF_PACKAGE, OF_SYSTEMS
from tvarc.build.diff.differences import (
    Difference,
    alone,
    identical,
    of_text,
    order_differences,
    part_differences,
    reason_difference,
    setting_differences,
)
from tvarc.light import Iterable, Iterator, Sequence, dataclass, field, replace
from tvarc.nix import ir
from tvarc.nix.nixpkgs import usual_form
from tvarc.values.value import RowValue, Value, called_attributes, show

_REMEMBERED = 1 << 13  # cached pairs of settings; with more, most are of one variant each
_FRAMES = 1 << 10  # cached pairs of frames


@dataclass(slots=True)
class Comparison:
    """The differences of two variants, in the order of `explain`, and the number of equal things of
    each kind."""

    differences: list[Difference] = field(default_factory=list)
    equal: Counter[str] = field(default_factory=Counter)

    def add(self, other: Comparison) -> None:
        """Append the differences of *other*."""
        self.differences += other.differences
        self.equal.update(other.equal)


class Comparer:
    """Compares variants. With `flags`, the values of flags count as well. They are not emitted, but
    two variants of one program may differ in them."""

    __slots__ = ("flags", "framed", "known")

    def __init__(self, *, flags: bool = False) -> None:
        self.flags = flags
        # By the identities of the two settings, which the entry keeps.
        self.known: dict[
            tuple[ir.Path, int, int], tuple[ir.Setting, ir.Setting, tuple[Difference, ...]]
        ] = {}
        self.framed: dict[tuple[int, int], tuple[ir.Frame, ir.Frame, Comparison]] = {}

    def compare(self, before: ir.Recipe, after: ir.Recipe) -> Comparison:
        found = Comparison()
        self.head(before, after, found)
        if self.flags:
            self.settings(("flags",), before.flags, after.flags, found, order=False)
        self.inside(before, after, found)
        for name, one, other in _by_key(before.files, after.files):
            self.plain(("files", name), one, other, found)
        return found

    def inside(self, before: ir.Recipe, after: ir.Recipe, found: Comparison) -> None:
        """Compare everything except the head and the files: the recipes may be put into others."""
        found.add(self.frames(before.frame, after.frame))
        self.needs(before.needs, after.needs, found)
        unset = before.unset_scope or after.unset_scope
        self.single(("scope",), before.scope, after.scope, found, unset)
        self.single(("package",), before.package, after.package, found)
        packages = before.package, after.package
        self.changes((), before.changes, after.changes, found, packages)

    def frames(self, before: ir.Frame, after: ir.Frame) -> Comparison:
        """The differences of the pin, `config` and the overlays of two frames."""
        key = (id(before), id(after))
        known = self.framed.get(key)
        if known is None:
            found = Comparison()
            self.pin(before, after, found)
            gone = before.unset_config, after.unset_config
            self.settings((CONFIG,), before.config, after.config, found, unset=gone)
            self.overlays(before.overlays, after.overlays, found)
            if len(self.framed) >= _FRAMES:
                self.framed.clear()
            known = self.framed[key] = (before, after, found)
        return known[2]

    # --- things that a variant has once ----------------------------------------------------------

    def head(self, before: ir.Recipe, after: ir.Recipe, found: Comparison) -> None:
        self.plain(("matrix",), before.matrix, after.matrix, found)
        self.plain(("recipe",), before.recipes[-1], after.recipes[-1], found)
        mine = tuple((axis.axis, _described(axis.value)) for axis in before.axes)
        theirs = tuple((axis.axis, _described(axis.value)) for axis in after.axes)
        for axis, one, other in _by_key(mine, theirs):
            self.plain(("axes", axis), one, other, found, "axis value")

    def pin(self, before: ir.Frame, after: ir.Frame, found: Comparison) -> None:
        one, other = before.pin, after.pin
        if one is None or other is None:
            names = ["none" if pin is None else pin.name for pin in (one, other)]
            if one is not other:
                found.differences.append(
                    Difference(("pin",), "value", (names[0],), (names[1],), *_pins(before, after))
                )
            return
        rows: list[tuple[str, str | None, str | None]] = [
            ("url", one.url or None, other.url or None),
            ("hash", one.hash, other.hash),
        ]
        if one.path or other.path:
            rows.append(("path", one.path or None, other.path or None))
        for name, stated, then in (
            ("release", one.release, other.release),
            ("date", one.date, other.date),
        ):
            if stated or then:
                rows.append((name, stated or None, then or None))
        if one.rev and other.rev and one.url.replace(one.rev, other.rev) == other.url:
            rows[0] = ("rev", one.rev, other.rev)
        for name, mine, theirs in rows:
            if mine == theirs:
                found.equal["setting"] += 1
                continue
            path = ("pin", name)
            lines = of_text(mine), of_text(theirs)
            found.differences.append(Difference(path, "value", *lines, *_pins(before, after)))
        for block in OF_SYSTEMS:
            self.settings((block,), one.of(block), other.of(block), found)

    def plain(
        self, path: ir.Path, one: str | None, other: str | None, found: Comparison, noun: str = ""
    ) -> None:
        if one == other:
            if noun:
                found.equal[noun] += 1
            return
        found.differences.append(Difference(path, "value", of_text(one), of_text(other)))

    # --- needs -------------------------------------------------------------------

    def needs(
        self, before: tuple[ir.Need, ...], after: tuple[ir.Need, ...], found: Comparison
    ) -> None:
        mine, theirs = ({need.name: need for need in needs} for needs in (before, after))
        for name in dict.fromkeys((*mine, *theirs)):
            one, other = mine.get(name), theirs.get(name)
            self.need(("needs", name), one, other, found)

    def need(
        self, path: ir.Path, one: ir.Need | None, other: ir.Need | None, found: Comparison
    ) -> None:
        texts = [_need_text(need) if need is not None else None for need in (one, other)]
        if texts[0] != texts[1]:
            origins = [need.setting.origin if need is not None else None for need in (one, other)]
            lines = of_text(texts[0]), of_text(texts[1])
            found.differences.append(Difference(path, "value", *lines, *origins))
            return
        if one is None or other is None or one.recipe is None or other.recipe is None:
            found.equal["setting"] += 1
            return
        inner = Comparison()
        self.inside(one.recipe, other.recipe, inner)
        found.equal.update(inner.equal)
        found.differences += [replace(each, path=(*path, *each.path)) for each in inner.differences]

    # --- settings -------------------------------------------------------------------------

    def changes(
        self,
        base: ir.Path,
        before: ir.Changes,
        after: ir.Changes,
        found: Comparison,
        packages: tuple[ir.Setting, ...] = (),
    ) -> None:
        gone = before.unset, after.unset
        for block in OF_PACKAGE:
            path = base if base and block.name == ATTRIBUTES else (*base, block.name)
            ours, others = before.of(block.name), after.of(block.name)
            if not block.in_parts:
                called = packages if block.name == ATTRIBUTES else ()
                self.settings(path, ours, others, found, unset=gone, called=called)
                continue
            mine, theirs = ({text.key: text for text in side} for side in (ours, others))
            for name in dict.fromkeys((*mine, *theirs)):
                found.differences += part_differences(
                    (*path, name), mine.get(name), theirs.get(name), found.equal
                )

    def settings(
        self,
        base: ir.Path,
        before: Sequence[ir.Setting],
        after: Sequence[ir.Setting],
        found: Comparison,
        *,
        order: bool = True,
        unset: tuple[Sequence[ir.Setting], Sequence[ir.Setting]] = ((), ()),
        called: tuple[ir.Setting, ...] = (),
    ) -> None:
        """Compare settings. *called* are the packages of both sides, if their calls may give what
        only one side writes."""
        mine = {setting.key: setting for setting in before}
        theirs = {setting.key: setting for setting in after}
        for key in dict.fromkeys((*mine, *theirs)):
            one, other = mine.get(key), theirs.get(key)
            setting = one or other
            assert setting is not None
            gone = [lost for lost in unset[one is not None] if lost.path == setting.path]
            if called and not gone and (one is None or other is None):
                given = _replaced(setting, called[one is not None])
                one, other = one or given, other or given
            self.single((*base, key), one, other, found, gone[0] if gone else None)
        if order:
            found.differences += order_differences(base, list(mine), list(theirs))

    def single(
        self,
        path: ir.Path,
        one: ir.Setting | None,
        other: ir.Setting | None,
        found: Comparison,
        unset: ir.Setting | None = None,
    ) -> None:
        if one is None and other is None:
            return
        if one is None or other is None:
            found.differences += alone(path, one, other, unset)
            return
        differences: tuple[Difference, ...] = ()
        if one is not other:
            key = (path, id(one), id(other))
            known = self.known.get(key)
            if known is None:
                if len(self.known) >= _REMEMBERED:
                    self.known.clear()
                known = self.known[key] = (one, other, tuple(setting_differences(path, one, other)))
            differences = known[2]
        found.differences += differences
        if not differences:
            found.equal["setting"] += 1

    # --- overlays -------------------------------------------------------------------------

    def overlays(
        self, before: Sequence[ir.Overlay], after: Sequence[ir.Overlay], found: Comparison
    ) -> None:
        mine, theirs = numbered(before), numbered(after)
        for name in dict.fromkeys((*mine, *theirs)):
            path = ("overlays", name)
            one, other = mine.get(name), theirs.get(name)
            if one is None or other is None:
                here, there = (None if o is None else o.listed for o in (one, other))
                lines = ((name,) if one else ()), ((name,) if other else ())
                found.differences.append(Difference(path, "element", *lines, here, there))
                continue
            count = len(found.differences)
            within = Comparison(found.differences)
            if one is not other:
                self.overlay(path, one, other, within)
            if len(found.differences) == count:
                found.equal["overlay"] += 1
        found.differences += order_differences(("overlays",), list(mine), list(theirs))

    def overlay(self, path: ir.Path, one: ir.Overlay, other: ir.Overlay, found: Comparison) -> None:
        if one.because != other.because:
            found.differences.append(
                reason_difference(path, one.because, other.because, one.listed, other.listed)
            )
        self.plain((*path, "for"), _target(one), _target(other), found)
        self.plain((*path, "until"), _until(one), _until(other), found)
        self.settings(path, one.patch, other.patch, found, order=False)
        self.changes(path, one.changes, other.changes, found)


def _replaced(setting: ir.Setting, package: ir.Setting) -> ir.Setting | None:
    """The value in the call of *package* that *setting* replaces; None if there is none, or if it
    is the same."""
    given = called_attributes(package.value)
    if setting.extends or setting.key not in given:
        return None
    value = given[setting.key]
    if identical(value, setting.value):
        return None
    return ir.Setting(setting.path, value, package.origin)


def _pins(before: ir.Frame, after: ir.Frame) -> tuple[ir.Origin | None, ir.Origin | None]:
    """The places of the pins. If another pin was chosen, the places of the choices."""
    first, second = before.pin_choice, after.pin_choice
    if first is not None and second is not None and first.value != second.value:
        return first.origin, second.origin
    one, other = (
        ir.Origin(frame.pin.declared, f"pin {frame.pin.name}")
        if frame.pin is not None
        else frame.pin_choice.origin
        if frame.pin_choice is not None
        else None
        for frame in (before, after)
    )
    return one, other


def _described(value: Value) -> str:
    """An axis value as it is emitted: its label is in the head of a file."""
    if isinstance(value, RowValue):
        label = value.facts.get("label")
        if label is not None and isinstance(label.value, str):
            return f"{value.name} ({label.value})"
        return value.name
    return value if isinstance(value, str) else show(value)


def _target(overlay: ir.Overlay) -> str:
    if overlay.relation is None:
        return ""
    path = overlay.target if overlay.relation == "in" else overlay.target[:-1]
    via = (overlay.via or usual_form(path)) if path else ""
    words = (overlay.relation, ".".join(overlay.target), f"via {via}" if via else "")
    return " ".join(filter(None, words))


def _until(overlay: ir.Overlay) -> str:
    until = overlay.until
    return f"{'.'.join(until.package)} >= {until.version}" if until is not None else ""


def numbered(overlays: Sequence[ir.Overlay]) -> dict[str, ir.Overlay]:
    """The overlays by name. Overlays of one name, from several modules, have numbers in their
    names."""
    found: dict[str, ir.Overlay] = {}
    for one in overlays:
        name, number = one.name, 1
        while name in found:
            number += 1
            name = f"{one.name}#{number}"
        found[name] = one
    return found


def _by_key(
    before: Iterable[tuple[str, str]], after: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str | None, str | None]]:
    mine, theirs = dict(before), dict(after)
    for key in dict.fromkeys((*mine, *theirs)):
        yield key, mine.get(key), theirs.get(key)


def _need_text(need: ir.Need) -> str:
    """A need in words. For another recipe, this is only its name."""
    if need.linked is not None:
        way = " by argument" if need.linked.argument else ""
        return f"{need.linked.variant} of {need.linked.matrix}{way}"
    if need.recipe is not None:
        return f"recipe {need.recipe.recipes[-1]}"
    return show(need.setting.value)
