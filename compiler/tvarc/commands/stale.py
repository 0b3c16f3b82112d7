"""`tvarc stale`: overlays that the pinned nixpkgs makes unnecessary by their own `until`.

The compiler does not know the versions of packages. Nix evaluates the packages in the `until` of
overlays, in the nixpkgs of each pin, without overlays. The nixpkgs has the pinned commit, or
another one.
"""

# ruff: noqa: PTH100, PTH112
# pathlib costs too much at start.

from __future__ import annotations

import json
import os

from tvarc.build import messages as msg
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session, in_session
from tvarc.doing import Doing
from tvarc.light import Final, Iterable, Iterator, Literal, Sequence, dataclass
from tvarc.meaning.evaluation.formats import bad_revision
from tvarc.nix import ir
from tvarc.nix.judge.faults import fault_in
from tvarc.nix.judge.nix import NotInstalled, ask, refuse_missing
from tvarc.nix.judge.nix import command as nix_command
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import Count, Json, json_text


@in_session
def command(session: Session, given: Arguments) -> int:
    """Compare each `until` of the program with the nixpkgs that is pinned, or that `--pin` names;
    the exit code."""
    file = given.program()
    session.compile(file)
    recipes = session.recipes(late=True)
    overlays = answers(waiting_in(recipes), given.words("pin"), session.sink)
    session.end_on_errors()
    found = Result(tuple(overlays), without_pin(recipes))
    if given.flag("json"):
        session.console.data(json_text(found, session.sources))
    else:
        lines = stale_lines(found, session.sources)
        session.console.prose("".join(f"{safe(line)}\n" for line in lines))
    session.show()
    return exits.STALE if any(one.overtaken for one in found.overlays) else exits.OK


@dataclass(frozen=True, slots=True)
class Overlay:
    """An overlay or a patch, and the version that the nixpkgs of one pin has."""

    KEYS = (("place", ""),)

    kind: Literal["overlay", "patch"]
    overlay: str
    package: tuple[str, ...]
    """The attributes that lead to the package in nixpkgs."""
    until: str
    """The first version that makes it superfluous."""
    pin: str
    nixpkgs: str
    """The address or the folder that was looked at."""
    version: str | None
    """The version that is there; null if there is none, or it is not known."""
    overtaken: bool
    place: Span


@dataclass(frozen=True, slots=True)
class Result:
    """Overlays and patches that say until when they are needed, each once for each pin that it is
    applied to."""

    overlays: tuple[Overlay, ...]
    without_pin: Count
    """How many variants with such an overlay have no pin."""


def stale_lines(found: Result, sources: SourceMap) -> Iterator[str]:
    """For people: a line for each overlay and pin, and a summary."""
    for one in found.overlays:
        has = f"has {one.version}" if one.version is not None else "has no version of it"
        verdict = "not needed" if one.overtaken else "needed"
        if one.version is None:
            verdict = "unknown"
        yield (
            f"{one.kind} {one.overlay} until {'.'.join(one.package)} >= {one.until}: {verdict}, "
            f"pin {one.pin} {has} ({sources.locate(one.place)})"
        )
    unpinned = found.without_pin
    if unpinned:
        has, its = (
            ("1 variant has", "its") if unpinned == 1 else (f"{unpinned} variants have", "their")
        )
        yield f"{has} no pin, so {its} nixpkgs is unknown"
    total = len({one.place for one in found.overlays})
    if total:
        overtaken = {one.place for one in found.overlays if one.overtaken}
        overlays = counted(total, "overlay")
        yield f"{len(overtaken)} of {overlays} with an `until`: not needed any more"
    else:
        yield "no overlay has an `until`"


# --- what Nix answers about each overlay ------------------------------------------------------


# A package has no version if it is missing, or if nixpkgs refuses to evaluate it.
_EXPRESSION: Final = """
{ jobs }:
let
  at = set: path:
    if path == [ ] then set
    else if builtins.isAttrs set && set ? ${builtins.head path} then
      at set.${builtins.head path} (builtins.tail path)
    else null;
  ask = pkgs: { package, version }:
    let
      one = at pkgs package;
      found = builtins.tryEval (one.version or (builtins.parseDrvName (one.name or "")).version);
      known = found.success && builtins.isString found.value && found.value != "";
    in
    {
      version = if known then found.value else null;
      overtaken = known && builtins.compareVersions found.value version >= 0;
    };
  one = { place, hash, packages }:
    let
      source =
        if builtins.substring 0 1 place == "/" then /. + place
        else if hash == null then builtins.fetchTarball place
        else builtins.fetchTarball { url = place; sha256 = hash; };
      pkgs = import source {
        system = builtins.currentSystem;
        config = { allowUnfree = true; allowBroken = true; };
        overlays = [ ];
      };
    in
    map (ask pkgs) packages;
in
map one (builtins.fromJSON jobs)
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An overlay with an `until`, in the variants of one pin."""

    overlay: str
    kind: Literal["overlay", "patch"]
    until: ir.Until
    pin: ir.Pin


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a nixpkgs: an address, or an absolute path."""

    place: str
    hash: str | None = None


def waiting_in(recipes: Iterable[ir.Recipe]) -> list[Waiting]:
    """The overlays of *recipes* with an `until`, once for each pin to which they are applied.
    Recipes without a pin are left out."""
    found: dict[object, Waiting] = {}
    for recipe in recipes:
        pin = recipe.pin
        for overlay in recipe.overlays if pin is not None else ():
            until = overlay.until
            if until is None or pin is None:
                continue
            kind: Literal["overlay", "patch"] = "patch" if overlay.patch else "overlay"
            key = (overlay.declared, until.package, until.version, pin.name, pin.url, pin.path)
            found.setdefault(key, Waiting(overlay.name, kind, until, pin))
    return list(found.values())


def without_pin(recipes: Iterable[ir.Recipe]) -> int:
    """The number of *recipes* without a pin that have overlays with an `until`."""
    return sum(
        recipe.pin is None and any(one.until is not None for one in recipe.overlays)
        for recipe in recipes
    )


def places_of(
    pins: Sequence[ir.Pin], given: Sequence[str], sink: Sink
) -> dict[tuple[str, str], Place]:
    """The nixpkgs to evaluate for each of *pins*, by its name and place. It is the pinned one, or
    the one that *given* names: `REV` or `FOLDER`, or for one pin `NAME=…`. Malformed words are
    reported."""
    chosen: dict[str, str] = {}
    names = list(dict.fromkeys(pin.name for pin in pins))
    for text in given:
        name, equals, wanted = text.rpartition("=")
        if equals and name not in names:
            sink.report(
                msg.overlays.NO_PIN_TO_OVERTAKE,
                name=name,
                names=", ".join(names),
                guess=guess(name, names),
            )
            continue
        for one in (name,) if equals else names:
            chosen[one] = wanted
    return {_key(pin): _place(pin, chosen.get(pin.name), sink) for pin in pins}


def _key(pin: ir.Pin) -> tuple[str, str]:
    return pin.name, pin.path or pin.url


def _place(pin: ir.Pin, wanted: str | None, sink: Sink) -> Place:
    if wanted is None:
        return Place(os.path.abspath(pin.path)) if pin.path else Place(pin.url, pin.hash)
    if os.path.isdir(wanted):
        return Place(os.path.abspath(wanted))
    wrong = bad_revision(wanted)
    if wrong is not None:
        sink.report(
            msg.overlays.NO_COMMIT_OR_FOLDER, wanted=wanted[:80], why=wrong[0], advice=wrong[1]
        )
    elif not pin.rev or pin.rev not in pin.url:
        sink.report(
            msg.overlays.PIN_OF_FOLDER if pin.path else msg.overlays.PIN_WITHOUT_COMMIT,
            pin.declared,
            pin=pin.name,
        )
    else:
        return Place(pin.url.replace(pin.rev, wanted), pin.hash if wanted == pin.rev else None)
    return Place("")


def answers(waiting: Sequence[Waiting], given: Sequence[str], sink: Sink) -> list[Overlay]:
    """The overlays of *waiting*, with the versions that Nix finds. *given* is the parameter of
    `places_of`. Empty after an error."""
    pins = list({_key(one.pin): one.pin for one in waiting}.values())
    places = places_of(pins, given, sink)
    if sink.has_errors or not waiting:
        return []
    jobs: list[Json] = []
    for pin in pins:
        where = places[_key(pin)]
        packages: list[Json] = [
            {"package": list(one.until.package), "version": one.until.version}
            for one in waiting
            if _key(one.pin) == _key(pin)
        ]
        jobs.append({"place": where.place, "hash": where.hash, "packages": packages})
    by_pin = _asked(jobs, sink)
    if by_pin is None:
        return []
    answered = {_key(pin): iter(versions) for pin, versions in zip(pins, by_pin, strict=True)}
    found: list[Overlay] = []
    for one in waiting:
        key, until = _key(one.pin), one.until
        found.append(
            Overlay(
                one.kind, one.overlay, until.package, until.version, one.pin.name,
                places[key].place, *next(answered[key]), until.span,
            )
        )  # fmt: skip
    return found


def _asked(jobs: list[Json], sink: Sink) -> list[list[tuple[str | None, bool]]] | None:
    """Nix's answers: for each package its version, and whether that is new enough. None after
    reporting."""
    try:
        with Doing("asking Nix for the versions of packages"):
            answer = ask(nix_command({"jobs": json.dumps(jobs)}, expression=_EXPRESSION))
    except NotInstalled:
        refuse_missing(
            sink,
            "reading versions from nixpkgs",
            "install Nix; each recipe also warns by itself when Nix evaluates it",
        )
        return None
    found = answer.value
    if isinstance(found, list):
        return [[(one["version"], one["overtaken"]) for one in job] for job in found]
    sink.report(msg.overlays.NO_VERSIONS, words="\n".join(fault_in(answer.refused).words))
    return None
