"""An audit for programs: the result of `tvarc audit --json`, and the findings as diagnostics."""

# ruff: noqa: PTH118

from __future__ import annotations

import os

from tvarc.byhand.audit import model, result
from tvarc.byhand.audit.model import Added, Fetched, Linked, Ref, Table, Unread
from tvarc.byhand.audit.result import Audit, Share, State, about, help_for, line_of, named
from tvarc.light import Iterator, Mapping, dataclass
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.source import Source, SourceMap, Span
from tvarc.values.plain import Count, Json, Ordinal


@dataclass(frozen=True, slots=True)
class Overlay:
    """A package that an overlay of the recipe changes."""

    path: str
    value: Json
    form: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a recipe that the audit does not understand."""

    what: str
    text: str
    why: str
    line: Ordinal | None


@dataclass(frozen=True, slots=True)
class Says:
    """The content of a recipe. In a value, only Nix knows `{"nix": …}`, and the audit does not
    understand `{"unread": …}`."""

    KEYS = (
        ("scratch", "from scratch"),
        ("elsewhere", "not followed"),
        ("isa_flags", "isa flags"),
        ("switched_off", "switched off"),
        ("gaps", "not understood"),
    )

    pin: model.Pin | None
    package: Json
    scratch: str | None
    """The function that makes the package, if the recipe changes none of nixpkgs."""
    elsewhere: str | None
    """A file that the recipe takes its settings from, and that the audit does not read."""
    pname: str | None
    settings: Mapping[str, Json]
    overlays: tuple[Overlay, ...]
    isa_flags: tuple[str, ...]
    switched_off: tuple[model.Switch, ...]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class File:
    """A file, and how it relates to the program."""

    file: str
    package: str
    member: str | None
    """The name in the file, if the file has several recipes."""
    state: str
    variant: str | None
    reason: str | None
    says: Says | None


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding."""

    code: str
    name: str
    about: str
    file: str
    line: Ordinal | None
    subject: str | None
    message: str
    notes: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Result:
    """All of an audit. Paths of files are relative to `folder`."""

    KEYS = (
        ("not_understood", "not understood"),
        ("unlisted", "folders not listed"),
    )

    folder: str
    variants: Count
    counts: Mapping[str, Count]
    """How many files are in each state, and how many variants have no file."""
    not_understood: Count
    read: Share
    judged: bool
    """Whether there was anything to judge."""
    unlisted: Count
    complete: bool
    files: tuple[File, ...]
    findings: tuple[Finding, ...]


def result_of(audit: result.Audit, folder: str) -> Result:
    """The result of *audit* of the *folder*, as the user named it."""
    missing = sum(one.code == "W201" for one in audit.findings)
    return Result(
        folder,
        audit.cells,
        {**{state.value: audit.count(state) for state in State}, "missing": missing},
        len(audit.findings) - len(audit.departures),
        audit.share,
        audit.judged,
        audit.unlisted,
        audit.whole,
        tuple([_file(one, audit) for one in audit.files]),
        tuple([_finding(one, audit) for one in audit.findings]),
    )


def _file(file: result.AuditedFile, audit: result.Audit) -> File:
    text = audit.texts.get(file.path, "")
    return File(
        file.path,
        file.package,
        file.member or None,
        file.state.value,
        file.variant or None,
        file.reason or None,
        says_of(file.facts, text) if file.facts is not None else None,
    )


def _finding(one: result.Finding, audit: result.Audit) -> Finding:
    return Finding(
        one.code,
        named(one.code),
        about(one.code).name.lower(),
        one.file,
        audit.line(one) or None,
        one.subject or None,
        one.text,
        one.notes,
        help_for(one.code, one.help, alone=audit.alone),
    )


def says_of(facts: model.RecipeFacts, text: str) -> Says:
    """The content of the recipe *text*, from which *facts* were read."""
    return Says(
        facts.pin,
        _value(facts.package.value) if facts.package is not None else None,
        facts.scratch or None,
        facts.elsewhere or None,
        facts.pname,
        {path: _value(seen.value) for path, seen in facts.settings.items()},
        tuple(
            [
                Overlay(path, _value(seen.value), seen.form)
                for path, seen in facts.effects.items()
            ]
        ),
        facts.isa_flags,
        tuple(facts.switches),
        tuple(
            [
                Gap(one.what, one.text, one.why, line_of(text, one.place) or None)
                for one in facts.gaps
            ]
        ),
    )


def _value(value: model.Found) -> Json:
    match value:
        case bool() | str() | int() | None:
            return value
        case tuple():
            return [_value(item) for item in value]
        case Ref(path):
            return {"nix": path}
        case Added(base, inner, before):
            where: dict[str, Json] = {"before": before} if before else {}
            return {"adds to": base.path, "value": _value(inner), **where}
        case Fetched(function, fields):
            return {"fetched by": function, **{key: _value(item) for key, item in fields}}
        case Linked(path):
            return {"recipe": path}
        case Table(entries):
            return {key: _value(item) for key, item in entries}
        case Unread(text):
            return {"unread": text}


def diagnostics_of(result: Audit, folder: str, sources: SourceMap) -> Iterator[Diagnostic]:
    """The findings in *folder* as warnings. Their files are added to *sources*."""
    for one in result.findings:
        path = os.path.join(folder, one.file)
        text = result.texts.get(one.file)
        if text is not None and sources.get(path) is None:
            sources.add(Source(path, text))
        labels = (Label(Span(path, one.place.start, one.place.end), "", primary=True),)
        yield Diagnostic(
            one.code, f"{path}: {one.text}", labels if one.code != "W201" else (), one.notes,
            help_for(one.code, one.help, alone=result.alone), Severity.WARNING, named(one.code),
        )  # fmt: skip
