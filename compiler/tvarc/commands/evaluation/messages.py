"""The messages of `check --eval`: errors of Nix, and warnings on settings."""

from __future__ import annotations

import shlex

from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, replace
from tvarc.nix.judge.model import (
    Evaluation,
    Fake,
    Fault,
    Hidden,
    Idle,
    Misfit,
    Unnamed,
    Unrun,
    Useless,
)
from tvarc.nix.judge.pins import Unfetched
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity, Sink
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.warning_names import JUDGED
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import Span

_NAMED: Final = 3
_NAMES: Final = {code: name for name, code in JUDGED.items()}
_MENDED: Final = {
    "W301": "set it on the package that is built, or remove it",
    "W302": "remove it from the list, or correct its target",
    "W303": "make them differ in what is built, or exclude all but one",
    "W307": "remove the line, or write the element as the package has it today: `tvarc explain "
    "SELECTOR` shows the setting",
    "W308": "remove it, or set what the package reads",
    "W310": "set `name` as well",
    "W309": "remove it, or move its lines to a script that runs",
}
_TOLD_BEFORE: Final = ("W002", LINTS["setting-misspelt"], LINTS["attribute-misspelt"])
"""Fake hashes of the program, and misspelt settings and attributes: what Nix finds at the same
place adds nothing."""
_LONGEST: Final = 60
_NOTHING: Final = "nothing was evaluated"


def report_unfetched(
    found: Iterable[Unfetched], inputs: Mapping[str, Span], sink: Sink, *, checkouts: bool = True
) -> None:
    """Report what Nix cannot fetch: without it nothing is known of any variant. *inputs* are where
    those of the program are declared; with *checkouts* the command takes some in their place."""
    for one in found:
        words = "\n".join(("Nix says:", *(f"  {line}" for line in one.words)))
        if one.input:
            checkout = f", or name a checkout of the input: `--input {one.input}=PATH`"
            sink.error(
                "E944",
                f"input `{one.input}` cannot be fetched here",
                inputs.get(one.input),
                _NOTHING,
                notes=(words,),
                help="run this where Nix can fetch it" + (checkout if checkouts else ""),
            )
        elif one.pin is None:
            sink.error(
                "E944",
                "variants without a pin use `<nixpkgs>`, and Nix does not find it",
                notes=(words,),
                help="set `NIX_PATH=nixpkgs=FOLDER`, or evaluate variants that have a pin",
            )
        else:
            sink.error(
                "E944",
                f"pin `{one.pin.name}` cannot be fetched here",
                one.pin.declared,
                _NOTHING,
                notes=(words,),
                help="run this where Nix can fetch it, or pin a folder that has it: "
                f"`{one.pin.name}.path`",
            )

_CALLED_BY_SETTINGS: Final = (
    ("override", "`args`", "remove `args` and pass the arguments in the Nix text of `package`"),
    (
        "overrideAttrs",
        "all settings except `args`",
        "name a package that `mkDerivation` makes, or make the change in the Nix text of `package`",
    ),
)
"""Functions of packages, the settings that call each, and what to do where a package has none."""


def report_evaluation(found: Evaluation, sink: Sink) -> None:
    """Report what is wrong with variants, and what of them does nothing."""
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
    for names in found.same:
        sink.add(_warning("W303", f"{_and(names)} have the same derivation", None, "", ()))


def report_nix_faults(found: Evaluation, sink: Sink) -> None:
    """Report what Nix refuses."""
    for fault in found.faults:
        sink.add(_fault(fault), another=True)


def lines_without_eval_jobs(found: Evaluation) -> Iterator[str]:
    """A note that `nix-eval-jobs`, which is here, did not do what it is asked for."""
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
    label = Label(fault.span, "", primary=True)
    if fault.lost:
        return Diagnostic("E991", f"{which} could not be evaluated", (label,), fault.words)
    said = "\n".join(("Nix says:", *(f"  {line}" for line in fault.words)))
    place = [f"Nix names this place: {fault.place}"] if fault.place else []
    notes = [said, *place, *named(fault.variants)]
    return Diagnostic("E991", f"Nix refuses {which}", (label,), tuple(notes), _mend(fault))


def _mend(fault: Fault) -> str:
    """What to do about *fault*. Packages that callPackage did not make, such as what `derivation`
    or `runCommand` gives, lack the functions that `args` and all other settings call."""
    if fault.help:
        return fault.help
    for function, settings, instead in _CALLED_BY_SETTINGS:
        if any(f"attribute '{function}' missing" in line for line in fault.words):
            return (
                f"the package has no `{function}`, which {settings} call: {instead}, "
                "or exclude these cells"
            )
    return "correct this line, or exclude these cells"


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
    span = missing.span
    what = f"{missing.kind} `{missing.name}`"
    title = (
        f"what {what} is set to is not in the derivation"
        if missing.value
        else f"{what} is not in the derivation"
    )
    return _warning("W301", title, span, "", _variants(one.variants))


def _idle(one: Idle) -> Diagnostic:
    kind = "patch" if one.overlay.patch else "overlay"
    return _warning(
        "W302",
        f"{kind} `{one.overlay.name}` changes no derivation of {many(one.variants)}",
        one.overlay.listed.span,
        "without it, the derivations are the same",
        (*named(one.variants), *_others(one)),
        "list it only for the other variants, under a `when`, or correct its target"
        if one.others
        else "",
    )


def _useless(one: Useless) -> Diagnostic:
    part = one.part
    where = f"`{part.name}` of {many(one.variants)}"
    match part.kind:
        case "removal":
            title = f"`-=` removes nothing from {where}"
            return _warning(
                "W307", title, part.span, "the list has no such element", named(one.variants)
            )
        case "config":
            title = f"nothing reads `{part.name}` of `config` in {many(one.variants)}"
        case "argument":
            title = f"nothing reads the argument {where}"
        case "hash":
            note = "the package fetches with its original hash"
            title = f"no download uses {where}"
            mended = "pass it to the builder of the package, as `tvarc explain W308` shows"
            return _warning("W308", title, part.span, "", (note, *named(one.variants)), mended)
        case _:
            title = f"nothing reads {where}"
    are = "derivations are" if len(one.variants) > 1 else "derivation is"
    label = f"without it, the {are} the same"
    return _warning("W308", title, part.span, label, named(one.variants))


def _unrun(one: Unrun) -> Diagnostic:
    found = one.found
    if found.kind == "flags":
        title = f"nothing reads `{found.name}` of {many(one.variants)}"
        notes = (found.why, *named(one.variants))
        return _warning("W308", title, found.span, "", notes, found.help)
    title = f"nothing runs the script `{found.name}` of {many(one.variants)}"
    return _warning("W309", title, found.span, "", (found.why, *named(one.variants)))


def _unnamed(one: Unnamed) -> Diagnostic:
    title = f"`{one.attribute}` does not reach the derivation name of {many(one.variants)}"
    which = "the first" if len(one.variants) > 1 else "it"
    note = (
        f"{which} is named `{one.derivation}`: the package makes its name before the setting "
        "applies"
    )
    return _warning("W310", title, one.span, "", (note, *named(one.variants)))


def _misfit(one: Misfit) -> Diagnostic:
    found = one.found
    title = f"`{found.source}` does not fit the `{found.attribute}` of its package"
    short = "\n" not in found.text and len(found.text) <= _LONGEST
    what = f"`{found.text}`" if short else "a script"
    note = f"the package sets {what}, which fits its original source"
    mended = f"set `{found.attribute}` as well, or fetch the same kind of source as the package"
    return _warning("W311", title, found.span, "", (note, *named(one.variants)), mended)


def _fake(one: Fake) -> Diagnostic:
    """The error for what can never be fetched."""
    fetched = one.fetched
    where = f" from {fetched.url}" if fetched.url else ""
    with_ = f"the hash {fetched.hash}" if fetched.hash else "an empty hash"
    return Diagnostic(
        "E997",
        f"`{fetched.name}` has a fake hash, so {many(one.variants)} cannot be built",
        (Label(one.span, "this setting fetches it", primary=True),),
        (f"it is fetched{where} with {with_}", *named(one.variants)),
        "write the real hash, or write `hash = unlocked` and run `tvarc lock`",
    )


def _is_same(warning: Diagnostic, fake: Fake) -> bool:
    """Whether *warning* is about the fake hash that Nix found."""
    url = fake.fetched.url
    named = bool(url) and url in warning.title
    return named or (warning.primary is not None and fake.span.has(warning.primary))


def _stated_fake(warning: Diagnostic, fake: Fake) -> Diagnostic:
    """The error in place of *warning*, which reported the hash before Nix was asked: now it is
    known that variants depend on it. The place and the help of *warning* are better."""
    error = _fake(fake)
    return replace(error, labels=warning.labels, help=warning.help)


def _others(one: Idle) -> tuple[str, ...]:
    """A note on variants that the overlay does change."""
    lists = "lists" if one.others == 1 else "list"
    others = counted(one.others, "other variant")
    return (f"it changes {others} that {lists} it",) if one.others else ()


def _warning(
    code: str, title: str, span: Span | None, label: str, notes: Sequence[str], mended: str = ""
) -> Diagnostic:
    labels = (Label(span, label, primary=True),) if span is not None else ()
    name = _NAMES[code]
    help = f'{mended or _MENDED[code]}; or `warn {name} = off because "…"`'
    return Diagnostic(code, title, labels, tuple(notes), help, Severity.WARNING, name)


def many(names: Sequence[str]) -> str:
    """`a`, or how many they are."""
    return f"`{names[0]}`" if len(names) == 1 else f"{len(names)} variants"


def named(names: Sequence[str]) -> tuple[str, ...]:
    """A note with *names*, where `many` leaves them out."""
    return (f"the variants are {_and(names)}",) if len(names) > 1 else ()


def _variants(names: Sequence[str]) -> tuple[str, ...]:
    return (f"in {_and(names)}",)


def _and(names: Sequence[str]) -> str:
    """`a`, `b` and 3 more."""
    shown = [f"`{name}`" for name in names]
    if len(shown) > _NAMED + 1:
        shown = [*shown[:_NAMED], f"{len(shown) - _NAMED} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def evaluation_line(found: Evaluation) -> str:
    """What was evaluated, in a line."""
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
    """What `--dry-run` prints: the commands, each after what it evaluates."""
    yield f"# the commands read the files in {folder}"
    for words, names in commands:
        yield f"# {_and(names)}"
        yield shlex.join(words)
