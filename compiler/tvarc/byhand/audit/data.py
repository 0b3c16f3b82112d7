"""An audit as plain data, for JSON."""

from __future__ import annotations

from tvarc.byhand.audit.advice import help_for
from tvarc.byhand.audit.model import Added, Fetched, Found, Linked, RecipeFacts, Ref, Table, Unread
from tvarc.byhand.audit.result import Audit, Finding, State, about, named
from tvarc.nix.language.syntax import Extent
from tvarc.values.plain import Data, Json


def audit_data(audit: Audit, folder: str) -> Data:
    """All of an audit. Files and findings are named by paths below `folder`."""
    missing = sum(one.code == "W201" for one in audit.findings)
    counts: Data = {state.value: audit.count(state) for state in State}
    return {
        "folder": folder,
        "variants": audit.cells,
        "counts": {**counts, "missing": missing},
        "not understood": len(audit.findings) - len(audit.departures),
        "read": {
            "whole": audit.share.whole,
            "in parts": audit.share.parts,
            "not at all": audit.share.unread,
        },
        "judged": audit.judged,
        "folders not listed": audit.unlisted,
        "complete": audit.whole,
        "files": [
            {
                "file": file.path,
                "package": file.package,
                "member": file.member or None,
                "state": file.state.value,
                "variant": file.variant or None,
                "reason": file.reason or None,
                "says": facts_data(file.facts, audit.texts.get(file.path, ""))
                if file.facts is not None
                else None,
            }
            for file in audit.files
        ],
        "findings": [_finding(one, audit) for one in audit.findings],
    }


def _finding(one: Finding, audit: Audit) -> Data:
    return {
        "code": one.code,
        "name": named(one.code),
        "about": about(one.code).name.lower(),
        "file": one.file,
        "line": _line(audit.texts.get(one.file), one.place),
        "subject": one.subject or None,
        "message": one.text,
        "notes": list(one.notes),
        "help": help_for(one.code, one.help, alone=audit.alone),
    }


def _line(text: str | None, place: Extent) -> int | None:
    if text is None or not 0 < place.start <= len(text):
        return None
    return text.count("\n", 0, place.start) + 1


def facts_data(facts: RecipeFacts, text: str) -> Data:
    """What a recipe says; what is not understood is `{"unread": text}`."""
    pin = facts.pin
    return {
        "pin": {"url": pin.url or None, "rev": pin.rev or None, "hash": pin.hash}
        if pin is not None
        else None,
        "package": _value(facts.package.value) if facts.package is not None else None,
        "from scratch": facts.scratch or None,
        "not followed": facts.elsewhere or None,
        "pname": facts.pname,
        "settings": {path: _value(seen.value) for path, seen in facts.settings.items()},
        "overlays": [
            {"path": path, "value": _value(seen.value), "form": facts.forms[path]}
            for path, seen in facts.effects.items()
        ],
        "isa flags": list(facts.isa_flags),
        "switched off": [{"part": one.part, "how": one.how} for one in facts.switches],
        "not understood": [
            {
                "what": gap.what,
                "text": gap.text,
                "why": gap.why,
                "line": _line(text, gap.place),
            }
            for gap in facts.gaps
        ],
    }


def _value(value: Found) -> Json:
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
