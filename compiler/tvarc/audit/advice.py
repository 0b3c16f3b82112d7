"""What to do about each finding."""

from __future__ import annotations

from tvarc.light import Final

HELP: Final[dict[str, str]] = {
    "W201": "`tvarc build` writes it",
    "W202": "give it a variant, or remove it; `tvarc build --prune` removes what tvarc wrote",
    "W203": "move what is special into the .tvar, then `tvarc build --adopt`, which keeps a copy",
    "W204": "move the change into the .tvar, then `tvarc build --adopt`, which keeps a copy",
    "W205": "run `tvarc build`",
    "W206": "look at the file: nothing else is said about it",
    "W207": "remove one of the two",
    "W208": "one pin for all keeps their dependencies alike: use that of the matrix",
    "W209": "add what is lacking, or declare an `overlay` for what is more",
    "W210": "name it as the matrix does",
    "W211": "remove it, or let it differ in what it builds",
    "W212": "change the package that the matrix changes",
    "W213": "say it in the .tvar for this cell, with a `because`, or drop it",
    "W214": "correct the one that is wrong",
    "W215": "switch it on, or say in the .tvar why this cell goes without",
    "W216": "make it as its neighbours are, or say in the .tvar why it is not",
    "W217": "compare it by eye, or write it out",
    "W218": "take the one that the matrix takes, or say in the .tvar that this cell needs another",
}


_ALONE: Final[dict[str, str]] = {
    "W216": "make it as its neighbours are, or say in a comment why it is not",
}


def help_for(code: str, own: str, *, alone: bool) -> str:
    """What to do about a finding of *code*, of which *own* is what its lint says; *alone* there is
    no program to change."""
    return own or (_ALONE.get(code, "") if alone else "") or HELP.get(code, "")
