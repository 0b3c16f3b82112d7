"""What to do about each finding."""

from __future__ import annotations

from tvarc.light import Final

HELP: Final[dict[str, str]] = {
    "W201": "run `tvarc build` to write it",
    "W202": "add a variant for it, or remove it",
    "W203": "move its changes into the .tvar, then run `tvarc build --adopt`, which keeps a copy",
    "W204": "move the change into the .tvar, then run `tvarc build --adopt`, which keeps a copy",
    "W205": "run `tvarc build`",
    "W206": "open the file: the audit reports nothing else about it",
    "W207": "remove one of the two files",
    "W208": "use the pin of the matrix: recipes with one pin have the same dependencies",
    "W209": "add what is missing, or declare an `overlay` for what the matrix does not have",
    "W210": "use the name that the matrix gives it",
    "W211": "remove it, or change what it builds",
    "W212": "start from the package of the matrix",
    "W213": "write it in the .tvar for this cell, with a `because`, or remove it",
    "W214": "correct the one that is wrong",
    "W215": "switch it on, or write in the .tvar why this cell builds without it",
    "W216": "make it like its neighbours, or write in the .tvar why it differs",
    "W217": "compare it yourself, or write it as a plain value",
    "W218": "use the recipe of the matrix, or write in the .tvar that this cell uses another",
}


_ALONE: Final[dict[str, str]] = {
    "W216": "make it like its neighbours, or write in a comment why it differs",
}


def help_for(code: str, own: str, *, alone: bool) -> str:
    """What to do about a finding of *code*, of which *own* is what its lint says; *alone* there is
    no program to change."""
    return own or (_ALONE.get(code, "") if alone else "") or HELP.get(code, "")


def gone_help(*, edited: bool, pruned: bool) -> str:
    """What to do about a file of tvarc that no variant has; *pruned* if `build --prune` looks at
    its folder."""
    if not pruned:
        return "remove it; `tvarc build --prune` does not, since no output writes to its folder"
    switches = "--prune --force" if edited else "--prune"
    return f"add a variant for it, or run `tvarc build {switches}`, which removes it"
