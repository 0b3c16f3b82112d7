"""The report of `check --eval`: errors of Nix, and warnings on settings."""

from __future__ import annotations

import shlex

from tvarc.commands import messages as msg
from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, replace
from tvarc.nix.judge.derivation import name_of
from tvarc.nix.judge.graph import Copy
from tvarc.nix.judge.model import (
    Elsewhere,
    Evaluation,
    Fake,
    Fault,
    Hidden,
    Idle,
    Misfit,
    Mixed,
    Twice,
    Unnamed,
    Unrun,
    Useless,
)
from tvarc.nix.judge.pins import Unfetched
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.message import Message
from tvarc.text.diagnostics.model import Diagnostic, Sink, filled
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import Span

_NAMED: Final = 3
_TOLD_BEFORE: Final = ("W002", LINTS["setting-misspelt"], LINTS["attribute-misspelt"])
"""Codes of fake hashes, misspelt settings and misspelt attributes. A finding of Nix at the same
place adds nothing."""
_LONGEST: Final = 60
_SHOWN: Final = 20  # lines of Nix's message about one build
_WIDEST: Final = 500  # characters of such a line


def report_unfetched(
    found: Iterable[Unfetched], inputs: Mapping[str, Span], sink: Sink, *, checkouts: bool = True
) -> None:
    """Report sources that Nix cannot fetch. Without them no variant has a result. *inputs* are the
    places of the program's inputs; with *checkouts* the command replaces some of them.
    """
    for one in found:
        words = "\n".join(("Nix says:", *(f"  {line}" for line in one.words)))
        if one.input:
            sink.report(
                msg.evaluation.INPUT_NOT_FETCHED,
                inputs.get(one.input),
                name=one.input,
                said=words,
                checkout=one.input if checkouts else "",
            )
        elif one.pin is None:
            sink.report(msg.evaluation.NO_NIXPKGS, said=words)
        else:
            message = msg.evaluation.PIN_NOT_FETCHED
            sink.report(message, one.pin.declared, name=one.pin.name, said=words)


def report_evaluation(found: Evaluation, sink: Sink) -> None:
    """Report faults of variants, and settings without effect."""
    told = [one.primary for one in sink if one.code in _TOLD_BEFORE and one.primary is not None]
    fake_hashes = [one for one in sink if one.code == "W002"]
    report_nix_faults(found, sink)
    for fake in found.fakes:
        same = [one for one in fake_hashes if _is_same(one, fake)]
        left = [one for one in same if one in sink]
        if left:
            sink.replace(left[0], _stated_fake(left[0], fake))
        elif not same:
            sink.add(_fake(fake), another=True)
    for hidden in _joined_by_words(found.hidden):
        sink.add(_hidden(hidden))
    for idle in found.idle:
        sink.add(_idle(idle))
    for useless in found.useless:
        if not any(useless.part.span.has(span) for span in told):
            sink.add(_useless(useless))
    for unrun in found.unrun:
        if not any(unrun.found.span.has(span) for span in told):
            sink.add(_unrun(unrun))
    for unnamed in found.unnamed:
        sink.add(_unnamed(unnamed))
    for misfit in found.unfit:
        sink.add(_misfit(misfit))
    for mixed in found.mixed:
        sink.add(_mixed(mixed))
    for twice in found.twice:
        sink.add(_twice(twice))
    for elsewhere in found.elsewhere:
        sink.add(_elsewhere(elsewhere))
    for names in found.same:
        one = len({found.derivations[name] for name in names}) == 1
        message = msg.evaluation.ONE_DERIVATION if one else msg.evaluation.ONE_RESULT
        sink.report(message, variants=_and(names))


def report_nix_faults(found: Evaluation, sink: Sink) -> None:
    """Report the errors of Nix."""
    for fault in found.faults:
        sink.add(_fault(fault), another=True)


def lines_without_eval_jobs(found: Evaluation) -> Iterator[str]:
    """A note that `nix-eval-jobs` is installed but did not work."""
    if found.without:
        yield f"note: `nix-eval-jobs` failed: {safe(found.without)}"
        yield "note: `nix-instantiate` evaluates the rest"


def file_fault(fault: Fault) -> Diagnostic:
    """The error of Nix in a file that has the path of a variant's recipe."""
    told = _fault(fault, f"`{fault.span.file}`")
    name = fault.variants[0]
    help = f"fix the file, or run `tvarc build --adopt`: it writes the recipe of `{name}` there"
    return replace(told, help=f"{help}, and keeps a copy")


def _fault(fault: Fault, which: str = "") -> Diagnostic:
    which = which or many(fault.variants)
    if fault.lost:
        message = msg.evaluation.NOT_EVALUATED
        return filled(message, fault.span, {"variants": which}, notes=fault.words)
    said = "\n".join(("Nix says:", *(f"  {line}" for line in fault.words)))
    place = [f"Nix names this place: {fault.place}"] if fault.place else []
    notes = [said, *place, *named(fault.variants)]
    if fault.help:
        refused = msg.evaluation.REFUSED_WITH_HELP
        return filled(refused, fault.span, {"variants": which, "help": fault.help}, notes=notes)
    return filled(_refusal(fault), fault.span, {"variants": which}, notes=notes)


def _refusal(fault: Fault) -> Message:
    """The message on *fault*. Packages that callPackage did not make, such as the result of
    `derivation` or `runCommand`, lack the functions that `args` and all other settings call.
    """
    words = "\n".join(fault.words)
    if "attribute 'override' missing" in words:
        return msg.evaluation.NO_OVERRIDE
    if "attribute 'overrideAttrs' missing" in words:
        return msg.evaluation.NO_OVERRIDE_ATTRS
    return msg.evaluation.REFUSED


def _joined_by_words(found: Iterable[Hidden]) -> Iterable[Hidden]:
    """*found*, with findings in the same words joined: a setting may have another value in each
    variant."""
    told: dict[object, Hidden] = {}
    for one in found:
        key = (one.found.kind, one.found.name, bool(one.found.value), one.found.span)
        first = told.get(key)
        names = (*first.variants, *one.variants) if first is not None else one.variants
        told[key] = replace(one, variants=names)
    return told.values()


def _hidden(one: Hidden) -> Diagnostic:
    missing = one.found
    return filled(
        msg.evaluation.VALUE_NOT_IN_DERIVATION
        if missing.value
        else msg.evaluation.NOT_IN_DERIVATION,
        missing.span,
        {"kind": missing.kind, "name": missing.name, "variants": _and(one.variants)},
    )


def _idle(one: Idle) -> Diagnostic:
    return filled(
        msg.evaluation.OVERLAY_OF_OTHERS if one.others else msg.evaluation.IDLE_OVERLAY,
        one.span,
        {"kind": one.kind, "name": one.name, "variants": many(one.variants)},
        notes=(*named(one.variants), *_others(one)),
    )


def _useless(one: Useless) -> Diagnostic:
    part = one.part
    what = f"`{part.name}` of"
    message = msg.evaluation.UNREAD_SETTING
    match part.kind:
        case "removal":
            message = msg.evaluation.IDLE_REMOVAL
        case "config":
            what = f"`{part.name}` of `config` in"
        case "argument":
            what = f"the argument `{part.name}` of"
        case "hash":
            message = msg.evaluation.UNUSED_HASH
        case _:
            pass
    return filled(
        message,
        part.span,
        {
            "name": part.name,
            "what": what,
            "variants": many(one.variants),
            "derivations": "derivations are" if len(one.variants) > 1 else "derivation is",
        },
        notes=named(one.variants),
    )


def _unrun(one: Unrun) -> Diagnostic:
    found = one.found
    if found.kind == "script":
        message = msg.evaluation.SCRIPT_NOT_RUN
    else:
        message = (
            msg.evaluation.FLAGS_WITHOUT_INPUT
            if found.lacks_input
            else msg.evaluation.UNREAD_FLAGS
        )
    return filled(
        message,
        found.span,
        {"name": found.name, "variants": many(one.variants), "why": found.why},
        notes=named(one.variants),
    )


def _unnamed(one: Unnamed) -> Diagnostic:
    return filled(
        msg.evaluation.OTHER_VERSION if one.version else msg.evaluation.NAME_NOT_DERIVED,
        one.span,
        {
            "variants": many(one.variants),
            "which": "the first" if len(one.variants) > 1 else "it",
            "derivation": one.derivation,
            **({"version": one.version} if one.version else {"attribute": one.attribute}),
        },
        notes=named(one.variants),
    )


def _misfit(one: Misfit) -> Diagnostic:
    found = one.found
    short = "\n" not in found.text and len(found.text) <= _LONGEST
    return filled(
        msg.evaluation.SOURCE_UNFIT,
        found.span,
        {
            "source": found.source,
            "attribute": found.attribute,
            "what": f"`{found.text}`" if short else "a script",
        },
        notes=named(one.variants),
    )


def _mixed(one: Mixed) -> Diagnostic:
    return filled(
        msg.evaluation.OTHER_TOOLKIT,
        one.span,
        {
            "variants": many(one.variants),
            "are": "is" if len(one.variants) == 1 else "are",
            "depend": "depends" if len(one.variants) == 1 else "depend",
            "package": label(one.first.derivation),
            "wanted": one.wanted,
        },
        notes=(
            *_way(one.first),
            *([f"{counted(one.others, 'more package')} of that toolkit"] if one.others else []),
            *named(one.variants),
        ),
    )


def _twice(one: Twice) -> Diagnostic:
    return filled(
        msg.evaluation.SEVERAL_BUILDS,
        one.span,
        {
            "variants": many(one.variants),
            "gets": "gets" if len(one.variants) == 1 else "get",
            "count": len(one.copies),
            "library": one.library,
        },
        notes=(
            block(f"`{one.variants[0]}` gets", map(_copy, one.copies)),
            *([f"the same holds for {_and(one.others)}"] if one.others else []),
            *named(one.variants),
        ),
    )


def _copy(copy: Copy) -> str:
    """A description of *copy*, and how a variant gets it."""
    how = [f"the variant {copy.variant}"] if copy.variant else []
    how += _way(copy) or ([] if how else ["an input of its own"])
    return ", ".join((label(copy.derivation), *how))


def _way(copy: Copy) -> tuple[str, ...]:
    """A note on the packages through which a variant gets *copy*."""
    return (f"through {' → '.join(map(label, copy.through))}",) if copy.through else ()


def label(derivation: str) -> str:
    """The name of *derivation* for people."""
    return safe(name_of(derivation).removesuffix(".drv"))


def _elsewhere(one: Elsewhere) -> Diagnostic:
    return filled(
        msg.evaluation.OTHER_SYSTEM,
        one.span,
        {"variants": many(one.variants), "system": one.system, "wanted": one.wanted},
        notes=named(one.variants),
    )


def _fake(one: Fake) -> Diagnostic:
    """The error for a source that can never be fetched."""
    fetched = one.fetched
    where = f"from {fetched.url} " if fetched.url else ""
    with_ = f"the hash {fetched.hash}" if fetched.hash else "an empty hash"
    return filled(
        msg.evaluation.FAKE_HASH,
        one.span,
        {"name": fetched.name, "variants": many(one.variants), "how": f"{where}with {with_}"},
        notes=named(one.variants),
    )


def _is_same(warning: Diagnostic, fake: Fake) -> bool:
    """Whether *warning* is about the fake hash that Nix found."""
    url = fake.fetched.url
    named = bool(url) and url in warning.title
    return named or (warning.primary is not None and fake.span.has(warning.primary))


def _stated_fake(warning: Diagnostic, fake: Fake) -> Diagnostic:
    """The error that replaces *warning*, which reported the hash before Nix ran: now it is known
    that variants depend on it. The place and the help of *warning* are better.
    """
    error = _fake(fake)
    return replace(error, labels=warning.labels, help=warning.help)


def _others(one: Idle) -> tuple[str, ...]:
    """A note on the variants that the overlay does change."""
    lists = "lists" if one.others == 1 else "list"
    others = counted(one.others, "other variant")
    return (f"it changes {others} that {lists} it",) if one.others else ()


def many(names: Sequence[str]) -> str:
    """The one name, or the number of names."""
    return f"`{names[0]}`" if len(names) == 1 else f"{len(names)} variants"


def named(names: Sequence[str]) -> tuple[str, ...]:
    """A note with *names*, if `many` leaves them out."""
    return (f"the variants are {_and(names)}",) if len(names) > 1 else ()


def _and(names: Sequence[str]) -> str:
    """`a`, `b` and 3 more."""
    if len(names) > _NAMED + 1:
        return f"{', '.join(f'`{name}`' for name in names[:_NAMED])} and {len(names) - _NAMED} more"
    return all_of(names)


def all_of(names: Sequence[str]) -> str:
    """`a`, `b` and `c`."""
    shown = [f"`{name}`" for name in names]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def quoted(words: str) -> str:
    """A note with the *words* of Nix, cut to a limit."""
    lines = words.splitlines() or ["no reason"]
    shown = lines[:_SHOWN]
    if len(lines) > _SHOWN:
        shown.append("…")
    return block("Nix says", shown)


def block(head: str, lines: Iterable[str]) -> str:
    """A note with *lines* below *head*."""
    return "\n".join((f"{head}:", *(f"  {_shortened(line.rstrip())}" for line in lines)))


def _shortened(line: str) -> str:
    """Builders print megabytes without the end of a line; the log has all of it."""
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]}…"


def evaluation_line(found: Evaluation) -> str:
    """The number of evaluated variants, in a line."""
    refused = sum(len(one.variants) for one in found.faults if not one.lost)
    lost = sum(len(one.variants) for one in found.faults if one.lost)
    paths = len(set(found.derivations.values()))
    systems = ", ".join(f"{count} for {system}" for system, count in found.systems)
    parts = [f"evaluated {systems or 'none'}", f"{paths} derivation{'' if paths == 1 else 's'}"]
    if refused:
        parts.append(f"{refused} refused")
    if lost:
        parts.append(f"{lost} not evaluated")
    return ", ".join(parts)


def commands_text(
    folder: str, commands: Iterable[tuple[Sequence[str], Sequence[str]]]
) -> Iterator[str]:
    """The output of `--dry-run`: the commands, each after its variants."""
    yield f"# the commands read the files in {folder}"
    for words, names in commands:
        yield f"# {_and(names)}"
        yield shlex.join(words)
