"""Writes the TextMate grammar of `.tvar`, made of the compiler's own words:

    python editors/textmate/make.py > editors/textmate/tvar.tmLanguage.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tvarc.editor.words import AFTER, BEFORE, KEYS, NAME, NUMBER, QUOTES, Words, words

BASH = "source.shell"
NIX = "source.nix"


def one_of(*some: str) -> str:
    return f"{BEFORE}(?:{'|'.join(sorted(some))}){AFTER}"


def include(*names: str) -> list[dict[str, Any]]:
    return [{"include": f"#{name}"} for name in names]


def captured(*scopes: str) -> dict[str, Any]:
    return {str(at): {"name": f"{scope}.tvar"} for at, scope in enumerate(scopes, 1) if scope}


def fenced(quotes: int, language: str) -> dict[str, Any]:
    """A text of several lines, between three quotes or more, in another language."""
    word = "nix" if language == NIX else ""
    scope = f"meta.embedded.block.{language.removeprefix('source.')}.tvar"
    begin = "punctuation.definition.string.begin"
    return {
        "name": scope,
        "contentName": language,
        "begin": f'({word})("{{{quotes}}})(?!")',
        "beginCaptures": captured("keyword.other.nix", begin),
        "end": f'("{{{quotes},}})',
        "endCaptures": captured("punctuation.definition.string.end"),
        "patterns": [*include("text-escape", "text-value"), {"include": language}],
    }


def value(begin: str) -> dict[str, Any]:
    """An expression between braces in a text."""
    return {
        "name": "meta.interpolation.tvar",
        "begin": f"({begin})",
        "beginCaptures": captured("punctuation.section.embedded.begin"),
        "end": r"(\}\})",
        "endCaptures": captured("punctuation.section.embedded.end"),
        "patterns": include("all"),
    }


def repository(known: Words) -> dict[str, Any]:
    word = {"name": "keyword.operator.word.tvar", "match": one_of(*known.operators)}
    sign = {"name": "keyword.operator.tvar", "match": r"\+=|-=|==|!=|<=|>=|\.\.\.?|[=<>*?]"}
    whole = {"name": "string.quoted.triple.tvar", "match": '(?:nix)?"{6}'}
    declaration = rf"{BEFORE}({'|'.join(sorted(known.declarations))})\s+"
    follows = rf"(?=[\w\"])(?!(?:{'|'.join(known.operators)})\b)({NAME})?"
    order = (
        "comment", "fenced", "string", "declaration", "control", "modifier", "operator", "constant",
        "number", "call", "key", "builtin", "name", "punctuation",
    )  # fmt: skip
    return {
        "all": {"patterns": include(*order)},
        "comment": {"name": "comment.line.number-sign.tvar", "match": "#.*$"},
        "fenced": {
            "patterns": [*[fenced(n, to) for to in (NIX, BASH) for n in QUOTES], whole],
        },
        "string": {
            "name": "string.quoted.double.tvar",
            "begin": '"',
            "end": '"|$',
            "patterns": include("escape", "value"),
        },
        "escape": {"name": "constant.character.escape.tvar", "match": r"\\(?:\{\{|.)"},
        "text-escape": {"name": "constant.character.escape.tvar", "match": r"\\\{\{"},
        "value": value(r"\{\{"),
        # Within a comment of Nix two braces may stand alone.
        "text-value": value(r"\{\{(?=.*\}\})"),
        "declaration": {
            "match": declaration + follows,
            "captures": captured("keyword.declaration", "entity.name.type"),
        },
        "control": {"name": "keyword.control.tvar", "match": one_of(*known.clauses)},
        "modifier": {"name": "storage.modifier.tvar", "match": one_of(*known.modifiers)},
        "operator": {"patterns": [word, sign]},
        "constant": {"name": "constant.language.tvar", "match": one_of(*known.constants)},
        "number": {"name": "constant.numeric.tvar", "match": rf"(?<![\w.-]){NUMBER}"},
        "call": {"name": "support.function.tvar", "match": rf"{NAME}(?=\()"},
        "key": {"name": "variable.other.property.tvar", "match": KEYS},
        "builtin": {"name": "variable.language.tvar", "match": one_of(*known.names)},
        "name": {"name": "variable.other.tvar", "match": NAME},
        "punctuation": {"name": "punctuation.separator.tvar", "match": r"[{}\[\](),.:]"},
    }


def main() -> None:
    made = {
        "name": "tvar",
        "scopeName": "source.tvar",
        "fileTypes": ["tvar"],
        "patterns": include("all"),
        "repository": repository(words()),
    }
    sys.stdout.write(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
