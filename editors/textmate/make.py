"""Writes the TextMate grammar of `.tvar`, made of the compiler's own words, into a folder:

    python editors/textmate/make.py editors/textmate

It also writes the same grammar in the form of Sublime Text, which bat reads, too. It needs PyYAML.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tvarc.editor.words import (
    AFTER,
    BEFORE,
    KEYS,
    NAME,
    NUMBER,
    PUNCTUATION,
    QUOTES,
    SIGN,
    Words,
    words,
)

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
    sign = {"name": "keyword.operator.tvar", "match": SIGN}
    whole = {"name": "string.quoted.triple.tvar", "match": '(?:nix)?"{6}'}
    declaration = rf"{BEFORE}({'|'.join(sorted(known.declarations))})\s+"
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
            "match": declaration + known.declared,
            "captures": captured("storage.type", "entity.name.type"),
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
        "punctuation": {"name": "punctuation.separator.tvar", "match": PUNCTUATION},
    }


def contexts(repository: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The rules of a TextMate grammar as the contexts of Sublime Text."""
    for name, rule in repository.items():
        group = "patterns" in rule and "begin" not in rule
        yield name, [in_context(one) for one in (rule["patterns"] if group else [rule])]


def in_context(rule: dict[str, Any]) -> dict[str, Any]:
    if "include" in rule:
        name = rule["include"]
        own = name.startswith("#")
        return {"include": name[1:] if own else f"scope:{name}"}
    made = {"match": rule.get("match") or rule["begin"]}
    if "begin" not in rule and "name" in rule:
        made["scope"] = rule["name"]
    captures = rule.get("captures") or rule.get("beginCaptures")
    if captures:
        made["captures"] = {int(at): one["name"] for at, one in captures.items()}
    if "begin" in rule:
        ends = rule.get("endCaptures", {})
        end = {"match": rule["end"], "pop": True}
        if ends:
            end["captures"] = {int(at): one["name"] for at, one in ends.items()}
        inner = [in_context(one) for one in rule["patterns"]]
        made["push"] = [{"meta_scope": rule["name"]}, end, *inner]
    return made


def main() -> None:
    folder = Path(sys.argv[1])
    rules = repository(words())
    textmate = {
        "name": "tvar",
        "scopeName": "source.tvar",
        "fileTypes": ["tvar"],
        "patterns": include("all"),
        "repository": rules,
    }
    sublime = {
        "name": "tvar",
        "scope": "source.tvar",
        "file_extensions": ["tvar"],
        "contexts": {"main": [{"include": "all"}], **dict(contexts(rules))},
    }
    json_text = json.dumps(textmate, indent=2) + "\n"
    (folder / "tvar.tmLanguage.json").write_text(json_text, encoding="utf-8")
    yaml_text = yaml.safe_dump(sublime, sort_keys=False, explicit_start=True, version=(1, 2))
    (folder / "tvar.sublime-syntax").write_text(yaml_text, encoding="utf-8")


if __name__ == "__main__":
    main()
