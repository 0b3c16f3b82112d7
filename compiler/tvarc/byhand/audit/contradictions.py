"""What a recipe says that cannot all be true: its flags, or its settings and the name of the file.

Lints find what contradicts the facts, or the platforms of the recipe.
"""

from __future__ import annotations

import re

from tvarc.byhand.audit.model import RecipeFacts
from tvarc.light import Iterator, Mapping
from tvarc.nix.language.syntax import NOWHERE, Extent
from tvarc.values.row_facts import has_fact
from tvarc.values.value import RowValue, Value, Version

_X86 = re.compile(
    r"-m(?:no-)?(?:avx|sse|ssse|fma|f16c|bmi|amx-|lzcnt|movbe|popcnt|vaes|gfni|vpclmul|sha$|xop|tbm)\S*"
    r"|-march=(?:x86-64|haswell|broadwell|skylake|icelake|sapphirerapids|znver)\S*"
)
_ARM = re.compile(r"-march=armv[89]\S*|-mcpu=(?:neoverse|cortex|grace)\S*")
_DOTTED = re.compile(r"\d+\.\d+[af]?(?:\+PTX)?")


def contradictions(facts: RecipeFacts, rows: Mapping[str, Value]) -> Iterator[tuple[str, Extent]]:
    """Each contradiction as a clause, with its place. *rows* are the axis values that the name
    of the file tells."""
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
    """The architecture that a compiler flag is for, None where it tells none."""
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
