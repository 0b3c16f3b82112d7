"""What `check --eval` tells: what Nix refuses, and what it makes of the rest."""

from __future__ import annotations

import shlex

from tvarc.diagnostics.model import Diagnostic, Label, Severity, Sink
from tvarc.diagnostics.render_cells import safe
from tvarc.diagnostics.warning_names import JUDGED
from tvarc.diagnostics.words import counted
from tvarc.judge.model import Evaluation, Fault, Hidden, Idle
from tvarc.judge.pins import Unfetched
from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, replace
from tvarc.plain import Data, Json, place_data
from tvarc.source import SourceMap, Span

_NAMED: Final = 3
_NAMES: Final = {code: name for name, code in JUDGED.items()}
_MENDED: Final = {
    "W301": "set it on the package that is built, or remove it",
    "W302": "take it out of the list, or mend what it is for",
    "W303": "let them differ in what is built, or exclude all but one",
}
_FOR_OTHERS: Final = "list it for the others alone, under a `when`, or mend what it is for"
_NOTHING: Final = "nothing was evaluated"


def report_unfetched(
    found: Iterable[Unfetched], inputs: Mapping[str, Span], sink: Sink, *, checkouts: bool = True
) -> None:
    """Report what Nix cannot fetch: without it nothing is known of any variant. *inputs* are where
    those of the program are declared; with *checkouts* the command takes some in their place."""
    for one in found:
        words = "\n".join(("Nix says:", *(f"  {line}" for line in one.words)))
        if one.input:
            checkout = f"; or name a checkout of it: `--input {one.input}=PATH`"
            sink.error(
                "E944",
                f"input `{one.input}` cannot be fetched here",
                inputs.get(one.input),
                _NOTHING,
                notes=(words,),
                help="evaluate where it can be fetched" + (checkout if checkouts else ""),
            )
        elif one.pin is None:
            sink.error(
                "E944",
                "variants without a pin are called with `<nixpkgs>`, which is not here",
                notes=(words,),
                help="name one: `NIX_PATH=nixpkgs=FOLDER`, or evaluate variants that have a pin",
            )
        else:
            sink.error(
                "E944",
                f"pin `{one.pin.name}` cannot be fetched here",
                one.pin.declared,
                _NOTHING,
                notes=(words,),
                help="evaluate where it can be fetched, or pin a folder that has it: "
                f"`{one.pin.name}.path`",
            )


def report_evaluation(found: Evaluation, sink: Sink) -> None:
    """Report what is wrong with variants, and what of them does nothing."""
    report_nix_faults(found, sink)
    for hidden in _joined_by_words(found.hidden):
        sink.add(_hidden(hidden))
    for idle in found.idle:
        sink.add(_idle(idle))
    for names in found.same:
        sink.add(_warning("W303", f"{_and(names)} are one derivation", None, "", ()))


def report_nix_faults(found: Evaluation, sink: Sink) -> None:
    """Report what Nix refuses."""
    for fault in found.faults:
        sink.add(_fault(fault), another=True)


def lines_without_eval_jobs(found: Evaluation) -> Iterator[str]:
    """A note that `nix-eval-jobs`, which is here, did not do what it is asked for."""
    if found.without:
        yield f"note: `nix-eval-jobs` has ended: {safe(found.without)}"
        yield "note: what it did not evaluate `nix-instantiate` is asked for"


def file_fault(fault: Fault) -> Diagnostic:
    """What Nix refuses in a file that stands where the recipe of a variant goes."""
    told = _fault(fault, f"`{fault.span.file}`")
    help = f"mend it, or have `tvarc build --adopt` put the recipe of `{fault.variants[0]}` there"
    return replace(told, help=f"{help}, which keeps a copy")


def _fault(fault: Fault, which: str = "") -> Diagnostic:
    which = which or many(fault.variants)
    label = Label(fault.span, "", primary=True)
    if fault.lost:
        return Diagnostic("E991", f"{which} could not be evaluated", (label,), fault.words)
    said = "\n".join(("Nix says:", *(f"  {line}" for line in fault.words)))
    notes = [said, *([f"at {fault.place}"] if fault.place else []), *named(fault.variants)]
    return Diagnostic("E991", f"Nix refuses {which}", (label,), tuple(notes))


def _joined_by_words(found: Iterable[Hidden]) -> Iterable[Hidden]:
    """*found*, with what is told in the same words put together: a setting may have another value
    in each variant."""
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
        "without it they are the same",
        (*named(one.variants), *_others(one)),
        "list it for the others alone, under a `when`, or mend what it is for"
        if one.others
        else "",
    )


def _others(one: Idle) -> tuple[str, ...]:
    """A note on variants that the overlay does change."""
    lists = "lists" if one.others == 1 else "list"
    return (f"it changes {counted(one.others, 'other')} that {lists} it",) if one.others else ()


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
    return (f"they are {_and(names)}",) if len(names) > 1 else ()


def _variants(names: Sequence[str]) -> tuple[str, ...]:
    return (f"of {_and(names)}",)


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


def evaluation_data(found: Evaluation, sources: SourceMap) -> Data:
    """What `--json` prints."""

    def place(span: Span | None) -> Data:
        nowhere: Data = {"file": None, "line": None, "column": None}
        return place_data(span, sources) if span is not None else nowhere

    def names(some: Iterable[str]) -> list[Json]:
        return list(some)

    return {
        "variants": [
            {"name": name, "derivation": found.derivations.get(name)} for name in found.variants
        ],
        "systems": dict(found.systems),
        **refused_data(found, sources),
        "not_shown": [
            {
                "variants": names(one.variants),
                **place(one.found.span),
                "kind": one.found.kind,
                "name": one.found.name,
                "value": one.found.value,
            }
            for one in found.hidden
        ],
        "idle": [
            {
                "variants": names(one.variants),
                **place(one.overlay.listed.span),
                "kind": "patch" if one.overlay.patch else "overlay",
                "overlay": one.overlay.name,
            }
            for one in found.idle
        ],
        "same": [names(one) for one in found.same],
    }


def refused_data(found: Evaluation, sources: SourceMap) -> Data:
    """What has no derivation: what Nix refuses, and what it did not get to."""
    return {
        "refused": [
            {
                "variants": list(one.variants),
                **place_data(one.span, sources),
                "nix": "\n".join(one.words),
                "at": one.place or None,
            }
            for one in found.faults
            if not one.lost
        ],
        "not_evaluated": [
            {"variants": list(one.variants), "because": "\n".join(one.words)}
            for one in found.faults
            if one.lost
        ],
    }


def commands_text(
    folder: str, commands: Iterable[tuple[Sequence[str], Sequence[str]]]
) -> Iterator[str]:
    """What `--dry-run` prints: the commands, each after what it evaluates."""
    yield f"# what they read is in {folder}"
    for words, names in commands:
        yield f"# {_and(names)}"
        yield shlex.join(words)
