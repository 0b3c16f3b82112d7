"""Audits a folder of recipes without any program: what contradicts itself or the facts, and what
departs from its neighbours."""

from __future__ import annotations

import re

from tvarc.audit.examine import MOST_COMPARED, Files, departed, read_one
from tvarc.audit.judge import Judge
from tvarc.audit.model import RecipeFacts
from tvarc.audit.neighbours import Neighbour, departures, said_by, unclear_in
from tvarc.audit.read import Pythons
from tvarc.audit.result import Audit, AuditedFile, Finding, State, in_order, settled
from tvarc.light import Final, Sequence
from tvarc.nix.reader import NixParser
from tvarc.output.inventory import Inventory

# What the names of files say, by the axis that it belongs to.
_AXES: Final = {
    "python": re.compile(r"py(?:thon)?3\d+"),
    "cuda": re.compile(r"cuda\d+(?:_\d+)?|cpu|rocm\w*"),
    "gpu": re.compile(r"sm_?\d+[af]?|gfx\w+"),
    "isa": re.compile(r"avx\w*|armv\w+|x86_64_v\d|amx\w*|sve\w*|neoverse\w*"),
}


def examine_alone(found: Inventory, files: Files, judge: Judge, pythons: Pythons) -> Audit:
    """The audit of the recipes of *found*; files that others import are parts of these."""
    audit = Audit(whole=found.whole, alone=True)
    parser: NixParser | None = None
    imported: set[str] = set()
    read: list[tuple[AuditedFile, RecipeFacts]] = []
    for file in found.files:
        audited = AuditedFile(file.path, file.name, State.UNRELATED)
        audit.files.append(audited)
        text, fault = files.text(file.path)
        if fault:
            audited.state, audited.reason = State.UNREADABLE, fault
            audit.findings.append(Finding("W206", file.path, fault))
            continue
        if audit.unread:
            audit.unread += 1
            continue
        parser, facts = read_one(audit, parser, file.path, text, pythons, files)
        if facts is None:
            continue
        imported.update([one.path for one in facts.followed])
        if is_recipe(facts):
            audited.state, audited.facts = State.RECIPE, facts
            read.append((audited, facts))
    read = [(file, facts) for file, facts in read if file.path not in imported]
    for audited in audit.files:
        if audited.path in imported:
            audited.state, audited.facts = State.UNRELATED, None
    for audited, facts in read:
        name, text = audited.package.rpartition(".")[2], audit.texts[audited.path]
        audit.findings += judge.findings(facts, audited.path, name, text)
    audit.findings += _departing(read)
    for path, fault in sorted(found.faults.items()):
        audit.findings.append(Finding("W206", path or ".", fault))
    facts_of = {audited.path: facts for audited, facts in read}
    audit.findings = [settled(one, facts_of.get(one.file)) for one in audit.findings]
    audit.findings.sort(key=in_order)
    return audit


def is_recipe(facts: RecipeFacts) -> bool:
    """Whether a file makes a package, as far as it is understood."""
    return facts.package is not None or bool(facts.scratch)


def _departing(read: Sequence[tuple[AuditedFile, RecipeFacts]]) -> list[Finding]:
    neighbours = [
        Neighbour(
            file.path, axis_values(file.package), said_by(facts, file.package), unclear_in(facts)
        )
        for file, facts in list(read)[:MOST_COMPARED]
    ]
    facts_of = {file.path: facts for file, facts in read}
    asked = frozenset(facts_of)
    return [
        departed(one, facts_of[one.path], "W216")
        for one in departures(neighbours, asked)
        if one.subject not in ("pname", "switched off") and not one.subject.startswith("meta.desc")
    ]


def axis_values(name: str) -> dict[str, str]:
    """What the *name* of a recipe says along the axes that recipes of Torch have."""
    found: dict[str, str] = {}
    for word in re.split(r"[-.]", name):
        for axis, pattern in _AXES.items():
            if pattern.fullmatch(word):
                found[axis] = word
    return found
