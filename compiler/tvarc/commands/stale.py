"""`tvarc stale`: overlays that the pinned nixpkgs makes unnecessary by their own `until`."""

from __future__ import annotations

from tvarc.build.overtaken import Answer, answers, waiting_in, without_pin
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session, in_session
from tvarc.light import Iterator, Literal, Sequence, dataclass
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import Count, json_text


@in_session
def command(session: Session, given: Arguments) -> int:
    """Hold each `until` of the program against the nixpkgs that is pinned, or that `--pin` names;
    the exit code."""
    file = given.program()
    session.compile(file)
    recipes = session.recipes(late=True)
    answered = answers(waiting_in(recipes), given.words("pin"), session.sink)
    session.end_on_errors()
    found = stale_of(answered, without_pin(recipes))
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


def stale_of(found: Sequence[Answer], without_pin: int) -> Result:
    """The result of *found*; *without_pin* variants have an unknown nixpkgs."""
    return Result(
        tuple(
            Overlay(
                kind=waiting.kind,
                overlay=waiting.overlay,
                package=waiting.until.package,
                until=waiting.until.version,
                pin=waiting.pin.name,
                nixpkgs=answer.place,
                version=answer.version,
                overtaken=answer.overtaken,
                place=waiting.until.span,
            )
            for answer in found
            for waiting in (answer.waiting,)
        ),
        without_pin,
    )


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
