"""The schemas of `docs/schema/` are those of the dataclasses whose fields commands print as JSON.
UPDATE_DOCS=1 writes them anew."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import textwrap
import types
import typing
from collections import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import pytest

from support.compile import ROOT
from tvarc.advice.hosts.model import Host
from tvarc.byhand.audit import answer as audit
from tvarc.commands import bump, facts, lock, pick, stale, watch, who, whynot
from tvarc.commands import diff as diff
from tvarc.commands import importing as importing
from tvarc.commands.build import result as build
from tvarc.commands.evaluation import result as check
from tvarc.commands.explain import command as explain
from tvarc.commands.explain import recipe_line
from tvarc.commands.realise import result as realise
from tvarc.commands.shown import result as shown
from tvarc.commands.start import app as version
from tvarc.farm import ledger
from tvarc.farm.ci import github, lines
from tvarc.light import Enum
from tvarc.values import plain

# --- the schema of a dataclass --------------------------------------------------------------------

Schema = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
NAMES: Mapping[str, object] = {
    **{name: getattr(typing, name) for name in ("Any", "Literal")},
    "Count": Annotated[int, '{"type": "integer", "minimum": 0}'],
    "Ordinal": Annotated[int, '{"type": "integer", "minimum": 1}'],
    "Json": Annotated[object, "{}"],
    "Span": plain.Place,
    "Version": Annotated[str, '{"type": "string"}'],
    "Value": Annotated[object, '{"$ref": "#/$defs/value"}'],
}
"""Names in annotations that mean more to a schema than to a type checker."""
VALUE: Schema = {
    "description": "A value of the language. A version, the name of a row or of a declaration is a "
    'string; {"nix": …} is known to Nix only, {"path": …} a file, {"none": true} is `none`; any '
    "other object is a record.",
    "oneOf": [
        {"type": ["string", "integer", "boolean", "null"]},
        {"type": "array", "items": {"$ref": "#/$defs/value"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}},
    ],
}
PLAIN = {str: "string", int: "integer", bool: "boolean", types.NoneType: "null"}


class Defs(dict[str, Schema]):
    """Schemas of dataclasses by their names, and which dataclass has a name."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: dict[str, object] = {}


def schema(title: str, result: object) -> Schema:
    """The schema of *result*, a dataclass, or a type that is made of some."""
    defs = Defs()
    body = _of(result, defs)
    if body.get("$ref", "").startswith("#/$defs/"):
        body = defs.pop(body["$ref"].removeprefix("#/$defs/"))
    if '"#/$defs/value"' in json.dumps([body, defs]):
        defs["value"] = VALUE
    whole = {"$schema": DRAFT, "title": title, **body}
    return {**whole, "$defs": defs} if defs else whole


def _of(kind: Any, defs: Defs) -> Schema:
    """The schema of values of the type *kind*; *defs* gets those of its dataclasses."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        found: Schema = json.loads(inner[1])
        return found
    if origin is typing.Literal:
        return {"enum": [*inner]}
    if origin in (typing.Union, types.UnionType):
        return _union([one for one in inner if one is not plain.Absent], defs)
    if origin is tuple and inner[-1] is not ...:
        items = _of(inner[0], defs)
        assert all(_of(one, defs) == items for one in inner)
        return {"type": "array", "items": items, "minItems": len(inner), "maxItems": len(inner)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1], defs)}
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return {"type": "array", "items": _of(inner[0], defs)}
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [one.value for one in kind]}
    name = _name(kind)
    assert defs.kinds.setdefault(name, kind) is kind, f"two dataclasses are called {name}"
    if name not in defs:
        defs[name] = {}  # it may contain itself
        defs[name] = _record(kind, defs)
    return {"$ref": f"#/$defs/{name}"}


def _union(kinds: Sequence[Any], defs: Defs) -> Schema:
    parts = [_of(one, defs) for one in kinds]
    if len(parts) == 1:
        return parts[0]
    null = {"type": "null"}
    if len(parts) == 2 and parts[1] == null and isinstance(parts[0].get("type"), str):
        return {**parts[0], "type": [parts[0]["type"], "null"]}
    return {"anyOf": parts}


_NOTHING = (plain.Absent, types.NoneType)


def _hint(kind: Any, name: str) -> str:
    """The annotation of a field, or of the value of a property."""
    found = vars(kind).get(name)
    of_field: str = kind.__annotations__.get(name, "")
    return found.fget.__annotations__["return"] if isinstance(found, property) else of_field


def _record(kind: Any, defs: Defs) -> Schema:
    """The schema of a dataclass: each field a property, described by the string below it."""
    keys = dict(getattr(kind, "KEYS", ()))
    said = _descriptions(kind)
    space = {**_space(kind.__module__), **NAMES}
    properties: Schema = {}
    required: list[str] = []
    rest: Schema | bool = False
    nulls, optional = getattr(kind, "NULLS", ()), getattr(kind, "OPTIONAL", ())
    for name in plain.shown_of(kind):
        hint = eval(_hint(kind, name), space)
        key = keys.get(name, name)
        if not key:
            if typing.get_origin(hint) is abc.Mapping:
                rest = _of(hint, defs)["additionalProperties"]
                continue
            kinds = [one for one in typing.get_args(hint) if one not in _NOTHING]
            part = _record((kinds or [hint])[0], defs)
            properties |= part["properties"]
            required += [] if kinds or name in optional else part["required"]
            continue
        if name in nulls:
            hint = typing.Union[hint, None]  # noqa: UP007
        if name in optional and types.NoneType in typing.get_args(hint):
            hint = next(one for one in typing.get_args(hint) if one is not types.NoneType)
        properties[key] = _of(hint, defs)
        if name in said:
            properties[key] = {**properties[key], "description": said[name]}
        if plain.Absent not in typing.get_args(hint) and name not in optional:
            required.append(key)
    return {
        "description": _words(inspect.getdoc(kind) or ""),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": rest,
    }


@cache
def _space(module: str) -> Mapping[str, object]:
    """What names mean in the annotations of *module*. What it imports for types alone counts, and
    so does a name of a `Literal`, which is nothing at run time."""
    tree = _tree(module)
    space = dict(vars(importlib.import_module(module)))
    for one in ast.walk(tree):
        other = one.module if isinstance(one, ast.ImportFrom) else None
        if isinstance(one, ast.ImportFrom) and other is not None and other.startswith("tvarc."):
            names, loaded = _literals(other), vars(importlib.import_module(other))
            for to in one.names:
                space[to.asname or to.name] = names.get(to.name, loaded.get(to.name))
    return {**space, **_literals(module)}


@cache
def _literals(module: str) -> Mapping[str, object]:
    """The names that *module* gives to a `Literal`."""
    return {
        name: eval(ast.unparse(found), {"Literal": typing.Literal})
        for one in _tree(module).body
        if isinstance(one, ast.Assign)
        for name in [ast.unparse(one.targets[0])]
        for found in [one.value]
        if isinstance(found, ast.Subscript) and ast.unparse(found.value) == "Literal"
    }


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(Path(importlib.import_module(module).__file__ or "").read_text("utf-8"))


def _descriptions(kind: type) -> dict[str, str]:
    """The strings below the fields of a class, and those of its properties."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(tree, ast.ClassDef)
    said = {
        name: _words(one.__doc__)
        for name, one in vars(kind).items()
        if isinstance(one, property) and one.__doc__
    }
    return {**said, **dict(_below(tree))}


def _below(tree: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for one, after in zip(tree.body, tree.body[1:], strict=False):
        match one, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, _words(text)


def _words(text: str) -> str:
    return " ".join(text.split())


def _name(kind: type) -> str:
    """`RecipeLine` as `recipe-line`."""
    return "".join(f"-{one.lower()}" if one.isupper() else one for one in kind.__name__).lstrip("-")


# --- the tests ------------------------------------------------------------------------------------

RESULTS: Mapping[str, tuple[str, object]] = {
    "audit": ("tvarc audit --json", audit.Result | list[audit.Result]),
    "build": ("tvarc build --json", build.Result),
    "bump": ("tvarc bump --json", bump.Result),
    "check": ("tvarc check --eval --json", check.Result),
    "diff": ("tvarc diff --json", diff.Pair | diff.States),
    "explain": (
        "tvarc explain --json",
        shown.Variant | list[shown.Item] | shown.Item | explain.Page | recipe_line.MadeLine,
    ),
    "facts": ("tvarc facts --json", list[facts.Table | facts.Row]),
    "import": ("tvarc import --json", importing.Result),
    "jobs": ("a line of tvarc jobs", lines.Line),
    "jobs-github": ("tvarc jobs --as github", github.Matrix),
    "lock": ("tvarc lock --json", lock.Result),
    "pick": ("tvarc pick --json, tvarc pick --describe", pick.Result | Host),
    "realise": ("tvarc realise --json", realise.Result),
    "results": ("a line of tvarc-results.jsonl", ledger.Entry),
    "stale": ("tvarc stale --json", stale.Result),
    "version": ("tvarc --version --json", version.Result),
    "watch": ("a line of tvarc watch --json", watch.Event),
    "who": ("tvarc who --json", who.Result),
    "why-not": ("tvarc why-not --json", list[whynot.Result]),
}
"""The title and the type of each result, by the name of its schema."""


@pytest.mark.parametrize("name", RESULTS)
def test_a_schema_is_made_from_the_result(name: str) -> None:
    path = ROOT / "docs" / "schema" / f"{name}.json"
    text = json.dumps(schema(*RESULTS[name]), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_DOCS") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
