"""Runs the lints on a hand-written recipe, and finds contradictions in it."""

from __future__ import annotations

import re

from tvarc.advice.lints.facts import Facts, Rows
from tvarc.advice.lints.model import Line
from tvarc.advice.lints.names import may_name
from tvarc.advice.lints.registry import OF_VARIANTS
from tvarc.advice.lints.run import Looking, Reader, Subjects
from tvarc.advice.lints.subjects import PRINTING
from tvarc.advice.lints.toolkit import TOO_OLD, driver_not_stated
from tvarc.byhand.audit.decided import Kept, decided
from tvarc.byhand.audit.model import Added, RecipeFacts
from tvarc.byhand.audit.read import is_script
from tvarc.byhand.audit.result import Finding
from tvarc.light import Collection, Iterator, Mapping
from tvarc.nix.language.syntax import NOWHERE, Extent
from tvarc.text.source import Span
from tvarc.values.row_facts import has_fact
from tvarc.values.value import RowValue, Value, Version


class Judge:
    """Runs the lints over recipes, one after another. *off* are the lints that a program silences.
    With *alone* there is no program, and helps are for authors of Nix."""

    __slots__ = ("_alone", "_kept", "_looking", "_off", "_reader")

    def __init__(self, rows: Rows, off: Collection[str] = (), *, alone: bool = False) -> None:
        self._alone = alone
        self._off = off
        self._reader = Reader(Facts(rows))
        self._kept: Kept = {}
        self._looking = Looking()

    def known(self, facts: RecipeFacts, name: str) -> frozenset[tuple[str, str]]:
        """The findings of the lints in a recipe, without places."""
        return frozenset([(one.subject, one.text) for one in self.findings(facts, "", name, "")])

    def findings(
        self, facts: RecipeFacts, path: str, name: str, text: str, *, one_of_several: bool = False
    ) -> Iterator[Finding]:
        """The findings of the lints in the recipe at *path*, which has the name *name* in its file.
        *text* is read for its comments. Comments in a file with several packages belong to none of
        them."""
        subjects = Subjects(self._reader, decided(facts, name, self._kept))
        lines = (*subjects.lines, *printed(facts, path), *_names(facts, path, name))
        subjects.lines = (*lines, *comments(text, path, apart=one_of_several))
        told: set[tuple[str, str]] = set()
        for lint in OF_VARIANTS:
            if lint.name in self._off:
                continue
            for found in self._looking.at(lint, subjects):
                # A hand-written recipe that states no driver contradicts nothing.
                if lint is driver_not_stated and found.what != TOO_OLD:
                    continue
                if (lint.name, found.case) in told:
                    continue  # another text has the same words
                told.add((lint.name, found.case))
                place = Extent(found.span.start, found.span.end)
                words = f"{found.what or lint.what}: {found.case}"
                help = (found.by_hand if self._alone else "") or found.help
                yield Finding(lint.code, path, words, place, (), lint.name, help)


def printed(facts: RecipeFacts, path: str) -> Iterator[Line]:
    """The lines that scripts print."""
    for name, seen in facts.settings.items():
        key = name.rpartition(".")[2]
        value = seen.value.value if isinstance(seen.value, Added) else seen.value
        if not isinstance(value, str) or not is_script(key):
            continue
        for line in value.split("\n"):
            bare = line.strip()
            if bare.startswith(PRINTING) and may_name(bare):
                yield Line(bare.partition(" ")[2], Span(path, seen.place.start, seen.place.end))


def _names(facts: RecipeFacts, path: str, name: str) -> Iterator[Line]:
    """The names of the file and the package."""
    place = facts.place("attrs.pname")
    if facts.pname is not None and may_name(facts.pname):
        yield Line(facts.pname, Span(path, place.start, place.end))
    if name != facts.pname and may_name(name):
        yield Line(name, Span(path, 0, 0))


def comments(text: str, path: str, *, apart: bool = False) -> Iterator[Line]:
    """The comments of *text* and of its scripts. The comments at its head describe the file, unless
    it has several packages (*apart*). All other comments may be about other builds."""
    at = 0
    head = not apart
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        head = head and (not bare or bare.startswith("#"))
        if bare.startswith("#") and may_name(bare):
            start = at + line.index("#")
            yield Line(bare.lstrip("# "), Span(path, start, start + len(bare)), aside=not head)
        at += len(line)


_X86 = re.compile(
    r"-m(?:no-)?(?:avx|sse|ssse|fma|f16c|bmi|amx-|lzcnt|movbe|popcnt|vaes|gfni|vpclmul|sha$|xop|tbm)\S*"
    r"|-march=(?:x86-64|haswell|broadwell|skylake|icelake|sapphirerapids|znver)\S*"
)
_ARM = re.compile(r"-march=armv[89]\S*|-mcpu=(?:neoverse|cortex|grace)\S*")
_DOTTED = re.compile(r"\d+\.\d+[af]?(?:\+PTX)?")


def contradictions(facts: RecipeFacts, rows: Mapping[str, Value]) -> Iterator[tuple[str, Extent]]:
    """Each contradiction as a clause, with its place. *rows* are the axis values in the name of the
    file."""
    found = {arch: flag for flag in facts.isa_flags if (arch := arch_of(flag))}
    if len(found) > 1:
        yield f"`{found['x86_64']}` and `{found['aarch64']}` are for two architectures", NOWHERE
        return
    place = facts.place("meta.platforms")
    platforms = facts.texts("meta.platforms")
    for arch, flag in found.items():
        for row in rows.values():
            wanted = _text(row, "arch")
            if wanted is not None and has_fact(row, "flags") and wanted != arch:
                yield f"`{flag}` is for {arch}, but the file name says {_name(row)}", NOWHERE
    if not found:
        for row in rows.values():
            wanted = _text(row, "platform")
            if wanted is not None and platforms and wanted not in platforms:
                text = f"`meta.platforms` names {platforms[0]}, but the file name says {_name(row)}"
                yield text, place
    yield from _targets(facts, rows)


def _targets(facts: RecipeFacts, rows: Mapping[str, Value]) -> Iterator[tuple[str, Extent]]:
    targets = facts.texts("args.gpuTargets")
    place = facts.place("args.gpuTargets")
    for row in rows.values():
        wanted = _text(row, "capability")
        plain = [
            target.removesuffix("+PTX").rstrip("af")
            for target in targets or ()
            if _DOTTED.fullmatch(target)
        ]
        if wanted is not None and plain and wanted not in plain:
            text = f"is built for GPU {', '.join(targets or ())}, but the file name says "
            yield text + _name(row), place


def arch_of(flag: str) -> str | None:
    """The architecture that a compiler flag is for; None if the flag does not depend on one."""
    if _X86.fullmatch(flag):
        return "x86_64"
    return "aarch64" if _ARM.fullmatch(flag) else None


def _text(row: Value, name: str) -> str | None:
    fact = row.facts.get(name) if isinstance(row, RowValue) else None
    if fact is None:
        return None
    if isinstance(fact.value, Version):
        return fact.value.text
    return fact.value if isinstance(fact.value, str) else None


def _name(row: Value) -> str:
    return row.name if isinstance(row, RowValue) else ""
