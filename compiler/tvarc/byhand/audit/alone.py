"""Audits a folder of recipes without any program: what contradicts itself or the facts, and what
departs from its neighbours."""

from __future__ import annotations

import re

from tvarc.byhand.audit.compare import not_understood
from tvarc.byhand.audit.examine import MOST_COMPARED, Files, departed, our_fault, read_one
from tvarc.byhand.audit.judge import Judge
from tvarc.byhand.audit.model import RecipeFacts
from tvarc.byhand.audit.neighbours import Neighbour, departures, project_of, said_by, unclear_in
from tvarc.byhand.audit.read import Pythons, is_package, read_packages
from tvarc.byhand.audit.result import Audit, AuditedFile, Finding, State, in_order, settled
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.doing import each
from tvarc.files.inventory import Inventory, NixFile
from tvarc.light import Final, Iterator, Sequence, replace

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
    parser: RecipeParser | None = None
    imported: set[str] = set()
    for file in each("reading", found.files, len(found.files), "files"):
        text, fault = files.text(file.path)
        if fault:
            audit.files.append(AuditedFile(file.path, file.name, State.UNREADABLE, reason=fault))
            audit.findings.append(Finding("W206", file.path, fault))
            continue

        def read(parser: RecipeParser, path: str = file.path, text: str = text) -> Packages:
            return read_packages(parser, text, pythons, path, files.imported)

        parser, packages = read_one(audit, parser, file.path, text, read)
        packages = packages or {}
        audit.files += [_audited(file, member, facts) for member, facts in packages.items()]
        if not packages:
            audit.files.append(AuditedFile(file.path, file.name, State.UNRELATED))
        for facts in packages.values():
            if is_package(facts):
                imported.update([one.path for one in facts.followed])
    audit.files = list(_settled_parts(audit.files, imported))
    read_files = [one for one in audit.files if one.facts is not None]
    told: set[str] = set()
    for audited in each("checking", read_files, len(read_files), "recipes"):
        text = audit.texts[audited.path] if audited.path not in told else ""
        told.add(audited.path)
        audit.findings += _judged(text, audited, judge)
    audit.findings += _departing([one for one in read_files if one.state is State.RECIPE])
    for audited in read_files:
        if audited.state is State.UNKNOWN:
            audited.facts = None  # which are no more than that it is not understood
    audit.unlistable(found.faults)
    audit.settle_unreadable()
    audit.findings.sort(key=in_order)
    return audit


Packages = dict[str, RecipeFacts]


def _audited(file: NixFile, member: str, facts: RecipeFacts) -> AuditedFile:
    """The package *member* of a file, or the file as a whole."""
    name = f"{file.name}.{member}" if member else file.name
    if is_package(facts):
        return AuditedFile(file.path, name, State.RECIPE, facts=facts, member=member)
    if facts.perhaps:
        return AuditedFile(file.path, name, State.UNKNOWN, facts=facts, member=member)
    return AuditedFile(file.path, file.name, State.UNRELATED)


def _settled_parts(files: Sequence[AuditedFile], imported: set[str]) -> Iterator[AuditedFile]:
    """*files*, those that others import once each, as parts of these."""
    parts: set[str] = set()
    for file in files:
        if file.path not in imported:
            yield file
        elif file.path not in parts:
            parts.add(file.path)
            name = file.package.removesuffix(f".{file.member}") if file.member else file.package
            yield AuditedFile(file.path, name, State.UNRELATED)


def _judged(text: str, audited: AuditedFile, judge: Judge) -> Iterator[Finding]:
    """The findings about a package by itself, and about the comments in *text*."""
    facts, several = audited.facts, bool(audited.member)
    assert facts is not None
    name = audited.package.rpartition(".")[2]
    try:
        found = [
            Finding(one.code, audited.path, one.text, one.place, subject=one.path)
            for one in not_understood(None, facts, alone=True)
            if audited.state is State.RECIPE or one.path == "package"
        ]
        if audited.state is State.RECIPE:
            found += judge.findings(facts, audited.path, name, text, one_of_several=several)
    except Exception as fault:  # one file never ends the audit of all others
        found = [our_fault(audited.path, fault)]
    for one in found:
        yield _placed(one, audited)


def _placed(one: Finding, audited: AuditedFile) -> Finding:
    """*one* with a place in its own file, and with the name of the package there."""
    within = f"in `{audited.member}`" if audited.member else ""
    found = settled(one, audited.facts)
    return replace(found, notes=(*found.notes, within)) if within else found


def _departing(read: Sequence[AuditedFile]) -> Iterator[Finding]:
    """In what packages depart from their neighbours."""
    by_name = {f"{file.path}:{file.member}": file for file in read[:MOST_COMPARED]}
    neighbours = [
        Neighbour(
            name, project_of(file.facts, file.package), axis_values(file.package),
            said_by(file.facts, file.package), unclear_in(file.facts),
        )
        for name, file in by_name.items()
        if file.facts is not None
    ]  # fmt: skip
    for one in departures(neighbours, frozenset(by_name)):
        if one.subject in ("pname", "switched off") or one.subject.startswith("meta.desc"):
            continue
        file = by_name[one.path]
        assert file.facts is not None
        found = departed(one, file.facts, "W216")
        yield _placed(replace(found, file=file.path), file)


def axis_values(name: str) -> dict[str, str]:
    """What the *name* of a recipe says along the axes that recipes of Torch have."""
    found: dict[str, str] = {}
    for word in re.split(r"[-.]", name):
        for axis, pattern in _AXES.items():
            if pattern.fullmatch(word):
                found[axis] = word
    return found
