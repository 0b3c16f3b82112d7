"""The statements of recipes in the blocks that they stand in."""

from __future__ import annotations

import re

from tvarc.byhand.importing.family import Family
from tvarc.byhand.importing.statements import Statement
from tvarc.byhand.importing.written import braced
from tvarc.light import Sequence, replace


def grouped(statements: Sequence[Statement]) -> list[str]:
    """Statements in their blocks: those without a condition first. What has a condition of its own
    in one block alone is written there, if it is long."""
    plain = [one for one in statements if not one.condition]
    known = {one.block for one in plain}
    rows: list[str] = []
    for condition in dict.fromkeys([one.condition for one in statements if one.condition]):
        some = [one for one in statements if one.condition == condition]
        of, *others = dict.fromkeys([one.block for one in some])
        made = braced(f"when {condition}", blocks(some))
        if of and of in known and not others and len(made) > 1:
            inner = blocks([replace(one, block="") for one in some])
            plain.append(Statement(of, "\n".join(braced(f"when {condition}", inner))))
        else:
            rows += made
    return [*blocks(plain), *rows]


def blocks(statements: Sequence[Statement]) -> list[str]:
    """Statements in their blocks, whatever their conditions."""
    rows: list[str] = []
    for name in dict.fromkeys([one.block for one in statements]):
        inner: list[str] = []
        for one in statements:
            if one.block == name:
                inner += [*[f"# {line}".rstrip() for line in one.comment], one.text]
        rows += inner if not name else braced(name, inner)
    return rows


def common(families: Sequence[Family], found: Sequence[Sequence[Statement]]) -> list[Statement]:
    """What is *found* of all *families* alike, where these are several: nothing of lists that are
    added to or of scripts, whose order counts, nor of axes that some of them lack."""
    if len(families) < 2:
        return []
    axes = [{axis.name for axis in family.shape.axes} for family in families]
    elsewhere = set[str]().union(*axes) - axes[0].intersection(*axes)
    first, *others = found
    return [
        one
        for one in first
        if all(one in statements for statements in others)
        and "+=" not in one.text
        and not one.block.startswith("script ")
        and not one.condition
        and not _reads(one.text, elsewhere)
    ]


def _reads(text: str, names: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)
